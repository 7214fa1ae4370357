// One instance of the WebAssembly module: memory, strings, and calls that leave an answer. Nothing
// here knows what the calls are for.

import { EmbdError } from "./errors.js";

const encoder = new TextEncoder();
const decoder = new TextDecoder();

// Numbers of errors in WASI.
const badDescriptor = 8;
const notSupported = () => 52;

/** What the C library asks: there is no environment, no folder is open, and there is a clock. */
function systemOf(memory) {
  const noneAt = (countAt, sizeAt) => {
    const view = new DataView(memory().buffer);
    view.setUint32(countAt, 0, true);
    view.setUint32(sizeAt, 0, true);
    return 0;
  };
  return {
    environ_sizes_get: noneAt,
    environ_get: () => 0,
    fd_prestat_get: () => badDescriptor,
    clock_time_get(clock, precision, timeAt) {
      const nanoseconds = BigInt(Math.round(performance.now() * 1e6));
      new DataView(memory().buffer).setBigUint64(timeAt, nanoseconds, true);
      return 0;
    },
    sched_yield: () => 0,
  };
}

export class Native {
  #exports;

  /** @param {WebAssembly.Module} module */
  static async instantiate(module) {
    let instance;
    const system = systemOf(() => instance.exports.memory);
    const imports = {};
    for (const { module: from, name } of WebAssembly.Module.imports(module))
      (imports[from] ??= {})[name] = system[name] ?? notSupported;
    instance = await WebAssembly.instantiate(module, imports);
    instance.exports._initialize?.();
    return new Native(instance.exports);
  }

  constructor(exports) {
    this.#exports = exports;
  }

  /** A view of memory, good until the next call. */
  bytes(pointer, size) {
    return new Uint8Array(this.#exports.memory.buffer, pointer, size);
  }

  /** Bytes of memory that the module has. It never gives any back to the engine. */
  get memorySize() {
    return this.#exports.memory.buffer.byteLength;
  }

  /** A pointer to `size` bytes of memory. Throws out_of_memory. */
  allocate(size) {
    // A size that does not fit into 32 bits would be cut to them.
    const pointer = size < 2 ** 32 ? this.#exports.embd_allocate(size) >>> 0 : 0;
    if (pointer !== 0) return pointer;
    throw new EmbdError({
      code: "out_of_memory",
      status: "io_failed",
      message: `no memory for ${size} bytes`,
    });
  }

  release(pointer) {
    this.#exports.embd_release(pointer);
  }

  /**
   * Calls the export `name`. Strings and byte arrays of `args` become a pointer and a size; plain
   * numbers are passed as they are; `{pointer: bytes}` is passed as a pointer alone. Returns what
   * the call returned; throws EmbdError with its answer where that is below 0.
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
      const returned = this.#exports[name](...flat);
      if (returned < 0) throw new EmbdError(this.answer());
      return returned;
    } finally {
      for (const pointer of owned) this.release(pointer);
    }
  }

  /** The text of the last call's answer. */
  answerText() {
    const size = this.#exports.embd_answer_text_size() >>> 0;
    return decoder.decode(this.bytes(this.#exports.embd_answer_text() >>> 0, size));
  }

  /** The same, parsed; {} where it is empty. */
  answer() {
    const text = this.answerText();
    return text === "" ? {} : JSON.parse(text);
  }

  /** A copy of the bytes of the last call's answer. */
  answerData() {
    const size = this.#exports.embd_answer_data_size() >>> 0;
    return this.bytes(this.#exports.embd_answer_data() >>> 0, size).slice();
  }

  answerFloats() {
    return new Float32Array(this.answerData().buffer);
  }
}

/** Texts one after the other, and the size of each, as the module takes a list of them. */
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
