//! Measurements without sizes: filled marks under the roof of their device and type. They are not rows.

use super::{Contents, Extras, Planned, RoofLine, merge_roof};
use crate::palette::Theme;
use crate::tooltip::Tooltip;
use gemmscope_model::units::{FlopsPerSec, Intensity, percent};
use gemmscope_table::dataset::RatePoint;

/// The measurements without sizes, as marks; none if the intensity is by bytes that a profiler counted, since it is
/// unknown which bytes theirs are.
pub(super) fn extras(opened: &Contents, theme: &Theme) -> Extras {
    let (data, metrics) = (&*opened.frame.data, &*opened.frame.metrics);
    let mut out = Extras::default();
    if opened.settings.ai.level().is_some() {
        return out;
    }
    for point in data.points() {
        let share = point.efficiency(data, metrics);
        let rate = match (opened.settings.share, share) {
            (true, Some(share)) => share,
            (true, None) => continue,
            (false, _) => point.rate,
        };
        out.planned.push(Planned {
            ai: point.intensity,
            rate,
            trail: Vec::new(),
            label: String::new(),
            tooltip: tooltip(point, share),
            color: theme.categories[0],
            measured: true,
        });
        let code = data.devices.iter().position(|name| *name == point.device);
        let device = code.and_then(|code| metrics.devices.get(code)?.as_ref());
        if let Some(roof) = device.and_then(|device| RoofLine::of(device, point.dtype)) {
            merge_roof(&mut out.roofs, roof);
        }
    }
    out
}

fn tooltip(point: &RatePoint, share: Option<f64>) -> Tooltip {
    let name = match point.name.as_str() {
        "" => format!("line {}", point.line),
        name => name.to_owned(),
    };
    let out = Tooltip::new(name)
        .row("Type", point.dtype.name())
        .row("Attained", FlopsPerSec(point.rate).to_string())
        .row("AI", Intensity(point.intensity).to_string());
    let out = share.into_iter().fold(out, |out, share| out.row("% of roof", percent(share)));
    out.row("Sizes", "not stated")
}
