//! Explains technical terms in a sentence or two, and finds them in a text.

/// A term and its meaning.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Term {
    /// As a heading.
    pub name: &'static str,
    /// Its spellings in texts, lower case; empty if it is not marked in texts.
    pub written: &'static [&'static str],
    /// What it means.
    pub text: &'static str,
}

const fn term(name: &'static str, written: &'static [&'static str], text: &'static str) -> Term {
    Term {
        name,
        written,
        text,
    }
}

/// All terms, general ones first.
pub const TERMS: &[Term] = &[
    term(
        "GEMM",
        &["gemms", "gemm"],
        "General matrix multiply: C = A B, with A of M × K, B of K × N and C of M × N.",
    ),
    term(
        "Arithmetic intensity (AI)",
        &["arithmetic intensity"],
        "Work over bytes moved. Here the bytes are compulsory ones: every operand once. An upper bound of the real intensity.",
    ),
    term(
        "Roof",
        &[],
        "What the device allows at an intensity: the lower of its peak rate and intensity × memory bandwidth.",
    ),
    term(
        "Ridge point",
        &["ridge point"],
        "The intensity where the two meet. Left of it memory limits, right of it the arithmetic units do.",
    ),
    term(
        "Datasheet or achievable",
        &["max-achievable roof", "datasheet roof"],
        "The vendor's dense peak, or the best rate that anyone measured with large GEMMs.",
    ),
    term(
        "Efficiency",
        &["efficiency"],
        "Attained rate over the roof at the same intensity; the same as roof time over measured time.",
    ),
    term(
        "Lost time",
        &["lost time"],
        "Measured time minus roof time, over all calls: what a perfect kernel would save.",
    ),
    term(
        "Memory-bound",
        &["memory-bound"],
        "The intensity is so low that moving the operands takes longer than the arithmetic. Typical of decoding, where M is the number of requests.",
    ),
    term(
        "Compute-bound",
        &["compute-bound"],
        "The intensity is high enough that the arithmetic units set the time. Typical of training and prefill.",
    ),
    term(
        "Tile",
        &["tiles", "tile"],
        "The block of C that one workgroup computes. A size that is no multiple of it leaves part of the last tiles idle.",
    ),
    term(
        "Workgroup",
        &["workgroups", "workgroup"],
        "What one SM or CU works on at a time (a thread block): usually one tile of C.",
    ),
    term(
        "Wave",
        &["waves", "wave"],
        "As many workgroups as the device has SMs or CUs. A last wave that is not full leaves the others idle.",
    ),
    term(
        "Split-K",
        &["split-k"],
        "Several workgroups share one tile and divide K among them, so that more of the device works; their parts are added up afterwards.",
    ),
    term(
        "Stream-K",
        &["stream-k"],
        "Workgroups share out all tiles evenly, cutting some along K: no last wave is left half empty.",
    ),
    term(
        "Shape roof",
        &["shape roof"],
        "What is left of the device's roof for this tile and this number of workgroups. A kernel at its shape roof needs another tile, more split-K or batching, not tuning.",
    ),
    term(
        "Amdahl's law",
        &["amdahl's law"],
        "Speeding up a part helps the whole only by that part's share: what is no GEMM stays as it is.",
    ),
    term(
        "Replay",
        &["replay artifact", "replay"],
        "A small program or command that runs just this GEMM, to profile and tune it apart from its application.",
    ),
    term(
        "Skipped",
        &["skipped"],
        "Rows that are no measurement: counted, with line and reason on the file's card, and kept for download.",
    ),
];

/// A piece of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Piece<'a> {
    /// Plain text.
    Plain(&'a str),
    /// A term with its meaning.
    Word(&'a str, &'static Term),
}

/// Splits a text at the first occurrence of each term that is not in `known`, and adds these
/// terms to it, so that a page explains a term once.
pub fn mark<'a>(text: &'a str, known: &mut Vec<&'static str>) -> Vec<Piece<'a>> {
    let lower = text.to_ascii_lowercase();
    let bytes = lower.as_bytes();
    let edge = |i: Option<&u8>| i.is_none_or(|b| !b.is_ascii_alphanumeric() && *b != b'-');
    let mut found: Vec<(usize, usize, &'static Term)> = Vec::new();
    for term in TERMS.iter().filter(|t| !t.written.is_empty()) {
        if known.contains(&term.name) {
            continue;
        }
        let first = term
            .written
            .iter()
            .flat_map(|w| lower.match_indices(w).map(|(i, w)| (i, i + w.len())))
            .filter(|&(a, b)| edge(bytes[..a].last()) && edge(bytes.get(b)))
            .filter(|&(a, b)| found.iter().all(|&(x, y, _)| b <= x || a >= y))
            .min_by_key(|&(a, b)| (a, std::cmp::Reverse(b)));
        if let Some((a, b)) = first {
            found.push((a, b, term));
            known.push(term.name);
        }
    }
    found.sort_by_key(|f| f.0);
    let mut out = Vec::new();
    let mut at = 0;
    for (a, b, term) in found {
        if at < a {
            out.push(Piece::Plain(&text[at..a]));
        }
        out.push(Piece::Word(&text[a..b], term));
        at = b;
    }
    if at < text.len() {
        out.push(Piece::Plain(&text[at..]));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str, known: &mut Vec<&'static str>) -> Vec<String> {
        mark(text, known)
            .into_iter()
            .filter_map(|p| match p {
                Piece::Word(w, _) => Some(w.to_owned()),
                Piece::Plain(_) => None,
            })
            .collect()
    }

    #[test]
    fn each_word_is_explained_once() {
        let mut known = Vec::new();
        let text = "Tiles and waves: more split-K, not another tile. µs stay µs.";
        assert_eq!(words(text, &mut known), ["Tiles", "waves", "split-K"]);
        assert!(words(text, &mut known).is_empty());
        let whole: String = mark(text, &mut Vec::new())
            .iter()
            .map(|p| match p {
                Piece::Plain(t) | Piece::Word(t, _) => *t,
            })
            .collect();
        assert_eq!(whole, text);
    }

    #[test]
    fn parts_of_words_are_not_words() {
        let mut known = Vec::new();
        assert!(words("projectile microwaves hipblaslt_gemm wave-like", &mut known).len() <= 1);
        assert!(words("subtile, tilework", &mut Vec::new()).is_empty());
        assert!(mark("", &mut Vec::new()).is_empty());
    }

    #[test]
    fn longer_names_win_over_their_parts() {
        let found = mark("a replay artifact", &mut Vec::new());
        assert!(
            matches!(found[1], Piece::Word("replay artifact", _)),
            "{found:?}"
        );
    }
}
