//! Influence of the other settings of a sweep: how close the variants with each value of a setting come to the fastest
//! one, all else equal.

use super::name_parts::{NameParts, axis_of};
use super::{by_shape, settings};
use crate::tuning::{parameter, parameter_columns};
use gemmscope_model::tiling::Axis;
use gemmscope_model::tiling::kernel_name::KernelName;
use gemmscope_table::dataset::{Column, ColumnData, ColumnMeaning};
use gemmscope_table::field::Frame;
use gemmscope_table::group::{self, mix};
use rustc_hash::FxHashMap;

/// Maximum number of rows; with more, every filter would wait for the answer.
pub const MOST_ROWS: usize = 50_000;
/// Maximum number of values of a setting; with more it is a name or a result.
const MOST_VALUES: usize = 32;
/// Spread up to which a setting changes nothing worth mentioning.
pub const LITTLE: f64 = 0.05;

/// A value of a setting.
#[derive(Clone, Debug, PartialEq)]
pub struct Value {
    /// Value as in the file or the kernel's name.
    pub value: String,
    /// Its rate / the rate of the best value, all else equal, 0 to 1: geometric mean over the sets of a shape that
    /// tried all values, then over the shapes.
    pub best: f64,
}

/// A setting that varies, with its values, best first.
#[derive(Clone, Debug, PartialEq)]
pub struct Influence {
    /// Title of the column, or the letters before the value in kernel names.
    pub name: String,
    /// The values, at least two.
    pub values: Vec<Value>,
    /// Number of shapes on which all values were tried, all else equal.
    pub shapes: usize,
    /// Number of combinations of the other settings with which they were tried on these.
    pub sets: u32,
}

impl Influence {
    /// Fraction of the best rate that the worst value loses, 0 to 1.
    pub fn spread(&self) -> f64 {
        let worst = self.values.last().map_or(1.0, |v| v.best);
        1.0 - worst
    }
}

/// Influence of the settings that vary among the variants of a shape, largest first, excluding the tile's sides and
/// `shown`, the axis of the map. Only variants that differ in nothing else are compared.
pub fn influences(frame: &Frame, shown: Axis) -> Vec<Influence> {
    if frame.rows.len() > MOST_ROWS {
        return Vec::new();
    }
    let stated = Stated::of(frame, shown);
    let all = 0..stated.names.len();
    let mut out: Vec<Influence> = all.filter_map(|at| stated.influence(at)).collect();
    out.sort_by(|a, b| b.spread().total_cmp(&a.spread()));
    out
}

/// Index that means no value.
const NONE: u8 = u8::MAX;

/// Settings that variants state, as indices.
struct Stated {
    /// By variant: index of its shape, rate, and hash of everything it states, including the tile.
    variants: Vec<(u32, f64, u64)>,
    shapes: u32,
    /// Titles of the settings.
    names: Vec<String>,
    /// By setting: its values.
    values: Vec<Vec<String>>,
    /// By setting and variant: index of the value, or [`NONE`].
    of: Vec<Vec<u8>>,
}

impl Stated {
    fn of(frame: &Frame, shown: Axis) -> Stated {
        let rate = |r: usize| frame.metrics.rate(&frame.data, r);
        let rated = frame.rows.iter().copied().filter(|r| rate(*r as usize).is_finite());
        let grouped = by_shape(frame, &rated.collect::<Vec<u32>>());
        let columns = parameter_columns(frame);
        let columns: Vec<_> = columns.into_iter().map(|c| (c, axis_of(&c.label))).collect();
        let parts = NameParts::of(frame);
        let tile = settings(frame).map(|(_, setting)| setting);
        let mut out = Stated {
            variants: Vec::new(),
            shapes: 0,
            names: Vec::new(),
            values: Vec::new(),
            of: Vec::new(),
        };
        // By column (or part of a name) and value, so that each text is made only once.
        let mut known: FxHashMap<(usize, u64), (usize, u8)> = FxHashMap::default();
        let mut told: Vec<Axis> = Vec::new();
        for rows in grouped.chunk_by(|a, b| a.0 == b.0).filter(|rows| rows.len() > 1) {
            for r in rows.iter().map(|r| r.1 as usize) {
                let tile = tile.as_ref().map(|setting| setting(r)).unwrap_or_default();
                let (x, y) = tile.at(shown).unwrap_or_default();
                let hash = [tile.m, tile.n, x, y].into_iter().fold(0, |h, v| mix(h, v.into()));
                let variant = out.variants.len();
                out.variants.push((out.shapes, rate(r), hash));
                told.clear();
                for (at, (column, axis)) in columns.iter().enumerate() {
                    let Some(value) = value_of_row(column, r) else { continue };
                    told.extend(axis);
                    if axis.is_none_or(|axis| ![Axis::Bm, Axis::Bn, shown].contains(&axis)) {
                        let name = axis.map_or(column.label.as_str(), |axis| axis.label());
                        let words = || out.number(name, parameter(column, r).unwrap_or_default());
                        let number = *known.entry((at, value)).or_insert_with(words);
                        out.put(variant, number);
                    }
                }
                let (code, named) = parts.at(r);
                // What else varies in a name (BK in `MT64x64x8`) must be equal too; a name without a tile is just a
                // label.
                let kernel = frame.data.text(ColumnMeaning::Kernel, r);
                if KernelName::parse(kernel).tile.is_some() {
                    out.variants[variant].2 = mix(hash, parts.other(code));
                }
                for (at, (name, axis, value)) in named.iter().enumerate() {
                    // A column may state it already.
                    if axis.is_none_or(|axis| !told.contains(&axis)) {
                        let key = (columns.len() + at, u64::from(code));
                        let words = || out.number(name, value.clone());
                        let number = *known.entry(key).or_insert_with(words);
                        out.put(variant, number);
                    }
                }
            }
            out.shapes += 1;
        }
        out.hash();
        out
    }

    /// Indices of a setting and of its value; [`NONE`] for a value beyond the maximum number.
    fn number(&mut self, name: &str, value: String) -> (usize, u8) {
        let setting = self.names.iter().position(|n| n == name).unwrap_or_else(|| {
            self.names.push(name.to_owned());
            self.values.push(Vec::new());
            self.of.push(Vec::new());
            self.names.len() - 1
        });
        let values = &mut self.values[setting];
        let at = values.iter().position(|v| *v == value).unwrap_or_else(|| {
            if values.len() <= MOST_VALUES {
                values.push(value);
            }
            values.len() - 1
        });
        (setting, if at < MOST_VALUES { at as u8 } else { NONE })
    }

    fn put(&mut self, variant: usize, (setting, value): (usize, u8)) {
        self.of[setting].resize(variant, NONE);
        self.of[setting].push(value);
    }

    /// True for a setting; with one value it is a constant, with too many a name or a result.
    fn varies(&self, setting: usize) -> bool {
        (2..=MOST_VALUES).contains(&self.values[setting].len())
    }

    /// Contribution of a value to the hash of a variant, independent of the order of settings.
    fn part(&self, setting: usize, variant: usize) -> u64 {
        let value = self.of[setting].get(variant).copied().unwrap_or(NONE);
        mix(mix(1, setting as u64), value.into())
    }

    /// Adds the values of all settings to the hashes.
    fn hash(&mut self) {
        for setting in (0..self.names.len()).filter(|s| self.varies(*s)).collect::<Vec<_>>() {
            for variant in 0..self.variants.len() {
                let part = self.part(setting, variant);
                self.variants[variant].2 = self.variants[variant].2.wrapping_add(part);
            }
        }
    }

    /// Influence of a setting, over sets of variants of a shape that are equal in all other settings and tried each of
    /// its values; `None` if there are none.
    fn influence(&self, setting: usize) -> Option<Influence> {
        if !self.varies(setting) {
            return None;
        }
        let values = &self.values[setting];
        let all: Vec<u32> = (0..self.variants.len() as u32).collect();
        let keyed = group::by_key(&all, &|i| {
            let (shape, _, hash) = self.variants[i as usize];
            mix(mix(0, hash.wrapping_sub(self.part(setting, i as usize))), shape.into())
        });
        let value = |i: u32| self.of[setting].get(i as usize).copied().filter(|v| *v != NONE);
        // By shape: number of sets; by value and shape: sum of ln(rate / best rate of its set).
        let mut sets = vec![0u32; self.shapes as usize];
        let mut logs = vec![vec![0.0; self.shapes as usize]; values.len()];
        let mut rates = vec![0.0f64; values.len()];
        for alike in keyed.chunk_by(|a, b| a.0 == b.0) {
            rates.fill(0.0);
            let shape = self.variants[alike[0].1 as usize].0 as usize;
            for (i, value) in alike.iter().filter_map(|(_, i)| Some((*i, value(*i)?))) {
                let rate = &mut rates[usize::from(value)];
                *rate = rate.max(self.variants[i as usize].1);
            }
            if rates.iter().all(|rate| *rate > 0.0) {
                let top = rates.iter().copied().fold(0.0, f64::max);
                sets[shape] += 1;
                let each = logs.iter_mut().zip(&rates);
                each.for_each(|(of, rate)| of[shape] += (rate / top).ln());
            }
        }
        let shapes = sets.iter().filter(|n| **n > 0).count();
        // Averaged per shape first, so that a shape with many variants does not outweigh the others.
        let mean = |of: &Vec<f64>| {
            let each = of.iter().zip(&sets).filter(|(_, n)| **n > 0);
            (each.map(|(sum, n)| sum / f64::from(*n)).sum::<f64>() / shapes as f64).exp()
        };
        let named = values.iter().zip(&logs);
        let mut values: Vec<Value> =
            named.map(|(value, logs)| Value { value: value.clone(), best: mean(logs) }).collect();
        values.sort_by(|a, b| b.best.total_cmp(&a.best).then(a.value.cmp(&b.value)));
        let sets = sets.iter().sum();
        (shapes > 0).then(|| Influence { name: self.names[setting].clone(), values, shapes, sets })
    }
}

/// Code of a row's value in a settings column; `None` without one.
fn value_of_row(column: &Column, row: usize) -> Option<u64> {
    match &column.data {
        ColumnData::Number(v) => v.get(row).filter(|v| v.is_finite()).map(|v| v.to_bits()),
        ColumnData::Text { codes, .. } => codes.get(row).filter(|c| **c > 0).map(|c| u64::from(*c)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gemmscope_table::fixture::Rows;

    #[test]
    fn the_setting_that_changes_most_comes_first() {
        let mut rows = Rows::new();
        let column = rows.table().text_column(ColumnMeaning::Kernel, "kernel");
        for (wgm, by_wgm) in [(1, 1.0), (8, 1.1)] {
            for (vw, by_vw) in [(2, 2.0), (4, 1.0)] {
                for (tt, by_tt) in [("4_4", 1.0), ("8_8", 1.5)] {
                    let kernel = format!("Cijk_MT64x64x8_TT{tt}_VW{vw}_WGM{wgm}");
                    let time = 1e-5 * by_wgm * by_vw * by_tt;
                    rows.table().set_text(column, kernel.as_bytes());
                    rows.row((512, 512, 512), "", time, "");
                }
            }
        }
        let frame = rows.frame(None);
        let found = influences(&frame, Axis::Bn);
        let names: Vec<&str> = found.iter().map(|i| i.name.as_str()).collect();
        assert_eq!(names, ["VW", "TT", "WGM"]);
        let vw: Vec<(&str, u32, f64)> = found[0]
            .values
            .iter()
            .map(|v| (v.value.as_str(), found[0].sets, (v.best * 1e3).round() / 1e3))
            .collect();
        assert_eq!(vw, [("4", 4, 1.0), ("2", 4, 0.5)]);
    }

    #[test]
    fn the_depth_of_the_tile_is_held_equal() {
        // Value 2 was tried only with the deep, fast tile.
        let of = |variants: &[(&str, f64)]| {
            let mut rows = Rows::new();
            let column = rows.table().text_column(ColumnMeaning::Kernel, "kernel");
            for (kernel, time) in variants {
                rows.table().set_text(column, kernel.as_bytes());
                rows.row((512, 512, 512), "", *time, "");
            }
            influences(&rows.frame(None), Axis::Bn)
        };
        let unlike = [("Cijk_MT64x64x8_LDL1", 2e-5), ("Cijk_MT64x64x16_LDL2", 1e-5)];
        assert_eq!(of(&unlike), []);
        let all = of(&[&unlike[..], &[("Cijk_MT64x64x8_LDL2", 1.9e-5)]].concat());
        let best: Vec<(&str, u32)> =
            all.iter().map(|i| (i.values[0].value.as_str(), i.sets)).collect();
        assert_eq!(best, [("2", 1)]);
        assert!((all[0].values[1].best - 0.95).abs() < 1e-12);
        // Names that are built differently do not tell what else differs.
        assert_eq!(of(&[("Cijk_MT64x64x8_LDL1", 2e-5), ("Cijk_MT64x64x8_SK_LDL2", 1e-5)]), []);
    }

    #[test]
    fn values_are_compared_on_the_shapes_that_tried_them_all() {
        let found = |variants: &[(u32, f64, f64)]| {
            let mut rows = Rows::new();
            let warps = rows.table().number_column(ColumnMeaning::Warps, "warps");
            for &(m, count, time) in variants {
                rows.table().set_number(warps, count);
                rows.row((m, 512, 512), "", time, "");
            }
            influences(&rows.frame(None), Axis::Bn)
        };
        // Eight warps ran on only one shape, two on only the other.
        let sparse = [(512, 4.0, 1.1e-5), (512, 8.0, 1e-5), (64, 4.0, 1e-5), (64, 2.0, 2e-5)];
        assert_eq!(found(&sparse), []);
        let full = found(&[&sparse[..], &[(64, 8.0, 4e-5), (512, 2.0, 1.1e-5)]].concat());
        let best: Vec<&str> = full[0].values.iter().map(|v| v.value.as_str()).collect();
        assert_eq!(best, ["4", "2", "8"]);
    }

    #[test]
    fn a_setting_that_another_one_goes_with_is_told_only_where_that_is_equal() {
        // BK 32 ran only with BN 512, which is slow for any BK.
        let found = |variants: &[(f64, f64, f64)]| {
            let mut rows = Rows::new();
            let t = rows.table();
            let columns = [ColumnMeaning::TileM, ColumnMeaning::TileN, ColumnMeaning::TileK]
                .map(|c| t.number_column(c, c.id()));
            for &(n, k, time) in variants {
                for (column, value) in columns.iter().zip([64.0, n, k]) {
                    rows.table().set_number(*column, value);
                }
                rows.row((512, 512, 512), "", time, "");
            }
            influences(&rows.frame(None), Axis::Bn)
        };
        let apart = [(64.0, 64.0, 1e-5), (128.0, 64.0, 1.2e-5), (512.0, 32.0, 4e-5)];
        assert_eq!(found(&apart), []);
        let both = found(&[&apart[..], &[(512.0, 64.0, 3.8e-5)]].concat());
        let values: Vec<&str> = both[0].values.iter().map(|v| v.value.as_str()).collect();
        assert_eq!((values, both[0].sets), (vec!["64", "32"], 1));
        assert!((both[0].values[1].best - 0.95).abs() < 1e-12, "{both:?}");
        // The best rate of a value may come from other settings: every pair counts, not only the fastest.
        let pairs =
            [(64.0, 64.0, 1e-5), (64.0, 32.0, 2e-5), (128.0, 64.0, 4e-5), (128.0, 32.0, 2e-5)];
        let even = found(&pairs);
        assert_eq!(even[0].sets, 2);
        for value in &even[0].values {
            assert!((value.best - 0.5f64.sqrt()).abs() < 1e-12, "{even:?}");
        }
    }

    #[test]
    fn a_value_that_suits_shapes_differently_is_told_with_averages() {
        let mut rows = Rows::new();
        let column = rows.table().text_column(ColumnMeaning::Kernel, "kernel");
        for (k, times) in [(512, [1.0, 1.25]), (1024, [1.25, 1.0])] {
            for (vw, time) in [2, 4].into_iter().zip(times) {
                let kernel = format!("Cijk_MT64x64x8_VW{vw}");
                rows.table().set_text(column, kernel.as_bytes());
                rows.row((512, 512, k), "", 1e-5 * time, "");
            }
        }
        let found = influences(&rows.frame(None), Axis::Bn);
        for value in &found[0].values {
            assert!((value.best - 0.8f64.sqrt()).abs() < 1e-12, "{value:?}");
        }
    }

    #[test]
    fn a_setting_is_told_once_by_its_field_name_and_not_where_it_is_the_axis() {
        let mut rows = Rows::new();
        let kernel = rows.table().text_column(ColumnMeaning::Kernel, "kernel");
        let split = rows.table().number_column(ColumnMeaning::SplitK, "SPLIT_K");
        for (factor, time) in [(1.0, 1e-5), (4.0, 2e-5)] {
            rows.table().set_text(kernel, format!("triton_64x64x32_sk{factor}").as_bytes());
            rows.table().set_number(split, factor);
            rows.row((512, 512, 512), "", time, "");
        }
        let frame = rows.frame(None);
        let names = |shown| -> Vec<String> {
            influences(&frame, shown).into_iter().map(|i| i.name).collect()
        };
        assert_eq!(names(Axis::Bn), ["split-K"]);
        assert_eq!(names(Axis::SplitK), Vec::<String>::new());
    }

    #[test]
    fn names_of_one_kind_have_no_settings() {
        let mut rows = Rows::new();
        for time in [1e-5, 2e-5] {
            rows.row((512, 512, 512), "", time, "");
        }
        assert_eq!(influences(&rows.frame(None), Axis::Bn), []);
    }
}
