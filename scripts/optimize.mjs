// Makes wasm files smaller and faster with Binaryen, as `wasm-opt -O2` does, on as many threads as there are processors.
// The program wasm-opt starts anew for each file; the site has some 260, and starting took longer than the work.
import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { pathToFileURL, fileURLToPath } from "node:url";
import { Worker, isMainThread, parentPort, workerData } from "node:worker_threads";

/** What every browser of the last years has, and the compiler was told to use. */
const FEATURES = ["BulkMemory", "BulkMemoryOpt", "NontrappingFPToInt", "SignExt", "MutableGlobals", "ReferenceTypes", "Multivalue", "SIMD128"];

/** Optimizes files in place: `files` are { path, sorted }, the long ones first. Where `sorted`, functions are put in the
 *  order of their names: copies of one function for several types lie side by side, 4 % less after gzip. Where `named`,
 *  functions keep their names. */
export async function optimize(files, named) {
  const tools = process.env.GEMMSCOPE_TOOLS ?? join(fileURLToPath(new URL("..", import.meta.url)), ".tools");
  const binaryen = pathToFileURL(createRequire(join(tools, "npm", "package.json")).resolve("binaryen")).href;
  const waiting = [...files].reverse();
  const thread = () =>
    new Promise((done, fail) => {
      // It warns of each section of names that it does not know; what stops it is an error.
      const worker = new Worker(new URL(import.meta.url), { workerData: { binaryen, named }, stderr: true });
      const next = () => (waiting.length ? worker.postMessage(waiting.pop()) : worker.terminate().then(done, fail));
      worker.on("message", next);
      worker.on("error", fail);
      next();
    });
  await Promise.all(Array.from({ length: Math.min(files.length, availableParallelism()) }, thread));
}

if (!isMainThread && workerData?.binaryen) {
  const { default: binaryen } = await import(workerData.binaryen);
  const features = FEATURES.reduce((all, name) => all | (binaryen.Features[name] ?? 0), binaryen.Features.MVP);
  binaryen.setOptimizeLevel(2);
  binaryen.setShrinkLevel(0);
  parentPort.on("message", ({ path, sorted }) => {
    // Names are needed until functions are sorted by them.
    binaryen.setDebugInfo(Boolean(sorted || workerData.named));
    const module = binaryen.readBinary(readFileSync(path), features);
    module.optimize();
    if (sorted) module.runPasses(["reorder-functions-by-name"]);
    if (!workerData.named) {
      module.runPasses(["strip-debug", "strip-producers", "strip-target-features"]);
      binaryen.setDebugInfo(false);
    }
    writeFileSync(path, module.emitBinary());
    module.dispose();
    parentPort.postMessage(path);
  });
}
