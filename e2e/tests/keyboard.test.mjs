// No pointer: from the empty page to a selected point and an export; focus is seen; dialogs give it back.
import assert from "node:assert/strict";
import { test } from "node:test";
import { fixture, waitParts } from "../harness.mjs";
import { DESKTOP, GemmscopePage, PHONE } from "../page.mjs";

/** Tabs until the focused element matches; fails after a hundred. */
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
  // The first stop skips to the content.
  await page.keyboard.press("Tab");
  assert.equal(await page.evaluate(() => document.activeElement.textContent), "Skip to the chart");
  // Help: the dialog keeps the focus, and Escape closes it.
  await page.keyboard.press("?");
  await app.dialog.waitFor();
  assert.match(await app.dialog.innerText(), /Ridge point/);
  // Round and round: past the last stop the browser's own controls have the focus, the page says its body then.
  const stops = [];
  for (let i = 0; i < 12; i++) {
    await page.keyboard.press("Tab");
    stops.push(await page.evaluate(() => (document.activeElement.closest("dialog") ? "dialog" : document.activeElement.tagName)));
  }
  assert.deepEqual([...new Set(stops)].sort(), ["BODY", "dialog"], stops.join());
  assert.ok(!stops.join().includes("BODY,BODY"), stops.join());
  // Nothing under it takes the focus, not even when asked.
  const taken = await page.evaluate(() => {
    const under = [...document.querySelectorAll("button, input, a[href]")].filter((e) => !e.closest("dialog") && e.checkVisibility());
    return [under.length > 5, under.filter((e) => (e.focus(), document.activeElement === e)).length];
  });
  assert.deepEqual(taken, [true, 0]);
  await page.keyboard.press("Escape");
  await page.waitForFunction(() => !document.querySelector("dialog[open]"));

  // The key is pressed once the browser has heard that choosers are waited for.
  const wanted = page.waitForEvent("filechooser");
  await waitParts(page);
  await app.settle();
  await page.keyboard.press("o");
  const chooser = await wanted;
  await page.evaluate(() => delete document.documentElement.dataset.ready);
  await chooser.setFiles(fixture("fixtures/generic/plain.csv"));
  await page.waitForFunction(() => document.documentElement.dataset.ready === "1");
  assert.equal(await app.figure("rows"), "4");

  // A device from the question above the picture, then another one from the header's menu.
  await tabTo(page, ".notice.ask select");
  await page.keyboard.press("ArrowDown");
  await app.settle();
  const first = await app.state("device");
  assert.ok(first);
  await tabTo(page, ".device-picker button");
  await page.keyboard.press("ArrowDown");
  await page.waitForFunction(() => document.activeElement.role === "combobox");
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  await app.settle();
  assert.notEqual(await app.state("device"), first);
  assert.ok(await page.evaluate(() => document.activeElement.closest(".device-picker")), "the menu gives the focus back");

  // A filter, then none.
  await page.keyboard.press("/");
  await page.keyboard.type("k_128");
  await app.settle();
  assert.equal(await app.figure("rows"), "2");
  await tabTo(page, ".tab[aria-current]");
  await page.keyboard.press("x");
  await app.settle();
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

  // To a point, and what it is.
  await page.keyboard.press("c");
  assert.equal(await page.evaluate(() => document.activeElement.className.includes("chart-stage")), true);
  const outline = await page.evaluate(() => getComputedStyle(document.activeElement).outlineStyle);
  assert.notEqual(outline, "none", "focus is seen");
  await page.keyboard.press("ArrowRight");
  const first = await app.tooltip();
  await page.keyboard.press("ArrowRight");
  assert.notEqual(await app.tooltip(), first);
  await page.keyboard.press("Enter");
  await app.settle();
  assert.match(await app.detail(), /work \/ time/);

  // Out of the chart and to the save menu.
  await tabTo(page, "[aria-label='Save what is drawn']", "Shift+Tab");
  const saved = await app.download(async () => {
    await page.keyboard.press("ArrowDown");
    await page.waitForFunction(() => document.activeElement.classList.contains("menu-item"));
    for (let i = 0; i < 3; i++) await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
  });
  assert.match(saved.name, /^roofline\.(csv|svg|png)$/);

  // And the table's CSV.
  await page.keyboard.press("5");
  await tabTo(page, ".data-grid");
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("ArrowDown");
  assert.equal(await page.locator(".data-grid-row.cursor").getAttribute("aria-rowindex"), "3");
  assert.equal(await page.locator(".data-grid").getAttribute("aria-activedescendant"), "cell-1-0");
  await page.keyboard.press("Enter");
  await app.settle();
  assert.match(await app.detail(), /plain\.csv, line \d/);
  app.assertQuiet();
});

test("figures explain themselves to the keyboard: the strip, the planner's ridges and a tool's results", async (t) => {
  const app = await GemmscopePage.open({ t, viewport: DESKTOP, path: "#device=h100-sxm" });
  const { page } = app;
  await app.load(fixture("fixtures/generic/plain.csv"));
  for (const viewport of [DESKTOP, PHONE]) {
    await page.setViewportSize(viewport);
    /** Tabs to the part; what it says is seen, inside the window, and said as its description. */
    const explains = async (selector, words) => {
      await page.locator(selector).first().waitFor();
      await page.evaluate(() => document.activeElement.blur());
      await tabTo(page, `${selector}, .strip .figure`);
      // The strip is one stop of the Tab key; the arrow keys move through it.
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
    await explains('[data-figure="efficiency"]', /1 − lost time/);
    await app.go("#view=plan&plan.model=llama-2-7b&plan.devices=a100-80-sxm");
    await explains('[data-crossing="up_proj"]', /batch/i);
    await page.getByRole("navigation", { name: "Pages of the plan" }).getByRole("button", { name: "Tile", exact: true }).click();
    await explains(".plan-totals .tip", /./);
  }
  app.assertQuiet();
});
