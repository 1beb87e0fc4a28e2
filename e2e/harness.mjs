// Basis of every end-to-end test: the built site under a sub-path, a real Chromium, and a record of everything that a
// page does but should not.
import assert from "node:assert/strict";
import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { after } from "node:test";
import { fileURLToPath } from "node:url";
import { chromium } from "playwright-core";
import { HEADERS, serve } from "../scripts/static.mjs";

const project = dirname(dirname(fileURLToPath(import.meta.url)));
export const dist = process.env.GEMMSCOPE_DIST ?? join(project, "dist");
const out = join(project, "e2e", "out");

const FLAGS = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--disable-dev-shm-usage",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  // Tests never go back to a page that they left.
  "--disable-back-forward-cache",
];

let browser;
const servers = new Map();

/** Slowdown of a page's CPU relative to this machine: `make test-steady` sets it. */
const THROTTLE = Number(process.env.GEMMSCOPE_THROTTLE ?? 1);

/** A browser context with pages that `settle` can wait for. One browser per test file, closed with it. */
export async function newContext(options) {
  browser ??= chromium.launch({
    executablePath: process.env.CHROME ?? "/usr/bin/chromium",
    args: FLAGS,
    // A file that takes too long is stopped by a signal, and must end with it; the browser ends with its pipe.
    handleSIGTERM: false,
  });
  const context = await (await browser).newContext(options);
  context.setDefaultTimeout(Number(process.env.GEMMSCOPE_WAIT ?? 60_000));
  await context.addInitScript(REST);
  context.on("page", restful);
  if (THROTTLE > 1) {
    context.on("page", (page) => {
      const slow = context.newCDPSession(page).then((client) => client.send("Emulation.setCPUThrottlingRate", { rate: THROTTLE }));
      // A page that is closed immediately needs no slowdown.
      slow.catch(() => {});
    });
  }
  return context;
}

/** User actions after which the page settles, so that a test sees their effect, however late it comes. */
const ACTS = ["click", "dblclick", "press", "type", "fill", "check", "uncheck", "selectOption", "dispatchEvent", "up", "move", "wheel"];
const wrapped = new WeakSet();

function restful(page) {
  for (const hand of [page.keyboard, page.mouse, Object.getPrototypeOf(page.locator("html"))]) {
    if (wrapped.has(hand)) continue;
    wrapped.add(hand);
    for (const act of ACTS.filter((act) => hand[act])) {
      const done = hand[act];
      hand[act] = async function (...given) {
        const answer = await done.apply(this, given);
        // The action may leave or close the page.
        await settle(this.page?.() ?? page).catch((why) => assert.match(String(why), /context was destroyed|been closed|Cannot find context/));
        return answer;
      };
    }
  }
}

/** The built site under /repo/, as GitHub Pages serves a project; `headers` is a header set of scripts/static.mjs. */
export async function site(headers = "strict") {
  if (!servers.has(headers)) {
    assert.ok(existsSync(join(dist, "index.html")), "dist/ is empty: run `make build` first");
    servers.set(headers, await serve(dist, { base: "/repo/", headers: HEADERS[headers] }));
  }
  return servers.get(headers).url;
}

after(async () => {
  await (await browser)?.close();
  for (const server of servers.values()) await server.close();
});

/**
 * Opens the page and waits until the app is ready (`<html data-ready="1">`, see `waitReady`).
 *
 * Returns a Playwright `Page` whose `trouble` records console errors, page errors, policy violations and failed
 * requests, and whose `requests` has every requested URL; `quiet()` clears the requests so far. When the test ends
 * the page is reset and reused by the next test of its file, unless it was changed in a way that cannot be undone.
 */
export async function openPage({
  t,
  path = "",
  viewport = { width: 1280, height: 800 },
  theme = "light",
  headers = "strict",
  javaScriptEnabled = true,
  deviceScaleFactor = 1,
  // A service worker that fills its cache during a test would look like a request of the page.
  serviceWorkers = "block",
  before,
  ready = true,
} = {}) {
  const ordinary = javaScriptEnabled && deviceScaleFactor === 1 && serviceWorkers === "block" && !before;
  const page = (ordinary && spare.pop()) || (await newPage({ javaScriptEnabled, deviceScaleFactor, serviceWorkers }));
  const onlyUsed = ordinary ? watched(page) : () => false;
  const url = await site(headers);
  t?.after(() => (onlyUsed() ? emptied(page, url) : page.context().close()));
  page.trouble = { console: [], page: [], csp: [], failed: [] };
  page.requests = [];
  await page.setViewportSize(viewport);
  await page.emulateMedia({ colorScheme: theme, reducedMotion: "reduce" });
  await before?.(page);
  await page.goto(url + path);
  if (ready && javaScriptEnabled) {
    await waitReady(page);
    await settle(page).catch(async (why) => {
      // `index.html` redirects to `open.html` if the address requires it: wait for that page too.
      assert.match(String(why), /context was destroyed/);
      await waitReady(page);
      await settle(page);
    });
  }
  return page;
}

/** Chooses an option of a list as a user does: a long list is filled once it has the focus. */
export async function take(list, value) {
  await list.focus();
  await list.selectOption(value);
}

/** Takes a device by its name from the list that a button opens, found by typing as a user does. */
export async function takeDevice(button, name) {
  await button.click();
  const page = button.page();
  await page.getByRole("combobox", { name: "Search devices" }).fill(name);
  await page.getByRole("option", { name }).first().click();
}

/** Pages that tests of this file are done with: a page that was there costs half of a new one. */
const spare = [];

async function newPage(options) {
  const context = await newContext({ acceptDownloads: true, ...options });
  const page = await context.newPage();
  page.quiet = () => page.requests.splice(0);
  page.on("console", (message) => message.type() === "error" && page.trouble.console.push(message.text()));
  page.on("pageerror", (error) => page.trouble.page.push(String(error)));
  // A page that navigates away aborts its pending requests.
  page.on("requestfailed", (request) => request.failure()?.errorText !== "net::ERR_ABORTED" && page.trouble.failed.push(request.url()));
  // On the context, so that requests of workers count too.
  context.on("request", (request) => page.requests.push(request.url()));
  if (options.javaScriptEnabled) {
    await page.exposeFunction("__csp", (line) => page.trouble.csp.push(line));
    await page.addInitScript(() => {
      addEventListener("securitypolicyviolation", (event) =>
        window.__csp(`${event.effectiveDirective} blocked ${event.blockedURI} (${event.sourceFile}:${event.lineNumber})`),
      );
    });
  }
  return page;
}

/** What cannot be undone on a page and its context. */
const LASTING = {
  page: ["addInitScript", "exposeFunction", "on", "once", "route"],
  context: ["addInitScript", "grantPermissions", "newCDPSession", "newPage", "on", "once", "route", "setOffline"],
};

/** Returns a function that tells whether the page was only used: no routes, listeners or scripts were added. */
function watched(page) {
  let used = true;
  const both = [[page, LASTING.page], [page.context(), LASTING.context]];
  for (const [object, names] of both) {
    for (const name of names) {
      object[name] = (...given) => ((used = false), Object.getPrototypeOf(object)[name].apply(object, given));
    }
  }
  return () => {
    for (const [object, names] of both) names.forEach((name) => delete object[name]);
    return used && !page.isClosed();
  };
}

/** Resets a page: no document, no history, nothing stored, no pointer over it. */
async function emptied(page, url) {
  await page.evaluate(() => sessionStorage.clear());
  await page.mouse.move(0, 0);
  await page.goto("about:blank");
  page.cdp ??= await page.context().newCDPSession(page);
  await page.cdp.send("Storage.clearDataForOrigin", { origin: new URL(url).origin, storageTypes: "all" });
  await page.cdp.send("Page.resetNavigationHistory");
  spare.push(page);
}

/** Runs in the page first. Tracks pending work of the page (timers, frames, fetches, compilation of the program),
 *  so that a test can wait until nothing is left, however slow the machine is. While it waits, timers for
 *  non-urgent work, such as writing the address bar or keeping the focus, fire early. A pause of half a second or
 *  more is meant for the user, and is not waited for. */
const REST = `(() => {
  const { setTimeout, clearTimeout, requestAnimationFrame, cancelAnimationFrame, fetch } = window;
  const now = performance.now.bind(performance);
  const [timers, frames] = [new Map(), new Set()];
  let asked = 0;
  window.setTimeout = (run, ms = 0, ...more) => {
    if (typeof run !== "function" || ms >= 500) return setTimeout(run, ms, ...more);
    const go = () => {
      clearTimeout(id);
      if (timers.delete(id)) run(...more);
    };
    const id = setTimeout(go, ms);
    timers.set(id, { go, ms });
    return id;
  };
  window.clearTimeout = (id) => {
    timers.delete(id);
    clearTimeout(id);
  };
  window.requestAnimationFrame = (run) => {
    const id = requestAnimationFrame((time) => {
      frames.delete(id);
      run(time);
    });
    frames.add(id);
    return id;
  };
  window.cancelAnimationFrame = (id) => {
    frames.delete(id);
    cancelAnimationFrame(id);
  };
  const counted = (promise) => {
    asked += 1;
    const ended = () => (asked -= 1);
    promise.then(ended, ended);
    return promise;
  };
  window.fetch = (...given) => counted(fetch.apply(window, given));
  const { instantiateStreaming } = WebAssembly;
  if (instantiateStreaming) WebAssembly.instantiateStreaming = (...given) => counted(instantiateStreaming.apply(WebAssembly, given));
  window.__atRest = async () => {
    const painted = () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done))));
    const end = now() + 60_000;
    for (;;) {
      // A promise resolved in the first frame has scheduled its work by the second.
      await painted();
      if (!timers.size && !frames.size && !asked) return;
      if (now() > end) throw new Error("the page does not come to rest: " + timers.size + " timers, " + frames.size + " frames, " + asked + " fetches");
      for (const { go, ms } of [...timers.values()]) if (ms >= 20) go();
    }
  };
})()`;

/** Waits until the page has no pending work: everything requested is drawn, with all its consequences. */
export async function settle(page) {
  await page.evaluate(() => window.__atRest?.());
}

/** The app sets `data-ready="1"` on <html> once the requested view is on the screen. */
export async function waitReady(page, timeout = 60_000) {
  await page.waitForFunction(() => document.documentElement.dataset.ready === "1", null, { timeout });
}

/** The page starts its worker once the first view is painted; it sets `data-idle` when it makes no more requests. */
export async function waitIdle(page, timeout = 60_000) {
  await page.waitForFunction(() => document.documentElement.dataset.idle, null, { timeout });
}

/** Nothing was logged, thrown or blocked, and no request failed. */
export function assertQuiet(page) {
  assert.deepEqual(page.trouble, { console: [], page: [], csp: [], failed: [] });
}

/**
 * Files of the program that are fetched after the first view: the worker, whose names hold hashes, published times of
 * the rows' devices, and the reader of Parquet files. No name holds words of a reader.
 */
const PROGRAM = /\/repo\/(gemmscope-page-[0-9a-f]+\.js|worker\.mjs\?v=[0-9a-f]+|parquet\.mjs\?v=[0-9a-f]+|reference\/[a-z0-9_-]+\.bin)$/;

/** No request left the page since `page.quiet()`, except for the worker. blob: and data: URLs stay in the page. */
export function assertNoRequests(page) {
  assert.deepEqual(page.requests.filter((url) => !/^(blob|data):/.test(url) && !PROGRAM.test(url)), []);
}

/** A file for the helpers below: a path, or { name, text | bytes, type }. */
function read(file) {
  if (typeof file === "string") return { name: basename(file), mimeType: "text/plain", buffer: readFileSync(file) };
  return { name: file.name, mimeType: file.type ?? "text/plain", buffer: Buffer.from(file.bytes ?? file.text ?? "") };
}

/** Drops files as a user would: one DataTransfer through dragenter, dragover and drop. */
export async function dropFiles(page, files, selector = "body") {
  const payload = files.map(read).map(({ name, mimeType, buffer }) => ({ name, mimeType, base64: buffer.toString("base64") }));
  const transfer = await page.evaluateHandle((items) => {
    const data = new DataTransfer();
    for (const { name, mimeType, base64 } of items) {
      const bytes = Uint8Array.from(atob(base64), (c) => c.charCodeAt(0));
      data.items.add(new File([bytes], name, { type: mimeType }));
    }
    return data;
  }, payload);
  for (const type of ["dragenter", "dragover", "drop"]) {
    await page.dispatchEvent(selector, type, { dataTransfer: transfer });
  }
  await transfer.dispose();
}

/** Chooses files in the first file input. */
export async function upload(page, files, selector = 'input[type="file"]') {
  await page.locator(selector).first().setInputFiles(files.map((file) => (typeof file === "string" ? file : read(file))));
}

/** Saves a screenshot in e2e/out, for a person to look at. */
export async function screenshot(page, name, options = {}) {
  mkdirSync(out, { recursive: true });
  const path = join(out, `${name}.png`);
  await page.screenshot({ path, ...options });
  return path;
}

/** A file in the folder that GEMMSCOPE_DATA names: other people's benchmarks, for `make test-real`. */
export function real(relPath) {
  const path = join(process.env.GEMMSCOPE_DATA, relPath);
  assert.ok(existsSync(path), `${path} is not there`);
  return path;
}

/** A file under tests/ of the crate. */
export const fixture = (relPath) => join(project, "tests", relPath);
