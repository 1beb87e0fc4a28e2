// What the page's Parquet reader makes of the files of tests/parquet: what the command makes of them, which lies beside
// each. Needs no browser: node e2e/parquet.mjs [MODULE]
import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath, pathToFileURL } from "node:url";
import { resolve } from "node:path";

const folder = new URL("../tests/parquet/", import.meta.url);
/** As in crates/cli/src/tests/parquet.rs: the bombs among the files are small. */
const LIMIT = 1 << 20;
/** What the library that found the damage says of it is its own. */
const general = (text) => text.replace(/^(not read: the Parquet file is damaged): [^\n]*/, "$1");

/** The note and the CSV, or why there is none. */
async function read({ open }, blob) {
  try {
    const { note, next } = await open(blob, LIMIT);
    let text = "";
    for (let piece; (piece = await next()); text += piece.text) {
      // The session refuses what is too long.
      if (text.length + piece.text.length > LIMIT) {
        throw new Error("the file unpacks to more than 1.00 MiB: write fewer rows, or allow more with --memory of the gemmscope command");
      }
    }
    return `${note}\n${text}`;
  } catch (error) {
    return `not read: ${error.message}\n`;
  }
}

/** The files that are read differently, each with what was said. */
export async function differing(module) {
  const out = [];
  for (const name of readdirSync(folder).filter((name) => name.endsWith(".parquet"))) {
    const text = await read(module, new Blob([readFileSync(new URL(name, folder))]));
    const golden = readFileSync(new URL(name.replace(/parquet$/, "txt"), folder), "utf8");
    if (general(text) !== general(golden)) out.push({ name, text, golden });
  }
  return out;
}

/** The files that a cut or a changed byte makes hang or fail without a sentence. */
export async function broken(module) {
  const out = [];
  for (const name of readdirSync(folder).filter((name) => name.endsWith(".parquet"))) {
    const whole = readFileSync(new URL(name, folder));
    for (let at = 4; at < whole.length - 4; at += whole.length < 1000 ? 2 : 23) {
      for (const flip of [0x01, 0xff]) {
        const changed = Uint8Array.from(whole);
        changed[at] ^= flip;
        const text = await read(module, new Blob([changed]));
        if (text.startsWith("not read: ") && !/^not read: (the (Parquet )?file) /.test(text)) out.push({ name, at, text });
      }
    }
  }
  return out;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const module = await import(pathToFileURL(resolve(process.argv[2] ?? "dist/parquet.mjs")));
  const found = [...(await differing(module)), ...(await broken(module))];
  for (const one of found) console.error(one);
  process.exitCode = found.length ? 1 : 0;
}
