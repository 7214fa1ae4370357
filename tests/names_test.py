#!/usr/bin/env python3
"""names_test.py SOURCE: no source gives something a name that is a macro of Windows' headers."""
import pathlib
import re
import sys

FOLDERS = "base tokenizer formats engine index analysis jobs include faces".split()
MACROS = re.compile(r"\b(near|far|small|interface)\b")
# Comments and texts are no code.
NO_CODE = re.compile(r'R"([^(\s]*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"|//[^\n]*|/\*.*?\*/', re.DOTALL)


def code_of(path):
    """The source with its comments and texts left out, line by line."""
    source = path.read_text(encoding="utf-8")
    return NO_CODE.sub(lambda found: "\n" * found[0].count("\n"), source).split("\n")


def main():
    root = pathlib.Path(sys.argv[1])
    sources = [path for folder in FOLDERS for end in ("h", "cc", "inc") for path in (root / folder).rglob(f"*.{end}")]
    if len(sources) < 500:
        sys.exit(f"only {len(sources)} sources found: nothing was checked")
    wrong = [f"{path.relative_to(root)}:{number}: {found[0]}" for path in sources
             for number, line in enumerate(code_of(path), 1) if (found := MACROS.search(line))]
    if wrong:
        sys.exit("names that are macros of Windows' headers:\n" + "\n".join(wrong))


main()
