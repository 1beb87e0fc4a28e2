// What gets into the offline copy: whole versions, or nothing. The site is a tiny one, with the real boot.mjs and sw.js;
// the server hands out whatever a test says.
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { writeWorker } from "../../scripts/kept.mjs";
import { newContext } from "../harness.mjs";

const source = (name) => readFileSync(fileURLToPath(new URL(`../../public/${name}`, import.meta.url)), "utf8");
const TYPES = { html: "text/html", js: "text/javascript", mjs: "text/javascript", wasm: "application/wasm" };
const PORTAL = { status: 200, type: "text/html", body: "<!doctype html><title>portal</title>Please log in" };

/** The built files of one version, by name. */
function version(root, v) {
  const folder = join(root, v);
  mkdirSync(folder);
  const files = {
    "index.html": `<!doctype html><title>${v}</title><link rel="icon" href="data:,"><script type="module" src="./boot.mjs?js=./app-${v}.js&amp;wasm=./app-${v}_bg.wasm&amp;v=${v}&amp;sw=1"></script>`,
    "boot.mjs": `${source("boot.mjs")}// ${v}\n`,
    [`app-${v}.js`]: `export default () => { document.documentElement.dataset.app = "${v}"; };`,
    // An empty module.
    [`app-${v}_bg.wasm`]: Buffer.from([0, 0x61, 0x73, 0x6d, 1, 0, 0, 0]),
  };
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  writeWorker(folder, source("sw.js"));
  return { ...files, "sw.js": readFileSync(join(folder, "sw.js"), "utf8") };
}

/** A server of `answer(name)`: text, bytes, or { status, type, body }; and a page on version 1 that it has kept. */
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
  await page.evaluate(async () => {
    while (!(await navigator.serviceWorker.getRegistration())) await new Promise((done) => setTimeout(done, 50));
    const { active } = await navigator.serviceWorker.ready;
    while (active.state !== "activated") await new Promise((done) => setTimeout(done, 50));
  });
  await page.reload();
  await shows(page, "v1");
  return { site, page, close };
}

const shows = (page, v) => page.waitForFunction((v) => document.documentElement.dataset.app === v, v, { timeout: 30_000 });

/** Looks for a newer worker; what became of it: installed, redundant, or none. */
const update = (page) =>
  page.evaluate(async () => {
    const registration = await navigator.serviceWorker.getRegistration();
    const found = new Promise((done) =>
      registration.addEventListener("updatefound", () => {
        const worker = registration.installing;
        worker.addEventListener("statechange", () => ["installed", "redundant"].includes(worker.state) && done(worker.state));
      }),
    );
    // Refused already where the answer is no script.
    return registration.update().then(() => found, () => "none");
  });

/** Loads the page until it is version `v`: the newer worker takes over with one load, and loads the page itself. */
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
  // Taken back while it waits: the version that is kept stays.
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
  // Without a network too.
  await close();
  await stays("no network");
});

/** Damages the copy: its page names a program that is nowhere. */
const damage = (page) =>
  page.evaluate(async () => {
    const cache = await caches.open((await caches.keys())[0]);
    const html = await (await cache.match("/index.html")).text();
    await cache.put("/index.html", new Response(html.replaceAll("app-v1", "app-v0"), { headers: { "content-type": "text/html" } }));
  });

test("a copy that cannot start gives way to the server's", async (t) => {
  const { site, page } = await kept(t);
  await damage(page);
  // The same version on the server: the browser sees no newer worker that would mend the copy.
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
  assert.match(await page.locator("#boot-status, .boot-error").innerText(), /could not be loaded/);
  assert.ok(await page.evaluate(async () => Boolean((await navigator.serviceWorker.getRegistration()).active)));
  assert.deepEqual(site.asked.filter((name) => name.endsWith("?past")), ["index.html?past"]);
});
