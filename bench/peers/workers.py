"""The rivals of peers.py, each at its best: texts sorted by their tokens, cut at 256, in batches of the size that was found
fastest for the file, requests and outputs used again. FOLDER is a model with mean pooling, of the shape of BERT or MPNet.

As a program, `workers.py NAME FOLDER CACHE THREADS` answers the same lines on stdin as embd_worker.cc:
    tune FILE        finds the fastest size of a batch for the lines of FILE, prints it
    encode FILE      encodes the lines of FILE, prints the seconds
    latency FILE     encodes each line alone, prints the median seconds
    vectors FILE OUT encodes and saves the rows to OUT (.npy), in any batches
"""
import json
import os
import statistics
import sys
import time
from pathlib import Path

import numpy as np

BATCHES = (4, 8, 16, 32, 64)
MAX_LENGTH = 256


def config_of(folder):
    return json.loads((Path(folder) / "config.json").read_text())


def input_names(folder):
    """Returns the names of the model's inputs. MPNet has no kinds of tokens."""
    names = ["input_ids", "attention_mask"]
    return names if config_of(folder)["model_type"] == "mpnet" else [*names, "token_type_ids"]


def mean_pool(hidden, mask):
    weights = mask.astype(np.float32)
    rows = (weights[:, None, :] @ hidden)[:, 0] / weights.sum(1, keepdims=True)
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


class HiddenStateEngine:
    """An engine that maps padded ids and a mask to the last hidden state; the rest is the same for all."""

    def __init__(self, folder):
        from tokenizers import Tokenizer

        config = config_of(folder)
        self.dim, self.pad = config["hidden_size"], config["pad_token_id"]
        self.names = input_names(folder)
        self.tokenizer = Tokenizer.from_file(str(Path(folder) / "tokenizer.json"))
        self.tokenizer.enable_truncation(MAX_LENGTH)
        self.tokenizer.no_padding()

    def hidden(self, ids, mask):
        raise NotImplementedError

    def inputs(self, ids, mask):
        return dict(zip(self.names, (ids, mask, np.zeros_like(ids))))

    def encode(self, texts, batch):
        tokens = [encoded.ids for encoded in self.tokenizer.encode_batch_fast(texts)]
        order = sorted(range(len(texts)), key=lambda i: -len(tokens[i]))
        out = np.empty((len(texts), self.dim), np.float32)
        for start in range(0, len(texts), batch):
            rows = order[start:start + batch]
            ids = np.full((len(rows), len(tokens[rows[0]])), self.pad, np.int64)
            mask = np.zeros_like(ids)
            for place, row in enumerate(rows):
                ids[place, :len(tokens[row])] = tokens[row]
                mask[place, :len(tokens[row])] = 1
            out[rows] = mean_pool(self.hidden(ids, mask), mask)
        return out


def export_onnx(folder, cache):
    """Returns the graph in float32 as PyTorch exports it. It is made only once."""
    path = Path(cache) / "model.onnx"
    if not path.exists():
        import torch
        from transformers import AutoModel

        class Hidden(torch.nn.Module):
            def __init__(self):
                super().__init__()
                self.model = AutoModel.from_pretrained(folder, attn_implementation="eager")

            def forward(self, *inputs):
                return self.model(**dict(zip(names, inputs))).last_hidden_state

        names = input_names(folder)
        example = tuple(torch.ones(2, 8, dtype=torch.long) for _ in names)
        torch.onnx.export(Hidden().eval(), example, str(path), input_names=names, output_names=["hidden"],
                          dynamic_axes={n: {0: "batch", 1: "seq_len"} for n in names + ["hidden"]},
                          opset_version=17, dynamo=False)
    return path


class OnnxRuntime(HiddenStateEngine):
    def __init__(self, folder, cache, threads, quantized=False):
        super().__init__(folder)
        import onnxruntime as ort
        from onnxruntime.transformers import optimizer

        fused = Path(cache) / "fused.onnx"
        if not fused.exists():
            config = config_of(folder)
            optimizer.optimize_model(str(export_onnx(folder, cache)), model_type="bert",
                                     num_heads=config["num_attention_heads"],
                                     hidden_size=config["hidden_size"]).save_model_to_file(str(fused))
        if quantized:
            import onnx
            from onnxruntime.quantization import QuantType, quantize_dynamic

            path = Path(cache) / "int8.onnx"
            if not path.exists():
                # Shape inference stops at the fused nodes: say that what it cannot type is float32.
                quantize_dynamic(str(fused), str(path), per_channel=True, weight_type=QuantType.QInt8,
                                 extra_options={"DefaultTensorType": onnx.TensorProto.FLOAT})
            fused = path
        options = ort.SessionOptions()
        options.intra_op_num_threads = threads
        options.inter_op_num_threads = 1
        self.session = ort.InferenceSession(str(fused), options, providers=["CPUExecutionProvider"])

    def hidden(self, ids, mask):
        return self.session.run(None, self.inputs(ids, mask))[0]


class OpenVino(HiddenStateEngine):
    def __init__(self, folder, cache, threads, precision="f32"):
        super().__init__(folder)
        import openvino as ov

        core = ov.Core()
        model = core.read_model(export_onnx(folder, cache))
        self.request = core.compile_model(model, "CPU", {
            "INFERENCE_NUM_THREADS": threads, "INFERENCE_PRECISION_HINT": precision, "NUM_STREAMS": 1}).create_infer_request()

    def hidden(self, ids, mask):
        self.request.infer(self.inputs(ids, mask), share_inputs=True, share_outputs=True)
        return self.request.get_output_tensor(0).data


class CTranslate2(HiddenStateEngine):
    def __init__(self, folder, cache, threads, compute_type="float32"):
        super().__init__(folder)
        import ctranslate2

        path = Path(cache) / "ctranslate2"
        if not path.exists():
            ctranslate2.converters.TransformersConverter(folder).convert(str(path))
        self.encoder = ctranslate2.Encoder(str(path), device="cpu", compute_type=compute_type, intra_threads=threads)

    def hidden(self, ids, mask):
        rows = [row[:n].tolist() for row, n in zip(ids, mask.sum(1))]
        output = self.encoder.forward_batch(rows)
        return np.asarray(output.last_hidden_state)


class SentenceTransformers:
    def __init__(self, folder, _cache, threads, dtype="float32"):
        import torch
        from sentence_transformers import SentenceTransformer, models

        torch.set_num_threads(threads)
        encoder = models.Transformer(folder, max_seq_length=MAX_LENGTH)
        self.model = SentenceTransformer(device="cpu", modules=[
            encoder, models.Pooling(config_of(folder)["hidden_size"], pooling_mode="mean"), models.Normalize()]).to(getattr(torch, dtype))

    def encode(self, texts, batch):
        rows = self.model.encode(texts, batch_size=batch, show_progress_bar=False, convert_to_tensor=True)
        return rows.float().numpy()


WORKERS = {
    "sentence-transformers": SentenceTransformers,
    "onnxruntime": OnnxRuntime,
    "openvino": OpenVino,
    "ctranslate2": CTranslate2,
    "onnxruntime-int8": lambda *a: OnnxRuntime(*a, quantized=True),
    "ctranslate2-int8": lambda *a: CTranslate2(*a, compute_type="int8"),
    "sentence-transformers-bf16": lambda *a: SentenceTransformers(*a, dtype="bfloat16"),
    "openvino-bf16": lambda *a: OpenVino(*a, precision="bf16"),
    "ctranslate2-bf16": lambda *a: CTranslate2(*a, compute_type="bfloat16"),
}


def seconds_of(encode, texts, batch):
    start = time.perf_counter()
    encode(texts, batch)
    return time.perf_counter() - start


def lines_of(path):
    return Path(path).read_text(encoding="utf-8").splitlines()


def main():
    name, folder, cache, threads = sys.argv[1:]
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what a library prints must not look like an answer
    worker = WORKERS[name](folder, cache, int(threads))
    batches = {}
    print("ready", file=answers, flush=True)
    for line in sys.stdin:
        command, path, *out = line.split()
        texts = lines_of(path)
        if command == "tune":
            worker.encode(texts, BATCHES[0])  # what only the first time costs
            best = {batch: min(seconds_of(worker.encode, texts, batch) for _ in range(2)) for batch in BATCHES}
            answer = batches[path] = min(best, key=best.get)
        elif command == "encode":
            answer = seconds_of(worker.encode, texts, batches[path])
        elif command == "latency":
            answer = statistics.median(seconds_of(worker.encode, [text], 1) for text in texts)
        else:
            np.save(out[0], worker.encode(texts, batches.get(path, BATCHES[0])))
            answer = 0
        print(answer, file=answers, flush=True)


if __name__ == "__main__":
    main()
