#!/usr/bin/env python3
"""Measures embd's package beside transformers.js in a browser, over loopback, each with one thread of WebAssembly.

    transformers_js.py INT8_WEIGHTS F32_WEIGHTS [-n ROUNDS] [--cold RUNS] [--numbers int8 f32] [--browser CHROMIUM]

Wants build/js-bench (bench/js/install_rival.sh) and the modules in faces/js/wasm (scripts/check_js.sh). First the times of one text: all
engines are in one page and take turns, the rounds in both directions. Processor time of the page's thread, which Linux counts, and
time by the clock: median of the rounds and the least. Then the time from the page's start to its first vector, with a new profile of
the browser for each run, in turn. Last the code that the two pages fetched, by gzip -9.
"""
import argparse
import functools
import gzip
import http.server
import json
import os
import pathlib
import queue
import statistics
import subprocess
import tempfile
import threading

ROOT = pathlib.Path(__file__).resolve().parents[2]
RIVAL = ROOT / "build/js-bench"
LONGEST = 600  # seconds that a page may take
FLAGS = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
         "--disable-component-update", "--disable-sync"]

# A question of 12 tokens, with the two special ones, and a text of 100.
SHORT = "how do i peel an apple without a sharp knife"
LONG = " ".join([SHORT] * 9) + " how do i peel an apple without a"

OURS = """
const openOurs = async (file, compute, wasm) => {
  const { open } = await import("/embd/src/embd.js");
  const model = await open("/" + file, wasm ? { compute, wasm } : { compute });
  return { encode: (text) => model.encode(text), tokens: async (text) => (await model.tokenize(text)).ids.length };
};
"""
RIVALS = """
const openRival = async (dtype) => {
  const { env, mean_pooling, pipeline } = await import("/rival/node_modules/@huggingface/transformers/dist/transformers.min.js");
  env.allowRemoteModels = false;
  env.allowLocalModels = true;
  env.localModelPath = "/rival/models/";
  env.backends.onnx.wasm.wasmPaths = "/rival/node_modules/onnxruntime-web/dist/";
  env.backends.onnx.wasm.numThreads = 1;
  const extract = await pipeline("feature-extraction", "all-MiniLM-L6-v2", { dtype, device: "wasm" });
  // Does what the pipeline does, for a file whose output has another name than it expects.
  const byHand = async (text) => {
    const inputs = extract.tokenizer(text);
    return mean_pooling((await extract.model(inputs)).output_0, inputs.attention_mask).normalize(2, -1).data;
  };
  return {
    encode: dtype === "fp32" ? byHand : async (text) => (await extract(text, { pooling: "mean", normalize: true })).data,
    tokens: async (text) => extract.tokenizer(text).input_ids.size,
  };
};
"""
COMMON = """
const processorTime = async () => Number(await (await fetch("/processor-time")).text());
const say = (found) => fetch("/found", { method: "POST", body: JSON.stringify(found) });
addEventListener("error", (event) => say({ error: String(event.error?.stack ?? event.message) }));
addEventListener("unhandledrejection", (event) => say({ error: String(event.reason?.stack ?? event.reason) }));
"""
TURNS = """
const engines = {
  "embd.wasm": await openOurs(`${NUMBERS}.weights`, NUMBERS, "/embd/wasm/embd.wasm"),
  "embd_relaxed.wasm": await openOurs(`${NUMBERS}.weights`, NUMBERS, "/embd/wasm/embd_relaxed.wasm"),
  "transformers.js": await openRival(NUMBERS === "int8" ? "q8" : "fp32"),
};
const names = Object.keys(engines);
const { probe } = await (await import("/embd/src/embd.js")).about({ wasm: "/embd/wasm/embd_relaxed.wasm" });
const cosine = (a, b) => {
  let dot = 0, aa = 0, bb = 0;
  for (let i = 0; i < a.length; ++i) { dot += a[i] * b[i]; aa += a[i] * a[i]; bb += b[i] * b[i]; }
  return dot / Math.sqrt(aa * bb);
};
for (const text of [SHORT, LONG]) {
  const calls = text === SHORT ? 16 : 3;
  const times = Object.fromEntries(names.map((name) => [name, { processor: [], clock: [] }]));
  const vectors = {}, tokens = {};
  for (const name of names) {
    tokens[name] = await engines[name].tokens(text);
    for (let i = 0; i < calls; ++i) vectors[name] = Array.from(await engines[name].encode(text));
  }
  for (let round = 0; round < ROUNDS; ++round)
    for (const name of round % 2 ? [...names].reverse() : names) {
      const processor = await processorTime();
      const clock = performance.now();
      for (let i = 0; i < calls; ++i) await engines[name].encode(text);
      times[name].clock.push((performance.now() - clock) / calls);
      times[name].processor.push((await processorTime() - processor) / calls);
    }
  await say({ probe, tokens, times, cosine: cosine(vectors["embd.wasm"], vectors["transformers.js"]) });
}
await say({ end: navigator.userAgent });
"""
FIRST = "await engine.encode(SHORT); await say({ first: performance.now() }); await say({ end: navigator.userAgent });"
PAGES = {
    "int8": OURS + RIVALS + 'const NUMBERS = "int8";' + TURNS,
    "f32": OURS + RIVALS + 'const NUMBERS = "f32";' + TURNS,
    "cold embd": OURS + 'const engine = await openOurs("int8.weights", "int8");' + FIRST,
    "cold transformers.js": RIVALS + 'const engine = await openRival("q8");' + FIRST,
}


def renderer(browser):
    """Returns the process of the browser's page."""
    parents = {}
    for folder in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            parents[int(folder.name)] = int((folder / "stat").read_text().rsplit(")", 1)[1].split()[1])
        except OSError:
            continue  # It ended.
    family = {browser}
    while len(family) < len(family := family | {child for child, parent in parents.items() if parent in family}):
        pass
    pages = [process for process in family
             if b"--type=renderer" in (line := pathlib.Path(f"/proc/{process}/cmdline").read_bytes()) and b"top-chrome" not in line]
    return max(pages, key=processor_time)


def processor_time(process):
    """Returns the processor time of a process's first thread in milliseconds."""
    return int(pathlib.Path(f"/proc/{process}/task/{process}/schedstat").read_text().split()[0]) / 1e6


class Handler(http.server.SimpleHTTPRequestHandler):
    found = queue.Queue()
    fetched = []
    files = {}
    rounds = 0
    browser = page = None
    extensions_map = {**http.server.SimpleHTTPRequestHandler.extensions_map, ".wasm": "application/wasm", ".js": "text/javascript",
                      ".mjs": "text/javascript"}

    def log_message(self, *_):
        pass

    def translate_path(self, path):
        _, folder, *rest = path.split("?")[0].split("/")
        if folder in self.files:
            return str(self.files[folder].joinpath(*rest))
        return str(ROOT / "no such file")

    def do_POST(self):
        Handler.found.put(json.loads(self.rfile.read(int(self.headers["content-length"]))))
        self.send_response(204)
        self.end_headers()

    def do_GET(self):
        name = self.path[1:].replace("%20", " ")
        if name == "processor-time":
            if Handler.page is None:
                Handler.page = renderer(Handler.browser)
                # Chromium gives its pages the usual priority.
                os.setpriority(os.PRIO_PROCESS, Handler.page, os.getpriority(os.PRIO_PROCESS, 0))
            self.answer(str(processor_time(Handler.page)), "text/plain")
        elif name in PAGES:
            values = f"const SHORT = {json.dumps(SHORT)}, LONG = {json.dumps(LONG)}, ROUNDS = {self.rounds};"
            self.answer('<!doctype html><meta charset="utf-8"><link rel="icon" href="data:,"><script type="module">'
                        f"{COMMON}{values}{PAGES[name]}</script>", "text/html; charset=utf-8")
        else:
            Handler.fetched.append(self.translate_path(self.path))
            super().do_GET()

    def answer(self, text, kind):
        self.send_response(200)
        self.send_header("content-type", kind)
        self.send_header("content-length", str(len(text.encode())))
        self.end_headers()
        self.wfile.write(text.encode())


def visit(browser, url, page):
    """Opens a page in a browser with a new profile, and yields what the page says until its end."""
    Handler.fetched.clear()
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        process = subprocess.Popen([browser, *FLAGS, f"--user-data-dir={profile}", url + page.replace(" ", "%20")],
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        Handler.browser, Handler.page = process.pid, None
        try:
            while "end" not in (found := Handler.found.get(timeout=LONGEST)):
                if "error" in found:
                    raise SystemExit(f"{page}: {found['error']}")
                yield found
        finally:
            process.terminate()
            process.wait()


def code_fetched():
    """Returns the bytes of the code that the last page fetched, after gzip -9, and the names of its files."""
    code = [pathlib.Path(path) for path in dict.fromkeys(Handler.fetched) if path.endswith((".js", ".mjs", ".wasm"))]
    return sum(len(gzip.compress(path.read_bytes(), 9)) for path in code), sorted(path.name for path in code)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("int8", type=pathlib.Path)
    parser.add_argument("f32", type=pathlib.Path)
    parser.add_argument("-n", "--rounds", type=int, default=21)
    parser.add_argument("--cold", type=int, default=5, help="runs of each cold page")
    parser.add_argument("--numbers", choices=("int8", "f32"), nargs="*", default=("int8", "f32"))
    parser.add_argument("--browser", default="/usr/bin/chromium")
    options = parser.parse_args()
    Handler.rounds = options.rounds
    Handler.files = {"embd": ROOT / "faces/js", "rival": RIVAL, "int8.weights": options.int8, "f32.weights": options.f32}
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Handler, directory=str(ROOT)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    url = f"http://127.0.0.1:{server.server_address[1]}/"
    version = subprocess.run([options.browser, "--version"], capture_output=True, text=True, check=True).stdout.strip()
    print(f"{version}; {options.rounds} rounds; load {os.getloadavg()[0]:.1f}")
    for numbers in options.numbers:
        for found in visit(options.browser, url, numbers):
            print(f"{numbers}, tokens {found['tokens']}, relaxed SIMD here {found['probe']}")
            print(f"  cosine of embd.wasm and transformers.js {found['cosine']:.5f}")
            for name, times in found["times"].items():
                said = [f"{kind} median {statistics.median(values):.2f}, least {min(values):.2f}" for kind, values in times.items()]
                print(f"  {name:18} {'; '.join(said)} ms")
    cold = {"cold embd": [], "cold transformers.js": []}
    for _ in range(options.cold):
        for page, times in cold.items():
            times += [found["first"] for found in visit(options.browser, url, page)]
            code = code_fetched()
            if len(times) == options.cold:
                print(f"{page}: first vector, median {statistics.median(times):.0f} ms, least {min(times):.0f} ms; "
                      f"code {code[0]:,} bytes by gzip: {', '.join(code[1])}")


main()
