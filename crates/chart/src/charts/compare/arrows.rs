//! Arrows on the roofline, from each configuration's point on side A to its point on side B.

use super::panels::Panels;
use crate::clip;
use crate::labels::Rect;
use crate::layout;
use crate::layout::{Axis, FONT, Plot};
use crate::legend;
use crate::legend::Swatch;
use crate::palette::alpha;
use crate::scale;
use crate::scale::{Kind, Scale};
use crate::scene::{Anchor, Baseline, HitArea, Item, Point, Scene, Symbol};
use crate::ticks;
use crate::ticks::Format;
use gemmscope_analysis::compare::duel::Verdict;
use gemmscope_model::order::InOrder;
use gemmscope_model::roofline::Roof;
use gemmscope_model::units::grouped;

/// Arrows that are drawn at most, the longest ones; a sentence says how many there are.
const MOST: usize = 600;

/// One configuration on the roofline: AI and rate of both sides.
struct Arrow {
    index: usize,
    from: Point,
    to: Point,
}

/// Draws roofs of every device involved and the arrows.
pub(super) fn draw(p: &Panels<'_>, scene: &mut Scene, rect: Rect) {
    let (a, b) = p.duel.names(p.comparison);
    let mut order: Vec<usize> = (0..p.duel.ratios.len()).collect();
    let gap = |i: usize| p.duel.ratios[i].ratio.ln().abs();
    order.order_by(|&x, &y| gap(y).total_cmp(&gap(x)));
    let all = order.len();
    order.truncate(MOST);
    let metrics = &p.frame.metrics;
    let data = &p.frame.data;
    let mut roofs: Vec<(Roof, String, Vec<String>)> = Vec::new();
    let mut arrows = Vec::with_capacity(order.len());
    for index in order {
        let mut point = |side: usize| -> Option<Point> {
            let s = p.comparison.sample(p.duel.ratios[index].configuration as usize, side)?;
            let row = *p.comparison.rows_of(s).first()? as usize;
            if let Some(roof) = metrics.roof(data, row) {
                let device = metrics.devices[data.device[row] as usize]
                    .as_ref()
                    .map_or("", |d| d.name.as_str());
                let dtype = data.ops[data.op[row] as usize].compute.to_string();
                // Types with the same rate share a line and a label.
                match roofs.iter_mut().find(|r| r.0 == roof && r.1 == device) {
                    Some(r) if r.2.contains(&dtype) => {}
                    Some(r) => r.2.push(dtype),
                    None => roofs.push((roof, device.to_owned(), vec![dtype])),
                }
            }
            Some((metrics.ai[row], s.rate))
        };
        if let (Some(from), Some(to)) = (point(p.duel.a), point(p.duel.b)) {
            arrows.push(Arrow { index, from, to });
        }
    }
    let ends = || arrows.iter().flat_map(|x| [x.from, x.to]);
    let x_data = scale::extent(Kind::Log, ends().map(|e| e.0)).unwrap_or((1.0, 1000.0));
    let peaks = roofs.iter().map(|r| r.0.peak_flops_per_s);
    let y_data = scale::extent(Kind::Log, ends().map(|e| e.1).chain(peaks)).unwrap_or((1e9, 1e15));
    // The ridge belongs in the picture: it is what the points are read against.
    let ridge = roofs.iter().map(|r| r.0.ridge()).fold(x_data.1, f64::max);
    let x_domain = scale::padded(Kind::Log, (x_data.0, ridge.max(x_data.1)), 0.06);
    let y_domain = scale::padded(Kind::Log, y_data, 0.06);
    let mut entries: Vec<(Swatch, String)> =
        [(Verdict::B, "up, faster"), (Verdict::A, "down, slower"), (Verdict::Even, "tie")]
            .into_iter()
            .filter(|(v, _)| p.duel.count(*v) > 0)
            .map(|(v, words)| (Swatch::Solid(p.color(v)), format!("{a} to {b}: {words}")))
            .collect();
    if all > MOST {
        entries.push((
            Swatch::Mark(Symbol::Dot, p.theme.other),
            format!("{MOST} largest gaps of {}", grouped(all as u64)),
        ));
    }
    let legend = legend::legend(None, (0.0, 0.0), rect[2] - 24.0, p.theme, &entries);
    let top = 30.0 + legend;
    let y_scale = Scale::new(Kind::Log, y_domain, (0.0, 1.0));
    let y_ticks = ticks::ticks(&y_scale, (rect[3] / 50.0) as usize, &Format::rate());
    let left = layout::Margins::for_ticks(&y_ticks).left;
    let x_scale = Scale::new(Kind::Log, x_domain, (0.0, 1.0));
    let plot = Plot::new(
        [
            rect[0] + left,
            rect[1] + top,
            (rect[2] - left - 14.0).max(1.0),
            (rect[3] - top - 42.0).max(1.0),
        ],
        x_scale,
        y_scale,
    );
    scene.fill(plot.rect, p.theme.panel);
    let axis = |title: &str, ticks| Axis { title: title.to_owned(), ticks, grid: true };
    let x_ticks = ticks::ticks(&x_scale, (rect[2] / 80.0) as usize, &Format::plain(""));
    layout::axes(
        scene,
        &plot,
        p.theme,
        &axis("Arithmetic intensity, FLOP/B", x_ticks),
        &axis("Attained", y_ticks),
    );
    legend::legend(Some(scene), (rect[0] + 10.0, rect[1] + 4.0), rect[2] - 24.0, p.theme, &entries);
    for (roof, device, types) in &roofs {
        let line: Vec<Point> = [x_domain.0, roof.ridge(), x_domain.1]
            .into_iter()
            .filter(|x| (x_domain.0..=x_domain.1).contains(x))
            .map(|x| (plot.x.px(x), plot.y.px(roof.at(x))))
            .collect();
        for piece in clip::polyline(&line, plot.rect) {
            scene.line(piece, p.theme.roof, 1.5);
        }
        let y = plot.y.px(roof.peak_flops_per_s);
        if roofs.len() <= 4 {
            scene.text(
                (plot.rect[0] + plot.rect[2] - 4.0, y - 3.0),
                format!(
                    "{device} {}: {}",
                    types.join(", "),
                    Format::rate().write(roof.peak_flops_per_s, 4)
                ),
                FONT,
                p.theme.roof,
                (Anchor::End, Baseline::Bottom),
            );
        }
    }
    scene.items.push(Item::Clip { rect: plot.rect });
    let opacity = if arrows.len() > 100 { 0.5 } else { 0.85 };
    // Paint the longest first, so that they do not hide the short ones.
    for arrow in &arrows {
        let at = |(x, y): Point| (plot.x.px(x), plot.y.px(y));
        let (from, to) = (at(arrow.from), at(arrow.to));
        let verdict = p.duel.ratios[arrow.index].verdict;
        let color = alpha(p.color(verdict), opacity);
        scene.items.push(Item::Symbol { at: from, radius: 1.8, symbol: Symbol::Dot, color });
        legend::arrow(scene, from, to, color, 1.2);
        scene.hit_areas.push(HitArea {
            rows: p.rows(arrow.index),
            rect: [to.0 - 5.0, to.1 - 5.0, 10.0, 10.0],
            tooltip: p.tooltip(arrow.index),
        });
    }
    scene.items.push(Item::Unclip);
}
