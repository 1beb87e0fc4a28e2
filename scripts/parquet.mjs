// The site's Parquet reader: public/parquet.mjs and what it imports, as one module that is fetched when such a file comes.
//
//   node scripts/parquet.mjs OUT
//
// scripts/setup.sh installs what it imports, and esbuild, which puts them together.
import { createRequire } from "node:module";
import { readFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const SOURCE = fileURLToPath(new URL("../public/parquet.mjs", import.meta.url));
/** Packages inside, whose licences the module carries. */
const PACKAGES = ["hyparquet", "fzstd"];

/** The folder of modules that scripts/setup.sh filled: the tools of its `.bin` are in PATH. */
function modules() {
  for (const folder of process.env.PATH.split(delimiter)) {
    if (!folder.endsWith(join("node_modules", ".bin"))) continue;
    try {
      readFileSync(join(folder, "..", "hyparquet", "package.json"));
      return dirname(folder);
    } catch {
      // Another one's tools.
    }
  }
  throw new Error("hyparquet is missing: scripts/setup.sh installs it");
}

/** Name, version and licence of the packages inside. */
export function inside() {
  const about = (name) => JSON.parse(readFileSync(join(modules(), name, "package.json"), "utf8"));
  return PACKAGES.map(about).map(({ name, version, license }) => ({ name, version, license }));
}

/** Writes the module to `out`. */
export async function bundle(out) {
  const folder = modules();
  const { build } = createRequire(join(folder, "here.js"))("esbuild");
  const about = (name) => {
    const { version, license } = JSON.parse(readFileSync(join(folder, name, "package.json"), "utf8"));
    const text = readFileSync(join(folder, name, "LICENSE"), "utf8").trim();
    return `${name} ${version} (${license})\n\n${text}`;
  };
  const banner = `/*! Inside:\n\n${PACKAGES.map(about).join("\n\n")}\n*/`;
  const options = { bundle: true, minify: true, format: "esm", target: "es2022", legalComments: "inline" };
  await build({ ...options, entryPoints: [SOURCE], outfile: out, nodePaths: [folder], banner: { js: banner }, logLevel: "warning" });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await bundle(process.argv[2]);
