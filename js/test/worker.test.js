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

test("calls of a thread that is ended fail", async () => {
  const worker = await there.EmbdWorker.start();
  const model = await worker.open(tiny);
  const work = model.encode(new Array(1000).fill("word ".repeat(1000)));
  worker.terminate();
  await assert.rejects(work, { code: "cancelled" });
});
