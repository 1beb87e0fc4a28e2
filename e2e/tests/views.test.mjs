// Every view: what it says, hover, a selection that the others show too, its settings in the link, its
// pictures and numbers as files.
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

/** Nothing was logged, the picture has a name, and the three kinds of file hold what is drawn. */
async function exportsOf(app, name, mustSay) {
  const svg = await app.download(() => app.saveAs("SVG"));
  assert.equal(svg.name, `${name}.svg`);
  assert.match(svg.text, /^<svg /);
  for (const text of mustSay) assert.ok(svg.text.includes(text), `${text} in the SVG`);
  const csv = await app.download(() => app.saveAs("CSV of what is drawn"));
  assert.equal(csv.name, `${name}.csv`);
  const png = await app.download(() => app.saveAs("PNG"));
  const half = await app.download(() => app.saveAs("PNG, half as large"));
  const width = (file) => file.bytes.readUInt32BE(16);
  assert.equal(width(png), 2 * width(half));
  return csv.text.trim().split("\r\n");
}

/** The same link in a page of its own shows the same view with the same settings. */
async function reloaded(t, app, files) {
  await app.settle();
  const hash = new URL(app.page.url()).hash;
  const again = await open(t, hash);
  await again.load(...files);
  await again.settle();
  assert.equal(new URL(again.page.url()).hash, hash);
  return again;
}

/** Cells of a line of CSV. */
const cells = (line) => [...line.matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^,]*))/g)].map((m) => m[1] ?? m[2]);

const tab = (app) => app.page.locator('.tabs .tab[aria-current="page"] span').innerText();
const label = async (app) => plain(await app.stage.first().getAttribute("aria-label"));
const notes = async (app) => plain((await app.page.locator(".chart-verdict, .notes").allInnerTexts()).join(" "));

test("heatmap: cells, a selection that the roofline shows, a range along the colours, a reload", async (t) => {
  const app = await open(t, "#view=heat&device=mi300x");
  await app.load(library);
  assert.equal(await tab(app), "Explore");
  assert.match(await label(app), /^Heatmap of % of roof.*M × N by K/);
  await app.setControl("explore.y", "m");
  const text = await app.hover(/M 16.*K 8192|K 8192.*M 16/);
  assert.match(text, /GEMMs|M × N × K/);
  await app.click(/M 16.*K 8192|K 8192.*M 16/);
  assert.ok(await app.state("sel"), "what is clicked is in the link");
  const lines = await exportsOf(app, "heat", ["M", "4096"]);
  assert.match(lines[0], /^K,M,% of roof.*,GEMMs$/);
  const counted = lines.slice(1).reduce((sum, line) => sum + Number(line.split(",").at(-1)), 0);
  assert.equal(counted, Number(await app.figure("rows")));

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

  const again = await reloaded(t, app, [library]);
  assert.equal(await again.page.locator('select[data-control="explore.y"]').inputValue(), "m");
  await again.choosePicture("Summary", "roofline");
  assert.ok(await again.state("sel"), "the selection goes along");
  app.assertQuiet();
});

test("heatmap in one row: kernels along x, found by name, scrolled", async (t) => {
  const app = await open(t, "#view=heat&heat.form=row&heat.along=shape&device=mi300x");
  await app.load(library);
  await app.wheel(400);
  const at = await app.state("at.heat");
  assert.match(at, /^[1-9]\d*,0$/);
  const again = await reloaded(t, app, [library]);
  assert.equal(await again.state("at.heat"), at);
  await again.moreControls();
  await again.page.locator('[data-control="explore.find"]').fill("2048 × 8192");
  await again.settle();
  assert.equal(await again.state("explore.find"), "2048 × 8192");
  const lines = (await again.download(() => again.saveAs("CSV"))).text.trim().split("\r\n").slice(1);
  assert.ok(lines.length > 1 && lines.every((line) => line.includes("2048 × 8192")), lines.join("\n"));
  again.assertQuiet();
});

test("bars: intensity and rate, hundreds of them by wheel and keyboard", async (t) => {
  const app = await open(t, "#view=bars&device=mi300x");
  await app.load(library);
  assert.match(await label(app), /Arithmetic intensity and attained rate by GEMM, \d+ bars/);
  await app.wheel(600);
  const wheeled = Number((await app.state("at.bars")).split(",")[1]);
  assert.ok(wheeled > 10, `row ${wheeled}`);
  await app.stage.focus();
  await app.page.keyboard.press("End");
  const end = Number((await app.state("at.bars")).split(",")[1]);
  assert.ok(end > wheeled);
  await app.page.keyboard.press("Home");
  assert.equal(await app.state("at.bars"), null);
  for (const key of ["ArrowDown", "ArrowDown", "Enter"]) await app.page.keyboard.press(key);
  assert.ok(await app.state("sel"));
  const lines = await exportsOf(app, "bars", ["AI, FLOP/B", "Attained"]);
  assert.equal(lines.length - 1, Number(await app.figure("rows")));
  // Sorted by rate, the highest first.
  const rates = lines.slice(1).map((l) => Number(l.split(",").at(-3)));
  assert.deepEqual(rates, [...rates].sort((a, b) => b - a));
  await app.setControl("explore.x", "transposes");
  assert.match(await label(app), /by Layout, 4 bars/);
  app.assertQuiet();
});

test("spread: the share of the roof against any column", async (t) => {
  const app = await open(t, "#view=strip&device=mi300x");
  await app.load(library);
  await app.setControl("explore.x", "transposes");
  assert.match(await notes(app), /^Median % of roof: .* to /);
  assert.match(await app.hover(/Layout|Transposes|NT/), /median\s+[\d.]+ %/i);
  const lines = await exportsOf(app, "strip", ["NT"]);
  assert.match(lines[0], /median/i);
  await reloaded(t, app, [library]);
  app.assertQuiet();
});

test("tile map: a sweep of 8 shapes and 10 tiles, the ticks of a figure, and why there is none", async (t) => {
  const app = await open(t, "#view=tiles&device=mi210");
  await app.load(sweep);
  // Both sides of the tile vary, and no GEMM is flat.
  assert.match(await label(app), /^Tile B_M × B_N = \d+×\d+ is the best single choice: .* of 8 shapes/);
  const lines = await exportsOf(app, "tiles", []);
  assert.equal(new Set(lines.slice(1).map((l) => cells(l).slice(1, 4).join())).size, 8);
  await app.click(/of the row's best/);
  assert.ok(await app.state("sel"));

  const figure = await open(t, "#view=tiles&device=a100-80-sxm");
  await figure.load(stated);
  assert.match(await label(figure), /as stated\. The model picks the same in \d+ of \d+/);

  const none = await open(t, "#view=tiles&device=mi300x");
  await none.load(library);
  assert.match(await label(none), /^No tile map\. .{20,}/);
  for (const a of [app, figure, none]) a.assertQuiet();
});

test("compare: 261 GEMMs in common, the library ahead on all of them", async (t) => {
  const app = await open(t, "#view=compare&device=mi300x");
  await app.load(compiler, library);
  const said = await notes(app);
  assert.match(said, /261/);
  assert.match(said, /[Gg]eometric mean/);
  assert.match(await label(app), /261/);
  const lines = await exportsOf(app, "compare", []);
  assert.equal(lines.length - 1, 261);
  await app.setControl("compare.show", "arrows");
  await app.click(/./);
  assert.ok(await app.state("sel"));
  await app.setControl("compare.show", "ranked");
  await app.setControl("compare.measure", "roof");
  await reloaded(t, app, [compiler, library]);

  await app.choosePicture("Compare", "winner");
  assert.match(await label(app), /^Fastest over all K, fp16/);
  await app.setControl("winner.show", "strips");
  assert.match(await notes(app), /Wins: M = 16: /);
  await exportsOf(app, "winner", []);

  // One file with two types: they are what can be compared.
  const one = await open(t, "#view=compare");
  await one.load(library);
  assert.match(await label(one), /^fp16 is 1\.25x faster than bf16 over 88 configurations/);
  const none = await open(t, "#view=compare");
  await none.load(stated);
  assert.match(await label(none), /^Nothing to compare: add a second file/);
  for (const a of [app, one, none]) a.assertQuiet();
});

test("tuning history: the best so far, failures, the parameters of what is chosen", async (t) => {
  const app = await open(t, "#view=history&device=a100-80-pcie");
  // Under another name: a link to a sample opens the sample.
  const file = { name: "tuned.csv", text: readFileSync(tuning, "utf8") };
  await app.load(file);
  assert.match(await label(app), /^Best of 11 variants in 5 generations/);
  assert.match(await notes(app), /1 failed: correctness failed 1/);
  await app.click(/correctness failed/);
  assert.ok(await app.state("sel"));
  const lines = await exportsOf(app, "history", ["best so far"]);
  assert.equal(lines.length - 1, 13);
  await reloaded(t, app, [file]);
  app.assertQuiet();
});

test("analysis: the selected GEMMs side by side", async (t) => {
  const app = await open(t, "#view=card&device=mi300x&sel=0.2,0.9,0.30");
  await app.load(library);
  assert.equal(await label(app), "Analysis of 3 GEMMs");
  const lines = await exportsOf(app, "card", ["Bandwidth utilisation"]);
  assert.equal(lines[0].split(",").length, 4);
  assert.ok(lines.some((l) => l.startsWith("Why,")));
  app.assertQuiet();
});

test("four views side by side share hover and selection", async (t) => {
  const app = await open(t, "#device=mi300x&panes=roofline,heat,bars,strip", { viewport: { width: 1600, height: 1000 } });
  await app.load(library);
  const charts = app.page.locator("[data-chart]");
  assert.deepEqual(await charts.evaluateAll((all) => all.map((c) => c.dataset.chart)), ["roofline", "heat", "bars", "strip"]);
  const ink = (name) =>
    app.page.locator(`[data-chart="${name}"] canvas`).nth(1).evaluate((c) => {
      const data = c.getContext("2d").getImageData(0, 0, c.width, c.height).data;
      let sum = 0;
      for (let i = 3; i < data.length; i += 4) sum += data[i] > 0;
      return sum;
    });
  const before = await Promise.all(["roofline", "strip"].map(ink));
  // A bar is hovered: its GEMM is marked in the others.
  const bars = app.page.locator('[data-chart="bars"] .chart-stage');
  const box = await bars.boundingBox();
  await app.page.mouse.move(box.x + box.width / 3, box.y + box.height / 2);
  await app.settle();
  const hovered = await Promise.all(["roofline", "strip"].map(ink));
  hovered.forEach((n, i) => assert.ok(n > before[i], `view ${i}: ${before[i]} to ${n}`));
  await app.page.mouse.down();
  await app.page.mouse.up();
  await app.page.mouse.move(2, 2);
  await app.settle();
  assert.ok(await app.state("sel"));
  const selected = await Promise.all(["roofline", "strip"].map(ink));
  selected.forEach((n, i) => assert.ok(n > before[i], `view ${i}: ${before[i]} to ${n}`));
  // A tab takes the place of the chosen view.
  await app.choosePlace("Compare");
  assert.equal(await app.state("panes"), "roofline,heat,compare,strip");
  await app.page.getByRole("button", { name: "Four views side by side" }).click();
  assert.equal(await charts.count(), 1);
  app.assertQuiet();
});

test("every view on a phone has its picture and its table", async (t) => {
  const app = await open(t, "#device=mi300x", { viewport: PHONE });
  await app.load(compiler, library);
  for (const title of ["heat", "bars", "strip", "tiles", "compare", "winner", "history", "card"]) {
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
