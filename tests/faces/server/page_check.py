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

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "python"))
from golden_rerankers import copy_reranker  # noqa: E402
from server_process import ServerProcess  # noqa: E402

EMBD, MODEL, EXAMPLES = (os.path.abspath(argument) for argument in sys.argv[1:4])
SCREENSHOTS = pathlib.Path(sys.argv[4])
CHROMIUM = sys.argv[5] if len(sys.argv) > 5 else "/usr/bin/chromium"


def wait(page, condition):
    """Waits for something that the page's own policy would not let the page itself evaluate."""
    for _ in range(400):
        if page.evaluate(condition):
            return
        page.wait_for_timeout(25)
    raise AssertionError(condition)


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
    expect(page.locator("#heat tbody th").nth(1)).to_contain_text("A kitten rests.")
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
    expect(page.locator("#recipe")).to_contain_text("model_sha256")  # among details, not in sight
    expect(page.locator("#recipe")).not_to_be_visible()
    page.fill("#query", "bread without commercial yeast")
    page.press("#query", "Enter")
    expect(page.locator("#hits li")).to_have_count(10)
    expect(page.locator("#hits li").first).to_contain_text("A recipe for a loaf with natural yeast.")
    page.screenshot(path=SCREENSHOTS / "search.png")
    page.select_option("#search-index", "notes")
    page.fill("#query", "starter")
    page.press("#query", "Enter")
    expect(page.locator("#hits .place").first).to_have_text("notes/bread.md:7 > Bread > Sourdough")
    page.select_option("#search-index", "docs")


def draw_map(page):
    page.click("#tab-map")
    expect(page.locator("#plot")).to_have_attribute("data-drawn", "docs")
    expect(page.locator("#map-status")).to_have_text("12 rows")
    page.locator("#plot").focus()
    page.keyboard.press("ArrowRight")
    expect(page.locator("#point p")).to_have_text(re.compile(r"id \d+: \S+"))
    before = page.locator("#point p").inner_text()
    for key in ("ArrowLeft", "ArrowUp", "ArrowRight", "ArrowDown"):
        page.keyboard.press(key)
    expect(page.locator("#point p")).not_to_have_text(before)
    expect(page.locator("#point li")).to_have_count(6)
    page.locator("#point li button").first.click()
    assert page.evaluate("map.zoomed") > 1  # It went there.
    page.click("#plot .zoom button:nth-child(3)")
    wait(page, "Math.abs(map.zoomed - 1) < 1e-6")
    wait(page, "map.goal === null || map.view.scale === map.goal.scale")
    place = page.evaluate("""() => { const box = map.root.getBoundingClientRect(), at = 4, v = map.view;
        return [box.x + map.root.clientLeft + (map.data.x[at] - v.x) * v.scale + map.width / 2,
                box.y + map.root.clientTop + map.height / 2 - (map.data.y[at] - v.y) * v.scale]; }""")
    page.mouse.click(*place)
    expect(page.locator("#point p")).to_contain_text("id 4:")
    page.fill("#where", "bread without commercial yeast")
    wait(page, "map.query && map.query.near.includes(5)")
    assert "where=bread" in page.url and "id=4" in page.url, page.url
    page.screenshot(path=SCREENSHOTS / "map.png")


def follow_link(browser, url):
    """A link opens what was asked, for whoever has the key."""
    page = browser.new_page()
    page.goto(url + "#search?query=natural+yeast")
    page.fill("#key", "secret")
    page.click("#unlock")
    expect(page.locator("#hits li").first).to_contain_text("A recipe for a loaf with natural yeast.")
    page.close()


def read_api(page):
    page.click("#tab-api")
    entry = page.locator("#routes details").first
    expect(entry).to_contain_text("POST /v1/embeddings")
    entry.locator("summary").click()
    expect(entry).to_contain_text("encoding_format")
    expect(entry.locator(".line code")).to_contain_text("curl -s http://127.0.0.1")
    expect(entry.locator(".line code")).to_contain_text('{"input":"A cat sits on the mat."}')
    expect(entry).to_contain_text('"float" or "base64"')
    expect(entry).to_contain_text("429 the queue is full")
    page.screenshot(path=SCREENSHOTS / "api.png")
    run_lines([line.text_content() for line in page.locator("#routes .line code").all()])


def run_lines(lines):
    """Checks that what each route's line asks is answered: that its example is one that the server takes. 424 says that it needs a model of
    another kind."""
    assert len(lines) > 30, lines
    refused = []
    for line in lines:
        shell = f"{line} -o /dev/null -w '%{{http_code}}'"
        status = subprocess.run(["bash", "-c", shell], env={**os.environ, "EMBD_API_KEY": "secret"}, check=True,
                                capture_output=True, text=True).stdout
        if status not in ("200", "424"):
            refused.append(f"{status}: {line}")
    assert not refused, "\n".join(refused)


def main():
    SCREENSHOTS.mkdir(parents=True, exist_ok=True)
    folder = tempfile.TemporaryDirectory()
    index = pathlib.Path(folder.name) / "docs.usearch"
    subprocess.run([EMBD, "embed", EXAMPLES, "-m", MODEL, "-o", index], check=True)
    notes = pathlib.Path(folder.name) / "notes"
    notes.mkdir()
    (notes / "bread.md").write_text("# Bread\n\nHow to bake.\n\n## Sourdough\n\nFeed the starter for a week.\nThen mix the dough.\n")
    subprocess.run([EMBD, "collect", "notes", "-m", MODEL, "-o", "notes.collection"], check=True, cwd=folder.name)
    reranker = copy_reranker("bert_sigmoid", pathlib.Path(folder.name))
    command = [EMBD, "serve", "-m", MODEL, "--reranker", reranker, "--port", "0", "--index", f"docs={index}", "--texts", f"docs={EXAMPLES}"]
    key = {**os.environ, "EMBD_API_KEY": "secret"}
    complaints = []
    with (ServerProcess([*command, "--index", f"notes={folder.name}/notes.collection"], env=key) as server,
          ServerProcess(command, env=key) as of_one_index, sync_playwright() as playwright):
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
                follow_link(browser, url)
            page.close()
        # The examples name no index, so they are for a server that has one.
        page = browser.new_page(viewport={"width": 1200, "height": 900})
        page.goto(of_one_index.url)
        page.fill("#key", "secret")
        page.click("#unlock")
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
    # Nor does the page answer for a browser that draws without a graphics card.
    complaints = [text for text in complaints if "401" not in text and "GL Driver Message" not in text]
    assert not complaints, complaints
    print("the page works; pictures in", SCREENSHOTS)


main()
