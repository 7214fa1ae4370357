#!/usr/bin/env python3
"""Compares the links of every Markdown file with what they lead to: a file or folder of the repository, and in a Markdown file
the heading behind #. Addresses on other hosts are left alone: nothing is fetched. Exit 1 if a link leads nowhere."""
import pathlib
import re
import subprocess
import sys
import urllib.parse

ROOT = pathlib.Path(__file__).resolve().parent.parent
LINK = re.compile(r"!?\[(?:[^\]\[]|\[[^\]]*\])*\]\(<?([^)\s>]+)>?(?:\s+\"[^\"]*\")?\)")
SOURCE = re.compile(r"(?:src|srcset|href)=\"([^\"]+)\"")
CODE = re.compile(r"^(```|~~~).*?^\1", re.MULTILINE | re.DOTALL)


def without_code(text):
    """Returns the text with empty lines in the place of code, so that lines keep their numbers."""
    text = CODE.sub(lambda block: "\n" * block.group().count("\n"), text)
    return re.sub(r"`[^`\n]*`", "", text)


def anchor(heading):
    """Returns the anchor that Git hosts give a heading."""
    plain = re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", heading).replace("`", "").replace("*", "")
    return re.sub(r"[^\w\- ]", "", plain.strip().lower()).replace(" ", "-")


def anchors(file):
    found = {}
    text = CODE.sub("", file.read_text())
    for heading in re.findall(r"^#{1,6} +(.+?)\s*#*$", text, re.MULTILINE):
        name = anchor(heading)
        times = found[name] = found.get(name, -1) + 1
        if times:
            found[f"{name}-{times}"] = 0
    return set(found) | set(re.findall(r"<a (?:id|name)=\"([^\"]+)\"", text))


def problem(file, link):
    """Returns what is wrong with a link of `file`; nothing if the link is good."""
    if re.match(r"[a-z][a-z0-9+.-]*:", link):
        return None
    path, _, fragment = urllib.parse.unquote(link).partition("#")
    target = (file.parent / path).resolve() if path else file
    if ROOT not in (target, *target.parents):
        return "leads out of the repository"
    if not target.exists():
        return "leads to no file"
    if fragment and target.suffix == ".md" and fragment not in anchors(target):
        return "leads to no heading of that file"
    return None


def main():
    names = subprocess.run(["git", "ls-files", "*.md"], cwd=ROOT, capture_output=True, text=True, check=True).stdout.split()
    findings = links = 0
    for file in (ROOT / name for name in names):
        for number, line in enumerate(without_code(file.read_text()).split("\n"), 1):
            for link in LINK.findall(line) + SOURCE.findall(line):
                links += 1
                if wrong := problem(file, link):
                    findings += 1
                    print(f"{file.relative_to(ROOT)}:{number}: {link} {wrong}")
    print(f"{links} links in {len(names)} files, {findings} findings")
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
