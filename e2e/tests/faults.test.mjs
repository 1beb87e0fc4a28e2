// Files that are invalid, huge, or stopped half-way; and faults below the page while it reads: a worker that dies or
// hangs, a part that does not arrive, files that change meanwhile, full storage, refused memory. Each time there is a
// message, and the next file is read. The messages for faults of a file are in tests/golden/import/errors and
// tests/import_bad.rs.
import assert from "node:assert/strict";
import { appendFileSync, closeSync, copyFileSync, ftruncateSync, mkdtempSync, openSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { dropFiles, fixture, waitIdle, waitReady } from "../harness.mjs";
import { DESKTOP, GemmscopePage, Held } from "../page.mjs";

const HEAD = "M,N,K,dtype,time_us\n";
const GOOD = { name: "good.csv", text: `${HEAD}64,64,64,fp16,2\n` };

const folder = mkdtempSync(join(tmpdir(), "gemmscope-faults-"));
/** A file of about 9 MB, which a worker reads in several slices; and a third of it. */
const [LONG, BIG] = ["long.csv", "big.csv"].map((name) => join(folder, name));

before(() => {
  const rows = Array.from({ length: 20_000 }, (_, i) => `${(i % 4096) + 1},512,512,fp16,${(i % 97) + 1}.5\n`).join("");
  for (const [path, times] of [[LONG, 20], [BIG, 7]]) writeFileSync(path, HEAD + rows.repeat(times));
});
after(() => rmSync(folder, { recursive: true }));

/** Opens the page with its worker warm. */
async function start(t, options = {}) {
  const app = await GemmscopePage.open({ t, viewport: DESKTOP, ...options });
  await waitIdle(app.page);
  return app;
}

const choose = (app, ...files) => app.page.locator('input[type="file"]').first().setInputFiles(files);

/** Starts reading the big file, of which the worker only gets the first slices. */
async function stuck(app) {
  const held = await Held.of(app, 1);
  await choose(app, BIG);
  await held.reached();
  await app.page.locator(".loading").waitFor();
  return held;
}

/** The message about the unread file; closes the notice. */
async function refused(app, says) {
  await app.errors.first().waitFor({ timeout: 60_000 });
  assert.match(await app.errors.first().innerText(), says);
  await app.page.getByRole("button", { name: "Dismiss" }).first().click();
}

/** The page still works: nothing is stuck, and a good file loads. */
async function goesOn(app) {
  await waitReady(app.page, 60_000);
  assert.equal(await app.page.locator(".loading").count(), 0);
  await app.load(GOOD);
  assert.ok((await app.summary()).some((s) => s.file === "good.csv" && s.rows_used === 1));
}

test("what is refused is said in one notice, and a good file is read after it; columns can be assigned where they are missing", async (t) => {
  const app = await GemmscopePage.open({ t, viewport: DESKTOP });
  // Two gigabytes of zeros, and a line of 50 MB.
  const [sparse, line] = ["sparse.csv", "line.csv"].map((name) => join(folder, name));
  const file = openSync(sparse, "w");
  ftruncateSync(file, 2 * 1024 ** 3);
  closeSync(file);
  writeFileSync(line, `${HEAD}64,64,64,fp16,2\n${"x".repeat(50 << 20)}\n64,64,64,fp16,4\n`);
  for (const [refused, says] of [
    [fixture("fixtures/errors/picture.png"), /picture\.png was not read: .*(picture|image|PNG)/i],
    [sparse, /sparse\.csv was not read: only NUL bytes/],
    [{ name: "no-k.csv", text: "M,N,width,time_us\n1,2,3,4\n" }, /no-k\.csv was not read: .*K/],
  ]) {
    await app.load(refused);
    await app.errors.first().waitFor();
    assert.match(await app.errors.first().innerText(), says);
    assert.equal(await app.errors.count(), 1);
    // A table whose columns can be assigned opens the form if no other file is open.
    if (refused.name) {
      await app.dialog.waitFor();
      await app.page.keyboard.press("Escape");
      await app.dialog.waitFor({ state: "hidden" });
    }
    await app.load(GOOD);
    assert.equal((await app.only()).rows_used, 1);
    await app.page.getByRole("button", { name: "Dismiss" }).click();
    assert.equal(await app.errors.count(), 0);
    await app.remove(GOOD.name);
  }
  await app.load(line);
  const s = await app.only();
  assert.deepEqual([s.rows_used, s.rows_set_aside], [2, 1]);
  assert.match(Object.keys(s.set_aside)[0], /longer than/);

  // A folder with a good file, one that disappeared, and a folder without permission.
  await app.page.evaluate((text) => {
    const entry = (path, rest) => ({ fullPath: path, isDirectory: false, isFile: true, ...rest });
    const folder = (path, entries) => {
      const portions = entries && [entries, []];
      const readEntries = (done, fail) => (portions ? done(portions.shift()) : fail(new DOMException("no", "NotReadableError")));
      return entry(path, { isDirectory: true, isFile: false, createReader: () => ({ readEntries }) });
    };
    const good = entry("/runs/good.csv", { file: (done) => done(new File([text], "good.csv")) });
    const gone = entry("/runs/gone.csv", { file: (_, fail) => fail(new DOMException("gone", "NotFoundError")) });
    const root = folder("/runs", [good, gone, folder("/runs/locked")]);
    DataTransferItem.prototype.webkitGetAsEntry = () => root;
  }, GOOD.text);
  await app.drop(GOOD);
  await app.page.waitForFunction(() => window.gemmscope.summary().length === 2);
  const notice = app.page.locator(".notice", { hasText: "left out" });
  assert.match(await notice.locator("summary").innerText(), /2 files of the folder were left out/);
  await notice.locator("summary").click();
  const lines = await notice.locator("li").allInnerTexts();
  assert.deepEqual(lines.sort(), ["runs/gone.csv: the browser could not open it", "runs/locked: the browser could not open it"]);
  app.assertQuiet();
});

test("a load is cancelled, and one dropped during another waits its turn", async (t) => {
  const app = await start(t);
  const held = await Held.of(app);

  // Cancelled: none of it stays.
  await choose(app, BIG);
  await held.reached();
  assert.match(await app.page.locator(".loading").innerText(), /big\.csv\s+.* of [23](\.\d+)? MB/);
  await app.page.getByRole("button", { name: "Cancel" }).click();
  await held.let();
  await waitReady(app.page);
  await app.settle();
  assert.deepEqual(await app.summary(), []);
  assert.match(await app.status(), /big\.csv: cancelled/);

  // A second one during the first: reported, then read. The cancelled one may have been read by a worker that is gone.
  const again = await Held.of(app);
  await choose(app, BIG);
  await again.reached();
  await app.page.locator(".loading").waitFor();
  await dropFiles(app.page, [GOOD]);
  await again.let();
  await app.page.waitForFunction(() => window.gemmscope.summary().length === 2);
  assert.deepEqual((await app.summary()).map((s) => [s.file, s.rows_used]), [["big.csv", 140_000], ["good.csv", 1]]);
  app.assertQuiet();
});

test("a worker that the browser ends while it reads, one that answers no more, one that gets no memory: the next one reads", async (t) => {
  const app = await start(t);
  const { worker } = await stuck(app);
  await worker.evaluate(() => self.close()).catch(() => {});
  await refused(app, /big\.csv was not read: the browser stopped while it read this file of [23](\.\d+)? MiB/);
  await goesOn(app);
  assert.equal(app.page.workers().length, 1, "a new worker reads it");

  // Cancel ends it nevertheless.
  await stuck(app);
  await app.page.getByRole("button", { name: "Cancel" }).click();
  await waitReady(app.page, 10_000);
  assert.match(await app.status(), /big\.csv: cancelled/);
  assert.equal(await app.errors.count(), 0);
  await goesOn(app);

  // Nearly all of the 32-bit address space, so that the memory for the file is refused.
  const left = await app.page.workers()[0].evaluate(async (js) => {
    const { memory } = await (await import(js)).default();
    for (let step = 32_768; step >= 1; ) {
      try { memory.grow(step); } catch { step >>= 1; }
    }
    return memory.buffer.byteLength;
  }, await app.page.evaluate(() => gemmscopeBoot.jsUrl));
  assert.ok(left > 3 * 2 ** 30, `${left}`);
  await choose(app, LONG);
  await refused(app, /long\.csv was not read: .*memory/);
  await goesOn(app);
});

test("memory that the page itself does not get is said", async (t) => {
  const app = await start(t);
  await app.page.evaluate(async () => {
    const { memory } = await (await import(gemmscopeBoot.jsUrl)).default();
    for (let step = 32_768; step >= 1; ) {
      try { memory.grow(step); } catch { step >>= 1; }
    }
  });
  await choose(app, LONG);
  await app.bootError.waitFor({ timeout: 60_000 });
  assert.match(await app.bootError.innerText(), /program stopped, most likely .* memory\. Reload/);
});

test("a page that is older than its server reads files all the same, without the worker that is gone", async (t) => {
  const gone = (route) => route.fulfill({ status: 404, body: "" });
  const app = await GemmscopePage.open({ t, viewport: DESKTOP, before: (page) => page.context().route(/worker\.mjs/, gone) });
  await app.page.context().route("**/*", gone);
  await waitIdle(app.page);
  await app.load(GOOD, { name: "more.csv", text: `${HEAD}128,64,64,fp16,3\n` });
  assert.deepEqual((await app.summary()).map((s) => [s.file, s.rows_used]), [["good.csv", 1], ["more.csv", 1]]);
  assert.doesNotMatch(await app.page.locator("body").innerText(), /connection|try again/i);
});

test("files that change or go while others are read, or while they are", async (t) => {
  const app = await start(t);
  const [changed, gone] = ["changed.csv", "gone.csv"].map((name) => join(folder, name));
  for (const path of [changed, gone]) writeFileSync(path, GOOD.text);
  const held = await Held.of(app, 1);
  await choose(app, BIG, changed, gone);
  await held.reached();
  appendFileSync(changed, "128,128,128,fp16,2\n");
  rmSync(gone);
  await held.let();
  await waitReady(app.page, 60_000);
  assert.equal(await app.errors.count(), 2);
  const said = await app.errors.allInnerTexts();
  for (const [i, name] of ["changed", "gone"].entries()) {
    assert.match(said[i], new RegExp(`${name}\\.csv was not read: the browser could not read on after 0 B of [\\d.]+ B \\(.*\\)\\. If the file changed or moved since it was chosen, choose it again`));
  }
  while (await app.errors.count()) await app.page.getByRole("button", { name: "Dismiss" }).first().click();
  await goesOn(app);

  const path = join(folder, "changing.csv");
  copyFileSync(BIG, path);
  const again = await Held.of(app, 1);
  await choose(app, path);
  await again.reached();
  appendFileSync(path, "128,128,128,fp16,2\n");
  await again.let();
  await waitReady(app.page);
  // A browser that checks the file again reports it; one with a snapshot reads that.
  await app.settle();
  const [why] = await app.errors.allInnerTexts();
  if (why) assert.match(why, /could not read on after \d.* of [23](\.\d+)? MB/);
  else assert.equal((await app.summary()).at(-1).rows_used, 140_000);
  await goesOn(app);
});

/** Waits until the page is ready, without the frames by which Playwright waits. */
async function readyWithoutFrames(app) {
  for (const end = Date.now() + 120_000; (await app.page.evaluate(() => document.documentElement.dataset.ready)) !== "1"; ) {
    assert.ok(Date.now() < end, "the page is not ready");
    await new Promise((done) => setTimeout(done, 100));
  }
}

test("a tab in the background reads on: no frames, slow timers", async (t) => {
  // A headless browser hides no tab, so the page gets what a hidden one would get.
  const before = (page) =>
    page.addInitScript(() => {
      const { requestAnimationFrame, setTimeout } = window;
      const kept = [];
      window.requestAnimationFrame = (run) => (window.inFront === false ? kept.push(run) : requestAnimationFrame.call(window, run));
      window.setTimeout = (run, ms, ...more) => setTimeout.call(window, run, window.inFront === false ? Math.max(ms ?? 0, 100) : ms, ...more);
      Object.defineProperty(document, "visibilityState", { get: () => (window.inFront === false ? "hidden" : "visible") });
      Object.defineProperty(document, "hidden", { get: () => window.inFront === false });
      window.toFront = (on) => {
        window.inFront = on;
        document.dispatchEvent(new Event("visibilitychange"));
        if (on) kept.splice(0).forEach((run) => requestAnimationFrame.call(window, run));
      };
    });
  const app = await start(t, { before });
  await app.page.evaluate(() => window.toFront(false));
  await choose(app, BIG);
  await app.page.evaluate(() => document.documentElement.dataset.ready ?? "busy");
  await readyWithoutFrames(app);
  assert.equal((await app.page.evaluate(() => window.gemmscope.summary()))[0].rows_used, 140_000);
  await app.page.evaluate(() => window.toFront(true));
  await waitReady(app.page);
  assert.equal(await app.page.locator(".loading").count(), 0);
  await app.page.locator(".chart-stage canvas").first().waitFor();
  await goesOn(app);
  app.assertQuiet();
});

test("a tab that the browser freezes goes on where it was; a clock that jumps back an hour changes nothing", async (t) => {
  const app = await start(t);
  const cdp = await app.page.context().newCDPSession(app.page);
  const held = await stuck(app);
  await cdp.send("Page.setWebLifecycleState", { state: "frozen" });
  await cdp.send("Page.setWebLifecycleState", { state: "active" });
  await held.let();
  await waitReady(app.page);
  assert.equal((await app.only()).rows_used, 140_000);
  await goesOn(app);

  /** `jump(ms)` moves the clock and the wall clock forward or back. */
  const clock = () => {
    const { now } = Performance.prototype;
    const wall = Date.now;
    let back = 0;
    Performance.prototype.now = function () {
      return now.call(this) - back;
    };
    Date.now = () => wall() - back;
    self.jump = (ms) => (back -= ms);
  };
  const slow = await Held.of(app, 1);
  for (const world of [app.page, slow.worker]) await world.evaluate(clock);
  await app.page.evaluate(() => {
    window.said = [];
    new MutationObserver(() => {
      const texts = [...document.querySelectorAll(".loading, [role=status]")].map((e) => e.textContent);
      window.said.push(...texts);
    }).observe(document.body, { subtree: true, childList: true, characterData: true, attributes: true });
  });
  await choose(app, LONG);
  await app.page.locator(".loading").waitFor();
  const shown = () => app.page.evaluate(() => document.querySelector(".loading progress")?.value ?? 0);
  // The progress bar continues after each jump, within a tenth of a second.
  for (let i = 0; i < 4; i++) {
    await slow.reached();
    for (const world of [app.page, slow.worker]) await world.evaluate(() => self.jump(-3_600_000));
    await slow.let(1);
    await slow.reached();
    const before = await shown();
    for (const world of [app.page, slow.worker]) await world.evaluate(() => self.jump(100));
    await slow.let(1);
    await app.page.waitForFunction((before) => document.querySelector(".loading progress")?.value > before, before);
  }
  await slow.reached();
  await slow.let();
  await waitReady(app.page);
  assert.equal((await app.summary()).at(-1).rows_used, 400_000);
  const said = await app.page.evaluate(() => window.said);
  assert.ok(said.length > 0);
  assert.deepEqual(said.filter((text) => /[-−]\d|NaN|∞/.test(text)), []);
  // The reported speed is realistic for a disk.
  assert.deepEqual(said.filter((text) => /[TPE]B\/s/.test(text)), []);
  await goesOn(app);
  app.assertQuiet();
});

test("storage that is full: files open, and the page says what it does not keep", async (t) => {
  const before = (page) =>
    page.addInitScript(() => {
      const full = () => { throw new DOMException("The quota has been exceeded.", "QuotaExceededError"); };
      Storage.prototype.setItem = full;
      IDBObjectStore.prototype.put = full;
    });
  const app = await start(t, { before });
  await app.load(fixture("fixtures/generic/plain.csv"));
  assert.equal((await app.only()).rows_used, 4);
  await app.page.getByRole("button", { name: "Reopen them" }).click();
  await app.page.getByText(/The browser keeps no files here, so they will not reopen after a reload/).first().waitFor({ state: "attached" });
  await goesOn(app);
  app.assertQuiet();
});
