#!/usr/bin/env python3
"""Writes a container image: one layer with the static program under /usr and a /tmp, in the layout of the Open Container Initiative,
as one archive that `podman load` and `skopeo copy oci-archive:` read. scripts/release/program.sh calls it.

    image.py PREFIX ARCHITECTURE IMAGE
"""
import gzip
import hashlib
import io
import json
import os
import pathlib
import sys
import tarfile
import time

EPOCH = int(os.environ["SOURCE_DATE_EPOCH"])
VERSION = os.environ["EMBD_VERSION"]
CREATED = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(EPOCH))
# A user without rights: a server needs none.
USER = "65532:65532"


def entry(name, kind=tarfile.REGTYPE, mode=0o644, size=0):
    """Returns the header of a file in an archive. It is the same on every machine."""
    info = tarfile.TarInfo(name)
    info.type, info.mode, info.size, info.mtime = kind, mode, size, EPOCH
    return info


def layer(prefix):
    """Returns an archive of the files below `prefix`, as /usr, in the order of their names."""
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w", format=tarfile.USTAR_FORMAT) as archive:
        archive.addfile(entry("tmp", tarfile.DIRTYPE, 0o1777))
        archive.addfile(entry("usr", tarfile.DIRTYPE, 0o755))
        for path in sorted(prefix.rglob("*")):
            name = f"usr/{path.relative_to(prefix)}"
            if path.is_dir():
                archive.addfile(entry(name, tarfile.DIRTYPE, 0o755))
            else:
                data = path.read_bytes()
                archive.addfile(entry(name, mode=0o755 if os.access(path, os.X_OK) else 0o644, size=len(data)), io.BytesIO(data))
    return stream.getvalue()


class Blobs:
    """The parts of an image, by their SHA-256."""

    def __init__(self):
        self.data = {}

    def add(self, data, media_type):
        """Adds a part, and returns the descriptor that names it."""
        digest = hashlib.sha256(data).hexdigest()
        self.data[digest] = data
        return {"mediaType": f"application/vnd.oci.image.{media_type}", "digest": f"sha256:{digest}", "size": len(data)}

    def add_json(self, value, media_type):
        return self.add(json.dumps(value, sort_keys=True).encode(), media_type)


def main():
    prefix, architecture, image = pathlib.Path(sys.argv[1]), sys.argv[2], sys.argv[3]
    files = layer(prefix)
    blobs = Blobs()
    layers = [blobs.add(gzip.compress(files, 9, mtime=0), "layer.v1.tar+gzip")]
    platform = {"architecture": architecture, "os": "linux"}
    config = blobs.add_json({
        **platform,
        "created": CREATED,
        "config": {
            "User": USER,
            "ExposedPorts": {"8080/tcp": {}},
            "Entrypoint": ["/usr/bin/embd"],
            "Cmd": ["--help"],
            "Labels": {
                "org.opencontainers.image.title": "embd",
                "org.opencontainers.image.version": VERSION,
                "org.opencontainers.image.licenses": "Apache-2.0",
            },
        },
        "rootfs": {"type": "layers", "diff_ids": [f"sha256:{hashlib.sha256(files).hexdigest()}"]},
        "history": [{"created": CREATED, "created_by": "scripts/release/image.py"}],
    }, "config.v1+json")
    manifest = blobs.add_json({
        "schemaVersion": 2, "mediaType": "application/vnd.oci.image.manifest.v1+json", "config": config, "layers": layers,
    }, "manifest.v1+json")
    index = {
        "schemaVersion": 2,
        "mediaType": "application/vnd.oci.image.index.v1+json",
        "manifests": [{**manifest, "platform": platform, "annotations": {"org.opencontainers.image.ref.name": f"embd:{VERSION}"}}],
    }
    parts = {f"blobs/sha256/{digest}": data for digest, data in blobs.data.items()}
    parts["index.json"] = json.dumps(index, sort_keys=True).encode()
    parts["oci-layout"] = b'{"imageLayoutVersion": "1.0.0"}'
    with tarfile.open(image, "w", format=tarfile.USTAR_FORMAT) as archive:
        for name in sorted(parts):
            archive.addfile(entry(name, size=len(parts[name])), io.BytesIO(parts[name]))


if __name__ == "__main__":
    main()
