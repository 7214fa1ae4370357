// Term indexes that the program made are searched as the program does.

import assert from "node:assert/strict";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import { open, openIndex, openTerms } from "../src/embd.js";
import * as there from "../src/worker.js";
import { data, embd, int8Model, program, readNpy, temporaryFolder, without } from "./fixtures.js";

const small = join(data, "terms/small.terms");
const tiny = join(data, "embd/defaults.weights");

/** The files of the folder of a term index, by their names. */
function filesOf(folder) {
  return Object.fromEntries(readdirSync(folder).map((name) => [name, readFileSync(join(folder, name))]));
}

test("texts are found by their words", async () => {
  const terms = await openTerms(small);
  assert.equal(terms.info.rows, 5);
  assert.equal(terms.info.terms, 21);
  assert.equal(terms.info.termKind, "stems");
  assert.equal(terms.info.stemmer, "english");
  assert.deepEqual(await terms.terms("The jumping Dogs of EMBD_KERNELS in 東京都"), [
    "jump", "dog", "embd_kernels", "embd", "kernel", "東京", "京都",
  ]);
  const found = await terms.search("dogs");
  assert.deepEqual(found.map(({ row }) => row), [4, 3, 0]);
  assert.deepEqual(await terms.search(["dog"]), found);
  assert.deepEqual(await terms.search("dogs", { k: 2 }), found.slice(0, 2));
  assert.deepEqual(await terms.search("dogs", { rows: [0, 3n] }), found.slice(1));
  assert.deepEqual(await terms.search("dogs", { rows: [] }), []);
  assert.deepEqual(await terms.search("the of"), []);
  assert.deepEqual(await terms.search("unknown"), []);
  const scores = await terms.scores("dogs", [3, 1, 0]);
  assert.deepEqual(Array.from(scores), [found[1].score, 0, found[2].score]);
  assert.ok((await terms.weight("embd")) > (await terms.weight("dog")));
  assert.equal(await terms.weight("unknown"), 0);
  await terms.close();
  await assert.rejects(terms.search("dogs"), { code: "invalid_argument", message: /closed/ });
});

test("a term index is opened from a URL and from its files", async () => {
  const expected = await (await openTerms(small)).search("dogs");
  for (const source of [pathToFileURL(small), `${small}/`, { files: filesOf(small) }])
    assert.deepEqual(await (await openTerms(source)).search("dogs"), expected);
});

test("wrong arguments are errors", async () => {
  const terms = await openTerms(small);
  const refused = { name: "EmbdError", code: "invalid_argument" };
  await assert.rejects(terms.search("dogs", { k: 0 }), refused);
  await assert.rejects(terms.search("dogs", { rows: [3, 0] }), refused);
  await assert.rejects(terms.search("dogs", { rows: [5] }), refused);
  await assert.rejects(terms.scores("dogs", [5]), refused);
  await assert.rejects(terms.scores("dogs"), refused);
  await assert.rejects(terms.terms(5), refused);
  await assert.rejects(terms.search(5), refused);
  await assert.rejects(openTerms(), refused);
  await assert.rejects(openTerms(small, { model: {} }), refused);
});

test("damaged term indexes are errors", async () => {
  const files = filesOf(small);
  for (const name of Object.keys(files)) {
    const { [name]: bytes, ...others } = files;
    await assert.rejects(openTerms({ files: others }), { name: "EmbdError" });
    const short = bytes.subarray(0, bytes.length - 1);
    await assert.rejects(openTerms({ files: { ...others, [name]: short } }), { name: "EmbdError", status: "bad_input" });
  }
  await assert.rejects(openTerms(join(data, "usearch")), { code: "not_found" });
  const recipe = String(files["recipe.json"]).replace("2.2.0", "3.0.0");
  await assert.rejects(openTerms({ files: { ...files, "recipe.json": Buffer.from(recipe) } }), {
    code: "unsupported",
    message: /release 3.0.0 of the stemmer, expected 2.2.0/,
  });
});

test("an index with terms says what it lacks", async () => {
  const file = join(data, "usearch/f32_cos.usearch");
  const terms = await openTerms(small);
  await assert.rejects(openIndex(file, { terms }), { code: "bad_count", message: /5 rows/ });
  await assert.rejects(openIndex(file, { terms: small }), { code: "invalid_argument", message: /openTerms/ });
  const index = await openIndex(file);
  await assert.rejects(index.search("dogs", { match: "terms" }), { code: "invalid_argument", message: /term index/ });
  await assert.rejects(index.search("dogs", { match: "words" }), { code: "invalid_argument", message: /match is words/ });
});

test("a thread gives what this thread gives", async () => {
  const here = await openTerms(small);
  const terms = await there.openTerms({ files: filesOf(small) });
  assert.deepEqual(terms.info, here.info);
  assert.deepEqual(await terms.terms("Dogs"), await here.terms("Dogs"));
  assert.deepEqual(await terms.search("dogs", { k: 2 }), await here.search("dogs", { k: 2 }));
  assert.deepEqual(await terms.scores("dogs", [0, 4]), await here.scores("dogs", [0, 4]));
  assert.equal(await terms.weight("dog"), await here.weight("dog"));
  await terms.close();
});

const texts = [
  "the disk is full", "error E4711 in backup_job", "error E4712 in mail_job", "nothing", "backups of the week",
  "EMBD_KERNELS is 3.14", "don't", "東京タワー", "", "naïve café",
];
const queries = ["error E4712", "BACKUP_JOB", "the of", "unknown", "東京", "3.14", "don't", "cafe week", ""];

/** Opens a set of the texts that the program made with `how` and its term index. */
async function openMade(t, model, how, openTermsToo = openTerms, openIndexToo = openIndex) {
  const folder = temporaryFolder(t);
  const made = join(folder, "log.txt");
  writeFileSync(made, texts.map((text) => `${text}\n`).join(""));
  const [set, terms] = [join(folder, "log.usearch"), join(folder, "log.terms")];
  embd("embed", made, "-m", tiny, "-o", set, "-o", terms, ...how);
  const ofTokens = how.includes("tokens") ? model : undefined;
  const opened = await openTermsToo(terms, { model: ofTokens });
  const index = await openIndexToo(set, { model, terms: opened, recipe: `${set}.recipe.json` });
  return { set, terms, opened, index };
}

/** Returns the program's hits in the form that they have here. */
function programHits(set, terms, query, match) {
  const args = ["-q", query, "-m", tiny, "-k", "5", "--match", match, "--json"];
  const { hits } = JSON.parse(embd("search", set, "--terms", terms, ...args));
  const rounded = (value) => (value === undefined ? undefined : Math.fround(value));
  return hits.map(({ id, score, distance, term_score }) => [id, rounded(score), rounded(distance), rounded(term_score)]);
}

const real = without(program, "EMBD");

for (const how of [[], ["--stemmer", "none"], ["--term-kind", "tokens"]]) {
  test(`rows, scores and distances are those of the program ${how.join(" ")}`, { skip: real }, async (t) => {
    const model = await open(tiny);
    const { set, terms, index } = await openMade(t, model, how);
    for (const match of ["vectors", "terms", "both"]) {
      for (const query of queries) {
        const hits = await index.search(query, { k: 5, match });
        const plain = hits.map(({ id, score, distance, termScore }) => [id, score, distance, termScore]);
        assert.deepEqual(plain, programHits(set, terms, query, match), `${match}: ${query}`);
      }
      const many = await index.searchMany(queries, { k: 5, match });
      assert.deepEqual(many[1], await index.search(queries[1], { k: 5, match }));
    }
    assert.deepEqual(await index.search("error"), await index.search("error", { match: "both" }));
    const [vector] = [await model.encode("error")];
    assert.deepEqual(await index.search(vector, { texts: "error" }), await index.search("error"));
    assert.deepEqual(await index.search(vector), await index.search("error", { match: "vectors" }));
    await assert.rejects(index.search(vector, { match: "both" }), { code: "invalid_argument", message: /texts/ });
    await assert.rejects(index.searchMany([vector], { texts: ["a", "b"] }), { message: /2 texts were given for 1 queries/ });
    const some = await index.search("error", { match: "both", ids: [0, 2, 9] });
    assert.deepEqual(some.map(({ id }) => id).sort(), [0, 2, 9]);
    assert.deepEqual(await index.search("error", { match: "both", ids: [] }), []);
    await assert.rejects(index.search("error", { match: "both", k: 0 }), { code: "invalid_argument" });
  });
}

test("terms alone need no model", { skip: real }, async (t) => {
  const { index } = await openMade(t, undefined, []);
  const hits = await index.search("MAIL_JOB", { match: "terms" });
  assert.deepEqual(hits.map(({ id }) => id), [2, 1]);
  assert.deepEqual(Object.keys(hits[0]), ["id", "termScore"]);
  await assert.rejects(index.search("MAIL_JOB"), { code: "invalid_argument", message: /model/ });
});

test("a thread searches by terms as this thread does", { skip: real }, async (t) => {
  const here = await openMade(t, await open(tiny), []);
  const far = await openMade(t, await there.open(tiny), [], there.openTerms, there.openIndex);
  assert.deepEqual(await far.index.search("error E4712"), await here.index.search("error E4712"));
});

test("terms of tokens need their model", { skip: real }, async (t) => {
  const { terms } = await openMade(t, await open(tiny), ["--term-kind", "tokens"]);
  const alone = await openTerms(terms);
  await assert.rejects(alone.search("error"), { code: "invalid_argument", message: /model/ });
  assert.ok((await alone.scores(["error"], [1])).length === 1);
});

test("the terms of a row are found where rows before it were removed", { skip: real }, async (t) => {
  const file = join(data, "usearch/f32_removed.usearch");
  const { rows, dim } = (await openIndex(file)).info;
  const folder = temporaryFolder(t);
  writeFileSync(join(folder, "rows.txt"), Array.from({ length: rows }, (_, row) => `text of row${row}\n`).join(""));
  embd("embed", join(folder, "rows.txt"), "-m", tiny, "-o", join(folder, "rows.npy"), "-o", join(folder, "rows.terms"));
  const terms = await openTerms(join(folder, "rows.terms"));
  const index = await openIndex(file, { terms });
  const query = readNpy(join(data, "usearch/queries_main.npy")).slice(0, dim);
  const distances = new Map((await index.search(query, { k: rows, exact: true })).map(({ id, distance }) => [id, distance]));
  for (let row = 0; row < rows; ++row) {
    const args = ["-q", `row${row}`, "--match", "terms", "--json"];
    const [{ id }] = JSON.parse(embd("search", file, "--terms", join(folder, "rows.terms"), ...args)).hits;
    assert.deepEqual((await index.search(`row${row}`, { match: "terms" })).map((hit) => hit.id), [id]);
    const both = await index.search(query, { texts: `row${row}`, k: rows });
    assert.deepEqual(both.filter(({ termScore }) => termScore > 0).map((hit) => hit.id), [id]);
    assert.deepEqual(new Map(both.map((hit) => [hit.id, hit.distance])), new Map(both.map((hit) => [hit.id, distances.get(hit.id)])));
    const only = await index.search(query, { texts: `row${row}`, ids: [id] });
    assert.deepEqual(only.map((hit) => hit.id), [id]);
  }
});
