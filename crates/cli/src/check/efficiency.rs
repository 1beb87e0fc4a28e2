//! Checks rows against a minimum efficiency.

use super::{Efficiency, Low};
use gemmscope_analysis::figures::figures;
use gemmscope_model::units::{percent, plural, some_are};
use gemmscope_table::data_kind::CountedSet;
use gemmscope_table::field::{Frame, shape_label};
use gemmscope_table::metrics::{ABOVE_ROOF, Totals};

/// Rows with a time and a roof, which an efficiency limit can judge. Rows above the roof count as at it.
#[derive(Debug, Default)]
struct Judged {
    /// Efficiency and row.
    rows: Vec<(f64, u32)>,
    time_s: f64,
    /// Rows above their roof by more than measurement error.
    above: u64,
    above_time_s: f64,
    highest: f64,
    /// Rows without a roof, and their time.
    unknown: u64,
    unknown_time_s: f64,
}

/// Largest shares of rows above the roof, and of time without one; beyond these there is no verdict.
const MOST_ABOVE: f64 = 0.2;
const LEAST_JUDGED: f64 = 0.5;

impl Judged {
    fn of(frame: &Frame, rows: &[u32]) -> Judged {
        let mut j = Judged::default();
        for &row in rows {
            let x = figures(frame, row as usize);
            let (time, efficiency) = (x.time_s * x.calls, x.share);
            if time.is_nan() {
                continue;
            }
            if efficiency.is_nan() {
                j.unknown += 1;
                j.unknown_time_s += time;
                continue;
            }
            if efficiency > ABOVE_ROOF {
                j.above += 1;
                j.above_time_s += time;
                j.highest = j.highest.max(efficiency);
            }
            j.rows.push((efficiency, row));
            j.time_s += time;
        }
        // GEMM time without a shape counts as unjudged time.
        let without = frame.data.sources.iter().map(|s| s.without_model);
        for w in without {
            j.unknown += w.rows;
            j.unknown_time_s += w.time_s;
        }
        j
    }

    /// Why no verdict is possible.
    fn doubt(&self) -> Option<String> {
        let rows = self.rows.len() as u64;
        if rows == 0 {
            return Some("no row has both a time and a roof; choose a device with --device".into());
        }
        let above = self.above_time_s > MOST_ABOVE * self.time_s;
        if above || self.above as f64 > MOST_ABOVE * rows as f64 {
            return Some(format!(
                "{} above {} roof (up to {}): the device, the data type or the unit is wrong; see `gemmscope \
                 report`",
                some_are(self.above, rows, "GEMM"),
                if rows == 1 { "its" } else { "their" },
                percent(self.highest),
            ));
        }
        let all = self.time_s + self.unknown_time_s;
        (self.time_s < LEAST_JUDGED * all).then(|| {
            format!(
                "only {} of the GEMM time can be judged: {} without a shape, a device or a peak",
                percent(self.time_s / all),
                plural(self.unknown, "row")
            )
        })
    }
}

/// Checks each side on each device separately.
pub(super) fn of_sides(frame: &Frame, least: f64, each: bool) -> Vec<Efficiency> {
    let sets = frame.sets();
    if sets.is_empty() {
        let why = Some("no row is left by the filters of --state".to_owned());
        return vec![Efficiency { why, least, each, ..Efficiency::default() }];
    }
    sets.into_iter().map(|set| of_set(frame, set, least, each)).collect()
}

fn of_set(frame: &Frame, set: CountedSet, least: f64, each: bool) -> Efficiency {
    let share_of_roof = Totals::over(frame, &set.rows).share_kept;
    let judged = Judged::of(frame, &set.rows);
    let all = judged.time_s + judged.unknown_time_s;
    let why = judged.doubt();
    let count = judged.rows.len();
    let mut low = judged.rows;
    low.retain(|(e, _)| *e < least);
    low.sort_by(|a, b| a.0.total_cmp(&b.0));
    let holds = if each { low.is_empty() } else { share_of_roof >= Some(least) };
    Efficiency {
        side: set.name,
        held: why.is_none().then_some(holds),
        why,
        each,
        least,
        weighted_efficiency: share_of_roof,
        judged: count,
        judged_share_of_time: (all > 0.0).then_some(judged.time_s / all),
        above_roof: judged.above,
        highest_above_roof: (judged.above > 0).then_some(judged.highest),
        without_roof: judged.unknown,
        rows: low.iter().map(|(e, row)| of_row(frame, *row, *e)).collect(),
    }
}

fn of_row(frame: &Frame, row: u32, efficiency: f64) -> Low {
    let (d, row) = (&*frame.data, row as usize);
    let source = d.sources.get(usize::from(d.source[row]));
    Low {
        file: source.map_or_else(String::new, |s| s.name.clone()),
        line: d.line[row],
        gemm: shape_label(&d.problem(row)),
        types: d.ops[usize::from(d.op[row])].types().to_string(),
        efficiency,
    }
}
