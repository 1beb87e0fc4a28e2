//! Who is fastest, on how many GEMMs.

use super::{is_small_part, times};
use gemmscope_analysis::compare::Tally;
use gemmscope_model::units::{and_more, grouped, plural};
use gemmscope_table::result_table::ResultTable;

/// Up to this many sides are all named.
const FEW: usize = 4;
/// Number of sides far behind that are named.
const NAMED: usize = 2;

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

/// `torch_mm_TN takes 58.1x the time of the fastest, torch_mm_NN 39.6x`: the sides that are far behind without losing
/// everywhere; "" if there are none.
pub fn stragglers(tally: &Tally) -> String {
    let far = tally.far_behind();
    let word = |(at, s): (usize, &usize)| {
        let what = if at == 0 { "takes " } else { "" };
        let of = if at == 0 { " the time of the fastest" } else { "" };
        format!("{} {what}{}{of}", tally.names[*s], times(tally.by_time[*s]))
    };
    let mut parts: Vec<String> = far.iter().take(NAMED).enumerate().map(word).collect();
    parts.extend((far.len() > NAMED).then(|| and_more(far.len() - NAMED)));
    parts.join(", ")
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

/// First sentences: the sides that always lose or are far behind, and who is fastest how often; with two sides one
/// implies the other.
/// Mentions if only a small part is shared.
pub fn lead_of_sides(tally: &Tally) -> String {
    let many = tally.names.len() > 2;
    let (losers, stragglers) =
        (losers(tally), if many { stragglers(tally) } else { String::new() });
    let fastest = if many || losers.is_empty() { fastest_words(tally) } else { String::new() };
    let mut parts = vec![losers, stragglers, fastest];
    parts.retain(|part| !part.is_empty());
    let lead = parts.join(". ") + ".";
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
    let stragglers = if tally.names.len() > 2 { stragglers(tally) } else { String::new() };
    let mut out = vec![losers(tally), stragglers, fastest_words(tally)];
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
