//! The heaviest GEMMs that together make up a share of the time.

use gemmscope_table::dataset::Dataset;
use gemmscope_table::field::Frame;
use gemmscope_words::charts::roofline as words;

/// The rows kept, and a sentence about them.
pub(super) struct Heaviest {
    /// Ascending.
    pub(super) rows: Vec<u32>,
    pub(super) note: String,
}

/// Total time of all calls of a row, seconds; 0 if not measured.
fn weight(data: &Dataset, row: u32) -> f64 {
    let row = row as usize;
    let time = data.time_s[row] * data.count(row);
    if time.is_finite() { time } else { 0.0 }
}

impl Heaviest {
    /// The rows that make up `percent` of the time of each side; `None` if all do. Only rows that totals are over
    /// count: for a sweep, the fastest variant of each GEMM.
    pub(super) fn of(frame: &Frame, percent: f64) -> Option<Self> {
        if percent >= 100.0 {
            return None;
        }
        let mut kept = Vec::new();
        let mut parts = Vec::new();
        let counted = frame.counted();
        let time = |(bits, _): &(u64, u32)| f64::from_bits(!bits);
        for side in &counted.sides {
            // Longest first: the bits of a non-negative float sort like its value.
            let mut rows: Vec<(u64, u32)> = side
                .rows
                .iter()
                .map(|&row| (weight(&frame.data, row), row))
                .filter(|(time, _)| *time > 0.0)
                .map(|(time, row)| (!time.to_bits(), row))
                .collect();
            if rows.is_empty() {
                continue;
            }
            let all = rows.len();
            let most: f64 = rows.iter().map(time).sum::<f64>() * percent / 100.0;
            rows.sort_unstable();
            let mut sum = 0.0;
            let reached = rows.iter().position(|r| {
                sum += time(r);
                sum >= most * (1.0 - 1e-9)
            });
            rows.truncate(reached.map_or(all, |at| at + 1));
            let whose = counted.compares().then_some(side.label.as_str());
            parts.push(words::heaviest(rows.len(), all, percent, whose));
            kept.extend(rows.into_iter().map(|r| r.1));
        }
        kept.sort_unstable();
        (!parts.is_empty()).then(|| Heaviest { rows: kept, note: format!("{}.", parts.join("; ")) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gemmscope_table::fixture::Rows;

    #[test]
    fn as_few_rows_as_make_up_the_share() {
        let mut rows = Rows::new();
        for (i, time) in [1e-3, 6e-3, 2e-3, 1e-3].into_iter().enumerate() {
            rows.row((64, 64, 64 + i as u32), "x", time, "");
        }
        let frame = rows.frame(None);
        let rows = |percent| Heaviest::of(&frame, percent).map(|h| h.rows);
        assert_eq!(rows(100.0), None);
        assert_eq!(rows(60.0), Some(vec![1]));
        assert_eq!(rows(61.0), Some(vec![1, 2]));
        assert_eq!(rows(1.0), Some(vec![1]));
        assert_eq!(
            Heaviest::of(&frame, 80.0).unwrap().note,
            "2 of 4 GEMMs make up 80 % of the time."
        );
    }
}
