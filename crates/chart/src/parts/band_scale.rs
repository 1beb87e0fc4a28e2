//! A field as the bands of an axis: a band per category or, if there are few, per number; else bins.

use crate::aggregate::distinct_up_to;
use crate::scale::ScaleKind;
use crate::ticks::Format;
use gemmscope_model::units::format_short;
use gemmscope_table::field::{FieldInfo, FieldKind, Frame};
use gemmscope_table::group::numbered;
use gemmscope_table::keyed;

keyed! {
    /// Order of the bands of an axis.
    pub(crate) enum Order {
        /// Numbers ascending; names alphabetically, with numbers in them compared as numbers.
        Name = "name", "name";
        /// The best value first.
        Value = "value", "value";
        /// In order of first occurrence.
        File = "file", "file order";
        /// Share of the roof, for bars that show no single figure.
        Efficiency = "efficiency", "% of roof";
        /// Arithmetic intensity, for the same bars.
        Ai = "ai", "AI";
    }
}

/// Bands of an axis, and the band of every passing row.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct BandScale {
    /// Title of the field.
    pub(crate) label: String,
    /// Name of each band.
    pub(crate) names: Vec<String>,
    /// Band of `frame.rows[i]`; `NONE` if the row has no value.
    pub(crate) of: Vec<u32>,
    /// True if the bands are bins of a number.
    pub(crate) binned: bool,
}

/// Up to this many distinct numbers get a band each.
const DISTINCT: usize = 48;
/// Maximum number of bins.
const BINS: usize = 24;

impl BandScale {
    /// No band.
    pub(crate) const NONE: u32 = u32::MAX;

    /// A single band for everything.
    pub(crate) fn single(frame: &Frame) -> Self {
        let (names, of) = (vec![String::new()], vec![0; frame.rows.len()]);
        BandScale { names, of, ..BandScale::default() }
    }

    /// M × N as one axis, whatever the other sizes.
    pub(crate) fn outputs(frame: &Frame, order: Order) -> Self {
        let d = &frame.data;
        let size = |r: &u32| u64::from(d.m[*r as usize]) << 32 | u64::from(d.n[*r as usize]);
        let (of, sizes) = numbered(&mut frame.rows.iter().map(size));
        let name = |size: &u64| format!("{} × {}", size >> 32, *size as u32);
        let names = sizes.iter().map(name).collect();
        let mut out = BandScale { label: "M × N".to_owned(), names, of, ..BandScale::default() };
        if order != Order::File {
            let mut by_size: Vec<usize> = (0..sizes.len()).collect();
            by_size.sort_by_key(|&i| sizes[i]);
            out.reorder(&by_size);
        }
        out
    }

    /// Keeps the bands whose name contains a text, ignoring case.
    pub(crate) fn find(&mut self, text: &str) {
        let text = text.trim().to_lowercase();
        if text.is_empty() {
            return;
        }
        let order: Vec<usize> = (0..self.names.len())
            .filter(|&i| self.names[i].to_lowercase().contains(&text))
            .collect();
        self.reorder(&order);
    }

    /// Bands of a field over the passing rows.
    pub(crate) fn of(frame: &Frame, info: &FieldInfo, order: Order) -> Self {
        if info.kind == FieldKind::Number {
            return BandScale::numbers(frame, info);
        }
        let categories = frame.categories(&info.field);
        let values = &categories.values;
        let mut band = vec![BandScale::NONE; values.len()];
        let mut used: Vec<u32> = Vec::new();
        let codes: Vec<u32> =
            frame.rows.iter().map(|r| categories.codes.get(*r as usize)).collect();
        for &code in &codes {
            if let Some(s) = band.get_mut(code as usize)
                && *s == BandScale::NONE
            {
                *s = used.len() as u32;
                used.push(code);
            }
        }
        let name = |code: u32| values.get(code as usize).map_or("", String::as_str);
        if order != Order::File {
            used.sort_by(|a, b| natural(name(*a), name(*b)));
        }
        for (i, &code) in used.iter().enumerate() {
            band[code as usize] = i as u32;
        }
        let names = used
            .iter()
            .map(|c| match name(*c) {
                "" => "not stated".to_owned(),
                n => n.to_owned(),
            })
            .collect();
        BandScale {
            label: info.label.clone(),
            names,
            of: codes
                .iter()
                .map(|c| band.get(*c as usize).copied().unwrap_or(BandScale::NONE))
                .collect(),
            binned: false,
        }
    }

    fn numbers(frame: &Frame, info: &FieldInfo) -> Self {
        let get = frame.numbers(&info.field);
        let values: Vec<f64> = frame.rows.iter().map(|r| get(*r as usize)).collect();
        let distinct = distinct_up_to(values.iter().copied(), DISTINCT);
        let format = Format::of(&info.unit);
        let digits = |n: usize| {
            move |v: f64| match info.unit.as_str() {
                "" => format_short(v, n + 2),
                _ => format.write(v, n),
            }
        };
        // As many digits as needed to tell all apart.
        let apart = |n: &usize| {
            let mut names: Vec<String> = distinct.iter().map(|v| digits(*n)(*v)).collect();
            names.dedup();
            distinct.len() > DISTINCT || names.len() == distinct.len()
        };
        let write = digits((4..15).find(apart).unwrap_or(15));
        if distinct.len() <= DISTINCT {
            return BandScale {
                label: info.label.clone(),
                names: distinct.iter().map(|v| write(*v)).collect(),
                of: values
                    .iter()
                    .map(|v| {
                        let at = distinct.partition_point(|d| d < v);
                        match distinct.get(at) {
                            Some(d) if d == v => at as u32,
                            _ => BandScale::NONE,
                        }
                    })
                    .collect(),
                binned: false,
            };
        }
        let kind = if info.log && values.iter().any(|v| *v > 0.0) {
            ScaleKind::Log
        } else {
            ScaleKind::Linear
        };
        // Sizes and counts are binned by powers of two, quantities with a unit by 1, 2, 5.
        let extent = crate::scale::extent(kind, values.iter().copied());
        let edges = edges(kind, info.unit.is_empty(), extent);
        let of: Vec<u32> = values
            .iter()
            .map(|v| {
                let at = edges.partition_point(|e| e <= v);
                if !v.is_finite() || at == 0 {
                    BandScale::NONE
                } else {
                    (at - 1).min(edges.len().saturating_sub(2)) as u32
                }
            })
            .collect();
        BandScale {
            label: info.label.clone(),
            names: edges.windows(2).map(|w| format!("{}–{}", write(w[0]), write(w[1]))).collect(),
            of,
            binned: true,
        }
    }

    /// Number of bands.
    pub(crate) fn len(&self) -> usize {
        self.names.len()
    }

    /// True if there are no bands.
    pub(crate) fn is_empty(&self) -> bool {
        self.names.is_empty()
    }

    /// Permutes the bands: `order[new] = old`.
    pub(crate) fn reorder(&mut self, order: &[usize]) {
        let mut place = vec![BandScale::NONE; self.names.len()];
        for (new, &old) in order.iter().enumerate() {
            if let Some(p) = place.get_mut(old) {
                *p = new as u32;
            }
        }
        self.names =
            order.iter().map(|o| self.names.get(*o).cloned().unwrap_or_default()).collect();
        for s in &mut self.of {
            *s = place.get(*s as usize).copied().unwrap_or(BandScale::NONE);
        }
    }
}

/// Bin edges: powers of two (or of four, …) or 1, 2, 5 on a logarithmic axis, round steps on a linear one.
fn edges(kind: ScaleKind, binary: bool, extent: Option<(f64, f64)>) -> Vec<f64> {
    let Some((lo, hi)) = extent else {
        return vec![0.0, 1.0];
    };
    match kind {
        ScaleKind::Log if !binary => decimal_edges(lo, hi),
        ScaleKind::Log => {
            let (a, b) = (lo.log2().floor(), hi.log2().floor() + 1.0);
            let step = ((b - a) / BINS as f64).ceil().max(1.0);
            let n = ((b - a) / step).ceil().clamp(1.0, BINS as f64) as usize;
            (0..=n).map(|i| 2f64.powf(a + step * i as f64)).collect()
        }
        ScaleKind::Linear => {
            let raw = ((hi - lo) / (BINS as f64 - 2.0)).max(f64::MIN_POSITIVE);
            let power = 10f64.powf(raw.log10().floor());
            let step = [1.0, 2.0, 5.0, 10.0]
                .into_iter()
                .map(|f| f * power)
                .find(|s| *s >= raw)
                .unwrap_or(raw);
            let first = (lo / step).floor();
            let n = ((hi / step).floor() - first + 1.0).clamp(1.0, BINS as f64) as usize;
            (0..=n).map(|i| (first + i as f64) * step).collect()
        }
    }
}

/// Edges at 1, 2, 5 of every decade, at decades, or at every few decades.
fn decimal_edges(lo: f64, hi: f64) -> Vec<f64> {
    let (a, b) = (lo.log10().floor() as i32, hi.log10().floor() as i32 + 1);
    let fine = (b - a) as usize * 3 <= BINS;
    let step = if fine { 1 } else { (b - a) as usize / BINS + 1 };
    let all: Vec<f64> = (a..=b + step as i32)
        .step_by(step)
        .flat_map(|e| {
            let factors: &[f64] = if fine { &[1.0, 2.0, 5.0] } else { &[1.0] };
            factors.iter().map(move |f| f * 10f64.powi(e))
        })
        .collect();
    let from = all.partition_point(|e| *e <= lo).saturating_sub(1);
    let to = (all.partition_point(|e| *e <= hi) + 1).min(all.len());
    all[from..to].to_vec()
}

/// Natural order: numbers in texts are compared as numbers, `x2` before `x10`.
pub(crate) fn natural(a: &str, b: &str) -> std::cmp::Ordering {
    use std::cmp::Ordering;
    let (mut x, mut y) = (a.chars().peekable(), b.chars().peekable());
    loop {
        let (Some(&p), Some(&q)) = (x.peek(), y.peek()) else {
            return x.peek().is_some().cmp(&y.peek().is_some()).then_with(|| a.cmp(b));
        };
        let order = if p.is_ascii_digit() && q.is_ascii_digit() {
            let number = |it: &mut std::iter::Peekable<std::str::Chars<'_>>| {
                let mut v = 0u128;
                while let Some(d) = it.peek().and_then(|c| c.to_digit(10)) {
                    v = v.saturating_mul(10).saturating_add(u128::from(d));
                    it.next();
                }
                v
            };
            number(&mut x).cmp(&number(&mut y))
        } else {
            x.next();
            y.next();
            p.cmp(&q)
        };
        if order != Ordering::Equal {
            return order;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn names_sort_with_their_numbers() {
        let mut names = vec!["x10", "x2", "a", "x2b", ""];
        names.sort_by(|a, b| natural(a, b));
        assert_eq!(names, ["", "a", "x2", "x2b", "x10"]);
    }

    proptest! {
        #[test]
        fn bins_hold_their_values(lo in -1e6..1e6f64, w in 1e-3..1e6f64, t in 0.0..1.0f64) {
            let positive = lo.abs() + 1e-3;
            for (kind, binary, lo) in [(ScaleKind::Linear, false, lo), (ScaleKind::Log, false, positive), (ScaleKind::Log, true, positive)] {
                let hi = lo + w;
                let e = edges(kind, binary, Some((lo, hi)));
                prop_assert!(e.len() <= BINS + 1 && e.len() >= 2);
                prop_assert!(e.windows(2).all(|p| p[0] < p[1]));
                let v = lo + w * t;
                prop_assert!(e[0] <= v && v <= e[e.len() - 1] * (1.0 + 1e-12) + 1e-9, "{kind:?} {e:?} {v}");
            }
        }
    }
}
