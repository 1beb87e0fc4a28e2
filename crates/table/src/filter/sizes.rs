//! Sizes in a search.

use crate::dataset::Dataset;

/// Sizes in a searched text: one to three numbers separated by spaces, commas or multiplication signs. `None` for any
/// other text.
pub(super) struct Sizes(Vec<u32>);

impl Sizes {
    pub(super) fn of(text: &str) -> Option<Sizes> {
        let between = |c: char| c.is_whitespace() || ",x×*".contains(c);
        let numbers = text.split(between).filter(|t| !t.is_empty());
        let sizes: Vec<u32> = numbers.map(|t| t.parse().ok()).collect::<Option<_>>()?;
        matches!(sizes.len(), 1..=3).then_some(Sizes(sizes))
    }

    /// True if a row has these sizes, adjacent in M, N, K.
    pub(super) fn are_of(&self, data: &Dataset, row: usize) -> bool {
        let sizes = [data.m[row], data.n[row], data.k[row]];
        sizes.windows(self.0.len()).any(|w| w == self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::Sizes;
    use crate::fixture::Rows;

    #[test]
    fn sizes_are_found_in_any_writing() {
        let mut rows = Rows::new();
        rows.row((4096, 13824, 5120), "", 1e-3, "");
        let frame = rows.frame(None);
        let finds = |text: &str| Sizes::of(text).map(|s| s.are_of(&frame.data, 0));
        for text in ["13824", "4096x13824x5120", "13824 × 5120", "4096, 13824 ,5120"] {
            assert_eq!(finds(text), Some(true), "{text}");
        }
        for text in ["1382", "4096x5120", "5120x13824"] {
            assert_eq!(finds(text), Some(false), "{text}");
        }
        for text in ["", "MT64x64", "1 2 3 4", "99999999999", "-1", "x"] {
            assert_eq!(finds(text), None, "{text}");
        }
    }
}
