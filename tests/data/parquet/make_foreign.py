"""Makes foreign_*.parquet, and foreign_*.expected.npy with their values:  make_foreign.py FOLDER

Made with pyarrow 26.0.1, pandas 3.1.1, Polars 2.1.0 and DuckDB 2.0.1."""
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

# Files that are refused.
duckdb.sql("COPY (SELECT id, embedding FROM frame) TO 'foreign_bad_delta.parquet' (PARQUET_VERSION v2)")
for name, values in (("ragged", [[1, 2], [3], [4, 5, 6]]), ("null", [[1, 2], None, [4, 5]]), ("value", [[1, 2], [1, None]]),
                     ("hidden", [[1], [2, 3], [], [4]]), ("empty", [])):
    pq.write_table(pa.table({"embedding": pa.array(values, pa.list_(pa.float32()))}), f"foreign_bad_{name}.parquet")
one = pa.array([[1, 2]], pa.list_(pa.float32()))
pq.write_table(pa.table({"embedding": one, "id": pa.array([None], pa.string())}), "foreign_bad_id.parquet")
pq.write_table(pa.table({"a": one, "b": one}), "foreign_bad_two.parquet")
pq.write_table(pa.table({"a": [1, 2]}), "foreign_bad_none.parquet")
pq.write_table(pa.table({"embedding": one}), "foreign_bad_brotli.parquet", compression="BROTLI")
