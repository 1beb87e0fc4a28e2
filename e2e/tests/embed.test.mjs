// The page inside other pages: the element, the module, and the protocol against hostile hosts. The hosts are on a
// separate origin, under the strict policy of the embedding guide.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, test } from "node:test";
import { fixture, newContext, site, waitReady } from "../harness.mjs";
import { Hosts, listening, loaded, policyOf, problem, slowLine, summary } from "../host.mjs";

const CSV = readFileSync(fixture("fixtures/generic/plain.csv"), "utf8");
const hosts = new Hosts();
let host, viewer, open_data;

before(async () => {
  viewer = await site("pages");
  hosts.write("bench.csv", CSV);
  hosts.write("other.csv", "M,N,K,dtype,time_us\n512,512,512,bf16,9.5\n");
  host = await hosts.serve({ "content-security-policy": policyOf(viewer) });
  open_data = await hosts.serve({ "access-control-allow-origin": "*" });
});
after(() => hosts.close());

const open = (t, name, body, { from = host, ...options } = {}) => hosts.open(t, from, name, body, options);
const script = () => `<script type="module" src="${viewer}gemm-scope.js"></script>`;

test("the element under a strict policy: data of the host, its own height, theme, export, paper, details and table, nothing asked elsewhere", async (t) => {
  const page = await open(
    t,
    "element",
    `<body data-theme="dark"><gemm-scope loading="eager" src="bench.csv" view="roofline" device="mi300x"><a href="bench.csv">data</a></gemm-scope>${script()}`,
  );
  await loaded(page);
  assert.equal(page.asked.filter((u) => u.endsWith(".wasm")).length, 1, "the program once");
  const frame = page.frames()[1];
  await waitReady(frame, 30_000);
  const [only] = await summary(page);
  assert.equal(only.file, "bench.csv");
  assert.equal(only.rows_used, 4);
  assert.deepEqual(only.devices, ["AMD Instinct MI300X"]);
  assert.equal(await frame.evaluate(() => document.documentElement.dataset.theme), "dark");
  assert.equal(await frame.locator('input[type="file"]').count(), 0);
  assert.equal(await frame.evaluate(() => document.documentElement.scrollHeight - innerHeight), 0, "nothing to scroll in a frame of the content's height");
  const [height, inner] = await Promise.all([
    page.evaluate(() => document.querySelector("gemm-scope").shadowRoot.querySelector("iframe").getBoundingClientRect().height),
    frame.evaluate(() => document.querySelector(".app").getBoundingClientRect().height),
  ]);
  assert.ok(Math.abs(height - inner) <= 1, `frame ${height}, content ${inner}`);
  const svg = await page.evaluate(() => document.querySelector("gemm-scope").export("svg"));
  assert.match(svg, /^<svg [\s\S]*MI300X[\s\S]*<\/svg>\s*$/);
  assert.match(await page.evaluate(() => document.querySelector("gemm-scope").export("csv")), /^gemmscope,m,n,k,/);
  assert.match(await page.evaluate(() => document.querySelector("gemm-scope").export("view")), /device=mi300x/);
  const origins = new Set(page.asked.filter((u) => u.startsWith("http")).map((u) => new URL(u).origin));
  assert.deepEqual([...origins].sort(), [new URL(host.url).origin, new URL(viewer).origin].sort());
  assert.ok(!page.asked.some((u) => u.includes("sw.js")), "no service worker in a frame");
  await page.evaluate(() => (document.body.dataset.theme = "light"));
  await frame.waitForFunction(() => document.documentElement.dataset.theme === "light");

  // The keyboard walks the points; the details of one cover a part of the picture and move nothing.
  const given = () => page.evaluate(() => document.querySelector("gemm-scope").shadowRoot.querySelector("iframe").height);
  const before = await given();
  await frame.locator(".chart-stage").focus();
  for (const key of ["ArrowRight", "Enter"]) await page.keyboard.press(key);
  await frame.locator(".dock").getByText(/compulsory|attained/i).first().waitFor();
  assert.equal(await given(), before);
  await page.evaluate(() => document.querySelector("gemm-scope").setAttribute("view", "table"));
  await frame.locator(".data-grid-row").nth(3).waitFor();
  assert.deepEqual(page.trouble, []);

  // Printing shows the picture; without the script the content of the element is shown.
  await page.evaluate(() => document.querySelector("gemm-scope").setAttribute("view", "roofline"));
  // The element requests the picture shortly after the last change.
  await page.waitForFunction(() => {
    dispatchEvent(new Event("beforeprint"));
    return document.querySelector("gemm-scope").shadowRoot.querySelector(".print svg");
  });
  await page.emulateMedia({ media: "print" });
  const seen = await page.evaluate(() => {
    const root = document.querySelector("gemm-scope").shadowRoot;
    const shown = (s) => root.querySelector(s) && getComputedStyle(root.querySelector(s)).display !== "none";
    return [shown("iframe"), shown(".print"), Boolean(root.querySelector(".print svg"))];
  });
  assert.deepEqual(seen, [false, true, true]);
  const bare = await open(t, "bare", `<body><gemm-scope src="bench.csv"><a href="bench.csv">the data</a></gemm-scope>`);
  assert.equal(await bare.getByRole("link", { name: "the data" }).isVisible(), true);
});

test("three on one page, one of two files, attributes that change, events, and one that is removed", async (t) => {
  const page = await open(
    t,
    "two",
    `<body><gemm-scope loading="eager" src="bench.csv" device="mi300x"></gemm-scope>
     <gemm-scope loading="eager" src="other.csv" device="h100-sxm" theme="dark"></gemm-scope>
     <gemm-scope loading="eager" src="bench.csv" more="other.csv" device="mi300x"></gemm-scope>${script()}`,
  );
  await loaded(page);
  let files = [];
  while (files.length < 2) files = (await summary(page, 2)).map((s) => s.file);
  assert.deepEqual(files, ["bench.csv", "other.csv"], "several files in one are compared");
  assert.equal((await summary(page, 0))[0].rows_used, 4);
  const [second] = await summary(page, 1);
  assert.equal(second.rows_used, 1);
  assert.match(second.devices[0], /H100/);
  const said = await page.evaluate(async () => {
    const [a, b] = document.querySelectorAll("gemm-scope");
    const change = new Promise((done) => a.addEventListener("gemm-change", (e) => done(e.detail.view), { once: true }));
    a.setAttribute("device", "mi325x");
    const view = await change;
    const load = new Promise((done) => b.addEventListener("gemm-load", (e) => done(e.detail.summary[0].rows_used), { once: true }));
    b.setAttribute("src", "bench.csv");
    const rows = await load;
    b.remove();
    return { view, rows };
  });
  assert.match(said.view, /device=mi325x/);
  assert.equal(said.rows, 4);
  assert.equal(page.frames().length, 3);
  assert.deepEqual(page.trouble, []);
});

test("an opaque sandbox, inline data, and the module", async (t) => {
  const page = await open(
    t,
    "opaque",
    `<body><div id="here"></div><gemm-scope loading="eager" isolate device="mi300x"><script type="text/csv">${CSV}</script></gemm-scope>${script()}`,
  );
  await loaded(page);
  assert.equal((await summary(page))[0].rows_used, 4);
  assert.equal(await page.frames()[1].evaluate(() => self.origin), "null");
  const rows = await page.evaluate(async (viewer) => {
    const { mount } = await import(`${viewer}gemm-scope.js`);
    const el = mount(document.querySelector("#here"), { device: "mi300x", loading: "eager" });
    const [one] = await el.load("M,N,K,dtype,time_us\n64,64,64,fp16,2\n", { name: "typed.csv" });
    const refused = await el.load("nonsense", { name: "bad.csv" }).catch((e) => e.code);
    const view = await el.view({ view: "quux" }).catch((e) => e.code);
    await el.view({ view: "table" });
    const picture = await el.export("svg").catch((e) => e.code);
    return [one.file, one.rows_used, refused, view, picture];
  }, viewer);
  assert.deepEqual(rows, ["typed.csv", 1, "unreadable", "bad-value", "no-picture"]);
  assert.deepEqual(page.trouble.filter((l) => !/Worker|origin 'null'/.test(l)), []);
});

test("a frame refuses other windows, other versions, malformed and huge messages, and goes on", async (t) => {
  const page = await open(t, "hostile", `<body><iframe id="a" src="${viewer}?embed=1" width="600" height="300"></iframe>${script()}`);
  const frame = page.frames()[1];
  await listening(page, 1);
  const result = await page.evaluate(async (target) => {
    const frame = document.querySelector("#a").contentWindow;
    const log = [];
    const channel = (message, ports = 1) => {
      const made = Array.from({ length: ports }, () => new MessageChannel());
      const heard = new Promise((done) => (made[0].port1.onmessage = (e) => done(e.data)));
      frame.postMessage(message, target, made.map((c) => c.port2));
      return heard.then((data) => ({ data, port: made[0].port1 }));
    };
    // Foreign and malformed messages are ignored silently. A later request that is answered shows that they were read.
    const quiet = async (message) => {
      const answer = channel(message).then(({ data }) => data);
      const after = (await channel({ gemm: { v: 99, type: "connect" } })).data.code;
      if (after !== "version") return after;
      return Promise.race([answer, new Promise((done) => setTimeout(() => done("silence")))]);
    };
    for (const m of [null, 7, "x", { type: "connect" }, { gemm: 1 }, { gemm: { type: "connect", v: 1, pad: "x".repeat(70_000) } }]) {
      log.push(await quiet(m));
    }
    const cyclic = { gemm: { v: 1, type: "connect" } };
    cyclic.self = cyclic;
    log.push(await quiet(cyclic));
    log.push((await channel({ gemm: { v: 99, type: "connect" } })).data.code);
    log.push((await channel({ gemm: { v: 1, type: "connect" } }, 2)).data.code);
    const { data: ready, port } = await channel({ gemm: { v: 1, type: "connect" } });
    log.push(ready.type, (await channel({ gemm: { v: 1, type: "connect" } })).data.code);
    const ask = (message, transfer = []) =>
      new Promise((done) => {
        port.onmessage = (e) => (e.data.type === "error" || e.data.type === "ok") && done(`${e.data.id} ${e.data.code ?? e.data.type}`);
        port.postMessage(message, transfer);
      });
    const loop = { type: "view", id: 7 };
    loop.self = loop;
    const huge = new ArrayBuffer((64 << 20) + 1);
    log.push(
      await ask({ type: "eval", id: 1, code: "alert(1)" }),
      await ask({ type: "load" }),
      await ask({ type: "load", id: 2, bytes: new Uint8Array(9) }),
      await ask({ type: "load", id: 3, bytes: huge }, [huge]),
      await ask({ type: "view", id: 4, set: { theme: "pink" } }),
      await ask({ type: "view", id: 5, pad: "x".repeat(70_000) }),
      await ask("text"),
      await ask(loop),
      await ask({ type: "view", id: 8, more: 1n }),
      await ask({ type: "load", id: 9, name: "\ud800.csv", bytes: new ArrayBuffer(9) }),
      await ask({ type: "view", id: -1, pad: "x".repeat(70_000) }),
      await ask({ type: "view", id: "text" }),
      await ask({ type: "load", id: 6, name: "ok.csv", bytes: new TextEncoder().encode("M,N,K,us\n8,8,8,1\n").buffer }),
    );
    return log;
  }, new URL(viewer).origin);
  assert.deepEqual(result, [
    ...Array(7).fill("silence"), "version", "bad-message", "ready", "connected",
    "1 unknown-type", "0 bad-message", "2 bad-message", "3 too-large", "4 bad-message", "5 too-large", "0 bad-message",
    "7 bad-message", "8 bad-message", "9 bad-message", "0 too-large", "0 bad-message", "6 ok",
  ]);
  // A window other than the parent: a sibling frame of the same host cannot connect.
  await page.evaluate(async (url) => {
    const b = document.createElement("iframe");
    b.src = url;
    document.body.append(b);
    await new Promise((done) => (b.onload = done));
  }, `${viewer}?embed=1`);
  const second = page.frames()[2];
  await listening(page, 2);
  const connect = (target) => {
    const { port1, port2 } = new MessageChannel();
    window.answered = new Promise((done) => (port1.onmessage = (e) => done(e.data.type)));
    parent.frames[1].postMessage({ gemm: { v: 1, type: "connect" } }, target, [port2]);
  };
  await second.evaluate(() => {
    window.read = new Promise((done) => addEventListener("message", () => setTimeout(done), { once: true }));
  });
  await frame.evaluate(connect, new URL(viewer).origin);
  // The frame has read it: listeners are called in order, and the page's came first.
  await second.evaluate(() => window.read);
  const fromSibling = await frame.evaluate(() => Promise.race([window.answered, new Promise((done) => setTimeout(() => done("silence")))]));
  assert.equal(fromSibling, "silence");
  assert.deepEqual(page.trouble, []);
});

const rowsShown = (page, n) => page.waitForFunction((n) => document.documentElement.dataset.rows === String(n), n, { timeout: 30_000 });

test("the link below the frame opens the app with the same view, and with data that has an address", async (t) => {
  hosts.write("my bench.csv", CSV);
  const page = await open(
    t,
    "full",
    `<body><gemm-scope loading="eager" src="my bench.csv" view="table" device="mi300x" hash="v=1&q=k_64"></gemm-scope>
     <gemm-scope loading="eager" device="mi300x"><script type="text/csv">${CSV}</script></gemm-scope>
     <gemm-scope loading="eager" src="other.csv" no-link></gemm-scope>${script()}`,
    { from: open_data },
  );
  await loaded(page);
  const links = () => page.evaluate(() => [...document.querySelectorAll("gemm-scope")].map((e) => {
    const a = e.shadowRoot.querySelector("a");
    return { href: a.href, shown: getComputedStyle(a).display !== "none", text: a.textContent, rel: a.rel };
  }));
  await page.waitForFunction(() => document.querySelector("gemm-scope").shadowRoot.querySelector("a").href.includes("q=k_64"));
  const [first, second, third] = await links();
  const src = encodeURIComponent(`${open_data.url}my%20bench.csv`);
  assert.equal(first.href, `${viewer}open.html#v=1&view=table&device=mi300x&q=k_64&src=${src}`);
  assert.match(first.rel, /noopener/);
  assert.equal(second.href, `${viewer}#v=1&device=mi300x`);
  assert.match(second.text, /with this view/);
  assert.deepEqual([first.shown, second.shown, third.shown], [true, true, false]);
  // Changes by the user are included.
  await page.evaluate(() => document.querySelector("gemm-scope").view({ view: "roofline" }));
  await page.waitForFunction(() => !document.querySelector("gemm-scope").shadowRoot.querySelector("a").href.includes("view=table"));
  const [tab] = await Promise.all([page.context().waitForEvent("page"), page.locator("gemm-scope").first().getByRole("link", { name: "Open in gemmscope" }).click()]);
  await tab.locator("dialog[open]").getByRole("button", { name: "Fetch", exact: true }).click();
  await rowsShown(tab, 4);
  const [only] = await tab.evaluate(() => window.gemmscope.summary());
  assert.deepEqual([only.file, only.devices], ["my bench.csv", ["AMD Instinct MI300X"]]);
  assert.equal(await tab.evaluate(() => new URLSearchParams(location.hash.slice(1)).get("q")), "k_64");
  // Bytes passed by a script have no address.
  await page.evaluate(() => document.querySelector("gemm-scope").load("M,N,K,us\n8,8,8,1\n", { name: "own.csv" }));
  assert.ok(!(await links())[0].href.includes("src="));
});

test("a plain frame with data of another host: forwarded to the page that may ask, and it asks", async (t) => {
  const src = encodeURIComponent(`${open_data.url}bench.csv`);
  const page = await open(t, "frame", `<body><iframe src="${viewer}?embed=1&theme=dark#v=1&device=mi300x&src=${src}" width="800" height="400"></iframe>`);
  const frame = page.frames()[1];
  const ask = frame.locator("dialog[open]");
  await ask.waitFor({ timeout: 30_000 });
  const at = new URL(frame.url());
  assert.match(at.pathname, /\/open\.html$/);
  assert.equal(at.search, "?embed=1&theme=dark");
  assert.match(await ask.innerText(), new RegExp(new URL(open_data.url).host));
  assert.ok(!page.asked.some((u) => u.startsWith(open_data.url)), "nothing is asked of the host before the answer");
  await ask.getByRole("button", { name: "Fetch", exact: true }).click();
  await rowsShown(frame, 4);
  assert.equal(await frame.evaluate(() => document.documentElement.dataset.theme), "dark");
  assert.equal(await frame.locator('input[type="file"]').count(), 0);
  // A frame with less height than its content scrolls.
  const below = await frame.evaluate(() => (scrollTo(0, 9999), [scrollY, document.documentElement.scrollHeight - innerHeight]));
  assert.ok(below[0] > 20 && Math.abs(below[0] - below[1]) <= 1, String(below));
  assert.deepEqual(page.trouble, []);
});

/** The clock of the host page is stopped; a test advances it. */
const CLOCK = () => {
  if (self !== top) return;
  let now = 1;
  performance.now = () => now;
  window.pass = (seconds) => (now += 1000 * seconds);
};

/** State of an element on a slow line: its fallback picture, what it waits for with the progress, and its error
 *  message. */
const shown = (page) =>
  page.evaluate(() => {
    const element = document.querySelector("gemm-scope");
    const root = element.shadowRoot;
    const seen = (e) => (e && getComputedStyle(e).display !== "none" && !e.closest("[hidden]") ? e : null);
    const wait = seen(root.querySelector(".loading"));
    return {
      picture: element.querySelector("img").getBoundingClientRect().height > 0,
      waits: wait ? wait.querySelector("p").textContent : "",
      part: wait?.querySelector("progress").value ?? 0,
      wrong: seen(root.querySelector(".problem"))?.textContent ?? "",
      again: seen(root.querySelector("button"))?.textContent ?? "",
    };
  });
const reaches = (page, part) =>
  page.waitForFunction((part) => document.querySelector("gemm-scope").shadowRoot.querySelector(".loading progress").value >= part, part);

const PICTURE = '<img alt="roofline" width="300" height="200" src="data:image/svg+xml,%3Csvg xmlns=%22http://www.w3.org/2000/svg%22/%3E">';

async function onLine(t, line, src = "bench.csv") {
  const page = await open(t, "slow", `<body><gemm-scope loading="eager" src="${src}" device="mi300x">${PICTURE}</gemm-scope><script type="module" src="${line.url}gemm-scope.js"></script>`, {
    from: open_data,
    go: false,
  });
  await page.addInitScript(CLOCK);
  await page.goto(`${open_data.url}slow.html`);
  await page.waitForFunction(() => document.querySelector("gemm-scope").shadowRoot?.querySelector("iframe"));
  return page;
}

test("on a slow line the picture stands, the element says how far it is, and the limit begins anew with each progress", async (t) => {
  // 1.8 MB at 50 kB/s take 36 s, which is longer than the limit of 20 s.
  const line = await slowLine(t, /\.wasm$/);
  const page = await onLine(t, line);
  for (const share of [0.25, 0.5, 0.75]) {
    line.to(share);
    await page.evaluate(() => window.pass(12));
    await reaches(page, share - 0.05);
    const { picture, waits, wrong, again } = await shown(page);
    assert.deepEqual([picture, waits, wrong, again], [true, "Loading gemmscope…", "", ""], String(share));
  }
  line.to(1);
  await loaded(page);
  assert.deepEqual(await shown(page), { picture: false, waits: "", part: 0, wrong: "", again: "" });
  assert.equal((await summary(page))[0].rows_used, 4);
});

test("a line that stands still or breaks: the picture stays, the element says why, goes on with the line, and tries again", async (t) => {
  const line = await slowLine(t, /\.wasm$/);
  const page = await onLine(t, line);
  line.to(0.5);
  await page.evaluate(() => window.pass(2));
  await reaches(page, 0.45);
  await page.evaluate(() => window.pass(21));
  await page.waitForFunction(() => document.querySelector("gemm-scope").shadowRoot.querySelector(".problem").textContent);
  let now = await shown(page);
  assert.match(now.wrong, /gemmscope stopped arriving from http:\/\/127\.0\.0\.1:\d+\/ after (49|50) %: check the connection, then try again/);
  assert.deepEqual([now.picture, now.waits, now.again], [true, "", "Try again"]);
  // The connection recovers.
  line.to(0.6);
  await page.waitForFunction(() => !document.querySelector("gemm-scope").shadowRoot.querySelector(".problem").textContent);
  assert.equal((await shown(page)).again, "");

  line.cut();
  await page.waitForFunction(() => document.querySelector("gemm-scope").shadowRoot.querySelector(".problem").textContent);
  now = await shown(page);
  assert.match(now.wrong, /The page's program could not be loaded\. Check the connection, then try again/);
  assert.deepEqual([now.picture, now.again], [true, "Try again"]);
  line.to(1);
  await page.locator("gemm-scope").getByRole("button", { name: "Try again" }).click();
  await loaded(page);
  assert.equal((await summary(page))[0].rows_used, 4);
  assert.equal(await problem(page), "");
});

test("data that stops coming is given up after 20 s without a byte, not after 20 s", async (t) => {
  const line = await slowLine(t, /bench\.csv$/, hosts.folder);
  const page = await onLine(t, line, `${line.url}bench.csv`);
  const pass = (seconds) => page.evaluate((seconds) => window.pass(seconds), seconds);
  await page.waitForFunction(() => window.hellos >= 1);
  for (const share of [0.3, 0.6]) {
    line.to(share);
    await pass(15);
    await reaches(page, share - 0.05);
    const { waits, wrong } = await shown(page);
    assert.deepEqual([waits, wrong], ["Reading bench.csv…", ""]);
  }
  await pass(21);
  await page.waitForFunction(() => document.querySelector("gemm-scope").shadowRoot.querySelector(".problem").textContent);
  assert.match((await shown(page)).wrong, /bench\.csv is not shown: 127\.0\.0\.1:\d+ sent nothing for 20 s/);
});

test("the playground shows the messages that pass", async (t) => {
  const context = await newContext({ viewport: { width: 1000, height: 1400 } });
  t.after(() => context.close());
  const page = await context.newPage();
  await page.goto(`${viewer}playground.html`);
  const log = page.locator("#log");
  await log.getByText("event gemm-load").waitFor({ timeout: 30_000 });
  await page.getByRole("button", { name: "export view" }).click();
  await log.getByText('"result":"v=1&view=roofline&device=mi300x"').waitFor();
  const lines = await log.innerText();
  for (const wanted of [/"type":"ready"/, /host → frame\s+load/, /"type":"resize"/]) assert.match(lines, wanted);
});
