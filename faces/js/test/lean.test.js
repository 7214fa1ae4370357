import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import * as lean from "../src/lean.js";
import * as whole from "../src/embd.js";
import { data } from "./fixtures.js";

const tiny = join(data, "embd/defaults.weights");

test("a lean module gives what the whole one gives", async () => {
  const ours = await lean.open(tiny);
  const theirs = await whole.open(tiny);
  assert.notEqual(ours.runtime, theirs.runtime);
  assert.deepEqual(ours.info, theirs.info);
  assert.deepEqual(await ours.encode(["hello", "b"]), await theirs.encode(["hello", "b"]));
  assert.deepEqual(await ours.tokenize("hello"), await theirs.tokenize("hello"));
  assert.deepEqual(await lean.about(), await whole.about());
});

test("a lean module has no indexes", async () => {
  const model = await lean.open(tiny);
  const index = whole.openIndex(new Uint8Array(64), { model });
  await assert.rejects(index, /a lean module has no indexes and rerankers/);
});
