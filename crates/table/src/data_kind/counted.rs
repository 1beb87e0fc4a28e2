//! The rows that totals are over.

use super::{
    DataKind, Decision, OperationName, configuration, on_device, place, variant, variant_columns,
};
use crate::dataset::{ColumnData, ColumnMeaning, Dataset, library_name};
use crate::field::{Field, Frame};
use crate::group::{self, mix};
use gemmscope_model::hardware::short_name;
use gemmscope_model::pass;
use gemmscope_model::units::{and_more, grouped, plural};
use std::collections::HashMap;
use std::sync::Arc;

/// One side; all rows if there are no sides.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Side {
    /// Value of the side's field; "" without sides.
    pub value: String,
    /// Name for people.
    pub label: String,
    /// Rows that count, ascending.
    pub rows: Arc<Vec<u32>>,
    /// Number of rows of the side, including slower variants and repeats.
    pub all_rows: u64,
    /// True if some GEMM ran in several variants. If false, rows that do not count are repeats.
    pub variants: bool,
    /// True if its rows are calls of a program.
    pub program: bool,
}

/// The rows that totals are over, by side.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Counted {
    /// The sides; a single unnamed one if there are none.
    pub sides: Vec<Side>,
    /// Number of rows of the frame.
    pub rows: u64,
}

/// Rows that are added up: those with a time that count on one side and one device. Different devices are never added
/// up.
#[derive(Clone, Debug, PartialEq)]
pub struct CountedSet {
    /// Index of its side in [`Counted::sides`].
    pub side: usize,
    /// Name of its device, the catalogue's if known; "" if none is stated.
    pub device: String,
    /// Name among the sets: its side, and its device if there are several; "" for the only set.
    pub name: String,
    /// The rows, ascending.
    pub rows: Vec<u32>,
}

impl CountedSet {
    /// The sets of a frame: by side, then by device in the order of their rows.
    pub(crate) fn of(frame: &Frame) -> Vec<CountedSet> {
        let data = &*frame.data;
        let mut out: Vec<CountedSet> = Vec::new();
        for (number, side) in frame.counted().sides.iter().enumerate() {
            // Index in `out` by device code.
            let mut places: Vec<Option<usize>> = vec![None; data.devices.len()];
            for &row in side.rows.iter().filter(|r| !data.time_s[**r as usize].is_nan()) {
                let code = frame.device(row as usize);
                let place = *places[usize::from(code)].get_or_insert(out.len());
                if place == out.len() {
                    let device = frame.device_name(code).to_owned();
                    out.push(CountedSet {
                        side: number,
                        device,
                        name: String::new(),
                        rows: Vec::new(),
                    });
                }
                out[place].rows.push(row);
            }
        }
        let several = out.windows(2).any(|two| two[0].device != two[1].device);
        for set in &mut out {
            let side = &frame.counted().sides[set.side].label;
            // Sides with one device each may be named after it already.
            let own = !set.device.is_empty() && side.ends_with(&short_name(&set.device));
            let named = !several || own;
            let device = if set.device.is_empty() { "an unknown device" } else { &set.device };
            let parts = [side.as_str(), if named { "" } else { device }];
            let parts: Vec<&str> = parts.into_iter().filter(|p| !p.is_empty()).collect();
            set.name = parts.join(" on ");
        }
        out
    }
}

impl Counted {
    /// Index of the side that a row counts for; `None` if it counts for none.
    pub fn side_of(&self, row: u32) -> Option<usize> {
        self.sides.iter().position(|s| s.rows.binary_search(&row).is_ok())
    }

    /// Finds the counted rows of a frame.
    pub(crate) fn new(frame: &Frame, decision: &Decision) -> Counted {
        let rows = frame.rows.len() as u64;
        let side = match (&decision.kind, &decision.side) {
            (DataKind::Sides, Some(side)) => side,
            (DataKind::Workload, _) => {
                let all = everything(frame.rows.clone(), true);
                return Counted { sides: vec![all], rows };
            }
            _ => {
                let mut all = everything(frame.rows.clone(), false);
                if decision.several {
                    let (rows, variants) = Representative::new(frame).of(&frame.rows);
                    (all.rows, all.variants) = (Arc::new(rows), variants);
                }
                return Counted { sides: vec![all], rows };
            }
        };
        let fastest = Representative::new(frame);
        let categories = frame.categories(side);
        let mut members: Vec<Vec<u32>> = vec![Vec::new(); categories.values.len()];
        for &row in frame.rows.iter() {
            members[categories.codes.get(row as usize) as usize].push(row);
        }
        let mut several = false;
        let mut sides: Vec<Side> = categories
            .values
            .iter()
            .zip(members)
            .filter(|(_, rows)| !rows.is_empty())
            .map(|(value, rows)| {
                let source = rows.first().map_or(0, |r| frame.data.source[*r as usize]);
                let program = decision.is_program(usize::from(source));
                let all_rows = rows.len() as u64;
                let (rows, variants) = if program { (rows, false) } else { fastest.of(&rows) };
                let library = library_of(frame, side, &rows);
                several |= library.is_none();
                Side {
                    label: label(frame, side, value, (library, &rows)),
                    value: value.clone(),
                    rows: Arc::new(rows),
                    all_rows,
                    variants,
                    program,
                }
            })
            .collect();
        if *side == Field::Source {
            // If one file holds several libraries, all sides keep the names of their files.
            if several {
                sides.iter_mut().for_each(|side| side.label = of_file(&side.value));
            }
            name_devices(frame, &mut sides);
        }
        unique(&mut sides);
        Counted { sides, rows }
    }

    /// True if there are sides to compare.
    pub fn compares(&self) -> bool {
        self.sides.len() > 1
    }

    /// Counted rows of all sides, ascending.
    pub fn all(&self) -> Arc<Vec<u32>> {
        match self.sides.as_slice() {
            [one] => one.rows.clone(),
            many => {
                let mut rows: Vec<u32> = many.iter().flat_map(|s| s.rows.iter().copied()).collect();
                rows.sort_unstable();
                Arc::new(rows)
            }
        }
    }

    /// Short description of the rows: `75 variants of 3 GEMMs`.
    pub fn words(&self, kind: DataKind) -> String {
        let [one] = self.sides.as_slice() else {
            let names: Vec<&str> = self.sides.iter().map(|s| s.label.as_str()).collect();
            return match names.as_slice() {
                [] | [_] => "no rows".to_owned(),
                [a, b] => format!("{a} and {b}"),
                [a, b, c] => format!("{a}, {b} and {c}"),
                [a, b, rest @ ..] => format!("{a}, {b} {}", and_more(rest.len())),
            };
        };
        let counted = one.rows.len() as u64;
        match kind {
            DataKind::Sweep => {
                format!("{} variants of {}", grouped(one.all_rows), plural(counted, "GEMM"))
            }
            // A program may have one GEMM in several rows.
            DataKind::Workload => plural(counted, "row"),
            _ => plural(counted, "GEMM"),
        }
    }
}

/// Code of the library that all rows of a file share; 0 if none is stated or the sides are not files; `None` if the
/// rows have several.
fn library_of(frame: &Frame, side: &Field, rows: &[u32]) -> Option<u32> {
    let codes = match side {
        Field::Source => frame.data.codes(ColumnMeaning::Library),
        _ => None,
    };
    let Some(codes) = codes else { return Some(0) };
    let mut of_rows = rows.iter().map(|&r| codes[r as usize]);
    let first = of_rows.next().unwrap_or(0);
    of_rows.all(|c| c == first).then_some(first)
}

/// Name of a side: its value; for a file with one library, that library, which the file's name may tell.
fn label(
    frame: &Frame,
    side: &Field,
    value: &str,
    (library, rows): (Option<u32>, &[u32]),
) -> String {
    match (side, library) {
        _ if value.is_empty() => "not stated".to_owned(),
        (Field::Source, None | Some(0)) => of_file(value),
        (Field::Source, Some(_)) => {
            let row = rows.first().map_or(0, |r| *r as usize);
            frame.data.text(ColumnMeaning::Library, row).to_owned()
        }
        _ => value.to_owned(),
    }
}

impl Frame {
    /// Who produced a row: the name of its side if files are compared, else its library, else its file.
    pub fn maker(&self, row: usize) -> String {
        let data = &*self.data;
        let library = data.text(ColumnMeaning::Library, row);
        let file = data.sources.get(usize::from(data.source[row])).map_or("", |s| s.name.as_str());
        match &self.decision().side {
            Some(side @ Field::Source) => {
                let rows = [row as u32];
                label(self, side, file, (library_of(self, side, &rows), &rows))
            }
            _ if !library.is_empty() => library.to_owned(),
            _ => of_file(file),
        }
    }
}

/// If each side ran on one device and all devices differ, names the sides after them, with the library first if every
/// side has one: `Tensile on MI300X`, `cuBLAS on H100 80GB`. Unless all files have one name, only devices of the
/// catalogue count: another file name says more than `sm_90`.
fn name_devices(frame: &Frame, sides: &mut [Side]) {
    let data = &*frame.data;
    let one_name = sides.windows(2).all(|s| file_name(&s[0].value) == file_name(&s[1].value));
    let of_side = |side: &Side| {
        let code = frame.device(*side.rows.first()? as usize);
        let known = frame.metrics.devices.get(usize::from(code)).is_some_and(Option::is_some);
        if !known && !one_name {
            return None;
        }
        let all = side.rows.iter().map(|r| *r as usize).all(|r| {
            frame.device(r) == code && !data.devices[usize::from(data.device[r])].is_empty()
        });
        all.then(|| short_name(frame.device_name(code)))
    };
    let Some(names) = sides.iter().map(of_side).collect::<Option<Vec<_>>>() else {
        return;
    };
    if sides.len() < 2 || (1..names.len()).any(|i| names[..i].contains(&names[i])) {
        return;
    }
    let libraries: Option<Vec<_>> = sides.iter().map(|s| library_name(&s.label)).collect();
    for (i, (side, device)) in sides.iter_mut().zip(names).enumerate() {
        side.label = match libraries.as_ref().map(|of| of[i]) {
            Some(library) => format!("{library} on {device}"),
            None => device,
        };
    }
}

/// Strips a file name of its extension, and of words like `gemm` if the rest is a library: `iree_gemm.csv` is IREE,
/// `tuned_run2.csv` is `tuned_run2`.
fn of_file(path: &str) -> String {
    const COMMON: [&str; 8] =
        ["gemm", "gemms", "matmul", "bench", "benchmark", "results", "result", "perf"];
    let unpacked = path.strip_suffix(".gz").unwrap_or(path);
    let stem = match unpacked.rsplit_once('.') {
        Some((stem, _)) if !stem.is_empty() && !stem.ends_with('/') => stem,
        _ => unpacked,
    };
    let name = stem.rsplit('/').next().unwrap_or(stem);
    let mut words = name
        .split(['_', '-', '.', ' '])
        .filter(|w| !COMMON.contains(&w.to_ascii_lowercase().as_str()));
    match (words.next(), words.next()) {
        // `GEMM` alone would read like a GEMM.
        (None, _) => path.to_owned(),
        (Some(word), None) => library_name(word).unwrap_or(stem).to_owned(),
        _ => stem.to_owned(),
    }
}

/// Makes names distinct: sides that share a name, or files of one name in several folders, get what their folders do not
/// share, else their values.
fn unique(sides: &mut [Side]) {
    let mut of_label: HashMap<String, Vec<usize>> = HashMap::new();
    for (i, side) in sides.iter().enumerate() {
        of_label.entry(file_name(&side.label).to_owned()).or_default().push(i);
    }
    for alike in of_label.into_values().filter(|alike| alike.len() > 1) {
        let values: Vec<&str> = alike.iter().map(|i| sides[*i].value.as_str()).collect();
        let names = folders(&values)
            .unwrap_or_else(|| values.iter().map(|value| (*value).to_owned()).collect());
        for (i, name) in alike.into_iter().zip(names) {
            sides[i].label = name;
        }
    }
}

fn file_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// For files of one name, the parts of their paths between the folders that all share and the name: `qwen_h100` and
/// `qwen_mi300`. `None` for files of several names, or without such a part.
fn folders(paths: &[&str]) -> Option<Vec<String>> {
    let split: Vec<Vec<&str>> = paths.iter().map(|path| path.split('/').collect()).collect();
    let first = split.first()?;
    let shared = (0..first.len())
        .take_while(|i| split.iter().all(|path| path.get(*i) == first.get(*i)))
        .count();
    let folder = |path: &Vec<&str>| {
        let (name, folders) = path.split_last()?;
        let own = folders.get(shared..).filter(|own| !own.is_empty())?;
        (Some(name) == first.last()).then(|| own.join("/"))
    };
    split.iter().map(folder).collect()
}

/// Index of the repeat that counts among `n` in ascending order of time: the median, the faster of the middle two if `n`
/// is even, so that a total is over rows.
pub fn middle(n: usize) -> usize {
    n.saturating_sub(1) / 2
}

/// Picks the row that counts among variants and repeats.
struct Representative<'a> {
    data: &'a Dataset,
    columns: Vec<&'a ColumnData>,
    library: Option<&'a [u32]>,
    operation: OperationName<'a>,
    /// Treat rows of several devices as variants of one configuration.
    together: bool,
}

impl<'a> Representative<'a> {
    fn new(frame: &'a Frame) -> Self {
        let data = &*frame.data;
        Representative {
            together: frame.decision().together,
            data,
            columns: variant_columns(data),
            library: data.codes(ColumnMeaning::Library),
            operation: OperationName::new(data),
        }
    }

    /// Hash of a row's configuration.
    fn key(&self, row: u32) -> u64 {
        let r = row as usize;
        let hash = match self.together {
            true => configuration(self.data, r),
            false => on_device(self.data, r),
        };
        self.operation.hash(hash, r)
    }

    fn library(&self, r: usize) -> u64 {
        self.library.map_or(0, |codes| u64::from(codes[r]))
    }

    /// For each configuration the row of its fastest variant; among a variant's repeats the median (the faster of the
    /// middle two if their number is even). Rows without a time are dropped if the configuration has a time, else one
    /// of them stays. True if some configuration has several variants.
    fn of(&self, rows: &[u32]) -> (Vec<u32>, bool) {
        let keyed = group::by_key(rows, &|row| self.key(row));
        let mut out = Vec::new();
        let several = self.choose(&keyed, &mut out);
        (group::ascending(&out, self.data.len()), several)
    }

    /// Appends the chosen row of each configuration in `keyed`, where equal keys are adjacent. True if some
    /// configuration has several variants.
    fn choose(&self, keyed: &[(u64, u32)], out: &mut Vec<u32>) -> bool {
        let time = |row: u32| match self.data.time_s[row as usize] {
            // Positive floats order as their bits do.
            t if t > 0.0 => t.to_bits(),
            _ => u64::MAX,
        };
        // (bits of the time, row).
        let mut variants: Vec<(u64, u32)> = Vec::new();
        let mut times: Vec<(u64, u32)> = Vec::new();
        let mut several = false;
        for rows in keyed.chunk_by(|a, b| a.0 == b.0) {
            if let [(_, row)] = rows {
                out.push(*row);
                continue;
            }
            variants.clear();
            variants.extend(rows.iter().map(|&(key, row)| {
                let r = row as usize;
                let kernel = mix(key, self.library(r));
                // Rows of two files are variants, not repeats.
                let kernel = mix(kernel, place(self.data, r));
                (variant(&self.columns, kernel, r), row)
            }));
            variants.sort_unstable();
            several |= variants.first().map(|v| v.0) != variants.last().map(|v| v.0);
            let mut best = (u64::MAX, u32::MAX);
            for repeats in variants.chunk_by(|a, b| a.0 == b.0) {
                times.clear();
                times.extend(repeats.iter().map(|&(_, row)| (time(row), row)));
                times.sort_unstable();
                let timed = times.iter().take_while(|t| t.0 != u64::MAX).count();
                best = best.min(times[middle(timed)]);
            }
            out.push(best.1);
        }
        several
    }
}

impl Frame {
    /// Computes [`Frame::counted`]. Awaits `pause` every few thousand rows, except for sides.
    pub async fn count(&self, pause: &impl AsyncFn()) {
        let sorts =
            matches!(self.kind(), DataKind::Benchmark | DataKind::Sweep) && self.decision().several;
        if !sorts || self.is_counted() {
            self.counted();
            return;
        }
        let fastest = Representative::new(self);
        let row = |member: usize| self.rows[member];
        let (mut chosen, mut variants) = (Vec::new(), false);
        let choose = |keyed: &[(u64, u32)]| variants |= fastest.choose(keyed, &mut chosen);
        let key = |member| fastest.key(row(member));
        group::gather((self.rows.len(), pass::ROWS), key, row, choose, pause).await;
        let mut all = everything(self.rows.clone(), false);
        all.rows = Arc::new(group::ascending(&chosen, self.data.len()));
        all.variants = variants;
        let rows = self.rows.len() as u64;
        self.set_counted(Counted { sides: vec![all], rows });
    }
}

/// All rows as one side.
fn everything(rows: Arc<Vec<u32>>, program: bool) -> Side {
    Side { all_rows: rows.len() as u64, rows, program, ..Side::default() }
}
