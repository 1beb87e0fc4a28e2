// The planner: it needs no file, and lays what it computes over measured rows.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { assertQuiet, dropFiles, openPage, screenshot, sharedData, skipWithout, upload, waitReady } from "../harness.mjs";

const title = (page) => page.locator(".plan .chart-stage").getAttribute("aria-label");
/** Waits until the chart's name matches, which is after it was drawn. */
const drawn = (page, pattern) =>
  page.waitForFunction(
    (source) => new RegExp(source).test(document.querySelector(".plan .chart-stage")?.getAttribute("aria-label") ?? ""),
    pattern.source,
  );
const total = (page, name) => page.locator(`[data-total="${name}"]`).innerText();

test("a preset gives points without a file, and the link gives them back", async (t) => {
  const page = await openPage({ t });
  await page.locator('[data-open="plan"]').click();
  await page.locator('[data-control="plan.model"]').selectOption("llama-2-7b");
  await drawn(page, /16 planned ones under the roofs of/);
  const list = page.getByRole("region", { name: "GEMMs of a step" });
  const up = (await list.locator("tr", { hasText: "up_proj" }).first().innerText()).split("\t");
  assert.deepEqual(up.slice(0, 4), ["up_proj", "8", "11008", "4096"]);
  assert.match(await total(page, "Parameters"), /6\.738 billion/);
  await page.waitForFunction(() => location.hash.includes("plan.model=llama-2-7b"));
  const again = await openPage({ t, path: new URL(page.url()).hash });
  await drawn(again, /16 planned ones/);
  assert.equal(await again.locator('[data-control="plan.model"]').inputValue(), "llama-2-7b");
  assertQuiet(page);
});

test("the batch slider moves the points, leaves a trail and crosses the named ridge", async (t) => {
  const page = await openPage({ t, path: "#view=plan&plan.model=llama-2-7b&plan.devices=a100-80-sxm" });
  await drawn(page, /8 planned ones/);
  const crossing = page.locator('[data-crossing="up_proj"]');
  const ridge = Number(/(\d+)$/.exec((await crossing.innerText()).trim())[1]);
  assert.ok(ridge > 100 && ridge < 250, `ridge at ${ridge}`);
  assert.doesNotMatch(await crossing.getAttribute("class"), /past/);
  const pixels = () =>
    page.locator(".plan .chart-stage canvas").first().evaluate((c) => {
      // Pixels of the accent's hue: rings and trail.
      const { data } = c.getContext("2d").getImageData(0, 0, c.width, c.height);
      let n = 0;
      for (let i = 0; i < data.length; i += 4) if (data[i + 2] > 150 && data[i] < 120 && data[i + 2] - data[i] > 90) n += 1;
      return n;
    });
  await page.locator('[data-control="plan.batch"]').fill("1");
  await page.keyboard.press("Enter");
  await page.waitForTimeout(300);
  const before = await pixels();
  const slider = page.locator('[data-slider="plan.batch"]');
  await slider.focus();
  for (let i = 0; i < 31; i += 1) await page.keyboard.press("ArrowRight");
  await page.waitForFunction(() => document.querySelector('[data-control="plan.batch"]').value === "512");
  await page.waitForTimeout(300);
  const after = await pixels();
  assert.ok(after > before * 1.5, `no trail: ${before} and ${after} pixels`);
  assert.match(await crossing.getAttribute("class"), /past/);
  assertQuiet(page);
});

test("a tile that does not fit is named, and a smaller one runs", async (t) => {
  const page = await openPage({ t, path: "#view=plan&plan.page=tile" });
  const note = page.locator(".plan-note").first();
  await page.waitForFunction(() => document.querySelector(".plan-note"));
  assert.match(await note.innerText(), /Does not run as chosen: the stages take 192 KiB of shared memory, a block has 163 KiB/);
  assert.equal(await total(page, "Registers a thread"), "64");
  assert.equal(await total(page, "In all, one stage"), "176 KiB");
  await page.locator('[data-control="tool.stages"]').fill("3");
  await page.keyboard.press("Tab");
  await page.waitForFunction(() => !document.querySelector(".plan-note").innerText.includes("Does not run"));
  assert.equal(await total(page, "Shared memory"), "144 KiB");
  await page.waitForFunction(() => location.hash.includes("tool.stages=3"));
  assertQuiet(page);
});

test("every tool opens and draws", async (t) => {
  const page = await openPage({ t, path: "#view=plan" });
  for (const [name, pattern] of [
    ["Flat GEMM", /Flat GEMM model/],
    ["Launch order", /Launch order of 16 × 32 tiles/],
    ["Fusion", /separate and fused/],
    ["Numerics", /Rounding of a sum/],
    ["Tile", /Tile explorer/],
  ]) {
    await page.getByRole("navigation", { name: "Pages of the plan" }).getByRole("button", { name, exact: true }).click();
    await drawn(page, pattern);
  }
  assertQuiet(page);
});

test("the reading drives the roofline", async (t) => {
  const page = await openPage({ t });
  await page.locator('[data-open="learn"]').click();
  await drawn(page, /planned ones under the roof of NVIDIA A100/);
  for (let i = 0; i < 4; i += 1) await page.getByRole("button", { name: "Next" }).click();
  await drawn(page, /under the roof of AMD Instinct MI300X/);
  assert.match(await page.locator(".reading").innerText(), /ridge/);
  assertQuiet(page);
});

test("a config.json is planned, a wrong one is told its key", async (t) => {
  const page = await openPage({ t });
  const config = {
    model_type: "llama",
    hidden_size: 2048,
    intermediate_size: 5632,
    num_hidden_layers: 22,
    num_attention_heads: 32,
    num_key_value_heads: 4,
    vocab_size: 32000,
  };
  await dropFiles(page, [{ name: "config.json", text: JSON.stringify(config) }]);
  await drawn(page, /planned ones/);
  const list = page.getByRole("region", { name: "GEMMs of a step" });
  assert.match(await list.locator("tr", { hasText: "up_proj" }).first().innerText(), /up_proj\t8\t5632\t2048/);
  await dropFiles(page, [{ name: "config.json", text: JSON.stringify({ ...config, hidden_size: "wide" }) }]);
  await page.locator(".notice.bad", { hasText: "hidden_size" }).waitFor();
  assertQuiet(page);
});

test("a measured trace reads as the layers of its model", async (t) => {
  const file = sharedData("tracelens/qwen_mi300/GEMM.csv");
  if (skipWithout(t, file)) return;
  const page = await openPage({ t, path: "#view=plan&device=mi300x&plan.devices=mi300x" });
  await page.evaluate(() => delete document.documentElement.dataset.ready);
  await upload(page, [file]);
  await waitReady(page);
  await page.locator('[data-fit="qwen1.5-0.5b"]').click();
  const list = page.locator('[data-list="measured"]');
  await list.waitFor();
  const row = await list.locator("tr", { hasText: "2816" }).first().innerText();
  assert.match(row, /gate_proj or up_proj\t8944\t2816\t1024/);
  await drawn(page, /Roofline of [1-9]\d* GEMMs? and \d+ planned ones/);
  await screenshot(page, "plan-measured");
  assertQuiet(page);
});

test("shapes are saved for the benchmark tools", async (t) => {
  const page = await openPage({ t, path: "#view=plan&plan.model=llama-2-7b&plan.devices=a100-80-sxm" });
  for (const [id, pattern] of [
    ["csv", /up_proj/],
    ["hipblaslt", /hipblaslt-bench -m 11008 -n 8 -k 4096/],
    ["cutlass", /cutlass_profiler .*--m=8 --n=11008 --k=4096/],
    ["tritonbench", /^M,K,N,Bias/],
    ["markdown", /\| up_proj \| 8 \| 11008 \| 4096/],
  ]) {
    await page.getByRole("button", { name: "Save the plan" }).click();
    const [download] = await Promise.all([page.waitForEvent("download"), page.locator(`[data-export="${id}"]`).click()]);
    assert.match(readFileSync(await download.path(), "utf8"), pattern, id);
  }
  assertQuiet(page);
});

test("a setting of a link that cannot be read is named and spoils no other", async (t) => {
  const page = await openPage({ t, path: "#view=plan&plan.model=llama-2-7b&plan.batch=many" });
  await page.locator(".notice.bad", { hasText: "plan.batch" }).waitFor();
  assert.equal(await page.locator('[data-control="plan.model"]').inputValue(), "llama-2-7b");
  assert.equal(await title(page).then((x) => /planned/.test(x)), true);
});
