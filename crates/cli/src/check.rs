//! `gemmscope check`: limits for continuous integration. Exit code 3 if one is broken.

use crate::args::Args;
use crate::load::{Loaded, load, shown, view_state};
use crate::read::name_of;
use gemmscope_analysis::compare::duel::{Duel, Measure, Verdict};
use gemmscope_analysis::compare::{Comparison, Setup};
use gemmscope_model::units::{Seconds, percent};
use gemmscope_table::dataset::Dataset;
use gemmscope_table::field::{Field, Frame};
use gemmscope_table::metrics::Totals;
use gemmscope_table::view_state::ViewState;
use std::io::{Read, Write};

/// Largest number of rows listed for a limit.
const LISTED: usize = 20;

/// How a check ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Outcome {
    /// All limits hold.
    Held,
    /// A limit is broken.
    Broken,
    /// A file could not be read, or no limit applies to it.
    Unknown,
}

/// Checks the files against the limits; prints one line per limit and the rows that break it.
pub(super) fn check(
    args: &Args,
    stdin: &mut dyn Read,
    out: &mut dyn Write,
    err: &mut dyn Write,
) -> std::io::Result<Outcome> {
    let loaded = load(&args.files, args, stdin, err)?;
    if !loaded.ok {
        return Ok(Outcome::Unknown);
    }
    let state = view_state(args, &loaded, err)?;
    let mut outcome = Outcome::Held;
    let mut note = |o: Outcome| {
        if outcome != Outcome::Unknown && o != Outcome::Held {
            outcome = o;
        }
    };
    let baseline = match &args.baseline {
        None => None,
        Some(file) => {
            let files = [file.clone()];
            let baseline = load(&files, args, stdin, err)?;
            if !baseline.ok {
                return Ok(Outcome::Unknown);
            }
            Some((name_of(file), baseline))
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
    Ok(outcome)
}

fn efficiency(
    frame: &Frame,
    least: f64,
    each: bool,
    out: &mut dyn Write,
    err: &mut dyn Write,
) -> std::io::Result<Outcome> {
    let (data, metrics) = (&*frame.data, &*frame.metrics);
    let totals = Totals::over(data, metrics, &frame.rows);
    let Some(weighted) = totals.weighted_efficiency else {
        writeln!(
            err,
            "gemmscope: no row has a time and a roof to judge it by; name a device with --device"
        )?;
        return Ok(Outcome::Unknown);
    };
    let mut low: Vec<(f64, u32)> = frame
        .rows
        .iter()
        .map(|&r| (metrics.efficiency(data, r as usize), r))
        .filter(|(e, _)| *e < least)
        .collect();
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
            "{word}  efficiency: {} of {} GEMMs under {}",
            low.len(),
            totals.measured,
            percent(least)
        )?;
    } else {
        writeln!(
            out,
            "{word}  efficiency: {} of the roof, weighted by time; at least {}",
            percent(weighted),
            percent(least)
        )?;
    }
    if !held {
        for (e, row) in low.iter().take(LISTED) {
            let (line, what) = row_words(frame, *row as usize);
            writeln!(out, "      {:>7}  {what}  ({line})", percent(*e))?;
        }
        more(out, low.len())?;
        return Ok(Outcome::Broken);
    }
    Ok(Outcome::Held)
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
) -> std::io::Result<Outcome> {
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
        return Ok(Outcome::Unknown);
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
            "      {noise} more are slower by more than that, but within the spread of their repeats"
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
    Ok(if held { Outcome::Held } else { Outcome::Broken })
}
