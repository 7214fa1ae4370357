#!/usr/bin/env python3
"""Makes unicode_class_table.h from the data of Unicode 16 in the package unicodedata2 16.0.0.

    make_unicode_classes.py > unicode_class_table.h
"""
import unicodedata2

# The numbers of the enumeration UnicodeClass.
OTHER, WHITE_SPACE, LETTER, NUMBER = range(4)
WORD = 4
WHITE = {*range(0x9, 0xE), 0x20, 0x85, 0xA0, 0x1680, *range(0x2000, 0x200B), 0x2028, 0x2029, 0x202F, 0x205F, 0x3000}
# Other_Alphabetic beside the marks, and Join_Control.
ALSO_WORDS = {*range(0x24B6, 0x24EA), *range(0x1F130, 0x1F14A), *range(0x1F150, 0x1F16A), *range(0x1F170, 0x1F18A), 0x200C, 0x200D}


def class_of(c):
    category = unicodedata2.category(chr(c))
    of = WHITE_SPACE if c in WHITE else {"L": LETTER, "N": NUMBER}.get(category[0], OTHER)
    is_word = category[0] in "LM" or category in ("Nd", "Nl", "Pc") or c in ALSO_WORDS
    return of | (WORD if is_word else 0)


def main():
    assert unicodedata2.unidata_version == "16.0.0"
    runs = []
    for c in range(0x110000):
        of = class_of(c)
        if not runs or runs[-1] & 7 != of:
            runs.append(c << 3 | of)
    print("""#pragma once

#include <array>
#include <cstdint>

// Made by make_unicode_classes.py from data of Unicode 16.0 (Unicode licence v3). Do not edit.

namespace embd {

// clang-format off
/// The runs of code points of one class. Bits 0 and 1 have the UnicodeClass, bit 2 is set for code points of words, and the
/// bits above them have the first code point of the run.
inline constexpr std::array<std::uint32_t, %d> unicode_class_runs = {""" % len(runs))
    for i in range(0, len(runs), 16):
        print("  " + " ".join(f"{run}," for run in runs[i:i + 16]))
    print("""};
// clang-format on

}  // namespace embd""")


if __name__ == "__main__":
    main()
