// Cuts the parts that `#[wasm_split]` names (see src/app/later.rs) out of the page's wasm, so that the
// first view does not wait for them. A step of Trunk's post_build hook (stamp.mjs): Trunk has no place between the
// compiler and wasm-bindgen, so what it wrote is replaced by
//
//   gemmscope-page-HASH.js, gemmscope-page-HASH_bg.wasm   the glue and the main part, under the names Trunk gave them
//   parts-HASH.js                               fetches a part when it is asked for
//   part-NAME-HASH.wasm                         a part, or what several parts share; the little ones together
import { execFile, execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

const LINK = "./__wasm_split.js";
const FEATURES = [
  "bulk-memory", "nontrapping-float-to-int", "sign-ext", "mutable-globals", "reference-types", "multivalue", "simd",
].map((name) => `--enable-${name}`);

const hash = (bytes) => createHash("sha256").update(bytes).digest("hex").slice(0, 12);
// What a tool says is in the error where it fails; wasm-opt warns of sections that it leaves alone.
const run = (command, ...args) => execFileSync(command, args, { stdio: ["ignore", "ignore", "pipe"] });
const start = (command, args) => promisify(execFile)(command, args, { maxBuffer: 64 << 20 });

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

/** Fetches as boot.mjs does: a server with the wrong MIME type would stop instantiateStreaming. */
const FETCH = `async function part(name) {
    const response = await fetch(new URL(name, import.meta.url), { mode: "cors", credentials: "same-origin" });
    if (!response.ok) throw new Error(name + ": HTTP " + response.status);
    return new Response(response.body, { headers: { "content-type": "application/wasm" } });
}
`;

/** What several parts share is often little: pieces of less than so many bytes lie in one file, one after another. Each
 *  alone would cost a request, and compress badly. */
const LITTLE = 8000;

/** Gives one of them. */
const PIECE = (name) => `let pieces;
async function piece(from, to) {
    const file = (pieces ??= part("./${name}").then((response) => response.arrayBuffer()));
    try {
        return new Response((await file).slice(from, to), { headers: { "content-type": "application/wasm" } });
    } catch (error) {
        if (pieces === file) pieces = undefined;
        throw error;
    }
}
`;

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
      const optimize = async (file) => {
        const path = join(work, file);
        const bare = ["--strip-debug", "--strip-producers", ...FEATURES, "-o", path];
        if (!named && statSync(path).size < 4 * LITTLE) return start("wasm-opt", [path, "-O2", ...bare]);
        // Copies of one function for several types lie side by side: 4 % less after gzip.
        await start("wasm-opt", [path, "-O2", "--reorder-functions-by-name", "-g", ...FEATURES, "-o", path]);
        if (!named) await start("wasm-opt", [path, ...bare]);
      };
      // As many at once as there are cores, the large ones first.
      const bytes = (file) => statSync(join(work, file)).size;
      const waiting = [`${name}_bg.wasm`, ...parts].sort((a, b) => bytes(a) - bytes(b));
      const worker = async () => {
        while (waiting.length) await optimize(waiting.pop());
      };
      await Promise.all(Array.from({ length: availableParallelism() }, worker));
    }
    let link = readFileSync(join(work, LINK), "utf8").replaceAll(/fetch\(new URL\(("[^"]*"), import\.meta\.url\)\)/g, "part($1)");
    const pieces = [];
    let end = 0;
    const keep = (stem, bytes) => {
      const kept = `part-${stem}-${hash(bytes)}.wasm`;
      writeFileSync(join(dist, kept), bytes);
      return kept;
    };
    for (const file of parts) {
      const bytes = readFileSync(join(work, file));
      const stem = file.replace(/\.wasm$/, "");
      const little = stem.startsWith("chunk_") && bytes.length < LITTLE;
      if (little) pieces.push(bytes);
      const call = little ? `piece(${end}, ${(end += bytes.length)})` : `part("./${keep(stem, bytes)}")`;
      const next = link.replaceAll(`part("./${file}")`, call);
      if (next === link) throw new Error(`the link script does not fetch ${file}`);
      link = next;
    }
    // Its name ends as those of the parts do: servers compress by that.
    link = PIECE(keep("chunk_pieces", Buffer.concat(pieces))) + link;
    if (/fetch\(/.test(link)) throw new Error("the link script fetches in a way that is not known here");
    link = FETCH + link;
    const linkName = `parts-${hash(link)}.js`;
    writeFileSync(join(dist, linkName), link);
    // The wasm goes on naming the script as it did; only where it is imported from changes.
    const glue = readFileSync(join(work, `${name}.js`), "utf8");
    if (!glue.includes(`from "${LINK}"`)) throw new Error("the glue script does not import the link script");
    writeFileSync(join(dist, `${name}.js`), glue.replaceAll(`from "${LINK}"`, `from "./${linkName}"`));
    writeFileSync(join(dist, `${name}_bg.wasm`), readFileSync(join(work, `${name}_bg.wasm`)));
    return linkName;
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}
