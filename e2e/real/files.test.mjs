// Other people's files in the page, checked against counts made by hand. `make test-real DATA=FOLDER` names the folder.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { real } from "../harness.mjs";
import { DESKTOP, GemmscopePage, plain } from "../page.mjs";

const iree = real("iree-kernel-benchmark/iree_gemm.csv");
const hipblaslt = real("iree-kernel-benchmark/hipblaslt-gemm.csv");
const tensile = real("Tensile/derived_best_per_macrotile_long.csv");
const figure = real("flashdecoding_fig/bn_best_reconstructed.csv");
const qwen = real("tracelens/qwen_mi300/GEMM.csv");
const near = (a, b, share = 1e-6) => assert.ok(Math.abs(a - b) <= share * Math.abs(b), `${a} is not ${b}`);
const open = (t, path = "") => GemmscopePage.open({ t, path, viewport: DESKTOP });
const label = async (app) => plain(await app.stage.first().getAttribute("aria-label"));

test("two libraries: counts, best rates, the one GEMM at 100.3 % of its roof is none above it, 521 in common", async (t) => {
  const app = await open(t, "#view=compare&device=mi300x");
  await app.load(iree, hipblaslt);
  const [first, second] = await app.summary();
  assert.deepEqual([first.rows_used, first.rows_set_aside, first.rows_above_roof], [563, 0, 0]);
  assert.deepEqual([second.rows_used, second.rows_set_aside, second.rows_above_roof], [558, 0, 0]);
  near(first.max_tflops, 428.8267);
  near(second.max_tflops, 859.7469);
  near(second.max_efficiency, 1.003, 5e-4);
  assert.match(await label(app), /521/);
  app.assertQuiet();
});

// File, format, and rows used if they were counted.
for (const [path, format, used] of [
  ["tracelens/qwen_mi300/GEMM.csv", "tracelens", 5],
  ["tracelens/qwen_h100/GEMM.csv", "tracelens", 5],
  ["tracelens/qwen_h100/unified_perf_summary.csv", "tracelens", 5],
  ["tracelens/gemm_01_compute_few_tiles/category_data/gemm_ops.csv", "tracelens", 1],
  ["tracelens/vllm_decode_full/GEMM.csv", "tracelens", 4],
  ["hipblaslt-bench/readme_demo_output.txt", "hipblaslt-bench", 3],
  ["rocBLAS/gemm.csv", "rocblas-bench", 64],
  ["Tensile/derived_best_per_macrotile_long.csv", "generic", 1001],
]) {
  test(`reads ${path}`, async (t) => {
    const app = await open(t);
    await app.load(real(path));
    const s = await app.only();
    assert.deepEqual([s.format, s.rows_used], [format, used]);
    assert.equal(s.rows_read, s.rows_used + s.rows_set_aside);
    assert.ok(s.reported_rate.within_1_percent >= 0.9 * s.reported_rate.compared, JSON.stringify(s.reported_rate));
    app.assertQuiet();
  });
}

test("a sweep of 44 shapes, and the ticks of a published figure", async (t) => {
  const app = await open(t, "#view=tiles&device=mi210");
  await app.load(tensile);
  assert.match(await label(app), /^Tile BN = 64 is the best single choice: .* within 2 % of it on 40 of 44 shapes\./);
  const stated = await open(t, "#view=tiles&device=a100-80-sxm");
  await stated.load(figure);
  assert.match(await label(stated), /as stated\. The model.s pick of BN is the best measured in \d+ of 18/);
});

test("a trace's rows are the layers of its model; wrappers are counted once", async (t) => {
  const app = await open(t, "#view=plan&device=mi300x&plan.devices=mi300x");
  await app.load(qwen);
  await app.page.locator('[data-fit="qwen1.5-0.5b"]').click();
  const rows = app.page.locator('[data-list="measured"]');
  await rows.waitFor();
  assert.match(await rows.locator("tr", { hasText: "2816" }).first().innerText(), /gate_proj or up_proj\t8944\t2816\t1024/);
  const decode = await open(t, "#view=overview&device=mi300x");
  await decode.load(real("tracelens/vllm_decode_full/GEMM.csv"));
  assert.equal(await decode.figure("time"), "1.23 ms");
  const all = decode.page.getByRole("button", { name: /^All \d+ findings$/ });
  if (await all.count()) await all.click();
  await decode.page.locator('.finding[data-rule="double_count"]').waitFor();
});

test("a platform file is a device", async (t) => {
  const path = real("tracelens/arch/MI300X.json");
  const app = await open(t);
  await app.load(hipblaslt);
  await app.drop(path);
  await app.page.keyboard.press("d");
  await app.dialog.waitFor();
  assert.ok((await app.dialog.innerText()).includes(JSON.parse(readFileSync(path, "utf8")).name));
});
