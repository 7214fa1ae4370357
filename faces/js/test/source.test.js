// Where a model comes from: its hash, what is kept of it, progress, servers that do what they like.

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { createServer } from "node:http";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { before, after, beforeEach, test } from "node:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { open } from "../src/embd.js";
import { data } from "./fixtures.js";

const bytes = readFileSync(join(data, "embd/defaults.weights"));
const hash = createHash("sha256").update(bytes).digest("hex");
let server;
let url;
let requests = 0;
let answer;
let cache;

before(async () => {
  server = createServer((request, response) => {
    ++requests;
    answer(response);
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  url = `http://127.0.0.1:${server.address().port}/model.weights`;
});
after(() => {
  server.closeAllConnections();
  server.close();
});
beforeEach((t) => {
  requests = 0;
  cache = mkdtempSync(join(tmpdir(), "embd-js-cache-"));
  process.env.XDG_CACHE_HOME = cache;
  answer = (response) => {
    response.setHeader("content-length", bytes.length);
    response.end(bytes);
  };
});
test.afterEach(() => rmSync(cache, { recursive: true }));

const kept = () => join(cache, "embd/models", `sha256-${hash}`);

test("progress ends with all bytes", async () => {
  const steps = [];
  await open(url, { onProgress: (progress) => steps.push(progress) });
  assert.deepEqual(steps.at(-1), { loaded: bytes.length, total: bytes.length });
});

test("a server that does not say how long it is", async () => {
  answer = (response) => {
    response.write(bytes.subarray(0, 100));
    response.end(bytes.subarray(100));
  };
  const steps = [];
  await open(url, { onProgress: (progress) => steps.push(progress) });
  assert.deepEqual(steps.at(-1), { loaded: bytes.length, total: undefined });
});

test("what has a hash is downloaded once", async () => {
  const first = await open(url, { sha256: hash });
  const second = await open(url, { sha256: hash.toUpperCase() });
  assert.equal(requests, 1);
  assert.deepEqual(await second.encode("a"), await first.encode("a"));
  await open(() => assert.fail("called though it is kept"), { sha256: hash });
  await open(url, { sha256: hash, keep: false });
  assert.equal(requests, 2);
});

test("what is kept and damaged is downloaded again", async () => {
  await open(url, { sha256: hash });
  assert.ok(existsSync(kept()));
  writeFileSync(kept(), "damaged");
  await open(url, { sha256: hash });
  assert.equal(requests, 2);
  assert.deepEqual(readFileSync(kept()), bytes);
});

test("other bytes than the hash says are refused and not kept", async () => {
  answer = (response) => response.end("something else");
  await assert.rejects(open(url, { sha256: hash }), { code: "checksum_mismatch", status: "bad_input" });
  assert.ok(!existsSync(kept()));
  await assert.rejects(open(url, { sha256: "12" }), { code: "invalid_argument" });
});

test("what the server says is said", async () => {
  answer = (response) => response.writeHead(404).end();
  await assert.rejects(open(url), { code: "not_found", status: "io_failed", message: /404/ });
  answer = (response) => response.writeHead(500).end();
  await assert.rejects(open(url), { code: "io_failed", message: /500/ });
  answer = (response) => {
    response.setHeader("content-length", bytes.length);
    response.write(bytes.subarray(0, 1000));
    setTimeout(() => response.destroy(), 50);
  };
  await assert.rejects(open(url), { code: "io_failed" });
  await assert.rejects(open("http://127.0.0.1:1/"), { code: "io_failed" });
});

test("a download stops when it is told to", async () => {
  const controller = new AbortController();
  answer = (response) => {
    response.setHeader("content-length", bytes.length);
    response.write(bytes.subarray(0, 1000));
    setTimeout(() => controller.abort(), 50);
  };
  await assert.rejects(open(url, { signal: controller.signal }), { code: "cancelled", status: "cancelled" });
});
