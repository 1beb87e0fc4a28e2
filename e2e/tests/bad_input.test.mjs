// Files that are none, or broken, or huge, or stopped half-way: a sentence in the page, never a crash, and the page
// goes on.
import assert from "node:assert/strict";
import { closeSync, ftruncateSync, mkdtempSync, openSync, rmSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { dropFiles, fixture, waitParts, waitReady } from "../harness.mjs";
import { DESKTOP, GemmscopePage, Held } from "../page.mjs";

const HEAD = "M,N,K,dtype,time_us\n";
const GOOD = { name: "good.csv", text: `${HEAD}64,64,64,fp16,2\n` };

/** What is refused, and what the page must say about it. */
const REFUSED = [
  ["empty", { name: "empty.csv", text: "" }, /empty/i],
  ["header only", { name: "header.csv", text: HEAD }, /no rows|only a header|no data/i],
  ["binary", { name: "noise.bin", bytes: Buffer.from(Array.from({ length: 5000 }, (_, i) => (i * 7919 + (i >> 3)) & 255)) }, /binary|not a table|not text|recognis/i],
  ["a PNG", fixture("fixtures/errors/picture.png"), /picture|image|PNG/i],
  ["a web page", fixture("fixtures/errors/page.html"), /HTML|web page/i],
  ["prose", fixture("fixtures/errors/prose.txt"), /M, N|table|recognis/i],
  ["no K", { name: "no-k.csv", text: "M,N,width,time_us\n1,2,3,4\n" }, /K/],
  ["attention", fixture("fixtures/errors/attention.csv"), /attention/i],
];

test("what is refused is said in words, one file after another, and a good one is read after each", async (t) => {
  const app = await GemmscopePage.open({ t, viewport: DESKTOP });
  for (const [what, file, says] of REFUSED) {
    await app.load(file);
    await app.errors.first().waitFor();
    const text = await app.errors.first().innerText();
    assert.match(text, says, what);
    assert.ok(text.length < 700, text);
    assert.equal(await app.errors.count(), 1, what);
    // A table whose columns can be assigned opens the form, as soon as its part of the page is there.
    if (await app.page.getByRole("button", { name: /Assign columns/ }).count()) {
      await app.dialog.waitFor();
      await app.page.keyboard.press("Escape");
      await app.dialog.waitFor({ state: "hidden" });
    }
    await app.load(GOOD);
    assert.equal((await app.only()).rows_used, 1, what);
    await app.page.getByRole("button", { name: "Dismiss" }).click();
    assert.equal(await app.errors.count(), 0, what);
    // The form opens by itself where no file is open.
    await app.remove(GOOD.name);
  }
  app.assertQuiet();
});

test("what is wrong in a row sets it aside with its line; odd headers, delimiters and bytes are read", async (t) => {
  const app = await GemmscopePage.open({ t, viewport: DESKTOP });
  const rows = ["64,64,64,fp16,2", "64,64,64,fp16,-3", "64,64,64,fp16,NaN", "64,64,64,fp16,0", "64,64,64,fp16,inf", "0,64,64,fp16,2", "64,64,64,odd,2", "64,64", "64,64,64,fp16,4"];
  await app.load({ name: "mixed.csv", text: `${HEAD}${rows.join("\n")}\n` });
  const s = await app.only();
  assert.deepEqual([s.rows_read, s.rows_used], [9, 2]);
  assert.equal(Object.values(s.set_aside).reduce((a, b) => a + b, 0), 7);
  await app.panel();
  await app.cards.locator(".aside summary").click();
  const aside = await app.cards.locator(".aside").innerText();
  for (const line of [3, 4, 5, 6, 7, 8, 9]) assert.match(aside, new RegExp(`line[^\\n]*\\b${line}\\b`), `line ${line}`);
  // Duplicate headers, another delimiter, NUL bytes, a byte order mark.
  await app.load(
    { name: "twice.csv", text: "M,N,K,dtype,time_us,note,note\n64,64,64,fp16,2,a,b\n" },
    { name: "pipes.csv", text: "M|N|K|dtype|time_us\n64|64|64|fp16|2\n" },
    { name: "nul.csv", text: `${HEAD}${"64,64,64,fp16,2\n".repeat(30)}\0\0\0\0\0\0\0\0` },
    { name: "bom.csv", text: `\ufeff${HEAD}64,64,64,fp16,2\n` },
  );
  assert.deepEqual((await app.summary()).slice(1).map((s) => s.rows_used), [1, 1, 30, 1]);
  app.assertQuiet();
});

test("one line of 50 MB among others, a million bad rows, two gigabytes of nothing", { timeout: 120_000 }, async (t) => {
  const app = await GemmscopePage.open({ t, viewport: DESKTOP });
  const folder = mkdtempSync(join(tmpdir(), "gemmscope-"));
  t.after(() => rmSync(folder, { recursive: true }));
  const write = (name, parts) => {
    const path = join(folder, name);
    const file = openSync(path, "w");
    for (const part of parts) writeSync(file, part);
    closeSync(file);
    return path;
  };
  await app.load(write("line.csv", [`${HEAD}64,64,64,fp16,2\n`, Buffer.alloc(50 << 20, "x"), "\n64,64,64,fp16,4\n"]));
  let s = (await app.summary())[0];
  assert.deepEqual([s.rows_used, s.rows_set_aside], [2, 1]);
  assert.match(Object.keys(s.set_aside)[0], /longer than/);

  const bad = "64,64,64,fp16,oops\n".repeat(100_000);
  await app.load(write("bad.csv", [`${HEAD}64,64,64,fp16,2\n`, ...Array(10).fill(bad)]));
  s = (await app.summary())[1];
  assert.deepEqual([s.rows_used, s.rows_set_aside], [1, 1_000_000]);
  await app.panel();
  assert.ok((await app.cards.nth(1).innerText()).length < 1500);

  const sparse = join(folder, "sparse.csv");
  const file = openSync(sparse, "w");
  ftruncateSync(file, 2 * 1024 ** 3);
  closeSync(file);
  await app.load(sparse);
  assert.match(await app.errors.innerText(), /sparse\.csv was not read: only NUL bytes/);
  assert.equal((await app.summary()).length, 2);
  app.assertQuiet();
});

test("a load is cancelled, and one dropped during another waits its turn", async (t) => {
  const app = await GemmscopePage.open({ t, viewport: DESKTOP });
  await waitParts(app.page);
  const rows = Array.from({ length: 20_000 }, (_, i) => `${(i % 4096) + 1},512,512,fp16,${(i % 97) + 1}.5\n`).join("");
  const big = { name: "big.csv", mimeType: "text/csv", buffer: Buffer.from(HEAD + rows.repeat(20)) };
  const choose = () => app.page.locator('input[type="file"]').first().setInputFiles(big);
  const held = await Held.of(app);

  // Cancelled: nothing of it stays.
  await choose();
  await held.reached();
  assert.match(await app.page.locator(".loading").innerText(), /big\.csv\s+.* of [89](\.\d+)? MB/);
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
  assert.deepEqual((await app.summary()).map((s) => [s.file, s.rows_used]), [["big.csv", 400_000], ["good.csv", 1]]);
  app.assertQuiet();
});

test("what a dropped folder holds and the browser cannot open is listed", async (t) => {
  const app = await GemmscopePage.open({ t, viewport: DESKTOP });
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
  await app.page.waitForFunction(() => window.gemmscope.summary().length === 1);
  const notice = app.page.locator(".notice", { hasText: "left out" });
  assert.match(await notice.locator("summary").innerText(), /2 files of the folder were left out/);
  await notice.locator("summary").click();
  const lines = await notice.locator("li").allInnerTexts();
  assert.deepEqual(lines.sort(), ["runs/gone.csv: the browser could not open it", "runs/locked: the browser could not open it"]);
  app.assertQuiet();
});
