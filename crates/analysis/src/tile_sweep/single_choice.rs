//! The one setting to take for all shapes of a sweep.

use super::Sweep;
use std::collections::BTreeMap;

/// A setting that ran on a smaller share of the shapes is no choice for all of them.
const RAN: f64 = 0.8;

/// The setting that does best on average over the shapes of a sweep.
#[derive(Clone, Debug, PartialEq)]
pub struct SingleChoice {
    /// `128`, `64×128`.
    pub label: String,
    /// Mean over the shapes it ran on of its rate over the best one, 0 to 1.
    pub share: f64,
    /// Shapes on which it is the fastest.
    pub best: usize,
    /// Shapes with several settings.
    pub shapes: usize,
}

/// The best setting for all shapes together; `None` where no setting ran on most of them.
pub fn single_choice(sweep: &Sweep) -> Option<SingleChoice> {
    // By setting: its label, the sum of its shares, the shapes that it ran on and won.
    let mut of: BTreeMap<(u32, u32), (String, f64, usize, usize)> = BTreeMap::new();
    let mut shapes = 0;
    for panel in &sweep.panels {
        for line in panel.lines.iter().filter(|l| l.best.is_some()) {
            shapes += 1;
            for (i, cell) in line.cells.iter().enumerate() {
                if let (true, Some(column)) = (cell.share.is_finite(), panel.columns.get(i)) {
                    let entry = of
                        .entry(*column)
                        .or_insert_with(|| (panel.column_label(i), 0.0, 0, 0));
                    entry.1 += cell.share;
                    entry.2 += 1;
                    entry.3 += usize::from(line.best == Some(i));
                }
            }
        }
    }
    of.into_values()
        .filter(|(_, _, ran, _)| *ran as f64 >= RAN * shapes as f64)
        .map(|(label, sum, ran, best)| SingleChoice {
            label,
            share: sum / ran as f64,
            best,
            shapes,
        })
        .max_by(|a, b| a.share.total_cmp(&b.share))
}
