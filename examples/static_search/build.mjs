#!/usr/bin/env node
// Makes of a folder of Markdown and HTML a static site that searches itself by meaning and by words.
//
//   node build.mjs FOLDER -o SITE --model int8.weights [--title TITLE] [--embd PROGRAM]

import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { basename, dirname, extname, join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { marked } from "marked";
import { readPage } from "./passages.mjs";

const here = dirname(fileURLToPath(import.meta.url));
const library = resolve(here, "../../faces/js");
const assets = new Set([".png", ".jpg", ".jpeg", ".gif", ".svg", ".webp", ".css", ".pdf"]);

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    output: { type: "string", short: "o" },
    model: { type: "string", short: "m" },
    title: { type: "string" },
    embd: { type: "string", default: "embd" },
  },
});
const [folder] = positionals;
if (positionals.length !== 1 || !options.output || !options.model) {
  console.error("usage: node build.mjs FOLDER -o SITE --model WEIGHTS [--title TITLE] [--embd PROGRAM]");
  process.exit(2);
}
const site = resolve(options.output);
const title = options.title ?? basename(resolve(folder));

function sha256(bytes) {
  return createHash("sha256").update(bytes).digest("hex");
}

function escape(text) {
  return text.replace(/[&<>"]/g, (c) => `&#${c.charCodeAt(0)};`);
}

/** All files below `root`, as paths from there, but what is hidden or is the site itself. */
function filesIn(root) {
  return readdirSync(root, { recursive: true })
    .filter((path) => !path.split("/").some((part) => part.startsWith(".") || part === "node_modules"))
    .filter((path) => root === site || !resolve(root, path).startsWith(`${site}/`))
    .filter((path) => statSync(join(root, path)).isFile())
    .sort();
}

/** A page around the HTML of a Markdown file, whose links to others lead to their pages. */
function pageOf(markdown, path) {
  const body = marked.parse(markdown).replace(
    /(href="(?![a-z]+:)[^"#]*)\.(?:md|markdown)([#"])/gi,
    "$1.html$2",
  );
  const up = "../".repeat(path.split("/").length);
  return `<!doctype html><html><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<link rel="stylesheet" href="${up}style.css"><title>${escape(path)}</title></head>
<body class="page"><nav><a href="${up}">${escape(title)}</a></nav><main>${body}</main></body></html>`;
}

function write(path, content) {
  mkdirSync(dirname(join(site, path)), { recursive: true });
  writeFileSync(join(site, path), content);
}

if (existsSync(site) && !existsSync(join(site, "search.json")) && readdirSync(site).length > 0) {
  console.error(`${site} is there and no site that this script made: choose another, or empty it`);
  process.exit(1);
}
rmSync(site, { recursive: true, force: true });

// Pages and their passages.
const pages = [];
const passages = [];
for (const path of filesIn(folder)) {
  const kind = extname(path).toLowerCase();
  const content = readFileSync(join(folder, path));
  if (assets.has(kind)) write(`pages/${path}`, content);
  const isMarkdown = kind === ".md" || kind === ".markdown";
  if (!isMarkdown && kind !== ".html" && kind !== ".htm") continue;
  const text = content.toString("utf8");
  const to = isMarkdown ? `${path.slice(0, -kind.length)}.html` : path;
  const page = readPage(isMarkdown ? pageOf(text, path) : text, path);
  write(`pages/${to}`, page.html);
  for (const { headings, anchor, text } of page.passages)
    passages.push({ page: pages.length, headings, anchor, text });
  pages.push({ path: `pages/${to}`, title: page.title });
}
if (passages.length === 0) {
  console.error(`no text in the Markdown and HTML of ${folder}`);
  process.exit(1);
}

// Vectors and words: what stands above a passage tells what it is about.
write(
  "texts.jsonl",
  passages
    .map(({ page, headings, text }) => [pages[page].title, ...headings, text].join("\n"))
    .map((text) => `${JSON.stringify({ text })}\n`)
    .join(""),
);
const index = join(site, "index.usearch");
execFileSync(
  options.embd,
  [
    ...["embed", join(site, "texts.jsonl"), "-m", options.model, "--compute", "int8", "--scalar", "f16"],
    ...["-o", index, "-o", join(site, "index.terms")],
  ],
  { stdio: ["ignore", "inherit", "inherit"] },
);
rmSync(join(site, "texts.jsonl"));

// The files that the page loads.
const model = readFileSync(options.model);
write("model.weights", model);
write("search.json", JSON.stringify({ title, model: { sha256: sha256(model), bytes: model.length }, pages, passages }));
cpSync(join(library, "src"), join(site, "embd/src"), { recursive: true, filter: (path) => !path.endsWith(".d.ts") });
cpSync(join(library, "wasm"), join(site, "embd/wasm"), { recursive: true, filter: (path) => !path.includes("_lean") });
for (const name of ["index.html", "app.js", "style.css"])
  write(name, readFileSync(join(here, "page", name), "utf8").replaceAll("{{title}}", escape(title)));

// Everything but the model, which the library keeps by its hash.
const kept = filesIn(site).filter((path) => path !== "model.weights");
const version = sha256(kept.map((path) => sha256(readFileSync(join(site, path)))).join("")).slice(0, 16);
write(
  "sw.js",
  readFileSync(join(here, "page/sw.js"), "utf8")
    .replace('"{{version}}"', JSON.stringify(version))
    .replace('"{{files}}"', JSON.stringify(["./", ...kept])),
);
const megabytes = (bytes) => (bytes / 1e6).toFixed(1);
console.log(
  `${pages.length} pages, ${passages.length} passages; index ${megabytes(statSync(index).size)} MB, model ${megabytes(model.length)} MB, in ${relative(process.cwd(), site) || "."}`,
);
