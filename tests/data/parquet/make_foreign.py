"""Makes foreign_*.parquet, and foreign_*.expected.npy with their values:  make_foreign.py FOLDER

Made with pyarrow 26.0.1, pandas 3.1.1, Polars 2.1.0 and DuckDB 2.0.1. MakeForeign.java and make_foreign.go make foreign_java_* and
foreign_go_*, whose values are made here."""
import datetime
import decimal
import os
import sys

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq

os.chdir(sys.argv[1])
rng = np.random.default_rng(5)


def rows(count, dim, dtype=np.float32):
    return rng.standard_normal((count, dim)).astype(dtype)


def lists(values, kind=pa.float32()):
    return pa.array([list(row) for row in values.tolist()], pa.list_(kind))


def fixed(values, kind):
    return pa.FixedSizeListArray.from_arrays(pa.array(values.reshape(-1), kind), values.shape[1])


def keep(name, values):
    np.save(f"foreign_{name}.expected.npy", np.asarray(values, np.float32))
    return f"foreign_{name}.parquet"


# Small pages, groups of unequal size, columns that are passed over, a dictionary with repeated values.
for name, codec, version, dictionary in (("arrow_snappy_1_true", "SNAPPY", "1.0", True), ("arrow_none_2_true", "NONE", "2.0", True),
                                         ("arrow_gzip_2_false", "GZIP", "2.0", False)):
    x = rows(40, 6)
    x[3] = x[7]
    table = pa.table({"id": [f"k{i}" for i in range(40)], "meta": [{"a": 1}] * 40, "embedding": lists(x), "n": range(40),
                      "text": [f"tëxt {i % 7}" for i in range(40)]})
    pq.write_table(table, keep(name, x), compression=codec, data_page_version=version, use_dictionary=dictionary, row_group_size=17,
                   data_page_size=300, write_batch_size=5)
x = rows(25, 5, np.float64)
pq.write_table(pa.table({"v": lists(x, pa.float64()), "id": pa.array(range(7, 32), pa.int64())}), keep("double", x))
x = rows(25, 5, np.float16)
pq.write_table(pa.table({"v": fixed(x, pa.float16()), "id": pa.array(range(25), pa.uint32())}), keep("half", x))
x = rows(25, 5)
pq.write_table(pa.table({"embedding": lists(x)}), keep("legacy", x), use_compliant_nested_type=False, version="1.0")
x = rows(30, 8)
pd.DataFrame({"id": [str(i) for i in range(30)], "embedding": [list(map(float, row)) for row in x]}).to_parquet(keep("pandas", x))
x = rows(30, 8)
pl.DataFrame({"id": range(30), "text": ["a"] * 30, "embedding": pl.Series(x.tolist(), dtype=pl.List(pl.Float32))}).write_parquet(
    keep("polars", x))
x = rows(30, 8)
pl.DataFrame({"id": range(30), "embedding": pl.Series(x, dtype=pl.Array(pl.Float32, 8))}).write_parquet(
    keep("polars_array", x), row_group_size=11)
x = rows(30, 8)
frame = pl.DataFrame({"id": range(30), "embedding": pl.Series(x.tolist(), dtype=pl.List(pl.Float32))}).to_arrow()
duckdb.sql(f"COPY (SELECT id, embedding, 'x' || id AS text FROM frame) TO '{keep('duckdb', x)}'")
duckdb.sql(f"COPY (SELECT id, embedding::FLOAT[8] AS embedding FROM frame) TO '{keep('duckdb_array', x)}' (COMPRESSION zstd)")

duckdb.sql(f"COPY (SELECT id, embedding FROM frame) TO '{keep('duckdb_v2', x)}' (PARQUET_VERSION v2)")
duckdb.sql(f"COPY (SELECT printf('%02x', id) || '{'0' * 30}' AS key, key::UUID AS id, embedding FROM frame) TO '{keep('duckdb_uuid', x)}'")
pl.DataFrame({"id": range(30), "embedding": pl.Series(x, dtype=pl.Array(pl.Float32, 8))}).write_parquet(
    keep("polars_lz4", x), compression="lz4")
table = pa.table({"id": pa.array(range(98, 128), pa.int8()), "embedding": lists(x), "text": [f"text {i // 3}" for i in range(30)]})
for name, text in (("delta", "DELTA_BYTE_ARRAY"), ("lengths", "DELTA_LENGTH_BYTE_ARRAY")):
    pq.write_table(table, keep(f"arrow_{name}", x), compression="lz4", use_dictionary=False, write_page_checksum=True, data_page_size=100,
                   column_encoding={"id": "DELTA_BINARY_PACKED", "text": text, "embedding.list.element": "BYTE_STREAM_SPLIT"})

# Values of the files of other languages.
x = np.arange(120, dtype=np.float32).reshape(30, 4) / 8 - 3
for name in ("java_1", "java_1_dictionary", "java_2", "java_2_dictionary", "java_lz4", "java_lz4_raw", "java_zstd", "go_1", "go_2"):
    keep(name, x)

# Types of ids.
x = rows(2, 3)
for kind, ids in (("int8", [3, 127]), ("int16", [300, 5]), ("uint8", [200, 3]), ("uint32", [4_000_000_000, 1]), ("uint64", [2**64 - 1, 0]),
                  ("large_string", ["é", ""])):
    pq.write_table(pa.table({"id": pa.array(ids, kind), "embedding": lists(x)}), keep(f"id_{kind}", x))
pq.write_table(pa.table({"id": pa.array([bytes(range(16)), b"\xff" * 16], pa.uuid()), "embedding": lists(x)}), keep("id_uuid", x),
               use_dictionary=False, column_encoding={"id": "BYTE_STREAM_SPLIT"})

# Files that are refused.
for name, ids in (("f64", [1.0, 2.0]), ("bool", [True, False]), ("decimal", [decimal.Decimal("1.5")] * 2), ("list", [[1], [2]]),
                  ("date", [datetime.date(2026, 1, 2)] * 2), ("timestamp", [datetime.datetime(2026, 1, 2)] * 2),
                  ("time", [datetime.time(1)] * 2), ("fixed", pa.array([b"a" * 16, b"b" * 16], pa.binary(16)))):
    pq.write_table(pa.table({"id": ids, "embedding": lists(x)}), f"foreign_bad_id_{name}.parquet")
# One bit of a value, of an id and of a text differs.
table = pa.table({"id": ["aaaa", "bbbb"], "embedding": lists(x), "text": ["one cat", "red hen"]})
for name, found in (("value", x[1].tobytes()), ("name", b"bbbb"), ("text", b"red hen")):
    path = f"foreign_bad_checksum_of_{name}.parquet"
    pq.write_table(table, path, compression="none", use_dictionary=False, write_page_checksum=True, write_statistics=False, store_schema=False)
    with open(path, "r+b") as file:
        at = file.read().index(found)
        file.seek(at)
        byte = file.read(1)[0]
        file.seek(at)
        file.write(bytes([byte ^ 1]))
for name, values in (("ragged", [[1, 2], [3], [4, 5, 6]]), ("null", [[1, 2], None, [4, 5]]), ("value", [[1, 2], [1, None]]),
                     ("hidden", [[1], [2, 3], [], [4]]), ("empty", [])):
    pq.write_table(pa.table({"embedding": pa.array(values, pa.list_(pa.float32()))}), f"foreign_bad_{name}.parquet")
one = pa.array([[1, 2]], pa.list_(pa.float32()))
pq.write_table(pa.table({"embedding": one, "id": pa.array([None], pa.string())}), "foreign_bad_id.parquet")
pq.write_table(pa.table({"a": one, "b": one}), "foreign_bad_two.parquet")
pq.write_table(pa.table({"a": [1, 2]}), "foreign_bad_none.parquet")
pq.write_table(pa.table({"embedding": one}), "foreign_bad_brotli.parquet", compression="BROTLI")
