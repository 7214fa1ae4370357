#!/usr/bin/env python3
"""Draws pictures of tables of docs/performance.md, each for light and dark pages: docs/images/speed-*.svg and long-texts-*.svg.

    draw_chart.py [--check]     --check: ends with 1 where a picture is not the one of the table, or where the README gives
                                another cosine similarity of int8 vectors than that page

The bars of the README's chart are sentences a second of the column "mixed", texts of 8 to 256 tokens, of the first table. The
lines of the other chart are the times of single texts by their tokens. The same tables give the same bytes.
"""
import argparse
import math
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
TABLE = "| `bench/peers/peers.py` |"
LONG_TEXTS = "| `bench/peers/long_texts.py` |"  # its first table
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


def times_by_tokens():
    """Returns {name: [(tokens, seconds)]} of the table of long texts."""
    lines = iter((ROOT / "docs/performance.md").read_text(encoding="utf-8").splitlines())
    header = next(line for line in lines if line.startswith(LONG_TEXTS)).split("|")[2:-1]
    lengths = [int(cell.replace(",", "").split()[0]) for cell in header if "tokens" in cell]
    next(lines)
    times = {}
    for line in lines:
        if not line.startswith("|"):
            return times
        name, *cells = [cell.strip() for cell in line.split("|")[1:-1]]
        found = [re.match(r"[\d.]+", cell) for cell in cells[:len(lengths)]]
        times[name.strip("*")] = [(tokens, float(match[0])) for tokens, match in zip(lengths, found) if match]


def apart(places, least):
    """Moves places of labels down until each is `least` below the one above it."""
    moved, last = {}, -math.inf
    for name, y in sorted(places.items(), key=lambda place: place[1]):
        moved[name] = last = max(y, last + least)
    return moved


def draw_lines(theme):
    text, faint, own, other = COLORS[theme]
    times = times_by_tokens()
    left, right, top, bottom = 60, WIDTH - 170, 60, 400
    points = [point for line in times.values() for point in line]
    low, high = 0.8 * min(y for _, y in points), max(y for _, y in points)
    first, last = min(x for x, _ in points), max(x for x, _ in points)

    def at(tokens, seconds):
        return (left + (right - left) * math.log(tokens / first) / math.log(last / first),
                bottom - (bottom - top) * math.log(seconds / low) / math.log(high / low))

    parts = []
    for tokens in sorted({x for x, _ in points}):
        parts.append(f'<text x="{at(tokens, low)[0]:.1f}" y="{bottom + 22}" text-anchor="middle" fill="{faint}">{tokens:,}</text>')
    seconds = 10 ** math.ceil(math.log10(low))
    while seconds <= high:
        y = at(first, seconds)[1]
        parts.append(f'<line x1="{left}" y1="{y:.1f}" x2="{right}" y2="{y:.1f}" stroke="{other}" stroke-width="0.5"/>'
                     f'<text x="{left - 10}" y="{y + 5:.1f}" text-anchor="end" fill="{faint}">{seconds:g}</text>')
        seconds *= 10
    labels = apart({name: at(*line[-1])[1] + 5 for name, line in times.items()}, 17)
    for name, line in times.items():
        is_own, dashes = name.startswith("embd"), ' stroke-dasharray="5 3"' if name.endswith("int8") else ""
        color = own if is_own else other
        path = " ".join(f"{x:.1f},{y:.1f}" for x, y in (at(*point) for point in line))
        weight = ' font-weight="600"' if is_own else ""
        parts.append(f'<polyline points="{path}" fill="none" stroke="{color}" stroke-width="2"{dashes}/>'
                     f'<line x1="{right + 2}" y1="{at(*line[-1])[1]:.1f}" x2="{right + 26}" y2="{labels[name] - 5:.1f}" stroke="{color}"/>'
                     f'<text x="{right + 30}" y="{labels[name]:.1f}" fill="{text}"{weight}>{name}</text>')
    title = "Seconds of processor time for one text, by its tokens"
    note = "ModernBERT of 12 layers × 384, one thread, both axes logarithmic; dashed: int8"
    values = "; ".join(f"{name}: {', '.join(f'{x:,} {y:g} s' for x, y in line)}" for name, line in times.items())
    height = bottom + 32
    return (f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{height}" viewBox="0 0 {WIDTH} {height}" role="img" '
            f'aria-label="{title}. {values}" font-family="system-ui, -apple-system, Segoe UI, sans-serif" font-size="14">\n'
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
    pictures = {f"{name}-{theme}": draw_one(theme) for name, draw_one in {"speed": draw, "long-texts": draw_lines}.items()
                for theme in COLORS}
    for name, picture in pictures.items():
        path = ROOT / f"docs/images/{name}.svg"
        if not args.check:
            path.parent.mkdir(exist_ok=True)
            path.write_text(picture, encoding="utf-8")
        elif not path.exists() or path.read_text(encoding="utf-8") != picture:
            sys.exit(f"{path} is not the picture of docs/performance.md: run bench/draw_chart.py")
    if args.check:
        check_cosine()


main()
