//! The trace reader on small traces.

use super::*;
use crate::read_all;

#[test]
fn a_long_trace_is_read_in_bounded_time() {
    let mut text = String::from("{\"schemaVersion\": 1, \"traceEvents\": [\n");
    for i in 1..20_000u32 {
        text += &format!(
            "{{\"ph\": \"X\", \"cat\": \"python_function\", \"name\": \"f{i}\", \"ts\": {i}, \"args\": {{\"Python id\": {i}, \"x\": \"}}]\\\"\"}}}},\n"
        );
        if i % 10 == 0 {
            text += &format!(
                "{{\"ph\": \"X\", \"cat\": \"cpu_op\", \"name\": \"aten::mm\", \"ts\": {i}, \"dur\": 2, \"args\": {{\"External id\": {i}, \"Input Dims\": [[64, {k}], [{k}, 32]], \"Input type\": [\"float\", \"float\"]}}}},\n\
                 {{\"ph\": \"X\", \"cat\": \"kernel\", \"name\": \"k_gemm\", \"ts\": {i}, \"dur\": 5.0, \"args\": {{\"External id\": {i}, \"grid\": [4, 1, 1], \"block\": [256, 1, 1]}}}},\n",
                k = 16 + i % 3
            );
        }
    }
    text += "{\"ph\": \"M\"}]}";
    let started = std::time::Instant::now();
    let d = match read_all("t.json", text.as_bytes(), &ImportOptions::default()) {
        Ok(Imported::Table(d)) => d,
        other => panic!("{other:?}"),
    };
    assert_eq!(d.len(), 3);
    assert_eq!((0..3).map(|r| d.count(r)).sum::<f64>(), 1999.0);
    assert!(started.elapsed().as_secs() < 10);
}
