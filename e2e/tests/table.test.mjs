// The table: all columns, sorting, choosing, scrolling through many rows, export, selection shared with the chart. That
// an export reads back the same and runs nowhere is crates/table/src/result_table.rs and tests of the command.
import assert from "node:assert/strict";
import { test } from "node:test";
import { fixture } from "../harness.mjs";
import { DESKTOP, GemmscopePage } from "../page.mjs";

/** Texts of one column, top to bottom. */
async function column(app, title) {
  const at = (await app.tableHeads()).indexOf(title);
  assert.ok(at >= 0, `${title} among ${await app.tableHeads()}`);
  return (await app.tableRows()).map((row) => row[at]);
}

test("sorts up, down and not at all; columns are chosen and kept; a selection is one in table and chart; what shows is exported", async (t) => {
  const app = await GemmscopePage.open({ t, viewport: DESKTOP, path: "#v=1&view=table&device=h100-sxm" });
  await app.load(fixture("fixtures/generic/plain.csv"));
  const sort = async () => {
    await app.page.getByRole("columnheader").getByRole("button", { name: "Time (µs)", exact: true }).click();
    await app.settle();
  };
  const filed = ["3.500", "7.250", "120.5", "2500"];
  // Unasked, what loses most time comes first.
  assert.deepEqual(await column(app, "Time (µs)"), [...filed].reverse());
  await sort();
  assert.deepEqual(await column(app, "Time (µs)"), [...filed].reverse());
  assert.equal(await app.page.locator('[aria-sort="descending"]').count(), 1);
  await sort();
  assert.deepEqual(await column(app, "Time (µs)"), filed);
  assert.equal(await app.page.locator('[aria-sort="ascending"]').count(), 1);
  await sort();
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

  await app.choosePlace("Table");
  await app.toggleFacet("kernel", "k_128x256");
  await sort();
  const saved = await app.download(() => app.page.getByRole("button", { name: "CSV", exact: true }).click());
  const lines = saved.text.trim().split(/\r?\n/).filter((l) => !l.startsWith("#"));
  assert.equal(lines.length, 3);
  assert.match(lines[1], /2\.5e-3|0\.0025|2500/);
  app.assertQuiet();
});

test("of many rows only those in sight exist; markup in a file is text", async (t) => {
  const app = await GemmscopePage.open({ t, viewport: DESKTOP, path: "#v=1&view=table" });
  const evil = '<img src=x onerror="window.hacked=1">';
  await app.load({ name: "<b>x.csv", text: `kernel,M,N,K,dtype,time_us\n"${evil.replaceAll('"', '""')}",64,64,64,fp16,2\n` });
  assert.ok((await column(app, "kernel")).includes(evil));
  await app.page.locator(".data-grid-row", { hasText: "onerror" }).click();
  assert.ok((await app.detail()).includes(evil));
  assert.equal(await app.page.evaluate(() => window.hacked), undefined);
  assert.equal(await app.page.locator(".app img").count(), 0);
  await app.remove("<b>x.csv");

  let text = "M,N,K,dtype,time_us\n";
  for (let i = 1; i <= 100_000; i++) text += `${i},64,64,fp16,${(i % 997) + 1}\n`;
  await app.load({ name: "long.csv", text });
  await app.go("#v=1&view=table");
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
