// A screenshot of the built site, for a person to look at:
//
//   node scripts/shot.mjs --out DIR [--name shot] [--file PATH ...] [--hash '#...'] [--size 1440x900] [--dpr 1]
//                         [--theme dark] [--eval JS] [--full] [--wait MS]
//
// Files go through the first file input; --eval then runs in the page and prints its result. Console errors are
// printed. Needs `make build` and the modules of the end-to-end tests (`make setup`).
import { mkdirSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { serve } from "./static.mjs";

const { chromium } = createRequire(new URL("../e2e/package.json", import.meta.url))("playwright-core");
const { values: options } = parseArgs({
  options: {
    out: { type: "string", default: "e2e/out" },
    name: { type: "string", default: "shot" },
    file: { type: "string", multiple: true, default: [] },
    hash: { type: "string", default: "" },
    size: { type: "string", default: "1440x900" },
    dpr: { type: "string", default: "1" },
    theme: { type: "string", default: "light" },
    eval: { type: "string" },
    full: { type: "boolean", default: false },
    wait: { type: "string", default: "0" },
    dist: { type: "string", default: "dist" },
  },
});
const [width, height] = options.size.split("x").map(Number);

const server = await serve(options.dist, { base: "/repo/" });
const browser = await chromium.launch({
  executablePath: process.env.CHROME ?? "/usr/bin/chromium",
  args: ["--no-sandbox", "--disable-gpu", "--disable-quic", "--disable-dev-shm-usage", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"],
});
try {
  const page = await browser.newPage({
    viewport: { width, height },
    deviceScaleFactor: Number(options.dpr),
    colorScheme: options.theme === "dark" ? "dark" : "light",
  });
  page.on("console", (message) => message.type() === "error" && console.error(`console: ${message.text()}`));
  page.on("pageerror", (error) => console.error(`page error: ${error}`));
  const ready = () =>
    page
      .waitForFunction(() => document.documentElement.dataset.ready === "1", null, { timeout: 3000 })
      .catch(() => console.error("not ready after 3 s: the picture is of what was there"));
  await page.goto(server.url + options.hash);
  await ready();
  if (options.file.length) {
    await page.evaluate(() => delete document.documentElement.dataset.ready);
    await page.locator('input[type="file"]').first().setInputFiles(options.file);
    await ready();
  }
  if (options.eval) {
    const value = await page.evaluate(options.eval);
    if (value !== undefined) console.log(typeof value === "string" ? value : JSON.stringify(value, null, 1));
  }
  await page.waitForTimeout(Number(options.wait) + 50);
  mkdirSync(options.out, { recursive: true });
  const path = join(options.out, `${options.name}.png`);
  await page.screenshot({ path, fullPage: options.full });
  console.log(path);
} finally {
  await browser.close();
  await server.close();
}
