// On a phone: what matters first is in sight first, what is hidden is counted, what is small can be read.
import assert from "node:assert/strict";
import { test } from "node:test";
import { fixture } from "../harness.mjs";
import { DESKTOP, GemmscopePage, PHONE, plain } from "../page.mjs";

const sides = ["fixtures/iree/sweep_library.csv", "fixtures/iree/sweep_compiler.csv"].map(fixture);
const phone = (t, path) => GemmscopePage.open({ t, viewport: PHONE, path });

test("Compare begins with who wins and by how much", async (t) => {
  for (const view of ["compare", "winner"]) {
    const app = await phone(t, `#device=mi300x&view=${view}`);
    await app.load(...sides);
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
    app.assertQuiet();
  }
});

test("the cells of the winner map carry figures", async (t) => {
  const app = await phone(t, "#device=mi300x&view=winner");
  await app.load(...sides);
  const svg = await app.download(() => app.saveAs("SVG"));
  const leads = [...svg.text.matchAll(/>\s*(\d+\.\d+)x?\s*</g)].map((m) => Number(m[1]));
  assert.ok(leads.length >= 3 && leads.every((v) => v >= 1), `${leads}`);
});

test("the button of the filters says how many there are", async (t) => {
  const app = await phone(t, "#device=mi300x&f.dtype=fp16&r.m=1..");
  await app.load(...sides);
  const button = app.page.getByRole("button", { name: "Files and filters, 2 filters set" });
  assert.equal((await button.innerText()).trim(), "2");
  await button.click();
  await app.clearFilters();
  await app.page.getByRole("button", { name: "Files and filters", exact: true }).waitFor();
  assert.equal(await app.page.locator(".filter-count").count(), 0);
  app.assertQuiet();
});

test("filters that come back after a reload are said, and go at once", async (t) => {
  const app = await GemmscopePage.open({ t, viewport: DESKTOP, path: "#f.dtype=fp16" });
  await app.load(sides[0]);
  const some = await app.figure("rows");
  await app.page.locator(".kept-names").first().waitFor();
  await app.page.waitForFunction(() => localStorage["gemmscope.open"]?.includes("f.dtype"));
  const again = await app.page.context().newPage();
  await again.goto(app.page.url().split("#")[0]);
  const note = again.getByText("1 filter from last time.");
  await note.waitFor();
  await again.getByRole("button", { name: "Remove", exact: true }).click();
  await note.waitFor({ state: "detached" });
  const all = (await again.locator('[data-figure="rows"] .figure-value').innerText()).trim();
  assert.notEqual(all, some);
  await again.close();
});
