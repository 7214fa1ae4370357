// Keeps files by their SHA-256: in the browser's Cache API, or in the user's cache folder. The
// reader of a file checks it. A file that is lost is downloaded again.

import { openFolderStore } from "./platform.js";

const cacheName = "embd-models";

async function openCacheStore() {
  if (typeof caches === "undefined") return undefined;
  const cache = await caches.open(cacheName);
  // The Cache API needs a URL as the key. Nothing is ever fetched from this one.
  const key = (name) => new Request(`https://embd.invalid/${name}`);
  return {
    async get(name) {
      const found = await cache.match(key(name));
      return found && new Uint8Array(await found.arrayBuffer());
    },
    put: (name, bytes) =>
      cache.put(
        key(name),
        new Response(bytes, { headers: { "content-length": String(bytes.byteLength) } }),
      ),
    remove: (name) => cache.delete(key(name)),
  };
}

/** Returns a store with get(), put() and remove(); undefined where files cannot be kept. */
export async function openStore() {
  try {
    return (await openFolderStore()) ?? (await openCacheStore());
  } catch {
    return undefined; // The page has no storage, for example in a frame of another site.
  }
}
