"""Prints what is installed and where a model is found: python -m embd [MODEL]"""

from __future__ import annotations

import os
import sys

import embd
from embd._errors import NotFoundError
from embd._find_model import find_model

_DEFAULT_MODEL = "all-MiniLM-L6-v2"


def main(arguments: list[str]) -> int:
    if len(arguments) > 1 or (arguments and arguments[0].startswith("-")):
        print("usage: python -m embd [MODEL]\n\nPrints the version, where it is installed, and where MODEL is found "
              f"(by default {_DEFAULT_MODEL}). The command line is a program of its own, `embd`.")
        return 0 if arguments[0] in ("-h", "--help") else 2
    name = arguments[0] if arguments else _DEFAULT_MODEL
    print(f"embd {embd.__version__}")
    print(f"package  {os.path.dirname(os.path.abspath(embd.__file__))}")
    print(f"python   {sys.version.split()[0]}")
    try:
        model = embd.Model(find_model(name))
    except NotFoundError as error:
        print(f"model    {error}")
        return 0 if not arguments else 3
    print(f"model    {model.path} ({model.dim} components, {model.max_seq_length} tokens)")
    print(f"kernels  {model.instruction_set}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
