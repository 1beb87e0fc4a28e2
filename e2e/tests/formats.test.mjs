// Formats: their list; files with more than rows to choose from: measured bytes, sheets. The result of each format is
// in tests/golden/import.
import assert from "node:assert/strict";
import { test } from "node:test";
import { gzipSync } from "node:zlib";
import { fixture, take } from "../harness.mjs";
import { GemmscopePage } from "../page.mjs";

test("the list of formats: by keyboard, each with its command and an example, searched", async (t) => {
  const app = await GemmscopePage.open({ t });
  const { page } = app;
  // On the start page only what is searched for, also by a click on a known name.
  const found = () => page.locator("#start-formats [data-format]").evaluateAll((all) => all.filter((e) => e.checkVisibility()).map((e) => e.dataset.format));
  assert.deepEqual(await found(), []);
  await page.getByRole("button", { name: "rocblas-bench" }).click();
  assert.deepEqual(await found(), ["rocblas-bench"]);
  assert.equal(await page.evaluate(() => document.activeElement.value), "rocblas-bench");
  await page.getByRole("searchbox", { name: "Search the formats" }).fill("");
  assert.deepEqual(await found(), []);
  // All of them in the dialog, which Help opens.
  await page.locator("#choose-files").focus();
  await page.keyboard.press("?");
  await page.locator('.dialog [data-open="formats"]').focus();
  await page.keyboard.press("Enter");
  await app.dialog.getByRole("searchbox", { name: "Search" }).waitFor();
  assert.match(await app.dialog.innerText(), /What is read/);
  const formats = app.dialog.locator("[data-format]");
  const ids = await formats.evaluateAll((all) => all.map((e) => e.dataset.format));
  assert.ok(ids.length >= 40 && new Set(ids).size === ids.length, `${ids.length} formats`);
  for (const id of ["cutlass", "ncu", "kineto", "tracelens", "xla", "generic"]) assert.ok(ids.includes(id), id);
  for (const said of await formats.evaluateAll((all) => all.map((e) => [e.querySelector("code").textContent, e.querySelector("pre").textContent]))) {
    assert.ok(said.every((text) => text.trim().length > 8), said.join());
  }
  const search = app.dialog.getByRole("searchbox", { name: "Search" });
  await search.focus();
  await page.keyboard.type("ncu --csv");
  const shown = () => formats.evaluateAll((all) => all.filter((e) => e.checkVisibility()).map((e) => e.dataset.format));
  assert.deepEqual(await shown(), ["ncu"]);
  // The only remaining line unfolds by keyboard and shows the command.
  await page.keyboard.press("Tab");
  await page.keyboard.press("Enter");
  assert.match(await app.dialog.locator('[data-format="ncu"] code').innerText(), /ncu --set full --csv/);
  await search.fill("no such tool");
  assert.deepEqual(await shown(), []);
  assert.match(await app.dialog.innerText(), /No tool of this name/);
  await search.fill("");
  assert.equal((await shown()).length, ids.length);
  await page.keyboard.press("Escape");
  await app.dialog.waitFor({ state: "hidden" });
  app.assertQuiet();
});

/** Checksum of a part of a zip, which gzip writes before the length. */
function crc32(data) {
  const packed = gzipSync(data);
  return packed.readUInt32LE(packed.length - 8);
}

/** A workbook with these sheets, each a list of rows: parts stored in a zip, cells as inline strings and numbers. */
function workbook(sheets) {
  const escape = (text) => String(text).replace(/[<>&]/g, (c) => ({ "<": "&lt;", ">": "&gt;", "&": "&amp;" })[c]);
  const cell = (v) => (v !== "" && !Number.isNaN(Number(v)) ? `<c><v>${v}</v></c>` : `<c t="inlineStr"><is><t>${escape(v)}</t></is></c>`);
  const sheet = (rows) => `<worksheet><sheetData>${rows.map((r) => `<row>${r.map(cell).join("")}</row>`).join("")}</sheetData></worksheet>`;
  const names = Object.keys(sheets);
  const parts = {
    "xl/workbook.xml": `<workbook><sheets>${names.map((n, i) => `<sheet name="${n}" sheetId="${i + 1}" r:id="rId${i + 1}"/>`).join("")}</sheets></workbook>`,
    "xl/_rels/workbook.xml.rels": `<Relationships>${names.map((_, i) => `<Relationship Id="rId${i + 1}" Target="worksheets/sheet${i + 1}.xml"/>`).join("")}</Relationships>`,
  };
  names.forEach((n, i) => (parts[`xl/worksheets/sheet${i + 1}.xml`] = sheet(sheets[n])));
  const local = [];
  const central = [];
  let offset = 0;
  for (const [name, text] of Object.entries(parts)) {
    const [path, data] = [Buffer.from(name), Buffer.from(text)];
    const sizes = (head, at) => {
      head.writeUInt32LE(crc32(data), at - 4);
      head.writeUInt32LE(data.length, at);
      head.writeUInt32LE(data.length, at + 4);
      head.writeUInt16LE(path.length, at + 8);
      return head;
    };
    const head = sizes(Buffer.alloc(30), 18);
    head.writeUInt32LE(0x04034b50, 0);
    const entry = sizes(Buffer.alloc(46), 20);
    entry.writeUInt32LE(0x02014b50, 0);
    entry.writeUInt32LE(offset, 42);
    local.push(head, path, data);
    central.push(entry, path);
    offset += head.length + path.length + data.length;
  }
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(Object.keys(parts).length, 8);
  end.writeUInt16LE(Object.keys(parts).length, 10);
  end.writeUInt32LE(Buffer.concat(central).length, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...local, ...central, end]);
}

test("another sheet of a workbook is a choice; measured bytes have an entry of the legend, columns of the table and a key of the link for them", async (t) => {
  const app = await GemmscopePage.open({ t });
  const [first, second] = [[["M", "N", "K", "dtype", "time_us"], [64, 128, 256, "fp16", 12], [64, 64, 256, "fp16", 12]], [["M", "N", "K", "dtype", "time_us"], [64, 128, 256, "bf16", 12]]];
  await app.load({ name: "report.xlsx", bytes: workbook({ first, second }) });
  assert.equal((await app.only()).rows_used, 2);
  await app.panel();
  await take(app.cards.first().getByRole("combobox", { name: /sheets/ }), "second");
  await app.page.waitForFunction(() => window.gemmscope.summary()[0].rows_used === 1);
  await app.settle();
  await app.remove("report.xlsx");

  await app.load(fixture("fixtures/ncu/decimal_comma.csv"));
  assert.equal((await app.only()).rows_used, 1);
  const legend = (pressed) => app.page.getByRole("button", { name: /at measured bytes/, pressed });
  const heads = async () => {
    const all = await (await app.figures()).locator("thead th").evaluateAll((all) => all.map((c) => (c.title || c.textContent).trim()));
    await app.page.keyboard.press("Escape");
    return all;
  };
  assert.ok((await heads()).includes("AI by DRAM bytes (FLOP/B)"));
  await legend(true).click();
  // The legend belongs to the picture, which comes with the next frame.
  await legend(false).waitFor();
  assert.equal(await app.state("measured"), "off");
  assert.ok(!(await heads()).includes("AI by DRAM bytes (FLOP/B)"));
  app.assertQuiet();
});
