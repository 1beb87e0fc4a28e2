// node scripts/release.mjs [out]: the files of a release, from dist/: the site as a zip, the one-file page, the command
// and the Python package with that page inside, what each is made of (CycloneDX), checksums. The zip is written here, so
// that it is reproducible: same site, same checksum. GEMMSCOPE_MACHINES="x86_64" builds for that machine alone.
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { chmodSync, copyFileSync, cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { crc32, deflateRawSync } from "node:zlib";
import { inside } from "./parquet.mjs";

const project = dirname(dirname(fileURLToPath(import.meta.url)));
const dist = join(project, "dist");
/** A zip of a folder: sorted names, fixed times (1980-01-01). */
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

/** Machines with GPUs: Linux with glibc 2.28 (2018) or newer, on x86-64 and Arm (Grace). */
const MACHINES = (process.env.GEMMSCOPE_MACHINES ?? "x86_64 aarch64").split(" ");
const OWN = { x64: "x86_64", arm64: "aarch64" }[process.arch];

/** Builds the Python packages: the command with the page inside, and a small module. Returns the name of each
 *  machine's. */
function wheels(out) {
  const tools = join(project, "target", "wheel-tools");
  const bin = join(tools, "bin");
  execFileSync("python3", ["-m", "venv", tools], { stdio: "inherit" });
  execFileSync(join(bin, "pip"), ["install", "--quiet", "--require-hashes", "-r", join(project, "scripts", "wheel-requirements.txt")], { stdio: "inherit" });
  const env = { ...process.env, PATH: `${bin}:${process.env.PATH}`, GEMMSCOPE_PAGE: join(dist, "gemmscope.html") };
  return MACHINES.map((machine) => {
    const target = `${machine}-unknown-linux-gnu`;
    const of = execFileSync("rustc", ["--print", "target-libdir", "--target", target], { encoding: "utf8" }).trim();
    if (!existsSync(of)) throw new Error(`Rust for ${target} is missing: rustup target add ${target}`);
    const args = ["build", "--release", "--locked", "--zig", "--compatibility", "manylinux_2_28", "--target", target, "--out", out];
    execFileSync("maturin", args, { cwd: join(project, "python"), env, stdio: "inherit" });
    return [machine, readdirSync(out).find((name) => name.endsWith(`_${machine}.whl`))];
  });
}

/** The command alone, taken from the package. */
function command(out, machine, wheel) {
  const work = join(project, "target", "release-command");
  rmSync(work, { recursive: true, force: true });
  execFileSync("python3", ["-m", "zipfile", "-e", join(out, wheel), work]);
  const scripts = join(work, readdirSync(work).find((name) => name.endsWith(".data")), "scripts");
  const built = join(scripts, "gemmscope");
  chmodSync(built, 0o755);
  if (machine === OWN) {
    const sample = join(project, "samples", "tuning-history.csv");
    const page = execFileSync(built, ["page", sample, "-o", "-"], { encoding: "utf8", maxBuffer: 1 << 28 });
    if (page.length < statSync(join(dist, "gemmscope.html")).size) throw new Error("the command carries no page");
  }
  const name = `gemmscope-${machine}-linux.tar.gz`;
  execFileSync("tar", ["-C", scripts, "-czf", join(out, name), "gemmscope"]);
  return name;
}

const CYCLONEDX = "0.5.9";

/** What the command and the page are made of, as CycloneDX: the crates of Cargo.lock that each is linked from, and the
 *  npm packages inside the page's reader of Parquet. Returns the names of both files. */
function bills(out) {
  const tools = join(project, "target", "sbom-tools");
  if (!existsSync(join(tools, "bin", "cargo-cyclonedx"))) {
    const env = { ...process.env, CARGO_PROFILE_RELEASE_OPT_LEVEL: "0", CARGO_PROFILE_RELEASE_LTO: "off", RUSTC: "rustc" };
    execFileSync("cargo", ["install", "--quiet", "--locked", "--root", tools, `cargo-cyclonedx@${CYCLONEDX}`], { env, stdio: "inherit" });
  }
  // It writes beside every Cargo.toml, so it is given a copy.
  const copy = join(project, "target", "sbom");
  rmSync(copy, { recursive: true, force: true });
  for (const name of ["Cargo.toml", "Cargo.lock", "src", "crates", "benches", "tests"]) {
    cpSync(join(project, name), join(copy, name), { recursive: true });
  }
  const bill = (target, folder, name, more = []) => {
    const args = ["cyclonedx", "--quiet", "--format", "json", "--spec-version", "1.5", "--no-build-deps", "--target", target, "--override-filename", "bill"];
    execFileSync(join(tools, "bin", "cargo-cyclonedx"), args, { cwd: copy, stdio: "inherit" });
    const told = JSON.parse(readFileSync(join(copy, folder, "bill.json"), "utf8"));
    if (!(told.components?.length > 10)) throw new Error(`${name}: hardly any component`);
    told.components.push(...more);
    // Where it was built is nobody's business.
    const text = JSON.stringify(told, null, 1).replaceAll(`file://${copy}/`, "").replaceAll(`file://${copy}`, ".");
    writeFileSync(join(out, name), text + "\n");
    return name;
  };
  const npm = inside().map(({ name, version, license }) => ({ type: "library", name, version, purl: `pkg:npm/${name}@${version}`, licenses: [{ expression: license }] }));
  return [
    bill(`${MACHINES[0]}-unknown-linux-gnu`, "crates/cli", "gemmscope-command.cdx.json"),
    bill("wasm32-unknown-unknown", "", "gemmscope-page.cdx.json", npm),
  ];
}

/** Writes the files of a release. */
function release(out) {
  rmSync(out, { recursive: true, force: true });
  mkdirSync(out, { recursive: true });
  writeFileSync(join(out, "site.zip"), zip(dist));
  copyFileSync(join(dist, "gemmscope.html"), join(out, "gemmscope.html"));
  const built = wheels(out).flatMap(([machine, wheel]) => [command(out, machine, wheel), wheel]);
  const names = ["gemmscope.html", "site.zip", ...built, ...bills(out)];
  const sums = names.map((name) => `${createHash("sha256").update(readFileSync(join(out, name))).digest("hex")}  ${name}\n`);
  writeFileSync(join(out, "SHA256SUMS"), sums.join(""));
  for (const name of readdirSync(out)) console.log(`${statSync(join(out, name)).size}  ${join(out, name)}`);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) release(process.argv[2] ?? join(project, "target", "release-files"));
