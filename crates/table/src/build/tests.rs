use super::*;
use gemmscope_model::dtype::DataType;

fn row(m: u32, time_s: f64) -> Row {
    Row::new(m, 2, 3, Operation::uniform(DataType::Fp16), time_s)
}

#[test]
fn a_rejected_row_takes_its_staged_values_along() {
    let mut t = TableBuilder::new();
    let kernel = t.text_column(ColumnMeaning::Kernel, "kernel");
    let rate = t.number_column(ColumnMeaning::ReportedRate, "tflops");
    t.set_text(kernel, b"k0");
    t.commit(2, b"good", Ok(row(1, 1e-6)));
    t.set_text(kernel, b"gone");
    t.set_number(rate, 1.0);
    t.commit(3, b"0", Err(RowError::new("time is zero (us)")));
    t.commit(4, b"no", Ok(row(1, 0.0)));
    t.commit(5, b"no", Ok(row(0, 1.0)));
    t.set_number(rate, 12.0 / 2e-6);
    t.commit(6, b"good", Ok(row(1, 2e-6)));
    let d = t.finish();
    assert_eq!(d.line, [2, 6]);
    assert_eq!(d.text(ColumnMeaning::Kernel, 0), "k0");
    assert_eq!(d.text(ColumnMeaning::Kernel, 1), "");
    assert!(d.number(ColumnMeaning::ReportedRate, 0).is_nan());
    let s = &d.sources[0];
    assert_eq!((s.rows_read, s.rows_used, s.rejected.total()), (5, 2, 3));
    assert_eq!((s.reported_rate.compared, s.reported_rate.within_1_percent), (1, 1));
}

#[test]
fn a_value_that_is_set_twice_is_replaced() {
    let mut t = TableBuilder::new();
    let rate = t.number_column(ColumnMeaning::ReportedRate, "tflops");
    let kernel = t.text_column(ColumnMeaning::Kernel, "kernel");
    for line in 2..4 {
        for value in [1.0, 2.0] {
            t.set_number(rate, value);
            t.set_text(kernel, value.to_string().as_bytes());
        }
        t.commit(line, b"", Ok(row(1, 1e-6)));
    }
    let d = t.finish();
    assert_eq!(d.numbers(ColumnMeaning::ReportedRate), Some(&[2.0, 2.0][..]));
    assert_eq!(d.text(ColumnMeaning::Kernel, 1), "2");
}

#[test]
fn auto_columns_keep_what_is_no_number() {
    let mut t = TableBuilder::new();
    let mostly = t.auto_column("lda");
    let words = t.auto_column("note");
    for i in 0..100u32 {
        let text = if i == 57 { "odd".to_owned() } else { i.to_string() };
        t.set_auto(mostly, text.as_bytes(), text.parse().ok());
        let word = if i % 2 == 0 { "x" } else { "1" };
        t.set_auto(words, word.as_bytes(), word.parse().ok());
        t.commit(i + 2, b"", Ok(row(1, 1.0)));
    }
    let d = t.finish();
    let by_key = |k: &str| &d.columns.iter().find(|c| c.key == k).unwrap().data;
    let ColumnData::Number(v) = by_key("lda") else { panic!() };
    assert!(v[57].is_nan() && v[58] == 58.0);
    let ColumnData::Text { codes, values } = by_key("lda (text)") else { panic!() };
    assert_eq!(values[codes[57] as usize], "odd");
    assert!(matches!(by_key("note"), ColumnData::Text { .. }));
}
