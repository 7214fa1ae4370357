#!/usr/bin/env bash
# Draws the picture of the README, docs/images/map.png: the page that embd map writes, in Chromium.
#
#   draw_readme_map.sh EMBD VECTORS TEXTS.jsonl     TEXTS: 10,000 rows of bench/analysis/wordnet_corpus.py; VECTORS: theirs
#
# TOOLS_VENV: an environment with playwright, instead of one that is made.
set -euo pipefail
cd "$(dirname "$0")/.."
embd=$1
vectors=$2
texts=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

tools=${TOOLS_VENV:-build/server-tools-venv}
[ -n "${TOOLS_VENV:-}" ] || bash scripts/make_venv.sh "$tools" tests/server/tools_requirements.txt
"$embd" map "$vectors" --texts "$texts" --color-by kind --title "10,000 glosses of WordNet" -o "$work/map.html"
"$tools/bin/python" - "$work/map.html" "$work/map.png" <<'PYTHON'
import pathlib
import sys

from playwright.sync_api import sync_playwright

with sync_playwright() as playwright:
    browser = playwright.chromium.launch(executable_path="/usr/bin/chromium", args=["--no-sandbox", "--disable-gpu"])
    page = browser.new_page(viewport={"width": 1200, "height": 640}, color_scheme="light")
    page.goto(pathlib.Path(sys.argv[1]).as_uri())
    page.wait_for_selector("html[data-drawn]")
    page.evaluate("map.choose(data.texts.findIndex(text => text.includes('cheese')))")
    page.wait_for_timeout(800)
    page.screenshot(path=sys.argv[2])
    browser.close()
PYTHON
# 256 colors are enough for it.
"$tools/bin/python" -c 'import PIL' 2>/dev/null || "$tools/bin/pip" install -q pillow
"$tools/bin/python" - "$work/map.png" docs/images/map.png <<'PYTHON'
import sys

from PIL import Image

Image.open(sys.argv[1]).convert("RGB").quantize(256, method=Image.Quantize.MEDIANCUT, kmeans=3, dither=Image.Dither.NONE).save(sys.argv[2], optimize=True)
PYTHON
ls -l docs/images/map.png
