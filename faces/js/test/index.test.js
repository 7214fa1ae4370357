// Indexes that the program made are searched as the program does.

import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { open, openIndex } from "../src/embd.js";
import { data, embd, int8Model, program, readNpy, temporaryFolder, without } from "./fixtures.js";

const usearch = join(data, "usearch");

test("hits of an index of USearch's own", async () => {
  const index = await openIndex(join(usearch, "f32_cos.usearch"));
  assert.equal(index.info.format, "usearch");
  const { dim } = index.info;
  const queries = readNpy(join(usearch, "queries_main.npy"));
  const expected = readNpy(join(usearch, "f32_cos.k5_exact.dist.npy"));
  const query = queries.slice(0, dim);
  const hits = await index.search(query, { k: 5, exact: true });
  assert.equal(hits.length, 5);
  hits.forEach(({ distance, similarity }, i) => {
    assert.ok(Math.abs(distance - expected[i]) < 1e-5);
    assert.equal(similarity, 1 - distance);
  });
  const only = await index.search(query, { k: 3, ids: [hits[1].id] });
  assert.deepEqual(only, [hits[1]]);
  const many = await index.searchMany([query, queries.slice(dim, 2 * dim)], { k: 2, exact: true });
  assert.equal(many.length, 2);
  await assert.rejects(index.search([1, 2, 3]), { code: "invalid_argument" });
  await assert.rejects(index.search("a text"), { code: "invalid_argument", message: /model/ });
  await index.close();
  await assert.rejects(index.search(query), { code: "invalid_argument" });
});

test("damaged indexes are errors", async () => {
  const bytes = readFileSync(join(usearch, "f32_cos.usearch"));
  for (let i = 0; i < 50; ++i)
    await assert.rejects(openIndex(bytes.subarray(0, Math.floor((bytes.length * i) / 50))), {
      name: "EmbdError",
    });
});

const real = without(program && int8Model, "EMBD or the model");

/** Hits of an index of the golden texts, made with `how` besides, are those of `embd search`. */
async function compareWithProgram(t, how, queries) {
  const folder = temporaryFolder(t);
  const texts = join(folder, "texts.jsonl");
  const lines = readFileSync(join(data, "engine/embeddings.jsonl"), "utf8").trim().split("\n");
  writeFileSync(
    texts,
    lines.map((line, i) => JSON.stringify({ id: `t${i}`, text: JSON.parse(line).text })).join("\n"),
  );
  const file = join(folder, "texts.usearch");
  embd("embed", texts, "-m", int8Model, "--compute", "int8", "--id-field", "id", "-o", file, ...how);
  const model = await open(int8Model, { compute: "int8" });
  const index = await openIndex(file, {
    model,
    recipe: `${file}.recipe.json`,
    ids: `${file}.ids.jsonl`,
  });
  const many = await index.searchMany(queries, { k: 5 });
  for (const [i, query] of queries.entries()) {
    const native = JSON.parse(
      embd("search", file, "-q", query, "-m", int8Model, "--compute", "int8", "-k", "5", "--json"),
    );
    const hits = await index.search(query, { k: 5 });
    assert.deepEqual(many[i], hits);
    assert.deepEqual(
      hits.map(({ id, distance }) => ({ id, distance: Math.fround(distance) })),
      native.hits.map(({ id, distance }) => ({ id, distance: Math.fround(distance) })),
    );
  }
}

test("texts are found as `embd search` finds them", { skip: real }, async (t) => {
  const queries = ["weather in the mountains", "how to peel an apple", "新しい"];
  await compareWithProgram(t, [], queries);
});

test("a query is encoded as the rows were", { skip: real }, async (t) => {
  const how = ["--max-length", "8", "--truncate-side", "left", "--pooling", "cls", "--truncate-dim", "64"];
  await compareWithProgram(t, how, ["the weather in the mountains is said to be lovely in the autumn"]);
});

test("the int8 of older builds is refused by its name", { skip: real }, async (t) => {
  const folder = temporaryFolder(t);
  const file = join(folder, "texts.usearch");
  const recipe = `${file}.recipe.json`;
  writeFileSync(join(folder, "texts.txt"), "one\ntwo\n");
  embd("embed", join(folder, "texts.txt"), "-m", int8Model, "--compute", "int8", "-o", file);
  writeFileSync(recipe, readFileSync(recipe, "utf8").replace('"int8-blocks"', '"int8"'));
  const model = await open(int8Model, { compute: "int8" });
  await assert.rejects(openIndex(file, { model, recipe }), { code: "recipe_mismatch", message: /int8 and int8-blocks/ });
});

test("an index of another model is refused", { skip: real }, async (t) => {
  const folder = temporaryFolder(t);
  const file = join(folder, "texts.usearch");
  writeFileSync(join(folder, "texts.txt"), "one\ntwo\n");
  embd("embed", join(folder, "texts.txt"), "-m", int8Model, "--compute", "int8", "-o", file);
  const model = await open(join(data, "embd/defaults.weights"));
  await assert.rejects(openIndex(file, { model, recipe: `${file}.recipe.json` }), {
    code: "recipe_mismatch",
    status: "recipe_mismatch",
  });
});
