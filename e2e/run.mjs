// node e2e/run.mjs [--real] [name ...]: runs the end-to-end tests (those whose file name contains a name), as many files at
// a time as there are processors, at most four, and ends with a line of totals. --real runs those over real files
// instead, which lie in the folder that GEMMSCOPE_DATA names. CI=true prints one line a test without colour.
import { readdirSync, statSync } from "node:fs";
import { availableParallelism } from "node:os";
import { dirname, join } from "node:path";
import { run } from "node:test";
import { spec } from "node:test/reporters";
import { fileURLToPath } from "node:url";

const words = process.argv.slice(2);
const real = words.includes("--real");
const wanted = words.filter((word) => word !== "--real");
if (real && !process.env.GEMMSCOPE_DATA) throw new Error("GEMMSCOPE_DATA names no folder: make test-real DATA=FOLDER");
const folder = join(dirname(fileURLToPath(import.meta.url)), real ? "real" : "tests");
const size = (path) => statSync(path).size;
const files = readdirSync(folder)
  .filter((name) => name.endsWith(".test.mjs") && (!wanted.length || wanted.some((part) => name.includes(part))))
  .map((name) => join(folder, name))
  // Long ones first, so that none is left over at the end.
  .sort((a, b) => size(b) - size(a));

const totals = { passed: 0, failed: 0, skipped: 0 };
// A browser each.
const stream = run({ files, concurrency: Math.min(4, availableParallelism()), timeout: 300_000 });
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
