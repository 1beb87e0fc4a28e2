// node scripts/links.mjs FOLDER [START]: follows every relative link, picture and script of the HTML files in FOLDER,
// and fails if one leads nowhere (or to a missing anchor). Addresses of other hosts are ignored.
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { dirname, join, relative } from "node:path";

const [root, start = "."] = process.argv.slice(2);
const pages = readdirSync(join(root, start), { recursive: true, withFileTypes: true })
  .filter((e) => e.isFile() && e.name.endsWith(".html"))
  .map((e) => join(e.parentPath ?? e.path, e.name));
const ids = new Map();
const anchors = (page) => {
  if (!ids.has(page)) ids.set(page, new Set([...readFileSync(page, "utf8").matchAll(/\s(?:id|name)="([^"]+)"/g)].map((m) => m[1])));
  return ids.get(page);
};
let links = 0;
const dead = [];
for (const page of pages) {
  // print.html of a book repeats its chapters, with its own links.
  if (/(print|404|toc)\.html$/.test(page)) continue;
  const html = readFileSync(page, "utf8").replace(/<!--[\s\S]*?-->/g, "").replace(/<(script|code|pre)\b[^>]*>[\s\S]*?<\/\1>/g, (m) => m.slice(0, m.indexOf(">") + 1));
  for (const [, value] of html.matchAll(/\s(?:href|src)="([^"]*)"/g)) {
    const target = value.replaceAll("&amp;", "&");
    if (/^([a-z][a-z0-9+.-]*:|\/\/)/i.test(target) || target === "") continue;
    links += 1;
    const [path, anchor] = target.split("#");
    let file = path === "" ? page : join(dirname(page), decodeURIComponent(path.split("?")[0]));
    if (existsSync(file) && statSync(file).isDirectory()) file = join(file, "index.html");
    if (!existsSync(file)) dead.push(`${relative(root, page)}: ${value}`);
    else if (anchor && !anchor.includes("=") && file.endsWith(".html") && !anchors(file).has(decodeURIComponent(anchor))) dead.push(`${relative(root, page)}: ${value} (no such anchor)`);
  }
}
console.log(`${links} links in ${pages.length} pages, ${dead.length} dead`);
for (const line of dead) console.log(`  ${line}`);
process.exitCode = dead.length || !links ? 1 : 0;
