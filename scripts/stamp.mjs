// Trunk's post_build hook, the last step of a build. Trunk hashes what it builds; the static scripts in public/ keep
// their names, so a browser could run a cached one after a redeploy. This
// - puts a hash of their content in the query of their URLs, and records the wasm's unpacked size, which a compressed
//   response does not tell, for the progress bar;
// - puts the reader of Parquet files together (parquet.mjs);
// - puts links to documentation and source into the header (header.mjs);
// - writes open.html: the same page under a policy that allows fetching from other hosts (links with src=);
// - writes gemmscope.html: the whole app in one file;
// - writes into sw.js the list of files that the service worker keeps, with their digests (kept.mjs).
import { createHash } from "node:crypto";
import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { withLinks } from "./header.mjs";
import { writeWorker } from "./kept.mjs";
import { bundle } from "./parquet.mjs";
import { singleFile } from "./single.mjs";

const dist = process.env.TRUNK_STAGING_DIR;
if (!dist) throw new Error("stamp.mjs runs as a Trunk hook: TRUNK_STAGING_DIR is not set");
const dev = Boolean(process.env.GEMMSCOPE_DEV);

await bundle(join(dist, "parquet.mjs"));
const hash = createHash("sha256");
for (const name of ["boot.mjs", "early.js", "worker.mjs", "parquet.mjs"]) hash.update(name).update(readFileSync(join(dist, name)));
const stamp = `v=${hash.digest("hex").slice(0, 12)}`;
const wasm = readdirSync(dist).find((name) => name.endsWith("_bg.wasm"));

const page = join(dist, "index.html");
let html = readFileSync(page, "utf8");
if (!html.includes("v=dev")) throw new Error("index.html holds no v=dev to stamp");
const more = `&amp;bytes=${statSync(join(dist, wasm)).size}${dev ? "" : "&amp;sw=1"}`;
html = html.replace(/(boot\.mjs\?[^"]*)v=dev/, `$1${stamp}${more}`).replaceAll("v=dev", stamp);
html = withLinks(html, { docs: process.env.GEMMSCOPE_DOCS, source: process.env.GEMMSCOPE_SOURCE });

if (dev) {
  // `trunk serve` adds an inline reload script and a web socket, which the policy would block.
  html = html.replace(/<meta http-equiv="?Content-Security-Policy"?[^>]*>/i, "");
  writeFileSync(page, html);
  rmSync(join(dist, "sw.js"), { force: true });
  writeFileSync(join(dist, "open.html"), html);
} else {
  writeFileSync(page, html);
  const open = html.replace("connect-src 'self'", "connect-src 'self' https: http://localhost:* http://127.0.0.1:*");
  if (open === html) throw new Error("index.html carries no connect-src to widen");
  writeFileSync(join(dist, "open.html"), open);
  writeFileSync(join(dist, "gemmscope.html"), singleFile(dist));
  writeWorker(dist, readFileSync(join(dist, "sw.js"), "utf8"));
}
// Tells GitHub Pages to serve the folder as it is.
writeFileSync(join(dist, ".nojekyll"), "");
