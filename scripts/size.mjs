// node scripts/size.mjs [dist]: size of the built site, by file and what a browser downloads to start; fails if that is
// over the limit.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";

/** Size limit of the program, bytes after gzip: an alarm, so that growth is a decision. */
export const LIMIT = 2_600_000;

/** What a page of the site is made of; not the one-file page, the worker that keeps it offline, the reader of Parquet files, and what belongs to others. */
const PROGRAM = /^(?!gemm-scope\.|playground|sw\.|parquet\.).*\.(wasm|m?js|css)$|^index\.html$/;

/** Files of a built site with code or text, each { name, raw, gzip, program } in bytes. */
export function weigh(dist) {
  const names = readdirSync(dist).filter((name) => /\.(wasm|m?js|css|html)$/.test(name));
  return names.sort().map((name) => {
    const bytes = readFileSync(join(dist, name));
    return { name, raw: bytes.length, gzip: gzipSync(bytes, { level: 9 }).length, program: PROGRAM.test(name) };
  });
}

/** Size of the program: { raw, gzip } in bytes. */
export function total(files) {
  const own = files.filter((file) => file.program);
  const sum = (key) => own.reduce((sum, file) => sum + file[key], 0);
  return { raw: sum("raw"), gzip: sum("gzip") };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const kb = (bytes) => `${(bytes / 1000).toFixed(0).padStart(6)} kB`;
  const files = weigh(process.argv[2] ?? "dist");
  for (const { name, raw, gzip } of files) console.log(`${kb(raw)}  ${kb(gzip)} gzip  ${name}`);
  const { raw, gzip } = total(files);
  console.log(`${kb(raw)}  ${kb(gzip)} gzip  the program, of ${kb(LIMIT).trim()}`);
  if (gzip > LIMIT) {
    console.error(`the program is over its limit: ${kb(gzip).trim()} after gzip of ${kb(LIMIT).trim()}`);
    process.exitCode = 1;
  }
}
