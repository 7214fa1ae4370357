#!/usr/bin/env python3
"""Configuring says in one sentence what is missing, and how to install it, and which options do not go together.

missing_test.py SOURCE CMAKE GENERATOR MAKE     (programs by their paths)
"""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

source, cmake, generator, make = sys.argv[1:]


def configure(*options: str, path: str) -> str:
    """Returns the error message of CMake as one line; `path` is all that it finds programs in."""
    with tempfile.TemporaryDirectory() as scratch:
        command = [cmake, "-G", generator, "-S", source, "-B", scratch, f"-DCMAKE_MAKE_PROGRAM={make}", *options]
        # The environment may name a compiler and a toolchain.
        run = subprocess.run(command, capture_output=True, text=True, env={"PATH": path})
    assert run.returncode != 0, run.stdout
    return " ".join(run.stderr.split())


with tempfile.TemporaryDirectory() as empty:
    said = configure(path=empty)
    sentence = "embd needs a C++23 compiler, and none was found here. On Debian and Ubuntu: apt install g++"
    assert sentence in said, said

hidden = [f"-DCMAKE_DISABLE_FIND_PACKAGE_{name}=TRUE" for name in ("Eigen3", "ZLIB")]
for options in ([], ["-DEMBD_WHEEL=ON"]):
    said = configure(*hidden, *options, path=os.environ["PATH"])
    sentence = "embd needs libraries that were not found here: Eigen 3.4, zlib. On Debian and Ubuntu: apt install libeigen3-dev zlib1g-dev"
    assert sentence in said, said

for other in ("STATIC", "WHEEL", "BENCH", "FUZZ"):
    said = configure("-DEMBD_MINIMAL=ON", f"-DEMBD_{other}=ON", path=os.environ["PATH"])
    assert f"EMBD_{other} does not apply" in said, said

# Every package that is named is one that scripts/packages.txt installs.
packages = set(Path(source, "scripts/packages.txt").read_text().split())
for line in Path(source, "cmake/EmbdDependencies.cmake").read_text().splitlines():
    if line.strip().startswith("embd_check("):
        assert line.rstrip(")").split()[-1] in packages, line
