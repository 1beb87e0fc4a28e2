//! Concatenated tables, and headers with a repeated column name.

use crate::testing::read;
use gemmscope_table::dataset::Dataset;

fn set_aside(data: &Dataset) -> Vec<(String, u64)> {
    let reasons = data.sources[0].rejected.reasons.iter();
    reasons.map(|r| (r.text.clone(), r.count)).collect()
}

fn has_note(data: &Dataset, part: &str) -> bool {
    data.sources[0].notes.iter().any(|n| n.contains(part))
}

#[test]
fn rows_far_below_the_head_under_another_header_are_set_aside() {
    for (first, row, second, below) in [
        (
            "M,N,K,dtype,time_us",
            "4096,4096,4096,bf16,900",
            "M,N,K,dtype,time_ms",
            "4096,4096,2048,bf16,450",
        ),
        (
            "M,N,K,dtype,tflops",
            "4096,4096,4096,bf16,150",
            "M,N,K,dtype,time_us",
            "4096,4096,2048,bf16,450",
        ),
        (
            "M,N,K,dtype,time_us",
            "4096,4096,4096,bf16,900",
            "N,M,K,dtype,time_us",
            "128,8192,4096,bf16,300",
        ),
        ("M,N,K,time_us", "4096,4096,4096,900", "B,M,N,K,time_us", "8,4096,4096,2048,450"),
        (
            "M,N,K,time_us",
            "4096,4096,4096,900",
            "\"M\",\"N\",\"K\",\"time (ns)\"",
            "4096,4096,2048,450",
        ),
        // A tool's own format.
        (
            "provider,M,N,K,dtype,time_us",
            "a,4096,4096,4096,bf16,900",
            "provider,N,M,K,dtype,time_us",
            "a,1,2,3,bf16,4",
        ),
        (
            "M,N,K,cuBLAS,Triton",
            "4096.0,4096.0,4096.0,218.3,209.9",
            "N,M,K,cuBLAS,Triton",
            "128.0,64.0,4096.0,2.3,2.9",
        ),
    ] {
        let once = format!("{first}\n{row}\n");
        let rows = read(&once).len();
        // Within the head it would be another table of a document.
        let rows_before = 200;
        let before = format!("{row}\n").repeat(rows_before);
        let line = rows_before + 2;
        for end in ["", "\n\n"] {
            let text =
                format!("{first}\n{before}{end}{second}\n{below}\n{below}\n{first}\n{row}\n");
            let line = line + end.len();
            let data = read(&text);
            assert_eq!(data.len(), (rows_before + 1) * rows, "{text}");
            let reason = format!("another header begins in line {line}");
            assert_eq!(set_aside(&data), [(reason, 2)], "{text}");
            assert!(has_note(&data, &format!("in line {line}")), "{:?}", data.sources[0].notes);
            assert!(data.time_s.iter().all(|t| *t == data.time_s[0] || rows > 1));
        }
    }
}

#[test]
fn another_header_in_the_head_maps_anew() {
    let data = read(
        "M,N,K,dtype,time_us\n4096,4096,4096,bf16,900\nM,N,K,dtype,time_ms\n4096,4096,2048,bf16,450\n",
    );
    assert_eq!(data.time_s, [900e-6, 450e-3]);
    let data = read("M,N,K,tflops\n4096,4096,4096,150\n\nN,M,K,time_us\n128,8192,4096,300\n");
    assert_eq!((data.m[1], data.n[1], data.time_s[1]), (8192, 128, 300e-6));
}

#[test]
fn the_same_header_again_is_no_row_wherever_it_is() {
    for (header, row) in [
        ("M,N,K,dtype,time_us", "4096,4096,4096,bf16,900"),
        ("M,N,K,time", "4096,4096,4096,900"),
        ("M,N,K,cuBLAS,Triton", "4096.0,4096.0,4096.0,218.3,209.9"),
        ("provider,M,N,K,dtype,time_us", "a,4096,4096,4096,bf16,900"),
    ] {
        let once = read(format!("{header}\n{row}\n"));
        for again in [
            header.to_owned(),
            format!("{header},"),
            format!("\u{feff}{header}"),
            header.to_uppercase(),
        ] {
            let twice = read(format!("{header}\n{row}\n{again}\n{row}\n"));
            assert_eq!(twice.len(), 2 * once.len(), "{again}");
            assert_eq!(twice.time_s[..once.len()], once.time_s, "{again}");
            assert_eq!(twice.time_s[once.len()..], once.time_s, "{again}");
            assert_eq!(twice.sources[0].format, once.sources[0].format);
            assert_eq!(twice.sources[0].rejected.total(), 0, "{again}");
        }
    }
}

#[test]
fn a_damaged_row_is_no_header() {
    let data = read(
        "M,N,K,dtype,time_us\n1,2,3,bf16,4\nn/a,n/a,n/a,bf16,failed\nx,y,z,w,v\n1,2,3,bf16,5\n",
    );
    assert_eq!((data.len(), data.sources[0].rejected.total()), (2, 2));
}

#[test]
fn columns_that_are_there_twice_are_said() {
    let said = [
        ("M,M,N,K,time_us\n64,128,32,16,5\n", "“M” and “M (2)”"),
        ("M,N,K,time_us,time_ms\n64,32,16,8,100\n", "“time_us” and “time_ms”"),
        ("provider,M,M,N,K,dtype,time_us\na,64,128,32,16,bf16,5\n", "“M”"),
    ];
    for (text, names) in said {
        let data = read(text);
        assert!(has_note(&data, names), "{text}: {:?}", data.sources[0].notes);
        assert_eq!(data.m, [64]);
    }
    // Two columns with the same time name are two measurements per line.
    let data = read("M,N,K,time_us,time_us\n64,32,16,8,9\n");
    assert!(has_note(&data, "“time_us”), 2 (“time_us (2)”"), "{:?}", data.sources[0].notes);
    assert_eq!(data.time_s, [8e-6, 9e-6]);
    for text in
        ["M,N,K,time_us,time_ms\n64,32,16,8,0.008\n", "M,N,K,time_us,note,note\n64,32,16,8,a,b\n"]
    {
        let data = read(text);
        assert!(!has_note(&data, "first counts"), "{text}: {:?}", data.sources[0].notes);
    }
}
