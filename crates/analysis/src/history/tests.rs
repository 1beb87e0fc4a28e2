use super::*;
use gemmscope_table::fixture::Rows;

/// A run: date, commit, host, and the time of each GEMM in µs, once for each repeat.
type Ran<'a> = (&'a str, &'a str, &'a str, &'a [&'a [f64]]);

fn frame(runs: &[Ran<'_>]) -> Frame {
    let mut rows = Rows::new();
    let [date, commit, host] = ["date", "commit", "host"]
        .map(|title| rows.table().text_column(ColumnMeaning::Other, title));
    for (when, of, at, gemms) in runs {
        for (gemm, repeats) in gemms.iter().enumerate() {
            for us in *repeats {
                for (column, text) in [(date, when), (commit, of), (host, at)] {
                    rows.table().set_text(column, text.as_bytes());
                }
                rows.row((1024 + 64 * gemm as u32, 4096, 4096), "x", us * 1e-6, "");
            }
        }
    }
    rows.frame(Some("h100-sxm"))
}

/// Runs of one GEMM, a commit each on one host.
fn of_one(times: &[f64]) -> RunHistory {
    let dates: Vec<String> = (0..times.len()).map(|i| format!("2026-11-{:02}", i + 1)).collect();
    let commits: Vec<String> = (0..times.len()).map(|i| format!("abc{i:04}")).collect();
    let single: Vec<[f64; 1]> = times.iter().map(|t| [*t]).collect();
    let gemms: Vec<[&[f64]; 1]> = single.iter().map(|t| [&t[..]]).collect();
    let runs: Vec<Ran<'_>> = (0..times.len())
        .map(|i| (dates[i].as_str(), commits[i].as_str(), "node1", &gemms[i][..]))
        .collect();
    RunHistory::of(&frame(&runs), LEAST_CHANGE).unwrap()
}

fn found(history: &RunHistory) -> Vec<(usize, ChangeVerdict)> {
    history.lines[0].changes.iter().map(|c| (c.run, c.verdict)).collect()
}

#[test]
fn a_new_level_is_a_change_and_an_outlier_is_none() {
    use ChangeVerdict::*;
    assert_eq!(found(&of_one(&[100.0, 101.0, 100.5, 110.0, 109.0, 110.5])), [(3, Change)]);
    // The newest run alone: a gate cannot wait for the next.
    let newest = of_one(&[100.0, 101.0, 100.5, 100.0, 110.0]);
    assert_eq!(found(&newest), [(4, Change)]);
    let (line, change) = newest.slower_now()[0];
    assert!((change.longer - 0.0973).abs() < 1e-3, "{change:?}");
    assert!((line.lost_s() - 9.75e-6).abs() < 1e-8);
    // What an earlier run showed already is not new.
    assert!(of_one(&[100.0, 101.0, 100.5, 110.0, 109.0, 110.5]).slower_now().is_empty());
    assert_eq!(found(&of_one(&[100.0, 101.0, 130.0, 100.5, 100.0, 101.0])), []);
    // Two changes, the second one a gain.
    let two = of_one(&[100.0, 101.0, 100.0, 120.0, 121.0, 120.0, 90.0, 91.0, 90.0]);
    assert_eq!(found(&two), [(3, Change), (6, Change)]);
    assert!(two.lines[0].lost_s() < 0.0 && two.slower_now().is_empty());
}

#[test]
fn a_change_is_beyond_the_spread_between_runs() {
    use ChangeVerdict::*;
    // 5 % more, where neighbours differ by 4 %.
    let noisy = of_one(&[100.0, 104.0, 100.0, 104.0, 107.0, 107.5]);
    assert!(noisy.lines[0].real().next().is_none(), "{:?}", noisy.lines[0]);
    // Two runs tell nothing of their own spread.
    assert_eq!(found(&of_one(&[100.0, 130.0])), [(1, TooFew)]);
    // A smaller step than the least is not said.
    assert_eq!(found(&of_one(&[100.0, 100.1, 100.0, 101.5, 101.4, 101.5])), []);
}

#[test]
fn runs_of_one_commit_and_of_several_hosts_tell_how_far_runs_differ() {
    use ChangeVerdict::*;
    let run = |time: &'static [f64], date, commit, host| (date, commit, host, time);
    let history = |runs: &[(&str, &str, &str, &'static [f64])]| {
        let gemms: Vec<[&[f64]; 1]> = runs.iter().map(|r| [r.3]).collect();
        let runs: Vec<Ran<'_>> =
            runs.iter().zip(&gemms).map(|(r, g)| (r.0, r.1, r.2, &g[..])).collect();
        found(&RunHistory::of(&frame(&runs), LEAST_CHANGE).unwrap())
    };
    // One commit: 100 and 106. So 107 is nothing new.
    let of_commit = [
        run(&[100.0], "2026-11-01", "aaa", "n"),
        run(&[106.0], "2026-11-02", "aaa", "n"),
        run(&[107.0], "2026-11-03", "bbb", "n"),
    ];
    assert!(history(&of_commit).iter().all(|c| c.1 == WithinRuns), "{:?}", history(&of_commit));
    // The host changes with the step, and no commit ran on both.
    let mut moved = [
        run(&[100.0], "2026-11-01", "aaa", "n1"),
        run(&[100.2], "2026-11-02", "bbb", "n1"),
        run(&[112.0], "2026-11-03", "ccc", "n2"),
        run(&[112.1], "2026-11-04", "ddd", "n2"),
    ];
    assert_eq!(history(&moved), [(2, OtherHost)]);
    // A commit ran on both: 13 % between hosts.
    moved[2].1 = "bbb";
    assert_eq!(history(&moved), [(2, WithinHosts)]);
    // Repeats of a run that differ by more than the step.
    let wide = [
        run(&[95.0, 100.0, 105.0, 97.0, 103.0], "2026-11-01", "aaa", "n"),
        run(&[95.0, 100.0, 105.0, 97.0, 103.0], "2026-11-02", "bbb", "n"),
        run(&[100.0, 104.0, 109.0, 101.0, 107.0], "2026-11-03", "ccc", "n"),
    ];
    assert_eq!(history(&wide), [(2, WithinRepeats)]);
}

#[test]
fn all_gemms_together_the_movers_by_lost_time_and_what_is_gone() {
    let slow: [&[f64]; 3] = [&[100.0], &[1000.0], &[10.0]];
    let later: [&[f64]; 3] = [&[100.0], &[1100.0], &[13.0]];
    let last: [&[f64]; 2] = [&[100.5], &[1101.0]];
    let h = RunHistory::of(
        &frame(&[
            ("2026-11-04", "d", "", &last),
            ("2026-11-01", "a", "", &slow),
            ("2026-11-02", "b", "", &slow),
            ("2026-11-03", "c", "", &later),
        ]),
        LEAST_CHANGE,
    )
    .unwrap();
    assert_eq!(h.runs.names, ["a", "b", "c", "d"]);
    assert!(h.runs.over_time() && h.runs.kind == RunKind::Column);
    // 100 µs more count for more than 30 %.
    let movers: Vec<f64> = h.movers().iter().map(|l| l.lost_s() * 1e6).collect();
    assert!((movers[0] - 100.5).abs() < 0.01, "{movers:?}");
    assert_eq!(h.gone().len(), 1);
    // The newest run has two GEMMs, which all runs have.
    assert_eq!(h.totals().len(), 4);
    assert!((h.totals()[0].1 - 1.1e-3).abs() < 1e-9);
    assert_eq!(h.all.points.len(), 4);
    assert!(h.all.points[2].time_s > h.all.points[0].time_s);
}

#[test]
fn generations_are_runs_whose_points_are_the_best() {
    let mut rows = Rows::new();
    let order = rows.table().number_column(ColumnMeaning::Order, "Generation");
    for (generation, us) in [(0.0, 30.0), (0.0, 25.0), (1.0, 20.0), (1.0, 90.0), (2.0, 22.0)] {
        rows.table().set_number(order, generation);
        rows.row((4096, 4096, 4096), "x", us * 1e-6, "");
    }
    let h = RunHistory::of(&rows.frame(None), LEAST_CHANGE).unwrap();
    assert_eq!(h.runs.names, ["generation 0", "generation 1", "generation 2"]);
    assert_eq!(h.lines.len(), 1);
    assert!(h.lines[0].changes.is_empty() && !h.runs.over_time());
}

#[test]
fn files_in_an_order_are_runs() {
    let of = |names: &[&str]| {
        let mut all = gemmscope_table::dataset::Dataset::new();
        for (at, name) in names.iter().enumerate() {
            let mut rows = Rows::new();
            rows.row((64, 64, 64), "x", 1e-6 * (at + 1) as f64, "");
            let mut data = (*rows.frame(None).data).clone();
            data.sources[0].name = (*name).to_owned();
            all.append(data);
        }
        RunSeries::of(&gemmscope_table::fixture::frame(all, None)).unwrap()
    };
    let runs = of(&["2026-11-28-c0ffee.csv", "2026-11-27-c0ffee.csv", "2026-11-29-1234abc.csv"]);
    assert_eq!(runs.names, ["c0ffee of 2026-11-27", "c0ffee of 2026-11-28", "1234abc"]);
    assert!(runs.over_time());
    let runs = of(&["run10.csv", "run9.csv"]);
    assert_eq!((runs.names, runs.ordered), (vec!["run 9".into(), "run 10".into()], true));
    // No order is stated, so that of the files stays; libraries are no runs.
    let runs = of(&["hipblaslt.csv", "cublas.csv"]);
    assert_eq!(runs.values, ["hipblaslt.csv", "cublas.csv"]);
    assert!(!runs.over_time());
}
