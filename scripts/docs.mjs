// node scripts/docs.mjs [out]: builds the documentation: chapters of docs/src with pictures drawn by the native
// command, their data beside them, and output of the command, recipes and deploy/ filled in, so that it cannot drift.
// Needs `cargo build` and mdbook (scripts/setup.sh).
import { execFileSync } from "node:child_process";
import { copyFileSync, cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const project = dirname(dirname(fileURLToPath(import.meta.url)));
const out = resolve(process.argv[2] ?? join(project, "target", "docs", "book"));
// A separate folder, so that two runs do not write to the same one.
const work = join(project, "target", "docs", `source-${process.pid}`);
const run = (...args) => execFileSync(join(project, "target", "debug", "gemmscope"), args, { cwd: project, encoding: "utf8" });
const text = (path) => readFileSync(join(project, path), "utf8").trimEnd();
/** A file, or its lines between `ANCHOR: name` and `ANCHOR_END: name`, without their common indentation. */
const file = (value) => {
  const [path, anchor] = value.split("#");
  if (!anchor) return text(path);
  const part = text(path).match(new RegExp(`ANCHOR: ${anchor}\n([\\s\\S]*?)\n[^\n]*ANCHOR_END: ${anchor}\n`));
  if (!part) throw new Error(`${path} has no part ${anchor}`);
  return part[1].replaceAll(`\n${part[1].match(/^ */)[0]}`, "\n").trimStart();
};
/** The entry of a device in the catalogue, verbatim. */
const device = (id) => text("crates/model/src/hardware/catalog.json").split(/^(?=  \{)/m).find((entry) => entry.includes(`"id": "${id}"`)).trim().replace(/,$/, "").replaceAll("\n  ", "\n");

/** Pictures: name, arguments of `gemmscope render`. */
const PICTURES = {
  libraries: ["samples/mi300x-libraries.csv", "--view", "compare"],
  roofline: ["samples/mi300x-libraries.csv", "--view", "roofline"],
  tiles: ["samples/h100-tiles.csv", "--view", "roofline"],
  flat: ["samples/h100-flat-gemm.csv", "--state", "explore.x=n&explore.y=c.kernel", "--view", "cells"],
  tuning: ["samples/tuning-history.csv", "--device", "a100-80-pcie", "--view", "tuning"],
};

rmSync(work, { recursive: true, force: true });
cpSync(join(project, "docs"), work, { recursive: true });
const src = join(work, "src");
mkdirSync(join(src, "pictures"), { recursive: true });
mkdirSync(join(src, "data"), { recursive: true });
for (const name of readdirSync(join(project, "samples")).filter((n) => n.endsWith(".csv"))) {
  copyFileSync(join(project, "samples", name), join(src, "data", name));
}
for (const [name, [file, ...args]] of Object.entries(PICTURES)) {
  const files = [file, ...args.filter((a) => a.endsWith(".json"))].map((f) => join(project, f));
  run("render", ...files, ...args.filter((a) => !a.endsWith(".json")), "-o", join(src, "pictures", `${name}.svg`));
}
// formats.md lists every format (tests/import.rs). In the book a format is in the chapter of its family, and only
// there; the list links to it.
const listed = readFileSync(join(src, "formats.md"), "utf8").split(/\n(?=## )/);
const formats = new Map(listed.map((section) => [section.match(/^Id: `(.*?)`/m)?.[1], section]).filter(([id]) => id));
const told = new Map();
const format = (id, chapter) => {
  const section = formats.get(id);
  if (!section) throw new Error(`${chapter}: there is no format ${id}`);
  if (told.has(id)) throw new Error(`${chapter}: ${id} is told in ${told.get(id)} already`);
  told.set(id, chapter);
  return section.replace(/^## /, "### ");
};
/** The list in the book: its own sections, and a table instead of the formats. */
const contents = () => {
  const [head, ...rest] = listed.filter((section) => !/^Id: /m.test(section));
  const rows = [...formats].map(([id, section]) => {
    const chapter = told.get(id);
    if (!chapter) throw new Error(`formats.md: no chapter tells of ${id}`);
    const title = section.match(/^## (.*)$/m)[1];
    return `| [${title}](${chapter}#${title.toLowerCase().replace(/[^\w -]/g, "").replaceAll(" ", "-")}) | \`${id}\` |`;
  });
  return [head, `\n| format | id |\n|---|---|\n${rows.join("\n")}\n`, ...rest].join("\n");
};
// A line per place, followed by an indented line per picture.
const views = run("views").trimEnd().split("\n").map((line) => line.match(/^(\s*)(\S+)\s+(.*)$/).slice(1));
// The rules as `gemmscope rules` prints them: a line with id and title, then a line per fact.
const rules = () =>
  run("rules").trim().split(/\n(?=\S)/).map((rule) => {
    const [head, ...facts] = rule.split("\n");
    const [, id, title] = head.match(/^(\S+)\s+(.*)$/);
    const [needs, when, sure, profile] = facts.map((line) => line.slice(19).trim());
    return `### ${title}\n\n\`${id}\`: speaks when ${when}. Needs ${needs}. It is ${sure}.\n\nTo confirm: ${profile}\n`;
  });
const recipe = (path) => text(join("e2e/recipes", path));
const filled = {
  help: () => run("--help").trimEnd(),
  commands: () =>
    ["open", "summary", "render", "report", "replay", "page", "check", "convert"]
      .map((name) => `### ${name}\n\n\`\`\`text\n${run(name, "--help").trimEnd()}\n\`\`\``)
      .join("\n\n"),
  views: () => views.map(([in_place, id, hint]) => `| ${in_place ? "" : "**"}\`${id}\`${in_place ? "" : "**"} | ${hint} |`).join("\n"),
  rules: () => rules().join("\n"),
  devices: () => {
    const peak = (d, ...dtypes) => {
      const of = dtypes.map((dtype) => d.peaks.find((p) => p.dtype.startsWith(dtype) && p.engine === "matrix"));
      const found = of.find(Boolean);
      return found ? Number((found.flops_per_s / 1e12).toPrecision(4)) : "";
    };
    const rows = JSON.parse(run("devices", "--json")).devices.map(
      (d) => `| \`${d.id}\` | ${d.name} | ${peak(d, "bf16", "fp16")} | ${peak(d, "fp8", "mx_fp8")} | ${d.bandwidth_bytes_per_s / 1e9} | ${d.confidence} |`,
    );
    return `| id | device | 16 bit, TFLOP/s | fp8, TFLOP/s | memory, GB/s | |\n|---|---|---|---|---|---|\n${rows.join("\n")}`;
  },
  ids: () => views.map(([, id]) => `\`${id}\``).join(", "),
  element: () => recipe("mdbook/src/index.md").split("\n").filter((l) => l.startsWith("<")).join("\n"),
};
// The list of formats last, because it links to the chapters.
const chapters = readdirSync(src).filter((n) => n.endsWith(".md") && n !== "formats.md");
for (const name of [...chapters, "formats.md"]) {
  const path = join(src, name);
  const source = name === "formats.md" ? contents() : readFileSync(path, "utf8");
  const done = source.replace(/\{\{(\w+)(?::([^{}]+))?\}\}/g, (all, key, value) => {
    if (key === "recipe") return recipe(value);
    if (key === "file") return file(value);
    if (key === "device") return device(value);
    if (key === "format") return format(value, name);
    if (key === "run") return run(...value.split(" ")).trimEnd();
    if (!filled[key]) throw new Error(`${name}: nothing to fill in for ${all}`);
    return filled[key]();
  });
  writeFileSync(path, done);
}
execFileSync("mdbook", ["build", work, "--dest-dir", out], { stdio: "inherit" });
rmSync(work, { recursive: true });
