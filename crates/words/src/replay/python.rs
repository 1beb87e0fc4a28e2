//! Python scripts: PyTorch, and a Triton kernel.

use super::rounding;
use super::types::names;
use super::{CALLS, Case, Tool, WARM_UP, head};
use gemmscope_model::dtype::DataType;
use gemmscope_model::gemm::{Groups, Problem};

fn is_fp8(t: DataType) -> bool {
    matches!(
        t,
        DataType::Fp8E4m3 | DataType::Fp8E5m2 | DataType::Fp8E4m3Fnuz | DataType::Fp8E5m2Fnuz
    )
}

/// Lines that create `a` (M × K) and `b` (K × N) with the layout of a row-major GEMM.
fn operands(case: &Case, tool: Tool) -> Result<String, String> {
    let p = &case.problem;
    let [a, b, _] = names(&p.op, tool)?;
    let make = |dtype: &str, rows: &str, columns: &str, transposed: bool| {
        let (first, second) = if transposed { (columns, rows) } else { (rows, columns) };
        let batch = if p.batch > 1 { "BATCH, " } else { "" };
        let shape = format!("{batch}{first}, {second}");
        let turn = if transposed { ".transpose(-2, -1)" } else { "" };
        if dtype == "torch.int8" {
            format!("torch.randint(-8, 8, ({shape}), device=DEVICE, dtype=torch.int8){turn}")
        } else if dtype.contains("float8") {
            format!("torch.randn({shape}, device=DEVICE).to({dtype}){turn}")
        } else {
            format!("torch.randn({shape}, device=DEVICE, dtype={dtype}){turn}")
        }
    };
    Ok(format!(
        "M, N, K, BATCH = {}, {}, {}, {}\na = {}\nb = {}\n",
        p.m,
        p.n,
        p.k,
        p.batch,
        make(a, "M", "K", p.op.trans_a),
        make(b, "K", "N", p.op.trans_b)
    ))
}

/// Device selection of a script: the CPU if there is no accelerator, as in tests.
const DEVICE: &str = "DEVICE = \"cuda\" if torch.cuda.is_available() else \"cpu\"\n";

const IMPORTS: &str = "import statistics\nimport sys\nimport time\n\n";

/// The part of a script that checks `run()` against a double-precision reference, times it, and prints a line of CSV.
/// With `--row` the header is left out, so that lines of several scripts make one file.
fn check_and_time(case: &Case, tool: Tool, narrow_parts: bool) -> Result<String, String> {
    let p = &case.problem;
    let tolerance = rounding::tolerance(p.k, &p.op, narrow_parts)
        .ok_or_else(|| format!("{} checks no {} products", tool.label(), p.op.compute))?;
    let bias = if p.op.bias && p.op.a != DataType::Int8 && tool == Tool::Pytorch {
        " + bias.double()[columns]"
    } else {
        ""
    };
    let check = match p.op.groups {
        None => CHECK.replace(" + BIAS", bias),
        Some(_) => GROUPED_CHECK.to_owned(),
    };
    Ok((check + TIME)
        .replace("TOLERANCE", &rounding::tolerance_text(tolerance))
        .replace("DTYPE", p.op.a.id())
        .replace("SIZES", if case.column_major { "{N},{M}" } else { "{M},{N}" })
        .replace("HEADER", if case.column_major { "blas_layout" } else { "layout" })
        .replace("GROUP_TITLES", if p.op.groups.is_some() { "group_rows," } else { "" })
        .replace(
            "GROUP_CELLS",
            match p.op.groups {
                Some(_) => "{' '.join(map(str, ROWS))},",
                None => "",
            },
        )
        .replace("LAYOUT", layout(case))
        .replace("LIBRARY", tool.label())
        .replace("WORK", &format!("{:.0}", p.work().0))
        .replace("CALLS", &CALLS.to_string())
        .replace("WARM_UP", &WARM_UP.to_string()))
}

/// Layout that was multiplied, in the convention of the GEMM's file: PyTorch supports only one for 8-bit floats.
fn layout(case: &Case) -> &'static str {
    let op = case.problem.op;
    match is_fp8(op.a) || is_fp8(op.b) {
        true if case.column_major => "TN",
        true => "NT",
        false => op.layout(),
    }
}

/// The GEMM that a script multiplies (row-major output), and the comment at its top.
fn begin(case: &Case) -> (Case, String) {
    let mut out = head(case, "#");
    if case.column_major {
        out.push_str(
            "# Column-major, as in BLAS: the script multiplies the transposes, B by A, so that its\n\
             # operands and its row-major output lie in memory as they do there.\n",
        );
    }
    (case.stored(false), out)
}

const CHECK: &str = r#"
# The check: up to 512 rows and columns, edges included, against double precision. The tolerance is
# four times the largest error that rounding a sum of K products is expected to make.
rows = torch.linspace(0, M - 1, min(M, 512), device=DEVICE).long()
columns = torch.linspace(0, N - 1, min(N, 512), device=DEVICE).long()
wanted = a.double()[..., rows, :] @ b.double()[..., :, columns] + BIAS
found = run(x, y)[..., rows, :][..., :, columns].double()
passed = torch.allclose(found, wanted, TOLERANCE)
worst = (found - wanted).abs().max().item()
print(f"check {'passed' if passed else 'FAILED'}: largest error {worst:.3e}, "
      f"TOLERANCE", file=sys.stderr)

"#;

/// Times `run()` and prints a line of CSV.
const TIME: &str = r#"
# A timing is of about a millisecond of calls: what lies between two events is mostly launching
# where a call is short. The operands rotate through up to 512 MB, so that a cache holds them from
# call to call only where they are small.
calls, copies = 1, 1
if DEVICE == "cuda":
    start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    start.record()
    for _ in range(5):
        run(x, y)
    end.record()
    torch.cuda.synchronize()
    calls = max(1, min(200, int(5 / start.elapsed_time(end))))
    copies = max(1, min(calls, int(512e6 / (x.nbytes + y.nbytes))))
inputs = [(x, y)] + [(x.clone(), y.clone()) for _ in range(copies - 1)]


def many():
    for i in range(calls):
        run(*inputs[i % copies])


if DEVICE == "cuda":
    many()
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    try:
        with torch.cuda.graph(graph):
            many()
        many = graph.replay
    except RuntimeError as why:
        print(f"no graph of the calls, so launching them counts: {why}", file=sys.stderr)


def seconds():
    if DEVICE == "cpu":
        began = time.perf_counter()
        many()
        return (time.perf_counter() - began) / calls
    start.record()
    many()
    end.record()
    torch.cuda.synchronize()
    return start.elapsed_time(end) * 1e-3 / calls


for _ in range(WARM_UP):
    seconds()
times = [seconds() for _ in range(CALLS)]
median, spread = statistics.median(times), statistics.pstdev(times)
name = torch.cuda.get_device_name() if DEVICE == "cuda" else ""
if "--row" not in sys.argv:
    print("M,N,K,batch,GROUP_TITLESdtype,HEADER,library,device,time_us,min_us,std_us,tflops,status")
print(f"SIZES,{K},{BATCH},GROUP_CELLSDTYPE,LAYOUT,LIBRARY,{name},{median * 1e6:.3f},"
      f"{min(times) * 1e6:.3f},{spread * 1e6:.3f},"
      f"{WORK / median * 1e-12:.2f},{'ok' if passed else 'failed'}")
sys.exit(0 if passed else 1)
"#;

/// As [`CHECK`], for the first and the last row of each group.
const GROUPED_CHECK: &str = r#"
# The check: the first and the last row of each group against double precision. The tolerance is four times the
# largest error that rounding a sum of K products is expected to make.
ends = offsets.tolist()
picked = [(group, row) for group, (rows, end) in enumerate(zip(ROWS, ends)) if rows
          for row in sorted({end - rows, end - 1})]
wanted = torch.stack([a[row].double() @ b[group].double() for group, row in picked])
found = run(x, y)[[row for _, row in picked]].double()
passed = torch.allclose(found, wanted, TOLERANCE)
worst = (found - wanted).abs().max().item()
print(f"check {'passed' if passed else 'FAILED'}: largest error {worst:.3e}, "
      f"TOLERANCE", file=sys.stderr)

"#;

/// A grouped GEMM: the rows of each group as the file lists them, else spread evenly over those that have rows.
fn grouped(case: &Case, groups: Groups) -> Result<String, String> {
    let (own, mut out) = begin(case);
    let p = &own.problem;
    if case.column_major || p.op.bias || groups.down > 0 || groups.along_k {
        return Err("PyTorch's grouped product multiplies rows of groups by a B for each, no more"
            .to_owned());
    }
    let types = [p.op.a, p.op.b, p.op.c];
    if types != [DataType::Bf16; 3] {
        return Err(format!("PyTorch's grouped product takes bf16 alone, not {}", p.op.types()));
    }
    let stored = if p.op.trans_b { ("N, K", ".transpose(-2, -1)") } else { ("K, N", "") };
    let rows: Vec<String> = case.group_rows(groups).iter().map(u32::to_string).collect();
    out.push_str(IMPORTS);
    out.push_str(&format!(
        "import torch\n\n{DEVICE}M, N, K, BATCH = {}, {}, {}, 1\n\
         ROWS = [{}]\n\
         offsets = torch.tensor(ROWS, device=DEVICE).cumsum(0).to(torch.int32)\n\
         a = torch.randn(M, K, device=DEVICE, dtype=torch.bfloat16)\n\
         b = torch.randn(len(ROWS), {}, device=DEVICE, dtype=torch.bfloat16){}\n\
         x, y = a, b\n\n\n\
         def run(x, y):\n    return torch._grouped_mm(x, y, offs=offsets)\n\n",
        p.m,
        p.n,
        p.k,
        rows.join(", "),
        stored.0,
        stored.1
    ));
    out.push_str(&check_and_time(case, Tool::Pytorch, true)?);
    Ok(out)
}

/// Operands of 8-bit types, filled up with zeros to the sizes that PyTorch multiplies: K and N
/// multiples of `step`, M at least `least`.
fn padded(p: &Problem, step: u32, least: u32) -> String {
    let up = |v: u32| u64::from(v).next_multiple_of(u64::from(step));
    let (m, n, k) = (p.m.max(least), up(p.n), up(p.k));
    if [u64::from(m), n, k] == [p.m, p.n, p.k].map(u64::from) {
        return "x, y = a, b\n".to_owned();
    }
    let rows = if least > 1 { ", and more than 16 rows of A" } else { "" };
    format!(
        "\n\n# PyTorch multiplies this type by sizes that {step} divides{rows}: zeros fill up.\n\
         def padded(v, rows, columns):\n    \
             wide = torch.zeros(rows, columns, device=DEVICE, dtype=torch.uint8).view(v.dtype)\n    \
             wide[:v.shape[0], :v.shape[1]] = v\n    return wide\n\n\n\
         x, y = padded(a, {m}, {k}), padded(b, {k}, {n})\n"
    )
}

pub(super) fn pytorch(case: &Case) -> Result<String, String> {
    if let Some(groups) = case.problem.op.groups {
        return grouped(case, groups);
    }
    let (own, mut out) = begin(case);
    let p = &own.problem;
    out.push_str(IMPORTS);
    out.push_str("import torch\n\n");
    out.push_str(DEVICE);
    if p.op.compute == DataType::Tf32 {
        out.push_str("torch.backends.cuda.matmul.allow_tf32 = True\n");
    }
    let eight = is_fp8(p.op.a) || is_fp8(p.op.b);
    if (eight || p.op.a == DataType::Int8) && p.batch > 1 {
        return Err("PyTorch has no batched product of 8-bit types".to_owned());
    }
    out.push_str(&operands(&own, Tool::Pytorch)?);
    let [_, _, c] = names(&p.op, Tool::Pytorch)?;
    let integer = p.op.a == DataType::Int8;
    if p.op.bias && integer {
        out.push_str("# The bias is left out: the product of 8-bit integers takes none.\n");
    } else if p.op.bias {
        let dtype = if eight { "torch.bfloat16" } else { c };
        out.push_str(&format!("bias = torch.randn(N, device=DEVICE, dtype={dtype})\n"));
    }
    let run = if eight {
        // This call needs A row-major and B column-major, whatever the layout of the GEMM.
        let bias = if p.op.bias { ", bias=wide_bias" } else { "" };
        let c = if is_fp8(p.op.c) { "torch.bfloat16" } else { c };
        out.push_str(&padded(p, 16, 1));
        out.push_str(
            "fresh = torch.contiguous_format\nx = x.clone(memory_format=fresh)\n\
             y = y.t().clone(memory_format=fresh).t()\none = torch.ones((), device=DEVICE)\n",
        );
        if p.op.bias {
            out.push_str("wide_bias = torch.nn.functional.pad(bias, (0, y.shape[1] - N))\n");
        }
        format!("torch._scaled_mm(x, y, scale_a=one, scale_b=one, out_dtype={c}{bias})[:, :N]")
    } else if integer {
        out.push_str(&padded(p, 8, 17));
        "torch._int_mm(x, y)[:M, :N]".to_owned()
    } else {
        out.push_str("x, y = a, b\n");
        match (p.op.bias, p.batch) {
            (true, 1) => "torch.addmm(bias, x, y)",
            (true, _) => "torch.matmul(x, y) + bias",
            (false, _) => "torch.matmul(x, y)",
        }
        .to_owned()
    };
    out.push_str(&format!("\n\ndef run(x, y):\n    return {run}\n\n"));
    // A library may use split-K and add the partial sums in the output type.
    out.push_str(&check_and_time(case, Tool::Pytorch, true)?);
    Ok(out)
}

/// The smallest power of two that is at least `v`, within the limits of a Triton block.
fn block(v: u32, most: u32) -> u32 {
    v.min(most).next_power_of_two().clamp(16, most)
}

const TRITON_KERNEL: &str = r#"

@triton.jit
def gemm(a_ptr, b_ptr, c_ptr, M, N, K, sab, sam, sak, sbb, sbk, sbn, scb, scm, scn,
         BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, GM: tl.constexpr):
    pid, batch = tl.program_id(0), tl.program_id(1).to(tl.int64)
    tiles_m, tiles_n = tl.cdiv(M, BM), tl.cdiv(N, BN)
    group = pid // (GM * tiles_n)
    rows = min(tiles_m - group * GM, GM)
    inside = pid % (GM * tiles_n)
    m = ((group * GM + inside % rows) * BM + tl.arange(0, BM)).to(tl.int64)[:, None]
    n = ((inside // rows) * BN + tl.arange(0, BN)).to(tl.int64)[None, :]
    k = tl.arange(0, BK)
    total = tl.zeros((BM, BN), dtype=ACCUMULATOR)
    for start in range(0, K, BK):
        depth = start + k
        a = tl.load(a_ptr + batch * sab + m * sam + depth[None, :] * sak,
                    mask=(m < M) & (depth[None, :] < K), other=0)
        b = tl.load(b_ptr + batch * sbb + depth[:, None] * sbk + n * sbn,
                    mask=(depth[:, None] < K) & (n < N), other=0)
        total = tl.dot(a, b, totalPRECISION)
    tl.store(c_ptr + batch * scb + m * scm + n * scn, total.to(c_ptr.dtype.element_ty),
             mask=(m < M) & (n < N))


"#;

const TRITON_RUN: &str = r"

def run(x, y):
    grid = (triton.cdiv(M, BLOCK_M) * triton.cdiv(N, BLOCK_N), BATCH)
    gemm[grid](x, y, c, M, N, K, *x.stride(), *y.stride(), *c.stride(),
               BM=BLOCK_M, BN=BLOCK_N, BK=BLOCK_K, GM=GROUP_M)
    return c

";

pub(super) fn triton(case: &Case) -> Result<String, String> {
    let (own, mut out) = begin(case);
    let p = &own.problem;
    if matches!(p.op.compute, DataType::Fp64) {
        return Err("Triton multiplies no fp64 tiles".to_owned());
    }
    let accumulator = if p.op.a == DataType::Int8 { "tl.int32" } else { "tl.float32" };
    let [_, _, c] = names(&p.op, Tool::Triton)?;
    let power = |v: u32| v.is_power_of_two() && (16..=256).contains(&v);
    let (bm, bn, bk) = match own.tile {
        Some(t) if power(t.m) && power(t.n) => (t.m, t.n, t.k.filter(|k| power(*k)).unwrap_or(64)),
        _ => (block(p.m, 128), block(p.n, 128), block(p.k, 64)),
    };
    let precision = if p.op.compute == DataType::Fp32 { ", input_precision=\"ieee\"" } else { "" };
    out.push_str(&format!(
        "{IMPORTS}import torch\nimport triton\nimport triton.language as tl\n\n\
         {DEVICE}BLOCK_M, BLOCK_N, BLOCK_K, GROUP_M = {bm}, {bn}, {bk}, 8\n"
    ));
    out.push_str(
        &TRITON_KERNEL.replace("ACCUMULATOR", accumulator).replace("PRECISION", precision),
    );
    out.push_str(&operands(&own, Tool::Triton)?);
    out.push_str(&format!(
        "c = torch.empty(BATCH, M, N, device=DEVICE, dtype={c})\nif a.dim() == 2:\n    a, b = a[None], b[None]\nx, y = a, b\n"
    ));
    out.push_str(TRITON_RUN);
    out.push_str(&check_and_time(case, Tool::Triton, false)?);
    Ok(out)
}
