//! Small causes, names of devices and bounds, and the row that a finding starts with.

use super::*;

#[test]
fn a_cause_under_half_a_percent_of_the_time_is_no_finding() {
    let op = Operation::uniform(DataType::Bf16);
    let mut rows = Rows::new();
    rows.typed((16384, 16384, 16384), op, "", 18e-3, "");
    // At the roof, and the same in another layout.
    rows.typed((2048, 2048, 2048), op, "", 17.3e-6, "");
    rows.typed((2048, 2048, 2048), op.with_layout(true, true), "", 25e-6, "");
    let report = check_all(&rows.frame(Some("h100-sxm")));
    assert!(of(&report, "layout").is_empty());
    let layout = report.ledger.books[0].of(Account::Layout);
    assert!(layout.seconds > 0.0, "its time is in the ledger");
}

#[test]
fn findings_name_their_device_among_several() {
    let mut rows = Rows::new();
    for device in ["h100-sxm", "mi300x"] {
        rows.row((4096, 4096, 4096), "", 1e-3, device);
    }
    let frame = rows.frame(None);
    let report = check_all(&frame);
    let heads: Vec<String> = of(&report, "rest").iter().map(|f| f.heading()).collect();
    let devices = ["NVIDIA H100 80GB HBM3: ", "AMD Instinct MI300X: "];
    assert_eq!(heads.len(), 2);
    assert!(devices.iter().all(|d| heads.iter().any(|h| h.starts_with(d))), "{heads:?}");
    // Nor are they added up if one is fixed.
    let words = fixed(&frame, &report, &[report.position("rest.1").unwrap()]).unwrap();
    assert!(devices.iter().any(|d| words.contains(d.trim_end_matches(": "))), "{words}");
    assert!(words.contains(" instead of 1.00 ms, "), "{words}");
}

#[test]
fn where_one_of_many_holds_most_the_title_says_so() {
    let slow = |n: u32, us: f64| row([4096, n, 4096], DataType::Bf16, us);
    let title = |rows: &[Row]| {
        let report = check_all(&frame(rows, Some("h100-sxm"), RoofKind::Datasheet));
        of(&report, "rest")[0].title.clone()
    };
    let mut rows = vec![slow(1024, 60.0), slow(2048, 110.0), slow(4096, 210.0), slow(8192, 410.0)];
    assert_eq!(title(&rows), "Compute-bound, unexplained: 4 GEMMs");
    rows[3] = slow(8192, 4100.0);
    assert_eq!(title(&rows), "Compute-bound, unexplained: 4 GEMMs, 97 % of it in one");
}

#[test]
fn fixed_findings_that_are_bounds_say_at_best() {
    let rows = [row([4096; 3], DataType::Bf16, 1000.0)];
    let f = frame(&rows, Some("h100-sxm"), RoofKind::Datasheet);
    let report = check_all(&f);
    let at = report.position("rest.1").unwrap();
    let words = fixed(&f, &report, &[at]).unwrap();
    assert!(words.starts_with("1 finding fixed: at best "), "{words}");
    let mut measured = report.clone();
    measured.findings[at].facts.basis = Basis::Measured;
    let words = fixed(&f, &measured, &[at]).unwrap();
    assert!(words.contains(" instead of 1.00 ms, ") && !words.contains("at best"), "{words}");
    assert_eq!(fixed(&f, &measured, &[]), None);
}

#[test]
fn rows_of_a_finding_begin_with_the_one_that_its_sentence_names() {
    // The second takes longer, and loses less.
    let rows = [row([4096; 3], DataType::Bf16, 900.0), row([8192; 3], DataType::Bf16, 1400.0)];
    let frame = frame(&rows, Some("h100-sxm"), RoofKind::Datasheet);
    let report = check_all(&frame);
    let rest = of(&report, "rest")[0];
    assert!(rest.text.contains("Most in 4096"), "{}", rest.text);
    assert_eq!(rest.rows_by_time(&frame), [0, 1]);
}
