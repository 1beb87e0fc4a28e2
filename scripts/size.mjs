// Prints what the built site weighs; the wasm also compressed, as a browser downloads it.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";

const dist = process.argv[2] ?? "dist";
const kb = (bytes) => `${(bytes / 1000).toFixed(0).padStart(6)} kB`;
for (const name of readdirSync(dist).filter((name) => /\.(wasm|js|mjs|css|html)$/.test(name)).sort()) {
  const bytes = readFileSync(join(dist, name));
  console.log(`${kb(bytes.length)}  ${kb(gzipSync(bytes, { level: 9 }).length)} gzip  ${name}`);
}
