// Trunk's post_build hook. Trunk hashes what it builds; the static scripts in public/ keep their names, so a browser
// could run a cached one after a redeploy. This puts a hash of their content in the query of their URLs, and records
// the wasm's unpacked size, which a compressed response does not tell, for the progress bar.
import { createHash } from "node:crypto";
import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const dist = process.env.TRUNK_STAGING_DIR;
if (!dist) throw new Error("stamp.mjs runs as a Trunk hook: TRUNK_STAGING_DIR is not set");

const names = readdirSync(dist);
const hash = createHash("sha256");
for (const name of ["boot.mjs", "early.js", "worker.mjs"]) hash.update(readFileSync(join(dist, name)));
const wasm = names.find((name) => name.endsWith("_bg.wasm"));
const stamp = `v=${hash.digest("hex").slice(0, 12)}`;

const page = join(dist, "index.html");
let html = readFileSync(page, "utf8");
if (!html.includes("v=dev")) throw new Error("index.html holds no v=dev to stamp");
html = html.replace(/(boot\.mjs\?[^"]*)v=dev/, `$1${stamp}&amp;bytes=${statSync(join(dist, wasm)).size}`).replaceAll("v=dev", stamp);
if (process.env.GEMMSCOPE_DEV) {
  // `trunk serve` adds an inline reload script and a web socket, which the policy rightly refuses.
  html = html.replace(/<meta http-equiv="?Content-Security-Policy"?[^>]*>/i, "");
}
writeFileSync(page, html);
