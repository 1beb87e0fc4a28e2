// Trunk's post_build hook, the last step of a build. Trunk hashes what it builds; the static scripts in public/ keep
// their names, so a browser could run a cached one after a redeploy. This
// - cuts the wasm into parts (split.mjs), tells early.js those of a frame, and puts the style sheets into one file;
// - puts a hash of their content in the query of their URLs, and records the wasm's unpacked size, which a compressed
//   response does not tell, for the progress bar;
// - writes open.html: the same page under a policy that lets it fetch from other hosts (links with src=);
// - writes gemmscope.html: the whole app in one file;
// - writes into sw.js the list of files that the service worker keeps, with their digests (kept.mjs).
import { createHash } from "node:crypto";
import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { writeWorker } from "./kept.mjs";
import { singleFile } from "./single.mjs";
import { FRAME_FILE, bare, split } from "./split.mjs";

const dist = process.env.TRUNK_STAGING_DIR;
if (!dist) throw new Error("stamp.mjs runs as a Trunk hook: TRUNK_STAGING_DIR is not set");
// Trunk takes the cargo profile from this variable too, so both speak of one program.
const link = await split(dist, process.env.TRUNK_SOURCE_DIR ?? process.cwd(), process.env.TRUNK_BUILD_CARGO_PROFILE);
const dev = Boolean(process.env.GEMMSCOPE_DEV);

const sha = (...names) => {
  const hash = createHash("sha256");
  for (const name of names) hash.update(name).update(readFileSync(join(dist, name)));
  return hash.digest("hex").slice(0, 12);
};
const names = readdirSync(dist);
const early = join(dist, "early.js");
const script = readFileSync(early, "utf8");
const told = script.replace("var FRAME = [];", `var FRAME = ${JSON.stringify(names.filter((name) => FRAME_FILE.test(name)))};`);
if (told === script) throw new Error("early.js has no place for the parts of a frame");
writeFileSync(early, told);
if (!dev) for (const name of ["boot.mjs", "early.js", "worker.mjs"]) writeFileSync(join(dist, name), bare(readFileSync(join(dist, name), "utf8")));
const wasm = names.find((name) => name.endsWith("_bg.wasm"));
const stamp = `v=${sha("boot.mjs", "early.js", "worker.mjs")}`;

const page = join(dist, "index.html");
let html = readFileSync(page, "utf8");
if (!html.includes("v=dev")) throw new Error("index.html holds no v=dev to stamp");
const more = `&amp;bytes=${statSync(join(dist, wasm)).size}${dev ? "" : "&amp;sw=1"}`;
html = html.replace(/(boot\.mjs\?[^"]*)v=dev/, `$1${stamp}${more}`).replaceAll("v=dev", stamp);
// The glue imports the link script: name it early, or it costs a round trip.
html = html.replace("</head>", `<link rel="modulepreload" href="./${link}"></head>`);
// One style sheet: a request, not eight.
if (!dev) {
  const sheets = [...html.matchAll(/<link rel="?stylesheet"?[^>]*href="?(?:\.\/)?([^" >]+)"?[^>]*>/g)];
  const css = bare(sheets.map(([, name]) => readFileSync(join(dist, name), "utf8")).join(""));
  const sheet = `style-${createHash("sha256").update(css).digest("hex").slice(0, 12)}.css`;
  for (const [i, [tag, name]] of sheets.entries()) {
    html = html.replace(tag, i ? "" : `<link rel="stylesheet" href="./${sheet}">`);
    rmSync(join(dist, name));
  }
  writeFileSync(join(dist, sheet), css);
}
// What the page asks for comes before early.js, at which the parser waits: a round trip less on a slow line. What the
// first paint needs leads.
if (!dev) {
  const [, script] = html.match(/<script src="(early\.js[^"]*)">/);
  const [, sheet] = html.match(/<link rel="stylesheet" href="([^"]*)">/);
  const [, boot] = html.match(/<script type="module" src="([^"]*)">/);
  const later = html.match(/<link rel="?(?:modulepreload|preload)"?[^>]*>/g);
  for (const tag of later) html = html.replace(tag, "");
  const first = [`as="script" href="${script}"`, `as="style" href="${sheet}"`].map((what) => `<link rel="preload" ${what}>`);
  const all = [...first, `<link rel="modulepreload" href="${boot}">`, ...later].join("");
  html = html.replace(`<script src="${script}">`, () => `${all}\n    <script src="${script}">`);
}
if (dev) {
  // `trunk serve` adds an inline reload script and a web socket, which the policy rightly refuses.
  html = html.replace(/<meta http-equiv="?Content-Security-Policy"?[^>]*>/i, "");
}
writeFileSync(page, html);

if (dev) {
  rmSync(join(dist, "sw.js"), { force: true });
  writeFileSync(join(dist, "open.html"), html);
} else {
  const open = html.replace("connect-src 'self'", "connect-src 'self' https: http://localhost:* http://127.0.0.1:*");
  if (open === html) throw new Error("index.html carries no connect-src to widen");
  writeFileSync(join(dist, "open.html"), open);
  writeFileSync(join(dist, "gemmscope.html"), singleFile(dist));

  writeWorker(dist, readFileSync(join(dist, "sw.js"), "utf8"));
}
// A folder that GitHub Pages serves as it is.
writeFileSync(join(dist, ".nojekyll"), "");
