"""embd.get_model() against a hub on the loopback address: what every face is asked (model_hub.Cases), and what Python adds."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from typing import Any
from unittest import mock

import embd
import model_hub
import numpy as np
import pytest
from conftest import seconds_to_stop


class TestGetModel(model_hub.Cases):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = Path(folder.name)
        self.environment = dict(os.environ)
        self.message = ""
        self.begin()

    def call(self, name: str = model_hub.NAME, variables: dict[str, str] | None = None, **options: Any) -> embd.FetchedModel:
        options.setdefault("retry_seconds", 0.01)
        with mock.patch.dict(os.environ, self.environment | (variables or {}), clear=True):
            return embd.get_model(name, **options)

    def get(self, name: str = model_hub.NAME, *, error: str = "", **environment: str) -> str:
        if not error:
            return self.call(name, environment).folder
        with pytest.raises(embd.Error) as raised:
            self.call(name, environment)
        self.message = str(raised.value)
        assert raised.value.code == error, self.message
        return ""

    def test_it_is_found_by_its_name_afterwards(self) -> None:
        fetched = self.call()
        assert fetched.commit == model_hub.COMMIT and fetched.fetched_bytes > 0
        assert self.call().fetched_bytes == 0
        with mock.patch.dict(os.environ, self.environment, clear=True):
            by_name = embd.Model(model_hub.NAME)
        expected = embd.Model(str(self.path / "source")).encode(["a", "b"])
        assert (by_name.encode(["a", "b"]) == expected).all()
        assert (embd.Model(fetched.folder).encode(["a", "b"]) == expected).all()

    def test_keywords_instead_of_variables(self) -> None:
        fetched = self.call(
            variables={"HF_ENDPOINT": "http://127.0.0.1:9"},
            revision="v1/x",
            endpoint=self.hub.url() + "/",
            token="hf_given",
            cache_folder=self.path / "elsewhere",
        )
        assert Path(fetched.folder).is_relative_to(self.path / "elsewhere")
        assert {token for _, _, token, is_store in self.hub.asked if not is_store} == {"Bearer hf_given"}
        assert self.hub.asked[0][0].endswith("/revision/v1/x")

    def test_what_is_no_keyword(self) -> None:
        with pytest.raises(TypeError, match="no option is named 'branch'"):
            self.call(branch="main")
        with pytest.raises(TypeError, match="revision is of the type int"):
            self.call(revision=3)
        assert self.hub.asked == []

    def test_a_pause_that_is_none(self) -> None:
        for seconds in (-1.0, float("nan")):
            with pytest.raises(embd.Error, match="expected a number of at least 0"):
                self.call(retry_seconds=seconds)
        assert self.hub.asked == []

    def test_progress_ends_with_all_bytes(self) -> None:
        told: list[embd.GetModelProgress] = []
        self.hub.faults["cut"] = 1
        fetched = self.call(progress=True, on_progress=told.append)
        counts = [now.bytes for now in told]
        assert counts == sorted(counts) and len(set(counts)) > 3
        assert told[-1].bytes == told[-1].all_bytes == fetched.fetched_bytes
        assert {now.file for now in told} >= {model_hub.LARGE}

    def test_what_the_callers_function_raises_ends_it(self) -> None:
        def refuse(_: embd.GetModelProgress) -> None:
            raise OSError("the caller's own")

        with pytest.raises(OSError, match="the caller's own"):
            self.call(on_progress=refuse)
        assert not (self.model / "refs").exists()
        self.call()

    def test_ctrl_c_ends_it(self) -> None:
        """While an answer hangs, and in the pause before the next attempt; the next call goes on."""
        self.hub.marker = self.path / "at the fault"
        when = f"os.path.exists({str(self.hub.marker)!r})"
        self.hub.faults["hangs"] = 1
        before = "import embd, os; os.environ.update(" + repr(self.environment) + ")"
        call = f"embd.get_model({model_hub.NAME!r}, retry_seconds=60)"
        assert seconds_to_stop(before, call, when=when) < 1
        self.hub.marker.unlink()
        self.hub.faults = {503: 1}
        assert seconds_to_stop(before, call, when=when) < 1
        self.hub.pause.set()
        self.hub.faults.clear()
        self.hub.asked.clear()
        self.call()
        assert [asked for _, asked, _, is_store in self.hub.asked if is_store][0]

    def test_from_several_threads(self) -> None:
        from concurrent.futures import ThreadPoolExecutor

        folders = [self.path / str(i) for i in range(4)]
        with mock.patch.dict(os.environ, self.environment, clear=True), ThreadPoolExecutor(4) as pool:
            found = list(pool.map(lambda folder: embd.get_model(model_hub.NAME, cache_folder=folder), folders))
        assert [Path(model.folder).relative_to(folder) for model, folder in zip(found, folders)] == [
            Path("models--someone--small") / "snapshots" / model_hub.COMMIT
        ] * 4
        np.testing.assert_array_equal(embd.Model(found[0].folder).encode("a"), embd.Model(found[3].folder).encode("a"))
