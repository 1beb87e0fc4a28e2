// Makes wasm files smaller and faster with Binaryen, as `wasm-opt -O2` does, on as many threads as there are processors.
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { availableParallelism } from "node:os";
import { dirname, join } from "node:path";
import { pathToFileURL, fileURLToPath } from "node:url";
import { Worker, isMainThread, parentPort, workerData } from "node:worker_threads";
import { ordered } from "./order.mjs";

/** What every browser of the last years has, and the compiler was told to use: Binaryen's names in its library, and for
 *  its programs. */
const FEATURES = {
  BulkMemory: "bulk-memory",
  BulkMemoryOpt: "bulk-memory-opt",
  NontrappingFPToInt: "nontrapping-float-to-int",
  SignExt: "sign-ext",
  MutableGlobals: "mutable-globals",
  ReferenceTypes: "reference-types",
  Multivalue: "multivalue",
  SIMD128: "simd",
};

/** Where Binaryen is: its programs lie beside it. */
function library() {
  const tools = process.env.GEMMSCOPE_TOOLS ?? join(fileURLToPath(new URL("..", import.meta.url)), ".tools");
  return createRequire(join(tools, "npm", "package.json")).resolve("binaryen");
}

/** Merges wasm files, which are [path, name of the module] each, into one; what one imports of another by its name is
 *  linked. */
export function merge(files, out) {
  const program = join(dirname(library()), "bin", "wasm-merge");
  const features = Object.values(FEATURES).map((name) => `--enable-${name}`);
  const options = ["--output", out, "--skip-export-conflicts", "--debuginfo", ...features];
  execFileSync(process.execPath, [program, ...files.flat(), ...options], { stdio: ["ignore", "ignore", "pipe"] });
}

/** Optimizes files in place, the long ones first. Where `named`, functions keep their names. */
export async function optimize(files, named) {
  const binaryen = pathToFileURL(library()).href;
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
  const features = Object.keys(FEATURES).reduce((all, name) => all | (binaryen.Features[name] ?? 0), binaryen.Features.MVP);
  binaryen.setOptimizeLevel(2);
  binaryen.setShrinkLevel(0);
  // The compiler has inlined what is hot. Longer functions with one caller are like others as they stand: 2 % less after
  // gzip than inside it.
  binaryen.setOneCallerInlineMaxSize(30);
  parentPort.on("message", (path) => {
    binaryen.setDebugInfo(workerData.named);
    let module = binaryen.readBinary(readFileSync(path), features);
    // What a part puts into the table of the main part stays there, so calls of it need no table. In the main part's own
    // table, places of parts look empty.
    const ofMain = module.getNumTables() && binaryen.getTableInfo(module.getTableByIndex(0)).module;
    binaryen.setPassArgument("directize-initial-contents-immutable", ofMain ? "1" : null);
    if (ofMain) module.runPasses(["directize"]);
    module.optimize();
    if (!workerData.named) {
      module.runPasses(["strip-debug", "strip-producers", "strip-target-features"]);
      const wasm = ordered(Buffer.from(module.emitBinary()));
      module.dispose();
      module = binaryen.readBinary(wasm, features);
      module.runPasses(["reorder-functions-by-name", "strip-debug"]);
    }
    writeFileSync(path, module.emitBinary());
    module.dispose();
    parentPort.postMessage(path);
  });
}
