#!/usr/bin/env python3
"""path_texts_test.py SOURCE: a path becomes a text, and a text a path, only by the functions of base/path_text.h.

A std::filesystem::path takes a text for the characters of a code page on Windows, and gives no bytes there. Only base/os, whose folders
are for one system each, uses the bytes of a path. What the compiler converts by itself cannot be seen here."""
import pathlib
import re
import sys

FOLDERS = "base tokenizer formats engine index analysis jobs include faces".split()
NAMES = r"\b(?:path|name|file|folder|stem|extension|directory)(?:\(\)|_)?"
FORBIDDEN = re.compile(
    r"\.(?:native|wstring|generic_string|generic_wstring)\(\)"
    rf"|{NAMES}\.string\(\)"
    r"|\b(?:std::filesystem|fs)::path\((?![)\"])")
ALLOWED = ("base/path_text.h", "base/os/linux/", "base/os/wasm/", "base/os/windows/")


def main():
    root = pathlib.Path(sys.argv[1])
    sources = [path for folder in FOLDERS for end in ("h", "cc", "inc") for path in (root / folder).rglob(f"*.{end}")]
    if len(sources) < 500:
        sys.exit(f"only {len(sources)} sources found: nothing was checked")
    wrong = []
    for path in sources:
        name = path.relative_to(root).as_posix()
        if not name.startswith(ALLOWED):
            wrong += [f"{name}:{number}: {line.strip()}"
                      for number, line in enumerate(path.read_text(encoding="utf-8").split("\n"), 1)
                      if FORBIDDEN.search(line.split("//")[0])]
    if wrong:
        sys.exit("paths as texts without base/path_text.h:\n" + "\n".join(wrong))


main()
