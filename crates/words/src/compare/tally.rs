//! Who is fastest, on how many GEMMs.

use super::{is_small_part, times};
use gemmscope_analysis::compare::Tally;
use gemmscope_model::units::{grouped, plural};
use gemmscope_table::result_table::ResultTable;

/// Up to this many sides are all named.
const FEW: usize = 4;

/// `hipBLASLt 333, rocBLAS 187, IREE 0, 1 tie of 521 GEMMs`; with many sides those without a win are left out.
pub fn fastest_counts(tally: &Tally) -> String {
    let ranked = tally.ranked().into_iter();
    let named = ranked.filter(|s| tally.clear[*s] > 0 || tally.names.len() <= FEW);
    let mut parts: Vec<String> =
        named.map(|s| format!("{} {}", tally.names[s], grouped(tally.clear[s]))).collect();
    if tally.level() > 0 {
        parts.push(plural(tally.level(), "tie"));
    }
    format!("{} of {}", parts.join(", "), plural(tally.compared, "GEMM"))
}

/// `IREE is slower than the fastest on 519 of 521 GEMMs, taking 23.3x the time`: the sides that always lose; "" if
/// there are none.
pub fn losers(tally: &Tally) -> String {
    let word = |s: usize| {
        let (n, all) = (grouped(tally.slower[s]), plural(tally.compared, "GEMM"));
        let every = tally.slower[s] == tally.compared;
        let of = if every { all } else { format!("{n} of {all}") };
        format!(
            "{} is slower than the fastest on {}{of}, taking {} the time",
            tally.names[s],
            if every { "all " } else { "" },
            times(tally.by_time[s])
        )
    };
    tally.losing().into_iter().take(FEW).map(word).collect::<Vec<_>>().join("; ")
}

/// Wins of each side and its distance from the fastest, most wins first.
pub fn tally_table(tally: &Tally) -> (String, ResultTable) {
    let name =
        format!("All sides, on the {} that all of them have", plural(tally.compared, "GEMM"));
    let header =
        ["Side", "Fastest on", "Slower on", "Time relative to the fastest", "Geometric mean"];
    let row = |s: usize| {
        let [wins, slower] = [tally.clear[s], tally.slower[s]].map(grouped);
        let [time, mean] = distance(tally, s);
        vec![tally.names[s].clone(), wins, slower, time, mean]
    };
    (name, ResultTable::of(&header, tally.ranked().into_iter().map(row).collect()))
}

/// A side's total time over that of the fastest of each configuration, and the geometric mean of the ratios.
fn distance(tally: &Tally, side: usize) -> [String; 2] {
    [tally.by_time[side], tally.behind[side]].map(times)
}

/// First sentence: the sides that always lose, and who is fastest how often; with two sides one implies the other.
/// Mentions if only a small part is shared.
pub fn lead_of_sides(tally: &Tally) -> String {
    let lead = match losers(tally) {
        none if none.is_empty() => fastest_words(tally) + ".",
        losers if tally.names.len() < 3 => losers + ".",
        losers => format!("{losers}. {}.", fastest_words(tally)),
    };
    match is_small_part(tally.compared, tally.all) {
        true => {
            format!("{lead} Shared: {} of {}.", grouped(tally.compared), plural(tally.all, "GEMM"))
        }
        false => lead,
    }
}

fn fastest_words(tally: &Tally) -> String {
    format!("Fastest: {}", fastest_counts(tally))
}

/// Who is faster, how often and by how much: sides that always lose first, then the winners and their distance from the
/// fastest.
pub fn tally_sentences(tally: &Tally) -> Vec<String> {
    let mut out = vec![losers(tally), fastest_words(tally)];
    let ranked = tally.ranked().into_iter().filter(|s| tally.behind[*s].is_finite()).take(FEW);
    let word = |s| {
        let [time, mean] = distance(tally, s);
        format!("{} {time} (geometric mean {mean})", tally.names[s])
    };
    let behind: Vec<String> = ranked.map(word).collect();
    out.push(format!("Time relative to the fastest: {}", behind.join(", ")));
    out.retain(|s| !s.is_empty());
    out.iter_mut().for_each(|s| s.push('.'));
    out
}
