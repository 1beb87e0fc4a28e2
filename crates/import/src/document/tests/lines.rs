//! Log lines, facts around tables, and the user's answers.

use super::{asked, library, refused};
use crate::ImportOptions;
use crate::testing::{read, read_with};
use gemmscope_model::dtype::DataType;
use gemmscope_table::dataset::Dataset;

fn answered(text: &str, key: &str, answer: &str) -> Dataset {
    let mut options = ImportOptions::default();
    options.answers.insert(key.to_owned(), answer.to_owned());
    read_with("", text, &options)
}

fn notes(d: &Dataset) -> String {
    d.sources[0].notes.join(" ")
}

fn is_near(a: f64, b: f64) -> bool {
    (a / b - 1.0).abs() < 1e-9
}

#[test]
fn an_answer_gives_the_sizes_that_were_assumed() {
    let text = "| N | lib (TFLOPS) |\n|---|---|\n| 1024 | **100** |\n| 2048 | 200 |\n";
    let d = answered(text, "square", "M: 16, K: 512");
    assert_eq!((d.m[0], d.n[1], d.k[1]), (16, 2048, 512));
    assert!(is_near(d.time_s[1], 2.0 * 16.0 * 2048.0 * 512.0 / 200e12));
    let d = answered(text, "square", "dunno");
    assert_eq!(d.m[0], 1024);
    assert!(notes(&d).contains("“dunno”"), "{}", notes(&d));
    let swept = "gemm-m-8192-k-4096\n\n| M | N | lib (us) |\n|---|---|---|\n| 16 | 512 | 20 |\n| 32 | 512 | 21 |\n";
    let swept = swept
        .replace("gemm-m-8192-k-4096", "matmul-m-8192-n-4096")
        .replace("| N ", "")
        .replace("| 512 ", "");
    let swept = swept.replace("|---|---|---|", "|---|---|");
    assert!(asked(&read(&swept)).contains(&"sizes"));
    let d = answered(&swept, "sizes", "K: 1024");
    assert_eq!((d.m[0], d.n[0], d.k[0]), (16, 4096, 1024));
}

#[test]
fn an_answer_says_how_many_calls_a_time_is_of() {
    // Rate times time is 8 times the work.
    let text = "bf16, H100\n\n| M | N | K | us | TFLOPS |\n|---|---|---|---|---|\n\
                | 1024 | 1024 | 1024 | 171.798692 | 100 |\n| 2048 | 1024 | 1024 | 343.597384 | 100 |\n";
    assert!(asked(&read(text)).contains(&"calls"));
    let d = answered(text, "calls", "8");
    assert!(is_near(d.time_s[0], 171.798692e-6 / 8.0));
}

#[test]
fn the_word_before_a_time_is_its_label() {
    let d = read(
        "m=4096 n=4096 k=4096\n  cublas: 10.412 ms (13.2 TFLOP/s)\n  mine: 12.382 ms (11.1 TFLOP/s)\n",
    );
    assert_eq!((d.len(), library(&d, 0), library(&d, 1)), (2, "cuBLAS", "mine"));
    let d = read(
        "m=512 n=4096 k=4096 cublas=81.2us triton=77.0us\nm=4096 n=4096 k=4096 cublas=580.3us triton=561.2us\n",
    );
    assert_eq!((d.len(), library(&d, 0), library(&d, 3)), (4, "cuBLAS", "Triton"));
    assert!(is_near(d.time_s[3], 561.2e-6));
}

#[test]
fn a_total_of_iterations_is_divided() {
    let d = read("M=4096 N=4096 K=4096 fp32: 100 iterations took 1586.2 ms\n");
    assert!(d.len() == 1 && is_near(d.time_s[0], 15.862e-3));
    let d = read("M=4096 N=4096 K=4096 fp32, 100 iterations\ntotal 1586.2 ms\n");
    assert!(d.len() == 1 && is_near(d.time_s[0], 15.862e-3));
    let d = read(
        "M = 4096, N = 4096, K = 4096, fp32, 100 iterations\ntotal 1586.2 ms\nper call 15.862 ms\n8.66 TFLOPS\n",
    );
    assert!(d.len() == 1 && is_near(d.time_s[0], 15.862e-3), "{:?}", d.time_s);
    assert_eq!(d.sources[0].reported_rate.compared, 1);
    let d = read("M=4096 N=4096 K=4096: avg over 100 iterations: 15.862 ms\n");
    assert!(is_near(d.time_s[0], 15.862e-3));
}

#[test]
fn the_unit_stands_behind_the_spread() {
    let d = read(
        "| M | N | K | baseline | optimized |\n|---|---|---|---|---|\n\
         | 512 | 512 | 512 | 12.1 ± 0.4 µs | 10.2 ± 0.1 µs |\n| 4096 | 4096 | 4096 | 2.11 ± 0.02 ms | 1.95 +/- 0.01 ms |\n",
    );
    assert_eq!(d.len(), 4);
    assert!(is_near(d.time_s[0], 12.1e-6) && is_near(d.time_s[3], 1.95e-3), "{:?}", d.time_s);
    assert!(!asked(&d).iter().any(|k| k.starts_with("unit")), "{:?}", asked(&d));
}

#[test]
fn groups_above_a_printed_header_name_its_columns() {
    let rows = " 4096   4096   4096   224.6   612.0   237.0   580.0\n 8192   8192   8192  1678.6   655.0  1829.5   601.0\n";
    let header = "    M      N      K      us  TFLOPS      us  TFLOPS\n";
    for groups in [
        "                    cuBLAS              Triton\n",
        "                     --- cuBLAS ---  --- Triton ---\n",
    ] {
        let d = read(format!("{groups}{header}{rows}"));
        assert_eq!((d.len(), library(&d, 0), library(&d, 3)), (4, "cuBLAS", "Triton"));
        assert!(is_near(d.time_s[3], 1829.5e-6));
        assert_eq!(d.sources[0].rejected.total(), 0);
    }
}

#[test]
fn a_caption_is_a_fact() {
    let rows = "<tr><th>M</th><th>N</th><th>K</th><th>hipBLASLt</th></tr>\n\
                <tr><td>2048</td><td>8192</td><td>8192</td><td>0.231</td></tr>\n\
                <tr><td>4096</td><td>8192</td><td>8192</td><td>0.402</td></tr>\n</table>\n";
    for text in [
        format!("<p>bf16, MI355X</p>\n<table><caption>All times in ms</caption>\n{rows}"),
        format!(
            "<p>bf16, MI355X</p><table><caption>All times in ms</caption>{}",
            rows.replace('\n', "")
        ),
        format!("bf16, MI355X\n\n<table>\n<caption>All times in ms</caption>\n{rows}"),
    ] {
        let d = read(&text);
        assert!(is_near(d.time_s[0], 0.231e-3));
        assert!(asked(&d).is_empty(), "{text}: {:?}", asked(&d));
        assert_eq!(d.devices[usize::from(d.device[0])], "MI355X");
    }
}

#[test]
fn a_type_before_a_unit_is_no_figure() {
    let d = read(
        "bf16 TFLOPS on the MI300X:\n\n| M | N | K | hipBLASLt |\n|---|---|---|---|\n| 4096 | 4096 | 4096 | 512 |\n| 8192 | 4096 | 4096 | 555 |\n",
    );
    assert!(asked(&d).is_empty(), "{:?}", asked(&d));
}

#[test]
fn two_devices_in_one_line_are_both_named() {
    let d = read(
        "Compared with H100 the MI300X is slow, bf16, in TFLOPS.\n\n\
         | M | N | K | hipBLASLt |\n|---|---|---|---|\n| 4096 | 4096 | 4096 | 512 |\n| 8192 | 4096 | 4096 | 555 |\n",
    );
    assert_eq!(d.devices[usize::from(d.device[0])], "");
    let all = format!("{} {:?}", notes(&d), d.sources[0].assumptions);
    assert!(all.contains("H100") && all.contains("MI300X"), "{all}");
}

#[test]
fn a_device_in_a_line_is_its_own() {
    let d = read("Baseline (M=4096, N=4096, K=4096, fp16, A100): 561.0 us\n");
    assert_eq!(d.devices[usize::from(d.device[0])], "A100");
    assert!(!asked(&d).contains(&"device"), "{:?}", asked(&d));
    let d = read("A100: M=4096, N=4096, K=4096, fp16: 561.0 us\n");
    assert_eq!((d.devices[usize::from(d.device[0])].as_str(), library(&d, 0)), ("A100", ""));
}

#[test]
fn a_sentence_with_sizes_is_no_row() {
    refused("Just a note that the new M=4096 N=4096 K=4096 config regressed, see #123.\n");
}

#[test]
fn a_cube_states_three_sizes() {
    let d = read(
        "4096^3 fp16, RTX 4090\n\n| BLOCK_SIZE_M | BLOCK_SIZE_N | num_warps | TFLOPS |\n|---|---|---|---|\n\
         | 128 | 128 | 4 | 151.2 |\n| 128 | 256 | 8 | 160.4 |\n",
    );
    assert_eq!((d.len(), d.m[1], d.k[0]), (2, 4096, 4096));
    assert_eq!(d.problem(0).op.a, DataType::Fp16);
}

fn types(d: &Dataset) -> Vec<DataType> {
    (0..d.len()).map(|row| d.problem(row).op.a).collect()
}

/// Lines as of a benchmark that prints the baseline with its type and the low-precision run without one.
fn of_two_types(above: &str, shares: [&str; 2]) -> String {
    format!(
        "{above}M, K, N: 1024 1024 1024 tops: 2.15E+09\n\
         torch.bfloat16 time_sec 5.08E-06, tops/sec 4.23E+14, pct_peak {}\n\
         time_sec 5.87E-06, tops/sec 3.66E+14, pct_peak {}\n",
        shares[0], shares[1]
    )
}

#[test]
fn a_recipe_and_the_share_of_a_stated_peak_give_the_type_of_lines_without_one() {
    use DataType::{Bf16, Fp8E4m3, MxFp8, NvFp4};
    let peaks = "gpu_name: NVIDIA B200\npeak tops: bf16 2.25e+15, fp8 4.50e+15, fp4 9.00e+15\n";
    for (recipe, share, dtype) in [
        ("\"nvfp4\"", "0.041", NvFp4),
        ("rowwise", "0.081", Fp8E4m3),
        ("mxfp8_cublas", "0.081", MxFp8),
    ] {
        let run = format!("$ python bench.py --recipe {recipe}\n{peaks}");
        let d = read(of_two_types(&run, ["0.188", share]));
        assert_eq!(types(&d), [Bf16, dtype], "{recipe}");
        assert!(!asked(&d).contains(&"dtype"), "{:?}", asked(&d));
        assert!(notes(&d).contains("the recipe of line 1"), "{}", notes(&d));
    }
    // The recipe alone, and the share alone, in percent and of a rate in another unit.
    let d = read(of_two_types("$ python bench.py --recipe nvfp4\n", ["0.188", "0.041"]));
    assert_eq!(types(&d), [Bf16, NvFp4]);
    for share in ["0.081", "8.13"] {
        let text = of_two_types(peaks, ["0.188", share]);
        let d = read(&text);
        assert_eq!(
            (types(&d), asked(&d).contains(&"dtype")),
            (vec![Bf16, Fp8E4m3], true),
            "{share}"
        );
        // The answer is for the lines without a type.
        assert_eq!(types(&answered(&text, "dtype", "mx_fp8")), [Bf16, MxFp8]);
    }
}

#[test]
fn lines_without_a_type_are_not_of_the_type_that_others_name() {
    let text = of_two_types("types: bf16, fp8\n", ["0.188", "0.041"]);
    let d = read(text);
    assert_eq!(types(&d), [DataType::Bf16, DataType::Fp8E4m3]);
    let question = d.sources[0].assumptions.iter().find(|a| a.key == "dtype").unwrap();
    assert_eq!(question.choices[..2], ["fp8_e4m3", "bf16"]);
}

#[test]
fn a_line_with_the_time_of_all_calls_counts_them() {
    let d = read(
        "gemm 1024x1024x1024 fp16: 10 x 100.0 us = 1000 us (21.47 TFLOPS)\n\
                  gemm 2048x1024x1024 fp16: 10 x 200.0 us = 2000 us (21.47 TFLOPS)\n",
    );
    assert!(is_near(d.time_s[0], 100e-6) && d.count(0) == 10.0, "{} {}", d.time_s[0], d.count(0));
}
