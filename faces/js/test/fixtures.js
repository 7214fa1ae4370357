// Files that tests use. The real model and the native program are given by EMBD_MODELS, a folder with
// all-MiniLM-L6-v2.weights and int8.weights, and EMBD; without them their tests are skipped aloud.

import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

export const data = fileURLToPath(new URL("../../../tests/data", import.meta.url));

const models = process.env.EMBD_MODELS ?? fileURLToPath(new URL("../../../models", import.meta.url));

function existing(path) {
  return existsSync(path) ? path : undefined;
}

export const f32Model = existing(join(models, "all-MiniLM-L6-v2.weights"));
export const int8Model = existing(join(models, "int8.weights"));
export const program = process.env.EMBD;

/** For `skip` of a test: why it cannot run, or false. */
export function without(thing, name) {
  return thing === undefined ? `${name} is not there` : false;
}

export function sha256(bytes) {
  return createHash("sha256")
    .update(new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength))
    .digest("hex");
}

export function embd(...args) {
  return execFileSync(program, args, { encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
}

/** The 240 texts of the golden vectors. */
export function goldenTexts() {
  const lines = readFileSync(join(data, "engine/embeddings.jsonl"), "utf8").trim().split("\n");
  return lines.map((line) => JSON.parse(line).text);
}

/** The values of a .npy file of float32. */
export function readNpy(path) {
  const bytes = readFileSync(path);
  const begin = 10 + bytes.readUInt16LE(8);
  return new Float32Array(bytes.buffer.slice(bytes.byteOffset + begin, bytes.byteOffset + bytes.length));
}

/** A folder that goes with the test. */
export function temporaryFolder(t) {
  const folder = mkdtempSync(join(tmpdir(), "embd-js-"));
  t.after(() => rmSync(folder, { recursive: true }));
  return folder;
}

/** Modules in which every test of bytes runs: the plain one, and the relaxed one where it starts. */
export const wasmFolder = new URL("../wasm/", import.meta.url);
