// What the page's Parquet reader makes of the files of tests/parquet: what the command makes of them, which lies beside
// each. No browser is needed.
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import { dist, fixture } from "../harness.mjs";

/** As in crates/cli/src/tests/parquet.rs: the bombs among the files are small. */
const LIMIT = 1 << 20;
/** What the library that found the damage says of it is its own. */
const general = (text) => text.replace(/^(not read: the Parquet file is damaged): [^\n]*/, "$1");
const { open } = await import(pathToFileURL(join(dist, "parquet.mjs")));
const names = readdirSync(fixture("parquet")).filter((name) => name.endsWith(".parquet"));

/** The note and the CSV, or why there is none. */
async function read(bytes) {
  try {
    const { note, next } = await open(new Blob([bytes]), LIMIT);
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

test("page and command read the same of every Parquet file", async () => {
  assert.ok(names.length > 10);
  for (const name of names) {
    const golden = readFileSync(fixture(`parquet/${name.replace(/parquet$/, "txt")}`), "utf8");
    assert.equal(general(await read(readFileSync(fixture(`parquet/${name}`)))), general(golden), name);
  }
});

test("a changed byte is read or refused with a sentence, and ends", async () => {
  for (const name of names) {
    const whole = readFileSync(fixture(`parquet/${name}`));
    for (let at = 4; at < whole.length - 4; at += whole.length < 1000 ? 2 : 23) {
      for (const flip of [0x01, 0xff]) {
        const changed = Uint8Array.from(whole);
        changed[at] ^= flip;
        assert.match(await read(changed), /^(Parquet: |not read: the (Parquet )?file )/, `${name}: byte ${at} changed by ${flip}`);
      }
    }
  }
});
