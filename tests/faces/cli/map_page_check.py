#!/usr/bin/env python3
"""The page that embd map writes, in a real browser:  map_page_check.py EMBD MODEL SCREENSHOTS [CHROMIUM]

Clicks, searches, zooms, walks with the keyboard, chooses groups; with WebGL and on a plain canvas, light and dark, wide and
narrow. No request may leave the file. Leaves pictures in SCREENSHOTS."""
import json
import os
import pathlib
import struct
import subprocess
import sys
import tempfile
import zlib

from playwright.sync_api import expect, sync_playwright

EMBD, MODEL = (os.path.abspath(argument) for argument in sys.argv[1:3])
SCREENSHOTS = pathlib.Path(sys.argv[3])
CHROMIUM = sys.argv[4] if len(sys.argv) > 4 else "/usr/bin/chromium"
KINDS = {"bread": "a loaf of {} from the oven", "river": "a {} boat on the water", "engine": "the {} motor of a car",
         "violin": "a {} tune on four strings"}
ADJECTIVES = "old new warm cold small large quiet loud wet dry bright dark long short light heavy".split()
HOSTILE = "</script><img src=x onerror=alert(1)> \u2028 \0 \ufffd"


def write_texts(path):
    rows = [{"text": sentence.format(adjective), "kind": kind} for kind, sentence in KINDS.items() for adjective in ADJECTIVES]
    rows.append({"text": HOSTILE.replace("\0", " "), "kind": "odd"})
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")


def wait(page, condition):
    """Waits for something that the page's own policy would not let the page itself evaluate."""
    for _ in range(400):
        if page.evaluate(condition):
            return
        page.wait_for_timeout(25)
    raise AssertionError(condition)


def place_of(page, row):
    """Where a row is drawn."""
    return page.evaluate("""row => { const box = map.root.getBoundingClientRect(), {x, y, scale} = map.view;
        return [box.x + (map.data.x[row] - x) * scale + map.width / 2, box.y + map.height / 2 - (map.data.y[row] - y) * scale]; }""", row)


def rest(page):
    """Waits until the view stands still."""
    wait(page, "map.goal === null || map.goal === undefined || Math.abs(map.view.scale / map.goal.scale - 1) < 1e-9")


def click_and_search(page):
    page.mouse.click(*place_of(page, 3))
    expect(page.locator("#name")).to_contain_text("Row 3 · bread")
    expect(page.locator("#text")).to_have_text("a loaf of cold from the oven")
    expect(page.locator("#near li")).to_have_count(8)
    assert "row=3" in page.url
    page.fill("#find", "warm water")
    expect(page.locator("#found")).to_have_text("1 row")
    assert page.evaluate("map.mask.reduce((sum, each) => sum + each, 0)") == 1
    page.press("#find", "Enter")
    expect(page.locator("#text")).to_have_text("a warm boat on the water")
    page.fill("#find", "")
    expect(page.locator("#found")).to_have_text("")
    wait(page, "map.mask === null")
    page.fill("#find", "onerror")
    expect(page.locator("#hits li")).to_contain_text("</script><img src=x")
    page.fill("#find", "")


def zoom_and_pan(page):
    page.click(".zoom button:nth-child(3)")
    rest(page)
    x, y = place_of(page, 20)
    page.mouse.move(x, y)
    page.mouse.wheel(0, -400)
    wait(page, "map.zoomed > 1.5")
    now = place_of(page, 20)
    assert abs(now[0] - x) < 1 and abs(now[1] - y) < 1, "the row under the pointer stays there"
    page.mouse.move(200, 150)
    before = place_of(page, 20)
    page.mouse.down()
    page.mouse.move(260, 190, steps=4)
    page.mouse.up()
    after = place_of(page, 20)
    assert abs(after[0] - before[0] - 60) < 3 and abs(after[1] - before[1] - 40) < 3, (before, after)


def walk_with_keys(page):
    page.locator("#map").focus()
    page.keyboard.press("0")
    rest(page)
    assert abs(page.evaluate("map.zoomed") - 1) < 1e-6
    page.keyboard.press("Escape")
    expect(page.locator("#row")).to_be_hidden()
    chosen = set()
    for key in ("ArrowRight", "ArrowUp", "ArrowLeft", "ArrowDown", "ArrowDown"):
        page.keyboard.press(key)
        chosen.add(page.evaluate("map.chosen"))
    assert len(chosen) > 2 and -1 not in chosen, chosen
    page.keyboard.press("+")
    wait(page, "map.zoomed > 1.2")
    page.keyboard.press("/")
    expect(page.locator("#find")).to_be_focused()


def choose_groups(page):
    button = page.locator("#legend button", has_text="river")
    expect(page.locator("#legend button")).to_have_count(5)
    button.click()
    expect(button).to_have_attribute("aria-pressed", "true")
    assert page.evaluate("map.mask.reduce((sum, each) => sum + each, 0)") == 16
    button.click()
    wait(page, "map.mask === null")


def painted(page):
    """How many colors, more or less, the map shows."""
    picture = page.locator("#map").screenshot()
    data, at = b"", 8
    while at < len(picture):
        size, name = struct.unpack_from(">I4s", picture, at)
        if name == b"IDAT":
            data += picture[at + 8:at + 8 + size]
        at += 12 + size
    pixels = zlib.decompress(data)
    return len({pixels[i:i + 3] for i in range(0, len(pixels), 3)})


def main():
    SCREENSHOTS.mkdir(parents=True, exist_ok=True)
    folder = tempfile.TemporaryDirectory()
    texts, drawn = pathlib.Path(folder.name) / "texts.jsonl", pathlib.Path(folder.name) / "map.html"
    write_texts(texts)
    subprocess.run([EMBD, "map", texts, "-m", MODEL, "--color-by", "kind", "--title", "Sentences", "-o", drawn], check=True)
    complaints, requests = [], []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox", "--disable-gpu", "--disable-quic"])
        for name, width, height, scheme, state in (("wide", 1280, 800, "light", ""), ("wide-dark", 1280, 800, "dark", "#canvas"),
                                                   ("narrow", 390, 800, "light", ""), ("narrow-dark", 390, 800, "dark", "")):
            page = browser.new_page(color_scheme=scheme, viewport={"width": width, "height": height})
            page.on("console", lambda message: complaints.append(message.text) if message.type == "error" else None)
            page.on("pageerror", lambda error: complaints.append(str(error)))
            page.on("request", lambda request: requests.append(request.url))
            page.goto(drawn.as_uri() + state)
            page.wait_for_selector("html[data-drawn]")
            if state == "#canvas":
                assert page.evaluate("map.kind") == "canvas"
            page.wait_for_timeout(300)
            assert painted(page) > 20, "nothing is drawn"
            expect(page.locator("#about")).to_have_text("65 rows · kind · " + page.evaluate("data.head.about"))
            if width > 1000:
                click_and_search(page)
                zoom_and_pan(page)
                walk_with_keys(page)
                choose_groups(page)
            assert page.evaluate("document.documentElement.scrollWidth") <= width
            page.evaluate("map.fit(true); map.choose(5)")
            page.wait_for_timeout(300)
            page.screenshot(path=SCREENSHOTS / f"map-{name}.png")
            page.close()
        linked = browser.new_page()
        linked.goto(drawn.as_uri() + "#row=18&find=water")
        expect(linked.locator("#text")).to_have_text("a warm boat on the water")
        expect(linked.locator("#found")).to_have_text("16 rows")
        browser.close()
    assert not complaints, complaints
    assert all(url.startswith("file:") for url in requests), requests
    print("the map works; pictures in", SCREENSHOTS)


main()
