import assert from "node:assert/strict";
import { test } from "node:test";
import { assertQuiet, newContext, openPage, settle, site, waitIdle, waitReady } from "../harness.mjs";
import { GemmscopePage } from "../page.mjs";

for (const headers of ["strict", "pages"]) {
  test(`starts under a sub-path with the ${headers} headers, each file from the site, and then asks for nothing`, async (t) => {
    const page = await openPage({ t, headers });
    const urls = page.requests;
    assert.deepEqual(urls.filter((url) => !url.includes("/repo/")), []);
    assert.equal(urls.filter((url) => url.endsWith("_bg.wasm")).length, 1, "the wasm once");
    await page.getByRole("heading", { level: 1 }).waitFor();
    await waitIdle(page);
    page.quiet();
    await settle(page);
    assert.deepEqual(page.requests, []);
    assert.equal(await page.locator("#main").count(), 1);
    // Another worker runs the compiled module without a second download.
    const reply = await page.evaluate(
      () =>
        new Promise((resolve, reject) => {
          const worker = gemmscopeBoot.startWorker();
          worker.addEventListener("message", ({ data }) => resolve(data));
          worker.addEventListener("error", (event) => reject(new Error(event.message)));
        }),
    );
    assert.equal(reply.type, "ready", reply.message);
    assert.equal(page.requests.filter((url) => url.endsWith("_bg.wasm")).length, 0);
    assertQuiet(page);
  });
}

test("a slow network sees the page and that something is coming, in the theme that is stored", async (t) => {
  let release;
  const held = new Promise((resolve) => (release = resolve));
  const page = await openPage({
    t,
    ready: false,
    before: async (page) => {
      await page.route("**/*.wasm", async (route) => (await held, route.continue()));
      await page.addInitScript(() => {
        localStorage.setItem("gemmscope.theme", "dark");
        // The theme at the first paint.
        new MutationObserver((_, observer) => {
          if (!document.getElementById("start")) return;
          window.themeOfStart = document.documentElement.dataset.theme ?? "none";
          observer.disconnect();
        }).observe(document, { childList: true, subtree: true });
      });
    },
  });
  await page.locator(".boot-progress").waitFor();
  assert.equal(await page.locator(".boot-status").innerText(), "Loading…");
  assert.equal(await page.locator("#choose-files").isVisible(), true);
  assert.equal(await page.evaluate(() => window.themeOfStart), "dark");
  release();
  await waitReady(page);
  assert.equal(await page.locator(".boot-progress").count(), 0);
  assert.equal(await page.getAttribute("html", "data-theme"), "dark");
});

test("starts in a sandboxed frame of another page", async (t) => {
  const context = await newContext();
  t.after(() => context.close());
  const page = await context.newPage();
  await page.setContent(`<iframe sandbox="allow-scripts" src="${await site("pages")}" width="900" height="600"></iframe>`);
  await page.frameLocator("iframe").locator('html[data-ready="1"]').waitFor({ state: "attached" });
  assert.equal(await page.frameLocator("iframe").locator(".boot-error").count(), 0);
});

test("what keeps the page from starting is said in words: a file that does not arrive, no WebAssembly, no SIMD, no JavaScript", async (t) => {
  for (const [before, says] of [
    [(page) => page.route("**/*.wasm", (route) => route.fulfill({ status: 404, body: "" })), /gemmscope-page-\w+_bg\.wasm: HTTP 404.*Reload/],
    [(page) => page.route("**/boot.mjs*", (route) => route.abort()), /could not be loaded \(.*boot\.mjs\)/],
    [(page) => page.addInitScript(() => delete globalThis.WebAssembly), /does not run WebAssembly/],
    [(page) => page.addInitScript(() => (WebAssembly.validate = () => false)), /lacks WebAssembly SIMD/],
  ]) {
    const app = await GemmscopePage.open({ t, ready: false, before });
    await app.bootError.waitFor();
    assert.match(await app.bootError.innerText(), says);
  }
  const bare = await openPage({ t, javaScriptEnabled: false });
  assert.match(await bare.locator("body").innerText(), /needs JavaScript/);
});
