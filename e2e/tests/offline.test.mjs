// The page without a network, and updates from one version to the next: whole versions are kept, or nothing. The
// content of the copy is tested with a tiny site with the real boot.mjs, early.js and sw.js, whose server answers as a
// test says.
import assert from "node:assert/strict";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { writeWorker } from "../../scripts/kept.mjs";
import { serve } from "../../scripts/static.mjs";
import { dist, fixture, newContext, upload, waitReady } from "../harness.mjs";
import { GemmscopePage } from "../page.mjs";

const source = (name) => readFileSync(fileURLToPath(new URL(`../../public/${name}`, import.meta.url)), "utf8");

/** A replaceable copy of the built site, served under /repo/. */
async function copy(t) {
  const folder = mkdtempSync(join(tmpdir(), "gemmscope-site-"));
  cpSync(dist, folder, { recursive: true });
  const server = await serve(folder, { base: "/repo/" });
  t.after(async () => {
    await server.close();
    rmSync(folder, { recursive: true, force: true });
  });
  return { folder, server };
}

async function visit(t, url) {
  const context = await newContext({ serviceWorkers: "allow" });
  t.after(() => context.close());
  const page = await context.newPage();
  page.bad = [];
  page.on("response", (r) => r.status() >= 400 && page.bad.push(`${r.status()} ${r.url()}`));
  page.on("pageerror", (e) => page.bad.push(String(e)));
  await page.goto(url);
  await waitReady(page, 30_000);
  return page;
}

const settled = (page) =>
  page.evaluate(async () => {
    while (!(await navigator.serviceWorker.getRegistration())) await new Promise((done) => setTimeout(done, 50));
    const { active } = await navigator.serviceWorker.ready;
    while (active.state !== "activated") await new Promise((done) => setTimeout(done, 50));
    return active.state;
  });

test("works on a plane after a visit; a page is saved there once one was saved before, else the dialog says what is missing", async (t) => {
  const { server } = await copy(t);
  const page = await visit(t, server.url);
  assert.equal(await settled(page), "activated");
  const kept = await page.evaluate(async () => (await (await caches.open((await caches.keys())[0])).keys()).map((r) => new URL(r.url).pathname));
  assert.ok(kept.some((path) => path.endsWith(".wasm")) && !kept.some((path) => path.endsWith("gemmscope.html")));
  await page.reload();
  await waitReady(page, 30_000);
  const app = new GemmscopePage(page);
  await app.load(fixture("fixtures/generic/plain.csv"));
  await page.getByRole("button", { name: "Share" }).first().click();
  const save = app.dialog.getByRole("button", { name: "Save as a page" });
  // The service worker makes the requests, so it must be offline.
  await page.context().setOffline(true);
  await save.click();
  await app.dialog.getByText("Not saved: the page's one-file form is not kept in this browser and could not be fetched. Once the network is there, it can.").waitFor();
  await page.context().setOffline(false);
  const first = await app.download(() => save.click());
  await server.close();
  const again = await app.download(() => save.click());
  assert.deepEqual(again.bytes, first.bytes);

  await page.goto("about:blank");
  await page.goto(`${server.url}#v=1&device=mi300x&view=table&files=other.csv`);
  await waitReady(page, 30_000);
  await upload(page, [fixture("fixtures/generic/plain.csv")]);
  await page.waitForFunction(() => document.documentElement.dataset.rows === "4");
  assert.deepEqual(page.bad, []);
});

test("published times and the reader of Parquet files are there without a network once they were used", async (t) => {
  const { server } = await copy(t);
  const page = await visit(t, server.url);
  await settled(page);
  await page.reload();
  await waitReady(page, 30_000);
  const app = new GemmscopePage(page);
  const published = "#v=1&view=plan&plan.page=published&tool.device=mi355x&published.type=mxfp4";
  const said = page.getByText(/4096 × 4096 × 4096 on .*MI355X: others reach/);
  await app.go(published);
  await said.first().waitFor();
  await app.load(fixture("parquet/gemms.parquet"));
  const kept = () =>
    page.evaluate(async () => (await (await caches.open((await caches.keys())[0])).keys()).map((r) => new URL(r.url).pathname.split("/").slice(2).join("/")));
  const used = (await kept()).filter((path) => /^reference|^parquet/.test(path)).sort();
  assert.ok(used.includes("parquet.mjs") && used.includes("reference/mi355x-mxfp4.bin"), String(used));
  assert.ok(!used.includes("reference/mi355x-int8.bin"));
  await server.close();
  await page.goto("about:blank");
  await page.goto(`${server.url}${published}`);
  await waitReady(page, 30_000);
  await said.first().waitFor();
  await upload(page, [fixture("parquet/nested.parquet")]);
  await page.waitForFunction(() => document.documentElement.dataset.rows === "2");
});

test("a newer version is taken over whole, once the only page is loaded again", async (t) => {
  const { folder, server } = await copy(t);
  const page = await visit(t, server.url);
  await settled(page);
  await page.reload();
  await waitReady(page);
  const shown = () => page.evaluate(() => ({ js: gemmscopeBoot.jsUrl.split("/").pop(), generation: document.querySelector("meta[name=generation]")?.content ?? "old" }));
  const before = await shown();
  assert.equal(before.generation, "old");

  // The next build: every hashed file has another name, the old ones are gone.
  const renamed = (name) => name.replace(/-[0-9a-f]{12,16}/, "-00000000000000aa");
  const hashed = readdirSync(folder).filter((name) => /-[0-9a-f]{12,16}(_bg)?\.(js|wasm|css)$/.test(name));
  assert.ok(hashed.length > 3);
  // Files that mention them: the pages, and scripts that import each other.
  const scripts = hashed.filter((name) => name.endsWith(".js"));
  let texts = ["index.html", "open.html", ...scripts].map((name) => [name, readFileSync(join(folder, name), "utf8")]);
  for (const name of hashed) {
    const next = renamed(name);
    assert.equal(hashed.filter((n) => renamed(n) === next).length, 1, name);
    renameSync(join(folder, name), join(folder, next));
    texts = texts.map(([file, text]) => [file === name ? next : file, text.replaceAll(name, next)]);
  }
  for (const [file, text] of texts) {
    writeFileSync(join(folder, file), text.replace("<head>", '<head><meta name="generation" content="new">'));
  }
  writeWorker(folder, source("sw.js"));

  // A second tab has the old version: the new one waits, and both show one whole version.
  const second = await page.context().newPage();
  await second.goto(server.url);
  await waitReady(second);
  await page.evaluate(async () => {
    const registration = await navigator.serviceWorker.getRegistration();
    await registration.update();
    while (!registration.waiting) await new Promise((done) => setTimeout(done, 50));
  });
  await page.reload();
  await waitReady(page);
  assert.deepEqual(await shown(), before);
  await second.close();
  // The browser takes a moment to notice the closed tab.
  let after = before;
  for (const end = Date.now() + 60_000; after.generation === "old" && Date.now() < end; ) {
    // The new worker reloads the page itself, which may abort this reload.
    await page.reload().catch(() => {});
    // A page that loads exactly during the switch may miss a file of the old version; the next reload has it.
    const ready = await waitReady(page, 15_000).then(() => true, () => false);
    if (ready) after = await shown();
    else page.bad.length = 0;
  }
  assert.equal(after.generation, "new");
  assert.match(after.js, /00000000000000aa/);
  assert.equal((await page.evaluate(() => caches.keys())).length, 1);
  assert.deepEqual(page.bad, []);
});

test("never inside another page", async (t) => {
  const { server } = await copy(t);
  const context = await newContext({ serviceWorkers: "allow" });
  t.after(() => context.close());
  // Skip the pause before a page registers its worker.
  await context.addInitScript(() => {
    const { setTimeout } = window;
    window.setTimeout = (run, ms, ...more) => setTimeout(run, ms >= 1000 ? 0 : ms, ...more);
    const { register } = ServiceWorkerContainer.prototype;
    ServiceWorkerContainer.prototype.register = function (...given) {
      document.documentElement.dataset.registered = "1";
      return register.apply(this, given);
    };
  });
  const registered = (frame) => frame.evaluate(() => document.documentElement.dataset.registered ?? null);
  const page = await context.newPage();
  await page.goto(`${server.url}playground.html`);
  await page.waitForFunction(() => document.querySelector("#log").innerText.includes("gemm-load"), null, { timeout: 30_000 });
  assert.equal(page.frames().length, 2);
  assert.deepEqual(await Promise.all(page.frames().map(registered)), [null, null]);
  // The same file as a top-level page.
  await page.goto(server.url);
  await page.waitForFunction(() => document.documentElement.dataset.registered === "1");
});

const TYPES = { html: "text/html", js: "text/javascript", mjs: "text/javascript", wasm: "application/wasm" };
const PORTAL = { status: 200, type: "text/html", body: "<!doctype html><title>portal</title>Please log in" };

/** The built files of one version, by name. */
function version(root, v) {
  const folder = join(root, v);
  mkdirSync(folder);
  const files = {
    "index.html": `<!doctype html><title>${v}</title><link rel="icon" href="data:,"><script src="./early.js"></script><div id="boot"></div><script type="module" src="./boot.mjs?js=./app-${v}.js&amp;wasm=./app-${v}_bg.wasm&amp;v=${v}&amp;sw=1"></script>`,
    "boot.mjs": `${source("boot.mjs")}// ${v}\n`,
    "early.js": source("early.js"),
    [`app-${v}.js`]: `export default () => { document.documentElement.dataset.app = "${v}"; };`,
    // An empty module.
    [`app-${v}_bg.wasm`]: Buffer.from([0, 0x61, 0x73, 0x6d, 1, 0, 0, 0]),
  };
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  writeWorker(folder, source("sw.js"));
  return { ...files, "sw.js": readFileSync(join(folder, "sw.js"), "utf8") };
}

/** A server of `answer(name)`: text, bytes, or { status, type, body }; and a page with version 1 in its cache. */
async function kept(t) {
  const root = mkdtempSync(join(tmpdir(), "gemmscope-kept-"));
  const versions = Object.fromEntries(["v1", "v2"].map((v) => [v, version(root, v)]));
  const site = { versions, answer: (name) => versions.v1[name], asked: [] };
  const server = createServer((request, response) => {
    const url = new URL(request.url, "http://localhost");
    const name = url.pathname.slice(1) || "index.html";
    site.asked.push(name + url.search);
    let sent = site.answer(name) ?? { status: 404, type: "text/plain", body: "not found" };
    if (typeof sent === "string" || Buffer.isBuffer(sent)) sent = { status: 200, type: TYPES[name.split(".").pop()], body: sent };
    response.writeHead(sent.status, { "content-type": sent.type, "cache-control": "no-cache" }).end(request.method === "HEAD" ? undefined : sent.body);
  });
  await new Promise((done) => server.listen(0, "127.0.0.1", done));
  const context = await newContext({ serviceWorkers: "allow" });
  const close = () => new Promise((done) => (server.close(done), server.closeAllConnections()));
  t.after(async () => {
    await context.close();
    await close();
    rmSync(root, { recursive: true, force: true });
  });
  const page = await context.newPage();
  await page.goto(`http://127.0.0.1:${server.address().port}/`);
  await shows(page, "v1");
  await settled(page);
  await page.reload();
  await shows(page, "v1");
  return { site, page, close };
}

const shows = (page, v) => page.waitForFunction((v) => document.documentElement.dataset.app === v, v, { timeout: 30_000 });

/** Checks for a newer worker; result: installed, redundant, or none. The browser may have started to check by
 *  itself. */
const update = (page) =>
  page.evaluate(async () => {
    const registration = await navigator.serviceWorker.getRegistration();
    let worker = registration.installing;
    registration.addEventListener("updatefound", () => (worker = registration.installing ?? worker));
    const answered = await registration.update().then(() => true, () => false);
    // Refused at once if the answer is not a script.
    if (!answered) return "none";
    worker ??= registration.installing ?? registration.waiting;
    while (worker?.state === "installing") await new Promise((done) => setTimeout(done, 20));
    return worker?.state ?? "none";
  });

/** Reloads until the page has version `v`: the newer worker takes over after one load, and reloads the page itself. */
async function turns(page, v) {
  for (const end = Date.now() + 60_000; Date.now() < end; ) {
    await page.reload().catch(() => {});
    await page.waitForFunction(() => document.documentElement.dataset.app, null, { timeout: 30_000 }).catch(() => {});
    if ((await page.evaluate(() => document.documentElement.dataset.app).catch(() => "")) === v) return;
  }
  assert.fail(`the page never became ${v}`);
}

const hashed = (name) => /^app-/.test(name);

test("half of a version changes nothing, nor does a portal; a whole one is taken, and so is a rollback", async (t) => {
  const { site, page, close } = await kept(t);
  const { v1, v2 } = site.versions;
  const stays = async (what) => {
    await page.reload();
    await shows(page, "v1").catch((error) => assert.fail(`${what}: ${error}`));
  };
  for (const [what, answer, became] of [
    ["a stale edge: the new worker and hashed files beside the old page", (name) => (name === "sw.js" || hashed(name) ? v2 : v1)[name], "redundant"],
    ["an upload in the middle: the new worker and page before the files they name", (name) => (hashed(name) ? v1 : v2)[name], "redundant"],
    ["a portal that answers 200 to all but the worker", (name) => (name === "sw.js" ? v2[name] : PORTAL), "redundant"],
    ["a portal that answers for everything", () => PORTAL, "none"],
  ]) {
    site.answer = answer;
    assert.equal(await update(page), became, what);
    await stays(what);
  }
  site.answer = (name) => v2[name];
  assert.equal(await update(page), "installed");
  // Rolled back while it waits: the kept version stays.
  site.answer = (name) => v1[name];
  assert.equal(await update(page), "installed");
  await turns(page, "v1");
  site.answer = (name) => v2[name];
  assert.equal(await update(page), "installed");
  await turns(page, "v2");
  assert.equal((await page.evaluate(() => caches.keys())).length, 1);
  site.answer = (name) => v1[name];
  assert.equal(await update(page), "installed");
  await turns(page, "v1");
  // Also without a network.
  await close();
  await stays("no network");
});

/** Damages the copy: its page refers to a missing program. */
const damage = (page) =>
  page.evaluate(async () => {
    const cache = await caches.open((await caches.keys())[0]);
    const html = await (await cache.match("/index.html")).text();
    await cache.put("/index.html", new Response(html.replaceAll("app-v1", "app-v0"), { headers: { "content-type": "text/html" } }));
  });

test("a copy that cannot start gives way to the server's", async (t) => {
  const { site, page } = await kept(t);
  await damage(page);
  // The same version on the server: the browser finds no newer worker that would repair the copy.
  await page.reload().catch(() => {});
  await shows(page, "v1");
  assert.equal(await page.evaluate(() => navigator.serviceWorker.controller), null);
  assert.deepEqual(site.asked.filter((name) => name.endsWith("?past")).sort(), ["app-v1.js?past", "app-v1_bg.wasm?past", "index.html?past"]);
});

test("a copy that cannot start stays where the server cannot help, and is asked about once", async (t) => {
  const { site, page } = await kept(t);
  await damage(page);
  site.answer = () => PORTAL;
  await page.reload();
  await page.waitForFunction(() => document.documentElement.dataset.boot === "failed");
  assert.match(await page.locator(".boot-error").innerText(), /could not be loaded/);
  assert.ok(await page.evaluate(async () => Boolean((await navigator.serviceWorker.getRegistration()).active)));
  assert.deepEqual(site.asked.filter((name) => name.endsWith("?past")), ["index.html?past"]);
});
