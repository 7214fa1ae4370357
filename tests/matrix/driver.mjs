#!/usr/bin/env node
// The questions of matrix_test.py, put to the npm package:  driver.mjs MODEL < questions
//
// A question is lines of a word and its value, of which the last is "ask". Its answer is a line: a list of hits for each query as
// JSON, [id, distance] each, or the error. Where terms are compared, the number is the score instead of the distance.

import { existsSync, readFileSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { open, openIndex, openTerms } from "../../faces/js/src/embd.js";

const model = await open(process.argv[2]);
const numbers = { vectors: "distance", terms: "termScore", both: "score" };

/** The files under a folder, by their names in it. */
function filesIn(folder) {
  const names = readdirSync(folder, { recursive: true }).filter((name) => statSync(join(folder, name)).isFile());
  return { files: Object.fromEntries(names.map((name) => [name, join(folder, name)])) };
}

/** The ids that may be found, as the index has them: ids of strings are the package's own, by the numbers of their rows. */
function allowedIds(allowed, names) {
  if (names !== undefined) return allowed.map((id) => names.indexOf(id)).filter((row) => row >= 0);
  return allowed.filter((id) => /^(0|[1-9][0-9]*)$/.test(id)).map(BigInt);
}

async function answer(asked, k) {
  if (asked.set === undefined) return (await model.encode(asked.text)) && [];
  const [path] = asked.set;
  const beside = (ending) => (existsSync(path + ending) ? path + ending : undefined);
  const lines = beside(".ids.jsonl") && readFileSync(beside(".ids.jsonl"), "utf8").trim().split("\n");
  const names = lines?.map((line) => JSON.parse(line));
  const terms = asked.terms && (await openTerms(asked.terms[0]));
  const source = statSync(path).isDirectory() ? filesIn(path) : path;
  const index = await openIndex(source, { model, terms, ids: names, recipe: beside(".recipe.json") });
  const match = asked.match?.[0];
  const options = {
    k,
    match,
    exact: asked.exact !== undefined,
    ids: asked.filter && allowedIds(asked.allow ?? [], names),
    prompt: asked.prompt?.[0],
    promptName: asked.prompt_name?.[0],
  };
  const queries = asked.text ?? asked.vector.map((values) => values.split(" ").map(Number));
  const found = await index.searchMany(queries, options);
  await index.close();
  await terms?.close();
  return found.map((hits) => hits.map((hit) => [String(hit.id), hit[numbers[match ?? "vectors"]]]));
}

let asked = {};
for await (const line of createInterface({ input: process.stdin })) {
  const space = `${line} `.indexOf(" ");
  const word = line.slice(0, space);
  if (word !== "ask") {
    (asked[word] ??= []).push(line.slice(space + 1));
    continue;
  }
  const said = await answer(asked, Number(line.slice(space + 1))).then(JSON.stringify, (error) => `error: ${error.message}`);
  console.log(said);
  asked = {};
}
