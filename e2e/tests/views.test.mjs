// The pictures in use: what is hovered, clicked, dragged, scrolled and set is in the link, which restores it; pictures
// that hold more than fits; and every view by keyboard and on a phone. Their content is tested in tests/sentences.rs,
// tests/chart and tests/golden. On a phone the most important is visible first, hidden items are counted, small ones
// are legible.
import assert from "node:assert/strict";
import { test } from "node:test";
import { fixture } from "../harness.mjs";
import { DESKTOP, GemmscopePage, PHONE, plain } from "../page.mjs";

const library = fixture("fixtures/iree/sweep_library.csv");
const compiler = fixture("fixtures/iree/sweep_compiler.csv");

/** The link restores the same view with the same settings, from a view without any. */
async function comesBack(app) {
  await app.settle();
  const hash = new URL(app.page.url()).hash;
  await app.go("#v=1&view=table");
  await app.go(hash);
  assert.equal(new URL(app.page.url()).hash, hash);
}

/** First visible row of the bars. */
const firstBar = async (app) => Number(((await app.state("at.bars")) ?? "0,0").split(",")[1]);

test("one file in Explore: what is clicked, dragged, scrolled and searched is in the link, which leads back", async (t) => {
  const app = await GemmscopePage.open({ t, viewport: DESKTOP, path: "#view=cells&device=mi300x" });
  const { mouse } = app.page;
  await app.load(library);
  assert.equal(await app.page.locator('.tabs .tab[aria-current="page"] span').innerText(), "Explore");
  await app.setControl("explore.y", "m");
  const at = await app.find(/M 16.*K 8192|K 8192.*M 16/);
  await mouse.click(at.x, at.y);
  assert.ok(await app.state("sel"), "what is clicked is in the link");
  await app.choosePicture("Summary", "roofline");
  assert.ok(await app.state("sel"), "the selection goes along");
  await app.choosePlace("Explore");

  // The colour bar is at the top right of the chart.
  const bar = await app.find(/Drag along the colours/);
  const before = Number(await app.figure("rows"));
  await mouse.move(bar.x + 20, bar.y + 8);
  await mouse.down();
  await mouse.move(bar.x + 70, bar.y + 8, { steps: 5 });
  await mouse.move(bar.x + 120, bar.y + 8, { steps: 5 });
  await mouse.up();
  assert.match(await app.state("r.efficiency"), /^\d.*\.\.\d/);
  assert.ok(Number(await app.figure("rows")) < before);
  await comesBack(app);
  await app.moreControls();
  assert.equal(await app.page.locator('select[data-control="explore.y"]').inputValue(), "m");

  // In one row: kernels along x, scrolled, found by name.
  await app.panel();
  await app.go("#view=cells&explore.x=shape&explore.y=none&device=mi300x");
  await app.wheel(400);
  assert.match(await app.state("at.cells"), /^[1-9]\d*,0$/);
  await app.moreControls();
  await app.page.locator('[data-control="explore.find"]').fill("2048 × 8192");
  assert.equal(await app.state("explore.find"), "2048 × 8192");

  // Selected rows are shown side by side in the details.
  await app.go("#view=roofline&device=mi300x&sel=0.2,0.9,0.30");
  await app.page.getByRole("button", { name: "Side by side" }).click();
  const beside = await app.page.locator(".side-by-side tr").evaluateAll((rows) => rows.map((r) => [...r.cells].map((c) => c.textContent)));
  assert.equal(beside[0].length, 4);
  assert.ok(beside.at(-1)[0] === "Why" && beside.at(-1)[3].length > 20);
  app.assertQuiet();
});

/** A file of `n` GEMMs. */
const many = (n) => ({
  name: "many.csv",
  text: `M,N,K,dtype,time_us\n${Array.from({ length: n }, (_, i) => `${64 + i},128,256,fp16,${10 + (i % 7)}`).join("\n")}\n`,
});

test("hundreds of bars: by wheel, key and a bar that is held; saved as they show and whole, up to a limit", async (t) => {
  const app = await GemmscopePage.open({ t, viewport: DESKTOP, path: "#view=bars&device=h100-sxm" });
  await app.load(many(400));
  await app.wheel(600);
  const wheeled = await firstBar(app);
  assert.ok(wheeled > 10, `row ${wheeled}`);
  // While dragging, the scroll bar follows the pointer outside the picture.
  const box = await app.stage.boundingBox();
  const x = box.x + box.width - 4;
  await app.wheel(-6000);
  await app.page.mouse.move(x, box.y + 60);
  await app.page.mouse.down();
  await app.page.mouse.move(x - 200, box.y + box.height + 40, { steps: 4 });
  await app.page.mouse.up();
  const end = await firstBar(app);
  assert.ok(end > 350, `the end is row ${end}`);
  assert.equal(await app.state("sel"), null, "nothing is selected by it");

  const menu = () => app.page.getByRole("button", { name: "Save what is drawn" });
  const [png, half] = [await app.download(() => app.saveAs("PNG")), await app.download(() => app.saveAs("PNG, half as large"))];
  const size = (file) => [file.bytes.readUInt32BE(16), file.bytes.readUInt32BE(20)];
  assert.ok(size(png).every((pixels, i) => Math.abs(pixels - 2 * size(half)[i]) <= 1), `${size(png)}, ${size(half)}`);
  await menu().click();
  const captions = (await app.page.locator(".menu-caption").allInnerTexts()).map(plain);
  assert.match(captions[0], /^The part that shows: \d+ × \d+ px/);
  const [, width, height] = captions[1].match(/^All of it, .*: (\d+) × (\d+) px/).map(Number);
  const whole = (label) => app.page.locator('.menu-item[data-whole="true"]', { hasText: new RegExp(`^${label}$`) });
  const all = await app.download(() => whole("PNG").click());
  assert.equal(all.name, "bars-all.png");
  assert.deepEqual(size(all), [width, height]);
  assert.ok(height > 2 * 400 * 18 && size(png)[1] < 2 * 900, "two pixels to one of the page");
  await menu().click();
  const svg = await app.download(() => whole("SVG").click());
  for (const shape of ["64 × 128 × 256", "463 × 128 × 256"]) assert.ok(svg.text.includes(shape), shape);
  const csv = await app.download(() => app.saveAs("CSV"));
  assert.equal(csv.text.trim().split("\r\n").length, 401);

  await app.load(many(2000));
  await menu().click();
  assert.match(plain(await app.page.locator(".menu-caption").nth(1).innerText()), /Too large: a picture ends at 16 ?384 px/);
  assert.equal(await app.page.locator('.menu-item[data-whole="true"]:not(:disabled)').count(), 0);
  app.assertQuiet();
});

test("every view by keyboard, and on a phone, where a finger moves the scroll bar; Compare says when it has nothing", async (t) => {
  const app = await GemmscopePage.open({ t, viewport: DESKTOP, path: "#device=mi300x" });
  // Two types, without a size in both.
  await app.load({ name: "apart.csv", text: "M,N,K,dtype,time_us\n128,128,128,fp16,4\n256,128,256,bf16,4\n512,128,256,bf16,4\n" });
  const compare = app.page.locator('.tab[data-view="compare"]');
  await app.page.locator('.tab.bare[data-view="compare"]').waitFor();
  assert.match(await compare.getAttribute("title"), /Needs the same GEMM on two sides/);
  await app.remove("apart.csv");
  await app.load(compiler, library);
  await app.page.locator('.tab:not(.bare)[data-view="compare"]').waitFor();

  const show = (id) => app.go(`#view=${id}&device=mi300x`);
  const spoken = () => app.page.locator(".chart [aria-live]").first().textContent();
  const press = async (key) => {
    await app.page.keyboard.press(key);
  };
  for (const id of ["lost", "cells", "bars", "boxes", "compare", "fastest"]) {
    await show(id);
    await app.stage.focus();
    await press("ArrowRight");
    assert.ok((await spoken()).length > 5, `${id}: the first mark is read out`);
    await press("Enter");
    assert.ok(await app.state("sel"), `${id}: Enter selects`);
    // First the details close, then the selection and the hovered mark are cleared.
    for (let i = 0; i < 5 && ((await app.state("sel")) || (await spoken())); i++) await press("Escape");
    assert.equal(await app.state("sel"), null, `${id}: Escape selects nothing`);
    assert.equal(await spoken(), "", `${id}: Escape lets go`);
  }

  await app.page.setViewportSize(PHONE);
  for (const id of ["cells", "bars", "boxes", "tiles", "compare", "fastest", "tuning"]) {
    await show(id);
    assert.ok((await app.stage.first().getAttribute("aria-label")).length > 5, id);
    const wide = await app.page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    assert.ok(wide <= 0, `${id}: ${wide} px too wide`);
  }
  await show("bars");
  const box = await app.stage.boundingBox();
  const cdp = await app.page.context().newCDPSession(app.page);
  const touch = (type, y) => cdp.send("Input.dispatchTouchEvent", { type, touchPoints: y == null ? [] : [{ x: box.x + box.width - 6, y }] });
  await touch("touchStart", box.y + 64);
  for (let i = 1; i <= 8; i++) await touch("touchMove", box.y + 64 + (i * box.height) / 20);
  await touch("touchEnd", null);
  // Dragging the bars themselves this far would show row 12 at most, and in the other direction.
  assert.ok((await firstBar(app)) > 60, `row ${await firstBar(app)}`);
  app.assertQuiet();
});

const phone = (t, path) => GemmscopePage.open({ t, viewport: PHONE, theme: "dark", path });

test("one file: figures, picture and first finding in sight; options are a sheet, filters too, and what is filtered shows", async (t) => {
  const app = await phone(t, "#device=mi300x&view=summary");
  await app.load(library);
  const figures = () => app.page.locator(".strip .figure:visible").evaluateAll((all) => all.map((f) => f.dataset.figure));
  assert.deepEqual(await figures(), ["efficiency", "time", "rows"]);
  assert.ok((await app.page.evaluate(() => document.documentElement.scrollWidth)) <= PHONE.width);

  const finding = app.page.locator(".finding-head").first();
  await finding.waitFor();
  const box = await finding.boundingBox();
  assert.ok(box.y + 24 < PHONE.height, `the first finding begins at ${box.y}`);
  const before = await app.stage.boundingBox();
  assert.ok(before.height > 300, `the chart has ${before.height} px`);
  const options = app.page.getByRole("button", { name: "Options", exact: true });
  await options.click();
  const sheet = app.page.locator(".toolbar-sheet");
  assert.ok((await sheet.boundingBox()).y > PHONE.height * 0.4, "over the lower part");
  assert.deepEqual(await app.stage.boundingBox(), before, "the picture stays");
  await app.page.keyboard.press("Escape");
  await sheet.waitFor({ state: "hidden" });
  assert.ok(await options.evaluate((e) => e === document.activeElement), "the button has the focus again");

  const all = await app.figure("rows");
  const button = (name) => app.page.getByRole("button", { name, exact: true });
  await button("Filter").click();
  const filters = app.page.locator(".filters");
  await filters.locator("#search").waitFor();
  const low = await app.page.locator(".filter-row .menu").boundingBox();
  assert.ok(low.x === 0 && Math.round(low.y + low.height) === PHONE.height, `a sheet: ${JSON.stringify(low)}`);
  await filters.getByRole("button", { name: "Close" }).click();
  await filters.waitFor({ state: "detached" });
  await app.toggleFacet("Type", "bf16");
  assert.notEqual(await app.figure("rows"), all);
  assert.deepEqual(await app.chips(), ["Type: bf16"]);
  await app.clearFilters();
  assert.deepEqual(await app.chips(), []);
  const point = await app.find(/Attained/);
  await app.page.mouse.click(point.x, point.y);
  assert.match(await app.detail(), /work \/ time/);
  app.assertQuiet();
});

test("two files: Compare begins with who wins; what just happened takes no touch, the header leaves who reads on, the tabs stay, and a finding's sheet has room for fingers", async (t) => {
  const app = await phone(t, "#device=mi300x&view=compare");
  await app.load(library, compiler);
  const said = await app.page.locator(".status").boundingBox();
  assert.ok(said.y > PHONE.height * 0.8, JSON.stringify(said));
  assert.equal(await app.page.evaluate(({ x, y }) => document.elementFromPoint(x + 9, y + 9).closest(".status"), said), null);
  for (const view of ["compare", "fastest"]) {
    await app.go(`#device=mi300x&view=${view}`);
    const verdict = app.page.locator(".chart-verdict");
    assert.match(plain(await verdict.innerText()), /faster|Fastest/);
    const [words, options, picture] = await Promise.all(
      [verdict, app.page.locator(".toolbar"), app.stage].map((l) => l.boundingBox()),
    );
    assert.ok(words.y + words.height <= options.y && options.y < picture.y, `${view}: above the picture`);
    assert.ok(words.y + words.height < PHONE.height / 2, `${view}: at ${words.y}`);
    // Not repeated.
    const text = (await verdict.locator("span").first().innerText()).trim();
    assert.ok(!(await app.page.locator(".notes").allInnerTexts()).some((n) => n.includes(text)));
  }

  await app.choosePlace("Summary");
  assert.equal(await app.page.evaluate(() => document.querySelector(".summary").scrollWidth > innerWidth), false);
  const header = app.page.getByRole("banner");
  const scroll = (by) => app.page.locator("#main").evaluate((e, by) => e.scrollBy(0, by), by);
  await scroll(300);
  await header.waitFor({ state: "hidden" });
  const tabs = await app.page.locator(".tab-row").boundingBox();
  assert.ok(tabs.y >= 0 && tabs.y < 60, `the tabs stay in reach: ${tabs.y}`);
  await scroll(-200);
  await header.waitFor();
  await app.page.locator(".finding-head").first().click();
  const dock = app.page.locator(".dock");
  await dock.waitFor();
  const small = await app.page.locator(".dock-head button:visible, .dock .reasons + .evidence .button").evaluateAll((all) =>
    all.map((b) => [b.ariaLabel ?? b.textContent, b.getBoundingClientRect()]).filter(([, r]) => r.height < 44 || r.width < 44).map(([name]) => name));
  assert.deepEqual(small, []);
  // The header has at most two lines, however many GEMMs there are.
  assert.ok((await app.page.locator(".dock-head").boundingBox()).height <= 110);
  const sheet = await dock.boundingBox();
  assert.ok(sheet.height < PHONE.height * 0.65, "the picture stays in sight above the sheet");
  const chart = await app.stage.boundingBox();
  assert.ok(chart.y > 0 && chart.y < sheet.y / 2, `the chart at ${chart.y} is above the sheet at ${sheet.y}`);
  app.assertQuiet();
});
