// The whole app in one HTML file that opens from file://: styles and scripts inline and named in its policy by their
// hashes, the wasm compressed inside. An empty element takes data and view ("save as page" in the app fills it), or the
// published times of some devices:
//
//   node scripts/single.mjs [DIST] [OUT] [DEVICE...]
import { createHash } from "node:crypto";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { deflateRawSync, gzipSync } from "node:zlib";
import { fileURLToPath } from "node:url";

/** Place of the data; the app looks for exactly this. */
export const SLOT = '<script type="text/plain" id="gemmscope-data">';

// Runs after the glue code, in the same module. Keep in sync with boot.mjs: the app reads the same fields of
// gemmscopeBoot.
const START = `
const root = document.documentElement;
const boot = { single: true, module: null, template: null };
globalThis.gemmscopeBoot = boot;
// The file as it is before anything runs in it: what "save as page" writes again.
const bare = root.cloneNode(true);
for (const name of bare.getAttributeNames()) if (name !== "lang") bare.removeAttribute(name);
bare.querySelector("#boot").replaceChildren();
bare.querySelector("#paste").removeAttribute("open");
boot.template = "<!doctype html>\\n" + bare.outerHTML;
try {
  root.dataset.boot = "loading";
  gemmscopeEarly.begin();
  const packed = Uint8Array.from(atob(document.getElementById("gemmscope-wasm").textContent), (c) => c.charCodeAt(0));
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
  boot.module = await WebAssembly.compileStreaming(new Response(stream, { headers: { "content-type": "application/wasm" } }));
  await __wbg_init({ module_or_path: boot.module });
  root.dataset.boot = "started";
} catch (error) {
  console.error(error);
  gemmscopeEarly.fail("The page's program could not start: " + (error?.message ?? error) + ". It needs a current Chrome, Firefox or Safari.");
}
`;

/** Escapes a script for use inside a script element. */
const inert = (js) => js.replace(/<(?=\/script|!--)/gi, "\\x3c");

/** The tables of published times of these devices, as data without a view (crates/share/src/data.rs). */
function published(dist, devices) {
  const files = JSON.parse(readFileSync(join(dist, "reference", "tables.json"), "utf8"));
  for (const device of devices) {
    if (!files.some((of) => of.device === device)) throw new Error(`nothing is published of the device ${device}: see gemmscope reference`);
  }
  const names = files.filter((of) => devices.includes(of.device)).map((of) => `${of.device}-${of.precision}.bin`);
  if (!names.length) return "";
  const bytes = names.map((name) => readFileSync(join(dist, "reference", name)));
  const head = JSON.stringify(names.map((name, at) => ({ name, size: bytes[at].length })));
  return `\n${deflateRawSync(Buffer.concat([Buffer.from(`${head}\n`), ...bytes])).toString("base64url")}`;
}

/** Reads a built site, gives the page's text, with the published times of some devices inside. */
export function singleFile(dist, devices = []) {
  const read = (name) => readFileSync(join(dist, name), "utf8");
  const wasm = readdirSync(dist).find((name) => name.endsWith("_bg.wasm"));
  const glue = read(wasm.replace("_bg.wasm", ".js"))
    .replace(/^export \{[^}]*\};?$/gm, "")
    .replace(/^export (default )?(?=(async )?function|class|const|let)/gm, "");
  if (/^(export|import) /m.test(glue)) throw new Error("the glue script holds an import or export that is not known here");
  if (!glue.includes("__wbg_init")) throw new Error("the glue script has no __wbg_init");
  let html = read("index.html");
  const styles = [];
  html = html.replace(/<link rel="?stylesheet"?[^>]*href="?(?:\.\/)?([^" >]+)"?[^>]*>/g, (_, href) => (styles.push(read(href)), ""));
  if (!styles.length) throw new Error("index.html links no style sheet");
  html = html
    .replace(/<link rel="?(modulepreload|preload|manifest|icon)[^>]*>/g, "")
    .replace(/<script[^>]*src="[^"]*"[^>]*><\/script>/g, "");
  // There are no files beside this page.
  html = html.replace(/<a (rel="?help"? )?href="(?!#|https?:)[^"]*">[^<]*<\/a>/g, "");
  const css = styles.join("\n").replace(/url\("?roofline-\w+\.svg"?\)/g, "none");
  const early = inert(read("early.js"));
  const main = inert(glue + START);
  const hash = (text) => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;
  const policy =
    `default-src 'none'; script-src ${hash(early)} ${hash(main)} 'wasm-unsafe-eval'; style-src ${hash(css)}; ` +
    "img-src data: blob:; base-uri 'none'; form-action 'none'";
  const icon = `data:image/svg+xml;base64,${readFileSync(join(dist, "favicon.svg")).toString("base64")}`;
  const packed = gzipSync(readFileSync(join(dist, wasm)), { level: 9 }).toString("base64");
  // Replacement functions, because a replacement text would interpret dollar signs.
  html = html.replace(/(<meta http-equiv="?Content-Security-Policy"? content=")[^"]*"/i, (_, head) => `${head}${policy}"`);
  if (!html.includes(policy)) throw new Error("index.html carries no policy to replace");
  // The data stands before the script that looks whether there is some.
  const head = `<link rel="icon" href="${icon}"><style>${css}</style>${SLOT}${published(dist, devices)}</script><script>${early}</script></head>`;
  html = html.replace("</head>", () => head);
  return html.replace(
    "</body>",
    () =>
      `<script type="text/plain" id="gemmscope-wasm">${packed}</script>\n<script type="module">${main}</script>\n</body>`,
  );
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [dist = "dist", out = "gemmscope.html", ...devices] = process.argv.slice(2);
  const html = singleFile(dist, devices);
  writeFileSync(out, html);
  console.log(`${out}: ${(html.length / 1e6).toFixed(2)} MB, ${(gzipSync(html).length / 1e6).toFixed(2)} MB compressed`);
}
