// The page of a file that `embd map` writes.
const $ = id => document.getElementById(id);
const make = (tag, text, name) => {
  const element = document.createElement(tag);
  if (text !== undefined) element.textContent = text;
  if (name) element.className = name;
  return element;
};
const number = value => value.toLocaleString("en");

// The data that analysis/map/map_parts.h describes.
async function readData() {
  const base64 = atob($("data").textContent);
  const packed = new Uint8Array(base64.length);
  for (let i = 0; i < packed.length; ++i) packed[i] = base64.charCodeAt(i);
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate"));
  const buffer = await new Response(stream).arrayBuffer();
  const size = new DataView(buffer).getUint32(0, true);
  const decoder = new TextDecoder();
  const head = JSON.parse(decoder.decode(new Uint8Array(buffer, 4, size)));
  let at = 4 + size;
  const take = (type, count) => {
    const bytes = count * type.BYTES_PER_ELEMENT;
    const values = new type(buffer.slice(at, at + bytes));
    at += bytes;
    return values;
  };
  const count = head.rows;
  const strings = () => {
    const sizes = take(Uint32Array, count);
    return Array.from(sizes, length => {
      const text = decoder.decode(new Uint8Array(buffer, at, length));
      at += length;
      return text;
    });
  };
  const place = (values, from) => Float32Array.from(values, value => from + value * head.step);
  const x = place(take(Uint16Array, count), head.left), y = place(take(Uint16Array, count), head.bottom);
  const groups = take(Int16Array, count);
  const near = take(Uint32Array, count * head.nearest), similar = take(Uint8Array, count * head.nearest);
  const texts = head.texts ? strings() : null, ids = head.ids ? strings() : null;
  return {head, texts, ids, similar, x, y, groups,
    near: i => Array.from(near.subarray(i * head.nearest, (i + 1) * head.nearest))};
}

let data, map, lower;
const named = i => data.ids ? data.ids[i] : String(i);
const text = i => data.texts ? data.texts[i] : (data.ids ? named(i) : `row ${i}`);

// Writes the state into the link, so that it can be sent to somebody.
function remember() {
  const state = new URLSearchParams();
  if (map.chosen >= 0) state.set("row", map.chosen);
  if ($("find").value) state.set("find", $("find").value);
  try { history.replaceState(null, "", "#" + state); } catch { /* a frame without an address */ }
}

function showRow(i) {
  $("row").hidden = i < 0;
  remember();
  if (i < 0) return;
  const group = data.groups[i];
  $("name").textContent = (data.ids ? named(i) : `Row ${i}`) + (group >= 0 ? ` · ${map.data.names[group]}` : "");
  $("text").textContent = data.texts ? data.texts[i] : "";
  $("near").replaceChildren(...data.near(i).map((other, place) => {
    const button = make("button");
    const share = data.similar[i * data.head.nearest + place] / 255, bar = make("span", undefined, "bar"), line = make("i");
    line.style.setProperty("--share", (100 * share).toFixed(0) + "%");
    bar.append(line, share.toFixed(2));
    button.type = "button";
    button.append(make("span", text(other), "text"), bar);
    button.addEventListener("click", () => map.choose(other, {center: true}));
    const item = make("li");
    item.append(button);
    return item;
  }));
}

// A text with the words that were looked for marked; from a little before the first of them.
function marked(i, words) {
  const whole = text(i), plain = lower[i];
  const first = Math.max(0, plain.indexOf(words[0]) - 60);
  const line = make("span", undefined, "text");
  if (whole.length !== plain.length) { line.textContent = whole; return line; }
  if (first > 0) line.append("…");
  let at = first;
  while (at < whole.length && at < first + 240) {
    const next = words.map(word => [plain.indexOf(word, at), word]).filter(([place]) => place >= 0).sort((a, b) => a[0] - b[0])[0];
    if (!next) break;
    line.append(whole.slice(at, next[0]), make("mark", whole.slice(next[0], next[0] + next[1].length)));
    at = next[0] + next[1].length;
  }
  line.append(whole.slice(at, Math.max(at, first + 240)));
  return line;
}

function find() {
  remember();
  const words = $("find").value.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) {
    $("found").textContent = "";
    $("hits").replaceChildren();
    map.highlight(map.only && (i => map.only.has(data.groups[i])));
    return;
  }
  lower ||= data.x.length ? Array.from(data.x, (_, i) => text(i).toLowerCase()) : [];
  const rows = [];
  lower.forEach((line, i) => { if (words.every(word => line.includes(word)) && (!map.only || map.only.has(data.groups[i]))) rows.push(i); });
  const found = new Set(rows);
  map.highlight(i => found.has(i));
  $("found").textContent = `${number(rows.length)} ${rows.length === 1 ? "row" : "rows"}` + (rows.length > 50 ? ", the first 50:" : "");
  $("hits").replaceChildren(...rows.slice(0, 50).map(i => {
    const button = make("button"), item = make("li");
    button.type = "button";
    button.append(marked(i, words));
    button.addEventListener("click", () => map.choose(i, {center: true}));
    item.append(button);
    return item;
  }));
}

function listen() {
  let later;
  $("find").addEventListener("input", () => { clearTimeout(later); later = setTimeout(find, 120); });
  $("find").addEventListener("keydown", event => {
    if (event.key !== "Enter") return;
    clearTimeout(later);
    find();
    $("hits").querySelector("button")?.click();
  });
  $("legend").addEventListener("groupschosen", find);
  $("close").addEventListener("click", () => map.choose(-1));
  $("theme").addEventListener("click", () => {
    document.documentElement.dataset.theme = map.isDark() ? "light" : "dark";
    map.recolor();
  });
  document.addEventListener("keydown", event => {
    if (event.key !== "/" || event.target.matches("input")) return;
    event.preventDefault();
    $("find").focus();
  });
}

async function start() {
  if (typeof DecompressionStream === "undefined") throw new Error("This browser is too old: it has no DecompressionStream.");
  data = await readData();
  const state = new URLSearchParams(location.hash.slice(1));
  const {head} = data, named = head.groups.filter(group => group.name).length;
  map = new EmbdMap($("map"), {label: text, onChoose: showRow, canvasOnly: state.has("canvas")});
  map.setData({x: data.x, y: data.y, groups: data.groups, near: data.near, scale: head.scale,
    names: head.groups.map(group => group.name), colors: head.groups.map(group => group.color),
    labels: head.scale ? null : head.groups.map(group => [group.x, group.y])});
  map.drawLegend($("legend"));
  $("about").textContent = [`${number(head.rows)} rows`, head.by || (named ? `${named} groups` : ""), head.about].filter(Boolean).join(" · ");
  if (head.by) $("by").textContent = head.by;
  $("groups").hidden = head.groups.length === 0;
  $("finding").hidden = !data.texts && !data.ids;
  document.documentElement.dataset.drawn = map.kind;
  listen();
  if (state.get("find")) { $("find").value = state.get("find"); find(); }
  const row = Number(state.get("row") ?? -1);
  if (Number.isInteger(row) && row >= 0 && row < head.rows) map.choose(row, {center: true});
}
start().catch(error => { $("about").textContent = error.message; $("about").className = "bad"; });
