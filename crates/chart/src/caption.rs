//! The caption of a saved picture: title, device, files and filter above it, the key to its numbered points below.

use crate::aggregate::used;
use crate::layout::{EDGE, FONT};
use crate::scene::{START, Scene};
use crate::text;
use gemmscope_model::units::plural;
use gemmscope_table::control::Control;
use gemmscope_table::field::Frame;
use gemmscope_table::filter::{Filters, value_name};
use gemmscope_table::view_state::ViewState;

/// Size of the title.
const TITLE: f64 = 14.0;
/// Height of a line.
const LINE: f64 = 16.0;
/// Space left and right.
const SIDE: f64 = EDGE;
/// Width for a number in the key.
const NUMBER: f64 = 22.0;
/// Number of files named at most; the others are counted.
const FILES: usize = 4;

/// View state parameter with the name that a picture's author gives it.
pub(crate) const NAME: &str = "name";

/// The control of a picture's name.
pub(crate) fn name_control(state: &ViewState) -> Control {
    let hint = "Heads the saved picture; the link carries it";
    Control::text(state, NAME, "Name", hint).more()
}

/// Title of a saved picture: the name that its author gives it, else that of the view.
pub fn title(state: &ViewState, view: &str) -> String {
    let name = state.param(NAME).map(str::trim).filter(|name| !name.is_empty());
    name.unwrap_or(view).to_owned()
}

/// The text around a saved picture.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Caption {
    /// [`title`] of the picture.
    pub title: String,
    /// Devices, files and filters; unknown ones are left out.
    pub facts: Vec<String>,
    /// The numbered points, in ascending order of number.
    pub key: Vec<(usize, String)>,
}

impl Caption {
    /// Caption of a view of `frame`.
    pub fn of(frame: &Frame, filters: &Filters, title: &str, key: Vec<(usize, String)>) -> Self {
        let data = &*frame.data;
        let rows = || frame.rows.iter().map(|r| *r as usize);
        let devices = used(rows().map(|r| data.device[r]), data.devices.len());
        let mut devices: Vec<String> = devices
            .into_iter()
            .filter_map(|i| match frame.metrics.devices.get(i) {
                Some(Some(device)) => Some(device.name.clone()),
                _ => data.devices.get(i).filter(|n| !n.is_empty()).cloned(),
            })
            .collect();
        devices.dedup();
        let files = used(rows().map(|r| data.source[r]), data.sources.len());
        let more = files.len().saturating_sub(FILES);
        let mut files: Vec<String> =
            files.into_iter().take(FILES).map(|i| data.sources[i].name.clone()).collect();
        if more > 0 {
            files.push(format!("{more} more"));
        }
        let facts = [devices.join(", "), files.join(", "), words(frame, filters).join(", ")];
        Caption {
            title: title.to_owned(),
            facts: facts.into_iter().filter(|f| !f.is_empty()).collect(),
            key,
        }
    }

    /// Height of the caption at this width, CSS pixels.
    pub fn height(&self, width: f64) -> f64 {
        let above = 8.0 + TITLE * 1.4 + LINE * self.head(width).len() as f64;
        let lines = self.key.len().div_ceil(self.columns(width).0);
        above + if lines == 0 { 0.0 } else { 8.0 + LINE * lines as f64 }
    }

    /// The lines below the title.
    fn head(&self, width: f64) -> Vec<String> {
        text::wrap(&self.facts.join(" · "), FONT, (width - 2.0 * SIDE).max(40.0))
    }

    /// Number of columns of the key, and the width of each.
    fn columns(&self, width: f64) -> (usize, f64) {
        let room = (width - 2.0 * SIDE).max(40.0);
        let one = text::widest(self.key.iter().map(|k| &k.1), FONT) + NUMBER + 16.0;
        let columns = ((room / one) as usize).clamp(1, self.key.len().max(1));
        (columns, room / columns as f64)
    }

    /// The picture with the caption around it.
    pub fn around(&self, mut scene: Scene) -> Scene {
        let head = self.head(scene.width);
        let top = 8.0 + TITLE * 1.4 + LINE * head.len() as f64;
        let width = scene.width;
        scene.add_above(top, scene.theme.background);
        let room = width - 2.0 * SIDE;
        let title = text::ellipsis(&self.title, TITLE * 1.1, room);
        let at = (SIDE, 8.0 + TITLE * 0.7);
        scene.bold(at, title, TITLE, scene.theme.text, START);
        let first = 8.0 + TITLE * 1.4;
        for (i, line) in head.into_iter().enumerate() {
            let y = first + LINE * (i as f64 + 0.5);
            scene.text((SIDE, y), line, scene.theme.muted, START);
        }
        if !self.key.is_empty() {
            let bottom = scene.height;
            let (columns, step) = self.columns(width);
            let lines = self.key.len().div_ceil(columns);
            scene.height += 8.0 + LINE * lines as f64;
            scene.fill([0.0, bottom, width, scene.height - bottom], scene.theme.background);
            for (i, (number, name)) in self.key.iter().enumerate() {
                // Fill the columns top to bottom.
                let x = SIDE + step * (i / lines) as f64;
                let y = bottom + LINE * ((i % lines) as f64 + 0.5);
                scene.bold((x, y), number.to_string(), FONT, scene.theme.text, START);
                let name = text::ellipsis(name, FONT, step - NUMBER);
                scene.text((x + NUMBER, y), name, scene.theme.muted, START);
            }
        }
        scene
    }
}

/// The filters in words.
fn words(frame: &Frame, filters: &Filters) -> Vec<String> {
    let mut out = Vec::new();
    if let Some(only) = &filters.only {
        out.push(plural(only.len(), "row"));
    }
    for (field, values) in &filters.facets {
        let label = frame.info(field).map_or_else(|| field.to_string(), |i| i.label);
        let values: Vec<&str> = values.iter().map(|v| value_name(v)).collect();
        out.push(format!("{label}: {}", values.join(" or ")));
    }
    for (field, range) in &filters.ranges {
        out.extend(frame.info(field).map(|info| range.words(&info)));
    }
    if !filters.search.is_empty() {
        out.push(format!("search: {}", filters.search));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::palette::Theme;
    use gemmscope_table::fixture::Rows;

    #[test]
    fn a_saved_picture_says_what_it_is_of() {
        let mut rows = Rows::new();
        rows.row((64, 64, 4096), "x", 1e-5, "");
        let frame = rows.frame(Some("h100-sxm"));
        let (state, _) = ViewState::decode("f.dtype=fp16&r.m=64..&q=gemm");
        let key = vec![(1, "64 × 64 × 4096".to_owned()), (2, "other".to_owned())];
        let named = ViewState::decode("name=before%20tuning").0;
        assert_eq!(title(&named, "Roofline"), "before tuning");
        let title = title(&state, "Roofline");
        let caption = Caption::of(&frame, &state.filters, &title, key);
        assert_eq!(caption.facts.len(), 3, "{:?}", caption.facts);
        assert!(caption.facts[0].contains("H100"));
        assert_eq!(caption.facts[2], "Type: fp16, M ≥ 64, search: gemm");
        for width in [358.0, 960.0] {
            let plain = Scene::new(&Theme::LIGHT, (width, 400.0), "x");
            let scene = caption.around(plain);
            assert!((scene.height - 400.0 - caption.height(width)).abs() < 1e-9);
            crate::testing::sound(&scene);
            let dump = scene.dump();
            for said in ["Roofline", "H100", "Type: fp16", "64 × 64 × 4096"] {
                assert!(dump.contains(said), "{said}: {dump}");
            }
        }
    }
}
