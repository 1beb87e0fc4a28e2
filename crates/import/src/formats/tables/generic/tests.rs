//! The generic reader on small tables.

mod batch;

use super::*;
use crate::testing::{read, read_with};
use crate::{Imported, read_all};
use gemmscope_model::dtype::DataType;
use gemmscope_table::dataset::{Assumption, ColumnMeaning};
use gemmscope_table::dataset::{ColumnData, Dataset};

fn assumed<'a>(d: &'a Dataset, key: &str) -> &'a Assumption {
    d.sources[0]
        .assumptions
        .iter()
        .find(|a| a.key == key)
        .unwrap_or_else(|| panic!("{:?}", d.sources[0].assumptions))
}

#[test]
fn the_plain_case() {
    let d = read(
        "model,kernel,dtype,batch,M,N,K,transA,transB,time_us\n\
         llama,k1,bf16,2,64,128,256,N,T,12.5\n",
    );
    assert_eq!((d.m[0], d.n[0], d.k[0], d.batch[0]), (64, 128, 256, 2));
    assert_eq!(d.time_s[0], 12.5e-6);
    assert_eq!(d.problem(0).op.layout(), "NT");
    assert_eq!(d.problem(0).op.a, DataType::Bf16);
    assert_eq!(d.text(ColumnMeaning::Model, 0), "llama");
    assert_eq!(d.text(ColumnMeaning::Kernel, 0), "k1");
    // The layout convention is a question.
    let questions: Vec<&str> = d.sources[0].assumptions.iter().map(|a| a.key.as_str()).collect();
    assert_eq!(questions, ["batch", "layout"]);
    assert_eq!(d.line, [2]);
}

#[test]
fn a_last_line_that_ends_early_is_said() {
    let note = |d: &Dataset| d.sources[0].notes.iter().any(|n| n.contains("may have been cut off"));
    let reasons = |d: &Dataset| {
        let all = d.sources[0].rejected.reasons.iter();
        all.map(|r| r.text.clone()).collect::<Vec<_>>()
    };
    // The full time was 4000; the truncated one is a number too.
    for table in [
        "M,N,K,time_us,note\n4096,4096,4096,900,first\n4096,4096,2048,400",
        "M;N;K;time_us;note\n4096;4096;4096;900;first\n4096;4096;2048;400",
        "M,N,K,time_us,note\r\n4096,4096,4096,900,first\r\n4096,4096,2048,400",
        "M,N,K,time_us,\"a, b\"\n4096,4096,4096,900,\"x\"\n4096,4096,2048,400",
    ] {
        let d = read(table);
        assert_eq!(
            (d.len(), note(&d), reasons(&d)),
            (1, true, vec!["row is cut off".to_owned()]),
            "{table}"
        );
        // With a line end it is a short row rather than a truncated one.
        let d = read(format!("{table}\n"));
        assert_eq!((d.len(), note(&d)), (2, false), "{table}");
    }
    // If other rows are as short, it may be complete.
    let d = read("M,N,K,time_us,note\n4096,4096,4096,900\n4096,4096,2048,400");
    assert_eq!((d.len(), note(&d)), (2, true));
    let d = read("M,N,K,time_us\n4096,4096,4096,900\n4096,40");
    assert_eq!((d.len(), note(&d)), (1, true));
    let d = read("M,N,K,time_us\n4096,4096,4096,900\n4096,4096,2048,400");
    assert_eq!((d.len(), note(&d)), (2, false));
}

#[test]
fn units_from_rates_or_from_what_devices_can_do() {
    let d = read("M,N,K,Runtime,GFLOPS\n4096,4096,4096,0.69,199190\n");
    assert_eq!(d.time_s[0], 0.69e-3);
    let said = "“Runtime” is in ms: rate times time is the work.";
    assert!(d.sources[0].notes.iter().any(|n| n == said), "{:?}", d.sources[0].notes);
    let d = read("M,N,K,time\n4096,4096,4096,690\n8192,8192,8192,5500\n");
    assert!((d.time_s[0] - 690e-6).abs() < 1e-12);
    assert_eq!(assumed(&d, "unit:time").choices, ["µs", "ms", "s", "ns"]);
    let mut o = ImportOptions::default();
    o.answers.insert("unit:time".into(), "ms".into());
    let d = read_with("", "M,N,K,time\n4096,4096,4096,690\n", &o);
    assert!((d.time_s[0] - 0.69).abs() < 1e-12);
    let d = read("M;N;K;perf\n4096;4096;4096;199,5\n");
    assert!((d.time_s[0] - 137438953472.0 / 199.5e12).abs() < 1e-12);
    assert_eq!(d.sources[0].reported_rate.compared, 0);
}

#[test]
fn a_header_that_its_values_contradict_is_corrected_and_said() {
    // Milliseconds titled µs would mean 137 PFLOP/s in the first row.
    let d = read("M,N,K,time_us\n8192,8192,8192,8\n4096,4096,4096,0.9\n");
    assert!((d.time_s[0] - 8e-3).abs() < 1e-12);
    assert!(assumed(&d, "unit:time_us").text.contains("no device is that fast"));
    // Rejected rows do not influence the unit, and rows too fast for any device are rejected.
    for file in [
        "M,N,K,dtype,time_us,status\n4096,4096,4096,bf16,900,ok\n4096,4096,2048,bf16,1,failed\n4096,4096,1024,bf16,1,failed\n",
        "M,N,K,dtype,latency_us\n4096,4096,4096,bf16,900\n4096,4096,2048,bf16,0.01\n4096,4096,1024,bf16,0.01\n",
        "M,N,K,dtype,time_us\n4096,4096,4096,bf16,900\n4096,4096,2048,no type,1\n4096,4096,1024,no type,1\n",
        "M,N,K,time_us,correct\n4096,4096,4096,0.5,False\n4096,4096,4096,900,True\n4096,4096,4096,0.5,False\n",
    ] {
        let d = read(file);
        assert_eq!((d.len(), d.time_s[0]), (1, 900e-6), "{file}");
        assert_eq!(d.sources[0].rejected.total(), 2, "{file}");
        assert!(d.sources[0].assumptions.iter().all(|a| !a.key.starts_with("unit")), "{file}");
    }
    // The same without a unit in the title.
    let d = read("M,N,K,time,status\n4096,4096,4096,900,ok\n4096,4096,2048,0.001,failed\n");
    assert_eq!((d.len(), d.time_s[0]), (1, 900e-6));
    // Other rows are plausible, or a rate confirms the unit of the header.
    for file in [
        "M,N,K,time_us\n4096,4096,4096,250\n2048,2048,2048,0.001\n512,512,512,12\n",
        "M,N,K,time_us,tflops\n4096,4096,4096,250,549.7\n2048,2048,2048,0.001,17000\n\
         8192,8192,8192,0.001,1\n",
    ] {
        let d = read(file);
        assert!((d.time_s[0] - 250e-6).abs() < 1e-12);
        assert!(d.sources[0].rejected.total() > 0);
    }
    // The header may be right and the rates wrong, so both are shown.
    let d = read("M,N,K,time_us,tflops\n512,512,512,800,0.000335\n256,256,256,100,0.000336\n");
    assert!((d.time_s[0] - 800e-6).abs() < 1e-12);
    assert!(assumed(&d, "unit:time_us").text.contains("the rates in the file fit ms"));
    let mut o = ImportOptions::default();
    o.columns.insert("time_us".into(), "time:us".into());
    let d = read_with("", "M,N,K,time_us\n8192,8192,8192,90\n64,64,64,1\n", &o);
    assert_eq!(d.time_s[0], 90e-6);
}

#[test]
fn the_kernel_names_the_type_where_no_column_does() {
    let d = read(
        "kernel,M,N,K,us\n\
         \"cutlass::Kernel<cutlass::half_t, float>\",512,512,512,20\n\
         gemm_fp8_e4m3_tn,512,512,512,10\n\
         Cijk_Alik_Bljk_BBS_BH_MT128x128x64,512,512,512,15\n",
    );
    let types: Vec<DataType> = (0..3).map(|r| d.problem(r).op.a).collect();
    assert_eq!(types, [DataType::Fp16, DataType::Fp8E4m3, DataType::Bf16]);
    assert!(d.sources[0].assumptions.is_empty());
}

#[test]
fn placeholders_are_no_measurements() {
    let d =
        read("M,N,K,dtype,time_us,tflops\n512,512,512,fp16,1.0,0.0\n512,512,512,fp16,10,26.8\n");
    assert_eq!(
        (d.len(), d.sources[0].rejected.reasons[0].text.as_str()),
        (1, "a placeholder: 1 µs beside a rate of 0")
    );
    // Thirty times the peak of this device, though less than that of others.
    let d = read(
        "M,N,K,dtype,device,time_us\n4096,4096,4096,fp16,NVIDIA L4,8\n4096,4096,4096,fp16,NVIDIA L4,1300\n64,64,64,fp16,,5\n",
    );
    assert_eq!(d.len(), 2);
    assert!(d.sources[0].rejected.reasons[0].text.starts_with("over ten times the highest peak"));
    let d = read("M,N,K,dtype,time_s\n64,64,64,fp16,1e300\n64,64,64,fp16,1e15\n");
    assert_eq!(
        (d.len(), d.sources[0].rejected.reasons[0].text.as_str()),
        (1, "over 30 million years: the time has another unit")
    );
}

#[test]
fn flop_counts_are_no_rates() {
    let d = read("M,N,K,GFLOPS,time_us\n1000,1000,1000,2,10\n10,10,10,0.000002,3\n");
    assert!(d.column(ColumnMeaning::ReportedRate).is_none());
    assert_eq!(d.number(ColumnMeaning::ReportedWork, 0), 2e9);
}

#[test]
fn a_and_b_mean_what_their_values_say() {
    let d = read("M,N,K,A,B,us\n1,2,3,N,T,4\n");
    assert_eq!(d.problem(0).op.layout(), "NT");
    let d = read("m,n,k,A,B,C,ms\n1,2,3,f16:column,f16:row,f32:column,4\n");
    let op = d.problem(0).op;
    assert_eq!((op.layout(), op.a, op.c), ("NT", DataType::Fp16, DataType::Fp32));
    let d = read("B,M,N,K,us\n7,1,2,3,4\n");
    assert_eq!(d.batch[0], 7);
}

#[test]
fn sizes_in_one_cell_and_squares() {
    let d = read("shape,latency_ms\n4096x2048x1024,1\n\"(1, 2, 3)\",2\n");
    assert_eq!((d.m[0], d.n[0], d.k[0], d.k[1]), (4096, 2048, 1024, 3));
    let d = read("m_k_n,us\n8_16_32,1\n");
    assert_eq!((d.m[0], d.n[0], d.k[0]), (8, 32, 16));
    let d = read("n,gflops\n1024,900\n2048,950\n");
    assert_eq!((d.m[1], d.n[1], d.k[1]), (2048, 2048, 2048));
    assert_eq!(assumed(&d, "square").value, "square");
    let mut o = ImportOptions::default();
    o.answers.insert("square".into(), "M: 16, K: 512".into());
    let d = read_with("", "n,us\n1024,900\n2048,950\n", &o);
    assert_eq!((d.m[1], d.n[1], d.k[1]), (16, 2048, 512));
}

#[test]
fn preamble_repeated_header_comments_and_summary_rows() {
    let d = read(
        "my benchmark\n# GPU: NVIDIA H100 SXM\n\nM,N,K,us\n1,2,3,4\nM,N,K,us\n# note\n5,6,7,8\naverage,,,6\n",
    );
    assert_eq!(d.line, [5, 8]);
    let s = &d.sources[0];
    assert_eq!(s.rejected.total(), 1);
    assert_eq!(s.rejected.reasons[0].text, "M is not a number");
    assert!(s.notes.iter().any(|n| n.contains("1 repeated header")), "{:?}", s.notes);
    assert!(d.devices.iter().any(|n| n == "NVIDIA H100 SXM"), "{:?}", s.notes);
}

#[test]
fn a_printed_table_with_an_index() {
    let d = read(
        "        m       n       k   time_us\n0    8.0   576.0  7168.0    61.0\n1   16.0   576.0  7168.0    62.5\n",
    );
    assert_eq!((d.m[1], d.n[1], d.k[1]), (16, 576, 7168));
    assert_eq!(d.time_s[1], 62.5e-6);
}

#[test]
fn devices_of_tuning_files_and_of_names() {
    let d = read("gfx,cu_num,M,N,K,us\ngfx942,304,1,2,3,4\ngfx942,80,1,2,3,4\n");
    assert_eq!(d.devices, ["", "gfx942:304", "gfx942:80"]);
    let d = read_with("gemm_bf16_h200.csv", "M,N,K,us\n1,2,3,4\n", &ImportOptions::default());
    assert_eq!(d.problem(0).op.a, DataType::Bf16);
    assert!(d.devices[1].contains("H200"), "{:?}", d.devices);
    assert!(!assumed(&d, "device").value.is_empty());
}

#[test]
fn missing_k_asks_for_a_mapping_and_takes_it() {
    let text = "M,N,inner_size,us\n1,2,3,4\n";
    let e = read_all("x.csv", text.as_bytes(), &ImportOptions::default()).unwrap_err();
    assert_eq!(e.kind, ErrorKind::NeedsMapping);
    assert!(e.message.contains("K") && e.message.contains("inner_size"), "{e}");
    let mut o = ImportOptions::default();
    o.columns.insert("inner_size".into(), "k".into());
    let d = read_with("", text, &o);
    assert_eq!(d.k[0], 3);
    // without a header the form numbers the columns
    let e = read_all("", b"1,2,3,4\n5,6,7,8\n", &ImportOptions::default()).unwrap_err();
    assert_eq!(e.kind, ErrorKind::NeedsMapping);
    let mut o = ImportOptions::default();
    for (i, t) in ["m", "n", "k", "time:us"].iter().enumerate() {
        o.columns.insert(format!("column {}", i + 1), (*t).into());
    }
    assert_eq!(read_with("", "1,2,3,4\n5,6,7,8\n", &o).len(), 2);
}

#[test]
fn other_columns_are_kept() {
    let d = read("M,N,K,us,lda,note,note\n1,2,3,4,128,x,y\n1,2,3,4,,z,\n");
    let keys: Vec<&str> = d.columns.iter().map(|c| c.key.as_str()).collect();
    assert_eq!(keys, ["lda", "note", "note (2)"]);
    assert!(matches!(&d.columns[0].data, ColumnData::Number(v) if v[0] == 128.0 && v[1].is_nan()));
}

#[test]
fn bad_rows_are_set_aside_with_their_reasons() {
    let d = read(
        "M,N,K,us,status\n1,2,3,0,ok\n1,2,3,-1,ok\n1,2,3,NaN,ok\n1,2,3,inf,ok\n1,2,3,,ok\n\
         0,2,3,4,ok\n1.5,2,3,4,ok\n1,2,3,CUDA OOM,\n1,2,3,4,failed\n\
         -9223372036854775808,2,3,4,ok\n99999999999,2,3,4,ok\n1,2,3,4,ok\n",
    );
    assert_eq!(d.line, [13]);
    let reasons: Vec<&str> =
        d.sources[0].rejected.reasons.iter().map(|r| r.text.as_str()).collect();
    assert_eq!(
        reasons,
        [
            "time is zero (us)",
            "time is negative (us)",
            "time is NaN (us)",
            "time is infinite (us)",
            "time is missing (us)",
            "M is zero",
            "M is not a whole number",
            "time reports a failed run (us)",
            "row reports a failed run (status)",
            "M is a placeholder for a dynamic size",
            "M is too large",
        ]
    );
    assert_eq!(d.sources[0].rows_read, 12);
}

#[test]
fn the_form_suggests_what_is_missing_by_values() {
    let form = |text: &str| crate::inspect(&Head::of(text), &ImportOptions::default()).unwrap();
    let suggested = |text: &str| {
        let columns = form(text).columns;
        let specs = columns.iter().map(|c| c.suggestion.map(|s| s.to_string()));
        specs.map(Option::unwrap_or_default).collect::<Vec<_>>()
    };
    let rows = "256,512,1024,a,20.5\n512,512,64,b,31\n";
    let text = format!("left,right,deep,who,took\n{rows}");
    assert_eq!(suggested(&text), ["m", "n", "k", "", "time"]);
    assert_eq!(form(&text).rows[1], ["512", "512", "64", "b", "31"]);
    // Known columns keep their meaning; a column of fractions is not a size.
    let text = "M,N,deep,share,ms\n256,512,1024,0.5,20\n512,512,64,0.25,31\n";
    assert_eq!(suggested(text), ["", "", "k", "", ""]);
    // Without a header, arithmetic identifies the columns: 2MNK in 0.25 ms is 8.59 TFLOP/s.
    let text =
        "1,512,1024,2048,8.59,0.25\n2,1024,1024,2048,10.74,0.4\n3,4096,2048,1024,11.45,1.5\n";
    assert_eq!(suggested(text), ["", "m", "n", "k", "rate:tflops", "time:ms"]);
    assert_eq!(suggested("1024,0.5\n2048,3.5\n"), ["square", "time"]);
    // With too few columns only the time is suggested.
    let text = "left,right,note\n256,512,a\n512,512,b\n";
    assert_eq!(suggested(text), ["", "time", ""]);
    // A readable table needs no suggestion.
    let text = "M,N,K,us,loss\n1,2,3,4,5\n";
    assert_eq!(suggested(text), ["", "", "", "", ""]);
    let form = form(text);
    let (name, column) = form.required()[3];
    assert_eq!((name, column.unwrap().header.as_str()), ("a time or a rate", "us"));
}

#[test]
fn the_form_shows_guesses_and_samples() {
    let head = Head::of("M,N,K,speed,foo\n1,2,3,4,x\n5,6,7,8,y\n");
    let m = crate::inspect(&head, &ImportOptions::default()).unwrap();
    assert_eq!(m.columns[0].guess, ColumnMeaning::M.into());
    assert_eq!(m.columns[4].samples, ["x", "y"]);
    assert_eq!(m.missing, ["a time or a rate"]);
    let other = Head::of(" m ,N,K,speed,foo\n9,9,9,9,9\n");
    let print = crate::header_fingerprint;
    assert_eq!(print(&head), print(&other));
    assert_ne!(print(&head), print(&Head::of("M,N,K,speed,bar\n9,9,9,9,9\n")));
}

#[test]
fn a_failed_variant_keeps_its_time_as_failed() {
    let head = "generation,status,M,N,K,dtype,time_ms,tflops\n";
    let rows = "0,wrong result,2048,2048,2048,fp16,0.05,\n0,ok,2048,2048,2048,fp16,0.12,\n\
                1,wrong result,2048,2048,2048,fp16,,100\n1,timeout,2048,2048,2048,fp16,,\n";
    let d = read(format!("{head}{rows}"));
    assert_eq!((d.len(), d.sources[0].rejected.total()), (4, 0));
    let known: Vec<bool> = d.time_s.iter().map(|t| t.is_finite()).collect();
    assert_eq!(known, [false, true, false, false]);
    let failed = |row| d.number(ColumnMeaning::FailedTime, row);
    assert!((failed(0) / 0.05e-3 - 1.0).abs() < 1e-12);
    assert!((failed(2) / (2.0 * 2048f64.powi(3) / 100e12) - 1.0).abs() < 1e-12);
    assert!(failed(1).is_nan() && failed(3).is_nan());
    let note = &d.sources[0].notes[0];
    assert!(
        note.contains("3 failed variant(s)") && note.contains(" 2 of them state a time"),
        "{note}"
    );
    // Failed rows with repeated times have no time either; their median is the time of the failed run.
    let repeats = "generation,status,M,N,K,dtype,time_1_ms,time_2_ms,time_3_ms\n\
                   0,wrong result,64,64,64,fp16,1,2,3\n0,ok,64,64,64,fp16,1,2,3\n";
    let d = read(repeats);
    assert!(d.time_s[0].is_nan() && d.time_s[1] == 2e-3);
    assert_eq!(d.number(ColumnMeaning::FailedTime, 0), 2e-3);
}

/// Hand-written headers: sizes, time and type come out right, or the file asks.
#[test]
fn headers_that_nobody_agreed_on() {
    for (text, sizes, time_s, dtype) in [
        (
            "Zeilen M;Spalten N;Tiefe K;Datentyp;Laufzeit (ms)\n1.024;4.096;512;bf16;0,201\n",
            [1024, 4096, 512, 1],
            0.201e-3,
            DataType::Bf16,
        ),
        (
            "M,N,K,dtype,time,tflops\n,,,,us,TFLOP/s\n64,128,256,bf16,690,0.006\n",
            [64, 128, 256, 1],
            690e-6,
            DataType::Bf16,
        ),
        (
            "MxNxK,Precision,Avg Time [us]\n64x128x256,FP16,690\n",
            [64, 128, 256, 1],
            690e-6,
            DataType::Fp16,
        ),
        ("KxMxN,ms\n64x128x256,1\n", [128, 256, 64, 1], 1e-3, DataType::Fp16),
        (
            "shape,ms\n\"torch.Size([64, 256]) @ torch.Size([256, 128])\",0.2\n",
            [64, 128, 256, 1],
            0.2e-3,
            DataType::Fp16,
        ),
        (
            "A shape,B shape,dtype,time_ms\n\"(8, 64, 256)\",\"(8, 256, 128)\",torch.float16,0.2\n",
            [64, 128, 256, 8],
            0.2e-3,
            DataType::Fp16,
        ),
        (
            "name,time_us\ngemm_b4_m1024_n4096_k512_fp8,45.5\n",
            [1024, 4096, 512, 4],
            45.5e-6,
            DataType::Fp8E4m3,
        ),
        ("行数M,列数N,K,耗时(us)\n64,128,256,690\n", [64, 128, 256, 1], 690e-6, DataType::Fp16),
        (
            "op;problem;Dauer µs\nGEMM;K=256, M=64, N=128;690,5\n",
            [64, 128, 256, 1],
            690.5e-6,
            DataType::Fp16,
        ),
        (
            "M,N,K,int8 TOPS,% of peak\n1000,1000,1000,2,26.3%\n",
            [1000, 1000, 1000, 1],
            1e-3,
            DataType::Int8,
        ),
        (
            "in_features,out_features,tokens,dtype,avg_time_ms,std_ms\n256,128,64,float16,0.5,0.1\n",
            [64, 128, 256, 1],
            0.5e-3,
            DataType::Fp16,
        ),
        (
            "B,M,N,K,Duration [ns],SM Busy [%],DRAM Throughput [GB/s]\n3,64,128,256,690,88.1,340\n",
            [64, 128, 256, 3],
            690e-9,
            DataType::Fp16,
        ),
    ] {
        let d = read_with("", text, &ImportOptions::default());
        assert_eq!(d.sources[0].format, "generic", "{text}");
        assert_eq!(d.len(), 1, "{text}: {:?}", d.sources[0].rejected);
        assert_eq!([d.m[0], d.n[0], d.k[0], d.batch[0]], sizes, "{text}");
        assert!((d.time_s[0] / time_s - 1.0).abs() < 1e-12, "{text}: {}", d.time_s[0]);
        assert_eq!(d.problem(0).op.a, dtype, "{text}");
    }
    // A tile in a kernel's name is not a GEMM, and `K` alone is not a square.
    for text in [
        "kernel,calls,time_us\nwgmma_m64n256k16,3,45\nwgmma_m64n128k16,3,47\n",
        "Hidden,FFN,K,time_us\n4096,11008,64,45\n",
    ] {
        let error = read_all("", text.as_bytes(), &ImportOptions::default()).unwrap_err();
        assert_eq!(error.kind, ErrorKind::NeedsMapping, "{text}: {error}");
    }
}

#[test]
fn figures_with_their_units_below_titles_without() {
    let d = read(
        "| Benchmark | Mean | Best | Worst |\n|---|---|---|---|\n\
         | k: 7168; m: 1024; n: 1536; seed: 8135 | 188 ± 0.3 µs | 185 µs | 209 µs |\n\
         | k: 2048; m: 2048; n: 1536; seed: 8135 | 88 ± 0.3 µs | 85 µs | 109 µs |\n",
    );
    assert_eq!(
        (&d.m[..], &d.n[..], &d.k[..]),
        (&[1024, 2048][..], &[1536; 2][..], &[7168, 2048][..])
    );
    assert_eq!(d.time_s, [188e-6, 88e-6]);
    assert_eq!((d.number(TimeMin, 0), d.number(TimeMax, 1)), (185e-6, 109e-6));
}

#[test]
fn titles_are_libraries_where_the_cells_have_units() {
    let d = read(
        "| Shape (MxNxK) | cuBLAS | Ours | Speedup |\n|---|---|---|---|\n\
         | 4096x4096x4096 | 702 TFLOPS | 664 TFLOPS | 0.95x |\n\
         | 8192x8192x8192 | 741 TFLOPS | 0.752 PFLOPS | 1.01x |\n",
    );
    assert_eq!(d.len(), 4);
    let name = |r| d.text(ColumnMeaning::Library, r);
    assert_eq!([name(0), name(1)], ["cuBLAS", "Ours"]);
    assert!((d.problem(3).work().0 / d.time_s[3] / 752e12 - 1.0).abs() < 1e-12);
}

#[test]
fn letters_beside_the_names_of_blas_libraries_are_those_of_its_calls() {
    let text = |library: &str| {
        format!("M,N,K,dtype,layout,library,time_us\n57344,4,8192,bf16,TN,{library},280.25\n")
    };
    let convention = |library: &str| {
        let d = read(text(library));
        let said =
            d.sources[0].assumptions.iter().find(|a| a.key == "layout").map(|a| a.value.clone());
        (said, d.sources[0].is_column_major())
    };
    assert_eq!(convention("hipBLASLt"), (Some("column-major".to_owned()), true));
    assert_eq!(convention("mine"), (Some("row-major".to_owned()), false));
    assert_eq!(convention("Triton"), (None, false));
    let replayed = text("PyTorch").replace("layout", "blas_layout");
    let commented = format!("# run again\n{replayed}");
    for text in [replayed.replace("blas_layout", "BLAS_Layout"), commented, replayed] {
        let d = read(text);
        assert!(d.sources[0].is_column_major() && d.sources[0].assumptions.is_empty());
        assert_eq!(d.problem(0).op.layout(), "TN");
    }
}
