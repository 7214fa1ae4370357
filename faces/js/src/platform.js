// Hides the differences of browsers, Node, Deno and Bun: local files, the user's cache folder and
// threads.

/** Imports a module of Node by a name made at run time, so that no bundler puts it into a page. */
const nodeModule = (name) => import(/* @vite-ignore */ /* webpackIgnore: true */ `node:${name}`);

/** True if this program can read files by their names. */
const hasFiles = typeof globalThis.process?.versions?.node === "string" && !globalThis.document;

/**
 * Returns the bytes of a local file, given by its path or a file: URL. Returns undefined for any
 * other URL, and where there are no files, as in a browser. Throws the system's errors.
 */
export async function readLocalFile(source) {
  if (!hasFiles) return undefined;
  const text = String(source);
  if (/^[a-z][a-z0-9+.-]+:/i.test(text) && !text.startsWith("file:")) return undefined;
  const { readFile } = await nodeModule("fs/promises");
  return readFile(text.startsWith("file:") ? new URL(text) : text);
}

/**
 * Returns a store of files by name in the user's cache folder, with get(), put() and remove().
 * Returns undefined where there are no files, as in a browser.
 */
export async function openFolderStore() {
  if (!hasFiles) return undefined;
  const [fs, path, os] = await Promise.all(["fs/promises", "path", "os"].map(nodeModule));
  const cache = process.env.XDG_CACHE_HOME || path.join(os.homedir(), ".cache");
  const folder = path.join(cache, "embd", "models");
  return {
    async get(name) {
      try {
        return await fs.readFile(path.join(folder, name));
      } catch {
        return undefined;
      }
    },
    async put(name, bytes) {
      await fs.mkdir(folder, { recursive: true, mode: 0o700 });
      const temporary = path.join(folder, `.${name}.${process.pid}.${Date.now()}.tmp`);
      try {
        await fs.writeFile(temporary, bytes);
        await fs.rename(temporary, path.join(folder, name));
      } catch (error) {
        await fs.rm(temporary, { force: true });
        throw error;
      }
    },
    async remove(name) {
      await fs.rm(path.join(folder, name), { force: true });
    },
  };
}

/** Returns how many threads this machine runs at once. */
export async function hardwareThreads() {
  if (globalThis.navigator?.hardwareConcurrency) return navigator.hardwareConcurrency;
  return hasFiles ? (await nodeModule("os")).availableParallelism() : 1;
}

/** Starts a thread. Returns a Worker, or a thread of Node with the methods of a Worker. */
export async function startWorker(url) {
  if (typeof globalThis.Worker === "function") return new Worker(url, { type: "module" });
  const { Worker: NodeWorker } = await nodeModule("worker_threads");
  const worker = new NodeWorker(url);
  return {
    postMessage: (message, transfer) => worker.postMessage(message, transfer),
    addEventListener(type, listen) {
      if (type === "message") worker.on("message", (data) => listen({ data }));
      else worker.on("error", (error) => listen(error));
    },
    terminate: () => worker.terminate(),
    ref: () => worker.ref(),
    unref: () => worker.unref(),
  };
}

/** Returns, inside a thread, the port to the program that started it. */
export async function threadPort() {
  if (typeof globalThis.postMessage === "function" && globalThis.addEventListener)
    return globalThis;
  const { parentPort } = await nodeModule("worker_threads");
  return {
    postMessage: (message, transfer) => parentPort.postMessage(message, transfer),
    addEventListener: (_, listen) => parentPort.on("message", (data) => listen({ data })),
  };
}
