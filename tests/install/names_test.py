#!/usr/bin/env python3
"""Nothing in the tree tells anybody to install a package that is not ours and not known here.

"embd" on the public Python index is another project: ours are called as OWN says. Looked at: every command of pip and its
kin in every file, lists of arguments included, the files that pip is given, and the dependencies of pyproject.toml.

names_test.py SOURCE
"""

import re
import sys
from collections.abc import Iterator
from pathlib import Path

try:
    import tomllib
except ImportError:  # before Python 3.11
    sys.exit(77)

OWN = {"libembd", "libembd-minilm"}
# Besides those in the requirement files, which the checks install.
KNOWN = {
    "hatchling",
    "loguru",
    "mmh3",
    "nanobind",
    "numpy",
    "onnxruntime",
    "playwright",
    "py-rust-stemmers",
    "schemathesis",
    "scikit-build-core",
    "sentence-transformers",
    "tokenizers",
    "uv",
}
SKIPPED = {".git", "build", "data", "cache", "node_modules", ".mypy_cache", "__pycache__"}
# pip install, python -m pip install, uv pip install, "pip", "install", conda install, pipx install, uv add, poetry add
COMMAND = re.compile(
    r"""(?:\b(?:pip3?|pipx|conda|mamba)(?:["'],)?\s+["']?install|\buv\s+(?:add|tool\s+install)|\bpoetry\s+add)(?:["'],|(?=\s))"""
    r"""|/pip3?["']?\s+install(?=\s)"""
)
# Where a command ends: a comment, another command, the end of a quotation.
END = re.compile(r"[`;|&)<>]|\$\(|\s#|\w\.\s|\w\.$|:\s")
TAKES_A_VALUE = {"-r", "--requirement", "-c", "--constraint", "-t", "--target", "--prefix", "-i", "--index-url", "-f", "--find-links", "-C"}


def files(source: Path) -> Iterator[tuple[Path, str]]:
    for path in sorted(source.rglob("*")):
        if SKIPPED & set(path.relative_to(source).parts) or not path.is_file() or path.stat().st_size > 2_000_000:
            continue
        content = path.read_bytes()
        if b"\0" not in content:
            yield path, content.decode("utf-8", "replace")


def name_of(requirement: str) -> str:
    """"Torch_x[cpu]>=2" is torch-x."""
    return re.split(r"[\[<>=~!;@ ]", requirement, maxsplit=1)[0].strip().lower().replace("_", "-")


def words_after(text: str, start: int) -> list[str]:
    """The arguments of a command, to the end of its line; lines that end in a backslash go on."""
    line = re.split(r"(?<!\\)\n", text[start:], maxsplit=1)[0].replace("\\\n", " ")
    words = [word.strip("\"',") for word in END.split(line, maxsplit=1)[0].split()]
    return [word if "[" in word else word.rstrip("\"']") for word in words if word]


def packages_in(words: list[str]) -> Iterator[str]:
    value = False
    for word in words:
        if value or word in TAKES_A_VALUE:
            value = not value and word in TAKES_A_VALUE
        elif not word.startswith(("-", "$", ".", "/", "{")) and not word.endswith((".whl", ".txt")):
            yield word


def requirements(text: str) -> Iterator[str]:
    for line in text.splitlines():
        line = line.split("#")[0].strip()
        if line and not line.startswith("-"):
            yield line


def check(source: Path) -> tuple[list[str], int]:
    """Returns the mistakes, and how many commands there are."""
    wrong: list[str] = []
    commands = 0
    everything = list(files(source))
    pinned = set(KNOWN)
    for path, text in everything:
        if path.suffix == ".txt" and re.search("requirements|constraints", path.name):
            names = {name_of(each) for each in requirements(text)}
            wrong += [f"{path}: {name} is another project's" for name in names if name.startswith("embd")]
            pinned |= names
    for path, text in everything:
        if path.name == "names_test.py":
            continue
        for found in COMMAND.finditer(text):
            commands += 1
            for word in packages_in(words_after(text, found.end())):
                if name_of(word) not in OWN | pinned:
                    wrong.append(f"{path}:{text.count(chr(10), 0, found.start()) + 1}: {word} is not ours, and not known here")
        wrong += [f"{path}: {name} is not ours" for name in re.findall(r"(?<![\w-])embd\[\w+\]|\bembd-minilm\b", text)]
        if path.name == "pyproject.toml":
            wrong += [f"{path}: {name}" for name in declared(text) if name_of(name) not in OWN | pinned]
    return wrong, commands


def declared(text: str) -> list[str]:
    said = tomllib.loads(text)
    project = said["project"]
    names = [project["name"], *said["build-system"]["requires"], *project.get("dependencies", [])]
    for extra in project.get("optional-dependencies", {}).values():
        names += extra
    if name_of(project["name"]) not in OWN:
        names.append(f"the name {project['name']}")
    return names


def check_itself() -> None:
    """That the expressions find what they are for."""
    for command, packages in {
        "pip install embd": ["embd"],
        "pip install embd[minilm]    # with the model": ["embd[minilm]"],
        '"$venv/bin/pip" install -q --no-deps embd torch==2': ["embd", "torch==2"],
        "run `pip3 install embd`, then": ["embd"],
        'subprocess.run([sys.executable, "-m", "pip", "install", "embd"])': ["embd"],
        "pip install -q -r requirements.txt \\\n  embd && next": ["embd"],
        "uv pip install embd; uv add embd": ["embd"],
        "pip install .": [],
        '"$venv/bin/pip" install "$(grep x "$file")"': [],
        "pip install ./faces/python/minilm": [],
        '"$venv/bin/pip" install -q "$wheel"': [],
        "pip install, types": [],
    }.items():
        found = COMMAND.search(command)
        words = words_after(command, found.end()) if found else []
        assert list(packages_in(words)) == packages, (command, words)


if __name__ == "__main__":
    check_itself()
    wrong, commands = check(Path(sys.argv[1]).resolve())
    print("\n".join(wrong) or f"{commands} commands")
    sys.exit(1 if wrong or commands < 10 else 0)
