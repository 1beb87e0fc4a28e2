//! Rules about what ran: kernels of an older generation, and the other time of a trace.

use super::*;
use crate::trust::Trust;
use gemmscope_analysis::trace_time::TraceTime;

#[test]
fn a_kernel_of_an_older_generation_is_named() {
    let kernels = [
        ("cutlass_80_tensorop_bf16_s16816gemm_bf16_256x128_32x3_tn_align8", true),
        ("sm90_xmma_gemm_bf16bf16_bf16f32_f32_tn_n_tilesize128x128x64", false),
        ("cutlass_80_simt_sgemm_128x32_8x5_nn_align1", false),
    ];
    for (device, flagged) in [("h100-sxm", true), ("a100-80-sxm", false)] {
        let mut rows = Rows::new();
        let column = rows.table().text_column(ColumnMeaning::Kernel, "kernel");
        let op = Operation::uniform(DataType::Bf16);
        for (i, (kernel, _)) in kernels.iter().enumerate() {
            rows.table().set_text(column, kernel.as_bytes());
            rows.typed((4096, 4096, 4096 + 64 * i as u32), op, "", 1e-3, "");
        }
        let frame = rows.frame(Some(device));
        assert!(frame.metrics.devices[0].is_some(), "{device}");
        let report = check_all(&frame);
        let found: Vec<u32> = report
            .findings
            .iter()
            .flat_map(|f| &f.signs)
            .filter(|s| s.sign == Sign::OlderKernel)
            .flat_map(|s| s.rows.clone())
            .collect::<std::collections::BTreeSet<u32>>()
            .into_iter()
            .collect();
        let expected: Vec<u32> =
            (0..).zip(kernels).filter(|(_, k)| flagged && k.1).map(|(row, _)| row).collect();
        assert_eq!(found, expected, "{device}");
    }
}

#[test]
fn a_trace_says_what_its_time_goes_to() {
    let f = frame(&[row([4096; 3], DataType::Bf16, 200.0)], Some("h100-sxm"), RoofKind::Datasheet);
    let mut data = (*f.data).clone();
    let source = &mut data.sources[0];
    source.not_gemm.add(40e-6);
    source.name_not_gemm(vec![
        ("ncclDevKernel_AllReduce".to_owned(), RowsAndTime { rows: 1, time_s: 180e-6 }),
        ("silu".to_owned(), RowsAndTime { rows: 1, time_s: 30e-6 }),
        ("norm".to_owned(), RowsAndTime { rows: 1, time_s: 10e-6 }),
    ]);
    source.trace = Some(Box::new(TraceContext {
        total_s: Some(1e-3),
        compute_s: Some(250e-6),
        exposed_comm_s: Some(150e-6),
        ..TraceContext::default()
    }));
    let frame = Frame::all(Arc::new(data), f.metrics.clone());
    let report = check_all(&frame);
    let told = crate::report::sentences(&Scan::new(&frame), &report, &Trust::of(&frame));
    assert_eq!(told[0], "The device is idle for 60.0 % of the time.");
    let advice = "Try this first: launch less";
    assert!(told[1].starts_with(advice), "{told:?}");
    assert_eq!(told.len(), 4, "{told:?}");
    let time = TraceTime::of(&Scan::new(&frame)).remove(0);
    assert_eq!(
        crate::trace_time::sentence(&time),
        "Of 1.00 ms from end to end: idle 600 µs (60.0 %), communication alone 150 µs (15.0 %), GEMMs 200 µs \
         (20.0 %), other kernels 50.0 µs (5.0 %)."
    );
    assert_eq!(crate::trace_time::kernels(&time.parts[3]), "silu (30.0 µs), norm (10.0 µs)");
    // The program loses more than its GEMM.
    let cost = crate::headline::cost(&report.findings, &report.ledger.books[0]).unwrap();
    assert_eq!(cost.key, "timeline");
    assert_eq!(
        [cost.claim.as_str(), cost.why.as_str()],
        ["The device is idle for 60.0 % of the time", "600 µs"]
    );
    assert_eq!(TraceTime::at_once(&frame), [time]);
    // Overlapping parts do not add up.
    let mut data = (*frame.data).clone();
    data.sources[0].trace.as_mut().unwrap().compute_s = Some(100e-6);
    let overlaps = Frame::all(Arc::new(data), f.metrics.clone());
    assert_eq!(TraceTime::of(&Scan::new(&overlaps)), []);
    let found: Vec<_> = report
        .findings
        .iter()
        .filter(|f| f.rule == "timeline")
        .map(|f| (f.title.as_str(), f.severity))
        .collect();
    assert_eq!(
        found,
        [
            ("The device is idle for 60.0 % of the time", Severity::Critical),
            ("Communication alone takes 15.0 % of the time", Severity::Medium),
            ("The largest other kernel takes 12.0 % of the compute time: silu", Severity::Medium),
        ]
    );
    // Idle time comes first.
    assert_eq!(report.findings[0].rule, "timeline");
}

#[test]
fn a_device_that_nothing_comes_near_is_asked_about() {
    let doubt = |sizes, us| {
        let rows = [row(sizes, DataType::Fp16, us), row([64; 3], DataType::Fp16, 900.0)];
        let f = frame(&rows, Some("mi300x"), RoofKind::Datasheet);
        let report = check_all(&f);
        let told = crate::report::sentences(&Scan::new(&f), &report, &Trust::of(&f));
        let first = report.findings[0].clone();
        (first.rule == "far_below").then_some((first, told[0].clone()))
    };
    // 19 GFLOP in 1.44 ms: 1 % of the peak.
    let (found, told) = doubt([384, 3072, 8192], 1444.0).unwrap();
    let title = "Are device, type and unit right? Even the fastest fp16 GEMM reaches 1.0 % of the roof of \
                 the MI300X";
    assert_eq!(found.title, title);
    assert_eq!(found.evidence.rows, [0, 1]);
    assert_eq!(told, format!("Doubtful: a{}.", &title[1..]));
    // A tenth of the peak is a plausible kernel, and too few tiles are due to the shape.
    assert_eq!(doubt([384, 3072, 8192], 144.0), None);
    assert_eq!(doubt([256, 256, 65536 * 8], 1444.0), None);
}

#[test]
fn kernels_of_another_device_are_the_first_question() {
    let kernel = "Cijk_Ailk_Bljk_BBS_BH_MT256x128x64_MI16x16x16x1_ISA942";
    for (device, doubt) in [("h100-sxm", true), ("mi355x", true), ("mi300x", false)] {
        let mut rows = Rows::new();
        let column = rows.table().text_column(ColumnMeaning::Kernel, "kernel");
        rows.table().set_text(column, kernel.as_bytes());
        let op = Operation::uniform(DataType::Bf16);
        rows.typed((4096, 4096, 4096), op, "", 1e-3, "");
        let report = check_all(&rows.frame(Some(device)));
        let first = &report.findings[0];
        assert_eq!(first.rule == "wrong_device", doubt, "{device}: {}", first.title);
        if doubt {
            assert_eq!(first.evidence.rows, [0]);
            assert!(first.title.contains("built for gfx942"), "{}", first.title);
            assert!(first.text.contains("MI300X"), "{}", first.text);
        }
    }
}
