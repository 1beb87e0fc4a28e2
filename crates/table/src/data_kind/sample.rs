//! Rows that decide what a table is: all measured rows, or in a large table those of a sample of configurations.

use super::configuration;
use crate::dataset::Dataset;

/// Above this many rows, one configuration in [`ONE_IN`] is sampled; of very large tables fewer, so that about
/// [`SAMPLED`] rows are looked at.
const EXACT_ROWS: usize = 100_000;
const ONE_IN: u64 = 16;
const SAMPLED: usize = 62_500;

/// The measured rows that decide. Grows with the table: [`TableSample::extend`].
#[derive(Clone, Debug, Default)]
pub struct TableSample {
    /// Restricts the sample to one source.
    only: Option<u16>,
    /// Rows looked at so far.
    looked_at: usize,
    one_in: u64,
    rows: Vec<usize>,
    /// By source: true if it has a measured row.
    sources: Vec<bool>,
}

impl TableSample {
    /// Samples the rows of one source, or of all.
    pub(super) fn of(data: &Dataset, only: Option<u16>) -> Self {
        let mut sample = TableSample { only, ..TableSample::default() };
        sample.extend(data);
        sample
    }

    /// Looks at the rows added to the table since the last call.
    pub fn extend(&mut self, data: &Dataset) {
        let rows = match self.only {
            Some(only) => data.source.iter().filter(|source| **source == only).count(),
            None => data.len(),
        };
        let one_in = match rows {
            ..=EXACT_ROWS => 1,
            len => ((len / SAMPLED).next_power_of_two() as u64).max(ONE_IN),
        };
        let has = |r: usize| one_in == 1 || configuration(data, r).is_multiple_of(one_in);
        // Both are powers of two, so the thinner sample is a subset of the previous one.
        if one_in > self.one_in {
            self.one_in = one_in;
            self.rows.retain(|&r| has(r));
        }
        self.sources.resize(data.sources.len().max(1), false);
        for r in self.looked_at..data.len() {
            let source = data.source[r];
            if data.time_s[r] > 0.0 && self.only.is_none_or(|only| only == source) {
                if let Some(seen) = self.sources.get_mut(usize::from(source)) {
                    *seen = true;
                }
                if has(r) {
                    self.rows.push(r);
                }
            }
        }
        self.looked_at = data.len();
    }

    /// The sampled rows, ascending.
    pub(super) fn rows(&self) -> &[usize] {
        &self.rows
    }

    /// True if not every row is in it.
    pub(super) fn is_part(&self) -> bool {
        self.one_in > 1
    }

    /// Number of sources with a measured row.
    pub(super) fn sources(&self) -> usize {
        self.sources.iter().filter(|s| **s).count()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dataset::Source;
    use gemmscope_model::dtype::DataType;
    use gemmscope_model::gemm::Operation;

    #[test]
    fn a_sample_that_grew_is_the_one_of_the_whole() {
        let mut all = Dataset::new();
        all.sources = vec![Source::default(); 3];
        all.ops.push(Operation::uniform(DataType::Fp16));
        let mut grown = TableSample::default();
        for rows in [0, 70_000, EXACT_ROWS, 230_000, 900_000, 1_100_000] {
            for i in all.len() as u32..rows as u32 {
                all.m.push(i / 7 + 1);
                all.n.push(i % 1000 + 1);
                all.k.push(64);
                all.batch.push(1);
                all.op.push(0);
                all.device.push(0);
                all.time_s.push(if i % 5 == 0 { f64::NAN } else { 1e-6 });
                // The last source has no measured row.
                all.source.push((i % 5 == 0).into());
                all.line.push(i + 2);
            }
            grown.extend(&all);
            let whole = TableSample::of(&all, None);
            assert_eq!(grown.rows, whole.rows, "{rows}");
            assert_eq!(grown.sources(), whole.sources(), "{rows}");
            let few = rows > EXACT_ROWS;
            assert_eq!(grown.rows.len() < rows / 10, few, "{rows}");
        }
        assert_eq!(grown.sources(), 1);
        assert_eq!(TableSample::of(&all, Some(1)).rows, [0usize; 0]);
    }
}
