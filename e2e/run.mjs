// node e2e/run.mjs [--real] [name ...]: runs the end-to-end tests (those whose file name contains a name) and prints
// totals at the end. --real runs those over real files instead, in the folder that GEMMSCOPE_DATA names. CI=true prints
// one line per test, without colour.
//
// Each test runs once: one that fails once in a hundred runs is broken. Variables (`make test-steady` varies the first
// three):
//
//   GEMMSCOPE_JOBS=n       files at a time; default: the number of processors, at most four
//   GEMMSCOPE_ORDER=...    default: long files first; `reverse`, or a number that seeds a shuffle
//   GEMMSCOPE_THROTTLE=n   slowdown of the browser's CPU
//   GEMMSCOPE_WAIT=ms      timeout of an action, default a minute; a shorter one finds faults sooner
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
  // Long ones first, so that none remains at the end.
  .sort((a, b) => size(b) - size(a));

/** Fisher-Yates with a small linear congruential generator: the same seed gives the same order. */
function shuffle(list, seed) {
  for (let i = list.length - 1; i > 0; i--) {
    seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
    const j = seed % (i + 1);
    [list[i], list[j]] = [list[j], list[i]];
  }
}
const order = process.env.GEMMSCOPE_ORDER;
if (order === "reverse") files.reverse();
else if (order) shuffle(files, Number(order));

const failed = [];
let [passed, skipped] = [0, 0];
// The timeout grows with the slowdown.
const timeout = 300_000 * Number(process.env.GEMMSCOPE_THROTTLE ?? 1);
const concurrency = Number(process.env.GEMMSCOPE_JOBS ?? Math.min(4, availableParallelism()));
const stream = run({ files, timeout, concurrency });
const leaf = (data) => data.details?.type !== "suite" && !files.includes(data.name);
stream.on("test:pass", (data) => {
  if (!leaf(data)) return;
  if (data.skip !== undefined && data.skip !== false) skipped += 1;
  else passed += 1;
});
stream.on("test:fail", (data) => {
  // A file fails with its tests; by itself if it could not be run, or took too long.
  if (leaf(data) || data.details?.error?.failureType !== "subtestsFailed") failed.push(data.name);
});
const printed = stream.compose(spec);
printed.on("end", () => {
  for (const name of failed) console.log(`e2e: failed: ${name}`);
  if (failed.length || !passed) process.exitCode = 1;
  console.log(`e2e: ${passed} passed, ${failed.length} failed, ${skipped} skipped`);
});
printed.pipe(process.stdout, { end: false });
