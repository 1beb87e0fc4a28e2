// Filters: facets with counts, ranges, search, chips, undo, and that a reload restores them; and the table: sorting,
// selecting, scrolling through many rows, export, selection shared with the chart. Which rows a filter keeps is tested
// in crates/table/src/filter/tests.rs; that figures are sums over them, in tests/sentences.rs; that an export reads
// back the same and cannot be executed, in crates/table/src/result_table.rs and the tests of the command.
import assert from "node:assert/strict";
import { test } from "node:test";
import { fixture, waitReady } from "../harness.mjs";
import { DESKTOP, GemmscopePage } from "../page.mjs";

const PLAIN = fixture("fixtures/generic/plain.csv");

test("facets, ranges and a search filter all that shows, and Undo takes back one step after another", async (t) => {
  const app = await GemmscopePage.open({ t, viewport: DESKTOP, path: "#v=1&device=h100-sxm" });
  await app.load(PLAIN);
  assert.deepEqual(await app.facetCounts("Type"), { fp16: 1, bf16: 1, "fp8 E4M3": 1, fp32: 1 });
  await app.toggleFacet("Kernel", "k_64x64");
  assert.equal(await app.figure("rows"), "2");
  // The facet's own counts stay, those of the others change.
  assert.deepEqual(await app.facetCounts("Kernel"), { k_64x64: 2, k_128x256: 2 });
  assert.deepEqual(await app.facetCounts("Type"), { fp16: 1, bf16: 1 });
  assert.deepEqual(await app.chips(), ["Kernel: k_64x64"]);
  await app.later();
  await app.toggleFacet("Type", "bf16");
  assert.equal(await app.figure("rows"), "1");
  const drawn = (await app.download(() => app.saveAs("CSV of what is drawn"))).text;
  assert.match(drawn, /bf16/);
  assert.doesNotMatch(drawn, /fp16/);
  await app.later();
  await app.choosePlace("Table");
  assert.equal((await app.tableRows()).length, 1);
  await app.later();
  await app.choosePicture("Summary", "roofline");

  await app.later();
  await app.page.getByRole("button", { name: "Remove the filter Type" }).click();
  assert.equal(await app.figure("rows"), "2");
  await app.later();
  await app.clearFilters();
  assert.equal(await app.figure("rows"), "4");
  assert.deepEqual(await app.chips(), []);
  // Undo reverts every step: clear all, the type removed, the two changes of view, the type added, the kernel.
  for (const [rows, view] of [["2", "roofline"], ["1", "roofline"], ["1", "table"], ["1", "roofline"], ["2", "roofline"], ["4", "roofline"]]) {
    await app.page.getByRole("button", { name: "Undo" }).click();
    assert.deepEqual([await app.figure("rows"), (await app.state("view")) ?? "roofline"], [rows, view]);
  }
  assert.equal(await app.page.getByRole("button", { name: "Undo" }).isEnabled(), false);

  await app.openFacet("Ranges");
  const range = (name) => app.page.getByRole("group", { name, exact: true }).getByRole("textbox");
  await range("Time (µs)").first().fill("7");
  await range("Time (µs)").last().fill("130");
  await range("Time (µs)").last().press("Enter");
  assert.equal(await app.figure("rows"), "2");
  await app.closeFilters();
  // The range is a chip, whose popover changes it.
  await app.page.locator(".chip.on .chip-words").click();
  await range("Time (µs)").last().fill("131");
  await range("Time (µs)").last().press("Enter");
  assert.equal(await app.figure("rows"), "2");
  await app.page.keyboard.press("Escape");
  await app.openFilters();
  assert.match((await app.chips()).join(), /Time 7.* – 131/);
  await app.page.locator("#search").fill("K_128");
  assert.equal(await app.figure("rows"), "1");
  await app.page.locator("#search").fill("nothing like this");
  assert.equal(await app.figure("rows"), "0");
  assert.match((await app.page.locator("#chart-roofline").textContent()) + (await app.stage.getAttribute("aria-label")), /0 rows/);
  await app.page.keyboard.press("Escape");
  await app.page.locator("body").click({ position: { x: 700, y: 20 } });
  await app.page.keyboard.press("x");
  assert.equal(await app.figure("rows"), "4");
  app.assertQuiet();
});

test("a reload keeps the view: filters, device, zoom, selection, tab; a bad key of a link is said and spoils no other", async (t) => {
  const app = await GemmscopePage.open({ t, viewport: DESKTOP, path: "#v=1&device=h100-sxm&roof=high&f.c.kernel=k_128x256&later=kept" });
  assert.match(await app.status(), /roof/);
  await app.load(PLAIN);
  assert.equal(await app.figure("rows"), "2");
  await app.setControl("color", "c.model");
  await app.page.getByRole("button", { name: "Achievable" }).click();
  await app.click(/k_128x256[\s\S]*fp8/);
  await app.wheel(-300);
  assert.equal(await app.state("later"), "kept");
  const link = await app.page.evaluate(() => location.hash);
  await app.kept();
  await app.page.reload();
  await waitReady(app.page);
  // The open files are restored.
  await app.cards.first().waitFor({ state: "attached" });
  await app.settle();
  assert.equal(await app.page.evaluate(() => location.hash), link);
  assert.equal(await app.figure("rows"), "2");
  assert.match(await app.detail(), /fp8/);
  assert.equal(await app.page.getByRole("button", { name: "Achievable" }).getAttribute("aria-pressed"), "true");
  assert.equal(await app.page.locator('select[data-control="color"]').inputValue(), "c.model");
});

/** Texts of one column, top to bottom. */
async function column(app, title) {
  const at = (await app.tableHeads()).indexOf(title);
  assert.ok(at >= 0, `${title} among ${await app.tableHeads()}`);
  return (await app.tableRows()).map((row) => row[at]);
}

test("sorts up, down and not at all; columns are chosen and kept; a selection is one in table and chart; what shows is exported", async (t) => {
  const app = await GemmscopePage.open({ t, viewport: DESKTOP, path: "#v=1&view=table&device=h100-sxm" });
  await app.load(PLAIN);
  const sort = async () => {
    await app.page.getByRole("columnheader").getByRole("button", { name: "Time", exact: true }).click();
  };
  const filed = ["3.500 µs", "7.250 µs", "120.5 µs", "2.500 ms"];
  // By default the largest lost time comes first.
  assert.deepEqual(await column(app, "Time"), [...filed].reverse());
  await sort();
  assert.deepEqual(await column(app, "Time"), [...filed].reverse());
  assert.equal(await app.page.locator('[aria-sort="descending"]').count(), 1);
  await sort();
  assert.deepEqual(await column(app, "Time"), filed);
  assert.equal(await app.page.locator('[aria-sort="ascending"]').count(), 1);
  await sort();
  assert.equal(await app.page.locator('[aria-sort="ascending"], [aria-sort="descending"]').count(), 0);
  assert.deepEqual(await column(app, "Time"), filed);

  assert.ok(!(await app.tableHeads()).includes("K"));
  await app.page.getByRole("button", { name: "Choose columns" }).click();
  await app.page.locator(".menu label", { hasText: /^K$/ }).click();
  await app.page.keyboard.press("Escape");
  assert.deepEqual((await column(app, "K")).sort(), ["256", "256", "4096", "4096"]);
  assert.match(await app.state("columns"), /(^|\n)k($|\n)/);

  await app.page.locator(".data-grid-row", { hasText: "fp8" }).click();
  await app.page.locator(".data-grid-row", { hasText: "fp32" }).click({ modifiers: ["Shift"] });
  assert.equal(await app.page.locator('.data-grid-row[aria-selected="true"]').count(), 2);
  assert.equal(await app.page.locator(".number-tab option").count(), 2);
  await app.choosePicture("Summary", "roofline");
  await app.page.locator(".number-tab").selectOption("0");
  assert.match(await app.detail(), /fp8/);

  await app.choosePlace("Table");
  await app.toggleFacet("Kernel", "k_128x256");
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
  assert.ok((await column(app, "Kernel")).includes(evil));
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
  const last = await app.tableRows();
  assert.ok(last.some((r) => r.some((c) => c.startsWith("100000 ×"))), JSON.stringify(last.at(-1)));
  await app.page.keyboard.press("Enter");
  assert.match(await app.detail(), /line 100001/);
  await app.page.keyboard.press("ArrowUp");
  await app.page.keyboard.press("Home");
  assert.ok((await app.tableRows())[0].some((c) => c.startsWith("1 ×")));
  app.assertQuiet();
});
