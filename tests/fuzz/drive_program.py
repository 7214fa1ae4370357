#!/usr/bin/env python3
"""Drives the program with random verbs, options, formats and hostile ids:  drive_program.py EMBD TEST_DATA
[--seconds N] [--seed S] [--keep FOLDER]

Runs on tiny data with the small models of TEST_DATA. After every run it checks that the exit code is one
of those that are documented, that a failure says why, that nothing said crash, sanitizer or internal
error, that inputs are as they were, that no temporary file is left, and that what a run with exit 0
wrote reads back as what went in. Prints each finding with the commands that reproduce it, and at the
end how many runs there were. Exit 1 if anything was found. For an AddressSanitizer build; standard
library only."""
import argparse
import collections
import hashlib
import json
import os
import pathlib
import random
import shlex
import shutil
import struct
import subprocess
import sys
import tempfile
import time

GOOD, USAGE, BAD_INPUT, RECIPE, DIFFERENCE, IO, PIPE = 0, 2, 3, 4, 5, 6, 141
DOCUMENTED = {GOOD, USAGE, BAD_INPUT, RECIPE, DIFFERENCE, IO, PIPE}
FORBIDDEN = [b"AddressSanitizer", b"LeakSanitizer", b"runtime error:", b"terminate called", b"Assertion",
             b"std::bad_alloc", b"Segmentation", b"internal error"]
WORDS = ["", " ", "cat", "the cat sat on the mat", "a\tb", "naïve", "東京", "😀", "e\u0301", "\u200b", "\ufeff",
         "a,b", '"', "''", "'''", "\\", "\\n", "#", "#2", "cat#2", "[x]", "{}", "null", "-1", "1e5", "0x10", "1.10",
         "1.1", "</s>", "key = 1", "\x01", "\x7f", "\x85", "\u2028", "x" * 300, "item 1", " lead", "trail ",
         "NaN", "0", "00", "18446744073709551615", "18446744073709551616", "-", "--", "/", "a/b", "%s", "$(id)"]
RAW = [b"\xff", b"\xc3", b"a\xed\xa0\x80b", b"\x00", b"a\x00b"]
WRITABLE = ["npy", "jsonl", "fvecs", "ivecs", "bvecs", "hvecs", "fbin", "u8bin", "i8bin", "cvc", "fifu", "svs",
            "config", "usearch", "w2v.bin", "vec", "txt"]
EXACT = {"npy", "jsonl", "fvecs", "fbin", "svs", "config", "vec"}  # float32 comes back bit by bit
NUMBERS = ["0", "1", "2", "3", "7", "-1", "010", "1e3", "0x10", "nan", "inf", "", "4294967295", "4294967296",
           "18446744073709551615", "99999999999999999999", "1000000000000"]


class Finding(Exception):
    pass


def single(value):
    """The nearest float32."""
    return struct.unpack("f", struct.pack("f", value))[0]


def state(path):
    """Kind, permissions and content of everything at and under a path."""
    if not os.path.lexists(path):
        return None
    if path.is_symlink():
        return "link", os.readlink(path)
    if path.is_dir():
        return "folder", {entry.name: state(entry) for entry in sorted(path.iterdir())}
    if not path.is_file():
        return ("other",)
    return "file", path.stat().st_mode, hashlib.sha256(path.read_bytes()).hexdigest()


class Driver:
    def __init__(self, options):
        self.random = random.Random(options.seed)
        self.options = options
        self.embd = os.path.abspath(options.embd)
        self.model = pathlib.Path(options.data).resolve() / "embd" / "plain.weights"
        self.golden = pathlib.Path(options.data).resolve() / "rerank"
        self.counts = collections.Counter()
        self.folder = None
        self.log = []

    # A run of the program, and the checks after every run.

    def run(self, *arguments, stdin=b"", outputs=(), timeout=120):
        """Runs the program; `outputs` are the names that it may create or change."""
        # Like a shell, but a NUL cannot be an argument.
        arguments = [a if isinstance(a, bytes) else os.fsencode(a) for a in arguments]
        arguments = [a for a in arguments if b"\0" not in a]
        environment = {k: v for k, v in os.environ.items() if not k.startswith("EMBD_")}
        environment.update(EMBD_MODEL="model.weights", TMPDIR=str(self.spools),
                           ASAN_OPTIONS="detect_leaks=1:allocator_may_return_null=1:exitcode=99",
                           UBSAN_OPTIONS="print_stacktrace=1:halt_on_error=1:exitcode=99")
        before = {entry.name: state(entry) for entry in self.folder.iterdir()}
        self.log.append(" ".join(shlex.quote(os.fsdecode(a)) for a in [b"embd", *arguments]))
        try:
            done = subprocess.run([os.fsencode(self.embd), *arguments], cwd=self.folder, env=environment,
                                  input=stdin, capture_output=True, timeout=timeout)
        except subprocess.TimeoutExpired:
            raise Finding(f"no end after {timeout} s") from None
        self.code, self.out, self.message = done.returncode, done.stdout, done.stderr
        self.counts[f"{os.fsdecode(arguments[0])}: {self.code}"] += 1
        if self.code not in DOCUMENTED:
            raise Finding(f"exit code {self.code}")
        for word in FORBIDDEN:
            if word in self.message:
                raise Finding(f"says {word.decode()}")
        if self.code not in (GOOD, DIFFERENCE) and not self.message.startswith(b"embd: "):
            raise Finding(f"exit {self.code} without a reason")
        after = {entry.name: state(entry) for entry in self.folder.iterdir()}
        for name in sorted(before.keys() | after.keys()):
            allowed = any(name == o or name.startswith(o + ".") for o in outputs) and self.code == GOOD
            family = any(name.startswith(o[:-len(".config")]) for o in outputs if o.endswith((".config", ".svs")))
            # Checks a job that can go on. One that is refused is not begun, unless it is for a text's number.
            begun = self.code != USAGE or b"the greatest id is" in self.message
            journal = b"--resume" in arguments and begun and any(name == o + ".journal" for o in outputs)
            if before.get(name) != after.get(name) and not (allowed or journal or (family and self.code == GOOD)):
                raise Finding(f"{name} is not what it was")
            if ".tmp" in name:
                raise Finding(f"{name} is left")
        if any(self.spools.iterdir()):
            raise Finding(f"left in TMPDIR: {list(self.spools.iterdir())}")
        return self.code

    # Random parts.

    def word(self):
        kind = self.random.random()
        if kind < 0.7:
            return self.random.choice(WORDS)
        if kind < 0.9:
            return "".join(self.random.choice(WORDS) for _ in range(self.random.randrange(4)))
        return "".join(chr(self.random.choice([self.random.randrange(1, 128), self.random.randrange(0x80, 0xd800),
                                                self.random.randrange(0x10000, 0x10ffff)]))
                       for _ in range(self.random.randrange(1, 8)))

    def maybe(self, chance, *arguments):
        return list(arguments) if self.random.random() < chance else []

    def ids(self, count):
        """Ids as a caller gives them: none, numbers or strings, some of them twice."""
        kind = self.random.choice(["none", "numbers", "numbers", "strings", "strings", "strings"])
        if kind == "none":
            return None
        if kind == "numbers":
            ids = [self.random.choice([i, 2**64 - 2 - i, self.random.randrange(2**63)]) for i in range(count)]
        else:
            ids = [self.word() for _ in range(count)]
            if self.random.random() < 0.7:
                ids = [f"{id}{i}" if ids.index(id) != i else id for i, id in enumerate(ids)]
        if ids and self.random.random() < 0.1:
            ids[-1] = ids[0]
        return ids

    def rows(self, count, dim):
        special = [0.0, -0.0, 1.0, -1.0, 127.0, 128.0, 255.0, 1e-30, 1e25, -1e25, 65504.0, 1e-45, 3.4e38]
        whole = self.random.random() < 0.3
        def value():
            if whole:
                return float(self.random.randrange(-128, 128))
            return self.random.choice(special) if self.random.random() < 0.1 else self.random.uniform(-1, 1)
        return [[single(value()) for _ in range(dim)] for _ in range(count)]

    def name(self, base):
        """A file name for a format, now and then a strange one."""
        strange = self.random.choice(["", "", "", "", "ü", "a b", "-", "'", "#", "\n", "%", "."])
        return f"{base}{strange}.{self.random.choice(WRITABLE)}"

    def main_file(self, output, options):
        """The file that stands for all that an output is made of."""
        seed = "--svs-layout" in options and options[options.index("--svs-layout") + 1] == "seed"
        return output[:-len("svs")] + "config" if seed and output.endswith(".svs") else output

    # Scenarios: each is a few runs over new data.

    def vectors(self):
        """A set of hostile ids and values through random formats and back."""
        count, dim = self.random.choice([0, 1, 2, 3, 9, 40]), self.random.choice([1, 2, 3, 7, 8, 16, 33])
        rows, ids = self.rows(count, dim), self.ids(count)
        lines = [{"id": i if ids is None else ids[i], "embedding": row} for i, row in enumerate(rows)]
        source = self.folder / "source.jsonl"
        source.write_text("".join(json.dumps(line, ensure_ascii=self.random.random() < 0.5) + "\n" for line in lines))
        if self.run("convert", "source.jsonl", "first.jsonl", outputs=["first.jsonl"]) != GOOD:
            return
        truth = self.read_jsonl(self.folder / "first.jsonl")
        if [row for _, row in truth] != rows:
            raise Finding("values of JSON Lines are not what was written")
        if ids is not None and [id for id, _ in truth] != ids:
            raise Finding("ids of JSON Lines are not what was written")
        here, exact = "first.jsonl", True
        for step in range(self.random.randrange(1, 4)):
            there = self.name(f"step{step}")
            options = self.output_options(there)
            if self.run("convert", here, there if not there.startswith("-") else "./" + there, *options,
                        outputs=[there]) != GOOD:
                continue
            there = self.main_file(there, options)
            exact = exact and there.rsplit(".", 1)[1] in EXACT and not options
            self.check_same(here, there, truth, exact, options)
            here = there
        self.use(here, truth, dim)

    def read_jsonl(self, path):
        lines = [json.loads(line) for line in path.read_bytes().decode().split("\n") if line]
        return [(line["id"], [single(value) for value in line["embedding"]]) for line in lines]

    def check_same(self, here, there, truth, exact, options):
        """Reads an output back: as many rows, the same ids, and where nothing is rounded the same values."""
        if self.run("inspect", "--json", there) != GOOD:
            raise Finding(f"exit 0 wrote {there!r}, which inspect refuses: {self.message.decode(errors='replace')}")
        if self.run("convert", there, "back.jsonl", "--force", outputs=["back.jsonl"]) != GOOD:
            if b"cannot be written in JSON" in self.message:  # Rounded to infinity.
                return
            raise Finding(f"exit 0 wrote {there!r}, which convert refuses: {self.message.decode(errors='replace')}")
        back = self.read_jsonl(self.folder / "back.jsonl")
        if any(option in options for option in ("--rows",)):
            return
        if len(back) != len(truth):
            raise Finding(f"{len(truth)} rows went into {there!r}, {len(back)} came out")
        told, found = [str(id) for id, _ in truth], [str(id) for id, _ in back]
        if told != found:
            raise Finding(f"ids {told} went into {there!r}, {found} came out")
        if exact and [row for _, row in back] != [row for _, row in truth]:
            raise Finding(f"other values came out of {there!r}")

    def output_options(self, there):
        layout = self.maybe(0.15, "--svs-layout", self.random.choice(["directory", "file", "seed"]))
        options = list(layout)
        if "file" not in layout:  # A file of this layout does not say what type its values have.
            options += self.maybe(0.15, "--output-type", self.random.choice(["f32", "f16", "int8", "binary"]))
        options += self.maybe(0.1, "--cvc-compression", self.random.choice(["none", "fp16", "int8", "lossless"]))
        options += self.maybe(0.1, "--chunk-rows", self.random.choice(NUMBERS))
        options += self.maybe(0.05, "--cvc-mmap")
        options += self.maybe(0.1, "--quantize", self.random.choice(["pq", "opq", "lvq4", "lvq8", "lvq4x8"]))
        options += self.maybe(0.05, "--bits", self.random.choice(NUMBERS))
        options += self.maybe(0.05, "--subquantizers", self.random.choice(NUMBERS))
        options += self.maybe(0.05, "--to", self.random.choice(["npy", "svs", "jsonl", "cvc", "word2vec", "nothing"]))
        options += self.maybe(0.1, "--metric", self.random.choice(["cos", "ip", "l2", "hamming"]))
        options += self.maybe(0.05, "--normalize")
        return options

    def use(self, path, truth, dim):
        """Index, search, compare and verify what there is."""
        queries = self.folder / "queries.jsonl"
        queries.write_text("".join(json.dumps({"id": i, "embedding": row}) + "\n"
                                   for i, row in enumerate(self.rows(2, dim))))
        safe = path if not path.startswith("-") else "./" + path
        self.run("compare", safe, safe)
        index = self.random.choice(["index.usearch", "index.svs", "index.config"])
        options = self.maybe(0.3, "--metric", self.random.choice(["cos", "ip", "l2"]))
        options += self.maybe(0.2, "--scalar", self.random.choice(["f32", "f16", "bf16", "i8", "b1"]))
        options += self.maybe(0.2, "--connectivity", self.random.choice(NUMBERS))
        options += self.maybe(0.2, "--degree", self.random.choice(NUMBERS))
        options += self.maybe(0.1, "--multi") + self.maybe(0.2, "--certify", "5")
        built = self.run("index", safe, "-o", index, *options, outputs=[index]) == GOOD
        if built and self.run("inspect", "--json", index) != GOOD:
            raise Finding(f"exit 0 built an index that inspect refuses: {self.message.decode(errors='replace')}")
        target = index if built else safe
        options = self.maybe(0.3, "--exact") + self.maybe(0.3, "-k", self.random.choice(NUMBERS))
        options += self.maybe(0.2, "--expansion", self.random.choice(NUMBERS))
        options += self.maybe(0.2, "--window", self.random.choice(NUMBERS))
        if self.random.random() < 0.3:
            (self.folder / "filter.txt").write_text("".join(f"{id}\n" for id, _ in truth[::2]), errors="replace")
            options += ["--filter-ids", "filter.txt"]
        if self.run("search", target, "--queries", "queries.jsonl", *options) == GOOD:
            known = {str(id) for id, _ in truth}
            for line in self.out.decode().split("\n"):
                for hit in json.loads(line)["hits"] if line else []:
                    if str(hit["id"]) not in known:
                        raise Finding(f"a hit with the unknown id {hit['id']!r}")

    def texts(self):
        """Texts through embed, in random input and output formats and with every kind of option."""
        count = self.random.choice([0, 1, 2, 5, 20])
        texts = [self.word() for _ in range(count)]
        kind = self.random.choice(["txt", "jsonl", "csv", "tsv"])
        ids = self.ids(count)
        name = f"in.{kind}"
        if kind == "txt":
            content = "\n".join(t.replace("\n", " ") for t in texts).encode()
            if self.random.random() < 0.2:
                content += self.random.choice(RAW)
        elif kind == "jsonl":
            content = "".join(json.dumps({"text": t, "id": i if ids is None else ids[i], "n": i}) + "\n"
                              for i, t in enumerate(texts)).encode()
        else:
            separator = "," if kind == "csv" else "\t"
            quote = (lambda t: '"' + t.replace('"', '""') + '"') if kind == "csv" else (
                lambda t: t.replace("\t", " ").replace("\n", " ").replace("\r", " "))
            content = separator.join(["text", "id", "n"]) + "\n"
            content += "".join(separator.join([quote(t), quote(str(i if ids is None else ids[i])), str(i)]) + "\n"
                               for i, t in enumerate(texts))
            content = content.encode()
        (self.folder / name).write_bytes(content)
        outputs = [self.name(f"out{i}") for i in range(self.random.choice([1, 1, 1, 2]))]
        arguments = ["embed", name]
        for output in outputs:
            arguments += ["-o", output if not output.startswith("-") else "./" + output]
        if kind != "txt":
            arguments += self.maybe(0.7, "--id-field", "id")
        arguments += self.maybe(0.1, "--prompt", self.word()) + self.maybe(0.1, "--pooling", "cls")
        arguments += self.maybe(0.1, "--truncate-dim", self.random.choice(NUMBERS))
        arguments += self.maybe(0.1, "--max-length", self.random.choice(NUMBERS))
        arguments += self.maybe(0.1, "--windows", self.random.choice(["4", "8", "16"]))
        arguments += self.maybe(0.1, "--id-start", self.random.choice(NUMBERS))
        arguments += self.maybe(0.1, "--compute", self.random.choice(["f32", "bf16", "int8"]))
        arguments += self.maybe(0.1, "-t", self.random.choice(NUMBERS)) + self.maybe(0.1, "--no-normalize")
        arguments += self.maybe(0.1, "--column-field", "n") + self.maybe(0.1, "--section-field", "n")
        arguments += self.maybe(0.2, "--report", "report.json") + self.maybe(0.2, "--row-report", "rows.jsonl")
        resume = self.maybe(0.2, "--resume")
        arguments += self.output_options(outputs[0]) + resume
        allowed = [*outputs, "report.json", "rows.jsonl"]
        if self.run(*arguments, outputs=allowed) != GOOD:
            for journal in self.folder.glob("*.journal"):
                journal.unlink()
            return
        for output in outputs:
            safe = self.main_file(output if not output.startswith("-") else "./" + output, arguments)
            if self.run("inspect", "--json", *self.maybe(0.1, "--from", "npy"), safe) not in (GOOD, BAD_INPUT, USAGE, IO):
                raise Finding("inspect fails")
            if self.run("inspect", "--json", safe) != GOOD:
                raise Finding(f"exit 0 wrote {output!r}, which inspect refuses: "
                              f"{self.message.decode(errors='replace')}")
            rows = json.loads(self.out)["num_rows"]
            if "--windows" not in arguments and kind != "txt" and rows != count:
                raise Finding(f"{count} texts, {rows} rows in {output!r}")
            self.run("verify", safe, name, *self.maybe(0.3, "--tolerance", self.random.choice(NUMBERS)))
        # The same again gives the same bytes.
        before = {output: state(self.folder / output) for output in outputs}
        if self.run(*arguments, outputs=allowed) != GOOD:
            raise Finding("good once, and then not")
        if {output: state(self.folder / output) for output in outputs} != before:
            raise Finding("other bytes at the second time")

    def reranker(self, kind):
        """The folder of a cross-encoder of one label or of three."""
        folder = self.folder / f"{kind}"
        shutil.copytree(self.golden / kind, folder)
        shutil.copy(self.golden / "tokenizer.json", folder)
        labels = "three_labels" if kind == "bert_three" else "one_label"
        shutil.copy(self.golden / f"{labels}.safetensors", folder / "model.safetensors")
        return kind

    def score_options(self):
        options = self.maybe(0.1, "--prompt", self.word()) + self.maybe(0.1, "--max-length", self.random.choice([*NUMBERS, "12"]))
        options += self.maybe(0.1, "--activation", self.random.choice(["identity", "sigmoid", "tanh"]))
        options += self.maybe(0.1, "--truncate-side", self.random.choice(["left", "right"]))
        options += self.maybe(0.1, "--compute", self.random.choice(["f32", "bf16", "int8"]))
        options += self.maybe(0.1, "-t", self.random.choice(NUMBERS)) + self.maybe(0.1, "--batch-tokens", self.random.choice(NUMBERS))
        return options + self.maybe(0.1, "--on-truncate", self.random.choice(["ignore", "warn", "error"]))

    def pairs(self):
        """Pairs of texts through rerank: alone, again, in parts that are joined."""
        model = self.reranker(self.random.choice(["bert_sigmoid", "bert_three"]))
        count = self.random.choice([0, 1, 2, 5, 20])
        ids = self.ids(count)
        records = [{"query": self.word(), "text": self.word(), "id": i if ids is None else ids[i]} for i in range(count)]
        content = "".join(json.dumps(record, ensure_ascii=self.random.random() < 0.5) + "\n" for record in records).encode()
        if self.random.random() < 0.1:
            content += self.random.choice([*RAW, b"{}", b'{"query":1,"text":"a","id":1}', b'{"query":"a"}'])
        (self.folder / "pairs.jsonl").write_bytes(content)
        form = self.random.choice(["jsonl", "parquet", "parquet", "npy"] if self.random.random() < 0.2 else ["jsonl", "parquet"])
        options = ["pairs.jsonl", "-m", model, *self.score_options(), *self.maybe(0.7, "--id-field", "id")]
        options += self.maybe(0.1, "--id-start", self.random.choice(NUMBERS)) + self.maybe(0.1, "--query-field", self.random.choice(["text", "none"]))
        if form == "parquet":
            options += self.maybe(0.2, "--parquet-compression", "zstd") + self.maybe(0.2, "--row-group-rows", self.random.choice(NUMBERS))
        whole = [*options, "-o", f"out.{form}", *self.maybe(0.2, "--resume"), *self.maybe(0.2, "--row-report", "rows.jsonl")]
        allowed = [f"out.{form}", "rows.jsonl"]
        if self.run("rerank", *whole, outputs=allowed) != GOOD:
            for journal in self.folder.glob("*.journal"):
                journal.unlink()
            return
        if self.run("inspect", "--json", f"out.{form}") != GOOD:
            raise Finding(f"exit 0 wrote scores that inspect refuses: {self.message.decode(errors='replace')}")
        if (rows := json.loads(self.out)["num_rows"]) != content.count(b"\n") + (not content.endswith(b"\n") and content != b""):
            raise Finding(f"{count} pairs, {rows} scores")
        before = state(self.folder / f"out.{form}")
        if self.run("rerank", *whole, outputs=allowed) != GOOD or state(self.folder / f"out.{form}") != before:
            raise Finding("other bytes at the second time")
        if self.run("rerank", *options, "-o", "-") == GOOD and form == "jsonl" and self.out != (self.folder / "out.jsonl").read_bytes():
            raise Finding("standard output gets other bytes than a file")
        parts = self.random.choice([1, 2, 3, 7])
        for part in range(parts):
            if self.run("rerank", *options, "--part", f"{part}/{parts}", "-o", f"part{part}.{form}", outputs=[f"part{part}.{form}"]) != GOOD:
                # Ids that are all numbers in one part and strings in another are told by the first of each.
                return
        manifests = [f"part{part}.{form}.part.json" for part in range(parts)]
        write = options[options.index("--parquet-compression"):][:2] if "--parquet-compression" in options else []
        write += options[options.index("--row-group-rows"):][:2] if "--row-group-rows" in options else []
        if self.run("join", *manifests, "-o", f"joined.{form}", *write, outputs=[f"joined.{form}"]) == GOOD:
            if state(self.folder / f"joined.{form}") != before:
                raise Finding("the parts joined are not the whole")

    def documents(self):
        """Texts ranked for queries, alone and after a search."""
        model = self.reranker("bert_sigmoid")
        texts = [self.word().replace("\n", " ").replace("\r", " ").replace("\0", "") for _ in range(self.random.choice([0, 1, 5, 20]))]
        (self.folder / "docs.txt").write_text("".join(f"{text}\n" for text in texts), newline="")
        texts[:1] = [text.removeprefix("\ufeff") for text in texts[:1]]  # a mark of UTF-8, at the beginning
        queries = []
        for _ in range(self.random.randrange(1, 4)):
            query = self.word().replace("\0", "")
            queries += ["-q", query if query != "-" else "--"]  # - alone is standard input
        k = self.maybe(0.5, "-k", self.random.choice(NUMBERS))
        ranked = self.run("rerank", "docs.txt", "-m", model, *queries, *k, *self.score_options(), *self.maybe(0.2, "-o", "out.jsonl"),
                          outputs=["out.jsonl"])
        if ranked == GOOD and self.out:
            lines = [json.loads(line) for line in self.out.decode().split("\n") if line]
            if len(lines) != len(queries) // 2:
                raise Finding(f"{len(queries) // 2} queries, {len(lines)} rankings")
            for line in lines:
                logits = [hit["logit"] for hit in line["hits"]]
                if logits != sorted(logits, reverse=True) or any(hit["text"] != texts[hit["id"]] for hit in line["hits"]):
                    raise Finding(f"no ranking: {line}")
        if self.run("embed", "docs.txt", "-o", "docs.npy", outputs=["docs.npy"]) == GOOD:
            self.run("search", "docs.npy", *queries, *k, "--texts", "docs.txt", "--rerank", self.random.choice([model, model, "model.weights", "none"]),
                     *self.maybe(0.5, "--candidates", self.random.choice(NUMBERS)))

    def collections(self):
        """A folder of documents that changes, collected and searched."""
        notes = self.folder / "notes"
        (notes / "deep").mkdir(parents=True)
        names = ["a.md", "b.txt", "c.py", "deep/a.md", "deep/\u00fc.md", "d.pdf", "e e.md"]
        pieces = [b"# Title\n\n", b"```\n", b"| a | b |\n|---|---|\n| 1 | 2 |\n", b"---\n", b"\n\n", b"- item\n", b"def f():\n    pass\n", *RAW]
        truth = None
        for _ in range(self.random.randrange(1, 5)):
            for name in self.random.sample(names, self.random.randrange(4)):
                (notes / name).unlink(missing_ok=True)
                if self.random.random() < 0.8:
                    content = [self.random.choice([*pieces, self.word().encode("utf-8", "surrogatepass")]) for _ in range(self.random.randrange(20))]
                    (notes / name).write_bytes(b"".join(content))
            roots = self.random.choice([["notes"], ["notes"], ["notes/"], ["./notes"], ["notes/a.md"], ["notes", "model.weights"], []])
            options = self.maybe(0.2, "--max-tokens", self.random.choice(["32", "64", *NUMBERS])) + self.maybe(0.2, "--check-content")
            options += self.maybe(0.2, "--stemmer", self.random.choice(["english", "none", "german"])) + self.maybe(0.6, "--force")
            options += self.maybe(0.3, "--index-rows", self.random.choice(["0", "1", "5", *NUMBERS]))
            options += self.maybe(0.1, "--compute", "int8") + self.maybe(0.2, "-t", self.random.choice(["1", "2"]))
            self.passages(roots)
            done = self.run("collect", *roots, "-o", "n.collection", *options, outputs=["n.collection"])
            if done == GOOD:
                truth = json.loads(self.out)
                if truth["embedded"] + truth["reused"] != truth["passages"]:
                    raise Finding(f"no sum: {truth}")
            if truth is None:
                continue
            if done == GOOD and self.random.random() < 0.5:
                # Nothing has changed, but times may be renewed.
                again = self.run("collect", "-o", "n.collection", outputs=["n.collection"])
                if again != GOOD or json.loads(self.out) != truth | {"new": 0, "changed": 0, "gone": 0, "embedded": 0, "reused": truth["passages"]}:
                    raise Finding(f"again: {self.out}")
            k = self.maybe(0.5, "-k", self.random.choice(NUMBERS))
            self.run("search", "n.collection", "-q", self.word().replace("\0", ""), *k, *self.maybe(0.3, "--format", self.random.choice(["lines", "json"])),
                     *self.maybe(0.3, "--match", self.random.choice(["terms", "vectors", "both"])))
            if self.run("inspect", "n.collection", "--json") != GOOD or json.loads(self.out)["num_rows"] != truth["passages"]:
                raise Finding(f"not {truth['passages']} passages")
            if self.run("verify", "n.collection") != GOOD:
                raise Finding("not what the model computes")
            if self.random.random() < 0.5:
                self.converse()

    def passages(self, roots):
        """Documents that are split; each passage has the bytes of its place in its file."""
        options = self.maybe(0.3, "--max-tokens", self.random.choice(["32", "64", *NUMBERS]))
        if self.run("split", *roots, *options, "-o", "passages.jsonl", outputs=["passages.jsonl"]) == GOOD:
            for line in (self.folder / "passages.jsonl").read_text().split("\n"):
                passage = json.loads(line) if line else None
                if passage and (self.folder / passage["file"]).read_bytes()[slice(*passage["bytes"])] != passage["text"].encode():
                    raise Finding(f"not what the file has: {passage}")

    def converse(self):
        """Messages to `embd mcp`, good and bad; each line of its output is an answer, and it goes on to the last one."""
        numbers = [0, 1, 2, 7, 100, 2000, -1, 1.5, 2**64, None, "1"]
        files = ["notes/a.md", "notes/b.txt", "a.md", "notes/deep/\u00fc.md", "../source", "/etc/passwd", "", "notes/../n.collection/collection.json"]

        def call():
            if self.random.random() < 0.5:
                arguments = {"query": self.word(), "k": self.random.choice(numbers), "match": self.random.choice(["terms", "vectors", "both", "x"])}
                return {"name": "search", "arguments": {name: arguments[name] for name in self.random.sample(list(arguments), self.random.randrange(4))}}
            arguments = {"file": self.random.choice(files), "first_line": self.random.choice(numbers), "last_line": self.random.choice(numbers),
                         "around": self.random.choice(numbers)}
            return {"name": "read", "arguments": {name: arguments[name] for name in self.random.sample(list(arguments), self.random.randrange(5))}}

        def message():
            method = self.random.choice(["tools/call", "tools/call", "tools/call", "tools/list", "ping", "initialize", "server/discover", "x", None])
            params = call() if method == "tools/call" else self.random.choice([{}, [], None, {"protocolVersion": "2025-06-18"}])
            line = json.dumps({"jsonrpc": "2.0", "id": self.random.choice([1, "a", None, 1.5, []]), "method": method, "params": params}).encode()
            if self.random.random() < 0.2:
                at = self.random.randrange(len(line))
                line = line[:at] + self.random.choice([*RAW, b"{", b'"', b",", b"[" * 300]) + line[at + self.random.randrange(3):]
            return line.replace(b"\n", b"")

        start = json.dumps({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {"protocolVersion": "2025-11-25"}}).encode()
        last = json.dumps({"jsonrpc": "2.0", "id": "last", "method": "ping"}).encode()
        lines = [start, *[message() for _ in range(self.random.randrange(20))], last]
        if self.run("mcp", "n.collection", stdin=b"\n".join(lines)) != GOOD:
            raise Finding("the conversation failed")
        answers = [json.loads(line) for line in self.out.splitlines()]
        if len(answers) > len(lines) or answers[-1] != {"jsonrpc": "2.0", "id": "last", "result": {}}:
            raise Finding(f"{len(answers)} answers to {len(lines)} lines, at last {answers[-1]}")

    def analyses(self):
        """Groups, a map and near-duplicates of rows, some of them twice: the same bytes by any number of threads."""
        count, dim = self.random.choice([0, 1, 2, 3, 9, 40, 90]), self.random.choice([1, 2, 8, 33])
        rows = self.rows(count, dim)
        rows += [self.random.choice(rows) for _ in range(count // 3)]
        source = self.folder / "source.jsonl"
        source.write_text("".join(json.dumps({"id": f"r{i}", "embedding": row}) + "\n" for i, row in enumerate(rows)))
        if self.run("convert", "source.jsonl", "rows.npy", outputs=["rows.npy"]) != GOOD:
            return
        cluster = self.maybe(0.3, "-k", self.random.choice(["auto", "1", "2", "3", "7", *NUMBERS]))
        cluster += self.maybe(0.3, "--density", *self.maybe(0.5, "--min-size", self.random.choice(["2", "3", *NUMBERS])))
        drawn = self.maybe(0.3, "--groups", self.random.choice(["0", "2", "3", *NUMBERS]))
        drawn += self.maybe(0.3, "--neighbours", self.random.choice(["2", "3", "200", *NUMBERS]))
        drawn += ["--epochs", self.random.choice(["1", "20"]), *self.maybe(0.3, "--nearest", self.random.choice(["0", "1", "-1"]))]
        dedupe = self.maybe(0.4, "--min-similarity", self.random.choice(["0", "0.5", "0.99", "1", "-1", "nan", "2"]))
        dedupe += self.maybe(0.1, "--against", self.random.choice(["rows.npy", "none"])) + self.maybe(0.2, "--exact-rows", "2")
        self.on_threads("groups.jsonl", "cluster", *cluster)
        self.on_threads(self.random.choice(["map.html", "map.svg"]), "map", *drawn)
        if self.on_threads("kept.npy", "dedupe", *dedupe) and self.run("convert", "kept.npy", "back.jsonl", outputs=["back.jsonl"]) == GOOD:
            known = {f"r{i}": row for i, row in enumerate(rows)}
            if any(known.get(id) != row for id, row in self.read_jsonl(self.folder / "back.jsonl")):
                raise Finding("what is kept is no row of the input")

    def on_threads(self, output, verb, *options):
        """Runs an analysis of rows.npy on one thread and on three; true if it writes, which must be the same bytes."""
        written = []
        for threads in ("1", "3"):
            if self.run(verb, "rows.npy", *options, "-t", threads, "-o", output, outputs=[output]) == GOOD:
                written.append((self.folder / output).read_bytes())
        if len(written) == 1 or len(set(written)) > 1:
            raise Finding(f"{output} depends on the number of threads")
        return bool(written)

    def collisions(self):
        """An output that is something else, too, under some other name."""
        (self.folder / "in.txt").write_text("a\nb\n")
        self.run("embed", "in.txt", "-o", "a.npy", outputs=["a.npy"])
        os.link(self.folder / "in.txt", self.folder / "hard.txt")
        (self.folder / "soft.npy").symlink_to("a.npy")
        (self.folder / "sub").mkdir()
        verb = self.random.randrange(5)
        if verb == 4:
            (self.folder / "pairs.jsonl").write_text('{"query":"a","text":"b"}\n')
            same = self.random.choice(["pairs.jsonl", "./pairs.jsonl", "sub/../pairs.jsonl"])
            code = self.run("rerank", "pairs.jsonl", "-m", self.reranker("bert_sigmoid"), self.random.choice(["-o", "--report", "--row-report"]), same)
        elif verb == 0:
            same = self.random.choice(["in.txt", "hard.txt", "./in.txt", "sub/../in.txt", "model.weights"])
            code = self.run("embed", "in.txt", "--output-format", "npy", "-o", same)
        elif verb == 1:
            same = self.random.choice(["a.npy", "soft.npy", "./a.npy", "a.npy.recipe.json"])
            code = self.run("convert", "a.npy", same, "--to", "npy")
        elif verb == 2:
            same = self.random.choice(["r.json", "./r.json", "sub/../r.json"])
            code = self.run("embed", "in.txt", "-o", "b.npy", "--report", "r.json", "--row-report", same)
        else:
            same = self.random.choice(["b.npy", "./b.npy", "b.npy.recipe.json", "b.npy.ids.jsonl"])
            code = self.run("embed", "in.txt", "-o", "b.npy", self.random.choice(["-o", "--report"]), same,
                            "--output-format", "npy")
        if code != USAGE:
            raise Finding(f"exit {code} where an output is something else, too")

    def junk(self):
        """Arguments in no order at all."""
        (self.folder / "in.txt").write_bytes(b"a cat\n" + self.random.choice(RAW) + b"\n")
        (self.folder / "a.jsonl").write_text('{"id": 1, "embedding": [1, 2]}\n')
        verbs = ["embed", "tokenize", "similarity", "convert", "inspect", "index", "search", "rerank", "verify", "compare",
                 "lock", "check", "model", "split", "collect", "mcp", "cluster", "map", "dedupe", "digest", "join", "man", "completion", "nothing", ""]
        pieces = ["in.txt", "a.jsonl", "-", "none.npy", "-o", "out.npy", "--to", "npy", "--help", "--json", "-q", "-k",
                  "--metric", "cos", "--rows", "0:1", "1:0", ":", "--section", "a=b", "--column", "x", "--version",
                  "--input-format", "csv", "--no-header", "--windows", "--stride", "/dev/null", "/", ".", ".."]
        arguments = [self.random.choice(verbs)]
        for _ in range(self.random.randrange(6)):
            arguments.append(self.random.choice(pieces + NUMBERS + WORDS + RAW))
        self.run(*arguments, stdin=b"a cat\nsat\n", outputs=["out.npy", *(
            a for a in arguments[1:] if isinstance(a, str) and a and a not in ("in.txt", "a.jsonl"))])

    def once(self):
        scenario = self.random.choices([self.vectors, self.texts, self.pairs, self.documents, self.collections, self.analyses, self.collisions,
                                        self.junk], [5, 4, 3, 2, 2, 2, 1, 2])[0]
        self.log = []
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="embd-drive-"))
        self.spools = pathlib.Path(tempfile.mkdtemp(prefix="embd-spool-"))
        shutil.copy(self.model, self.folder / "model.weights")
        try:
            scenario()
            return None
        except Finding as finding:
            text = f"{scenario.__name__}: {finding}\n  " + "\n  ".join(self.log)
            said = getattr(self, "message", b"").decode(errors="replace")
            text += f"\n  said: {said[-3000:]}"
            if self.options.keep:
                kept = pathlib.Path(self.options.keep) / self.folder.name
                shutil.copytree(self.folder, kept, symlinks=True)
                text += f"\n  kept in {kept}"
            return text
        finally:
            shutil.rmtree(self.folder)
            shutil.rmtree(self.spools)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("embd")
    parser.add_argument("data")
    parser.add_argument("--seconds", type=float, default=1800)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--keep", help="a folder to which the files of a finding are copied")
    options = parser.parse_args()
    driver = Driver(options)
    end = time.monotonic() + options.seconds
    scenarios = findings = 0
    while time.monotonic() < end:
        scenarios += 1
        found = driver.once()
        if found:
            findings += 1
            print(f"finding {findings}, scenario {scenarios}: {found}\n", flush=True)
    print(f"{scenarios} scenarios, {sum(driver.counts.values())} runs, {findings} findings, seed {options.seed}")
    for name, count in sorted(driver.counts.items()):
        print(f"  {name}: {count}")
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
