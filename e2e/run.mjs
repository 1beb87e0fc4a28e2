// node e2e/run.mjs [--real] [name ...]: runs the end-to-end tests (those whose file name contains a name), as many files at
// a time as there are processors, at most four, and ends with a line of totals. --real runs those over real files
// instead, which lie in the folder that GEMMSCOPE_DATA names. CI=true prints one line a test without colour.
//
// A few failed tests run once more, alone: a busy machine must not refuse a change. They are named in the output either
// way, and a test that fails twice has failed.
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

/** More failures than this are no accident. */
const RETRIED = 4;

/** Runs the tests of the files and gives back how many passed and were skipped, and which failed. */
function runTests(options) {
  const result = { passed: 0, skipped: 0, failed: [] };
  return new Promise((resolve) => {
    const stream = run({ timeout: 300_000, ...options });
    const leaf = (data) => data.details?.type !== "suite" && !options.files.includes(data.name);
    stream.on("test:pass", (data) => {
      if (leaf(data)) result[data.skip !== undefined && data.skip !== false ? "skipped" : "passed"] += 1;
    });
    stream.on("test:fail", (data) => {
      if (leaf(data)) result.failed.push({ name: data.name, file: data.file });
      else if (data.details?.error?.failureType === "testCodeFailure") result.failed.push({ name: null, file: data.name });
    });
    const printed = stream.compose(spec);
    printed.on("end", () => resolve(result));
    printed.pipe(process.stdout, { end: false });
  });
}

const first = await runTests({ files, concurrency: Math.min(4, availableParallelism()) });
let { passed, skipped, failed } = first;
if (failed.length && failed.length <= RETRIED && failed.every(({ name }) => name)) {
  console.log(`e2e: ${failed.length} failed; running them once more, alone`);
  const still = [];
  for (const test of failed) {
    const exactly = new RegExp(`^${test.name.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")}$`);
    const again = await runTests({ files: [test.file], concurrency: 1, testNamePatterns: [exactly] });
    if (again.failed.length || !again.passed) still.push(test);
    else {
      console.log(`e2e: failed once, then passed: ${test.name}`);
      passed += 1;
    }
  }
  failed = still;
}
for (const { name, file } of failed) console.log(`e2e: failed: ${name ?? file}`);
if (failed.length || !passed) process.exitCode = 1;
console.log(`e2e: ${passed} passed, ${failed.length} failed, ${skipped} skipped`);
