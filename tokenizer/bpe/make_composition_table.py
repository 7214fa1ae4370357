#!/usr/bin/env python3
"""Makes composition_table.h from the data of Unicode 14 in Python 3.11. Code points of versions after Unicode 9 are left out.

    make_composition_table.py > composition_table.h
"""
import unicodedata

# The code points with a combining class, a decomposition or a composition that came after Unicode 9.
LATER = ("07FD 0898-089F 08CA-08D3 09FE 0C3C 0D3B-0D3C 0EBA 1715 1ABF-1ACE 1DF6-1DFA A82C 10D24-10D27 10EAB-10EAC 10F46-10F50 10F82-10F85 "
         "11070 1133B 1145E 11839-1183A 11930 11935 11938 1193D-1193E 11943 119E0 11A34 11A47 11A99 11D42 11D44-11D45 11D97 16FF0-16FF1 "
         "1E130-1E136 1E2AE 1E2EC-1E2EF")
# The numbers of the enumeration Composition.
INERT, COMPOSITE, CHANGES = range(3)
SYLLABLES, MEDIALS, FINALS = range(0xAC00, 0xAC00 + 11172), range(0x1161, 0x1176), range(0x11A8, 0x11C3)


def later():
    for part in LATER.split():
        first, last = (part.split("-") * 2)[:2]
        yield from range(int(first, 16), int(last, 16) + 1)


def pair_of(c):
    """The two code points whose composition c is; nothing if it is none."""
    text = unicodedata.decomposition(chr(c))
    if not text or text.startswith("<") or " " not in text:
        return None
    pair = [int(part, 16) for part in text.split()]
    return pair if unicodedata.normalize("NFC", "".join(map(chr, pair))) == chr(c) else None


def main():
    assert unicodedata.unidata_version == "14.0.0"
    unknown = set(later())
    compositions = sorted((*pair, c) for c in range(0x110000) if c not in unknown and (pair := pair_of(c)))
    composites, seconds = {c for _, _, c in compositions}, {second for _, second, _ in compositions}

    def kind(c):
        if c in unknown or 0xD800 <= c < 0xE000:
            return INERT
        if unicodedata.combining(chr(c)) or c in seconds or c in MEDIALS or c in FINALS:
            return CHANGES
        if c in composites or c in SYLLABLES:
            return COMPOSITE
        return CHANGES if unicodedata.normalize("NFC", chr(c)) != chr(c) else INERT

    runs = []
    for c in range(0x110000):
        value = kind(c) << 8 | (unicodedata.combining(chr(c)) if c not in unknown else 0)
        if not runs or runs[-1] & 0x3FF != value:
            runs.append(c << 10 | value)
    print(f"""#pragma once

#include <array>
#include <cstdint>

// Made by make_composition_table.py from data of Unicode (Unicode licence v3). Do not edit.

namespace embd::bpe {{

// clang-format off
/// The runs of code points that are alike: bits 0 to 7 have the combining class, bits 8 and 9 the Composition, and the bits above
/// them the first code point of the run.
inline constexpr std::array<std::uint32_t, {len(runs)}> composition_runs = {{""")
    for i in range(0, len(runs), 12):
        print("  " + " ".join(f"{run}," for run in runs[i:i + 12]))
    print(f"""}};

/// Two code points and their composition.
struct ComposedPair {{
  char32_t first;
  char32_t second;
  char32_t composite;
}};

/// The pairs in ascending order.
inline constexpr std::array<ComposedPair, {len(compositions)}> composed_pairs = {{{{""")
    for i in range(0, len(compositions), 5):
        print("  " + " ".join("{%d, %d, %d}," % pair for pair in compositions[i:i + 5]))
    print("""}};
// clang-format on

}  // namespace embd::bpe""")


if __name__ == "__main__":
    main()
