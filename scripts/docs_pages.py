#!/usr/bin/env python3
"""Puts the pages of the site into a folder:  docs_pages.py EMBD FOLDER

Every Markdown file of the repository is a page at its own path, so its links to others hold. A file that a page links to comes along;
a link to a folder becomes one to its README.md, or plain text. The reference of the command line is made of what EMBD --help says."""
import pathlib
import re
import shutil
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import check_links  # noqa: E402

ROOT = check_links.ROOT
PYTHON = ["embd", "embd.model", "embd.reranker", "embd.vectors", "embd.index", "embd.searcher", "embd.jobs", "embd.digest", "embd.analysis",
          "embd.map", "embd.passages", "embd.collection", "embd.hub", "embd.util", "embd.sentence_transformers", "embd.parts", "embd.ray",
          "embd.spark"]


def page_of(name, folder):
    """Copies a page, with links that a site has no page for mended, and the files that it links to."""
    source = ROOT / name

    def mended(match):
        label, path = match.group(1), match.group(2).partition("#")[0]
        target = (source.parent / path).resolve()
        if not path or ":" in path or not target.exists():
            return match.group()
        if target.is_dir():
            readme = target / "README.md"
            return f"[{label}]({path.rstrip('/')}/README.md)" if readme.exists() else label
        return copied(target) or match.group()

    def copied(target):
        if target.suffix != ".md":
            place = folder / target.relative_to(ROOT)
            place.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(target, place)

    text = source.read_text(encoding="utf-8")
    pieces = re.split(r"(^```.*?^```)", text, flags=re.MULTILINE | re.DOTALL)
    for i in range(0, len(pieces), 2):
        pieces[i] = re.sub(r"\[((?:[^\]\[]|\[[^\]]*\])*)\]\(<?([^)\s>]+)>?\)", mended, pieces[i])
        for path in check_links.SOURCE.findall(pieces[i]):
            copied((source.parent / path).resolve())
    place = folder / name
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text("".join(pieces), encoding="utf-8")


def command_line(program):
    """Returns the help of the program and of all its verbs."""
    def help_of(*verbs):
        return subprocess.run([program, *verbs, "--help"], capture_output=True, text=True, check=True).stdout

    def sections(*verbs):
        said = help_of(*verbs)
        yield f"## embd {' '.join(verbs)}".rstrip() + f"\n\n```text\n{said.rstrip()}\n```\n"
        listed = re.search(r"^Verbs:\n((?:  .*\n|\n)+)", said, re.MULTILINE)
        for verb in re.findall(r"^  ([a-z]+)\b", listed.group(1), re.MULTILINE) if listed else []:
            yield from sections(*verbs, verb)

    found = list(sections())
    assert len(found) > 15, "the help of the program lists its verbs in another way"
    return "# Command line\n\n" + "\n".join(found)


def main():
    program, folder = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()
    shutil.rmtree(folder, ignore_errors=True)
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "*.md"]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    for name in listed.split():
        if not name.startswith((".github/", "tests/")):
            page_of(name, folder)
    reference = folder / "reference"
    reference.mkdir()
    (reference / "command_line.md").write_text(command_line(program), encoding="utf-8")
    (reference / "python.md").write_text("# Python\n\n" + "\n".join(f"## {name}\n\n::: {name}\n" for name in PYTHON), encoding="utf-8")
    (reference / "cpp.md").write_text(
        "# C and C++\n\nThe public headers, as Doxygen reads them: <a href=\"../cpp/index.html\">every class and function</a>, "
        "<a href=\"../cpp/files.html\">every header</a>.\n", encoding="utf-8")


if __name__ == "__main__":
    main()
