#!/usr/bin/env python3
"""Compares the links of a built site with its files:  check_site.py FOLDER

Every link leads to a file of the site, and to an element with that id behind #. No page has a picture, style, script or frame of another
host. Exit 1 if something is wrong."""
import html.parser
import pathlib
import sys
import urllib.parse

LOADED = {"img": "src", "script": "src", "iframe": "src", "source": "srcset"}
SELDOM_LOADED = {"canonical", "next", "prev", "alternate"}


class Page(html.parser.HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.ids, self.links, self.loaded = set(), [], []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        given = dict(attributes)
        self.ids |= {given[name] for name in ("id", "name") if given.get(name)}
        if tag == "a" and given.get("href"):
            self.links.append(given["href"])
        if tag == "link" and given.get("rel") not in SELDOM_LOADED:
            self.loaded.append(given.get("href") or "")
        if given.get(LOADED.get(tag, "")):
            self.loaded.append(given[LOADED[tag]])


def problem(pages, file, link, root):
    path, _, fragment = urllib.parse.unquote(link).partition("#")
    target = (file.parent / path.partition("?")[0]).resolve() if path else file
    if root not in (target, *target.parents):
        return "leads out of the site"
    target = target / "index.html" if target.is_dir() else target
    if not target.exists():
        return "leads to no file"
    is_doxygen = root / "cpp" in target.parents  # which names sections that it leaves out
    if fragment and target in pages and not is_doxygen and fragment not in pages[target].ids:
        return "leads to no element of that page"
    return None


def main():
    root = pathlib.Path(sys.argv[1]).resolve()
    pages = {file: Page(file.read_text(encoding="utf-8")) for file in root.rglob("*.html") if file != root / "404.html"}
    count = findings = 0
    for file, page in sorted(pages.items()):
        is_outside = lambda link: bool(urllib.parse.urlparse(link).scheme or link.startswith("//"))  # noqa: E731
        wrong = [(link, "is loaded from another host") for link in page.loaded if is_outside(link) and not link.startswith(("data:", "javascript:"))]
        for link in (link for link in page.links + page.loaded if not is_outside(link)):
            count += 1
            if said := problem(pages, file, link, root):
                wrong.append((link, said))
        for link, said in sorted(set(wrong)):
            findings += 1
            print(f"{file.relative_to(root)}: {link} {said}")
    print(f"{count} links in {len(pages)} pages, {findings} findings")
    return 1 if findings or len(pages) < 50 else 0


if __name__ == "__main__":
    sys.exit(main())
