//! The largest wins and losses.

use super::panels::Panels;
use crate::labels::Rect;
use crate::layout::FONT;
use crate::legend;
use crate::scale::{Kind, Scale};
use crate::scene::{Anchor, BELOW, Baseline, END, Scene};
use crate::text;
use gemmscope_analysis::compare::duel::lead;
use gemmscope_model::units::grouped;

impl Panels<'_> {
    /// The configurations furthest from equal, as bars from the line of equality.
    pub(super) fn ranked(&self, scene: &mut Scene, rect: Rect) {
        const ROW: f64 = 20.0;
        let room = ((rect[3] - 30.0 - 2.0 * ROW - 8.0) / ROW).max(2.0) as usize;
        let n = self.ranked.len();
        // All where they fit; else the two ends.
        let (head, tail) = if n <= room { (n, 0) } else { (room / 2, room - room / 2) };
        let top: Vec<usize> = self.ranked.iter().rev().take(head).copied().collect();
        let mut bottom: Vec<usize> = self.ranked.iter().take(tail).copied().collect();
        bottom.reverse();
        let shown: Vec<usize> = top.iter().chain(&bottom).copied().collect();
        let logs: Vec<f64> = shown.iter().map(|&i| self.duel.ratios[i].ratio.log2()).collect();
        let lo = logs.iter().copied().fold(0.0, f64::min);
        let hi = logs.iter().copied().fold(0.0, f64::max);
        let labels: Vec<String> = shown
            .iter()
            .map(|&i| self.comparison.label(self.frame, self.duel.ratios[i].configuration as usize))
            .collect();
        let widest = labels.iter().map(|l| text::width(l, FONT, false)).fold(0.0, f64::max);
        let label_w = widest.min(rect[2] * 0.5);
        let value_w = 58.0;
        let texts: Vec<&str> = labels.iter().map(String::as_str).collect();
        let labels = text::cut_apart(&texts, FONT, label_w);
        let x0 = rect[0] + 8.0 + label_w + 10.0;
        let room_x = rect[0] + rect[2] - 12.0 - x0;
        // A value stands outside its bar: room for one on each side that has bars.
        let pad = |used: bool| if used { value_w } else { 4.0 };
        let right = logs.iter().any(|v| *v >= 0.0);
        let x = Scale::new(
            Kind::Linear,
            (lo.min(-1e-3), hi.max(1e-3)),
            (x0 + pad(lo < 0.0), (x0 + room_x - pad(right)).max(x0 + pad(lo < 0.0) + 10.0)),
        );
        let ends = logs.first().copied().zip(logs.last().copied());
        self.ranked_heading(scene, rect, (head, tail), ends);
        let mut y = rect[1] + 30.0;
        let first_y = y;
        for (k, &i) in shown.iter().enumerate() {
            if k == head && tail > 0 {
                scene.text(
                    (x0 - 10.0, y + ROW / 2.0),
                    format!("{} between", grouped((n - head - tail) as u64)),
                    self.theme.muted,
                    END,
                );
                y += ROW;
            }
            let r = self.duel.ratios[i];
            let (z, e) = (x.px(0.0), x.px(logs[k]));
            let bar = [z.min(e), y + 3.0, (e - z).abs().max(1.0), ROW - 6.0];
            scene.text((x0 - 10.0, y + ROW / 2.0), labels[k].clone(), self.theme.text, END);
            scene.fill(bar, self.color(r.verdict));
            let (at, anchor) =
                if logs[k] < 0.0 { (e - 5.0, Anchor::End) } else { (e + 5.0, Anchor::Start) };
            scene.text(
                (at, y + ROW / 2.0),
                lead(r.ratio),
                self.theme.text,
                (anchor, Baseline::Middle),
            );
            scene.hit(self.rows(i), [rect[0] + 8.0, y, rect[2] - 20.0, ROW], self.tooltip(i));
            y += ROW;
        }
        let z = x.px(0.0);
        scene.line(vec![(z, first_y), (z, y)], self.theme.roof, 1.5);
        scene.text((z, y + 4.0), "equal", self.theme.muted, BELOW);
    }

    /// What of all stands in the list, by the lead of its first and its last.
    fn ranked_heading(
        &self,
        scene: &mut Scene,
        rect: Rect,
        (head, tail): (usize, usize),
        ends: Option<(f64, f64)>,
    ) {
        let (a, b) = self.duel.names(self.comparison);
        let n = self.ranked.len();
        let of = format!("of {}", grouped(n as u64));
        let headings = match (tail, ends) {
            (0, _) if n == 1 => vec!["The one configuration in common".to_owned()],
            (0, _) => vec![format!("All {}", super::counted(n as u64))],
            _ => vec![
                match ends {
                    // A side that never wins has no best.
                    Some((first, _)) if first <= 0.0 => {
                        format!("{tail} largest and {head} smallest leads of {a}, {of}")
                    }
                    Some((_, last)) if last >= 0.0 => {
                        format!("{head} largest and {tail} smallest leads of {b}, {of}")
                    }
                    _ => format!("{head} best for {b}, {tail} best for {a}, {of}"),
                },
                format!("Both ends, {} {of}", head + tail),
            ],
        };
        let room = rect[2] - 16.0;
        let fits = |h: &&String| text::width(h, FONT, true) <= room;
        if let Some(words) = headings.iter().find(fits).or(headings.last()) {
            legend::heading(scene, (rect[0] + 8.0, rect[1] + 14.0), room, self.theme, words);
        }
    }
}
