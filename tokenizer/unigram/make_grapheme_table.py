#!/usr/bin/env python3
"""Makes grapheme_table.h from the ranges of Unicode 17 in tests/data/unigram/graphemes_unicode17.tsv.gz.

    make_grapheme_table.py > grapheme_table.h
"""
import gzip
import os

RANGES = os.path.join(os.path.dirname(__file__), "../../tests/data/unigram/graphemes_unicode17.tsv.gz")
# In the order of the enumeration GraphemeClass.
CLASSES = ["Other", "CR", "LF", "Control", "Extend", "InCB_Extend", "InCB_Linker", "ZWJ", "SpacingMark", "Prepend",
           "Regional_Indicator", "L", "V", "T", "LV", "LVT", "Extended_Pictographic", "InCB_Consonant"]
BLOCK = 256


def classes():
    """Returns the class of every code point, as a letter from `a` on."""
    table = ["Other"] * 0x110000
    for line in gzip.open(RANGES, "rt"):
        if line.startswith("#"):
            continue
        first, last, name = line.split()
        for c in range(int(first, 16), int(last, 16) + 1):
            # The last rows say more about what earlier rows have as Extend or ZWJ.
            if name in ("InCB_Extend", "InCB_Linker"):
                assert table[c] in ("Extend", "ZWJ")
            if table[c] != "ZWJ":
                table[c] = name
    return "".join(chr(ord("a") + CLASSES.index(name)) for name in table)


def main():
    table = classes()
    numbers = {"a" * BLOCK: 0}
    pages = [numbers.setdefault(table[i:i + BLOCK], len(numbers)) for i in range(0, len(table), BLOCK)]
    while pages[-1] == 0:
        pages.pop()
    print("""#pragma once

#include <array>
#include <cstdint>

// Made by make_grapheme_table.py from data of Unicode 17.0 (Unicode licence v3). Do not edit.

namespace embd::unigram {

// clang-format off
/// The block of 256 code points that has the classes of code points 256 i to 256 i + 255.""")
    print(f"inline constexpr std::array<std::uint8_t, {0x110000 // BLOCK}> grapheme_pages = {{")
    for i in range(0, len(pages), 32):
        print("  " + ", ".join(map(str, pages[i:i + 32])) + ",")
    print("};\n\n/// The class of each code point of a block: a letter, `a` for the first of GraphemeClass.")
    print("inline constexpr char grapheme_blocks[] =")
    for i, block in enumerate(numbers):
        lines = [f'  "{block[j:j + 64]}"' for j in range(0, BLOCK, 64)]
        print("\n".join(lines) + (";" if i + 1 == len(numbers) else ""))
    print("// clang-format on\n\n}  // namespace embd::unigram")


if __name__ == "__main__":
    main()
