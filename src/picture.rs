//! Any view as a picture without a page around it: what the command renders, what reports and
//! saved pages hold.

use crate::chart::palette::Theme;
use crate::chart::roofline::settings;
use crate::chart::scene::Scene;
use crate::chart::view::{self, Look};
use crate::dataset::Dataset;
use crate::field::Frame;
use crate::filter::Mask;
use crate::hardware::Device;
use crate::metrics::Metrics;
use crate::view_state::{RowRef, ViewState};
use std::sync::Arc;

/// The view of a state that names none.
pub const FIRST: &str = "roofline";

/// Keys of the page's views that are no pictures: sentences, rows, the planner.
pub const NOT_DRAWN: [&str; 3] = ["overview", "table", "plan"];

/// Keys and questions of the views that can be drawn, in the order of the page's tabs.
pub fn views() -> Vec<(&'static str, &'static str)> {
    let first = (
        FIRST,
        "Every GEMM by arithmetic intensity and attained rate, under what its device allows",
    );
    let others = view::VIEWS.iter().map(|v| (v.id, v.hint));
    std::iter::once(first).chain(others).collect()
}

/// The rows that a view state shows of some data, with their figures. `custom` are devices that
/// the catalogue lacks. Filters that are too many are named.
pub fn frame(data: Dataset, state: &ViewState, custom: &[Device]) -> (Frame, Vec<String>) {
    let devices = state.devices.resolve(&data.devices, custom);
    let metrics = Metrics::compute(&data, devices, state.roof);
    let whole = Frame::all(Arc::new(data), Arc::new(metrics));
    let mut mask = Mask::default();
    let refused = mask.update(&state.filters, &whole);
    let rows = Arc::new(mask.passing());
    (Frame { rows, ..whole }, refused)
}

/// The pictures of a report: the roofline of a view state and where its time is lost, in light
/// colours, unzoomed.
pub fn for_report(frame: &Frame, state: &ViewState) -> Vec<crate::report::Picture> {
    ["", "pareto"]
        .into_iter()
        .filter_map(|view| {
            let mut state = state.clone();
            state.view = view.to_owned();
            state.params.retain(|key, _| !key.starts_with("zoom."));
            let scene = draw(frame, &state, (960.0, None), &Theme::LIGHT)?;
            let narrow = draw(frame, &state, (400.0, None), &Theme::LIGHT)?;
            Some(crate::report::Picture {
                title: scene.title.clone(),
                svg: crate::chart::svg::svg(&scene),
                narrow: crate::chart::svg::svg(&narrow),
            })
        })
        .collect()
}

/// Draws the view that the state names; `None` where there is no such view. `size` in CSS pixels;
/// a height of `None` is the one at which everything can be read.
pub fn draw(
    frame: &Frame,
    state: &ViewState,
    (width, height): (f64, Option<f64>),
    theme: &Theme,
) -> Option<Scene> {
    let selected = RowRef::find(&state.selection, &frame.data);
    let look = |height| Look {
        theme,
        width,
        height,
        selected: &selected,
        first: view::first_of(state, &state.view),
    };
    if state.view.is_empty() || state.view == FIRST {
        let height = height.unwrap_or((width * 0.6).max(360.0));
        return Some(settings::picture(frame, state, &look(height)));
    }
    let opened = (view::by_id(&state.view)?.open)(frame, state);
    let height = height.unwrap_or_else(|| opened.height(width));
    Some(opened.scene(&look(height)))
}
