//! `gemmscope check`: limits for continuous integration. Exit code 3 if one is broken.

use crate::args::Args;
use crate::load::{Exit, Loaded, load, load_by, shown, view_state};
use crate::read::read;
use gemmscope_analysis::compare::duel::{Duel, Measure, Verdict};
use gemmscope_analysis::compare::{Comparison, Setup};
use gemmscope_model::units::{Seconds, percent, plural};
use gemmscope_table::data_kind::Side;
use gemmscope_table::dataset::Dataset;
use gemmscope_table::field::{Field, Frame};
use gemmscope_table::view_state::ViewState;
use std::io::{Read, Write};

/// Largest number of rows listed for a limit.
const LISTED: usize = 20;

/// Checks the files against the limits; prints one line per limit and the rows that break it.
pub(super) fn check(
    args: &Args,
    stdin: &mut dyn Read,
    out: &mut dyn Write,
    err: &mut dyn Write,
) -> std::io::Result<Exit> {
    let loaded = load(args, stdin);
    loaded.report(err)?;
    if !loaded.has_rows() {
        return Ok(Exit::of(&loaded));
    }
    let state = view_state(args, &loaded, err)?;
    let mut exit = Exit::worked(!loaded.failed);
    // A broken limit says more than a file that could not be judged.
    let mut note = |e: Exit| {
        if exit != Exit::Broken && e != Exit::Done {
            exit = e;
        }
    };
    let baseline = match &args.baseline {
        None => None,
        Some(file) => {
            let files = [file.clone()];
            let baseline = load_by(&files, args, &mut |file, options| {
                read(file, options, stdin)
            });
            baseline.report(err)?;
            if !baseline.has_rows() {
                return Ok(Exit::of(&baseline));
            }
            let name = std::path::Path::new(file).file_name().unwrap_or(file);
            Some((name.to_string_lossy().into_owned(), baseline))
        }
    };
    let frame = shown(loaded.data.clone(), &state, &loaded.custom, err)?;
    if let Some(least) = args.min_efficiency {
        note(efficiency(&frame, least, args.each, out, err)?);
    }
    if let Some((name, baseline)) = baseline {
        let most = args.max_regression.unwrap_or(0.05);
        note(regression(loaded, &name, baseline, &state, most, out, err)?);
    }
    Ok(exit)
}

/// What a limit on the efficiency can be held against: rows with a time and a roof that they do
/// not exceed.
#[derive(Debug, Default)]
struct Judged {
    /// Efficiency and row.
    rows: Vec<(f64, u32)>,
    time_s: f64,
    roof_s: f64,
    /// Rows above their roof by more than clocks and timers vary.
    above: u64,
    above_time_s: f64,
    highest: f64,
    /// Rows without a roof, and their time.
    unknown: u64,
    unknown_time_s: f64,
}

/// The variation of clocks and timers.
const NOISE: f64 = 1.02;

/// Shares of the rows, and of the time, that may not be judged before the verdict is worth
/// nothing.
const MOST_ABOVE: f64 = 0.2;
const LEAST_JUDGED: f64 = 0.5;

impl Judged {
    fn of(frame: &Frame, rows: &[u32]) -> Judged {
        let (data, metrics) = (&*frame.data, &*frame.metrics);
        let mut j = Judged::default();
        for &row in rows {
            let r = row as usize;
            let time = data.time_s[r] * frame.calls(r);
            if time.is_nan() {
                continue;
            }
            let efficiency = metrics.efficiency(data, r);
            if efficiency.is_nan() {
                j.unknown += 1;
                j.unknown_time_s += time;
            } else if efficiency > NOISE {
                j.above += 1;
                j.above_time_s += time;
                j.highest = j.highest.max(efficiency);
            } else {
                j.rows.push((efficiency, row));
                j.time_s += time;
                j.roof_s += time * efficiency;
            }
        }
        // GEMM time whose shape the file does not know is time all the same.
        let without = data.sources.iter().map(|s| s.without_model);
        for w in without {
            j.unknown += w.rows;
            j.unknown_time_s += w.time_s;
        }
        j
    }

    /// Why no verdict is possible.
    fn doubt(&self) -> Option<String> {
        let rows = self.rows.len() as u64 + self.above;
        if rows == 0 {
            return Some("no row has both a time and a roof; choose a device with --device".into());
        }
        let known = self.time_s + self.above_time_s;
        if self.above as f64 > MOST_ABOVE * rows as f64 || self.above_time_s > MOST_ABOVE * known {
            return Some(format!(
                "{} of {rows} GEMMs are above their roof (up to {}): the device, the data type or the unit is \
                 wrong; see `gemmscope report`",
                self.above,
                percent(self.highest),
            ));
        }
        let all = known + self.unknown_time_s;
        (self.time_s < LEAST_JUDGED * all).then(|| {
            format!(
                "only {} of the GEMM time can be judged: {} without a shape, a device or a peak",
                percent(self.time_s / all),
                plural(self.unknown, "row")
            )
        })
    }

    /// What was judged, where that is not everything.
    fn basis(&self) -> Option<String> {
        let all = self.time_s + self.above_time_s + self.unknown_time_s;
        let mut parts = Vec::new();
        if self.above > 0 {
            parts.push(format!(
                "{} above the roof (up to {})",
                plural(self.above, "row"),
                percent(self.highest)
            ));
        }
        if self.unknown > 0 {
            parts.push(format!("{} without a roof", plural(self.unknown, "row")));
        }
        (!parts.is_empty()).then(|| {
            format!(
                "judged: {}, {} of the GEMM time; not judged: {}",
                plural(self.rows.len() as u64, "row"),
                percent(self.time_s / all),
                parts.join(", ")
            )
        })
    }
}

/// Holds every side to the limit by itself.
fn efficiency(
    frame: &Frame,
    least: f64,
    each: bool,
    out: &mut dyn Write,
    err: &mut dyn Write,
) -> std::io::Result<Exit> {
    let mut exit = Exit::Done;
    for side in &frame.counted().sides {
        let one = efficiency_of(frame, side, (least, each), out, err)?;
        // A broken limit says more than a side that could not be judged.
        if exit != Exit::Broken && one != Exit::Done {
            exit = one;
        }
    }
    Ok(exit)
}

fn efficiency_of(
    frame: &Frame,
    side: &Side,
    (least, each): (f64, bool),
    out: &mut dyn Write,
    err: &mut dyn Write,
) -> std::io::Result<Exit> {
    let mut judged = Judged::of(frame, &side.rows);
    let of = match side.label.as_str() {
        "" => String::new(),
        label => format!(" of {label}"),
    };
    if let Some(doubt) = judged.doubt() {
        writeln!(err, "gemmscope: efficiency{of}: {doubt}")?;
        return Ok(Exit::Failed);
    }
    let weighted = judged.roof_s / judged.time_s;
    let basis = judged.basis();
    let count = judged.rows.len();
    let mut low = std::mem::take(&mut judged.rows);
    low.retain(|(e, _)| *e < least);
    low.sort_by(|a, b| a.0.total_cmp(&b.0));
    let held = if each {
        low.is_empty()
    } else {
        weighted >= least
    };
    let word = if held { "pass" } else { "FAIL" };
    if each {
        writeln!(
            out,
            "{word}  efficiency{of}: {} of {count} GEMMs below {}",
            low.len(),
            percent(least)
        )?;
    } else {
        writeln!(
            out,
            "{word}  efficiency{of}: {} of the roof, weighted by time; at least {}",
            percent(weighted),
            percent(least)
        )?;
    }
    if let Some(basis) = basis {
        writeln!(out, "      {basis}")?;
    }
    if !held {
        for (e, row) in low.iter().take(LISTED) {
            let (line, what) = row_words(frame, *row as usize);
            writeln!(out, "      {:>7}  {what}  ({line})", percent(*e))?;
        }
        more(out, low.len())?;
        return Ok(Exit::Broken);
    }
    Ok(Exit::Done)
}

fn row_words(frame: &Frame, row: usize) -> (String, String) {
    let d = &*frame.data;
    let file = d
        .sources
        .get(usize::from(d.source[row]))
        .map_or("", |s| s.name.as_str());
    let what = format!(
        "{}, {}",
        gemmscope_table::field::shape_label(d.m[row], d.n[row], d.k[row], d.batch[row]),
        d.ops[usize::from(d.op[row])].types()
    );
    (format!("{file}:{}", d.line[row]), what)
}

fn more(out: &mut dyn Write, found: usize) -> std::io::Result<()> {
    if found > LISTED {
        writeln!(out, "      and {} more", found - LISTED)?;
    }
    Ok(())
}

/// Joins several sources into one called `name`, so that a side of the comparison is one file.
fn as_one(mut data: Dataset, name: &str) -> Dataset {
    if let Some(mut first) = data.sources.first().cloned() {
        first.name = name.to_owned();
        data.sources = vec![first];
        data.source.iter_mut().for_each(|s| *s = 0);
    }
    data
}

fn regression(
    new: Loaded,
    old_name: &str,
    old: Loaded,
    state: &ViewState,
    most: f64,
    out: &mut dyn Write,
    err: &mut dyn Write,
) -> std::io::Result<Exit> {
    let sides = ["baseline".to_owned(), "now".to_owned()];
    let mut data = as_one(old.data, &sides[0]);
    data.append(as_one(new.data, &sides[1]));
    let custom: Vec<_> = old.custom.into_iter().chain(new.custom).collect();
    // The same filters as before, so nothing is printed about too many of them again.
    let frame = shown(data, state, &custom, &mut std::io::sink())?;
    let setup = Setup {
        side: Field::Source,
        keys: Setup::default_keys(&frame, &Field::Source),
        sides: sides.to_vec(),
    };
    let comparison = Comparison::new(&frame, &setup);
    // Slower by x means a rate of 1 / (1 + x), and the threshold applies to the ratio of rates.
    let duel = Duel::new(&frame, &comparison, (0, 1), Measure::Rate, most);
    if duel.ratios.is_empty() {
        writeln!(
            err,
            "gemmscope: {old_name} and the files share no GEMM. {}",
            comparison.join_sentence()
        )?;
        return Ok(Exit::Failed);
    }
    let slower = duel.count(Verdict::A) as usize;
    let noise = duel
        .ratios
        .iter()
        .filter(|r| r.verdict == Verdict::Noise && r.ratio < 1.0)
        .count();
    let held = slower == 0;
    writeln!(
        out,
        "{}  regression: {slower} of {} GEMMs take more than {} longer than in {old_name}",
        if held { "pass" } else { "FAIL" },
        duel.ratios.len(),
        percent(most),
    )?;
    if noise > 0 {
        writeln!(
            out,
            "      {noise} more exceed this limit, but within the spread of their repeats"
        )?;
    }
    writeln!(out, "      {}", comparison.join_sentence())?;
    let worst: Vec<usize> = duel
        .ranked()
        .into_iter()
        .filter(|&i| duel.ratios[i].verdict == Verdict::A)
        .collect();
    for &i in worst.iter().take(LISTED) {
        let r = duel.ratios[i];
        let c = r.configuration as usize;
        let time = |side| comparison.sample(c, side).map_or(f64::NAN, |s| s.time_s);
        writeln!(
            out,
            "      {:>+7.1} %  {}  ({} -> {})",
            (1.0 / r.ratio - 1.0) * 100.0,
            comparison.label(&frame, c),
            Seconds(time(0)),
            Seconds(time(1)),
        )?;
    }
    more(out, worst.len())?;
    Ok(if held { Exit::Done } else { Exit::Broken })
}
