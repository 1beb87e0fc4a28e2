//! Every generated flag is one that the tool documents; scripts are Python; shapes are right.

use super::*;
use crate::gemm::Operation;
use proptest::prelude::*;

/// Options that `hipblaslt-bench --help` lists.
const HIPBLASLT: &[&str] = &[
    "-m",
    "-n",
    "-k",
    "--transA",
    "--transB",
    "--lda",
    "--ldb",
    "--ldc",
    "--ldd",
    "--batch_count",
    "--stride_a",
    "--stride_b",
    "--stride_c",
    "--stride_d",
    "--a_type",
    "--b_type",
    "--c_type",
    "--d_type",
    "--compute_type",
    "--bias_vector",
    "--bias_type",
    "--alpha",
    "--beta",
    "--iters",
    "--cold_iters",
    "--algo_method",
    "--requested_solution",
    "--rotating",
    "--print_kernel_info",
];

/// Options that `rocblas-bench --help` lists.
const ROCBLAS: &[&str] = &[
    "-f",
    "-m",
    "-n",
    "-k",
    "--transposeA",
    "--transposeB",
    "--lda",
    "--ldb",
    "--ldc",
    "--ldd",
    "--batch_count",
    "--stride_a",
    "--stride_b",
    "--stride_c",
    "--stride_d",
    "--a_type",
    "--b_type",
    "--c_type",
    "--d_type",
    "--compute_type",
    "--alpha",
    "--beta",
    "--iters",
    "--cold_iters",
];

/// Options that `cutlass_profiler --help` and `--operation=Gemm --help` list.
const CUTLASS: &[&str] = &[
    "--operation",
    "--m",
    "--n",
    "--k",
    "--A",
    "--B",
    "--C",
    "--alpha",
    "--beta",
    "--batch_count",
    "--accumulator-type",
    "--op_class",
    "--cta_m",
    "--cta_n",
    "--cta_k",
    "--profiling-iterations",
    "--warmup-iterations",
    "--output",
];

fn case(m: u32, n: u32, k: u32, op: Operation) -> Case {
    Case {
        problem: Problem {
            m,
            n,
            k,
            batch: 1,
            op,
        },
        column_major: false,
        tile: None,
    }
}

fn text(case: &Case, tool: Tool) -> String {
    replay(case, tool).expect("a type that the tool takes").text
}

/// Words of a script that begin with `-`, without values.
fn flags(text: &str) -> Vec<String> {
    text.lines()
        .filter(|l| !l.starts_with('#'))
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
    let native = Case {
        column_major: true,
        ..case(8, 11008, 4096, op)
    };
    let t = text(&native, Tool::RocblasBench);
    assert_eq!(value(&t, "-m"), Some("8"));
    assert_eq!(value(&t, "--transposeB"), Some("T"));
    assert_eq!(
        (value(&t, "--lda"), value(&t, "--ldb")),
        (Some("8"), Some("11008"))
    );
    let t = text(&case(8, 11008, 4096, op), Tool::CutlassProfiler);
    assert!(
        t.contains("--A=bf16:row --B=bf16:column --C=bf16:row"),
        "{t}"
    );
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
    assert!(text(&fp8, Tool::Pytorch).contains("torch._scaled_mm(a, b, scale_a=one"));
    assert!(text(&fp8, Tool::HipblasltBench).contains("--a_type f8_r"));
}

#[test]
fn scripts_are_python() {
    let mut all = String::new();
    for dtype in [
        DataType::Bf16,
        DataType::Fp32,
        DataType::Tf32,
        DataType::Int8,
        DataType::Fp8E5m2,
    ] {
        for bias in [false, true] {
            let op = Operation {
                bias,
                ..Operation::uniform(dtype).with_layout(true, true)
            };
            let c = case(100, 200, 300, op);
            for tool in [Tool::Pytorch, Tool::Triton] {
                all.push_str(&format!("sources.append({:?})\n", text(&c, tool)));
            }
        }
    }
    let program = format!(
        "import ast\nsources = []\n{all}for s in sources: ast.parse(s)\nprint(len(sources))"
    );
    let run = std::process::Command::new("python3")
        .args(["-c", &program])
        .output();
    let Ok(run) = run else {
        eprintln!("skipped: no python3 here");
        return;
    };
    assert!(
        run.status.success(),
        "{}",
        String::from_utf8_lossy(&run.stderr)
    );
    assert_eq!(String::from_utf8_lossy(&run.stdout).trim(), "20");
}

#[test]
fn the_measured_tile_is_where_triton_starts() {
    let mut c = case(4096, 4096, 4096, Operation::uniform(DataType::Fp16));
    c.tile = Some(Tile {
        m: 256,
        n: 64,
        k: Some(32),
    });
    assert!(text(&c, Tool::Triton).contains("= 256, 64, 32, 8\n"));
    assert!(
        text(&c, Tool::CutlassProfiler)
            .contains("# Only the measured tile: add --cta_m=256 --cta_n=64 --cta_k=32")
    );
    // No tile of Triton's: 112 is no power of two.
    c.tile = Some(Tile {
        m: 256,
        n: 112,
        k: None,
    });
    assert!(text(&c, Tool::Triton).contains("= 128, 128, 64, 8\n"));
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
        };
        for (tool, known) in [
            (Tool::HipblasltBench, HIPBLASLT),
            (Tool::RocblasBench, ROCBLAS),
            (Tool::CutlassProfiler, CUTLASS),
        ] {
            let Ok(made) = replay(&case, tool) else { continue };
            for flag in flags(&made.text) {
                prop_assert!(known.contains(&flag.as_str()), "{flag} in {}", made.text);
            }
            // One command: each line but the last goes on.
            let lines: Vec<&str> = made.text.lines().filter(|l| !l.starts_with('#')).collect();
            let (last, others) = lines.split_last().expect("a command");
            prop_assert!(!last.ends_with('\\') && others.iter().all(|l| l.ends_with('\\')));
        }
    }
}
