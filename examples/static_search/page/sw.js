// Keeps the site for when there is no network. A new version of it is taken whole, once no page of the
// old one is open.

const version = "{{version}}";
const files = "{{files}}";
const prefix = `embd-site ${self.registration.scope} `;
const cacheName = prefix + version;

self.addEventListener("install", (event) => {
  const load = async () => {
    const cache = await caches.open(cacheName);
    await cache.addAll(files.map((file) => new Request(file, { cache: "no-cache" })));
  };
  event.waitUntil(load());
});

self.addEventListener("activate", (event) => {
  const clean = async () => {
    for (const name of await caches.keys())
      if (name.startsWith(prefix) && name !== cacheName) await caches.delete(name);
    await self.clients.claim();
  };
  event.waitUntil(clean());
});

self.addEventListener("fetch", (event) => {
  if (event.request.method !== "GET") return;
  const answer = async () => {
    const cache = await caches.open(cacheName);
    const kept = await cache.match(event.request, { ignoreSearch: true });
    return kept ?? fetch(event.request);
  };
  event.respondWith(answer());
});
