// A module of faces/js/native in the engine that runs this, and its exports as faces/js/native has them: numbers, addresses, answers.

import fs from "node:fs";

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** What a module answers where something failed. */
export class Failure extends Error {
  constructor(answer) {
    super(answer.message);
    Object.assign(this, answer);
  }
}

export class WasmModule {
  /** Imports would be calls of a system, which a page has not. Each that is called is an error. */
  static load(path) {
    const module = new WebAssembly.Module(fs.readFileSync(path));
    const imports = {};
    for (const { module: from, name } of WebAssembly.Module.imports(module)) {
      (imports[from] ??= {})[name] = () => {
        throw new Error(`the module calls ${from}.${name}`);
      };
    }
    const instance = new WebAssembly.Instance(module, imports);
    instance.exports._initialize();
    return new WasmModule(module, instance.exports);
  }

  constructor(module, exports) {
    this.module = module;
    this.exports = exports;
  }

  get pages() {
    return this.exports.memory.buffer.byteLength / 65536;
  }

  /** Copies bytes into the module's memory; 0 where there is none. */
  copy(bytes) {
    const at = this.exports.embd_allocate(bytes.length) >>> 0;
    if (at !== 0) new Uint8Array(this.exports.memory.buffer, at, bytes.length).set(bytes);
    return at;
  }

  /** Calls an export. A string or an array of bytes becomes its address and its size, other arrays their address. */
  call(name, ...args) {
    const held = [];
    const numbers = args.flatMap((arg) => {
      if (typeof arg === "number") return [arg];
      const bytes =
        typeof arg === "string" ? encoder.encode(arg) : new Uint8Array(arg.buffer, arg.byteOffset, arg.byteLength);
      const at = this.copy(bytes);
      held.push(at);
      return typeof arg === "string" || arg instanceof Uint8Array ? [at, bytes.length] : [at];
    });
    const result = this.exports[name](...numbers);
    for (const at of held) this.exports.embd_release(at);
    if (result < 0) throw new Failure(JSON.parse(this.text()));
    return result;
  }

  text() {
    const { memory, embd_answer_text, embd_answer_text_size } = this.exports;
    return decoder.decode(new Uint8Array(memory.buffer, embd_answer_text() >>> 0, embd_answer_text_size()));
  }
  json() {
    return JSON.parse(this.text());
  }
  data() {
    const { memory, embd_answer_data, embd_answer_data_size } = this.exports;
    return new Uint8Array(memory.buffer, embd_answer_data() >>> 0, embd_answer_data_size()).slice();
  }

  addFile(name, bytes) {
    const data = this.copy(bytes);
    const text = encoder.encode(name);
    const at = this.copy(text);
    const result = this.exports.embd_add_file(at, text.length, data, bytes.length);
    this.exports.embd_release(at);
    if (result < 0) {
      this.exports.embd_release(data);
      throw new Failure(JSON.parse(this.text()));
    }
  }

  encode(model, texts, options = {}) {
    const bytes = texts.map((text) => encoder.encode(text));
    const all = Buffer.concat(bytes);
    const sizes = new Uint32Array(bytes.map((b) => b.length));
    const at = this.copy(all);
    try {
      this.call("embd_model_encode", model, at, sizes, texts.length, JSON.stringify(options));
    } finally {
      this.exports.embd_release(at);
    }
    return { ...this.json(), bytes: this.data() };
  }

  search(index, queries, dim, k, options = {}) {
    const count = queries.byteLength / 4 / dim;
    const at = this.copy(queries);
    try {
      this.call("embd_index_search", index, at, count, dim, k, JSON.stringify(options));
    } finally {
      this.exports.embd_release(at);
    }
    const counts = this.json().counts;
    const view = new DataView(this.data().buffer);
    let place = 0;
    return counts.map((n) =>
      Array.from({ length: n }, () => {
        const hit = { id: Number(view.getBigUint64(place, true)), distance: view.getFloat32(place + 8, true) };
        place += 16;
        return hit;
      }),
    );
  }
}
