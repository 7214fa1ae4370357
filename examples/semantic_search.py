"""Finds the lines of a file that are nearest to a question:  semantic_search.py MODEL FILE "What do cats eat?"

The first run embeds the lines and writes an index beside the file. Later runs open the index.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import embd


def open_index(model: embd.Model, file: Path, lines: list[str]) -> embd.Index:
    """Returns the index beside the file. Builds it if there is none yet."""
    path = file.with_suffix(".usearch")
    if path.exists() and path.stat().st_mtime > file.stat().st_mtime:
        return embd.Index.restore(path, view=True)
    index = embd.Index.from_vectors(model.encode_document(lines, progress=True))
    index.save(path)
    return index


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("model", help="a path, or a name such as all-MiniLM-L6-v2")
    parser.add_argument("file", type=Path)
    parser.add_argument("question")
    arguments = parser.parse_args()

    model = embd.Model(arguments.model)
    lines = arguments.file.read_text(encoding="utf-8").splitlines()
    index = open_index(model, arguments.file, lines)
    for line, distance in index.search(model.encode_query(arguments.question), 3).to_list():
        print(f"{1 - distance:.4f}  {lines[line]}")

    # The same without an index, by comparing with every line.
    rows = model.encode(lines)
    best = embd.util.semantic_search(model.encode(arguments.question), rows, top_k=3)[0]
    assert [hit["corpus_id"] for hit in best] == index.search(
        model.encode(arguments.question), 3, exact=True
    ).keys.tolist()


if __name__ == "__main__":
    main()
