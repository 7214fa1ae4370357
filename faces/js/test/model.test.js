import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { gunzipSync } from "node:zlib";
import { about, EmbdError, open } from "../src/embd.js";
import { data, f32Model, int8Model, without } from "./fixtures.js";

const tiny = join(data, "embd/defaults.weights");

/** For assert.rejects(). */
function failure(code, status) {
  return (error) => {
    assert.ok(error instanceof EmbdError, String(error.stack));
    assert.equal(error.code, code);
    assert.equal(error.status, status);
    assert.notEqual(error.message, "");
    return true;
  };
}

test("a text gives one vector, a list all of them", async () => {
  const model = await open(tiny);
  const one = await model.encode("hello");
  assert.equal(one.length, model.dim);
  const many = await model.encode(["a", "hello", ""]);
  assert.equal(many.length, 3 * model.dim);
  assert.deepEqual(many.slice(model.dim, 2 * model.dim), one);
  assert.equal((await model.encode([])).length, 0);
  await model.close();
});

test("a list that takes several batches is the texts one by one", async () => {
  const model = await open(tiny);
  const texts = Array.from({ length: 50 }, (_, i) => `text ${i} `.repeat(i * 10));
  const steps = [];
  const all = await model.encode(texts, { onProgress: (progress) => steps.push(progress) });
  assert.ok(steps.length > 1);
  assert.deepEqual(steps.at(-1), { done: 50, total: 50 });
  for (const i of [0, 1, 25, 49])
    assert.deepEqual(
      all.slice(i * model.dim, (i + 1) * model.dim),
      await model.encode(texts[i]),
    );
});

test("a long list stops when it is told to", async () => {
  const model = await open(tiny);
  const controller = new AbortController();
  const texts = new Array(100).fill("word ".repeat(1000));
  const work = model.encode(texts, {
    signal: controller.signal,
    onProgress: () => controller.abort(),
  });
  await assert.rejects(work, failure("cancelled", "cancelled"));
  assert.equal((await model.encode("still there")).length, model.dim);
});

test("bytes, a Response and a Blob open as a path does", async () => {
  const bytes = readFileSync(tiny);
  const expected = await (await open(tiny)).encode("hello");
  for (const source of [bytes, new Response(bytes), new Blob([bytes]), bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length)])
    assert.deepEqual(await (await open(source)).encode("hello"), expected);
});

test("golden token ids", { skip: without(f32Model ?? int8Model, "the model") }, async () => {
  const model = await open(int8Model ?? f32Model);
  const lines = gunzipSync(readFileSync(join(data, "tokenizer/tokens.jsonl.gz"))).toString().trim().split("\n");
  assert.ok(lines.length > 100);
  for (const line of lines) {
    const { text, ids } = JSON.parse(line);
    const found = await model.tokenize(text, { maxLength: 0 });
    assert.deepEqual(Array.from(found.ids), ids, text);
  }
  assert.equal(await model.decode((await model.tokenize("Hello world")).ids), "hello world");
});

test("windows cover a long text", async () => {
  const model = await open(tiny);
  const text = "one two three ".repeat(500);
  const { vectors, dim, windows } = await model.encodeWindows(["short", text]);
  assert.ok(windows.length > 2);
  assert.equal(vectors.length, windows.length * dim);
  assert.equal(windows[0].text, 0);
  assert.equal(windows[1].text, 1);
  assert.equal(windows[1].begin, 0);
  assert.ok(windows.at(-1).end >= text.trimEnd().length);
});

test("what is wrong is said", async () => {
  const model = await open(tiny);
  await assert.rejects(open("/none/model.weights"), failure("not_found", "io_failed"));
  await assert.rejects(open(new Uint8Array(0)), (error) => error instanceof EmbdError);
  await assert.rejects(open(Buffer.from("no weights at all, but long enough for a header ".repeat(20))), failure("bad_magic", "bad_input"));
  await assert.rejects(open(12), failure("invalid_argument", "bad_argument"));
  await assert.rejects(model.encode(["a", 3]), failure("invalid_argument", "bad_argument"));
  await assert.rejects(model.encode("a", { noOption: 1 }), failure("invalid_argument", "bad_argument"));
  await assert.rejects(model.encode("a", { pooling: "sum" }), failure("invalid_argument", "bad_argument"));
  await model.close();
  await model.close();
  await assert.rejects(model.encode("a"), failure("invalid_argument", "bad_argument"));
});

test("every damaged file is an error, and the module goes on", async () => {
  const bytes = readFileSync(tiny);
  for (let i = 0; i < 200; ++i) {
    const damaged = Uint8Array.from(bytes.subarray(0, Math.floor((bytes.length * i) / 200)));
    await assert.rejects(open(damaged), (error) => error instanceof EmbdError);
  }
  assert.equal((await (await open(tiny)).encode("a")).length > 0, true);
});

test("memory does not grow over 10,000 calls", { timeout: 600_000 }, async () => {
  const model = await open(tiny);
  const size = () => model.runtime.native.memorySize;
  for (let i = 0; i < 100; ++i) await model.encode(`text ${i}`);
  const before = size();
  for (let i = 0; i < 10_000; ++i) await model.encode(`text ${i}`);
  assert.equal(size(), before);
});

test("about names the version and the module", async () => {
  const { version, module } = await about();
  assert.match(version, /^\d+\.\d+/);
  assert.ok(["simd128", "relaxed"].includes(module));
});
