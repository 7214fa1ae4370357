#!/usr/bin/env python3
"""Our finalfusion files opened by the reference package, and its files by us: see driver.py.

Over edge sizes and random shapes, words of any Unicode: for the same rows both write the same bytes,
each reads the other's file to the same words, values and norms, finds the same similar words, and a
quantized file of ours means to the package what it means to us. The package reads no floret
vocabulary."""
import json

import numpy as np

from driver import Driver

from finalfusion import Embeddings, load_finalfusion
from finalfusion.norms import Norms
from finalfusion.storage import NdArray
from finalfusion.subword import FastTextIndexer, FinalfusionHashIndexer
from finalfusion.vocab import FastTextVocab, FinalfusionBucketVocab, SimpleVocab

test = Driver(__doc__)
embd, check, rng, rows = test.embd, test.check, test.rng, test.rows

ALPHABET = list("abcdefgh XYZ0189.,-'\"#\\") + [
    "\n", "\t", "\0", "ä", "ß", "é", "日", "本", "ш", "😀", "\u0301"]


def random_words(count):
    words = {""} if count else set()
    while len(words) < count:
        words.add("".join(rng.choice(ALPHABET, rng.integers(1, 12))))
    return sorted(words)


def write_ids(words, path):
    with open(path + ".ids.jsonl", "w", encoding="utf-8") as out:
        out.writelines(json.dumps(word) + "\n" for word in words)


def read_by_us(path, *arguments):
    """The words and rows of a file, through the tool."""
    embd("convert", path, "ours.npy", *arguments)
    found = np.load("ours.npy")
    if len(found) == 0:  # no rows, no file of ids beside them
        return [], found
    with open("ours.npy.ids.jsonl", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines], found


def storage_of(embeddings):
    storage = embeddings.storage
    if isinstance(storage, NdArray):
        return np.asarray(storage.view(np.ndarray))
    return storage.embedding(slice(0, storage.shape[0]))


def plain(count, dim):
    name = f"array [{count}, {dim}]"
    words, x = random_words(count), rows(count, dim)
    np.save("x.npy", x)
    write_ids(words, "x.npy")
    embd("convert", "x.npy", "ours.fifu")
    Embeddings(NdArray(x), SimpleVocab(words)).write("theirs.fifu")
    test.same_bytes(name, "ours.fifu", "theirs.fifu")
    for mmap in (False, True) if count else (False,):
        theirs = load_finalfusion("ours.fifu", mmap=mmap)
        check(f"{name}: read by the package, mmap {mmap}",
              theirs.vocab.words == words and np.array_equal(storage_of(theirs), x))
    found_words, found = read_by_us("theirs.fifu")
    check(name + ": read by us", found_words == words and np.array_equal(found, x))


def subwords(count, dim, fasttext):
    name = f"{'fastText' if fasttext else 'bucket'} subwords [{count}, {dim}]"
    words = random_words(count)
    indexer = FastTextIndexer(11, 2, 4) if fasttext else FinalfusionHashIndexer(4, 2, 4)
    vocab = (FastTextVocab if fasttext else FinalfusionBucketVocab)(words, indexer)
    x = rows(vocab.upper_bound, dim)
    norms = np.linalg.norm(x[:count], axis=1).astype(np.float32)
    x[:count] /= norms[:, None]
    Embeddings(NdArray(x), vocab, norms=Norms(norms)).write("theirs.fifu")
    found_words, found = read_by_us("theirs.fifu")
    check(name + ": words", found_words == words and np.array_equal(found, x[:count]))
    _, found = read_by_us("theirs.fifu", "--all-rows")
    check(name + ": all rows", np.array_equal(found, x))
    _, found = read_by_us("theirs.fifu", "--unnormalize")
    check(name + ": norms", np.array_equal(found, x[:count] * norms[:, None]))


def similar(count, dim):
    """Words near known and unknown words, and analogies."""
    words = [f"word{i}" for i in range(count)]
    vocab = FinalfusionBucketVocab(words, FinalfusionHashIndexer(6, 3, 6))
    x = test.rng.normal(size=(vocab.upper_bound, dim)).astype(np.float32)
    x[:count] /= np.linalg.norm(x[:count], axis=1)[:, None]
    theirs = Embeddings(NdArray(x), vocab, norms=Norms(np.ones(count, np.float32)))
    theirs.write("theirs.fifu")

    def compare(name, options, wanted):
        line = embd("search", "theirs.fifu", "--words", "-k", 5, *options)
        hits = json.loads(line)["hits"]
        check(f"{name} [{count}, {dim}]",
              [hit["id"] for hit in hits] == [result.word for result in wanted]
              and np.allclose([1 - hit["distance"] for hit in hits],
                              [result.similarity for result in wanted], atol=1e-5))

    for query in ("word7", "wordless"):
        compare(f"similar to {query}", ["-q", query], theirs.word_similarity(query, k=5))
    compare("analogy", ["--analogy", "word1", "word2", "unword"],
            theirs.analogy("word1", "word2", "unword", k=5))


def quantized(count, dim, kind):
    name = f"{kind} [{count}, {dim}]"
    words, x = random_words(count), rows(count, dim)
    np.save("x.npy", x)
    write_ids(words, "x.npy")
    embd("convert", "x.npy", "ours.fifu", "--quantize", kind, "--subquantizers", dim // 4,
         "--bits", 4)
    theirs = load_finalfusion("ours.fifu")
    _, found = read_by_us("ours.fifu")
    check(name, theirs.vocab.words == words
          and np.allclose(storage_of(theirs), found, rtol=1e-4, atol=1e-5 * np.abs(x).max()))


with test.folder():
    for count, dim in [(0, 4), (1, 1), (3, 384), (2, 4096), (40, 1)]:
        plain(count, dim)
    for _ in test.rounds:
        count, dim = int(rng.integers(1, 300)), int(rng.integers(1, 100))
        plain(count, dim)
        subwords(count, dim, fasttext=bool(rng.integers(2)))
        similar(count + 10, dim + 3)
        quantized(count + 16, 4 * dim, rng.choice(["pq", "opq"]))
