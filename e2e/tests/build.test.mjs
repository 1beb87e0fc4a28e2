// The result of the build: one program within its size limit, for the supported browsers; and fixtures that match their
// script.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { fixtures } from "../../scripts/gen_fixtures.mjs";
import { withLinks } from "../../scripts/header.mjs";
import { LIMIT, total, weigh } from "../../scripts/size.mjs";
import { dist, fixture } from "../harness.mjs";

const project = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
const BUILT = join(process.env.CARGO_TARGET_DIR ?? join(project, "target"), "wasm32-unknown-unknown");

test("the program is one file, within its limit; over it, the build stops", (t) => {
  assert.equal(readdirSync(dist, { recursive: true }).filter((name) => name.endsWith(".wasm")).length, 1);
  const { raw, gzip } = total(weigh(dist));
  assert.ok(raw > gzip && gzip < LIMIT, `${gzip} of ${LIMIT}`);
  const folder = mkdtempSync(join(tmpdir(), "gemmscope-build-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const stopped = () => spawnSync(process.execPath, [join(project, "scripts", "size.mjs"), folder], { encoding: "utf8" });
  // Random bytes, which do not compress.
  writeFileSync(join(folder, "gemmscope-page-0_bg.wasm"), randomBytes(LIMIT - 100_000));
  assert.equal(stopped().status, 0, stopped().stderr);
  writeFileSync(join(folder, "style-0.css"), randomBytes(200_000));
  assert.equal(stopped().status, 1);
  assert.match(stopped().stderr, new RegExp(`over its limit: \\d+ kB after gzip of ${LIMIT / 1000} kB`));
  // Belongs to another page.
  rmSync(join(folder, "style-0.css"));
  writeFileSync(join(folder, "gemmscope.html"), randomBytes(200_000));
  assert.equal(stopped().status, 0);
});

test("the program is compiled with SIMD, for which the page asks before it starts", () => {
  const program = new WebAssembly.Module(readFileSync(join(BUILT, "site", "gemmscope-page.wasm")));
  const [features] = WebAssembly.Module.customSections(program, "target_features");
  assert.match(Buffer.from(features).toString("latin1"), /\+.?simd128/s);
});

test("the header links to documentation and source where the build names them", () => {
  const html = readFileSync(join(project, "index.html"), "utf8");
  assert.equal(withLinks(html, {}), html);
  assert.match(html, /<nav class="header-links"[^>]* hidden>/);
  const filled = withLinks(html, { docs: "docs/", source: 'https://example.org/a?b&c="' });
  assert.match(filled, /<nav class="header-links" aria-label="About gemmscope"><a rel="help" href="docs\/">Documentation<\/a><a href="https:\/\/example\.org\/a\?b&amp;c=&quot;">Source<\/a><\/nav>/);
});

test("the fixtures that a script writes are as committed", () => {
  for (const [path, text] of Object.entries(fixtures())) assert.equal(readFileSync(fixture(`fixtures/${path}`), "utf8"), text, path);
});
