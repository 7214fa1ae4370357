// 10,000 random texts: ids and vectors are those of the program.

import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { open } from "../src/embd.js";
import { data, embd, int8Model, program, readNpy, temporaryFolder, without } from "./fixtures.js";

const numTexts = 10_000;

/** Numbers below `bound` that are the same each time. */
function randomNumbers(seed) {
  let state = BigInt(seed);
  return (bound) => {
    state = (state * 6364136223846793005n + 1442695040888963407n) & 0xffff_ffff_ffff_ffffn;
    return Number(state >> 33n) % bound;
  };
}

/** A text of words, and of any characters that a line of a file can have. */
function randomText(below) {
  const words = ["the", "Embedding", "naïve", "東京", "[MASK]", "3.14", "e\u0301", "🙂", "don't", "x".repeat(120)];
  const one = () => {
    if (below(3) > 0) return words[below(words.length)];
    const code = below(0x110000);
    return code < 0x20 || (code >= 0xd800 && code < 0xe000) ? " " : String.fromCodePoint(code);
  };
  return Array.from({ length: below(12) }, one).join(below(2) ? " " : "");
}

const below = randomNumbers(40);
const texts = Array.from({ length: numTexts }, () => randomText(below));

function writeTexts(folder) {
  const file = join(folder, "texts.jsonl");
  writeFileSync(file, texts.map((text) => `${JSON.stringify({ text })}\n`).join(""));
  return file;
}

test("token ids", { skip: without(program && int8Model, "EMBD or the model") }, async (t) => {
  const file = writeTexts(temporaryFolder(t));
  const lines = embd("tokenize", file, "-m", int8Model).trim().split("\n");
  assert.equal(lines.length, numTexts);
  const model = await open(int8Model, { compute: "int8" });
  for (const [i, line] of lines.entries())
    assert.deepEqual(Array.from((await model.tokenize(texts[i])).ids), JSON.parse(line).ids, texts[i]);
});

test("vectors", { skip: without(program, "EMBD") }, async (t) => {
  const folder = temporaryFolder(t);
  const tiny = join(data, "embd/defaults.weights");
  for (const compute of ["f32", "int8"]) {
    const out = join(folder, `${compute}.npy`);
    embd("embed", writeTexts(folder), "-m", tiny, "--compute", compute, "-o", out);
    const model = await open(tiny, { compute });
    assert.deepEqual(await model.encode(texts), readNpy(out), compute);
  }
});
