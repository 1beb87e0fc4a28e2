use super::settings::SHOW;
use super::*;
use crate::density::Density;
use crate::palette::Theme;
use crate::scene::Item;
use crate::testing::{SIZES, clear_of_lines, draw_everywhere, golden, sound, two_libraries};
use gemmscope_table::control::Keyed;
use gemmscope_table::dataset::ColumnMeaning;
use gemmscope_table::fixture::Rows;
use gemmscope_table::view_state::ViewState;

fn look(theme: &Theme, size: usize) -> RenderOptions<'_> {
    RenderOptions::new(theme, (SIZES[size].0, SIZES[size].1))
}

fn opened(frame: &Frame, state: &ViewState) -> Chart {
    Compare::open(&Inputs::new(frame, state))
}

fn small() -> Frame {
    let mut rows = Rows::new();
    for (i, (m, ratio)) in
        [(16, 0.5), (64, 0.8), (256, 1.01), (1024, 1.5), (4096, 2.2)].into_iter().enumerate()
    {
        let t = 2e-5 * 3f64.powi(i as i32);
        for wobble in [0.98, 1.0, 1.03] {
            rows.row((m, 4096, 4096), "hipBLASLt", t * wobble, "MI300X");
            rows.row((m, 4096, 4096), "rocBLAS", t / ratio * wobble, "MI300X");
        }
    }
    rows.row((8, 8, 8), "rocBLAS", 1e-6, "MI300X");
    rows.frame(None)
}

#[test]
fn goldens() {
    let frame = small();
    let mut state = ViewState::default();
    for &(_, value, _) in Show::ALL.iter().filter(|show| show.0 != Show::History) {
        state.set_param("compare.show", value);
        let view = opened(&frame, &state);
        draw_everywhere(&format!("small-compare-{value}"), &view);
        for (size, name) in [(0, "phone"), (1, "desk")] {
            let scene = view.spoken(&look(&Theme::LIGHT, size));
            clear_of_lines(&scene);
            golden(&format!("compare-{value}-{name}"), &scene);
        }
    }
    golden("compare-dark", &opened(&frame, &ViewState::default()).spoken(&look(&Theme::DARK, 1)));
}

#[test]
fn the_best_of_all_is_a_bar_beside_the_sides_and_its_table_says_which_to_use() {
    let frame = small();
    let mut state = ViewState::default();
    state.set_param("compare.show", "best");
    let view = opened(&frame, &state);
    let scene = view.spoken(&look(&Theme::LIGHT, 1));
    let texts: Vec<&str> = scene.text_boxes().into_iter().map(|t| t.0).collect();
    for name in ["Best of all sides", "hipBLASLt", "rocBLAS"] {
        assert!(texts.contains(&name), "{texts:?}");
    }
    let table = view.table();
    assert_eq!(table.header[..7], ["M", "N", "K", "Batch", "Types", "Layout", "Use"]);
    // The five that both ran, and the one of rocBLAS alone.
    assert_eq!(table.rows.len(), 6);
    let best = "Best of all sides: ";
    assert!(view.said.verdict.iter().any(|s| s.starts_with(best)), "{:?}", view.said.verdict);
}

#[test]
fn panels_beside_each_other_keep_their_labels() {
    let (width, height) = SIZES[1];
    for frame in [small(), two_libraries()] {
        let view = opened(&frame, &ViewState::default());
        let scene = view.spoken(&look(&Theme::LIGHT, 1));
        let left = (width * 0.54).round();
        let lies_across = |(_, r): &(&str, Rect)| r[0] < left && r[0] + r[2] > left;
        assert_eq!(scene.text_boxes().into_iter().find(lies_across), None, "{height}");
        clear_of_lines(&scene);
    }
}

#[test]
fn one_configuration_in_common_is_one_bar() {
    let mut rows = Rows::new();
    rows.row((64, 64, 64), "x", 1e-6, "");
    rows.row((64, 64, 64), "y", 2e-6, "");
    let view = opened(&rows.frame(None), &ViewState::default());
    draw_everywhere("compare-single", &view);
    let scene = view.spoken(&look(&Theme::LIGHT, 1));
    assert_eq!(scene.hit_areas.len(), 1);
    assert!(scene.text_boxes().iter().any(|t| t.0 == "x 2.00x"), "{:?}", scene.text_boxes());
    assert!(view.said.controls.iter().all(|c| c.key != SHOW.key));
}

#[test]
fn ratios_are_written_in_x_near_equal_and_far_from_it() {
    let labels = |ends| {
        let ticks = panels::ratio_ticks(ends, 6).into_iter();
        ticks.filter_map(|t| Some((t.label?, (t.value.abs().exp2() * 100.0).round()))).collect()
    };
    let near: Vec<(String, f64)> = labels((-0.2, 0.2));
    let said = |of: &[(&str, f64)]| -> Vec<(String, f64)> {
        of.iter().map(|(label, percent)| ((*label).to_owned(), *percent)).collect()
    };
    let equal = ("equal", 100.0);
    let (tenth, half) = (("1.1x", 110.0), ("1.05x", 105.0));
    assert_eq!(near, said(&[tenth, half, equal, half, tenth]));
    let far: Vec<(String, f64)> = labels((-2.0, 2.0));
    let (two, four) = (("2x", 200.0), ("4x", 400.0));
    assert_eq!(far, said(&[four, two, equal, two, four]));
}

#[test]
fn a_dozen_rows_are_all_listed() {
    let mut rows = Rows::new();
    for m in 1..13 {
        rows.row((m, 64, 64), "x", 1e-6, "");
        rows.row((m, 64, 64), "y", 1e-6 + 1e-7 * f64::from(m), "");
    }
    let view = opened(&rows.frame(None), &ViewState::default());
    let scene = view.spoken(&RenderOptions::new(&Theme::LIGHT, (1040.0, 440.0)));
    sound(&scene);
    assert!(scene.text_boxes().iter().any(|t| t.0 == "All 12 GEMMs"));
}

#[test]
fn more_points_than_marks_are_a_density_image() {
    let mut rows = Rows::new();
    let n = Density::ABOVE as u32 + 10;
    for i in 0..n {
        rows.row((1 + i, 64, 64), "x", 1e-6, "");
        // From half to one and a half of the other's time.
        rows.row((1 + i, 64, 64), "y", 0.5e-6 + 1e-6 * f64::from(i) / f64::from(n), "");
    }
    let mut state = ViewState::default();
    state.set_param("compare.show", "scatter");
    let view = opened(&rows.frame(None), &state);
    let scene = view.spoken(&look(&Theme::LIGHT, 1));
    assert_eq!(scene.hit_areas.len(), Density::ABOVE);
    let image = scene.items.iter().find_map(|i| match i {
        Item::Image { rgba, .. } => Some(rgba),
        _ => None,
    });
    // In the colours of both sides, as the legend has them.
    let [mut orange, mut blue] = [0, 0];
    for pixel in image.unwrap().chunks_exact(4).filter(|pixel| pixel[3] > 0) {
        orange += u32::from(pixel[0] > pixel[2].saturating_add(40));
        blue += u32::from(pixel[2] > pixel[0].saturating_add(40));
    }
    assert!(orange > 100 && blue > 100, "{orange} {blue}");
}

#[test]
fn settings_are_read_one_by_one() {
    let frame = small();
    let mut state = ViewState::default();
    state.set_param("compare.a", "rocBLAS");
    state.set_param("compare.b", "no such side");
    state.set_param("compare.threshold", "many");
    state.set_param("compare.keys", "m,dtype,nonsense");
    let view = opened(&frame, &state);
    let current = |key: &str| {
        let c = view.said.controls.iter().find(|c| c.key == key);
        c.map(|c| c.current.clone()).unwrap_or_default()
    };
    assert_eq!(current("compare.a"), "rocBLAS");
    assert_eq!(current("compare.b"), "hipBLASLt");
    assert_eq!(current("compare.threshold"), "2");
    assert_eq!(current("compare.keys"), "m,dtype");
    let t = view.table();
    assert_eq!((t.rows.len(), t.header.len()), (5, t.rows[0].len()));
    let of_b = ["time, median (µs)", "repeats", "spread (µs)", "interquartile range (µs)"];
    let of_b =
        of_b.into_iter().chain(["standard deviation (µs)", "attained (TFLOP/s)", "% of roof"]);
    let of_b: Vec<String> = of_b.map(|figure| format!("hipBLASLt: {figure}")).collect();
    assert_eq!(t.header[8..15], of_b);
    assert_eq!(t.header[15..], ["hipBLASLt over rocBLAS (rate)", "Log2", "Verdict"]);
}

#[test]
fn the_reader_is_told_what_is_missing() {
    let mut rows = Rows::new();
    rows.row((8, 8, 8), "only", 1e-6, "");
    let view = opened(&rows.frame(None), &ViewState::default());
    let scene = view.spoken(&look(&Theme::LIGHT, 0));
    assert!(scene.message.is_some_and(|m| m.contains("second file")));
    sound(&view.spoken(&look(&Theme::DARK, 1)));

    let mut rows = Rows::new();
    rows.row((8, 8, 8), "x", 1e-6, "");
    rows.row((9, 8, 8), "y", 1e-6, "");
    let frame = rows.frame(None);
    let mut state = ViewState::default();
    let message = |s: &ViewState| opened(&frame, s).spoken(&look(&Theme::LIGHT, 0)).message;
    assert!(message(&state).is_some_and(|m| m.contains("The two sides share no GEMM")));
    state.set_param("compare.b", "x");
    assert!(message(&state).is_some_and(|m| m.contains("Both sides are x")));
    let empty = gemmscope_table::fixture::frame(gemmscope_table::dataset::Dataset::new(), None);
    assert!(opened(&empty, &state).spoken(&look(&Theme::LIGHT, 0)).message.is_some());
}

#[test]
fn sides_that_share_gemms_are_compared_first() {
    let mut rows = Rows::new();
    for m in [1, 2, 3, 4] {
        rows.row((m, 8, 8), "most rows", 1e-6, "");
        rows.row((10 * m, 8, 8), "fastest", 1e-9, "");
    }
    for m in [100, 200] {
        rows.row((m, 8, 8), "a", 2e-6, "");
        rows.row((m, 8, 8), "b", 1e-6, "");
    }
    let view = opened(&rows.frame(None), &ViewState::default());
    let current =
        |key: &str| view.said.controls.iter().find(|c| c.key == key).unwrap().current.clone();
    assert_eq!([current("compare.a"), current("compare.b")], ["a", "b"]);
}

#[test]
fn unasked_the_chart_is_of_the_two_best() {
    let open = |times: [f64; 3]| {
        let mut rows = Rows::new();
        for m in [1, 2, 3, 4] {
            for (library, time) in ["a", "b", "c"].into_iter().zip(times) {
                rows.row((m, 8, 8), library, time, "");
            }
        }
        opened(&rows.frame(None), &ViewState::default())
    };
    let pair = |view: &Chart| [1, 2].map(|i| view.said.controls[i].current.clone());
    // `c` always loses, which is said first; the open question is which is best.
    let view = open([1.01e-6, 1e-6, 9e-6]);
    assert!(view.said.verdict[0].starts_with("c is slower than the fastest on all 4 GEMMs"));
    assert_eq!(pair(&view), ["a", "b"]);
    let view = open([9e-6, 1e-6, 1e-6]);
    assert_eq!(pair(&view), ["b", "c"], "{:?}", view.said.verdict.clone());
    let view = open([2e-6, 1e-6, 1.9e-6]);
    assert!(view.said.verdict[0].starts_with("a is slower"), "{:?}", view.said.verdict.clone());
    assert_eq!(pair(&view), ["b", "c"]);
}

#[test]
fn many_shapes_fit() {
    let frame = two_libraries();
    let mut state = ViewState::default();
    for &(_, value, _) in Show::ALL {
        state.set_param("compare.show", value);
        let view = opened(&frame, &state);
        draw_everywhere(&format!("compare-{value}"), &view);
        // A GEMM that only one library ran has a side to use too.
        assert_eq!(view.table().rows.len(), if value == "best" { 537 } else { 500 });
    }
    // Every matched shape can be reached.
    state.set_param("compare.show", "scatter");
    let scene = opened(&frame, &state).spoken(&look(&Theme::LIGHT, 1));
    assert_eq!(scene.hit_areas.len(), 500);
    assert!(scene.hit_areas.iter().all(|m| m.rows.len() == 2));
}

/// Seven runs of three GEMMs, the first of which became slower at the fifth.
fn over_time() -> Frame {
    let mut rows = Rows::new();
    let [date, commit] =
        ["date", "commit"].map(|t| rows.table().text_column(ColumnMeaning::Other, t));
    for run in 0..7u32 {
        for (gemm, us) in [(0, 100.0), (1, 400.0), (2, 50.0)] {
            let slower = if gemm == 0 && run > 3 { 1.15 } else { 1.0 };
            for repeat in 0..3u32 {
                let wobble = 1.0 + f64::from((run * 5 + gemm * 3 + repeat * 7) % 4) * 0.002;
                rows.table().set_text(date, format!("2026-11-{:02}", run + 1).as_bytes());
                rows.table().set_text(commit, format!("c0ffee{run}").as_bytes());
                let size = (1024 + 512 * gemm, 4096, 4096);
                rows.row(size, "x", us * slower * wobble * 1e-6, "");
            }
        }
    }
    rows.frame(Some("h100-sxm"))
}

#[test]
fn runs_over_time_are_lines_and_say_what_changed() {
    let frame = over_time();
    let mut state = ViewState::default();
    state.set_param("compare.side", "c.date");
    let view = opened(&frame, &state);
    assert!(view.said.title.contains("1 of 3 GEMMs became slower"), "{:?}", view.said.title);
    assert!(view.said.verdict[1].contains("from c0ffee4 on"), "{:?}", view.said.verdict);
    assert_eq!((view.table().rows.len(), view.said.details[0].1.rows.len()), (21, 1));
    for over in ["change", "time", "roof"] {
        state.set_param("compare.over", over);
        let view = opened(&frame, &state);
        draw_everywhere(&format!("history-{over}"), &view);
        let scene = view.spoken(&look(&Theme::LIGHT, 1));
        assert_eq!(scene.hit_areas.len(), 21, "{over}");
        let tip = &scene.hit_areas[0].tooltip;
        assert!(tip.head.contains("Run c0ffee0"), "{tip:?}");
    }
    state.set_param("compare.over", "change");
    golden("compare-history-desk", &opened(&frame, &state).spoken(&look(&Theme::LIGHT, 1)));
    // Libraries have no history, and a link to one shows what there is.
    let libraries = small();
    state = ViewState::default();
    state.set_param("compare.show", "history");
    let view = opened(&libraries, &state);
    assert_eq!(view.said.controls[0].current, "overview");
}
