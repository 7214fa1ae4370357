#!/usr/bin/env python3
"""Measures the size of embd's own C++ code: files, lines, the ten largest files, and private headers that should not be files.

    measure_tree.py            prints the measurements
    measure_tree.py --check    also fails if a file or a header breaks a rule

Code of tests, bench and examples does not count. The rules: no file has more than 700 lines. A private header (one outside
include/embd) is worth a file if at least two sources use it, or if it has at least 60 lines; otherwise it belongs in its user. The
source with the name of the header is not counted as a user: the header exists because of the others.
"""
import collections
import pathlib
import re
import sys

FOLDERS = ("include", "base", "tokenizer", "formats", "engine", "index", "analysis", "jobs", "faces")
MOST_LINES = 700
WORTH_A_FILE = 60
root = pathlib.Path(__file__).resolve().parents[1]


def own_sources():
    """The number of lines of each source, by its path from the root of the tree."""
    found = {}
    for folder in FOLDERS:
        for path in (root / folder).rglob("*"):
            if path.suffix in (".cc", ".h", ".inc", ".c") and "node_modules" not in path.parts:
                found[path.relative_to(root).as_posix()] = path.read_text(encoding="utf-8").count("\n")
    return found


def users_of(headers):
    """For each header, the sources that include it, the tests' sources among them."""
    users = collections.defaultdict(set)
    for folder in FOLDERS + ("tests", "bench"):
        for path in (root / folder).rglob("*"):
            if path.suffix in (".cc", ".h", ".inc", ".c"):
                text = path.read_text(encoding="utf-8", errors="replace")
                user = path.relative_to(root)
                for name in re.findall(r'^#include "([^"]+)"', text, re.MULTILINE):
                    # The bindings of Python name their headers from faces/python on.
                    folder = next((each for each in user.parents if (root / each / name).exists()), root)
                    users[(folder / name).as_posix()].add(user.as_posix())
    return {header: users[header] for header in headers}


def not_worth_a_file(lines):
    """Private headers of fewer than 60 lines with fewer than two users."""
    headers = [path for path in lines if path.endswith(".h") and not path.startswith("include/")]
    found = []
    for header, users in users_of(headers).items():
        others = {user for user in users if user.rsplit(".", 1)[0] != header.rsplit(".", 1)[0]}
        if lines[header] < WORTH_A_FILE and len(others) < 2:
            found.append((header, lines[header], sorted(others)))
    return sorted(found)


def main():
    lines = own_sources()
    largest = sorted(lines.items(), key=lambda item: (-item[1], item[0]))[:10]
    small = sum(1 for count in lines.values() if count < 30)
    print(f"{len(lines)} files, {sum(lines.values())} lines, {small} files under 30 lines")
    for path, count in largest:
        print(f"{count:6} {path}")
    too_long = [path for path, count in lines.items() if count > MOST_LINES]
    needless = not_worth_a_file(lines)
    print(f"{len(needless)} private headers with fewer than two users and fewer than {WORTH_A_FILE} lines")
    for header, count, users in needless:
        print(f"{count:6} {header} <- {', '.join(users) or 'nobody'}")
    broken = too_long + [header for header, _, _ in needless]
    if "--check" in sys.argv[1:] and broken:
        sys.exit(f"over {MOST_LINES} lines, or a header that belongs in its only user: {', '.join(broken)}")


if __name__ == "__main__":
    main()
