//! The one setting to take for all shapes of a sweep, and what a sweep says in one sentence.

use super::{Panel, Sweep, TileSource};
use crate::ledger::TIE;
use gemmscope_model::gemm::Problem;
use gemmscope_model::tiling::Axis;
use gemmscope_model::units::{capitalized, grouped, percent, plural};
use std::collections::BTreeMap;

/// A setting that ran on a smaller share of the shapes is no choice for all of them.
const RAN: f64 = 0.8;

/// The setting that does best on average over the shapes of a sweep.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct SingleChoice {
    /// `128`, `64×128`.
    pub label: String,
    /// Mean over the shapes it ran on of its rate over the best one, 0 to 1.
    pub share: f64,
    /// Shapes on which it is within [`TIE`] of the fastest.
    pub best: usize,
    /// Shapes that it ran on.
    pub ran: usize,
    /// Shapes with several settings.
    pub shapes: usize,
}

impl SingleChoice {
    /// True where it ran on so many of the shapes that it is a choice for all of them.
    fn for_all(&self) -> bool {
        self.ran as f64 >= RAN * self.shapes as f64
    }
}

/// The best setting for all shapes together; where none ran on most of them, that which is the fastest
/// on most.
pub(super) fn single_choice(sweep: &Sweep) -> Option<SingleChoice> {
    /// Where the label of a setting is, the sum of its shares, the shapes that it ran on, and was about the fastest on.
    type Tried<'a> = ((&'a Panel, usize), f64, usize, usize);
    let mut of: BTreeMap<(u32, u32), Tried<'_>> = BTreeMap::new();
    let mut shapes = 0;
    for panel in &sweep.panels {
        for line in panel.lines.iter().filter(|l| l.best.is_some()) {
            shapes += 1;
            for tried in &line.tried {
                let i = tried.column as usize;
                let entry = of.entry(panel.columns[i]).or_insert(((panel, i), 0.0, 0, 0));
                entry.1 += tried.share;
                entry.2 += 1;
                entry.3 += usize::from(tried.share * TIE >= 1.0);
            }
        }
    }
    let each = of.into_iter().map(|(_, ((panel, i), sum, ran, best))| SingleChoice {
        label: panel.column_label(i),
        share: sum / ran as f64,
        best,
        ran,
        shapes,
    });
    each.max_by(|a, b| {
        let by_kind = match a.for_all() {
            true => a.share.total_cmp(&b.share),
            false => a.best.cmp(&b.best),
        };
        a.for_all().cmp(&b.for_all()).then(by_kind)
    })
}

/// Up to so many shapes are named in sentences.
pub const NAMED: usize = 3;

impl Sweep {
    /// How many lines all panels have.
    pub fn count(&self) -> usize {
        self.panels.iter().map(|p| p.lines.len()).sum()
    }

    /// What the map says in one sentence; up to [`NAMED`] shapes with their best setting.
    pub fn headline(&self) -> String {
        let lines = self.count();
        let what = match self.source {
            TileSource::BestColumn => ", as stated",
            TileSource::Columns => "",
            TileSource::KernelNames => ", tiles from kernel names",
        };
        let axis = self.axis.label();
        let with = |label: &str| match self.axis {
            Axis::Bn | Axis::Bm | Axis::BmBn | Axis::Bk => format!("Tile {axis} = {label}"),
            Axis::SplitK | Axis::Stages | Axis::Warps => format!("{} = {label}", capitalized(axis)),
        };
        let single = single_choice(self);
        let mut text = match lines {
            2.. if let Some(c) = single.as_ref().filter(|c| c.best == c.shapes) => format!(
                "{} is within 2 % of the fastest on {}{what}",
                with(&c.label),
                match c.shapes {
                    2 => "both shapes".to_owned(),
                    n => format!("all {} shapes", grouped(n as u64)),
                }
            ),
            1..=NAMED => format!("Best {axis}: {}{what}", self.winners().join(", ")),
            n => match single {
                Some(c) if c.for_all() => format!(
                    "{} is the best single choice{what}: {} of the best rate on average, within \
                     2 % of it on {} of {}",
                    with(&c.label),
                    percent(c.share),
                    grouped(c.best as u64),
                    plural(c.shapes as u64, "shape")
                ),
                Some(c) => format!(
                    "{} is within 2 % of the fastest on {} of the {} that tried it, of {} in all{what}",
                    with(&c.label),
                    grouped(c.best as u64),
                    plural(c.ran as u64, "shape"),
                    grouped(n as u64)
                ),
                None => format!("Best {axis} of {}{what}", plural(n as u64, "shape")),
            },
        };
        if self.agreement.1 > 0 {
            text.push_str(&format!(
                ". The model's pick of {axis} is the best measured in {} of {}",
                grouped(self.agreement.0),
                grouped(self.agreement.1)
            ));
        }
        if self.model_reaches.is_finite() {
            text.push_str(&format!(
                "; its picks reach {} of the best rate",
                percent(self.model_reaches)
            ));
        }
        text.push('.');
        text
    }

    /// The best setting of each shape: `64 for 384 × 3072 × 1024`.
    fn winners(&self) -> Vec<String> {
        let mut out = Vec::new();
        for panel in &self.panels {
            for line in &panel.lines {
                let Problem { m, n, k, .. } = line.problem;
                let best = line.best.map_or("unknown".to_owned(), |i| panel.column_label(i));
                let as_fast = line.tried.iter().filter(|tried| tried.share * TIE >= 1.0).count();
                let alike = match as_fast {
                    0 | 1 => String::new(),
                    n => format!(" ({} within 2 %)", plural(n as u64 - 1, "other")),
                };
                out.push(format!("{best}{alike} for {m} × {n} × {k}"));
            }
        }
        out
    }
}
