//! The largest wins and losses.

use super::panels::Panels;
use crate::labels::Rect;
use crate::layout::{EDGE, FONT};
use crate::legend;
use crate::plot::Bands;
use crate::scale::{Scale, ScaleKind};
use crate::scene::{BELOW, END, START, Scene};
use crate::text;
use gemmscope_analysis::compare::duel::DuelVerdict;
use gemmscope_model::units::{grouped, plural};
use gemmscope_words::compare::lead;

/// Height of a row: the usual one, and the minimum at which names are readable.
const ROW: (f64, f64) = (20.0, 14.0);
/// Room above the rows for their heading, and below them for the label "equal".
const AROUND: (f64, f64) = (30.0, 20.0);

impl Panels<'_> {
    /// The configurations furthest from equal, as bars from the line of equality.
    pub(super) fn ranked(&self, scene: &mut Scene, [left, top, width, height]: Rect) {
        let theme = scene.theme;
        let n = self.model.ranked.len();
        let room = (height - AROUND.0 - AROUND.1).max(0.0);
        let fitting = room / n as f64;
        // All rows if they fit; else both ends, with the number of rows in between.
        let both = (room / ROW.0 - 1.0).max(2.0) as usize;
        let (row, head, tail) = match both < n && fitting < ROW.1 {
            true => {
                // Each end shows only wins of its own side, if both sides have some.
                let wins = |of| self.model.duel.count(of) as usize;
                match (wins(DuelVerdict::A), wins(DuelVerdict::B)) {
                    (0, _) | (_, 0) => (ROW.0, both / 2, both - both / 2),
                    (of_a, of_b) => {
                        let head = (both / 2).max(both.saturating_sub(of_a)).min(of_b);
                        (ROW.0, head, (both - head).min(of_a))
                    }
                }
            }
            false => (fitting.clamp(ROW.1, ROW.0), n, 0),
        };
        let mut shown: Vec<Option<usize>> =
            self.model.ranked.iter().rev().take(head).copied().map(Some).collect();
        shown.extend((tail > 0).then_some(None));
        shown.extend(self.model.ranked[..tail].iter().rev().copied().map(Some));
        let log = |i: usize| self.model.duel.ratios[i].ratio.log2();
        let logs: Vec<f64> = shown.iter().flatten().map(|i| log(*i)).collect();
        let ends = logs.first().copied().zip(logs.last().copied());
        let verdict = |i: &Option<usize>| i.map(|i| self.model.duel.ratios[i].verdict);
        let won = |of: &[Option<usize>], by| of.iter().all(|i| verdict(i) == Some(by));
        let wins = won(&shown[..head], DuelVerdict::B)
            && won(&shown[shown.len() - tail..], DuelVerdict::A);
        self.ranked_heading(scene, [left, top, width, height], (head, tail, wins), ends);
        let bands = Bands {
            n: shown.len(),
            what: "Bars",
            row,
            most: Some(width * 0.5),
            name: &|k| match shown[k] {
                Some(i) => self.label(i),
                None => format!("{} between", grouped((n - head - tail) as u64)),
            },
            mark: &|k| shown[k].map(|i| (self.rows(i).collect(), i)),
        };
        let room = [left + 1.0, top + AROUND.0, width - 13.0, row * shown.len() as f64 + 0.01];
        let placed = bands.place(scene, room, self.options);
        let (from, to) = (placed.left + 3.0, left + width - 12.0);
        // A single bar also names the side that leads.
        let words = |ratio: f64| if n == 1 { self.leader(ratio) } else { lead(ratio) };
        let leads = shown.iter().flatten().map(|i| words(self.model.duel.ratios[*i].ratio));
        // Leads are written outside their bars: leave room on each side that has bars.
        let lead_room = text::widest(leads, FONT) + 10.0;
        let pad = |used: bool| if used { lead_room } else { 4.0 };
        let lo = logs.iter().copied().fold(0.0, f64::min);
        let hi = logs.iter().copied().fold(0.0, f64::max);
        let start = from + pad(lo < 0.0);
        let end = (to - pad(logs.iter().any(|v| *v >= 0.0))).max(start + 10.0);
        let x = Scale::new(ScaleKind::Linear, (lo.min(-1e-3), hi.max(1e-3)), (start, end));
        let z = x.px(0.0);
        for (k, y) in placed.each() {
            let Some(i) = shown[k] else { continue };
            let (r, e) = (self.model.duel.ratios[i], x.px(log(i)));
            let bar = [z.min(e), y + 0.15 * row, (e - z).abs().max(1.0), 0.7 * row];
            scene.fill(bar, self.color(r.verdict));
            let (at, hang) = if log(i) < 0.0 { (e - 5.0, END) } else { (e + 5.0, START) };
            scene.text((at, y + row / 2.0), words(r.ratio), theme.text, hang);
        }
        scene.line(vec![(z, placed.top), (z, placed.bottom())], theme.roof, 1.5);
        let half = text::width("equal", FONT, false) / 2.0;
        let middle = z.min(to - half);
        scene.text((middle, placed.bottom() + 4.0), "equal", theme.muted, BELOW);
    }

    /// Heading of the list: which part of all it shows, by the lead of its first and last entry, and whether each end
    /// shows only wins of its side.
    fn ranked_heading(
        &self,
        scene: &mut Scene,
        rect: Rect,
        (head, tail, wins): (usize, usize, bool),
        ends: Option<(f64, f64)>,
    ) {
        let (a, b) = self.model.names();
        let n = self.model.ranked.len();
        let of = format!("of {}", grouped(n as u64));
        let headings = match (tail, ends) {
            (0, _) if n == 1 => vec!["The one GEMM in common".to_owned()],
            (0, _) => vec![format!("All {}", plural(n as u64, "GEMM"))],
            _ => vec![
                match ends {
                    // A side that never wins has no best result.
                    Some((first, last)) if first <= 0.0 || last >= 0.0 => {
                        let (most, least, side) =
                            if first <= 0.0 { (tail, head, a) } else { (head, tail, b) };
                        format!("{most} largest and {least} smallest leads of {side}, {of}")
                    }
                    _ if !wins => format!("Both ends, {} {of}", head + tail),
                    _ => format!("{head} best for {b}, {tail} best for {a}, {of}"),
                },
                format!("Both ends, {} {of}", head + tail),
            ],
        };
        let room = rect[2] - 2.0 * EDGE;
        let fits = |h: &&String| text::width(h, FONT, true) <= room;
        if let Some(words) = headings.iter().find(fits).or(headings.last()) {
            legend::heading(scene, (rect[0] + EDGE, rect[1] + 14.0), room, words);
        }
    }
}
