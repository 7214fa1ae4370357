// A page of HTML as passages: what stands under a heading, in parts of some sentences.

import { parse } from "node-html-parser";

/** Characters of a passage, which is less than the model reads (256 tokens) of most texts. */
const mostCharacters = 600;

const ignored = new Set(["SCRIPT", "STYLE", "NAV", "FOOTER", "NOSCRIPT", "TEMPLATE", "SVG"]);
const blocks = new Set(
  "P LI PRE TR DT DD BLOCKQUOTE DIV SECTION ARTICLE TABLE UL OL FIGCAPTION BR".split(" "),
);
const isHeading = (name) => /^H[1-6]$/.test(name);

/** A name for a heading that the page does not name itself. */
function slug(text) {
  return text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, "-")
    .replace(/^-|-$/g, "");
}

function squeeze(text) {
  return text.replace(/\s+/g, " ").trim();
}

/** Parts of `text`, a paragraph a line, cut between paragraphs, or sentences where one is too long. */
function parts(text) {
  const pieces = text
    .split("\n")
    .map(squeeze)
    .filter(Boolean)
    .flatMap((line) => (line.length <= mostCharacters ? [line] : line.split(/(?<=[.!?。]) ?/u)));
  const found = [];
  for (const piece of pieces) {
    if (found.length > 0 && found.at(-1).length + piece.length < mostCharacters)
      found[found.length - 1] += ` ${piece}`;
    else found.push(piece.slice(0, 4 * mostCharacters));
  }
  return found;
}

/**
 * The title of a page, its passages {headings, anchor, text}, and its HTML with an id at each
 * heading, so that an anchor leads there.
 */
export function readPage(html, name) {
  const root = parse(html, { comment: false });
  const sections = [{ headings: [], anchor: "", text: "" }];
  const taken = new Set(root.querySelectorAll("[id]").map((element) => element.id));

  const anchorOf = (element, text) => {
    if (element.id) return element.id;
    let id = slug(text) || "section";
    for (let i = 2; taken.has(id); ++i) id = `${slug(text) || "section"}-${i}`;
    taken.add(id);
    element.setAttribute("id", id);
    return id;
  };
  const visit = (node) => {
    if (node.nodeType === 3) {
      sections.at(-1).text += node.text;
      return;
    }
    const tag = node.tagName ?? "";
    if (ignored.has(tag)) return;
    if (isHeading(tag)) {
      const text = squeeze(node.text);
      const level = Number(tag[1]);
      const above = sections.at(-1).headings.filter((heading) => heading.level < level);
      sections.push({
        headings: [...above, { level, text }],
        anchor: anchorOf(node, text),
        text: "",
      });
      return;
    }
    for (const child of node.childNodes) visit(child);
    if (blocks.has(tag)) sections.at(-1).text += "\n";
  };
  visit(root.querySelector("main") ?? root.querySelector("body") ?? root);

  const title =
    squeeze(root.querySelector("h1")?.text ?? root.querySelector("title")?.text ?? "") || name;
  const passages = sections.flatMap(({ headings, anchor, text }) =>
    parts(text).map((part) => ({
      headings: headings.map((heading) => heading.text).filter((heading) => heading !== title),
      anchor,
      text: part,
    })),
  );
  return { title, passages, html: root.toString() };
}
