// Keeps one whole version of the page, so that it opens without a network, and never mixes two versions: everything
// that belongs to the page is answered from the one cache that was filled when this worker was installed. A newer worker
// waits until no page of this version is open, or until the only one is loaded again. Version and lists are written at
// build time (scripts/kept.mjs).

const VERSION = "dev";
// Name to digest, as in the attribute integrity. A file that is another one is refused.
const FILES = {};
// The one-file page is large and few want it: it is kept once somebody saved a page.
const SINGLE = {};
// Tables of published times and the reader of Parquet files: each is kept once it was used.
const USED = {};

const PREFIX = "gemmscope:";
// Another copy below another path of the same host has caches of its own.
const NAME = `${PREFIX}${registration.scope}:${VERSION}`;
const known = new Set(Object.keys(FILES).map((name) => new URL(name, registration.scope).pathname));
const single = new URL("gemmscope.html", registration.scope).pathname;
const used = new Map(Object.entries(USED).map(([name, integrity]) => [new URL(name, registration.scope).pathname, integrity]));
const front = new URL(registration.scope).pathname;

addEventListener("install", (event) => {
  event.waitUntil(
    (async () => {
      const cache = await caches.open(NAME);
      // Past the browser's own cache: it may hold a file of another version. One answer that is not the file (a server
      // with half an upload, a network that answers in its place) and nothing is kept: the version before stays.
      await cache.addAll(Object.entries(FILES).map(([name, integrity]) => new Request(name, { cache: "reload", integrity })));
    })(),
  );
});

addEventListener("activate", (event) => {
  event.waitUntil(
    (async () => {
      for (const name of await caches.keys()) {
        if (name.startsWith(`${PREFIX}${registration.scope}:`) && name !== NAME) await caches.delete(name);
      }
    })(),
  );
});

addEventListener("message", (event) => {
  if (event.data === "take over") skipWaiting();
});

addEventListener("fetch", (event) => {
  const url = new URL(event.request.url);
  // A page that cannot start asks the server itself (boot.mjs).
  if (event.request.method !== "GET" || url.origin !== location.origin || url.search === "?past") return;
  if (url.pathname === single && event.request.mode !== "navigate") return event.respondWith(keepSingle(event.request));
  if (used.has(url.pathname)) return event.respondWith(keepUsed(url.pathname));
  if (url.pathname !== front && !known.has(url.pathname)) return;
  event.respondWith(answer(event.request, url));
});

async function keepSingle(request) {
  const cache = await caches.open(NAME);
  try {
    const fresh = await fetch(new Request(single, { cache: "no-cache", integrity: SINGLE["gemmscope.html"] }));
    // A full disk keeps nobody from saving now.
    if (fresh.ok) await cache.put(single, fresh.clone()).catch(() => {});
    return fresh;
  } catch {
    // No network, or the file of another version.
    return (await cache.match(single)) ?? fetch(request);
  }
}

async function keepUsed(path) {
  const cache = await caches.open(NAME);
  const kept = await cache.match(path);
  if (kept) return new Response(kept.body, { status: kept.status, headers: kept.headers });
  const fresh = await fetch(new Request(path, { cache: "no-cache", integrity: used.get(path) }));
  // A full disk keeps nobody from reading it now.
  if (fresh.ok) await cache.put(path, fresh.clone()).catch(() => {});
  return fresh;
}

async function answer(request, url) {
  if (request.mode === "navigate" && registration.waiting && (await clients.matchAll()).length < 2) {
    // The only page is being loaded (again): the newer version takes over, and the page is asked for once more.
    registration.waiting.postMessage("take over");
    return new Response("", { headers: { refresh: "0" } });
  }
  const cache = await caches.open(NAME);
  const path = url.pathname === front ? `${front}index.html` : url.pathname;
  // The query of a script only tells caches apart.
  const kept = await cache.match(path, { ignoreSearch: true });
  // A response of our own has no address, so that a script sees the one it was asked for, query and all.
  return kept ? new Response(kept.body, { status: kept.status, headers: kept.headers }) : fetch(request);
}
