//! Synthetic texts of every class that people paste.

mod columns;
mod experts;
mod lines;
mod same;
mod types;

use crate::testing::{read, read_with};
use crate::{ImportOptions, Imported, read_all};
use gemmscope_model::dtype::DataType;
use gemmscope_table::dataset::{ColumnMeaning, Dataset};

fn library(data: &Dataset, row: usize) -> &str {
    data.text(ColumnMeaning::Library, row)
}

fn asked(data: &Dataset) -> Vec<&str> {
    data.sources[0].assumptions.iter().map(|a| a.key.as_str()).collect()
}

fn refused(text: &str) -> String {
    match read_all("", text.as_bytes(), &ImportOptions::default()) {
        Err(e) => e.message,
        Ok(imported) => panic!("read: {imported:?}"),
    }
}

#[test]
fn a_page_costs_what_it_holds() {
    let row = "<tr><td>512<td>512<td>512<td>9</tr>";
    let head = "<table><tr><th>M<th>N<th>K<th>time_us</tr>";
    let spans = "<tr><td colspan=1000 rowspan=65534>512<td>512<td>512<td>9</tr>";
    let wide = "<td colspan=1000 rowspan=60000>512".repeat(1000);
    let marked = "On H100:\n\n| M | N | K | us |\n|---|---|---|---|\n| 512 | 512 | 512 | 9 |\n\n";
    for (page, rows) in [
        // Cells that span everything, in each row and at once.
        (format!("{head}{}</table>", spans.repeat(2000)), None),
        (format!("<table><tr>{wide}</tr>{}</table>", "<tr><td>1</tr>".repeat(3000)), None),
        // Tables that do not end, and one behind them that does.
        (format!("{}{head}{row}</table>", "<table>\n".repeat(200_000)), Some(1)),
        // Tags that do not end.
        (format!("{head}{row}<tr><td>{}</table>", "<".repeat(1 << 20)), Some(1)),
        (format!("{head}{row}<tr><td>{}</table>", "&#x".repeat(1 << 18)), Some(1)),
        // A table in a table.
        (format!("<table><tr><td>\n{head}\n{row}</table>\n</table>"), Some(1)),
        (format!("{head}{row}</table>\n").repeat(2000), Some(2000)),
        // Surroundings that many tables share.
        ("| M | N |\n|---|\n".repeat(2000), None),
        (format!("## bf16\n\n{}\n", marked.repeat(2)).repeat(1000), Some(2000)),
    ] {
        let begins: String = page.chars().take(60).collect();
        let options = ImportOptions { format: Some("document".into()), ..ImportOptions::default() };
        let read = read_all("p.html", page.as_bytes(), &options);
        let used = match read {
            Ok(Imported::Table(data)) => Some(data.len()),
            _ => None,
        };
        assert_eq!(used, rows, "{begins}");
    }
}

#[test]
fn a_cell_counts_whole_or_not_at_all() {
    let of = |size: &str, time: &str| {
        let text = format!("M,N,K,dtype,time_us\n{size},4096,4096,bf16,{time}\n").repeat(3);
        match read_all("g.csv", text.as_bytes(), &ImportOptions::default()) {
            Ok(Imported::Table(d)) if d.time_s.first().is_some_and(|s| !s.is_nan()) => {
                Some((d.m[0], (d.time_s[0] * 1e9).round()))
            }
            // Refused, or of unknown time.
            _ => None,
        }
    };
    for space in ["", "\u{202f}", "\u{a0}", "\u{2009}", "\u{66c}"] {
        let read = of(&format!("4{space}096"), &format!("1{space}234"));
        assert_eq!(read, Some((4096, 1_234_000.0)), "{space:?}");
    }
    for size in ["4 096", "4096abc", "4096;2", "12 34 56", "4\u{202f}09", "4096 | 2"] {
        assert_eq!(of(size, "200"), None, "{size}");
    }
    for time in ["200;300", "200 300", "1 234"] {
        assert_eq!(of("4096", time), None, "{time}");
    }
}

#[test]
fn lines_of_any_script() {
    let d = read(
        "Warming up...\n\
         M=4096, N=4096, K=4096: 0.250 ms, 549.7 TFLOPS\n\
         [cuBLAS] 2048x2048x2048 bf16 - 50us (343.6 TFLOP/s)\n\
         done in 3 s\n",
    );
    assert_eq!((d.sources[0].format.as_str(), d.len()), ("document", 2));
    assert_eq!(d.time_s[0], 0.25e-3);
    assert_eq!((d.m[1], d.time_s[1], library(&d, 1)), (2048, 50e-6, "cuBLAS"));
    assert_eq!(d.problem(1).op.a, DataType::Bf16);
    assert_eq!(d.sources[0].reported_rate.within_1_percent, 2);
    let d = read("my_kernel: M: 1024 N: 512 K: 256  rate 12.5 TFLOPS\n");
    assert_eq!(library(&d, 0), "my_kernel");
    assert!((d.time_s[0] - 2.0 * 1024.0 * 512.0 * 256.0 / 12.5e12).abs() < 1e-15);
    let d = read("cuBLAS time for 4096x4096x4096: 1.2 ms\n");
    assert_eq!((library(&d, 0), d.time_s[0]), ("cuBLAS", 1.2e-3));
}

#[test]
fn a_macro_tile_is_no_size() {
    let none = "mt64x128x32_sk1 0.25 ms\nmt256x128_sk4: 12 us, 30 TFLOPS\n";
    assert!(read_all("", none.as_bytes(), &ImportOptions::default()).is_err());
    let d = read("mt64x128x32_sk2 4096x2048x1024 bf16: 0.25 ms\n");
    assert_eq!((d.m[0], d.n[0], d.k[0]), (4096, 2048, 1024));
}

#[test]
fn figures_below_their_sizes() {
    let d = read(
        "=== Benchmarking shape: m=64, n=24576, k=1536 ===\n\
         Running benchmarks...\n\
         DeepGEMM:\n  Average time: 0.0213 ms\n  TFLOPS: 226.9\n\
         vLLM Triton:\n  Average time: 0.0445 ms\n  TFLOPS: 108.6\n\
         M=4096 N=4096 K=4096\n\
         Block size: 256x128\n\
         Avg Kernel execution time: 193.2 us\n\
         Achieved performance: 711.4 TFLOPs\n\
         Peak memory bandwidth test: 12 ms\n\
         Other kernel: 3 TFLOPS\n",
    );
    assert_eq!((d.m.clone(), d.k.clone()), (vec![64, 64, 4096], vec![1536, 1536, 4096]));
    let times = d.time_s.iter().zip([0.0213e-3, 0.0445e-3, 193.2e-6]);
    assert!(times.clone().all(|(a, b)| (a / b - 1.0).abs() < 1e-12), "{:?}", d.time_s);
    assert_eq!([0, 1, 2].map(|r| library(&d, r)), ["DeepGEMM", "vLLM Triton", ""]);
    assert_eq!(d.sources[0].reported_rate.within_1_percent, 3);
}

#[test]
fn sizes_of_two_operands() {
    let d = read(
        "Matrix size 1024 x 512 times 512 x 2048\n\
         Time 1.25 ms, 1717.99 GFLOPS\n\
         MatrixA(320,320), MatrixB(640,320)\n\
         Computing result using CUDA Kernel...\n\
         Performance= 4219.96 GFlop/s, Time= 0.031 msec, Size= 131072000 Ops, WorkgroupSize= 1024 \
         threads/block\n\
         MatrixA(320,640), MatrixB(640,320)\n\
         Performance= 4219.96 GFlop/s, Time= 0.062 msec, Size= 262144000 Ops\n",
    );
    // The last one gives width before height, so rate and time contradict the sizes as written.
    assert_eq!(d.m, [1024, 320]);
    assert_eq!((d.n.clone(), d.k.clone()), (vec![2048, 640], vec![512, 320]));
    assert_eq!(d.time_s, [1.25e-3, 0.031e-3]);
}

#[test]
fn prose_is_no_result() {
    for line in [
        "The tile is 128x128x32 and that took a while.",
        "Finished after 3.2 s",
        "M=4096 N=4096 K=4096: peak 989 TFLOPS, compiled in 12 s, 0.9x",
        "N=4096: 0.25 ms",
        "config 128x128x64: 0.1 ms",
        "softmax torch.Size([8, 128, 128]) 0.1 ms",
        "kernel<<<(32, 32, 1), (256, 1, 1)>>> 0.1 ms",
        "run of (2026, 1, 31): 3.2 s",
    ] {
        let timed = match read_all("", line.as_bytes(), &ImportOptions::default()) {
            Ok(crate::Imported::Table(d)) => d.time_s.iter().any(|t| !t.is_nan()),
            _ => false,
        };
        assert!(!timed, "{line}");
    }
}

#[test]
fn thousands_and_decimal_commas_by_their_places() {
    let d = read(
        "| M | N | K | TFLOPS |\n|---|---|---|---|\n| 8192 | 8192 | 128 | 1,188 |\n| 8192 | 8192 | 256 | 952 |\n",
    );
    let rate = |r: usize| d.problem(r).work().0 / d.time_s[r] / 1e12;
    assert!((rate(0) - 1188.0).abs() < 1e-9 && (rate(1) - 952.0).abs() < 1e-9);
    let d = read(
        "| M | N | K | Zeit (ms) |\n|---|---|---|---|\n| 1.024 | 512 | 128 | 0,25 |\n| 2.048 | 512 | 128 | 1,5 |\n",
    );
    assert_eq!((d.m.clone(), d.time_s.clone()), (vec![1024, 2048], vec![0.25e-3, 1.5e-3]));
}

#[test]
fn cells_with_more_than_a_number() {
    let d = read(
        "| M | N | K | one (TFLOP/s) | two (TFLOP/s) |\n|---|---|---|---|---|\n\
         | 1024 | 1024 | 1024 | **310** | ~295 |\n\
         | 2048 | 1024 | 1024 | `320` | 305 (1.05x) |\n\
         | 4096 | 1024 | 1024 | OOM | 311 |\n",
    );
    assert_eq!(d.len(), 5);
    let rates: Vec<f64> =
        (0..5).map(|r| (d.problem(r).work().0 / d.time_s[r] / 1e12).round()).collect();
    assert_eq!(rates, [310.0, 295.0, 320.0, 305.0, 311.0]);
    assert_eq!(d.sources[0].rejected.total(), 1);
}

#[test]
fn facts_hold_for_their_section() {
    let d = read(
        "# Results\n\nM = 4096, bf16.\n\n## H100\n\n| N | K | lib (TFLOPS) |\n|---|---|---|\n| 512 | 1024 | 300 |\n\n\
         ## A100\n\n| N | K | lib (TFLOPS) |\n|---|---|---|\n| 512 | 1024 | 150 |\n",
    );
    assert_eq!(
        (d.m.clone(), d.n.clone(), d.k.clone()),
        (vec![4096; 2], vec![512; 2], vec![1024; 2])
    );
    let device = |r: usize| d.devices[usize::from(d.device[r])].as_str();
    assert_eq!([device(0), device(1)], ["H100", "A100"]);
    assert_eq!(d.problem(0).op.a, DataType::Bf16);
    assert!(asked(&d).is_empty(), "{:?}", asked(&d));
}

#[test]
fn a_time_of_several_calls_is_divided() {
    for (text, time) in [
        ("M,N,K,time of 100 iterations (ms)\n1024,1024,1024,2.0\n", 20e-6),
        ("M,N,K,total_ms,iters\n1024,1024,1024,2.0,100\n", 20e-6),
        (
            "M,N,K,Count,Duration(us),Percent\n1024,1024,1024,10,100,33.3\n2048,1024,1024,10,200,66.7\n",
            10e-6,
        ),
        ("gemm 1024x1024x1024 fp16: 10 x 100.0 us = 1000 us\n", 100e-6),
    ] {
        let d = read(text);
        assert!((d.time_s[0] / time - 1.0).abs() < 1e-9, "{text}: {}", d.time_s[0]);
    }
}

#[test]
fn a_bandwidth_is_no_time_and_a_quotient_no_side() {
    let d = read("M,N,K,one ms,one GB/s,two ms,two GB/s\n1024,4096,7168,0.142,1706,0.1,900\n");
    assert_eq!(d.len(), 2);
    assert!((d.time_s[0] / 0.142e-3 - 1.0).abs() < 1e-12 && d.time_s[1] == 0.1e-3);
    let d = read(
        "| M | N | K | one ms | two ms | gain |\n|---|---|---|---|---|---|\n\
         | 1024 | 1024 | 1024 | 0.2 | **0.1** | 2.0 |\n| 2048 | 1024 | 1024 | 0.3 | 0.2 | 1.5 |\n",
    );
    assert_eq!(d.len(), 4);
}

#[test]
fn a_unit_that_nothing_states_is_asked_and_taken() {
    let text = "| M | K | N | left | right |\n|---|---|---|---|---|\n\
        | 4096 | 5376 | 4096 | 17.5 | 18.8 |\n| 8192 | 14336 | 5376 | 18.7 | 18.9 |\n";
    let d = read(text);
    assert!(asked(&d).iter().any(|k| k.starts_with("unit:")), "{:?}", asked(&d));
    let mut options = ImportOptions::default();
    options.answers.insert("unit:left".to_owned(), "ms".to_owned());
    let d = read_with("", text, &options);
    assert_eq!(d.time_s[0], 17.5e-3);
    // If the unit is stated below the table, there is no question.
    let d = read(format!("{text}\n(TFLOP/s at the median.)\n"));
    assert!(!asked(&d).iter().any(|k| k.starts_with("unit")), "{:?}", asked(&d));
}

#[test]
fn one_size_is_square_by_a_word_else_asked() {
    let table = "|  N | lib (TFLOPS) |\n|---|---|\n| 1024 | **100** |\n| 2048 | 200 |\n";
    assert!(asked(&read(table)).contains(&"square"));
    let said = read(format!("Square matrices:\n\n{table}"));
    assert!(!asked(&said).contains(&"square"));
    assert_eq!((said.m[0], said.k[1]), (1024, 2048));
}

#[test]
fn a_refusal_says_what_is_missing() {
    let said = refused(
        "| Tokens seen | Time (us) | Speedup |\n|---|---|---|\n| 1 | 56.5 | 1.96x |\n| 2 | 60.1 | 1.7x |\n",
    );
    assert!(said.contains("no size") && said.contains("“Time (us)”"), "{said}");
}

#[test]
fn a_page_in_one_line_keeps_merged_cells_and_the_words_around_its_table() {
    let d = read(
        "<meta charset='utf-8'><style>table { M: 1 }</style><h3>GEMM on an H100 SXM</h3><p>bf16,&nbsp;median</p><table>\
         <tr><th rowspan=2>M</th><th rowspan=2>N</th><th rowspan=2>K</th><th colspan=2>time (&micro;s)</th></tr>\
         <tr><th>cuBLAS</th><th>ours</th></tr>\
         <tr><td rowspan=2>4096</td><td>4096</td><td>4096</td><td>200</td><td><b>190</b></td></tr>\
         <tr><td>8192</td><td>4096</td><td>400</td><td>370</td></tr></table><p>Higher is worse.</p>",
    );
    assert_eq!((d.len(), d.m[3], d.n[3]), (4, 4096, 8192));
    assert!((d.time_s[1] / 190e-6 - 1.0).abs() < 1e-12);
    assert_eq!(d.devices[usize::from(d.device[0])], "H100 SXM");
    assert!(asked(&d).is_empty(), "{:?}", asked(&d));
}

fn device(data: &Dataset, row: usize) -> &str {
    data.devices[usize::from(data.device[row])].as_str()
}

#[test]
fn a_column_of_cells_with_a_unit_is_a_side() {
    let d = read(
        "| Shape | eager | torch.compile |\n|---|---|---|\n\
         | M=8 N=512 K=256 bf16 | 9.5 us | 8.5 us |\n| M=64 N=512 K=1024 bf16 | 32.0 us | 29.5 us |\n",
    );
    assert_eq!((d.len(), d.time_s[1], d.k[3]), (4, 8.5e-6, 1024));
    assert_eq!([library(&d, 0), library(&d, 1)], ["eager", "torch.compile"]);
}

#[test]
fn a_remark_behind_the_unit_of_a_title_is_no_quotient() {
    let d = read(
        "| M | N | K | base (us) | ours (us, speedup) |\n|---|---|---|---|---|\n\
         | 8 | 512 | 256 | 14.0 | 10.0 (1.40x) |\n| 64 | 512 | 256 | 30.0 | 20.0 (1.50x) |\n",
    );
    assert_eq!((d.len(), library(&d, 1), d.time_s[3]), (4, "ours", 20e-6));
}

#[test]
fn a_size_or_a_device_in_a_title_is_of_its_column() {
    let d = read(
        "M=1 vs M=32 (N=K=2048, int8, L40S), times in us\n\n\
         | kernel | M=1 | M=32 |\n|---|---|---|\n| onelib | 80.0 | 90.5 |\n| twolib | 70.0 | 85.0 |\n",
    );
    assert_eq!((d.m.clone(), d.time_s[1], library(&d, 1)), (vec![1, 32, 1, 32], 90.5e-6, "onelib"));
    let d = read(
        "fp16, K=4096, times in us\n\n| M | up (N=8192) | down (N=2048) |\n|---|---|---|\n| 128 | 60.0 | 25.0 |\n",
    );
    assert_eq!((d.n.clone(), d.m.clone()), (vec![8192, 2048], vec![128; 2]));
    let d = read(
        "Times (us), N=K=4096, fp16\n\n| M | A100 SXM | MI300X |\n|---|---|---|\n| 128 | 24.0 | 19.0 |\n",
    );
    assert_eq!([device(&d, 0), device(&d, 1), library(&d, 0)], ["A100 SXM", "MI300X", ""]);
    let d = read(
        "M=N=K=8192\n\n| | bf16 | fp8 |\n|---|---|---|\n\
         | H100 SXM | 700 TFLOPS | 1300 TFLOPS |\n| MI300X | 580 TFLOPS | 1100 TFLOPS |\n",
    );
    assert_eq!([device(&d, 0), device(&d, 3)], ["H100 SXM", "MI300X"]);
}

#[test]
fn m_alone_is_never_squared() {
    for text in [
        "bf16, H200. K=4096.\n\n| M | us |\n|---|---|\n| 128 | 11.0 |\n| 2048 | 120.0 |\n",
        "| layer | weight | tokens | us |\n|---|---|---|---|\n| a | [1024, 512] | 128 | 41.0 |\n",
        "M,us\n128,11.0\n2048,120.0\n",
    ] {
        let said = refused(text);
        assert!(said.contains("N"), "{said}");
    }
}

#[test]
fn tokens_of_a_batch_of_sequences_are_m() {
    for names in ["B,L,d_model,d_ff", "batch,seqlen,hidden_size,intermediate"] {
        let d = read(format!(
            "{names},dtype,us\n8,512,4096,16384,bf16,3400\n2,256,1024,4096,bf16,30\n"
        ));
        let sizes = [d.m.clone(), d.n.clone(), d.k.clone(), d.batch.clone()];
        assert_eq!(sizes, [vec![4096, 512], vec![16384, 4096], vec![4096, 1024], vec![1; 2]]);
    }
    let d = read("N=512, K=256, fp16\n\n| batch tokens | lib (us) |\n|---|---|\n| 16 | 9.0 |\n");
    assert_eq!((d.m[0], d.n[0], d.k[0]), (16, 512, 256));
}

#[test]
fn types_of_weights_and_activations_are_the_two_operands() {
    let types = |d: &Dataset, row: usize| (d.problem(row).op.a, d.problem(row).op.b);
    let d = read("m,n,k,act_type,weight_type,us\n16,4096,4096,bf16,int4,9.0\n");
    assert_eq!(types(&d, 0), (DataType::Bf16, DataType::Int4));
    let d = read(
        "N=512, K=256, fp16\n\n| M | plain (us) | Marlin W4A16 (us) |\n|---|---|---|\n| 16 | 9.0 | 5.0 |\n",
    );
    assert_eq!(types(&d, 0), (DataType::Fp16, DataType::Fp16));
    assert_eq!(types(&d, 1), (DataType::Fp16, DataType::Int4));
    let d = read(
        "fp16, times in us\n\n| M | N | K | nn.Linear | FP6-LLM |\n|---|---|---|---|---|\n| 16 | 512 | 256 | 9.0 | 5.0 |\n",
    );
    assert_eq!(library(&d, 1), "FP6-LLM");
}

#[test]
fn a_title_spells_the_order_of_sizes() {
    let d = read(
        "bf16 on H100 SXM\n\n| MxKxN | us |\n|---|---|\n| 4096x2048x1024 | 45.5 |\n| 1024x28672x8192 | 890.0 |\n",
    );
    assert_eq!((d.m[0], d.k[0], d.n[0]), (4096, 2048, 1024));
    assert!(!asked(&d).contains(&"order"));
}

#[test]
fn a_time_beside_a_count_of_calls_is_asked() {
    let text = "shape (MxNxK),calls,time (ms)\n4096x4096x4096,1000,250.0\n2048x2048x2048,10,1.5\n";
    assert!(asked(&read(text)).contains(&"calls"));
    let mut options = ImportOptions::default();
    options.answers.insert("calls".to_owned(), "all calls".to_owned());
    assert!((read_with("", text, &options).time_s[0] / 250e-6 - 1.0).abs() < 1e-12);
    let total = text.replace("time (ms)", "total time (ms)");
    assert!(!asked(&read(total)).contains(&"calls"));
}

#[test]
fn other_operations_totals_and_row_numbers_are_no_sides() {
    let d = read(
        "| M | N | K | GEMM (us) | bias+gelu (us) | total (us) |\n|---|---|---|---|---|---|\n| 512 | 256 | 128 | 50.0 | 4.0 | 54.0 |\n",
    );
    assert_eq!((d.len(), d.time_s[0]), (1, 50e-6));
    let d = read(
        "| M | N | K | GEMM (us) | quantize (us) |\n|---|---|---|---|---|\n| 512 | 256 | 128 | 50.0 | 4.0 |\n",
    );
    assert_eq!((d.len(), d.time_s[0]), (1, 50e-6));
    let d = read(
        "case;m;n;k;speed\n1;4096;4096;4096;245,1\n2;8192;8192;8192;251,9\n3;512;4096;4096;180,4\n",
    );
    assert_eq!(d.len(), 3);
}

#[test]
fn a_product_in_prose_is_of_the_letters_beside_it() {
    for around in ["A weight of 6144x4096 (N x K), bf16.", "bf16, NxK = 6144 x 4096"] {
        let d =
            read(format!("{around}\n\n| M | time (us) |\n|---|---|\n| 1 | 9.1 |\n| 16 | 9.4 |\n"));
        assert_eq!((d.m[1], d.n[1], d.k[1]), (16, 6144, 4096), "{around}");
    }
    let d = read(
        "| tokens | weight [out, in] | bf16 time (us) |\n|---|---|---|\n| 16 | [6144, 4096] | 12.3 |\n\
         | 32 | [6144, 4096] | 13.3 |\n",
    );
    assert_eq!((d.m[1], d.n[1], d.k[1]), (32, 6144, 4096));
}

#[test]
fn a_matrix_of_sizes_has_a_row_for_each_cell() {
    for corner in ["N\\\\K", "N / K"] {
        let d = read(format!(
            "TFLOPS on H100, bf16, M=4096\n\n| {corner} | 1024 | 2048 |\n|---|---|---|\n| 512 | 310 | 420 |\n\
             | 4096 | 500 | 610 |\n"
        ));
        assert_eq!((d.len(), d.m[1], d.n[1], d.k[1]), (4, 4096, 512, 2048), "{corner}");
        let rate = d.problem(1).work().0 / d.time_s[1];
        assert!((rate / 420e12 - 1.0).abs() < 1e-9, "{rate}");
        assert!(d.sources[0].notes.iter().any(|n| n.contains("its rows are N and its titles K")));
    }
}

#[test]
fn eight_bits_are_of_two_kinds() {
    let table = "| M | N | K | W8A8 (us) | W8A8 torch (us) |\n|---|---|---|---|---|\n| 16 | 4096 | 4096 | 12.3 (1x) | 20 |\n";
    let d = read(table);
    assert!(
        d.sources[0].assumptions.iter().any(|a| a.key == "dtype" && a.text.contains("int8 or fp8"))
    );
    let d = read(format!("All types are fp8.\n\n{table}"));
    assert!(d.sources[0].assumptions.iter().all(|a| a.key != "dtype"));
}

#[test]
fn names_keep_their_kernel_and_lose_their_size() {
    let d = read(
        "M: 4096 N: 11008 K: 4096\n  cublas    : 0.512 ms\n  my_kernel : 0.634 ms (80.8%)\n\
         M: 4096 N: 4096 K: 11008\n  cublas    : 0.498 ms\n  my_kernel : 0.601 ms (82.9%)\n",
    );
    assert_eq!((d.len(), library(&d, 0), library(&d, 1)), (4, "cuBLAS", "my_kernel"));
    let d = read(
        "size=1024   time=0.0132 ms   TFLOPS=162.7\nsize=2048   time=0.0705 ms   TFLOPS=243.7\n",
    );
    assert_eq!((d.m[1], library(&d, 1)), (2048, ""));
}

#[test]
fn sizes_of_a_layer_and_of_a_matrix_of_named_sizes() {
    let d = read(
        "batch  seqlen  hidden  ffn    fwd(ms)  TFLOPs/s\n\
         1      2048    4096    16384  1.05     261.8\n\
         4      2048    4096    16384  3.92     280.5\n",
    );
    assert_eq!((d.m[1], d.n[1], d.k[1], d.time_s[1]), (8192, 16384, 4096, 3.92e-3));
    let d = read(
        "H100 SXM, FP8 rowwise, in TFLOPS (higher is better):\n\n\
         |          | K=2048 | K=4096 |\n|---|---|---|\n\
         | M=N=4096 | 812 | 1015 |\n| M=N=8192 | 1090 | 1180 |\n",
    );
    assert_eq!((d.len(), d.m[3], d.n[3], d.k[3]), (4, 8192, 8192, 4096));
    assert!((d.time_s[3] - 2.0 * 8192.0 * 8192.0 * 4096.0 / 1180e12).abs() < 1e-9);
}

#[test]
fn totals_beside_names_with_sizes_are_of_all_calls() {
    let d = read(
        "| Kernel | Count | Total duration (ms) |\n|---|---|---|\n\
         | MatMulNBits-1x4096x11008 | 64 | 16.4 |\n| MatMulNBits-1x4096x4096 | 64 | 12.8 |\n",
    );
    assert_eq!((d.len(), d.m[0], d.n[0], d.k[0]), (2, 1, 11008, 4096));
    assert!((d.time_s[0] - 16.4e-3 / 64.0).abs() < 1e-9);
}
