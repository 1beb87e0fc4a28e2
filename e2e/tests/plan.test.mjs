// The planner: needs no file, and shows its results over measured rows. Its results are tested in
// crates/analysis/src/planner and crates/chart/src/planner/tests.rs.
import assert from "node:assert/strict";
import { test } from "node:test";
import { DESKTOP, GemmscopePage } from "../page.mjs";
import { dropFiles, fixture, openPage, take, takeDevice } from "../harness.mjs";

/** Waits until the name of a chart matches, which is set after drawing. */
const drawn = (page, pattern) =>
  page.waitForFunction(
    (source) => [...document.querySelectorAll(".plan .chart-stage")].some((e) => new RegExp(source).test(e.getAttribute("aria-label") ?? "")),
    pattern.source,
  );
const total = (page, name) => page.locator(`[data-total="${name}"]`).innerText();
const gemms = (page) => page.getByRole("region", { name: "GEMMs of a step" });

test("a preset gives points without a file, a slider moves them past the ridge; the link gives them back", async (t) => {
  const app = await GemmscopePage.open({ t, viewport: DESKTOP });
  const { page } = app;
  await page.locator('[data-open="plan"]').click();
  await take(page.locator('[data-control="plan.model"]'), "llama-2-7b");
  // No device is chosen by default: the plan is an example, and says so. A letter typed in the list is not a shortcut.
  await drawn(page, /The step as 8 bars: .* on H100 80GB HBM3 \(an example: choose your device\)/);
  await drawn(page, /Step time over batch/);
  const add = page.getByRole("button", { name: "Add a device" });
  for (const name of ["H100 80GB HBM3", "MI300X"]) await takeDevice(add, name);
  await drawn(page, /16 planned ones under the roofs of/);
  const up = (await gemms(page).locator("tr", { hasText: "up_proj" }).first().innerText()).split("\t");
  assert.deepEqual(up.slice(0, 2), ["up_proj", "8 × 11008 × 4096"]);
  assert.match(await total(page, "Parameters"), /6\.738 billion/);

  // The ridge shows the batch, and any device can come first.
  const crossing = page.locator('[data-crossing="up_proj"]');
  const number = async () => /(\d+)$/.exec((await crossing.innerText()).trim())[1];
  const first = await number();
  assert.match(await app.hover(/Ridge at 295/), new RegExp(`up_proj\\s+from batch ${first}`));
  await page.getByRole("button", { name: "MI300X", exact: true }).click();
  await page.locator("h3", { hasText: /GEMMs of a step On AMD Instinct MI300X/ }).waitFor();
  assert.notEqual(await number(), first);
  assert.equal(await app.state("plan.devices"), "mi300x,h100-sxm");

  const pixels = () =>
    page.locator('[data-chart="plan"] canvas').first().evaluate((c) => {
      // Pixels of the accent's hue: rings and trail.
      const { data } = c.getContext("2d").getImageData(0, 0, c.width, c.height);
      let n = 0;
      for (let i = 0; i < data.length; i += 4) if (data[i + 2] > 150 && data[i] < 120 && data[i + 2] - data[i] > 90) n += 1;
      return n;
    });
  await page.getByRole("button", { name: "Remove H100 80GB HBM3" }).click();
  await drawn(page, /8 planned ones/);
  await page.mouse.move(5, 5);
  await page.locator('[data-control="plan.batch"]').fill("1");
  await page.keyboard.press("Enter");
  assert.doesNotMatch(await crossing.getAttribute("class"), /past/);
  const before = await pixels();
  const slider = page.locator('[data-slider="plan.batch"]');
  await slider.focus();
  for (let i = 0; i < 31; i += 1) await page.keyboard.press("ArrowRight");
  await page.waitForFunction(() => document.querySelector('[data-control="plan.batch"]').value === "512");
  const after = await pixels();
  assert.ok(after > before * 1.5, `no trail: ${before} and ${after} pixels`);
  assert.match(await crossing.getAttribute("class"), /past/);

  const again = await openPage({ t, path: new URL(page.url()).hash });
  await drawn(again, /8 planned ones/);
  assert.equal(await again.locator('[data-control="plan.model"]').inputValue(), "llama-2-7b");
  assert.equal(await again.locator('[data-control="plan.batch"]').inputValue(), "512");
  app.assertQuiet();
});

test("a setting that cannot be read is named and spoils no other; shapes are saved; a config.json is a model, a file brings its device", async (t) => {
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
    assert.match(await app.status(), new RegExp(`Expected a whole number from 1 to \\d+: ${text}`));
    assert.equal(await field.inputValue(), kept);
  }
  await page.getByRole("button", { name: "Save the plan" }).click();
  const saved = await app.download(() => page.locator('[data-export="hipblaslt"]').click());
  assert.match(saved.text, /hipblaslt-bench -m 11008 -n 8 -k 4096/);

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
  await gemms(page).locator("tr", { hasText: /up_proj\s*8 × 5632 × 2048/ }).first().waitFor();
  await dropFiles(page, [{ name: "config.json", text: JSON.stringify({ ...config, hidden_size: "wide" }) }]);
  await page.locator(".notice.bad", { hasText: "hidden_size" }).waitFor();

  await page.getByRole("button", { name: "Remove H100 80GB HBM3" }).click();
  await app.load(fixture("fixtures/iree/iree.csv"));
  await page.waitForFunction(() => location.hash.includes("plan.devices=mi300x"));
  app.assertQuiet();
});

test("every tool draws, says what it computes and follows its settings, by the keyboard alone", async (t) => {
  const app = await GemmscopePage.open({ t, path: "#view=plan&plan.page=tile&plan.devices=a100-80-sxm&tool.stages=5" });
  const { page } = app;
  await drawn(page, /Tile explorer/);
  // Arrow keys walk the tabs, the settings and the map.
  const focused = () => page.evaluate(() => document.activeElement.dataset.control ?? document.activeElement.className);
  const reached = new Set();
  for (let i = 0; i < 60 && !(await focused()).includes("chart-stage"); i += 1) {
    await page.keyboard.press("Tab");
    reached.add(await focused());
  }
  for (const key of ["tool.m", "tool.type", "tool.bm", "tool.stages", "tool.x"]) assert.ok(reached.has(key), `${key} is not reached`);
  assert.match(await focused(), /chart-stage/);
  const seen = new Set();
  for (const key of ["ArrowRight", "ArrowRight", "ArrowDown"]) {
    await page.keyboard.press(key);
    seen.add(await app.tooltip());
  }
  assert.equal(seen.size, 3, [...seen].join(" | "));

  assert.match(await page.locator(".plan-note").first().innerText(), /Does not run as chosen: the stages take 192 KiB of shared memory/);
  await page.locator('[data-control="tool.stages"]').fill("3");
  await page.keyboard.press("Tab");
  assert.doesNotMatch(await page.locator(".plan-body").innerText(), /Does not run/);
  assert.equal(await total(page, "Shared memory"), "144 KiB");
  // Three stages are the default, so the link does not contain them.
  assert.doesNotMatch(page.url(), /tool\.stages/);

  const tab = async (name, pattern) => {
    await page.getByRole("navigation", { name: "Pages of the plan" }).getByRole("button", { name, exact: true }).click();
    await drawn(page, pattern);
  };
  await tab("Fusion", /separate and fused/);
  assert.match(await total(page, "Traffic, separate"), / MB/);
  await tab("Flat GEMM", /Flat GEMM model/);
  await tab("Launch order", /Launch order of/);

  // 9 x 9 tiles of 128 x 128 x 128.
  const sizes = ["m", "n", "k"].map((s) => `tool.${s}=1152`).join("&");
  const tile = ["bm", "bn", "bk"].map((s) => `tool.${s}=128`).join("&");
  await app.go(`#view=plan&plan.page=order&${sizes}&${tile}&order.programs=9&order.group=1`);
  await drawn(page, /Launch order of 9 × 9 tiles, 9 at once/);
  await page.locator('[data-slider="order.group"]').focus();
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("ArrowRight");
  await drawn(page, /in groups of 3/);
  assert.equal(await total(page, "Loads, grouped"), "54");
  assert.equal(await app.state("order.group"), "3");
  app.assertQuiet();
});

test("measured rows: named in their model, their step planned, their tile explored, their batch taken, their sweep beside the model", async (t) => {
  const app = await GemmscopePage.open({ t, viewport: DESKTOP, path: "#view=table&device=mi300x" });
  const { page } = app;
  await app.load(fixture("fixtures/reports/prefill_mi300x/GEMM.csv"));
  const cell = (text) => page.locator(".data-grid-row", { hasText: text }).first();
  await cell(/2816.*1024/).click();
  assert.match(await app.detail(), /In the model\s+gate projection or up projection of Qwen1\.5 0\.5B, 6016 tokens/i);
  // GEMMs that are not in the model are marked as such.
  await cell(/32\D+512\D+1/).click();
  assert.match(await app.detail(), /Qwen1\.5 0\.5B has no GEMM of this shape/);
  await cell(/2816.*1024/).click();
  // Its kernel's MT128x224x64 covers 224 rows and 128 columns.
  await page.getByRole("button", { name: "Explore its tiles" }).click();
  await drawn(page, /Tile explorer of 6016 × 2816 × 1024 bf16/);
  assert.equal(await total(page, "Tiles"), "27 × 22");
  await app.choosePlace("Table");
  await page.getByRole("button", { name: "Plan this step" }).click();
  await drawn(page, /Roofline of [1-9]\d* rows? and \d+ planned ones under the roof of AMD Instinct MI300X/);
  assert.match(await gemms(page).locator("tr", { hasText: "up_proj" }).first().innerText(), /up_proj\t6016 × 2816 × 1024/);
  assert.match(await page.locator(".plan-head p").innerText(), /Qwen1\.5 0\.5B: prefill of 1 prompt of 6016 tokens, bf16/);

  // Chosen in the planner: rows of a prefill do not belong to a decode step.
  await app.go("#view=plan&device=mi300x&plan.devices=mi300x");
  await page.locator('[data-fit="qwen1.5-0.5b"]').click();
  const list = page.locator('[data-list="measured"]');
  await list.waitFor();
  assert.match(await list.locator("tr", { hasText: "2816" }).first().innerText(), /gate_proj or up_proj\t6016\t2816\t1024/);
  await drawn(page, /Roofline of 0 rows and \d+ planned ones/);
  await page.locator("[data-measured-step]").click();
  await drawn(page, /Roofline of [1-9]\d* rows? and \d+ planned ones/);
  await app.remove("GEMM.csv");

  // Two layers of Llama 3 8B at a batch of 24.
  const layers = ["M,N,K,dtype,us", "24,6144,4096,bf16,30", "24,14336,4096,bf16,60", "24,4096,14336,bf16,61"];
  await app.go("#view=plan&plan.model=llama-3-8b&device=mi300x");
  await app.drop({ name: "layers.csv", text: layers.join("\n") });
  assert.match(await page.locator(".plan-body").innerText(), /24 tokens per layer: decode of 24 sequences/);
  await page.locator("[data-measured-step]").click();
  await page.waitForFunction(() => document.querySelector('[data-control="plan.batch"]').value === "24");
  assert.match(await app.hover(/In the model/), /In the model\s+(gate_proj or up_proj|qkv_proj|down_proj)/);
  await app.remove("layers.csv");

  const rows = ["M,N,K,dtype,BN,us"];
  for (const n of [1024, 4096]) for (const [bn, us] of [[32, 10], [64, n > 2000 ? 8 : 12], [128, 15]]) rows.push(`8,${n},4096,fp16,${bn},${us}`);
  await app.go("#view=plan&plan.page=flat&flat.m=8&flat.k=4096");
  await app.drop({ name: "sweep.csv", text: rows.join("\n") });
  await page.waitForFunction(() => document.querySelector(".plan-body").innerText.includes("Measured:"));
  assert.match(await app.hover(/8 × 4096 × 4096, BN 64[\s\S]*Measured best/), /100 %/);
  app.assertQuiet();
});
