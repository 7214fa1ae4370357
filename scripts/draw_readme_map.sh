#!/usr/bin/env bash
# Draws the pictures of the README, docs/images/map.png and map-dark.png. They show the page that `embd map` writes, in Chromium.
#
#   draw_readme_map.sh EMBD VECTORS TEXTS.jsonl     TEXTS: of bench/analysis/wordnet_corpus.py --rows 10000 --part noun
#                                                   VECTORS: the vectors of these texts
#
# TOOLS_VENV: a Python environment with playwright. Without it, the script makes one.
set -euo pipefail
cd "$(dirname "$0")/.."
embd=$1
vectors=$2
texts=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

tools=${TOOLS_VENV:-build/server-tools-venv}
[ -n "${TOOLS_VENV:-}" ] || bash scripts/make_venv.sh "$tools" tests/faces/server/tools_requirements.txt
"$embd" map "$vectors" --texts "$texts" --color-by kind --title "10,000 glosses of WordNet" -o "$work/map.html"
"$tools/bin/python" - "$work/map.html" "$work" <<'PYTHON'
import pathlib
import sys

from playwright.sync_api import sync_playwright

with sync_playwright() as playwright:
    browser = playwright.chromium.launch(executable_path="/usr/bin/chromium", args=["--no-sandbox", "--disable-gpu"])
    for scheme in ("light", "dark"):
        page = browser.new_page(viewport={"width": 1200, "height": 640}, color_scheme=scheme)
        page.goto(pathlib.Path(sys.argv[1]).as_uri())
        page.wait_for_selector("html[data-drawn]")
        page.evaluate("map.choose(data.texts.findIndex(text => text.includes('cheese')))")
        page.wait_for_timeout(1500)
        page.screenshot(path=f"{sys.argv[2]}/{scheme}.png")
    browser.close()
PYTHON
# The pictures are stored with 256 colors, which are enough.
"$tools/bin/python" -c 'import PIL' 2>/dev/null || "$tools/bin/pip" install -q pillow
"$tools/bin/python" - "$work" docs/images <<'PYTHON'
import sys

from PIL import Image

for scheme, name in ("light", "map.png"), ("dark", "map-dark.png"):
    picture = Image.open(f"{sys.argv[1]}/{scheme}.png").convert("RGB")
    picture = picture.quantize(256, method=Image.Quantize.MEDIANCUT, kmeans=3, dither=Image.Dither.NONE)
    picture.save(f"{sys.argv[2]}/{name}", optimize=True)
PYTHON
ls -l docs/images/map*.png
