// An instance of the module and the files in its memory.

import { compileModule } from "./module.js";
import { Native } from "./native.js";
import { readSource } from "./source.js";

export class Runtime {
  #files = 0;

  static async start(wasm) {
    return new Runtime(await Native.instantiate(await compileModule(wasm)));
  }

  constructor(native) {
    this.native = native;
  }

  /** A folder of its own for the files of one model or index. */
  newFolder() {
    return `${++this.#files}`;
  }

  /** Reads `source` into the file `name`. `options`: those of readSource(). */
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
   * Adds `files` ({name: source}), calls `open` with a path in their folder, and takes their names
   * away again: what is open keeps their bytes.
   */
  async openFiles(files, main, options, open) {
    const folder = this.newFolder();
    const added = [];
    try {
      for (const [name, source] of Object.entries(files)) {
        await this.addFile(`${folder}/${name}`, source, name === main ? options : { signal: options.signal });
        added.push(name);
      }
      return open(main === "" ? folder : `${folder}/${main}`);
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

/** The runtime of a module: one for all that is opened with the same `wasm`. */
export function runtimeOf(wasm) {
  if (!shared.has(wasm)) {
    const starting = Runtime.start(wasm);
    shared.set(wasm, starting);
    starting.catch(() => shared.delete(wasm)); // The next one tries again.
  }
  return shared.get(wasm);
}
