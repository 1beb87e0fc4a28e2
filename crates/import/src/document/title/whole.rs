//! Titles matched as a whole: names that tools use, operand types, orders of sizes, tiles and clocks.

use super::names::HOLDS;
use super::{Holds, Title, holds};
use crate::columns::words::{self as known, Says, any_says, says};
use crate::document::words::{letter_runs, lower_words};
use gemmscope_table::dataset::ColumnMeaning as C;

/// The title is a name that tools use.
pub(super) fn named(joined: &str) -> Option<Title> {
    let named = known::name(joined);
    let is_name = |names: &str| names.split_whitespace().any(|name| name == joined);
    let held = HOLDS.iter().find(|(names, _)| is_name(names)).map(|(_, holds)| *holds);
    let holds = held.or_else(|| named.map(|(meaning, _)| holds(meaning)))?;
    let (meaning, strength) = named.unwrap_or((C::Other, 0));
    Some(Title { holds, ..Title::meaning(meaning, strength) })
}

/// The title names the tile of a kernel: `block_size_m`, `BM`, `B_M`.
pub(super) fn tile(joined: &str) -> Option<Title> {
    let mut prefixes =
        "block_size_|block_|tile_size_|tile_|cta_|macro_tile_|mt_|blk_|bt_|b_|b|tile|block"
            .split('|');
    let stem = prefixes.find_map(|p| joined.strip_prefix(p).filter(|s| s.len() == 1))?;
    let meaning = match stem {
        "m" => C::TileM,
        "n" => C::TileN,
        "k" => C::TileK,
        _ => return None,
    };
    Some(Title::meaning(meaning, 90))
}

/// Factor to Hz of the unit in the title of a clock.
pub(crate) fn clock_scale(text: &str) -> f64 {
    let words = known::words(text);
    let has = |unit: &str| words.iter().any(|w| w == unit);
    if has("ghz") {
        1e9
    } else if has("mhz") {
        1e6
    } else {
        1.0
    }
}

pub(super) fn clock(words: &[String]) -> Option<Title> {
    let unit = words.iter().any(|w| matches!(w.as_str(), "mhz" | "ghz" | "hz"));
    let is_clock = unit && any_says(words, &[Says::Clock]);
    is_clock.then(|| Title::meaning(C::MeasuredClock, 60))
}

/// A single size letter among filler words: `gemm M`, `M (rows)`, `matrix n`.
pub(super) fn lone_size(words: &[String]) -> Option<Title> {
    let mut rest = words.iter().filter(|w| !says(w, &[Says::OfSize]));
    let (letter, None) = (rest.next()?, rest.next()) else { return None };
    match letter.as_str() {
        "m" => Some(Title::meaning(C::M, 70)),
        "n" => Some(Title::meaning(C::N, 70)),
        "k" => Some(Title::meaning(C::K, 70)),
        _ => None,
    }
}

/// The order of two or three sizes in a title: `(M, K, N)`, `b x m x n x k`, `N x K`.
pub(super) fn order_of(text: &str) -> Vec<char> {
    let lower = text.to_lowercase();
    // The weight of a layer: `[out, in]`, `(in_features x out_features)`.
    let words = lower_words(&lower);
    let sides: Vec<&str> = words
        .iter()
        .map(String::as_str)
        .filter(|w| !matches!(*w, "features" | "feature" | "dim" | "size" | "channels" | "x"))
        .collect();
    match sides[..] {
        [.., "out", "in"] => return vec!['n', 'k'],
        [.., "in", "out"] => return vec!['k', 'n'],
        _ => {}
    }
    // `MxNxK`, `MNK`
    let joined = letter_runs(&lower).find_map(|(_, run)| {
        let letters: Vec<char> = run.chars().filter(|c| *c != 'x').collect();
        let all = ['m', 'n', 'k'].iter().all(|l| letters.contains(l));
        let apart = run.len() == 3 || run.split('x').all(|l| l.len() == 1);
        (all && letters.len() == 3 && apart).then_some(letters)
    });
    if let Some(letters) = joined {
        return letters;
    }
    let mut found = Vec::new();
    for (from, run) in letter_runs(&lower) {
        let alone = |c: char| "mnkb".contains(c);
        let single = run.len() == 1 && run.chars().all(alone);
        let before = lower[..from].chars().next_back();
        let behind = lower[from + run.len()..].chars().next();
        let digit = |c: Option<char>| c.is_some_and(|c| c.is_ascii_digit());
        if single && !digit(before) && !digit(behind) {
            found.push((from, run.chars().next().unwrap_or(' ')));
        } else if run != "x" {
            // A word between letters separates them.
            found.push((from, ' '));
        }
    }
    // The longest run of letters with only separators between them.
    let mut best: Vec<char> = Vec::new();
    let mut run: Vec<char> = Vec::new();
    let mut last = 0;
    for (from, letter) in found.into_iter().chain([(lower.len(), ' ')]) {
        let gap = lower.get(last..from).unwrap_or("");
        let near = gap.trim().chars().all(|c| "x×*,/_ ".contains(c)) && !gap.is_empty();
        if letter == ' ' || !run.is_empty() && !near || run.contains(&letter) {
            if run.len() > best.len() {
                best = std::mem::take(&mut run);
            }
            run.clear();
        }
        if letter != ' ' {
            run.push(letter);
        }
        last = from + 1;
    }
    best.retain(|c| *c != 'b');
    best
}

pub(super) fn is_square(text: &str) -> bool {
    let plain: String = text.to_lowercase().chars().filter(|c| !c.is_whitespace()).collect();
    let equal = ["m=n=k", "n=m=k", "m=k=n", "n=k=m", "m=n,k", "k=m=n"];
    equal.iter().any(|e| plain.contains(e)) || text.to_lowercase().contains("n x n")
}

pub(super) fn type_of(low: &str) -> Option<Title> {
    let words = lower_words(low);
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let is_type = |w: &str| {
        matches!(
            w,
            "type"
                | "types"
                | "dtype"
                | "dtypes"
                | "datatype"
                | "precision"
                | "datentyp"
                | "qtype"
                | "quant"
        )
    };
    if !words.iter().any(|w| is_type(w)) {
        return None;
    }
    let place = |w: &str| match w {
        "a" | "x" | "in0" | "act" | "activation" | "activations" => Some(Holds::TypeA),
        "b" | "w" | "in1" | "weight" | "weights" => Some(Holds::TypeB),
        "out" | "output" | "result" | "c" | "d" | "acc" | "accumulator" | "compute" | "scale" => {
            Some(Holds::TypeOut)
        }
        _ => None,
    };
    let plain = |w: &str| {
        is_type(w)
            || place(w).is_some()
            || matches!(w, "data" | "in" | "input" | "of" | "math" | "operand")
    };
    let words_fit = words.iter().all(|w| plain(w)) && words.len() <= 4;
    words_fit.then(|| {
        let holds = words.iter().find_map(|w| place(w)).unwrap_or(Holds::Type);
        let meaning = match holds {
            Holds::Type => C::Dtype,
            Holds::TypeA => C::DtypeA,
            Holds::TypeB => C::DtypeB,
            _ if words.iter().any(|w| ["out", "output", "result", "c", "d"].contains(w)) => {
                C::DtypeC
            }
            _ => C::Other,
        };
        Title { holds, ..Title::meaning(meaning, 60) }
    })
}
