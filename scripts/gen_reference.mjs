#!/usr/bin/env node
// Writes public/reference: published GEMM times, one compact file per device and type, and their list, tables.json.
//
//   node scripts/gen_reference.mjs FOLDER IREE
//
// FOLDER contains NAME.csv.gz with the columns m,n,k,time_us,framework, a row per shape, NAME as in TABLES below.
// Sources:
// - ai-dynamo/aiconfigurator (Apache-2.0), aic-core/src/aiconfigurator_core/systems/data/DEVICE/gemm: the newest table
//   (gemm_perf.parquet) of each framework in the copy of 2026-08-21, for each shape the fastest framework; without rows
//   with a size or a time of 0, and without vLLM's fp8_block rows, which were timed without a CUDA graph
//   (aiconfigurator issue 1047);
// - ROCm/aiter (MIT), the tuned GEMM tables below aiter/configs in the copy of 2026-08-22, except those of MoE and
//   batches, for each shape the fastest kernel; without placeholders (1 µs and less) and times over 2 % above the
//   datasheet roof;
// - nod-ai/iree-kernel-benchmark (Apache-2.0 WITH LLVM-exception), frontend/golden_csv/hipblaslt-gemm.csv and
//   rocblas-gemm.csv, which IREE contains: for each shape the faster library. A column-major C of M x N is a row-major
//   one of N x M, so m is their N and n their M; A = T and B = N are weights stored N x K. The other layouts have too
//   few shapes for neighbours.
//
// A file is gzip over three parts, read by crates/model/src/reference/packed.rs:
// 1. shapes: LEB128 numbers. Count of N; for each N its difference to the previous one and its count of K; for each K
//    the same with its count of M; for each M its difference. Differences restart from 0 after each count.
// 2. times: for each shape the step round(ln(ns) / ln(1.02)), as zigzag LEB128 of its difference to the previous shape.
// 3. frameworks: a byte per shape, its index in the list `by` of tables.json.
// Each part is preceded by its length in bytes, LEB128.
//
// The errors in tables.json are 1 at first; compute them with: UPDATE_GOLDEN=1 cargo test -p gemmscope-model reference
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { gunzipSync, gzipSync } from "node:zlib";

const AIC = "ai-dynamo/aiconfigurator";
const AITER = "ROCm/aiter";
const NVIDIA = { trtllm: "TensorRT-LLM 1.3.0rc20", vllm: "vLLM 0.24.0", sglang: "SGLang 0.5.14" };
const A100 = { trtllm: "TensorRT-LLM 1.0.0", vllm: "vLLM 0.14.0", sglang: "SGLang 0.5.10" };
const B60 = { vllm: "vLLM 0.20.0" };
const layer = (device, by) => ({ device, by, source: AIC, date: "2026-08-21", licence: "Apache-2.0", kind: "layer" });
const kernel = (device) => ({ device, by: { aiter: "aiter" }, source: AITER, date: "2026-08-22", licence: "MIT", kind: "kernel" });

// Names of devices in FOLDER.
const DEVICES = {
  a100_sxm: layer("a100-80-sxm", A100),
  b200_sxm: layer("b200-sxm", NVIDIA),
  b300_sxm: layer("b300-sxm", NVIDIA),
  b60: layer("arc-pro-b60", B60),
  gb200: layer("gb200", NVIDIA),
  gb300: layer("gb300", NVIDIA),
  h100_sxm: layer("h100-sxm", NVIDIA),
  h200_sxm: layer("h200-sxm", NVIDIA),
  l40s: layer("l40s", NVIDIA),
  mi300x: kernel("mi300x"),
  mi300x_blas: { ...kernel("mi300x"), by: { hipblaslt: "hipBLASLt", rocblas: "rocBLAS" }, source: "nod-ai/iree-kernel-benchmark", date: "2026-11-28", licence: "Apache-2.0 WITH LLVM-exception" },
  mi308x: kernel("mi308x"),
  mi355x: kernel("mi355x"),
  rtx_pro_6000_server: layer("rtx-pro-6000-server", NVIDIA),
};
// Names of types in FOLDER, and in gemmscope (crates/model/src/reference/precision.rs).
const TYPES = {
  bfloat16: "bf16",
  float16: "fp16",
  fp8: "fp8",
  fp8_block: "fp8_block",
  nvfp4: "nvfp4",
  mxfp4: "mxfp4",
  int8: "int8",
  sq: "int8_sq",
  int8_wo: "int8_wo",
  int4_wo: "int4_wo",
};
const STEP = Math.log(1.02);

const [folder, iree] = process.argv.slice(2);
if (!folder || !iree) throw new Error("usage: gen_reference.mjs FOLDER IREE");
const out = new URL("../public/reference/", import.meta.url);

/** Appends a non-negative number as LEB128: seven bits per byte, lowest first. */
function leb(bytes, value) {
  for (; value > 127; value >>>= 7) bytes.push((value & 127) | 128);
  bytes.push(value);
}

/** Header and rows of a CSV. */
function csv(text) {
  const [head, ...lines] = text.trim().split("\n").map((line) => line.trim().split(","));
  return { head, rows: lines.map((cells) => Object.fromEntries(head.map((name, i) => [name, cells[i]]))) };
}

/** Rows ordered by N, K and M, with steps of time. */
function ordered(rows) {
  const number = ({ m, n, k, us, by }) => ({ m: +m, n: +n, k: +k, step: Math.round(Math.log(us * 1e3) / STEP), by });
  return rows.map(number).sort((a, b) => a.n - b.n || a.k - b.k || a.m - b.m);
}

function read(name) {
  const { head, rows } = csv(gunzipSync(readFileSync(`${folder}/${name}.csv.gz`)).toString());
  if (`${head}` !== "m,n,k,time_us,framework") throw new Error(`${name}: other columns: ${head}`);
  return ordered(rows.map((row) => ({ ...row, us: row.time_us, by: row.framework })));
}

/** The faster of hipBLASLt and rocBLAS for each shape of a type. */
function readBlas(type) {
  const fastest = new Map();
  for (const by of ["hipblaslt", "rocblas"]) {
    const { rows } = csv(readFileSync(`${iree}/${by}-gemm.csv`, "utf8"));
    for (const row of rows.filter((row) => row.dtype === type && row.A === "T" && row.B === "N" && row.ok === "True")) {
      const [m, n, k, us] = [row.N, row.M, row.K, +row.mean_microseconds];
      const shape = `${m} ${n} ${k}`;
      if (!(fastest.get(shape)?.us <= us)) fastest.set(shape, { m, n, k, us, by });
    }
  }
  return ordered([...fastest.values()]);
}

/** Groups rows by one of their sizes, in order. */
function grouped(rows, size) {
  const groups = new Map();
  for (const row of rows) {
    if (!groups.has(row[size])) groups.set(row[size], []);
    groups.get(row[size]).push(row);
  }
  return groups;
}

function shapes(rows) {
  const bytes = [];
  const level = (rows, [size, ...deeper]) => {
    const groups = grouped(rows, size);
    leb(bytes, groups.size);
    let last = 0;
    for (const [value, group] of groups) {
      leb(bytes, value - last);
      last = value;
      if (deeper.length > 0) level(group, deeper);
    }
  };
  level(rows, ["n", "k", "m"]);
  return bytes;
}

function times(rows) {
  const bytes = [];
  let last = 0;
  for (const { step } of rows) {
    const difference = step - last;
    leb(bytes, difference < 0 ? -2 * difference - 1 : 2 * difference);
    last = step;
  }
  return bytes;
}

function pack(parts) {
  const bytes = [];
  for (const part of parts) {
    leb(bytes, part.length);
    for (const byte of part) bytes.push(byte);
  }
  return gzipSync(Uint8Array.from(bytes), { level: 9 });
}

mkdirSync(out, { recursive: true });
for (const name of readdirSync(out)) rmSync(new URL(name, out));
const tables = [];
function write(device, type, rows) {
  const { by, ...about } = DEVICES[device];
  const used = Object.keys(by).filter((id) => rows.some((row) => row.by === id));
  const file = `${about.device}-${TYPES[type]}.bin`;
  const packed = pack([shapes(rows), times(rows), rows.map((row) => used.indexOf(row.by))]);
  writeFileSync(new URL(file, out), packed);
  tables.push({ device: about.device, precision: TYPES[type], ...about, by: used.map((id) => by[id]), rows: rows.length, bytes: packed.length, error: 1, p90: 1 });
}
for (const name of readdirSync(folder).filter((name) => name.endsWith(".csv.gz")).sort()) {
  const [device, type] = name.slice(0, -".csv.gz".length).split("-");
  write(device, type, read(`${device}-${type}`));
}
write("mi300x_blas", "bfloat16", readBlas("bf16"));
write("mi300x_blas", "float16", readBlas("fp16"));
tables.sort((a, b) => (a.device < b.device ? -1 : a.device > b.device ? 1 : 0));
writeFileSync(new URL("tables.json", out), `[\n${tables.map((table) => `  ${JSON.stringify(table)}`).join(",\n")}\n]\n`);
