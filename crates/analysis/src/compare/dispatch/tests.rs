use super::*;
use gemmscope_model::dtype::DataType;
use gemmscope_model::gemm::Operation;
use gemmscope_table::fixture::Rows;
use proptest::prelude::*;

/// Runs of (N, library, µs), with one type and layout.
fn frame(runs: &[(u32, &'static str, f64)]) -> Frame {
    let mut rows = Rows::new();
    for (n, library, us) in runs {
        rows.typed((4096, *n, 4096), Operation::uniform(DataType::Bf16), library, us * 1e-6, "");
    }
    rows.frame(Some("mi300x"))
}

const RUNS: [(u32, &str, f64); 8] = [
    (1024, "a", 200.0),
    (1024, "b", 100.0),
    // Less than 2 %: a tie.
    (2048, "a", 300.0),
    (2048, "b", 296.0),
    (4096, "a", 400.0),
    (4096, "b", 800.0),
    // Not run by all sides.
    (8192, "b", 900.0),
    (8192, "c", 900.0),
];

#[test]
fn each_gemm_takes_the_fastest_side_and_ties_are_counted() {
    let f = frame(&RUNS[..6]);
    let (comparison, best) = Dispatch::of(&f).unwrap();
    assert_eq!((best.names[best.baseline].as_str(), best.shared), ("a", 3));
    let sides: Vec<usize> = best.picks.iter().map(|p| p.side).collect();
    assert_eq!((&sides[..], &best.used[..], best.ties), (&[1, 1, 0][..], &[1, 1][..], 1));
    assert_eq!([best.time_s, best.baseline_s].map(|s| (s * 1e6).round()), [796.0, 900.0]);
    let lines = best.lines(&f, &comparison);
    let first: Vec<(u32, &str)> = lines.iter().map(|l| (l.n, l.side.as_str())).collect();
    assert_eq!(first, [(1024, "b"), (2048, "b"), (4096, "a")]);
    // The threshold says what a tie is, and changes no time.
    let strict = Dispatch::new(&f, &comparison, 0.0).unwrap();
    assert_eq!((strict.used.as_slice(), strict.ties), (&[1, 2][..], 0));
    assert_eq!((strict.time_s * 1e6).round(), 796.0);
    // Of equal sides the baseline.
    let equal = [(1024, "b", 100.0), (1024, "a", 100.0), (2048, "b", 200.0), (2048, "a", 100.0)];
    let (_, best) = Dispatch::of(&frame(&equal)).unwrap();
    assert_eq!(best.names[best.baseline], "a");
    assert!(best.picks.iter().all(|p| p.side == best.baseline));
    assert_eq!((best.used.iter().sum::<u64>(), best.ties), (1, 1));
}

#[test]
fn what_the_default_costs() {
    let named = |a, b| {
        let runs: Vec<_> =
            RUNS[..6].iter().map(|(n, l, us)| (*n, if *l == "a" { a } else { b }, *us)).collect();
        Regret::of(&Dispatch::of(&frame(&runs)).unwrap().0)
    };
    let found = named("hipBLASLt", "Triton").unwrap();
    assert_eq!((found.side.as_str(), found.slow, found.all), ("hipBLASLt", 1, 3));
    assert!((found.share - 2.0 / 9.0).abs() < 1e-12);
    assert_eq!(named("Triton", "CUTLASS"), None);
}

#[test]
fn sides_that_share_no_gemm_with_all_others_still_have_a_best() {
    let (_, best) = Dispatch::of(&frame(&RUNS)).unwrap();
    // The side that ran most is the baseline.
    assert_eq!((best.names[best.baseline].as_str(), best.shared), ("b", 4));
    assert_eq!(best.totals_s.iter().map(Option::is_some).collect::<Vec<_>>(), [false, true, false]);
    assert_eq!((best.baseline_s * 1e6).round(), 2096.0);
    assert_eq!((best.time_s * 1e6).round(), 1696.0);
    assert_eq!(best.picks.len(), 4);
}

#[test]
fn nobody_chooses_between_devices_call_by_call() {
    let mut rows = Rows::new();
    for (device, time_s) in [("mi300x", 200e-6), ("h100-sxm", 100e-6)] {
        rows.row((4096, 4096, 4096), "", time_s, device);
        rows.row((4096, 2048, 4096), "", time_s, device);
    }
    assert_eq!(Dispatch::of(&rows.frame(None)).map(|_| ()), None);
    assert_eq!(Dispatch::of(&frame(&RUNS[..1])).map(|_| ()), None);
}

proptest! {
    #[test]
    fn the_best_of_all_is_the_sum_of_the_fastest_and_no_order_changes_it(
        runs in proptest::collection::vec((1u32..6, 0usize..3, 10.0..500.0f64), 2..30),
        seed in any::<u64>(),
    ) {
        let mut runs: Vec<(u32, &'static str, f64)> =
            runs.into_iter().map(|(n, l, us)| (512 * n, ["a", "b", "c"][l], us.round())).collect();
        // One run each.
        runs.sort_by(|a, b| (a.0, a.1).cmp(&(b.0, b.1)));
        runs.dedup_by_key(|run| (run.0, run.1));
        let Some((comparison, best)) = Dispatch::of(&frame(&runs)) else { return Ok(()) };
        let shared: Vec<usize> = (0..comparison.len())
            .filter(|c| match comparison.matched > 0 {
                true => comparison.samples(*c).len() == best.names.len(),
                false => comparison.samples(*c).len() > 1 && comparison.sample(*c, best.baseline).is_some(),
            })
            .collect();
        let fastest_s: f64 = shared
            .iter()
            .map(|c| comparison.samples(*c).iter().map(|s| s.1.time_s).fold(f64::INFINITY, f64::min))
            .sum();
        // Whatever a tie is.
        for threshold in [0.0, TIE, 0.5] {
            prop_assert!((Dispatch::over(&comparison, threshold).time_s - fastest_s).abs() < 1e-12);
        }
        let parts: f64 = best.used_s.iter().sum();
        prop_assert!((parts - best.time_s).abs() < 1e-12);
        prop_assert_eq!(best.used.iter().sum::<u64>() + best.ties, best.shared);
        prop_assert!(best.time_s <= best.baseline_s + 1e-12);
        // Order may change which of two equally fast sides is chosen, but no total.
        let n = runs.len();
        let mut state = seed | 1;
        for i in (1..n).rev() {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            runs.swap(i, (state >> 33) as usize % (i + 1));
        }
        let (_, again) = Dispatch::of(&frame(&runs)).unwrap();
        prop_assert_eq!(again.shared, best.shared);
        if comparison.matched > 0 {
            prop_assert!((again.baseline_s - best.baseline_s).abs() < 1e-12);
        }
    }
}
