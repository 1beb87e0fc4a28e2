// Large tables, which several workers read at once where the machine has processors for them: what the page then
// shows is what one worker would have read.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { appendFileSync, copyFileSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { waitParts } from "../harness.mjs";
import { DESKTOP, GemmscopePage } from "../page.mjs";

const folder = mkdtempSync(join(tmpdir(), "gemmscope-large-"));
/** About 24 MB of rows without a flaw. */
const CLEAN = join(folder, "clean.csv");
/** The same with a row near the end that has no time. */
const FLAWED = join(folder, "flawed.csv");
/** A sweep of about 20 MB, with variants that failed all along. */
const SWEEP = join(folder, "sweep.csv");

const generate = (...args) => execFileSync(process.execPath, [fileURLToPath(new URL("../../scripts/gen_gemm_csv.mjs", import.meta.url)), ...args]);
before(() => {
  generate("400000", CLEAN, "--kind", "long");
  copyFileSync(CLEAN, FLAWED);
  appendFileSync(FLAWED, "m,k,bf16,1,64,64,64,N,T,none\nm,k,bf16,1,64,64,64,N,T,3.5\n");
  generate("250000", SWEEP, "--kind", "sweep");
});
after(() => rmSync(folder, { recursive: true }));

/** Opens the page on a machine with so many processors; counts what is asked of workers. */
async function on(t, processors) {
  const app = await GemmscopePage.open({
    t,
    viewport: DESKTOP,
    before: (page) =>
      page.addInitScript((processors) => {
        Object.defineProperty(Navigator.prototype, "hardwareConcurrency", { get: () => processors });
        window.asked = {};
        const { postMessage } = Worker.prototype;
        Worker.prototype.postMessage = function (message, ...rest) {
          window.asked[message.type] = (window.asked[message.type] ?? 0) + 1;
          return postMessage.call(this, message, ...rest);
        };
      }, processors),
  });
  await waitParts(app.page);
  app.page.quiet();
  return app;
}

test("several workers read a large table, and it is the table that one would read", async (t) => {
  const [many, one] = [await on(t, 10), await on(t, 4)];
  assert.equal(many.page.workers().length, 4);
  assert.equal(one.page.workers().length, 1);
  // A file with a flaw, however late, is read once more, by one worker.
  for (const [file, alone] of [[CLEAN, 0], [FLAWED, 1], [SWEEP, 1]]) {
    const [theirs, its] = [await many.load(file).then(() => many.summary()), await one.load(file).then(() => one.summary())];
    assert.deepEqual(theirs.at(-1), its.at(-1));
    const asked = await many.page.evaluate(() => window.asked);
    assert.ok(asked.stretch > (file === SWEEP ? 0 : 3), `${file}: ${JSON.stringify(asked)}`);
    assert.equal(asked.import ?? 0, alone, file);
    await Promise.all([many, one].map((app) => app.page.evaluate(() => (window.asked = {}))));
  }
  const flawed = (await many.summary()).find((file) => file.file === "flawed.csv");
  assert.equal(flawed.rows_read - flawed.rows_used, 1);
  assert.equal(await one.page.evaluate(() => window.asked.stretch), undefined);
  many.assertQuiet();
  one.assertQuiet();
});

test("several workers are cancelled, and read the next file", async (t) => {
  const app = await on(t, 10);
  const choose = (file) => app.page.locator('input[type="file"]').first().setInputFiles(file);
  // In the page: the file is read sooner than a click from here arrives.
  await app.page.evaluate(() => {
    const poll = setInterval(() => {
      const cancel = [...document.querySelectorAll("button")].find((b) => b.textContent.trim() === "Cancel");
      if (!cancel || !(window.asked.stretch > 1)) return;
      clearInterval(poll);
      cancel.click();
      window.cancelled = true;
    }, 1);
  });
  await choose(CLEAN);
  await app.page.waitForFunction(() => window.cancelled && document.documentElement.dataset.ready === "1");
  assert.match(await app.status(), /clean\.csv: cancelled/);
  await app.load(FLAWED);
  assert.equal((await app.summary()).at(-1).rows_used, 400_001);
});
