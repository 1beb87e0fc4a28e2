//! The single best setting for all shapes of a sweep.

use super::{Panel, Sweep, SweepLine};
use crate::ledger::TIE;
use std::collections::BTreeMap;

/// Minimum fraction of the shapes that a setting must have run on to be a choice for all.
const RAN: f64 = 0.8;

/// The setting with the best average over the shapes of a sweep.
#[derive(Clone, Debug, PartialEq)]
pub struct SingleChoice {
    /// Label of the setting: `128`, `64×128`.
    pub label: String,
    /// Mean of rate / best rate over the shapes that it ran on, 0 to 1.
    pub share: f64,
    /// Number of shapes on which it is within [`TIE`] of the fastest.
    pub best: usize,
    /// Number of shapes that it ran on.
    pub ran: usize,
    /// Number of shapes with several settings.
    pub shapes: usize,
}

impl SingleChoice {
    /// True if it ran on enough shapes to be a choice for all of them.
    pub fn for_all(&self) -> bool {
        self.ran as f64 >= RAN * self.shapes as f64
    }
}

/// The best setting for all shapes together; if none ran on most of them, the one that is fastest on most.
fn single_choice(sweep: &Sweep) -> Option<SingleChoice> {
    /// Panel and column of its label, sum of shares, number of shapes it ran on, and number on which it ties with the
    /// fastest.
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

impl Sweep {
    /// Number of lines in all panels.
    pub fn count(&self) -> usize {
        self.panels.iter().map(|p| p.lines.len()).sum()
    }

    /// The setting with the best average over the shapes; if none ran on most of them, the one that is fastest on most.
    pub fn single_choice(&self) -> Option<SingleChoice> {
        single_choice(self)
    }
}

impl SweepLine {
    /// Number of its settings within [`TIE`] of the fastest.
    pub fn about_best(&self) -> usize {
        self.tried.iter().filter(|tried| tried.share * TIE >= 1.0).count()
    }
}
