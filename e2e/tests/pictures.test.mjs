// Pictures that hold more than fits: scroll bars by mouse, finger and key; saved as they show and whole. And every view
// by keyboard alone.
import assert from "node:assert/strict";
import { test } from "node:test";
import { fixture } from "../harness.mjs";
import { DESKTOP, GemmscopePage, PHONE, plain } from "../page.mjs";

const library = fixture("fixtures/iree/sweep_library.csv");
const compiler = fixture("fixtures/iree/sweep_compiler.csv");
const sweep = fixture("fixtures/generic/tile_sweep.csv");
const tuning = fixture("../samples/tuning-history.csv");

const open = (t, path, options = {}) => GemmscopePage.open({ t, path, viewport: DESKTOP, ...options });

/** A file of `n` GEMMs. */
const many = (n) => ({
  name: "many.csv",
  text: `M,N,K,dtype,time_us\n${Array.from({ length: n }, (_, i) => `${64 + i},128,256,fp16,${10 + (i % 7)}`).join("\n")}\n`,
});

/** First row that shows of the bars. */
const row = async (app) => Number(((await app.state("at.bars")) ?? "0,0").split(",")[1]);

test("a scroll bar that is held follows the pointer out of the picture", async (t) => {
  const app = await open(t, "#view=bars&device=h100-sxm");
  await app.load(many(400));
  const box = await app.stage.boundingBox();
  const x = box.x + box.width - 4;
  await app.page.mouse.move(x, box.y + 60);
  await app.page.mouse.down();
  await app.page.mouse.move(x - 200, box.y + box.height + 40, { steps: 4 });
  await app.page.mouse.up();
  const end = await row(app);
  assert.ok(end > 350, `the end is row ${end}`);
  assert.equal(await app.state("sel"), null, "nothing is selected by it");
  app.assertQuiet();
});

test("a finger moves the bar too", async (t) => {
  const app = await open(t, "#view=bars&device=h100-sxm", { viewport: PHONE });
  await app.load(many(400));
  const box = await app.stage.boundingBox();
  const cdp = await app.page.context().newCDPSession(app.page);
  const touch = (type, y) => cdp.send("Input.dispatchTouchEvent", { type, touchPoints: y == null ? [] : [{ x: box.x + box.width - 6, y }] });
  await touch("touchStart", box.y + 64);
  for (let i = 1; i <= 8; i++) await touch("touchMove", box.y + 64 + (i * box.height) / 20);
  await touch("touchEnd", null);
  // Dragging the bars themselves this far would show row 12 at most, and upwards.
  assert.ok((await row(app)) > 60, `row ${await row(app)}`);
  app.assertQuiet();
});

test("what is saved is said: the part that shows, or all of it up to a limit", async (t) => {
  const app = await open(t, "#view=bars&device=h100-sxm");
  await app.load(many(400));
  const menu = () => app.page.getByRole("button", { name: "Save what is drawn" });
  const part = await app.download(() => app.saveAs("PNG"));
  await menu().click();
  const captions = (await app.page.locator(".menu-caption").allInnerTexts()).map(plain);
  assert.match(captions[0], /^The part that shows: \d+ × \d+ px/);
  const [, width, height] = captions[1].match(/^All of it, .*: (\d+) × (\d+) px/).map(Number);
  const whole = (label) => app.page.locator('.menu-item[data-whole="true"]', { hasText: new RegExp(`^${label}$`) });
  const png = await app.download(() => whole("PNG").click());
  assert.equal(png.name, "bars-all.png");
  const size = (file) => [file.bytes.readUInt32BE(16), file.bytes.readUInt32BE(20)];
  assert.deepEqual(size(png), [width, height]);
  // Two pixels to one of the page.
  assert.ok(height > 2 * 400 * 18 && size(part)[1] < 2 * 900);
  await menu().click();
  const svg = await app.download(() => whole("SVG").click());
  for (const shape of ["64 × 128 × 256", "463 × 128 × 256"]) assert.ok(svg.text.includes(shape), shape);
  const csv = await app.download(() => app.saveAs("CSV"));
  assert.equal(csv.text.trim().split("\r\n").length, 401);

  const huge = await open(t, "#view=bars&device=h100-sxm");
  await huge.load(many(2000));
  await huge.page.getByRole("button", { name: "Save what is drawn" }).click();
  assert.match(plain(await huge.page.locator(".menu-caption").nth(1).innerText()), /Too large: a picture ends at 16 ?384 px/);
  assert.equal(await huge.page.locator('.menu-item[data-whole="true"]:not(:disabled)').count(), 0);
  for (const a of [app, huge]) a.assertQuiet();
});

test("every view by keyboard alone: chosen, walked, read out, selected, left", { timeout: 120_000 }, async (t) => {
  const spoken = (app) => app.page.locator(".chart [aria-live]").first().textContent();
  const walk = async (app, what) => {
    await app.stage.focus();
    const said = [];
    for (const key of ["ArrowRight", "ArrowDown", "ArrowRight", "ArrowUp"]) {
      await app.page.keyboard.press(key);
      await app.settle();
      said.push(await spoken(app));
    }
    assert.ok(said[0].length > 5, `${what}: the first mark is read out`);
    assert.ok(new Set(said).size > 1, `${what}: the keys move: ${said[0]}`);
    await app.page.keyboard.press("Enter");
    assert.ok(await app.state("sel"), `${what}: Enter selects`);
    await app.page.keyboard.press("Escape");
    await app.settle();
    assert.equal(await spoken(app), "", `${what}: Escape lets go`);
  };
  const views = [
    [[compiler, library], "mi300x", ["lost", "cells", "bars", "boxes", "compare", "fastest"]],
    [[sweep], "mi210", ["tiles"]],
    [[tuning], "a100-80-pcie", ["tuning"]],
  ];
  for (const [files, device, ids] of views) {
    const app = await open(t, `#device=${device}`);
    await app.load(...files);
    for (const id of ids) {
      await app.page.evaluate((id) => void (location.hash = `#view=${id}`), id);
      await app.settle();
      await walk(app, id);
      for (let i = 0; i < 5 && (await app.state("sel")); i++) await app.page.keyboard.press("Escape");
      assert.equal(await app.state("sel"), null, `${id}: Escape selects nothing`);
    }
    app.assertQuiet();
  }
});
