// What is looked at: facets with counts, ranges, search, chips, undo; and that a reload brings it back.
import assert from "node:assert/strict";
import { test } from "node:test";
import { fixture, sharedData, skipWithout, waitReady } from "../harness.mjs";
import { DESKTOP, GemmscopePage, PHONE } from "../page.mjs";

const PLAIN = fixture("fixtures/generic/plain.csv");

async function open(t, options = {}) {
  const app = await GemmscopePage.open({ t, viewport: DESKTOP, path: "#v=1&device=h100-sxm", ...options });
  await app.load(PLAIN);
  return app;
}

test("facets count what each value would show, and everything follows", async (t) => {
  const app = await open(t);
  assert.deepEqual(await app.facetCounts("Type"), { fp16: 1, bf16: 1, "fp8 E4M3": 1, fp32: 1 });
  await app.toggleFacet("kernel", "k_64x64");
  assert.equal(await app.figure("rows"), "2");
  // The facet's own counts stay, those of the others follow.
  assert.deepEqual(await app.facetCounts("kernel"), { k_64x64: 2, k_128x256: 2 });
  assert.deepEqual(await app.facetCounts("Type"), { fp16: 1, bf16: 1 });
  assert.deepEqual(await app.chips(), ["kernel: k_64x64"]);
  await app.toggleFacet("Type", "bf16");
  assert.equal(await app.figure("rows"), "1");
  await assert.rejects(app.find(/fp16/), /nothing in the chart/);
  await app.find(/bf16/);
  await app.chooseView("Table");
  assert.equal((await app.tableRows()).length, 1);
  await app.chooseView("Roofline");

  await app.page.getByRole("button", { name: "Remove the filter Type: bf16" }).click();
  await app.settle();
  assert.equal(await app.figure("rows"), "2");
  await app.clearFilters();
  assert.equal(await app.figure("rows"), "4");
  assert.deepEqual(await app.chips(), []);
  for (const rows of ["2", "1", "2"]) {
    await app.page.getByRole("button", { name: "Undo" }).click();
    await app.settle();
    if (rows !== "1") assert.ok(["1", "2", "4"].includes(await app.figure("rows")));
  }
  app.assertQuiet();
});

test("several values of a facet are one or the other; several facets are both", async (t) => {
  const app = await open(t);
  await app.toggleFacet("Type", "fp16");
  await app.toggleFacet("Type", "fp32");
  assert.equal(await app.figure("rows"), "2");
  await app.toggleFacet("Layout", "NN");
  assert.equal(await app.figure("rows"), "1");
  assert.equal(await app.figure("time"), "2.500 ms");
});

test("ranges and search; nothing passes, and the page says so", async (t) => {
  const app = await open(t);
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
  await app.screenshot("filters-nothing");
  await app.page.keyboard.press("Escape");
  await app.page.locator("body").click({ position: { x: 700, y: 20 } });
  await app.page.keyboard.press("x");
  await app.settle();
  assert.equal(await app.figure("rows"), "4");
});

test("the figures of the strip are those of the rows that pass", async (t) => {
  const path = sharedData("iree-kernel-benchmark/iree_gemm.csv");
  if (skipWithout(t, path)) return;
  const app = await GemmscopePage.open({ t, viewport: DESKTOP });
  await app.load(path);
  const counts = await app.facetCounts("Type");
  assert.equal(counts.fp16 + counts.bf16, 563);
  await app.toggleFacet("Type", "bf16");
  assert.equal(await app.figure("rows"), String(counts.bf16));
  const share = async (key) => Number.parseFloat(await app.figure(key));
  assert.ok((await share("memory")) + (await share("compute")) <= 100.1);
  assert.ok((await share("efficiency")) < 62.6);
  app.assertQuiet();
});

test("a reload keeps the view: filters, device, zoom, selection, tab", async (t) => {
  const app = await open(t);
  await app.toggleFacet("kernel", "k_128x256");
  await app.setControl("color", "c.model");
  await app.page.getByRole("button", { name: "Achievable" }).click();
  await app.click(/fp8/);
  await app.wheel(-300);
  const link = await app.page.evaluate(() => location.hash);
  await app.page.reload();
  await waitReady(app.page);
  await app.load(PLAIN);
  await app.settle();
  assert.equal(await app.page.evaluate(() => location.hash), link);
  assert.equal(await app.figure("rows"), "2");
  assert.match(await app.detail(), /fp8/);
  assert.equal(await app.page.getByRole("button", { name: "Achievable" }).getAttribute("aria-pressed"), "true");
  assert.equal(await app.page.locator('select[data-control="color"]').inputValue(), "c.model");
});

test("a bad key of a link is said and spoils no other", async (t) => {
  const app = await GemmscopePage.open({ t, path: "#v=1&roof=high&f.dtype=bf16&later=kept" });
  assert.match(await app.status(), /roof/);
  await app.load(PLAIN);
  assert.equal(await app.figure("rows"), "1");
  assert.equal(await app.state("later"), "kept");
});

test("filters work in the drawer of a phone", async (t) => {
  const app = await open(t, { viewport: PHONE });
  await app.page.getByRole("button", { name: "Files and filters" }).click();
  await app.toggleFacet("Type", "bf16");
  await app.page.getByRole("button", { name: "Close the drawer" }).click();
  assert.equal(await app.figure("rows"), "1");
});
