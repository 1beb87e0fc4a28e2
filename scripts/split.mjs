// Cuts the parts that `#[wasm_split]` names (see src/app/later.rs) out of the page's wasm, so that the
// first view does not wait for them. A step of Trunk's post_build hook (stamp.mjs): Trunk has no place between the
// compiler and wasm-bindgen, so what it wrote is replaced by
//
//   gemmscope-page-HASH.js, gemmscope-page-HASH_bg.wasm   the glue and the main part, under the names Trunk gave them
//   parts-HASH.js                               fetches a part when it is asked for
//   part-NAME-HASH.wasm                         a part, or what several parts share; merged into one module what a frame
//                                               needs of that, and the little rest
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { passOn, shorten } from "./imports.mjs";
import { merge, optimize } from "./optimize.mjs";

const LINK = "./__wasm_split.js";
/** The name under which chunks import memory, table and stack from the main part; and that under which merged ones do,
 *  where the first is a module that takes it once for all of them. */
const [SHARED, ONCE] = ["__wasm_split", "once"];
const hash = (bytes) => createHash("sha256").update(bytes).digest("hex").slice(0, 12);
// What a tool says is in the error where it fails.
const run = (command, ...args) => execFileSync(command, args, { stdio: ["ignore", "ignore", "pipe"] });

/** A script or style sheet without indents and comments of their own lines: a fifth less after gzip. */
export const bare = (text) => text.replace(/^\s*(\/\/.*|\/\*[^]*?\*\/)/gm, "").replace(/^\s+/gm, "");

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

/** The parts that every frame needs. What they share is one module, which is one request; public/early.js asks for it
 *  and for them before the program is there. */
const FRAME = ["open", "table", "embed"];

/** A file of the site that every frame needs. */
export const FRAME_FILE = new RegExp(`^part-(chunk_frame|split_(${FRAME.join("|")}))-`);

/** What several other parts share is often little: chunks of less than so many bytes are one module, too. Each alone
 *  would cost a request, and compress badly. */
const LITTLE = 16000;

/** Fetches as boot.mjs does: a server with the wrong MIME type would stop instantiateStreaming. */
const HELPERS = `async function part(name) {
    const response = await fetch(new URL(name, import.meta.url), { mode: "cors", credentials: "same-origin" });
    if (!response.ok) throw new Error(name + ": HTTP " + response.status);
    return new Response(response.body, { headers: { "content-type": "application/wasm" } });
}
const load = (name, deps) => makeLoad(() => {
    const source = part(name);
    source.catch(() => {});
    return async (imports) => WebAssembly.instantiateStreaming(source, imports);
}, deps);
`;

/** How the link script loads a file, as wasm-split writes it: the constant of a chunk, the file, the chunks it needs. */
const LOAD = new RegExp(
  String.raw`(const __chunk_\d+ = )?makeLoad\(\(\) => \{\s+const src = fetch\(new URL\("\./([^"]*)\.wasm", import\.meta\.url\)\);\s+src\.catch\(\(\) => \{\}\);` +
    String.raw`\s+return async \(imports\) => \(WebAssembly\.instantiateStreaming\(src, imports\)\);\s+\}\s*, \[([^\]]*)\]\)(;\n)?`,
  "g",
);

/** What it offers to what it loads. */
const OFFER = /sharedImports = \{ __wasm_split: \{\s*\} \};/;

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
    const written = readFileSync(join(work, LINK), "utf8");
    // What each chunk is merged into: side by side, copies of one function compress well, and calls need no table.
    const into = new Map();
    const bytes = (stem) => statSync(join(work, `${stem}.wasm`)).size;
    for (const [, parts, stem] of written.matchAll(/\/\* (.*) \*\/\s*const __(chunk_\d+) /g)) {
      if (parts.split(", ").some((part) => FRAME.includes(part))) into.set(stem, "chunk_frame");
      else if (bytes(stem) < LITTLE) into.set(stem, "chunk_pieces");
    }
    for (const merged of new Set(into.values())) {
      const chunks = [...into.keys()].filter((stem) => into.get(stem) === merged).map((stem) => [join(work, `${stem}.wasm`), stem]);
      const once = join(work, "once.wasm");
      writeFileSync(once, passOn(readFileSync(chunks[0][0]), ONCE));
      merge([[once, SHARED], ...chunks], join(work, `${merged}.wasm`));
      for (const [path] of [[once], ...chunks]) rmSync(path);
    }
    const files = readdirSync(work).filter((file) => file.endsWith(".wasm")).map((file) => file.replace(/\.wasm$/, ""));
    files.sort((a, b) => bytes(b) - bytes(a));
    if (small) await optimize(files.map((stem) => join(work, `${stem}.wasm`)), named);
    const kept = new Map();
    for (const stem of files.filter((stem) => stem !== `${name}_bg`)) {
      const wasm = readFileSync(join(work, `${stem}.wasm`));
      kept.set(stem, `part-${stem}-${hash(wasm)}.wasm`);
      // Its name ends as those of the parts do: servers compress by that.
      writeFileSync(join(dist, kept.get(stem)), wasm);
    }
    const told = new Set();
    const link =
      HELPERS +
      written
        .replace(/\/\*.*\*\/\s*/g, "")
        .replace(LOAD, (_, constant, file, deps, end) => {
          const stem = into.get(file) ?? file;
          if (told.has(stem)) return "";
          told.add(stem);
          const needed = new Set(deps.split(", ").filter(Boolean).map((dep) => into.get(dep.slice(2)) ?? dep.slice(2)));
          return `${constant ? `const ${stem} = ` : ""}load("./${kept.get(stem)}", [${[...needed].join(", ")}])${end ?? ""}`;
        })
        .replace(OFFER, `sharedImports = { ${SHARED}: {} };\n        sharedImports.${ONCE} = sharedImports.${SHARED};`);
    if (told.size !== kept.size || !link.includes(ONCE) || /fetch\(/.test(link.slice(HELPERS.length))) throw new Error("the link script loads in a way that is not known here");
    const linkName = `parts-${hash(link)}.js`;
    writeFileSync(join(dist, linkName), bare(link));
    // The wasm goes on naming the link script as it did; only where it is imported from changes.
    const glue = readFileSync(join(work, `${name}.js`), "utf8");
    if (!glue.includes(`from "${LINK}"`)) throw new Error("the glue script does not import the link script");
    const [wasm, script] = shorten(readFileSync(join(work, `${name}_bg.wasm`)), glue.replaceAll(`from "${LINK}"`, `from "./${linkName}"`), `./${name}_bg.js`);
    writeFileSync(join(dist, `${name}.js`), bare(script));
    writeFileSync(join(dist, `${name}_bg.wasm`), wasm);
    return linkName;
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}
