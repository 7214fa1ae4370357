#!/usr/bin/env python3
"""Model folders as embd reads them beside sentence-transformers, which reads the same folders.

    check_folders.py EMBD [--only NAME]

EMBD is the command-line tool; needs tests/models/requirements.txt. Folders are made here, with random weights: variants
of every setting that changes vectors, the configurations of models that people use, and folders that embd has to refuse
by the name of what it does not do. Vectors must agree with sentence-transformers in float64; a folder and the file that
it is converted to must give the same bytes."""
import argparse
import gzip
import json
import os
import shutil
import subprocess
import sys
import tempfile
import warnings
from pathlib import Path

os.environ["HF_HUB_OFFLINE"] = "1"
os.environ["TRANSFORMERS_VERBOSITY"] = "error"
warnings.simplefilter("ignore")

import numpy as np
import torch
from safetensors.torch import load_file, save_file
from sentence_transformers import SentenceTransformer
from transformers import BertConfig, BertModel, BertTokenizer
from transformers.utils import logging

logging.disable_progress_bar()
torch.set_num_threads(1)
DATA = Path(__file__).resolve().parent.parent / "data" / "tokenizer"
TOLERANCE = 2e-6  # times the largest component, or 1
SIZES = dict(hidden_size=48, num_hidden_layers=2, num_attention_heads=4, intermediate_size=96, max_position_embeddings=64)
TEXTS = ["", "A cat sits on the mat.", "Ein Hund schläft vor dem Ofen.", "naïve café, déjà vu!", "日本語 と 한국어", "[SEP] [MASK]x[CLS]",
         "UPPER lower MiXeD", "e\u0301 \u0301 a\u00adb", "don't panic: 42% of $3.50", "hi 😀👩‍🔬", " spaces  around ", "unaffable " * 9,
         "the quick brown fox jumps over the lazy dog " * 12, "[unused5] [CLS] end"]
MODULES = {"Transformer": "sentence_transformers.models.Transformer", "Pooling": "sentence_transformers.models.Pooling",
           "Normalize": "sentence_transformers.models.Normalize", "LSTM": "sentence_transformers.models.LSTM",
           "Dropout": "sentence_transformers.models.Dropout"}


def real_vocab():
    with gzip.open(DATA / "vocab.txt.gz", "rt", encoding="utf-8", newline="\n") as file:
        return file.read().split("\n")[:-1]


VOCAB = real_vocab()


class Folder:
    """A model folder that is being made: a BERT with random weights, then whatever a variant changes."""

    def __init__(self, path, vocab=VOCAB, seed=1, tokenizer=True, **config):
        self.path = path
        path.mkdir(parents=True)
        torch.manual_seed(seed)
        model = BertModel(BertConfig(**{**SIZES, "vocab_size": len(vocab), "initializer_range": 0.08, **config}))
        for parameter in model.parameters():  # norms and biases are ones and zeros otherwise
            if parameter.dim() == 1:
                torch.nn.init.normal_(parameter, parameter.mean().item(), 0.1)
        model.save_pretrained(path)
        (path / "vocab.txt").write_text("\n".join(vocab) + "\n", encoding="utf-8", newline="\n")
        if tokenizer:
            BertTokenizer(vocab=str(path / "vocab.txt"), model_max_length=64).save_pretrained(path)

    def read(self, name):
        return json.loads((self.path / name).read_text())

    def write(self, name, value):
        target = self.path / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(json.dumps(value))
        return self

    def edit(self, name, **values):
        """Sets keys of a JSON file; None removes."""
        content = {**(self.read(name) if (self.path / name).exists() else {}), **values}
        return self.write(name, {key: value for key, value in content.items() if value is not None})

    def edit_tensors(self, change):
        path = self.path / "model.safetensors"
        save_file(change(load_file(path)), path, metadata={"format": "pt"})
        return self

    def modules(self, *kinds, pooling="1_Pooling", encoder=""):
        paths = {"Transformer": encoder, "Pooling": pooling, "Normalize": "2_Normalize", "Dropout": "3_Dropout"}
        self.write("modules.json", [{"idx": i, "name": str(i), "path": paths.get(kind, f"{i}_{kind}"), "type": MODULES.get(kind, kind)}
                                    for i, kind in enumerate(kinds)])
        return self

    def sentence(self, normalize=True, max_seq_length=None, **pooling):
        """A folder as sentence-transformers saves it."""
        self.modules("Transformer", "Pooling", *["Normalize"] * normalize)
        settings = {"embedding_dimension": self.read("config.json")["hidden_size"], "pooling_mode": "mean",
                    "include_prompt": True, **pooling}
        self.write("1_Pooling/config.json", {key: value for key, value in settings.items() if value is not None})
        if max_seq_length:
            self.write("sentence_bert_config.json", {"max_seq_length": max_seq_length})
        return self

    def resave(self):
        """By sentence-transformers itself."""
        model = SentenceTransformer(str(self.path))
        saved = self.path.with_name(self.path.name + "-saved")
        model.save(str(saved))
        shutil.rmtree(self.path)
        saved.rename(self.path)
        return self


def flags(**on):
    modes = ["cls_token", "max_tokens", "mean_tokens", "mean_sqrt_len_tokens", "weightedmean_tokens", "lasttoken"]
    return {"word_embedding_dimension": SIZES["hidden_size"], "embedding_dimension": None, "pooling_mode": None,
            **{f"pooling_mode_{mode}": on.get(mode, False) for mode in modes}}


def shard(folder):
    tensors = sorted(load_file(folder.path / "model.safetensors").items())
    names = {}
    for i, part in enumerate((tensors[::2], tensors[1::2])):
        name = f"model-{i + 1:05}-of-00002.safetensors"
        save_file(dict(part), folder.path / name, metadata={"format": "pt"})
        names.update(dict.fromkeys(dict(part), name))
    (folder.path / "model.safetensors").unlink()
    return folder.write("model.safetensors.index.json", {"metadata": {}, "weight_map": names})


def older_names(tensors):
    def rename(name):
        return "bert." + name.replace("LayerNorm.weight", "LayerNorm.gamma").replace("LayerNorm.bias", "LayerNorm.beta")
    return {rename(name): tensor for name, tensor in tensors.items()}


def in_subfolder(folder):
    encoder = folder.path / "0_Transformer"
    encoder.mkdir()
    for file in folder.path.iterdir():
        if file.is_file():
            file.rename(encoder / file.name)
    folder.write("1_Pooling/config.json", {"embedding_dimension": SIZES["hidden_size"], "pooling_mode": "mean"})
    folder.write("0_Transformer/sentence_bert_config.json", {"max_seq_length": 30})
    return folder.modules("Transformer", "Pooling", encoder="0_Transformer")


def pooling_elsewhere(folder):
    folder.write("pool/config.json", {"embedding_dimension": SIZES["hidden_size"], "pooling_mode": "max"})
    return folder.modules("Transformer", "Pooling", pooling="pool")


def without(folder, *names):
    for name in names:
        (folder.path / name).unlink()
    return folder


def cut_tokenizer_json(folder, **normalizer):
    content = folder.read("tokenizer.json")
    content["normalizer"].update(normalizer)
    return folder.write("tokenizer.json", content)


def many_token_types(folder, count):
    def change(tensors):
        name = "embeddings.token_type_embeddings.weight"
        rows = torch.randn(count, SIZES["hidden_size"]) * 0.1
        return {**tensors, name: rows}
    return folder.edit_tensors(change).edit("config.json", type_vocab_size=count)


PROMPTS = {"prompts": {"query": "Represent this: ", "topic": "about "}, "default_prompt_name": None}

HONOURED = {
    "a bare encoder": lambda p: Folder(p),
    "a bare encoder without tokenizer files but vocab.txt": lambda p: Folder(p, tokenizer=False),
    "saved by sentence-transformers 6.2": lambda p: Folder(p).sentence(max_seq_length=20).resave(),
    "modules of before 5.4, cls": lambda p: Folder(p).sentence(**flags(cls_token=True)),
    "modules of before 5.4, no mode is on": lambda p: Folder(p).sentence(**flags()),
    "pooling as a list": lambda p: Folder(p).sentence(pooling_mode=["max"]),
    "pooling in another folder": lambda p: pooling_elsewhere(Folder(p)),
    "not normalized": lambda p: Folder(p).sentence(normalize=False),
    "max_seq_length": lambda p: Folder(p).sentence(max_seq_length=20),
    "max_seq_length under an older name": lambda p: Folder(p).sentence().write("sentence_roberta_config.json", {"max_seq_length": 9}),
    "model_max_length of the tokenizer": lambda p: Folder(p).sentence().edit("tokenizer_config.json", model_max_length=16),
    "no length but the positions": lambda p: Folder(p).sentence().edit("tokenizer_config.json", model_max_length=int(1e30)),
    "the encoder in a folder of its own": lambda p: in_subfolder(Folder(p)),
    "a default prompt": lambda p: Folder(p).sentence().write("config_sentence_transformers.json", {**PROMPTS, "default_prompt_name": "query"}),
    "truncate_dim": lambda p: Folder(p).sentence().write("config_sentence_transformers.json", {"truncate_dim": 20, "similarity_fn_name": "dot"}),
    "do_lower_case of sentence-transformers": lambda p: Folder(p).sentence().write("sentence_bert_config.json", {"max_seq_length": 40, "do_lower_case": True}),
    "a cased tokenizer": lambda p: Folder(p).sentence().edit("tokenizer_config.json", do_lower_case=False),
    "accents kept in lower case": lambda p: Folder(p).sentence().edit("tokenizer_config.json", strip_accents=False),
    "an added word": lambda p: Folder(p).sentence().edit(
        "tokenizer_config.json", added_tokens_decoder={str(VOCAB.index("cat")): added_token("cat", single_word=True)}),
    "tokenizer_config.json rules over tokenizer.json": lambda p: cut_tokenizer_json(Folder(p).sentence(), lowercase=False),
    "another cls_token": lambda p: Folder(p, tokenizer=False).sentence().write(
        "tokenizer_config.json", {"tokenizer_class": "BertTokenizer", "cls_token": "[unused5]", "model_max_length": 64}),
    "a tokenizer taken from tokenizer.json alone": lambda p: Folder(p).sentence().edit("tokenizer_config.json", tokenizer_class="PreTrainedTokenizerFast"),
    "DistilBertTokenizer": lambda p: Folder(p).sentence().edit("tokenizer_config.json", tokenizer_class="DistilBertTokenizer"),
    "cutting on the left": lambda p: Folder(p).sentence(max_seq_length=12).edit("tokenizer_config.json", truncation_side="left"),
    "weights in shards": lambda p: shard(Folder(p).sentence()),
    "tensors under their older names": lambda p: Folder(p).sentence().edit_tensors(older_names),
    "one token type": lambda p: many_token_types(Folder(p).sentence(), 1),
    "four token types": lambda p: many_token_types(Folder(p).sentence(), 4),
    "layer_norm_eps": lambda p: Folder(p, layer_norm_eps=1e-3).sentence(),
    "more rows than tokens": lambda p: Folder(p, vocab_size=len(VOCAB) + 6).sentence(),
    "dropout after pooling": lambda p: Folder(p).sentence().modules("Transformer", "Pooling", "Dropout", "Normalize").write("3_Dropout/config.json", {"dropout": 0.5}),
    "lasttoken": lambda p: Folder(p).sentence(pooling_mode="lasttoken"),
    "weightedmean flag": lambda p: Folder(p).sentence(**flags(weightedmean_tokens=True)),
    "cls and mean": lambda p: Folder(p).sentence(pooling_mode=["mean", "cls"]),
    "gelu_python": lambda p: Folder(p, hidden_act="gelu_python").sentence(),
    "weights in bfloat16": lambda p: Folder(p).sentence().edit_tensors(lambda t: {n: v.to(torch.bfloat16) for n, v in t.items()}),
    "weights in float16": lambda p: Folder(p).sentence().edit_tensors(lambda t: {n: v.to(torch.float16) for n, v in t.items()}),
}

SMALL = dict(hidden_size=384, num_attention_heads=12, intermediate_size=1536, max_position_embeddings=512, initializer_range=0.04)
BASE = dict(hidden_size=768, num_attention_heads=12, intermediate_size=3072, max_position_embeddings=512, initializer_range=0.03)
LARGE = dict(hidden_size=1024, num_attention_heads=16, intermediate_size=4096, max_position_embeddings=512, initializer_range=0.03)
ASK = {"query": "Represent this sentence for searching relevant passages: "}


def member(layers, sizes, prompts=None, **sentence):
    """A member of the family with its real sizes, but a vocabulary of 3,000 where the table would fill the memory."""
    def make(path):
        vocab = VOCAB if sizes is SMALL else VOCAB[:3000]
        folder = Folder(path, vocab, **{**sizes, "num_hidden_layers": layers}).edit("tokenizer_config.json", model_max_length=512)
        folder.sentence(**sentence)
        return folder.write("config_sentence_transformers.json", {"prompts": prompts or {}, "default_prompt_name": None})
    return make


FAMILY = {
    "all-MiniLM-L6-v2": member(6, SMALL, max_seq_length=256),
    "all-MiniLM-L12-v2": member(12, SMALL, max_seq_length=128),
    "paraphrase-MiniLM-L3-v2": member(3, SMALL, normalize=False, max_seq_length=128),
    "multi-qa-MiniLM-L6-cos-v1": member(6, SMALL, max_seq_length=512),
    "bge-small-en-v1.5": member(12, SMALL, pooling_mode="cls", max_seq_length=512),
    "bge-base-en-v1.5": member(12, BASE, pooling_mode="cls", max_seq_length=512),
    "bge-large-en-v1.5": member(24, LARGE, pooling_mode="cls", max_seq_length=512),
    "e5-small-v2": member(12, SMALL, max_seq_length=512),
    "e5-base-v2": member(12, BASE, max_seq_length=512),
    "e5-large-v2": member(24, LARGE, max_seq_length=512),
    "gte-small": member(12, SMALL, max_seq_length=512),
    "gte-base": member(12, BASE, max_seq_length=512),
    "snowflake-arctic-embed-xs": member(6, SMALL, ASK, pooling_mode="cls", max_seq_length=512),
    "snowflake-arctic-embed-s": member(12, SMALL, ASK, pooling_mode="cls", max_seq_length=512),
    "snowflake-arctic-embed-m": member(12, BASE, ASK, pooling_mode="cls", max_seq_length=512),
    "mxbai-embed-large-v1": member(24, LARGE, ASK, normalize=False, pooling_mode="cls", max_seq_length=512),
}


def added_token(content, **set_flags):
    return {"content": content, "single_word": False, "lstrip": False, "rstrip": False, "normalized": False, "special": True, **set_flags}


def bpe(folder):
    content = folder.read("tokenizer.json")
    content["model"] = {"type": "BPE", "vocab": {"a": 0}, "merges": []}
    return folder.write("tokenizer.json", content)


def only_pickled(folder):
    (folder.path / "model.safetensors").rename(folder.path / "pytorch_model.bin")
    return folder


# The words that the message has to name.
REFUSED = {
    "electra (\"ElectraForMaskedLM\")": lambda p: Folder(p).edit("config.json", model_type="electra", architectures=["ElectraForMaskedLM"]),
    "is_decoder": lambda p: Folder(p).edit("config.json", is_decoder=True),
    "gelu_new": lambda p: Folder(p).edit("config.json", hidden_act="gelu_new"),
    "relative_key": lambda p: Folder(p).edit("config.json", position_embedding_type="relative_key"),
    "models.LSTM": lambda p: Folder(p).sentence().modules("Transformer", "Pooling", "LSTM"),
    "custom.Pooling": lambda p: Folder(p).sentence().modules("Transformer", "custom.Pooling"),
    "expected Transformer, Pooling": lambda p: Folder(p).sentence().modules("Transformer"),
    "inside the folder": lambda p: Folder(p).sentence().modules("Transformer", "Pooling", pooling="../elsewhere"),
    "include_prompt": lambda p: Folder(p).sentence(include_prompt=False),
    "module_input_name: token_embeddings": lambda p: Folder(p).sentence().write("2_Normalize/config.json", {"module_input_name": "token_embeddings"}),
    "SparseEncoder": lambda p: Folder(p).sentence().write("config_sentence_transformers.json", {"model_type": "SparseEncoder"}),
    "default_prompt_name": lambda p: Folder(p).sentence().write("config_sentence_transformers.json", {"default_prompt_name": "topic"}),
    "do_lower_case": lambda p: Folder(p).sentence().edit("tokenizer_config.json", do_lower_case=False).write("sentence_bert_config.json", {"do_lower_case": True}),
    "query_length": lambda p: Folder(p).sentence().write("sentence_bert_config.json", {"query_length": 8}),
    "fill-mask": lambda p: Folder(p).sentence().write("sentence_bert_config.json", {"transformer_task": "fill-mask"}),
    "processor_kwargs": lambda p: Folder(p).sentence().write("sentence_bert_config.json", {"processor_kwargs": {"do_lower_case": False}}),
    "tokenizer_class: ElectraTokenizer": lambda p: Folder(p).edit("tokenizer_config.json", tokenizer_class="ElectraTokenizer"),
    "tokenizer_class: BertTokenizer, expected RobertaTokenizer for BPE": lambda p: bpe(Folder(p)),
    "tokenize_chinese_chars": lambda p: Folder(p).edit("tokenizer_config.json", tokenize_chinese_chars=False),
    "pytorch_model.bin": lambda p: only_pickled(Folder(p)),
    "adapter_config.json": lambda p: Folder(p).write("adapter_config.json", {}),
}


def reference(path):
    model = SentenceTransformer(str(path), device="cpu", model_kwargs={"dtype": torch.float32}).double()
    return model.encode(TEXTS, batch_size=1, show_progress_bar=False).astype(np.float64), model


def run(embd, *arguments):
    return subprocess.run([embd, *map(str, arguments)], capture_output=True, text=True)


def encode(embd, model, folder, *options):
    texts = folder / "texts.jsonl"
    texts.write_text("".join(json.dumps({"text": text}) + "\n" for text in TEXTS))
    out = folder / "out.npy"
    result = run(embd, "embed", texts, "-m", model, "-o", out, "--force", *options)
    if result.returncode != 0:
        raise AssertionError(result.stderr.strip())
    return np.load(out)


def check_equal(embd, folder):
    expected, model = reference(folder.path)
    scratch = folder.path.parent
    rows = encode(embd, folder.path, scratch)
    worst = np.abs(rows - expected).max() / max(1, np.abs(expected).max())
    file = scratch / "converted.weights"
    converted = run(embd, "model", "convert", folder.path, file)
    if converted.returncode != 0:
        return f"convert: {converted.stderr.strip()}"
    if not np.array_equal(encode(embd, file, scratch), rows):
        return "the folder and its file give other bytes"
    for name in model.prompts:
        ours = encode(embd, file, scratch, "--prompt-name", name)
        theirs = model.encode(TEXTS, batch_size=1, prompt_name=name).astype(np.float64)
        worst = max(worst, np.abs(ours - theirs).max() / max(1, np.abs(theirs).max()))
    return None if worst <= TOLERANCE else f"{worst:.2g} apart"


def check_refused(embd, folder, name):
    result = run(embd, "model", "convert", folder.path, folder.path.parent / "out.weights")
    if result.returncode == 3 and name in result.stderr:
        return None
    return f"exit {result.returncode}: {result.stderr.strip()}"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("embd")
    parser.add_argument("--only", default="", help="part of a name")
    options = parser.parse_args()
    embd = os.path.abspath(options.embd)
    failed = passed = 0
    for kind, folders in (("equal", {**HONOURED, **FAMILY}), ("refused", REFUSED)):
        for name, make in folders.items():
            if options.only not in name:
                continue
            with tempfile.TemporaryDirectory() as scratch:
                try:
                    folder = make(Path(scratch) / "model")
                    fault = check_equal(embd, folder) if kind == "equal" else check_refused(embd, folder, name)
                except Exception as error:  # of either side: the others are still to be looked at
                    fault = f"{type(error).__name__}: {error}"
            print("BAD" if fault else "ok ", f"{kind}: {name}", f"({fault})" if fault else "", flush=True)
            failed += bool(fault)
            passed += not fault
    print(f"{passed} passed, {failed} failed")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
