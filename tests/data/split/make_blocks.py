#!/usr/bin/env python3
"""Writes blocks.jsonl: random documents in Markdown, and the blocks that cmark-gfm (Debian's package of that name) finds in them.

    make_blocks.py > blocks.jsonl

Each line has a document and its blocks with their first lines, from 1: headings with their levels unless they are in a quote or list,
code (of fences and indented), tables, and everything else that has text as "text". Documents have no link reference definitions, which
cmark-gfm leaves out of the tree, and no table behind two lines of a paragraph, whose first line version 0.29.0.gfm.6 misplaces."""
import json
import random
import re
import subprocess
from xml.etree import ElementTree

PIECES = ["# ", "## a", "- ", "* ", "1. ", "2) ", "> ", ">", "a", "b c", "```", "```x", "~~~", "    ", "  ", " ", "\t", "|", "a|b", "-|-",
          "---", "===", "***", "<div>", "</div>", "<!-- ", "-->", "<pre>", "</pre>", "\\", "<a href='x'>", "|a|", "|-|:-:|", "<b", "+",
          "10. ", "1.", "-", "####### x", "&", "<?", "<span>x", "\n", "\n\n"]
COUNT = 1500


def blocks_of(markdown):
    xml = subprocess.run(["cmark-gfm", "-e", "table", "--sourcepos", "-t", "xml"], input=markdown.encode(), capture_output=True, check=True)
    blocks = []

    def visit(node, depth):
        for child in node:
            kind = child.tag.split("}")[-1]
            line = int(child.get("sourcepos", "0:0").split(":")[0])
            if kind == "heading" and depth == 0:
                blocks.append([line, f"heading {child.get('level')}"])
            elif kind in ("code_block", "table"):
                blocks.append([line, kind.split("_")[0]])
            elif kind in ("paragraph", "heading", "html_block"):
                blocks.append([line, "text"])
            elif kind in ("block_quote", "list", "item"):
                visit(child, depth + 1)

    visit(ElementTree.fromstring(xml.stdout), 0)
    return blocks


def main():
    pick = random.Random(1)
    count = 0
    while count < COUNT:
        lines = ("".join(pick.choice(PIECES) for _ in range(pick.randrange(5))) for _ in range(pick.randrange(1, 10)))
        markdown = "\n".join(lines) + "\n"
        if re.search(r"[^\n]+\n[^\n]+\n[^\n]*-\|", markdown):
            continue
        count += 1
        print(json.dumps({"markdown": markdown, "blocks": blocks_of(markdown)}, separators=(",", ":")))


if __name__ == "__main__":
    main()
