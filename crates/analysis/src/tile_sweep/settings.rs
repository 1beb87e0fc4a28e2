//! Tile and launch settings of every row: from columns, kernel names, or a column of best tiles.

use super::TileSource;
use gemmscope_model::gemm::Problem;
use gemmscope_model::tiling::kernel_name::KernelName;
use gemmscope_model::tiling::{Axis, Tile, explore};
use gemmscope_table::dataset::{ColumnData, ColumnMeaning, Dataset};
use gemmscope_table::field::Frame;

/// Tile and launch settings of a row; 0 if unknown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Setting {
    pub(super) m: u32,
    pub(super) n: u32,
    pub(super) k: u32,
    pub(super) split_k: u32,
    pub(super) stages: u32,
    pub(super) warps: u32,
}

impl Setting {
    pub(super) fn at(&self, axis: Axis) -> Option<(u32, u32)> {
        let one = |v: u32| (v > 0).then_some((v, 0));
        match axis {
            Axis::Bn => one(self.n),
            Axis::Bm => one(self.m),
            Axis::BmBn => (self.m > 0 && self.n > 0).then_some((self.m, self.n)),
            Axis::Bk => one(self.k),
            Axis::SplitK => one(self.split_k),
            Axis::Stages => one(self.stages),
            Axis::Warps => one(self.warps),
        }
    }
}

/// Function from row to its settings.
type Settings<'a> = Box<dyn Fn(usize) -> Setting + 'a>;

/// The best source of tile settings.
pub(super) fn settings(frame: &Frame) -> Option<(TileSource, Settings<'_>)> {
    let data = &*frame.data;
    let whole = |v: Option<&[f64]>, row: usize| match v.and_then(|v| v.get(row)) {
        Some(&x) if (1.0..=1e6).contains(&x) && x.fract() == 0.0 => x as u32,
        _ => 0,
    };
    let columns = ColumnMeaning::SETTINGS.map(|meaning| data.numbers(meaning));
    if columns[0].is_some() || columns[1].is_some() {
        let stated = move |row: usize| Setting {
            m: whole(columns[0], row),
            n: whole(columns[1], row),
            k: whole(columns[2], row),
            split_k: whole(columns[3], row),
            stages: whole(columns[4], row),
            warps: whole(columns[5], row),
        };
        return Some((TileSource::Columns, Box::new(stated)));
    }
    if let Some(ColumnData::Text { codes, values }) =
        data.column(ColumnMeaning::Kernel).map(|c| &c.data)
    {
        // For a row-major problem, and for the library's own column-major one.
        let parsed: Vec<Option<[Setting; 2]>> = values
            .iter()
            .map(|v| {
                let name = KernelName::parse(v);
                let of = |tile: Tile| Setting {
                    m: tile.m,
                    n: tile.n,
                    k: tile.k.unwrap_or(0),
                    split_k: name.split_k.unwrap_or(0),
                    stages: name.stages.unwrap_or(0),
                    warps: name.warps.unwrap_or(0),
                };
                Some([of(name.row_major_tile()?), of(name.tile?)])
            })
            .collect();
        if parsed.iter().any(Option::is_some) {
            let named = move |row: usize| {
                let named = parsed.get(codes[row] as usize).copied().flatten();
                let own = usize::from(data.is_column_major(row));
                let named = named.map_or_else(Setting::default, |s| s[own]);
                let or = |column: usize, named: u32| match whole(columns[column], row) {
                    0 => named,
                    stated => stated,
                };
                Setting {
                    split_k: or(3, named.split_k),
                    stages: or(4, named.stages),
                    warps: or(5, named.warps),
                    ..named
                }
            };
            return Some((TileSource::KernelNames, Box::new(named)));
        }
    }
    let best = data.columns.iter().find_map(|c| match &c.data {
        ColumnData::Number(v) if is_best_bn(&c.label) => Some(v),
        _ => None,
    })?;
    let stated = move |row| Setting { n: whole(Some(best), row), ..Setting::default() };
    Some((TileSource::BestColumn, Box::new(stated)))
}

/// True if rows state a tile, in columns or in kernel names.
pub fn has_tiles(data: &Dataset) -> bool {
    // A sweep names its tile in nearly every row, so a few suffice.
    const LOOKED_AT: usize = 64;
    let columns = [ColumnMeaning::TileM, ColumnMeaning::TileN];
    columns.iter().any(|m| data.column(*m).is_some())
        || match data.column(ColumnMeaning::Kernel).map(|c| &c.data) {
            Some(ColumnData::Text { values, .. }) => {
                let mut named = values.iter().take(LOOKED_AT);
                named.any(|v| KernelName::parse(v).tile.is_some())
            }
            _ => false,
        }
}

/// True for shapes without times that state their best tile.
pub fn only_best_tiles(data: &Dataset) -> bool {
    let named = data.columns.iter().any(|c| is_best_bn(&c.label));
    named && data.time_s.iter().all(|t| t.is_nan())
}

fn is_best_bn(label: &str) -> bool {
    let plain: String =
        label.chars().filter(char::is_ascii_alphanumeric).map(|c| c.to_ascii_lowercase()).collect();
    matches!(plain.as_str(), "bestbn" | "bestblockn" | "besttilen" | "bestblocksizen")
}

/// Warps and stages of a row, from its columns, else from its kernel's name.
pub fn launch_of(frame: &Frame, row: usize) -> (Option<u32>, Option<u32>) {
    let data = &*frame.data;
    let whole = |meaning| {
        let x = data.number(meaning, row);
        ((1.0..=1024.0).contains(&x) && x.fract() == 0.0).then_some(x as u32)
    };
    let name = KernelName::parse(data.text(ColumnMeaning::Kernel, row));
    (whole(ColumnMeaning::Warps).or(name.warps), whole(ColumnMeaning::Stages).or(name.stages))
}

/// Rows that ran one problem on one device, with rate and the settings they state.
#[derive(Clone, Debug, Default)]
pub struct TileRuns(Vec<(usize, f64, Setting)>);

impl TileRuns {
    /// Picks the rows of a frame.
    pub fn of(frame: &Frame, problem: &Problem, device: &str) -> TileRuns {
        let data = &*frame.data;
        let of_device: Vec<bool> = frame
            .metrics
            .devices
            .iter()
            .map(|d| d.as_ref().is_some_and(|d| d.id == device))
            .collect();
        let sizes = |r: usize| (data.m[r], data.n[r], data.k[r], data.batch[r]);
        let same = |r: &usize| {
            sizes(*r) == (problem.m, problem.n, problem.k, problem.batch)
                && data.ops[usize::from(data.op[*r])].compute == problem.op.compute
                && of_device[usize::from(data.device[*r])]
                && data.time_s[*r] > 0.0
        };
        let rows: Vec<usize> = frame.rows.iter().map(|r| *r as usize).filter(same).collect();
        if rows.is_empty() {
            return TileRuns::default();
        }
        let Some((_, setting)) = settings(frame) else {
            return TileRuns::default();
        };
        let run = |r: usize| (r, data.time_s[r], setting(r));
        TileRuns(rows.into_iter().map(run).collect())
    }

    /// The fastest row with a setting; a number that a row does not state matches any.
    pub fn fastest(&self, wanted: &explore::TileSetting) -> Option<usize> {
        let agrees = |have: u32, want: u32| have == 0 || have == want;
        self.0
            .iter()
            .filter(|(_, _, s)| {
                (s.m, s.n) == (wanted.tile.m, wanted.tile.n)
                    && agrees(s.k, wanted.tile.k.unwrap_or(0))
                    && agrees(s.warps, wanted.warps)
                    && agrees(s.stages, wanted.stages)
                    && agrees(s.split_k, wanted.split_k)
            })
            .min_by(|a, b| a.1.total_cmp(&b.1))
            .map(|run| run.0)
    }
}
