// Sharing: links with and without data, data at an address, the one-file page from disk.
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath, pathToFileURL } from "node:url";
import { inflateRawSync } from "node:zlib";
import { serve } from "../../scripts/static.mjs";
import { assertQuiet, dist, fixture, newContext, waitReady } from "../harness.mjs";
import { slowLine } from "../host.mjs";
import { DESKTOP, GemmscopePage, plain } from "../page.mjs";

const COMMAND = join(dirname(dirname(dirname(fileURLToPath(import.meta.url)))), "target", "debug", "gemmscope");
const CSV = fixture("fixtures/generic/plain.csv");
let folder, data, closed;

before(async () => {
  folder = mkdtempSync(join(tmpdir(), "gemmscope-share-"));
  writeFileSync(join(folder, "bench.csv"), readFileSync(CSV));
  data = await serve(folder, { headers: { "access-control-allow-origin": "*" } });
  closed = await serve(folder, { headers: {} });
});
after(async () => {
  await data?.close();
  await closed?.close();
  rmSync(folder, { recursive: true, force: true });
});

const rowsShown = (page, n) => page.waitForFunction((n) => document.documentElement.dataset.rows === String(n), n, { timeout: 30_000 });

async function share(app) {
  await app.page.getByRole("button", { name: "Share" }).first().click();
  await app.dialog.waitFor();
  return app.dialog;
}

test("a link holds the view and no data; with data it opens whole in another browser, cut off it is refused; a snippet is copied", async (t) => {
  const app = await GemmscopePage.open({ t, viewport: DESKTOP, path: "#v=1&device=mi300x&q=k_64" });
  await app.load(CSV);
  const dialog = await share(app);
  const link = dialog.getByLabel("Link", { exact: true });
  const without = await link.inputValue();
  assert.match(without, /\/repo\/#v=1&device=mi300x&q=k_64&files=plain\.csv$/);
  assert.match(await dialog.innerText(), /The file stays here/);
  await dialog.getByLabel("Put the rows into the link").check();
  await app.page.waitForFunction(() => document.querySelector(".share-link").value.includes("data="));
  const whole = await link.inputValue();
  assert.match(await dialog.innerText(), /anyone who has the link has them/);
  const other = await GemmscopePage.open({ t, path: new URL(whole).hash });
  await rowsShown(other.page, 4);
  const only = await other.only();
  assert.equal(only.file, "plain.csv");
  assert.deepEqual(only.devices, ["AMD Instinct MI300X"]);
  assert.equal(await other.state("q"), "k_64");
  assertQuiet(other.page);
  // Only the rows that pass the filter, and no filter.
  await dialog.getByLabel(/Only what passes the filters/).check();
  await dialog.getByText(/Goes in: 2 rows of 1 file, \d.* packed\./).waitFor();
  await app.page.waitForFunction((whole) => !["", whole].includes(document.querySelector(".share-link").value) && document.querySelector(".share-link").value.includes("data="), whole);
  const part = await GemmscopePage.open({ t, path: new URL(await link.inputValue()).hash });
  await rowsShown(part.page, 2);
  assert.equal(await part.state("q"), null);
  assertQuiet(part.page);

  const cut = await GemmscopePage.open({ t, path: "#v=1&data=Zm9v" });
  await cut.errors.first().waitFor();
  assert.match(await cut.errors.first().innerText(), /cut off or damaged/);

  const text = () => dialog.getByLabel("Snippet").inputValue();
  assert.match(await text(), /<gemm-scope src="\.\/plain.csv" view="roofline" device="mi300x" hash="v=1&amp;device=mi300x&amp;q=k_64">/);
  // Their text is tested in crates/share/src/snippets.
  await dialog.getByRole("button", { name: "MkDocs", exact: true }).click();
  assert.match(await text(), /extra_javascript:/);
  // The dialog itself shows the result of an action: what is below it is dimmed and inert.
  await app.page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  await dialog.getByRole("button", { name: "Copy snippet" }).click();
  await dialog.getByRole("status").getByText(/Copied/).waitFor();
  assert.equal(await app.page.evaluate(() => navigator.clipboard.readText()), await text());
});

test("data on the same host is fetched at once; another host is named first, trusted once and for all or not, and only open.html may", async (t) => {
  // Not written into the site, because other tests copy it meanwhile.
  const before = (page) => page.route("**/repo/same-host.csv", (route) => route.fulfill({ path: CSV, contentType: "text/csv" }));
  const same = await GemmscopePage.open({ t, path: "#v=1&src=same-host.csv", before });
  await rowsShown(same.page, 4);
  assert.equal((await same.only()).file, "same-host.csv");

  const url = `${data.url}bench.csv`;
  const app = await GemmscopePage.open({ t, path: `#v=1&device=mi300x&src=${encodeURIComponent(url)}` });
  await app.dialog.waitFor();
  assert.match(app.page.url(), /\/repo\/open\.html#/);
  assert.match(await app.dialog.innerText(), new RegExp(new URL(url).host));
  assert.ok(!app.page.requests.some((u) => u.startsWith(data.url)), "nothing is asked of the host before the answer");
  assert.match(await app.dialog.innerText(), /tells that host, or where it sends you,/);
  await app.dialog.getByRole("button", { name: "Always from this host" }).click();
  await rowsShown(app.page, 4);
  const sent = app.page.requests.filter((u) => u.startsWith(data.url));
  assert.deepEqual(sent, [url]);
  assertQuiet(app.page);

  // The strict page cannot, even by its own script.
  const blocked = await same.page.evaluate((u) => fetch(u).then(() => "fetched", () => "refused"), url);
  assert.equal(blocked, "refused");

  // For a host that was trusted permanently, the permission can be revoked.
  await app.page.reload();
  await rowsShown(app.page, 4);
  assert.equal(await app.dialog.count(), 0);
  await app.page.keyboard.press("?");
  await app.dialog.getByText("Fetched from without asking").waitFor();
  assert.match(await app.dialog.locator(".trusted").innerText(), new RegExp(new URL(url).host));
  await app.dialog.getByRole("button", { name: "Ask again" }).click();
  assert.equal(await app.dialog.locator(".trusted").count(), 0);
  await app.page.reload();
  await app.dialog.getByRole("button", { name: "Fetch", exact: true }).click();
  await rowsShown(app.page, 4);

  // A host that does not allow it.
  const refused = await GemmscopePage.open({ t, path: `open.html#v=1&src=${encodeURIComponent(`${closed.url}bench.csv`)}` });
  await refused.dialog.getByRole("button", { name: "Fetch", exact: true }).click();
  await refused.errors.first().waitFor();
  assert.match(plain(await refused.errors.first().innerText()), /Access-Control-Allow-Origin/);
  // An address that is never fetched: the rule is in crates/share/src/embed.rs.
  const never = await GemmscopePage.open({ t, path: `#v=1&src=${encodeURIComponent("https://good.example@evil.example/a.csv")}` });
  await never.errors.first().waitFor();
  assert.match(await never.errors.first().innerText(), /https/);
  assert.equal(await never.dialog.count(), 0);
  assert.match(never.page.url(), /\/repo\/#/);
});

test("a list of runs opens its runs over time, and no file that is not the one it names", async (t) => {
  const run = (day, us) => ({ name: `2026-11-0${day}-c0ffee${day}.csv`, text: `M,N,K,dtype,time_us\n4096,4096,4096,fp16,${us}\n512,4096,4096,fp16,${us / 6}\n` });
  const runs = [660, 661, 660.5, 720, 721, 720.4].map((us, i) => run(i + 1, us));
  const listed = runs.map(({ name, text }, i) => ({ when: `2026-11-0${i + 1}`, commit: `c0ffee${i + 1}`, rows: `runs/${name}`, sha256: createHash("sha256").update(text).digest("hex") }));
  const serve = (list, files) => (page) =>
    Promise.all([
      page.route("**/repo/history.json", (route) => route.fulfill({ body: JSON.stringify({ gemmscope_history: 1, runs: list }), contentType: "application/json" })),
      page.route("**/repo/runs/*", (route) => route.fulfill({ body: files.find(({ name }) => route.request().url().endsWith(name)).text, contentType: "text/csv" })),
    ]);
  const app = await GemmscopePage.open({ t, path: "#v=1&device=mi300x&src=history.json", before: serve(listed, runs) });
  await app.page.getByText("6 runs, 2026-11-01 to 2026-11-06: 2 of 2 GEMMs became slower, none faster.").first().waitFor();
  assertQuiet(app.page);

  const other = runs.map((of, i) => (i === 1 ? { ...of, text: of.text.replace("661", "600") } : of));
  const part = await GemmscopePage.open({ t, path: "#v=1&device=mi300x&src=history.json", before: serve(listed, other) });
  await part.errors.first().waitFor();
  assert.match(await part.errors.first().innerText(), /2026-11-02-c0ffee2\.csv[^]*not the file that the list of runs names/);
  await part.page.getByText("5 runs, 2026-11-01 to 2026-11-06").first().waitFor();

  const away = [{ ...listed[0], rows: "https://evil.example/a.csv" }];
  const refused = await GemmscopePage.open({ t, path: "#v=1&src=history.json", before: serve(away, runs) });
  await refused.errors.first().waitFor();
  assert.match(await refused.errors.first().innerText(), /has to lie below the list/);
  assert.deepEqual(refused.page.requests.filter((url) => url.includes("evil")), []);
});

test("the page's own host may not send it on to another one", async (t) => {
  const types = { html: "text/html", css: "text/css", wasm: "application/wasm" };
  const listen = async (answer) => {
    const server = createServer(answer);
    await new Promise((done) => server.listen(0, "127.0.0.1", done));
    t.after(() => (server.close(), server.closeAllConnections()));
    return `http://127.0.0.1:${server.address().port}/`;
  };
  const asked = [];
  const elsewhere = await listen(({ url }, response) => (asked.push(url), response.writeHead(200, { "access-control-allow-origin": "*" }).end()));
  // The site, except for one address that redirects to another host.
  const own = await listen(({ url }, response) => {
    const name = url.slice(1).split("?")[0];
    if (name === "moved.csv") return response.writeHead(302, { location: `${elsewhere}bench.csv` }).end();
    const type = types[name.split(".").pop()] ?? "text/javascript";
    response.writeHead(200, { "content-type": type }).end(readFileSync(join(dist, name)));
  });
  const page = await (await newContext()).newPage();
  t.after(() => page.close());
  await page.goto(`${own}open.html#v=1&src=moved.csv`);
  const { errors } = new GemmscopePage(page);
  await errors.first().waitFor();
  assert.match(await errors.first().innerText(), /moved\.csv was not read: 127\.0\.0\.1:\d+ sends this address on to another one: link to that one/);
  assert.deepEqual(asked, []);
});

test("what is fetched from an address can be cancelled, and a file opens after it", async (t) => {
  const line = await slowLine(t, /plain\.csv$/, dirname(CSV));
  line.to(0.5);
  const page = await (await newContext()).newPage();
  t.after(() => page.close());
  await page.goto(`${line.url}open.html#v=1&src=plain.csv`);
  const app = new GemmscopePage(page);
  const bar = page.getByRole("group", { name: "Fetching" });
  await bar.getByText("Fetching plain.csv…").waitFor();
  await bar.getByRole("button", { name: "Cancel" }).click();
  await bar.waitFor({ state: "detached" });
  await waitReady(page);
  await page.getByText("plain.csv: cancelled").first().waitFor({ state: "attached" });
  assert.equal(await app.errors.count(), 0);
  await app.load(CSV);
  assert.equal((await app.only()).rows_used, 4);
});

/** Opens a file from disk; nothing may be logged or requested. */
async function openFile(t, path, hash = "") {
  const context = await newContext({ viewport: DESKTOP, acceptDownloads: true });
  t.after(() => context.close());
  const page = await context.newPage();
  page.trouble = { console: [], page: [], csp: [], failed: [] };
  page.on("console", (m) => m.type() === "error" && page.trouble.console.push(m.text()));
  page.on("pageerror", (e) => page.trouble.page.push(String(e)));
  page.asked = [];
  context.on("request", (r) => page.asked.push(r.url()));
  await page.goto(pathToFileURL(path).href + hash);
  await waitReady(page, 30_000);
  return page;
}

test("the one-file page opens from disk, reads a file, and is saved again with data and view", async (t) => {
  const page = await openFile(t, join(dist, "gemmscope.html"));
  const app = new GemmscopePage(page);
  await app.load(CSV);
  assert.equal((await app.only()).rows_used, 4);
  assert.deepEqual(page.asked.filter((u) => !/^(file|blob|data):/.test(u)), []);
  const dialog = await share(app);
  const saved = await app.download(() => dialog.getByRole("button", { name: "Save as a page" }).click());
  assert.equal(saved.name, "plain.gemmscope.html");
  assertQuiet(page);
  const path = join(folder, "again.html");
  writeFileSync(path, saved.bytes);
  const again = await openFile(t, path);
  await rowsShown(again, 4);
  assert.equal((await new GemmscopePage(again).only()).file, "plain.csv");
});

test("a report saved as a page from the site: app, rows and view, from disk and on a server; no file goes along", async (t) => {
  const app = await GemmscopePage.open({ t, viewport: DESKTOP, path: "#v=1&view=table&device=mi300x&q=k_128" });
  const trace = readFileSync(fixture("fixtures/kineto/h100.json"), "utf8").replace("{", '{"hostname": "secret-host", "env": {"HF_TOKEN": "secret"},');
  await app.load({ name: "plain.csv", text: readFileSync(CSV, "utf8") }, { name: "second.csv", text: "M,N,K,dtype,time_us\n64,64,64,fp16,2\n" }, { name: "trace.json", text: trace });
  const before = await app.summary();
  const dialog = await share(app);
  await dialog.getByText(/Goes in: 7 rows of 3 files, \d.* packed\./).waitFor();
  const saved = await app.download(() => dialog.getByRole("button", { name: "Save as a page" }).click());
  writeFileSync(join(folder, "report.html"), saved.bytes);
  const [, packed] = /id="gemmscope-data">[^\n]*\n([^<]+)</.exec(saved.bytes.toString());
  const inside = inflateRawSync(Buffer.from(packed, "base64url")).toString();
  assert.ok(inside.includes("trace.json") && !inside.includes("secret"));
  const page = await openFile(t, join(folder, "report.html"));
  await rowsShown(page, 7);
  const report = new GemmscopePage(page);
  // The same figures; assumptions are now stated.
  const figures = (all) => all.map(({ format_reason, assumptions, trust: { assumed, ...trust }, ...rest }) => ({ trust, ...rest }));
  assert.deepEqual(figures(await report.summary()), figures(before));
  for (const [key, value] of [["view", "table"], ["device", "mi300x"], ["q", "k_128"]]) assert.equal(await report.state(key), value);
  // Nobody else could follow a link to this disk, or a snippet with it.
  const own = await share(report);
  assert.match(await own.innerText(), /This page is a file on disk, and no link leads others to it/);
  assert.equal(await own.getByLabel("Link", { exact: true }).count(), 0);
  assert.equal(await own.getByLabel("Snippet").count(), 0);
  assertQuiet(page);

  // On a server the page's link is its own address, and works.
  writeFileSync(join(folder, "report of mine.html"), saved.bytes);
  const served = await app.page.context().newPage();
  await served.goto(`${closed.url}report%20of%20mine.html#v=1&view=table`);
  await rowsShown(served, 7);
  const links = await share(new GemmscopePage(served));
  const link = await links.getByLabel("Link", { exact: true }).inputValue();
  assert.equal(link, `${closed.url}report%20of%20mine.html#v=1&view=table&files=plain.csv*second.csv*trace.json`);
  assert.equal(await links.getByLabel("Snippet").count(), 0);
  assert.equal(await links.getByLabel("Put the rows into the link").count(), 0);
  const other = await app.page.context().newPage();
  await other.goto(link);
  await rowsShown(other, 7);
  await other.locator(".data-grid-row").nth(6).waitFor();
});

test("the command writes the same page: app, data, what was said about columns, and view, from disk", async (t) => {
  const odd = join(folder, "odd.csv");
  writeFileSync(odd, "M,N,K,dtype,speed\n128,128,128,fp16,2\n");
  const out = join(folder, "baked.html");
  const options = ["--view", "table", "--device", "mi300x", "--state", "#v=1&q=k_128", "--column", "speed=rate:tflops"];
  execFileSync(COMMAND, ["page", CSV, odd, "--app", join(dist, "gemmscope.html"), ...options, "-o", out], { stdio: "pipe" });
  const page = await openFile(t, out);
  await rowsShown(page, 5);
  const report = new GemmscopePage(page);
  const all = await report.summary();
  assert.deepEqual(all.map((s) => [s.file, s.rows_used]), [["plain.csv", 4], ["odd.csv", 1]]);
  assert.deepEqual(all[1].devices, ["AMD Instinct MI300X"]);
  assert.ok(Math.abs(all[1].max_tflops - 2) < 1e-9);
  for (const [key, value] of [["view", "table"], ["device", "mi300x"], ["q", "k_128"]]) assert.equal(await report.state(key), value);
  assert.deepEqual(page.asked.filter((u) => !/^(file|blob|data):/.test(u)), []);
  assertQuiet(page);
});
