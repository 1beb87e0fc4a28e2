// The output of a notebook cell, as made by the Python package, under the rules of its hosts.
import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { dist, fixture, newContext } from "../harness.mjs";

const project = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
const HOST = "http://notebook.example";
/** The package is optional, as is Python. */
const skip = spawnSync("python3", ["--version"]).status !== 0;

/** The output of `gemmscope.show` in a notebook. */
function cell(more = "") {
  const code = `import sys, gemmscope\nsys.stdout.write(gemmscope.show(sys.argv[1], device="mi300x", app=sys.argv[2]${more})._repr_html_())`;
  const env = { ...process.env, PYTHONPATH: join(project, "python/src"), GEMMSCOPE: join(project, "target/debug/gemmscope") };
  const args = ["-c", code, fixture("fixtures/generic/plain.csv"), join(dist, "gemmscope.html")];
  return execFileSync("python3", args, { env, encoding: "utf8", maxBuffer: 1 << 28 });
}

/** Hosts: their policy, their theme with its markup, and a switch to the other theme. */
const HOSTS = {
  // Policy of its notebook page, `backLayerWebView.ts` in microsoft/vscode.
  "VS Code": {
    policy:
      "default-src 'none'; script-src 'self' https://*.vscode-cdn.net 'unsafe-inline' 'unsafe-eval'; style-src 'self' https://*.vscode-cdn.net 'unsafe-inline'; " +
      "img-src 'self' https://*.vscode-cdn.net https: http: data:; font-src 'self' https:; connect-src https:; child-src https: data:",
    theme: "dark",
    body: `<body data-vscode-theme-kind="vscode-dark">`,
    turn: () => (document.body.dataset.vscodeThemeKind = "vscode-light"),
  },
  JupyterLab: {
    policy: "frame-ancestors 'self'",
    theme: "light",
    body: `<body data-jp-theme-light="true">`,
    turn: () => (document.body.dataset.jpThemeLight = "false"),
  },
};

/** The frame of the page once it is shown in this theme; a theme may replace the first frame by another one. */
async function shown(page, theme) {
  const inTheme = (theme) => {
    const { rows, theme: chosen } = document.documentElement.dataset;
    return rows === "4" && (chosen ?? (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light")) === theme;
  };
  for (const end = Date.now() + 60_000; Date.now() < end; await new Promise((done) => setTimeout(done, 100))) {
    const frame = await (await page.$("#output iframe"))?.contentFrame();
    if (await frame?.evaluate(inTheme, theme).catch(() => false)) return frame;
  }
  throw new Error(`the page is not there in its ${theme} theme`);
}

/** Shows an output as a notebook does: scripts run, the rest is markup. Waits for the page in this theme. */
async function show(t, output, { policy, body, theme }) {
  const context = await newContext({ viewport: { width: 1100, height: 700 }, colorScheme: "light" });
  t.after(() => context.close());
  const page = await context.newPage();
  const trouble = [];
  const asked = [];
  page.on("console", (message) => message.type() === "error" && trouble.push(message.text()));
  page.on("pageerror", (error) => trouble.push(String(error)));
  const text = `<!doctype html><html><head><link rel="icon" href="data:,"></head>${body}<div id="output"></div></body></html>`;
  await page.route(`${HOST}/**`, (route) => route.fulfill({ contentType: "text/html", headers: { "content-security-policy": policy }, body: text }));
  await page.goto(`${HOST}/`);
  page.on("request", (request) => asked.push(request.url()));
  await page.evaluate((html) => {
    const place = document.getElementById("output");
    place.innerHTML = html;
    for (const old of place.querySelectorAll("script")) {
      const script = document.createElement("script");
      script.textContent = old.textContent;
      old.replaceWith(script);
    }
  }, output);
  const frame = await shown(page, theme);
  return { page, frame, trouble, asked: () => asked.filter((url) => !/^(about|blob|data):/.test(url)) };
}

test("a cell shows the page with its data in every host's theme, asks nobody, and cannot reach the notebook", { skip }, async (t) => {
  const output = cell();
  for (const [name, { turn, ...host }] of Object.entries(HOSTS)) {
    const { page, frame, trouble, asked } = await show(t, output, host);
    assert.ok((await frame.locator("canvas").count()) > 0, name);
    await assert.rejects(frame.evaluate(() => parent.document.title), /SecurityError|Blocked a frame/);
    // A notebook sets its theme after showing the first outputs, and again when the user changes it.
    await page.evaluate(turn);
    await shown(page, host.theme === "dark" ? "light" : "dark");
    // The system's theme, which is light, no longer matters.
    await page.emulateMedia({ colorScheme: "dark" });
    await shown(page, host.theme === "dark" ? "light" : "dark");
    assert.deepEqual([trouble, asked()], [[], []], name);
  }
});

test("a chosen theme holds whatever the notebook's", { skip }, async (t) => {
  const { policy } = HOSTS.JupyterLab;
  await show(t, cell(`, theme="dark"`), { policy, body: `<body data-jp-theme-light="true">`, theme: "dark" });
});
