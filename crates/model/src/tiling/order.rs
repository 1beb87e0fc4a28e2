//! L2 locality of the launch order: the panels of A and B that concurrent workgroups share.

use std::collections::HashSet;

/// The order in which program ids cover the tiles of C.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum LaunchOrder {
    /// Along N first, then the next row of tiles.
    RowMajor,
    /// Groups of this many rows of tiles, each walked along M first. A group of 1 is row-major.
    Grouped(u32),
}

/// Distinct operand panels that the first programs touch; with several dies, summed over the dies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Panels {
    /// Row panels of A, BM x K each.
    pub a: u64,
    /// Column panels of B, K x BN each.
    pub b: u64,
}

impl Panels {
    /// Blocks of BM x BK and BK x BN, with `k_blocks` blocks along K.
    pub fn blocks(&self, k_blocks: u64) -> u64 {
        (self.a + self.b).saturating_mul(k_blocks)
    }

    /// Bytes of all panels, given the bytes of one panel of each operand.
    pub fn bytes(&self, a_panel_bytes: f64, b_panel_bytes: f64) -> f64 {
        self.a as f64 * a_panel_bytes + self.b as f64 * b_panel_bytes
    }
}

impl LaunchOrder {
    fn group(self) -> u64 {
        match self {
            Self::RowMajor => 1,
            Self::Grouped(rows) => u64::from(rows.max(1)),
        }
    }

    /// Tile (row, column) of a program on a grid of `tiles_m` x `tiles_n`. `None` after the last tile.
    pub fn tile(self, program: u64, tiles_m: u32, tiles_n: u32) -> Option<(u32, u32)> {
        let (rows, columns) = (u64::from(tiles_m), u64::from(tiles_n));
        if program >= rows * columns {
            return None;
        }
        let group = self.group();
        // Saturates: with a huge group the division by its size is 0, a single group.
        let in_group = group.saturating_mul(columns);
        let first_row = program / in_group * group;
        // The last group may have fewer rows.
        let height = group.min(rows - first_row);
        let within = program % in_group;
        let row = first_row + within % height;
        let column = within / height;
        Some((u32::try_from(row).ok()?, u32::try_from(column).ok()?))
    }

    /// Panels that the first `programs` programs touch if they go to `dies` round-robin, each with an L2 of its own.
    pub fn panels_of_dies(self, tiles_m: u32, tiles_n: u32, programs: u64, dies: u32) -> Panels {
        if dies < 2 {
            return self.panels(tiles_m, tiles_n, programs);
        }
        let mut seen = [HashSet::new(), HashSet::new()];
        for program in 0..programs.min(u64::from(tiles_m) * u64::from(tiles_n)) {
            let die = program % u64::from(dies);
            if let Some((row, column)) = self.tile(program, tiles_m, tiles_n) {
                seen[0].insert((die, row));
                seen[1].insert((die, column));
            }
        }
        let [a, b] = seen.map(|s| s.len() as u64);
        Panels { a, b }
    }

    /// Panels that the first `programs` programs touch (programs beyond the grid touch none).
    pub fn panels(self, tiles_m: u32, tiles_n: u32, programs: u64) -> Panels {
        let (rows, columns) = (u64::from(tiles_m), u64::from(tiles_n));
        let programs = programs.min(rows * columns);
        if programs == 0 {
            return Panels { a: 0, b: 0 };
        }
        let group = self.group().min(rows);
        let in_group = group * columns;
        let full = programs / in_group;
        let rest = programs % in_group;
        let height = group.min(rows.saturating_sub(full * group)).max(1);
        let rows_done = (full * group).min(rows);
        Panels {
            a: rows_done + rest.min(height),
            b: if full > 0 { columns } else { rest.div_ceil(height) },
        }
    }
}

/// Approximate maximum of programs walked in a search over group sizes.
const MOST_STEPS: u32 = 1 << 20;

/// The group size whose first `programs` programs (those that run concurrently) touch the fewest bytes; the smallest on
/// a tie. `None` for an empty grid or no programs. `dies` as in [`LaunchOrder::panels_of_dies`].
pub fn best_group_size(
    (tiles_m, tiles_n): (u32, u32),
    programs: u32,
    dies: u32,
    a_panel_bytes: f64,
    b_panel_bytes: f64,
) -> Option<u32> {
    if tiles_m == 0 || tiles_n == 0 || programs == 0 {
        return None;
    }
    // A group of more rows than concurrent programs touches the same panels as a smaller one. With several dies each
    // candidate costs a walk over the programs, so there is a budget.
    let most = match dies {
        0 | 1 => programs,
        _ => programs.min((MOST_STEPS / programs).max(64)),
    };
    let cost = |group| {
        LaunchOrder::Grouped(group)
            .panels_of_dies(tiles_m, tiles_n, u64::from(programs), dies)
            .bytes(a_panel_bytes, b_panel_bytes)
    };
    (1..=tiles_m.min(most))
        .map(|group| (group, cost(group)))
        .min_by(|x, y| x.1.total_cmp(&y.1))
        .map(|best| best.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    #[test]
    fn nine_by_nine() {
        let row_major = LaunchOrder::RowMajor.panels(9, 9, 9);
        assert_eq!(row_major, Panels { a: 1, b: 9 });
        assert_eq!(row_major.blocks(9), 90);
        let grouped = LaunchOrder::Grouped(3).panels(9, 9, 9);
        assert_eq!(grouped, Panels { a: 3, b: 3 });
        assert_eq!(grouped.blocks(9), 54);
        assert_eq!(best_group_size((9, 9), 9, 1, 1.0, 1.0), Some(3));
        assert_eq!(best_group_size((0, 9), 9, 1, 1.0, 1.0), None);
        // Three dies, round-robin. Row by row, each die reads its row and three columns; in groups of three, each reads
        // a row and three columns too, so columns are read three times as often as by one die.
        let dies = |order: LaunchOrder| order.panels_of_dies(9, 9, 9, 3);
        assert_eq!(dies(LaunchOrder::RowMajor), Panels { a: 3, b: 9 });
        assert_eq!(dies(LaunchOrder::Grouped(3)), Panels { a: 3, b: 9 });
        assert_eq!(dies(LaunchOrder::Grouped(9)), Panels { a: 9, b: 3 });
    }

    #[test]
    fn programs_of_a_group_go_down_first() {
        let order = LaunchOrder::Grouped(3);
        let tiles: Vec<_> = (0..4).filter_map(|p| order.tile(p, 9, 9)).collect();
        assert_eq!(tiles, [(0, 0), (1, 0), (2, 0), (0, 1)]);
        assert_eq!(LaunchOrder::RowMajor.tile(9, 9, 9), Some((1, 0)));
        assert_eq!(order.tile(81, 9, 9), None);
    }

    proptest! {
        #[test]
        fn counting_agrees_with_walking(
            m in 1u32..20, n in 1u32..20, group in 0u32..25, programs in 0u64..500,
        ) {
            let order = LaunchOrder::Grouped(group);
            let tiles: BTreeSet<_> =
                (0..programs).filter_map(|p| order.tile(p, m, n)).collect();
            prop_assert_eq!(tiles.len() as u64, programs.min(u64::from(m * n)));
            let a: BTreeSet<_> = tiles.iter().map(|t| t.0).collect();
            let b: BTreeSet<_> = tiles.iter().map(|t| t.1).collect();
            let one = Panels { a: a.len() as u64, b: b.len() as u64 };
            prop_assert_eq!(order.panels(m, n, programs), one);
            let two = order.panels_of_dies(m, n, programs, 2);
            prop_assert!((one.a..=2 * one.a).contains(&two.a) && (one.b..=2 * one.b).contains(&two.b));
        }

        #[test]
        fn any_grid_is_survived(m: u32, n: u32, group: u32, programs: u64) {
            let order = LaunchOrder::Grouped(group);
            let panels = order.panels(m, n, programs);
            prop_assert!(panels.a <= u64::from(m) && panels.b <= u64::from(n));
            let _ = order.tile(programs, m, n);
        }
    }
}
