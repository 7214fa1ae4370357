// Calls the exports of an instance of the WebAssembly module: it passes strings and bytes through
// the module's memory and reads the answers. It does not know what the exports do.

import { badArgument, EmbdError } from "./errors.js";

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** An instance of the WebAssembly module. */
export class Native {
  #exports;

  /** @param {WebAssembly.Module} module */
  static async instantiate(module) {
    const instance = await WebAssembly.instantiate(module);
    instance.exports._initialize?.();
    return new Native(instance.exports);
  }

  constructor(exports) {
    this.#exports = exports;
  }

  /** Returns a view of `size` bytes of the module's memory. It is valid until the next call. */
  bytes(pointer, size) {
    return new Uint8Array(this.#exports.memory.buffer, pointer, size);
  }

  /** The size of the module's memory in bytes. It never becomes smaller. */
  get memorySize() {
    return this.#exports.memory.buffer.byteLength;
  }

  /** Allocates `size` bytes of memory and returns a pointer to them. Throws out_of_memory. */
  allocate(size) {
    // A size of more than 32 bits would be passed to the module without its upper bits.
    const pointer = size < 2 ** 32 ? this.#exports.embd_allocate(size) >>> 0 : 0;
    if (pointer !== 0) return pointer;
    throw new EmbdError({
      code: "out_of_memory",
      status: "io_failed",
      message: `there is not enough memory for ${size} bytes`,
    });
  }

  release(pointer) {
    this.#exports.embd_release(pointer);
  }

  /**
   * Calls the export `name` and returns its result. A string or byte array in `args` is passed as
   * a pointer and a size, `{pointer: bytes}` as a pointer alone, a number as it is. If the result
   * is below 0, throws an EmbdError made of the answer.
   */
  call(name, ...args) {
    const owned = [];
    try {
      const flat = [];
      const give = (bytes) => {
        const pointer = this.allocate(bytes.byteLength);
        owned.push(pointer);
        this.bytes(pointer, bytes.byteLength).set(
          new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength),
        );
        return pointer;
      };
      for (const arg of args) {
        if (typeof arg === "number") {
          flat.push(arg);
        } else if (arg?.pointer !== undefined) {
          flat.push(give(arg.pointer));
        } else {
          const bytes = typeof arg === "string" ? encoder.encode(arg) : arg;
          flat.push(give(bytes), bytes.byteLength);
        }
      }
      if (this.#exports[name] === undefined)
        throw badArgument(`this module has no ${name}: a lean module has no indexes and rerankers`);
      const returned = this.#exports[name](...flat);
      if (returned < 0) throw new EmbdError(this.answer());
      return returned;
    } finally {
      for (const pointer of owned) this.release(pointer);
    }
  }

  /** Returns the text that the last call left as its answer. */
  answerText() {
    const size = this.#exports.embd_answer_text_size() >>> 0;
    return decoder.decode(this.bytes(this.#exports.embd_answer_text() >>> 0, size));
  }

  /** Returns the answer of the last call, parsed as JSON; {} if it is empty. */
  answer() {
    const text = this.answerText();
    return text === "" ? {} : JSON.parse(text);
  }

  /** Returns a copy of the bytes that the last call left as its answer. */
  answerData() {
    const size = this.#exports.embd_answer_data_size() >>> 0;
    return this.bytes(this.#exports.embd_answer_data() >>> 0, size).slice();
  }

  /** Returns a copy of the float32 values that the last call left as its answer. */
  answerFloats() {
    return new Float32Array(this.answerData().buffer);
  }
}

/** Packs texts as the module takes a list: all bytes, one text after the other, and their sizes. */
export function packTexts(texts) {
  const parts = texts.map((text) => encoder.encode(text));
  const sizes = Uint32Array.from(parts, (part) => part.length);
  const all = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return { texts: { pointer: all }, sizes: { pointer: sizes }, count: texts.length };
}
