//! Best of all sides: the total time of every side alone, and of the best of all, split by the sides it uses.

use super::Compare;
use crate::charts::RenderOptions;
use crate::color_scale::ColorScale;
use crate::labels::Rect;
use crate::layout::FONT;
use crate::plot::Bands;
use crate::scale::{Scale, ScaleKind};
use crate::scene::{START, Scene};
use crate::text;
use gemmscope_analysis::compare::Dispatch;
use gemmscope_model::units::seconds_brief;
use gemmscope_words::compare::times;

/// Height of a bar with the space around it.
const ROW: f64 = 34.0;

/// One bar: name, label, and parts as pairs of side and seconds.
struct Bar {
    name: String,
    words: String,
    parts: Vec<(usize, f64)>,
}

/// The best of all, then the sides that ran all of its GEMMs, fastest first.
fn bars(best: &Dispatch) -> Vec<Bar> {
    let used = best.used_s.iter().copied().enumerate().filter(|(_, s)| *s > 0.0);
    let mut sides: Vec<(usize, f64)> =
        best.totals_s.iter().enumerate().filter_map(|(side, s)| Some((side, (*s)?))).collect();
    sides.sort_by(|a, b| a.1.total_cmp(&b.1));
    let of_side = |(side, total_s): (usize, f64)| Bar {
        name: best.names[side].clone(),
        words: format!("{}, {}", seconds_brief(total_s), times(total_s / best.time_s)),
        parts: vec![(side, total_s)],
    };
    let all = Bar {
        name: "Best of all sides".to_owned(),
        words: seconds_brief(best.time_s),
        parts: used.collect(),
    };
    std::iter::once(all).chain(sides.into_iter().map(of_side)).collect()
}

/// Draws the bars.
pub(super) fn draw(model: &Compare, scene: &mut Scene, room: Rect, options: &RenderOptions<'_>) {
    let Some(best) = &model.best else { return };
    let setup = &model.comparison.setup;
    let colors = ColorScale::of_values(&model.frame, &setup.side, &setup.sides, options.theme);
    let bars = bars(best);
    let [left, top, width, height] = room;
    let row = (height / bars.len() as f64).clamp(14.0, ROW);
    let bands = Bands {
        n: bars.len(),
        what: "Bars",
        row,
        most: Some(width * 0.5),
        name: &|k| bars[k].name.clone(),
        mark: &|_| None,
    };
    let place = [left + 1.0, top + 8.0, width - 13.0, row * bars.len() as f64 + 0.01];
    let placed = bands.place(scene, place, options);
    let from = placed.left + 3.0;
    let words = text::widest(bars.iter().map(|bar| bar.words.clone()), FONT) + 12.0;
    let to = (left + width - 12.0 - words).max(from + 10.0);
    let longest = bars.iter().map(|bar| bar.parts.iter().map(|p| p.1).sum()).fold(0.0, f64::max);
    let x = Scale::new(ScaleKind::Linear, (0.0, longest), (from, to));
    for (k, y) in placed.each() {
        let mut sum = 0.0;
        for (side, seconds) in &bars[k].parts {
            let (start, end) = (x.px(sum), x.px(sum + seconds));
            let color = colors.get(*side).copied().unwrap_or(options.theme.other);
            scene.fill([start, y + 0.2 * row, (end - start).max(1.0), 0.6 * row], color);
            sum += seconds;
        }
        let at = (x.px(sum) + 6.0, y + row / 2.0);
        scene.text(at, bars[k].words.clone(), options.theme.text, START);
    }
}
