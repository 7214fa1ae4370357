#!/usr/bin/env python3
"""Finds an EMBD_TRY behind another value of a braced list: run in the root of the repository.

EMBD_TRY returns out of the middle of an expression. Where it does so out of a braced list, GCC 12 does not destroy the values that stand
before it, and what they own leaks. So it comes first in a list, or before the list. Ends with 1 if it found something.
"""
import re
import subprocess
import sys

# A raw string, a comment, a string or a character, of which only the lines are kept.
NO_CODE = re.compile(r'R"(\w*)\(.*?\)\1"|//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|(?<![0-9a-fA-F])\'(?:\\.|[^\'\\\n])\'', re.S)
# The text before the brace of a list, but not before that of a block.
BEFORE_LIST = re.compile(r"(?:[=,({]|\breturn)\s*$")


def values_before(code, place):
    """Returns the number of values before `place` in the braced lists around it."""
    depth = values = 0
    for at in range(place - 1, -1, -1):
        char = code[at]
        if char in ")]}":
            depth += 1
        elif char in "([{":
            if depth > 0:
                depth -= 1
            elif char != "{":
                values = 0  # arguments of a call
            elif values > 0 or not BEFORE_LIST.search(code, max(0, at - 20), at):
                return values
        elif depth == 0 and char == ",":
            values += 1
        elif depth == 0 and char == ";":
            return 0
    return 0


def main():
    listed = subprocess.run(["git", "ls-files", "*.cc", "*.h", "*.inc"], capture_output=True, text=True, check=True).stdout
    found = 0
    for name in listed.splitlines():
        with open(name, encoding="utf-8") as file:
            code = NO_CODE.sub(lambda match: "\n" * match.group().count("\n"), file.read())
        for match in re.finditer(r"\bEMBD_TRY\(", code):
            if values_before(code, match.start()) > 0:
                found += 1
                line = code.count("\n", 0, match.start()) + 1
                print(f"{name}:{line}: EMBD_TRY behind another value of a braced list: put it before the list")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
