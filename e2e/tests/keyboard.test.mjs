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

test("help lists what works; dialogs keep the focus and Escape closes them", async (t) => {
  const app = await GemmscopePage.open({ t, viewport: DESKTOP });
  const { page } = app;
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
  app.assertQuiet();
});

test("every control has a name; nothing moves for a reader who asked for less motion, for others it does", async (t) => {
  const app = await GemmscopePage.open({ t, viewport: DESKTOP });
  await app.load(fixture("fixtures/generic/plain.csv"));
  for (const view of ["Summary", "Table"]) {
    await app.choosePlace(view);
    const [count, nameless] = await app.page.evaluate(() => {
      const all = [...document.querySelectorAll("button, input:not([aria-hidden]), select, textarea, [role=application], [role=table]")].filter((e) => e.checkVisibility());
      const named = (e) => e.getAttribute("aria-label") || e.textContent.trim() || e.labels?.length || e.title;
      return [all.length, all.filter((e) => !named(e)).map((e) => e.outerHTML.slice(0, 120))];
    });
    assert.ok(count > 25, `${count} controls in ${view}`);
    assert.deepEqual(nameless, []);
  }
  await app.choosePlace("Summary");
  /** Classes of what takes time to change; a pause before a tooltip is none. */
  const moving = () =>
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
  assert.deepEqual(await moving(), []);
  await app.page.emulateMedia({ reducedMotion: "no-preference" });
  const lively = await moving();
  for (const part of ["button", "sidebar", "status"]) assert.ok(lively.includes(part), `${part} among ${lively}`);
});

test("two themes: text is readable on its ground", async (t) => {
  for (const theme of ["light", "dark"]) {
    const app = await GemmscopePage.open({ t, viewport: DESKTOP, theme, path: "#v=1&device=h100-sxm" });
    await app.load(fixture("fixtures/generic/plain.csv"));
    await app.click(/fp8/);
    await app.panel();
    const [read, poor] = await app.page.evaluate(() => {
      const lin = (c) => (c /= 255) <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
      const lum = ([r, g, b]) => 0.2126 * lin(r) + 0.7152 * lin(g) + 0.0722 * lin(b);
      const canvas = new OffscreenCanvas(1, 1).getContext("2d", { willReadFrequently: true });
      const rgba = (text) => {
        canvas.clearRect(0, 0, 1, 1);
        canvas.fillStyle = text;
        canvas.fillRect(0, 0, 1, 1);
        return [...canvas.getImageData(0, 0, 1, 1).data];
      };
      const ground = (e) => {
        for (let at = e; at; at = at.parentElement) {
          const c = rgba(getComputedStyle(at).backgroundColor);
          if (c[3] === 255) return c;
        }
        return rgba(getComputedStyle(document.body).backgroundColor);
      };
      const out = [];
      let read = 0;
      for (const e of document.querySelectorAll(".app *")) {
        const own = [...e.childNodes].some((n) => n.nodeType === 3 && n.textContent.trim());
        if (!own || !e.checkVisibility({ opacityProperty: true }) || e.closest(":disabled, .visually-hidden, .skip-link, .tooltip, .status")) continue;
        const [a, b] = [lum(rgba(getComputedStyle(e).color)), lum(ground(e))].sort((x, y) => y - x);
        read += 1;
        const contrast = (a + 0.05) / (b + 0.05);
        if (contrast < 4.5) out.push(`${e.className}: ${e.textContent.trim().slice(0, 30)} ${contrast.toFixed(2)}`);
      }
      return [read, out];
    });
    assert.ok(read > 80, `${read} texts`);
    assert.deepEqual(poor, [], theme);
  }
});

test("figures explain themselves to the keyboard: the strip, the planner's ridges and a tool's results", async (t) => {
  for (const viewport of [DESKTOP, PHONE]) {
    const app = await GemmscopePage.open({ t, viewport, path: "#device=h100-sxm" });
    await app.load(fixture("fixtures/generic/plain.csv"));
    /** Tabs to the part; what it says is seen, inside the window, and said as its description. */
    const explains = async (page, selector, words) => {
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
    await explains(app.page, '[data-figure="rows"]', /pass the filters/);
    await explains(app.page, '[data-figure="efficiency"]', /1 − lost time/);
    app.assertQuiet();

    const plan = await GemmscopePage.open({ t, viewport, path: "#view=plan&plan.model=llama-2-7b&plan.devices=a100-80-sxm" });
    await plan.page.locator('[data-crossing="up_proj"]').waitFor();
    await explains(plan.page, '[data-crossing="up_proj"]', /batch/i);
    await plan.page.getByRole("navigation", { name: "Pages of the plan" }).getByRole("button", { name: "Tile", exact: true }).click();
    await plan.page.locator(".plan-totals .tip").first().waitFor();
    await explains(plan.page, ".plan-totals .tip", /./);
    plan.assertQuiet();
  }
});
