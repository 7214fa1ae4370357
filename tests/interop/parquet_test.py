#!/usr/bin/env python3
"""Parquet files of ours read by pyarrow and DuckDB, and theirs by us; by Polars, datasets and pandas too, where
they are installed.

    parquet_test.py EMBD [--rounds N] [--seed S]     (needs tests/interop/requirements.txt)

Every reader has to return our bits: vectors, ids, texts, further columns, the recipe."""
import importlib
import json
import os

import numpy as np

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq

from driver import DATA, Driver

driver = Driver(__doc__)
MODEL = os.path.join(DATA, "embd", "plain.weights")


def refused(*arguments):
    result = driver.run(*arguments)
    return result.returncode == 3 and "COPY (SELECT" in result.stderr, result.stderr


def same_bits(a, b):
    a, b = np.ascontiguousarray(a), np.ascontiguousarray(b)
    return a.dtype == b.dtype and a.shape == b.shape and a.tobytes() == b.tobytes()


def check_readers(what, file, rows, ids, texts):
    table = pq.read_table(file, page_checksum_verification=True)
    vectors = table["embedding"].combine_chunks()
    driver.check(f"{what}: pyarrow, fixed-size lists", pa.types.is_fixed_size_list(vectors.type))
    values = vectors.flatten().to_numpy(zero_copy_only=False).reshape(len(rows), -1)
    driver.check(f"{what}: pyarrow, vectors", same_bits(values, rows))
    driver.check(f"{what}: pyarrow, ids", table["id"].to_pylist() == ids)
    metadata = pq.read_metadata(file)
    groups = [metadata.row_group(i) for i in range(metadata.num_row_groups)]
    offsets = [[group.column(i).data_page_offset for i in range(group.num_columns)] for group in groups]
    driver.check(f"{what}: the first column's pages come first, as Spark expects", all(each[0] == min(each) for each in offsets))
    if texts:
        driver.check(f"{what}: pyarrow, texts", table["text"].to_pylist() == texts)
    if rows.dtype == np.float32:
        arrays = duckdb.sql(f"SELECT id, embedding FROM '{file}'").fetchnumpy()
        driver.check(f"{what}: DuckDB, vectors",
                     same_bits(np.array([list(row) for row in arrays["embedding"]], np.float32).reshape(rows.shape), rows))
        driver.check(f"{what}: DuckDB, ids", list(arrays["id"]) == ids)


def check_others(file, rows, ids):
    """Checks with a package that may be there, and says aloud where it is not."""
    def values_of(name, module):
        if name == "polars":
            return module.read_parquet(file)["embedding"].to_numpy()
        if name == "pandas":
            return np.stack(module.read_parquet(file)["embedding"])
        return np.stack(module.load_dataset("parquet", data_files=file, split="train",
                                            cache_dir=os.path.abspath("cache")).with_format("numpy")["embedding"][:])
    for name in ("polars", "pandas", "datasets"):
        try:
            module = importlib.import_module(name)
        except ImportError:
            print(f"-- {name} is not installed: not checked")
            continue
        driver.check(f"{name} {module.__version__}", same_bits(np.asarray(values_of(name, module), np.float32), rows))


with driver.folder():
    print(f"pyarrow {pa.__version__}, DuckDB {duckdb.__version__}")
    for round in driver.rounds:
        count, dim = int(driver.rng.integers(0, 3000)), int(driver.rng.choice([1, 3, 8, 100, 384, 3000]))
        count = min(count, 300) if dim == 3000 else count
        rows = driver.rows(count, dim, odd=True)
        np.save("rows.npy", rows)
        options = ["--row-group-rows", int(driver.rng.choice([1000, 77, 40000]))]
        if driver.rng.random() < 0.5:
            options += ["--parquet-compression", "zstd"]
        ids = list(range(count))
        if count and driver.rng.random() < 0.6:
            ids = [f"{i}\u00e9\n" for i in ids] if driver.rng.random() < 0.5 else [7 * i for i in ids]
            with open("rows.npy.ids.jsonl", "w") as file:
                file.writelines(json.dumps(i) + "\n" for i in ids)
        driver.embd("convert", "rows.npy", "ours.parquet", *options)
        what = f"{count} x {dim} {' '.join(map(str, options))} {type(ids[0]).__name__ if ids else ''}"
        check_readers(what, "ours.parquet", rows, ids, None)
        driver.embd("convert", "ours.parquet", "back.npy")
        driver.check(f"{what}: back", same_bits(np.load("back.npy"), rows))
        driver.embd("inspect", "ours.parquet")
        with np.errstate(over="ignore"):
            halves = rows.astype(np.float16)
        if np.isfinite(rows).all() and np.isfinite(halves).all():
            driver.embd("convert", "rows.npy", "halves.parquet", "--output-type", "f16", *options)
            check_readers(f"{what} halves", "halves.parquet", halves, ids, None)
        for name in os.listdir():
            os.remove(name)

    # With texts, a column and a recipe, from a model.
    texts = [f"text {i} \U0001F600 \u00e4" for i in range(500)]
    with open("texts.jsonl", "w") as file:
        file.writelines(json.dumps({"text": t, "key": f"k{i}", "year": 1900 + i}) + "\n" for i, t in enumerate(texts))
    driver.embd("embed", "texts.jsonl", "-m", MODEL, "--id-field", "key", "--column-field", "year", "--text-column",
                "--row-group-rows", 100, "-o", "ours.parquet", "-o", "ours.npy")
    rows = np.load("ours.npy")
    check_readers("embed", "ours.parquet", rows, [f"k{i}" for i in range(500)], texts)
    metadata = pq.read_metadata("ours.parquet")
    driver.check("row groups", metadata.num_row_groups == 5)
    driver.check("the recipe", "model_sha256" in json.loads(metadata.metadata[b"embd.recipe"]))
    driver.check("the column", pq.read_table("ours.parquet")["year"].to_pylist() == list(range(1900, 2400)))
    driver.embd("verify", "ours.parquet", "texts.jsonl", "-m", MODEL)
    check_others("ours.parquet", rows, None)

    # The passages and the files of a collection.
    os.mkdir("notes")
    for i in range(40):
        with open(f"notes/{i:02}.md", "w") as file:
            file.write(f"# Note {i}\n\nThe text \u00e4 of {i}.\n\n## More\n\n{'A cat sits on a mat. ' * i}\n")
    driver.embd("collect", "notes", "-m", MODEL, "-o", "notes.collection")
    driver.embd("convert", "notes.collection", "passages.npy")
    with open("passages.npy.ids.jsonl") as file:
        ids = [json.loads(line) for line in file]
    passages = "notes.collection/1/passages.parquet"
    check_readers("collection", passages, np.load("passages.npy"), ids, None)
    check_others(passages, np.load("passages.npy"), None)
    lines = duckdb.sql(f"SELECT first_line, headings FROM '{passages}' WHERE file = 'notes/07.md' ORDER BY first_line").fetchall()
    driver.check("collection: DuckDB, lines and headings", lines[:2] == [(1, '["Note 7"]'), (5, '["Note 7","More"]')])
    files = pq.read_table("notes.collection/1/files.parquet").to_pylist()
    driver.check("collection: pyarrow, files", [row["file"] for row in files] == [f"notes/{i:02}.md" for i in range(40)]
                 and sum(row["num_rows"] for row in files) == len(ids)
                 and all(row["modified_ns"] == os.stat(row["file"]).st_mtime_ns for row in files))

    # The same rows as others write them.
    table = pq.read_table("ours.parquet").select(["id", "embedding", "text"])
    theirs = {"pyarrow": {}, "snappy": {"use_dictionary": False}, "plain": {"use_dictionary": False, "compression": "none"},
              "gzip": {"compression": "gzip"}, "zstd": {"compression": "zstd"}, "version 2 pages": {"data_page_version": "2.0"},
              "small groups": {"row_group_size": 77, "data_page_size": 1000},
              "split": {"use_dictionary": False, "column_encoding": {"embedding.list.element": "BYTE_STREAM_SPLIT"}},
              "lz4": {"compression": "lz4", "write_page_checksum": True},
              "differences": {"use_dictionary": False, "column_encoding": {"id": "DELTA_BYTE_ARRAY", "text": "DELTA_LENGTH_BYTE_ARRAY"}}}
    for name, options in theirs.items():
        pq.write_table(table, "theirs.parquet", **options)
        driver.embd("inspect", "theirs.parquet")
        driver.embd("compare", "theirs.parquet", "ours.parquet")
        driver.check(f"{name}: read", True)
    # Each of them with values of every width of differences.
    for bits in range(0, 63, 3):
        numbers = driver.rng.integers(0, 2**bits, 500).astype(np.uint64)
        pq.write_table(table.set_column(0, "id", pa.array(numbers)), "theirs.parquet", use_dictionary=False,
                       column_encoding={"id": "DELTA_BINARY_PACKED"})
        driver.embd("convert", "theirs.parquet", "theirs.jsonl", "--force")
        with open("theirs.jsonl") as file:
            driver.check(f"differences of {bits} bits", [json.loads(line)["id"] for line in file] == numbers.tolist())
    pq.write_table(table, "theirs.parquet", compression="brotli")
    good, message = refused("inspect", "theirs.parquet")
    driver.check(f"brotli: refused: {message.strip()}", good)
    duckdb.sql("COPY (SELECT id, embedding FROM 'theirs.parquet') TO 'out.parquet'")
    driver.embd("compare", "out.parquet", "ours.parquet")
    driver.check("DuckDB's line makes of it what embd reads", True)
    duckdb.sql("COPY (SELECT id, embedding::FLOAT[] AS embedding FROM 'ours.parquet') TO 'duck.parquet' (FORMAT parquet)")
    driver.embd("compare", "duck.parquet", "ours.parquet")
    driver.check("DuckDB's own: read", True)
