#!/usr/bin/env python3
"""The golden texts in any browser, in each module and in a pool of threads:  golden_check.py SITE GOLDEN BROWSER [FLAG ...]

The page posts what it found. SITE is a folder that examples/static_search made; the first line of GOLDEN is the native
SHA-256, the second a JSON array of the texts. The browser is started as BROWSER FLAG ... URL; "{profile}" in a flag is an
empty folder."""
import functools
import http.server
import json
import pathlib
import queue
import subprocess
import sys
import tempfile
import threading

SITE, GOLDEN, BROWSER, FLAGS = sys.argv[1], pathlib.Path(sys.argv[2]), sys.argv[3], sys.argv[4:]
NATIVE, TEXTS = GOLDEN.read_text().split("\n", 1)
LONGEST = 300  # seconds

PAGE = """<!doctype html><meta charset="utf-8"><link rel="icon" href="data:,"><script type="module">
const sha256Of = async (rows) => {
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", rows));
  return Array.from(digest, (byte) => byte.toString(16).padStart(2, "0")).join("");
};
const say = (found) => fetch("/found", { method: "POST", body: JSON.stringify(found) });
const texts = TEXTS;
try {
  const { about, hasRelaxedSimd, open } = await import("/embd/src/embd.js");
  for (const name of ["embd.wasm", ...(hasRelaxedSimd() ? ["embd_relaxed.wasm"] : [])]) {
    const wasm = "/embd/wasm/" + name;
    const model = await open("/model.weights", { compute: "int8", wasm });
    const sha256 = await sha256Of(await model.encode(texts));
    const { kernels, probe } = await about({ wasm });
    await say({ module: name, kernels, probe, sha256 });
    await model.close();
  }
  const { openPool } = await import("/embd/src/worker.js");
  const pool = await openPool("/model.weights", { compute: "int8", threads: 2 });
  await say({ module: "a pool of two threads", sha256: await sha256Of(await pool.encode(texts)) });
  pool.close();
  await say({ end: navigator.userAgent });
} catch (error) {
  await say({ error: String(error) });
}
</script>"""


class Handler(http.server.SimpleHTTPRequestHandler):
    found = queue.Queue()
    extensions_map = {**http.server.SimpleHTTPRequestHandler.extensions_map, ".wasm": "application/wasm",
                      ".js": "text/javascript"}

    def log_message(self, *_):
        pass

    def do_POST(self):
        Handler.found.put(json.loads(self.rfile.read(int(self.headers["content-length"]))))
        self.send_response(204)
        self.end_headers()

    def do_GET(self):
        if self.path != "/golden":
            super().do_GET()
            return
        page = PAGE.replace("TEXTS", TEXTS).encode()
        self.send_response(200)
        self.send_header("content-type", "text/html; charset=utf-8")
        self.send_header("content-length", str(len(page)))
        self.end_headers()
        self.wfile.write(page)


def main():
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Handler, directory=SITE))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    url = f"http://127.0.0.1:{server.server_address[1]}/golden"
    num_answers = 0
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        flags = [flag.replace("{profile}", profile) for flag in FLAGS]
        browser = subprocess.Popen([BROWSER, *flags, url], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            while "end" not in (found := Handler.found.get(timeout=LONGEST)):
                print(found)
                assert found.get("sha256") == NATIVE, f"native is {NATIVE}"
                num_answers += 1
            print(found["end"])
            assert num_answers > 1
        finally:
            browser.terminate()
            browser.wait()


main()
