//! Best of all sides, and the cost of the default.

use super::times;
use gemmscope_analysis::compare::{Comparison, Dispatch, DispatchLine, NoTunableop, Regret};
use gemmscope_model::units::{format_short, grouped, percent, plural, seconds_brief};
use gemmscope_table::field::Frame;
use gemmscope_table::result_table::ResultTable;
use serde::ser::{Serialize, SerializeStruct, Serializer};

/// Significant digits of figures in the table, as in measured times.
const DIGITS: usize = 6;

/// Smallest gain over the best single side that is said.
const LEAST_GAIN: f64 = 1.01;

/// `Best of all sides: 44.8 ms on 558 GEMMs, 1.17x faster than hipBLASLt alone (52.5 ms): hipBLASLt for 340, rocBLAS
/// for 176, equal in 42.` `None` if that is less than 1 % faster.
pub fn best_of_all(best: &Dispatch) -> Option<String> {
    let used = (0..best.names.len()).filter(|s| best.used[*s] > 0);
    let mut used: Vec<usize> = used.collect();
    used.sort_by_key(|s| std::cmp::Reverse(best.used[*s]));
    let word = |s: &usize| format!("{} for {}", best.names[*s], grouped(best.used[*s]));
    let mut used: Vec<String> = used.iter().map(word).collect();
    used.extend((best.ties > 0).then(|| format!("equal in {}", grouped(best.ties))));
    (best.ratio() >= LEAST_GAIN).then(|| {
        format!(
            "Best of all sides: {} on {}, {} faster than {} alone ({}): {}.",
            seconds_brief(best.time_s),
            plural(best.shared, "GEMM"),
            times(best.ratio()),
            best.names[best.baseline],
            seconds_brief(best.baseline_s),
            used.join(", ")
        )
    })
}

/// `hipBLASLt, the default of programs, is over 10 % slower than the best measured on 123 of 558 GEMMs, 30.1 % of its
/// time.`
pub fn regret(regret: &Regret) -> String {
    format!(
        "{}, the default of programs, is over 10 % slower than the best measured on {} of {}, {} of its time.",
        regret.side,
        grouped(regret.slow),
        plural(regret.all, "GEMM"),
        percent(regret.share)
    )
}

/// Why there is no TunableOp file.
pub fn no_tunableop(why: &NoTunableop) -> String {
    match why {
        NoTunableop::OtherFormat(name) => format!(
            "TunableOp loads only what its own build wrote: {name} has no Validator lines, and they can't be made \
             up. Give results files of TunableOp (tunableop_results0.csv)"
        ),
        NoTunableop::OtherBuild { files: [other, name], key } => format!(
            "{other} and {name} are of different builds: their {key} differs, and PyTorch loads a file of its \
             own build only"
        ),
    }
}

/// Cell of a column for a line.
type CellText = fn(&DispatchLine) -> String;

/// The dispatch table: sizes, types, layout, the side to use, its kernel and solution if known, time, lead and saving.
/// Columns without any value are left out.
pub fn dispatch_table(lines: &[DispatchLine]) -> ResultTable {
    let columns: [(&str, CellText); 15] = [
        ("M", |l| l.m.to_string()),
        ("N", |l| l.n.to_string()),
        ("K", |l| l.k.to_string()),
        ("Batch", |l| l.batch.to_string()),
        ("Types", |l| l.types.clone()),
        ("Layout", |l| l.layout.to_owned()),
        ("Epilogue", |l| l.epilogue.to_owned()),
        ("Device", |l| l.device.clone()),
        ("Use", |l| l.side.clone()),
        ("Kernel", |l| l.kernel.clone()),
        ("Solution", |l| l.solution.clone()),
        ("Time (µs)", |l| figure(Some(l.time_s * 1e6))),
        ("Lead", |l| figure(l.lead)),
        ("Calls", |l| figure(Some(l.calls))),
        ("Saves (µs)", |l| figure(l.saves_s.map(|s| s * 1e6))),
    ];
    let optional = ["Epilogue", "Device", "Kernel", "Solution"];
    let is_said = |of: CellText| lines.iter().any(|l| !of(l).is_empty());
    let shown: Vec<_> =
        columns.into_iter().filter(|(name, of)| !optional.contains(name) || is_said(*of)).collect();
    let header: Vec<&str> = shown.iter().map(|(name, _)| *name).collect();
    let row = |l: &DispatchLine| shown.iter().map(|(_, of)| of(l)).collect();
    ResultTable::of(&header, lines.iter().map(row).collect())
}

fn figure(value: Option<f64>) -> String {
    let known = value.filter(|v| v.is_finite());
    known.map_or_else(String::new, |v| format_short(v, DIGITS))
}

/// The best of all sides in a report.
#[derive(Clone, Debug, PartialEq)]
pub struct BestOfAll {
    /// Name of the side that takes least time alone.
    pub baseline: String,
    /// Its time on the shared GEMMs, seconds.
    pub baseline_s: f64,
    /// Time of the shared GEMMs with the best side for each, seconds.
    pub time_s: f64,
    /// `baseline_s / time_s`.
    pub ratio: f64,
    /// Number of shared GEMMs.
    pub gemms: u64,
    /// Number of GEMMs on which each side is fastest without a tie.
    pub used: Vec<(String, u64)>,
    /// Number of GEMMs on which sides tie.
    pub ties: u64,
    /// The side to use for each GEMM, largest saving first.
    pub picks: Vec<DispatchLine>,
    /// The result in a sentence, if there is a gain; not part of the JSON.
    pub sentence: Option<String>,
}

impl BestOfAll {
    /// The best of all sides of a comparison.
    pub fn of(frame: &Frame, comparison: &Comparison, best: &Dispatch) -> BestOfAll {
        BestOfAll {
            baseline: best.names[best.baseline].clone(),
            baseline_s: best.baseline_s,
            time_s: best.time_s,
            ratio: best.ratio(),
            gemms: best.shared,
            used: best.names.iter().cloned().zip(best.used.iter().copied()).collect(),
            ties: best.ties,
            picks: best.lines(frame, comparison),
            sentence: best_of_all(best),
        }
    }

    /// The first `most` lines of the table.
    pub fn table(&self, most: usize) -> ResultTable {
        dispatch_table(&self.picks[..self.picks.len().min(most)])
    }
}

impl Serialize for BestOfAll {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let mut object = to.serialize_struct("BestOfAll", 8)?;
        object.serialize_field("baseline", &self.baseline)?;
        object.serialize_field("baseline_s", &self.baseline_s)?;
        object.serialize_field("time_s", &self.time_s)?;
        object.serialize_field("ratio", &self.ratio)?;
        object.serialize_field("gemms", &self.gemms)?;
        object.serialize_field("used", &self.used)?;
        object.serialize_field("ties", &self.ties)?;
        object.serialize_field("picks", &self.picks)?;
        object.end()
    }
}
