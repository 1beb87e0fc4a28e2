//! Odd values, odd sizes, no rows: never a failure, never an empty picture without a message.

use crate::data::{colored, dataset, frame, frame_of};
use crate::views::look;
use gemmscope_chart::charts;
use gemmscope_chart::palette::Theme;
use gemmscope_chart::roofline::{Points, RooflineInput, hit_grid, roofline};
use gemmscope_chart::scene::Item;
use gemmscope_chart::svg::svg;
use gemmscope_table::dataset::Dataset;
use gemmscope_table::view_state::ViewState;
use std::sync::Arc;

#[test]
fn a_roofline_of_odd_values_or_sizes_never_fails() {
    let odd = [0.0, -1.0, f64::NAN, f64::INFINITY, 1e-300, 1e300, 1e-6];
    let mut d = dataset(odd.len() * odd.len(), "");
    for (i, t) in d.time_s.iter_mut().enumerate() {
        *t = odd[i % odd.len()];
    }
    for (i, m) in d.m.iter_mut().enumerate() {
        *m = [0, 1, u32::MAX][i % 3];
    }
    let frame = frame_of(d, Some("h100-sxm"));
    let points = Points::new(&frame.data, &frame.metrics);
    let theme = Theme::DARK;
    let coloring = colored(&frame, "m", &theme);
    let numbered: Vec<u32> = (0..60).collect();
    for a in odd {
        for b in odd {
            let mut input = RooflineInput::new(&frame, &points, &coloring, &theme, (a * 100.0, b));
            input.numbered = &numbered;
            input.hidden = &[true, false];
            input.dpr = a;
            input.density_above = 3;
            input.zoom = Some(((a, b), (b, a)));
            let chart = roofline(&input);
            assert!(svg(&chart.scene).ends_with("</svg>\n"));
            let _ = hit_grid(&input, &chart.plot);
            let _ = chart.camera().zoom_about((a, b), a);
        }
    }
}

#[test]
fn a_picture_smaller_than_its_words_never_fails() {
    let frame = frame(60);
    let state = ViewState::default();
    for kind in charts::CHARTS {
        let opened = (kind.open)(&charts::Inputs::new(&frame, &state));
        for (width, height) in [(1.0, 1.0), (8.0, 50.0), (20.0, 300.0), (40.0, 8.0), (800.0, 1.0)] {
            let scene = opened.scene(&look(&Theme::LIGHT, width, height, (0, 0)));
            assert!(svg(&scene).ends_with("</svg>\n"), "{}", kind.id);
        }
    }
}

#[test]
fn every_view_takes_any_field_any_size_and_any_data() {
    let odd = [0.0, -1.0, f64::NAN, f64::INFINITY, 1e-300, 1e300];
    let mut d = dataset(60, "");
    for (i, t) in d.time_s.iter_mut().enumerate() {
        *t = odd[i % odd.len()];
    }
    let mut none = frame(5);
    none.rows = Arc::new(Vec::new());
    for frame in [frame_of(d, Some("mi300x")), none, frame_of(Dataset::new(), None), frame(1)] {
        for kind in charts::CHARTS {
            // Every value of every setting, the others at their defaults.
            let mut settings = vec![ViewState::default()];
            for control in (kind.open)(&charts::Inputs::new(&frame, &ViewState::default()))
                .said
                .controls
                .clone()
            {
                use gemmscope_table::control::ControlKind;
                let values: Vec<String> = match control.kind {
                    ControlKind::Choice { options }
                    | ControlKind::Field { options }
                    | ControlKind::Several { options, .. } => {
                        options.into_iter().map(|o| o.value).collect()
                    }
                    ControlKind::Toggle => vec!["0".into(), "1".into()],
                    ControlKind::Number { min, max, .. } => vec![min.to_string(), max.to_string()],
                    _ => vec!["4".into(), "no such name".into()],
                };
                for value in values {
                    let mut state = ViewState::default();
                    state.set_param(&control.key, value);
                    settings.push(state);
                }
            }
            for state in settings {
                let opened = (kind.open)(&charts::Inputs::new(&frame, &state));
                let table = opened.table();
                assert!(table.rows.iter().all(|r| r.len() == table.header.len()), "{}", kind.id);
                for (theme, size) in [(&Theme::LIGHT, (800.0, 400.0)), (&Theme::DARK, (90.0, 60.0))]
                {
                    let scene = opened.scene(&look(theme, size.0, size.1, (7, 9999)));
                    assert!(svg(&scene).ends_with("</svg>\n"));
                    // Never an empty page without a message.
                    assert!(
                        !scene.hit_areas.is_empty()
                            || scene.message.is_some()
                            || scene.scroll().is_some()
                            || scene.items.iter().any(|i| matches!(i, Item::Marks(_))),
                        "{} {state:?}",
                        kind.id
                    );
                    assert!(opened.height(size.0).is_finite());
                }
            }
        }
    }
}
