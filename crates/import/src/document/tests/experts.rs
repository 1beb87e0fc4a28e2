//! Tables of experts, in both dresses.

use super::asked;
use crate::ImportOptions;
use crate::testing::{read, read_with};
use gemmscope_table::dataset::Dataset;

/// The table as CSV, and as Markdown below a heading.
fn dresses(header: &str, rows: &[&str]) -> [String; 2] {
    let bars = |line: &str| format!("| {} |\n", line.replace(',', " | "));
    let rule = "|---".repeat(header.split(',').count());
    let csv = format!("{header}\n{}\n", rows.join("\n"));
    let body: String = rows.iter().map(|row| bars(row)).collect();
    [csv, format!("# Experts\n\n{}{rule}|\n{body}", bars(header))]
}

/// Sizes, groups and work of a row in GFLOP.
fn row(d: &Dataset, row: usize) -> (String, f64) {
    let p = d.problem(row);
    let groups = p.op.groups.map_or_else(String::new, |g| g.to_string());
    (format!("{}x{}x{} {groups}", p.m, p.n, p.k), p.work().0 / 1e9)
}

const LAYER: &str = "tokens,hidden_size,intermediate_size,num_experts,topk,dtype,time_us";

#[test]
fn rate_and_time_show_what_a_row_of_experts_is() {
    // 6, 4 and 2 t k I K: 64 tokens, 4096 x 14336, 2 of 8.
    for (tflops, expect, work) in [
        (90.194, "128x28672x4096 E=8 k=2 down=14336", 45.097),
        (60.130, "128x14336x4096 E=8 k=2 down=14336", 30.065),
        (30.065, "128x14336x4096 E=8 k=2", 15.032),
    ] {
        let rows = [format!("64,4096,14336,8,2,bf16,500,{tflops}")];
        for text in dresses(&format!("{LAYER},TFLOPS"), &rows.each_ref().map(String::as_str)) {
            let d = read(&text);
            let (shape, of) = row(&d, 0);
            assert_eq!((shape.as_str(), d.time_s[0]), (expect, 500e-6), "{text}");
            assert!((of - work).abs() < 1e-3, "{of}");
            assert!(!asked(&d).contains(&"experts"), "{text}");
        }
    }
    let rows = ["64,14336,4096,8,2,bf16,500,30.065", "64,14336,4096,8,2,bf16,250,60.13"];
    for text in dresses("M,N,K,E,top_k,dtype,us,TFLOP/s", &rows) {
        assert_eq!(row(&read(&text), 1).0, "128x14336x4096 E=8 k=2", "{text}");
    }
    let rows = ["128,14336,4096,8,2,bf16,500,30.065"];
    for text in dresses("M,N,K,E,top_k,dtype,us,TFLOP/s", &rows) {
        assert_eq!(row(&read(&text), 0).0, "128x14336x4096 E=8 k=2", "{text}");
    }
}

#[test]
fn without_a_rate_it_is_asked() {
    for text in dresses(LAYER, &["64,4096,14336,8,2,bf16,500", "128,4096,14336,8,2,bf16,620"]) {
        let d = read(&text);
        assert_eq!(row(&d, 1).0, "256x28672x4096 E=8 k=2 down=14336", "{text}");
        assert!(asked(&d).contains(&"experts"), "{text}");
        let mut options = ImportOptions::default();
        options.answers.insert("experts".to_owned(), "up and down".to_owned());
        assert_eq!(row(&read_with("", &text, &options), 1).0, "256x14336x4096 E=8 k=2 down=14336");
    }
}

#[test]
fn more_experts_a_token_than_there_are_is_no_row() {
    let d = read("M,N,K,E,topk,us\n64,4096,1024,8,2,50\n64,4096,1024,2,8,50\n");
    assert_eq!((d.len(), d.sources[0].rejected.total()), (1, 1));
}

#[test]
fn a_topk_without_experts_is_a_column_like_others() {
    let d = read("M,N,K,topk,us\n64,4096,1024,2,50\n");
    assert_eq!(row(&d, 0).0, "64x4096x1024 ");
    assert!(d.columns.iter().any(|c| c.label == "topk"));
}

#[test]
fn groups_are_gemms_or_divide_m() {
    let per_group = ["8,64,4096,7168,198", "8,16,4096,7168,104"];
    let within = ["8,512,4096,7168,198,151.85", "8,128,4096,7168,104,72.28"];
    let apart = ["8,64,4096,7168,198,151.85", "8,16,4096,7168,104,72.28"];
    for (header, rows, expect) in [
        ("num_groups,m_per_group,n,k,us", per_group, "8 x 64x4096x7168 "),
        ("groups,M,N,K,us,TFLOPS", within, "1 x 512x4096x7168 E=8 k=1"),
        ("groups,M,N,K,us,TFLOPS", apart, "8 x 64x4096x7168 "),
    ] {
        for text in dresses(header, &rows) {
            let d = read(&text);
            assert_eq!(format!("{} x {}", d.problem(0).batch, row(&d, 0).0), expect, "{text}");
            assert!(!asked(&d).contains(&"batch") || expect.contains('E'), "{text}");
        }
    }
    for text in dresses("groups,M,N,K,us", &["8,64,4096,7168,198", "4,16,4096,7168,104"]) {
        let d = read(&text);
        assert_eq!((d.problem(0).batch, asked(&d).contains(&"batch")), (8, true), "{text}");
    }
}
