// The planner: it needs no file, and lays what it computes over measured rows.
import assert from "node:assert/strict";
import { test } from "node:test";
import { DESKTOP, GemmscopePage } from "../page.mjs";
import { assertQuiet, dropFiles, fixture, openPage, screenshot, settle, take, upload, waitReady } from "../harness.mjs";

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
  await take(page.locator('[data-control="plan.model"]'), "llama-2-7b");
  // No device is chosen for anybody; a letter typed over the list is no shortcut.
  await drawn(page, /Roofline of 0 GEMMs/);
  const devices = page.getByLabel("Add a device");
  for (const id of ["h100-sxm", "mi300x"]) await take(devices, id);
  assert.equal(await devices.inputValue(), "");
  await drawn(page, /16 planned ones under the roofs of/);
  const list = page.getByRole("region", { name: "GEMMs of a step" });
  const up = (await list.locator("tr", { hasText: "up_proj" }).first().innerText()).split("\t");
  assert.deepEqual(up.slice(0, 2), ["up_proj", "8 × 11008 × 4096"]);
  assert.match(await total(page, "Parameters"), /6\.738 billion/);
  await page.waitForFunction(() => ["plan.model=llama-2-7b", "mi300x"].every((part) => location.hash.includes(part)));
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
  await settle(page);
  const before = await pixels();
  const slider = page.locator('[data-slider="plan.batch"]');
  await slider.focus();
  for (let i = 0; i < 31; i += 1) await page.keyboard.press("ArrowRight");
  await page.waitForFunction(() => document.querySelector('[data-control="plan.batch"]').value === "512");
  await settle(page);
  const after = await pixels();
  assert.ok(after > before * 1.5, `no trail: ${before} and ${after} pixels`);
  assert.match(await crossing.getAttribute("class"), /past/);
  assertQuiet(page);
});

test("a tile that does not fit is named, and a smaller one runs", async (t) => {
  const page = await openPage({ t, path: "#view=plan&plan.page=tile&plan.devices=a100-80-sxm&tool.stages=5" });
  const note = page.locator(".plan-note").first();
  await page.waitForFunction(() => document.querySelector(".plan-note"));
  assert.match(await note.innerText(), /Does not run as chosen: the stages take 192 KiB of shared memory even with one buffer less, a workgroup has 163 KiB/);
  assert.equal(await total(page, "Registers per thread"), "64");
  assert.equal(await total(page, "In all, one stage"), "176 KiB");
  await page.locator('[data-control="tool.stages"]').fill("3");
  await page.keyboard.press("Tab");
  await settle(page);
  assert.doesNotMatch(await page.locator(".plan-body").innerText(), /Does not run/);
  assert.equal(await total(page, "Shared memory"), "144 KiB");
  // Three stages are what the page opens on, so the link names none.
  assert.doesNotMatch(page.url(), /tool\.stages/);
  assertQuiet(page);
});

test("nine tiles in flight load 90 tiles of A and B row by row and 54 in groups of three", async (t) => {
  // 9 x 9 tiles of 128 x 128 x 128.
  const sizes = ["m", "n", "k"].map((s) => `tool.${s}=1152`).join("&");
  const tile = ["bm", "bn", "bk"].map((s) => `tool.${s}=128`).join("&");
  const app = await GemmscopePage.open({ t, path: `#view=plan&plan.page=order&${sizes}&${tile}&order.programs=9&order.group=1` });
  const { page } = app;
  await drawn(page, /Launch order of 9 × 9 tiles, 9 at once/);
  assert.equal(await total(page, "Loads, row by row"), "90");
  const slider = page.locator('[data-slider="order.group"]');
  await slider.focus();
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("ArrowRight");
  await drawn(page, /in groups of 3/);
  assert.equal(await total(page, "Loads, grouped"), "54");
  assert.equal(await total(page, "Best group size"), "3");
  assert.match(await page.locator(".plan-note").first().innerText(), /40 % fewer tiles of A and B than row by row: 54 against 90/);
  assert.equal(await app.state("order.group"), "3");
  app.assertQuiet();
});

test("every tool opens and draws, and says what it computes", async (t) => {
  const app = await GemmscopePage.open({ t, path: "#view=plan" });
  const { page } = app;
  const tab = async (name, pattern) => {
    await page.getByRole("navigation", { name: "Pages of the plan" }).getByRole("button", { name, exact: true }).click();
    await drawn(page, pattern);
  };
  await tab("Fusion", /separate and fused/);
  assert.equal(await total(page, "Traffic, separate"), "168 MB");
  await tab("Flat GEMM", /Flat GEMM model/);
  assert.equal(await total(page, "Ratio, K 4096"), "12.780 (B_N 32) to 15.724 (B_N 512)");
  await tab("Launch order", /Launch order of 16 × 32 tiles/);
  await tab("Tile", /Tile explorer/);
  app.assertQuiet();
});

test("a measured sweep of widths stands beside the model of the flat GEMM", async (t) => {
  const app = await GemmscopePage.open({ t, path: "#view=plan&plan.page=flat&flat.m=8&flat.k=4096" });
  const { page } = app;
  const rows = ["M,N,K,dtype,BN,us"];
  for (const n of [1024, 4096]) for (const [bn, us] of [[32, 10], [64, n > 2000 ? 8 : 12], [128, 15]]) rows.push(`8,${n},4096,fp16,${bn},${us}`);
  await app.drop({ name: "sweep.csv", text: rows.join("\n") });
  await page.waitForFunction(() => document.querySelector(".plan-body").innerText.includes("Measured:"));
  assert.match(await app.hover(/N 4096, B_N 64: .*measured best/), /100 %/);
  app.assertQuiet();
});

test("the keyboard alone walks the tabs, the settings and the map", async (t) => {
  const app = await GemmscopePage.open({ t, path: "#view=plan&plan.page=tile" });
  const { page } = app;
  await drawn(page, /Tile explorer/);
  const focused = () => page.evaluate(() => document.activeElement.dataset.control ?? document.activeElement.className);
  const reached = new Set();
  for (let i = 0; i < 60 && !(await focused()).includes("chart-stage"); i += 1) {
    await page.keyboard.press("Tab");
    reached.add(await focused());
  }
  for (const key of ["tool.m", "tool.type", "tool.bm", "tool.stages", "tool.x"]) assert.ok(reached.has(key), `${key} is not reached`);
  assert.match(await focused(), /chart-stage/);
  const seen = new Set();
  for (const key of ["ArrowRight", "ArrowRight", "ArrowDown", "ArrowDown"]) {
    await page.keyboard.press(key);
    await app.settle();
    seen.add(await app.tooltip());
  }
  assert.equal(seen.size, 4, [...seen].join(" | "));
  app.assertQuiet();
});

test("a config.json is planned, a wrong one is told its key", async (t) => {
  const page = await openPage({ t, path: "#plan.devices=h100-sxm" });
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
  assert.match(await list.locator("tr", { hasText: "up_proj" }).first().innerText(), /up_proj\t8 × 5632 × 2048/);
  await dropFiles(page, [{ name: "config.json", text: JSON.stringify({ ...config, hidden_size: "wide" }) }]);
  await page.locator(".notice.bad", { hasText: "hidden_size" }).waitFor();
  assertQuiet(page);
});

test("a measured trace reads as the layers of its model", async (t) => {
  const file = fixture("fixtures/reports/prefill_mi300x/GEMM.csv");
  const page = await openPage({ t, path: "#view=plan&device=mi300x&plan.devices=mi300x" });
  await page.evaluate(() => delete document.documentElement.dataset.ready);
  await upload(page, [file]);
  await waitReady(page);
  await page.locator('[data-fit="qwen1.5-0.5b"]').click();
  const list = page.locator('[data-list="measured"]');
  await list.waitFor();
  const row = await list.locator("tr", { hasText: "2816" }).first().innerText();
  assert.match(row, /gate_proj or up_proj\t6016\t2816\t1024/);
  // Rows of a prefill are no part of a decode.
  await drawn(page, /Roofline of 0 GEMMs and \d+ planned ones/);
  await page.locator("[data-measured-step]").click();
  await drawn(page, /Roofline of [1-9]\d* GEMMs? and \d+ planned ones/);
  await screenshot(page, "plan-measured");
  assertQuiet(page);
});

test("a selected measured row is named in its model, and its step planned", async (t) => {
  const file = fixture("fixtures/reports/prefill_mi300x/GEMM.csv");
  const app = await GemmscopePage.open({ t, path: "#view=table&device=mi300x" });
  await app.load(file);
  const cell = (text) => app.page.locator(".data-grid-row", { hasText: text }).first();
  await cell(/2816.*1024/).click();
  await app.settle();
  assert.match(await app.detail(), /In the model\s+gate projection or up projection of Qwen1\.5 0\.5B, 6016 tokens/i);
  // What the model does not have is said to be none.
  await cell(/32\D+512\D+1/).click();
  await app.settle();
  assert.match(await app.detail(), /Qwen1\.5 0\.5B has no GEMM of this shape/);
  await cell(/2816.*1024/).click();
  // Its kernel's MT128x224x64 covers 224 rows and 128 columns.
  await app.page.getByRole("button", { name: "Explore its tiles" }).click();
  await drawn(app.page, /Tile explorer of 6016 × 2816 × 1024 bf16/);
  assert.equal(await total(app.page, "Tiles"), "27 × 22");
  await app.choosePlace("Table");
  await app.page.getByRole("button", { name: "Plan this step" }).click();
  const page = app.page;
  await drawn(page, /Roofline of [1-9]\d* GEMMs? and \d+ planned ones under the roof of AMD Instinct MI300X/);
  const list = page.getByRole("region", { name: "GEMMs of a step" });
  assert.match(await list.locator("tr", { hasText: "up_proj" }).first().innerText(), /up_proj\t6016 × 2816 × 1024/);
  assert.match(await page.locator(".plan-head p").innerText(), /Qwen1\.5 0\.5B: prefill of 1 prompt of 6016 tokens, bf16/);
  app.assertQuiet();
});

test("the planner takes the batch that the measured rows have", async (t) => {
  // Two layers of Llama 3 8B at a batch of 24.
  const rows = ["M,N,K,dtype,us", "24,6144,4096,bf16,30", "24,14336,4096,bf16,60", "24,4096,14336,bf16,61"];
  const app = await GemmscopePage.open({ t, path: "#view=plan&plan.model=llama-3-8b&device=mi300x" });
  await app.drop({ name: "layers.csv", text: rows.join("\n") });
  const { page } = app;
  assert.match(await page.locator(".plan-body").innerText(), /24 tokens per layer: decode of 24 sequences/);
  await page.locator("[data-measured-step]").click();
  await page.waitForFunction(() => document.querySelector('[data-control="plan.batch"]').value === "24");
  assert.match(await page.getByRole("region", { name: "Measured rows in this model" }).innerText(), /qkv_proj\t24\t6144\t4096/);
  assert.match(await app.hover(/In the model/), /In the model\s+(gate_proj or up_proj|qkv_proj|down_proj)/);
  app.assertQuiet();
});

test("the ridge on the roofline names the batch, and any device can be the first", async (t) => {
  const app = await GemmscopePage.open({ t, path: "#view=plan&plan.model=llama-2-7b&plan.batch=64&plan.devices=h100-sxm,mi300x" });
  const { page } = app;
  const number = async () => /(\d+)$/.exec((await page.locator('[data-crossing="up_proj"]').innerText()).trim())[1];
  const first = await number();
  assert.match(await app.hover(/Ridge at 295/), new RegExp(`up_proj\\s+from batch ${first}`));
  assert.match(await page.locator("h3", { hasText: "GEMMs of a step" }).innerText(), /H100/);
  await page.getByRole("button", { name: "MI300X", exact: true }).click();
  await page.locator("h3", { hasText: /GEMMs of a step On AMD Instinct MI300X/ }).waitFor();
  assert.notEqual(await number(), first);
  assert.match(await app.hover(/Ridge at 246/), new RegExp(`up_proj\\s+from batch ${await number()}`));
  assert.equal(await app.state("plan.devices"), "mi300x,h100-sxm");
  app.assertQuiet();
});

test("a setting that cannot be read is named and spoils no other; shapes are saved; a file brings its device", async (t) => {
  const app = await GemmscopePage.open({ t, viewport: DESKTOP, path: "#view=plan&plan.model=llama-2-7b&plan.batch=many&plan.tp=1&plan.devices=h100-sxm" });
  const { page } = app;
  await page.locator(".notice.bad", { hasText: "plan.batch" }).waitFor();
  assert.equal(await page.locator('[data-control="plan.model"]').inputValue(), "llama-2-7b");
  await drawn(page, /planned/);
  for (const [key, text] of [["plan.batch", "0"], ["plan.tp", "2.5"]]) {
    const field = page.locator(`[data-control="${key}"]`);
    const kept = await field.inputValue();
    await field.fill(text);
    await field.press("Enter");
    await app.settle();
    assert.match(await app.status(), new RegExp(`Expected a whole number from 1 to \\d+: ${text}`));
    assert.equal(await field.inputValue(), kept);
  }
  // What each file holds is crates/analysis/src/planner/tests.rs.
  for (const [id, pattern] of [["csv", /up_proj/], ["hipblaslt", /hipblaslt-bench -m 11008 -n 8 -k 4096/], ["cutlass", /cutlass_profiler/], ["tritonbench", /^M,K,N,Bias/], ["markdown", /\| up_proj \|/]]) {
    await page.getByRole("button", { name: "Save the plan" }).click();
    const saved = await app.download(() => page.locator(`[data-export="${id}"]`).click());
    assert.match(saved.text, pattern, id);
  }
  await page.getByRole("button", { name: "Remove H100 80GB HBM3" }).click();
  await app.load(fixture("fixtures/iree/iree.csv"));
  await page.waitForFunction(() => location.hash.includes("plan.devices=mi300x"));
  app.assertQuiet();
});
