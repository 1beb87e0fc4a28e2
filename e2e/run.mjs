// node e2e/run.mjs [name ...]: runs the end-to-end tests (those whose file name contains a name) and ends with a line
// of totals. CI=true prints one line a test without colour.
import { readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { run } from "node:test";
import { spec } from "node:test/reporters";
import { fileURLToPath } from "node:url";

const folder = join(dirname(fileURLToPath(import.meta.url)), "tests");
const wanted = process.argv.slice(2);
const files = readdirSync(folder)
  .filter((name) => name.endsWith(".test.mjs") && (!wanted.length || wanted.some((part) => name.includes(part))))
  .sort()
  .map((name) => join(folder, name));

const totals = { passed: 0, failed: 0, skipped: 0 };
// One file at a time: a browser each, and the timings some tests look at stay comparable.
const stream = run({ files, concurrency: 1, timeout: 300_000 });
const leaf = (data) => data.details?.type !== "suite" && !files.includes(data.name);
stream.on("test:pass", (data) => {
  if (leaf(data)) totals[data.skip !== undefined && data.skip !== false ? "skipped" : "passed"] += 1;
});
stream.on("test:fail", (data) => {
  process.exitCode = 1;
  if (leaf(data) || data.details?.error?.failureType === "testCodeFailure") totals.failed += 1;
});
stream.on("end", () => process.once("beforeExit", report));
stream.compose(spec).pipe(process.stdout);

let reported = false;
function report() {
  if (reported) return;
  reported = true;
  if (!totals.passed && !totals.failed) process.exitCode = 1;
  console.log(`e2e: ${totals.passed} passed, ${totals.failed} failed, ${totals.skipped} skipped`);
}
