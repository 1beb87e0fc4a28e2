//! What rows show of how they were measured.

use super::*;

/// One fp16 GEMM a row on an MI300X: M, N, K, µs.
fn table(rows: impl IntoIterator<Item = (u32, u32, u32, f64)>) -> Trust {
    let mut t = TableBuilder::new();
    for (line, (m, n, k, us)) in (2..).zip(rows) {
        let op = Operation::uniform(DataType::Fp16);
        t.commit(line, b"", Ok(Row::new(m, n, k, op, us * 1e-6)));
    }
    Trust::of(&fixture::frame(t.finish(), Some("mi300x")))
}

/// Layers of three sizes for 4 to 4096 tokens, and what each takes, in µs, beside the roof time.
fn layers(us: impl Fn(usize, f64) -> f64) -> Vec<(u32, u32, u32, f64)> {
    let mut out = Vec::new();
    for (n, k) in [(512, 7168), (2048, 4096), (7168, 2048)] {
        for m in [4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096] {
            let work = 2.0 * f64::from(m) * f64::from(n) * f64::from(k);
            let bytes = 2.0 * f64::from(m * k + n * k + m * n);
            let roof_us = 1e6 * (work / 1307.4e12_f64).max(bytes / 5.3e12);
            out.push((m, n, k, us(out.len(), roof_us)));
        }
    }
    out
}

fn kept(trust: &Trust, rule: MeasuringRule) -> Option<bool> {
    trust.rules.iter().find(|r| r.rule == rule).expect("every rule").kept
}

/// Up to 4 % more or less, without an order.
fn jitter(row: usize) -> f64 {
    1.0 + 0.01 * ((row * 7 % 9) as f64 - 4.0)
}

#[test]
fn a_launch_in_the_time_is_a_plateau() {
    let launched = |row, roof_us: f64| (2.0 * roof_us).max(160.0) * jitter(row);
    let trust = table(layers(launched));
    let found = of(&trust, About::Plateau).expect("a plateau");
    assert_eq!((found.weight, trust.verdict), (Verdict::Doubtful, Verdict::Doubtful));
    assert!(found.count > 25 && found.of == 33, "{found:?}");
    assert!(
        found.text.contains("rows take 154 µs to 191 µs, however large they are"),
        "{}",
        found.text
    );
    assert_eq!(kept(&trust, MeasuringRule::Launch), Some(false));

    // The same in a graph: a floor of a few microseconds that sizes shine through, then the roof.
    let trust = table(layers(|row, roof_us| (9.0 + 2.5 * roof_us) * jitter(row)));
    assert_eq!(of(&trust, About::Plateau), None);
    assert_eq!(kept(&trust, MeasuringRule::Launch), Some(true));
    assert_ne!(trust.verdict, Verdict::Doubtful);

    // One K alone: the loop over it takes as long for any tile, which is no launch.
    let one_k = layers(launched).into_iter().filter(|(.., k, _)| *k == 4096);
    let trust = table(one_k);
    assert_eq!(of(&trust, About::Plateau), None);
    assert_eq!(kept(&trust, MeasuringRule::Launch), None);
}

#[test]
fn a_clock_that_has_not_settled_drifts() {
    let runs = |grows: f64| {
        let of_run = move |run: usize| {
            let slower = 1.0 + grows * run as f64;
            let row = move |i: u32| (1024 + 64 * i, 4096, 4096, 100.0 * f64::from(i + 1) * slower);
            (0..8).map(row)
        };
        table((0..4).flat_map(of_run))
    };
    let trust = runs(0.02);
    let found = of(&trust, About::Drift).expect("a drift");
    assert_eq!(
        (found.weight, kept(&trust, MeasuringRule::SettledClock)),
        (Verdict::WithCare, Some(false))
    );
    assert!(
        found.text.starts_with("The same GEMM takes 6.0 % longer at its last run"),
        "{}",
        found.text
    );
    assert!(
        of(&runs(-0.02), About::Drift).is_some_and(|r| r.text.contains("less at its last run"))
    );
    // Within what matters, and up and down.
    assert_eq!(of(&runs(0.004), About::Drift), None);
    let up_and_down =
        (0..64).map(|i| (1024 + 64 * (i % 8), 4096, 4096, 100.0 * jitter(i as usize)));
    let trust = table(up_and_down);
    assert_eq!(of(&trust, About::Drift), None);
    assert_eq!(kept(&trust, MeasuringRule::SettledClock), Some(true));
}

#[test]
fn a_coarse_timer_gives_one_time_to_many_sizes() {
    // A step of 0.48 µs.
    let coarse =
        |row, roof_us: f64| ((roof_us * jitter(row) / 0.48).ceil() * 0.48 * 100.0).round() / 100.0;
    let trust = table(layers(coarse));
    let found = of(&trust, About::TimerStep).expect("equal times");
    assert!(found.count >= 6, "{found:?}");
    assert_eq!(
        (found.weight, kept(&trust, MeasuringRule::FineTimer)),
        (Verdict::WithCare, Some(false))
    );
    // Equal by rounding, with other times close by.
    let trust = table(layers(|row, roof_us| ((9.0 + roof_us) * jitter(row) * 10.0).round() / 10.0));
    assert_eq!(of(&trust, About::TimerStep), None);
    assert!(
        trust.measuring().starts_with("Of the rules of measuring: kept "),
        "{}",
        trust.measuring()
    );
}
