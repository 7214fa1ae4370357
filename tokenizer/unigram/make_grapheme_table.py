#!/usr/bin/env python3
"""Makes grapheme_table.h from the ranges of Unicode 17 in tests/data/unigram/graphemes_unicode17.tsv.gz.

    make_grapheme_table.py > grapheme_table.h
"""
import gzip
import itertools
import os

RANGES = os.path.join(os.path.dirname(__file__), "../../tests/data/unigram/graphemes_unicode17.tsv.gz")
# In the order of the enumeration GraphemeClass.
CLASSES = ["Other", "CR", "LF", "Control", "Extend", "InCB_Extend", "InCB_Linker", "ZWJ", "SpacingMark", "Prepend",
           "Regional_Indicator", "L", "V", "T", "LV", "LVT", "Extended_Pictographic", "InCB_Consonant"]
# The same names in the enumeration. Syllables (LV, LVT) are left out: each 28th one is an LV.
NAMES = dict(zip(CLASSES, ["other", "carriage_return", "line_feed", "control", "extend", "conjunct_mark", "linker",
                           "zero_width_joiner", "spacing_mark", "prepend", "regional_indicator", "hangul_l", "hangul_v",
                           "hangul_t", None, None, "pictographic", "consonant"]))


def classes():
    """Returns the class of every code point."""
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
    return table


def ranges_by_class():
    """Returns for each class the ranges of neighbouring code points that have it, but for those of Hangul syllables."""
    ranges = {name: [] for name in CLASSES if NAMES[name] and name != "Other"}
    first = 0
    for name, run in itertools.groupby(classes()):
        end = first + len(list(run))
        if name in ranges:
            ranges[name].append(f"{{0x{first:x}, 0x{end - 1:x}}}")
        first = end
    return ranges


def main():
    print("""#pragma once

// Made by make_grapheme_table.py from data of Unicode 17.0 (Unicode licence v3). Do not edit.

namespace embd::unigram {

struct CodePointRange {
  char32_t first;
  char32_t last;
};

// clang-format off
""")
    for name, ranges in ranges_by_class().items():
        print(f"inline constexpr CodePointRange {NAMES[name]}_ranges[] = {{")
        for i in range(0, len(ranges), 6):
            print("  " + ", ".join(ranges[i:i + 6]) + ",")
        print("};\n")
    print("// clang-format on\n\n}  // namespace embd::unigram")


if __name__ == "__main__":
    main()
