//! Grouped GEMMs: products of one call that share N and K, each with rows and a B of its own, such as the experts
//! of a layer.

use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// How the rows of a grouped GEMM are divided: M is the sum over its groups, or K for the gradients of their B.
/// Equal groups are a batch instead.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Groups {
    /// Groups, each with a B (K x N) of its own.
    pub count: u32,
    /// Which of them have rows.
    pub routing: Routing,
    /// Inner size I of a second product (M, K, I) of the same call: the experts of one call that go up and
    /// down again. 0 where the call is one product.
    #[serde(default)]
    pub down: u32,
    /// The groups divide K and have a C each: the gradient of a grouped GEMM's weights.
    #[serde(default)]
    pub along_k: bool,
}

/// Which groups of a grouped GEMM have rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Routing {
    /// So many have at least one row.
    Known(u32),
    /// Not known. Each token goes to so many of them (top k), all equally likely.
    Uniform(u32),
}

impl Groups {
    /// Groups of which `active` have rows.
    pub fn known(count: u32, active: u32) -> Self {
        Groups { count, routing: Routing::Known(active), down: 0, along_k: false }
    }

    /// Groups among which each token chooses `per_token`.
    pub fn uniform(count: u32, per_token: u32) -> Self {
        Groups { count, routing: Routing::Uniform(per_token), down: 0, along_k: false }
    }

    /// What is known of groups of these rows; `None` where all rows are in groups of one size, which are a batch.
    pub fn of_rows(rows: &[u32]) -> Option<Self> {
        let mut active = rows.iter().filter(|rows| **rows > 0);
        let first = active.next();
        let equal = active.clone().all(|rows| Some(rows) == first);
        let count = u32::try_from(rows.len()).unwrap_or(u32::MAX);
        let active = u32::try_from(active.count()).unwrap_or(u32::MAX) + u32::from(first.is_some());
        (!equal).then_some(Groups::known(count, active))
    }

    /// Groups with at least one of `rows` rows, E_a. With uniform routing the expected number
    /// `E (1 - ((E - k) / E)^t)` for t = rows / k tokens.
    ///
    /// ```
    /// use gemmscope_model::gemm::Groups;
    /// // 32 tokens to 4 of 32 experts.
    /// assert!((Groups::uniform(32, 4).active(128.0) - 31.554).abs() < 1e-3);
    /// ```
    pub fn active(&self, rows: f64) -> f64 {
        let count = f64::from(self.count);
        match self.routing {
            Routing::Known(active) => f64::from(active),
            Routing::Uniform(per_token) => {
                let per_token = f64::from(per_token);
                count * (1.0 - (1.0 - per_token / count).powf(rows / per_token))
            }
        }
    }

    /// Tiles of `tile` rows over `rows` rows that are spread evenly over the active groups: the fewest that they
    /// can take.
    pub fn tiles(&self, rows: u32, tile: u32) -> u64 {
        let active = self.active(f64::from(rows)).max(1.0);
        let each = (f64::from(rows) / active / f64::from(tile)).ceil();
        (active * each).round() as u64
    }
}

/// Tiles of `tile` rows that groups of these rows take: `sum of ceil(M_g / BM)`.
pub fn tiles_of_rows(rows: impl IntoIterator<Item = u32>, tile: u32) -> u64 {
    rows.into_iter().map(|rows| u64::from(rows.div_ceil(tile))).sum()
}

/// Rows of each group, as tables and answers list them: `12, 0, 7 64`. `None` for anything else.
pub fn parse_rows(text: &str) -> Option<Vec<u32>> {
    let inner = text.trim().trim_start_matches(['[', '(']).trim_end_matches([']', ')']);
    let cells = inner.split([',', ' ', ';']).filter(|cell| !cell.is_empty());
    let rows: Vec<u32> = cells.map(|cell| cell.parse().ok()).collect::<Option<_>>()?;
    (!rows.is_empty()).then_some(rows)
}

/// `E=32 k=4`, `E=64 active=12`, with ` down=2048` behind a call of two products and ` along=K` behind a gradient of
/// weights.
impl fmt::Display for Groups {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.routing {
            Routing::Known(active) => write!(f, "E={} active={active}", self.count)?,
            Routing::Uniform(per_token) => write!(f, "E={} k={per_token}", self.count)?,
        }
        if self.down > 0 {
            write!(f, " down={}", self.down)?;
        }
        if self.along_k { f.write_str(" along=K") } else { Ok(()) }
    }
}

impl FromStr for Groups {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        let (mut count, mut routing, mut down, mut along_k) = (0, None, 0, false);
        for part in text.split_ascii_whitespace() {
            if part == "along=K" {
                along_k = true;
                continue;
            }
            let (key, value) = part.split_once('=').ok_or(())?;
            let value: u32 = value.parse().map_err(|_| ())?;
            match key {
                "E" => count = value,
                "active" => routing = Some(Routing::Known(value)),
                "k" => routing = Some(Routing::Uniform(value)),
                "down" => down = value,
                _ => return Err(()),
            }
        }
        match routing {
            Some(routing @ (Routing::Known(n) | Routing::Uniform(n))) if n > 0 && n <= count => {
                Ok(Groups { count, routing, down, along_k })
            }
            _ => Err(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dtype::DataType;
    use crate::gemm::{Operation, Problem};
    use proptest::prelude::*;

    const MIB: f64 = 1_048_576.0;

    fn close(value: f64, expected: f64, relative: f64) {
        assert!((value / expected - 1.0).abs() <= relative, "{value} is not {expected}");
    }

    /// 32 tokens to 4 of 32 experts, hidden 3072, inner 3072, bf16 by 4 bits without scales.
    fn experts(n: u32) -> Problem {
        let op = Operation::mixed(DataType::Bf16, DataType::Int4, DataType::Bf16);
        let op = Operation { groups: Some(Groups::uniform(32, 4)), ..op };
        Problem { m: 32 * 4, n, k: 3072, batch: 1, op }
    }

    #[test]
    fn the_vectors_of_tracelens() {
        let (down, up) = (experts(3072), experts(2 * 3072));
        close(down.op.groups.unwrap().active(128.0), 31.554, 1e-5);
        close(down.work().0, 2.415919104e9, 1e-12);
        close(up.work().0, 4.831838208e9, 1e-12);
        close(down.work().0 / 158e-6, 15.3e12, 1e-3);
        // Its reports count the rows where they are written, once a token: the difference is in A and C alone.
        let rows = |tokens: f64, width: f64| tokens * width * 2.0;
        let own = |p: &Problem| p.bytes().0 - rows(128.0, f64::from(p.k)) - rows(128.0, p.n.into());
        let theirs = own(&down) + rows(128.0, 3072.0) + rows(32.0, 3072.0);
        close(theirs / MIB, 142.930, 1e-5);
        close(down.work().0 / theirs, 16.1198, 1e-5);
        let theirs = own(&up) + rows(32.0, 3072.0) + rows(128.0, 3072.0);
        close(theirs / MIB, 284.923, 1e-5);
    }

    #[test]
    fn a_call_of_both_products_costs_what_the_two_cost() {
        let up = experts(2 * 1536);
        let down = Problem { n: 3072, k: 1536, ..up };
        let mut both = up;
        both.op.groups = Some(Groups { down: 1536, ..Groups::uniform(32, 4) });
        close(both.work().0, up.work().0 + down.work().0, 1e-12);
        close(both.bytes().0, up.bytes().0 + down.bytes().0, 1e-12);
    }

    #[test]
    fn equal_groups_are_a_batch() {
        let batch = Problem { batch: 8, ..Problem::new(16, 512, 256, DataType::Bf16) };
        let mut grouped = Problem::new(8 * 16, 512, 256, DataType::Bf16);
        grouped.op.groups = Some(Groups::known(8, 8));
        assert_eq!((batch.work(), batch.bytes()), (grouped.work(), grouped.bytes()));
        let (of_batch, of_groups) = (batch.backward(), grouped.backward());
        for (batch, grouped) in [(of_batch.dx, of_groups.dx), (of_batch.dw, of_groups.dw)] {
            assert_eq!((batch.work(), batch.bytes()), (grouped.work(), grouped.bytes()));
        }
        assert_eq!((of_groups.dw.m, of_groups.dw.k, of_groups.dw.active()), (512, 128, Some(8.0)));
    }

    #[test]
    fn a_small_group_takes_a_whole_tile() {
        assert_eq!(tiles_of_rows([3, 0, 128, 129], 128), 4);
        // 31.55 groups of 4 rows.
        assert_eq!(Groups::uniform(32, 4).tiles(128, 128), 32);
        assert_eq!(Groups::known(4, 2).tiles(260, 128), 4);
    }

    #[test]
    fn texts() {
        for text in ["E=32 k=4", "E=64 active=12", "E=64 k=2 down=11008", "E=8 k=2 along=K"] {
            assert_eq!(text.parse::<Groups>().unwrap().to_string(), text);
        }
        for text in ["", "32", "E=4", "E=4 k=5", "E=4 active=0", "E=4 k=2 x=1"] {
            assert!(text.parse::<Groups>().is_err(), "{text}");
        }
        assert_eq!(parse_rows("[12, 0, 7]"), Some(vec![12, 0, 7]));
        assert_eq!((parse_rows("uniform"), parse_rows("")), (None, None));
        assert_eq!(Groups::of_rows(&[3, 0, 5]), Some(Groups::known(3, 2)));
        assert_eq!((Groups::of_rows(&[3, 0, 3]), Groups::of_rows(&[0])), (None, None));
    }

    proptest! {
        #[test]
        fn active_groups_are_between_one_token_and_all(
            count in 1u32..512, k in 1u32..32, tokens in 1u32..10_000,
        ) {
            let k = k.min(count);
            let active = Groups::uniform(count, k).active(f64::from(tokens * k));
            prop_assert!(active >= f64::from(k) * (1.0 - 1e-9), "{active}");
            prop_assert!(active <= f64::from(count) * (1.0 + 1e-9), "{active}");
        }
    }
}
