// Devices: the catalogue with its sources, another device for a file, several in one file, the user's own, import and
// export as JSON.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { fixture, take, takeDevice } from "../harness.mjs";
import { DESKTOP, GemmscopePage } from "../page.mjs";

const PLAIN = fixture("fixtures/generic/plain.csv");

async function open(t, path = "") {
  const app = await GemmscopePage.open({ t, viewport: DESKTOP, path });
  await app.load(PLAIN);
  return app;
}

const efficiency = async (app) => (await app.only()).max_efficiency;

test("a file that names no device asks for one; the list is searched and walked by keys; the catalogue has every number with its source", async (t) => {
  const app = await open(t);
  assert.equal(await efficiency(app), null);
  assert.equal(await app.page.locator('[data-figure="efficiency"]').count(), 0);
  await takeDevice(app.page.getByRole("button", { name: "Device of these files" }), "MI300X");
  assert.equal(await app.page.locator(".notice.ask").count(), 0);
  assert.ok((await efficiency(app)) > 0);
  assert.equal(await app.state("device"), "mi300x");
  assert.match(await app.page.locator("#chart-roofline").textContent(), /ridge at/);
  await app.page.getByRole("button", { name: "Achievable" }).click();
  assert.equal(await app.state("roof"), "achievable");
  assert.match(await app.page.locator('[data-figure="efficiency"]').getAttribute("data-tip"), /under the achievable roof/);

  // The list opens at the current device.
  const button = app.page.getByRole("button", { name: /^Device: / });
  const option = (state) => app.page.locator(`[role="option"]${state}`);
  await button.focus();
  await app.page.keyboard.press("Enter");
  const field = app.page.getByRole("combobox", { name: "Search devices" });
  await field.waitFor();
  // It is selected, visible, and where the keys start.
  const used = option('[aria-selected="true"]');
  assert.match(await used.innerText(), /^MI300X/);
  assert.equal(await used.count(), 1);
  await app.settle();
  const inside = await used.evaluate((e) => {
    const [own, list] = [e.getBoundingClientRect(), e.parentElement.getBoundingClientRect()];
    return own.top >= list.top && own.bottom <= list.bottom;
  });
  assert.ok(inside, "the device in use is in sight");
  assert.equal(await field.getAttribute("aria-activedescendant"), await used.getAttribute("id"));
  assert.ok(await field.evaluate((e) => e === document.activeElement), "typing searches");
  const all = await option("").count();
  await app.page.keyboard.type("h100");
  const found = await option("").allInnerTexts();
  assert.ok(found.length > 1 && found.length < all && found.every((f) => /H100/.test(f)), `${found}`);
  await app.page.keyboard.press("ArrowDown");
  const chosen = await option(".active").innerText();
  assert.equal(chosen, found[1]);
  await app.page.keyboard.press("Enter");
  assert.equal(await option("").count(), 0, "a choice closes the list");
  assert.ok(chosen.startsWith((await button.innerText()).trim()), await button.innerText());
  assert.ok(await button.evaluate((e) => e === document.activeElement), "the button has the focus again");
  await app.page.keyboard.press("Enter");
  await field.fill("no such thing");
  await app.page.getByText("No device of this name").waitFor();
  await app.page.keyboard.press("Escape");
  assert.equal(await field.count(), 0);
  assert.ok(await button.evaluate((e) => e === document.activeElement));

  await app.page.keyboard.press("d");
  await app.dialog.waitFor();
  assert.ok((await app.dialog.locator(".device-entry").count()) >= 38);
  const search = app.dialog.getByRole("searchbox", { name: "Search devices" });
  assert.ok(await search.evaluate((e) => e === document.activeElement), "typing searches");
  await search.fill("h200");
  assert.ok((await app.dialog.locator(".device-entry").count()) <= 3);
  // The first match is shown immediately, and Enter chooses it.
  await app.dialog.getByRole("heading", { name: "NVIDIA H200", exact: true }).waitFor();
  const sheet = await app.dialog.locator(".device-sheet").innerText();
  for (const part of [/NVIDIA H200/, /4\.80 TB\/s/, /Dense peak/, /Summed in/, /A: the vendor's figures|B: from a secondary source/, /Datasheet: \S{5}/]) assert.match(sheet, part);
  const saved = await app.download(() => app.dialog.getByRole("button", { name: "JSON" }).click());
  assert.equal(JSON.parse(saved.text).name, "NVIDIA H200");
  await search.press("Enter");
  await app.dialog.waitFor({ state: "detached" });
  assert.equal(await app.state("device"), "h200-sxm");
  app.assertQuiet();
});

test("a device that a reader assumed is marked so, another one that is chosen is not", async (t) => {
  for (const [path, name] of [["", "Device: MI300X assumed"], ["#device=h100-sxm", "Device: H100 80GB HBM3"]]) {
    const app = await GemmscopePage.open({ t, viewport: DESKTOP, path });
    await app.load(fixture("fixtures/iree/sweep_library.csv"));
    await app.page.getByRole("button", { name, exact: true }).waitFor();
    app.assertQuiet();
  }
});

test("any number can be edited; an own device is kept, exported and read back, and so is a TraceLens platform file", async (t) => {
  const app = await open(t, "#v=1&device=h100-sxm");
  await app.kept();
  const before = await efficiency(app);
  await app.page.keyboard.press("d");
  await app.dialog.getByRole("button", { name: "Own device" }).click();
  await app.dialog.getByLabel("Name").fill("My chip");
  await app.dialog.getByLabel("Bandwidth, GB/s").fill("1000");
  await app.dialog.getByRole("button", { name: "Save" }).click();
  assert.match(await app.dialog.getByRole("alert").innerText(), /peak/i, "a device without a peak is refused in words");
  await app.dialog.getByRole("button", { name: "Add a type" }).click();
  await app.dialog.getByRole("textbox", { name: "Datasheet peak, TFLOP/s" }).fill("2000");
  await take(app.dialog.getByRole("combobox", { name: "Data type" }), "fp8_e4m3");
  await app.dialog.getByRole("button", { name: "Save" }).click();
  await app.dialog.getByRole("button", { name: "Use this device" }).click();
  // 2 x 4096^3 / 120.5 us = 1140.6 TFLOP/s of 2000.
  assert.ok(Math.abs((await efficiency(app)) - (2 * 4096 ** 3) / 120.5e-6 / 2e15) < 1e-6);
  assert.notEqual(await efficiency(app), before);

  await app.page.keyboard.press("d");
  const saved = await app.download(() => app.dialog.getByRole("button", { name: "JSON" }).click());
  await app.page.waitForFunction(() => localStorage["gemmscope.open"]);
  await app.page.reload();
  await app.page.waitForFunction(() => window.gemmscope?.summary().length === 1);
  assert.ok((await efficiency(app)) > 0.5, "still known after a reload");

  const other = await GemmscopePage.open({ t });
  await other.load({ name: saved.name, bytes: saved.bytes });
  assert.match(await other.status(), /My chip added and chosen/);
  await other.load(PLAIN);
  assert.ok((await efficiency(other)) > 0.5);

  // A platform file of TraceLens is a device too.
  const path = fixture("fixtures/device/platform.json");
  await other.drop(path);
  await other.settle();
  assert.ok((await efficiency(other)) > 0);
  const arch = JSON.parse(readFileSync(path, "utf8"));
  await other.page.keyboard.press("d");
  assert.ok((await other.dialog.innerText()).includes(arch.name));
});

test("several devices in one file: each row under its own roof, names can be told otherwise", async (t) => {
  const app = await GemmscopePage.open({ t, viewport: DESKTOP });
  await app.load(fixture("fixtures/aiter/two_devices.csv"));
  const s = await app.only();
  // One is identified by its name, the other is ambiguous, so the page asks.
  assert.equal(s.devices.length, 2);
  assert.ok(s.devices.includes("AMD Instinct MI300X"));
  assert.match(await app.page.locator("#chart-roofline").textContent(), /AMD Instinct MI300X bf16/);
  assert.deepEqual(Object.values(await app.facetCounts("Device")), [1, 1]);
  await app.page.locator(".notice.ask").getByRole("button", { name: "Devices…" }).click();
  const unknown = app.dialog.locator(".file-devices .field", { hasText: "gfx950" }).getByRole("button");
  assert.match(await unknown.innerText(), /one of .*MI350X.*: choose/);
  await takeDevice(unknown, "MI355X");
  await app.page.keyboard.press("Escape");
  assert.deepEqual((await app.only()).devices.sort(), ["AMD Instinct MI300X", "AMD Instinct MI355X"]);
  const roofs = await app.page.locator("#chart-roofline").textContent();
  for (const device of (await app.only()).devices) assert.ok(roofs.includes(`${device} bf16`), roofs);
  app.assertQuiet();
});
