#!/usr/bin/env python3
"""Draws texts of the project at random, to be read by somebody who has not seen them:  draw_texts.py --seed N

Prints 40 docstrings (of public headers and of the Python package), 10 messages of errors and the names of 3 pages. A seed draws the same
texts from the same tree. docs/words.md has the terms."""
import argparse
import ast
import pathlib
import random
import re
import subprocess

ROOT = pathlib.Path(__file__).resolve().parent.parent
MESSAGE = re.compile(r"\b(?:fail|fail_in|raise_invalid)\((?:[^;\"]*?)((?:\"(?:[^\"\\]|\\.)*\"\s*)+)")


def tracked(*patterns):
    listed = subprocess.run(["git", "ls-files", *patterns], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    return [ROOT / name for name in listed.splitlines()]


def of_headers():
    for path in tracked("include/*.h"):
        for found in re.finditer(r"(?:^ *///(?!<).*\n)+", path.read_text(encoding="utf-8"), re.MULTILINE):
            line = found.string[: found.start()].count("\n") + 1
            yield path, line, re.sub(r"^ *///", "", found.group(), flags=re.MULTILINE).rstrip()


def of_python():
    for path in tracked("faces/python/embd/*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, (ast.FunctionDef, ast.ClassDef, ast.Module)) and (text := ast.get_docstring(node)):
                yield path, getattr(node, "lineno", 1), text


def of_errors():
    for path in tracked("*.cc", "*.h"):
        if path.relative_to(ROOT).parts[0] in ("tests", "bench", "examples"):
            continue
        source = path.read_text(encoding="utf-8")
        for found in MESSAGE.finditer(source):
            text = "".join(re.findall(r"\"((?:[^\"\\]|\\.)*)\"", found.group(1)))
            if " " in text:
                yield path, source[: found.start()].count("\n") + 1, text


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seed", type=int, required=True)
    draw = random.Random(parser.parse_args().seed)
    for heading, texts, count in (("Docstrings", [*of_headers(), *of_python()], 40), ("Messages", list(of_errors()), 10)):
        print(f"# {count} of {len(texts)}: {heading}\n")
        for path, line, text in draw.sample(texts, count):
            print(f"{path.relative_to(ROOT)}:{line}\n    " + text.replace("\n", "\n    ") + "\n")
    pages = [path for path in tracked("*.md") if path.relative_to(ROOT).parts[0] != "tests"]
    print(f"# 3 of {len(pages)}: Pages\n")
    for path in draw.sample(pages, 3):
        print(path.relative_to(ROOT))


if __name__ == "__main__":
    main()
