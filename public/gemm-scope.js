// <gemm-scope src="bench.csv" view="roofline" device="mi300x"></gemm-scope>
//
// The element shows a benchmark file in a frame of gemmscope. The page that holds it fetches the
// file and hands the bytes over a MessagePort: the frame itself asks no other host. What stands
// between the tags is shown until then, and where there is no script.
//
// Also a module: import { mount } from "./gemm-scope.js".

const HERE = new URL(".", import.meta.url);
/**
 * Who may be shown the data of this page: its own host, the script's, and those that the script's tag names. Markup
 * alone names no other, since a wiki or a comment may hold markup of its readers. Read once: a tag that comes later
 * is none that ran.
 */
const VIEWERS = new Set([HERE.origin, self.origin]);
for (const tag of document.scripts) {
  if (tag.src !== import.meta.url) continue;
  for (const viewer of (tag.dataset.viewers ?? "").split(/\s+/)) {
    try { VIEWERS.add(new URL(viewer).origin); } catch { /* no address: names nobody */ }
  }
}
VIEWERS.delete("null");
const VERSION = 1;
const CONNECT_EVERY_MS = 250;
/** How long a line may bring nothing: of the program, or of the data. Each progress begins it anew. */
const PATIENCE_MS = 20000;
/** A wait that is worth a word. */
const SLOW_MS = 1000;

// The height that the chart will have is kept free from the start. The page in the frame takes the same (style/embed.css).
const SHEET = `
:host { display: block; position: relative; container-type: inline-size }
:host([hidden]) { display: none }
.stage { position: relative; min-height: var(--gemm-scope-height, clamp(320px, 56cqw, 600px)) }
:host([controls]) .stage { min-height: var(--gemm-scope-height, calc(81px + clamp(320px, 56cqw, 600px))) }
iframe { display: block; width: 100%; border: 0; color-scheme: normal; border-radius: inherit }
.waiting iframe { position: absolute; inset: 0; visibility: hidden }
.failed .stage { min-height: 0 }
.ready slot, .ready button, .ready .loading, [hidden] { display: none }
.loading { position: absolute; inset: auto 0 0 0; display: flex; flex-wrap: wrap; align-items: center; gap: 0 0.75em; padding: 0.5em; font-size: 0.8125em; background: Canvas; color: CanvasText }
.loading p { margin: 0 }
.problem { margin: 0.5rem 0; font-size: 0.8125em }
.full { display: block; width: fit-content; margin: 0.25rem 0 0 auto; font-size: 0.8125em; line-height: 1.5; color: inherit }
.waiting .full { visibility: hidden }
.full[hidden], .print { display: none }
@media print {
  .ready iframe, .full, .loading, button { display: none }
  .ready slot { display: contents }
  .pictured slot { display: none }
  .pictured .print { display: block }
  .stage { min-height: 0 }
  .print svg { width: 100%; height: auto }
}
`;

const OBSERVED = ["src", "more", "view", "device", "theme", "hash", "format", "height", "no-link", "quiet"];

/** Where gemmscope itself would fetch data from: what its links take as src=. */
const reachable = (url, viewer) =>
  url.protocol === "https:" || (url.protocol === "http:" && (url.origin === viewer.origin || /^(localhost|127\.0\.0\.1)$/.test(url.hostname)));

/** The name in an address, as the frame takes it: up to 256 printable characters. Other addresses than files' hold none. */
function nameOf(url) {
  let name = /^(https?|file):$/.test(url.protocol) ? url.pathname.split("/").pop() : "";
  try { name = decodeURIComponent(name); } catch { /* as it is written */ }
  return [...name.replace(/\p{Cc}/gu, "")].slice(0, 256).join("") || "data";
}

const SVG = "http://www.w3.org/2000/svg";
const SHAPES = new Set(["svg", "g", "path", "rect", "circle", "ellipse", "line", "polyline", "polygon", "text", "tspan", "image"]);
const GEOMETRY =
  /^(x|y|dx|dy|x1|y1|x2|y2|cx|cy|r|rx|ry|width|height|d|points|viewBox|transform|preserveAspectRatio|image-rendering|fill|stroke|opacity|(fill|stroke|font|text)-[a-z-]+|dominant-baseline)$/;

/** A copy of a picture that can only be looked at: shapes and text, nothing that runs, fetches or leads elsewhere. */
function copyPicture(from) {
  const to = document.createElementNS(SVG, from.localName);
  for (const { name, value } of from.attributes) {
    const pixels = from.localName === "image" && name === "href" && value.startsWith("data:image/png;base64,");
    if (pixels || (GEOMETRY.test(name) && !/url|[\\;]/i.test(value))) to.setAttribute(name, value);
  }
  for (const child of from.childNodes) {
    if (child.nodeType === Node.TEXT_NODE) to.append(child.data);
    else if (child.namespaceURI === SVG && SHAPES.has(child.localName)) to.append(copyPicture(child));
  }
  return to;
}

class GemmScope extends HTMLElement {
  static observedAttributes = OBSERVED;
  #root = this.attachShadow({ mode: "open" });
  #box; #stage; #button; #frame; #print; #problem; #full; #loading;
  #port; #ids = 0; #open = new Map(); #stop = []; #started = false;
  #view = ""; #address = null; #shown = ""; #svg = ""; #problems = new Map();
  /** Number of the newest wish for data: an older one that arrives later is dropped. */
  #wished = 0; #fetching; #share = null; #loads = Promise.resolve(); #pictureTimer;
  #resolveReady; #ready = new Promise((resolve) => (this.#resolveReady = resolve));

  constructor() {
    super();
    try {
      // A constructed sheet needs no style-src 'unsafe-inline' of the host.
      const sheet = new CSSStyleSheet();
      sheet.replaceSync(SHEET);
      this.#root.adoptedStyleSheets = [sheet];
    } catch { /* an old browser: plain, but working */ }
    const make = (tag, name, more = {}) => {
      const made = Object.assign(document.createElement(tag), { className: name, ...more });
      if (more.part) made.part = more.part;
      return made;
    };
    this.#box = make("div", "waiting");
    this.#stage = make("div", "stage");
    this.#button = make("button", "", { type: "button", part: "start", hidden: true });
    this.#print = make("div", "print");
    this.#problem = make("p", "problem", { part: "problem", role: "status", hidden: true });
    // How far it is, on a slow line.
    this.#loading = make("div", "loading", { part: "loading", hidden: true });
    this.#loading.append(make("p", "", { role: "status" }), make("progress", "", { max: 1, ariaLabel: "Loaded so far" }));
    this.#full = make("a", "full", { part: "full", target: "_blank", rel: "noopener noreferrer" });
    this.#stage.append(document.createElement("slot"), this.#loading, this.#button, this.#print, this.#problem);
    this.#box.append(this.#stage, this.#full);
    this.#root.append(this.#box);
  }

  /** Resolves when the frame answers. */
  get ready() { return this.#ready; }

  connectedCallback() {
    if (this.#started) return;
    this.#keepHeight();
    const loading = this.getAttribute("loading");
    this.#button.textContent = "Show the chart";
    this.#button.hidden = loading !== "click";
    if (loading === "click") return void (this.#button.onclick = () => this.#start());
    if (loading === "eager" || !("IntersectionObserver" in window)) return this.#start();
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
      this.#end("the element was removed");
    });
  }

  /** Takes the frame away, and forgets what it showed. */
  #end(why) {
    for (const f of this.#stop.splice(0)) f();
    this.#disconnect(why);
    this.#fetching?.abort();
    this.#wished++;
    this.#frame?.remove();
    this.#frame = undefined;
    this.#started = false;
    this.#shown = "";
    this.#problems.clear();
    this.#tell();
    this.#wait("");
    this.#button.hidden = true;
    this.#box.className = "waiting";
  }

  /** Says what is waited for, and how far it is (0 to 1; null where that is not known); nothing for "". */
  #wait(text, part = null) {
    const [line, bar] = this.#loading.children;
    if (line.textContent !== text) line.textContent = text;
    if (part === null) bar.removeAttribute("value");
    else bar.value = part;
    this.#loading.hidden = !text || this.hasAttribute("quiet");
  }

  /** Offers to begin again, where the frame did not come. */
  #offerAgain() {
    this.#button.textContent = "Try again";
    this.#button.hidden = false;
    this.#button.onclick = () => {
      this.#end("tried again");
      this.#start();
    };
  }

  attributeChangedCallback(name, before, after) {
    if (name === "no-link") return this.#link();
    if (name === "quiet") return this.#tell();
    if (name === "height") return this.#keepHeight();
    if (!this.#started || before === after) return;
    if (["src", "more", "format"].includes(name)) this.#fetch();
    else if (this.#port) this.#wish();
  }

  /** Shows a file. `bytes`: ArrayBuffer, typed array, Blob or text. */
  async load(bytes, options = {}) {
    if (!options.add) {
      // What src= named and has not arrived is no longer wanted.
      this.#wished++;
      this.#fetching?.abort();
    }
    return this.#load(bytes, options, null);
  }

  /** One after another: the frame reads one file at a time. */
  #load(bytes, { name = "data", format, add = false }, address, wanted = () => true) {
    const run = async () => {
      await this.#ready;
      if (typeof bytes === "string") bytes = new TextEncoder().encode(bytes);
      if (bytes instanceof Blob) bytes = await bytes.arrayBuffer();
      if (!wanted()) return undefined;
      // A copy: the caller keeps its own, ours is transferred.
      const buffer = ArrayBuffer.isView(bytes)
        ? bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength)
        : bytes.slice(0);
      const result = await this.#ask({ type: "load", name, format, add, bytes: buffer }, [buffer]);
      this.#address = address;
      this.#shown = name;
      this.#problems.delete("data");
      this.#tell();
      this.#box.classList.replace("waiting", "ready");
      this.#box.classList.remove("failed");
      this.#link();
      this.#emit("gemm-load", { name, summary: result });
      this.#keepPicture();
      return result;
    };
    const result = this.#loads.then(run);
    this.#loads = result.catch(() => {});
    return result;
  }

  /** Changes what is looked at: {view, device, theme, hash}; absent keys stay. */
  async view(set) { await this.#ready; return this.#ask({ type: "view", set }); }

  /** "svg", "csv", "view" or "summary". */
  async export(what) { await this.#ready; return this.#ask({ type: "export", what }); }

  /** The link below the frame: the app with what is looked at, and the data where the app can fetch it itself. */
  #link() {
    let viewer;
    try { viewer = this.#viewer(); } catch { return void (this.#full.hidden = true); }
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

  /** The folder of gemmscope. Any other kind of address could run script in this page. */
  #viewer() {
    const said = this.getAttribute("viewer");
    const page = said == null ? new URL(HERE) : new URL(said, document.baseURI);
    if (!/^https?:$/.test(page.protocol)) throw new Error(`viewer is an http or https address, not ${page.protocol}`);
    if (!VIEWERS.has(page.origin)) throw new Error(`viewer is on another host, ${page.origin}: the tag of the script names it in data-viewers`);
    page.search = page.hash = "";
    return page;
  }

  /** Tells the frame what the attributes say. A wrong one spoils no other, and keeps nobody from seeing the data. */
  #wish() {
    const wish = {};
    for (const key of ["view", "device", "hash"]) if (this.hasAttribute(key)) wish[key] = this.getAttribute(key);
    wish.theme = this.#theme();
    const done = this.#ask({ type: "view", set: wish });
    const fine = () => { this.#problems.delete("view"); this.#tell(); };
    done.then(fine, async () => {
      const wrong = [];
      for (const key of ["hash", "view", "device", "theme"].filter((key) => key in wish)) {
        await this.#ask({ type: "view", set: { [key]: wish[key] } }).catch((error) => wrong.push(error));
      }
      if (!wrong.length) return fine();
      for (const error of wrong.slice(1)) this.#emit("gemm-error", { code: error.code ?? "error", message: error.message });
      wrong[0].message = wrong.map((error) => error.message).join("; ");
      this.#report("view", wrong[0]);
    });
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

  /** What src= and more= name. */
  #names() {
    const all = [this.getAttribute("src"), ...(this.getAttribute("more")?.split(/\s+/) ?? [])].filter(Boolean);
    return all.length > 1 ? `${all.length} files` : nameOf(new URL(all[0], document.baseURI));
  }

  #keepHeight() {
    const height = Number(this.getAttribute("height"));
    if (height > 0) this.#stage.style.setProperty("min-height", `${height}px`);
    else this.#stage.style.removeProperty("min-height");
    if (height > 0 && this.#frame) this.#frame.height = String(height);
  }

  #start() {
    if (this.#started) return;
    let page;
    try { page = this.#viewer(); } catch (error) { return this.#report("frame", error); }
    this.#started = true;
    this.#button.hidden = true;
    // While the frame is on its way.
    this.#fetch();
    page.searchParams.set("embed", "1");
    if (this.hasAttribute("controls")) page.searchParams.set("controls", "1");
    // In the address, so that the frame's first paint has the right colours already.
    if (this.#theme() !== "auto") page.searchParams.set("theme", this.#theme());
    const frame = document.createElement("iframe");
    frame.title = this.getAttribute("title") ?? "gemmscope: GEMM benchmark against its roofline";
    frame.referrerPolicy = "no-referrer";
    frame.allow = "fullscreen; clipboard-write";
    frame.height = this.getAttribute("height") ?? String(Math.round(this.#stage.getBoundingClientRect().height));
    const isolated = this.hasAttribute("isolate");
    if (isolated) frame.sandbox = "allow-scripts allow-downloads";
    else if (page.origin !== self.origin) frame.sandbox = "allow-scripts allow-same-origin allow-downloads";
    // An isolated page shows frames of hosts that send no headers for it only without their cookies.
    if (self.crossOriginIsolated) frame.credentialless = true;
    // A page without an origin hands that on to its frames.
    const target = isolated || self.origin === "null" ? "*" : page.origin;
    this.#frame = frame;
    let loaded = 0;
    /** When anything was heard of the frame, and how much of the program it has. */
    let heard = performance.now(), part = null, timer;
    const begun = heard;
    const connect = () => {
      if (this.#port || !frame.contentWindow) return;
      const { port1, port2 } = new MessageChannel();
      port1.onmessage = (e) => this.#receive(port1, e.data);
      // The message itself holds nothing but the port, so an opaque frame may get it by "*".
      try { frame.contentWindow.postMessage({ gemm: { v: VERSION, type: "connect" } }, target, [port2]); } catch { /* not there yet */ }
    };
    const giveUp = (why) => {
      clearInterval(timer);
      timer = undefined;
      // A program that stopped answers nothing more.
      this.#disconnect(why);
      this.#wait("");
      this.#offerAgain();
      this.#report("frame", new Error(why));
    };
    const look = () => {
      const now = performance.now();
      if (this.#port) {
        const waits = this.#box.classList.contains("waiting") && !this.#problems.has("data");
        if (waits && now - begun > SLOW_MS && this.hasAttribute("src")) this.#wait(`Reading ${this.#names()}…`, this.#share);
        else this.#wait("");
        if (waits) return;
        clearInterval(timer);
        timer = undefined;
        return;
      }
      if (now - heard > PATIENCE_MS) {
        const from = `from ${page.origin}${page.pathname}`;
        return giveUp(part === null
          ? `gemmscope does not answer ${from}: is it there, and may this page show it in a frame?`
          : `gemmscope stopped arriving ${from} after ${Math.round(part * 100)} %: check the connection, then try again`);
      }
      if (now - begun > SLOW_MS) this.#wait("Loading gemmscope…", part);
      if (loaded) connect();
    };
    const watchLine = () => {
      heard = performance.now();
      timer ??= setInterval(look, CONNECT_EVERY_MS);
    };
    const onMessage = (e) => {
      if (e.source !== frame.contentWindow || !e.data?.gemm) return;
      const { type, part: share, message } = e.data.gemm;
      if (type === "hello") connect();
      else if (type === "failed") giveUp(String(message));
      else if (type === "progress") {
        part = Math.min(Math.max(Number(share) || 0, 0), 1);
        // It goes on after all.
        if (this.#problems.delete("frame")) {
          this.#button.hidden = true;
          this.#box.classList.remove("failed");
          this.#tell();
        }
        watchLine();
      }
    };
    const onBlocked = (e) => {
      if (/^(frame|child)-src/.test(e.effectiveDirective) && e.blockedURI.startsWith(page.origin)) {
        giveUp(`the content policy of this page allows no frame from ${page.origin} (${e.effectiveDirective})`);
      }
    };
    window.addEventListener("message", onMessage);
    document.addEventListener("securitypolicyviolation", onBlocked);
    // Not before the frame has loaded: until then its window is still of this page's origin.
    frame.addEventListener("load", () => {
      // Loaded once more: that is a new page, which knows nothing yet.
      if (loaded && this.#port) this.#disconnect("the frame was loaded again");
      loaded += 1;
      watchLine();
    });
    const watch = new MutationObserver(() => { if (this.#port) this.#ask({ type: "view", set: { theme: this.#theme() } }).catch(() => {}); });
    for (const el of [document.documentElement, document.body]) {
      if (el) watch.observe(el, { attributes: true, attributeFilter: ["class", "data-theme", "data-md-color-scheme"] });
    }
    const beforePrint = () => this.#showPicture();
    window.addEventListener("beforeprint", beforePrint);
    this.#stop.push(() => {
      window.removeEventListener("message", onMessage);
      document.removeEventListener("securitypolicyviolation", onBlocked);
      window.removeEventListener("beforeprint", beforePrint);
      clearInterval(timer);
      watch.disconnect();
    });
    frame.src = page.href;
    this.#loading.before(frame);
    watchLine();
    this.#link();
  }

  #disconnect(why) {
    // What waits for a frame that never answered waits for the next one.
    if (this.#port) this.#ready = new Promise((resolve) => (this.#resolveReady = resolve));
    this.#port?.close();
    this.#port = undefined;
    for (const { reject } of this.#open.values()) reject(new Error(why));
    this.#open.clear();
  }

  #receive(port, message) {
    this.#emit("gemm-message", { message });
    if (message?.type === "ready") {
      if (this.#port) return port.close();
      this.#port = port;
      this.#problems.delete("frame");
      this.#button.hidden = true;
      this.#tell();
      // Before any data: the first picture is the right one.
      this.#wish();
      // A frame that was loaded again lost what it showed.
      if (this.#shown) this.#fetch();
      this.#resolveReady(this);
      this.#emit("gemm-ready", { app: message.app });
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
      // Without an id it may be the answer to any of them.
      const ids = message?.id ? [message.id] : [...this.#open.keys()];
      for (const id of ids) {
        const waiting = this.#open.get(id);
        this.#open.delete(id);
        if (message?.type === "ok") waiting?.resolve(message.result);
        else waiting?.reject(Object.assign(new Error(message?.message ?? "refused"), { code: message?.code }));
      }
    }
  }

  #ask(message, transfer = []) {
    const id = ++this.#ids;
    return new Promise((resolve, reject) => {
      if (!this.#port) return reject(new Error("the frame is not connected"));
      // What cannot be sent throws here, and waits for no answer.
      this.#port.postMessage({ ...message, id }, transfer);
      this.#open.set(id, { resolve, reject });
    });
  }

  /** Gets what src= or the script between the tags holds, and shows it, unless something newer is wanted by then. */
  async #fetch() {
    const wish = ++this.#wished;
    const wanted = () => wish === this.#wished;
    this.#fetching?.abort();
    this.#fetching = new AbortController();
    const src = this.getAttribute("src");
    const inline = this.querySelector('script[type="text/csv"], script[type="text/plain"]');
    const format = this.getAttribute("format") ?? undefined;
    try {
      if (src) {
        const more = this.getAttribute("more")?.split(/\s+/).filter(Boolean) ?? [];
        const urls = [src, ...more].map((one) => new URL(one, document.baseURI));
        const { signal } = this.#fetching;
        const files = await Promise.all(urls.map((url) => this.#get(url, signal)));
        for (const [i, url] of urls.entries()) {
          // The link to gemmscope names one address; of several files it names none.
          const address = more.length ? null : url;
          if (wanted()) await this.#load(files[i], { name: nameOf(url), format, add: i > 0 }, address, wanted);
        }
      } else if (inline) {
        await this.#load(inline.textContent.trimStart(), { name: inline.dataset.name ?? "inline.csv", format }, null, wanted);
      } else {
        // The page's script will bring it.
        await this.#ready;
        if (wanted()) this.#box.classList.replace("waiting", "ready");
      }
    } catch (error) {
      if (!wanted()) return;
      const still = this.#shown && this.#shown !== src ? `; this is still ${this.#shown}` : "";
      error.message = `${src ?? "the data"} is not shown: ${error.message}${still}`;
      this.#report("data", error);
    }
  }

  async #get(url, signal) {
    let blocked = "";
    const onBlocked = (e) => { if (e.effectiveDirective === "connect-src" && url.href.startsWith(e.blockedURI)) blocked = e.effectiveDirective; };
    document.addEventListener("securitypolicyviolation", onBlocked);
    const stop = new AbortController();
    const give = () => stop.abort();
    signal.addEventListener("abort", give);
    let timer, heard;
    const patient = () => {
      heard = performance.now();
      timer ??= setInterval(() => performance.now() - heard > PATIENCE_MS && give(), CONNECT_EVERY_MS);
    };
    try {
      patient();
      const answer = await fetch(url, { signal: stop.signal });
      if (!answer.ok) throw Object.assign(new Error(`${url.host} answered ${answer.status} ${answer.statusText}`.trim()), { code: "not-found" });
      const chunks = [];
      const total = Number(answer.headers.get("content-length"));
      let seen = 0;
      for (const reader = answer.body.getReader(); ; patient()) {
        const { done, value } = await reader.read();
        if (done) return await new Blob(chunks).arrayBuffer();
        chunks.push(value);
        seen += value.byteLength;
        this.#share = total ? Math.min(seen / total, 1) : null;
      }
    } catch (error) {
      if (error.code === "not-found" || signal.aborted) throw error;
      if (stop.signal.aborted) throw Object.assign(new Error(`${url.host} sent nothing for ${PATIENCE_MS / 1000} s`), { code: "not-fetched" });
      // The browser says which policy it was in a task of its own.
      await new Promise((done) => setTimeout(done, 50));
      const why = blocked
        ? `the content policy of this page does not allow ${url.origin} (${blocked})`
        : url.origin === self.origin
          ? `${url.host || url.protocol} cannot be reached`
          : `${url.host || url.protocol} cannot be reached, or does not let this page read it (Access-Control-Allow-Origin)`;
      throw Object.assign(new Error(why), { code: "not-fetched" });
    } finally {
      clearInterval(timer);
      signal.removeEventListener("abort", give);
      document.removeEventListener("securitypolicyviolation", onBlocked);
    }
  }

  #keepPicture() {
    clearTimeout(this.#pictureTimer);
    this.#pictureTimer = setTimeout(() => this.export("svg").then((svg) => { this.#svg = String(svg); }, () => { this.#svg = ""; }), 300);
  }

  #showPicture() {
    const parsed = new DOMParser().parseFromString(this.#svg, "image/svg+xml").documentElement;
    const picture = parsed.namespaceURI === SVG && parsed.localName === "svg" ? copyPicture(parsed) : null;
    const title = parsed.querySelector("title")?.textContent;
    if (picture && title) {
      picture.setAttribute("role", "img");
      picture.setAttribute("aria-label", title);
    }
    this.#print.replaceChildren(...(picture ? [picture] : []));
    this.#box.classList.toggle("pictured", Boolean(picture));
  }

  /** Says what is wrong, in a line below what shows. `about` is what it concerns: frame, data or view. */
  #report(about, error) {
    const message = String(error.message ?? error);
    this.#problems.set(about, message);
    // Nothing will show: its place is not kept free any longer.
    if (about !== "view") this.#wait("");
    if (about !== "view" && !this.#shown) this.#box.classList.add("failed");
    this.#tell();
    this.#emit("gemm-error", { code: error.code ?? "error", message });
    console.warn("gemm-scope:", message);
  }

  #tell() {
    const text = [...this.#problems.values()].join(". ");
    this.#problem.textContent = text && `gemmscope: ${text}.`;
    this.#problem.hidden = !text || this.hasAttribute("quiet");
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
