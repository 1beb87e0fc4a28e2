//! What the other settings of a sweep change: each value of each setting, and how near to the
//! fastest variant any variant with it comes.

use super::by_shape;
use crate::tuning::{parameter, parameter_columns};
use gemmscope_model::order::InOrder;
use gemmscope_model::sorted::Sorted;
use gemmscope_model::tiling::Axis;
use gemmscope_model::units::percent;
use gemmscope_table::dataset::{Column, ColumnData, ColumnMeaning};
use gemmscope_table::field::Frame;
use gemmscope_table::stats::median;
use rustc_hash::FxHashMap;

/// More rows than this are not looked through: the answer would keep every filter waiting.
pub(crate) const MOST_ROWS: usize = 50_000;
/// A setting with more values than this is a name or a result.
const MOST_VALUES: usize = 32;
/// A setting whose worst value comes within this share of the best changes nothing.
const LITTLE: f64 = 0.05;
/// Settings that the sentence names.
const NAMED: usize = 3;

/// A value of a setting.
#[derive(Clone, Debug, PartialEq)]
pub struct Value {
    /// As the file or the kernel's name has it.
    pub value: String,
    /// Measured variants with it.
    pub variants: u64,
    /// The rate of the fastest variant with it over that of the fastest of all; geometric mean over the
    /// shapes, 0 to 1.
    pub best: f64,
    /// The same of the median rate of the variants with it: at most `best`.
    pub median: f64,
}

/// A setting that varies, and its values, the best first.
#[derive(Clone, Debug, PartialEq)]
pub struct Influence {
    /// Title of the column, or the letters before the value in kernel names.
    pub name: String,
    /// At least two.
    pub values: Vec<Value>,
    /// Shapes on which all of them were tried.
    pub shapes: usize,
}

impl Influence {
    /// By how much the choice of the value changes the best rate, 0 to 1.
    pub fn spread(&self) -> f64 {
        let worst = self.values.last().map_or(1.0, |v| v.best);
        1.0 - worst
    }
}

/// The settings other than the sides of the tile and `shown`, the axis of the map, that vary among the
/// variants of a shape, the one that changes most first.
pub fn influences(frame: &Frame, shown: Axis) -> Vec<Influence> {
    if frame.rows.len() > MOST_ROWS {
        return Vec::new();
    }
    let rate = |r: usize| frame.metrics.rate(&frame.data, r);
    let rated = frame.rows.iter().copied().filter(|r| rate(*r as usize).is_finite());
    let grouped = by_shape(frame, &rated.collect::<Vec<u32>>());
    let columns = parameter_columns(frame);
    let columns: Vec<_> = columns.into_iter().map(|c| (c, axis_of(&c.label))).collect();
    let names = NameParts::of(frame);
    // Setting to value to its number: by that, of each variant its shape, by number, and its share.
    let mut found: Sorted<String, Sorted<String, u32>> = Sorted::new();
    let mut numbers = 0..NONE;
    let mut number = |name: &str, value: &str| {
        let values = found.or_insert(name.to_owned(), Sorted::new());
        match values.get(value).copied() {
            None if values.len() <= MOST_VALUES => {
                let next = numbers.next().unwrap_or(NONE);
                values.insert(value.to_owned(), next);
                next
            }
            known => known.unwrap_or(NONE),
        }
    };
    let mut shares: Vec<Vec<(u32, f64)>> = Vec::new();
    let mut add = |number: u32, of: (u32, f64)| {
        if number != NONE {
            shares.resize(shares.len().max(number as usize + 1), Vec::new());
            shares[number as usize].push(of);
        }
    };
    // By column, or part of a name, and its value: words are made once for each.
    let mut known: FxHashMap<(usize, u64), u32> = FxHashMap::default();
    let shapes = grouped.chunk_by(|a, b| a.0 == b.0).filter(|rows| rows.len() > 1);
    let mut stated: Vec<Axis> = Vec::new();
    for (shape, rows) in (0..).zip(shapes) {
        let rows = || rows.iter().map(|r| r.1 as usize);
        let top = rows().map(rate).fold(0.0, f64::max);
        for r in rows() {
            let share = (shape, rate(r) / top);
            stated.clear();
            for (at, (column, axis)) in columns.iter().enumerate() {
                let Some(value) = value_of_row(column, r) else { continue };
                stated.extend(axis);
                if axis.is_none_or(|axis| ![Axis::Bm, Axis::Bn, shown].contains(&axis)) {
                    let name = axis.map_or(column.label.as_str(), |axis| axis.label());
                    let words = || number(name, &parameter(column, r).unwrap_or_default());
                    add(*known.entry((at, value)).or_insert_with(words), share);
                }
            }
            let (code, parts) = names.at(r);
            for (at, (name, axis, value)) in parts.iter().enumerate() {
                // A column may say it too.
                if axis.is_none_or(|axis| !stated.contains(&axis)) {
                    let key = (columns.len() + at, u64::from(code));
                    add(*known.entry(key).or_insert_with(|| number(name, value)), share);
                }
            }
        }
    }
    let mut out: Vec<Influence> = found
        .into_iter()
        .filter(|(_, values)| (2..=MOST_VALUES).contains(&values.len()))
        .filter_map(|(name, values)| {
            let values = values.into_iter();
            let tried = values.map(|(value, at)| (value, std::mem::take(&mut shares[at as usize])));
            let (values, shapes) = where_all_were_tried(tried.collect())?;
            let mut values: Vec<Value> = values.into_iter().map(value_of).collect();
            values.order_by(|a, b| b.best.total_cmp(&a.best));
            Some(Influence { name, values, shapes })
        })
        .collect();
    out.order_by(|a, b| b.spread().total_cmp(&a.spread()));
    out
}

/// No number.
const NONE: u32 = u32::MAX;

/// What stands for the text of a row in a column of settings; `None` without one.
fn value_of_row(column: &Column, row: usize) -> Option<u64> {
    match &column.data {
        ColumnData::Number(v) => v.get(row).filter(|v| v.is_finite()).map(|v| v.to_bits()),
        ColumnData::Text { codes, .. } => codes.get(row).filter(|c| **c > 0).map(|c| u64::from(*c)),
    }
}

/// Values with the shapes, ascending by number, and shares of their variants.
type Tried = Sorted<String, Vec<(u32, f64)>>;

/// Only the shapes on which every value was tried: a value that only an easy shape had would win. `None`
/// where there is no such shape.
fn where_all_were_tried(mut values: Tried) -> Option<(Tried, usize)> {
    let last = values.values().filter_map(|shares| shares.last()).map(|s| s.0).max()?;
    let mut times = vec![0; last as usize + 1];
    for shares in values.values() {
        let of_shapes = shares.chunk_by(|a, b| a.0 == b.0);
        of_shapes.for_each(|shares| times[shares[0].0 as usize] += 1);
    }
    let all = values.len();
    values.values_mut().for_each(|shares| shares.retain(|s| times[s.0 as usize] == all));
    let shapes = times.iter().filter(|times| **times == all).count();
    (shapes > 0).then_some((values, shapes))
}

fn value_of((value, mut shares): (String, Vec<(u32, f64)>)) -> Value {
    shares.order_by(|a, b| a.0.cmp(&b.0).then(b.1.total_cmp(&a.1)));
    // Both by shape first, or one with many variants would outweigh the others.
    let mean = |of: &dyn Fn(&mut [f64]) -> f64| {
        let each = shares.chunk_by(|a, b| a.0 == b.0).map(|shape| {
            let mut all: Vec<f64> = shape.iter().map(|s| s.1).collect();
            of(&mut all).ln()
        });
        let each: Vec<f64> = each.collect();
        (each.iter().sum::<f64>() / each.len().max(1) as f64).exp()
    };
    Value { value, variants: shares.len() as u64, best: mean(&|all| all[0]), median: mean(&median) }
}

/// The settings that matter most, in a sentence; `None` where no setting but the tile varies.
pub fn sentence(influences: &[Influence]) -> Option<String> {
    influences.first()?;
    let told: Vec<String> = influences
        .iter()
        .filter(|i| i.spread() > LITTLE)
        .take(NAMED)
        .filter_map(|i| {
            let (best, worst) = (i.values.first()?, i.values.last()?);
            let reach = percent(worst.best);
            let on = match i.shapes {
                1 => "on the one shape that tried all".to_owned(),
                n => format!("on {n} shapes that tried all"),
            };
            // A value that is far from the best of some shape is no choice for all.
            let chosen = match 1.0 - best.best > LITTLE {
                true => format!("by shape ({}: {}, ", best.value, percent(best.best)),
                false => format!("{} (", best.value),
            };
            Some(format!(
                "{} {chosen}{}: {reach} of the best rate on average, {on})",
                i.name, worst.value
            ))
        })
        .collect();
    Some(match told.is_empty() {
        true => "No other setting changes the best rate by more than 5 %, where each of its values was tried.".to_owned(),
        false => format!("Best of the other settings: {}.", told.join(", ")),
    })
}

/// The axis that a title of a setting names, however its tool spells it: `BLOCK_SIZE_K`, `num_warps`.
fn axis_of(title: &str) -> Option<Axis> {
    let plain: String = title.chars().filter(char::is_ascii_alphanumeric).collect();
    Some(match &*plain.to_ascii_lowercase() {
        "tilem" | "blockm" | "blocksizem" | "bm" => Axis::Bm,
        "tilen" | "blockn" | "blocksizen" | "bn" => Axis::Bn,
        "tilek" | "blockk" | "blocksizek" | "bk" => Axis::Bk,
        "splitk" | "sk" => Axis::SplitK,
        "stages" | "numstages" => Axis::Stages,
        "warps" | "numwarps" => Axis::Warps,
        _ => return None,
    })
}

/// A setting in a kernel's name: its letters, what they stand for, and its value.
type Part = (String, Option<Axis>, String);

/// The parts of kernel names that vary, where the names are built alike: `GRVW4` is 4 of `GRVW`.
struct NameParts<'a> {
    codes: &'a [u32],
    /// For each name its settings; empty for names that are built differently.
    settings: Vec<Vec<Part>>,
}

impl<'a> NameParts<'a> {
    fn of(frame: &'a Frame) -> Self {
        let column = frame.data.column(ColumnMeaning::Kernel);
        let Some(ColumnData::Text { codes, values }) = column.map(|c| &c.data) else {
            return NameParts { codes: &[], settings: Vec::new() };
        };
        let parts: Vec<Vec<String>> = values.iter().map(|v| parts_of(v)).collect();
        let mut lengths: Sorted<usize, usize> = Sorted::new();
        for p in &parts {
            *lengths.or_insert(p.len(), 0) += 1;
        }
        let usual = lengths.into_iter().max_by_key(|l| l.1).map_or(0, |l| l.0);
        let alike = || parts.iter().filter(|p| p.len() == usual);
        let titles: Vec<Option<String>> = (0..usual)
            .map(|i| {
                let first = alike().next()?.get(i)?;
                let title = letters(first);
                let varies = alike().any(|p| p[i] != *first);
                let titled = alike().all(|p| letters(&p[i]) == title);
                // Sides joined by an x are the tile.
                let tile = first[title.len()..].contains('x');
                (varies && titled && !tile && !title.is_empty()).then(|| title.to_owned())
            })
            .collect();
        let settings = parts
            .iter()
            .map(|p| match p.len() == usual {
                false => Vec::new(),
                true => titles
                    .iter()
                    .zip(p)
                    .filter_map(|(title, part)| {
                        let title = title.as_ref()?;
                        Some((title.clone(), axis_of(title), part[title.len()..].to_owned()))
                    })
                    .collect(),
            })
            .collect();
        NameParts { codes, settings }
    }

    /// The code of a row's name, and its settings.
    fn at(&self, row: usize) -> (u32, &[Part]) {
        let code = self.codes.get(row).copied().unwrap_or(NONE);
        (code, self.settings.get(code as usize).map_or(&[], Vec::as_slice))
    }
}

/// A name cut at underscores; a number goes with the part before it (`TT4_4`).
fn parts_of(name: &str) -> Vec<String> {
    let mut out: Vec<String> = Vec::new();
    for part in name.split('_') {
        match out.last_mut() {
            Some(last) if part.starts_with(|c: char| c.is_ascii_digit()) => {
                last.push('_');
                last.push_str(part);
            }
            _ => out.push(part.to_owned()),
        }
    }
    out
}

/// The letters that a part begins with.
fn letters(part: &str) -> &str {
    let end = part.find(|c: char| !c.is_ascii_alphabetic());
    &part[..end.unwrap_or(part.len())]
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
        let vw: Vec<(&str, u64, f64)> = found[0]
            .values
            .iter()
            .map(|v| (v.value.as_str(), v.variants, (v.best * 1e3).round() / 1e3))
            .collect();
        assert_eq!(vw, [("4", 4, 1.0), ("2", 4, 0.5)]);
        assert_eq!(
            sentence(&found).unwrap(),
            "Best of the other settings: VW 4 (2: 50.0 % of the best rate on average, on the one shape that tried all), TT 4_4 \
             (8_8: 66.7 % of the best rate on average, on the one shape that tried all), WGM 1 (8: 90.9 % of the best rate on average, on the one \
             shape that tried all)."
        );
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
        // Eight warps ran on one shape alone, and two on the other.
        let sparse = [(512, 4.0, 1.1e-5), (512, 8.0, 1e-5), (64, 4.0, 1e-5), (64, 2.0, 2e-5)];
        assert_eq!(found(&sparse), []);
        let full = found(&[&sparse[..], &[(64, 8.0, 4e-5), (512, 2.0, 1.1e-5)]].concat());
        let best: Vec<&str> = full[0].values.iter().map(|v| v.value.as_str()).collect();
        assert_eq!(best, ["4", "2", "8"]);
    }

    #[test]
    fn the_median_of_a_value_is_never_above_its_best() {
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
        assert_eq!(
            sentence(&found).unwrap(),
            "Best of the other settings: VW by shape (2: 89.4 %, 4: 89.4 % of the best rate on average, on 2 shapes that tried all)."
        );
        for value in &found[0].values {
            assert!((value.best - 0.8f64.sqrt()).abs() < 1e-12, "{value:?}");
            assert!((value.median - value.best).abs() < 1e-12, "{value:?}");
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
        assert_eq!(sentence(&[]), None);
    }
}
