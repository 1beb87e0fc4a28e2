// Times of the built site in real Chromium: a file chosen -> its roofline painted, a filter -> repainted, a pointer
// moved, the longest task, the memory the renderer takes, and what an empty page costs.
//
//   node benches/browser.mjs --data FOLDER [--rows 10000,100000,1000000] [--repeats 3] [--json OUT] [--hurry]
//
// Files are FOLDER/long-<rows>.csv and FOLDER/sweep-100000.csv (scripts/gen_gemm_csv.mjs). Every repeat is a browser of its own, so that nothing
// is warm; the table has medians. Each waits up to half a minute for an idle machine, with --hurry it does not. Needs `make build` and e2e/node_modules (`make setup`).
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { cpus } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { total, weigh } from "../scripts/size.mjs";
import { HEADERS, serve } from "../scripts/static.mjs";

const project = dirname(dirname(fileURLToPath(import.meta.url)));
const { chromium } = createRequire(join(project, "e2e", "package.json"))("playwright-core");
const words = process.argv.slice(2);
const option = (name, otherwise) => (words.includes(`--${name}`) ? words[words.indexOf(`--${name}`) + 1] : otherwise);
const data = option("data", join(project, "benches", "out", "data"));
const sizes = option("rows", "10000,100000,1000000").split(",").map(Number);
const repeats = Number(option("repeats", 3));
// Past this many rows a view of every kind would take the bench too long.
const MOST_VIEWED = 100_000;

const FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--disable-dev-shm-usage", "--no-first-run"].concat([
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
]);
const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const median = (values) => {
  const known = values.filter((v) => v != null).sort((a, b) => a - b);
  return known.length ? known[known.length >> 1] : null;
};

/** MB of a process by a field of /proc/PID/status, null where there is no such file. */
function memory(pid, field) {
  try {
    const found = readFileSync(`/proc/${pid}/status`, "utf8").match(new RegExp(`^${field}:\\s+(\\d+) kB`, "m"));
    return found ? Number(found[1]) / 1000 : null;
  } catch {
    return null;
  }
}

async function renderers(session) {
  const { processInfo } = await session.send("SystemInfo.getProcessInfo");
  return processInfo.filter((p) => p.type === "renderer").map((p) => p.id);
}

/** Share of this machine that was idle since the last call. */
let before = [0, 0];
function idle() {
  const times = cpus().map((c) => c.times);
  const now = [times.reduce((s, t) => s + t.idle, 0), times.reduce((s, t) => s + t.idle + t.user + t.sys + t.nice + t.irq, 0)];
  const share = (now[0] - before[0]) / Math.max(1, now[1] - before[1]);
  before = now;
  return share;
}

/** Waits up to half a minute for a machine that has nothing else to do; the share that was idle. */
async function quiet() {
  idle();
  const most = words.includes("--hurry") ? 1 : 60;
  for (let i = 1; ; i++) {
    await sleep(500);
    const share = idle();
    if (share > 0.85 || i === most) return share;
  }
}

async function open(browser, url) {
  const page = await (await browser.newContext({ viewport: { width: 1280, height: 800 } })).newPage();
  page.setDefaultTimeout(60_000);
  await page.addInitScript(() => {
    window.__tasks = [];
    new PerformanceObserver((list) => {
      for (const e of list.getEntries()) window.__tasks.push({ at: e.startTime, ms: e.duration });
    }).observe({ type: "longtask", buffered: true });
  });
  await page.goto(url);
  await page.waitForFunction(() => document.documentElement.dataset.ready === "1", null, { polling: 10 });
  return page;
}

const FACET_BOXES = '.facet[open] input[type="checkbox"]';

/** A file through the file input; every figure in milliseconds or MB. */
async function load(url, rows, kind = "long") {
  const free = await quiet();
  const browser = await chromium.launch({ executablePath: process.env.CHROME ?? "/usr/bin/chromium", args: FLAGS });
  try {
    const page = await open(browser, url);
    const marks = (name) => page.evaluate((n) => performance.getEntriesByName(n).at(-1)?.startTime ?? null, name);
    const start = await page.evaluate(() => {
      const paint = performance.getEntriesByType("paint").find((p) => p.name === "first-contentful-paint");
      return { ready: performance.getEntriesByName("gemmscope:first-view").at(-1)?.startTime ?? null, paint: paint?.startTime ?? null };
    });
    // A reader takes seconds to find a file: by then the worker is there.
    await page.waitForFunction(() => document.documentElement.dataset.idle, null, { polling: 50 });
    if (!rows) return { free, ...start };

    const session = await browser.newBrowserCDPSession();
    const resting = new Map();
    for (const pid of await renderers(session)) {
      try {
        writeFileSync(`/proc/${pid}/clear_refs`, "5"); // the peak starts again from here
      } catch {
        // without it the peak includes what came before
      }
      resting.set(pid, memory(pid, "VmRSS"));
    }
    await page.evaluate(() => {
      window.__tasks.length = 0;
      delete document.documentElement.dataset.ready;
    });
    const file = join(data, `${kind}-${rows}.csv`);
    await page.locator('input[type="file"]').first().setInputFiles(file);
    await page.waitForFunction(() => document.documentElement.dataset.ready === "1", null, { polling: 10 });
    const [chosen, received, computed, drawn, ready] = await Promise.all(
      ["chosen", "received", "computed", "drawn", "painted"].map((m) => marks(`gemmscope:${m}`)),
    );
    const painted = Math.max(drawn, ready);
    // Totals and facets follow the picture; their tasks count among the longest.
    await sleep(500);
    await page.locator(".drawer-button").first().click();
    await page.locator(".facet > summary").first().click();
    await page.locator(FACET_BOXES).first().waitFor();
    const longest = await page.evaluate((from) => Math.max(0, ...window.__tasks.filter((t) => t.at + t.ms >= from).map((t) => t.ms)), chosen);
    let peak = null;
    for (const pid of await renderers(session)) {
      const high = memory(pid, "VmHWM");
      if (high != null && resting.get(pid) != null) peak = Math.max(peak ?? 0, high - resting.get(pid));
    }
    const timings = await page.evaluate(() => window.gemmscope?.timings?.() ?? null);
    return {
      free,
      ...start,
      total: painted - chosen,
      "read+parse": received == null ? null : received - chosen,
      compute: received == null ? null : computed - received,
      draw: painted - computed,
      ...(await filter(page)),
      ...(await hover(page)),
      views: rows <= MOST_VIEWED ? await views(page) : null,
      longest,
      peak,
      timings,
    };
  } finally {
    await browser.close();
  }
}

/** A check box of the first facet: click to the frame after the repaint, and the longest task it made. */
async function filter(page) {
  const boxes = page.locator(FACET_BOXES);
  if (!(await boxes.count())) return { filter: null };
  const times = [];
  for (let i = 0; i < 7; i++) {
    times.push(
      await boxes.nth(i % 2).evaluate(async (box) => {
        const start = performance.now();
        box.click();
        await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
        return performance.now() - start;
      }),
    );
    await sleep(150);
  }
  return { filter: median(times) };
}

/** Each tab: click to the mark of its first picture, then a filter to the mark of the next one; of a tab without a
 *  picture (overview, table) to the second frame. */
async function views(page) {
  const tabs = page.locator(".tabs .tab");
  const out = {};
  for (let i = 1; i < (await tabs.count()); i++) {
    const drawn = async (element) => {
      const start = performance.now();
      element.click();
      await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
      const frames = performance.now() - start;
      for (let waited = 0; waited < 600; waited++) {
        const mark = performance.getEntriesByName("gemmscope:drawn").at(-1)?.startTime ?? 0;
        if (mark > start) return mark - start;
        if (!document.querySelector(".chart-stage")) return frames;
        await new Promise((resolve) => setTimeout(resolve, 5));
      }
      return null;
    };
    const tab = tabs.nth(i);
    const first = await tab.evaluate(drawn);
    await sleep(400);
    const boxes = page.locator(FACET_BOXES);
    const again = [];
    for (let k = 0; k < 4; k++) {
      again.push(await boxes.nth(k % 2).evaluate(drawn));
      await sleep(400);
    }
    out[(await tab.innerText()).trim()] = { first, filtered: median(again) };
  }
  return out;
}

/** A pointer moving over the plot: what its handlers take, without waiting for a frame. */
async function hover(page) {
  const plot = page.locator("canvas").last();
  if (!(await plot.count())) return { hover: null };
  const times = await plot.evaluate((canvas) => {
    const box = canvas.getBoundingClientRect();
    const out = [];
    for (let i = 0; i < 200; i++) {
      const at = { clientX: box.x + box.width * (0.2 + (i % 20) * 0.03), clientY: box.y + box.height * (0.2 + i * 0.003), bubbles: true };
      const start = performance.now();
      canvas.dispatchEvent(new PointerEvent("pointermove", at));
      canvas.dispatchEvent(new MouseEvent("mousemove", at));
      out.push(performance.now() - start);
    }
    return out;
  });
  return { hover: median(times) };
}

const ms = (v, digits = 0) => (v == null ? "-" : v.toFixed(digits));

/** Medians over the runs, by view. */
function viewsOf(runs) {
  const of = (name, part) => median(runs.map((r) => r.views?.[name]?.[part]));
  return Object.fromEntries(Object.keys(runs[0]?.views ?? {}).map((name) => [name, { first: of(name, "first"), filtered: of(name, "filtered") }]));
}

/** A line a view; what misses its target is marked. */
function printViews({ rows, views }) {
  const cell = (v, target) => `${ms(v).padStart(5)} ms${rows <= MOST_VIEWED && v > target ? " (over)" : ""}`;
  for (const [name, v] of Object.entries(views)) {
    console.log(`           ${name.padEnd(10)} first drawn ${cell(v.first, 150)}, after a filter ${cell(v.filtered, 50)}`);
  }
}

const site = await serve(join(project, "dist"), { base: "/", headers: HEADERS.strict });
const result = { cpu: cpus()[0].model, cores: cpus().length, repeats, bundle: total(weigh(join(project, "dist"))), rows: [] };
console.log(`the program: ${(result.bundle.raw / 1e3).toFixed(0)} kB, gzip ${(result.bundle.gzip / 1e3).toFixed(0)} kB`);
const starts = [];
for (let i = 0; i < repeats; i++) starts.push(await load(site.url, 0));
result.empty = { ready: median(starts.map((s) => s.ready)), paint: median(starts.map((s) => s.paint)) };
console.log(`empty page: first paint ${ms(result.empty.paint)} ms, usable ${ms(result.empty.ready)} ms`);
console.log("\n      rows   total  lowest highest  read+parse  compute    draw  filter  hover  longest task  peak MB  idle before");
for (const rows of sizes) {
  const runs = [];
  for (let i = 0; i < repeats; i++) {
    try {
      runs.push(await load(site.url, rows));
    } catch (error) {
      console.error(`${rows} rows: ${error.message.split("\n")[0]}`);
    }
  }
  if (!runs.length) continue;
  const of = (name) => median(runs.map((r) => r[name]));
  const row = { rows, repeats: runs.length, lowest: Math.min(...runs.map((r) => r.total)), highest: Math.max(...runs.map((r) => r.total)) };
  for (const name of ["total", "read+parse", "compute", "draw", "filter", "hover", "longest", "peak", "free"]) row[name] = of(name);
  row.views = viewsOf(runs);
  result.rows.push({ ...row, timings: runs[0].timings });
  const cell = (v, width, digits) => ms(v, digits).padStart(width);
  console.log(
    [String(rows).padStart(10), cell(row.total, 7), cell(row.lowest, 7), cell(row.highest, 7), cell(row["read+parse"], 11)].join(" ") +
      [cell(row.compute, 9, 1), cell(row.draw, 8), cell(row.filter, 8, 1), cell(row.hover, 7, 2), cell(row.longest, 14), cell(row.peak, 9)].join("") +
      `${ms(row.free * 100).padStart(12)} %`,
  );
  printViews(row);
}
// Tiles and iterations: what the tile map and the tuning history are drawn from.
if (existsSync(join(data, `sweep-${MOST_VIEWED}.csv`))) {
  const runs = [];
  for (let i = 0; i < repeats; i++) runs.push(await load(site.url, MOST_VIEWED, "sweep"));
  result.sweep = { rows: MOST_VIEWED, views: viewsOf(runs) };
  console.log(`\n${MOST_VIEWED} rows of a tuning sweep`);
  printViews(result.sweep);
}
for (let i = 1; i < result.rows.length; i++) {
  const [small, large] = [result.rows[i - 1], result.rows[i]];
  const [rows, times] = [large.rows / small.rows, large.total / small.total];
  console.log(`growth ${small.rows} to ${large.rows} rows (${rows} x): total ${times.toFixed(1)} x${times > 1.1 * rows ? " (over)" : ""}`);
}
await site.close();
const out = option("json", null);
if (out) {
  mkdirSync(dirname(out), { recursive: true });
  writeFileSync(out, `${JSON.stringify(result, null, 1)}\n`);
}
