// node scripts/pages.mjs [out]: what GitHub Pages deploys, as one folder: the site at its root, the documentation in
// docs/, and the site once more in the folder of its version, which embeds can rely on. Released versions that are
// given as VERSIONS=folder (one folder of a site each: v0.1.0/, ...) keep theirs.
import { execFileSync } from "node:child_process";
import { cpSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const project = dirname(dirname(fileURLToPath(import.meta.url)));
const out = process.argv[2] ?? join(project, "target", "pages");
const version = `v${readFileSync(join(project, "Cargo.toml"), "utf8").match(/^version = "(.*)"/m)[1]}`;
const dist = join(project, "dist");

rmSync(out, { recursive: true, force: true });
cpSync(dist, out, { recursive: true });
const released = process.env.VERSIONS ?? "";
const versions = existsSync(released) ? readdirSync(released).filter((name) => /^v\d/.test(name)) : [];
/** Puts a site into the folder of its version. Such a folder is for embeds: only the root is kept offline. */
function pin(site, name) {
  cpSync(site, join(out, name), { recursive: true });
  rmSync(join(out, name, "sw.js"), { force: true });
  for (const page of ["index.html", "open.html"]) {
    const path = join(out, name, page);
    writeFileSync(path, readFileSync(path, "utf8").replace("&amp;sw=1", ""));
  }
}
for (const name of versions) pin(join(released, name), name);
// A released version is never written again.
if (!versions.includes(version)) pin(dist, version);
execFileSync(process.execPath, [join(project, "scripts", "docs.mjs"), join(out, "docs")], { stdio: "inherit" });
console.log(`${out}: ${["/", "/docs/", ...new Set([...versions, version])].join(" ")}`);
