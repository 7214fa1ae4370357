#!/usr/bin/env python3
"""No message of the library names a verb or an option of the command line, or a command of a shell:  library_messages_test.py ROOT

Callers in C++, C and Python read these messages, too. What a user of the program can type is in faces/cli/remedy.cc. Every string
literal of the library's folders is looked at, except for the help of options in jobs/options and for programs that make tables.
An error of a stop request has one sentence, that of fail_stopped()."""
import pathlib
import re
import sys

FOLDERS = ("include", "base", "tokenizer", "formats", "engine", "index", "analysis", "jobs", "faces/c", "faces/python/native")
# A comment, or adjacent literals: raw ones, ordinary ones. A character is matched so that '"' begins no string.
TOKEN = re.compile(r'''//[^\n]*|/\*.*?\*/|'(?:[^'\\\n]|\\.)+'|(?P<text>(?:R"\((?:.*?)\)"|"(?:[^"\\\n]|\\.)*")(?:\s*(?:R"\((?:.*?)\)"|"(?:[^"\\\n]|\\.)*"))*)''', re.S)
PREPROCESSOR = re.compile(r"^\s*#\s*include.*$", re.M)


def texts(source):
    """Yields the texts of the string literals with their positions, where adjacent literals are one text."""
    source = PREPROCESSOR.sub(lambda line: " " * len(line[0]), source)
    for token in TOKEN.finditer(source):
        if token["text"]:
            yield token.start(), re.sub(r'"\s*"', "", token["text"])


def main():
    root = pathlib.Path(sys.argv[1])
    verbs = set(re.findall(r"void add_(\w+)\(Verb", (root / "faces/cli/commands.h").read_text()))
    assert {"embed", "model", "search", "check", "man"} <= verbs, verbs
    # A verb after the name of the program, where no number follows as in "embd digest 1"; an option; a command of a shell.
    named = re.compile(rf"\bembd (?:{'|'.join(sorted(verbs))})\b(?! [0-9])|(?<![\w-])--[a-z]|\bFILE\b| -[a-z] ")
    for message, is_named in (("try embd model get", True), ("give --force", True), ("zcat FILE", True), ("jq -c .", True),
                              ("embd digest 1 row", False), ("embd does not read it", False), ("a - b, x-y--z", False)):
        assert bool(named.search(message)) == is_named, message
    faults, count = [], 0
    for folder in FOLDERS:
        for path in sorted((root / folder).rglob("*")):
            name = path.relative_to(root).as_posix()
            if path.suffix not in (".cc", ".h", ".inc") or name.startswith("jobs/options/") or path.name.startswith("make_"):
                continue
            source = path.read_text()
            for position, text in texts(source):
                count += 1
                if found := named.search(text):
                    faults.append(f'{name}:{source.count(chr(10), 0, position) + 1}: "{found[0].strip()}" in {text}')
            if re.search(r"\b(?:fail|fail_in|Error)\([^;]*ErrorCode::cancelled", source) and name != "base/try.h":
                faults.append(f"{name}: makes an error of a stop request itself, instead of with fail_stopped()")
    print(*faults, f"{count} texts, {len(faults)} faults", sep="\n")
    return 1 if faults or count < 1000 else 0


if __name__ == "__main__":
    sys.exit(main())
