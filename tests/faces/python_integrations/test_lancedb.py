from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

lancedb = pytest.importorskip("lancedb")

from embd.integrations.lancedb import EmbdEmbeddings  # noqa: E402


def test_a_table_that_is_opened_again(model_path: str, texts: list[str], tmp_path: Path) -> None:
    function = EmbdEmbeddings.create(model=model_path)

    class Row(lancedb.pydantic.LanceModel):
        text: str = function.SourceField()
        vector: Any = function.VectorField()

    Row.__annotations__["vector"] = lancedb.pydantic.Vector(function.ndims())
    from lancedb.pydantic import LanceModel, Vector

    Row = type(  # noqa: F811
        "Row",
        (LanceModel,),
        {
            "__annotations__": {"text": str, "vector": Vector(function.ndims())},
            "text": function.SourceField(),
            "vector": function.VectorField(),
        },
    )
    table = lancedb.connect(tmp_path).create_table("docs", schema=Row)
    table.add([{"text": text} for text in texts])
    again = lancedb.connect(tmp_path).open_table("docs")
    assert again.search(texts[2]).limit(1).to_list()[0]["text"] == texts[2]
