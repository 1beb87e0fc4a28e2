// The main path in a browser that Playwright does not drive: opening a file, its roofline, its rows, making a link and
// following it; and the element in a page of another origin.
import assert from "node:assert/strict";
import { mkdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { after, before } from "node:test";
import { fileURLToPath } from "node:url";
import { fixture, site } from "./harness.mjs";
import { Hosts, policyOf } from "./host.mjs";

const CSV = fixture("fixtures/generic/plain.csv");
const out = join(dirname(fileURLToPath(import.meta.url)), "out");

/** The tests, in a browser (see webdriver.mjs) started by `launch`; skipped if the engine is `absent`, unless all
 *  engines are required (GEMMSCOPE_ENGINES=all), as before landing. */
export function mainPath(name, absent, launch) {
  const missing = process.env.GEMMSCOPE_ENGINES === "all" ? false : absent;
  const options = { skip: missing };
  let browser;
  before(async () => {
    mkdirSync(out, { recursive: true });
    if (!missing) browser = await launch();
  });
  after(() => browser?.close());

  const ready = () => browser.until(() => document.documentElement.dataset.ready === "1");
  const rows = (n) => browser.until((n) => document.documentElement.dataset.rows === String(n) && document.documentElement.dataset.ready === "1", n);
  /** Waits until the chart shows more than `n` colours: a canvas without a picture has one. */
  const colours = (n) =>
    browser.until((few) => {
      const canvas = document.querySelector(".chart-stage canvas");
      if (!canvas?.width) return 0;
      const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
      return new Set(new Uint32Array(data.buffer)).size > few;
    }, n);

  const file = async (t) => {
    t.diagnostic(browser.version);
    const address = await site();
    await browser.goto(`${address}#v=1&device=mi300x&view=roofline`);
    await ready();
    await browser.type('input[type="file"]', CSV);
    await rows(4);
    const [only] = await browser.evaluate(() => window.gemmscope.summary());
    assert.deepEqual([only.file, only.rows_used, only.devices], ["plain.csv", 4, ["AMD Instinct MI300X"]]);
    await colours(20);
    await browser.screenshot(join(out, `${name}-roofline.png`));

    await browser.click('nav button[data-view="table"]');
    await browser.until(() => document.querySelectorAll(".data-grid-row").length === 4);

    await browser.click('button[aria-label="Share"], .header-tools button[title^="Share"]');
    const link = await browser.until(() => document.querySelector("dialog[open] .share-link")?.value);
    assert.match(link, /\/repo\/#v=1&view=table&device=mi300x&files=plain\.csv$/);
    await browser.click("dialog[open] .share-check input");
    const whole = await browser.until(() => document.querySelector("dialog[open] .share-link").value.match(/.*data=.*/)?.[0]);
    // Go to another address first: if only the part after # differs, nothing is loaded.
    await browser.goto("about:blank");
    await browser.goto(whole);
    await rows(4);
    await browser.until(() => document.querySelectorAll(".data-grid-row").length === 4);
    // The next test leaves this page, which would make pending requests fail in the console.
    await browser.until(() => document.documentElement.dataset.idle);
    assert.deepEqual(await browser.trouble(address), []);
  };

  const element = async (t) => {
    const viewer = await site("pages");
    const hosts = new Hosts();
    t.after(() => hosts.close());
    hosts.write("bench.csv", readFileSync(CSV, "utf8"));
    hosts.write("page.html", `<!doctype html><title>host</title><gemm-scope loading="eager" src="bench.csv" device="mi300x"></gemm-scope><script type="module" src="${viewer}gemm-scope.js"></script>`);
    const host = await hosts.serve({ "content-security-policy": policyOf(viewer) });
    await browser.goto(`${host.url}page.html`);
    await browser.until(() => document.querySelector("gemm-scope").shadowRoot?.querySelector(".ready"));
    const [only] = await browser.evaluate(() => document.querySelector("gemm-scope").export("summary"));
    assert.deepEqual([only.file, only.rows_used], ["bench.csv", 4]);
    await browser.screenshot(join(out, `${name}-element.png`));
    for (const part of [host.url, viewer]) assert.deepEqual(await browser.trouble(part), []);
  };
  return { options, file, element };
}
