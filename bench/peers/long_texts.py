#!/usr/bin/env python3
"""Measures embd beside torch, onnxruntime and OpenVINO on single texts of up to 8,192 tokens, with ModernBERT.

    V/bin/python bench/peers/long_texts.py --embd build/release/cli/embd --shape granite-small --lengths 256,2048,8192

The weights are random, because the time does not depend on them. Every engine gets the same ids and one thread, and the figure
is the processor time of one text, so that other programs may use the machine. The engines take turns; the figure is the median
round. embd is the program `embd embed` with several texts, less its time for one short text. The peers are loaded before the
time is taken. The peak memory is that of the process, the model included. The cosine is that of the first token's row, to embd
in float32.
"""
import argparse
import json
import os
import random
import resource
import shutil
import statistics
import subprocess
import sys
import time
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parents[2]
TOKENIZER = ROOT / "tests/data/families/modernbert_old"
SHAPES = {  # hidden, layers, heads, intermediate, theta of layers without a window
    "granite-small": (384, 12, 12, 1536, 80000.0),
    "modernbert-base": (768, 22, 12, 1152, 160000.0),
}
LONGEST = 8192
SHORTEST = 64  # tokens of the first text, which only warms up
TEXTS = {256: 16, 2048: 3}  # texts of a round, so that opening takes a small part of embd's time
MOST_BYTES = 16 << 30


def make_folder(shape, cache):
    """Makes a folder of this shape with random weights, and the tokenizer of the tests, whose vocabulary is small."""
    import torch
    from safetensors.torch import save_file
    from transformers import ModernBertConfig, ModernBertModel

    folder = cache / shape
    if (folder / "model.safetensors").exists():
        return folder
    hidden, layers, heads, intermediate, theta = SHAPES[shape]
    shutil.copytree(TOKENIZER, folder, copy_function=shutil.copyfile, dirs_exist_ok=True)
    config = json.loads((folder / "config.json").read_text())
    config |= {"hidden_size": hidden, "num_hidden_layers": layers, "num_attention_heads": heads, "hidden_activation": "gelu",
               "intermediate_size": intermediate, "max_position_embeddings": LONGEST, "local_attention": 128,
               "global_attn_every_n_layers": 3, "global_rope_theta": theta, "local_rope_theta": 10000.0}
    (folder / "config.json").write_text(json.dumps(config))
    (folder / "sentence_bert_config.json").write_text(json.dumps({"max_seq_length": LONGEST, "do_lower_case": False}))
    torch.manual_seed(1)
    known = {key: value for key, value in config.items() if key not in ("architectures", "transformers_version", "model_type")}
    model = ModernBertModel(ModernBertConfig(**known))
    for parameter in model.parameters():
        if parameter.dim() == 2:
            torch.nn.init.normal_(parameter, std=parameter.shape[1] ** -0.5)
    save_file({name: value.contiguous() for name, value in model.state_dict().items()}, folder / "model.safetensors")
    return folder


def load_torch(folder, implementation="sdpa"):
    import torch
    from transformers import AutoModel

    torch.set_num_threads(1)
    return AutoModel.from_pretrained(folder, attn_implementation=implementation, dtype=torch.float32).eval()


def torch_rows(folder, _cache, quantized=False):
    import torch

    model = load_torch(folder)
    if quantized:
        model = torch.ao.quantization.quantize_dynamic(model, {torch.nn.Linear}, dtype=torch.qint8)

    def rows(ids):
        tokens = torch.from_numpy(ids)
        with torch.inference_mode():
            return model(input_ids=tokens, attention_mask=torch.ones_like(tokens)).last_hidden_state[0].numpy()

    return rows


def exported(folder, cache):
    """Returns the graph in float32 as PyTorch exports it. It is made only once."""
    path = Path(cache) / f"{Path(folder).name}.onnx"
    if not path.exists():
        import torch

        class Hidden(torch.nn.Module):
            def __init__(self):
                super().__init__()
                self.model = load_torch(folder, "eager")

            def forward(self, ids, mask):
                return self.model(input_ids=ids, attention_mask=mask).last_hidden_state

        ids = torch.randint(5, 1500, (1, 300))
        names = ["input_ids", "attention_mask", "hidden"]
        torch.onnx.export(Hidden().eval(), (ids, torch.ones_like(ids)), str(path), input_names=names[:2], output_names=names[2:],
                          dynamic_axes={name: {0: "batch", 1: "tokens"} for name in names}, opset_version=17, dynamo=False)
    return path


def onnxruntime_rows(folder, cache, quantized=False):
    import onnxruntime as ort

    path = exported(folder, cache)
    if quantized:
        from onnxruntime.quantization import QuantType, quantize_dynamic

        source, path = path, path.with_suffix(".int8.onnx")
        if not path.exists():
            quantize_dynamic(str(source), str(path), per_channel=True, weight_type=QuantType.QInt8)
    options = ort.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    session = ort.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
    return lambda ids: session.run(None, {"input_ids": ids, "attention_mask": np.ones_like(ids)})[0][0]


def openvino_rows(folder, cache):
    import openvino as ov

    core = ov.Core()
    request = core.compile_model(core.read_model(exported(folder, cache)), "CPU", {
        "INFERENCE_NUM_THREADS": 1, "INFERENCE_PRECISION_HINT": "f32", "NUM_STREAMS": 1}).create_infer_request()

    def rows(ids):
        request.infer({"input_ids": ids, "attention_mask": np.ones_like(ids)}, share_inputs=True, share_outputs=True)
        return request.get_output_tensor(0).data[0]

    return rows


PEERS = {
    "torch, sdpa": torch_rows,
    "onnxruntime": onnxruntime_rows,
    "OpenVINO": openvino_rows,
    "torch, int8": lambda *a: torch_rows(*a, quantized=True),
    "onnxruntime, int8": lambda *a: onnxruntime_rows(*a, quantized=True),
}


def peak_mib(pid="self"):
    return int(Path(f"/proc/{pid}/status").read_text().split("VmHWM:")[1].split()[0]) / 1024


def serve(name, folder, cache):
    """A peer's process: for each line with a file of ids, prints the seconds of processor time, the peak memory and a row."""
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what a library prints must not look like an answer
    resource.setrlimit(resource.RLIMIT_AS, (MOST_BYTES, MOST_BYTES))
    rows = PEERS[name](folder, cache)
    rows(np.full((1, SHORTEST), 7, np.int64))
    print("ready", file=answers, flush=True)
    for line in sys.stdin:
        ids = np.array([json.loads(Path(line.strip()).read_text())], np.int64)
        start = time.process_time()
        first = np.array(rows(ids)[0], float)
        seconds = time.process_time() - start
        print(json.dumps([seconds, peak_mib(), (first / np.linalg.norm(first)).tolist()]), file=answers, flush=True)


class Peer:
    def __init__(self, name, folder, cache):
        self.process = subprocess.Popen([sys.executable, __file__, "--serve", name, "--folder", folder, "--cache", cache],
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
                                        env={**os.environ, "OMP_NUM_THREADS": "1"})

    def measure(self, text):
        """Returns (seconds, peak MiB, row), or nothing if the engine ended, for want of memory for example."""
        try:
            if not hasattr(self, "ready"):
                self.ready = self.process.stdout.readline()
            self.process.stdin.write(f"{text.with_suffix('.json')}\n")
            self.process.stdin.flush()
            return json.loads(self.process.stdout.readline() or "null")
        except BrokenPipeError:
            return None

    def end(self):
        self.process.stdin.close()
        self.process.wait()


class Embd:
    def __init__(self, program, model, compute):
        self.command = [program, "embed", "-m", model, "--compute", compute, "-t", "1", "--pooling", "cls",
                        "--dedup", "off"]
        self.opening = None

    def run(self, text):
        out = text.with_suffix(".npy")
        out.unlink(missing_ok=True)
        process = subprocess.Popen([*self.command, text, "-o", out], stderr=subprocess.DEVNULL)
        _, status, usage = os.wait4(process.pid, 0)
        if status != 0:
            raise RuntimeError(f"{self.command}: ended with {status}")
        return usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024, np.load(out)

    def measure(self, text):
        if self.opening is None:
            short = text.with_name("short.txt")
            short.write_text("a\n")
            self.opening = min(self.run(short)[0] for _ in range(5))
        seconds, peak, rows = self.run(text)
        return (seconds - self.opening) / len(rows), peak, (rows[0] / np.linalg.norm(rows[0])).tolist()

    def end(self):
        pass


def write_texts(args, model, length):
    """Writes texts of this many tokens, all equal, and the ids of one."""
    words = "the of water house light music number river night people world small great under before science history".split()
    rng = random.Random(length)
    word_list = [rng.choice(words) for _ in range(length)]
    path = args.cache / f"{length}.txt"

    def ids(count, end=""):
        path.write_text(" ".join(word_list[:count]) + end + "\n")
        printed = subprocess.run([args.embd, "tokenize", path, "-m", model], capture_output=True, text=True, check=True).stdout
        return json.loads(printed)["ids"]

    low, high = 1, length
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if len(ids(middle)) <= length else (low, middle - 1)
    end = ""
    while len(ids(low, end)) < length:
        end += "!" if end.endswith(".") else "."
    found = ids(low, end)
    if len(found) != length:
        raise RuntimeError(f"{len(found)} tokens, expected {length}")
    path.with_suffix(".json").write_text(json.dumps(found))
    path.write_text(path.read_text() * TEXTS.get(length, 1))
    return path


def measure(args, engines, text, length):
    """Returns of each engine (median seconds, peak MiB, row). Engines whose memory grows with the square run alone."""
    alone = length > 4096
    results = {name: [] for name in engines}
    if alone:
        for name, start in engines.items():
            engine = start()
            results[name] = [engine.measure(text) for _ in range(args.rounds if name.startswith("embd") else args.rounds_alone)]
            engine.end()
    else:
        started = {name: start() for name, start in engines.items()}
        for engine in started.values():
            engine.measure(text)
        for _ in range(args.rounds):
            for name, engine in started.items():
                results[name].append(engine.measure(text))
        for engine in started.values():
            engine.end()
    for name, found in results.items():
        found = [each for each in found if each]
        results[name] = (statistics.median(each[0] for each in found), max(each[1] for each in found), found[0][2]) if found else None
    return results


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--embd", type=Path, default=ROOT / "build/release/cli/embd")
    parser.add_argument("--shape", choices=SHAPES, default="granite-small")
    parser.add_argument("--lengths", default="256,2048,8192")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--rounds-alone", type=int, default=1, help="rounds of each peer above 4,096 tokens")
    parser.add_argument("--peers", default=";".join(PEERS), help="names of peers, between semicolons")
    parser.add_argument("--cache", type=Path, default=ROOT / "build/peers/long")
    parser.add_argument("--folder", help=argparse.SUPPRESS)
    parser.add_argument("--serve", help=argparse.SUPPRESS)
    parser.add_argument("--prepare", action="store_true", help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.serve:
        return serve(args.serve, args.folder, args.cache)
    if args.prepare:
        return exported(make_folder(args.shape, args.cache), args.cache)
    args.cache.mkdir(parents=True, exist_ok=True)
    # Torch is imported in another process, because a child's peak memory is at least what its parent had when it was started.
    subprocess.run([sys.executable, __file__, "--prepare", "--shape", args.shape, "--cache", args.cache], check=True)
    folder = args.cache / args.shape
    model = args.cache / f"{args.shape}.weights"
    if not model.exists():
        subprocess.run([args.embd, "model", "convert", folder, model], check=True, stderr=subprocess.DEVNULL)
    engines = {f"embd {compute}": lambda compute=compute: Embd(args.embd, model, compute) for compute in ("f32", "int8")}
    engines |= {name: lambda name=name: Peer(name, folder, args.cache) for name in args.peers.split(";") if name}
    print(f"{args.shape}, one thread, {args.rounds} rounds: seconds of processor time of a text "
          "(times as long as embd in the same arithmetic)")
    print("| tokens | engine | seconds | peak MiB | cosine to float32 |")
    print("|---:|---|---:|---:|---:|", flush=True)
    for length in map(int, args.lengths.split(",")):
        results = measure(args, engines, write_texts(args, model, length), length)
        exact = np.array(results["embd f32"][2])
        for name, result in results.items():
            if result is None:
                print(f"| {length} | {name} | did not run in {MOST_BYTES >> 30} GiB | | |", flush=True)
                continue
            seconds, peak, row = result
            own = results["embd int8" if "int8" in name else "embd f32"][0]
            ratio = "" if name.startswith("embd") else f" ({seconds / own:.2f})"
            print(f"| {length} | {name} | {seconds:.3f}{ratio} | {peak:.0f} | {exact @ np.array(row):.6f} |", flush=True)


if __name__ == "__main__":
    main()
