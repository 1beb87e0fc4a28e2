//! The dispatch table as a file that PyTorch's TunableOp loads (`PYTORCH_TUNABLEOP_FILENAME`): lines
//! `Validator,KEY,VALUE`, then `OPERATION,PARAMETERS,SOLUTION,MILLISECONDS`. PyTorch refuses a file whose validators
//! are not those of its own build, and knows solutions by the names it wrote itself, so everything is taken from files
//! that TunableOp wrote (`aten/src/ATen/cuda/tunable/Tunable.cpp`, `TuningContext::ReadFile`).

use super::TIE;
use gemmscope_model::units::format_short;
use gemmscope_table::dataset::{ColumnData, ColumnMeaning, Dataset};
use gemmscope_table::field::Frame;
use std::collections::BTreeMap;
use std::fmt::Write;

/// Format id of the files that it can be made from.
const FORMAT: &str = "tunableop";
/// Label of TunableOp's parameter column: `tn_384_12_384_ld_384_384_384`.
const PARAMETERS: &str = "parameters";
/// Digits of a time in TunableOp's files.
const DIGITS: usize = 6;

/// Rows of all files by operation and parameters.
type Keys<'a> = BTreeMap<(&'a str, &'a str), Vec<u32>>;

/// Why no TunableOp file can be written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NoTunableop {
    /// This file was not written by TunableOp: it has no `Validator` lines.
    OtherFormat(String),
    /// Two files were written by different builds.
    OtherBuild {
        /// Their names.
        files: [String; 2],
        /// The validator that differs.
        key: String,
    },
}

/// The file that TunableOp loads: for each operation and parameters the fastest solution of all files, or that of the
/// file with the least total time if it ties.
pub fn tunableop(frame: &Frame) -> Result<String, NoTunableop> {
    let data = &*frame.data;
    let validators = validators(data)?;
    let mut keys: Keys<'_> = BTreeMap::new();
    for &row in frame.rows.iter() {
        let r = row as usize;
        let key = (data.text(ColumnMeaning::OpName, r), text(data, PARAMETERS, r));
        if data.time_s[r] > 0.0 {
            keys.entry(key).or_default().push(row);
        }
    }
    let baseline = baseline(data, &keys);
    let mut out = String::new();
    for (key, value) in &validators {
        let _ = writeln!(out, "Validator,{key},{value}");
    }
    let time_s = |row: &u32| data.time_s[*row as usize];
    for ((operation, parameters), rows) in &keys {
        let fastest = |rows: &mut dyn Iterator<Item = &u32>| {
            rows.min_by(|a, b| time_s(a).total_cmp(&time_s(b)).then(a.cmp(b))).copied()
        };
        let own = fastest(&mut rows.iter().filter(|r| data.source[**r as usize] == baseline));
        let Some(best) = fastest(&mut rows.iter()) else { continue };
        let row = own.filter(|own| time_s(own) <= (1.0 + TIE) * time_s(&best)).unwrap_or(best);
        let solution = data.text(ColumnMeaning::Kernel, row as usize);
        let ms = format_short(time_s(&row) * 1e3, DIGITS);
        let _ = writeln!(out, "{operation},{parameters},{solution},{ms}");
    }
    Ok(out)
}

/// The validators, which must agree in all files, in the order of the first.
fn validators(data: &Dataset) -> Result<Vec<(&str, &str)>, NoTunableop> {
    let mut first: Option<(&str, Vec<(&str, &str)>)> = None;
    for source in &data.sources {
        let name = source.name.as_str();
        let notes = source.notes.iter().filter_map(|note| note.split_once(": "));
        let is_key = |key: &str| {
            key.chars().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_')
        };
        let own: Vec<(&str, &str)> = notes.filter(|(key, _)| is_key(key)).collect();
        if source.format != FORMAT || own.is_empty() {
            return Err(NoTunableop::OtherFormat(name.to_owned()));
        }
        match &first {
            None => first = Some((name, own)),
            Some((other, known)) => {
                let differs = |pair: &&(&str, &str)| !known.contains(pair);
                let odd = own.iter().find(differs).map(|pair| pair.0);
                let lacks = known.iter().find(|pair| !own.contains(pair)).map(|pair| pair.0);
                if let Some(key) = odd.or(lacks) {
                    let files = [*other, name].map(str::to_owned);
                    return Err(NoTunableop::OtherBuild { files, key: key.to_owned() });
                }
            }
        }
    }
    Ok(first.map(|(_, own)| own).unwrap_or_default())
}

/// The file with the least total time on what all files have; if they share nothing, the file with most entries.
fn baseline(data: &Dataset, keys: &Keys<'_>) -> u16 {
    let files = data.sources.len() as u16;
    let fastest_s = |rows: &[u32], file: u16| {
        let own = rows.iter().filter(|r| data.source[**r as usize] == file);
        own.map(|r| data.time_s[*r as usize]).reduce(f64::min)
    };
    let shared = |rows: &&Vec<u32>| (0..files).all(|file| fastest_s(rows, file).is_some());
    let of = |file: u16| {
        let all = keys.values().filter(shared).filter_map(|rows| fastest_s(rows, file));
        let lines = keys.values().filter(|rows| fastest_s(rows, file).is_some()).count();
        (all.sum::<f64>(), std::cmp::Reverse(lines))
    };
    let order = |a: &u16, b: &u16| {
        let ((a_s, a_lines), (b_s, b_lines)) = (of(*a), of(*b));
        a_s.total_cmp(&b_s).then(a_lines.cmp(&b_lines))
    };
    (0..files).min_by(order).unwrap_or(0)
}

/// Text of a row in a column; "" if there is none.
fn text<'d>(data: &'d Dataset, label: &str, row: usize) -> &'d str {
    match data.columns.iter().find(|c| c.label == label).map(|c| &c.data) {
        Some(ColumnData::Text { codes, values }) => &values[codes[row] as usize],
        _ => "",
    }
}
