//! A file fed in one slice is read by columns, in slices of one byte by records; rows may be handed over between any
//! two slices. The resulting table is the same.

use crate::{Ended, Head, ImportError, ImportOptions, Imported, sniff};
use gemmscope_table::dataset::Assembly;
use gemmscope_table::dataset::wire;
use proptest::prelude::*;

/// All that a reader makes of a text, or the error. Bypasses the session, which would feed the head
/// of the file in one slice.
fn read(text: &[u8], slice: usize) -> Result<String, ImportError> {
    let options = ImportOptions::default();
    let head = Head::from_bytes("", text);
    let mut reader = sniff(&head, &options)?.format.open(&head, &options)?;
    for piece in text.chunks(slice) {
        reader.feed(piece)?;
    }
    Ok(match reader.finish()?.whole()? {
        Imported::Table(data) => format!("{data:#?}"),
        other => format!("{other:#?}"),
    })
}

/// The same, with rows handed over every few slices as in a browser.
fn read_in_parts(text: &[u8], slice: usize, every: usize) -> Result<String, ImportError> {
    let options = ImportOptions::default();
    let head = Head::from_bytes("", text);
    let mut reader = sniff(&head, &options)?.format.open(&head, &options)?;
    let mut all = Assembly::default();
    for (i, piece) in text.chunks(slice).enumerate() {
        reader.feed(piece)?;
        if i % every == 0
            && let Some(part) = reader.part()
        {
            let part = wire::unpack_part(wire::pack_part(part)).unwrap();
            all.expect(i);
            all.add(part).unwrap();
        }
    }
    Ok(match reader.finish()? {
        Ended::Rest(rest) => {
            let rest = wire::unpack_rest(wire::pack_rest(*rest)).unwrap();
            format!("{:#?}", all.finish(rest).unwrap())
        }
        Ended::Whole(Imported::Table(data)) => format!("{data:#?}"),
        other => format!("{other:#?}"),
    })
}

/// Headers and valid lines of tables that are read by columns.
const TABLES: [(&str, &str); 20] = [
    // All canonical columns, and kept columns of all kinds.
    (
        "model,kernel,dtype,batch,M,N,K,transA,transB,time_us,note,lda",
        "llama,mt64,fp16,1,4096,1024,512,N,T,65.0499,x,4096",
    ),
    // Times from rates; a size with a decimal; a device.
    ("device,M,N,K,tflops,tile", "H100,4096,1024.0,512,333.125,128x128x64"),
    // Time and rate, with percent and units in cells.
    ("M;N;K;time (ms);tflops;efficiency %;bandwidth", "4096;1024;512;0,0123;349,2;31,5;1,2 TB/s"),
    ("size\ttime_us\tlibrary", "2048\t33.25\tcublas"),
    // Sizes in one cell.
    ("mnk,dtype,time_us,name", "4096x1024x512,bf16,44.1,a"),
    ("M,N,K", "1,2,3"),
    // Failed variants are kept.
    ("iteration,status,M,N,K,time_us,kernel", "3,ok,4096,1024,512,55.5,mt64x32_v0"),
    // Formats defined by data, with a hook and without one.
    (
        "M,N,K,dtype,Kernel,time_us,TFLOPS,GB/s,beta,layout,bias,accum",
        "128,256,512,fp8,k,12.5,2.7,13,0,NT,True,tf32",
    ),
    (
        "Problem,Provider,OperationKind,Operation,Disposition,Status,m,n,k,A,B,C,beta,split_k_slices,batch_count,op_class,Bytes,Flops,Runtime,GB/s,GFLOPs",
        "1,CUTLASS,gemm,tensorop_nn,passed,success,4096,1024,512,f16:column,f16:row,f16:column,0,1,1,tensorop,100663296,4294967296,0.59,158.9,7233",
    ),
    (
        "gfx,cu_num,M,N,K,q_dtype_w,kernelId,splitK,us,kernelName,tflops,bw,errRatio",
        "gfx942,80,1,1280,8192,torch.int8,34,0,20.5611,a8w8_rowwise,1.02,510.5,0.0",
    ),
    (
        "index,tag,name,M,N,K,dtype,A,B,mean_microseconds,arithmetic_intensity,tflops,ok",
        "0,unet,hipblaslt,128,1280,2048,fp16,N,T,13.58,110.1,49.4,True",
    ),
    // Several rows per line: time and rate each, one of the two, types.
    (
        "M,N,K,dtype,note,cublas_ms,cublas_tflops,triton_ms,triton_tflops",
        "4096,1024,512,fp16,x,0.0123,349.2,0.0145,296.1",
    ),
    ("device,M,N,K,cublas_us,triton_tflops,lda", "H100,4096,1024,512,12.3,296.1,4096"),
    ("M,N,K,FP8 TFLOPS,BF16 TFLOPS", "4096,1024,512,666.5,333.25"),
    // The same from tools: times, rates, bandwidths, variations, types, sizes missing from the file.
    (
        "B,M,K,N,Triton-GB/s,Triton-GB/s-min,Triton-TFlops,Triton-CV,XeTLA-GB/s,XeTLA-CV,note",
        "1.0,1024.0,512.0,256.0,400.5,390,150.25,0.05,300,0.1,x",
    ),
    ("M,cuBLAS,Triton", "256.0,3.6,3.75"),
    ("b,m,n,k,bf16xbf16->bf16,f32xf32->f32", "1,1024,2048,256,139519467775467,82342164417177"),
    (
        "M,N,K,bf16_baseline_ms,bf16_baseline_tflops,bf16_baseline_gb/s,fp8_rowwise_ms,fp8_rowwise_tflops,fp8_rowwise_gb/s",
        "4096,8192,8192,0.9,610.8,298.3,0.5,1099.5,335.5",
    ),
    (
        "x_val;a-latency;a-tflops;a-speedup;b-latency;b-tflops;b-speedup",
        "(4096, 4096, 4096);0.2312 (±1.20%);594.4;1.0;0.25;549.7;0.9",
    ),
    // No header.
    ("1024,1024,1024,12.5", "512,1024,2048,11.5"),
];

/// Text that may occur in any cell.
fn odd_cell() -> impl Strategy<Value = String> {
    prop_oneof![
        4 => "[0-9]{1,10}",
        4 => "[0-9]{0,19}[.,][0-9]{0,19}",
        2 => "-?[0-9]{1,4}e[-+]?[0-9]{1,3}",
        3 => "fp16|bf16|fp32|f8|zz|N|T|x|1|0|true|H100|MI300X|ok|fail|skipped|spgemm",
        2 => Just(String::new()),
        2 => "nan|inf|-|n/a|None|0|0.0|1e-6|-5|1|1e99",
        2 => "\"[a-z0-9., ]{0,12}\"",
        2 => "[ '\"#=\u{e9}\u{200b}a-c-]{0,9}",
        1 => "[a-z_0-9]{10,40}",
        1 => "[0-9.]{1,6} ?(us|ms|TFLOPS|%|GB/s)",
        1 => "#[a-z]{0,3}",
    ]
}

#[derive(Clone, Debug)]
enum Change {
    None,
    /// Changes the last digit of a cell, as from row to row.
    Digit(usize, u8),
    Cell(usize, String),
    Quoted(usize),
    More(String),
    Fewer,
    Line(String),
    Crlf,
}

fn change() -> impl Strategy<Value = Change> {
    prop_oneof![
        6 => Just(Change::None),
        9 => (any::<usize>(), 0_u8..10).prop_map(|(i, d)| Change::Digit(i, d)),
        9 => (any::<usize>(), odd_cell()).prop_map(|(i, c)| Change::Cell(i, c)),
        2 => any::<usize>().prop_map(Change::Quoted),
        1 => odd_cell().prop_map(Change::More),
        1 => Just(Change::Fewer),
        1 => "[-=+|: ]{0,9}|#.{0,9}|HEADER|\"|,,,,|\"a\nb\",1|.{0,30}".prop_map(Change::Line),
        2 => Just(Change::Crlf),
    ]
}

/// A table with one line per list of changes.
fn table(number: usize, changes: &[Vec<Change>]) -> String {
    let (header, line) = TABLES[number];
    let delimiter = [';', '\t'].into_iter().find(|d| header.contains(*d));
    let delimiter = delimiter.unwrap_or(',');
    let mut text = format!("{header}\n");
    for changes in changes {
        let mut cells: Vec<String> = line.split(delimiter).map(str::to_owned).collect();
        let (mut whole, mut end) = (None, "\n");
        for change in changes {
            let count = cells.len().max(1);
            match change {
                Change::None => {}
                Change::Digit(i, d) => {
                    if let Some(cell) = cells.get_mut(i % count)
                        && let Some(at) = cell.rfind(|c: char| c.is_ascii_digit())
                    {
                        cell.replace_range(at..=at, &d.to_string());
                    }
                }
                Change::Cell(i, text) => {
                    if let Some(cell) = cells.get_mut(i % count) {
                        cell.clone_from(text);
                    }
                }
                Change::Quoted(i) => {
                    if let Some(cell) = cells.get_mut(i % count) {
                        *cell = format!("\"{cell}\"");
                    }
                }
                Change::More(text) => cells.push(text.clone()),
                Change::Fewer => drop(cells.pop()),
                Change::Line(text) => whole = Some(text.replace("HEADER", header)),
                Change::Crlf => end = "\r\n",
            }
        }
        text += &whole.unwrap_or_else(|| cells.join(&delimiter.to_string()));
        text += end;
    }
    text
}

fn compare(text: &str) {
    let by_record = read(text.as_bytes(), 1);
    for slice in [usize::MAX, 97] {
        let by_column = read(text.as_bytes(), slice);
        assert!(
            by_column == by_record,
            "in slices of {slice}: {text}\n{by_column:?}\n{by_record:?}"
        );
    }
    for (slice, every) in [(97, 5), (1001, 1)] {
        let in_parts = read_in_parts(text.as_bytes(), slice, every);
        assert!(
            in_parts == by_record,
            "in parts of {slice} x {every}: {text}\n{in_parts:?}\n{by_record:?}"
        );
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(120))]

    #[test]
    fn by_columns_is_by_records(
        number in 0..TABLES.len(),
        changes in proptest::collection::vec(proptest::collection::vec(change(), 0..3), 1..60),
    ) {
        compare(&table(number, &changes));
    }

    #[test]
    fn any_text_is_read_the_same(number in 0..TABLES.len(), text in "([0-9a-f\"#]{0,6}[,\n]){0,60}") {
        let (header, line) = TABLES[number];
        compare(&format!("{header}\n{line}\n{line}\n{text}\n{line}\n"));
    }
}

#[test]
fn good_tables_are_read_the_same() {
    for number in 0..TABLES.len() {
        let changes: Vec<Vec<Change>> = (0..3000)
            .map(|i| {
                vec![Change::Digit(i * 7, (i % 10) as u8), Change::Digit(i * 5, (i % 7) as u8)]
            })
            .collect();
        compare(&table(number, &changes));
    }
}

#[test]
fn a_column_that_turns_out_to_be_text_is_text_in_parts_too() {
    for share in [0, 30, 9] {
        let mut text = "M,N,K,time_us,note,rarely\n".to_owned();
        for i in 0..5000 {
            let odd = i > 2000 && share > 0 && i % share == 0;
            let note = if odd { "odd".to_owned() } else { i.to_string() };
            let rarely = if i % 700 == 3 { "x" } else { "" };
            text += &format!("4096,1024,512,33.5,{note},{rarely}\n");
        }
        compare(&text);
    }
}

#[test]
fn a_placeholder_beside_a_rate_of_zero_is_skipped() {
    let mut text = "M,N,K,time_us,tflops\n".to_owned();
    for i in 0..200 {
        text += match i % 10 {
            3 => "64,64,64,1,0\n",
            7 => "64,64,64,1,0.524288\n",
            _ => "4096,1024,512,33.5,128.2\n",
        };
    }
    compare(&text);
    let skipped = "a placeholder: 1 µs beside a rate of 0";
    assert!(read(text.as_bytes(), usize::MAX).is_ok_and(|data| data.contains(skipped)));
}
