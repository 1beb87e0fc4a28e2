// The list in sw.js: the files of one version of the page, each with its digest. The worker only keeps a file with that
// digest, so a server that mixes two versions, or a network that answers in its place, never gets into the offline
// copy.
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** The one-file page: a download, kept once a page was saved. */
const SINGLE = "gemmscope.html";
/** Published times, and the reader of Parquet files: each is kept once it was used. */
const TABLES = "reference";
const PARQUET = "parquet.mjs";
// The element is other pages' business.
const OTHERS = ["sw.js", "gemm-scope.js", SINGLE, PARQUET, "playground.html", "playground.mjs"];

/** Writes version and list of the built site `dist` into `template`, the text of public/sw.js. */
export function writeWorker(dist, template) {
  const digest = (name) => `sha256-${createHash("sha256").update(readFileSync(join(dist, name))).digest("base64")}`;
  const files = readdirSync(dist).filter((name) => statSync(join(dist, name)).isFile());
  const listed = (names) => names.sort().map((name) => [name, digest(name)]);
  const kept = listed(files.filter((name) => !OTHERS.includes(name) && !name.startsWith(".")));
  const single = listed(files.filter((name) => name === SINGLE));
  const folder = join(dist, TABLES);
  const tables = existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith(".bin")).map((name) => `${TABLES}/${name}`) : [];
  const used = listed([...tables, ...files.filter((name) => name === PARQUET)]);
  const version = createHash("sha256").update(JSON.stringify([kept, single, used])).digest("hex").slice(0, 12);
  let filled = template;
  for (const [name, before, value] of [["VERSION", '"dev"', version], ["FILES", "{}", Object.fromEntries(kept)], ["SINGLE", "{}", Object.fromEntries(single)], ["USED", "{}", Object.fromEntries(used)]]) {
    const place = `const ${name} = ${before};`;
    if (!filled.includes(place)) throw new Error(`sw.js has no place for ${name}`);
    filled = filled.replace(place, () => `const ${name} = ${JSON.stringify(value)};`);
  }
  writeFileSync(join(dist, "sw.js"), filled);
}
