"""Makes texts_*.parquet, which hold the columns below:  make_texts.py FOLDER  (MakeForeign.java makes texts_java_*)

Made with pyarrow 26.0.1, pandas 3.1.1, Polars 2.1.0 and DuckDB 2.0.1."""
import os
import sys

import duckdb
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq

os.chdir(sys.argv[1])
COUNT = 40
columns = {
    "query": [f"question {i // 5}" for i in range(COUNT)],
    "text": [f"naïve answer {i}, 東京" if i != 7 else "" for i in range(COUNT)],
    "key": [f"k{i}" for i in range(COUNT)],
    "n": list(range(100, 100 + COUNT)),
    "weight": [i / 4 for i in range(COUNT)],
}
table = pa.table(columns | {"tags": [["a", "b"]] * COUNT, "flag": [True] * COUNT, "below": list(range(-1, COUNT - 1))})
for codec, version, dictionary in (("snappy", "1.0", True), ("none", "2.0", True), ("gzip", "2.0", False), ("zstd", "1.0", True)):
    pq.write_table(table, f"texts_{codec}.parquet", compression=codec, data_page_version=version, use_dictionary=dictionary,
                   row_group_size=17, data_page_size=100, write_batch_size=5)
for encoding in ("DELTA_BYTE_ARRAY", "DELTA_LENGTH_BYTE_ARRAY"):
    pq.write_table(table, f"texts_{encoding.lower()}.parquet", compression="lz4", use_dictionary=False, row_group_size=17, data_page_size=100,
                   column_encoding={"text": encoding, "query": encoding, "key": encoding, "n": "DELTA_BINARY_PACKED",
                                    "weight": "BYTE_STREAM_SPLIT"}, write_page_checksum=True)
pd.DataFrame(columns).to_parquet("texts_pandas.parquet")
pl.DataFrame(columns).write_parquet("texts_polars.parquet")
frame = pa.table(columns)
duckdb.sql("COPY (SELECT * FROM frame) TO 'texts_duckdb.parquet' (FORMAT parquet)")
nulls = [None if i == 9 else f"a {i}" for i in range(COUNT)]
pq.write_table(table.set_column(1, "text", pa.array(nulls)), "texts_bad_null.parquet")
pq.write_table(pa.table({"text": [{"in": "a"}, {"in": "b"}]}), "texts_bad_struct.parquet")
pq.write_table(pa.table({"text": ["a"]}), "texts_bad_brotli.parquet", compression="brotli")
pq.write_table(pa.table({"text": pa.array([], pa.string())}), "texts_empty.parquet")
