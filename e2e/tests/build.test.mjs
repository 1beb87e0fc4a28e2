// What the build makes of what the compiler wrote: the right program, within its budget, for the browsers it is meant
// for; and fixtures that are what their script writes.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { copyFileSync, cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { fixtures } from "../../scripts/gen_fixtures.mjs";
import { BUDGET, over, read, weigh } from "../../scripts/size.mjs";
import { compiled } from "../../scripts/split.mjs";
import { dist, fixture } from "../harness.mjs";

const project = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
const BUILT = join(process.env.CARGO_TARGET_DIR ?? join(project, "target"), "wasm32-unknown-unknown");

/** A folder that is gone when the test ends. */
function scratch(t) {
  const folder = mkdtempSync(join(tmpdir(), "gemmscope-build-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

test("the profile that was asked for names the program, whatever was built last", (t) => {
  const elsewhere = process.env.CARGO_TARGET_DIR;
  delete process.env.CARGO_TARGET_DIR;
  t.after(() => elsewhere && (process.env.CARGO_TARGET_DIR = elsewhere));
  const root = scratch(t);
  const at = (profile) => join(root, "target", "wasm32-unknown-unknown", profile, "gemmscope-page.wasm");
  for (const [i, profile] of ["site", "quick", "debug"].entries()) {
    mkdirSync(dirname(at(profile)), { recursive: true });
    writeFileSync(at(profile), profile);
    utimesSync(at(profile), 1e9 + i, 1e9 + i);
  }
  for (const [profile, folder, small] of [["site", "site", true], ["quick", "quick", false], ["dev", "debug", false]]) {
    assert.deepEqual(compiled(root, profile), { path: at(folder), small, named: false });
  }
  assert.throws(() => compiled(root, "release"), /the profile release was not built/);
  assert.throws(() => compiled(root, undefined), /no cargo profile is named/);
});

test("after a debug build the program of the profile is what is split", { timeout: 120_000 }, (t) => {
  // The site's program stands where one of the profile `quick` would, which is split without being made small; the
  // debug program beside it is newer.
  const root = scratch(t);
  const built = join(root, "target", "wasm32-unknown-unknown");
  for (const profile of ["quick", "debug"]) mkdirSync(join(built, profile), { recursive: true });
  assert.ok(existsSync(join(BUILT, "site", "gemmscope-page.wasm")), "the site is not built: run `make build` first");
  copyFileSync(join(BUILT, "site", "gemmscope-page.wasm"), join(built, "quick", "gemmscope-page.wasm"));
  writeFileSync(join(built, "debug", "gemmscope-page.wasm"), "a debug program");
  const staging = join(root, "dist");
  cpSync(dist, staging, { recursive: true });
  const parts = (at) => readdirSync(at).filter((name) => /^parts?-/.test(name));
  for (const name of parts(staging)) rmSync(join(staging, name));
  const run = (profile) => {
    const script = `import { split } from ${JSON.stringify(join(project, "scripts", "split.mjs"))}; await split(${JSON.stringify(staging)}, ${JSON.stringify(root)}, ${JSON.stringify(profile)});`;
    const env = { ...process.env, CARGO_TARGET_DIR: join(root, "target") };
    return spawnSync(process.execPath, ["--input-type=module", "-e", script], { encoding: "utf8", env });
  };
  assert.notEqual(run("dev").status, 0, "the debug program here is none, so it cannot be split");
  assert.deepEqual(parts(staging), []);
  const done = run("quick");
  assert.equal(done.status, 0, done.stderr);
  // The same parts as the site's. The bytes differ, since these are not made small.
  const stems = (at) => parts(at).map((name) => name.replace(/-[0-9a-f]+(?=\.)/, ""));
  assert.deepEqual(stems(staging), stems(dist));
});

test("the site keeps to its budget; over it, the build stops and names the part that grew", (t) => {
  const sums = weigh(read(dist));
  for (const [sum, { parts }] of Object.entries(BUDGET)) assert.deepEqual(Object.keys(sums[sum]).sort(), Object.keys(parts).sort(), sum);
  assert.deepEqual(over(sums), []);
  const grown = structuredClone(sums);
  grown["later parts"].plan.gzip += 200;
  const said = over(grown);
  assert.equal(said.length, 1);
  const { limit, parts } = BUDGET["later parts"];
  const now = grown["later parts"].plan.gzip.toFixed(0);
  assert.match(said[0], new RegExp(`^later parts: \\d+ kB, the budget is ${limit} kB; grown: plan ${parts.plan} -> ${now} kB`));

  const folder = scratch(t);
  cpSync(dist, folder, { recursive: true });
  // Noise, which no compression makes smaller.
  let seed = 1;
  const noise = Buffer.from(Array.from({ length: 300_000 }, () => (seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0) >>> 24));
  writeFileSync(join(folder, "part-split_plan-000000000000.wasm"), noise);
  const stopped = spawnSync(process.execPath, [join(project, "scripts", "size.mjs"), folder], { encoding: "utf8" });
  assert.equal(stopped.status, 1);
  assert.match(stopped.stderr, /over budget: later parts: .*grown: plan/);
});

test("the program is compiled with SIMD, for which the page asks before it starts", () => {
  const program = new WebAssembly.Module(readFileSync(join(BUILT, "site", "gemmscope-page.wasm")));
  const [features] = WebAssembly.Module.customSections(program, "target_features");
  assert.match(Buffer.from(features).toString("latin1"), /\+.?simd128/s);
});

test("the fixtures that a script writes are as committed", () => {
  for (const [path, text] of Object.entries(fixtures())) assert.equal(readFileSync(fixture(`fixtures/${path}`), "utf8"), text, path);
});
