// Findings: loading the folder of a report, its findings, their points in other views, saving a report.
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { fixture, waitReady } from "../harness.mjs";
import { DESKTOP, GemmscopePage, plain } from "../page.mjs";

const bf16 = "\"('c10::BFloat16', 'c10::BFloat16')\"";
const OPS = [
  "name,op category,Input Dims,Input type,ex_UID,operation_count,Kernel Time (µs)_sum,trunc_kernel_details,perf_params,has_perf_model",
  `aten::mm,GEMM,"((512, 65536), (65536, 256))",${bf16},1,10,11000.0,"[{'name': 'Cijk_Ailk_Bljk_BBS_BH_MT256x128x64_MI16x16x1_GSU1_ISA942', 'mean_duration_us': 1100}]","{'M': 512, 'N': 256, 'K': 65536, 'B': 1, 'bias': False}",True`,
  `aten::mm,GEMM,"((8192, 4096), (4096, 4096))",${bf16},2,24,14400.0,"[{'name': 'Cijk_Alik_Bljk_BBS_BH_MT256x256x64_MI16x16x1_ISA942', 'mean_duration_us': 600}]","{'M': 8192, 'N': 4096, 'K': 4096, 'B': 1, 'bias': False}",True`,
].join("\n");
const METADATA = JSON.stringify({
  platform: "MI300X",
  peak_hbm_bw_tbs: 5.3,
  max_achievable_tflops: { matrix_bf16: 708, matrix_fp16: 654 },
  category: "GEMM",
  gpu_utilization: { total_time_ms: 40, computation_time_percent: 80, idle_time_percent: 20 },
});
// The fuller structure of the tree, then that of real files.
const TREE = JSON.stringify({ 1: { name: "aten::mm", parent_chain: ["nn.Module: Model", "nn.Module: MLP"], time_ms: 11 } });
const TREE_REAL = JSON.stringify({
  2: { op_name: "aten::mm", ex_uid: 2, input_dims: "((8192, 4096), (4096, 4096))", parent_chain: ["forward"], subtree: ["Cijk_a"], fusion_opportunity: true, notes: "" },
});

function folder(files) {
  const root = join(mkdtempSync(join(tmpdir(), "gemmscope-")), "run");
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  return root;
}

const REPORT = {
  "category_data/gemm_ops.csv": OPS,
  "category_data/gemm_tree_data.json": TREE,
  "metadata/gemm_metadata.json": METADATA,
  "GEMM.csv": OPS,
  "analysis.md": "# notes\n",
};

/** The same with a GEMM whose 304 tiles fill exactly one wave, so its tile loses nothing. */
const WITH_WHOLE = {
  ...REPORT,
  "category_data/gemm_ops.csv": `${OPS}\naten::mm,GEMM,"((4864, 4096), (4096, 4096))",${bf16},3,1,300.0,"[{'name': 'Cijk_Alik_Bljk_BBS_BH_MT256x256x64_MI16x16x1_ISA942', 'mean_duration_us': 300}]","{'M': 4864, 'N': 4096, 'K': 4096, 'B': 1, 'bias': False}",True`,
};

/** Chooses a folder; waits until it is shown. */
async function choose(app, path) {
  await app.page.evaluate(() => delete document.documentElement.dataset.ready);
  const chooser = app.page.waitForEvent("filechooser");
  await app.page.getByRole("button", { name: "Choose a folder" }).click();
  await (await chooser).setFiles(path);
  await waitReady(app.page, 60_000);
  await app.settle();
}

/** Drags a folder (or files) from the desktop onto the page. */
async function drag(app, ...paths) {
  await app.page.evaluate(() => delete document.documentElement.dataset.ready);
  const client = await app.page.context().newCDPSession(app.page);
  const data = { items: [], files: paths, dragOperationsMask: 1 };
  for (const type of ["dragEnter", "dragOver", "drop"]) {
    await client.send("Input.dispatchDragEvent", { type, x: 300, y: 300, data });
  }
  await waitReady(app.page, 60_000);
}

/** The first sentence, and the breakdown of the whole program's time. */
const headline = async (app) => plain((await app.page.locator(".headline, .time-bar").allInnerTexts()).join(" ")).replace(/\s+/g, " ");

test("a folder that is dropped becomes one report: what it cannot use, findings, operations, a replay, a link, reports to save", async (t) => {
  const app = await GemmscopePage.open({ t, viewport: DESKTOP });
  await drag(app, folder(REPORT));
  assert.equal((await app.only()).rows_used, 2);
  assert.equal(await app.cards.count(), 3);
  assert.equal(await app.errors.count(), 0);
  const left = app.page.locator(".notice", { hasText: "left out" });
  await left.locator("summary").click();
  const text = await left.innerText();
  assert.match(text, /GEMM\.csv: repeats the operations of .*gemm_ops\.csv/);
  assert.match(text, /analysis\.md/);
  assert.equal(await app.state("roof"), "achievable");

  await app.choosePlace("Summary");
  assert.match(await headline(app), /^GEMMs take 25\.4 ms, 37\.6 % of roof\. Saves 11\.5 ms alone: .*2 GEMMs\. .*GEMMs 63\.5 %/);
  const first = app.page.locator(".finding").first();
  await first.locator(".finding-head").click();
  const dock = app.page.locator(".dock");
  await dock.locator(".evidence").waitFor();
  assert.match(await app.detail(), /Takes .*, 11\.5 ms of it by the model/);
  assert.match(await app.detail(), /Try in the model[\s\S]*Try in the kernel/);
  assert.match(await dock.locator(".call-stack").innerText(), /Model\s+nn\.Module: MLP\s+aten::mm/);
  assert.equal(await app.state("finding"), "tile.1");

  // Its point is selected in the roofline, with the reasons beside it.
  await app.settle();
  assert.match(await app.detail(), /Fewer workgroups than units[\s\S]*512 × 256 × 65536/);
  // A term has an explanation.
  const term = dock.locator(".term").first();
  assert.ok(await term.getAttribute("data-tip"));
  // The link restores it.
  const hash = new URL(app.page.url()).hash;
  const again = await GemmscopePage.open({ t, path: hash, viewport: DESKTOP });
  await choose(again, folder(REPORT));
  await again.page.locator(".dock").waitFor();
  assert.match(await again.detail(), /Fewer workgroups than units/);

  // Operations are listed with their flags; one leads to its point. All findings fit on the first list, so what comes
  // after them is shown at once.
  const list = app.page.locator(".operations");
  await list.locator("summary").click();
  const row = (await list.locator("tbody tr").nth(1).innerText()).replace(/\s+/g, " ");
  assert.match(row, /512 × 256 × 65536 bf16 NN aten::mm 43\.3 % 11\.00 ms 10 .* Critical/);
  await list.getByRole("button", { name: /512 × 256/ }).click();
  assert.match(await app.detail(), /512 × 256 × 65536/);

  // It can be replayed.
  const panel = app.page.locator(".replay");
  await panel.getByRole("button", { name: "hipblaslt-bench" }).click();
  assert.match(await panel.locator("pre").innerText(), /hipblaslt-bench \\\n\s+-m 256 -n 512 -k 65536/);
  const file = await app.download(() => panel.getByRole("button", { name: /^Save/ }).click());
  assert.equal(file.name, "replay-hipblaslt-bench-512x256x65536.sh");
  await panel.getByRole("button", { name: "Triton" }).click();
  assert.match(await panel.locator("pre").innerText(), /@triton\.jit/);

  // Reports agree.
  const save = async (name) => {
    const file = await app.download(async () => {
      await app.page.getByRole("button", { name: "Download the report" }).click();
      await app.page.locator(".menu-item", { hasText: name }).click();
    });
    assert.equal(file.name, name);
    return file.text;
  };
  const short = await save("gemm_findings.md");
  assert.match(short, /^# GEMM Analysis Summary\n\n## Overview\nGEMMs account for 79\.4% of compute time/);
  assert.match(short, /% of peak MAF/);
  const page = await save("report.html");
  assert.ok((page.match(/<img alt=/g) ?? []).length >= 2, "pictures");
  // The XML namespace of a picture is not fetched.
  assert.doesNotMatch(page.replaceAll("http://www.w3.org/2000/svg", ""), /<script|:\/\//);
  const data = JSON.parse(await save("findings.json"));
  const markdown = await save("report.md");
  for (const sentence of data.sentences) assert.ok(page.includes(sentence.split(":")[0]));
  assert.ok(markdown.includes("79.4 % of the compute time"));
  app.assertQuiet();
});

test("a chosen finding is marked in picture and table until it is let go; every view shows only its rows, until that is undone or taken back", async (t) => {
  const app = await GemmscopePage.open({ t, viewport: DESKTOP, path: "#view=overview" });
  await choose(app, folder(WITH_WHOLE));
  const rows = () => app.figure("rows");
  /** Number of highlighted pixels above the canvas with the points, and the selected rows of the table. */
  const marked = async () => {
    await app.choosePicture("Summary", "roofline");
    const picture = await app.page.evaluate(() => [...document.querySelectorAll(".chart-stage canvas")].map((c) => c.toDataURL()).join());
    await app.choosePlace("Table");
    const rows = await app.page.locator('.data-grid-row[aria-selected="true"]').count();
    await app.choosePlace("Summary");
    return [picture, rows];
  };
  const first = app.page.locator(".finding").first();
  const [bare, none] = await marked();
  await first.locator(".finding-head").click();
  const [chosen, some] = await marked();
  assert.ok(chosen !== bare && none === 0 && some > 0, `${none} and ${some} rows`);
  await first.locator(".finding-head").click();
  assert.equal(await app.state("finding"), null);
  // A focused entry of the list is highlighted in the picture.
  await app.page.evaluate(() => document.activeElement.blur());
  await app.page.mouse.move(0, 0);
  assert.deepEqual(await marked(), [bare, none]);
  await app.later();

  await first.locator(".finding-head").click();
  await app.page.locator(".dock").getByRole("button", { name: "Filter to these rows" }).click();
  const notice = app.page.locator(".filtered");
  await notice.waitFor();
  assert.match(await notice.innerText(), /Filtered: 2 of 3 rows \(Padding and waves of the tile\)/);
  // The focus is on the element that changed, not lost with the button.
  assert.match(await app.page.evaluate(() => document.activeElement.className), /chart-stage/);
  assert.deepEqual(await app.chips(), ["Padding and waves of the tile: 2 rows"]);
  assert.match(await headline(app), /^GEMMs take 25\.4 ms/);
  assert.match(await app.state("only"), /^tile\*0\.2-3$/);
  const hash = new URL(app.page.url()).hash;

  await app.choosePlace("Table");
  assert.equal((await app.tableRows()).length, 2);
  await app.choosePicture("Summary", "lost");
  await app.page.locator(".chart-verdict, .notes", { hasText: /lost = / }).first().waitFor();

  // Undo reverts the view changes, then the filter.
  const undo = app.page.getByRole("button", { name: /^Undo/ }).first();
  while (await app.state("only")) await undo.click();
  await app.page.waitForFunction(() => !location.hash.includes("only="));
  assert.match(await rows(), /^3/);

  // Its link shows the same; the chip removes the filter.
  const again = await GemmscopePage.open({ t, viewport: DESKTOP, path: hash });
  await choose(again, folder(WITH_WHOLE));
  await again.page.locator(".filtered").waitFor();
  assert.match(await again.figure("rows"), /^2/);
  await again.page.getByRole("button", { name: /^Remove the filter Padding/ }).click();
  await again.page.locator(".filtered").waitFor({ state: "detached" });
  assert.match(await again.figure("rows"), /^3/);
  app.assertQuiet();
});

test("a tick of what would be fixed is in the link and can be undone; Back closes the details", async (t) => {
  const app = await GemmscopePage.open({ t, viewport: DESKTOP, path: "#view=overview" });
  await choose(app, folder(WITH_WHOLE));
  const box = (app) => app.page.locator(".finding-fix input").first();
  await app.page.locator(".finding-fix").first().click();
  await app.page.locator(".ranked-foot", { hasText: /^1 finding fixed: .* end to end, / }).waitFor();
  // The bar shows what is left, over an outline of the original one.
  assert.equal(await app.page.locator('.ledger-bar .account[data-account="tile"]').count(), 0);
  assert.equal(await app.page.locator('.ledger-before [data-account="tile"]').count(), 1);
  await app.page.waitForFunction(() => location.hash.includes("fixed="));
  const hash = new URL(app.page.url()).hash;
  const again = await GemmscopePage.open({ t, viewport: DESKTOP, path: hash });
  await choose(again, folder(WITH_WHOLE));
  await again.page.locator(".ranked-foot", { hasText: /^1 finding fixed: / }).waitFor();
  assert.ok(await box(again).isChecked());
  await app.page.getByRole("button", { name: /^Undo/ }).first().click();
  assert.equal(await app.state("fixed"), null);
  assert.ok(!(await box(app).isChecked()));
  await app.page.locator(".ledger-before").waitFor({ state: "detached" });
  await app.page.locator(".ranked-foot", { hasText: /overlaps/ }).waitFor();

  await app.page.locator(".finding-head").first().click();
  await app.page.locator(".dock").waitFor();
  await app.page.waitForFunction(() => location.hash.includes("finding="));
  await app.page.goBack();
  await app.page.locator(".dock").waitFor({ state: "detached" });
  assert.equal(await app.state("finding"), null);
  assert.ok((await app.page.locator(".finding-head").count()) > 0, "the files stay");
  app.assertQuiet();
});

test("files of a report meet in any order, now or later; a finding about time outside GEMMs has no rows, and opens all the same", async (t) => {
  const app = await GemmscopePage.open({ t });
  await app.drop({ name: "gemm_metadata.json", text: METADATA });
  await app.drop({ name: "gemm_ops.csv", text: OPS });
  await app.drop({ name: "gemm_tree_data.json", text: TREE_REAL });
  assert.equal(await app.page.locator(".file-card", { hasText: "Joined with gemm_ops.csv" }).count(), 2);
  await app.choosePlace("Summary");
  assert.match(await headline(app), /40\.00 ms from end to end .*GEMMs 63\.5 %/);
  // Without its metadata nothing is known about the rest of the program.
  await app.panel();
  await app.page.locator(".file-card", { hasText: "gemm_metadata.json" }).getByRole("button", { name: "Remove from the page" }).click();
  assert.doesNotMatch(await headline(app), /end to end/);

  await app.remove("gemm_ops.csv");
  await app.load(fixture("fixtures/kineto/mi300.json"));
  const idle = app.page.locator('.finding[data-rule="timeline"] button').first();
  assert.match(await idle.innerText(), /The device is idle for [\d.]+ % of the time/);
  await idle.click();
  const dock = app.page.locator(".dock");
  assert.match(await dock.innerText(), /Launch less and earlier/);
  await app.page.keyboard.press("Escape");
  await dock.waitFor({ state: "detached" });
  app.assertQuiet();
});

test("findings of filtered rows do not stay once a filter of very many rows is lifted", async (t) => {
  const app = await GemmscopePage.open({ t, viewport: DESKTOP });
  let text = "M,N,K,dtype,time_us\n";
  for (let i = 0; i < 252_000; i++) text += `${16 * (1 + (i % 500))},${16 * (1 + (Math.floor(i / 500) % 500))},1024,${i % 9 ? "fp16" : "bf16"},${900 + (i % 7)}\n`;
  await app.load({ name: "many.csv", text });
  await app.go("#v=1&device=h100-sxm&f.dtype=bf16");
  await app.page.locator(".headline .cost").waitFor();
  await app.page.locator(".ledger-bar").first().waitFor();
  await app.go("#v=1&device=h100-sxm");
  await app.page.getByRole("button", { name: /^Check 252/ }).waitFor();
  assert.equal(await app.page.locator(".headline .cost").count(), 0);
  assert.equal(await app.page.locator(".ledger-bar").count(), 0);
  app.assertQuiet();
});
