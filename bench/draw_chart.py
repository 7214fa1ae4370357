#!/usr/bin/env python3
"""Draws the README's bar chart from the first table of docs/performance.md: docs/images/speed-light.svg and speed-dark.svg.

    draw_chart.py [--check]     --check: ends with 1 where a picture is not the one of the table, or where the README gives
                                another cosine similarity of int8 vectors than that page

The bars are sentences a second of the column "mixed", texts of 8 to 256 tokens. The same table gives the same bytes.
"""
import argparse
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
TABLE = "| `bench/peers/peers.py` |"
COLUMN = "mixed"
WIDTH, LEFT, ROW, BAR, CAPTION, TOP = 720, 230, 27, 18, 34, 46
VALUE_ROOM = 60  # to the right of the longest bar
# text, faint text, embd's bars, the others' bars
COLORS = {"light": ("#1f2328", "#59636e", "#0969da", "#afb8c1"), "dark": ("#f0f6fc", "#9198a1", "#4493f8", "#6e7681")}


def rows():
    """Returns (name, sentences a second) of each row of the table, in its order."""
    lines = iter((ROOT / "docs/performance.md").read_text(encoding="utf-8").splitlines())
    header = next(line for line in lines if line.startswith(TABLE))
    column = [cell.strip() for cell in header.split("|")].index(COLUMN)
    next(lines)
    for line in lines:
        if not line.startswith("|"):
            return
        cells = [cell.strip() for cell in line.split("|")]
        yield cells[1], float(re.match(r"[\d.]+", cells[column])[0])


def draw(theme):
    text, faint, own, other = COLORS[theme]
    table = list(rows())
    scale = (WIDTH - LEFT - VALUE_ROOM) / max(value for _, value in table)
    parts, y, arithmetic = [], TOP, ""
    for name, value in table:
        is_own = name.startswith("**embd")
        label, comma, _ = name.strip("*").partition(", int8")
        if arithmetic != ("int8" if comma else "float32"):
            arithmetic = "int8" if comma else "float32"
            parts.append(f'<text x="{LEFT}" y="{y + 24}" fill="{faint}">{arithmetic}</text>')
            y += CAPTION
        width = value * scale
        weight = ' font-weight="600"' if is_own else ""
        parts.append(f'<text x="{LEFT - 12}" y="{y + 14}" text-anchor="end" fill="{text}"{weight}>{label}</text>'
                     f'<rect x="{LEFT}" y="{y}" width="{width:.1f}" height="{BAR}" rx="2" fill="{own if is_own else other}"/>'
                     f'<text x="{LEFT + width + 8:.1f}" y="{y + 14}" fill="{text}"{weight}>{value:.0f}</text>')
        y += ROW
    title = "Sentences a second on one processor core"
    note = "all-MiniLM-L6-v2, texts of 8 to 256 tokens, tokenizing included; AMD EPYC (Zen 4)"
    names = "; ".join(f"{name.strip('*')}: {value:g}" for name, value in table)
    return (f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{y + 4}" viewBox="0 0 {WIDTH} {y + 4}" role="img" '
            f'aria-label="{title}. {names}" font-family="system-ui, -apple-system, Segoe UI, sans-serif" font-size="14">\n'
            f'<text x="0" y="17" font-size="17" font-weight="600" fill="{text}">{title}</text>\n'
            f'<text x="0" y="38" fill="{faint}">{note}</text>\n' + "\n".join(parts) + "\n</svg>\n")


def check_cosine():
    """Compares the cosine similarity in the README's sentence under the chart with that in docs/performance.md."""
    said = re.search(r"mean cosine similarity of ([\d.]+)", (ROOT / "README.md").read_text(encoding="utf-8"))[1]
    page = (ROOT / "docs/performance.md").read_text(encoding="utf-8")
    measured = re.search(r"^\| int8 arithmetic, float32 file \|[^|]*\| ([\d.]+) /", page, re.MULTILINE)[1]
    if said != measured:
        sys.exit(f"README.md says a mean cosine similarity of {said}, docs/performance.md {measured}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true")
    args = parser.parse_args()
    for theme in COLORS:
        path = ROOT / f"docs/images/speed-{theme}.svg"
        picture = draw(theme)
        if not args.check:
            path.parent.mkdir(exist_ok=True)
            path.write_text(picture, encoding="utf-8")
        elif not path.exists() or path.read_text(encoding="utf-8") != picture:
            sys.exit(f"{path} is not the picture of docs/performance.md: run bench/draw_chart.py")
    if args.check:
        check_cosine()


main()
