// <gemm-scope src="bench.csv" view="roofline" device="mi300x"></gemm-scope>
//
// The element shows a benchmark file in a frame of gemmscope. The page that holds it fetches the
// file and hands the bytes over a MessagePort: the frame itself asks no other host. What stands
// between the tags is shown until then, and where there is no script.
//
// Also a module: import { mount } from "./gemm-scope.js".

const HERE = new URL(".", import.meta.url);
const VERSION = 1;
const CONNECT_EVERY_MS = 250;
const CONNECT_FOR_MS = 20000;

const SHEET = `
:host { display: block; position: relative; min-height: var(--gemm-scope-height, 0); contain: layout }
:host([hidden]) { display: none }
iframe { display: block; width: 100%; border: 0; color-scheme: normal; border-radius: inherit }
.waiting iframe { position: absolute; inset: 0; visibility: hidden }
.ready slot { display: none }
.full { display: block; width: fit-content; margin: 0.25rem 0 0 auto; font-size: 0.8125em; color: inherit }
.waiting .full, .full[hidden], .print { display: none }
@media print { iframe, slot, .ready .full { display: none } .print { display: block } .print svg { width: 100%; height: auto } }
`;

const OBSERVED = ["src", "view", "device", "theme", "hash", "format", "no-link"];

/** Where gemmscope itself would fetch data from: what its links take as src=. */
const reachable = (url, viewer) =>
  url.protocol === "https:" || (url.protocol === "http:" && (url.origin === viewer.origin || /^(localhost|127\.0\.0\.1|\[::1\])$/.test(url.hostname)));

function nameOf(url) {
  const name = url.pathname.split("/").pop() || "data";
  try { return decodeURIComponent(name); } catch { return name; }
}

class GemmScope extends HTMLElement {
  static observedAttributes = OBSERVED;
  #root = this.attachShadow({ mode: "open" });
  #box; #frame; #print; #full; #port; #view = ""; #address = null; #ids = 0; #open = new Map(); #stop = []; #svg = ""; #started = false;
  #resolveReady; #ready = new Promise((resolve) => (this.#resolveReady = resolve));

  constructor() {
    super();
    try {
      // A constructed sheet needs no style-src 'unsafe-inline' of the host.
      const sheet = new CSSStyleSheet();
      sheet.replaceSync(SHEET);
      this.#root.adoptedStyleSheets = [sheet];
    } catch { /* an old browser: plain, but working */ }
    this.#box = document.createElement("div");
    this.#box.className = "waiting";
    this.#print = document.createElement("div");
    this.#print.className = "print";
    this.#full = Object.assign(document.createElement("a"), { className: "full", target: "_blank", rel: "noopener noreferrer" });
    this.#full.part = "full";
    this.#box.append(document.createElement("slot"), this.#print, this.#full);
    this.#root.append(this.#box);
  }

  /** Resolves when the frame answers. */
  get ready() { return this.#ready; }

  connectedCallback() {
    if (this.#started) return;
    if (this.getAttribute("loading") === "eager" || !("IntersectionObserver" in window)) return this.#start();
    const seen = new IntersectionObserver((entries) => {
      if (entries.some((e) => e.isIntersecting)) { seen.disconnect(); this.#start(); }
    }, { rootMargin: "400px" });
    seen.observe(this);
    this.#stop.push(() => seen.disconnect());
  }

  disconnectedCallback() {
    // A move in the document disconnects and connects at once: only a real removal ends it.
    queueMicrotask(() => {
      if (this.isConnected) return;
      for (const f of this.#stop.splice(0)) f();
      this.#port?.close();
      this.#frame?.remove();
      this.#port = this.#frame = undefined;
      this.#started = false;
      this.#box.className = "waiting";
      this.#ready = new Promise((resolve) => (this.#resolveReady = resolve));
      for (const { reject } of this.#open.values()) reject(new Error("the element was removed"));
      this.#open.clear();
    });
  }

  attributeChangedCallback(name, before, after) {
    if (name === "no-link") return this.#link();
    if (!this.#port || before === after) return;
    if (name === "src" || name === "format") this.#fetch();
    else this.view(this.#wish()).catch((e) => this.#report(e));
  }

  /** Shows a file. `bytes`: ArrayBuffer, typed array, Blob or text. */
  async load(bytes, options) {
    this.#address = null;
    return this.#load(bytes, options);
  }

  async #load(bytes, { name = "data", format, add = false } = {}) {
    await this.#ready;
    if (typeof bytes === "string") bytes = new TextEncoder().encode(bytes);
    if (bytes instanceof Blob) bytes = await bytes.arrayBuffer();
    // A copy: the caller keeps its own, ours is transferred.
    const buffer = ArrayBuffer.isView(bytes)
      ? bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength)
      : bytes.slice(0);
    const result = await this.#ask({ type: "load", name, format, add, bytes: buffer }, [buffer]);
    this.#box.className = "ready";
    this.#link();
    this.#emit("gemm-load", { name, summary: result });
    this.#keepPicture();
    return result;
  }

  /** Changes what is looked at: {view, device, theme, hash}; absent keys stay. */
  async view(set) { await this.#ready; return this.#ask({ type: "view", set }); }

  /** "svg", "csv", "view" or "summary". */
  async export(what) { await this.#ready; return this.#ask({ type: "export", what }); }

  /** The link below the frame: the app with what is looked at, and the data where the app can fetch it itself. */
  #link() {
    const viewer = this.#viewer();
    const keys = this.#view.split("&").filter((key) => key && !/^(src|data)=/.test(key));
    const data = this.#address && reachable(this.#address, viewer);
    if (data) keys.push(`src=${encodeURIComponent(this.#address.href)}`);
    // Only open.html may ask other hosts.
    const page = new URL(data && this.#address.origin !== viewer.origin ? "open.html" : "./", viewer);
    page.hash = keys.join("&");
    this.#full.href = page.href;
    this.#full.textContent = data ? "Open in gemmscope" : "Open gemmscope with this view";
    this.#full.title = data ? "The app with this data and view, in a new tab" : "In a new tab; the data does not go along: load the file there";
    this.#full.hidden = this.hasAttribute("no-link");
  }

  #viewer() {
    const page = new URL(this.getAttribute("viewer") ?? HERE, document.baseURI);
    page.search = page.hash = "";
    return page;
  }

  #wish() {
    const set = {};
    for (const key of ["view", "device", "hash"]) if (this.hasAttribute(key)) set[key] = this.getAttribute(key);
    set.theme = this.#theme();
    return set;
  }

  #theme() {
    const own = this.getAttribute("theme");
    if (own === "light" || own === "dark") return own;
    // What documentation systems set: Docusaurus, Furo, Material, mdBook.
    const { documentElement: html, body } = document;
    const said = html.dataset.theme ?? body?.dataset.theme ?? body?.dataset.mdColorScheme ?? "";
    if (/dark|slate/.test(said) || /\b(dark|navy|coal|ayu)\b/.test(html.className)) return "dark";
    if (/light|default/.test(said) || /\b(light|rust)\b/.test(html.className)) return "light";
    return "auto";
  }

  #start() {
    this.#started = true;
    const page = this.#viewer();
    page.searchParams.set("embed", "1");
    // In the address, so that the frame's first paint has the right colours already.
    if (this.#theme() !== "auto") page.searchParams.set("theme", this.#theme());
    const frame = document.createElement("iframe");
    frame.title = this.getAttribute("title") ?? "gemmscope: GEMM benchmark against its roofline";
    frame.referrerPolicy = "no-referrer";
    frame.allow = "fullscreen; clipboard-write";
    frame.height = this.getAttribute("height") ?? "560";
    const isolated = this.hasAttribute("isolate");
    if (isolated) frame.sandbox = "allow-scripts allow-downloads";
    else if (page.origin !== location.origin) frame.sandbox = "allow-scripts allow-same-origin allow-downloads";
    const target = isolated ? "*" : page.origin;
    this.#frame = frame;
    let since = 0;
    const connect = () => {
      if (this.#port || !frame.contentWindow) return;
      const { port1, port2 } = new MessageChannel();
      port1.onmessage = (e) => this.#receive(port1, e.data);
      // The message itself holds nothing but the port, so an opaque frame may get it by "*".
      try { frame.contentWindow.postMessage({ gemm: { v: VERSION, type: "connect" } }, target, [port2]); } catch { /* not there yet */ }
    };
    const onHello = (e) => { if (e.source === frame.contentWindow && e.data?.gemm?.type === "hello") connect(); };
    window.addEventListener("message", onHello);
    let timer;
    // Not before the frame has loaded: until then its window is still of this page's origin.
    frame.addEventListener("load", () => {
      if (since && this.#port) {
        // Loaded once more: that is a new page, which knows nothing yet.
        this.#port.close();
        this.#port = undefined;
        for (const { reject } of this.#open.values()) reject(new Error("the frame was loaded again"));
        this.#open.clear();
      }
      since = performance.now();
      clearInterval(timer);
      timer = setInterval(() => {
        if (this.#port) clearInterval(timer);
        else if (performance.now() - since > CONNECT_FOR_MS) {
          clearInterval(timer);
          this.#report(new Error(`gemmscope did not answer from ${page.href}`));
        } else connect();
      }, CONNECT_EVERY_MS);
    });
    const watch = new MutationObserver(() => { if (this.#port) this.view({ theme: this.#theme() }).catch(() => {}); });
    for (const el of [document.documentElement, document.body]) {
      if (el) watch.observe(el, { attributes: true, attributeFilter: ["class", "data-theme", "data-md-color-scheme"] });
    }
    const beforePrint = () => this.#showPicture();
    window.addEventListener("beforeprint", beforePrint);
    this.#stop.push(() => {
      window.removeEventListener("message", onHello);
      window.removeEventListener("beforeprint", beforePrint);
      clearInterval(timer);
      watch.disconnect();
    });
    frame.src = page.href;
    this.#full.before(frame);
    this.#link();
  }

  #receive(port, message) {
    this.#emit("gemm-message", { message });
    if (message?.type === "ready") {
      if (this.#port) return port.close();
      this.#port = port;
      this.#resolveReady(this);
      this.#emit("gemm-ready", { app: message.app });
      // A view that this version does not know keeps nobody from seeing the data.
      this.view(this.#wish()).catch((e) => this.#report(e)).then(() => this.#fetch());
      return;
    }
    if (port !== this.#port) return;
    if (message?.type === "resize") {
      const max = Number(this.getAttribute("max-height") ?? 4000);
      if (!this.hasAttribute("height")) this.#frame.height = String(Math.min(max, Math.max(200, Math.ceil(message.height))));
    } else if (message?.type === "change") {
      this.#view = String(message.view);
      this.#link();
      this.#emit("gemm-change", { view: message.view });
      this.#keepPicture();
    } else {
      const waiting = this.#open.get(message?.id);
      this.#open.delete(message?.id);
      if (message?.type === "ok") waiting?.resolve(message.result);
      else waiting?.reject(Object.assign(new Error(message?.message ?? "refused"), { code: message?.code }));
    }
  }

  #ask(message, transfer = []) {
    const id = ++this.#ids;
    return new Promise((resolve, reject) => {
      this.#open.set(id, { resolve, reject });
      this.#port.postMessage({ ...message, id }, transfer);
    });
  }

  async #fetch() {
    try {
      const inline = this.querySelector('script[type="text/csv"], script[type="text/plain"]');
      const src = this.getAttribute("src");
      const format = this.getAttribute("format") ?? undefined;
      if (inline && !src) await this.load(inline.textContent.trimStart(), { name: inline.dataset.name ?? "inline.csv", format });
      else if (src) {
        const url = new URL(src, document.baseURI);
        const answer = await fetch(url);
        if (!answer.ok) throw new Error(`${url.pathname}: ${answer.status} ${answer.statusText}`);
        const bytes = await answer.arrayBuffer();
        this.#address = url;
        await this.#load(bytes, { name: nameOf(url), format });
      }
      else this.#box.className = "ready";
    } catch (e) { this.#report(e); }
  }

  #keepPicture() {
    clearTimeout(this.pictureTimer);
    this.pictureTimer = setTimeout(() => this.export("svg").then((svg) => { this.#svg = svg; }, () => {}), 300);
  }

  #showPicture() {
    if (!this.#svg) return;
    const parsed = new DOMParser().parseFromString(this.#svg, "image/svg+xml").documentElement;
    if (parsed.nodeName === "svg") this.#print.replaceChildren(document.importNode(parsed, true));
  }

  #report(error) {
    this.#box.className = "waiting";
    this.#emit("gemm-error", { code: error.code ?? "error", message: String(error.message ?? error) });
    console.warn("gemm-scope:", error.message ?? error);
  }

  #emit(type, detail) { this.dispatchEvent(new CustomEvent(type, { detail, bubbles: true })); }
}

if (!customElements.get("gemm-scope")) customElements.define("gemm-scope", GemmScope);

/** Puts an element into `parent`: mount(el, {src, view, device, theme, height}) -> the element. */
export function mount(parent, options = {}) {
  const el = document.createElement("gemm-scope");
  for (const [key, value] of Object.entries(options)) if (value != null) el.setAttribute(key, value === true ? "" : value);
  parent.append(el);
  return el;
}

export { GemmScope };
