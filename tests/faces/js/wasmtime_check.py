"""The golden texts in wasmtime: rows of a module of faces/js/native beside those of the program.

    wasmtime_check.py MODULE MODEL TEXTS.jsonl COMPUTE ROWS.npy

The module's exceptions are in the newer form (wasm-opt --translate-to-exnref), which wasmtime reads.
"""

import importlib.metadata
import json
import pathlib
import struct
import sys

import wasmtime


class Module:
    def __init__(self, path):
        config = wasmtime.Config()
        config.wasm_exceptions = True
        engine = wasmtime.Engine(config)
        module = wasmtime.Module(engine, pathlib.Path(path).read_bytes())
        self.store = wasmtime.Store(engine)
        linker = wasmtime.Linker(engine)
        for needed in module.imports:
            linker.define_func(needed.module, needed.name, needed.type, lambda *_: sys.exit("calls a system"))
        self.exports = linker.instantiate(self.store, module).exports(self.store)
        self.memory = self.exports["memory"]
        self.call("_initialize")

    def call(self, name, *arguments):
        result = self.exports[name](self.store, *arguments)
        if result is not None and result < 0:
            sys.exit(f"{name}: {self.answer('text').decode()}")
        return result

    def copy(self, data):
        at = self.exports["embd_allocate"](self.store, len(data))
        self.memory.write(self.store, data, at)
        return at

    def answer(self, kind):
        at = self.exports[f"embd_answer_{kind}"](self.store)
        size = self.exports[f"embd_answer_{kind}_size"](self.store)
        return bytes(self.memory.read(self.store, at, at + size))


def main():
    path, model, golden, compute, rows = sys.argv[1:]
    module = Module(path)
    weights = pathlib.Path(model).read_bytes()
    module.call("embd_add_file", module.copy(b"m"), 1, module.copy(weights), len(weights))
    options = json.dumps({"compute": compute}).encode()
    handle = module.call("embd_model_open", module.copy(b"m"), 1, module.copy(options), len(options))
    texts = [json.loads(line)["text"].encode() for line in pathlib.Path(golden).read_text().splitlines()]
    sizes = struct.pack(f"<{len(texts)}I", *map(len, texts))
    module.call("embd_model_encode", handle, module.copy(b"".join(texts)), module.copy(sizes), len(texts), 0, 0)
    npy = pathlib.Path(rows).read_bytes()
    expected = npy[10 + struct.unpack("<H", npy[8:10])[0] :]
    if module.answer("data") != expected:
        sys.exit(f"{compute}: other rows than the program's")
    print(f"wasmtime {importlib.metadata.version('wasmtime')}: {len(texts)} rows of {compute} are the program's")


main()
