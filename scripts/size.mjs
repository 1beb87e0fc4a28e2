// node scripts/size.mjs [dist]: what the built site weighs, file by file and by what waits for it, compressed as a
// browser downloads it; fails where a sum is over its budget and says which part grew.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { FRAME_FILE } from "./split.mjs";

/** kB after gzip: what a sum may reach, and what each part of it weighed when that was decided. To raise a limit is a
 *  decision: write the new weights beside it. */
export const BUDGET = {
  // Wasm and scripts that the first view waits for.
  "first view": { limit: 201, parts: { program: 188, scripts: 13 } },
  // What follows while the reader reaches for a file. Parts share code, which is in files of its own.
  "later parts": {
    limit: 1642,
    parts: { shared: 1074, work: 290, plan: 93, ask: 76, page: 26, read: 20, open: 21, told: 11, several: 13, summary: 8, carried: 6, table: 2, save: 1, native: 0, charts: 0, scripts: 0 },
  },
  // All that a page inside another one fetches for a plain table and its roofline. Where the host asks for the summary, that
  // follows.
  "a frame": { limit: 719, parts: { shared: 465, program: 188, scripts: 13, embed: 16, open: 21, styles: 14, table: 2 } },
};

/** Each sum that a file of the site belongs to, and which part of it; nothing where nobody waits for it. */
function places(name) {
  if (!/\.(wasm|m?js|css)$/.test(name) || /^(gemm-scope\.|playground|sw\.)/.test(name)) return [];
  if (name.endsWith(".css")) return [["a frame", "styles"]];
  const part = name.match(/^part-(?:split_(\w+?)|chunk_\w+?)-/);
  if (part) {
    const own = part[1] ?? "shared";
    const sums = [["later parts", own], ["a frame", own]];
    return sums.filter(([sum]) => (sum === "a frame" ? FRAME_FILE.test(name) : own !== "embed"));
  }
  if (name.startsWith("worker")) return [["later parts", "scripts"]];
  const own = name.endsWith(".wasm") ? "program" : "scripts";
  return [["first view", own], ["a frame", own]];
}

/** Sum to part to { raw, gzip } in kB; `files` are names with their bytes. */
export function weigh(files) {
  const sums = Object.fromEntries(Object.keys(BUDGET).map((sum) => [sum, {}]));
  for (const [name, bytes] of files) {
    const gzip = gzipSync(bytes, { level: 9 }).length;
    for (const [sum, part] of places(name)) {
      const at = (sums[sum][part] ??= { raw: 0, gzip: 0 });
      at.raw += bytes.length / 1000;
      at.gzip += gzip / 1000;
    }
  }
  return sums;
}

const total = (parts, key) => Object.values(parts).reduce((sum, part) => sum + part[key], 0);

/** The sums alone, as { raw, gzip }. */
export const totals = (sums) => Object.fromEntries(Object.entries(sums).map(([sum, parts]) => [sum, { raw: total(parts, "raw"), gzip: total(parts, "gzip") }]));

/** A sentence for each sum that is over its budget. */
export function over(sums, budget = BUDGET) {
  const out = [];
  for (const [sum, { limit, parts }] of Object.entries(budget)) {
    const have = total(sums[sum], "gzip");
    if (have <= limit) continue;
    const grown = Object.entries(sums[sum])
      .map(([part, { gzip }]) => [part, gzip, parts[part] ?? 0])
      .filter(([, now, was]) => now > was)
      .sort((a, b) => b[1] - b[2] - (a[1] - a[2]))
      .map(([part, now, was]) => `${part} ${was.toFixed(0)} -> ${now.toFixed(0)} kB`);
    out.push(`${sum}: ${have.toFixed(0)} kB, the budget is ${limit} kB; grown: ${grown.join(", ")}`);
  }
  return out;
}

export const read = (dist) =>
  readdirSync(dist)
    .filter((name) => /\.(wasm|js|mjs|css|html)$/.test(name))
    .sort()
    .map((name) => [name, readFileSync(join(dist, name))]);

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const kb = (n) => `${n.toFixed(0).padStart(6)} kB`;
  const files = read(process.argv[2] ?? "dist");
  for (const [name, bytes] of files) console.log(`${kb(bytes.length / 1000)}  ${kb(gzipSync(bytes, { level: 9 }).length / 1000)} gzip  ${name}`);
  const sums = weigh(files);
  for (const [sum, { raw, gzip }] of Object.entries(totals(sums))) {
    const parts = Object.entries(sums[sum]).map(([part, w]) => `${part} ${w.gzip.toFixed(0)}`);
    console.log(`${kb(raw)}  ${kb(gzip)} gzip  ${sum}, of ${BUDGET[sum].limit} kB (${parts.join(", ")})`);
  }
  for (const sentence of over(sums)) {
    console.error(`over budget: ${sentence}`);
    process.exitCode = 1;
  }
}
