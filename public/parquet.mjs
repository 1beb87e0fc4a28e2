// Parquet files as the CSV that their flat columns would be saved as: what crates/cli/src/parquet.rs does in the
// command, here with hyparquet's metadata and pages. Fetched when such a file comes; the build puts what it imports into it
// (scripts/parquet.mjs). tests/parquet holds files and what both make of them (e2e/tests/parquet.test.mjs).
//
//   const { note, next } = await open(blob, limit);   // next(): { text, part } until it is null
//
// `limit` is the most bytes that pages may unpack to at a time, and the least that the text takes. A `part` is the share of
// the rows so far, 0 to 1. An error's message says why a file is not read.
import { parquetMetadata, parquetSchema } from "hyparquet/src/metadata.js";
import { parquetHeader } from "hyparquet/src/column.js";
import { readDataPage, readDataPageV2 } from "hyparquet/src/datapage.js";
import { readPlain } from "hyparquet/src/plain.js";
import { snappyUncompress } from "hyparquet/src/snappy.js";
import { readVarInt } from "hyparquet/src/thrift.js";
import { decompress } from "fzstd";

/** Bytes of text that are handed on at a time. */
const TEXT = 256 << 10;
/** Most values of a page. Tools write pages of about a mebibyte. */
const MOST_VALUES = 1 << 24;
/** Most decimal places: what fits into 16 bytes. */
const MOST_PLACES = 38;

/** What is said as it is; anything else that is thrown means a damaged file. */
class Refused extends Error {}

const grouped = (n) => (String(n).length < 5 ? String(n) : String(n).replace(/\B(?=(\d{3})+$)/g, "\u202f"));
const plural = (n, noun) => `${grouped(n)} ${noun}${Number(n) === 1 ? "" : "s"}`;

/** `1.00 MiB`. */
function size(bytes) {
  const units = ["B", "KiB", "MiB", "GiB", "TiB"];
  let at = 0;
  for (; bytes >= 1024 && at < units.length - 1; at += 1) bytes /= 1024;
  return `${bytes >= 1000 ? Math.round(bytes) : bytes.toPrecision(3)} ${units[at]}`;
}

const tooLarge = (limit) =>
  new Refused(`the Parquet file takes more than ${size(limit)}: allow more with --memory of the gemmscope command`);

/** What the command has the room for. */
const tooLargeHere = (limit) =>
  new Refused(
    `the Parquet file takes more than ${size(limit)} in the browser: write it with gemmscope convert FILE.parquet -o FILE.csv, ` +
      "and open that",
  );

// ---- What the values of a column are --------------------------------------------------------------------------------

const PLACES = { MILLIS: 3, MICROS: 6, NANOS: 9 };

/** What a logical type says of values; undefined where it says nothing that is known here. */
function ofLogical({ type, isSigned, bitWidth: bits, isAdjustedToUTC, unit, scale = 0, precision }) {
  switch (type) {
    case "STRING":
    case "ENUM":
    case "JSON":
      return { is: "plain" };
    case "INTEGER":
      return isSigned ? undefined : { is: "unsigned", bits };
    case "DECIMAL":
      return { is: "decimal", scale, precision };
    case "FLOAT16":
      return { is: "half" };
    case "DATE":
      return { is: "date" };
    case "TIME":
      return { is: "time", places: PLACES[unit] };
    case "TIMESTAMP":
      return { is: "timestamp", places: PLACES[unit], utc: isAdjustedToUTC };
  }
}

/** The same of the older notes. */
function ofConverted({ converted_type: type, scale = 0, precision }) {
  switch (type) {
    case "UTF8":
    case "ENUM":
    case "JSON":
      return { is: "plain" };
    case "UINT_8":
    case "UINT_16":
    case "UINT_32":
      return { is: "unsigned", bits: 32 };
    case "UINT_64":
      return { is: "unsigned", bits: 64 };
    case "DECIMAL":
      return { is: "decimal", scale, precision };
    case "DATE":
      return { is: "date" };
    case "TIME_MILLIS":
      return { is: "time", places: 3 };
    case "TIME_MICROS":
      return { is: "time", places: 6 };
    case "TIMESTAMP_MILLIS":
      return { is: "timestamp", places: 3, utc: true };
    case "TIMESTAMP_MICROS":
      return { is: "timestamp", places: 6, utc: true };
  }
}

const notedOf = (element) => (element.logical_type ? ofLogical(element.logical_type) : ofConverted(element));

/** Refuses a column whose values cannot be what is noted of them: a guess would be a wrong number. */
function checkNoted(element) {
  const { type, type_length: length, name } = element;
  const fixed = type === "FIXED_LEN_BYTE_ARRAY";
  const noted = notedOf(element);
  const places = { INT32: 9, INT64: 18, BYTE_ARRAY: Infinity, ...(fixed && { [type]: Math.floor(Math.log10(2 ** (8 * length - 1) - 1)) }) };
  const fits = {
    plain: () => type === "BYTE_ARRAY",
    unsigned: () => type === (noted.bits === 64 ? "INT64" : "INT32"),
    decimal: () => noted.scale >= 0 && noted.scale <= noted.precision && noted.precision > 0 && noted.precision <= places[type],
    half: () => fixed && length === 2,
    date: () => type === "INT32",
    time: () => type === (noted.places === 3 ? "INT32" : "INT64"),
    timestamp: () => type === "INT64",
  };
  if ((fixed && !(length >= 0)) || (noted && !fits[noted.is]())) throw new Refused(wrong(`column ${name} cannot hold what is noted of it`));
}

/** What the values of a flat column are, or, as a text, why they are not read. */
function kindOf(element) {
  const { type, type_length: length } = element;
  const noted = notedOf(element);
  if (type === "BYTE_ARRAY" && noted?.is === "plain") return noted;
  if (noted?.is === "decimal" && noted.scale > MOST_PLACES) return "decimal";
  if (type === "FIXED_LEN_BYTE_ARRAY" && noted?.is === "decimal" && length <= 16) return noted;
  if (type === "FIXED_LEN_BYTE_ARRAY" && noted?.is === "half" && length === 2) return noted;
  if (type === "INT96") return "INT96";
  if (type === "BYTE_ARRAY" || type === "FIXED_LEN_BYTE_ARRAY") return "binary";
  if ((type === "INT32" || type === "INT64") && noted && noted.is !== "half") return noted;
  return { is: "plain" };
}

// ---- Values as text: the exact value, nothing for a missing one ------------------------------------------------------

const utf8 = new TextDecoder("utf-8", { ignoreBOM: true });

/** A cell, in quotation marks where it needs them (RFC 4180). */
const quoted = (cell) => (/[,"\n\r]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell);

/** A number in as few digits as tell it from its neighbours, with an exponent where it is far from 1. */
function float(value) {
  if (Object.is(value, -0)) return "-0";
  if (Math.abs(value) === Infinity) return value < 0 ? "-inf" : "inf";
  return String(value).replace("e+", "e");
}

/** The same of a number of 32 bits. */
function float32(value) {
  for (let digits = 1; digits < 10 && Number.isFinite(value); digits += 1) {
    const short = Number(value.toPrecision(digits));
    if (Math.fround(short) === value) return float(short || value);
  }
  return float(value);
}

/** The number of 16 bits (IEEE 754 binary16). */
function half(bits) {
  const fraction = (bits & 0x3ff) / 1024;
  const exponent = (bits >> 10) & 0x1f;
  const sign = bits >> 15 ? -1 : 1;
  if (exponent === 0) return sign * fraction * 2 ** -14;
  if (exponent === 31) return fraction ? NaN : sign * Infinity;
  return sign * (1 + fraction) * 2 ** (exponent - 15);
}

/** An integer of up to 16 bytes, the highest first. */
const unscaled = (bytes) => BigInt.asIntN(8 * bytes.length, bytes.reduce((n, byte) => (n << 8n) | BigInt(byte), 0n));

function decimal(value, scale) {
  const digits = String(value < 0n ? -value : value).padStart(scale + 1, "0");
  const at = digits.length - scale;
  return `${value < 0n ? "-" : ""}${digits.slice(0, at)}${scale > 0 ? `.${digits.slice(at)}` : ""}`;
}

/** Quotient rounded down, and what is left. */
function parted(value, by) {
  const rest = ((value % by) + by) % by;
  return [(value - rest) / by, rest];
}

/** The day of the Gregorian calendar that is so many days after 1970-01-01. */
function date(days) {
  // Days since 1 March of the year 0, in 400 years of 146 097 days each; years begin in March here.
  const [era, first] = parted(BigInt(days) + 719_468n, 146_097n);
  const year = (first - first / 1_460n + first / 36_524n - first / 146_096n) / 365n;
  const day = first - (365n * year + year / 4n - year / 100n);
  const from = (5n * day + 2n) / 153n;
  const [month, next] = from < 10n ? [from + 3n, 0n] : [from - 9n, 1n];
  const whole = era * 400n + year + next;
  const text = (n, width) => `${n < 0n ? "-" : ""}${String(n < 0n ? -n : n).padStart(n < 0n ? width - 1 : width, "0")}`;
  return `${text(whole, 4)}-${text(month, 2)}-${text(day - (153n * from + 2n) / 5n + 1n, 2)}`;
}

/** The time of the day, in units of which a second has ten to the power `places`. */
function time(sinceMidnight, places) {
  const [seconds, part] = parted(sinceMidnight, 10n ** BigInt(places));
  const two = (n) => String(n).padStart(2, "0");
  return `${two(seconds / 3600n)}:${two((seconds % 3600n) / 60n)}:${two(seconds % 60n)}.${String(part).padStart(places, "0")}`;
}

/** The cell of a value as it is stored. */
function cell(value, { kind, type }) {
  if (value === undefined || value === null) return "";
  switch (kind.is) {
    case "unsigned":
      return String(type === "INT32" ? value >>> 0 : BigInt.asUintN(64, value));
    case "decimal":
      return decimal(value instanceof Uint8Array ? unscaled(value) : BigInt(value), kind.scale);
    case "half":
      return float(half(value[0] | (value[1] << 8)));
    case "date":
      return date(value);
    case "time":
      return time(BigInt(value), kind.places);
    case "timestamp": {
      const [days, left] = parted(BigInt(value), 86_400n * 10n ** BigInt(kind.places));
      return `${date(days)}T${time(left, kind.places)}${kind.utc ? "Z" : ""}`;
    }
  }
  if (value instanceof Uint8Array) return quoted(utf8.decode(value));
  if (type === "FLOAT") return float32(value);
  return type === "DOUBLE" ? float(value) : String(value);
}

// ---- Thrift, of which footers and page headers are ------------------------------------------------------------------

/** Structures in each other. Tools write about ten. */
const MOST_DEPTH = 64;

/** Refuses a structure whose lists claim more items than there are bytes: their decoder takes memory for all of them first. */
function checkThrift({ view, offset }) {
  const reader = { view, offset };
  const byte = () => view.getUint8(reader.offset++);
  // Of all lists that are open.
  let items = 0;
  const pass = (type, depth) => {
    if (depth > MOST_DEPTH) throw new Error("it is nested too deep");
    if (type === 3) byte();
    else if (type >= 4 && type <= 6) readVarInt(reader);
    else if (type === 7) reader.offset += 8;
    else if (type === 8) {
      const length = readVarInt(reader);
      if (length < 0) throw new Error("a text has no length");
      reader.offset += length;
    } else if (type === 9) {
      const head = byte();
      const count = head >> 4 === 15 ? readVarInt(reader) : head >> 4;
      const of = head & 15;
      items += count;
      if (!(count >= 0 && items <= view.byteLength - reader.offset)) throw new Error("a list is longer than the file");
      // Truth values take a byte in lists, and none elsewhere.
      for (let left = count; left > 0; left -= 1, items -= 1) pass(of === 1 || of === 2 ? 3 : of, depth + 1);
    } else if (type === 12) {
      for (let head = byte(); head & 15; head = byte()) {
        if (head >> 4 === 0) readVarInt(reader);
        pass(head & 15, depth + 1);
      }
    } else if (type > 2 || type < 1) throw new Error("a field has no known type");
  };
  pass(12, 0);
}

// ---- Pages ----------------------------------------------------------------------------------------------------------

/** Encodings whose decoders take as much memory as a page claims, and those of which nothing is known, are refused. */
const ENCODINGS = ["PLAIN", "PLAIN_DICTIONARY", "RLE_DICTIONARY", "RLE", "DELTA_BINARY_PACKED", "BYTE_STREAM_SPLIT"];
const WIDTHS = { BOOLEAN: 0, INT32: 4, FLOAT: 4, BYTE_ARRAY: 4, INT64: 8, DOUBLE: 8 };

/** Bytes of a value in memory beside those of its page: its level, and its number or its place in the dictionary. */
const VALUE = 16;
/** Bytes of the view that a text or a number of fixed length is. */
const VIEW = 104;
/** Bytes that a page may have for nothing: heads of runs and blocks that are filled up. */
const SLACK = 1 << 14;
/** All pages of a file unpack to so many times what they may at a time: text takes about as much as its values. */
const ALL = 16;

/**
 * A zstd frame that ends with a byte 1 more, which comes to its place only where the frame is as long as it should be:
 * its decoder does not tell (RFC 8878). A second frame is refused, as nobody writes it.
 */
function marked(frame) {
  if (frame.length < 9 || new DataView(frame.buffer, frame.byteOffset).getUint32(0, true) !== 0xfd2fb528) throw new Error("a page is not packed with zstd");
  const head = frame[4];
  const single = (head >> 5) & 1;
  let at = 6 - single + [0, 1, 2, 4][head & 3] + (head >> 6 ? 1 << (head >> 6) : single);
  let last;
  do {
    last = at;
    const [low, middle, high] = frame.subarray(at, at + 3);
    const size = (low >> 3) | (middle << 5) | (high << 13);
    at += 3 + (((low >> 1) & 3) === 1 ? 1 : size);
    if (at > frame.length) throw new Error("a page ends early");
    if (size > 1 << 17) throw new Error("a page has a block that is too long");
  } while (!(frame[last] & 1));
  // The bit that says so is 4, as are the bytes of a checksum.
  if (at + (head & 4) !== frame.length) throw new Error("a page has more than one frame");
  const longer = new Uint8Array(at + 4);
  longer.set(frame.subarray(0, at));
  longer[last] &= ~1;
  longer.set([(1 << 3) | 1, 0, 0, 1], at);
  return longer;
}

/** Bytes that a block of snappy unpacks to: the sum of its elements. */
function snappyLength(block) {
  let [, at] = varint(block, 0);
  let sum = 0;
  while (at < block.length) {
    const [kind, value] = [block[at] & 3, block[at] >> 2];
    const extra = kind === 0 ? Math.max(0, value - 59) : 0;
    const long = [...block.subarray(at + 1, at + 1 + extra)].reduceRight((length, byte) => length * 256 + byte, 0);
    const length = kind === 1 ? (value & 7) + 4 : (extra ? long : value) + 1;
    sum += length;
    at += [1 + extra + length, 2, 3, 5][kind];
  }
  return sum;
}

const OTHER_LENGTH = "a page is not as long as it says";

/** What unpacks a page of so many bytes, and refuses one of more. */
const CODECS = {
  UNCOMPRESSED: (packed) => packed,
  SNAPPY: (packed, length) => {
    if (snappyLength(packed) !== length) throw new Error(OTHER_LENGTH);
    const out = new Uint8Array(length);
    snappyUncompress(packed, out);
    return out;
  },
  GZIP: async (packed, length) => {
    const out = new Uint8Array(length);
    let at = 0;
    for await (const part of new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"))) {
      // More than there is room for throws.
      out.set(part, at);
      at += part.length;
    }
    return out.subarray(0, at);
  },
  ZSTD: (packed, length) => {
    // Into given memory, nothing else is taken: what does not fit is dropped, and the mark with it.
    const out = decompress(marked(packed), new Uint8Array(length + 1));
    if (out[length] !== 1) throw new Error(OTHER_LENGTH);
    return out.subarray(0, length);
  },
};

async function unpack(codec, packed, length) {
  try {
    return await CODECS[codec](packed, length);
  } catch (error) {
    // There is no room for what it writes.
    throw error instanceof RangeError ? new Error(OTHER_LENGTH) : error;
  }
}

/** A number of seven bits a byte, the lowest first, and where the next thing is. */
function varint(bytes, at) {
  let value = 0;
  for (let shift = 0; shift < 35; shift += 7) {
    if (at >= bytes.length) throw new Error("a page ends early");
    const byte = bytes[at++];
    value += (byte & 127) * 2 ** shift;
    if (byte < 128) return [value, at];
  }
  throw new Error("a number of a page is too long");
}

/**
 * Refuses runs of equal or packed values that are more than `most`: their decoder would write them all. There may be fewer,
 * where levels leave some out.
 */
function checkRuns(bytes, most, width) {
  let at = 0;
  for (let left = most; left > 0 && at < bytes.length; ) {
    const [head, start] = varint(bytes, at);
    const packed = head % 2 === 1;
    const run = Math.floor(head / 2) * (packed ? 8 : 1);
    // Packed ones are filled up to eight.
    if (run === 0 || run > left + (packed ? 7 : 0)) throw new Error("a page has too many values");
    at = start + (packed ? (run * width) / 8 : Math.ceil(width / 8));
    if (at > bytes.length) throw new Error("a page ends early");
    left -= run;
  }
}

/** Refuses blocks of differences that no tool writes. */
function checkDeltas(bytes) {
  const [block, at] = varint(bytes, 0);
  const [parts] = varint(bytes, at);
  if (!(block > 0 && block <= 1 << 20 && parts > 0 && block % parts === 0 && (block / parts) % 32 === 0)) {
    throw new Error("a page has blocks of no size");
  }
}

/** The values of a column in a row group, a page at a time. */
class Pages {
  constructor(bytes, decoder, budget) {
    Object.assign(this, { decoder, budget, reader: { view: new DataView(bytes), offset: 0 }, count: 0, at: 0, held: {} });
  }

  /** How many values are at hand; reads on where there are none. */
  async left() {
    while (this.at >= this.count) await this.load();
    return this.count - this.at;
  }

  /** The next value, undefined for a missing one. */
  next() {
    const at = this.at++;
    if (this.levels && !this.levels[at]) return undefined;
    const value = this.values[this.atValue++];
    return this.places ? this.places[value] : value;
  }

  /** Reads the next page, and refuses what its decoder would take memory for without looking. */
  async load() {
    const { reader, decoder } = this;
    if (reader.offset >= reader.view.byteLength) throw new Refused(wrong(`column ${decoder.element.name} has too few values`));
    checkThrift(reader);
    const header = parquetHeader(reader);
    const isDictionary = header.type === "DICTIONARY_PAGE";
    const about = header.data_page_header ?? header.data_page_header_v2 ?? header.dictionary_page_header;
    const bytes = header.uncompressed_page_size;
    if (!about || !(bytes >= 0 && header.compressed_page_size >= 0 && about.num_values >= 0)) throw new Error("a page has no header");
    if (about.num_values > MOST_VALUES) throw new Refused(wrong(`it claims a page of ${grouped(about.num_values)} values`));
    if (!isDictionary && !ENCODINGS.includes(about.encoding)) {
      throw new Refused(
        `the Parquet file has values in the encoding ${about.encoding}, which is not read: write it with the usual ` +
          "encodings (pyarrow: the default of column_encoding)",
      );
    }
    const width = WIDTHS[decoder.type] ?? decoder.element.type_length;
    const isPlaces = !isDictionary && about.encoding.endsWith("_DICTIONARY");
    const isText = decoder.type === "BYTE_ARRAY" && !isPlaces;
    if (bytes > SLACK + 2 * about.num_values * (Math.max(width, 4) + 4) && !(isText && about.num_values > 0)) {
      throw new Error("a page is longer than its values");
    }
    const isView = isText || (decoder.type === "FIXED_LEN_BYTE_ARRAY" && !isPlaces);
    this.hold(isDictionary ? "dictionary" : "page", bytes, about.num_values * (VALUE + (isView ? VIEW : 0)));
    if (isDictionary && about.num_values * width > bytes) throw new Error("a dictionary is cut off");
    if (isPlaces && !this.dictionary) throw new Error("a dictionary is missing");
    const { view, offset } = reader;
    if (offset + header.compressed_page_size > view.byteLength) throw new Error("a page ends early");
    const packed = new Uint8Array(view.buffer, view.byteOffset + offset, header.compressed_page_size);
    reader.offset += header.compressed_page_size;
    if (isDictionary) this.dictionary = this.plain(await this.unpacked(packed, bytes), about.num_values);
    else await (header.data_page_header ? this.page(packed, header) : this.pageV2(packed, header));
  }

  async unpacked(packed, length) {
    if (packed.length === 0 && length === 0) return packed;
    const bytes = await unpack(this.decoder.codec, packed, length);
    if (bytes.length !== length) throw new Error(OTHER_LENGTH);
    return bytes;
  }

  plain(bytes, count) {
    const { type, element } = this.decoder;
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    return readPlain({ view, offset: 0 }, type, count, element.type_length);
  }

  async page(packed, { uncompressed_page_size: length, data_page_header: about }) {
    const bytes = await this.unpacked(packed, length);
    let body = bytes;
    if (this.optional()) {
      const levels = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength).getUint32(0, true);
      checkRuns(bytes.subarray(4, 4 + levels), about.num_values, 1);
      body = bytes.subarray(4 + levels);
    }
    this.check(body, about);
    this.take(readDataPage(bytes, about, this.decoder), about);
  }

  async pageV2(packed, header) {
    const about = header.data_page_header_v2;
    const plain = about.repetition_levels_byte_length + about.definition_levels_byte_length;
    if (!(plain >= 0 && plain <= packed.length && about.num_nulls <= about.num_values)) throw new Error("a page is shorter than its levels");
    if (this.optional()) checkRuns(packed.subarray(about.repetition_levels_byte_length, plain), about.num_values, 1);
    const length = header.uncompressed_page_size - plain;
    const isPacked = about.is_compressed && length > 0;
    const body = isPacked ? await this.unpacked(packed.subarray(plain), length) : packed.subarray(plain);
    this.check(body, about);
    const whole = new Uint8Array(plain + body.length);
    whole.set(packed.subarray(0, plain));
    whole.set(body, plain);
    const unpacked = { ...header, data_page_header_v2: { ...about, is_compressed: false } };
    this.take(readDataPageV2(whole, unpacked, this.decoder), about);
  }

  optional() {
    return this.decoder.element.repetition_type !== "REQUIRED";
  }

  /** Refuses values that their decoder would not end with. */
  check(body, { encoding, num_values: most }) {
    if (body.length === 0) return;
    if (encoding === "DELTA_BINARY_PACKED") checkDeltas(body);
    if (encoding !== "RLE" && !encoding.endsWith("_DICTIONARY")) return;
    const width = encoding === "RLE" ? 1 : body[0];
    if (!(width <= 32)) throw new Error("a page has numbers of no width");
    if (width > 0) checkRuns(body.subarray(encoding === "RLE" ? 4 : 1), most, width);
  }

  /** Takes the values of a page, and the levels that say which are missing. */
  take({ definitionLevels, dataPage: values }, { encoding, num_values: count }) {
    const levels = definitionLevels?.length ? definitionLevels : undefined;
    const places = encoding.endsWith("_DICTIONARY") ? this.dictionary : undefined;
    let there = levels ? 0 : count;
    for (const level of levels ?? []) there += level ? 1 : 0;
    if (values.length !== there || (levels && levels.length !== count)) throw new Error("a page has too few values");
    for (const at of places ? values : []) if (!(at < places.length)) throw new Error("a value is not in its dictionary");
    Object.assign(this, { levels, values, places, count, at: 0, atValue: 0 });
  }

  /** Counts the bytes of a page that is held, and of its values, of all columns of a row group together. */
  hold(what, bytes, values) {
    const { budget, held } = this;
    const before = held[what] ?? { bytes: 0, values: 0 };
    budget.bytes += bytes - before.bytes;
    budget.values += values - before.values;
    held[what] = { bytes, values };
    if (budget.bytes > budget.limit) throw tooLarge(budget.limit);
    if (budget.bytes + budget.values > budget.limit) throw tooLargeHere(budget.limit);
    budget.file.unpacked += bytes;
    if (budget.file.unpacked > ALL * budget.limit) throw tooLargeHere(ALL * budget.limit);
  }
}

// ---- The file -------------------------------------------------------------------------------------------------------

const wrong = (why) => `the Parquet file is damaged: ${why}; copy it again`;

/** Runs a step; what is thrown and no sentence of ours means a damaged file. */
async function said(step) {
  try {
    return await step();
  } catch (error) {
    throw error instanceof Refused ? error : new Refused(wrong(String(error?.message ?? error)));
  }
}

/** Most levels of a schema. Tools write a handful. */
const MOST_LEVELS = 100;

/** Refuses a schema that is deeper than any tool writes it, or has fewer elements than its groups claim. */
function checkSchema(elements) {
  // Children to come: of each group on the way here, and of all of these.
  const open = [];
  let all = 0;
  for (const [at, { num_children: children = 0 }] of elements.entries()) {
    if (open.length) all -= 1;
    if (open.length) open[open.length - 1] -= 1;
    all += children;
    if (!(children >= 0 && all < elements.length - at)) throw new Error("its schema makes no sense");
    open.push(children);
    if (open.length > MOST_LEVELS) {
      throw new Refused(
        `the Parquet file has columns in more than ${MOST_LEVELS} levels of groups: write M, N, K and the time as ` +
          "columns of their own",
      );
    }
    while (open.at(-1) === 0) open.pop();
  }
}

/** The leaves of a schema, in the order of a row group's columns, each with the elements on the way to it. */
function leaves(node, path = []) {
  const here = [...path, node];
  if (node.children.length) return node.children.flatMap((child) => leaves(child, here));
  // A group may have nothing in it.
  return node.element.type ? [here] : [];
}

/** The columns that are flat and hold numbers or text, and the others by name, each with why it is left out. */
function columnsOf(schema) {
  const columns = [];
  const leftOut = [];
  for (const [leaf, path] of leaves(schema).entries()) {
    const { element } = path.at(-1);
    checkNoted(element);
    const flat = path.length === 2 && element.repetition_type !== "REPEATED";
    const name = path[1]?.element.name ?? "";
    const kind = flat ? kindOf(element) : "nested";
    if (typeof kind !== "string") {
      // Values come as they are stored: what they mean is ours to say.
      const stored = { ...element, converted_type: undefined, logical_type: undefined };
      const schemaPath = [path[0], { ...path[1], element: stored }];
      columns.push({ leaf, kind, type: element.type, name, decoder: { element: stored, schemaPath, type: element.type } });
    } else if (flat || leftOut.at(-1)?.name !== name) {
      leftOut.push({ name, why: kind });
    }
  }
  return { columns, leftOut };
}

/** Refuses row groups whose columns are not those of the schema, or lie over each other: each is read on its own. */
function checkGroups(groups, schema, file) {
  const count = leaves(schema).length;
  let left = BigInt(file.byteLength);
  for (const { columns, num_rows } of groups) {
    if (!(num_rows >= 0n)) throw new Error("its numbers of rows make no sense");
    if (columns.length !== count) throw new Error("a row group lacks a column");
    for (const { meta_data: about } of columns) {
      if (about?.total_compressed_size < 0n) throw new Error("a column does not fit its rows");
      left -= about?.total_compressed_size ?? 0n;
    }
  }
  if (left < 0n) throw new Error("its columns take more bytes than it has");
}

/** The bytes of a column in a row group, with what decodes them. */
async function pagesOf(file, group, column, budget) {
  const about = group.columns[column.leaf]?.meta_data;
  if (!about) throw new Error("a row group lacks a column");
  if (!Object.hasOwn(CODECS, about.codec)) {
    throw new Refused(`the Parquet file is packed with ${about.codec}: write it with zstd, snappy, gzip or uncompressed`);
  }
  const start = Number(about.dictionary_page_offset ?? about.data_page_offset);
  const length = Number(about.total_compressed_size);
  const fits = start >= 0 && length >= 0 && start + length <= file.byteLength;
  if (!fits || about.num_values !== group.num_rows) throw new Error("a column does not fit its rows");
  const decoder = { ...column.decoder, pathInSchema: [column.name], codec: about.codec, utf8: false };
  return new Pages(await file.slice(start, start + length), decoder, budget);
}

/** Opens a file of a blob. */
export function open(blob, limit) {
  return said(async () => {
    const file = { byteLength: blob.size, slice: (from, to) => blob.slice(from, to).arrayBuffer() };
    if (blob.size < 12 || (await blob.slice(-4).text()) !== "PAR1") {
      throw new Refused("the Parquet file ends early: it was cut off or is still being written; copy it again");
    }
    const length = new DataView(await file.slice(blob.size - 8, blob.size)).getUint32(0, true);
    if (length > blob.size - 8) throw new Error("its footer is longer than the file");
    const footer = await file.slice(blob.size - 8 - length, blob.size);
    checkThrift({ view: new DataView(footer), offset: 0 });
    const about = parquetMetadata(footer, { geoparquet: false });
    checkSchema(about.schema);
    const schema = parquetSchema(about);
    const { columns, leftOut } = columnsOf(schema);
    checkGroups(about.row_groups, schema, file);
    const rows = about.row_groups.reduce((sum, { num_rows }) => sum + num_rows, 0n);
    const left = leftOut.length ? `; left out: ${leftOut.map(({ name, why }) => `${name} (${why})`).join(", ")}` : "";
    if (!columns.length) {
      throw new Refused(`the Parquet file has no column of numbers or text${left}: write M, N, K and the time as columns of their own`);
    }
    const what = `${plural(rows, "row")}, ${plural(columns.length, "column")}`;
    // Every cell takes the byte that parts it from the next one.
    if (rows * BigInt(columns.length) > BigInt(Math.floor(limit))) {
      throw new Refused(
        `the Parquet file has ${what}, whose text takes more than ${size(limit)}: write fewer rows, or allow more ` +
          "with --memory of the gemmscope command",
      );
    }
    const text = texts(file, about.row_groups, columns, { rows: Number(rows), limit });
    return { note: `Parquet: ${what}${left}.`, next: () => said(async () => (await text.next()).value ?? null) };
  });
}

/** The CSV in pieces: the names of the columns, then the rows. */
async function* texts(file, groups, columns, { rows, limit }) {
  let text = `${columns.map(({ name }) => quoted(name)).join(",")}\n`;
  let done = 0;
  const all = { unpacked: 0 };
  for (const group of groups) {
    const budget = { bytes: 0, values: 0, limit, file: all };
    const pages = [];
    for (const column of columns) pages.push(await pagesOf(file, group, column, budget));
    for (let left = Number(group.num_rows); left > 0; ) {
      // Rows of which every column has its value at hand.
      let ready = left;
      for (const values of pages) ready = Math.min(ready, await values.left());
      for (left -= ready; ready > 0; ready -= 1) {
        text += `${pages.map((values, at) => cell(values.next(), columns[at])).join(",")}\n`;
        done += 1;
        if (text.length >= TEXT) {
          yield { text, part: done / rows };
          text = "";
        }
      }
    }
  }
  yield { text, part: 1 };
}
