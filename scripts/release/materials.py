#!/usr/bin/env python3
"""Says which libraries are linked into the files of a release: their licenses, and a bill of materials in CycloneDX's JSON.

    materials.py licenses       the licenses of the libraries in the program
    materials.py bill FOLDER    every file of the folder with its SHA-256, and the libraries in it with their versions
"""
import hashlib
import json
import os
import pathlib
import re
import subprocess
import sys
import time
import uuid
from dataclasses import dataclass

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
GCC = subprocess.run(["g++", "-dumpversion"], capture_output=True, text=True, check=True).stdout.strip().split(".")[0]
EMBD_LICENSE = "Apache-2.0"
# The package of this machine's version of Boost: libboost-dev only depends on it.
BOOST = next(path.name for path in sorted(pathlib.Path("/usr/share/doc").glob("libboost1.*-dev")))


@dataclass(frozen=True)
class Library:
    """A library that is linked statically, or whose headers are compiled into a file."""

    name: str
    package: str  #: of Debian
    license: str  #: as SPDX writes it
    paragraph: str = ""  #: the license's name in a list of copyrights that is too long to be copied whole
    arm64: str = ""  #: the package for aarch64 where the cross compiler brings one of its own
    files: tuple[str, ...] = ("program", "wheel")  #: the kinds of files that contain it, of program, wheel and npm


LIBRARIES = [
    Library("glibc", "libc6-dev", "LGPL-2.1-or-later", arm64="libc6-dev-arm64-cross", files=("program",)),
    Library("libstdc++", f"libstdc++-{GCC}-dev", "GPL-3.0-or-later WITH GCC-exception-3.1", arm64=f"libstdc++-{GCC}-dev-arm64-cross"),
    Library("Boost (Asio, Beast)", BOOST, "BSL-1.0", paragraph="BSL-1.0", files=("program",)),
    Library("Eigen", "libeigen3-dev", "MPL-2.0", files=("program", "wheel", "npm")),
    Library("FlatBuffers", "libflatbuffers-dev", "Apache-2.0"),
    Library("fmt", "libfmt-dev", "MIT", files=("program", "wheel", "npm")),
    Library("JSON for Modern C++", "nlohmann-json3-dev", "MIT", files=("program", "wheel", "npm")),
    Library("libstemmer", "libstemmer-dev", "BSD-3-Clause", files=("program", "wheel", "npm")),
    Library("OpenSSL", "libssl-dev", "Apache-2.0"),
    Library("toml++", "libtomlplusplus-dev", "MIT", files=("program", "wheel", "npm")),
    Library("utf8proc", "libutf8proc-dev", "MIT AND Unicode-DFS-2015", files=("program", "wheel", "npm")),
    Library("zlib", "zlib1g-dev", "Zlib"),
    Library("Zstandard", "libzstd-dev", "BSD-3-Clause"),
]


def debian_version(package):
    """Returns the version of a package of this machine."""
    shown = subprocess.run(["dpkg-query", "-W", "-f=${Version}", package], capture_output=True, text=True, check=True)
    return shown.stdout


def arm64_versions():
    """Returns the versions of the packages that scripts/cross_sysroot.sh unpacked, by their names."""
    return dict(line.split() for line in (ROOT / "build/sysroot-arm64/versions").read_text().splitlines())


def entry(name, version, license, url):
    """Returns the entry of a library."""
    return {
        "type": "library", "bom-ref": url, "name": name, "version": version, "licenses": [{"expression": license}], "purl": url,
    }


def debian_entry(library, architecture):
    """Returns the entry of a library as it is in the files for an architecture."""
    package = library.package
    if architecture == "arm64" and library.arm64:
        package, architecture = library.arm64, "all"
    version = arm64_versions()[package] if architecture == "arm64" else debian_version(package)
    return entry(library.name, version, library.license, f"pkg:deb/debian/{package}@{version.replace('+', '%2B')}?arch={architecture}")


def pypi_entry(name, package, license, requirements):
    """Returns the entry of a library that comes with a Python package, whose version a list in scripts pins."""
    version = re.search(rf"^{package}==(.*)$", (ROOT / "scripts" / requirements).read_text(), re.MULTILINE)[1]
    return entry(name, version, license, f"pkg:pypi/{package}@{version}")


#: Libraries that are compiled into the files of a kind, besides LIBRARIES.
FROM_PYPI = {
    "wheel": ("nanobind", "nanobind", "BSD-3-Clause AND MIT", "release_python_requirements.txt"),
    "npm": ("libc++ and wasi-libc", "ziglang", "MIT AND Apache-2.0 WITH LLVM-exception", "wasm_requirements.txt"),
}


def entries_of(name):
    """Returns the entries of the libraries in a file of a release. The source archive has none."""
    kind = {".whl": "wheel", ".tgz": "npm"}.get(pathlib.PurePath(name).suffix, "program")
    if kind != "npm" and not re.search("x86_64|amd64|aarch64|arm64", name):
        return []
    architecture = "arm64" if re.search("aarch64|arm64", name) else "amd64"
    entries = [debian_entry(library, architecture) for library in LIBRARIES if kind in library.files]
    return entries + [pypi_entry(*FROM_PYPI[kind])] if kind in FROM_PYPI else entries


def copyright_file(library):
    """Returns the file in which Debian's package says what the license of a library is."""
    package = f"gcc-{GCC}-base" if library.name == "libstdc++" else library.package
    return pathlib.Path(f"/usr/share/doc/{package}/copyright")


def license_text(library):
    """Returns the license of a library, or all licenses of its package."""
    text = copyright_file(library).read_text(encoding="utf-8")
    if not library.paragraph:
        return text.strip()
    # The paragraph of that license with its text, which is indented.
    found = re.search(rf"^License: {re.escape(library.paragraph)}\n((?: .*\n)+)", text, re.MULTILINE)
    return re.sub(r"^ \.?", "", found[1], flags=re.MULTILINE).strip()


def licenses():
    """Prints the licenses of the libraries in the program."""
    print("These libraries are in this program. The licenses below are those that Debian's packages name\nfor all files of a library. Not all of "
          "these files are in the program.\n")
    for library in LIBRARIES:
        print(f"  {library.name}: {library.license}")
    for library in LIBRARIES:
        print(f"\n{'=' * 80}\n{library.name}\n{'=' * 80}\n\n{license_text(library)}")


def bill(folder):
    """Returns the bill of materials of the files in a folder."""
    version = os.environ["EMBD_VERSION"]
    libraries, files, uses = {}, [], []
    for path in sorted(folder.glob("[!.]*")):
        digest = hashlib.sha256(path.read_bytes()).hexdigest()
        files.append({
            "type": "file", "bom-ref": path.name, "name": path.name, "version": version,
            "hashes": [{"alg": "SHA-256", "content": digest}], "licenses": [{"expression": EMBD_LICENSE}],
        })
        entries = entries_of(path.name)
        libraries.update((entry["bom-ref"], entry) for entry in entries)
        uses.append({"ref": path.name, "dependsOn": sorted(entry["bom-ref"] for entry in entries)})
    commit = subprocess.run(["git", "rev-parse", "HEAD"], cwd=ROOT, capture_output=True, text=True, check=True).stdout.strip()
    created = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(int(os.environ["SOURCE_DATE_EPOCH"])))
    return {
        "$schema": "http://cyclonedx.org/schema/bom-1.6.schema.json",
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "serialNumber": uuid.uuid5(uuid.NAMESPACE_OID, "".join(file["hashes"][0]["content"] for file in files)).urn,
        "version": 1,
        "metadata": {
            "timestamp": created,
            "component": {
                "type": "application", "bom-ref": "embd", "name": "embd", "version": version,
                "licenses": [{"expression": EMBD_LICENSE}], "properties": [{"name": "commit", "value": commit}],
            },
        },
        "components": files + [libraries[reference] for reference in sorted(libraries)],
        "dependencies": [{"ref": "embd", "dependsOn": [file["bom-ref"] for file in files]}, *uses],
    }


def main():
    match sys.argv[1:]:
        case ["licenses"]:
            licenses()
        case ["bill", folder]:
            print(json.dumps(bill(pathlib.Path(folder)), indent=1))
        case _:
            sys.exit(__doc__)


if __name__ == "__main__":
    main()
