// Every view: what it says, hover, a selection that the others show too, its settings in the link, its numbers as files.
// The pictures themselves are tests/golden/chart and tests/golden/views.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { fixture } from "../harness.mjs";
import { DESKTOP, GemmscopePage, PHONE, plain } from "../page.mjs";

const library = fixture("fixtures/iree/sweep_library.csv");
const compiler = fixture("fixtures/iree/sweep_compiler.csv");
const sweep = fixture("fixtures/generic/tile_sweep.csv");
const stated = fixture("fixtures/generic/best_block.csv");
const tuning = fixture("../samples/tuning-history.csv");

const open = (t, path = "", options = {}) => GemmscopePage.open({ t, path, viewport: DESKTOP, ...options });

/** What is saved as CSV: its lines. */
async function csvOf(app, name) {
  const csv = await app.download(() => app.saveAs("CSV of what is drawn"));
  assert.equal(csv.name, `${name}.csv`);
  return csv.text.trim().split("\r\n");
}

/** The link leads back to the same view with the same settings, from a view without any. */
async function comesBack(app) {
  await app.settle();
  const hash = new URL(app.page.url()).hash;
  await app.go("#v=1&view=table");
  await app.go(hash);
  assert.equal(new URL(app.page.url()).hash, hash);
}

/** Cells of a line of CSV. */
const cells = (line) => [...line.matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^,]*))/g)].map((m) => m[1] ?? m[2]);

/** The table of the selected rows in the details: lines of cells, with plain spaces. */
async function sideBySide(app) {
  const button = app.page.getByRole("button", { name: "Side by side" });
  await button.click();
  const lines = await app.page.locator(".side-by-side tr").evaluateAll((rows) => rows.map((r) => [...r.cells].map((c) => c.textContent)));
  await button.click();
  return lines.map((line) => line.map((cell) => cell.replace(/[\u202f\u00a0]/g, " ")));
}

const tab = (app) => app.page.locator('.tabs .tab[aria-current="page"] span').innerText();
const label = async (app) => plain(await app.stage.first().getAttribute("aria-label"));
const notes = async (app) => plain((await app.page.locator(".chart-verdict, .notes").allInnerTexts()).join(" "));

test("one file in every view: cells and their row, bars, boxes, side by side, and why there is no other", async (t) => {
  const app = await open(t, "#view=cells&device=mi300x");
  await app.load(library);
  assert.equal(await tab(app), "Explore");
  assert.match(await label(app), /^% of roof.*M × N by K/);
  await app.setControl("explore.y", "m");
  const text = await app.hover(/M 16.*K 8192|K 8192.*M 16/);
  assert.match(text, /GEMMs|M × N × K/);
  await app.click(/M 16.*K 8192|K 8192.*M 16/);
  assert.ok(await app.state("sel"), "what is clicked is in the link");
  const heat = await csvOf(app, "cells");
  assert.match(heat[0], /^K,M,% of roof.*,GEMMs$/);
  const counted = heat.slice(1).reduce((sum, line) => sum + Number(line.split(",").at(-1)), 0);
  assert.equal(counted, Number(await app.figure("rows")));
  // A picture is twice as wide as half of it.
  const [png, half] = [await app.download(() => app.saveAs("PNG")), await app.download(() => app.saveAs("PNG, half as large"))];
  const width = (file) => file.bytes.readUInt32BE(16);
  assert.equal(width(png), 2 * width(half));

  // The bar of colours is the top right part of the chart.
  const bar = await app.find(/Drag along the colours/);
  const before = Number(await app.figure("rows"));
  await app.page.mouse.move(bar.x + 20, bar.y + 8);
  await app.page.mouse.down();
  await app.page.mouse.move(bar.x + 70, bar.y + 8, { steps: 5 });
  await app.page.mouse.move(bar.x + 120, bar.y + 8, { steps: 5 });
  await app.page.mouse.up();
  await app.settle();
  assert.match(await app.state("r.efficiency"), /^\d.*\.\.\d/);
  assert.ok(Number(await app.figure("rows")) < before);
  await comesBack(app);
  await app.moreControls();
  assert.equal(await app.page.locator('select[data-control="explore.y"]').inputValue(), "m");
  await app.choosePicture("Summary", "roofline");
  assert.ok(await app.state("sel"), "the selection goes along");

  // In one row: kernels along x, found by name, scrolled.
  await app.panel();
  await app.go("#view=heat&heat.form=row&heat.along=shape&device=mi300x");
  await app.wheel(400);
  assert.match(await app.state("at.cells"), /^[1-9]\d*,0$/);
  await comesBack(app);
  await app.moreControls();
  await app.page.locator('[data-control="explore.find"]').fill("2048 × 8192");
  await app.settle();
  assert.equal(await app.state("explore.find"), "2048 × 8192");
  const found = (await csvOf(app, "cells")).slice(1);
  assert.ok(found.length > 1 && found.every((line) => line.includes("2048 × 8192")), found.join("\n"));

  // Hundreds of bars by wheel and keyboard.
  await app.go("#view=bars&device=mi300x");
  assert.match(await label(app), /Arithmetic intensity and attained rate by GEMM, \d+ bars/);
  await app.wheel(600);
  const wheeled = Number((await app.state("at.bars")).split(",")[1]);
  assert.ok(wheeled > 10, `row ${wheeled}`);
  await app.stage.focus();
  for (const key of ["ArrowDown", "ArrowDown", "Enter"]) await app.page.keyboard.press(key);
  assert.ok(await app.state("sel"));
  const bars = await csvOf(app, "bars");
  assert.equal(bars.length - 1, Number(await app.figure("rows")));
  // Sorted by rate, the highest first.
  const rates = bars.slice(1).map((l) => Number(l.split(",").at(-3)));
  assert.deepEqual(rates, [...rates].sort((a, b) => b - a));
  await app.setControl("explore.x", "transposes");
  assert.match(await label(app), /by Layout, 4 bars/);

  // The share of the roof against any column.
  await app.go("#view=boxes&device=mi300x");
  await app.setControl("explore.x", "transposes");
  assert.match(await notes(app), /^Median % of roof: .* to /);
  assert.match(await app.hover(/Layout|Transposes|NT/), /median\s+[\d.]+ %/i);
  assert.match((await csvOf(app, "boxes"))[0], /median/i);
  await comesBack(app);

  // An old link to the cards: the rows are selected, and stand side by side in the details.
  await app.go("#view=card&device=mi300x&sel=0.2,0.9,0.30");
  const beside = await sideBySide(app);
  assert.equal(beside[0].length, 4);
  assert.ok(beside.at(-1)[0] === "Why" && beside.at(-1)[3].length > 20);

  await app.go("#view=tiles&device=mi300x");
  assert.match(await label(app), /^No tile map\. .{20,}/);
  // One file with two types: they are what can be compared.
  await app.go("#view=compare");
  assert.match(await label(app), /^fp16 is 1\.25x faster than bf16 by time over 88 configurations/);
  app.assertQuiet();
});

test("two files: 261 GEMMs in common, the library ahead on all of them, who wins where", async (t) => {
  const app = await open(t, "#view=compare&device=mi300x");
  await app.load(compiler, library);
  const said = await notes(app);
  assert.match(said, /261/);
  assert.match(said, /[Gg]eometric mean/);
  assert.match(await label(app), /261/);
  assert.equal((await csvOf(app, "compare")).length - 1, 261);
  await app.setControl("compare.show", "scatter");
  await app.click(/./);
  assert.ok(await app.state("sel"));
  await app.setControl("compare.show", "ranked");
  await app.setControl("compare.measure", "roof");
  await comesBack(app);

  await app.choosePicture("Compare", "fastest");
  assert.match(await label(app), /^Fastest over all K, fp16/);
  await csvOf(app, "fastest");
  app.assertQuiet();
});

test("tuning: a sweep of 8 shapes and 10 tiles, the ticks of a figure, a history with failures", async (t) => {
  const app = await open(t, "#view=tiles&device=mi210");
  const next = async (hash, file) => {
    await app.remove((await app.only()).file);
    await app.load(file);
    await app.go(hash);
  };
  await app.load(sweep);
  // Both sides of the tile vary, and no GEMM is flat.
  assert.match(await label(app), /^Tile B_M × B_N = \d+×\d+ is the best single choice: .* of 8 shapes/);
  const tiles = await csvOf(app, "tiles");
  assert.equal(new Set(tiles.slice(1).map((l) => cells(l).slice(1, 4).join())).size, 8);
  await app.click(/of the row's best/);
  assert.ok(await app.state("sel"));

  await next("#view=tiles&device=a100-80-sxm", stated);
  assert.match(await label(app), /as stated\. The model.s pick is the best measured in \d+ of \d+/);
  await app.go("#view=compare");
  assert.match(await label(app), /^Nothing to compare: add a second file/);

  // Under another name: a link to a sample opens the sample.
  await next("#view=tuning&device=a100-80-pcie", { name: "tuned.csv", text: readFileSync(tuning, "utf8") });
  assert.match(await label(app), /^Best of 11 variants in 5 generations/);
  assert.match(await notes(app), /1 failed: correctness failed 1/);
  await app.click(/correctness failed/);
  assert.ok(await app.state("sel"));
  assert.equal((await csvOf(app, "tuning")).length - 1, 13);
  await comesBack(app);
  // Two kernels side by side, as they were published.
  const id = (await app.state("sel")).split(".")[0];
  await app.go(`#view=summary&device=a100-80-pcie&sel=${id}.13,${id}.14`);
  const lines = await sideBySide(app);
  const figures = { Attained: ["199.13 TFLOP/s", "204.71 TFLOP/s"], "Bandwidth utilisation": ["7.5 %", "7.7 %"], "% of ": ["63.8 %", "65.6 %"] };
  for (const [name, [a, b]] of Object.entries(figures)) {
    const line = lines.find((l) => l[0].startsWith(name));
    assert.ok(line?.[1].startsWith(a) && line[2].startsWith(b), `${name}: ${line}`);
  }
  assert.match(lines.at(-1)[1], /compute|bandwidth/i);
  app.assertQuiet();
});

test("every view on a phone has its picture and its table", async (t) => {
  const app = await open(t, "#device=mi300x", { viewport: PHONE });
  await app.load(compiler, library);
  for (const title of ["cells", "bars", "boxes", "tiles", "compare", "fastest", "tuning"]) {
    await app.page.evaluate((id) => void (location.hash = `#view=${id}&device=mi300x`), title);
    await app.settle();
    assert.ok((await label(app)).length > 5, title);
    const wide = await app.page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    assert.ok(wide <= 0, `${title}: ${wide} px too wide`);
    await app.page.getByRole("button", { name: "As a table" }).click();
    await app.page.locator(".data-table").waitFor();
    await app.page.getByRole("button", { name: "As a table" }).click();
  }
  app.assertQuiet();
});

test("Compare says before it is opened that no GEMM is on two sides", async (t) => {
  const app = await GemmscopePage.open({ t });
  // Two types, and no size in both.
  await app.load({ name: "apart.csv", text: "M,N,K,dtype,time_us\n128,128,128,fp16,4\n256,128,256,bf16,4\n512,128,256,bf16,4\n" });
  const tab = app.page.locator('.tab[data-view="compare"]');
  await app.page.locator('.tab.bare[data-view="compare"]').waitFor();
  assert.match(await tab.getAttribute("title"), /Needs the same GEMM on two sides/);
  await app.load({ name: "again.csv", text: "M,N,K,dtype,time_us\n128,128,128,fp16,5\n256,128,256,bf16,6\n512,128,256,bf16,4\n" });
  await app.page.locator('.tab:not(.bare)[data-view="compare"]').waitFor();
  app.assertQuiet();
});
