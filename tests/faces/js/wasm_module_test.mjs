// The modules of faces/js/native beside the program that was built for this machine: the same tokens, bytes, hits and errors.
// EMBD_WASM names the folder of the modules, EMBD_PROGRAM the program, EMBD_MODEL the model. A module that this engine does not
// take, or that is not there, is skipped and said.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import crypto from "node:crypto";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import test from "node:test";

import { Failure, WasmModule } from "./wasm_module.mjs";

const { EMBD_WASM, EMBD_PROGRAM, EMBD_MODEL } = process.env;
const data = path.join(import.meta.dirname ?? path.dirname(new URL(import.meta.url).pathname), "../../data");
const folder = fs.mkdtempSync(path.join(os.tmpdir(), "embd-wasm-"));
test.after(() => fs.rmSync(folder, { recursive: true }));

const golden = path.join(data, "engine/embeddings.jsonl");
const texts = fs.readFileSync(golden, "utf8").trim().split("\n").map((line) => JSON.parse(line).text);
const model = fs.readFileSync(EMBD_MODEL);

const embd = (args, input = "") =>
  execFileSync(EMBD_PROGRAM, args, { input, maxBuffer: 1 << 30, stdio: ["pipe", "pipe", "ignore"] });
const sha256 = (bytes) => crypto.createHash("sha256").update(bytes).digest("hex");

/** The values in a .npy file of rows. */
function valuesOf(npy) {
  const bytes = fs.readFileSync(npy);
  return bytes.subarray(10 + bytes.readUInt16LE(8));
}

/** The program's vectors of the golden texts. */
const rows = Object.fromEntries(
  ["f32", "int8"].map((compute) => {
    const out = path.join(folder, `${compute}.npy`);
    embd(["embed", golden, "-o", out, "--compute", compute, "--model", EMBD_MODEL, "--progress", "never"]);
    return [compute, valuesOf(out)];
  }),
);

function* filesUnder(root) {
  for (const entry of fs.readdirSync(root, { withFileTypes: true })) {
    const name = path.join(root, entry.name);
    if (entry.isDirectory()) yield* filesUnder(name);
    else yield name;
  }
}

/** The same numbers in every run. */
function randomNumbers(seed) {
  return () => {
    seed = (Math.imul(seed ^ (seed >>> 15), 0x2c1b3c6d) + 0x9e3779b9) | 0;
    return (seed ^ (seed >>> 13)) >>> 0;
  };
}

function randomStrings(count) {
  const random = randomNumbers(7);
  const ranges = [[0x20, 0x7e], [0x20, 0x7e], [0xa0, 0x24f], [0x300, 0x36f], [0x370, 0x52f], [0x600, 0x6ff], [0x900, 0x97f],
    [0x2000, 0x206f], [0x3040, 0x30ff], [0x4e00, 0x9fff], [0xac00, 0xd7a3], [0x1f300, 0x1faff], [0, 0x10ffff]];
  return Array.from({ length: count }, () => {
    const [first, last] = ranges[random() % ranges.length];
    let text = "";
    for (let n = random() % 40; n > 0; --n) {
      const code = random() % 5 === 0 ? 0x20 : first + (random() % (last - first + 1));
      // Neither surrogates, which no UTF-8 has, nor what ends a line for the program.
      if ((code < 0xd800 || code > 0xdfff) && code !== 0x0a && code !== 0x0d) text += String.fromCodePoint(code);
    }
    return text;
  });
}

for (const name of ["embd", "embd_relaxed"]) {
  const file = path.join(EMBD_WASM, `${name}.wasm`);
  const usable = fs.existsSync(file) && WebAssembly.validate(fs.readFileSync(file));
  test(name, { skip: usable ? false : `this engine does not take ${name}.wasm` }, async (t) => {
    const wasm = WasmModule.load(file);
    wasm.call("embd_about");
    t.diagnostic(`${process.version}: ${wasm.text()}`);
    wasm.addFile("m.weights", model);
    const open = (compute) => wasm.call("embd_model_open", "m.weights", JSON.stringify({ compute }));
    const int8 = open("int8");

    await t.test("needs no system", () => {
      assert.deepEqual(WebAssembly.Module.imports(wasm.module), []);
    });

    for (const compute of ["f32", "int8"]) {
      await t.test(`${compute}: the program's bytes for all golden texts`, (t) => {
        const handle = open(compute);
        const got = wasm.encode(handle, texts);
        t.diagnostic(`SHA-256 ${sha256(got.bytes)}`);
        assert.equal(got.rows, texts.length);
        assert.equal(sha256(got.bytes), sha256(rows[compute]));
        wasm.call("embd_model_close", handle);
      });
    }

    await t.test("the program's tokens for 10,000 random strings", () => {
      const strings = randomStrings(10_000).filter((text) => text !== "");
      const lines = embd(["tokenize", "--model", EMBD_MODEL], strings.join("\n") + "\n").toString().trim().split("\n");
      assert.equal(lines.length, strings.length);
      strings.forEach((text, i) => {
        wasm.call("embd_model_tokenize", int8, text, "");
        assert.deepEqual(wasm.json().ids, JSON.parse(lines[i]).ids, JSON.stringify(text));
      });
    });

    await t.test("the program's recipe", () => {
      wasm.call("embd_model_recipe", int8, "{}");
      const recipe = JSON.parse(fs.readFileSync(path.join(folder, "int8.npy.recipe.json")));
      assert.equal(wasm.json().model_sha256, recipe.model_sha256);
      assert.equal(wasm.json().tokenizer_sha256, recipe.tokenizer_sha256);
    });

    await t.test("windows have rows and places", () => {
      const long = texts.reduce((a, b) => (a.length > b.length ? a : b));
      const got = wasm.encode(int8, ["short", long], { windows: "rows", max_length: 64, stride: 32 });
      assert.ok(got.rows > 2);
      assert.equal(got.texts[0], 0);
      assert.equal(got.texts.at(-1), 1);
      assert.equal(got.places.length, got.rows);
      assert.equal(got.bytes.length, got.rows * 384 * 4);
    });

    await t.test("options of the wrong kind are errors", () => {
      const refused = (options) =>
        assert.throws(() => wasm.encode(int8, ["a"], options), (error) => error.code === "invalid_argument");
      refused({ pooling: "median" });
      refused({ truncate_dim: -1 });
      refused({ unknown_option: true });
      refused({ max_length: 1 });
      assert.throws(() => wasm.call("embd_model_info", 999), (error) => error.code === "invalid_argument");
    });

    await t.test("a USearch index finds what the program finds", () => {
      const out = path.join(folder, "i.usearch");
      if (!fs.existsSync(out)) embd(["convert", path.join(folder, "int8.npy"), out]);
      wasm.addFile("i.usearch", fs.readFileSync(out));
      wasm.addFile("i.usearch.recipe.json", fs.readFileSync(`${out}.recipe.json`));
      const index = wasm.call("embd_index_open", "i.usearch", JSON.stringify({ recipe: "i.usearch.recipe.json" }));
      wasm.call("embd_index_info", index);
      assert.equal(wasm.json().rows, texts.length);
      wasm.call("embd_index_check", index, int8, "{}");
      assert.throws(() => wasm.call("embd_index_check", index, int8, JSON.stringify({ pooling: "cls" })),
        (error) => error.code === "recipe_mismatch");
      for (const exact of [true, false]) {
        const found = wasm.search(index, new Uint8Array(rows.int8), 384, 10, { exact });
        const args = ["search", out, "--queries", path.join(folder, "int8.npy"), "-k", "10", ...(exact ? ["--exact"] : [])];
        const expected = embd(args).toString().trim().split("\n").map((line) => JSON.parse(line).hits);
        assert.equal(found.length, expected.length);
        found.forEach((hits, i) => {
          assert.deepEqual(hits.map((hit) => hit.id), expected[i].map((hit) => hit.id));
          hits.forEach((hit, j) => assert.equal(hit.distance, Math.fround(expected[i][j].distance)));
        });
      }
      const some = wasm.search(index, new Uint8Array(rows.int8).subarray(0, 384 * 4), 384, 10, { ids: [3, 7, 11] });
      assert.deepEqual(some[0].map((hit) => hit.id).sort((a, b) => a - b), [3, 7, 11]);
      wasm.call("embd_index_close", index);
    });

    await t.test("an SVS folder finds what the program finds", () => {
      const root = path.join(data, "svs/vamana_l2");
      for (const of of filesUnder(root)) wasm.addFile(`v/${path.relative(root, of)}`, fs.readFileSync(of));
      const index = wasm.call("embd_index_open", "v", JSON.stringify({ metric: "l2" }));
      wasm.call("embd_index_info", index);
      const { dim } = wasm.json();
      const random = randomNumbers(3);
      const queries = new Float32Array(5 * dim).map(() => (random() % 2000) / 1000 - 1);
      const file = path.join(folder, `${name}-q.jsonl`);
      fs.writeFileSync(file, Array.from({ length: 5 }, (_, i) =>
        JSON.stringify({ id: `${i}`, embedding: Array.from(queries.subarray(i * dim, (i + 1) * dim)) })).join("\n"));
      for (const exact of [true, false]) {
        const found = wasm.search(index, new Uint8Array(queries.buffer), dim, 5, { exact });
        const args = ["search", root, "--queries", file, "-k", "5", "--metric", "l2", ...(exact ? ["--exact"] : [])];
        const expected = embd(args).toString().trim().split("\n").map((line) => JSON.parse(line).hits);
        found.forEach((hits, i) => assert.deepEqual(hits.map((hit) => hit.id), expected[i].map((hit) => hit.id)));
      }
      wasm.call("embd_index_close", index);
    });

    await t.test("files that are damaged end in errors", (t) => {
      const random = randomNumbers(11);
      const counts = {};
      const attempt = (open, bytes) => {
        try {
          wasm.addFile("x", bytes);
          wasm.call(`embd_${open}_close`, wasm.call(`embd_${open}_open`, "x", ""));
          counts.opened = (counts.opened ?? 0) + 1;
        } catch (error) {
          if (!(error instanceof Failure)) throw error;
          counts[error.code] = (counts[error.code] ?? 0) + 1;
        } finally {
          wasm.call("embd_remove_file", "x");
        }
      };
      for (const [root, open, ending] of [["embd", "model", ".weights"], ["embd", "reranker", ".weights"], ["unigram", "model", ".weights"], ["usearch", "index", ".usearch"]]) {
        for (const seed of filesUnder(path.join(data, root))) {
          const bytes = fs.readFileSync(seed);
          if (!seed.endsWith(ending) || bytes.length > 1 << 20) continue;
          attempt(open, bytes);
          for (let i = 0; i < 20; ++i) {
            const damaged = new Uint8Array(bytes.subarray(0, i % 4 === 0 ? random() % (bytes.length + 1) : bytes.length));
            for (let n = random() % 8; n > 0 && damaged.length > 0; --n) {
              damaged[random() % Math.min(damaged.length, 4096)] = random() % 3 === 0 ? 255 : random() & 255;
            }
            attempt(open, damaged);
          }
        }
      }
      // An SVS folder and a term index with one of their files damaged.
      const folders = [["svs/vamana_l2", "index", JSON.stringify({ metric: "l2" })], ["terms/small.terms", "terms"]];
      for (const [folder, open, ...options] of folders) {
        const root = path.join(data, folder);
        const members = [...filesUnder(root)].map((file) => [`y/${path.relative(root, file)}`, fs.readFileSync(file)]);
        for (let i = 0; i < 300; ++i) {
          members.forEach(([member, bytes], at) => {
            const damaged = new Uint8Array(bytes);
            if (at === i % members.length) damaged[random() % Math.min(damaged.length, 512)] = random() & 255;
            wasm.addFile(member, i % 7 === 0 && at === i % members.length ? damaged.subarray(0, damaged.length / 2) : damaged);
          });
          try {
            wasm.call(`embd_${open}_close`, wasm.call(`embd_${open}_open`, "y", ...options));
          } catch (error) {
            if (!(error instanceof Failure)) throw error;
            counts[error.code] = (counts[error.code] ?? 0) + 1;
          }
          for (const [member] of members) wasm.call("embd_remove_file", member);
        }
      }
      t.diagnostic(JSON.stringify(counts));
      assert.ok(Object.keys(counts).length > 5);
    });

    await t.test("memory does not grow over 10,000 calls", () => {
      const once = () => {
        wasm.call("embd_model_tokenize", int8, texts[10], "");
        wasm.call("embd_model_info", int8);
        assert.throws(() => wasm.encode(int8, ["a"], { pooling: "median" }));
      };
      for (let i = 0; i < 500; ++i) once();
      wasm.encode(int8, texts.slice(0, 20));
      const before = wasm.pages;
      for (let i = 0; i < 3200; ++i) once();
      for (let i = 0; i < 400; ++i) wasm.encode(int8, [texts[i % 20]]);
      assert.equal(wasm.pages, before);
    });

    await t.test("a size near the end of memory gets none", () => {
      for (const size of [2 ** 32 - 1, 2 ** 32 - 64, 2 ** 31]) assert.equal(wasm.exports.embd_allocate(size), 0);
    });

    await t.test("out of memory is an error", () => {
      const held = [];
      for (let size = 1 << 30; size >= 1 << 12; size /= 2) {
        for (let at; (at = wasm.exports.embd_allocate(size) >>> 0) !== 0; ) held.push(at);
      }
      assert.throws(() => wasm.encode(int8, texts), (error) => error instanceof Failure && error.code === "out_of_memory");
      for (const at of held) wasm.exports.embd_release(at);
      assert.equal(sha256(wasm.encode(int8, texts.slice(0, 3)).bytes), sha256(rows.int8.subarray(0, 3 * 384 * 4)));
    });
  });
}
