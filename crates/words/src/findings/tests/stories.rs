//! Advice of findings, and their order.

use super::*;
use gemmscope_table::dataset::RowsAndTime;

#[test]
fn a_larger_gemm_that_is_faster_says_to_pad() {
    let mut rows = Rows::new();
    rows.row((57_344, 2, 8192), "x", 13.4e-3, "");
    rows.row((57_344, 4, 8192), "x", 26.0e-3, "");
    rows.row((57_344, 16, 8192), "x", 284e-6, "");
    // Larger in two sizes: not comparable.
    rows.row((28_672, 4, 4096), "x", 26.0e-3, "");
    rows.row((57_344, 32, 8192), "x", 300e-6, "");
    let found = check_all(&rows.frame(Some("mi300x")));
    let size = of(&found, "size");
    assert_eq!(size.len(), 1);
    let f = size[0];
    assert_eq!(f.title, "Padding N is faster: 2 GEMMs");
    assert_eq!(f.evidence.rows, [0, 1]);
    assert!(f.text.contains("26.0 ms here, 284 µs as 57344 × 16 × 8192"), "{}", f.text);
    let gap = 13.4e-3 + 26.0e-3 - 2.0 * 284e-6;
    assert!((f.alone_s.unwrap() - gap).abs() < 1e-9);
}

#[test]
fn a_kernel_whose_roof_time_is_below_its_start_is_called_small_not_far_from_the_bandwidth() {
    // 0.24 µs at the roof of the H100, 5.8 µs by a profiler; then a large one whose roof matters.
    let of_profiler = |rows: &[Row]| {
        let f = frame(rows, Some("h100-sxm"), RoofKind::Datasheet);
        let mut data = (*f.data).clone();
        data.sources[0].format = "kineto".to_owned();
        let report = check_all(&Frame::all(Arc::new(data), f.metrics.clone()));
        of(&report, "rest")[0].path_b.clone()
    };
    let small = of_profiler(&[row([141, 512, 512], DataType::Bf16, 5.8)]);
    assert!(small.contains(" is 243 ns, less than a kernel takes"), "{small}");
    let large = of_profiler(&[row([16, 8192, 8192], DataType::Bf16, 100.0)]);
    assert!(large.contains("matrix-vector or split-K kernel"), "{large}");
}

#[test]
fn a_rest_of_which_little_is_in_reach_says_how_much() {
    // 8192³ in bf16 takes 1111 µs at the peak of the H100, 1283 µs at its achievable rate.
    let path = |time_us: f64, kind| {
        let f = frame(&[row([8192; 3], DataType::Bf16, time_us)], Some("h100-sxm"), kind);
        of(&check_all(&f), "rest")[0].path_b.clone()
    };
    let near = path(1350.0, RoofKind::Datasheet);
    let said = "other libraries; 64.0 µs of it is below the achievable rate. Send";
    assert!(near.contains(said), "{near}");
    for other in [path(3000.0, RoofKind::Datasheet), path(1350.0, RoofKind::Achievable)] {
        assert!(!other.contains("achievable rate"), "{other}");
    }
}

#[test]
fn a_headline_says_what_it_covers_and_what_the_program_loses_more() {
    let f = frame(&[row([4096; 3], DataType::Bf16, 250.0)], Some("h100-sxm"), RoofKind::Datasheet);
    let with = |without_us: f64, remedy: &str| {
        let mut data = (*f.data).clone();
        let source = &mut data.sources[0];
        source.format = "kineto".to_owned();
        source.remedy = remedy.to_owned();
        source.without_model.add(without_us * 1e-6);
        source.name_without_model(vec![(
            "vllm::fused_moe".to_owned(),
            RowsAndTime { rows: 1, time_s: without_us * 1e-6 },
        )]);
        check_all(&Frame::all(Arc::new(data), f.metrics.clone()))
    };
    let report = with(750.0, "");
    let book = &report.ledger.books[0];
    assert_eq!(
        crate::headline::total(book),
        "250 µs, 55.6 % of roof, 75.0 % of the GEMM time left out"
    );
    let cost = crate::headline::cost(&report.findings, book).unwrap();
    assert_eq!(cost.claim, "75.0 % of the GEMM time is left out");
    assert_eq!(cost.why, "750 µs, vllm::fused_moe");
    assert!(
        report.findings[0]
            .path_a
            .starts_with("Custom operators and graphs launch kernels without a shape")
    );
    let remedied = with(750.0, "also open the trace of the graph's capture");
    assert_eq!(remedied.findings[0].path_a, "Also open the trace of the graph's capture.");
    // A smaller part comes after what the GEMMs lose.
    let report = with(50.0, "");
    let cost = crate::headline::cost(&report.findings, &report.ledger.books[0]).unwrap();
    assert_eq!(cost.key, "rest");
}

#[test]
fn findings_stand_in_sections_each_by_its_seconds() {
    let layout = |t: bool| Operation::uniform(DataType::Bf16).with_layout(false, t);
    let mut rows = vec![row([8192; 3], DataType::Bf16, 9000.0)];
    for (n, slow, fast) in [(1024, 300.0, 200.0), (2048, 700.0, 400.0)] {
        rows.push(Row { op: layout(false), ..row([4096, 4096, n], DataType::Bf16, slow) });
        rows.push(Row { op: layout(true), ..row([4096, 4096, n], DataType::Bf16, fast) });
    }
    // Another pair of layouts.
    let op = Operation::uniform(DataType::Bf16).with_layout(true, true);
    rows.push(Row { op, ..row([4096, 4096, 2048], DataType::Bf16, 600.0) });
    let report = check_all(&frame(&rows, Some("h100-sxm"), RoofKind::Datasheet));
    let sections: Vec<Section> = report.findings.iter().map(|f| f.section()).collect();
    assert!(sections.is_sorted(), "{sections:?}");
    assert_eq!(sections[0], Section::Measured);
    let within = report.findings.chunk_by(|a, b| a.section() == b.section());
    for section in within.filter(|s| s[0].kind == Kind::Lost) {
        assert!(section.is_sorted_by(|a, b| a.alone_s >= b.alone_s));
    }
    // An account is one finding that contains the pairs.
    let layouts = of(&report, "layout");
    assert_eq!(layouts.len(), 1);
    assert_eq!(layouts[0].title, "Another layout is faster: 3 GEMMs");
    assert!(
        layouts[0].text.contains(
            "600 µs more than the faster runs. Layout NN is slower than NT: 2 GEMMs, 400 µs; Layout TT is \
             slower than NT: 1 GEMM, 200 µs."
        ),
        "{}",
        layouts[0].text
    );
    // The largest is not measured, so the sentence says why it names another one.
    let book = &report.ledger.books[0];
    let cost = crate::headline::cost(&report.findings, book).unwrap();
    assert_eq!(cost.key, "layout");
    assert_eq!(
        [cost.claim.as_str(), cost.why.as_str()],
        ["Saves 600 µs alone", "another layout is faster, 3 GEMMs"]
    );
    assert_eq!(Some(cost.seconds), layouts[0].alone_s);
}

#[test]
fn what_another_library_runs_faster_is_counted_once_and_says_what_it_saves_alone() {
    let op = Operation::uniform(DataType::Bf16);
    let mut rows = Rows::new();
    for (n, x, y) in [(1024, 400.0, 200.0), (2048, 700.0, 300.0), (4096, 600.0, 600.0)] {
        rows.typed((4096, 4096, n), op, "x", x * 1e-6, "");
        rows.typed((4096, 4096, n), op, "y", y * 1e-6, "");
    }
    // For this one another layout saves as much, and is the smaller change.
    rows.typed((4096, 4096, 2048), op.with_layout(false, true), "x", 300e-6, "");
    let report = check_all(&rows.frame(Some("h100-sxm")));
    let book = report.ledger.books.iter().find(|b| b.side == "x").unwrap();
    assert_eq!((book.alone(Account::Library).groups, book.of(Account::Library).groups), (2, 1));
    let found = of(&report, "library")[0];
    assert_eq!(found.title, "y is faster: 2 GEMMs");
    assert_eq!(found.evidence.rows, [0, 2]);
    let us = |s: Option<f64>| s.map(|s| (s * 1e9).round() / 1e3);
    assert_eq!((us(found.alone_s), us(found.split_s)), (Some(600.0), Some(200.0)));
    assert_eq!(found.saves().as_deref(), Some("saves 600 µs alone"));
    assert!(
        found.text.contains("Of the lost time 200 µs (1 GEMM) is counted here"),
        "{}",
        found.text
    );
}

#[test]
fn a_gemm_of_which_one_repeat_is_above_the_roof_counts_that_one() {
    // 4096^3 takes 139 µs at the roof.
    let rows = [130.0, 150.0, 160.0].map(|us| row([4096; 3], DataType::Bf16, us));
    let frame = frame(&rows, Some("h100-sxm"), RoofKind::Datasheet);
    let found = check_all(&frame);
    assert_eq!(of(&found, "above_roof")[0].evidence.rows, [0]);
    let totals = gemmscope_table::metrics::Totals::over(&frame, &[0, 1, 2]);
    assert_eq!(totals.above_roof, 1);
}

#[test]
fn types_that_are_faster_both_ways_may_be_scatter() {
    let pair = |m: u32, fp16: f64, bf16: f64| {
        [row([m, 4096, 4096], DataType::Fp16, fp16), row([m, 4096, 4096], DataType::Bf16, bf16)]
    };
    let basis = |pairs: [[Row; 2]; 4]| {
        let report = check_all(&frame(pairs.as_flattened(), Some("mi300x"), RoofKind::Achievable));
        let found = of(&report, "type");
        (found[0].basis, found[0].title.clone())
    };
    let both = [
        pair(4096, 300.0, 320.0),
        pair(4160, 320.0, 300.0),
        pair(4224, 305.0, 325.0),
        pair(4288, 330.0, 310.0),
    ];
    assert_eq!(basis(both), (Basis::Scatter, "Neither type is always faster: 4 GEMMs".to_owned()));
    let one = [4096, 4160, 4224, 4288].map(|m| pair(m, 300.0, 320.0));
    assert_eq!(basis(one), (Basis::Measured, "bf16 is slower than fp16: 4 GEMMs".to_owned()));
    // As often, but by less.
    let much = [
        pair(4096, 300.0, 500.0),
        pair(4160, 320.0, 300.0),
        pair(4224, 305.0, 500.0),
        pair(4288, 330.0, 310.0),
    ];
    assert_eq!(basis(much).0, Basis::Measured);
}

/// Bits without a pattern: odd and even places hold as many.
const UP: u32 = 0b1_0110_0101_1010_0110_1100;

#[test]
fn sizes_that_are_as_often_faster_as_slower_may_be_scatter() {
    let found = |times: fn(u32) -> f64| {
        let rows: Vec<Row> =
            (1..=24).map(|i| row([64 * i, 4096, 4096], DataType::Bf16, times(i))).collect();
        let report = check_all(&frame(&rows, Some("mi300x"), RoofKind::Achievable));
        let book = &report.ledger.books[0];
        let seen = (of(&report, "size")[0].basis, book.scatter(Account::Size).is_some());
        let led =
            crate::headline::leading(&report.findings, book).is_some_and(|f| f.rule == "size");
        (seen, led)
    };
    // Some take 300 µs, by no rule.
    let up_and_down = |i: u32| if UP >> i & 1 == 0 { 200.0 } else { 300.0 };
    assert_eq!(found(up_and_down), ((Basis::Scatter, true), false));
    // Every other one does.
    let odd = |i: u32| if i.is_multiple_of(2) { 200.0 } else { 300.0 };
    assert_eq!(found(odd), ((Basis::Measured, false), true));
    // Too large to be scatter.
    let much = |i: u32| if i.is_multiple_of(2) { 200.0 } else { 900.0 };
    assert_eq!(found(much), ((Basis::Measured, false), true));
    // A few of a regular pattern are slow.
    let few = |i: u32| 200.0 + f64::from(8 * i) + if i % 8 == 1 { 100.0 } else { 0.0 };
    assert_eq!(found(few), ((Basis::Measured, false), true));
}

#[test]
fn what_most_of_a_cause_is_of_is_named() {
    // Every third size is slow; those with K = 8192 hold most of the loss, each with its own kernel.
    let mut rows = Rows::new();
    let kernel = rows.table().text_column(ColumnMeaning::Kernel, "kernel");
    let op = Operation::uniform(DataType::Bf16);
    for (k, slow_us) in [(1024, 310.0), (2048, 310.0), (8192, 1500.0)] {
        for i in 1..=8u32 {
            let slow = i % 4 == 1;
            rows.table().set_text(kernel, if slow { b"slow" } else { b"fast" });
            let us = if slow { slow_us } else { 300.0 };
            rows.typed((1024 * i, 1024, k), op, "", us * 1e-6, "");
        }
    }
    let report = check_all(&rows.frame(Some("mi300x")));
    let size = of(&report, "size")[0];
    assert_eq!(
        size.title,
        "A larger size with another kernel is faster: 6 GEMMs, 98 % of it at K = 8192"
    );
    assert!(size.path_a.starts_with("Try the kernel of the faster run at this size first. Pad"));
    // The list and the headline start with the same finding.
    let book = &report.ledger.books[0];
    let lost = report.findings.iter().find(|f| f.kind == Kind::Lost).unwrap();
    let leading = crate::headline::leading(&report.findings, book).unwrap();
    assert_eq!(leading.title, lost.title);
}

#[test]
fn sizes_that_may_be_scatter_are_called_that_whatever_their_kernels() {
    let mut rows = Rows::new();
    let kernel = rows.table().text_column(ColumnMeaning::Kernel, "kernel");
    for i in 1..=24u32 {
        rows.table().set_text(kernel, format!("k{i}").as_bytes());
        let us = if UP >> i & 1 == 0 { 200.0 } else { 300.0 };
        rows.typed((64 * i, 4096, 4096), Operation::uniform(DataType::Bf16), "", us * 1e-6, "");
    }
    let report = check_all(&rows.frame(Some("mi300x")));
    let size = of(&report, "size")[0];
    assert_eq!(size.basis, Basis::Scatter);
    assert!(
        size.title.starts_with("Padding helps some sizes and hurts others: "),
        "{}",
        size.title
    );
}

#[test]
fn one_row_that_stands_out_is_a_question_and_no_headline() {
    // 105.1 µs at the roof: 20 of them at 70 % of it, one takes a second.
    let of = |us: f64| {
        let mut rows = vec![row([4096, 4096, 4224], DataType::Bf16, us)];
        rows.extend((0..20).map(|i| {
            row([4096, 4096, 4096 + 256 * i], DataType::Bf16, 150.0 + 10.0 * f64::from(i))
        }));
        frame(&rows, Some("mi300x"), RoofKind::Datasheet)
    };
    let asked = |us: f64| {
        let report = check_all(&of(us));
        let first = report.findings[0].clone();
        let leads = crate::headline::leading(&report.findings, &report.ledger.books[0]);
        (first.rule.clone(), first.title, leads.is_some())
    };
    let (rule, title, leads) = asked(1e6);
    assert_eq!((rule.as_str(), leads), ("outlier", false), "{title}");
    assert_eq!(
        title,
        "Is this row right? 4096 × 4096 × 4224 bf16 NN takes 99.5 % of the time of 21 GEMMs"
    );
    // Twice as long as it should is a finding.
    let (rule, title, leads) = asked(300.0);
    assert!(rule != "outlier" && leads, "{title}");
}
