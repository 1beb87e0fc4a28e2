// On a phone: what matters first is in sight first, what is hidden is counted, what is small can be read.
import assert from "node:assert/strict";
import { test } from "node:test";
import { fixture } from "../harness.mjs";
import { DESKTOP, GemmscopePage, PHONE, plain } from "../page.mjs";

const sides = ["fixtures/iree/sweep_library.csv", "fixtures/iree/sweep_compiler.csv"].map(fixture);
const phone = (t, path) => GemmscopePage.open({ t, viewport: PHONE, path });

test("Compare begins with who wins and by how much; the cells of the winner map carry figures", async (t) => {
  const app = await phone(t, "#device=mi300x&view=compare");
  await app.load(...sides);
  for (const view of ["compare", "fastest"]) {
    await app.page.evaluate((view) => void (location.hash = `#device=mi300x&view=${view}`), view);
    await app.settle();
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
  // The cells of the map carry figures.
  const svg = await app.download(() => app.saveAs("SVG"));
  const leads = [...svg.text.matchAll(/>\s*(\d+\.\d+)x?\s*</g)].map((m) => Number(m[1]));
  assert.ok(leads.length >= 3 && leads.every((v) => v >= 1), `${leads}`);
  app.assertQuiet();
});

test("the button of the filters says how many there are", async (t) => {
  const app = await phone(t, "#device=mi300x&f.dtype=fp16&r.m=1..");
  await app.load(...sides);
  const button = app.page.getByRole("button", { name: "Files and filters, 2 filters set" });
  assert.equal((await button.innerText()).trim(), "2");
  await app.clearFilters();
  await app.page.getByRole("button", { name: "Files and filters", exact: true }).waitFor();
  assert.equal(await app.page.locator(".filter-count").count(), 0);
  app.assertQuiet();
});

test("filters that come back after a reload are said, and go at once", async (t) => {
  const app = await GemmscopePage.open({ t, viewport: DESKTOP, path: "#f.dtype=fp16" });
  await app.load(sides[0]);
  const some = await app.figure("rows");
  await app.page.locator(".kept-names").first().waitFor({ state: "attached" });
  await app.page.waitForFunction(() => localStorage["gemmscope.open"]?.includes("f.dtype"));
  const again = await app.page.context().newPage();
  await again.goto(app.page.url().split("#")[0]);
  const note = again.getByText("1 filter from last time.");
  await note.waitFor();
  await again.getByRole("button", { name: "Remove", exact: true }).click();
  await note.waitFor({ state: "detached" });
  await again.locator('[data-figure="rows"] .figure-value').filter({ hasNotText: some }).waitFor();
  await again.close();
});

test("one file: a sentence of figures, the first finding in sight, the options a sheet that Escape closes", async (t) => {
  const app = await phone(t, "#device=mi300x&view=summary");
  await app.load(sides[0]);
  const figures = () => app.page.locator(".strip .figure:visible").evaluateAll((all) => all.map((f) => f.dataset.figure));
  assert.deepEqual(await figures(), ["time", "efficiency", "rows"]);

  const finding = app.page.locator(".finding-head").first();
  await finding.waitFor();
  const box = await finding.boundingBox();
  assert.ok(box.y + 24 < PHONE.height, `the first finding begins at ${box.y}`);
  const before = await app.stage.boundingBox();
  const options = app.page.getByRole("button", { name: "Options", exact: true });
  await options.click();
  const sheet = app.page.locator(".toolbar-sheet");
  assert.ok((await sheet.boundingBox()).y > PHONE.height * 0.4, "over the lower part");
  assert.deepEqual(await app.stage.boundingBox(), before, "the picture stays");
  await app.page.keyboard.press("Escape");
  await sheet.waitFor({ state: "hidden" });
  assert.ok(await options.evaluate((e) => e === document.activeElement), "the button has the focus again");
  app.assertQuiet();
});

test("what just happened is said at the foot and takes no touch, header and tabs leave who reads on, and a finding's sheet has room for fingers", async (t) => {
  const app = await phone(t, "#device=mi300x&view=summary");
  await app.load(...sides);
  const said = await app.page.locator(".status").boundingBox();
  assert.ok(said.y > PHONE.height * 0.8, JSON.stringify(said));
  assert.equal(await app.page.evaluate(({ x, y }) => document.elementFromPoint(x + 9, y + 9).closest(".status"), said), null);
  await app.choosePlace("Summary");
  const header = app.page.getByRole("banner");
  const scroll = (by) => app.page.locator(".summary").evaluate((e, by) => e.scrollBy(0, by), by);
  await scroll(300);
  await header.waitFor({ state: "hidden" });
  await scroll(-200);
  await header.waitFor();
  await app.page.locator(".finding-head").first().click();
  await app.page.locator(".dock").waitFor();
  const small = await app.page.locator(".dock-head button:visible, .dock .reasons + .evidence .button").evaluateAll((all) =>
    all.map((b) => [b.ariaLabel ?? b.textContent, b.getBoundingClientRect()]).filter(([, r]) => r.height < 44 || r.width < 44).map(([name]) => name));
  assert.deepEqual(small, []);
  // The head keeps to two lines however many GEMMs there are.
  assert.ok((await app.page.locator(".dock-head").boundingBox()).height <= 110);
  app.assertQuiet();
});
