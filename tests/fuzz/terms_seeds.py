#!/usr/bin/env python3
"""Packs the files of each term index in TEST_DATA into one seed of terms_fuzzer, arrays without their headers.

    terms_seeds.py TEST_DATA OUT
"""
import pathlib
import sys

HEADER = 128

data, out = map(pathlib.Path, sys.argv[1:])
out.mkdir(parents=True, exist_ok=True)
for index in data.glob("terms/*.terms"):
    seed = b""
    for file in sorted(index.iterdir()):
        content = file.read_bytes()
        seed += b"%%% " + file.name.encode() + b"\n" + (content[HEADER:] if file.suffix == ".npy" else content)
    (out / index.stem).write_bytes(seed)
