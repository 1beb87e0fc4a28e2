// node scripts/release.mjs [out]: the files of a release from dist/: the site as a zip, the one-file page, the command and
// the Python package with that page inside, checksums. The zip is written here, since its bytes then follow from the site
// alone: same site, same checksum.
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { crc32, deflateRawSync } from "node:zlib";

const project = dirname(dirname(fileURLToPath(import.meta.url)));
const dist = join(project, "dist");
/** Puts the page into what cargo builds (crates/cli/build.rs). */
const env = { ...process.env, GEMMSCOPE_PAGE: join(dist, "gemmscope.html") };

/** A zip of a folder: names sorted, times fixed (1980-01-01). */
export function zip(root) {
  const files = readdirSync(root, { recursive: true }).map((name) => join(root, name)).filter((path) => statSync(path).isFile()).sort();
  const parts = [];
  const index = [];
  let at = 0;
  for (const path of files) {
    const name = Buffer.from(relative(root, path).replaceAll("\\", "/"));
    const plain = readFileSync(path);
    const packed = deflateRawSync(plain, { level: 9 });
    const head = Buffer.alloc(26);
    head.writeUInt16LE(20, 0); // version needed
    head.writeUInt16LE(0x0800, 2); // names are UTF-8
    head.writeUInt16LE(8, 4); // deflate
    head.writeUInt16LE(0, 6);
    head.writeUInt16LE(0x21, 8);
    head.writeUInt32LE(crc32(plain), 10);
    head.writeUInt32LE(packed.length, 14);
    head.writeUInt32LE(plain.length, 18);
    head.writeUInt16LE(name.length, 22);
    const entry = Buffer.alloc(46);
    entry.writeUInt32LE(0x02014b50, 0);
    entry.writeUInt16LE(20, 4);
    head.copy(entry, 6, 0, 24);
    entry.writeUInt32LE(at, 42);
    index.push(entry, name);
    const local = Buffer.concat([Buffer.from("504b0304", "hex"), head, name, packed]);
    parts.push(local);
    at += local.length;
  }
  const directory = Buffer.concat(index);
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(files.length, 8);
  end.writeUInt16LE(files.length, 10);
  end.writeUInt32LE(directory.length, 12);
  end.writeUInt32LE(at, 16);
  return Buffer.concat([...parts, directory, end]);
}

/** Builds the command for this machine with the page inside, and packs it. */
function command(out) {
  execFileSync("cargo", ["build", "--locked", "--release", "-p", "gemmscope-cli"], { cwd: project, env, stdio: "inherit" });
  const built = join(project, "target", "release");
  const sample = join(project, "samples", "tuning-history.csv");
  const page = execFileSync(join(built, "gemmscope"), ["page", sample, "-o", "-"], { encoding: "utf8", maxBuffer: 1 << 28 });
  if (page.length < statSync(env.GEMMSCOPE_PAGE).size) throw new Error("the command carries no page");
  const name = `gemmscope-${{ x64: "x86_64", arm64: "aarch64" }[process.arch] ?? process.arch}-${process.platform}.tar.gz`;
  execFileSync("tar", ["-C", built, "-czf", join(out, name), "gemmscope"]);
  return name;
}

/** The same command as a Python package; pip brings its builder. */
function wheel(out) {
  const args = ["-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", out, join(project, "python")];
  execFileSync("python3", args, { env, stdio: "inherit" });
  return readdirSync(out).find((name) => name.endsWith(".whl"));
}

/** Writes the files of a release. */
function release(out) {
  rmSync(out, { recursive: true, force: true });
  mkdirSync(out, { recursive: true });
  writeFileSync(join(out, "site.zip"), zip(dist));
  copyFileSync(join(dist, "gemmscope.html"), join(out, "gemmscope.html"));
  const names = ["gemmscope.html", "site.zip", command(out), wheel(out)];
  const sums = names.map((name) => `${createHash("sha256").update(readFileSync(join(out, name))).digest("hex")}  ${name}\n`);
  writeFileSync(join(out, "SHA256SUMS"), sums.join(""));
  for (const name of readdirSync(out)) console.log(`${statSync(join(out, name)).size}  ${join(out, name)}`);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) release(process.argv[2] ?? join(project, "target", "release-files"));
