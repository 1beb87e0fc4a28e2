// A page that opens this one in a tab and hands it data: the example of the guide, and openers that mean no good. They are on
// an origin of their own.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { fixture, site, waitReady } from "../harness.mjs";
import { Hosts } from "../host.mjs";

const project = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
const CSV = readFileSync(fixture("fixtures/generic/plain.csv"), "utf8");
const hosts = new Hosts();
let host, viewer;

before(async () => {
  viewer = await site("pages");
  hosts.write("bench.csv", CSV);
  host = await hosts.serve();
});
after(() => hosts.close());

const rows = (tab) => tab.evaluate(() => document.documentElement.dataset.rows);
const question = (tab) => tab.locator("dialog[open]");

/** Opens a page whose script has `connect(tab, ports)`, which gives the port and what it hears. */
async function opener(t, name) {
  const page = await hosts.open(t, host, name, `<body><iframe src="bench.csv"></iframe><script>
    window.heard = [];
    window.connect = (tab, to = "*") => {
      const { port1, port2 } = new MessageChannel();
      port1.onmessage = (e) => heard.push(e.data);
      tab.postMessage({ gemm: { v: 1, type: "connect" } }, to, [port2]);
      return port1;
    };
    window.load = (port, name, size, id = 1) => {
      const bytes = typeof size === "number" ? new ArrayBuffer(size) : new TextEncoder().encode(size).buffer;
      port.postMessage({ type: "load", id, name, bytes }, [bytes]);
    };
  </script>`);
  return page;
}

/** The tab that a page opens without a gesture, once it listens. */
async function opened(page) {
  const [tab] = await Promise.all([page.context().waitForEvent("page"), page.evaluate((url) => void (window.tab = open(url)), viewer)]);
  await page.waitForFunction(() => window.hellos >= 1);
  await waitReady(tab, 60_000);
  return tab;
}

/** What the opener has heard, once it is `count` messages. */
const heard = async (page, count) => {
  await page.waitForFunction((count) => window.heard.length >= count, count);
  return page.evaluate(() => window.heard.map((m) => m.code ?? m.type));
};

test("the example of the guide: a button hands over a file, the reader is asked once, and the opener learns that it opened", async (t) => {
  const example = readFileSync(join(project, "docs/examples/opener.js"), "utf8").replace("https://host/gemmscope/", viewer);
  hosts.write("opener.js", example);
  // The channel that the example makes: what comes before somebody listens waits.
  const keep = "<script>const Own = MessageChannel; window.MessageChannel = function () { return (window.pair = new Own()); };</script>";
  const page = await hosts.open(t, host, "guide", `<body><button id="open">Open</button>${keep}<script src="opener.js"></script>`);
  const [tab] = await Promise.all([page.context().waitForEvent("page"), page.getByRole("button").click()]);
  await page.waitForFunction(() => window.pair);
  await page.evaluate(() => {
    window.heard = [];
    pair.port1.onmessage = (e) => heard.push(e.data);
  });
  const ask = question(tab);
  await ask.getByText("bench.csv, ").waitFor({ timeout: 60_000 });
  const text = await ask.innerText();
  assert.ok(text.includes(new URL(host.url).origin) && text.includes(`bench.csv, ${CSV.length} B`), text);
  assert.equal(await rows(tab), "0", "nothing is read before the answer");
  await ask.getByRole("button", { name: "Open", exact: true }).click();
  await tab.waitForFunction(() => document.documentElement.dataset.rows === "4");
  assert.deepEqual(await heard(page, 2), ["ready", "ok"]);
  assert.deepEqual(await page.evaluate(() => window.heard[1]), { type: "ok", id: 1 });

  // The second file of the same page is beside the first, without another question. What the reader does is told to nobody, and
  // asking for it is refused.
  await page.evaluate(() => {
    const bytes = new TextEncoder().encode("M,N,K,us\n8,8,8,1\n").buffer;
    pair.port1.postMessage({ type: "load", id: 2, name: "more.csv", bytes }, [bytes]);
  });
  await tab.waitForFunction(() => document.documentElement.dataset.rows === "5");
  await tab.evaluate(() => (location.hash = "#v=1&view=table"));
  await tab.locator(".data-grid-row").first().waitFor();
  await page.evaluate(() => ["csv", "svg", "view", "summary"].forEach((what, i) => pair.port1.postMessage({ type: "export", id: 10 + i, what })));
  await page.evaluate(() => pair.port1.postMessage({ type: "view", id: 20, set: { view: "roofline" } }));
  assert.deepEqual(await heard(page, 8), ["ready", "ok", "ok", ...Array(5).fill("not-allowed")]);
  assert.ok(!(await page.evaluate(() => JSON.stringify(window.heard))).includes("more.csv"));
  // A reload begins anew: nothing of it was kept.
  await tab.reload();
  await waitReady(tab, 60_000);
  assert.equal(await rows(tab), "0");
});

test("without a click of the reader nothing is read, Enter opens nothing, a name hides nothing, and no is no", async (t) => {
  const page = await opener(t, "declined");
  const tab = await opened(page);
  await page.evaluate((csv) => void ((window.port = connect(tab)), load(port, "a\u202Evsc.csv", csv)), CSV);
  const ask = question(tab);
  await ask.waitFor();
  assert.match(await ask.innerText(), /a⟨U\+202E⟩vsc\.csv/);
  assert.notEqual(await tab.evaluate(() => document.activeElement.textContent.trim()), "Open");
  assert.equal(await page.evaluate(() => {
    try {
      return tab.document.title;
    } catch (error) {
      return error.name;
    }
  }), "SecurityError");
  // A flood while the question is open is refused at once, and asks nothing more.
  const flood = await page.evaluate((csv) => {
    for (let i = 0; i < 300; i += 1) load(port, `flood-${i}.csv`, csv, 100 + i);
    for (let i = 0; i < 50; i += 1) connect(tab);
    return 1 + 300 + 50;
  }, CSV);
  const answers = await heard(page, flood);
  assert.equal(answers.filter((a) => a === "busy").length, 300);
  assert.equal(answers.filter((a) => a === "connected").length, 50);
  assert.equal(await ask.count(), 1);
  await tab.keyboard.press("Escape");
  await page.waitForFunction(() => window.heard.some((m) => m.code === "declined"));
  // From now on it is heard no more.
  await page.evaluate((csv) => void load(port, "again.csv", csv, 999), CSV);
  await page.evaluate(() => void connect(tab));
  assert.equal((await heard(page, flood + 2)).at(-1), "connected");
  assert.equal(await page.evaluate(() => window.heard.some((m) => m.id === 999)), false);
  assert.deepEqual([await ask.count(), await rows(tab)], [0, "0"]);
  assert.equal(await tab.evaluate(() => localStorage.length), 0);
});

test("too much is refused without a question, and windows that did not open this page are passed over", async (t) => {
  const page = await opener(t, "others");
  const tab = await opened(page);
  // A frame of the opener, and a tab of the same origin that has the window.
  await page.frames()[1].evaluate(() => {
    const { port1, port2 } = new MessageChannel();
    window.heard = [];
    port1.onmessage = (e) => heard.push(e.data);
    parent.tab.postMessage({ gemm: { v: 1, type: "connect" } }, "*", [port2]);
  });
  await page.evaluate(() => void ((window.port = connect(tab)), load(port, "huge.csv", (64 << 20) + 1, 1)));
  assert.deepEqual(await heard(page, 2), ["ready", "too-large"]);
  assert.deepEqual(await page.frames()[1].evaluate(() => window.heard), []);
  await page.evaluate(() => port.postMessage({ type: "load", id: 2, name: "x".repeat(1 << 20), bytes: new ArrayBuffer(8) }));
  await page.evaluate(() => port.postMessage({ type: "load", id: 3, name: "typed", bytes: new Uint8Array(1 << 20) }));
  assert.deepEqual((await heard(page, 4)).slice(2), ["too-large", "bad-message"]);
  assert.equal(await question(tab).count(), 0);
  // A file that is no benchmark: this page says why, the opener that it was not read; it is heard on.
  await page.evaluate(() => load(port, "notes.txt", "nothing to see", 4));
  await question(tab).getByRole("button", { name: "Open", exact: true }).click();
  assert.deepEqual((await heard(page, 5)).slice(4), ["unreadable"]);
  await page.evaluate(() => load(port, "half.csv", 40 << 20, 5));
  await heard(page, 6);
  await page.evaluate(() => load(port, "other half.csv", 40 << 20, 6));
  assert.equal((await heard(page, 7))[6], "too-large");
  assert.equal(await rows(tab), "0");
});
