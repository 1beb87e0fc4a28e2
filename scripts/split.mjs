// Cuts the parts that `#[wasm_split]` names (see src/app/later.rs) out of the page's wasm, so that the
// first view does not wait for them. A step of Trunk's post_build hook (stamp.mjs): Trunk has no place between the
// compiler and wasm-bindgen, so what it wrote is replaced by
//
//   gemmscope-page-HASH.js, gemmscope-page-HASH_bg.wasm   the glue and the main part, under the names Trunk gave them
//   parts-HASH.js                               fetches a part when it is asked for
//   part-NAME-HASH.wasm                         a part, or what several parts share
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const LINK = "./__wasm_split.js";
const FEATURES = [
  "bulk-memory", "nontrapping-float-to-int", "sign-ext", "mutable-globals", "reference-types", "multivalue", "simd",
].map((name) => `--enable-${name}`);

const hash = (bytes) => createHash("sha256").update(bytes).digest("hex").slice(0, 12);
const run = (command, ...args) => execFileSync(command, args, { stdio: ["ignore", "ignore", "inherit"] });

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

/** Splits the wasm of the site in `dist`, as cargo compiled it for `profile`; gives the link script's name. */
export function split(dist, root, profile) {
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
      for (const file of [`${name}_bg.wasm`, ...parts]) {
        const path = join(work, file);
        // Copies of one function for several types lie side by side: 4 % less after gzip.
        run("wasm-opt", path, "-O2", "--reorder-functions-by-name", "-g", ...FEATURES, "-o", path);
        if (!named) run("wasm-opt", path, "--strip-debug", "--strip-producers", ...FEATURES, "-o", path);
      }
    }
    let link = readFileSync(join(work, LINK), "utf8").replaceAll(/fetch\(new URL\(("[^"]*"), import\.meta\.url\)\)/g, "part($1)");
    for (const file of parts) {
      const bytes = readFileSync(join(work, file));
      const stem = file.replace(/\.wasm$/, "");
      const kept = `part-${stem}-${hash(bytes)}.wasm`;
      writeFileSync(join(dist, kept), bytes);
      const next = link.replaceAll(`"./${file}"`, `"./${kept}"`);
      if (next === link) throw new Error(`the link script does not name ${file}`);
      link = next;
    }
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
