// Files: all ways to add them, the content of their cards, removing and undoing, keeping and reopening, and answers to
// assumptions. What is read from a file is in tests/golden/import; its figures are in tests/sentences.rs.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { gzipSync } from "node:zlib";
import { fixture, take } from "../harness.mjs";
import { GemmscopePage, PHONE, plain } from "../page.mjs";

const near = (a, b, share = 1e-6) => assert.ok(Math.abs(a - b) <= share * Math.abs(b), `${a} is not ${b}`);

const TINY = "M,N,K,dtype,time_us\n128,128,128,fp16,4\n";

const names = async (app) => (await app.summary()).map((s) => s.file);

test("files come one after another, several at once, dropped, pasted, packed; the same again is another; one is taken off", async (t) => {
  const app = await GemmscopePage.open({ t });
  // A run whose shapes are in the trace of its graph's capture says so and gets them; the capture is not counted.
  await app.load(fixture("fixtures/kineto/graph_run.json"));
  const unusable = app.page.locator('[data-notice="unusable"]');
  assert.match(plain(await unusable.innerText()), /graph_run\.json has no usable rows\. 4 kernel calls without shapes: also open the trace of the graph's capture\./);
  await app.load(fixture("fixtures/kineto/graph_capture.json"));
  await app.page.waitForFunction(() => window.gemmscope.summary()[0].rows_used === 2);
  await app.settle();
  assert.equal(await app.figure("rows"), "2");
  assert.equal(await unusable.count(), 0);
  await app.panel();
  assert.match(await app.cards.nth(1).innerText(), /Not counted: its shapes are in graph_run\.json/);

  await app.load(fixture("fixtures/generic/plain.csv"), fixture("fixtures/iree/library.csv"));
  const added = async () => (await app.summary()).slice(1);
  assert.deepEqual((await added()).map((s) => [s.file, s.rows_used]), [["plain.csv", 4], ["library.csv", 2]]);
  await app.drop({ name: "dropped.tsv", text: "M\tN\tK\tdtype\ttime_us\n128\t128\t128\tfp16\t4\n" });
  await app.paste("M,N,K,dtype,ms\n64,64,64,bf16,0.5\n");
  const packed = gzipSync(readFileSync(fixture("fixtures/generic/plain.csv")));
  await app.load({ name: "packed.csv.gz", bytes: packed });
  // As saved by a spreadsheet: UTF-16 with a byte order mark.
  const utf16 = Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from("M;N;K;dtype;Zeit (ms)\r\n1024;1024;1024;fp16;0,05\r\n", "utf16le")]);
  await app.load({ name: "excel.csv", bytes: utf16 });
  const files = await added();
  assert.deepEqual(files.map((s) => s.rows_used), [4, 2, 1, 1, 4, 1]);
  near(files[3].max_tflops, (2 * 64 ** 3) / 0.5e-3 / 1e12);
  near(files[5].max_tflops, (2 * 1024 ** 3) / 0.05e-3 / 1e12);
  assert.equal(await app.figure("rows"), "15");

  // Adding the same file again adds another file; a removed file is gone.
  await app.load(fixture("fixtures/iree/library.csv"));
  assert.equal((await added()).length, 7);
  await app.remove("plain.csv");
  assert.equal((await added())[0].file, "library.csv");
  assert.equal((await added()).length, 6);
  app.assertQuiet();
});

test("the card: rows set aside with their reasons, another format, another unit", async (t) => {
  const app = await GemmscopePage.open({ t });
  await app.load(fixture("fixtures/iree/iree.csv"));
  const s = await app.only();
  assert.deepEqual([s.format, s.rows_read, s.rows_used, s.rows_set_aside], ["iree", 3, 2, 1]);
  near(s.max_tflops, (2 * 2048 ** 3) / 75.5e-6 / 1e12);
  near(s.total_time_s, 87.5e-6);
  await app.panel();
  const card = await app.cards.innerText();
  assert.match(card, /2 of 3 rows used/);
  assert.match(card, /Reported FLOP\/s agree \(2\)/);
  await app.cards.locator(".aside summary").click();
  const reason = await app.cards.locator(".aside li").innerText();
  assert.match(reason, /line 4/);

  const saved = await app.download(() => app.cards.getByRole("button", { name: "Rows with reasons" }).click());
  assert.equal(saved.name, "iree.csv-set-aside.csv");
  assert.match(saved.text, /gemm_64_64_64_f16_f32/);
  assert.equal(saved.text.trim().split("\n").length, 2);

  // Read as a wrong format it is refused, and the rows stay.
  await app.cards.locator("summary", { hasText: "IREE" }).click();
  const format = app.cards.getByRole("combobox", { name: "Read it as" });
  await take(format, "generic");
  await app.page.waitForFunction(() => window.gemmscope.summary()[0].format === "generic");
  assert.equal((await app.only()).rows_used, 2);

  // The unit of a time, which the file does not state.
  await app.remove("iree.csv");
  await app.load(fixture("fixtures/generic/no_units.csv"));
  const before = await app.only();
  assert.ok(before.assumptions.some((a) => a.key === "unit:Runtime" && a.value === "ms"));
  await app.panel();
  const choice = app.cards.locator(".assumption", { hasText: "Runtime" }).getByRole("combobox");
  await take(choice, "s");
  await app.page.waitForFunction((was) => 500 * window.gemmscope.summary()[0].max_tflops < was, before.max_tflops);
  const after = await app.only();
  near(after.max_tflops, before.max_tflops / 1000);
  // The unit of the rate, not stated either, was inferred from the times and changes with them.
  assert.notEqual(
    after.assumptions.find((a) => a.key === "unit:Throughput").value,
    before.assumptions.find((a) => a.key === "unit:Throughput").value,
  );
  app.assertQuiet();
});

test("a file taken off comes back with undo, to its place and with its filters; taken off while it is read again, it stays off", async (t) => {
  const app = await GemmscopePage.open({ t });
  await app.load({ name: "a.csv", text: TINY }, { name: "b.csv", text: TINY.replace("fp16", "bf16") }, { name: "c.csv", text: TINY });
  await app.toggleFacet("File", "b.csv");
  await app.remove("b.csv");
  assert.equal(await app.status(), "Removed b.csv.");
  assert.deepEqual(await names(app), ["a.csv", "c.csv"]);
  // The focus is on the card that took its place.
  const focused = app.page.locator(".file-card:focus-within h3");
  assert.equal(await focused.innerText(), "c.csv");

  await app.page.locator(".status").getByRole("button", { name: "Undo" }).click();
  assert.deepEqual(await names(app), ["a.csv", "b.csv", "c.csv"]);
  assert.equal(await app.status(), "Reopened b.csv.");
  assert.equal(await app.figure("rows"), "1");

  // Two removed, one added, then back and forth.
  await app.remove("a.csv");
  await app.remove("b.csv");
  await app.load({ name: "d.csv", text: TINY });
  assert.deepEqual(await names(app), ["c.csv", "d.csv"]);
  await app.page.keyboard.press("Control+z");
  assert.deepEqual(await names(app), ["b.csv", "c.csv", "d.csv"]);
  await app.page.keyboard.press("Control+z");
  assert.deepEqual(await names(app), ["a.csv", "b.csv", "c.csv", "d.csv"]);
  await app.page.keyboard.press("Control+y");
  assert.deepEqual(await names(app), ["b.csv", "c.csv", "d.csv"]);
  assert.equal(await app.status(), "Removed a.csv.");
  await app.page.keyboard.press("Control+z");
  // A restored file can still be read again.
  await app.cards.first().locator("summary", { hasText: "table" }).first().click();
  await take(app.cards.first().getByRole("combobox", { name: "Read it as" }), "iree");
  await app.errors.waitFor();
  assert.match(await app.errors.innerText(), /a\.csv/);

  // Removing the last one leads to the start page, and can still be undone.
  for (const name of ["a.csv", "b.csv", "c.csv", "d.csv"]) await app.remove(name);
  assert.ok(await app.page.getByRole("heading", { name: /Drop a GEMM/ }).isVisible());
  await app.page.keyboard.press("Control+z");
  assert.deepEqual(await names(app), ["d.csv"]);

  // Removed while it is read again.
  const lines = Array.from({ length: 20_000 }, (_, i) => `${i % 4096 + 1},128,128,fp16,${i % 50 + 4}`);
  await app.load({ name: "big.csv", text: `M,N,K,dtype,time\n${lines.join("\n")}\n` });
  await app.panel();
  const unit = app.cards.nth(1).locator(".assumption", { hasText: "time" }).getByRole("combobox");
  await take(unit, "s");
  await app.remove("big.csv");
  await app.page.waitForFunction(() => document.documentElement.dataset.ready === "1");
  assert.deepEqual(await names(app), ["d.csv"]);
  await app.page.keyboard.press("Control+z");
  assert.deepEqual(await names(app), ["d.csv", "big.csv"]);
  app.assertQuiet();
});

test("every sample opens with one click; it makes room for the user's first file, and undo brings it back", async (t) => {
  const app = await GemmscopePage.open({ t });
  const ids = await app.page.locator("[data-sample]").evaluateAll((all) => all.map((e) => e.dataset.sample));
  assert.ok(ids.length >= 3);
  for (const id of ids) {
    await app.sample(id);
    const s = await app.only();
    assert.ok(s.rows_used > 0, id);
    assert.ok(s.max_efficiency > 0, `${id} has a roof`);
    // The start page shows the samples again once no file is open.
    await app.panel();
    for (let n = await app.cards.count(); n > 0; n--) await app.remove(await app.cards.first().getByRole("heading").innerText());
  }

  await app.sample("h100-llm");
  await app.toggleFacet("Type", "bf16");
  await app.load({ name: "mine.csv", text: TINY });
  assert.deepEqual(await names(app), ["mine.csv"]);
  assert.equal(await app.status(), "mine.csv: 1 row read. The sample is closed.");
  // Nothing of the sample's view remains.
  assert.equal(await app.figure("rows"), "1");
  assert.deepEqual(await app.chips(), []);
  await app.page.locator(".status").getByRole("button", { name: "Undo" }).click();
  assert.deepEqual(await names(app), ["h100-llm.csv", "mine.csv"]);
  // The user chose to have both, so the next file is added.
  await app.load({ name: "more.csv", text: TINY });
  assert.equal((await names(app)).length, 3);
  app.assertQuiet();
});

/** Reloads the page, at a given address or its own, and waits until it is up to date. */
async function again(app, address) {
  if (address) await app.page.goto("about:blank");
  await (address ? app.page.goto(address) : app.page.reload());
  await app.page.waitForFunction(() => document.documentElement.dataset.idle && document.documentElement.dataset.ready === "1");
}

test("what was open last opens again after a reload, until it is forgotten", async (t) => {
  const app = await GemmscopePage.open({ t });
  const bare = app.page.url();
  // As the original bytes: an answer and a filter are kept separately.
  await app.load({ name: "a.csv", text: "M,N,K,dtype,time\n128,128,128,fp16,4\n128,128,256,bf16,4\n" }, { name: "b.csv.gz", bytes: gzipSync(TINY) });
  await app.panel();
  await take(app.cards.locator(".assumption", { hasText: "time" }).getByRole("combobox"), "s");
  await app.page.waitForFunction(() => window.gemmscope.summary()[0].total_time_s > 1);
  await app.toggleFacet("Type", "fp16");
  await app.kept();
  await app.page.waitForFunction(() => localStorage["gemmscope.open"]?.includes("f.dtype"));
  const before = (await app.summary())[0].total_time_s;
  await again(app, bare);
  assert.deepEqual(await names(app), ["a.csv", "b.csv.gz"]);
  assert.equal((await app.summary())[0].total_time_s, before);
  assert.equal(await app.figure("rows"), "2");
  assert.deepEqual(await app.chips(), ["Type: fp16"]);
  // At an address without a view, restored filters are announced, with a button to clear them.
  const note = app.page.getByText("1 filter from last time.");
  await note.waitFor();
  await app.page.locator(".notice", { has: note }).getByRole("button", { name: "Remove", exact: true }).click();
  await note.waitFor({ state: "detached" });
  assert.equal(await app.figure("rows"), "3");

  // A removed file is no longer kept; in another tab a link to other files shows no file of this one.
  await app.remove("a.csv");
  await app.page.waitForFunction(() => !localStorage["gemmscope.open"].includes("a.csv"));
  await again(app);
  assert.deepEqual(await names(app), ["b.csv.gz"]);
  await again(app, `${bare}#v=1&view=table&files=other.csv`);
  assert.deepEqual(await names(app), []);
  assert.match(await app.page.locator("main .notice").innerText(), /This link shows a view of other\.csv\. Drop it here\./);
  await app.page.getByRole("button", { name: "Reopen" }).click();
  await app.page.waitForFunction(() => window.gemmscope.summary().length === 1);
  await app.settle();

  await app.panel();
  await app.page.locator(".sidebar").getByRole("button", { name: "Forget" }).click();
  await app.page.waitForFunction(() => localStorage["gemmscope.open"] === undefined);
  assert.deepEqual(await names(app), ["b.csv.gz"]);
  await again(app, bare);
  assert.deepEqual(await names(app), []);
  assert.ok(await app.page.getByRole("heading", { name: /Drop a GEMM/ }).isVisible());
  assert.deepEqual(await databases(app), { lists: [], bytes: [] });
  app.page.quiet();
  app.assertQuiet();
});

test("each tab reopens its own files; a new one begins with those of the tab that was used last", async (t) => {
  const a = await GemmscopePage.open({ t });
  const bare = a.page.url();
  await a.load({ name: "a.csv", text: TINY });
  await a.kept();
  const tab = async () => {
    const page = await a.page.context().newPage();
    await page.goto(bare);
    await page.waitForFunction(() => document.documentElement.dataset.idle && document.documentElement.dataset.ready === "1");
    return new GemmscopePage(page);
  };
  const b = await tab();
  assert.deepEqual(await names(b), ["a.csv"]);
  await b.remove("a.csv");
  await b.load({ name: "b.csv", text: TINY });
  await b.kept();
  // One that was reloaded while the others had nothing, or something else, shows what it showed.
  const [c] = [await tab()];
  assert.deepEqual(await names(c), ["b.csv"]);
  await again(a);
  assert.deepEqual(await names(a), ["a.csv"]);
  await again(b);
  assert.deepEqual(await names(b), ["b.csv"]);
  // A duplicate has the notes of the first, and goes its own way.
  const note = await a.page.evaluate(() => sessionStorage["gemmscope.open"]);
  const d = await tab();
  await d.page.evaluate((note) => (sessionStorage["gemmscope.open"] = note), note);
  await again(d);
  assert.deepEqual(await names(d), ["a.csv"]);
  await d.load({ name: "d.csv", text: TINY });
  await d.kept();
  await again(a);
  assert.deepEqual(await names(a), ["a.csv"]);
  await again(d);
  assert.deepEqual(await names(d), ["a.csv", "d.csv"]);
  // What one forgets is forgotten everywhere; a tab that is still open keeps what changes there from then on.
  for (const { page } of [b, c]) await page.close();
  await a.page.goto("about:blank");
  await d.panel();
  await d.page.locator(".sidebar").getByRole("button", { name: "Forget" }).click();
  await d.page.waitForFunction(() => localStorage["gemmscope.open"] === undefined);
  assert.deepEqual(await databases(d), { lists: [], bytes: [] });
  await d.page.close();
});

test("a database that never answers: said, and files open all the same", async (t) => {
  const app = await GemmscopePage.open({ t });
  await app.load({ name: "old.csv", text: TINY });
  await app.kept();
  await app.page.addInitScript(() => {
    IDBFactory.prototype.open = () => new EventTarget();
    // The page waits by this clock.
    const wait = window.setTimeout;
    window.setTimeout = (run, ms, ...more) => wait(run, ms >= 10_000 ? 300 : ms, ...more);
  });
  await again(app);
  await app.page.getByText("What was open last could not be reopened: its storage does not answer.").first().waitFor({ state: "attached" });
  await app.load({ name: "new.csv", text: TINY });
  assert.deepEqual(await names(app), ["new.csv"]);
  await app.page.getByText("The browser keeps no files here, so they will not reopen after a reload: its storage does not answer.").first().waitFor({ state: "attached" });
});

/** All values of the page's database. */
const databases = (app) =>
  app.page.evaluate(async () => {
    const done = (request) => new Promise((resolve, reject) => ((request.onsuccess = () => resolve(request.result)), (request.onerror = reject)));
    const database = await done(indexedDB.open("gemmscope"));
    const out = {};
    for (const store of [...database.objectStoreNames]) out[store] = await done(database.transaction(store).objectStore(store).getAll());
    database.close();
    return { lists: out.lists, bytes: out.bytes };
  });

test("the switch keeps nothing; a browser that keeps nothing says so, and the page goes on", async (t) => {
  // Nothing is kept before the user says so, and who said no is not asked again.
  const never = await GemmscopePage.open({ t });
  await never.load({ name: "a.csv", text: TINY });
  const question = never.page.getByRole("region", { name: "Reopen after a reload" });
  await question.waitFor();
  await again(never);
  assert.deepEqual(await names(never), []);
  await never.load({ name: "a.csv", text: TINY });
  await question.getByRole("button", { name: "No" }).click();
  await again(never);
  assert.deepEqual(await names(never), []);
  await never.load({ name: "a.csv", text: TINY });
  assert.equal(await question.count(), 0);

  const app = await GemmscopePage.open({ t });
  await app.load({ name: "a.csv", text: TINY });
  await app.kept();
  await app.panel();
  await app.page.locator(".sidebar").getByRole("checkbox", { name: /Reopen/ }).uncheck();
  await app.page.waitForFunction(() => localStorage["gemmscope.open"] === undefined);
  await app.load({ name: "b.csv", text: TINY });
  await again(app);
  assert.deepEqual(await names(app), []);
  assert.equal(await app.page.getByRole("checkbox", { name: /Reopen/ }).isChecked(), false);
  app.page.quiet();
  app.assertQuiet();

  const before = (page) => page.addInitScript(() => Object.defineProperty(window, "indexedDB", { get: () => null }));
  const refused = await GemmscopePage.open({ t, before });
  await refused.load({ name: "a.csv", text: TINY });
  await refused.panel();
  await refused.page.locator(".sidebar").getByRole("checkbox", { name: /Reopen/ }).check();
  const sentence = refused.page.locator(".kept").getByText("The browser keeps no files here, so they will not reopen after a reload.");
  await sentence.waitFor();
  assert.deepEqual(await names(refused), ["a.csv"]);
  await again(refused);
  assert.deepEqual(await names(refused), []);
  refused.page.quiet();
  refused.assertQuiet();
});

test("a link names the files it was made from; a link to a sample opens it", async (t) => {
  const app = await GemmscopePage.open({ t });
  await app.load({ name: "mine.csv", text: TINY });
  await app.choosePlace("Table");
  assert.equal(await app.state("files"), "mine.csv");
  const other = await GemmscopePage.open({ t, path: new URL(app.page.url()).hash });
  assert.match(await other.page.locator("main .notice").innerText(), /This link shows a view of mine\.csv\. Drop it here\./);
  await other.load({ name: "mine.csv", text: TINY });
  assert.equal((await other.tableRows()).length, 1);
  assert.equal(await other.state("files"), "mine.csv");

  const two = await GemmscopePage.open({ t, path: "#v=1&view=table&files=mine.csv*its.csv" });
  await two.load({ name: "mine.csv", text: TINY });
  const missing = two.page.getByText("This link is also of its.csv.");
  await missing.waitFor();
  await two.load({ name: "its.csv", text: TINY });
  await missing.waitFor({ state: "detached" });

  const unnamed = await GemmscopePage.open({ t, path: "#v=1&f.dtype=fp16" });
  assert.match(await unnamed.page.locator("main .notice").innerText(), /This link holds a view but no data\. Drop the file it was made from\./);

  const sample = await GemmscopePage.open({ t, path: "#v=1&view=table&files=h100-tiles.csv" });
  await sample.page.waitForFunction(() => window.gemmscope.summary().length === 1);
  await sample.settle();
  assert.equal(await sample.state("view"), "table");
  for (const page of [app, other, two, unnamed, sample]) page.assertQuiet();
});

test("columns nobody knows are assigned by hand, and remembered", async (t) => {
  const app = await GemmscopePage.open({ t, viewport: PHONE });
  const text = "left,right,deep,took,who\n256,512,1024,20,x\n512,512,1024,31,y\n0,512,64,4,x\n";
  await app.page.evaluate(() => delete document.documentElement.dataset.ready);
  await app.load({ name: "mine.csv", text });
  await app.dialog.waitFor();
  assert.match(await app.dialog.innerText(), /Columns of mine\.csv/);
  const read = app.dialog.getByRole("button", { name: "Read the file" });
  const holds = (column) => app.dialog.getByRole("combobox", { name: `${column} holds` });
  const required = async () => plain(await app.dialog.getByRole("list", { name: "Required" }).innerText()).split("\n");
  // Guesses from the values, above the first rows, with a preview of how these are read.
  assert.deepEqual(await required(), ["M from left", "N from right", "K from deep", "a time or a rate from took"]);
  assert.match(plain(await app.dialog.getByRole("region", { name: "Columns and" }).innerText()), /512\s+512\s+1024\s+31\s+y/);
  const preview = app.dialog.getByRole("region", { name: "As read" });
  await preview.getByText("256 × 512 × 1024").waitFor();
  assert.match(plain(await preview.innerText()), /1 of the first 3 rows skipped: M is zero \(left\)\./);
  assert.equal(await app.page.evaluate(() => document.documentElement.scrollWidth), PHONE.width);

  // A wrong guess is corrected with the keyboard; the focus stays.
  await holds("right").focus();
  await app.page.keyboard.type("leave");
  assert.equal(await holds("right").inputValue(), "ignore");
  assert.deepEqual((await required())[1], "N missing");
  assert.match(await app.dialog.getByRole("status").innerText(), /^Missing: N\.$/);
  assert.ok(await read.isDisabled());
  await take(holds("right"), "n");
  assert.deepEqual(await holds("right").locator("optgroup").evaluateAll((all) => all.map((g) => g.label)), ["Sizes", "Type and layout", "Time and rate", "Who ran it", "Other"]);
  await take(holds("took"), "time:us");
  await take(app.dialog.getByRole("combobox", { name: /No data type in the file/ }), "bf16");
  await preview.getByText("31.00 µs").waitFor();
  await read.click();
  await app.page.waitForFunction(() => window.gemmscope.summary().length === 1);
  const s = await app.only();
  near(s.max_tflops, (2 * 512 * 512 * 1024) / 31e-6 / 1e12);
  assert.deepEqual(s.dtypes, ["bf16"]);

  // Another file with the same header needs no answers.
  await app.load({ name: "again.csv", text: "left,right,deep,took,who\n64,64,64,2,z\n" });
  await app.page.waitForFunction(() => window.gemmscope.summary().length === 2);
  const all = await app.summary();
  assert.deepEqual(all.map((s) => s.rows_used), [2, 1]);
  near(all[1].max_tflops, (2 * 64 ** 3) / 2e-6 / 1e12);
  assert.equal(await app.dialog.count(), 0);

  // Closed without a choice, the dialog restores the focus.
  await app.panel();
  await app.cards.first().getByRole("button", { name: "File" }).click();
  await app.page.getByRole("button", { name: "Columns and units" }).click();
  await app.dialog.getByRole("button", { name: "Cancel" }).click();
  assert.equal(await app.page.evaluate(() => document.activeElement.getAttribute("aria-label")), "File");
  app.assertQuiet();
});

test("Parquet is read as its CSV is, by a reader that comes with the first such file; a damaged one says so", async (t) => {
  const app = await GemmscopePage.open({ t });
  const readers = () => app.page.requests.filter((url) => url.includes("/parquet.mjs"));
  await app.load(fixture("fixtures/generic/plain.csv"));
  assert.deepEqual(readers(), []);
  await app.load(fixture("parquet/gemms.parquet"));
  const [, gemms] = await app.summary();
  assert.deepEqual([gemms.file, gemms.rows_used], ["gemms.parquet", 12]);
  near(gemms.max_tflops, (2 * 4096 * 4096 * 14336) / 982.07e-6 / 1e12);
  await app.load(fixture("parquet/nested.parquet"));
  assert.match(JSON.stringify((await app.summary())[2].notes), /Parquet: 2 rows, 4 columns; left out: shape \(nested\)/);
  assert.equal(readers().length, 1);
  await app.load(fixture("parquet/brotli.parquet"));
  await app.errors.getByText("packed with BROTLI: write it with zstd, snappy, gzip or uncompressed").waitFor();
  app.assertQuiet();
});

test("what no column holds is typed in the form, and the rows come out as they will be read", async (t) => {
  const app = await GemmscopePage.open({ t });
  await app.load({ name: "sweep.csv", text: "M,K,time_us\n128,256,4000\n256,256,8000\n" });
  const dialog = app.dialog;
  await dialog.getByText("Shows here once nothing is missing.").waitFor();
  // Only what no column holds has a field.
  assert.equal(await dialog.getByRole("textbox", { name: "M", exact: true }).count(), 0);
  await dialog.getByRole("textbox", { name: "N", exact: true }).fill("512");
  await dialog.getByRole("textbox", { name: "Calls that each time is of" }).fill("1000");
  await dialog.getByRole("textbox", { name: "Calls that each time is of" }).press("Tab");
  const preview = dialog.getByRole("region", { name: "As read" });
  await preview.getByText("4.000 µs").waitFor();
  assert.match(plain(await preview.innerText()), /128 × 512 × 256/);
  // Questions of the reader are answered here too.
  await dialog.getByRole("combobox", { name: /No data type in the file/ }).selectOption("bf16");
  await preview.getByText("bf16").first().waitFor();
  await dialog.getByRole("button", { name: "Read the file" }).click();
  await app.settle();
  const read = await app.only();
  assert.equal(read.rows_used, 2);
  near(read.max_tflops, (2 * 128 * 512 * 256) / 4e-6 / 1e12);
  app.assertQuiet();
});
