#!/usr/bin/env python3
"""A site of examples/static_search in a real browser:  site_check.py SITE GOLDEN SCREENSHOTS [CHROMIUM]

Searches with the network and without; embeds the golden texts in the page, whose SHA-256 must be the
native one (a line of GOLDEN: SHA-256, then a JSON array of the texts); leaves pictures in SCREENSHOTS."""
import functools
import http.server
import json
import pathlib
import sys
import tempfile
import threading

from playwright.sync_api import expect, sync_playwright

SITE = pathlib.Path(sys.argv[1]).resolve()
GOLDEN = pathlib.Path(sys.argv[2])
SCREENSHOTS = pathlib.Path(sys.argv[3])
CHROMIUM = sys.argv[4] if len(sys.argv) > 4 else "/usr/bin/chromium"
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
         "--disable-component-update", "--disable-sync"]
WAIT = 120_000  # milliseconds; a busy machine compiles a module for long

EMBED = """async ([url, texts, wasm]) => {
  const { open } = await import(url + "embd/src/embd.js");
  const model = await open(url + "model.weights", { compute: "int8", wasm: url + "embd/wasm/" + wasm });
  const rows = await model.encode(texts);
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", rows));
  await model.close();
  return Array.from(digest, (byte) => byte.toString(16).padStart(2, "0")).join("");
}"""


class Handler(http.server.SimpleHTTPRequestHandler):
    requests = []
    extensions_map = {**http.server.SimpleHTTPRequestHandler.extensions_map, ".wasm": "application/wasm",
                      ".js": "text/javascript"}

    def log_message(self, *_):
        Handler.requests.append(self.path)


def search(page, query):
    page.fill("#query", query)
    expect(page.locator("#status")).to_contain_text("passages, ", timeout=WAIT)
    expect(page.locator("#hits li")).to_have_count(10, timeout=WAIT)
    return page.locator("#hits li a").first.inner_text()


def ready(page):
    expect(page.locator("body[data-ready]")).to_have_count(1, timeout=WAIT)


def main():
    SCREENSHOTS.mkdir(parents=True, exist_ok=True)
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Handler, directory=SITE))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    url = f"http://127.0.0.1:{server.server_address[1]}/"
    with sync_playwright() as playwright, tempfile.TemporaryDirectory() as profile:
        context = playwright.chromium.launch_persistent_context(profile, executable_path=CHROMIUM, headless=True, args=FLAGS,
                                                                viewport={"width": 900, "height": 900})
        page = context.new_page()
        wrong = []
        page.on("pageerror", lambda error: wrong.append(str(error)))
        page.goto(url)
        ready(page)
        question = "what happens when the program is killed while it writes a file"
        found = search(page, question)
        print(f"{question!r} finds {found!r}; {page.locator('#status').inner_text()}")
        page.screenshot(path=SCREENSHOTS / "site.png")
        page.locator("#hits li a").first.click()
        page.wait_for_url("**/pages/**")
        page.screenshot(path=SCREENSHOTS / "page.png")

        # In the page itself: a service worker that is active, then neither network nor server.
        page.goto(f"{url}?q=quantization")
        ready(page)
        expect(page.locator("#hits li")).to_have_count(10, timeout=WAIT)
        page.evaluate("navigator.serviceWorker.ready.then(() => {})")
        downloads = Handler.requests.count("/model.weights")
        assert downloads == 1, f"the model was downloaded {downloads} times"
        server.shutdown()
        server.server_close()
        context.set_offline(True)
        page.goto(url)
        ready(page)
        assert search(page, question) == found
        page.screenshot(path=SCREENSHOTS / "offline.png")
        page.locator("#hits li a").first.click()
        page.wait_for_url("**/pages/**")
        assert not wrong, wrong

        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Handler, directory=SITE))
        threading.Thread(target=server.serve_forever, daemon=True).start()
        context.set_offline(False)
        url = f"http://127.0.0.1:{server.server_address[1]}/"
        page.goto(url)
        native, texts = GOLDEN.read_text().split("\n", 1)
        for wasm in ["embd.wasm", "embd_relaxed.wasm"]:
            digest = page.evaluate(EMBED, [url, json.loads(texts), wasm])
            assert digest == native, f"{wasm}: {digest}, native is {native}"
            print(f"{wasm}: the native bytes")
        context.close()


main()
