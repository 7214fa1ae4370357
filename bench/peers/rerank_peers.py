#!/usr/bin/env python3
"""Measures rerankers beside each other on one core: one run, one table.

    python3 -m venv V && V/bin/pip install -r bench/requirements.txt && V/bin/pip install .
    V/bin/python bench/peers/rerank_peers.py FOLDER [--rounds 7]

FOLDER is all-MiniLM-L6-v2 as Hugging Face has it; the model is its encoder with a classifier, whose time is that of
ms-marco-MiniLM-L6-v2. Every engine scores the same pairs on one thread, tokenizing included, and rivals are at their best:
pairs sorted by their tokens, in the size of batch, from 1 to 32, that a first look finds fastest. They take turns, since a
shared machine's speed drifts: the figure is the median round, the ratio the median of the rounds' ratios to the best rival of
the same arithmetic."""
import argparse
import os
import statistics
import sys
import tempfile
import time
from pathlib import Path

os.environ["OMP_NUM_THREADS"] = "1"
import numpy as np  # noqa: E402

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from encoder_reranker import make_reranker  # noqa: E402

BATCHES = (1, 4, 8, 16, 32)
WORDS = "the train leaves at noon and the ticket costs more than it did last year when nobody asked for one".split()


def passage(tokens, random):
    return " ".join(random.choice(WORDS, tokens))


def loads():
    query = "how much is the train ticket today"  # 8 tokens
    random = np.random.default_rng(3)
    lengths = random.lognormal(4.2, 0.7, 100).clip(8, 240).astype(int)
    return {"32 pairs of 139 tokens": [(query, passage(128, random)) for _ in range(32)],
            "100 of 8 to 240 words": [(query, passage(length, random)) for length in lengths]}


class Embd:
    batches = (0,)  # its own

    def __init__(self, folder, compute):
        import embd

        self.reranker = embd.Reranker(folder, compute=compute, threads=1)

    def score(self, pairs, _batch):
        return self.reranker.score(pairs)


class CrossEncoder:
    batches = BATCHES

    def __init__(self, folder):
        import torch
        from sentence_transformers import CrossEncoder

        torch.set_num_threads(1)
        self.model = CrossEncoder(str(folder), device="cpu", max_length=512)

    def score(self, pairs, batch):
        return self.model.predict(pairs, batch_size=batch, show_progress_bar=False)


class GraphEngine:
    """An engine of ONNX graphs, behind the tokenizer of Hugging Face."""
    batches = BATCHES

    def __init__(self, folder):
        from tokenizers import Tokenizer

        self.tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
        self.tokenizer.enable_truncation(512)
        self.tokenizer.no_padding()

    def logits(self, inputs):
        raise NotImplementedError

    def score(self, pairs, batch):
        tokens = self.tokenizer.encode_batch_fast(pairs)
        order = sorted(range(len(pairs)), key=lambda i: -len(tokens[i].ids))
        out = np.empty(len(pairs), np.float32)
        for start in range(0, len(pairs), batch):
            rows = order[start:start + batch]
            shape = (len(rows), len(tokens[rows[0]].ids))
            ids, mask, types = (np.zeros(shape, np.int64) for _ in range(3))
            for place, row in enumerate(rows):
                length = len(tokens[row].ids)
                ids[place, :length], types[place, :length] = tokens[row].ids, tokens[row].type_ids
                mask[place, :length] = 1
            out[rows] = self.logits({"input_ids": ids, "attention_mask": mask, "token_type_ids": types})[:, 0]
        return out


def export(folder, path):
    import torch
    from transformers import AutoModelForSequenceClassification

    class Logits(torch.nn.Module):
        def __init__(self):
            super().__init__()
            # The exporter makes a wrong graph of the usual attention.
            self.model = AutoModelForSequenceClassification.from_pretrained(folder, attn_implementation="eager")

        def forward(self, input_ids, attention_mask, token_type_ids):
            return self.model(input_ids, attention_mask, token_type_ids).logits

    names = ["input_ids", "attention_mask", "token_type_ids"]
    torch.onnx.export(Logits().eval(), tuple(torch.ones(2, 8, dtype=torch.long) for _ in names), str(path),
                      input_names=names, output_names=["logits"], opset_version=17, dynamo=False,
                      dynamic_axes={**{name: {0: "batch", 1: "seq_len"} for name in names}, "logits": {0: "batch"}})
    return path


class OnnxRuntime(GraphEngine):
    def __init__(self, folder, graph, quantized=False):
        super().__init__(folder)
        import onnxruntime as ort
        from onnxruntime.transformers import optimizer

        path = graph.with_name("fused.onnx")
        optimizer.optimize_model(str(graph), model_type="bert", num_heads=12, hidden_size=384).save_model_to_file(str(path))
        if quantized:
            import onnx
            from onnxruntime.quantization import QuantType, quantize_dynamic

            fused, path = path, graph.with_name("int8.onnx")
            quantize_dynamic(str(fused), str(path), per_channel=True, weight_type=QuantType.QInt8,
                             extra_options={"DefaultTensorType": onnx.TensorProto.FLOAT})
        options = ort.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        self.session = ort.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])

    def logits(self, inputs):
        return self.session.run(None, inputs)[0]


class OpenVino(GraphEngine):
    def __init__(self, folder, graph):
        super().__init__(folder)
        import openvino as ov

        core = ov.Core()
        self.request = core.compile_model(core.read_model(graph), "CPU", {
            "INFERENCE_NUM_THREADS": 1, "INFERENCE_PRECISION_HINT": "f32", "NUM_STREAMS": 1}).create_infer_request()

    def logits(self, inputs):
        self.request.infer(inputs, share_inputs=True, share_outputs=True)
        return self.request.get_output_tensor(0).data


def seconds_of(engine, pairs, batch):
    start = time.perf_counter()
    engine.score(pairs, batch)
    return time.perf_counter() - start


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--rounds", type=int, default=7)
    options = parser.parse_args()
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    with tempfile.TemporaryDirectory() as work:
        folder = Path(work) / "reranker"
        make_reranker(options.folder, folder, np.random.default_rng(1).normal(0, 0.3, (1, 384)), np.zeros(1))
        graph = export(folder, Path(work) / "model.onnx")
        engines = {"float32": {"embd": Embd(folder, "f32"), "sentence-transformers (torch)": CrossEncoder(folder),
                               "onnxruntime": OnnxRuntime(folder, graph), "OpenVINO, float32": OpenVino(folder, graph)},
                   "int8": {"embd, int8": Embd(folder, "int8"),
                            "onnxruntime, int8": OnnxRuntime(folder, graph, quantized=True)}}
        print(f"one thread, {options.rounds} rounds, load of the machine {os.getloadavg()[0]:.1f}\n")
        print("| pairs | arithmetic | engine | batch | pairs a second | embd over it | largest difference of logits |\n"
              "|---|---|---|---:|---:|---:|---:|")
        for name, pairs in loads().items():
            exact = engines["float32"]["embd"].score(pairs, 0)
            for arithmetic, several in engines.items():
                best = {each: min(engine.batches, key=lambda batch: seconds_of(engine, pairs, batch))
                        for each, engine in several.items()}
                seconds = {each: [] for each in several}
                for _ in range(options.rounds):
                    for each, engine in several.items():
                        seconds[each].append(seconds_of(engine, pairs, best[each]))
                ours = next(iter(seconds.values()))
                for each, engine in several.items():
                    ratio = statistics.median(theirs / our for theirs, our in zip(seconds[each], ours))
                    off = np.abs(np.asarray(engine.score(pairs, best[each])).ravel() - exact).max()
                    print(f"| {name} | {arithmetic} | {each} | {best[each] or ''} | "
                          f"{len(pairs) / statistics.median(seconds[each]):.1f} | {ratio:.2f} | {off:.1e} |", flush=True)


if __name__ == "__main__":
    main()
