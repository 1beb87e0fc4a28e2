// On a phone: what matters first is in sight first, what is hidden is counted, what is small can be read.
import assert from "node:assert/strict";
import { test } from "node:test";
import { fixture } from "../harness.mjs";
import { GemmscopePage, PHONE, plain } from "../page.mjs";

const sides = ["fixtures/iree/sweep_library.csv", "fixtures/iree/sweep_compiler.csv"].map(fixture);
const phone = (t, path) => GemmscopePage.open({ t, viewport: PHONE, theme: "dark", path });

test("one file: figures, picture and first finding in sight; options are a sheet, filters a drawer, which says how many", async (t) => {
  const app = await phone(t, "#device=mi300x&view=summary");
  await app.load(sides[0]);
  const figures = () => app.page.locator(".strip .figure:visible").evaluateAll((all) => all.map((f) => f.dataset.figure));
  assert.deepEqual(await figures(), ["time", "efficiency", "rows"]);
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
  await button("Files and filters").click();
  await app.page.locator("#search").waitFor();
  await app.toggleFacet("Type", "bf16");
  await button("Close the drawer").click();
  assert.notEqual(await app.figure("rows"), all);
  assert.equal((await button("Files and filters, 1 filter set").innerText()).trim(), "1");
  await app.clearFilters();
  await button("Files and filters").waitFor();
  assert.equal(await app.page.locator(".filter-count").count(), 0);
  const point = await app.find(/Attained/);
  await app.page.mouse.click(point.x, point.y);
  await app.settle();
  assert.match(await app.detail(), /work \/ time/);
  app.assertQuiet();
});

test("two files: Compare begins with who wins; what just happened takes no touch, the header leaves who reads on, and a finding's sheet has room for fingers", async (t) => {
  const app = await phone(t, "#device=mi300x&view=compare");
  await app.load(...sides);
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
    // Said once.
    const text = (await verdict.locator("p").first().innerText()).trim();
    assert.ok(!(await app.page.locator(".notes").allInnerTexts()).some((n) => n.includes(text)));
  }

  await app.choosePlace("Summary");
  assert.equal(await app.page.evaluate(() => document.querySelector(".summary").scrollWidth > innerWidth), false);
  const header = app.page.getByRole("banner");
  const scroll = (by) => app.page.locator(".summary").evaluate((e, by) => e.scrollBy(0, by), by);
  await scroll(300);
  await header.waitFor({ state: "hidden" });
  await scroll(-200);
  await header.waitFor();
  await app.page.locator(".finding-head").first().click();
  const dock = app.page.locator(".dock");
  await dock.waitFor();
  const small = await app.page.locator(".dock-head button:visible, .dock .reasons + .evidence .button").evaluateAll((all) =>
    all.map((b) => [b.ariaLabel ?? b.textContent, b.getBoundingClientRect()]).filter(([, r]) => r.height < 44 || r.width < 44).map(([name]) => name));
  assert.deepEqual(small, []);
  // The head keeps to two lines however many GEMMs there are.
  assert.ok((await app.page.locator(".dock-head").boundingBox()).height <= 110);
  assert.ok((await dock.boundingBox()).height < PHONE.height * 0.65, "the picture stays in sight above the sheet");
  app.assertQuiet();
});
