// What is read: the list of formats, and kinds of files that need more than text: workbooks, traces, profiles with
// measured bytes, whole folders of a report.
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { gzipSync } from "node:zlib";
import { fixture, take } from "../harness.mjs";
import { GemmscopePage } from "../page.mjs";

const REPORT = "fixtures/reports/prefill_mi300x";
const near = (a, b, share = 1e-6) => assert.ok(Math.abs(a - b) <= share * Math.abs(b), `${a} is not ${b}`);

test("the list of formats: by keyboard, each with its command and an example, searched", async (t) => {
  const app = await GemmscopePage.open({ t });
  const { page } = app;
  await page.locator('[data-open="formats"]').focus();
  await page.keyboard.press("Enter");
  await app.dialog.waitFor();
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
  // The one line left unfolds by keyboard and shows the command.
  await page.keyboard.press("Tab");
  await page.keyboard.press("Enter");
  assert.match(await app.dialog.locator('[data-format="ncu"] code').innerText(), /ncu --set full --csv/);
  await search.fill("no such tool");
  assert.deepEqual(await shown(), []);
  assert.match(await app.dialog.innerText(), /No tool of this name/);
  await search.fill("");
  assert.equal((await shown()).length, ids.length);
  await app.screenshot("formats");
  await page.keyboard.press("Escape");
  await app.dialog.waitFor({ state: "hidden" });
  app.assertQuiet();
});

test("a profile with measured bytes: both intensities, in legend, tooltip, details, table and link", async (t) => {
  const app = await GemmscopePage.open({ t });
  // Written where the decimal sign is a comma: 1,74 GB, 5.287.421,50 cycles at 0,765 GHz.
  await app.load(fixture("fixtures/ncu/decimal_comma.csv"));
  const s = await app.only();
  assert.deepEqual([s.format, s.rows_used, s.rows_set_aside], ["ncu", 1, 0]);
  near(s.max_tflops, (2 * 8192 ** 3) / (5287421.5 / 0.765e9) / 1e12);
  const legend = app.page.getByRole("button", { name: /at measured bytes/ });
  assert.equal(await legend.getAttribute("aria-pressed"), "true");

  // 2 x 8192^3 FLOP over 1.74 GB, and over the three operands read once.
  const measured = (2 * 8192 ** 3) / 1.74e9;
  const compulsory = 8192 / 3;
  await app.find(/AI, measured bytes/);
  assert.match(await app.tooltip(), new RegExp(`${measured.toFixed(1).slice(0, 4)}`));
  await app.click(/ampere/);
  const detail = await app.detail();
  assert.match(detail, /Measured bytes\s+1\.74 GB, 4\.32 × the compulsory/);
  assert.match(detail, /Intensity at measured bytes\s+631\.9 FLOP\/B/);

  // The dock lies over the legend.
  await app.page.locator(".dock").getByRole("button", { name: "Close" }).click();
  await app.settle();
  await app.page.getByRole("button", { name: "As a table" }).click();
  const table = app.page.getByRole("region", { name: "What is drawn, as a table" });
  const texts = (cells) => cells.evaluateAll((all) => all.map((c) => (c.title || c.textContent).trim()));
  const heads = await texts(table.locator("thead th"));
  const row = await texts(table.locator("tbody tr").first().locator("td, th"));
  near(Number(row[heads.indexOf("AI by DRAM bytes (FLOP/B)")]), measured);
  near(Number(row[heads.indexOf("AI (FLOP/B)")]), compulsory);

  const asTable = app.page.getByRole("button", { name: "As a table" });
  await asTable.click();
  await legend.click();
  // The legend is that of the picture, which comes with the next frame.
  await app.page.getByRole("button", { name: /at measured bytes/, pressed: false }).waitFor();
  assert.equal(await app.state("measured"), "off");
  await asTable.click();
  assert.ok(!(await texts(table.locator("thead th"))).includes("AI by DRAM bytes (FLOP/B)"));
  app.assertQuiet();
});

test("a packed trace of the PyTorch profiler", async (t) => {
  const app = await GemmscopePage.open({ t });
  const text = readFileSync(fixture("fixtures/kineto/h100.json"));
  await app.load({ name: "trace.json.gz", bytes: gzipSync(text) });
  const s = await app.only();
  assert.equal(s.format, "kineto");
  assert.ok(s.rows_used > 0 && s.rows_read === s.rows_used + s.rows_set_aside);
  assert.deepEqual(s.devices, ["NVIDIA H100 80GB HBM3"]);
  // The same bytes unpacked say the same; beside the packed ones they are counted once.
  await app.load({ name: "trace.json", bytes: text });
  assert.equal((await app.summary()).length, 1);
  await app.panel();
  assert.match(await app.cards.nth(1).innerText(), /Not counted: repeats operations of trace\.json\.gz/);
  const alone = await GemmscopePage.open({ t });
  await alone.load({ name: "trace.json", bytes: text });
  const plain = await alone.only();
  for (const key of ["rows_used", "rows_set_aside", "max_tflops", "total_time_s"]) assert.equal(s[key], plain[key], key);
  app.assertQuiet();
});

/** A workbook with these sheets, each a list of rows: parts stored in a zip, cells as inline strings and numbers. */
/** The checksum of a zip's part, which gzip writes before the length. */
function crc32(data) {
  const packed = gzipSync(data);
  return packed.readUInt32LE(packed.length - 8);
}

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

/** Rows of cells of a CSV with quotes. */
function cells(text) {
  return text
    .trim()
    .split(/\r?\n/)
    .map((line) => [...line.matchAll(/("(?:[^"]|"")*"|[^,]*)(?:,|$)/g)].slice(0, -1).map(([, c]) => (c.startsWith('"') ? c.slice(1, -1).replaceAll('""', '"') : c)));
}

test("a workbook of a trace report: its GEMM sheet, the timeline beside it, another sheet by choice", async (t) => {
  const report = fixture(`${REPORT}/GEMM.csv`);
  const gemms = cells(readFileSync(report, "utf8"));
  const timeline = cells(readFileSync(fixture(`${REPORT}/gpu_timeline.csv`), "utf8"));
  const mine = [["M", "N", "K", "dtype", "time_us"], [64, 128, 256, "fp16", 12]];
  const app = await GemmscopePage.open({ t });
  await app.load({ name: "report.xlsx", bytes: workbook({ gpu_timeline: timeline, mine, GEMM: gemms }) });
  const s = await app.only();
  assert.deepEqual([s.format, s.rows_read], ["tracelens", gemms.length - 1]);
  // The same table as a plain file says the same.
  const alone = await GemmscopePage.open({ t });
  await alone.load(report);
  const plain = await alone.only();
  near(s.max_tflops, plain.max_tflops, 1e-12);
  near(s.total_time_s, plain.total_time_s, 1e-12);
  // The card offers the other sheet.
  await app.panel();
  await take(app.cards.first().getByRole("combobox", { name: /sheets/ }), "mine");
  await app.page.waitForFunction(() => window.gemmscope.summary()[0].format === "generic");
  assert.equal((await app.summary())[0].rows_used, 1);
  app.assertQuiet();
});

test("a whole folder of a report: one table, its surroundings, the rest listed with reasons", async (t) => {
  const folder = mkdtempSync(join(tmpdir(), "gemmscope-report-"));
  t.after(() => rmSync(folder, { recursive: true }));
  for (const sub of ["category_data", "metadata"]) mkdirSync(join(folder, sub));
  const files = ["GEMM.csv", "gpu_timeline.csv", "category_data/gemm_ops.csv", "category_data/gemm_metrics.json", "category_data/category_manifest.json", "metadata/gemm_metadata.json"];
  for (const file of files) writeFileSync(join(folder, file), readFileSync(fixture(`${REPORT}/${file}`)));
  writeFileSync(join(folder, "kernel_summary.csv"), readFileSync(fixture("fixtures/tracelens_kernels/kernel_summary.csv")));
  writeFileSync(join(folder, "notes.txt"), "Nothing to read here.\n");

  const app = await GemmscopePage.open({ t });
  const { page } = app;
  const chooser = page.waitForEvent("filechooser");
  await page.evaluate(() => delete document.documentElement.dataset.ready);
  await page.getByRole("button", { name: "Choose a folder" }).click();
  await (await chooser).setFiles(folder);
  await page.waitForFunction(() => window.gemmscope.summary().length === 1 && document.documentElement.dataset.ready === "1");
  const s = await app.only();
  assert.equal(s.format, "tracelens");
  assert.match(s.file, /gemm_ops\.csv$/);
  assert.ok(s.rows_used > 0);
  // Metadata names the platform and its own peaks; GEMM.csv and the kernels would count everything twice.
  assert.deepEqual(s.devices, ["MI300X"]);
  const text = await page.locator("body").innerText();
  assert.match(text, /3 files of the folder were left out/);
  app.assertQuiet();
});
