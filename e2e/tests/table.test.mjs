// The table: all columns, sorting, choosing, scrolling through many rows, export, selection shared with the chart.
import assert from "node:assert/strict";
import { test } from "node:test";
import { fixture } from "../harness.mjs";
import { DESKTOP, GemmscopePage } from "../page.mjs";

const PLAIN = fixture("fixtures/generic/plain.csv");

async function open(t, files = [PLAIN]) {
  const app = await GemmscopePage.open({ t, viewport: DESKTOP, path: "#v=1&view=table&device=h100-sxm" });
  await app.load(...files);
  return app;
}

/** Texts of one column, top to bottom. */
async function column(app, title) {
  const at = (await app.tableHeads()).indexOf(title);
  assert.ok(at >= 0, `${title} among ${await app.tableHeads()}`);
  return (await app.tableRows()).map((row) => row[at]);
}

const head = (app, title) => app.page.getByRole("columnheader").getByRole("button", { name: title, exact: true });

test("sorts up, down and not at all; columns are chosen and kept; a selection is one in table and chart", async (t) => {
  const app = await open(t);
  const filed = ["3.500", "7.250", "120.5", "2500"];
  // Unasked, what loses most time comes first.
  assert.deepEqual(await column(app, "Time (µs)"), [...filed].reverse());
  await head(app, "Time (µs)").click();
  await app.settle();
  assert.deepEqual(await column(app, "Time (µs)"), [...filed].reverse());
  assert.equal(await app.page.locator('[aria-sort="descending"]').count(), 1);
  await head(app, "Time (µs)").click();
  await app.settle();
  assert.deepEqual(await column(app, "Time (µs)"), filed);
  assert.equal(await app.page.locator('[aria-sort="ascending"]').count(), 1);
  await head(app, "Time (µs)").click();
  await app.settle();
  assert.equal(await app.page.locator('[aria-sort="ascending"], [aria-sort="descending"]').count(), 0);
  assert.deepEqual(await column(app, "Time (µs)"), filed);

  assert.ok(!(await app.tableHeads()).includes("K"));
  await app.page.getByRole("button", { name: "Choose columns" }).click();
  await app.page.locator(".menu label", { hasText: /^K$/ }).click();
  await app.page.keyboard.press("Escape");
  await app.settle();
  assert.deepEqual((await column(app, "K")).sort(), ["256", "256", "4096", "4096"]);
  assert.match(await app.state("columns"), /(^|\n)k($|\n)/);

  await app.page.locator(".data-grid-row", { hasText: "fp8" }).click();
  await app.page.locator(".data-grid-row", { hasText: "fp32" }).click({ modifiers: ["Shift"] });
  await app.settle();
  assert.equal(await app.page.locator('.data-grid-row[aria-selected="true"]').count(), 2);
  assert.equal(await app.page.locator(".number-tab option").count(), 2);
  await app.choosePicture("Summary", "roofline");
  await app.page.locator(".number-tab").selectOption("0");
  assert.match(await app.detail(), /fp8/);
  app.assertQuiet();
});

test("what is exported is what shows, in its order, every column with its unit, and reads back the same", async (t) => {
  const app = await open(t);
  await app.toggleFacet("kernel", "k_128x256");
  await head(app, "Time (µs)").click();
  await app.settle();
  const saved = await app.download(() => app.page.getByRole("button", { name: "CSV", exact: true }).click());
  const lines = saved.text.trim().split(/\r?\n/).filter((l) => !l.startsWith("#"));
  assert.equal(lines.length, 3);
  assert.match(lines[1], /2\.5e-3|0\.0025|2500/);

  const before = (await app.only()).max_tflops;
  const again = await GemmscopePage.open({ t, path: "#v=1&device=h100-sxm" });
  await again.load({ name: saved.name, bytes: saved.bytes });
  const s = await again.only();
  assert.deepEqual([s.rows_used, s.rows_set_aside], [2, 0]);
  assert.ok(Math.abs(s.max_tflops - before) < 1e-9 * before);
});

test("a cell that a spreadsheet would run is quoted, and markup in a file is text", async (t) => {
  const app = await open(t, [{ name: "evil.csv", text: 'kernel,M,N,K,dtype,time_us\n"=HYPERLINK(""http://x"")",64,64,64,fp16,2\n+cmd,64,64,64,fp16,2\n' }]);
  const saved = await app.download(() => app.page.getByRole("button", { name: "CSV", exact: true }).click());
  assert.ok(!/(^|,)"?[=+@]/m.test(saved.text), saved.text);
  assert.match(saved.text, /'=HYPERLINK/);
  assert.match(saved.text, /'\+cmd/);

  const evil = '<img src=x onerror="window.hacked=1">';
  await app.load({ name: "<b>x.csv", text: `kernel,M,N,K,dtype,time_us\n"${evil.replaceAll('"', '""')}",64,64,64,fp16,2\n` });
  assert.ok((await column(app, "kernel")).includes(evil));
  await app.page.locator(".data-grid-row", { hasText: "onerror" }).click();
  assert.ok((await app.detail()).includes(evil));
  assert.equal(await app.page.evaluate(() => window.hacked), undefined);
  assert.equal(await app.page.locator(".app img").count(), 0);
  app.assertQuiet();
});

test("100 000 rows scroll, and only those in sight exist", async (t) => {
  const app = await GemmscopePage.open({ t, viewport: DESKTOP, path: "#v=1&view=table" });
  let text = "M,N,K,dtype,time_us\n";
  for (let i = 1; i <= 100_000; i++) text += `${i},64,64,fp16,${(i % 997) + 1}\n`;
  await app.load({ name: "long.csv", text });
  const grid = app.page.locator(".data-grid");
  assert.equal(await grid.getAttribute("aria-rowcount"), "100001");
  assert.ok((await app.tableRows()).length < 60);
  await grid.focus();
  await app.page.keyboard.press("End");
  await app.settle();
  const last = await app.tableRows();
  assert.ok(last.some((r) => r.some((c) => c.startsWith("100000 ×"))), JSON.stringify(last.at(-1)));
  await app.page.keyboard.press("Enter");
  assert.match(await app.detail(), /line 100001/);
  await app.page.keyboard.press("ArrowUp");
  await app.page.keyboard.press("Home");
  await app.settle();
  assert.ok((await app.tableRows())[0].some((c) => c.startsWith("1 ×")));
  app.assertQuiet();
});
