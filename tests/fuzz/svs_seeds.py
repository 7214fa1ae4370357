#!/usr/bin/env python3
"""Packs every SVS directory and seed configuration under TEST_DATA into one seed of svs_fuzzer.

    svs_seeds.py TEST_DATA OUT

Files larger than 64 KiB are left out: small inputs are tried more often."""
import pathlib
import sys

data, out = map(pathlib.Path, sys.argv[1:])
LIMIT = 64 << 10


def pack(name, root, files):
    seed = b"".join(b"%%% " + str(f.relative_to(root)).encode() + b"\n" + f.read_bytes() for f in files)
    if len(seed) <= LIMIT:
        (out / name).write_bytes(seed)


out.mkdir(parents=True, exist_ok=True)
for old in out.iterdir():
    old.unlink()
for config in sorted(data.glob("svs/**/svs_config.toml")):
    folder = config.parent
    if folder.name in ("config", "graph", "data") and (folder.parent / "config").is_dir():
        folder = folder.parent
    files = sorted(f for f in folder.rglob("*") if f.is_file() and f.suffix != ".npy" and f.suffix != ".json")
    pack("_".join(folder.relative_to(data).parts), folder, files)
for config in sorted(data.glob("svsseed/**/*.config")):
    beside = [f for f in sorted(config.parent.iterdir()) if f.name.startswith(config.stem) and f != config
              and f.suffix != ".npy" and f.is_file()]
    if "vamana" in config.read_text(errors="replace"):
        vectors = [f for f in sorted(config.parent.glob("*.*")) if f.suffix in (".config", ".svs-vec1")
                   and f != config and config.stem.startswith(f.stem.split("-")[0].split("_")[0])]
        beside += [f for f in vectors if f not in beside]
    pack("_".join(config.relative_to(data).parts), config.parent, [config] + beside)
