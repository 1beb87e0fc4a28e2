// node scripts/pages.mjs [out]: the folder that is deployed to GitHub Pages: the site at its root, the documentation in
// docs/, and a folder for each released version, which embeds can rely on. VERSIONS=folder has the released ones (a
// site per folder: v0.1.0/, ...; scripts/released.sh downloads them). Unreleased versions have no folder.
import { execFileSync } from "node:child_process";
import { cpSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const project = dirname(dirname(fileURLToPath(import.meta.url)));
const out = process.argv[2] ?? join(project, "target", "pages");
const dist = join(project, "dist");

rmSync(out, { recursive: true, force: true });
cpSync(dist, out, { recursive: true });
const released = process.env.VERSIONS ?? "";
const versions = existsSync(released) ? readdirSync(released).filter((name) => /^v\d/.test(name)) : [];
/** Puts a site into the folder of its version. Such a folder is for embeds; only the root works offline. */
function pin(site, name) {
  cpSync(site, join(out, name), { recursive: true });
  rmSync(join(out, name, "sw.js"), { force: true });
  for (const page of ["index.html", "open.html"]) {
    const path = join(out, name, page);
    writeFileSync(path, readFileSync(path, "utf8").replaceAll("&amp;sw=1", ""));
  }
}
for (const name of versions) pin(join(released, name), name);
execFileSync(process.execPath, [join(project, "scripts", "docs.mjs"), join(out, "docs")], { stdio: "inherit" });
console.log(`${out}: ${["/", "/docs/", ...versions.map((name) => `/${name}/`)].join(" ")}`);
