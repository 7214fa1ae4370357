// Keeps an instance of the module, and puts files into its memory.

import { compileModule } from "./module.js";
import { Native } from "./native.js";
import { readSource } from "./source.js";

/** An instance of the module, in whose memory models and indexes are opened. */
export class Runtime {
  #files = 0;

  static async start(wasm) {
    return new Runtime(await Native.instantiate(await compileModule(wasm)));
  }

  constructor(native) {
    this.native = native;
  }

  /** Returns the name of a new folder, for the files of one model or index. */
  newFolder() {
    return `${++this.#files}`;
  }

  /** Reads `source` into a file of the module's memory, with the options of readSource(). */
  async addFile(name, source, options) {
    const { pointer, size } = await readSource(this.native, source, options);
    const encoded = new TextEncoder().encode(name);
    try {
      this.native.call("embd_add_file", encoded, pointer, size);
    } catch (error) {
      this.native.release(pointer);
      throw error;
    }
  }

  removeFile(name) {
    this.native.call("embd_remove_file", name);
  }

  /**
   * Adds `files` ({name: source}) and calls `open` with two paths: of the file `main`, or of their
   * folder if `main` is "", and of their folder. Then removes the files' names; the opened object
   * keeps their bytes.
   */
  async openFiles(files, main, options, open) {
    const folder = this.newFolder();
    const added = [];
    try {
      for (const [name, source] of Object.entries(files)) {
        await this.addFile(`${folder}/${name}`, source, name === main ? options : { signal: options.signal });
        added.push(name);
      }
      return open(main === "" ? folder : `${folder}/${main}`, folder);
    } finally {
      for (const name of added) this.removeFile(`${folder}/${name}`);
    }
  }

  about() {
    this.native.call("embd_about");
    return this.native.answer();
  }
}

const shared = new Map();

/** Returns the runtime for a module. All calls with the same `wasm` share one runtime. */
export function runtimeOf(wasm) {
  if (!shared.has(wasm)) {
    const starting = Runtime.start(wasm);
    shared.set(wasm, starting);
    starting.catch(() => shared.delete(wasm)); // The next call starts it anew.
  }
  return shared.get(wasm);
}
