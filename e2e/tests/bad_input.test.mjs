// Files that are none, or huge, or stopped half-way: a sentence in the page, never a crash, and the page goes on. What is
// said of each fault is tests/golden/import/errors and tests/import_bad.rs.
import assert from "node:assert/strict";
import { closeSync, ftruncateSync, mkdtempSync, openSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { dropFiles, fixture, waitParts, waitReady } from "../harness.mjs";
import { DESKTOP, GemmscopePage, Held } from "../page.mjs";

const HEAD = "M,N,K,dtype,time_us\n";
const GOOD = { name: "good.csv", text: `${HEAD}64,64,64,fp16,2\n` };

test("what is refused is said in one notice, and a good file is read after it; columns can be assigned where they are missing", async (t) => {
  const app = await GemmscopePage.open({ t, viewport: DESKTOP });
  const folder = mkdtempSync(join(tmpdir(), "gemmscope-"));
  t.after(() => rmSync(folder, { recursive: true }));
  // Two gigabytes of nothing, and a line of 50 MB.
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
    // A table whose columns can be assigned opens the form by itself where no file is open.
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

  // A folder with a good file, one that went away, and a folder without permission.
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
  const app = await GemmscopePage.open({ t, viewport: DESKTOP });
  await waitParts(app.page);
  // Several slices.
  const rows = Array.from({ length: 20_000 }, (_, i) => `${(i % 4096) + 1},512,512,fp16,${(i % 97) + 1}.5\n`).join("");
  const big = { name: "big.csv", mimeType: "text/csv", buffer: Buffer.from(HEAD + rows.repeat(7)) };
  const choose = () => app.page.locator('input[type="file"]').first().setInputFiles(big);
  const held = await Held.of(app);

  // Cancelled: nothing of it stays.
  await choose();
  await held.reached();
  assert.match(await app.page.locator(".loading").innerText(), /big\.csv\s+.* of [23](\.\d+)? MB/);
  await app.page.getByRole("button", { name: "Cancel" }).click();
  await held.let();
  await waitReady(app.page);
  await app.settle();
  assert.deepEqual(await app.summary(), []);
  assert.match(await app.status(), /big\.csv: cancelled/);

  // A second one during the first: said, then read. The one that was cancelled may have been read by a worker that is gone.
  const again = await Held.of(app);
  await choose();
  await again.reached();
  await app.page.locator(".loading").waitFor();
  await dropFiles(app.page, [GOOD]);
  await again.let();
  await app.page.waitForFunction(() => window.gemmscope.summary().length === 2);
  assert.deepEqual((await app.summary()).map((s) => [s.file, s.rows_used]), [["big.csv", 140_000], ["good.csv", 1]]);
  app.assertQuiet();
});
