// What is looked at: facets with counts, ranges, search, chips, undo; and that a reload brings it back. What a filter
// lets pass is crates/table/src/filter/tests.rs; that figures are sums of it, tests/said.rs.
import assert from "node:assert/strict";
import { test } from "node:test";
import { fixture, waitReady } from "../harness.mjs";
import { DESKTOP, GemmscopePage } from "../page.mjs";

const PLAIN = fixture("fixtures/generic/plain.csv");

test("facets, ranges and a search filter all that shows, and Undo takes back one step after another", async (t) => {
  const app = await GemmscopePage.open({ t, viewport: DESKTOP, path: "#v=1&device=h100-sxm" });
  await app.load(PLAIN);
  assert.deepEqual(await app.facetCounts("Type"), { fp16: 1, bf16: 1, "fp8 E4M3": 1, fp32: 1 });
  await app.toggleFacet("kernel", "k_64x64");
  assert.equal(await app.figure("rows"), "2");
  // The facet's own counts stay, those of the others follow.
  assert.deepEqual(await app.facetCounts("kernel"), { k_64x64: 2, k_128x256: 2 });
  assert.deepEqual(await app.facetCounts("Type"), { fp16: 1, bf16: 1 });
  assert.deepEqual(await app.chips(), ["kernel: k_64x64"]);
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
  await app.page.getByRole("button", { name: "Remove the filter Type: bf16" }).click();
  await app.settle();
  assert.equal(await app.figure("rows"), "2");
  await app.later();
  await app.clearFilters();
  assert.equal(await app.figure("rows"), "4");
  assert.deepEqual(await app.chips(), []);
  // Undo takes every step back: clear all, the type removed, the two changes of view, the type added, the kernel.
  for (const [rows, view] of [["2", "roofline"], ["1", "roofline"], ["1", "table"], ["1", "roofline"], ["2", "roofline"], ["4", "roofline"]]) {
    await app.page.getByRole("button", { name: "Undo" }).click();
    await app.settle();
    assert.deepEqual([await app.figure("rows"), (await app.state("view")) ?? "roofline"], [rows, view]);
  }
  assert.equal(await app.page.getByRole("button", { name: "Undo" }).isEnabled(), false);

  const range = (name) => app.page.getByRole("group", { name, exact: true }).getByRole("textbox");
  await range("Time (µs)").first().fill("7");
  await range("Time (µs)").last().fill("130");
  await range("Time (µs)").last().press("Enter");
  await app.settle();
  assert.equal(await app.figure("rows"), "2");
  assert.match((await app.chips()).join(), /Time \(µs\) 7.* – 130/);
  await app.page.locator("#search").fill("K_128");
  await app.settle();
  assert.equal(await app.figure("rows"), "1");
  await app.page.locator("#search").fill("nothing like this");
  await app.settle();
  assert.equal(await app.figure("rows"), "0");
  assert.match((await app.page.locator("#chart-roofline").textContent()) + (await app.stage.getAttribute("aria-label")), /0 GEMMs/);
  await app.page.keyboard.press("Escape");
  await app.page.locator("body").click({ position: { x: 700, y: 20 } });
  await app.page.keyboard.press("x");
  await app.settle();
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
  // What was open reopens.
  await app.cards.first().waitFor({ state: "attached" });
  await app.settle();
  assert.equal(await app.page.evaluate(() => location.hash), link);
  assert.equal(await app.figure("rows"), "2");
  assert.match(await app.detail(), /fp8/);
  assert.equal(await app.page.getByRole("button", { name: "Achievable" }).getAttribute("aria-pressed"), "true");
  assert.equal(await app.page.locator('select[data-control="color"]').inputValue(), "c.model");
});
