#!/usr/bin/env python3
"""Finds sentences that a stranger reads twice, as far as a script can: run in the root of the repository.

A comment or docstring begins with a verb ("Returns", "Appends") or names the thing, so its first words are none of BEGINNINGS. The
spelling is American where -ise and -ize differ. A line of a document has at most 140 columns, but for rows of tables, links and code. No
line of a paragraph begins with "12. ", which Markdown takes for an item of a list.
docs/words.md explains at most 25 terms. Ends with 1 if it found something.
"""
import pathlib
import re
import subprocess
import sys

BEGINNINGS = re.compile(r"^\s*(?:///?<?|#|\*|\"\"\"|-)\s*(What|Of each|Of all|Of those|Of the|Of a|Those that|That of|The same for|As it)\b")
# The stems whose verbs end in -ize here. A name in quotes may be another maker's.
QUOTED_NAME = re.compile(r'"\w+"')
BRITISH = re.compile(r"(?:ormal|uant|ecogn|nitial|ptim|oken|ummar|erial|rgan)is(?:e|ed|es|er|ers|ing|ation)\b")
CODE = {".h", ".cc", ".inc", ".c", ".py", ".sh", ".cmake", ".js", ".mjs", ".ts"}
ITEM = re.compile(r"( *)(\d+)\. ")
MAX_COLUMNS = 140
MAX_TERMS = 25


def tracked():
    listed = subprocess.run(["git", "ls-files"], capture_output=True, text=True, check=True).stdout
    for name in listed.splitlines():
        if not name.startswith("tests/data/") and name != "scripts/check_words.py":
            yield pathlib.Path(name)


def prose_lines(text):
    """Yields the lines of a document with their numbers, except for code, tables and lines that are one link."""
    in_code = False
    for number, line in enumerate(text.splitlines(), 1):
        if line.lstrip().startswith("```"):
            in_code = not in_code
        elif not in_code and not line.startswith(("|", "    ")):
            yield number, line


def findings(path, text):
    if path.suffix in CODE or path.name == "CMakeLists.txt":
        for number, line in enumerate(text.splitlines(), 1):
            if found := BEGINNINGS.match(line):
                yield number, f'begins with "{found[1]}": begin with a verb, or name the thing'
            if found := BRITISH.search(QUOTED_NAME.sub("", line)):
                yield number, f'"{found[0]}" is spelt with -ize here'
    if path.suffix == ".md":
        items = set()  # (indentation, number) of numbered items
        for number, line in prose_lines(text):
            if item := ITEM.match(line):
                items.add((len(item[1]), int(item[2])))
                if int(item[2]) > 1 and (len(item[1]), int(item[2]) - 1) not in items:
                    yield number, f'begins with "{item[0].strip()}", which Markdown takes for an item of a list'
            if len(line) > MAX_COLUMNS:
                yield number, f"has {len(line)} columns, more than {MAX_COLUMNS}"
            if found := BRITISH.search(line):
                yield number, f'"{found[0]}" is spelt with -ize here'
    if path == pathlib.Path("docs/words.md"):
        terms = sum(line.startswith("| **") for line in text.splitlines())
        if terms > MAX_TERMS:
            yield 1, f"explains {terms} terms, more than {MAX_TERMS}"


def main():
    count = 0
    for path in tracked():
        try:
            text = path.read_text(encoding="utf-8")
        except (UnicodeDecodeError, FileNotFoundError):
            continue
        for number, finding in findings(path, text):
            print(f"{path}:{number}: {finding}")
            count += 1
    print(f"{count} findings")
    return 1 if count else 0


sys.exit(main())
