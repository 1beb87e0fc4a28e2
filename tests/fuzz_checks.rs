//! The checks of the fuzz targets beyond the readers, on a stable toolchain: over fixtures, seeded
//! damages of them, and every input that a fuzzer found a fault with.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on says where")]

#[path = "../fuzz/checks.rs"]
mod checks;
#[path = "../fuzz/exercise.rs"]
mod exercise;

use std::path::Path;

type Check = fn(&[u8]);

const CHECKS: [(&str, Check); 11] = [
    ("workbook", checks::workbook),
    ("archive", checks::archive),
    ("gzip", checks::gzip),
    ("link", checks::link),
    ("message", checks::message),
    ("description", checks::description),
    ("names", checks::names),
    ("answers", checks::answers),
    ("transfer", checks::transfer),
    ("files", checks::files),
    ("outputs", checks::outputs),
];

/// Inputs that made a check fail once.
const FOUND: [(&str, &[u8]); 0] = [];

const TABLE: &str = "M,N,K,dtype,layout,kernel,device,time_us,TFLOPS\n\
                     4096,4096,4096,fp16,NT,k128x128x64,H100,200,687\n1,4096,4096,fp8,NN,k64x64,,9.5,3\n\
                     1,1,1,bf16,TT,=k,x\u{202e},1e-1,0\n4294967295,1,1,int8,TN,k,gfx942,4e8,\n0,1,1,fp16,,,,1,\n";

fn seeds(check: &str) -> Vec<Vec<u8>> {
    let start = |bytes: &[u8]| [bytes, TABLE.as_bytes()].concat();
    match check {
        "workbook" => vec![
            b"\x02<si><t>M</t></si><si><t>N</t></si>\0<row><c t=\"s\"><v>0</v></c><c r=\"C1\" t=\"s\"><v>1</v></c></row>".to_vec(),
            b"\x40\0M N K time_us\n1 2 3 4\n5 6 7 8\0a b\n".to_vec(),
        ],
        "archive" => vec![checks::zip(&[("xl/workbook.xml".to_owned(), b"<workbook/>".to_vec())])[4..].to_vec()],
        "link" | "message" => vec![
            b"v=1&view=roofline&f.dtype=fp16&r.m=1..64&q=k&only=x*0.2-9&x=1".to_vec(),
            br#"{"type":"view","id":1,"set":{"view":"table","hash":"v=1&view=table"}}"#.to_vec(),
            br#"{"type":"load","id":2,"name":"a.csv"}"#.to_vec(),
            b"[{\"name\":\"a\",\"size\":3}]\nabc".to_vec(),
        ],
        "description" => vec![
            br#"{"hidden_size":4096,"num_hidden_layers":2,"num_attention_heads":32,"intermediate_size":11008,"vocab_size":32000}"#.to_vec(),
            br#"{"name":"x","memory_bytes_per_s":1e12,"peaks":[{"dtype":"fp16","flops_per_s":1e14}]}"#.to_vec(),
        ],
        "names" => vec![
            b"Cijk_Ailk_Bljk_BBS_BH_MT256x128x64_MI16x16x1_GSU1_ISA942 NVIDIA H100 PCIe time (us) GB/s".to_vec(),
            [1e-300f64, 1e300, -0.0, f64::NAN, 999.96, f64::INFINITY, 5e-324, 1e15]
                .iter()
                .flat_map(|v| v.to_le_bytes())
                .collect(),
        ],
        "answers" => vec![start(br#"{"columns":{"time_us":"time:ms"},"answers":{"dtype":"bf16"}}"#.as_slice())]
            .into_iter()
            .map(|mut v| {
                let at = v.iter().position(|b| *b == b'M').unwrap();
                v.insert(at, 0);
                v
            })
            .collect(),
        "files" => vec![
            [TABLE.as_bytes(), TABLE.as_bytes()].join(&0),
            [TABLE.as_bytes(), br#"{"platform":"MI300X","gpu_utilization":{"total_time_ms":4.0}}"#].join(&0),
        ],
        _ => vec![start(b"\x01\x00"), start(b"\x07\x21")],
    }
}

fn fixtures() -> Vec<Vec<u8>> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures");
    let mut out = Vec::new();
    for folder in std::fs::read_dir(root).unwrap() {
        let folder = folder.unwrap().path();
        if !folder.is_dir() {
            continue;
        }
        let mut files = std::fs::read_dir(&folder)
            .unwrap()
            .map(|f| f.unwrap().path());
        if let Some(file) = files.find(|f| f.is_file()) {
            out.push(std::fs::read(file).unwrap());
        }
    }
    assert!(out.len() > 20);
    out
}

#[test]
fn checks_hold_for_seeds_and_their_damages() {
    let mut random = 0x9e37_79b9_7f4a_7c15u64;
    let mut below = |n: usize| {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        (random % n.max(1) as u64) as usize
    };
    for (name, check) in CHECKS {
        for seed in seeds(name) {
            check(&seed);
            for _ in 0..30 {
                let mut bad = seed.clone();
                for _ in 0..=below(3) {
                    let at = below(bad.len());
                    match below(3) {
                        0 => bad[at] = below(256) as u8,
                        1 => bad.truncate(at.max(2)),
                        _ => bad.insert(at, b"0,\n\"'-=<&\xff"[below(10)]),
                    }
                }
                check(&bad);
            }
        }
    }
}

#[test]
fn checks_hold_for_fixtures() {
    for file in fixtures() {
        for check in [checks::transfer, checks::outputs, checks::gzip] {
            check(&[b"\x00\x00", file.as_slice()].concat());
        }
        checks::files(&file);
    }
}

#[test]
fn what_a_fuzzer_found_stays_mended() {
    for (name, bytes) in FOUND {
        let check = CHECKS.iter().find(|c| c.0 == name).unwrap().1;
        check(bytes);
    }
}
