#!/usr/bin/env python3
"""The page in a real browser:  page_check.py EMBD MODEL EXAMPLES SCREENSHOTS [CHROMIUM]

Types, clicks, walks with the keyboard, reads what the page says; leaves pictures in SCREENSHOTS."""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

from playwright.sync_api import expect, sync_playwright

from server_process import ServerProcess

EMBD, MODEL, EXAMPLES = (os.path.abspath(argument) for argument in sys.argv[1:4])
SCREENSHOTS = pathlib.Path(sys.argv[4])
CHROMIUM = sys.argv[5] if len(sys.argv) > 5 else "/usr/bin/chromium"


def compare(page, scheme):
    page.fill("#texts", "A cat sits.\nA kitten rests.\n" + "many words " * 300)
    page.click("#run-compare")
    expect(page.locator("#heat tbody td")).to_have_count(9)
    expect(page.locator("#heat tbody td").first).to_have_text("1.000")
    assert 0.5 < float(page.locator("#heat tbody td").nth(1).inner_text()) < 0.9
    expect(page.locator("#compare-status")).to_contain_text("1 cut")
    expect(page.locator("#lines li")).to_have_count(3)
    expect(page.locator("#lines li").first).to_contain_text("6 tokens")
    expect(page.locator("#lines .over")).to_contain_text("cut after 256")
    assert page.locator("#lines .cut").count() > 100
    page.locator("#heat tbody td").first.focus()
    page.keyboard.press("ArrowRight")
    expect(page.locator("#pair")).to_contain_text("A kitten rests.")
    page.keyboard.press("ArrowDown")
    expect(page.locator("#pair")).to_contain_text("1.0000")
    page.screenshot(path=SCREENSHOTS / f"compare-{scheme}.png")


def compare_by_keyboard(page):
    page.fill("#texts", "<b>one</b> & 日本語 😀\ntwo")
    page.press("#texts", "Control+Enter")
    expect(page.locator("#heat tbody td")).to_have_count(4)
    expect(page.locator("#lines li").first).to_contain_text("<b>one</b> & 日本語 😀")
    page.fill("#texts", "")
    page.press("#texts", "Control+Enter")
    expect(page.locator("#compare-status")).to_have_text("There is no text.")


def search(page):
    page.locator("#tab-compare").focus()
    page.keyboard.press("ArrowRight")
    expect(page.locator("#tab-search")).to_be_focused()
    expect(page.locator("#recipe")).to_contain_text("model_sha256")
    page.fill("#query", "bread without commercial yeast")
    page.press("#query", "Enter")
    expect(page.locator("#hits li")).to_have_count(10)
    expect(page.locator("#hits li").first).to_contain_text("A recipe for a loaf with natural yeast.")
    page.screenshot(path=SCREENSHOTS / "search.png")


def draw_map(page):
    page.click("#tab-map")
    page.click("#run-map")
    expect(page.locator("#plot circle")).to_have_count(12)
    page.locator("#plot circle").nth(3).hover()
    expect(page.locator("#point")).to_have_text(re.compile(r"id \d+: \S+"))
    page.locator("#plot").focus()
    before = page.locator("#point").inner_text()
    page.keyboard.press("ArrowRight")
    expect(page.locator("#point")).not_to_have_text(before)
    page.screenshot(path=SCREENSHOTS / "map.png")


def read_api(page):
    page.click("#tab-api")
    entry = page.locator("#routes details").first
    expect(entry).to_contain_text("POST /v1/embeddings")
    entry.locator("summary").click()
    expect(entry).to_contain_text("encoding_format")
    expect(entry).to_contain_text('"float" or "base64"')
    expect(entry).to_contain_text("429 the queue is full")
    page.screenshot(path=SCREENSHOTS / "api.png")


def main():
    SCREENSHOTS.mkdir(parents=True, exist_ok=True)
    folder = tempfile.TemporaryDirectory()
    index = pathlib.Path(folder.name) / "docs.usearch"
    subprocess.run([EMBD, "embed", EXAMPLES, "-m", MODEL, "-o", index], check=True)
    command = [EMBD, "serve", "-m", MODEL, "--port", "0", "--index", f"docs={index}", "--texts", f"docs={EXAMPLES}"]
    complaints = []
    with ServerProcess(command, env={**os.environ, "EMBD_API_KEY": "secret"}) as server, sync_playwright() as playwright:
        url = server.url
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        for scheme in ("light", "dark"):
            page = browser.new_page(color_scheme=scheme, viewport={"width": 1200, "height": 900})
            page.set_default_timeout(60000)
            page.on("console", lambda message: complaints.append(message.text)
                    if message.type in ("error", "warning") else None)
            page.on("pageerror", lambda error: complaints.append(str(error)))
            page.goto(url)
            page.fill("#key", "secret")
            page.click("#unlock")
            expect(page.locator("#about")).to_contain_text("384 dimensions")
            compare(page, scheme)
            if scheme == "light":
                compare_by_keyboard(page)
                search(page)
                draw_map(page)
                read_api(page)
            page.close()
        narrow = browser.new_page(viewport={"width": 390, "height": 800})
        narrow.goto(url)
        narrow.screenshot(path=SCREENSHOTS / "narrow.png")
        assert narrow.evaluate("document.documentElement.scrollWidth") <= 390
        docs = browser.new_page()
        docs.goto(url + "/docs")
        expect(docs.locator("#api")).to_be_visible()
        expect(docs.locator("#routes")).to_contain_text("POST /v1/embeddings")  # without a key
        browser.close()
    # The one complaint there is to be: /info without the key.
    complaints = [text for text in complaints if "401" not in text]
    assert not complaints, complaints
    print("the page works; pictures in", SCREENSHOTS)


main()
