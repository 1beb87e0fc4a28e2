// Keyboard and screen readers: few Tab stops to the picture, every place by its digit, the focus never lost, and nothing
// serious that axe-core finds, in every place and both themes.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { test } from "node:test";
import { fixture } from "../harness.mjs";
import { DESKTOP, GemmscopePage, PHONE } from "../page.mjs";

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const PLACES = ["Summary", "Compare", "Sweep", "Explore", "Table", "Plan"];
const sides = ["fixtures/iree/sweep_library.csv", "fixtures/iree/sweep_compiler.csv"].map(fixture);

/** What axe-core calls serious or critical: rule, then the elements. */
async function serious(app, options = {}) {
  await app.page.evaluate(AXE);
  const found = await app.page.evaluate((options) => window.axe.run({ resultTypes: ["violations"], ...options }), options);
  return found.violations
    .filter((v) => ["serious", "critical"].includes(v.impact))
    .map((v) => `${v.id}: ${v.nodes.map((n) => n.target.join(" ")).join("; ")}`);
}

/** Everything in the light theme, and in the dark one what a theme can change: colours. */
async function inBothThemes(app, where) {
  assert.deepEqual(await serious(app), [], `${where}, light`);
  await app.page.emulateMedia({ colorScheme: "dark" });
  await app.settle();
  assert.equal(await app.page.evaluate(() => matchMedia("(prefers-color-scheme: dark)").matches), true);
  assert.deepEqual(await serious(app, { runOnly: ["color-contrast"] }), [], `${where}, dark`);
  await app.page.emulateMedia({ colorScheme: "light" });
  await app.settle();
}

const place = (app) => app.page.locator('.tabs .tab[aria-current="page"]').innerText();
const active = (app) => app.page.evaluate(() => [document.activeElement?.tagName, document.activeElement?.className]);

test("axe-core finds nothing serious in any place, in both themes", async (t) => {
  const app = await GemmscopePage.open({ t, viewport: DESKTOP, path: "#device=mi300x" });
  await inBothThemes(app, "start page");
  await app.load(...sides);
  for (const name of PLACES) {
    await app.choosePlace(name);
    await inBothThemes(app, name);
  }
  await app.choosePlace("Summary");
  await app.page.locator(".finding-head").first().click();
  await app.settle();
  await inBothThemes(app, "dock");
  for (const key of ["?", "d"]) {
    await app.page.keyboard.press(key);
    await app.dialog.waitFor();
    await inBothThemes(app, `dialog ${key}`);
    await app.page.keyboard.press("Escape");
    await app.dialog.waitFor({ state: "detached" });
  }
});

test("axe-core finds nothing serious on a phone", async (t) => {
  const app = await GemmscopePage.open({ t, viewport: PHONE, path: "#device=mi300x" });
  await app.load(...sides);
  for (const name of PLACES) {
    await app.choosePlace(name);
    assert.deepEqual(await serious(app), [], name);
  }
});

test("at most twelve Tab stops to the picture, every place has its digit, and the table is a grid", async (t) => {
  const app = await GemmscopePage.open({ t, viewport: DESKTOP });
  await app.load(fixture("fixtures/generic/plain.csv"));
  await app.page.evaluate(() => document.activeElement.blur());
  let stops = 0;
  do {
    await app.page.keyboard.press("Tab");
    stops += 1;
  } while (stops < 40 && !(await app.page.evaluate(() => document.activeElement.matches(".chart-stage"))));
  assert.ok(stops <= 12, `${stops} stops`);
  for (const [i, name] of PLACES.entries()) {
    await app.page.keyboard.press(String(i + 1));
    await app.settle();
    assert.equal(await place(app), name);
  }
  // Arrow keys walk along the tabs.
  await app.page.keyboard.press("1");
  await app.page.locator('.tabs .tab[aria-current="page"]').focus();
  await app.page.keyboard.press("ArrowRight");
  await app.page.keyboard.press("Enter");
  assert.equal(await place(app), "Compare");

  // Arrow keys go from cell to cell, Enter on a head sorts.
  await app.choosePlace("Table");
  const grid = app.page.getByRole("grid", { name: "GEMMs" });
  await grid.focus();
  const at = () => grid.evaluate((e) => document.getElementById(e.getAttribute("aria-activedescendant"))?.textContent.trim());
  await app.page.keyboard.press("ArrowDown");
  const first = await at();
  await app.page.keyboard.press("ArrowRight");
  assert.notEqual(await at(), first);
  await app.page.keyboard.press("Enter");
  assert.ok(await app.state("sel"));
  await app.page.keyboard.press("ArrowUp");
  assert.equal(await at(), (await app.tableHeads()).filter((h) => h !== "#" && h !== "Finding")[1]);
  await app.page.keyboard.press("Enter");
  await app.settle();
  assert.ok(await app.state("sort"));
});

test("the Tab key goes the way the eye does: the controls of a chart, as one stop, then the chart", async (t) => {
  const app = await GemmscopePage.open({ t, viewport: DESKTOP, path: "#device=mi300x" });
  await app.load(sides[0]);
  await app.choosePlace("Summary");
  const { keyboard } = app.page;
  const at = (selector) => app.page.evaluate((s) => document.activeElement.matches(s), selector);
  await app.page.locator('.strip [data-figure="rows"]').focus();
  for (let i = 0; i < 9 && !(await at(".account")); i++) await keyboard.press("ArrowRight");
  assert.ok(await at(".account"), "the bar is one stop with the figures");
  await keyboard.press("Tab");
  assert.ok(await at(".filter-row button"), "the filters");
  await keyboard.press("Tab");
  assert.ok(await at(".toolbar button"), "the first control");
  // Arrow keys walk through all of them, and pass the slider and its field.
  const seen = new Set();
  for (let i = 0; i < 30; i++) {
    seen.add(await app.page.evaluate(() => document.activeElement.ariaLabel ?? document.activeElement.textContent));
    await keyboard.press("ArrowRight");
  }
  for (const name of ["Lost time", "Draw a box", "Save what is drawn"]) assert.ok(seen.has(name), `${name}: ${[...seen]}`);
  await keyboard.press("Tab");
  assert.ok(await at(".chart-stage"), "the chart");
  await keyboard.press("Shift+Tab");
  assert.ok(await at(".toolbar *"), "back among the controls");
  await keyboard.press("Home");
  assert.equal(await app.page.evaluate(() => document.activeElement.textContent), "Roofline");
  // A button of the filters leads into the panel.
  await app.page.locator(".filter-row button").nth(1).focus();
  await keyboard.press("Enter");
  await app.page.waitForFunction(() => document.activeElement.matches(".sidebar summary"));
  app.assertQuiet();
});

test("the focus stays near when what had it goes away", async (t) => {
  const app = await GemmscopePage.open({ t, viewport: DESKTOP, path: "#device=mi300x" });
  await app.load(...sides);
  await app.choosePlace("Summary");
  const kept = async (what) => {
    await app.settle();
    const [tag] = await active(app);
    assert.notEqual(tag, "BODY", what);
  };
  await app.toggleFacet("Type", "fp16");
  await kept("a value of a facet");
  const clear = app.page.getByRole("button", { name: /^Remove the filter/ });
  await clear.focus();
  await app.page.keyboard.press("Enter");
  await kept("the cross of a filter");
  await app.page.locator(".finding-head").first().focus();
  await app.page.keyboard.press("Enter");
  await app.page.locator(".dock").waitFor();
  await app.page.getByRole("button", { name: /Close the details/ }).focus();
  await app.page.keyboard.press("Enter");
  await kept("the dock's cross");
  await app.page.locator("button.legend-entry").first().focus();
  await app.page.keyboard.press("Enter");
  await kept("an entry of the legend");
  await app.page.keyboard.press("?");
  await app.dialog.waitFor();
  await app.dialog.getByRole("button", { name: /Close/ }).first().click();
  await kept("a dialog's cross");
  const undo = app.page.getByRole("button", { name: "Undo", exact: true });
  for (let i = 0; i < 20 && (await undo.isEnabled()); i++) {
    await undo.focus();
    await app.page.keyboard.press("Enter");
    await app.settle();
  }
  await kept("Undo, once there is nothing to undo");
  await app.cards.first().getByRole("button", { name: "File" }).click();
  await app.page.locator(".menu-item", { hasText: "Remove" }).click();
  await kept("a removed file");
});
