//! Explains technical terms in a sentence or two, and finds them in a text.
use gemmscope_table::field::{AI, EFFICIENCY, LOST};

/// A term and its meaning.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Term {
    /// The term as a heading.
    pub name: &'static str,
    /// Its other spellings in texts, lower case; `None` if it is not marked in texts.
    also: Option<&'static [&'static str]>,
    /// Its explanation.
    pub text: &'static str,
}

const fn term(name: &'static str, also: &'static [&'static str], text: &'static str) -> Term {
    Term { name, also: Some(also), text }
}

const fn unmarked(name: &'static str, text: &'static str) -> Term {
    Term { name, also: None, text }
}

/// Definition of the ridge point.
pub(crate) const RIDGE: &str = "The intensity where the memory and compute roofs meet: memory-bound to the left, compute-bound to the right.";
/// Definition of a tile.
pub(crate) const TILE: &str = "The block of C that one workgroup computes: BM × BN, BK deep at a time. Where M or N is not a multiple of it, part of the edge tiles is wasted.";

/// All terms, general ones first.
pub const TERMS: &[Term] = &[
    term(
        "GEMM",
        &["gemms"],
        "General matrix multiply: C = A B, with A of M × K, B of K × N and C of M × N.",
    ),
    term("Arithmetic intensity (AI)", &["arithmetic intensity"], AI),
    unmarked(
        "Roof",
        "The device's limit at an intensity: the lower of peak rate and intensity × memory \
         bandwidth.",
    ),
    term("Ridge point", &[], RIDGE),
    term(
        "Datasheet or achievable",
        &["achievable roof", "datasheet roof"],
        "The vendor's dense peak, or the best rate measured with large GEMMs.",
    ),
    term("% of roof", &["efficiency"], EFFICIENCY),
    term("Lost time", &[], LOST),
    unmarked(
        "Alone and split",
        "Alone: what is saved if only this is done. Figures of several overlap, so they do not add up. Split: the \
         part of the lost time that is counted here and nowhere else. It adds up.",
    ),
    unmarked(
        "Measured, modelled, at most",
        "What a finding's time rests on: a faster run of the same product (by another kernel or library, in \
         another layout or type, or padded); a model of launch or tile; or the distance to the roof alone, of \
         which nobody knows how much can be won. May be scatter: single measurements show it both ways.",
    ),
    term(
        "Memory-bound",
        &[],
        "At low intensity, moving the operands takes longer than the arithmetic. Typical of \
         decode, where M is the number of requests.",
    ),
    term(
        "Compute-bound",
        &[],
        "At high intensity, compute sets the time. Typical of training and prefill.",
    ),
    term(
        "Launch-bound",
        &[],
        "The launch floor is over 30 % of the call (4.5 µs of one under 15 µs), and the roof explains \
         less than a fifth: starting the kernel takes most of it.",
    ),
    term(
        "Layout",
        &["layouts"],
        "Which operands are transposed, A first: NN neither, TN A, NT B, TT both.",
    ),
    term("Tile", &["tiles"], TILE),
    term(
        "Workgroup",
        &["workgroups"],
        "A thread block: it runs on one SM or CU and usually computes one tile of C.",
    ),
    term(
        "Wave",
        &["waves"],
        "As many workgroups as the device has SMs or CUs. A partly filled last wave leaves the \
         rest idle.",
    ),
    term(
        "Split-K",
        &[],
        "Several workgroups split K for one tile, so that more of the device works; their \
         partial sums are added at the end.",
    ),
    term(
        "Stream-K",
        &[],
        "Workgroups split the tiles evenly, some along K, so no wave is partly filled.",
    ),
    term(
        "Shape roof",
        &[],
        "The device's roof after tile and wave losses. A kernel at its shape roof needs \
         another tile, more split-K or batching, not tuning.",
    ),
    term(
        "Replay",
        &["replay artifact"],
        "A reproducer: a script or command that runs only this GEMM, to check, profile and \
         tune it.",
    ),
    term(
        "Skipped",
        &[],
        "Rows without a usable measurement: listed with line and reason on the file's card, \
         and available for download.",
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

/// Splits a text at the first occurrence of each term that is not in `known`, and adds these terms to `known`, so that
/// a page explains a term once.
pub fn mark<'a>(text: &'a str, known: &mut Vec<&'static str>) -> Vec<Piece<'a>> {
    let lower = text.to_ascii_lowercase();
    let bytes = lower.as_bytes();
    let edge = |i: Option<&u8>| i.is_none_or(|b| !b.is_ascii_alphanumeric() && *b != b'-');
    let mut found: Vec<(usize, usize, &'static Term)> = Vec::new();
    for term in TERMS {
        let Some(also) = term.also.filter(|_| !known.contains(&term.name)) else { continue };
        let name = term.name.to_lowercase();
        let first = name
            .split(", ")
            .chain(also.iter().copied())
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
        assert!(matches!(found[1], Piece::Word("replay artifact", _)), "{found:?}");
    }
}
