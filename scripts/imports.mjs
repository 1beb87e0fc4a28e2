// The wasm names what it imports from its glue script, function by function, with a hash in each name: 11 kB of the first
// view after gzip, for names that only the two of them use. Here they become short ones.

/** Reads unsigned numbers and names of a wasm module. */
export class Reader {
  constructor(bytes, at) {
    this.bytes = bytes;
    this.at = at;
  }
  number() {
    let value = 0;
    for (let bit = 0; ; bit += 7) {
      const byte = this.bytes[this.at++];
      value += (byte & 127) * 2 ** bit;
      if (byte < 128) return value;
    }
  }
  name() {
    const length = this.number();
    return this.bytes.toString("utf8", this.at, (this.at += length));
  }
  /** What is imported: a function, a table, a memory, a global or a tag. */
  imported() {
    const from = this.at;
    const kind = this.bytes[this.at++];
    if (kind === 1 || kind === 3) this.at++;
    if (kind === 1 || kind === 2) {
      const bounds = this.number();
      this.number();
      if (bounds & 1) this.number();
    } else if (kind === 3) this.at++;
    else if (kind === 4) this.number(), this.number();
    else this.number();
    return this.bytes.subarray(from, this.at);
  }
}

export function number(value) {
  const out = [];
  for (; value > 127; value = Math.floor(value / 128)) out.push((value & 127) | 128);
  return Buffer.from([...out, value]);
}

export function name(text) {
  const bytes = Buffer.from(text);
  return Buffer.concat([number(bytes.length), bytes]);
}

const IMPORTS = 2;
const EXPORTS = 7;

export function section(id, entries) {
  const body = Buffer.concat([number(entries.length), ...entries]);
  return Buffer.concat([Buffer.from([id]), number(body.length), body]);
}

/** The module with each of its imports as `entry` gives it back. */
function rewrite(wasm, entry) {
  const out = [wasm.subarray(0, 8)];
  const reader = new Reader(wasm, 8);
  while (reader.at < wasm.length) {
    const from = reader.at;
    const id = wasm[reader.at++];
    const length = reader.number();
    const end = reader.at + length;
    if (id === IMPORTS) {
      const entries = Array.from({ length: reader.number() }, () => entry(reader));
      if (reader.at !== end) throw new Error("the wasm's imports are not as they were");
      out.push(section(IMPORTS, entries));
    } else out.push(wasm.subarray(from, end));
    reader.at = end;
  }
  return Buffer.concat(out);
}

/** A module that takes from `of` what `wasm` imports, one of each kind, and exports it under the same names. */
export function passOn(wasm, of) {
  const [imports, exports] = [[], []];
  rewrite(wasm, (reader) => {
    reader.name();
    const what = name(reader.name());
    const kind = reader.imported();
    imports.push(Buffer.concat([name(of), what, kind]));
    exports.push(Buffer.concat([what, kind.subarray(0, 1), number(0)]));
    return kind;
  });
  return Buffer.concat([wasm.subarray(0, 8), section(IMPORTS, imports), section(EXPORTS, exports)]);
}

/** The wasm and its glue with short names between them. The glue offers its functions as the module `offered`. */
export function shorten(wasm, glue, offered) {
  const short = new Map();
  const shortened = rewrite(wasm, (reader) => {
    let [of, what] = [reader.name(), reader.name()];
    if (of === offered) {
      if (!short.has(what)) short.set(what, `i${short.size.toString(36)}`);
      [of, what] = ["g", short.get(what)];
    }
    return Buffer.concat([name(of), name(what), reader.imported()]);
  });
  const seen = new Set();
  const renamed = glue
    .replace(/^( +)(\w+)(?=: function)/gm, (key, space, what) => (short.has(what) ? (seen.add(what), space + short.get(what)) : key))
    .replaceAll(`"${offered}":`, '"g":');
  const lost = [...short.keys()].filter((what) => !seen.has(what));
  if (!short.size || lost.length) throw new Error(`the glue script does not offer ${lost.join(", ") || "anything"}`);
  return [shortened, renamed];
}
