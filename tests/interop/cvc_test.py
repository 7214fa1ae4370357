#!/usr/bin/env python3
"""Our CVC files opened by the reference package, and its files by us: see driver.py.

For the same rows both write the same bytes, memory-mapped layout included, and each reads the
other's file to the same values, over edge sizes and random shapes; sections and columns go both
ways."""
import contextlib
import io
import json

import numpy as np

from driver import DATA, Driver

import decompressed

test = Driver(__doc__)
embd, check, rng = test.embd, test.check, test.rng


def rows(count, dim):
    return test.rows(count, dim, odd=True)


def quietly(function, *arguments, **named):
    with contextlib.redirect_stdout(io.StringIO()):
        return function(*arguments, **named)


def read_by_us(path, *arguments):
    embd("convert", path, "ours.npy", *arguments)
    return np.load("ours.npy")


def same(a, b):
    a, b = np.asarray(a, np.float32), np.asarray(b, np.float32)
    return a.size == b.size and np.array_equal(a.reshape(b.shape), b, equal_nan=True)


def lost(x, compression):
    """The package writes such values all the same, as infinity or as codes that all read as NaN; we refuse them."""
    if compression == "int8":
        return ~np.isfinite(x)
    return np.isfinite(x) & (np.abs(x) >= 65520) if compression == "fp16" else np.zeros(x.shape, bool)


def refused(name, x, compression, chunk_rows):
    np.save("x.npy", x)
    result = test.run("convert", "x.npy", "ours.cvc", "--cvc-compression", compression)
    check(name + ": what would be lost is refused", result.returncode == 3 and "row " in result.stderr)
    quietly(decompressed.pack_cvc, x, "theirs.cvc", compression=compression, chunk_size=chunk_rows)
    check(name + ": read all the same", same(read_by_us("theirs.cvc"), quietly(decompressed.load_cvc, "theirs.cvc")))


def single(count, dim, chunk_rows):
    odd = rows(count, dim)
    for compression in ("fp16", "int8", "lossless"):
        if compression == "lossless" and odd.size > 20_000:
            continue  # the package takes microseconds a value
        name = f"{compression} [{count}, {dim}] in chunks of {chunk_rows}"
        if lost(odd, compression).any():
            refused(name, odd, compression, chunk_rows)
        x = np.where(lost(odd, compression), np.float32(1), odd)
        np.save("x.npy", x)
        quietly(decompressed.pack_cvc, x, "theirs.cvc", compression=compression,
                chunk_size=chunk_rows)
        embd("convert", "x.npy", "ours.cvc", "--cvc-compression", compression, "--chunk-rows",
             chunk_rows)
        test.same_bytes(name, "ours.cvc", "theirs.cvc")
        expected = quietly(decompressed.load_cvc, "ours.cvc")
        check(name + ": both read the same",
              expected.shape == x.shape and same(read_by_us("theirs.cvc"), expected))
        valid = quietly(decompressed.validate_cvc_integrity, "ours.cvc")["valid"]
        check(name + ": valid to the package", valid)


def none(count, dim, chunk_rows):
    x = rows(count, dim)
    np.save("x.npy", x)
    embd("convert", "x.npy", "ours.cvc", "--cvc-compression", "none", "--chunk-rows", chunk_rows)
    check(f"none [{count}, {dim}]: every bit back", same(read_by_us("ours.cvc"), x))
    # The package reads any uncompressed column as int32: the bit patterns, as numbers.
    theirs = quietly(decompressed.load_cvc_columns, "ours.cvc")["embedding"]
    check(f"none [{count}, {dim}]: the package finds the bytes",
          same(theirs, x.view(np.int32).astype(np.float32)))


def mapped(count, dim, chunk_rows):
    x = test.rows(count, dim)
    quietly(decompressed.pack_cvc, x, "theirs.cvc", compression="int8", chunk_size=chunk_rows,
            mmap_optimized=True)
    np.save("x.npy", x)
    embd("convert", "x.npy", "ours.cvc", "--cvc-compression", "int8", "--chunk-rows", chunk_rows,
         "--cvc-mmap")
    test.same_bytes(f"memory-mapped [{count}, {dim}]", "ours.cvc", "theirs.cvc")
    with decompressed.MMapCVCLoader("theirs.cvc") as loader:
        check(f"memory-mapped [{count}, {dim}]", same(read_by_us("theirs.cvc"), loader.load()))


def sections(dim, chunk_rows):
    parts = [(rows(count, dim), {"source": source, "part": i})
             for i, (count, source) in enumerate([(5, "wiki"), (17, "Übersicht"), (3, "wiki")])]
    quietly(decompressed.pack_cvc_sections, parts, "theirs.cvc", compression="fp16",
            chunk_size=chunk_rows)
    whole = quietly(decompressed.load_cvc, "theirs.cvc")
    for section, expected in (("source=wiki", np.vstack([whole[:5], whole[22:]])),
                              ("source=Übersicht", whole[5:22]), ("part=2", whole[22:])):
        check(f"section {section}", same(read_by_us("theirs.cvc", "--section", section), expected))
    embd("convert", "theirs.cvc", "ours.cvc", "--chunk-rows", chunk_rows)
    test.same_bytes("converted sections", "ours.cvc", "theirs.cvc")


def columns(count, chunk_rows):
    data = {
        "text": rows(count, 12), "image": rows(count, 5),
        "größe": rng.integers(-2**31, 2**31, count).astype(np.int32),
        "time": rng.integers(-2**40, 2**40, count).astype(np.int64),
        "bytes": rng.integers(0, 256, (count, 3)).astype(np.uint8),
        "half": rng.normal(size=(count, 2)).astype(np.float16),
    }
    quietly(decompressed.pack_cvc_columns, data, "theirs.cvc", chunk_size=chunk_rows,
            compressions={"image": "int8", "half": "none"})
    expected = dict(data)
    expected |= quietly(decompressed.load_cvc_columns, "theirs.cvc", ["text", "image"])
    for name, values in expected.items():
        found = read_by_us("theirs.cvc", "--column", name)
        check(f"column {name} [{count}]", same(found, values.astype(np.float32)))
    quietly(decompressed.pack_cvc_columns, data, "theirs.cvc", chunk_size=chunk_rows,
            compressions={"half": "none"})
    embd("convert", "theirs.cvc", "ours.cvc", "--chunk-rows", chunk_rows)
    test.same_bytes(f"converted columns [{count}]", "ours.cvc", "theirs.cvc")


def embedded(count, chunk_rows):
    """Reads with the package what embed makes of fields."""
    sources = sorted(rng.choice(["wiki", "Übersicht", "arxiv"], count))
    years = rng.integers(-2**20, 2**20, count)
    with open("in.jsonl", "w", encoding="utf-8") as out:
        for i in range(count):
            record = {"text": f"text {i}", "source": sources[i], "year": int(years[i])}
            out.write(json.dumps(record) + "\n")
    run = ["embed", "in.jsonl", "-m", f"{DATA}/embd/plain.weights", "--chunk-rows", chunk_rows,
           "--section-field", "source", "-o"]
    embd(*run, "ours.cvc", "-o", "all.npy")
    x = np.load("all.npy").astype(np.float16).astype(np.float32)
    check("embedded rows", same(quietly(decompressed.load_cvc, "ours.cvc"), x))
    embd(*run, "columns.cvc", "--column-field", "year")
    found = quietly(decompressed.load_cvc_columns, "columns.cvc")
    check("embedded columns", same(found["embedding"], x) and same(found["year"], years))
    for source in set(sources):
        wanted = x[[s == source for s in sources]]
        theirs = quietly(decompressed.load_cvc_range, "ours.cvc", section_key="source",
                         section_value=source)
        check(f"embedded section {source}", same(theirs, wanted))
        ours = read_by_us("ours.cvc", "--section", f"source={source}")
        check(f"embedded section {source}, read by us", same(ours, wanted))


with test.folder():
    for count, dim, chunk_rows in [(0, 4, 100), (1, 1, 1), (3, 384, 2), (2, 4096, 100),
                                   (40, 1, 7)]:
        single(count, dim, chunk_rows)
        none(count, dim, chunk_rows)
    for _ in test.rounds:
        count, dim = int(rng.integers(1, 60)), int(rng.integers(1, 80))
        chunk_rows = int(rng.integers(1, count + 3))
        single(count, dim, chunk_rows)
        none(count, dim, chunk_rows)
        mapped(count, dim, max(chunk_rows, count // 20 + 1))
        sections(dim, chunk_rows % 9 + 1)
        columns(count, chunk_rows)
        embedded(count, chunk_rows)
    single(3000, 384, 1000)
