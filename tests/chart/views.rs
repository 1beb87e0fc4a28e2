//! The other views, as the page opens them: by key, with settings of a link.

use crate::data::frame;
use crate::golden::picture_and_table;
use gemmscope_chart::chart::{Chart, RenderOptions};
use gemmscope_chart::charts::{self, Inputs};
use gemmscope_chart::palette::Theme;
use gemmscope_chart::scene::Scene;
use gemmscope_table::field::Frame;
use gemmscope_table::view_state::ViewState;

pub(crate) fn look(
    theme: &Theme,
    width: f64,
    height: f64,
    first: (usize, usize),
) -> RenderOptions<'_> {
    RenderOptions { first, ..RenderOptions::new(theme, (width, height)) }
}

fn state(params: &[(&str, &str)]) -> ViewState {
    let mut state = ViewState::default();
    for (key, value) in params {
        state.set_param(key, *value);
    }
    state
}

/// A view as the page opens it: by key, with settings of a link.
fn open(id: &str, frame: &Frame, params: &[(&str, &str)]) -> Chart {
    (charts::by_id(id).unwrap().open)(&Inputs::new(frame, &state(params)))
}

fn chart(name: &str, view: &Chart, scene: &Scene) {
    picture_and_table(name, scene, &view.said.sentences(), &view.table());
}

const DESK: (f64, f64) = (1040.0, 520.0);
const PHONE: (f64, f64) = (358.0, 420.0);

#[test]
fn cells() {
    let frame = frame(900);
    let map = open(
        "cells",
        &frame,
        &[("explore.x", "n"), ("explore.y", "k"), ("explore.figure", "attained")],
    );
    assert_eq!(map.table().rows.len(), 48);
    let scene = map.spoken(&look(&Theme::LIGHT, DESK.0, DESK.1, (0, 0)));
    assert!(scene.scroll().is_none());
    chart("cells-light", &map, &scene);
    let phone = open(
        "cells",
        &frame,
        &[
            ("explore.x", "time"),
            ("explore.y", "c.model"),
            ("explore.statistic", "weighted"),
            ("explore.sort_y", "value"),
        ],
    );
    chart("cells-phone-dark", &phone, &phone.spoken(&look(&Theme::DARK, PHONE.0, PHONE.1, (0, 0))));
    let row = open("cells", &frame, &[("explore.y", "none"), ("explore.x", "shape")]);
    let scene = row.spoken(&look(&Theme::LIGHT, DESK.0, 320.0, (0, 0)));
    let (_, columns, rows) = scene.scroll().unwrap();
    assert!(columns.scrolls() && rows.total == 1);
    assert_eq!(row.table().rows.len(), columns.total);
    chart("cells-row-light", &row, &scene);
    let found = open(
        "cells",
        &frame,
        &[("explore.y", "none"), ("explore.x", "shape"), ("explore.find", "4096 × 4096")],
    );
    let names: Vec<String> = found.table().rows.into_iter().map(|r| r[0].clone()).collect();
    assert!(!names.is_empty() && names.iter().all(|n| n.contains("4096 × 4096")));
}

#[test]
fn split_bars() {
    let frame = frame(300);
    let bars = open("bars", &frame, &[]);
    let scene = bars.spoken(&look(&Theme::LIGHT, 1040.0, 640.0, (0, 20)));
    let (_, _, rows) = scene.scroll().unwrap();
    assert_eq!((rows.first, rows.total), (20, 300));
    assert_eq!(scene.hit_areas.len(), rows.shown);
    chart("bars-light", &bars, &scene);
    let phone = open(
        "bars",
        &frame,
        &[
            ("explore.x", "c.model"),
            ("explore.statistic", "weighted"),
            ("color", "c.model"),
            ("explore.scale", "linear"),
        ],
    );
    chart("bars-phone-dark", &phone, &phone.spoken(&look(&Theme::DARK, PHONE.0, PHONE.1, (0, 0))));
    // Beyond the end is clamped; the order can be reversed.
    let up = open("bars", &frame, &[("explore.up", "1")]);
    let rate = |v: &Chart| {
        v.table().rows.iter().map(|r| r[3].clone()).filter(|r| !r.is_empty()).collect::<Vec<_>>()
    };
    let (mut down, up) = (rate(&bars), rate(&up));
    down.reverse();
    assert!(down == up && down.len() > 200);
    let last = bars.spoken(&look(&Theme::LIGHT, 1040.0, 640.0, (0, 9999)));
    assert_eq!(last.scroll().unwrap().2.first, 300 - rows.shown);
}

#[test]
fn boxes() {
    let frame = frame(600);
    let strip = open("boxes", &frame, &[]);
    chart("boxes-light", &strip, &strip.spoken(&look(&Theme::LIGHT, DESK.0, DESK.1, (0, 0))));
    let phone = open(
        "boxes",
        &frame,
        &[
            ("explore.x", "c.model"),
            ("explore.figure", "attained"),
            ("explore.sort", "value"),
            ("color", "none"),
        ],
    );
    chart("boxes-phone-dark", &phone, &phone.spoken(&look(&Theme::DARK, PHONE.0, PHONE.1, (0, 0))));
}
