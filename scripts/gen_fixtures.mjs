// node scripts/gen_fixtures.mjs [FOLDER]: writes the larger fixtures (to tests/fixtures). All numbers are made up here;
// only the headers and the number formats are those of the tools. The output is deterministic: a test compares it with
// the committed files.
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const project = dirname(dirname(fileURLToPath(import.meta.url)));

/** Numbers in [0, 1) that are the same on every machine. */
function dice(seed) {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

const lines = (...all) => `${all.flat().join("\n")}\n`;
const digits = (value, n) => Number(value.toPrecision(n));
const quoted = (cell) => (/[",]/.test(String(cell)) ? `"${String(cell).replaceAll('"', '""')}"` : String(cell));
const csv = (head, rows) => lines(head.join(","), rows.map((row) => head.map((name) => quoted(row[name] ?? "")).join(",")));

const work = (m, n, k) => 2 * m * n * k;
const bytes = (m, n, k) => 2 * (m * k + k * n + m * n);
/** Roof time on a device, seconds, with peak in FLOP/s and bandwidth in B/s. */
const least = (m, n, k, [peak, bandwidth]) => Math.max(work(m, n, k) / peak, bytes(m, n, k) / bandwidth);
const MI300X = [1307.4e12, 5.3e12];

// ---- Two libraries over the same sizes, as the IREE kernel benchmark writes them ------------------------------------

/** Sizes with their transposes and types: every second size in both types. */
function sizes() {
  const out = [];
  const layouts = ["NN", "NT", "TN", "TT"];
  for (const m of [16, 64, 256, 1024, 2048, 4096]) {
    for (const n of [1024, 2048, 4096, 8192, 28672]) {
      for (const k of [1024, 2048, 4096, 8192, 16384, 65536]) {
        // The same for every M, so that the winner can change with M.
        const at = out.length % 30;
        const tag = m < 100 ? "skinny" : m < 2000 ? "prefill" : "square";
        out.push({ m, n, k, tag, layout: layouts[(at * 7 + (at >> 3)) % 4], types: at % 2 ? ["fp16"] : ["fp16", "bf16"] });
      }
    }
  }
  return out;
}

function libraries() {
  const next = dice(300);
  const library = [];
  const compiler = [];
  for (const [at, { m, n, k, tag, layout, types }] of sizes().entries()) {
    const reach = 0.15 + 0.7 * next();
    const slower = 1.2 + 4 * next();
    for (const type of types) {
      // One that caches serve faster than DRAM could; bf16 takes a quarter longer throughout.
      const share = m === 16 && n === 2048 && k === 65536 ? 1.02 : reach;
      const us = digits((least(m, n, k, MI300X) / share) * 1e6 * (type === "bf16" && share < 1 ? 1.25 : 1), 7);
      const [a, b] = layout;
      const rate = (t) => work(m, n, k) / t / 1e6;
      const intensity = work(m, n, k) / bytes(m, n, k);
      if (at % 45 !== 7) library.push([library.length, tag, "hipblaslt", m, n, k, type, a, b, us, intensity, rate(us), "True"]);
      if (at % 60 !== 11) {
        const own = Number(digits(us * slower, 4).toFixed(1));
        const short = type.replace("fp16", "f16");
        const name = `gemm_${m}_${n}_${k}_${short}_f32${a === "T" ? "_tA" : ""}${b === "T" ? "_tB" : ""}`;
        const hash = Array.from({ length: 32 }, () => Math.floor(next() * 16).toString(16)).join("");
        compiler.push([compiler.length, tag, name, hash, m, n, k, short, a, b, own.toFixed(1), intensity.toFixed(4), rate(own).toFixed(4), "True"]);
      }
    }
  }
  return {
    "iree/sweep_library.csv": lines("index,tag,name,M,N,K,dtype,A,B,mean_microseconds,arithmetic_intensity,tflops,ok", library.map((r) => r.join(","))),
    "iree/sweep_compiler.csv": lines("index,tag,name,vmfb_hash,M,N,K,dtype,tA,tB,mean_microseconds,arithmetic_intensity,tflops,ok", compiler.map((r) => r.join(","))),
  };
}

// ---- Tiles ----------------------------------------------------------------------------------------------------------

/** Every macro tile of some sizes, one row each; a few were not run. */
function tileSweep() {
  const next = dice(25);
  const rows = [];
  const tiles = [[16, 64], [32, 32], [32, 64], [64, 32], [64, 64], [64, 96], [64, 128], [128, 64], [128, 128], [96, 48]];
  const shapes = [[1536, 1024, 2048], [3072, 16, 1536], [512, 6144, 1024], [2304, 768, 768], [96, 96, 12288], [4096, 4096, 512], [640, 1280, 320], [160, 2560, 2560]];
  for (const [m, n, k] of shapes) {
    for (const [tm, tn] of tiles) {
      if (next() < 0.08) continue;
      const waste = (Math.ceil(m / tm) * tm * Math.ceil(n / tn) * tn) / (m * n);
      const waves = Math.ceil((Math.ceil(m / tm) * Math.ceil(n / tn)) / 104);
      const us = digits((8 + (waves * tm * tn * k) / 5e5) * (0.9 + 0.3 * next()) * waste ** 0.2, 6);
      const kernel = `Cijk_Ailk_Bjlk_HBH_MT${tm}x${tn}x16_SE_K1_TT${tm / 16}_${tn / 16}_WG16_16_1`;
      rows.push(["made_up.csv", "f16", m, n, k, 1, tm, tn, digits(work(m, n, k) / us / 1e3, 6), us, kernel].join(","));
    }
  }
  return { "generic/tile_sweep.csv": lines("source_file,dtype,M,N,K,batch,tile_m,tile_n,gflops,time_us,kernel", rows) };
}

/** The best width of a column block, stated without times: the smallest N with enough blocks, and one odd row. */
function bestBlocks() {
  const rows = [];
  for (const k of [2048, 8192]) {
    for (let n = 512; n <= 65536; n *= 2) {
      const fits = [32, 64, 128].filter((b) => n / b >= 108);
      const best = k === 8192 && n === 16384 ? 64 : (fits.at(-1) ?? 32);
      const ratio = (2 * 8 * k) / (k + (8 * k) / best + 8);
      rows.push([k, 8, n, best, n / best, ratio.toFixed(2), (ratio / 2).toFixed(2)].join(","));
    }
  }
  return { "generic/best_block.csv": lines("K,M,N,best_bn,blocks_at_best,ratio_flop_per_element,ratio_flop_per_byte_fp16", rows) };
}

// ---- Logs -----------------------------------------------------------------------------------------------------------

function logs() {
  const columns = "transA,transB,grouped_gemm,batch_count,m,n,k,alpha,lda,stride_a,beta,ldb,stride_b,ldc,stride_c,ldd,stride_d,a_type,b_type,c_type,d_type,compute_type,scaleA,scaleB,scaleC,scaleD,amaxD,activation_type,bias_vector,bias_type";
  const plain = (m, n, k, ta, tb, type) => {
    const [lda, ldb] = [ta === "N" ? m : k, tb === "N" ? k : n];
    return [ta, tb, 0, 1, m, n, k, 1, lda, m * k, 0, ldb, n * k, m, m * n, m, m * n, type, type, type, type, "f32_r", 0, 0, 0, 0, 0, "none", 0, "non-supported type"];
  };
  const rate = (m, n, k, us) => digits(work(m, n, k) / us / 1e3, 6);
  // GiB/s under a decimal unit, without C.
  const gib = (m, n, k, us, size) => digits((size * (m * k + k * n + m * n)) / (us * 1e-6) / 2 ** 30, 6);
  const bench = lines(
    "# three runs",
    "Single precision with validation",
    "```",
    "hipblaslt-bench --precision f32_r -v -m 192 -n 320 -k 256",
    `[0]:${columns},hipblaslt-Gflops,hipblaslt-GB/s,us,CPU-Gflops,CPU-us,norm_error,atol,rtol`,
    `    ${[...plain(192, 320, 256, "N", "N", "f32_r"), rate(192, 320, 256, 12.8), gib(192, 320, 256, 12.8, 4), 12.8, 0.9, 34952, "1.9e-07", "1e-05", "1e-05"].join(",")}`,
    "```",
    "With the clocks beside the times",
    "```",
    `[0]:${columns},lowest-avg-freq,lowest-median-freq,avg-MCLK,median-MCLK,hipblaslt-Gflops,hipblaslt-GB/s,us`,
    `    ${[...plain(48, 64, 6144, "T", "N", "bf16_r"), 1200, 1210, 900, 900, rate(48, 64, 6144, 16.5), gib(48, 64, 6144, 16.5, 2), 16.5].join(",")}`,
    "```",
    `[0]:${columns},hipblaslt-Gflops,hipblaslt-GB/s,us`,
    `    ${[...plain(5120, 2560, 1280, "T", "N", "bf16_r"), rate(5120, 2560, 1280, 61.25), gib(5120, 2560, 1280, 61.25, 2), 61.25].join(",")}`,
    "    --Solution index: 4711",
  );
  const header = "function,a_type,b_type,c_type,d_type,compute_type,transA,transB,M,N,K,alpha,lda,beta,ldb,ldc,rocblas-Gflops,us";
  const rows = [];
  for (const size of [384, 768, 1536, 3072]) {
    // Real products count 2MNK, complex ones 8MNK.
    for (const [type, alpha, zero, flops, peak] of [["f32_r", "1", "0", 2, 30e12], ["f64_r", "1", "0", 2, 25e12], ["f32_c", "(1: 0)", "(0: 0)", 8, 28e12]]) {
      const us = digits((flops * size ** 3 * 1e6) / peak + 15, 4);
      const gflops = digits((flops * size ** 3) / us / 1e3, 6);
      rows.push(header, ["gemm", type, type, type, type, type, "N", "T", size, size, size, alpha, size, zero, size, size, ` ${gflops}`, ` ${us}`].join(","));
    }
  }
  const rule = "-".repeat(79);
  const repeated = lines(
    "Query device success: there are 1 devices",
    rule,
    "Device ID 0 :  gfx90a:sramecc+:xnack-",
    "with 64.0 GB memory, max. SCLK 1700 MHz, max. MCLK 1600 MHz, compute capability 9.0",
    "maxGridDimX 2147483647, sharedMemPerBlock 65.5 KB, maxThreadsPerBlock 1024, warpSize 64",
    rule,
    "",
    "rocBLAS info: Time taken to complete rocBLAS library initialization is 2000 milliseconds.",
    rows,
  );
  return { "hipblaslt-bench/three_runs.txt": bench, "rocblas-bench/repeated_header.csv": repeated };
}

// ---- Reports of a trace ---------------------------------------------------------------------------------------------

const BF16 = "'c10::BFloat16', 'c10::BFloat16'";
const tuple = (...parts) => `(${parts.join(", ")})`;

/** A GEMM of a trace, from which each of the report's tables derives its cells. */
function gemm(name, m, n, k, us, count, kernel, more = {}) {
  const types = more.types ?? BF16;
  return { name, m, n, k, us, count, kernel, bias: name === "aten::addmm", types, transposed: true, spec: "matrix_bf16", uid: more.uid ?? m + n, ...more };
}

const stats = (prefix, mean) => ({ [`${prefix}_mean`]: mean, [`${prefix}_median`]: mean, [`${prefix}_std`]: 0, [`${prefix}_min`]: mean, [`${prefix}_max`]: mean });

/** Cells shared by the tables; their MB are MiB, the roof is the achievable one. */
function cells(g, roof) {
  const element = g.spec === "matrix_bf16" ? 2 : 4;
  const moved = (element * bytes(g.m, g.n, g.k)) / 2;
  const flops = work(g.m, g.n, g.k);
  const operands = [[g.m, g.k], [g.k, g.n]];
  const bias = g.bias ? [[g.n], ...operands, [], []] : operands;
  const details = [{ name: g.kernel, us: g.us }];
  const trunc = `[${details.map((d) => `{'name': '${d.name.slice(0, 64)}${d.name.length > 64 ? "..." : ""}', 'stream': 0, 'mean_duration_us': np.float64(${d.us})}`).join(", ")}]`;
  const whole = `[${details.map((d) => `{'name': '${d.name}', 'stream': 0, 'count': ${g.count}, 'total_duration_us': np.float64(${digits(d.us * g.count, 9)}), 'mean_duration_us': np.float64(${d.us})}`).join(", ")}]`;
  const atLeast = roof && Math.max(flops / roof[0], moved / roof[1]) * 1e6;
  return {
    flops, moved, operands: bias, trunc, whole,
    rates: { ...stats("TB/s", moved / g.us / 1e6), ...stats("TFLOPS/s", flops / g.us / 1e6), ...stats("Kernel Time (µs)", g.us), "Kernel Time (µs)_sum": digits(g.us * g.count, 9) },
    roofline: roof ? { "Roofline Time (µs)_first": atLeast, "Roofline Bound_first": flops / roof[0] >= moved / roof[1] ? "COMPUTE_BOUND" : "MEMORY_BOUND", "Roofline Bound": flops / roof[0] >= moved / roof[1] ? "COMPUTE_BOUND" : "MEMORY_BOUND", ...stats("Pct Roofline", (100 * atLeast) / g.us) } : {},
  };
}

const five = (prefix) => ["mean", "median", "std", "min", "max"].map((s) => `${prefix}_${s}`);

/** GEMM.csv of a report; other versions have different columns in a different order. */
function gemmTable(gemms, { roof, transpose = true, wrapped = false }) {
  const params = wrapped
    ? ["param: M", "param: N", "param: K", "param: bias", "param: dtype_A_B", "param: B", "param: transpose", "param: stride_A", "param: stride_B", "num_kernels"]
    : ["param: B", "param: M", "param: N", "param: K", "param: bias", "param: stride_A", "param: stride_B", "param: dtype_A_B", ...(transpose ? ["param: transpose"] : [])];
  const head = [
    "name", ...params, "GFLOPS_first", "Data Moved (MB)_first", "FLOPS/Byte_first", ...five("TB/s"), ...five("TFLOPS/s"),
    "process_name_first", "process_label_first", "thread_name_first", "Compute Spec",
    ...(roof ? ["Roofline Time (µs)_first", "Roofline Bound_first", ...five("Pct Roofline")] : []),
    "kernel_details__summarize_kernel_stats", "trunc_kernel_details", "Input Dims_first", "Input type_first", "Concrete Inputs_first",
    ...five("Kernel Time (µs)"), "Kernel Time (µs)_sum", "name_count", "UID_first",
  ];
  const rows = gemms.map((g) => {
    const c = cells(g, roof);
    return {
      name: g.name, "param: B": 1, "param: M": g.m, "param: N": g.n, "param: K": g.k, "param: bias": g.bias ? "True" : "False",
      "param: stride_A": g.wrapper ? "" : tuple(g.k, 1), "param: stride_B": g.wrapper ? "" : g.transposed ? tuple(1, g.k) : tuple(g.n, 1),
      "param: dtype_A_B": tuple(g.types), "param: transpose": g.transposed ? "(True, False)" : "(False, False)", num_kernels: 1,
      "GFLOPS_first": c.flops / 1e9, "Data Moved (MB)_first": c.moved / 2 ** 20, "FLOPS/Byte_first": c.flops / c.moved,
      process_name_first: "python3", process_label_first: "CPU", thread_name_first: "thread 1 (python3)", "Compute Spec": g.spec,
      kernel_details__summarize_kernel_stats: c.whole, trunc_kernel_details: c.trunc,
      "Input Dims_first": JSON.stringify(c.operands).replaceAll(",", ", "), "Input type_first": `[${g.types}]`, "Concrete Inputs_first": "['', '']",
      ...c.rates, ...c.roofline, name_count: g.count, UID_first: g.uid,
    };
  });
  return csv(head, rows);
}

/** gemm_ops.csv and unified_perf_summary.csv: a row per operation, GEMM or not. */
function operations(gemms, { roof, others = [], enhanced = false }) {
  const head = [
    "name", "op category", "process_name", "process_label", "thread_name", "Input Dims", "Input type", "Input Strides", "Concrete Inputs", "ex_UID",
    "operation_count", "GFLOPS", "Data Moved (MB)", "FLOPS/Byte", "Compute Spec", ...(roof ? ["Roofline Bound"] : []), "TB/s_mean", "TFLOPS/s_mean",
    "Kernel Time (µs)_mean", "Kernel Time (µs)_sum", ...(roof ? ["Roofline Time (µs)_first", "Pct Roofline_mean"] : []),
    "kernel_details_summary", "trunc_kernel_details", "perf_params", "has_perf_model", "Percentage (%)", ...(enhanced ? ["enhanced_category", "display_name"] : []),
  ];
  const total = [...gemms, ...others].reduce((sum, g) => sum + g.us * g.count, 0);
  const dims = (operands) => tuple(...operands.map((o) => (o.length === 1 ? `(${o[0]},)` : tuple(...o))));
  const rows = gemms.map((g) => {
    const c = cells(g, roof);
    return {
      name: g.name, "op category": "GEMM", process_name: "python3", process_label: "CPU", thread_name: "thread 1 (python3)",
      "Input Dims": dims(c.operands), "Input type": tuple(g.types), "Input Strides": tuple(tuple(g.k, 1), tuple(1, g.k)), "Concrete Inputs": "('', '')",
      ex_UID: g.uid, operation_count: g.count, GFLOPS: c.flops / 1e9, "Data Moved (MB)": c.moved / 2 ** 20, "FLOPS/Byte": c.flops / c.moved, "Compute Spec": g.spec,
      ...c.rates, ...c.roofline, kernel_details_summary: c.whole, trunc_kernel_details: c.trunc,
      perf_params: `{'M': ${g.m}, 'N': ${g.n}, 'K': ${g.k}, 'bias': ${g.bias ? "True" : "False"}, 'stride_A': (${g.k}, 1), 'stride_B': (1, ${g.k}), 'dtype_A_B': (${g.types}), 'B': 1, 'transpose': (${g.transposed ? "True" : "False"}, False)}`,
      has_perf_model: "True", "Percentage (%)": (100 * g.us * g.count) / total, enhanced_category: "gemm", display_name: "GEMM",
    };
  });
  for (const o of others) {
    rows.push({
      name: o.name, "op category": o.category, process_name: "python3", process_label: "CPU", thread_name: "thread 1 (python3)", "Input Dims": o.dims,
      "Input type": tuple(BF16), ex_UID: o.uid, operation_count: o.count, "Kernel Time (µs)_mean": o.us, "Kernel Time (µs)_sum": o.us * o.count,
      has_perf_model: "False", "Percentage (%)": (100 * o.us * o.count) / total,
    });
  }
  return csv(head, rows);
}

const tensile = (tile) => `Cijk_Alik_Bljk_BBS_BH_Bias_HA_S_SAV_UserArgs_MT${tile}_MI16x16x1_SN_LDSB1_ISA942_K1_WS64_WG32_8_1`;

/** Not a size of a known model, so that the rows are unambiguous. */
const TOKENS = 6016;
/** The layers of a small transformer (hidden size 1024, intermediate size 2816) for so many tokens. */
const prefill = (scale, kernels, more) => [
  gemm("aten::mm", TOKENS, 2816, 1024, digits(76 * scale, 6), 48, kernels[0], { uid: 210, ...more }),
  gemm("aten::addmm", TOKENS, 1024, 1024, digits(31 * scale, 6), 72, kernels[1], { uid: 80, ...more }),
  gemm("aten::mm", TOKENS, 1024, 2816, digits(69 * scale, 6), 24, kernels[1], { uid: 240, ...more }),
  gemm("aten::mm", TOKENS, 1024, 1024, digits(30.5 * scale, 6), 24, kernels[1], { uid: 200, ...more }),
  // The angles of rotary embeddings: not a layer of the model.
  gemm("aten::bmm", 32, 512, 1, digits(4.5 * scale, 6), 1, kernels[2], { uid: 40, types: "'float', 'float'", spec: "matrix_fp32", transposed: false }),
];

function reports() {
  const roof = [708e12, 5.3e12];
  const amd = prefill(1, [tensile("128x224x64"), tensile("256x128x64"), tensile("16x16x128")]);
  const nvidia = prefill(0.75, ["sm90_xmma_gemm_bf16bf16_bf16f32_f32_tn_n_tilesize128x128x64_warpgroupsize1x1x1", "sm90_xmma_gemm_bf16bf16_bf16f32_f32_tn_n_tilesize128x256x64_warpgroupsize2x1x1", "cutlass_80_simt_sgemm_128x32_8x5_nn_align1"]);
  // A wrapper and the operation inside it, each with the same time.
  const decode = [[24, 3072, 1536, true, 9.5, 12], [24, 1536, 2048, true, 8.25, 12], [24, 64000, 1536, false, 96, 1]].flatMap(([m, n, k, bias, us, count], i) =>
    [{ name: "vllm::rocm_unquantized_gemm", wrapper: true }, { name: bias ? "aten::addmm" : "aten::mm" }].map((what, j) =>
      gemm(what.name, m, n, k, us, count, tensile("32x32x256"), { ...what, bias, uid: 100 * i + 10 * j, types: what.wrapper ? `${BF16}, ${bias ? "'c10::BFloat16'" : "''"}` : BF16 })));
  const few = [gemm("aten::mm", 192, 384, 98304, 812.5, 8, "Cijk_Ailk_Bljk_BBS_BH_MT256x128x64_MI16x16x16x1_SN_1LDSB0", { transposed: false, uid: 0 })];
  const attention = { name: "aten::_scaled_dot_product_flash_attention", category: "SDPA_fwd", dims: "((8, 16, 512, 64), (8, 16, 512, 64), (8, 16, 512, 64))", us: 60, count: 24, uid: 150 };
  const add = { name: "aten::add", category: "elementwise", dims: "((8, 16, 512, 64), (8, 16, 512, 64), ())", us: 17, count: 48, uid: 160 };
  const gemms = amd.reduce((sum, g) => sum + g.us * g.count, 0) / 1e3;
  const [computing, total] = [20, 24];
  const peaks = { matrix_fp16: 654, matrix_bf16: 708, matrix_fp32: 163, matrix_fp64: 81, matrix_fp8: 1273 };
  const utilization = { total_time_ms: total, computation_time_percent: (100 * computing) / total, exposed_comm_time_percent: 0, exposed_memcpy_time_percent: 0, idle_time_percent: (100 * (total - computing)) / total };
  const json = (value) => `${JSON.stringify(value, null, 2)}\n`;
  const part = (ms) => `${ms},${(100 * ms) / total}`;
  const metrics = {
    category: "gemm", status: "OK", total_time_ms: digits(gemms, 6), percent_of_compute: digits((100 * gemms) / computing, 4), operation_count: amd.reduce((sum, g) => sum + g.count, 0),
    operations: amd.map((g) => ({
      name: g.name, count: g.count, time_ms: digits((g.us * g.count) / 1e3, 5),
      efficiency: { tflops_achieved: digits(work(g.m, g.n, g.k) / g.us / 1e6, 5), compute_spec: g.spec, resolved_peak_maf: g.spec === "matrix_bf16" ? 708 : 163, resolved_peak_hbm_bw: 5.3 },
      "Input Dims": tuple(tuple(g.m, g.k), tuple(g.k, g.n)), library: "Tensile", has_perf_model: true,
    })),
  };
  const at = "reports/prefill_mi300x";
  return {
    "tracelens/h100_prefill.csv": gemmTable(nvidia, { transpose: false }),
    "tracelens/h100_summary.csv": operations(nvidia, { others: [attention, add] }),
    "tracelens/few_tiles_ops.csv": operations(few, { roof, enhanced: true }),
    "tracelens/wrappers.csv": gemmTable(decode, { wrapped: true }),
    [`${at}/GEMM.csv`]: gemmTable(amd, { roof }),
    [`${at}/gpu_timeline.csv`]: lines("type,time ms,percent", [["computation_time", computing], ["exposed_comm_time", 0], ["exposed_memcpy_time", 0], ["busy_time", computing], ["idle_time", total - computing], ["total_time", total]].map(([name, ms]) => `${name},${part(ms)}`)),
    [`${at}/category_data/gemm_ops.csv`]: operations(amd, { roof, enhanced: true }),
    [`${at}/category_data/gemm_metrics.json`]: json(metrics),
    [`${at}/category_data/category_manifest.json`]: json({ platform: "MI300X", comparison_scope: "standalone", gpu_utilization: utilization, categories: [{ name: "gemm", display_name: "GEMM", tier: "compute_kernel", ops_count: amd.length, gpu_kernel_time_ms: digits(gemms, 6) }] }),
    [`${at}/metadata/gemm_metadata.json`]: json({ platform: "MI300X", peak_hbm_bw_tbs: 5.3, max_achievable_tflops: peaks, memory_gb: 192, category: "GEMM", category_name: "gemm", gpu_utilization: utilization }),
  };
}

/** Maps paths below tests/fixtures to text. */
export const fixtures = () => ({ ...libraries(), ...tileSweep(), ...bestBlocks(), ...logs(), ...reports() });

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const root = process.argv[2] ?? join(project, "tests", "fixtures");
  for (const [path, text] of Object.entries(fixtures())) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
    console.log(`${String(text.length).padStart(7)}  ${path}`);
  }
}
