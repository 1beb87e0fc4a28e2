import assert from "node:assert/strict";
import { test } from "node:test";
import { assertQuiet, newContext, openPage, screenshot, settle, site, waitParts, waitReady } from "../harness.mjs";
import { GemmscopePage } from "../page.mjs";

for (const headers of ["strict", "pages"]) {
  test(`starts under a sub-path with the ${headers} headers, each file from the site, and then asks for nothing`, async (t) => {
    const page = await openPage({ t, headers });
    const urls = page.requests;
    assert.deepEqual(urls.filter((url) => !url.includes("/repo/")), []);
    assert.equal(urls.filter((url) => url.endsWith("_bg.wasm")).length, 1, "the wasm once");
    await page.getByRole("heading", { level: 1 }).waitFor();
    await waitParts(page);
    page.quiet();
    await settle(page);
    assert.deepEqual(page.requests, []);
    assert.equal(await page.locator("#skeleton").count(), 0);
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

test("a stored theme holds before the first paint", async (t) => {
  const page = await openPage({
    t,
    before: (page) =>
      page.addInitScript(() => {
        localStorage.setItem("gemmscope.theme", "dark");
        // The theme as it is when there is first something to paint.
        new MutationObserver((_, observer) => {
          if (!document.getElementById("skeleton")) return;
          window.themeOfSkeleton = document.documentElement.dataset.theme ?? "none";
          observer.disconnect();
        }).observe(document, { childList: true, subtree: true });
      }),
  });
  assert.equal(await page.evaluate(() => window.themeOfSkeleton), "dark");
  assert.equal(await page.getAttribute("html", "data-theme"), "dark");
});

test("a slow network sees that something is coming", async (t) => {
  let release;
  const held = new Promise((resolve) => (release = resolve));
  const page = await openPage({
    t,
    ready: false,
    before: (page) => page.route("**/*.wasm", async (route) => (await held, route.continue())),
  });
  await page.locator("#boot-progress").waitFor();
  assert.equal(await page.locator("#boot-status").innerText(), "Loading…");
  await screenshot(page, "boot-slow");
  release();
  await waitReady(page);
  assert.equal(await page.locator("#skeleton").count(), 0);
});

test("starts in a sandboxed frame of another page", async (t) => {
  const context = await newContext();
  t.after(() => context.close());
  const page = await context.newPage();
  await page.setContent(`<iframe sandbox="allow-scripts" src="${await site("pages")}" width="900" height="600"></iframe>`);
  await page.frameLocator("iframe").locator('html[data-ready="1"]').waitFor({ state: "attached" });
  assert.equal(await page.frameLocator("iframe").locator(".boot-error").count(), 0);
});

test("a wasm file that does not arrive is said in words", async (t) => {
  const app = await GemmscopePage.open({
    t,
    ready: false,
    before: (page) => page.route("**/*.wasm", (route) => route.fulfill({ status: 404, body: "" })),
  });
  await app.bootError.waitFor();
  assert.match(await app.bootError.innerText(), /could not be loaded: gemmscope-page-\w+_bg\.wasm: HTTP 404.*reload/);
  await screenshot(app.page, "boot-wasm-missing");
});

test("a start script that does not arrive is said in words", async (t) => {
  const app = await GemmscopePage.open({
    t,
    ready: false,
    before: (page) => page.route("**/boot.mjs*", (route) => route.abort()),
  });
  await app.bootError.waitFor();
  assert.match(await app.bootError.innerText(), /could not be loaded \(.*boot\.mjs\)/);
});

test("what waits for the first file is there and cannot be seen or reached", async (t) => {
  const app = await GemmscopePage.open({ t });
  await waitParts(app.page);
  assert.equal(await app.page.locator(".workspace").count(), 1);
  assert.equal(await app.page.locator(".workspace").isVisible(), false);
  assert.equal(await app.page.locator("#main").count(), 1);
  // Once around the page by keyboard: nothing of it takes the focus.
  for (let i = 0; i < 40; i++) {
    await app.page.keyboard.press("Tab");
    assert.equal(await app.page.evaluate(() => Boolean(document.activeElement?.closest(".workspace"))), false);
  }
});

test("a part that does not arrive is said in words, and can be asked for again", async (t) => {
  const page = await openPage({ t, path: "#v=1&view=plan", before: (page) => page.route(/part-split_(work|plan)/, (route) => route.abort("connectionreset")) });
  const notice = page.getByText("This part of the page could not be loaded");
  await notice.waitFor();
  await page.unroute(/part-split_(work|plan)/);
  // The planner needs one part after another: each that failed is asked for again.
  const chart = page.locator(".chart-stage");
  const again = page.getByRole("button", { name: "Try again" });
  await again.click();
  await chart.or(again).first().waitFor();
  if (await again.count()) await again.click();
  await chart.waitFor();
  assert.equal(await notice.count(), 0);
});

test("a browser without WebAssembly is told what is missing", async (t) => {
  const app = await GemmscopePage.open({
    t,
    ready: false,
    before: (page) => page.addInitScript(() => delete globalThis.WebAssembly),
  });
  await app.bootError.waitFor();
  assert.match(await app.bootError.innerText(), /does not run WebAssembly/);
});

test("a browser without SIMD is told what is missing", async (t) => {
  const app = await GemmscopePage.open({
    t,
    ready: false,
    before: (page) => page.addInitScript(() => (WebAssembly.validate = () => false)),
  });
  await app.bootError.waitFor();
  assert.match(await app.bootError.innerText(), /lacks WebAssembly SIMD/);
});

test("without JavaScript the page says what it needs", async (t) => {
  const app = await GemmscopePage.open({ t, javaScriptEnabled: false });
  assert.match(await app.page.locator("body").innerText(), /needs JavaScript/);
});
