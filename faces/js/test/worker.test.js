import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import * as here from "../src/embd.js";
import * as there from "../src/worker.js";
import { data } from "./fixtures.js";

const tiny = join(data, "embd/defaults.weights");

test("a thread gives what this thread gives", async () => {
  const mine = await here.open(tiny);
  const theirs = await there.open(tiny);
  assert.deepEqual(theirs.info, mine.info);
  assert.deepEqual(await theirs.encode("hello"), await mine.encode("hello"));
  assert.deepEqual(await theirs.encode(["a", "b"]), await mine.encode(["a", "b"]));
  assert.deepEqual(await theirs.tokenize("hello"), await mine.tokenize("hello"));
  const windows = await theirs.encodeWindows("one two ".repeat(500));
  assert.deepEqual(windows, await mine.encodeWindows("one two ".repeat(500)));
  await theirs.close();
  await assert.rejects(theirs.encode("a"));
});

test("errors and progress come over, a signal goes there", async () => {
  await assert.rejects(there.open("/none"), (error) => {
    assert.ok(error instanceof there.EmbdError);
    return error.code === "not_found" && error.status === "io_failed";
  });
  const worker = await there.EmbdWorker.start();
  const model = await worker.open(tiny);
  const controller = new AbortController();
  let steps = 0;
  const work = model.encode(new Array(200).fill("word ".repeat(1000)), {
    signal: controller.signal,
    onProgress: () => {
      ++steps;
      controller.abort();
    },
  });
  await assert.rejects(work, { code: "cancelled" });
  assert.ok(steps >= 1);
  worker.terminate();
});

test("a call that cannot be sent keeps no program from its end", async () => {
  let isHeld = true;
  const thread = {
    addEventListener: (type, listen) => type === "message" && queueMicrotask(() => listen({ data: { ready: true } })),
    postMessage: (message) => void structuredClone(message),
    ref: () => (isHeld = true),
    unref: () => (isHeld = false),
  };
  const worker = await there.EmbdWorker.start({ worker: thread });
  assert.equal(isHeld, false);
  await assert.rejects(worker.call(undefined, "about", [() => "no clone"]), { name: "DataCloneError" });
  assert.equal(isHeld, false);
});

test("calls of a thread that is ended fail", async () => {
  const worker = await there.EmbdWorker.start();
  const model = await worker.open(tiny);
  const work = model.encode(new Array(1000).fill("word ".repeat(1000)));
  worker.terminate();
  await assert.rejects(work, { code: "cancelled" });
});

test("several threads give what one gives", async (t) => {
  const one = await here.open(tiny);
  const pool = await there.openPool(tiny, { threads: 3 });
  t.after(() => pool.close());
  assert.equal(pool.threads, 3);
  assert.deepEqual(pool.info, one.info);
  const texts = Array.from({ length: 100 }, (_, i) => `text ${i} ${"word ".repeat(i)}`);
  const seen = [];
  const rows = await pool.encode(texts, { truncateDim: 4, onProgress: ({ done }) => seen.push(done) });
  assert.deepEqual(rows, await one.encode(texts, { truncateDim: 4 }));
  assert.equal(seen.at(-1), 100);
  assert.deepEqual(await pool.encode("hello"), await one.encode("hello"));
  assert.deepEqual(await pool.encode([]), await one.encode([]));
});

test("a pool has the errors of its threads", async () => {
  await assert.rejects(there.openPool("/none", { threads: 2 }), { code: "not_found" });
  await assert.rejects(there.openPool(tiny, { threads: 0 }), /threads has a wrong value, expected a whole number from 1/);
  const pool = await there.openPool(tiny, { threads: 2 });
  await assert.rejects(pool.encode(["a", 5]), /text 1 is of the type number, expected a string/);
  await assert.rejects(pool.encode(["a"], { pooling: "sum" }), { code: "invalid_argument" });
  const controller = new AbortController();
  const cancelled = pool.encode(new Array(500).fill("word ".repeat(1000)), {
    signal: controller.signal,
    onProgress: () => controller.abort(),
  });
  await assert.rejects(cancelled, { code: "cancelled" });
  assert.equal((await pool.encode(["still", "there"])).length, 2 * pool.dim);
  const ended = pool.encode(new Array(500).fill("word ".repeat(1000)));
  pool.close();
  await assert.rejects(ended, { code: "cancelled" });
});
