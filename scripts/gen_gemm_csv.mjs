#!/usr/bin/env node
// Writes a GEMM benchmark CSV of any length, deterministic for a seed, for benchmarks and tests with big files.
//
//   node scripts/gen_gemm_csv.mjs ROWS [FILE] [--kind long|trace|sweep] [--seed 1] [--bad 0.001]
//
// long   model,kernel,dtype,batch,M,N,K,transA,transB,time_us   about 60 bytes per row
// trace  48 columns with quoted cells, as in an operator report of a trace; about 1.4 kB per row
// sweep  library,kernel,iteration,status,tile_m,...: 64 tiles and libraries for each shape, as written by tuning runs
// --bad is the share of rows with an unreadable time (0: none). Without FILE the rows go to standard output.
// The times are made up: a roof of an H100-like device, an efficiency between 15 and 95 %, and a launch cost.
import { closeSync, openSync, statSync, writeSync } from "node:fs";
import { pathToFileURL } from "node:url";

export const LONG_HEADER = "model,kernel,dtype,batch,M,N,K,transA,transB,time_us";

// Suffixes in the trace report's header: how each metric is summarised.
const STATS = ["mean", "median", "std", "min", "max"];
const spread = (name) => STATS.map((stat) => `${name}_${stat}`);
export const TRACE_HEADER = [
  ...["name", "param: B", "param: M", "param: N", "param: K", "param: bias", "param: stride_A", "param: stride_B"],
  ...["param: dtype_A_B", "param: transpose", "GFLOPS_first", "Data Moved (MB)_first", "FLOPS/Byte_first"],
  ...spread("TB/s"),
  ...spread("TFLOPS/s"),
  ...["process_name_first", "process_label_first", "thread_name_first", "Compute Spec"],
  ...["Roofline Time (µs)_first", "Roofline Bound_first"],
  ...spread("Pct Roofline"),
  ...["kernel_details__summarize_kernel_stats", "trunc_kernel_details"],
  ...["Input Dims_first", "Input type_first", "Input Strides_first", "Concrete Inputs_first"],
  ...spread("Kernel Time (µs)"),
  ...["Kernel Time (µs)_sum", "name_count", "UID_first"],
].join(",");

const DTYPES = [
  { name: "fp32", bytes: 4, out: 4, peak: 66.9e12, torch: "float", spec: "matrix_fp32" },
  { name: "fp16", bytes: 2, out: 2, peak: 989.4e12, torch: "c10::Half", spec: "matrix_fp16" },
  { name: "bf16", bytes: 2, out: 2, peak: 989.4e12, torch: "c10::BFloat16", spec: "matrix_bf16" },
  { name: "fp8", bytes: 1, out: 2, peak: 1978.9e12, torch: "c10::Float8_e4m3fn", spec: "matrix_fp8" },
];
const BANDWIDTH = 3.35e12;
// hidden size, intermediate size, query and key/value width: the layers' N and K come from these
const MODELS = [
  ["qwen2.5-0.5b", 896, 4864, 1152],
  ["qwen2.5-1.5b", 1536, 8960, 2048],
  ["gemma-2-2b", 2304, 9216, 4096],
  ["phi-3-mini", 3072, 8192, 9216],
  ["llama-3.1-8b", 4096, 14336, 6144],
  ["qwen2.5-14b", 5120, 13824, 7168],
  ["qwen2.5-32b", 5120, 27648, 7168],
  ["llama-3.1-70b", 8192, 28672, 10240],
];
const TILES = [64, 96, 128, 160, 192, 256];
const SPLITS = [1, 1, 1, 2, 4];
const BATCHES = [1, 1, 1, 1, 2, 8, 16, 32];

/** Uniform numbers in [0, 1) from a 32-bit seed: xorshift, mixed twice. */
export function random(seed) {
  let state = (Math.imul(seed | 0, 0x9e3779b1) ^ 0x85ebca6b) | 1;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (Math.imul(state, 0x2c1b3c6d) >>> 0) / 2 ** 32;
  };
}

/** Generates made-up measurements. */
function* measurements(count, seed) {
  const next = random(seed);
  const pick = (list) => list[Math.floor(next() * list.length)];
  for (let row = 0; row < count; row++) {
    const [model, hidden, wide, qkv] = pick(MODELS);
    const dtype = pick(DTYPES);
    const batch = pick(BATCHES);
    const decode = next() < 0.4;
    const m = decode ? 1 + Math.floor(next() * 256) : 128 * (1 + Math.floor(next() * 64));
    const [n, k] = pick([[qkv, hidden], [hidden, hidden], [2 * wide, hidden], [hidden, wide]]);
    const [tileM, tileN, split] = [pick(TILES), pick(TILES), pick(SPLITS)];
    const transA = next() < 0.5 ? "N" : "T";
    const transB = next() < 0.5 ? "N" : "T";
    const flops = 2 * batch * m * n * k;
    const bytes = batch * (dtype.bytes * (m * k + k * n) + dtype.out * m * n);
    const roof = Math.max(flops / dtype.peak, bytes / BANDWIDTH);
    const efficiency = 0.15 + 0.8 * next() ** 0.7;
    const us = (roof / efficiency) * 1e6 + 1.5 + 2 * next();
    yield { row, model, dtype, batch, m, n, k, tileM, tileN, split, transA, transB, flops, bytes, roof, us, next };
  }
}

const long = (r, time) =>
  `${r.model},mt${r.tileM}x${r.tileN}_sk${r.split},${r.dtype.name},${r.batch},${r.m},${r.n},${r.k},${r.transA},${r.transB},${time}`;

const quoted = (text) => `"${text}"`;

function trace(r, time) {
  const us = Number.isNaN(Number(time)) ? Number.NaN : Number(time);
  const count = 1 + Math.floor(r.next() * 96);
  const noise = 0.002 + 0.05 * r.next();
  // Each summary of a metric, given its mean; a rate is highest when the time is lowest.
  const summary = (mean) => [mean, mean * (1 - noise / 5), count > 1 ? mean * noise : "", mean * (1 - noise), mean * (1 + 2 * noise)];
  const kernel =
    `Cijk_Ailk_Bljk_${r.dtype.name === "fp16" ? "HHS" : "BBS"}_BH_MT${r.tileN}x${r.tileM}x64_MI16x16x16x1_SN_LDSB0_APM1_AF0EM1_AMAS3_ASE_ASGT_` +
    `CLR1_DTVA0_DTVB0_EPS1_FSSC10_FL0_GLVWA8_GLVWB8_GRPM1_GRVW8_GSU${r.split}_GSUASB_ISA942_IU1_K1_LBSPPA512_LBSPPB256_LPA32_LPB8_` +
    `LRVW4_MIAV0_MO40_NTA0_NTB0_PGR2_PLR3_SIA3_SS1_SU8_SUS128_SVW2_TT2_128_TLDS1_VW2_WS64_WG32_4_1_WGM16`;
  const shapes = `[[${r.m}, ${r.k}], [${r.k}, ${r.n}]]`;
  const python = (v) => `np.float64(${v.toFixed(3)})`;
  return [
    r.batch > 1 ? "aten::bmm" : "aten::mm",
    ...[r.batch, r.m, r.n, r.k, "False", "", ""],
    quoted(`('${r.dtype.torch}', '${r.dtype.torch}')`),
    quoted(`(${r.transA === "T" ? "True" : "False"}, ${r.transB === "T" ? "True" : "False"})`),
    ...[r.flops / 1e9, r.bytes / 1048576, r.flops / r.bytes],
    ...summary(r.bytes / us / 1e6),
    ...summary(r.flops / us / 1e6),
    ...["python", "CPU", `thread ${1000 + (r.row % 7)} (pt_main_thread)`, r.dtype.spec],
    ...[r.roof * 1e6, r.flops / r.dtype.peak > r.bytes / BANDWIDTH ? "COMPUTE_BOUND" : "MEMORY_BOUND"],
    ...summary(((r.roof * 1e6) / us) * 100),
    quoted(
      `[{'name': '${kernel}', 'stream': 0, 'count': ${count}, 'total_duration_us': ${python(us * count)}, 'mean_duration_us': ${python(us)}, ` +
        `'median_duration_us': ${python(us * 0.998)}, 'min_duration_us': ${python(us * 0.97)}, 'max_duration_us': ${python(us * 1.1)}}]`,
    ),
    quoted(`[{'name': '${kernel.slice(0, 64)}...', 'stream': 0, 'mean_duration_us': ${python(us)}}]`),
    ...[quoted(shapes), quoted(`['${r.dtype.torch}', '${r.dtype.torch}']`), quoted(`[[${r.k}, 1], [${r.n}, 1]]`), quoted("['', '']")],
    ...[time, us * 0.998, count > 1 ? us * noise : "", us * (1 - noise), us * (1 + 2 * noise), us * count],
    ...[count, r.row],
  ].join(",");
}

export const SWEEP_HEADER = "library,kernel,iteration,status,tile_m,tile_n,tile_k,split_k,dtype,M,N,K,time_us";

// Flat and square shapes, one after another, each with every tile of two libraries.
const SWEPT = 64;
function sweep(r, time) {
  const shape = Math.floor(r.row / SWEPT);
  const at = r.row % SWEPT;
  const [library, tileM, tileN] = [["hipBLASLt", "rocBLAS"][at >> 5], 64 << (at & 1), 32 << ((at >> 1) & 3)];
  const [m, n, k] = [[1, 8, 64, 512, 4096][shape % 5], 1024 * (1 + (Math.floor(shape / 5) % 32)), 1024 * (1 + Math.floor(shape / 160))];
  const status = r.next() < 0.03 ? "correctness failed" : "ok";
  // Too large a tile wastes work, too small a one moves more bytes.
  const us = ((2 * m * n * k) / 4e8 / (0.3 + 0.5 * r.next())) * (1 + 32 / tileN) * Math.max(1, tileM / (8 * m)) + 3;
  const cells = [library, `mt${tileM}x${tileN}_v${at}`, at, status, tileM, tileN, 64, 1 << ((at >> 3) & 3), "fp16", m, n, k];
  return [...cells, status !== "ok" || Number.isNaN(Number(time)) ? "" : us.toFixed(3)].join(",");
}

export const KINDS = {
  long: { header: LONG_HEADER, line: long },
  trace: { header: TRACE_HEADER, line: trace },
  sweep: { header: SWEEP_HEADER, line: sweep },
};

/** The lines of a file, header first, without line ends. */
export function* lines(rows, { kind = "long", seed = 1, bad = 0 } = {}) {
  const { header, line } = KINDS[kind];
  yield header;
  for (const r of measurements(rows, seed)) {
    const time = bad > 0 && r.next() < bad ? "n/a" : r.us < 100 ? r.us.toFixed(4) : r.us.toFixed(3);
    yield line(r, time);
  }
}

/** Writes a file (or to a descriptor) and returns its size in bytes. */
export function write(target, rows, options) {
  const file = typeof target === "number" ? target : openSync(target, "w");
  let text = "";
  let size = 0;
  const flush = () => {
    const bytes = Buffer.from(text);
    for (let done = 0; done < bytes.length; ) done += writeSync(file, bytes, done);
    size += bytes.length;
    text = "";
  };
  for (const line of lines(rows, options)) {
    text += `${line}\n`;
    if (text.length > 1 << 20) flush();
  }
  flush();
  if (typeof target !== "number") closeSync(file);
  return size;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  const words = process.argv.slice(2);
  const option = (name, otherwise) => {
    const at = words.indexOf(`--${name}`);
    return at < 0 ? otherwise : words.splice(at, 2)[1];
  };
  const kind = option("kind", "long");
  const seed = Number(option("seed", 1));
  const bad = Number(option("bad", 0));
  const [rows, file] = words;
  if (!/^\d+$/.test(rows ?? "") || !KINDS[kind] || !Number.isInteger(seed) || !(bad >= 0 && bad <= 1) || words.length > 2) {
    console.error("usage: node scripts/gen_gemm_csv.mjs ROWS [FILE] [--kind long|trace|sweep] [--seed 1] [--bad 0.001]");
    process.exit(2);
  }
  write(file ?? 1, Number(rows), { kind, seed, bad });
  if (file) console.error(`${file}: ${rows} rows, ${statSync(file).size} bytes`);
}
