#!/usr/bin/env python3
"""Measures how smoothly a page of embd map moves in Chromium:  map_frames.py MAP.html [CHROMIUM]

Zooms in and out and drags the map for some seconds, drawn by WebGL and on a plain canvas, and prints the milliseconds from one
frame to the next: median, 95th percentile and longest. The browser's own pace is 16.7. Without a graphics card the processor
draws what WebGL asks for, too. Needs playwright (tests/faces/server/tools_requirements.txt).
"""
import statistics
import sys
from pathlib import Path

from playwright.sync_api import sync_playwright

CHROMIUM = sys.argv[2] if len(sys.argv) > 2 else "/usr/bin/chromium"
RECORD = """() => { window.frames_seen = []; const step = now => { frames_seen.push(now); requestAnimationFrame(step); };
    requestAnimationFrame(step); }"""
STEPS = 60


def move(page):
    page.mouse.move(500, 400)
    for direction in (-120, 120):
        for _ in range(STEPS):
            page.mouse.wheel(0, direction)
            page.wait_for_timeout(16)
    page.mouse.down()
    for step in range(STEPS):
        page.mouse.move(500 + 3 * step, 400 + step)
        page.wait_for_timeout(16)
    page.mouse.up()


def main():
    with sync_playwright() as playwright:
        for name, state, flags in (("WebGL", "", ["--use-angle=swiftshader", "--enable-unsafe-swiftshader"]),
                                   ("canvas", "#canvas", ["--disable-gpu"])):
            browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox", *flags])
            page = browser.new_page(viewport={"width": 1280, "height": 800})
            page.goto(Path(sys.argv[1]).resolve().as_uri() + state)
            page.wait_for_selector("html[data-drawn]")
            page.evaluate(RECORD)
            move(page)
            moments = page.evaluate("frames_seen")
            times = sorted(after - before for before, after in zip(moments, moments[1:]))
            print(f"{name} ({page.evaluate('map.kind')}): {len(times)} frames of {page.evaluate('data.head.rows')} rows; "
                  f"median {statistics.median(times):.1f} ms, 95th percentile {times[len(times) * 95 // 100]:.1f}, "
                  f"longest {times[-1]:.1f}")
            browser.close()


main()
