// The start page is HTML, and works before the program is there: input is kept and read later, on the site, in the
// one-file page and in a sandboxed frame. The program adopts the page, and nothing moves.
import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import { dist, dropFiles, newContext, settle, site, upload, waitReady } from "../harness.mjs";
import { DESKTOP, GemmscopePage, PHONE } from "../page.mjs";

const rows = (n) => `M,N,K,dtype,time_us\n${Array.from({ length: n }, (_, i) => `${64 * (i + 1)},64,64,fp16,${i + 2}\n`).join("")}`;

/** Keeps the program from starting until `letGo()` is called in the page. */
const HELD = () => {
  const held = new Promise((done) => (window.letGo = done));
  const { compileStreaming } = WebAssembly;
  WebAssembly.compileStreaming = async (...given) => (await held, compileStreaming.apply(WebAssembly, given));
};

/** Kinds of places for the page; each returns the page or frame that shows it. */
const PLACES = {
  "the site": async (page) => (await page.goto(await site()), page),
  "the one-file page": async (page) => (await page.goto(pathToFileURL(join(dist, "gemmscope.html")).href), page),
  "a sandboxed frame": async (page) => {
    await page.setContent(`<iframe sandbox="allow-scripts" src="${await site("pages")}" width="1200" height="800"></iframe>`);
    await page.frameLocator("iframe").locator("#choose-files").waitFor();
    return page.frames()[1];
  },
};

async function held(t, place = "the site", options = {}) {
  const context = await newContext({ viewport: DESKTOP, serviceWorkers: "block", ...options });
  t.after(() => context.close());
  const page = await context.newPage();
  const wrong = [];
  page.on("pageerror", (error) => wrong.push(String(error)));
  await page.addInitScript(HELD);
  const frame = await PLACES[place](page);
  await frame.locator("#choose-files").waitFor();
  return { page, frame, wrong };
}

const files = (frame) => frame.evaluate(() => window.gemmscope.summary().map((s) => [s.file, s.rows_used]));
const started = async (frame, n) => {
  await frame.evaluate(() => window.letGo());
  await frame.waitForFunction((n) => document.documentElement.dataset.rows === String(n) && document.documentElement.dataset.ready === "1", n);
};
const pasteText = (frame, text) =>
  frame.evaluate((text) => {
    const data = new DataTransfer();
    data.setData("text/plain", text);
    document.body.dispatchEvent(new ClipboardEvent("paste", { clipboardData: data, bubbles: true, cancelable: true }));
  }, text);

for (const place of Object.keys(PLACES)) {
  test(`${place}: files that are dropped, chosen and pasted before the program is there are kept, said, and read in order`, async (t) => {
    const { frame, wrong } = await held(t, place);
    await dropFiles(frame, [{ name: "a.csv", text: rows(1) }, { name: "b.csv", text: rows(2) }]);
    assert.match(await frame.locator("#boot").innerText(), /^Loading, then a\.csv, b\.csv$/);
    await upload(frame, [{ name: "c.csv", text: rows(4) }]);
    await pasteText(frame, rows(8));
    assert.match(await frame.locator("#boot").innerText(), /^Loading, then a\.csv, b\.csv and 2 more$/);
    // A word is not a table.
    await pasteText(frame, "word");
    // A line may be.
    await pasteText(frame, '[{"M":128,"N":256,"K":512,"dtype":"bf16","time_us":3.5}]');
    await started(frame, 16);
    assert.deepEqual(await files(frame), [["a.csv", 1], ["b.csv", 2], ["c.csv", 4], ["pasted text", 8], ["pasted text (2)", 1]]);
    assert.equal(await frame.locator("#start").isVisible(), false);
    assert.equal(await frame.locator(".workspace").isVisible(), true);
    // All closed: the same start page again, which still accepts files.
    await frame.evaluate(() => document.querySelector(".drawer-button").click());
    for (let n = 5; n > 0; n--) {
      await frame.locator(".file-card").first().getByRole("button", { name: "File" }).click();
      await frame.locator(".menu-item", { hasText: "Remove from the page" }).click();
      await frame.waitForFunction((n) => window.gemmscope.summary().length === n, n - 1);
    }
    await frame.locator("#choose-files").waitFor();
    assert.equal(await frame.locator(".workspace").count(), 0);
    await upload(frame, [{ name: "d.csv", text: rows(3) }]);
    await frame.waitForFunction(() => document.documentElement.dataset.rows === "3");
    assert.deepEqual(wrong, []);
  });
}

test("a folder, dropped text, text typed into the dialog, and a sample before the program is there", async (t) => {
  const { page, wrong } = await held(t);
  await page.evaluate((text) => {
    const entry = (path, rest) => ({ fullPath: path, name: path.split("/").pop(), isDirectory: false, isFile: true, ...rest });
    const good = entry("/runs/good.csv", { file: (done) => done(new File([text], "good.csv")) });
    const portions = [[good], []];
    const root = entry("/runs", { isDirectory: true, isFile: false, createReader: () => ({ readEntries: (done) => done(portions.shift()) }) });
    DataTransferItem.prototype.webkitGetAsEntry = () => root;
  }, rows(1));
  await dropFiles(page, [{ name: "runs", text: "" }]);
  assert.match(await page.locator("#boot").innerText(), /^Loading, then runs$/);

  const drop = (target, own) =>
    page.evaluate(
      ([target, own, text]) => {
        const data = new DataTransfer();
        data.setData("text/plain", text);
        const at = document.querySelector(target);
        const fire = (type) => at.dispatchEvent(new DragEvent(type, { dataTransfer: data, bubbles: true, cancelable: true }));
        if (own) fire("dragstart");
        const taken = !fire("dragover");
        const shown = getComputedStyle(document.querySelector(".drop-veil")).display !== "none";
        fire("drop");
        if (own) fire("dragend");
        return [taken, shown, document.documentElement.dataset.dragging ?? ""];
      },
      [target, own, rows(2)],
    );
  // Dragging something of the page itself adds nothing.
  assert.deepEqual(await drop("h2", true), [false, false, ""]);
  assert.deepEqual(await drop("h2", false), [true, true, ""]);

  await page.getByRole("button", { name: "Paste text" }).click();
  const dialog = page.locator("dialog[open]");
  await dialog.getByRole("button", { name: "Read it" }).click();
  assert.equal(await dialog.isVisible(), true, "there is nothing to read yet");
  await page.keyboard.type(rows(4));
  await dialog.getByRole("button", { name: "Read it" }).click();
  await page.locator('[data-sample="tuning-history"]').click();
  assert.equal(await page.locator("#boot").innerText(), "Loading, then runs, the pasted text and 2 more");
  await page.evaluate(() => window.letGo());
  await page.waitForFunction(() => document.documentElement.dataset.ready === "1" && window.gemmscope.summary().length === 4);
  assert.deepEqual((await files(page)).map(([name]) => name).sort(), ["pasted text", "pasted text (2)", "runs/good.csv", "tuning-history.csv"]);
  // The dialog is also used by the header's menu.
  await page.getByRole("button", { name: "More ways to add data" }).click();
  await page.getByText("Paste a table or a log…").click();
  await page.keyboard.type(rows(8));
  await page.keyboard.press("Escape");
  assert.equal(await dialog.count(), 0);
  assert.deepEqual(wrong, []);
});

test("a table copied from a page is read with its merged cells and what stands above it", async (t) => {
  const { page, wrong } = await held(t);
  const cells = (...row) => `<tr>${row.map((cell) => `<td>${cell}</td>`).join("")}</tr>`;
  const html =
    "<meta charset='utf-8'><p>GEMM on an H100 SXM, bf16</p><table>" +
    "<tr><th rowspan=2>M</th><th rowspan=2>N</th><th rowspan=2>K</th><th colspan=2>time (us)</th></tr><tr><th>cuBLAS</th><th>ours</th></tr>" +
    `<tr><td rowspan=2>4096</td><td>4096</td><td>4096</td><td>200</td><td>190</td></tr>${cells(8192, 4096, 400, 370)}</table>`;
  const plain = "M\tN\tK\ttime (us)\ncuBLAS\tours\n4096\t4096\t4096\t200\t190\n8192\t4096\t400\t370\n";
  const paste = (target) =>
    page.evaluate(
      ([target, plain, html]) => {
        const data = new DataTransfer();
        data.setData("text/plain", plain);
        data.setData("text/html", html);
        const at = document.querySelector(target);
        at.dispatchEvent(new ClipboardEvent("paste", { clipboardData: data, bubbles: true, cancelable: true }));
        // A synthetic event inserts nothing.
        if (at.matches("textarea")) at.value = plain;
      },
      [target, plain, html],
    );
  await paste("body");
  await page.getByRole("button", { name: "Paste text" }).click();
  await paste("#paste textarea");
  await page.locator("dialog[open]").getByRole("button", { name: "Read it" }).click();
  await started(page, 8);
  const read = await page.evaluate(() => window.gemmscope.summary().map((s) => [s.rows_used, s.devices, s.dtypes]));
  assert.deepEqual(read, [[4, ["NVIDIA H100 80GB HBM3"], ["bf16"]], [4, ["NVIDIA H100 80GB HBM3"], ["bf16"]]]);
  assert.deepEqual(wrong, []);
});

// The address of boot.mjs names both.
const PROGRAM = /\/gemmscope-page-[^/?&]*_bg\.wasm(\?.*)?$/;
const GLUE = /\/gemmscope-page-[^/?&]*\.js(\?.*)?$/;

test("a program that does not arrive says what to do, and what was chosen is read once it does", async (t) => {
  const broken = [
    [PROGRAM, (route) => route.abort("connectionreset"), /could not be loaded\. Check the connection, then try again\./],
    [PROGRAM, (route) => route.fulfill({ status: 503, body: "" }), /could not be loaded: gemmscope-page-\w+_bg\.wasm: HTTP 503\. Check .* try again/],
    [GLUE, (route) => route.abort("connectionreset"), /could not be loaded\. Check the connection/],
    [PROGRAM, (route) => route.fulfill({ status: 200, contentType: "text/html", body: "log in" }), /a page of its own\. Does it ask you to log in\?/],
    [/\/boot\.mjs/, (route) => route.abort("connectionreset"), /A part of the page could not be loaded \(.*boot\.mjs\)\. Check .* try again/],
  ];
  for (const [which, answer, says] of broken) {
    const app = await GemmscopePage.open({ t, ready: false, before: (page) => page.route(which, answer) });
    await app.page.getByText(says).waitFor();
    await dropFiles(app.page, [{ name: "a.csv", text: rows(2) }]);
    assert.match(await app.bootError.innerText(), says);
    assert.match(await app.bootError.innerText(), /Kept until then: a\.csv/);
    // First without a connection, then with one.
    await app.page.getByRole("button", { name: "Try again" }).click();
    await app.page.getByText(says).waitFor();
    await app.page.unroute(which);
    await app.page.getByRole("button", { name: "Try again" }).click();
    await waitReady(app.page);
    assert.deepEqual(await files(app.page), [["a.csv", 2]], String(says));
    assert.equal(await app.bootError.count(), 0);
  }
});

test("a page that is older than its server says that only a reload helps, and never that the connection is at fault", async (t) => {
  for (const which of [PROGRAM, "**/gemmscope-page-*.js*"]) {
    let gone = true;
    const app = await GemmscopePage.open({
      t,
      ready: false,
      before: (page) => page.route(which, (route) => (gone ? route.fulfill({ status: 404, body: "" }) : route.continue())),
    });
    await app.bootError.waitFor();
    await dropFiles(app.page, [{ name: "a.csv", text: rows(2) }]);
    const said = await app.bootError.innerText();
    assert.match(said, /The server has another version of this page by now .* Reload the page to get it/);
    assert.doesNotMatch(said, /connection|try again|Kept/i);
    assert.equal(await app.page.getByRole("button", { name: "Try again" }).count(), 0);
    gone = false;
    await app.page.getByRole("button", { name: "Reload" }).click();
    await waitReady(app.page);
    assert.equal(await app.bootError.count(), 0);
  }
});

/** Positions of the parts of the start page. */
const boxes = (page) =>
  page.evaluate(() =>
    Object.fromEntries(
      [...document.querySelectorAll("#start :is(h1, h2, h3, .lead, .drop-zone, .sample, .sample-picture, .formats, p.muted), #start .button")]
        .filter((e) => !e.closest("#start-kept, #boot"))
        .map((e, i) => {
          const { x, y, width, height } = e.getBoundingClientRect();
          return [`${i} ${e.textContent.trim().slice(0, 20)}`, [x, y, width, height].map(Math.round)];
        }),
    ),
  );

test("nothing moves when the program adopts the page, at any size", async (t) => {
  for (const viewport of [DESKTOP, { width: 1920, height: 1080 }, PHONE]) {
    const { page } = await held(t, "the site", { viewport });
    const before = await boxes(page);
    assert.ok(Object.keys(before).length > 15);
    await page.evaluate(() => window.letGo());
    await waitReady(page);
    await page.locator("#start-tools button").waitFor();
    assert.deepEqual(await boxes(page), before);
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth), 0);
  }
});

test("by keyboard alone: every control is reached, in order, with a ring around it, and the drop zone opens the chooser", async (t) => {
  const { page } = await held(t);
  const reached = [];
  for (let i = 0; i < 11; i++) {
    await page.keyboard.press("Tab");
    const [name, ring] = await page.evaluate(() => {
      const at = document.activeElement;
      const style = getComputedStyle(at);
      return [at.dataset.sample ?? (at.href && at.dataset.open) ?? (at.ariaLabel || at.textContent.trim()), style.outlineStyle !== "none" && parseFloat(style.outlineWidth) >= 2];
    });
    assert.ok(ring, name);
    reached.push(name);
  }
  const samples = ["mi300x-libraries", "h100-llm", "h100-flat-gemm", "tuning-history", "h100-tiles"];
  assert.deepEqual(reached, ["Choose files", "Choose a folder", "Paste text", ...samples, "plan", "Search the formats", "hipblaslt-bench"]);
  for (const key of ["Enter", " "]) {
    await page.locator("#choose-files").focus();
    // Press the key only once the browser intercepts file choosers.
    const wanted = page.waitForEvent("filechooser");
    await settle(page);
    await page.keyboard.press(key);
    assert.equal((await wanted).isMultiple(), true);
  }
  // The focus stays in place while the program takes over.
  await page.locator('[data-sample="h100-llm"]').focus();
  await page.evaluate(() => window.letGo());
  await waitReady(page);
  assert.equal(await page.evaluate(() => document.activeElement.dataset.sample), "h100-llm");
  await page.keyboard.press("Enter");
  await page.waitForFunction(() => window.gemmscope.summary()[0]?.file === "h100-llm.csv");
});

test("where data comes by itself, the start page does not flash", async (t) => {
  const { page } = await held(t);
  const at = await site();
  const address = async (path) => {
    await page.goto("about:blank");
    await page.goto(at + path);
    await page.locator("#boot").waitFor({ state: "attached" });
    return page.locator("#choose-files").isVisible();
  };
  for (const path of ["?embed=1", "#v=1&data=abc", "#v=1&src=bench.csv", "#v=1&view=plan", "#v=1&view=tiles&files=h100-tiles.csv"]) {
    assert.equal(await address(path), false, path);
  }
  assert.equal(await address("#v=1&view=table&files=mine.csv"), true);
  assert.equal(await address(""), true);
  // A link without data reserves space for the line that names the files.
  await address("#v=1&view=table&files=mine.csv");
  const zone = () => page.locator(".drop-zone").boundingBox();
  const before = await zone();
  await page.evaluate(() => window.letGo());
  await page.getByText("This link shows a view of mine.csv").waitFor();
  assert.deepEqual(await zone(), before);

  // A page without usable data returns to the start page, with the reason.
  await address("#v=1&data=abc");
  await page.evaluate(() => window.letGo());
  await page.locator("#choose-files").waitFor();
  await page.locator(".notice.bad").waitFor();
});
