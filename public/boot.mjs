// Starts the page: fetches the wasm once with visible progress, compiles it once, and hands the compiled module to
// the page and to its worker. Trunk writes the hashed file names into this script's own URL (see Trunk.toml).
//
//   globalThis.gemmscopeBoot = { jsUrl, wasmUrl, workerUrl, module, startWorker(), fail(message) }

class Unsupported extends Error {}

const STOPPED = "The page's program stopped, most likely because the browser gave it no more memory. Reload the page to go on.";

const params = new URL(import.meta.url).searchParams;
const at = (name) => new URL(name, import.meta.url).href;
const root = document.documentElement;

const boot = {
  jsUrl: at(params.get("js")),
  wasmUrl: at(params.get("wasm")),
  workerUrl: at(`worker.mjs?v=${params.get("v")}`),
  /** The compiled `WebAssembly.Module`; set before the app starts. */
  module: null,
  startWorker,
  fetchFile,
  fail,
};
globalThis.gemmscopeBoot = boot;

start().catch(async (error) => {
  if (await leaveCopy(error)) location.reload();
  else fail(explain(error), error);
});
// What stops the program later, such as memory that the browser refuses, must not leave a page that does nothing.
for (const type of ["error", "unhandledrejection"]) {
  addEventListener(type, ({ error, reason }) => {
    if (root.dataset.boot === "started" && (error ?? reason) instanceof WebAssembly.RuntimeError) fail(STOPPED);
  });
}

async function start() {
  root.dataset.boot = "loading";
  requireWasm();
  // Says nothing on a fast network: text that flashes by only unsettles.
  const slow = setTimeout(() => say("Loading…"), 400);
  try {
    const [glue, module] = await Promise.all([import(boot.jsUrl), compile()]);
    boot.module = module;
    await glue.default({ module_or_path: module });
  } finally {
    clearTimeout(slow);
  }
  root.dataset.boot = "started";
  document.getElementById("skeleton")?.remove();
  // "1": what was asked for is on the screen. The app clears and sets it while it works; tests wait for it.
  root.dataset.ready ??= "1";
  keepOffline();
}

function requireWasm() {
  // (module (func (result v128) i32.const 0  i8x16.splat  i8x16.popcnt))
  const simd = Uint8Array.of(
    0, 97, 115, 109, 1, 0, 0, 0, 1, 5, 1, 96, 0, 1, 123, 3, 2, 1, 0, 10, 10, 1, 8, 0, 65, 0, 253, 15, 253, 98, 11,
  );
  if (typeof WebAssembly !== "object" || typeof WebAssembly.validate !== "function") {
    throw new Unsupported("This browser does not run WebAssembly, or it is switched off here.");
  }
  if (!WebAssembly.validate(simd)) throw new Unsupported("This browser lacks WebAssembly SIMD.");
}

async function compile() {
  // The options match the <link rel=preload> so that one download serves both.
  const response = await fetch(boot.wasmUrl, { mode: "cors", credentials: "same-origin" });
  if (!response.ok) throw new Error(`${file(boot.wasmUrl)}: HTTP ${response.status}`);
  const total = Number(params.get("bytes"));
  if (!total || !response.body) return WebAssembly.compile(await response.arrayBuffer());
  let seen = 0;
  const counted = response.body.pipeThrough(
    new TransformStream({
      transform(chunk, controller) {
        seen += chunk.byteLength;
        progress(seen / total);
        controller.enqueue(chunk);
      },
    }),
  );
  // A server with the wrong MIME type would stop compileStreaming: name the type ourselves.
  return WebAssembly.compileStreaming(new Response(counted, { headers: { "content-type": "application/wasm" } }));
}

/**
 * A module worker that runs the same wasm: it gets the compiled module, so nothing is fetched or compiled twice.
 * Throws where the browser refuses a worker (a sandboxed frame has no origin): the caller then works on the page.
 */
function startWorker() {
  const worker = new Worker(boot.workerUrl, { type: "module", name: "gemmscope" });
  // The browser tells nobody when it ends a worker. It frees the lock that the worker holds, though.
  const life = navigator.locks && self.origin !== "null" ? `gemmscope worker ${crypto.randomUUID()}` : null;
  if (life) {
    const watch = ({ data }) => {
      if (data?.type !== "ready") return;
      worker.removeEventListener("message", watch);
      navigator.locks.request(life, () => worker.dispatchEvent(new Event("error"))).catch(() => {});
    };
    worker.addEventListener("message", watch);
  }
  worker.postMessage({ type: "boot", js: boot.jsUrl, module: boot.module, life });
  return worker;
}

/** Data at an address, up to `limit` bytes, as a Blob; without cookies, and without saying where the link stood. */
async function fetchFile(url, limit) {
  const stop = new AbortController();
  const { host, origin } = new URL(url);
  const timer = setTimeout(() => stop.abort(), 30_000);
  // The page's own host is asked without a question, so it may not send the page to another one.
  const redirect = origin === location.origin ? "manual" : "follow";
  let response;
  try {
    response = await fetch(url, { credentials: "omit", referrerPolicy: "no-referrer", redirect, signal: stop.signal });
  } catch {
    throw new Error(
      stop.signal.aborted
        ? `${host} did not answer within 30 s`
        : `${host} cannot be reached, or does not let other pages read this file (it would send Access-Control-Allow-Origin). Download the file and drop it here`,
    );
  } finally {
    clearTimeout(timer);
  }
  if (response.type === "opaqueredirect") throw new Error(`${host} sends this address on to another one: link to that one`);
  if (!response.ok) throw new Error(`${host} answered ${response.status} ${response.statusText}`);
  const chunks = [];
  let size = 0;
  for (const reader = response.body.getReader(); ; ) {
    const { done, value } = await reader.read();
    if (done) return new Blob(chunks);
    size += value.byteLength;
    if (size > limit) {
      stop.abort();
      throw new Error(`this is more than ${Math.round(limit / 1e6)} MB: download the file and drop it here`);
    }
    chunks.push(value);
  }
}

/** Keeps this version for later without a network; never inside another page. */
function keepOffline() {
  if (!params.has("sw") || self !== top || !("serviceWorker" in navigator) || location.protocol === "file:") return;
  const register = () => navigator.serviceWorker.register(at("sw.js")).catch((error) => console.warn(error));
  // After everything that the page itself needs.
  setTimeout(register, 1500);
}

/**
 * A copy kept for later that cannot start gives way to the server's: the server is asked once, past the copy and the
 * browser's cache. Tells whether the copy is gone.
 */
async function leaveCopy(error) {
  if (error instanceof Unsupported) return false;
  try {
    // A page without an origin may not even ask for it.
    if (!navigator.serviceWorker?.controller) return false;
    const ask = async (method, name) => {
      const response = await fetch(`${at(name).split("?")[0]}?past`, { method, cache: "reload" });
      if (!response.ok) throw new Error(`${name}: HTTP ${response.status}`);
      return response;
    };
    const html = await (await ask("GET", "index.html")).text();
    const [, query] = /boot\.mjs\?([^"]*)/.exec(html);
    const program = new URLSearchParams(query.replaceAll("&amp;", "&"));
    const parts = [program.get("js"), program.get("wasm")];
    // The same program stops in the same place again.
    if (error instanceof WebAssembly.RuntimeError && at(parts[1]) === boot.wasmUrl) return false;
    for (const name of parts) {
      const type = (await ask("HEAD", name)).headers.get("content-type");
      if (type?.startsWith("text/html")) throw new Error(`${name}: ${type}`);
    }
    const registration = await navigator.serviceWorker.getRegistration();
    return await registration.unregister();
  } catch (unanswered) {
    console.warn(unanswered);
    return false;
  }
}

function progress(fraction) {
  const bar = document.getElementById("boot-progress");
  if (bar) bar.value = Math.min(fraction, 1);
}

function say(text) {
  const status = document.getElementById("boot-status");
  if (status) status.textContent = text;
  const bar = document.getElementById("boot-progress");
  if (bar) bar.hidden = false;
}

/** Puts a readable sentence on the page instead of a blank one. The app calls it too, when it cannot go on. */
function fail(message, error) {
  root.dataset.boot = "failed";
  if (error) console.error(error);
  document.getElementById("boot-progress")?.remove();
  let place = document.getElementById("boot-status");
  if (!place) {
    place = document.createElement("p");
    document.body.prepend(place);
  }
  place.className = "boot-error";
  place.setAttribute("role", "alert");
  place.textContent = message;
}

function explain(error) {
  if (error instanceof Unsupported) {
    return `${error.message} gemmscope needs it: Chrome 91, Firefox 89, Safari 16.4 or newer.`;
  }
  if (error instanceof WebAssembly.RuntimeError) {
    return `The page's program stopped while starting (${error.message}). Please report this with the browser's console output.`;
  }
  return `The page's program could not be loaded: ${error.message ?? error}. Check your connection and reload.`;
}

function file(url) {
  return new URL(url).pathname.split("/").pop();
}
