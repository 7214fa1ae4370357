// Files kept by their SHA-256: in the browser's Cache API, or in the user's cache folder. What is
// kept is checked by who reads it, and losing it costs a download.

import { openFolderStore } from "./platform.js";

const cacheName = "embd-models";

async function openCacheStore() {
  if (typeof caches === "undefined") return undefined;
  const cache = await caches.open(cacheName);
  // A name of the cache, which nobody fetches.
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

/** A store with get, put and remove by name; undefined where nothing can be kept. */
export async function openStore() {
  try {
    return (await openFolderStore()) ?? (await openCacheStore());
  } catch {
    return undefined; // A page without storage: a frame of another site, say.
  }
}
