//! Every generated flag is documented by its tool; scripts are valid Python; shapes are right.

use super::*;
use gemmscope_model::dtype::DataType;
use gemmscope_model::gemm::Operation;
use proptest::prelude::*;

/// Documented interface of a tool.
struct Documented {
    tool: Tool,
    /// Source of the documentation.
    place: &'static str,
    /// Its options as documented, with all their names.
    options: &'static str,
    /// Options that accept only some words, and these words.
    values: &'static [(&'static str, &'static str)],
}

const ROCM_TYPES: &str = "f64_r f32_r f16_r bf16_r i8_r i32_r";

const DOCUMENTED: [Documented; 3] = [
    Documented {
        tool: Tool::HipblasltBench,
        place: "ROCm/hipBLASLt, clients/benchmarks/client.cpp and README.md (--help)",
        options: "--sizem -m --sizen -n --sizek -k --lda --ldb --ldc --ldd --lde --any_stride \
                  --stride_a --stride_b --stride_c --stride_d --stride_e --alpha --beta --function \
                  -f --precision -r --a_type --b_type --c_type --d_type --compute_type \
                  --compute_input_typeA --compute_input_typeB --scale_type --initialization \
                  --transA --transB --batch_count --HMM --verify -v --iters -i --cold_iters -j \
                  --algo_method --solution_index --requested_solution --activation_type \
                  --activation_arg1 --activation_arg2 --bias_type --bias_source --bias_vector \
                  --scaleA --scaleB --scaleAlpha_vector --amaxScaleA --amaxScaleB --amaxD --use_e \
                  --gradient --grouped_gemm --use_user_args --device --c_equal_d --workspace \
                  --log_function_name --function_filter --api_method --print_kernel_info \
                  --rotating --use_gpu_timer --splitk --wgm --flush --help -h --version",
        values: &[
            ("--transA", "N T"),
            ("--transB", "N T"),
            ("--compute_type", "s f32_r x xf32_r f64_r i32_r"),
            ("--algo_method", "heuristic all index"),
            ("--a_type", "f64_r f32_r f16_r bf16_r i8_r i32_r f8_r bf8_r f8_fnuz_r bf8_fnuz_r"),
            ("--bias_type", "f16_r bf16_r f32_r"),
        ],
    },
    Documented {
        tool: Tool::RocblasBench,
        place: "ROCm/rocBLAS, clients/benchmarks/client.cpp (--help); types: docs, HPA cases",
        options: "--sizem -m --sizen -n --sizek -k --kl --ku --lda --ldb --ldc --ldd --any_stride \
                  --stride_a --stride_b --stride_c --stride_d --stride_x --stride_y --incx --incy \
                  --alpha --alphai --beta --betai --function -f --precision -r --a_type --b_type \
                  --c_type --d_type --compute_type --composite_compute_type --initialization \
                  --transposeA --transposeB --side --uplo --diag --batch_count --HMM --test -t \
                  --verify -v --iters -i --cold_iters -j --algo --solution_index --flags \
                  --geam_ex_op --atomics_allowed --atomics_not_allowed --device \
                  --parallel_devices --outofplace --fortran --api --workspace \
                  --log_function_name --log_datatype --use_hipblaslt --function_filter \
                  --math_mode --flush_batch_count --flush_memory_size --name_filter --version \
                  --rocblas_tensile_commit_hash -z --help -h",
        values: &[
            ("-f", "gemm_ex gemm_strided_batched_ex"),
            ("--transposeA", "N T C"),
            ("--transposeB", "N T C"),
            ("--a_type", ROCM_TYPES),
            ("--c_type", ROCM_TYPES),
            ("--compute_type", "f16_r f32_r f64_r i32_r"),
            ("--math_mode", "0 1"),
        ],
    },
    Documented {
        tool: Tool::CutlassProfiler,
        place: "NVIDIA/cutlass, media/docs/profiler.md (--help, --operation=gemm --help)",
        options: "--help --mode --device-info --operation --kernels --ignore-kernels --device \
                  --compute-capability --llc-capacity --initialization --initialization-provider \
                  --dist --seed --library-algo-mode --library-algos --workspace-count \
                  --profiling-iterations --warmup-iterations --sleep-duration --profiling-enabled \
                  --verification-enabled --epsilon --nonzero-floor --save-workspace \
                  --verification-providers --append --output --junit-output --report-not-run \
                  --tags --verbose --version --gemm_kind --m --n --k --A --B --C --alpha --beta \
                  --split_k_mode --split_k_slices --batch_count --op_class --opcode-class --accum \
                  --accumulator-type --cta_m --cta_n --cta_k --cluster_m --cluster_n --cluster_k \
                  --stages --warps_m --warps_n --warps_k --inst_m --inst_n --inst_k --min_cc \
                  --max_cc",
        values: &[
            ("--operation", "Gemm"),
            ("--op_class", "simt tensorop wmmatensorop wmma"),
            ("--accumulator-type", "f16 f32 f64 s32"),
        ],
    },
];

fn case(m: u32, n: u32, k: u32, op: Operation) -> Case {
    Case { problem: Problem { m, n, k, batch: 1, op }, column_major: false, tile: None, rows: None }
}

fn text(case: &Case, tool: Tool) -> String {
    replay(case, tool).expect("a type that the tool takes").text
}

/// Words of a script that begin with `-`, without values, including those in comments.
fn flags(text: &str) -> Vec<String> {
    text.lines()
        .flat_map(str::split_whitespace)
        .filter(|w| w.starts_with('-') && w.parse::<f64>().is_err())
        .map(|w| w.split('=').next().unwrap_or(w).to_owned())
        .collect()
}

fn value<'a>(text: &'a str, flag: &str) -> Option<&'a str> {
    let mut words = text.split([' ', '\n', '=']).filter(|w| !w.is_empty());
    words.find(|w| *w == flag)?;
    words.next()
}

#[test]
fn row_major_becomes_a_column_major_call() {
    // Y = X W^T of 8 x 4096 by W of 11008 x 4096.
    let op = Operation::uniform(DataType::Bf16).with_layout(false, true);
    let t = text(&case(8, 11008, 4096, op), Tool::HipblasltBench);
    for (flag, wanted) in [
        ("-m", "11008"),
        ("-n", "8"),
        ("-k", "4096"),
        ("--transA", "T"),
        ("--transB", "N"),
        ("--lda", "4096"),
        ("--ldb", "4096"),
        ("--ldc", "11008"),
        ("--a_type", "bf16_r"),
        ("--compute_type", "f32_r"),
    ] {
        assert_eq!(value(&t, flag), Some(wanted), "{flag} in {t}");
    }
    let native = Case { column_major: true, ..case(8, 11008, 4096, op) };
    let t = text(&native, Tool::RocblasBench);
    assert_eq!(value(&t, "-m"), Some("8"));
    assert_eq!(value(&t, "--transposeB"), Some("T"));
    assert_eq!((value(&t, "--lda"), value(&t, "--ldb")), (Some("8"), Some("11008")));
    let t = text(&case(8, 11008, 4096, op), Tool::CutlassProfiler);
    assert!(t.contains("--A=bf16:row --B=bf16:column --C=bf16:row"), "{t}");
}

#[test]
fn a_column_major_call_becomes_a_row_major_product() {
    // C = A^T B^T, 8 x 11008: A is stored as 8 rows of 4096, B as 4096 rows of 11008, C as 11008 rows of 8.
    let op = Operation { b: DataType::Fp16, ..Operation::uniform(DataType::Bf16) };
    let blas = Case { column_major: true, ..case(8, 11008, 4096, op.with_layout(true, true)) };
    for tool in [Tool::Pytorch, Tool::Triton] {
        let t = text(&blas, tool);
        assert!(t.contains("M, N, K, BATCH = 11008, 8, 4096, 1\n"), "{t}");
        assert!(
            t.contains("a = torch.randn(K, M, device=DEVICE, dtype=torch.float16).transpose"),
            "{t}"
        );
        assert!(
            t.contains("b = torch.randn(N, K, device=DEVICE, dtype=torch.bfloat16).transpose"),
            "{t}"
        );
        // Its row is that of the file.
        assert!(t.contains("print(f\"{N},{M},{K},{BATCH},bf16,TT,"), "{t}");
    }
    let plain = text(&case(8, 11008, 4096, op.with_layout(true, true)), Tool::Pytorch);
    assert!(plain.contains("a = torch.randn(K, M, device=DEVICE, dtype=torch.bfloat16).transpose"));
    assert!(plain.contains("print(f\"{M},{N},{K},{BATCH},bf16,TT,"));
}

#[test]
fn a_type_that_a_tool_lacks_is_said() {
    let fp4 = case(64, 64, 64, Operation::uniform(DataType::MxFp4));
    for tool in Tool::ALL {
        let why = replay(&fp4, tool).unwrap_err();
        assert!(why.contains(tool.label()), "{why}");
    }
    let fp8 = case(64, 64, 64, Operation::uniform(DataType::Fp8E4m3));
    assert!(replay(&fp8, Tool::RocblasBench).is_err());
    // A combination that rocBLAS has no kernel for, though it supports each type.
    let mixed = Operation { c: DataType::Fp16, ..Operation::uniform(DataType::Bf16) };
    let why = replay(&case(64, 64, 64, mixed), Tool::RocblasBench).unwrap_err();
    assert_eq!(why, "rocblas-bench multiplies no bf16_r by bf16_r into f16_r");
    let int8 = text(&case(64, 64, 64, Operation::uniform(DataType::Int8)), Tool::RocblasBench);
    assert!(int8.contains("--a_type i8_r --b_type i8_r --c_type i32_r"), "{int8}");
    let tf32 = text(&case(64, 64, 64, Operation::uniform(DataType::Tf32)), Tool::RocblasBench);
    assert!(tf32.contains("--compute_type f32_r --math_mode 1"), "{tf32}");
    assert!(text(&fp8, Tool::Pytorch).contains("torch._scaled_mm(x, y, scale_a=one"));
    assert!(text(&fp8, Tool::HipblasltBench).contains("--a_type f8_r"));
}

/// Scripts of both kinds, of many types, with and without bias and batch, as a Python list.
fn scripts() -> String {
    let mut all = String::from("sources = []\n");
    for dtype in [DataType::Bf16, DataType::Fp32, DataType::Tf32, DataType::Int8, DataType::Fp8E5m2]
    {
        for (bias, batch) in [(false, 1), (true, 1), (true, 3)] {
            let op = Operation { bias, ..Operation::uniform(dtype).with_layout(true, !bias) };
            let mut c = case(104, 200, 304, op);
            c.problem.batch = batch;
            for tool in [Tool::Pytorch, Tool::Triton] {
                if let Ok(made) = replay(&c, tool) {
                    all.push_str(&format!("sources.append({:?})\n", made.text));
                }
            }
        }
    }
    all
}

fn python(program: &str) -> Option<std::process::Output> {
    let python = std::env::var("PYTHON").unwrap_or_else(|_| "python3".to_owned());
    let run = std::process::Command::new(python).args(["-c", program]).output();
    if run.is_err() {
        eprintln!("skipped: no python3 here");
    }
    run.ok()
}

#[test]
fn scripts_are_python() {
    let program = scripts() + "for s in sources: compile(s, 'replay', 'exec')\nprint(len(sources))";
    let Some(run) = python(&program) else { return };
    assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
    assert_eq!(String::from_utf8_lossy(&run.stdout).trim(), "28");
}

/// Runs the PyTorch scripts on the CPU and compares with a double-precision product.
const ON_THE_PROCESSOR: &str = r#"
try:
    import torch
except ImportError:
    print("no torch")
    raise SystemExit
import io, contextlib
torch.cuda.is_available = lambda: False
if not hasattr(torch, "_int_mm"):
    torch._int_mm = lambda a, b: a.int() @ b.int()
torch.set_num_threads(1)
done = 0
for s in sources:
    if "triton" in s or "float8" in s:
        continue
    names = {}
    said = io.StringIO()
    s = s.replace("range(100)", "range(1)").replace("range(20)", "range(1)")
    with contextlib.redirect_stdout(said):
        try:
            exec(compile(s, "replay", "exec"), names)
        except SystemExit as end:
            assert end.code == 0, (s, end.code)
    lines = said.getvalue().splitlines()
    assert len(lines) == 2 and lines[0].count(",") == lines[1].count(","), lines
    assert lines[1].endswith(",ok"), lines
    a, b, out = names["a"], names["b"], names["run"](names["x"], names["y"])
    assert a.shape[-2:] == (names["M"], names["K"]) and b.shape[-2:] == (names["K"], names["N"])
    wanted = a.double() @ b.double() + (names["bias"].double() if "bias" in names else 0)
    worst = (out.double() - wanted).abs().max() / wanted.abs().max()
    assert worst < 1e-2, (s, worst)
    done += 1
print("ran", done)
"#;

#[test]
fn scripts_run_where_pytorch_is_at_hand() {
    let Some(run) = python(&(scripts() + ON_THE_PROCESSOR)) else {
        return;
    };
    let said = String::from_utf8_lossy(&run.stdout);
    if said.trim() == "no torch" {
        eprintln!("skipped: no PyTorch here (PYTHON names another interpreter)");
        return;
    }
    assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
    assert!(said.trim().ends_with("ran 11"), "{said}");
}

#[test]
fn the_measured_tile_is_where_triton_starts() {
    let mut c = case(4096, 4096, 4096, Operation::uniform(DataType::Fp16));
    c.tile = Some(Tile { m: 256, n: 64, k: Some(32) });
    assert!(text(&c, Tool::Triton).contains("= 256, 64, 32, 8\n"));
    assert!(
        text(&c, Tool::CutlassProfiler)
            .contains("# Only the measured tile: add --cta_m=256 --cta_n=64 --cta_k=32")
    );
    // Not a Triton tile: 112 is not a power of two.
    c.tile = Some(Tile { m: 256, n: 112, k: None });
    assert!(text(&c, Tool::Triton).contains("= 128, 128, 64, 8\n"));
    // No 32-bit power of two is as large as M.
    let c = case(2_147_483_649, 1, 1, Operation::uniform(DataType::Fp16));
    assert!(text(&c, Tool::Triton).contains("= 128, 16, 16, 8\n"));
}

#[test]
fn a_grouped_gemm_keeps_the_rows_of_its_groups() {
    let grouped = Operation {
        groups: Some(gemmscope_model::gemm::Groups::known(4, 3)),
        ..Operation::uniform(DataType::Bf16).with_layout(false, true)
    };
    let even = case(10, 64, 32, grouped);
    let t = text(&even, Tool::Pytorch);
    assert!(t.contains("ROWS = [4, 3, 3, 0]\n"), "{t}");
    assert!(
        t.contains("b = torch.randn(len(ROWS), N, K,") && t.contains("torch._grouped_mm"),
        "{t}"
    );
    assert!(t.contains("batch,group_rows,dtype"), "{t}");
    let listed = Case { rows: Some(vec![1, 0, 2, 7]), ..even.clone() };
    assert!(text(&listed, Tool::Pytorch).contains("ROWS = [1, 0, 2, 7]\n"));
    let other = replay(&even, Tool::Triton).unwrap_err();
    assert!(other.contains("PyTorch alone"), "{other}");
    let fp8 = Operation { groups: grouped.groups, ..Operation::uniform(DataType::Fp8E4m3) };
    assert!(replay(&case(10, 64, 32, fp8), Tool::Pytorch).is_err());
}

proptest! {
    #[test]
    fn only_documented_flags(
        (m, n, k, batch) in (1u32..9000, 1u32..9000, 1u32..9000, 1u32..5),
        dtype in prop::sample::select(vec![
            DataType::Fp64, DataType::Fp32, DataType::Tf32, DataType::Fp16, DataType::Bf16,
            DataType::Int8, DataType::Fp8E4m3, DataType::MxFp8,
        ]),
        (ta, tb, bias, beta, column_major) in any::<(bool, bool, bool, bool, bool)>(),
    ) {
        let op = Operation { bias, beta, ..Operation::uniform(dtype).with_layout(ta, tb) };
        let case = Case {
            problem: Problem { m, n, k, batch, op },
            column_major,
            tile: Some(Tile { m: 128, n: 64, k: None }),
            rows: None,
        };
        for known in &DOCUMENTED {
            let Ok(made) = replay(&case, known.tool) else { continue };
            let listed = |list: &str, word: &str| list.split(' ').any(|o| o == word);
            for flag in flags(&made.text) {
                prop_assert!(
                    listed(known.options, &flag),
                    "{flag} is not in {}: {}",
                    known.place,
                    made.text
                );
            }
            for (flag, words) in known.values {
                let command: String =
                    made.text.lines().filter(|l| !l.starts_with('#')).map(|l| format!("{l}\n")).collect();
                if let Some(v) = value(&command, flag) {
                    prop_assert!(listed(words, v), "{flag} {v} is not in {}", known.place);
                }
            }
            // One command: every line but the last is continued.
            let lines: Vec<&str> = made.text.lines().filter(|l| !l.starts_with('#')).collect();
            let (last, others) = lines.split_last().expect("a command");
            prop_assert!(!last.ends_with('\\') && others.iter().all(|l| l.ends_with('\\')));
        }
    }
}
