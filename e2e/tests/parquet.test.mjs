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

// ---- Files that no tool writes --------------------------------------------------------------------------------------

/** Thrift, of which footers and page headers are: a field has a type, a number and bytes. */
const varint = (n) => (n < 128n ? [Number(n)] : [Number(n & 127n) | 128, ...varint(n >> 7n)]);
const zigzag = (n) => varint(n < 0 ? -2n * BigInt(n) - 1n : 2n * BigInt(n));
const field = (type, id, ...bytes) => [type, ...zigzag(id), ...bytes.flat()];
const int = (id, n) => field(5, id, zigzag(n));
const long = (id, n) => field(6, id, zigzag(n));
const text = (id, string) => field(8, id, string.length, [...Buffer.from(string)]);
const list = (id, type, items) => field(9, id, 0xf0 | type, varint(BigInt(items.length)), items.flat());
const struct = (id, ...fields) => field(12, id, ...fields, 0);

/** A page of so many values that unpacks to so many bytes. */
const page = (values, bytes, packed) =>
  Buffer.concat([Buffer.from([...int(1, 0), ...int(2, bytes), ...int(3, packed.length), ...struct(5, int(1, values), int(2, 0), int(3, 3), int(4, 3)), 0]), Buffer.from(packed)]);

const PLAIN = 0;
const ZSTD = 6;
const INT32 = 1;
const INT64 = 2;
const DOUBLE = 5;
const BYTE_ARRAY = 6;
const FIXED = 7;

/** A file of one row group; `noted` is what its schema says of a column. `size` is what a column claims to take. */
function file(rows, columns) {
  const body = Buffer.concat([Buffer.from("PAR1"), ...columns.map(({ pages }) => pages)]);
  let at = 4;
  const about = columns.map(({ type = INT64, codec = PLAIN, pages, size = pages.length, from = at }, i) => {
    at += pages.length;
    const chunk = [int(1, type), list(2, 5, [zigzag(0)]), list(3, 8, [[2, 99, 48 + i]]), int(4, codec), long(5, rows), long(6, size), long(7, size), long(9, from)];
    return [...long(2, from), ...struct(3, ...chunk), 0];
  });
  const schema = columns.map(({ type = INT64, optional = 0, noted = [] }, i) => [...int(1, type), ...int(3, optional), ...text(4, `c${i}`), ...noted.flat(), 0]);
  const root = [...text(4, "root"), ...int(5, columns.length), 0];
  const group = [...list(1, 12, about), ...long(2, 0), ...long(3, rows), 0];
  const footer = Buffer.from([...int(1, 2), ...list(2, 12, [root, ...schema]), ...long(3, rows), ...list(4, 12, [group]), 0]);
  const length = Buffer.alloc(4);
  length.writeUInt32LE(footer.length);
  return Buffer.concat([body, footer, length, Buffer.from("PAR1")]);
}

const numbers = (...values) => page(values.length, 8 * values.length, [...new Uint8Array(BigInt64Array.from(values, BigInt).buffer)]);
const damaged = (why) => `not read: the Parquet file is damaged: ${why}; copy it again\n`;

test("a file of this test's own is read", async () => {
  const small = file(2, [{ pages: numbers(1, 2) }, { pages: numbers(3, -4) }]);
  assert.equal(await read(small), "Parquet: 2 rows, 2 columns.\nc0,c1\n1,3\n2,-4\n");
});

/** A zstd frame of so many blocks, each of so many zeros, that says to hold `claim` bytes. */
function zstd(blocks, zeros, claim = 0) {
  const size = (n) => [n & 255, (n >> 8) & 255, (n >> 16) & 255, n >> 24];
  const block = (i) => [...size((zeros << 3) | 2 | (i === blocks - 1 ? 1 : 0)).slice(0, 3), 0];
  return [0x28, 0xb5, 0x2f, 0xfd, ...(claim ? [0xa0, ...size(claim)] : [0, 0x38]), ...Array.from({ length: blocks }, (_, i) => block(i)).flat()];
}

test("a page of zstd unpacks to what it says, or to nothing", async () => {
  const packed = (frame) => read(file(100, [{ pages: page(100, 800, frame), codec: ZSTD }]));
  const zeros = `Parquet: 100 rows, 1 column.\nc0\n${"0\n".repeat(100)}`;
  assert.equal(await packed(zstd(2, 400)), zeros);
  assert.equal(await packed(zstd(2, 400, 800)), zeros);
  const before = process.resourceUsage().maxRSS;
  // A gibibyte of zeros.
  assert.equal(await packed(zstd(8192, 131_072)), damaged("a page is not as long as it says"));
  assert.ok(process.resourceUsage().maxRSS - before < 256 << 10);
  // What a frame says to hold takes no memory either.
  assert.equal(await packed(zstd(2, 400, 1 << 30)), zeros);
  for (const other of [zstd(1, 400), zstd(1, 400, 800), zstd(3, 400), zstd(3, 400, 800)]) {
    assert.equal(await packed(other), damaged("a page is not as long as it says"));
  }
  assert.equal(await packed([...zstd(1, 400), ...zstd(1, 400)]), damaged("a page has more than one frame"));
  const skipped = [0x50, 0x2a, 0x4d, 0x18, 0, 0, 0, 0];
  assert.equal(await packed([...zstd(2, 400), ...skipped]), damaged("a page has more than one frame"));
  assert.equal(await packed([...skipped, ...zstd(2, 400)]), damaged("a page is not packed with zstd"));
  assert.equal(await packed(zstd(1, 800).slice(0, -1)), damaged("a page ends early"));
});

test("values that take more memory than their page are refused before they are decoded", async () => {
  // One run of missing values.
  const missing = (count) => page(count, 8, [4, 0, 0, 0, ...varint(2n * BigInt(count)), 0]);
  const rows = 1 << 17;
  const text = await read(file(rows, [{ pages: missing(rows), optional: 1 }]));
  assert.match(text, /^not read: the Parquet file takes more than 1.00 MiB in the browser: write it with gemmscope convert /);
  const half = rows >> 2;
  assert.equal(await read(file(half, [{ pages: missing(half), optional: 1 }])), `Parquet: 32\u202f768 rows, 1 column.\nc0\n${"\n".repeat(half)}`);
});

test("a page unpacks to no more than its values need, and a file to no more than there is time for", async () => {
  const empty = zstd(1, 100 << 10);
  const pages = Buffer.concat([page(0, 100 << 10, empty), numbers(1)]);
  assert.equal(await read(file(1, [{ pages, codec: ZSTD }])), damaged("a page is longer than its values"));
  // Texts of no length, each in a page that goes on behind it.
  const texts = Buffer.concat(Array(200).fill(page(1, 100 << 10, zstd(1, 100 << 10))));
  const text = await read(file(200, [{ type: BYTE_ARRAY, noted: [int(6, 0)], pages: texts, codec: ZSTD }]));
  assert.match(text, /^not read: the Parquet file takes more than 16.0 MiB in the browser/);
});

test("columns that lie over each other are refused, not read once for each", async () => {
  const pages = Buffer.concat([numbers(1), Buffer.alloc(10_000)]);
  const column = { pages: Buffer.alloc(0), from: 4, size: pages.length };
  const all = [{ pages }, column, column];
  assert.equal(await read(file(1, all)), damaged("its columns take more bytes than it has"));
});

test("a note that does not fit its values is refused, as by the command", async () => {
  const noted = (type, ...notes) => read(file(1, [{ type, pages: numbers(12_345), noted: notes }]));
  const decimal = (type, scale, precision, length = 0) => noted(type, int(2, length), int(6, 5), int(7, scale), int(8, precision));
  const refused = damaged("column c0 cannot hold what is noted of it");
  assert.match(await decimal(INT64, 2, 18), /\n123.45\n$/);
  for (const [type, scale, precision, length] of [
    [INT64, -1, 18],
    [INT64, 19, 18],
    [INT64, 0, 19],
    [INT32, 2, 10],
    [DOUBLE, 2, 10],
    [FIXED, 2, 5, 1],
    [FIXED, 2, 5, -1],
  ]) {
    assert.equal(await decimal(type, scale, precision, length), refused, `${[type, scale, precision, length]}`);
  }
  // Dates, times, texts and unsigned numbers.
  for (const [type, note] of [
    [INT64, 6],
    [INT64, 7],
    [INT32, 8],
    [INT32, 9],
    [INT64, 0],
    [INT64, 13],
    [INT32, 14],
  ]) {
    assert.equal(await noted(type, int(6, note)), refused, `${[type, note]}`);
  }
});

/** What is read of a footer alone. */
function ended(bytes) {
  const footer = Buffer.from(bytes);
  const length = Buffer.alloc(4);
  length.writeUInt32LE(footer.length);
  return read(Buffer.concat([Buffer.from("PAR1"), footer, length, Buffer.from("PAR1")]));
}

test("a list that claims more than there is takes no memory", async () => {
  // Lists of lists, of 32 million each.
  const lists = [0x19, ...Array(60).fill([0xf9, ...varint((1n << 25n) - 1n)]).flat()];
  assert.equal(await ended(lists), damaged("a list is longer than the file"));
  // In the header of a page, too.
  assert.equal(await read(file(1, [{ pages: Buffer.from(lists) }])), damaged("a list is longer than the file"));
  assert.equal(await ended(Array(10_000).fill(0x1c)), damaged("it is nested too deep"));
});

test("a schema of more elements than there are, or levels than tools write, is refused", async () => {
  const group = [...int(3, 0), ...text(4, "g"), ...int(5, 1), 0];
  const schema = (...elements) => ended([...int(1, 2), ...list(2, 12, elements), ...long(3, 0), ...list(4, 12, []), 0]);
  const column = [...int(1, INT64), ...int(3, 0), ...text(4, "M"), 0];
  const deep = (levels) => schema(...Array(levels).fill(group), column);
  assert.equal(await schema(group, column), "Parquet: 0 rows, 1 column.\nM\n");
  for (const children of [2, 2 ** 31 - 1, -1]) {
    assert.equal(await schema([...text(4, "g"), ...int(5, children), 0], column), damaged("its schema makes no sense"));
  }
  assert.match(await deep(99), /left out: g \(nested\)/);
  for (const levels of [100, 10_000]) assert.match(await deep(levels), /^not read: the Parquet file has columns in more than 100 levels of groups: write /);
  // An empty group has no column in a row group.
  const nothing = [...int(3, 0), ...text(4, "e"), ...int(5, 0), 0];
  assert.equal(await schema([...text(4, "g"), ...int(5, 2), 0], nothing, column), "Parquet: 0 rows, 1 column.\nM\n");
});
