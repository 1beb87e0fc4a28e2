//! Batches and calls: columns, questions and answers.

use super::*;

/// A table with a batch: batch size, M, and work per call in units of 2MNK; `title` names the rate with its unit.
fn batched(title: &str, rows: &[(u32, u32, f64)]) -> String {
    let mut out = format!("kernel,batch_size,dtype,M,N,K,{title},time_us\n");
    for (i, (batch, m, work)) in rows.iter().enumerate() {
        let (n, k, us) = (4096.0, 1024.0, 40.0 + i as f64);
        let rate = 2.0 * f64::from(*m) * n * k * work / (us * 1e-6) / 1e12;
        out += &format!("k{i},{batch},bf16,{m},{n},{k},{rate:.3},{us}\n");
    }
    out
}

#[test]
fn rates_decide_whether_a_batch_is_part_of_m() {
    // M = 128 x batch, with a sequence length of 128 that no column holds.
    let in_m = [(1, 128, 1.0), (4, 512, 1.0), (16, 2048, 1.0)];
    let apart = [(1, 128, 1.0), (4, 128, 4.0), (16, 128, 16.0)];
    for title in ["tflops", "perf"] {
        let d = read(batched(title, &in_m));
        assert_eq!(d.batch, [1, 1, 1], "{title}");
        let said = assumed(&d, "batch");
        assert!(said.text.ends_with("as rate and time say in 3 of 3 rows."), "{}", said.text);
        assert_eq!(said.value, "in M");
        // It stays a label that tells rows apart.
        let batch = d.columns.iter().find(|c| c.label == "batch_size").unwrap();
        assert!(matches!(&batch.data, ColumnData::Text { values, .. } if values.len() == 4));
        assert_eq!(
            d.sources[0].reported_rate.compared,
            d.sources[0].reported_rate.within_1_percent
        );
        let d = read(batched(title, &apart));
        assert_eq!(d.batch, [1, 4, 16], "{title}");
        assert!(d.sources[0].assumptions.iter().all(|a| a.key != "batch"));
    }
    // Half of the rows support each interpretation, so none is confirmed.
    let mixed = [(2, 128, 1.0), (4, 128, 4.0), (8, 128, 1.0), (16, 128, 3.0), (16, 128, 5.0)];
    assert_eq!(assumed(&read(batched("tflops", &mixed)), "batch").value, "apart");
}

#[test]
fn a_batch_without_rates_is_a_question_with_two_answers() {
    let text = "batch,dtype,M,N,K,time_us\n1,bf16,128,4096,1024,40\n4,bf16,512,4096,1024,41\n";
    let answered = |answer: Option<&str>| {
        let mut o = ImportOptions::default();
        o.answers.extend(answer.map(|a| ("batch".to_owned(), a.to_owned())));
        let d = read_with("", text, &o);
        (d.batch.clone(), assumed(&d, "batch").clone())
    };
    for (answer, batch, value) in
        [(None, [1, 4], "apart"), (Some("in M"), [1, 1], "in M"), (Some("apart"), [1, 4], "apart")]
    {
        let (read, asked) = answered(answer);
        assert_eq!((&read[..], &*asked.value), (&batch[..], value));
        assert_eq!(asked.choices, ["in M", "apart"]);
    }
    // No question if all batches are 1.
    let d = read("batch,M,N,K,dtype,time_us\n1,128,4096,1024,bf16,40\n");
    assert!(d.sources[0].assumptions.is_empty(), "{:?}", d.sources[0].assumptions);
}

#[test]
fn sizes_and_calls_may_be_stated_where_no_column_holds_them() {
    let with = |text: &str, answers: &[(&str, &str)]| {
        let answers = answers.iter().map(|(k, v)| ((*k).to_owned(), (*v).to_owned()));
        let options = ImportOptions { answers: answers.collect(), ..ImportOptions::default() };
        read_all("", text.as_bytes(), &options)
    };
    let text = "M,K,dtype,time_us\n128,256,bf16,4000\n256,256,bf16,8000\n";
    assert!(with(text, &[]).is_err());
    let Ok(Imported::Table(d)) = with(text, &[("sizes", "N: 512"), ("calls", "1000")]) else {
        panic!("not read")
    };
    assert_eq!(
        (d.m.as_slice(), d.n.as_slice(), d.k.as_slice()),
        (&[128, 256][..], &[512, 512][..], &[256, 256][..])
    );
    assert!((d.time_s[0] * 1e6 - 4.0).abs() < 1e-9);
    let said = |key: &str| (assumed(&d, key).value.as_str(), assumed(&d, key).by_hand);
    assert_eq!((said("sizes"), said("calls")), (("N: 512", true), ("1000", true)));
    // A size that a column holds cannot be stated.
    let Ok(Imported::Table(d)) = with("M,N,K,time_us\n1,2,3,4\n", &[("sizes", "N: 512")]) else {
        panic!("not read")
    };
    assert_eq!(d.n, [2]);
    assert!(d.sources[0].assumptions.iter().all(|a| a.key != "sizes"));
}
