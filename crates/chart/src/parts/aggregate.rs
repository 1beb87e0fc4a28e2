//! Aggregation of several rows into one figure, and rows grouped by band.
use gemmscope_table::field::{FieldInfo, Frame};
use gemmscope_table::keyed;
use gemmscope_table::stats::median;
use std::cmp::Ordering;

keyed! {
    /// How the rows of a cell, bar or band become one figure.
    pub(crate) enum Aggregate {
        /// The best one (the highest, if the field has no better end).
        Best = "best", "best";
        /// The median.
        Median = "median", "median";
        /// The mean weighted by total time: for rates and shares of a roof, that of all the rows together. A row above
        /// its roof does not offset other rows.
        Weighted = "weighted", "time-weighted mean";
        /// The worst one.
        Worst = "worst", "worst";
    }
}

impl Aggregate {
    /// Aggregate of pairs of value and weight; NaN if no value is a number.
    pub(crate) fn of(self, values: &mut Vec<(f64, f64)>, higher_is_better: bool) -> f64 {
        values.retain(|v| !v.0.is_nan());
        if values.is_empty() {
            return f64::NAN;
        }
        match self {
            Aggregate::Best | Aggregate::Worst => {
                let high = higher_is_better == (self == Aggregate::Best);
                let better = if high { f64::max } else { f64::min };
                values.iter().map(|v| v.0).fold(f64::NAN, better)
            }
            Aggregate::Median => median(&mut values.iter().map(|v| v.0).collect::<Vec<f64>>()),
            Aggregate::Weighted => {
                let known = |w: f64| w > 0.0 && w.is_finite();
                let weight: f64 = values.iter().map(|v| v.1).filter(|w| known(*w)).sum();
                if weight > 0.0 {
                    let sum: f64 = values.iter().filter(|v| known(v.1)).map(|v| v.0 * v.1).sum();
                    sum / weight
                } else {
                    values.iter().map(|v| v.0).sum::<f64>() / values.len() as f64
                }
            }
        }
    }
}

/// Passing rows by band: `rows[starts[s]..starts[s + 1]]` are those of band `s` (a prefix sum).
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Groups {
    /// Start of each band in `rows`, and the end.
    pub(crate) starts: Vec<u32>,
    /// Rows by band, in file order within one.
    pub(crate) rows: Vec<u32>,
}

impl Groups {
    /// Groups the passing rows by band; rows whose band is at or over `bands` are left out.
    pub(crate) fn of(frame: &Frame, bands: usize, of: &[u32]) -> Self {
        let mut starts = vec![0u32; bands + 1];
        for band in of {
            if let Some(n) = starts.get_mut(band.saturating_add(1) as usize) {
                *n += 1;
            }
        }
        // A band past the end lands in no counter; band u32::MAX saturates and is past the end.
        for s in 1..starts.len() {
            starts[s] += starts[s - 1];
        }
        let mut next = starts.clone();
        let mut rows = vec![0u32; starts.last().copied().unwrap_or(0) as usize];
        for (&row, &band) in frame.rows.iter().zip(of) {
            let band = band as usize;
            if band < bands
                && let Some(place) = rows.get_mut(next[band] as usize)
            {
                *place = row;
                next[band] += 1;
            }
        }
        Groups { starts, rows }
    }

    /// Number of bands.
    pub(crate) fn len(&self) -> usize {
        self.starts.len().saturating_sub(1)
    }

    /// Rows of a band.
    pub(crate) fn get(&self, band: usize) -> &[u32] {
        match (self.starts.get(band), self.starts.get(band + 1)) {
            (Some(a), Some(b)) => self.rows.get(*a as usize..*b as usize).unwrap_or(&[]),
            _ => &[],
        }
    }

    /// One figure per band.
    pub(crate) fn figures(
        &self,
        frame: &Frame,
        info: &FieldInfo,
        aggregate: Aggregate,
    ) -> Vec<f64> {
        let get = frame.numbers(&info.field);
        let better = info.higher_is_better.unwrap_or(true);
        // In row order, so that columns are read sequentially; bands are scattered.
        let mut figures = vec![0.0; frame.data.len()];
        frame.rows.iter().for_each(|r| figures[*r as usize] = get(*r as usize));
        let weight = |r: usize| match aggregate {
            Aggregate::Weighted => frame.data.time_s[r] * frame.data.count(r),
            _ => 1.0,
        };
        let mut values = Vec::new();
        (0..self.len())
            .map(|band| {
                values.clear();
                let rows = self.get(band).iter().map(|row| *row as usize);
                values.extend(rows.map(|r| (figures[r], weight(r))));
                aggregate.of(&mut values, better)
            })
            .collect()
    }
}

/// The codes below `n` that occur, ascending. O(rows), without a copy, as there may be a code for every row.
pub(crate) fn used<C: Into<usize>>(codes: impl Iterator<Item = C>, n: usize) -> Vec<usize> {
    let mut seen = vec![false; n];
    for code in codes {
        if let Some(seen) = seen.get_mut(code.into()) {
            *seen = true;
        }
    }
    (0..n).filter(|code| seen[*code]).collect()
}

/// Sorted distinct values.
pub(crate) fn distinct<T: Ord>(values: impl Iterator<Item = T>) -> Vec<T> {
    let mut all: Vec<T> = values.collect();
    all.sort_unstable();
    all.dedup();
    all
}

/// Sorted distinct finite values; of more than `most` only the first that occur.
pub(crate) fn distinct_up_to(values: impl Iterator<Item = f64>, most: usize) -> Vec<f64> {
    let mut out: Vec<f64> = Vec::new();
    for v in values.filter(|v| v.is_finite()) {
        let at = out.partition_point(|known| *known < v);
        if out.get(at) != Some(&v) {
            out.insert(at, v);
            if out.len() > most {
                break;
            }
        }
    }
    out
}

/// Appends an item unless the list has it.
pub(crate) fn add_new<T: PartialEq>(list: &mut Vec<T>, item: T) {
    if !list.contains(&item) {
        list.push(item);
    }
}

/// Band indices by figure, best first, NaN last; stable.
pub(crate) fn best_first(figures: &[f64], higher_is_better: bool) -> Vec<usize> {
    let mut order: Vec<usize> = (0..figures.len()).collect();
    order.sort_by(|&a, &b| by_figure(figures[a], figures[b], !higher_is_better));
    order
}

/// Compares two figures; NaN comes last in either direction.
pub(crate) fn by_figure(a: f64, b: f64, ascending: bool) -> Ordering {
    let order = if ascending { a.total_cmp(&b) } else { b.total_cmp(&a) };
    a.is_nan().cmp(&b.is_nan()).then(order)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_of_several_rows() {
        let v = || vec![(0.5, 1.0), (f64::NAN, 5.0), (1.0, 3.0), (0.1, f64::NAN)];
        assert_eq!(Aggregate::Best.of(&mut v(), true), 1.0);
        assert_eq!(Aggregate::Best.of(&mut v(), false), 0.1);
        assert_eq!(Aggregate::Worst.of(&mut v(), true), 0.1);
        assert_eq!(Aggregate::Median.of(&mut v(), true), 0.5);
        assert_eq!(Aggregate::Weighted.of(&mut v(), true), 3.5 / 4.0);
        assert!(Aggregate::Median.of(&mut Vec::new(), true).is_nan());
        assert_eq!(best_first(&[1.0, f64::NAN, 3.0], true), [2, 0, 1]);
    }
}
