// A reranker that the program converted gives the scores of the real library.

import assert from "node:assert/strict";
import { copyFileSync, cpSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { gunzipSync } from "node:zlib";
import { open, openReranker } from "../src/embd.js";
import * as there from "../src/worker.js";
import { data, embd, program, temporaryFolder, without } from "./fixtures.js";

const rerank = join(data, "rerank");

function makeReranker(t) {
  const folder = temporaryFolder(t);
  const model = join(folder, "bert_sigmoid");
  cpSync(join(rerank, "bert_sigmoid"), model, { recursive: true });
  copyFileSync(join(rerank, "tokenizer.json"), join(model, "tokenizer.json"));
  copyFileSync(join(rerank, "one_label.safetensors"), join(model, "model.safetensors"));
  const weights = join(folder, "reranker.weights");
  embd("model", "convert", model, weights);
  return weights;
}

/** The values of a .npy file of float64. */
function readDoubles(path) {
  const bytes = readFileSync(path);
  const begin = 10 + bytes.readUInt16LE(8);
  return Array.from({ length: (bytes.length - begin) / 8 }, (_, i) => bytes.readDoubleLE(begin + 8 * i));
}

test("scores of pairs, and documents by them", { skip: without(program, "EMBD") }, async (t) => {
  const weights = makeReranker(t);
  const reranker = await openReranker(weights);
  const lines = gunzipSync(readFileSync(join(rerank, "bert_sigmoid.jsonl.gz"))).toString();
  const pairs = lines.trim().split("\n").map((line) => JSON.parse(line));
  const expected = readDoubles(join(rerank, "bert_sigmoid.scores.npy"));
  const scores = await reranker.score(pairs.map(({ query, text }) => [query, text]));
  assert.equal(scores.length, expected.length);
  scores.forEach((score, i) => assert.ok(Math.abs(score - expected[i]) < 1e-5, `pair ${i}`));

  const documents = pairs.map(({ text }) => text);
  const ranked = await reranker.rerank(pairs[0].query, documents);
  assert.deepEqual(ranked.map(({ index }) => index).sort((a, b) => a - b), documents.map((_, i) => i));
  for (let i = 1; i < ranked.length; ++i) assert.ok(ranked[i - 1].score >= ranked[i].score);
  assert.deepEqual(await reranker.rerank(pairs[0].query, documents, { k: 3 }), ranked.slice(0, 3));
  assert.deepEqual(await reranker.rerank(pairs[0].query, []), []);

  const theirs = await there.openReranker(weights);
  assert.deepEqual(await theirs.rerank(pairs[0].query, documents), ranked);
  await theirs.close();
  await assert.rejects(open(weights), { code: "unsupported", message: /cross-encoder/ });
  await reranker.close();
  await assert.rejects(reranker.rerank("a", ["b"]), { code: "invalid_argument" });
});
