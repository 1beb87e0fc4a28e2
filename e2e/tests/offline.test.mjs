// The page without a network, and the step from one version to the next.
import assert from "node:assert/strict";
import { cpSync, mkdtempSync, readFileSync, readdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { writeWorker } from "../../scripts/kept.mjs";
import { serve } from "../../scripts/static.mjs";
import { dist, fixture, newContext, upload, waitReady } from "../harness.mjs";
import { GemmscopePage } from "../page.mjs";

/** A copy of the built site that can be replaced, served under /repo/. */
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
    while (!(await navigator.serviceWorker.getRegistration())) await new Promise((done) => setTimeout(done, 100));
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
  // The worker of the page asks, so it is the worker that has no network.
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
  // What names them: the pages, and scripts that import one another.
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
  writeWorker(folder, readFileSync(new URL("../../public/sw.js", import.meta.url), "utf8"));

  // A second tab holds the old version: the new one waits, and both show one whole version.
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
  // The browser takes a moment until it counts the closed tab no more.
  let after = before;
  for (const end = Date.now() + 60_000; after.generation === "old" && Date.now() < end; ) {
    // The worker that takes over loads the page itself, which may cut this one short.
    await page.reload().catch(() => {});
    // A page that loads in the very moment of the change may miss a file of the old version: the next reload has it.
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
  // The pause before a page registers its worker is over at once.
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
  // The same file as a page of its own does.
  await page.goto(server.url);
  await page.waitForFunction(() => document.documentElement.dataset.registered === "1");
});
