import { open, openIndex, openTerms } from "./embd/src/worker.js";

const byId = (id) => document.getElementById(id);
const [query, status, progress, hits] = ["query", "status", "progress", "hits"].map(byId);
const megabytes = (bytes) => (bytes / 1e6).toFixed(1);

function showProgress({ loaded, total }) {
  progress.hidden = false;
  if (total !== undefined) progress.value = loaded / total;
  status.textContent = `Loading the model: ${megabytes(loaded)} MB`;
}

/** The site's texts and what finds them. */
async function load() {
  const answer = await fetch("search.json");
  if (!answer.ok) throw new Error(`search.json: HTTP ${answer.status}`);
  const site = await answer.json();
  const model = await open("model.weights", {
    compute: "int8",
    sha256: site.model.sha256,
    onProgress: showProgress,
  });
  const terms = await openTerms("index.terms");
  const index = await openIndex("index.usearch", { model, terms, recipe: "index.usearch.recipe.json" });
  return { ...site, index };
}

function element(name, properties, ...children) {
  const made = Object.assign(document.createElement(name), properties);
  made.append(...children);
  return made;
}

function itemOf(site, { id, similarity }) {
  const { page, headings, anchor, text } = site.passages[id];
  const { path, title } = site.pages[page];
  const href = anchor ? `${path}#${anchor}` : path;
  return element(
    "li",
    {},
    element("a", { href }, [title, ...headings].join(" › ")),
    element("span", { className: "similarity" }, similarity.toFixed(2)),
    element("p", {}, text),
  );
}

/** Shows what the text in the field finds; only the last search's answer counts. */
let searches = 0;
async function search(site) {
  const mine = ++searches;
  const text = query.value.trim();
  history.replaceState(null, "", text ? `?q=${encodeURIComponent(text)}` : location.pathname);
  if (text === "") {
    hits.replaceChildren();
    status.textContent = `${site.passages.length} passages of ${site.pages.length} pages, searched on your machine`;
    return;
  }
  const begin = performance.now();
  const found = await site.index.search(text, { k: 10 });
  if (mine !== searches) return;
  hits.replaceChildren(...found.map((hit) => itemOf(site, hit)));
  status.textContent = `${found.length} of ${site.passages.length} passages, ${Math.ceil(performance.now() - begin)} ms`;
}

navigator.serviceWorker?.register("sw.js").catch(() => {}); // Without it the site wants the network.
document.querySelector("form").addEventListener("submit", (event) => event.preventDefault());
query.value = new URLSearchParams(location.search).get("q") ?? "";
try {
  const site = await load();
  progress.hidden = true;
  const update = () => search(site).catch(fail);
  query.addEventListener("input", update);
  await search(site);
  document.body.dataset.ready = "true";
} catch (error) {
  fail(error);
}

function fail(error) {
  progress.hidden = true;
  status.textContent = `This does not work here: ${error.message}`;
  console.error(error);
}
