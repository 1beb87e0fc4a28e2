// Keyboard and screen readers: few Tab stops to the picture, every place by its digit, the focus never lost, and nothing
// serious that axe-core finds, in every place, both themes and on a phone.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { test } from "node:test";
import { fixture } from "../harness.mjs";
import { DESKTOP, GemmscopePage, PHONE } from "../page.mjs";

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const PLACES = ["Summary", "Compare", "Sweep", "Explore", "Table", "Plan"];
const SIDES = ["sweep_library.csv", "sweep_compiler.csv"];
const sides = SIDES.map((name) => fixture(`fixtures/iree/${name}`));
/** Some rows of each: axe-core takes a while for each element, and more of one kind tell nothing new. */
const few = SIDES.map((name, i) => ({ name, text: readFileSync(sides[i], "utf8").split("\n").slice(0, 9).join("\n") }));

/** What axe-core calls serious or critical: rule, then the elements. */
async function serious(app, options = {}) {
  const found = await app.page.evaluate((options) => window.axe.run({ resultTypes: ["violations"], preload: false, ...options }), options);
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

/** Classes of what takes time to change; a pause before a tooltip is none. */
const moving = (app) =>
  app.page.evaluate(() => {
    const seconds = (list) => Math.max(...list.split(",").map(Number.parseFloat));
    const found = new Set();
    for (const e of document.querySelectorAll("body, body *")) {
      for (const part of [null, "::before", "::after"]) {
        const style = getComputedStyle(e, part);
        const moves = style.animationName !== "none" && seconds(style.animationDuration) > 0.01;
        if (moves || seconds(style.transitionDuration) > 0) found.add(String(e.className).split(" ")[0]);
      }
    }
    return [...found].sort();
  });

test("axe-core finds nothing serious in any place, in both themes, on a phone; nothing moves for who asked for that", async (t) => {
  const app = await GemmscopePage.open({ t, viewport: DESKTOP, path: "#device=mi300x" });
  await app.page.evaluate(AXE);
  await inBothThemes(app, "start page");
  await app.load(...few);
  await app.panel();
  // With the details of a finding beside the first.
  await app.choosePlace("Summary");
  await app.page.locator(".finding-head").first().click();
  for (const name of PLACES) {
    await app.choosePlace(name);
    await inBothThemes(app, name);
  }
  for (const key of ["?", "d"]) {
    await app.page.keyboard.press(key);
    await app.dialog.waitFor();
    await inBothThemes(app, `dialog ${key}`);
    await app.page.keyboard.press("Escape");
    await app.dialog.waitFor({ state: "detached" });
  }
  // Once for those who asked for less motion, once for the others.
  assert.deepEqual(await moving(app), []);
  await app.page.emulateMedia({ reducedMotion: "no-preference" });
  const lively = await moving(app);
  for (const part of ["button", "sidebar", "status"]) assert.ok(lively.includes(part), `${part} among ${lively}`);
  await app.page.emulateMedia({ reducedMotion: "reduce" });

  await app.page.keyboard.press("Escape");
  await app.page.setViewportSize(PHONE);
  for (const name of PLACES) {
    await app.choosePlace(name);
    assert.deepEqual(await serious(app), [], `${name} on a phone`);
  }
});

const active = (app) => app.page.evaluate(() => document.activeElement.tagName);

test("Tab goes the way the eye does, in few stops; digits and arrow keys lead to places, cells and heads", async (t) => {
  const app = await GemmscopePage.open({ t, viewport: DESKTOP, path: "#device=mi300x" });
  await app.load(sides[0]);
  await app.choosePlace("Summary");
  const { keyboard } = app.page;
  const at = (selector) => app.page.evaluate((s) => document.activeElement.matches(s), selector);
  await app.page.evaluate(() => document.activeElement.blur());
  let stops = 0;
  do {
    await keyboard.press("Tab");
    stops += 1;
  } while (stops < 40 && !(await at(".chart-stage")));
  assert.ok(stops <= 12, `${stops} stops`);

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

  const place = () => app.page.locator('.tabs .tab[aria-current="page"]').innerText();
  for (const [i, name] of PLACES.entries()) {
    await keyboard.press(String(i + 1));
    await app.settle();
    assert.equal(await place(), name);
  }
  // Arrow keys walk along the tabs.
  await keyboard.press("1");
  await app.page.locator('.tabs .tab[aria-current="page"]').focus();
  await keyboard.press("ArrowRight");
  await keyboard.press("Enter");
  assert.equal(await place(), "Compare");

  // The table is a grid: arrow keys go from cell to cell, Enter on a head sorts.
  await app.choosePlace("Table");
  const grid = app.page.getByRole("grid", { name: "GEMMs" });
  await grid.focus();
  const cell = () => grid.evaluate((e) => document.getElementById(e.getAttribute("aria-activedescendant"))?.textContent.trim());
  await keyboard.press("ArrowDown");
  const first = await cell();
  await keyboard.press("ArrowRight");
  assert.notEqual(await cell(), first);
  await keyboard.press("Enter");
  assert.ok(await app.state("sel"));
  await keyboard.press("ArrowUp");
  assert.equal(await cell(), (await app.tableHeads()).filter((h) => h !== "#" && h !== "Finding")[1]);
  await keyboard.press("Enter");
  await app.settle();
  assert.ok(await app.state("sort"));
  app.assertQuiet();
});

test("the focus stays near when what had it goes away", async (t) => {
  const app = await GemmscopePage.open({ t, viewport: DESKTOP, path: "#device=mi300x" });
  await app.load(...few);
  await app.choosePlace("Summary");
  const kept = async (what) => {
    await app.settle();
    assert.notEqual(await active(app), "BODY", what);
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
