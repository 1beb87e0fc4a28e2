use super::*;
use gemmscope_analysis::compare::duel::{Duel, Measure};
use gemmscope_analysis::compare::{Dispatch, Regret, Setup, Tally};
use gemmscope_model::dtype::DataType;
use gemmscope_model::gemm::Operation;
use gemmscope_table::field::{Field, Frame};
use gemmscope_table::fixture::Rows;

/// Runs of libraries: sizes, whether A is transposed, library, µs.
fn frame(runs: &[([u32; 3], bool, &str, f64)]) -> Frame {
    let mut rows = Rows::new();
    for ([m, n, k], trans_a, library, us) in runs {
        let op = Operation::uniform(DataType::Bf16).with_layout(*trans_a, false);
        rows.typed((*m, *n, *k), op, library, us * 1e-6, "");
    }
    rows.frame(Some("mi300x"))
}

/// The same GEMMs on x and y: µs of each.
fn pairs(times: &[(f64, f64)]) -> Frame {
    let runs = (1..).zip(times).flat_map(|(m, (x, y))| {
        [("x", *x), ("y", *y)].map(|(side, us)| ([64 * m, 64, 64], false, side, us))
    });
    frame(&runs.collect::<Vec<_>>())
}

fn duel(frame: &Frame, measure: Measure) -> (Comparison, Duel) {
    let c = Comparison::new(frame, &Setup::of(frame, Field::Column("library".into())));
    let duel = Duel::new(frame, &c, (0, 1), measure, 0.02);
    (c, duel)
}

fn said(times: &[(f64, f64)]) -> String {
    let (c, duel) = duel(&pairs(times), Measure::Rate);
    headline(&duel, &c)
}

#[test]
fn the_headline_is_the_lead_by_time() {
    assert_eq!(
        said(&[(1.0, 2.0), (1.0, 8.0), (1.0, 1.01)]),
        "x is 3.67x faster than y by time over 3 GEMMs (geometric mean 2.53x): faster in 2, slower in 0, within 2 % in \
         1."
    );
    let clear = said(&[(1.0, 2.0), (10.0, 60.0)]);
    assert!(
        clear.starts_with("x is 5.64x faster than y by time over 2 GEMMs (geometric mean 3.46x):"),
        "{clear}"
    );
}

#[test]
fn no_winner_is_named_against_time_or_the_tie() {
    // Twice slower, and once much faster.
    assert_eq!(
        said(&[(1.0, 1.1), (1.0, 1.1), (1.0, 0.5)]),
        "y is 1.11x faster than x by time over 3 GEMMs (geometric mean 1.18x), but not more often: \
         faster in 1, slower in 2."
    );
    let tied = said(&[(1.0, 1.01), (1.0, 1.01)]);
    assert!(
        tied.starts_with("No clear winner") && tied.contains("x 1.01x by time, x 1.01x by"),
        "{tied}"
    );
    let expected = "No clear winner between x and y on the one GEMM that both have (x 1.01x).";
    assert_eq!(said(&[(1.0, 1.01)]), expected);
    assert_eq!(
        said(&[(1.0, 0.5), (1000.0, 2000.0)]),
        "No clear winner between x and y over 2 GEMMs: x 2.00x by time, equal by geometric mean; x is \
         faster in 1, y in 1."
    );
    let even = said(&[(1.0, 1.03), (1.0, 1.03), (1.0, 0.91), (100.0, 104.0)]);
    assert!(even.starts_with("No clear winner between"), "{even}");
}

#[test]
fn who_loses_everywhere_is_said_first() {
    let f = pairs(&[(1.0, 2.0), (1.0, 8.0), (1.0, 1.01)]);
    let (c, _) = duel(&f, Measure::Rate);
    let tally = Tally::new(&c, 0.02, true);
    assert_eq!(fastest_counts(&tally), "x 2, y 0, 1 tie of 3 GEMMs");
    assert_eq!(losers(&tally), "");
    let strict = Tally::new(&c, 0.001, true);
    assert_eq!(
        losers(&strict),
        "y is slower than the fastest on all 3 GEMMs, taking 3.67x the time"
    );
    assert_eq!(
        tally_sentences(&strict)[1..],
        [
            "Fastest: x 3, y 0 of 3 GEMMs.",
            "Time relative to the fastest: x 1.00x (geometric mean 1.00x), y 3.67x (geometric mean 2.53x)."
        ]
    );
}

#[test]
fn what_the_join_leaves_out_is_counted() {
    let run = |trans_a, side| ([1, 64, 64], trans_a, side, 1.0);
    let f = frame(&[run(false, "x"), run(true, "x"), run(false, "y"), run(true, "y")]);
    let mut setup = Setup::of(&f, Field::Column("library".into()));
    setup.keys = vec![Field::Shape, Field::Dtype];
    let text = join(&Comparison::new(&f, &setup));
    assert!(text.contains("1 not told apart"), "{text}");
}

#[test]
fn noise_is_said() {
    let times = [(1.0, 1.05), (1.1, 1.15), (0.9, 0.95), (1.02, 1.07), (0.98, 1.03)];
    let runs = times.iter().flat_map(|(x, y)| {
        [("x", *x), ("y", *y)].map(|(side, us)| ([64, 64, 64], false, side, us))
    });
    let others = [1.0, 1.001, 0.999].into_iter().flat_map(|us| {
        [("x", us), ("y", us * 0.5)].map(|(side, us)| ([128, 64, 64], false, side, us))
    });
    let (c, duel) = duel(&frame(&runs.chain(others).collect::<Vec<_>>()), Measure::Rate);
    let text = headline(&duel, &c);
    assert!(text.contains("within noise in 1"), "{text}");
}

#[test]
fn the_exception_is_about_the_slower_side() {
    let text = |fast: &str, slow: &str| {
        let runs = [256, 320, 384, 448, 512, 640].into_iter().flat_map(|m| {
            let of = |m: u32, trans_a, us: [f64; 2]| {
                [(fast, us[0]), (slow, us[1])].map(|(side, us)| ([m, 64, 64], trans_a, side, us))
            };
            [of(m, false, [1.0, 4.0]), of(m + 1, false, [1.0, 4.0]), of(m, true, [3.0, 1.0])]
                .concat()
        });
        let f = frame(&runs.collect::<Vec<_>>());
        let (c, duel) = duel(&f, Measure::Rate);
        exception(&duel, &f, &c).unwrap()
    };
    let said = text("x", "y");
    assert_eq!(said, "But y is 3.00x faster by time where the layout is TN (6 GEMMs).");
    assert!(text("y", "x").starts_with("But x"));
}

#[test]
fn different_devices_are_said() {
    let mut rows = Rows::new();
    let work = 2.0 * 8192f64.powi(3);
    rows.row((8192, 8192, 8192), "x", work / 156e12, "A100 SXM4 80GB");
    rows.row((8192, 8192, 8192), "y", work / (1307.4e12 / 4.0), "MI300X");
    let f = rows.frame(None);
    let setup = Setup {
        keys: vec![Field::Shape, Field::Dtype],
        ..Setup::of(&f, Field::Column("library".into()))
    };
    let c = Comparison::new(&f, &setup);
    let roof = Duel::new(&f, &c, (0, 1), Measure::Roof, 0.02);
    assert!(devices(&roof, &f, &c).unwrap().contains("own roof"));
}

#[test]
fn the_best_of_all_and_what_the_default_costs() {
    let runs = |a: &'static str, b: &'static str| {
        [(1024, 200.0, 100.0), (2048, 300.0, 296.0), (4096, 400.0, 800.0)]
            .into_iter()
            .flat_map(|(n, x, y)| {
                [(a, x), (b, y)].map(|(side, us)| ([4096, n, 4096], false, side, us))
            })
            .collect::<Vec<_>>()
    };
    let f = frame(&runs("a", "b"));
    let (comparison, best) = Dispatch::of(&f).unwrap();
    assert_eq!(
        best_of_all(&best).unwrap(),
        "Best of all sides: 800 µs on 3 GEMMs, 1.12x faster than a alone (900 µs): a for 2, b for 1."
    );
    assert_eq!(
        dispatch_table(&best.lines(&f, &comparison)).csv().replace("\r\n", "\n"),
        "M,N,K,Batch,Types,Layout,Use,Time (µs),Lead,Calls,Saves (µs)\n\
         4096,1024,4096,1,bf16,NN,b,100,2,1,100\n\
         4096,2048,4096,1,bf16,NN,a,300,0.986667,1,0\n\
         4096,4096,4096,1,bf16,NN,a,400,2,1,0\n"
    );
    // b is the fastest by itself, but for half a percent.
    let few = [(1024, 200.0, 100.0), (2048, 298.0, 300.0)].into_iter();
    let few: Vec<_> = few
        .flat_map(|(n, x, y)| {
            [("a", x), ("b", y)].map(|(side, us)| ([4096, n, 4096], false, side, us))
        })
        .collect();
    assert_eq!(best_of_all(&Dispatch::of(&frame(&few)).unwrap().1), None);
    let (comparison, _) = Dispatch::of(&frame(&runs("hipBLASLt", "Triton"))).unwrap();
    assert_eq!(
        regret(&Regret::of(&comparison).unwrap()),
        "hipBLASLt, the default of programs, is over 10 % slower than the best measured on 1 of 3 GEMMs, 22.2 % of \
         its time."
    );
}
