// The page as a user sees it: every selector of the end-to-end tests is here, so that a change of markup is a change of
// one file.
//
//   const app = await GemmscopePage.open({ t, theme: "dark", viewport: PHONE });
//   await app.load(fixture("fixtures/iree/gemm.csv"));   // through the file input; waits until it is on the screen
//   await app.drop({ name: "a.csv", text: "M,N,K,us\n..." });  await app.paste("M,N,K,us\n...");
//   await app.sample("h100-tiles");
//   await app.summary();                                 // window.gemmscope.summary(): one object per file
//   await app.choosePlace("Table");  await app.choosePicture("Explore", "bars");
//   await app.setControl("color", "model");              // a setting above the chart, by key and value
//   await app.toggleFacet("Data type", "fp16");  await app.chips();  await app.clearFilters();
//   await app.figure("rows");
//   const at = await app.find(/4096/);                   // a position in the chart with such a tooltip: { x, y, text }
//   await app.hover(/4096/);  await app.click(/4096/);   // with the real pointer; hover returns the tooltip's text
//   await app.tooltip();  await app.detail();  await app.status();   // texts, null if not shown
//   await app.state("device");                           // a key of the link in the address bar
//   const { name, text } = await app.download(() => app.saveAs("SVG"));
//   app.assertQuiet();                                   // nothing logged, thrown, blocked or failed, and no request
//                                                        // since the load
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { assertNoRequests, assertQuiet, dropFiles, openPage, settle, take, upload, waitReady } from "./harness.mjs";

export const DESKTOP = { width: 1440, height: 900 };
export const PHONE = { width: 390, height: 844 };

export class GemmscopePage {
  /** Opens the page; takes what `openPage` takes. */
  static async open(options) {
    const app = new GemmscopePage(await openPage(options));
    if (options?.ready === false) return app;
    // From here on no request may be made; `assertQuiet` checks.
    app.page.quiet();
    return app;
  }

  constructor(page) {
    this.page = page;
  }

  get heading() {
    return this.page.getByRole("heading", { level: 1 });
  }

  /** Message of boot.mjs if the page cannot start. */
  get bootError() {
    return this.page.locator(".boot-error");
  }

  get stage() {
    return this.page.locator(".chart-stage").last();
  }

  get dialog() {
    return this.page.locator("dialog[open]");
  }

  /** Cards of the loaded files: in the panel, which is closed at first (`panel`). */
  get cards() {
    return this.page.locator(".file-card");
  }

  /** Files that could not be read, each in one notice. */
  get errors() {
    return this.page.locator(".notice.bad");
  }

  // Files

  async #until(action) {
    await this.page.evaluate(() => delete document.documentElement.dataset.ready);
    await action();
    await waitReady(this.page);
    await this.settle();
  }

  /** Chooses files: paths, or `{ name, text | bytes }`. */
  async load(...files) {
    await this.#until(() => upload(this.page, files));
  }

  async drop(...files) {
    await this.#until(() => dropFiles(this.page, files));
  }

  /** Pastes text (or files) while no field has the focus. */
  async paste(text) {
    await this.#until(() =>
      this.page.evaluate((text) => {
        const data = new DataTransfer();
        data.setData("text/plain", text);
        document.body.dispatchEvent(new ClipboardEvent("paste", { clipboardData: data, bubbles: true, cancelable: true }));
      }, text),
    );
  }

  async sample(id) {
    await this.#until(() => this.page.locator(`[data-sample="${id}"]`).first().click());
  }

  /** Summaries of the files: the objects of `gemmscope summary --json`. */
  summary() {
    return this.page.evaluate(() => window.gemmscope.summary());
  }

  /** Lets the browser keep what is open, and waits until it does: a reload restores it. */
  async kept() {
    const question = this.page.getByRole("region", { name: "Reopen after a reload" });
    if (await question.count()) await question.getByRole("button", { name: "Reopen them" }).click();
    await this.page.waitForFunction(() => {
      const kept = document.querySelector(".kept-names")?.title.split("\n") ?? [];
      return kept.length === window.gemmscope.summary().length;
    });
  }

  /** The summary of the only file. */
  async only() {
    const all = await this.summary();
    assert.equal(all.length, 1);
    return all[0];
  }

  /** Opens the panel with the files, or on a phone the drawer. */
  async panel() {
    const button = this.page.locator(".drawer-button");
    if ((await button.getAttribute("aria-expanded")) === "false") await button.click();
  }

  /** Removes a file from the page. */
  async remove(name) {
    await this.panel();
    const card = this.cards.filter({ has: this.page.getByRole("heading", { name, exact: true }) });
    await card.getByRole("button", { name: "File" }).click();
    await this.page.locator(".menu-item", { hasText: "Remove from the page" }).click();
  }

  // The surrounding page

  /** Follows a link in the same page. */
  async go(hash) {
    await this.page.evaluate((hash) => void (location.hash = hash), hash);
    await this.settle();
  }

  /** Goes to a place by the name of its tab. */
  async choosePlace(name) {
    await this.page.getByRole("navigation").getByRole("button", { name, exact: true }).click();
  }

  /** Shows one of the pictures of a place. */
  async choosePicture(place, id) {
    await this.choosePlace(place);
    const picture = this.page.locator(`[data-picture="${id}"]`);
    if ((await picture.getAttribute("aria-pressed")) !== "true") await picture.click();
  }

  async setControl(key, value) {
    const select = this.page.locator(`select[data-control="${key}"]`);
    if (!(await select.count())) await this.moreControls();
    await take(select, value);
  }

  /** Shows the settings of a view beyond the first row. */
  async moreControls() {
    const more = this.page.locator("button.more-controls");
    if ((await more.getAttribute("aria-expanded")) === "false") await more.click();
  }

  /** A figure in the line of figures: rows, time, efficiency, lost; `side` if there are several. */
  async figure(key) {
    return plain(await this.page.locator(`[data-figure="${key}"] .figure-value`).innerText());
  }

  /** The status line, or null. */
  async status() {
    return (await this.page.locator(".status > span").textContent()) || null;
  }

  /** A key of the link in the address bar, once it is up to date. */
  async state(key) {
    await this.settle();
    return new URLSearchParams(new URL(this.page.url()).hash.slice(1)).get(key);
  }

  /** Everything requested is drawn, and the address bar is up to date. */
  settle() {
    return settle(this.page);
  }

  /** The page's clock jumps a second, so that Undo does not join what follows with earlier changes of the same
   *  kind. */
  async later() {
    await this.page.evaluate(() => {
      const now = performance.now.bind(performance);
      performance.now = () => now() + 1000;
    });
  }

  // Filters

  facet(label) {
    return this.page.locator(".filters .facet").filter({ has: this.page.locator("summary > span:first-child", { hasText: new RegExp(`^${label}$`) }) });
  }

  /** Opens the list of everything that can be filtered. */
  async openFilters() {
    const button = this.page.locator(".all-filters");
    if ((await button.getAttribute("aria-expanded")) === "false") await button.click();
  }

  async closeFilters() {
    await this.page.locator(".all-filters").focus();
    await this.page.keyboard.press("Escape");
  }

  async openFacet(label) {
    await this.openFilters();
    const facet = this.facet(label);
    if ((await facet.getAttribute("open")) === null) await facet.locator("summary").click();
    return facet;
  }

  async toggleFacet(label, value) {
    const facet = await this.openFacet(label);
    await facet.locator(".facet-value", { has: this.page.locator(".facet-text", { hasText: new RegExp(`^${value}$`) }) }).click();
    await this.closeFilters();
  }

  /** Value to count, as shown in the facet. */
  async facetCounts(label) {
    const facet = await this.openFacet(label);
    await this.settle();
    const pairs = await facet
      .locator(".facet-value")
      .evaluateAll((all) => all.map((v) => [v.querySelector(".facet-text").textContent, v.querySelector(".facet-count").textContent]));
    await this.closeFilters();
    return Object.fromEntries(pairs.map(([value, count]) => [value, Number(plain(count))]));
  }

  /** Texts of the active filters. */
  async chips() {
    return this.page.locator(".chip.on .chip-words").allInnerTexts();
  }

  async clearFilters() {
    // A single filter is cleared by its own cross.
    const row = this.page.locator(".filter-row");
    await row.getByRole("button", { name: /^(Clear all|Remove the filter .*)$/ }).last().click();
  }

  // The chart

  /** The tooltip's text, null if there is none. */
  async tooltip() {
    const tip = this.page.locator(".tooltip");
    return (await tip.count()) ? plain(await tip.innerText()) : null;
  }

  /** A position in the chart (page coordinates) whose tooltip matches; fails if there is none. */
  async find(pattern = /./, { step = 6 } = {}) {
    const found = await this.stage.evaluate(
      async (stage, { source, step }) => {
        const wanted = new RegExp(source);
        const box = stage.getBoundingClientRect();
        // A separate task, without the delay that browsers add to timers.
        const { port1, port2 } = new MessageChannel();
        const task = () => new Promise((done) => ((port1.onmessage = done), port2.postMessage(0)));
        // Every eighth position first, then those between: most marks are wide.
        for (let grid = 8; grid >= 1; grid /= 2) {
          for (let row = 1; box.top + row * step < box.bottom; row++) {
            for (let column = 1; box.left + column * step < box.right; column++) {
              if (row % grid || column % grid || (grid < 8 && !(row % (2 * grid)) && !(column % (2 * grid)))) continue;
              const [x, y] = [box.left + column * step, box.top + row * step];
              stage.dispatchEvent(new PointerEvent("pointermove", { clientX: x, clientY: y, bubbles: true, pointerType: "mouse" }));
              await task();
              const tip = stage.querySelector(".tooltip");
              if (tip && wanted.test(tip.innerText.replace(/\u202f|\u00a0/g, " "))) return { x, y, text: tip.innerText };
            }
          }
        }
        return null;
      },
      { source: pattern.source, step },
    );
    assert.ok(found, `nothing in the chart says ${pattern}`);
    return found;
  }

  /** Moves the pointer onto a mark whose tooltip matches; returns the tooltip's text. */
  async hover(pattern) {
    const { x, y } = await this.find(pattern);
    await this.page.mouse.move(x, y);
    await this.page.locator(".tooltip").waitFor();
    return this.tooltip();
  }

  async click(pattern, options = {}) {
    const { x, y, text } = await this.find(pattern);
    for (const key of options.modifiers ?? []) await this.page.keyboard.down(key);
    await this.page.mouse.click(x, y);
    for (const key of options.modifiers ?? []) await this.page.keyboard.up(key);
    return text;
  }

  /** Drags the pointer between two positions in the chart, given as shares of its size. */
  async drag(from, to, { shift = false } = {}) {
    const box = await this.stage.boundingBox();
    const at = ([x, y]) => [box.x + x * box.width, box.y + y * box.height];
    if (shift) await this.page.keyboard.down("Shift");
    await this.page.mouse.move(...at(from));
    await this.page.mouse.down();
    await this.page.mouse.move(...at([(from[0] + to[0]) / 2, (from[1] + to[1]) / 2]), { steps: 4 });
    await this.page.mouse.move(...at(to), { steps: 4 });
    await this.page.mouse.up();
    if (shift) await this.page.keyboard.up("Shift");
  }

  /** Turns the wheel at a position in the chart, given as shares of its size. */
  async wheel(delta, at = [0.5, 0.5]) {
    const box = await this.stage.boundingBox();
    await this.page.mouse.move(box.x + at[0] * box.width, box.y + at[1] * box.height);
    await this.page.mouse.wheel(0, delta);
  }

  /** Text of the dock, null if it is closed. */
  async detail() {
    const panel = this.page.locator(".dock");
    return (await panel.count()) ? plain(await panel.innerText()) : null;
  }

  legendEntry(name) {
    return this.page.locator("button.legend-entry", { has: this.page.locator("span", { hasText: new RegExp(`^${name}$`) }) });
  }

  /** An entry of the chart's save menu: "PNG", "SVG", "CSV of what is drawn". */
  async saveAs(entry) {
    await this.page.getByRole("button", { name: "Save what is drawn" }).click();
    await this.page.locator(".menu-item", { hasText: entry }).first().click();
  }

  /** The figures of the picture, in the dialog that its menu opens; `close` closes it. */
  async figures() {
    await this.page.getByRole("button", { name: "Save what is drawn" }).click();
    await this.page.locator(".menu-item", { hasText: "As a table" }).click();
    const region = this.page.getByRole("region", { name: "What is drawn, as a table" });
    await region.waitFor();
    return region;
  }

  /** Runs an action that saves a file; returns its name, text and bytes. */
  async download(action) {
    const [file] = await Promise.all([this.page.waitForEvent("download"), action()]);
    const bytes = readFileSync(await file.path());
    return { name: file.suggestedFilename(), bytes, text: bytes.toString("utf8") };
  }

  // The table

  /** Texts of the visible rows of the table, cell by cell. */
  async tableRows() {
    const rows = this.page.locator(".data-grid-row");
    return rows.evaluateAll((all) => all.map((row) => [...row.querySelectorAll(".cell")].map((c) => c.textContent.trim())));
  }

  async tableHeads() {
    return (await this.page.locator(".data-grid-head .cell").allInnerTexts()).map((t) => t.replace(/[↓↑]/g, "").trim());
  }

  // Ends of a test

  assertQuiet() {
    assertQuiet(this.page);
    assertNoRequests(this.page);
  }
}

/** Replaces thin and non-breaking spaces by plain ones, and removes them between digits. */
export function plain(text) {
  return text.replace(/[\u202f\u00a0]/g, " ").replace(/(\d) (?=\d{3}(\D|$))/g, "$1");
}

/** Limits what the worker reads: it gets a number of slices of a file, and waits for `let` before it gets more. So
 *  a test sees a file that is being read, however fast the machine is. */
export class Held {
  static async of(app, slices = 1) {
    const it = new Held();
    [it.worker] = app.page.workers();
    await it.worker.evaluate((slices) => {
      // A worker may be held several times.
      const read = (self.readAlways ??= ReadableStreamBYOBReader.prototype.read);
      const wait = () => new Promise((done) => (self.go = done));
      self.left = slices;
      self.hold = () => (self.held = new Promise((done) => (self.isHeld = done)));
      self.hold();
      ReadableStreamBYOBReader.prototype.read = async function (view) {
        if (self.left <= 0) {
          self.isHeld();
          await wait();
        }
        self.left -= 1;
        return read.call(this, view);
      };
    }, slices);
    return it;
  }

  /** Waits until the worker requests more than it was given. */
  reached() {
    return this.worker.evaluate(() => self.held);
  }

  /** Allows this many more slices; without a number, all others. */
  let(slices = 1e9) {
    return this.worker.evaluate((slices) => {
      self.left = slices;
      self.hold();
      self.go();
    }, slices);
  }
}
