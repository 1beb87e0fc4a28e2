// Documentation systems, run for real on tiny sites, with the element opened under a strict policy; our own book; the
// snippet in the README.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { serve } from "../../scripts/static.mjs";
import { dist, fixture, newContext, screenshot, site } from "../harness.mjs";

const project = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
const PLACEHOLDER = "https://host/gemmscope/";
let folder, viewer;

before(async () => {
  viewer = await site("pages");
  folder = mkdtempSync(join(tmpdir(), "gemmscope-docs-"));
});
after(() => rmSync(folder, { recursive: true, force: true }));

function tool(name) {
  try {
    execFileSync(name, ["--version"], { stdio: "ignore" });
  } catch {
    assert.fail(`${name} is not there: scripts/setup.sh installs it`);
  }
  return name;
}

/** A copy of a recipe with the address of the built site and the data file. */
function recipe(name, dataFolder) {
  const at = join(folder, name);
  cpSync(join(project, "e2e", "recipes", name), at, { recursive: true });
  for (const file of readdirSync(at, { recursive: true }).filter((f) => /\.(md|rst|py|ya?ml)$/.test(f))) {
    const path = join(at, file);
    writeFileSync(path, readFileSync(path, "utf8").replaceAll(PLACEHOLDER, viewer));
  }
  cpSync(fixture("fixtures/generic/plain.csv"), join(at, dataFolder, "bench.csv"));
  return at;
}

/** The policy that a page needs according to the guide: hosts, and hashes of the system's own inline scripts. */
function policy(html) {
  const inline = [...html.matchAll(/<script(?![^>]*\ssrc=)[^>]*>([\s\S]*?)<\/script>/g)].map(([, js]) => `'sha256-${createHash("sha256").update(js).digest("base64")}'`);
  const origin = new URL(viewer).origin;
  return (
    `default-src 'self'; script-src 'self' ${origin} ${[...new Set(inline)].join(" ")}; frame-src ${origin}; ` +
    "style-src 'self' 'unsafe-inline'; img-src 'self' data:; base-uri 'none'; form-action 'none'"
  );
}

/** Opens a page of a built site under its policy and waits until the element shows the data. */
async function opens(t, root, path, name) {
  const html = readFileSync(join(root, path), "utf8");
  const server = await serve(root, { headers: { "content-security-policy": policy(html) } });
  t.after(() => server.close());
  const context = await newContext({ viewport: { width: 1200, height: 900 } });
  t.after(() => context.close());
  const page = await context.newPage();
  const blocked = [];
  await page.exposeFunction("__csp", (line) => blocked.push(line));
  await page.addInitScript(() => addEventListener("securitypolicyviolation", (e) => window.__csp(`${e.effectiveDirective} ${e.blockedURI}`)));
  await page.goto(server.url + path);
  await page.locator("gemm-scope").first().scrollIntoViewIfNeeded();
  await page.waitForFunction(() => document.querySelector("gemm-scope").shadowRoot?.querySelector(".ready"), null, { timeout: 30_000 });
  const [summary] = await page.evaluate(() => document.querySelector("gemm-scope").export("summary"));
  assert.equal(summary.rows_used, 4);
  await screenshot(page, `docs-${name}`);
  assert.deepEqual(blocked, []);
  return page;
}

test("mdBook", async (t) => {
  const at = recipe("mdbook", "src");
  execFileSync(tool("mdbook"), ["build", at], { stdio: "pipe" });
  const page = await opens(t, join(at, "book"), "index.html", "mdbook");
  await page.evaluate(() => document.documentElement.classList.replace("light", "navy"));
  await page.frames()[1].waitForFunction(() => document.documentElement.dataset.theme === "dark");
});

test("MkDocs Material", async (t) => {
  const at = recipe("mkdocs", "docs");
  execFileSync(tool("mkdocs"), ["build", "--quiet", "--strict"], { cwd: at, stdio: "pipe" });
  await opens(t, join(at, "site"), "index.html", "mkdocs");
});

test("Sphinx: the directive with its picture first, and the element by hand in MyST", async (t) => {
  const at = recipe("sphinx", ".");
  // As if the wheel were installed.
  const env = { ...process.env, PYTHONPATH: join(project, "python", "src"), GEMMSCOPE: join(project, "target", "debug", "gemmscope") };
  execFileSync(tool("sphinx-build"), ["-q", "-W", "-b", "html", at, join(at, "out")], { stdio: "pipe", env });
  assert.match(readFileSync(join(at, "out", "index.html"), "utf8"), /<gemm-scope [^>]*><a [^>]*href="_downloads\/\w+\/bench.csv"><img alt="[^"]+" src="_images\/\w+\.svg"/);
  await opens(t, join(at, "out"), "index.html", "sphinx");
  await opens(t, join(at, "out"), "markdown.html", "myst");
});

test("our own book: built, no dead link, its element live", async (t) => {
  const out = join(folder, "pages");
  cpSync(dist, out, { recursive: true });
  execFileSync(process.execPath, [join(project, "scripts", "docs.mjs"), join(out, "docs")], { stdio: "pipe" });
  execFileSync(process.execPath, [join(project, "scripts", "links.mjs"), out, "docs"], { stdio: "pipe" });
  const server = await serve(out, { base: "/repo/", headers: { "access-control-allow-origin": "*" } });
  t.after(() => server.close());
  const context = await newContext({ viewport: { width: 1200, height: 900 } });
  t.after(() => context.close());
  const page = await context.newPage();
  await page.goto(`${server.url}docs/embedding.html`);
  await page.locator("gemm-scope").first().scrollIntoViewIfNeeded();
  await page.waitForFunction(() => document.querySelector("gemm-scope").shadowRoot?.querySelector(".ready"), null, { timeout: 30_000 });
  assert.equal(await page.evaluate(() => document.body.innerHTML.includes("{{")), false);
  await screenshot(page, "docs-own");
  await page.locator("#mdbook-search-toggle").click();
  // A search before the index is loaded finds nothing.
  await page.waitForFunction(() => document.querySelector("#mdbook-search-index") && !document.querySelector(".searching"));
  await page.locator("#mdbook-searchbar").pressSequentially("hipblaslt-bench");
  await page.locator('#mdbook-searchresults a[href*="libraries.html"]').first().waitFor();
});

test("the README's snippet in a blank page", async (t) => {
  const readme = readFileSync(join(project, "README.md"), "utf8");
  const snippet = readme.match(/```html\n(<gemm-scope[\s\S]*?)```/)?.[1];
  assert.ok(snippet, "README.md has an embed snippet");
  const at = mkdtempSync(join(folder, "readme-"));
  // Only the address of the site differs.
  writeFileSync(join(at, "index.html"), `<!doctype html><title>blank</title>\n${snippet.replace(/https:\/\/[^"]*\/(?=gemm-scope\.js)/, viewer)}`);
  cpSync(fixture("fixtures/generic/plain.csv"), join(at, "bench.csv"));
  await opens(t, at, "index.html", "readme");
});
