"""Sentence embeddings: the same text gives the same bytes. The only dependency is NumPy.

    import embd
    model = embd.Model("all-MiniLM-L6-v2")
    rows = model.encode(["A cat sits.", "Ein Satz."])    # float32 [2, 384]

Each name is imported when it is first used, so that `import embd` takes milliseconds.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from embd import integrations, util
    from embd._errors import Error
    from embd._native import version as __version__
    from embd.analysis import (
        Clusters,
        Duplicates,
        Leaks,
        NeighbourAgreement,
        cluster,
        compare_neighbours,
        dedupe,
        find_leaks,
    )
    from embd.collection import CollectReport, collect
    from embd.digest import Digest, digest_file
    from embd.hub import FetchedModel, GetModelProgress, get_model
    from embd.index import BatchMatches, Index, Indexes, Matches
    from embd.jobs import EmbedReport, Verification, embed_file, score_pairs_file, verify
    from embd.map import Map, project
    from embd.model import Model, Recipe
    from embd.passages import Passage, split
    from embd.reranker import RankedDocument, Reranker
    from embd.searcher import FusedHits, Hits, Searcher, TermHits
    from embd.sentence_transformers import CrossEncoder, SentenceTransformer
    from embd.terms import TermIndex, TermMatches
    from embd.vectors import VectorSet, open_vectors, read_vectors, write_vectors

__all__ = [
    "BatchMatches",
    "Clusters",
    "CollectReport",
    "CrossEncoder",
    "Digest",
    "Duplicates",
    "EmbedReport",
    "Error",
    "FetchedModel",
    "FusedHits",
    "GetModelProgress",
    "Hits",
    "Index",
    "Indexes",
    "Leaks",
    "Map",
    "Matches",
    "Model",
    "NeighbourAgreement",
    "Passage",
    "RankedDocument",
    "Recipe",
    "Reranker",
    "Searcher",
    "SentenceTransformer",
    "TermHits",
    "TermIndex",
    "TermMatches",
    "VectorSet",
    "Verification",
    "__version__",
    "cluster",
    "collect",
    "compare_neighbours",
    "dedupe",
    "digest_file",
    "embed_file",
    "find_leaks",
    "get_model",
    "integrations",
    "open_vectors",
    "project",
    "read_vectors",
    "score_pairs_file",
    "split",
    "util",
    "verify",
    "write_vectors",
]

_HOMES = {
    "BatchMatches": "embd.index",
    "Clusters": "embd.analysis",
    "CollectReport": "embd.collection",
    "CrossEncoder": "embd.sentence_transformers",
    "Digest": "embd.digest",
    "Duplicates": "embd.analysis",
    "EmbedReport": "embd.jobs",
    "Error": "embd._errors",
    "FetchedModel": "embd.hub",
    "FusedHits": "embd.searcher",
    "GetModelProgress": "embd.hub",
    "Hits": "embd.searcher",
    "Index": "embd.index",
    "Indexes": "embd.index",
    "Leaks": "embd.analysis",
    "Map": "embd.map",
    "Matches": "embd.index",
    "Model": "embd.model",
    "NeighbourAgreement": "embd.analysis",
    "Passage": "embd.passages",
    "RankedDocument": "embd.reranker",
    "Recipe": "embd.model",
    "Reranker": "embd.reranker",
    "Searcher": "embd.searcher",
    "SentenceTransformer": "embd.sentence_transformers",
    "TermHits": "embd.searcher",
    "TermIndex": "embd.terms",
    "TermMatches": "embd.terms",
    "VectorSet": "embd.vectors",
    "Verification": "embd.jobs",
    "cluster": "embd.analysis",
    "collect": "embd.collection",
    "compare_neighbours": "embd.analysis",
    "dedupe": "embd.analysis",
    "digest_file": "embd.digest",
    "embed_file": "embd.jobs",
    "find_leaks": "embd.analysis",
    "get_model": "embd.hub",
    "integrations": "embd.integrations",
    "open_vectors": "embd.vectors",
    "project": "embd.map",
    "read_vectors": "embd.vectors",
    "score_pairs_file": "embd.jobs",
    "split": "embd.passages",
    "util": "embd.util",
    "verify": "embd.jobs",
    "write_vectors": "embd.vectors",
}
"""The module that each public name is imported from."""


def __getattr__(name: str) -> Any:
    """Imports the module of a public name when the name is first used."""
    from importlib import import_module

    if name == "__version__":
        value: Any = import_module("embd._native").version
    elif name in _HOMES:
        home = import_module(_HOMES[name])
        value = home if _HOMES[name] == f"embd.{name}" else getattr(home, name)
    else:
        raise AttributeError(f"module 'embd' has no attribute {name!r}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return __all__
