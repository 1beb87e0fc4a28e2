// Starts the page: fetches the wasm once with visible progress, compiles it once, and hands the compiled module to
// the page and to its worker. Trunk writes the hashed file names into this script's own URL (see Trunk.toml). What the
// user gives the page meanwhile is kept by early.js.
//
//   globalThis.gemmscopeBoot = { jsUrl, wasmUrl, workerUrl, module, startWorker(), fetchFile(url, limit, cancelled),
//     openParquet(blob, limit), claim(name) }

class Unsupported extends Error {}
/** The server has no such file any more: only a reload helps. */
class Gone extends Error {}
/** Why data at an address is not read, as it is said. */
class Refused extends Error {}

const params = new URL(import.meta.url).searchParams;
const at = (name) => new URL(name, import.meta.url).href;
const root = document.documentElement;
const early = globalThis.gemmscopeEarly;

const boot = {
  jsUrl: at(params.get("js")),
  wasmUrl: at(params.get("wasm")),
  workerUrl: at(`worker.mjs?v=${params.get("v")}`),
  /** The compiled `WebAssembly.Module`; set before the app starts. */
  module: null,
  startWorker,
  fetchFile,
  openParquet,
  claim,
};
globalThis.gemmscopeBoot = boot;

/** Tells the page around this one how far it is: it waits no longer than it hears of progress. */
const host = new URLSearchParams(location.search).get("embed") === "1" && parent !== self ? parent : null;
const tellHost = (message) => host?.postMessage({ gemm: { v: 1, ...message } }, "*");

let tries = 0;
/** The compiled program, once it is on its way. */
let compiled = null;
run();

async function run() {
  try {
    await start();
  } catch (error) {
    // Files that are kept would be lost by a reload that nobody asked for.
    const left = await leaveCopy(error);
    if (left && !early?.kept().length) location.reload();
    else stop(left ? new Gone(error.message) : error);
  }
}

async function start() {
  root.dataset.boot = "loading";
  requireWasm();
  early?.begin();
  // What arrived stays for another try.
  compiled ??= compile();
  compiled.catch(() => (compiled = null));
  const [glue, module] = await Promise.all([importGlue(), compiled]);
  boot.module = module;
  await glue.default({ module_or_path: module });
  root.dataset.boot = "started";
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

async function importGlue() {
  // A browser may remember that an import failed, so another try has another address.
  const url = tries ? `${boot.jsUrl.split("?")[0]}?try=${tries}` : boot.jsUrl;
  try {
    const glue = await import(url);
    boot.jsUrl = url;
    return glue;
  } catch (error) {
    // An import does not say why it failed; a fetch does.
    await ask(url, { cache: "no-cache" });
    throw error;
  }
}

/** Fetches a file of the program. */
async function ask(url, options) {
  // The options match the <link rel=preload> so that one download serves both.
  const response = await fetch(url, { mode: "cors", credentials: "same-origin", ...options });
  if (response.status === 404 || response.status === 410) throw new Gone(`${file(url)}: HTTP ${response.status}`);
  if (!response.ok) throw new Error(`${file(url)}: HTTP ${response.status}`);
  if (response.headers.get("content-type")?.startsWith("text/html")) {
    throw new Error("the network answered with a page of its own. Does it ask you to log in?");
  }
  return response;
}

async function compile() {
  const response = await ask(boot.wasmUrl, tries ? { cache: "no-cache" } : {});
  const total = Number(params.get("bytes"));
  if (!total || !response.body) return WebAssembly.compile(await response.arrayBuffer());
  let seen = 0;
  const counted = response.body.pipeThrough(
    new TransformStream({
      transform(chunk, controller) {
        seen += chunk.byteLength;
        early?.progress(seen / total);
        if (root.dataset.boot === "loading") tellHost({ type: "progress", part: Math.min(seen / total, 1) });
        controller.enqueue(chunk);
      },
    }),
  );
  // A server with the wrong MIME type would stop compileStreaming: name the type ourselves.
  return WebAssembly.compileStreaming(new Response(counted, { headers: { "content-type": "application/wasm" } }));
}

/** Says in words why the page does not start, and offers what can help. */
function stop(error) {
  console.error(error);
  const [message, more] = explain(error);
  tellHost({ type: "failed", message });
  early?.fail(message, more);
}

function explain(error) {
  const kept = early?.kept() ?? [];
  const reload = { button: "Reload", act: () => location.reload() };
  if (error instanceof Unsupported) {
    return [`${error.message} gemmscope needs it: Chrome 91, Firefox 89, Safari 16.4 or newer.`];
  }
  if (error instanceof WebAssembly.RuntimeError) {
    const message = `The page's program stopped while starting (${error.message}). Please report this with the browser's console output.`;
    return [message, reload];
  }
  if (error instanceof Gone) {
    const again = kept.length ? ` Then choose ${kept.length > 1 ? "the files" : kept[0]} again.` : "";
    return [`The server has another version of this page by now (${error.message}). Reload the page to get it.${again}`, reload];
  }
  const again = {
    button: "Try again",
    keeps: true,
    act: () => {
      tries += 1;
      run();
    },
  };
  // What a browser says of a broken line differs from one to the next and helps nobody.
  const why = error instanceof TypeError ? "" : `: ${error.message ?? error}`;
  return [`The page's program could not be loaded${why}${/[.?!]$/.test(why) ? "" : "."} Check the connection, then try again.`, again];
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

/** How long a host may send nothing, ms. */
const PATIENCE = 30_000;

/** Opens a Parquet file; its reader is fetched when the first one comes (parquet.mjs, as in worker.mjs). */
async function openParquet(blob, limit) {
  const late = new Promise((_, reject) => setTimeout(reject, PATIENCE));
  const reader = await Promise.race([import(at(`parquet.mjs?v=${params.get("v")}`)), late]).catch(() => {
    throw new Error("the page's reader of Parquet files could not be fetched: check the connection and choose the file again");
  });
  return reader.open(blob, limit);
}

/** True if this page alone holds a name, from now until it is closed. Also where the browser does not say. */
function claim(name) {
  return new Promise((held) => {
    const take = (lock) => (held(Boolean(lock)), lock && new Promise(() => {}));
    navigator.locks ? navigator.locks.request(name, { ifAvailable: true }, take).catch(() => held(true)) : held(true);
  });
}

/**
 * Data at an address, up to `limit` bytes, as a Blob; without cookies, and without saying where the link stood. Ends
 * once `cancelled` resolves.
 */
async function fetchFile(url, limit, cancelled) {
  const stop = new AbortController();
  cancelled?.then(() => stop.abort());
  const { host, origin } = new URL(url);
  let timer;
  const patient = () => {
    clearTimeout(timer);
    timer = setTimeout(() => stop.abort(), PATIENCE);
  };
  patient();
  // The page's own host is asked without a question, so it may not send the page to another one.
  const redirect = origin === location.origin ? "manual" : "follow";
  const options = { credentials: "omit", referrerPolicy: "no-referrer", redirect, signal: stop.signal };
  try {
    const response = await fetch(url, options);
    if (response.type === "opaqueredirect") throw new Refused(`${host} sends this address on to another one: link to that one`);
    if (!response.ok) throw new Refused(`${host} answered ${response.status} ${response.statusText}`);
    const chunks = [];
    let size = 0;
    for (const reader = response.body.getReader(); ; ) {
      const { done, value } = await reader.read();
      if (done) return new Blob(chunks);
      patient();
      size += value.byteLength;
      if (size > limit) throw new Refused(`this is more than ${Math.round(limit / 1e6)} MB: download the file and drop it here`);
      chunks.push(value);
    }
  } catch (error) {
    if (error instanceof Refused) throw error;
    if (stop.signal.aborted) throw new Refused(`${host} sent nothing for ${PATIENCE / 1000} s`);
    throw new Refused(
      `${host} cannot be reached, or does not let other pages read this file (it would send Access-Control-Allow-Origin). Download the file and drop it here`,
    );
  } finally {
    clearTimeout(timer);
    stop.abort();
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

function file(url) {
  return new URL(url).pathname.split("/").pop();
}
