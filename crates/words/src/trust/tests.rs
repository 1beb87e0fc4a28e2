mod measured;

use super::*;
use gemmscope_model::dtype::DataType;
use gemmscope_model::gemm::Operation;
use gemmscope_table::build::cell_text::RowError;
use gemmscope_table::build::{Row, TableBuilder};
use gemmscope_table::dataset::ColumnMeaning;
use gemmscope_table::fixture;

/// fp16 products of 4096 on an MI300X, 105.1 µs at the datasheet roof, with rates stated by the file: µs and TFLOP/s.
fn products(rows: &[(f64, f64)]) -> Frame {
    let mut t = TableBuilder::new();
    let rate = t.number_column(ColumnMeaning::ReportedRate, "rate");
    for (line, (us, tflops)) in (2..).zip(rows) {
        t.set_number(rate, tflops * 1e12);
        let op = Operation::uniform(DataType::Fp16);
        t.commit(line, b"", Ok(Row::new(4096, 4096, 4096, op, us * 1e-6)));
    }
    fixture::frame(t.finish(), Some("mi300x"))
}

fn of(trust: &Trust, about: About) -> Option<&Reason> {
    trust.reasons.iter().find(|r| r.about == about)
}

#[test]
fn what_agrees_is_sound() {
    // 137.44 GFLOP: 687.2 TFLOP/s in 200 µs, 549.8 in 250.
    let trust = Trust::of(&products(&[(200.0, 687.2), (250.0, 549.0)]));
    assert_eq!(trust.verdict, Verdict::Sound);
    let own = of(&trust, About::Reported).expect("rates");
    assert_eq!((own.count, own.of), (0, 2));
    assert_eq!(
        own.text,
        "Reported rates agree with the recomputed ones within 1 % in 2 of 2 rows."
    );
    assert_eq!(
        trust.words(),
        "sound: reported rates agree with the recomputed ones within 1 % in 2 of 2 rows"
    );
}

#[test]
fn a_little_above_the_roof_doubts_no_device() {
    // 102.9 % of the roof.
    let mut rows = vec![(200.0, 687.2); 9];
    rows.push((102.1, 1346.0));
    let trust = Trust::of(&products(&rows));
    let above = of(&trust, About::AboveRoof).expect("a row above the roof");
    assert_eq!((above.count, above.of, above.weight), (1, 10, Verdict::WithCare));
    assert!(above.text.ends_with("clocks, timers and the peak itself vary by as much."));
}

#[test]
fn a_doubt_is_said_in_short() {
    assert_eq!(Trust::of(&products(&[(200.0, 687.2)])).doubt(), None);
    let trust = Trust::of(&products(&[(50.0, 2748.8), (200.0, 687.2)]));
    let doubt = "Doubtful: 1 of 2 rows is above the datasheet roof.";
    assert_eq!(trust.doubt().as_deref(), Some(doubt));
}

#[test]
fn what_could_not_be_checked_or_used_is_said() {
    let mut t = TableBuilder::new();
    let op = Operation::uniform(DataType::Fp16);
    for (line, m) in [(2, 4096), (3, 2048)] {
        t.commit(line, b"", Ok(Row::new(m, 4096, 4096, op, 200e-6)));
    }
    for line in [4, 5] {
        t.commit(line, b"", Err(RowError::new("time is zero")));
    }
    t.commit(6, b"", Err(RowError::new("M is no number")));
    let trust = Trust::of(&fixture::frame(t.finish(), None));
    let skipped = of(&trust, About::Skipped).expect("skipped rows");
    assert_eq!(
        skipped.text,
        "3 of 5 rows could not be used: time is zero (2), M is no number (1)."
    );
    let roofless = of(&trust, About::NoRoof).expect("no roof");
    assert_eq!((roofless.count, roofless.of), (2, 2));
    let once = of(&trust, About::Once).expect("single measurements");
    assert_eq!(once.text, "Each of 2 rows is one measurement, without a spread.");
}

#[test]
fn rows_above_the_roof_and_other_rates_are_doubtful() {
    let trust = Trust::of(&products(&[(80.0, 1718.0), (200.0, 343.6), (300.0, 458.1)]));
    assert_eq!(trust.verdict, Verdict::Doubtful);
    let above = of(&trust, About::AboveRoof).expect("a row above the roof");
    assert_eq!((above.count, above.of, above.weight), (1, 3, Verdict::Doubtful));
    assert!((above.share.unwrap() - 80.0 / 580.0).abs() < 1e-9);
    assert!(above.text.contains("up to 131.4 %"), "{}", above.text);
    let own = of(&trust, About::Reported).expect("rates");
    assert_eq!((own.count, own.of, own.weight), (1, 3, Verdict::Doubtful));
    // Heaviest first.
    assert!(trust.reasons.is_sorted_by_key(|r| std::cmp::Reverse(r.weight)));
}

#[test]
fn a_warm_cache_explains_what_the_memory_could_not_deliver() {
    // 16 x 4096 x 4096: 33.8 MB, which DRAM needs 6.4 µs for and the cache of 256 MiB holds.
    let mut t = TableBuilder::new();
    for (line, us) in [(2, 4.0), (3, 20.0)] {
        let op = Operation::uniform(DataType::Fp16);
        t.commit(line, b"", Ok(Row::new(16, 4096, 4096, op, us * 1e-6)));
    }
    let mut data = t.finish();
    let trust = Trust::of(&fixture::frame(data.clone(), Some("mi300x")));
    assert_eq!(of(&trust, About::AboveRoof), None);
    let warm = of(&trust, About::WarmCache).expect("a warm cache");
    assert_eq!((warm.count, warm.of, warm.weight), (1, 2, Verdict::WithCare));
    let short = of(&trust, About::ShortCalls).expect("a short call");
    assert_eq!((short.count, short.weight), (1, Verdict::Sound));
    assert_eq!(trust.verdict, Verdict::WithCare);
    // Profiler times exclude the launch.
    data.sources[0].format = "kineto".to_owned();
    let trust = Trust::of(&fixture::frame(data, Some("mi300x")));
    assert_eq!(of(&trust, About::ShortCalls), None);
}

#[test]
fn no_cache_explains_a_rate_above_the_compute_peak() {
    let mut t = TableBuilder::new();
    let op = Operation::uniform(DataType::Bf16);
    t.commit(2, b"", Ok(Row::new(1024, 1024, 1024, op, 0.5e-6)));
    let trust = Trust::of(&fixture::frame(t.finish(), Some("h100-sxm")));
    assert_eq!(of(&trust, About::WarmCache), None);
    assert_eq!(of(&trust, About::AboveRoof).map(|r| r.count), Some(1));
}

#[test]
fn a_name_of_several_devices_is_no_assumption() {
    let mut t = TableBuilder::new();
    t.assume_device("V100", "Device from the file's name.");
    let op = Operation::uniform(DataType::Fp16);
    let mut row = Row::new(4096, 4096, 4096, op, 2e-3);
    row.device = t.device("V100");
    t.commit(2, b"", Ok(row));
    let trust = Trust::of(&fixture::frame(t.finish(), None));
    assert_eq!(of(&trust, About::Assumed), None);
    assert_eq!(of(&trust, About::NoRoof).map(|r| r.count), Some(1));
}

#[test]
fn what_is_assumed_and_what_varies_is_said() {
    let mut t = TableBuilder::new();
    let std = t.number_column(ColumnMeaning::TimeStd, "std");
    t.assume_device("NVIDIA H200", "Device from the file's name.");
    for (line, share) in [(2, 0.01), (3, 0.5)] {
        t.set_number(std, share * 200e-6);
        let op = Operation::uniform(DataType::Fp16);
        let mut row = Row::new(4096, 4096, 4096, op, 200e-6);
        row.device = t.device("NVIDIA H200");
        t.commit(line, b"", Ok(row));
    }
    let frame = fixture::frame(t.finish(), None);
    let trust = Trust::of(&frame);
    let spread = of(&trust, About::Spread).expect("a spread");
    assert_eq!((spread.count, spread.of, spread.weight), (1, 2, Verdict::WithCare));
    let assumed = of(&trust, About::Assumed).expect("an assumption");
    assert_eq!((assumed.count, assumed.of, assumed.weight), (1, 1, Verdict::WithCare));
    assert_eq!(trust.assumed[0].key, "device");
}

#[test]
fn nothing_is_sound_without_rows_or_times() {
    let frame = products(&[(200.0, 687.2)]);
    let mut untimed = (*frame.data).clone();
    untimed.time_s[0] = f64::NAN;
    for frame in [frame.with_rows(Default::default()), fixture::frame(untimed, Some("mi300x"))] {
        let trust = Trust::of(&frame);
        assert_eq!(trust.verdict, Verdict::WithCare);
        assert_eq!(trust.words(), "with care: no row has a time: nothing was measured");
    }
}

#[test]
fn nothing_is_sound_beside_a_question_about_device_unit_or_type() {
    let op = Operation::uniform(DataType::Fp16);
    let one = |row: Row, kernel: &str, assume: &dyn Fn(&mut TableBuilder)| {
        let mut t = TableBuilder::new();
        let rate = t.number_column(ColumnMeaning::ReportedRate, "rate");
        let name = t.text_column(ColumnMeaning::Kernel, "kernel");
        assume(&mut t);
        t.set_number(rate, row.m as f64 * 2.0 * 4096.0 * 4096.0 / row.time_s);
        t.set_text(name, kernel.as_bytes());
        t.commit(2, b"", Ok(row));
        Trust::of(&fixture::frame(t.finish(), Some("mi300x")))
    };
    let row = |us: f64| Row::new(4096, 4096, 4096, op, us * 1e-6);
    let sure = one(row(200.0), "gemm", &|_| {});
    assert_eq!(sure.verdict, Verdict::Sound, "{}", sure.words());
    // 105.1 µs at the roof: 3.5 % of it.
    let far = one(row(3000.0), "gemm", &|_| {});
    assert!(
        far.words().starts_with("doubtful: are device, type and unit right?"),
        "{}",
        far.words()
    );
    let other =
        one(row(200.0), "sm90_xmma_gemm_f16f16_f16f32_f32_tn_n_tilesize128x128x64", &|_| {});
    assert!(other.words().starts_with("doubtful: the kernels were built for"), "{}", other.words());
    // Rates that agree say nothing about the type.
    let typed =
        one(row(200.0), "gemm", &|t| t.assume_dtype(DataType::Fp16, "No type is stated: fp16."));
    assert_eq!(typed.verdict, Verdict::WithCare, "{}", typed.words());
}

#[test]
fn operands_a_little_larger_than_the_cache_may_still_lie_in_it() {
    // 4 x 14336 x 10240: 293.8 MB, which DRAM needs 55.4 µs for; the cache holds 268.4 MB.
    let shown = |us: f64, n: u32| {
        let mut t = TableBuilder::new();
        let op = Operation::uniform(DataType::Fp16);
        t.commit(2, b"", Ok(Row::new(4, n, 10240, op, us * 1e-6)));
        let trust = Trust::of(&fixture::frame(t.finish(), Some("mi300x")));
        of(&trust, About::WarmCache).map(|r| r.weight)
    };
    assert_eq!(shown(57.0, 14336), Some(Verdict::WithCare));
    // 80 % of the bandwidth needs no cache to explain it.
    assert_eq!(shown(70.0, 14336), None);
    // Twice as much does not fit in the cache.
    assert_eq!(shown(114.0, 28672), None);
}

#[test]
fn bandwidths_are_compared_beside_rates() {
    let mut t = TableBuilder::new();
    let rate = t.number_column(ColumnMeaning::ReportedRate, "rate");
    let bandwidth = t.number_column(ColumnMeaning::ReportedBandwidth, "bandwidth");
    for (line, gb_per_s) in [(2, 503.3), (3, 300.0)] {
        t.set_number(rate, 687.2e12);
        t.set_number(bandwidth, gb_per_s * 1e9);
        let op = Operation::uniform(DataType::Fp16);
        t.commit(line, b"", Ok(Row::new(4096, 4096, 4096, op, 200e-6)));
    }
    let trust = Trust::of(&fixture::frame(t.finish(), Some("mi300x")));
    let own = of(&trust, About::Reported).expect("figures of the file");
    // Bytes are counted in several ways: a bandwidth alone casts no doubt on figures.
    assert_eq!((own.count, own.of, own.weight), (1, 2, Verdict::WithCare));
}

#[test]
fn what_may_be_scatter_is_to_be_read_with_care() {
    // Each layout is the faster one for every second size.
    let mut t = TableBuilder::new();
    for i in 0..16u32 {
        for turned in [false, true] {
            let op = Operation::uniform(DataType::Bf16).with_layout(turned, false);
            let time_s = if (i % 2 == 0) == turned { 350e-6 } else { 200e-6 };
            t.commit(2, b"", Ok(Row::new(1024 + 64 * i, 4096, 4096, op, time_s)));
        }
    }
    let frame = fixture::frame(t.finish(), Some("mi300x"));
    let (alone, beside) = (Trust::of(&frame), Trust::beside(&frame, &Ledger::new(&frame)));
    assert_eq!(alone.verdict, Verdict::Sound);
    assert_eq!(beside.verdict, Verdict::WithCare);
    assert!(beside.words().contains("may be scatter"), "{}", beside.words());
}
