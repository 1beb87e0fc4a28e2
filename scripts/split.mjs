// Cuts the parts that `#[wasm_split]` names (see src/app/later.rs) out of the page's wasm, so that the
// first view does not wait for them. A step of Trunk's post_build hook (stamp.mjs): Trunk has no place between the
// compiler and wasm-bindgen, so what it wrote is replaced by
//
//   gemmscope-page-HASH.js, gemmscope-page-HASH_bg.wasm   the glue and the main part, under the names Trunk gave them
//   parts-HASH.js                               fetches a part when it is asked for
//   part-NAME-HASH.wasm                         a part, or what several parts share; together in one file what a frame
//                                               needs of that, and the little rest
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { shorten } from "./imports.mjs";
import { optimize } from "./optimize.mjs";

const LINK = "./__wasm_split.js";
const hash = (bytes) => createHash("sha256").update(bytes).digest("hex").slice(0, 12);
// What a tool says is in the error where it fails.
const run = (command, ...args) => execFileSync(command, args, { stdio: ["ignore", "ignore", "pipe"] });

/** What cargo wrote for a profile, whether it is meant to be small, and whether functions keep their names
 *  (GEMMSCOPE_NAMES=1, for the browser's profiler). The profile alone decides: other builds may be newer. */
export function compiled(root, profile) {
  if (!profile) throw new Error("no cargo profile is named: build with make, or set TRUNK_BUILD_CARGO_PROFILE");
  const target = process.env.CARGO_TARGET_DIR ?? join(root, "target");
  // Cargo's own name for the folder of its default profile.
  const path = join(target, "wasm32-unknown-unknown", profile === "dev" ? "debug" : profile, "gemmscope-page.wasm");
  if (!existsSync(path)) throw new Error(`the profile ${profile} was not built: there is no ${path}`);
  return { path, small: ["site", "release"].includes(profile), named: Boolean(process.env.GEMMSCOPE_NAMES) };
}

/** The parts that every frame needs. What they share lies in one file, which is one request; public/early.js asks for it
 *  and for them before the program is there. */
const FRAME = ["open", "table", "embed"];

/** A file of the site that every frame needs. */
export const FRAME_FILE = new RegExp(`^part-(chunk_frame|split_(${FRAME.join("|")}))-`);

/** What several other parts share is often little: pieces of less than so many bytes lie in one file, too. Each alone
 *  would cost a request, and compress badly. */
const LITTLE = 8000;

/** Fetches as boot.mjs does: a server with the wrong MIME type would stop instantiateStreaming. */
const HELPERS = `async function part(name) {
    const response = await fetch(new URL(name, import.meta.url), { mode: "cors", credentials: "same-origin" });
    if (!response.ok) throw new Error(name + ": HTTP " + response.status);
    return wasm(response.body);
}
const wasm = (body) => new Response(body, { headers: { "content-type": "application/wasm" } });
/** Gives pieces of a file, each as soon as its bytes are there. */
function bundle(name, size) {
    let file;
    const open = async () => ({ reader: (await part(name)).body.getReader(), bytes: new Uint8Array(size), end: 0 });
    const more = async (file) => {
        const { done, value } = await file.reader.read();
        if (done) throw new Error(name + " is cut short");
        file.bytes.set(value, file.end);
        file.end += value.length;
        file.step = undefined;
    };
    return async (from, to) => {
        const mine = (file ??= open());
        try {
            const file = await mine;
            while (file.end < to) await (file.step ??= more(file));
            return wasm(file.bytes.slice(from, to));
        } catch (error) {
            if (file === mine) file = undefined;
            throw error;
        }
    };
}
const load = (start, deps) => makeLoad(() => {
    const source = start();
    source.catch(() => {});
    return async (imports) => WebAssembly.instantiateStreaming(source, imports);
}, deps);
`;

/** How the link script loads a file, as wasm-split writes it; all but the file's name is the same each time. */
const LOAD = new RegExp(
  String.raw`makeLoad\(\(\) => \{\s+const src = fetch\(new URL\("\./([^"]*)", import\.meta\.url\)\);\s+src\.catch\(\(\) => \{\}\);` +
    String.raw`\s+return async \(imports\) => \(WebAssembly\.instantiateStreaming\(src, imports\)\);\s+\}\s*, `,
  "g",
);

/** Splits the wasm of the site in `dist`, as cargo compiled it for `profile`; gives the link script's name. */
export async function split(dist, root, profile) {
  const { path, small, named } = compiled(root, profile);
  const name = readdirSync(dist).find((file) => file.endsWith("_bg.wasm")).replace("_bg.wasm", "");
  const work = mkdtempSync(join(tmpdir(), "gemmscope-split-"));
  try {
    run("wasm-split-cli", path, work, "--out-name", name);
    const main = join(work, `${name}.wasm`);
    run("wasm-bindgen", main, "--target", "web", "--out-dir", work, "--out-name", name, "--no-typescript", "--keep-lld-exports");
    rmSync(main);
    const parts = readdirSync(work).filter((file) => file.endsWith(".wasm") && file !== `${name}_bg.wasm`);
    if (small) {
      const bytes = (file) => statSync(join(work, file)).size;
      const files = [`${name}_bg.wasm`, ...parts].sort((a, b) => bytes(b) - bytes(a));
      await optimize(files.map((file) => ({ path: join(work, file), sorted: named || bytes(file) >= 4 * LITTLE })), named);
    }
    const keep = (stem, bytes) => {
      const kept = `part-${stem}-${hash(bytes)}.wasm`;
      writeFileSync(join(dist, kept), bytes);
      return kept;
    };
    const written = readFileSync(join(work, LINK), "utf8");
    const users = new Map([...written.matchAll(/\/\* (.*) \*\/\s*const __(chunk_\d+) /g)].map(([, parts, stem]) => [stem, parts.split(", ")]));
    // A page asks for the parts one after another, so what the first of them needs lies first.
    const first = (stem) => FRAME.findIndex((part) => users.get(stem).includes(part));
    const bundles = { frame: [], pieces: [] };
    const calls = new Map();
    for (const file of parts) {
      const stem = file.replace(/\.wasm$/, "");
      const bytes = readFileSync(join(work, file));
      const shared = stem.startsWith("chunk_");
      if (shared && first(stem) >= 0) bundles.frame.push({ file, bytes, first: first(stem) });
      else if (shared && bytes.length < LITTLE) bundles.pieces.push({ file, bytes, first: 0 });
      else calls.set(file, `part("./${keep(stem, bytes)}")`);
    }
    let bundled = "";
    for (const [kind, pieces] of Object.entries(bundles)) {
      pieces.sort((a, b) => a.first - b.first);
      let end = 0;
      for (const { file, bytes } of pieces) calls.set(file, `${kind}(${end}, ${(end += bytes.length)})`);
      // Its name ends as those of the parts do: servers compress by that.
      bundled += `const ${kind} = bundle("./${keep(`chunk_${kind}`, Buffer.concat(pieces.map(({ bytes }) => bytes)))}", ${end});\n`;
    }
    const link =
      HELPERS +
      bundled +
      written
        .replace(LOAD, (_, file) => {
          const call = calls.get(file);
          calls.delete(file);
          return `load(() => ${call}, `;
        })
        .replace(/\/\*.*\*\/\s*/g, "")
        .replaceAll("__chunk_", "c");
    if (calls.size || /fetch\(/.test(link.slice(HELPERS.length))) throw new Error("the link script fetches in a way that is not known here");
    const linkName = `parts-${hash(link)}.js`;
    writeFileSync(join(dist, linkName), link);
    // The wasm goes on naming the link script as it did; only where it is imported from changes.
    const glue = readFileSync(join(work, `${name}.js`), "utf8");
    if (!glue.includes(`from "${LINK}"`)) throw new Error("the glue script does not import the link script");
    const [wasm, script] = shorten(readFileSync(join(work, `${name}_bg.wasm`)), glue.replaceAll(`from "${LINK}"`, `from "./${linkName}"`), `./${name}_bg.js`);
    writeFileSync(join(dist, `${name}.js`), script);
    writeFileSync(join(dist, `${name}_bg.wasm`), wasm);
    return linkName;
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}
