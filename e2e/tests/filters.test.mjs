// What is looked at: facets with counts, ranges, search, chips, undo; and that a reload brings it back.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { fixture, waitReady } from "../harness.mjs";
import { DESKTOP, GemmscopePage, PHONE, plain } from "../page.mjs";

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
  app.assertQuiet();
});

test("several values of a facet are one or the other, several facets both; ranges, search, and nothing that passes", async (t) => {
  const app = await open(t);
  await app.toggleFacet("Type", "fp16");
  await app.toggleFacet("Type", "fp32");
  assert.equal(await app.figure("rows"), "2");
  await app.toggleFacet("Layout", "NN");
  assert.equal(await app.figure("rows"), "1");
  assert.equal(await app.figure("time"), "2.50 ms");
  await app.clearFilters();

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

test("sentence, bar and list are sums of the rows that pass", async (t) => {
  const path = fixture("fixtures/iree/sweep_compiler.csv");
  const app = await GemmscopePage.open({ t, viewport: DESKTOP });
  await app.load(path);
  assert.deepEqual(await app.facetCounts("Type"), { fp16: 177, bf16: 90 });
  const [head, ...lines] = readFileSync(path, "utf8").trim().split("\n").map((line) => line.split(","));
  const all = lines.map((line) => Object.fromEntries(line.map((cell, i) => [head[i], cell])));
  /** Time in ms and share of the roof in percent, by the roofs of MI300X: 1307.4 TFLOP/s and 5.3 TB/s. */
  const totals = (rows) => {
    const sum = { all: 0, lost: 0 };
    for (const row of rows) {
      const [m, n, k, us] = ["M", "N", "K", "mean_microseconds"].map((c) => Number(row[c]));
      const roof = Math.max((2 * m * n * k) / 1307.4e6, (2 * (m * k + k * n + m * n)) / 5.3e6);
      sum.all += us;
      sum.lost += Math.max(0, us - roof);
    }
    return { time: sum.all / 1e3, efficiency: 100 * (1 - sum.lost / sum.all), lost: sum.lost / 1e3 };
  };
  const same = async (rows) => {
    await app.choosePlace("Summary");
    assert.equal(await app.figure("rows"), String(rows.length));
    const { time, efficiency, lost } = totals(rows);
    const near = (shown, value) => assert.ok(Math.abs(Number.parseFloat(shown) - value) <= 0.0051 * value, `${shown}, not ${value}`);
    near(await app.figure("time"), time);
    near(await app.figure("efficiency"), efficiency);
    // The bar and the list add up to the same.
    near(/([\d.]+) ms lost in all/.exec(await app.page.locator('.ranked-sum [data-figure="lost"]').innerText())[1], lost);
    const parts = (await app.page.locator(".ledger-bar .account").evaluateAll((all) => all.map((part) => part.title))).map(plain);
    const seconds = parts.map((part) => / ([\d.]+) (s|ms|µs)(?::|,)/.exec(part)).map(([, n, unit]) => n * { s: 1e3, ms: 1, µs: 1e-3 }[unit]);
    near(seconds.reduce((a, b) => a + b), time);
  };
  await same(all);
  await app.toggleFacet("Type", "bf16");
  await same(all.filter((row) => row.dtype === "bf16"));
  app.assertQuiet();
});

test("a reload keeps the view: filters, device, zoom, selection, tab", async (t) => {
  const app = await open(t);
  await app.toggleFacet("kernel", "k_128x256");
  await app.setControl("color", "c.model");
  await app.page.getByRole("button", { name: "Achievable" }).click();
  await app.click(/k_128x256[\s\S]*fp8/);
  await app.wheel(-300);
  const link = await app.page.evaluate(() => location.hash);
  await app.page.reload();
  await waitReady(app.page);
  // What was open reopens.
  await app.cards.first().waitFor();
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
