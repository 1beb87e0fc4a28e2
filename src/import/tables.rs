//! Tables with a group of columns a library, whose units are known: CLBlast's clients, SGLang's
//! and vLLM's GEMM benchmarks as pandas prints them, MSLK.

use super::wide::{self, Plan, Planner, Provider, Size, Sizes, Unit, Wide};
use super::{
    Col, Delimited, Delimiter, Detection, Dialect, Format, Head, Header, ImportError,
    ImportOptions, Reader, TableBuilder, unsaid,
};
use crate::dataset::Assumption;
use crate::dtype::{DataType, from_blas_letter};
use crate::gemm::Operation;
use crate::units::{RateUnit, TimeUnit};

/// Entry of the table of formats.
pub const CLBLAST: Format = Format {
    id: "clblast",
    name: "CLBlast client",
    produced_by: "./clblast_client_xgemm -precision 32 -m 1024 -n 1024 -k 1024 -num_steps 8 -no_abbrv (CLBlast)",
    example: "m;n;k;layout;transA;transB;lda;ldb;ldc;alpha;beta;ms_1;GFLOPS_1;GBs_1;ms_2;GFLOPS_2;GBs_2\n\
              1K;1K;1K;101;111;111;1K;1K;1K;1.0;0.0;1.2;1789.6;10.5;1.5;1431.7;8.4\n",
    detect: detect_clblast,
    open: open_clblast,
};

/// Entry of the table of formats.
pub const SGLANG: Format = Format {
    id: "sglang",
    name: "SGLang / vLLM GEMM benchmark (printed table)",
    produced_by: "python benchmark/kernels/deepseek/benchmark_deepgemm_fp8_gemm.py --run_correctness (SGLang), benchmarks/kernels/bench_fp8_gemm.py (vLLM)",
    example: "          m        n        k  tp_size     DeepGEMM       SGLang         vLLM\n\
              0       8.0    576.0   7168.0      1.0    61.087999    45.120001    47.231998\n",
    detect: detect_sglang,
    open: open_sglang,
};

/// Entry of the table of formats.
pub const MSLK: Format = Format {
    id: "mslk",
    name: "MSLK gemm_bench",
    produced_by: "python bench/gemm/gemm_bench.py --kernels bf16_baseline,fp8_rowwise --export_csv (MSLK)",
    example: "M,N,K,bf16_baseline_ms,bf16_baseline_tflops,bf16_baseline_gb/s,fp8_rowwise_ms,fp8_rowwise_tflops,fp8_rowwise_gb/s\n\
              4096,8192,8192,0.9,610.8,298.3,0.5,1099.5,335.5\n",
    detect: detect_mslk,
    open: open_mslk,
};

fn reader(dialect: Dialect, table: TableBuilder, planner: Planner) -> Box<dyn Reader> {
    Box::new(Delimited::new(dialect, Wide::new(table, planner)))
}

fn three(h: &Header) -> Option<Sizes> {
    let col = |n: &str| h.find(&[n]).map(Size::Col);
    Some(Sizes::Three(Box::new([col("m")?, col("n")?, col("k")?])))
}

fn used(sizes: &Sizes) -> Vec<usize> {
    match sizes {
        Sizes::Three(three) => three
            .iter()
            .filter_map(|s| match s {
                Size::Col(c) => Some(c.index),
                Size::Fixed(_) => None,
            })
            .collect(),
        Sizes::Tuple(c) => vec![c.index],
    }
}

fn detect_clblast(head: &Head) -> Option<Detection> {
    head.lines
        .iter()
        .any(|l| l.contains(';') && l.contains("ms_1") && l.contains("GFLOPS_1"))
        .then(|| Detection::new(97, "separated by “;” with ms_1, GFLOPS_1"))
}

fn open_clblast(head: &Head, options: &ImportOptions) -> Result<Box<dyn Reader>, ImportError> {
    let mut table = TableBuilder::new();
    // `clblast_client_xgemm -precision 32` or `sgemm` in the file's name.
    let fallback = head
        .name
        .to_ascii_lowercase()
        .find("gemm")
        .and_then(|at| head.name[..at].chars().next_back())
        .and_then(from_blas_letter)
        .unwrap_or(DataType::Fp32);
    let dtype = unsaid::dtype(&mut table, head, options, fallback);
    let device = unsaid::device(&mut table, head, options);
    let planner: Planner = Box::new(move |h, table| {
        let sizes = three(h)?;
        let mut taken = used(&sizes);
        let mut providers = Vec::new();
        for (number, name) in [
            ("1", "CLBlast"),
            ("2", "clBLAS"),
            ("3", "CPU BLAS"),
            ("4", "cuBLAS"),
        ] {
            let mut p = Provider {
                name: name.to_owned(),
                ..Provider::default()
            };
            for (title, unit) in [
                ("ms", Unit::Time(1e-3)),
                ("GFLOPS", Unit::Rate(1e9)),
                ("GBs", Unit::Bandwidth(1e9)),
            ] {
                if let Some(c) = h.find(&[&format!("{title}_{number}")]) {
                    taken.push(c.index);
                    p.set(c, unit);
                }
            }
            if p.time.is_some() {
                providers.push(p);
            }
        }
        if providers.is_empty() {
            return None;
        }
        let flags = [h.find(&["transA"]), h.find(&["transB"])];
        let beta = h.find(&["beta"]);
        taken.extend(flags.iter().flatten().chain(&beta).map(|c| c.index));
        Some(Plan {
            sizes,
            batch: h.find(&["batch_num", "batchcount"]),
            trans: flags,
            beta,
            op: Operation::uniform(dtype),
            device,
            providers,
            common: wide::rest(h, table, &taken),
            abbreviated: true,
        })
    });
    Ok(reader(
        Dialect {
            delimiter: Delimiter::Byte(b';'),
            decimal_comma: false,
        },
        table,
        planner,
    ))
}

/// Words that a provider's column of these benchmarks has.
const SERVED: [&str; 8] = [
    "sglang",
    "sgl",
    "vllm",
    "deepgemm",
    "cutlass",
    "triton",
    "torch",
    "flashinfer",
];

fn pandas_header(head: &Head) -> Option<(usize, Vec<String>)> {
    head.lines.iter().enumerate().find_map(|(i, l)| {
        let words: Vec<String> = l.split_whitespace().map(str::to_owned).collect();
        let has = |n: &str| words.iter().any(|w| w.eq_ignore_ascii_case(n));
        let known = words
            .iter()
            .filter(|w| SERVED.iter().any(|s| w.to_ascii_lowercase().contains(s)))
            .count();
        let body = head.lines.get(i + 1)?.split_whitespace().count();
        // An index column without a title shows that pandas printed it.
        (has("m") && has("n") && has("k") && known > 0 && body == words.len() + 1)
            .then_some((i, words))
    })
}

fn detect_sglang(head: &Head) -> Option<Detection> {
    pandas_header(head)?;
    Some(Detection::new(
        90,
        "a printed table with m, n, k and a column a library",
    ))
}

fn open_sglang(head: &Head, options: &ImportOptions) -> Result<Box<dyn Reader>, ImportError> {
    let mut table = TableBuilder::new();
    let dtype = unsaid::dtype(&mut table, head, options, DataType::Fp8E4m3);
    let device = unsaid::device(&mut table, head, options);
    let answer = options.answer("unit:value");
    let unit = answer
        .and_then(TimeUnit::parse)
        .map(|u| Unit::Time(u.to_si()))
        .or_else(|| {
            answer
                .and_then(RateUnit::parse)
                .map(|u| Unit::Rate(u.to_si()))
        });
    table.assume(Assumption {
        key: "unit:value".into(),
        text:
            "These benchmarks print times in µs, lower is better; the table itself does not say so."
                .into(),
        value: answer.unwrap_or("µs").to_owned(),
        choices: ["µs", "ms", "TFLOP/s"].map(str::to_owned).to_vec(),
    });
    let unit = unit.unwrap_or(Unit::Time(1e-6));
    let words = pandas_header(head).map(|(_, w)| w).unwrap_or_default();
    let planner: Planner = Box::new(move |h, table| {
        if h.names != words {
            return None;
        }
        // The rows have one cell more in front.
        let mut names = vec![String::new()];
        names.extend(h.names.iter().cloned());
        let h = Header { names };
        let sizes = three(&h)?;
        let mut taken = used(&sizes);
        taken.push(0);
        let mut providers = Vec::new();
        for (i, name) in h.names.iter().enumerate().skip(1) {
            let lower = name.to_ascii_lowercase();
            let setting = matches!(
                lower.as_str(),
                "tp_size" | "tp" | "batch_size" | "num_groups" | "batch"
            );
            if taken.contains(&i) || setting {
                continue;
            }
            taken.push(i);
            let mut p = Provider {
                name: name.clone(),
                ..Provider::default()
            };
            p.set(
                Col {
                    index: i,
                    name: name.clone(),
                },
                unit,
            );
            providers.push(p);
        }
        Some(Plan {
            sizes,
            batch: h.find(&["num_groups", "batch", "batch_size"]),
            trans: [None, None],
            beta: None,
            op: Operation {
                c: DataType::Bf16,
                ..Operation::uniform(dtype)
            }
            .with_layout(false, true),
            device,
            providers,
            common: wide::rest(&h, table, &taken),
            abbreviated: false,
        })
    });
    Ok(reader(
        Dialect {
            delimiter: Delimiter::Spaces,
            decimal_comma: false,
        },
        table,
        planner,
    ))
}

/// `fp8_rowwise` of `fp8_rowwise_tflops`.
fn mslk_part(name: &str) -> Option<(&str, Unit)> {
    let lower = name.trim();
    [
        ("_ms", Unit::Time(1e-3)),
        ("_tflops", Unit::Rate(1e12)),
        ("_gb/s", Unit::Bandwidth(1e9)),
        ("_gbps", Unit::Bandwidth(1e9)),
    ]
    .into_iter()
    .find_map(|(suffix, unit)| Some((lower.strip_suffix(suffix)?, unit)))
    .filter(|(p, _)| !p.is_empty())
}

fn detect_mslk(head: &Head) -> Option<Detection> {
    let fields = Head::fields(head.first(), ',');
    let has = |n: &str| fields.iter().any(|f| f.eq_ignore_ascii_case(n));
    if !(has("m") && has("n") && has("k")) {
        return None;
    }
    let pairs = fields
        .iter()
        .filter_map(|f| f.strip_suffix("_tflops"))
        .filter(|p| fields.iter().any(|f| f.strip_suffix("_ms") == Some(p)))
        .count();
    // One pair is a plain table (`avg_ms`, `avg_tflops`).
    (pairs > 1).then(|| Detection::new(88, "the header has …_ms and …_tflops for several kernels"))
}

fn open_mslk(head: &Head, options: &ImportOptions) -> Result<Box<dyn Reader>, ImportError> {
    let mut table = TableBuilder::new();
    let device = unsaid::device(&mut table, head, options);
    let (fallback, why) = unsaid::guess_dtype(head, options, DataType::Bf16);
    let chosen = options.dtype("dtype");
    let planner: Planner = Box::new(move |h, table| {
        let sizes = three(h)?;
        let mut taken = used(&sizes);
        let mut providers: Vec<Provider> = Vec::new();
        let mut unsaid = false;
        for (i, name) in h.names.iter().enumerate() {
            let Some((kernel, unit)) = mslk_part(name) else {
                continue;
            };
            taken.push(i);
            let at = match providers.iter().position(|p| p.name == kernel) {
                Some(at) => at,
                None => {
                    let named = kernel
                        .split(['_', '-', '.'])
                        .filter(|w| w.bytes().any(|b| b.is_ascii_digit()))
                        .find_map(DataType::parse);
                    unsaid |= named.is_none();
                    providers.push(Provider {
                        name: kernel.to_owned(),
                        dtype: chosen.or(named),
                        ..Provider::default()
                    });
                    providers.len() - 1
                }
            };
            providers[at].set(
                Col {
                    index: i,
                    name: name.trim().to_owned(),
                },
                unit,
            );
        }
        if unsaid {
            table.assume_dtype(fallback, why);
        }
        providers.retain(|p| p.time.is_some() || p.rate.is_some());
        Some(Plan {
            sizes,
            batch: h.find(&["B", "groups"]),
            trans: [None, None],
            beta: None,
            op: Operation::uniform(fallback).with_layout(false, true),
            device,
            providers,
            common: wide::rest(h, table, &taken),
            abbreviated: false,
        })
    });
    Ok(reader(Dialect::COMMA, table, planner))
}
