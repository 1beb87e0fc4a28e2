// The element under difficult authors and hosts: wrong attributes, pages that do not arrive, hosts without an origin or
// with strict isolation, hostile viewers; and its effect on the surrounding page.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { after, before, test } from "node:test";
import { fixture, settle, site, waitReady } from "../harness.mjs";
import { Hosts, loaded, policyOf, problem, summary } from "../host.mjs";

const CSV = readFileSync(fixture("fixtures/generic/plain.csv"), "utf8");
const hosts = new Hosts();
let host, plain, viewer;

before(async () => {
  viewer = await site("pages");
  hosts.write("bench.csv", CSV);
  hosts.write("other.csv", "M,N,K,dtype,time_us\n512,512,512,bf16,9.5\n");
  host = await hosts.serve({ "content-security-policy": policyOf(viewer) });
  plain = await hosts.serve({ "access-control-allow-origin": "*" });
});
after(() => hosts.close());

const script = (viewers = "") => `<script type="module" src="${viewer}gemm-scope.js" data-viewers="${viewers}"></script>`;
const open = (t, name, body, { from = host, viewers, ...options } = {}) => hosts.open(t, from, name, `<body>${body}${script(viewers)}`, options);
const told = (page, i = 0) =>
  page.waitForFunction((i) => {
    const line = document.querySelectorAll("gemm-scope")[i].shadowRoot.querySelector(".problem");
    return !line.hidden && line.textContent;
  }, i, { timeout: 30_000 }).then((said) => said.jsonValue());
const shows = (page, i = 0) => page.evaluate((i) => Boolean(document.querySelectorAll("gemm-scope")[i].shadowRoot.querySelector(".ready")), i);

/** A page that takes the place of gemmscope; `asked` is what it was asked for. */
async function impostor(t, script) {
  const asked = [];
  const server = createServer(({ url }, response) => (asked.push(url), response.writeHead(200, { "content-type": "text/html" }).end(`<!doctype html><script>${script}</script>`)));
  await new Promise((done) => server.listen(0, "127.0.0.1", done));
  t.after(() => (server.close(), server.closeAllConnections()));
  return { asked, url: `http://127.0.0.1:${server.address().port}/` };
}

test("markup alone shows the data to no other host: only the page's, the script's, and those that the script's tag names", async (t) => {
  const other = await impostor(t, "");
  const element = `<gemm-scope loading="eager" src="bench.csv" viewer="${other.url}"></gemm-scope>`;
  // Another tag, or one that came too late, names nobody.
  const body = `<script type="text/plain" src="${viewer}gemm-scope.js?" data-viewers="${other.url}"></script>${element}
    <gemm-scope loading="eager" src="bench.csv" viewer="./frame/"></gemm-scope><gemm-scope loading="eager" src="bench.csv" viewer="${viewer}"></gemm-scope>`;
  const page = await open(t, "strangers", body, { from: plain, viewers: "https://named.example/a/ nonsense" });
  assert.match(await told(page, 0), new RegExp(`viewer is on another host, ${other.url.slice(0, -1)}: the tag of the script names it in data-viewers`));
  await page.evaluate((url) => {
    document.querySelector("script[data-viewers]").dataset.viewers = url;
    const tag = Object.assign(document.createElement("script"), { type: "module", src: document.querySelector("script[type=module]").src });
    tag.dataset.viewers = url;
    document.body.append(tag);
    document.querySelector("gemm-scope").replaceWith(Object.assign(document.createElement("gemm-scope")));
    const again = document.querySelector("gemm-scope");
    for (const [name, value] of Object.entries({ loading: "eager", src: "bench.csv", viewer: url })) again.setAttribute(name, value);
  }, other.url);
  await page.evaluate(() => document.body.append(document.querySelector("gemm-scope")));
  await page.waitForFunction(() => [...document.querySelectorAll("gemm-scope")].some((e) => e.shadowRoot.querySelector(".ready")));
  assert.deepEqual(other.asked, []);
  const framed = await page.evaluate(() => [...document.querySelectorAll("gemm-scope")].map((e) => Boolean(e.shadowRoot.querySelector("iframe"))));
  assert.deepEqual(framed, [true, true, false]);
});

test("a picture for paper is shapes and text, whatever the frame sends", async (t) => {
  const evil = `<svg xmlns="http://www.w3.org/2000/svg" xmlns:h="http://www.w3.org/1999/xhtml" viewBox="0 0 9 9" onload="parent.ran=1"><title>evil</title>
    <script>top.ran = 2</script><style>body { display: none }</style><foreignObject><h:iframe src="https://evil.example/a"/></foreignObject>
    <a href="javascript:top.ran=3"><rect width="9" height="9"/></a><use href="https://evil.example/b#x"/><image href="https://evil.example/c.png"/>
    <rect id="x" class="y" style="fill:red" fill="url(https://evil.example/d)" onclick="top.ran=4" width="5" height="6"/><animate attributeName="href"/>
    <text x="1" font-size="3">kept</text></svg>`;
  const answers = `onmessage = ({ data, ports: [port] }) => {
    if (data.gemm?.type !== "connect") return;
    port.onmessage = ({ data: { id, type } }) => port.postMessage({ type: "ok", id, result: type === "export" ? ${JSON.stringify(evil).replaceAll("</", "<\\/")} : [] });
    port.postMessage({ type: "ready", app: "0", v: [1] });
  }; parent.postMessage({ gemm: { v: 1, type: "hello" } }, "*");`;
  const other = await impostor(t, answers);
  const page = await open(t, "evil", `<gemm-scope loading="eager" src="bench.csv" viewer="${other.url}"></gemm-scope>`, { from: plain, viewers: other.url });
  await loaded(page);
  const picture = await page.waitForFunction(() => {
    dispatchEvent(new Event("beforeprint"));
    return document.querySelector("gemm-scope").shadowRoot.querySelector(".print svg")?.outerHTML;
  });
  const text = (await picture.jsonValue()).replace(/>\s+/g, ">").replace(/\s+</g, "<");
  assert.equal(text, '<svg viewBox="0 0 9 9" role="img" aria-label="evil"><image></image><rect width="5" height="6"></rect><text x="1" font-size="3">kept</text></svg>');
  assert.equal(await page.evaluate(() => window.ran), undefined);
  assert.deepEqual(page.asked.filter((url) => url.includes("evil.example")), []);
});

test("a wrong attribute hides nothing, spoils no other, and is said until it is right; of data named twice in a row the last shows", async (t) => {
  const page = await open(t, "wrong", `<gemm-scope loading="eager" src="bench.csv" view="quux" device="mi300x"></gemm-scope>`, { from: plain });
  await loaded(page);
  assert.match(await told(page), /^gemmscope: view is one of .*quux/);
  assert.deepEqual((await summary(page))[0].devices, ["AMD Instinct MI300X"]);
  const set = (name, value) => page.evaluate(([name, value]) => document.querySelector("gemm-scope").setAttribute(name, value), [name, value]);
  await set("view", "roofline");
  await page.waitForFunction(() => document.querySelector("gemm-scope").shadowRoot.querySelector(".problem").hidden);
  await set("device", "abacus");
  assert.match(await told(page), /device is an id .*abacus/);
  assert.equal(await shows(page), true);
  assert.deepEqual((await summary(page))[0].devices, ["AMD Instinct MI300X"]);
  await set("device", "h100-sxm");
  await page.waitForFunction(() => document.querySelector("gemm-scope").shadowRoot.querySelector(".problem").hidden);
  // Unavailable data: the current picture stays, and a line gives the reason.
  await set("src", "missing.csv");
  assert.match(await told(page), /missing\.csv is not shown: 127\.0\.0\.1:\d+ answered 404 Not Found; this is still bench\.csv/);
  assert.equal(await shows(page), true);
  await set("src", "other.csv");
  await page.waitForFunction(() => document.querySelector("gemm-scope").shadowRoot.querySelector(".problem").hidden);
  assert.equal((await summary(page))[0].file, "other.csv");

  // Whichever arrives first.
  let release, begun, answered;
  const [held, asked, late] = [(done) => (release = done), (done) => (begun = done), (done) => (answered = done)].map((run) => new Promise(run));
  await page.route("**/slow.csv", async (route) => {
    begun();
    await held;
    await route.fulfill({ body: CSV, contentType: "text/csv" }).catch(() => {});
    answered();
  });
  // Aborted, or answered nevertheless.
  const over = Promise.race([late, page.waitForEvent("requestfailed", (request) => request.url().endsWith("slow.csv"))]);
  await page.evaluate(() => document.querySelector("gemm-scope").setAttribute("src", "slow.csv"));
  await asked;
  const files = await page.evaluate(async () => {
    const el = document.querySelector("gemm-scope");
    const shown = [];
    const other = new Promise((done) => el.addEventListener("gemm-load", (e) => (shown.push(e.detail.name), e.detail.name === "bench.csv" && done())));
    el.setAttribute("src", "other.csv");
    el.setAttribute("src", "bench.csv");
    await other;
    return shown;
  });
  release();
  await over;
  assert.deepEqual(files, ["bench.csv"]);
  assert.equal((await summary(page))[0].file, "bench.csv");
  // Simultaneous loads by scripts are handled one after another, and the last one stays.
  const names = await page.evaluate(async () => {
    const el = document.querySelector("gemm-scope");
    el.setAttribute("src", "slow.csv");
    const one = (name) => el.load("M,N,K,us\n8,8,8,1\n", { name });
    await Promise.all([one("a.csv"), one("b.csv"), one("c.csv")]);
    return (await el.export("summary")).map((s) => s.file);
  });
  assert.deepEqual(names, ["c.csv"]);
  assert.equal(await problem(page), "");
});

test("what fails is said in one line below the fallback; quiet switches it off; a viewer that is no web address starts nothing", async (t) => {
  const page = await open(
    t,
    "failures",
    `<gemm-scope loading="eager" src="none.csv"><i>first</i></gemm-scope>
     <gemm-scope loading="eager" src="https://data.example/bench.csv"><i>second</i></gemm-scope>
     <gemm-scope loading="eager" src="bench.csv" viewer="http://127.0.0.1:9/"><i>third</i></gemm-scope>
     <gemm-scope loading="eager"><script type="text/csv">nonsense</script><i>fourth</i></gemm-scope>
     <gemm-scope loading="eager" src="none.csv" quiet><i>fifth</i></gemm-scope>
     <gemm-scope loading="eager" src="bench.csv" viewer="javascript:parent.ran=1//"><i>sixth</i></gemm-scope>
     <gemm-scope loading="eager" src="bench.csv" viewer="data:text/html,x"></gemm-scope>
     <gemm-scope loading="eager" src="bench.csv" viewer="http://["></gemm-scope>`,
    { viewers: "http://127.0.0.1:9" },
  );
  assert.match(await told(page, 0), /^gemmscope: none\.csv is not shown: 127\.0\.0\.1:\d+ answered 404 Not Found\.$/);
  assert.match(await told(page, 1), /the content policy of this page does not allow https:\/\/data\.example \(connect-src\)/);
  assert.match(await told(page, 2), /the content policy of this page allows no frame from http:\/\/127\.0\.0\.1:9 \(frame-src\)/);
  assert.match(await told(page, 3), /^gemmscope: the data is not shown: no columns for /);
  for (const text of ["first", "second", "third", "fourth", "fifth", "sixth"]) assert.equal(await page.getByText(text, { exact: true }).isVisible(), true, text);
  // The line is right below the author's text.
  const [text, line] = await page.evaluate(() => {
    const el = document.querySelector("gemm-scope");
    const range = document.createRange();
    range.selectNodeContents(el);
    return [range.getBoundingClientRect().bottom, el.shadowRoot.querySelector(".problem").getBoundingClientRect().top];
  });
  assert.ok(line >= text && line - text < 20, `${text} ${line}`);
  await page.waitForFunction(() => document.querySelectorAll("gemm-scope")[4].shadowRoot.querySelector(".problem").textContent);
  assert.equal(await problem(page, 4), "");

  assert.match(await told(page, 5), /viewer is an http or https address, not javascript:/);
  assert.match(await told(page, 6), /not data:/);
  await told(page, 7);
  assert.equal(await page.evaluate(() => window.ran), undefined);
  const led = await page.evaluate(() => [...document.querySelectorAll("gemm-scope")].slice(5).map((e) => [e.shadowRoot.querySelector("iframe"), e.shadowRoot.querySelector("a").getAttribute("href")]));
  assert.deepEqual(led, Array(3).fill([null, null]));
});

test("every request gets one answer, and one that fails blocks no other; an attribute that is too long spoils no other", async (t) => {
  const page = await open(t, "answers", `<gemm-scope loading="eager" src="bench.csv" device="mi300x" hash="${"a".repeat(70_000)}"></gemm-scope>`, { from: plain });
  await loaded(page);
  assert.match(await told(page), /a message may have at most 65536 characters/);
  assert.deepEqual((await summary(page))[0].devices, ["AMD Instinct MI300X"]);
  const said = await page.evaluate(async () => {
    const el = document.querySelector("gemm-scope");
    const cycle = {};
    cycle.self = cycle;
    let deep = {};
    for (let i = 0; i < 500; i++) deep = { deep };
    const csv = "M,N,K,us\n8,8,8,1\n";
    const asked = [
      el.load(csv, { name: "\ud800.csv" }), el.load(csv, { name: "x".repeat(70_000) }), el.load(csv, { name: "a\nb" }), el.load(csv, { format: cycle }),
      el.load(csv, { format: 7n }), el.load(undefined, {}), el.load({}, {}), el.view({ hash: "a".repeat(70_000) }), el.view({ view: deep }), el.view(cycle), el.view(7),
      el.view({ view: () => 1 }), el.export("\udc00"), el.export(), el.load(csv, { name: "good.csv" }),
    ];
    const ended = await Promise.all(asked.map((one) => one.then(() => "ok", (error) => (typeof error.code === "string" ? error.code : error.name))));
    return [ended, (await el.export("summary"))[0].file];
  });
  assert.deepEqual(said, [
    ["bad-message", "too-large", "bad-message", "bad-message", "bad-message", "TypeError", "TypeError", "too-large", "bad-message", "bad-message", "bad-message", "DataCloneError", "bad-message", "bad-message", "ok"],
    "good.csv",
  ]);
  // A program that stops answers nothing more: it is said, and what waits is told.
  const frame = page.frames()[1];
  const stopped = page.evaluate(() => document.querySelector("gemm-scope").load(new Blob(["M,N,K,us\n", "8,8,8,1\n".repeat(400_000)])).then(() => "ok", (error) => error.message));
  await frame.waitForFunction(() => document.querySelector(".loading"));
  await frame.evaluate(() => dispatchEvent(new ErrorEvent("error", { error: new WebAssembly.RuntimeError("unreachable") })));
  assert.match(await stopped, /The page's program stopped/);
  assert.match(await told(page), /The page's program stopped/);
});

test("names from addresses are names that the frame takes", async (t) => {
  hosts.write("a\tb.csv", CSV);
  const data = `data:text/csv,${encodeURIComponent(CSV)}`;
  const page = await open(t, "named", `<gemm-scope loading="eager" src="${data}"></gemm-scope><gemm-scope loading="eager" src="a%09b.csv"></gemm-scope>`, { from: plain });
  await loaded(page);
  assert.deepEqual([(await summary(page, 0))[0].file, (await summary(page, 1))[0].file], ["data", "ab.csv"]);
});

test("a host without an origin, and one that isolates itself", async (t) => {
  const inside = `<!doctype html><gemm-scope loading="eager" device="mi300x"><script type="text/csv">${CSV}</script></gemm-scope>
    <gemm-scope loading="eager" src="${plain.url}bench.csv" device="mi300x"></gemm-scope>${script()}`;
  hosts.write("inside.html", inside);
  const page = await open(t, "null", `<iframe sandbox="allow-scripts" src="inside.html" width="800" height="1200"></iframe>`, { from: plain });
  const frame = page.frames()[1];
  assert.equal(await frame.evaluate(() => self.origin), "null");
  await loaded(frame);
  for (const i of [0, 1]) assert.equal((await summary(frame, i))[0].rows_used, 4);

  const isolated = await hosts.serve({ "cross-origin-opener-policy": "same-origin", "cross-origin-embedder-policy": "require-corp" });
  const strict = await open(t, "isolated", `<gemm-scope loading="eager" src="bench.csv" device="mi300x"></gemm-scope>`, { from: isolated });
  assert.equal(await strict.evaluate(() => self.crossOriginIsolated), true);
  await loaded(strict);
  assert.equal((await summary(strict))[0].rows_used, 4);
});

/** Sum of a page's layout shifts, as reported by the browser. */
const shifts = (page) =>
  page.evaluate(
    () =>
      new Promise((done) => {
        let sum = 0;
        const add = (entries) => entries.forEach((entry) => (sum += entry.hadRecentInput ? 0 : entry.value));
        const observer = new PerformanceObserver((list) => add(list.getEntries()));
        observer.observe({ type: "layout-shift", buffered: true });
        // Queued entries are delivered before the second frame.
        requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(() => (add(observer.takeRecords()), done(sum)))));
      }),
  );

const PROSE = "<p>GEMMs of one layer, measured and put against what the device allows. Each of them has a roof of its own.</p>";

test("four elements on a page move nothing, even where the script is late", async (t) => {
  const one = (more) => `${PROSE}<gemm-scope loading="eager" src="bench.csv" device="mi300x" ${more}><a href="bench.csv">data</a></gemm-scope>`;
  const body = `<body>${one("")}${one('view="cells"')}${one('view="table"')}${one('view="bars"')}${PROSE}${script()}`;
  const head = "<style>gemm-scope:not(:defined) { display: block; min-height: 500px }</style>";
  const page = await hosts.open(t, plain, "shift", body, { head, go: false, viewport: { width: 900, height: 2400 } });
  await page.route("**/gemm-scope.js", async (route) => (await new Promise((done) => setTimeout(done, 500)), route.continue()));
  await page.goto(`${plain.url}shift.html`);
  await loaded(page);
  for (const frame of page.frames().slice(1)) await waitReady(frame, 30_000);
  const sum = await shifts(page);
  t.diagnostic(`layout shift ${sum.toFixed(4)}`);
  assert.ok(sum < 0.1, `layout shift ${sum}`);
  // The frames have exactly the height reserved for them.
  const spare = await page.evaluate(() => [...document.querySelectorAll("gemm-scope")].map(({ shadowRoot: root }) => root.querySelector(".stage").getBoundingClientRect().height - root.querySelector("iframe").getBoundingClientRect().height));
  assert.ok(spare.every((pixels) => Math.abs(pixels) < 1), String(spare));
});

test("without controls: the picture, its legend and one menu; with them everything", async (t) => {
  const page = await open(
    t,
    "controls",
    `<gemm-scope loading="eager" src="bench.csv" view="roofline" device="mi300x"></gemm-scope><gemm-scope loading="eager" src="bench.csv" view="roofline" device="mi300x" controls></gemm-scope>`,
    { viewport: { width: 900, height: 1500 } },
  );
  await loaded(page);
  const [calm, full] = [page.frames()[1], page.frames()[2]];
  const seen = (frame) => frame.evaluate(() => [...document.querySelectorAll("button, select, input")].filter((e) => e.checkVisibility() && e.getBoundingClientRect().width > 1 && !e.closest(".legend")).map((e) => e.getAttribute("aria-label") ?? e.textContent.trim()));
  await calm.locator(".chart-stage canvas").first().waitFor();
  assert.deepEqual(await seen(calm), ["Save what is drawn"]);
  assert.equal(await calm.locator(".legend-entry").count() > 0, true);
  assert.equal(await calm.locator("nav, .strip").count(), 0);
  await full.getByRole("navigation").waitFor();
  assert.ok((await seen(full)).length > 6);
  assert.equal(await full.locator(".strip").count(), 1);
  await calm.getByRole("button", { name: "Save what is drawn" }).click();
  await calm.getByText("CSV of what is drawn").waitFor();
  assert.deepEqual(page.trouble, []);
});

test("nothing is asked of anybody before the reader wants it: on click, or on view", async (t) => {
  const page = await open(
    t,
    "wanted",
    `<gemm-scope loading="click" src="bench.csv" device="mi300x"><a href="bench.csv">data</a></gemm-scope><div style="height: 4000px"></div>
     <gemm-scope src="other.csv" device="mi300x"></gemm-scope>`,
    { from: plain },
  );
  await page.waitForFunction(() => customElements.get("gemm-scope"));
  await settle(page);
  const asked = () => page.asked.filter((url) => !/(html|gemm-scope\.js|favicon\.ico)$/.test(url));
  assert.deepEqual(asked(), []);
  assert.equal(await page.getByRole("link", { name: "data" }).isVisible(), true);
  await page.getByRole("button", { name: "Show the chart" }).click();
  await page.waitForFunction(() => document.querySelector("gemm-scope").shadowRoot.querySelector(".ready"), null, { timeout: 30_000 });
  assert.equal(await page.getByRole("button", { name: "Show the chart" }).count(), 0);
  assert.ok(!asked().some((url) => url.endsWith("other.csv")));
  await page.evaluate(() => scrollTo(0, 5000));
  await loaded(page);
  // The data is requested first, and does not wait for the program.
  const order = asked();
  assert.ok(order.indexOf(`${plain.url}bench.csv`) < order.findIndex((url) => url.endsWith(".wasm")), order.join("\n"));
});
