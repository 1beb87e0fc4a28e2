// The roofline in use: hover, select, legend, all kinds of zoom, box, pictures, the table. The meaning of gestures is
// tested in crates/chart/src/gesture/tests.rs.
import assert from "node:assert/strict";
import { test } from "node:test";
import { fixture } from "../harness.mjs";
import { DESKTOP, GemmscopePage, plain } from "../page.mjs";

const PLAIN = fixture("fixtures/generic/plain.csv");

// Published times arrive after the picture, and are drawn then.
const open = (t) => GemmscopePage.open({ t, viewport: DESKTOP, path: "#v=1&device=h100-sxm&published=off" });

const zoomOf = async (app) => {
  const text = await app.state("zoom.roofline");
  if (!text) return null;
  const [x, y] = text.split(",").map((axis) => axis.split("..").map(Number));
  return { x, y, wide: Math.log10(x[1] / x[0]), high: Math.log10(y[1] / y[0]) };
};

test("what others reach comes from the page's own host once rows ask for it; a switch leaves it out", async (t) => {
  const app = await GemmscopePage.open({ t, viewport: DESKTOP, path: "#v=1&device=h100-sxm" });
  await app.load(PLAIN);
  const choice = app.page.locator("option", { hasText: "% of others" });
  await choice.waitFor({ state: "attached" });
  assert.ok(app.page.requests.some((url) => url.endsWith("/reference/h100-sxm-fp8.bin")));
  await app.page.evaluate(() => (location.hash = "#v=1&device=h100-sxm&published=off"));
  await choice.waitFor({ state: "detached" });
  app.assertQuiet();
});

test("a change draws one picture; hover says what a point is, a click opens every figure with its formula", async (t) => {
  const app = await open(t);
  const drawn = () => app.page.evaluate(() => performance.getEntriesByName("gemmscope:drawn").length);
  assert.equal(await drawn(), 0, "what is built before the first file draws nothing");
  await app.load(PLAIN);
  assert.equal(await drawn(), 1, "the first file");
  const tip = await app.hover(/k_128x256[\s\S]*fp8/);
  // 2 x 4096^3 / 120.5 us = 1140.6 TFLOP/s; (1 + 1 + 2) x 4096^2 byte (the result is bf16) / 120.5 us = 556.9 GB/s.
  for (const part of [/4096 × 4096 × 4096/, /fp8/, /120\.5 µs/, /1141 TFLOP\/s/, /557 GB\/s/, /% of roof\s+57\.6 % \(datasheet\)/, /Limited by\s+compute/]) assert.match(tip, part);
  await app.click(/k_128x256[\s\S]*fp8/);
  const detail = await app.detail();
  for (const part of [/2 M N K = 2 × 4096 × 4096 × 4096/, /work \/ time/, /Ridge point/, /plain\.csv, line 4/]) assert.match(detail, part);
  assert.equal(await app.state("sel"), "0.4");
  // Shift adds a second one; both are numbered. The dock is placed so that the clicked one stays visible.
  await app.page.keyboard.press("Escape");
  const low = await app.find(/k_64x64[\s\S]*fp16/);
  await app.page.mouse.click(low.x, low.y);
  assert.equal(await app.page.evaluate(({ x, y }) => document.elementFromPoint(x, y).closest(".dock"), low), null);
  await app.click(/k_64x64[\s\S]*bf16/, { modifiers: ["Shift"] });
  assert.equal(await app.page.locator(".number-tab option").count(), 2);
  await app.page.keyboard.press("Escape");
  await app.page.mouse.move(5, 5);
  await app.page.keyboard.press("Escape");
  assert.equal(await app.detail(), null);
  // The panel makes the picture narrower; the sentence above it keeps its single line.
  await app.page.setViewportSize({ width: 1920, height: 1080 });
  await app.openFacet("Type");
  await app.settle();
  const before = await drawn();
  await app.toggleFacet("Type", "fp16");
  assert.equal(await drawn(), before + 1, "a filter, which numbers other rows too");
  app.assertQuiet();
});

test("wheel, drag, buttons, keys and a box show a part; the legend, a roof's label and a point isolate", async (t) => {
  const app = await open(t);
  await app.load(PLAIN);
  assert.equal(await zoomOf(app), null);
  await app.wheel(-400);
  const first = await zoomOf(app);
  assert.ok(first, "the wheel zooms");
  await app.drag([0.5, 0.5], [0.6, 0.5]);
  const moved = await zoomOf(app);
  assert.ok(moved.x[0] < first.x[0], "dragging right shows what is left");
  assert.ok(Math.abs(moved.wide - first.wide) < 1e-3, "and keeps the scale");
  await app.page.getByRole("button", { name: "Zoom in" }).click();
  assert.ok((await zoomOf(app)).wide < moved.wide);
  await app.stage.focus();
  await app.page.keyboard.press("0");
  assert.equal(await zoomOf(app), null);
  await app.wheel(-400);
  await app.stage.dblclick({ position: { x: 300, y: 300 } });
  assert.equal(await zoomOf(app), null);

  // A box filters to its content, and Undo reverts it.
  const at = await app.find(/k_128x256[\s\S]*fp8/);
  const box = await app.stage.boundingBox();
  const share = (x, y) => [(x - box.x) / box.width, (y - box.y) / box.height];
  const around = [share(at.x - 30, at.y - 30), share(at.x + 30, at.y + 30)];
  await app.later();
  await app.drag(...around, { shift: true });
  assert.equal(await app.figure("rows"), "1");
  const chips = await app.chips();
  assert.equal(chips.length, 2);
  assert.match(chips.join(), /AI.*–.*Attained.*–/s);
  assert.match(await app.status(), /Filtered to what the box holds/);
  await app.page.keyboard.press("Control+z");
  assert.equal(await app.figure("rows"), "4");
  // The same without a keyboard: a button, then a drag.
  await app.page.getByRole("button", { name: "Draw a box" }).click();
  await app.drag(...around);
  assert.equal(await app.figure("rows"), "1");
  await app.page.keyboard.press("Control+z");

  const pressed = async () => [await app.legendEntry("fp16").getAttribute("aria-pressed"), await app.legendEntry("fp8 E4M3").getAttribute("aria-pressed")];
  const click = async (name, options) => {
    await app.legendEntry(name).click(options);
  };
  // The scales stay when types are hidden, and so does the position of the point.
  const half = await app.find(/k_64x64[\s\S]*fp16/);
  const there = async () => {
    await app.page.mouse.move(5, 5);
    await app.page.mouse.move(half.x, half.y);
    return /k_64x64[\s\S]*fp16/.test((await app.tooltip()) ?? "");
  };
  assert.ok(await there());
  await click("fp16", { modifiers: ["Control"] });
  assert.deepEqual([await pressed(), await there()], [["false", "true"], false]);
  await click("fp16", { modifiers: ["Control"] });
  assert.deepEqual([await pressed(), await there()], [["true", "true"], true]);
  await click("fp8 E4M3");
  assert.deepEqual([await pressed(), await there()], [["false", "true"], false]);
  // Hiding in the legend only affects the picture: the figures stay.
  assert.equal(await app.figure("rows"), "4");
  await click("fp8 E4M3");
  assert.deepEqual(await pressed(), ["true", "true"], "a second click shows all");
  const roof = await app.find(/fp8[\s\S]*Peak/);
  await app.page.mouse.click(roof.x, roof.y);
  assert.deepEqual(await pressed(), ["false", "true"]);
  // So does a double click on a point; on the only type left it shows all.
  await app.page.mouse.dblclick(at.x, at.y);
  assert.deepEqual(await pressed(), ["true", "true"]);
  // If colours show another field, a click on a roof filters to its types.
  await app.setControl("color", "bound");
  const other = await app.find(/fp8[\s\S]*Peak/);
  await app.page.mouse.click(other.x, other.y);
  assert.equal(await app.figure("rows"), "1");
  app.assertQuiet();
});

test("the picture is saved as it is, shown as a table, and follows its selectors; many points are an image with the same hover", async (t) => {
  const app = await open(t);
  await app.load(PLAIN);
  const svg = await app.download(() => app.saveAs("SVG"));
  assert.equal(svg.name, "roofline.svg");
  assert.match(svg.text, /^<svg[\s\S]*Arithmetic intensity[\s\S]*<\/svg>\s*$/);
  // The legend is beside the chart on the page, and inside a saved picture.
  const entries = await app.page.locator("button.legend-entry > span:not(.facet-count)").allInnerTexts();
  assert.ok(entries.length > 0);
  for (const entry of entries) assert.ok(svg.text.includes(entry), `${entry} in the legend of the picture`);
  const png = await app.download(() => app.saveAs("PNG"));
  assert.deepEqual([...png.bytes.subarray(0, 4)], [0x89, 0x50, 0x4e, 0x47]);
  const box = await app.stage.boundingBox();
  assert.equal(png.bytes.readUInt32BE(16), Math.round(box.width) * 2);
  const csv = await app.download(() => app.saveAs("CSV of what is drawn"));
  assert.equal(csv.text.trim().split("\n").length, 5);

  const region = await app.figures();
  assert.equal(await region.locator("tbody tr").count(), 4);
  assert.match(plain(await region.innerText()), /4096/);
  assert.match(await app.stage.getAttribute("aria-label"), /Roofline of 4 rows/);
  // The focused mark is announced.
  await app.page.keyboard.press("Escape");
  await region.waitFor({ state: "detached" });
  await app.stage.focus();
  await app.page.keyboard.press("ArrowRight");
  await app.page.waitForFunction(() => /Attained/.test(document.querySelector(".chart [aria-live]").textContent));

  await app.setControl("color", "c.kernel");
  assert.ok(await app.legendEntry("k_64x64").count());
  assert.equal(await app.state("color"), "c.kernel");

  let text = "M,N,K,dtype,time_us\n";
  let seed = 7;
  const next = () => (seed = (seed * 1103515245 + 12345) % 2147483648) / 2147483648;
  for (let i = 0; i < 25_000; i++) {
    const [m, n, k] = [0, 0, 0].map(() => 16 * Math.ceil(2 ** (next() * 9)));
    text += `${m},${n},${k},${i % 3 ? "bf16" : "fp16"},${((2 * m * n * k) / 2e8 / (0.1 + next()) + 2).toFixed(3)}\n`;
  }
  await app.load({ name: "many.csv", text });
  await app.go("#v=1&device=h100-sxm&view=roofline&f.source=many.csv");
  assert.equal(await app.figure("rows"), "25000");
  await app.click(/Attained/);
  assert.match(await app.detail(), /many\.csv, line \d+/);
  await app.setControl("color", "ai");
  assert.equal(await app.page.locator(".gradient").count(), 1, "a number has a gradient");
  app.assertQuiet();
});
