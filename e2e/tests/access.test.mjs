// Keyboard and screen readers: from the empty page to an export without a pointer, few Tab stops, focus never lost,
// figures with explanations, and no serious finding of axe-core, in every place, both themes and on a phone.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { test } from "node:test";
import { fixture, waitIdle } from "../harness.mjs";
import { DESKTOP, GemmscopePage, PHONE } from "../page.mjs";

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const PLACES = ["Summary", "Compare", "Sweep", "Explore", "Table", "Plan"];
const SIDES = ["sweep_library.csv", "sweep_compiler.csv"];
const sides = SIDES.map((name) => fixture(`fixtures/iree/${name}`));
/** Some rows of each: axe-core takes a while per element, and more of the same kind find nothing new. */
const few = SIDES.map((name, i) => ({ name, text: readFileSync(sides[i], "utf8").split("\n").slice(0, 9).join("\n") }));

/** Serious or critical findings of axe-core in a part of the page: rule, then the elements. */
async function serious(app, part, rules = {}) {
  const found = await app.page.evaluate(([part, rules]) => window.axe.run(part, { resultTypes: ["violations"], preload: false, ...rules }), [part, rules]);
  return found.violations
    .filter((v) => ["serious", "critical"].includes(v.impact))
    .map((v) => `${v.id}: ${v.nodes.map((n) => n.target.join(" ")).join("; ")}`);
}

/** Checks everything in the light theme, and in the dark one what a theme can change: colours. */
async function inBothThemes(app, where, part = "body") {
  assert.deepEqual(await serious(app, part), [], `${where}, light`);
  await app.page.emulateMedia({ colorScheme: "dark" });
  await app.settle();
  assert.equal(await app.page.evaluate(() => matchMedia("(prefers-color-scheme: dark)").matches), true);
  assert.deepEqual(await serious(app, part, { runOnly: ["color-contrast"] }), [], `${where}, dark`);
  await app.page.emulateMedia({ colorScheme: "light" });
  await app.settle();
}

/** Classes of elements with animations or transitions; the delay of a tooltip does not count. */
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
  // With the details of a finding beside it.
  await app.choosePlace("Summary");
  await app.page.locator(".finding-head").first().click();
  await inBothThemes(app, PLACES[0]);
  // The surroundings of a place are always the same.
  for (const name of PLACES.slice(1)) {
    await app.choosePlace(name);
    await inBothThemes(app, name, "#main");
  }
  for (const key of ["?", "d"]) {
    await app.page.keyboard.press(key);
    await app.dialog.waitFor();
    await inBothThemes(app, `dialog ${key}`, "dialog[open]");
    const back = await app.page.evaluate(() => getComputedStyle(document.querySelector("dialog[open]")).backgroundColor);
    assert.match(back, /^rgb\(/, `dialog ${key} is opaque`);
    await app.page.keyboard.press("Escape");
    await app.dialog.waitFor({ state: "detached" });
  }
  // Once with reduced motion, once without.
  assert.deepEqual(await moving(app), []);
  await app.page.emulateMedia({ reducedMotion: "no-preference" });
  const lively = await moving(app);
  for (const part of ["button", "sidebar", "status"]) assert.ok(lively.includes(part), `${part} among ${lively}`);
  await app.page.emulateMedia({ reducedMotion: "reduce" });

  await app.page.keyboard.press("Escape");
  await app.page.setViewportSize(PHONE);
  for (const name of PLACES) {
    await app.choosePlace(name);
    assert.deepEqual(await serious(app, name === "Summary" ? "body" : "#main"), [], `${name} on a phone`);
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

  await app.page.locator('.tabs .tab[aria-current="page"]').focus();
  await keyboard.press("Tab");
  assert.ok(await at(".filter-row button"), "files and filters");
  await keyboard.press("Tab");
  assert.ok(await at(".strip *"), "the figures");
  await app.page.locator('.strip [data-figure="rows"]').focus();
  for (let i = 0; i < 9 && !(await at(".account")); i++) await keyboard.press("ArrowRight");
  assert.ok(await at(".account"), "the bar is one stop with the figures");
  await keyboard.press("Tab");
  assert.ok(await at(".toolbar button"), "the first control");
  // Arrow keys reach all of them, including the slider and its field.
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
  // A chip lists its values.
  await app.page.locator(".chip .chip-words").first().focus();
  await keyboard.press("ArrowDown");
  await app.page.waitForFunction(() => document.activeElement.matches(".filter-row .menu input"));
  const rows = () => app.figure("rows");
  const before = await rows();
  await keyboard.press("Space");
  await app.page.waitForFunction(() => document.querySelector(".chip.on"));
  assert.notEqual(await rows(), before);
  assert.ok(await at(".filter-row .menu input"), "the list stays open");
  await keyboard.press("Space");
  await keyboard.press("Escape");
  assert.ok(await at(".filter-row button"), "back on its button");
  // The list of all filters has the search, which a key opens too.
  await keyboard.press("/");
  await app.page.waitForFunction(() => document.activeElement.matches("#search"));
  await keyboard.press("Escape");
  assert.ok(await at(".all-filters"), "back on its button");

  const place = () => app.page.locator('.tabs .tab[aria-current="page"]').innerText();
  for (const [i, name] of PLACES.entries()) {
    await keyboard.press(String(i + 1));
    assert.equal(await place(), name);
    await app.page.waitForFunction(() => document.activeElement.matches("#main, .main :is(.chart-stage, .data-grid)"));
  }
  // Arrow keys move along the tabs.
  await keyboard.press("1");
  await app.page.locator('.tabs .tab[aria-current="page"]').focus();
  await keyboard.press("ArrowRight");
  await keyboard.press("Enter");
  assert.equal(await place(), "Compare");

  // The table is a grid: arrow keys move from cell to cell, Enter on a header sorts.
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
  }
  await kept("Undo, once there is nothing to undo");
  await app.panel();
  await app.cards.first().getByRole("button", { name: "File" }).click();
  await app.page.locator(".menu-item", { hasText: "Remove" }).click();
  await kept("a removed file");
});

/** Presses Tab until the focused element matches; fails after a hundred. */
async function tabTo(page, selector, key = "Tab") {
  for (let i = 0; i < 100; i++) {
    await page.keyboard.press(key);
    if (await page.evaluate((s) => document.activeElement?.matches(s), selector)) return;
  }
  assert.fail(`${key} never reached ${selector}`);
}

test("from the empty page to a selected point and an export, by keyboard alone", async (t) => {
  const app = await GemmscopePage.open({ t, viewport: DESKTOP });
  const { page } = app;
  // There is only a menu above the content, so nothing to skip.
  await page.keyboard.press("Tab");
  assert.equal(await page.evaluate(() => document.activeElement.closest("header") !== null), true);
  // Help: the dialog keeps the focus, and Escape closes it.
  await page.keyboard.press("?");
  await app.dialog.waitFor();
  assert.match(await app.dialog.innerText(), /Ridge point/);
  // Cyclic: after the last stop the browser's own controls have the focus, which the page sees as its body.
  const stops = [];
  for (let i = 0; i < 12; i++) {
    await page.keyboard.press("Tab");
    stops.push(await page.evaluate(() => (document.activeElement.closest("dialog") ? "dialog" : document.activeElement.tagName)));
  }
  assert.deepEqual([...new Set(stops)].sort(), ["BODY", "dialog"], stops.join());
  assert.ok(!stops.join().includes("BODY,BODY"), stops.join());
  // Nothing below it takes the focus, even by script.
  const taken = await page.evaluate(() => {
    const under = [...document.querySelectorAll("button, input, a[href]")].filter((e) => !e.closest("dialog") && e.checkVisibility());
    return [under.length > 5, under.filter((e) => (e.focus(), document.activeElement === e)).length];
  });
  assert.deepEqual(taken, [true, 0]);
  await page.keyboard.press("Escape");
  await page.waitForFunction(() => !document.querySelector("dialog[open]"));

  // Press the key only once the browser intercepts file choosers.
  const wanted = page.waitForEvent("filechooser");
  await waitIdle(page);
  await app.settle();
  await page.keyboard.press("o");
  const chooser = await wanted;
  await page.evaluate(() => delete document.documentElement.dataset.ready);
  await chooser.setFiles(fixture("fixtures/generic/plain.csv"));
  await page.waitForFunction(() => document.documentElement.dataset.ready === "1");
  assert.equal(await app.figure("rows"), "4");
  // With a file the first stop is a skip link to the picture.
  const firstStop = () => [...document.querySelectorAll("a[href], button, input, select")].find((e) => e.checkVisibility()).textContent;
  assert.equal(await page.evaluate(firstStop), "Skip to the chart");

  // A device by the question above the picture, then another one by the header's menu.
  await tabTo(page, ".notice.ask .menu-root button");
  await page.keyboard.press("Enter");
  await page.waitForFunction(() => document.activeElement.role === "combobox");
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  const asked = await app.state("device");
  assert.ok(asked);
  await tabTo(page, ".device-picker button");
  await page.keyboard.press("ArrowDown");
  await page.waitForFunction(() => document.activeElement.role === "combobox");
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  assert.notEqual(await app.state("device"), asked);
  assert.ok(await page.evaluate(() => document.activeElement.closest(".device-picker")), "the menu gives the focus back");

  // Set a filter, then clear it.
  await page.keyboard.press("/");
  await page.keyboard.type("k_128");
  assert.equal(await app.figure("rows"), "2");
  await tabTo(page, ".tab[aria-current]");
  await page.keyboard.press("x");
  assert.equal(await app.figure("rows"), "4");
  await page.keyboard.press("1");
  await page.locator(".finding-head").first().waitFor();

  // A finding, its details, and back.
  const focused = (selector) => page.waitForFunction((s) => document.activeElement.matches(s), selector);
  await page.locator(".finding-head").first().focus();
  await page.keyboard.press("Enter");
  await page.locator(".dock-body").waitFor();
  await page.keyboard.press("i");
  await focused(".dock-body");
  await page.keyboard.press("Escape");
  await page.locator(".dock-body").waitFor({ state: "detached" });
  await focused(".finding-head");

  // To a point, and its description.
  await page.keyboard.press("c");
  assert.equal(await page.evaluate(() => document.activeElement.className.includes("chart-stage")), true);
  const outline = await page.evaluate(() => getComputedStyle(document.activeElement).outlineStyle);
  assert.notEqual(outline, "none", "focus is seen");
  await page.keyboard.press("ArrowRight");
  const first = await app.tooltip();
  await page.keyboard.press("ArrowRight");
  assert.notEqual(await app.tooltip(), first);
  await page.keyboard.press("Enter");
  assert.match(await app.detail(), /work \/ time/);

  // Out of the chart and to the save menu.
  await tabTo(page, "[aria-label='Save what is drawn']", "Shift+Tab");
  const saved = await app.download(async () => {
    await page.keyboard.press("ArrowDown");
    await page.waitForFunction(() => document.activeElement.classList.contains("menu-item"));
    for (let i = 0; i < 4; i++) await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
  });
  assert.match(saved.name, /^roofline\.(csv|svg|png)$/);

  // And the CSV of the table.
  await page.keyboard.press("5");
  await tabTo(page, ".data-grid");
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("ArrowDown");
  assert.equal(await page.locator(".data-grid-row.cursor").getAttribute("aria-rowindex"), "3");
  assert.equal(await page.locator(".data-grid").getAttribute("aria-activedescendant"), "cell-1-0");
  await page.keyboard.press("Enter");
  assert.match(await app.detail(), /plain\.csv, line \d/);
  app.assertQuiet();
});

test("figures explain themselves to the keyboard: the strip, the planner's ridges and a tool's results", async (t) => {
  const app = await GemmscopePage.open({ t, viewport: DESKTOP, path: "#device=h100-sxm" });
  const { page } = app;
  await app.load(fixture("fixtures/generic/plain.csv"));
  for (const viewport of [DESKTOP, PHONE]) {
    await page.setViewportSize(viewport);
    /** Tabs to an element; its explanation is visible, inside the window, and its accessible description. */
    const explains = async (selector, words) => {
      await page.locator(selector).first().waitFor();
      await page.evaluate(() => document.activeElement.blur());
      await tabTo(page, `${selector}, .strip .figure`);
      // The line of figures is one Tab stop; arrow keys move within it.
      for (let i = 0; i < 9 && !(await page.evaluate((s) => document.activeElement.matches(s), selector)); i++) await page.keyboard.press("ArrowRight");
      const tip = await page.evaluate(async () => {
        const part = document.activeElement;
        const style = getComputedStyle(part, "::after");
        const said = part.ariaDescription ?? part.getAttribute("aria-description");
        return { content: style.content, position: style.position, visibility: style.visibility, width: Number.parseFloat(style.width), said, title: part.title };
      });
      assert.match(tip.said, words);
      assert.equal(tip.content, JSON.stringify(tip.said), selector);
      assert.equal(tip.visibility, "visible");
      assert.notEqual(tip.position, "static");
      assert.ok(tip.width > 100 && tip.width <= viewport.width, `${selector}: ${tip.width} px`);
      assert.equal(tip.title, "", "one tooltip, not two");
      assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), "nothing hangs out of the window");
    };
    await app.go("#view=summary&device=h100-sxm");
    await explains('[data-figure="rows"]', /pass the filters/);
    await explains('[data-figure="efficiency"]', /Roof time \/ time/);
    await app.go("#view=plan&plan.model=llama-2-7b&plan.devices=a100-80-sxm");
    await explains('[data-crossing="up_proj"]', /batch/i);
    await page.getByRole("navigation", { name: "Pages of the plan" }).getByRole("button", { name: "Tile", exact: true }).click();
    await explains(".plan-totals .tip", /./);
  }
  app.assertQuiet();
});
