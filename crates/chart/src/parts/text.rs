//! Text widths, from a fixed table of advances.
//!
//! Measuring through the drawing library would need the page, and is wrong under a strict content security policy. The
//! table is that of a wide sans-serif, so that a label that fits by it fits in any system font.

use gemmscope_analysis::compare::shared_start;

/// Advances of U+0020..=U+007E in thousandths of the font size.
const ASCII: [u16; 95] = [
    318, 401, 460, 838, 636, 950, 780, 275, 390, 390, 500, 838, 318, 361, 318, 337, 636, 636, 636,
    636, 636, 636, 636, 636, 636, 636, 337, 337, 838, 838, 838, 531, 1000, 684, 686, 698, 770, 632,
    575, 775, 752, 295, 295, 656, 557, 863, 748, 787, 603, 787, 695, 635, 611, 732, 684, 989, 685,
    611, 685, 390, 337, 390, 838, 500, 500, 613, 635, 550, 635, 615, 352, 635, 634, 278, 278, 579,
    278, 974, 634, 612, 635, 635, 411, 521, 392, 634, 592, 818, 592, 592, 525, 636, 337, 636, 838,
];

/// Height of a line of text as a multiple of its size.
pub(crate) const LINE: f64 = 1.25;

fn advance(c: char) -> f64 {
    let thousandths = match c {
        ' '..='~' => ASCII[c as usize - 32],
        '\u{202f}' | '\u{2009}' => 200,
        '·' => 318,
        '–' => 500,
        'µ' => 636,
        '\u{300}'..='\u{36f}' | '\u{200b}'..='\u{200f}' => 0,
        '×' | '…' | '→' | '\u{2200}'..='\u{22ff}' => 1000,
        '\u{80}'..='\u{24f}' => 680,
        '\u{370}'..='\u{4ff}' => 780,
        _ => 1050,
    };
    f64::from(thousandths) / 1000.0
}

/// Width of a text, px; an upper bound close to what a browser draws.
pub(crate) fn width(text: &str, size: f64, bold: bool) -> f64 {
    let em: f64 = text.chars().map(advance).sum();
    em * size * if bold { 1.1 } else { 1.0 }
}

/// Width of the widest of some texts.
pub(crate) fn widest(texts: impl IntoIterator<Item = impl AsRef<str>>, size: f64) -> f64 {
    texts.into_iter().map(|t| width(t.as_ref(), size, false)).fold(0.0, f64::max)
}

/// The characters that fit into `room` px.
fn taken(chars: impl Iterator<Item = char>, size: f64, mut room: f64) -> String {
    let fits = |c: &char| {
        room -= advance(*c) * size;
        room >= 0.0
    };
    chars.take_while(fits).collect()
}

/// The text, or as much of it as `cut` takes of the room left by `…`; empty if not even that fits.
fn cut(text: &str, size: f64, max: f64, cut: impl Fn(f64) -> String) -> String {
    let room = max - width("…", size, false);
    match width(text, size, false) <= max {
        true => text.to_owned(),
        false if room < 0.0 => String::new(),
        false => cut(room),
    }
}

/// The text, or its beginning and `…`, within `max` px.
pub(crate) fn ellipsis(text: &str, size: f64, max: f64) -> String {
    cut(text, size, max, |room| format!("{}…", taken(text.chars(), size, room).trim_end()))
}

/// The text with its middle replaced by `…`: kernel names differ at both ends.
pub(crate) fn ellipsis_middle(text: &str, size: f64, max: f64) -> String {
    cut(text, size, max, |room| {
        let tail = taken(text.chars().rev(), size, room * 0.5);
        let tail: String = tail.chars().rev().collect();
        format!("{}…{tail}", taken(text.chars(), size, room * 0.5))
    })
}

/// Shortens names to `max` px each, keeping different names different: if they differ only in the middle that would be
/// left out, the part that they share is left out instead.
pub(crate) fn cut_apart(names: &[&str], size: f64, max: f64) -> Vec<String> {
    let mut out: Vec<String> = names.iter().map(|n| ellipsis_middle(n, size, max)).collect();
    let cut = |out: &[String]| -> Vec<Vec<usize>> {
        let mut by_text: Vec<usize> = (0..out.len()).collect();
        by_text.sort_by_key(|i| &out[*i]);
        let alike = by_text.chunk_by(|a, b| out[*a] == out[*b]);
        let differ = |g: &&[usize]| g.iter().any(|&i| names[i] != names[g[0]]);
        let mut groups: Vec<Vec<usize>> = alike.filter(differ).map(<[usize]>::to_vec).collect();
        // Numbers follow the order of the names.
        groups.sort_by_key(|g| g[0]);
        groups
    };
    for group in cut(&out) {
        let shared = shared_start(&group.iter().map(|i| names[*i]).collect::<Vec<_>>());
        for i in group {
            let rest: String = names[i].chars().skip(shared.saturating_sub(2)).collect();
            out[i] = ellipsis(&format!("…{rest}"), size, max);
        }
    }
    let mut numbered: Vec<&str> = Vec::new();
    for group in cut(&out) {
        for i in group {
            let known = numbered.iter().position(|n| *n == names[i]);
            let nth = known.unwrap_or_else(|| {
                numbered.push(names[i]);
                numbered.len() - 1
            });
            let number = format!(" ({})", nth + 1);
            let room = max - width(&number, size, false);
            if room > 0.0 {
                out[i] = ellipsis(names[i], size, room) + &number;
            }
        }
    }
    out
}

/// Wraps a text into lines no wider than `max`, at spaces if possible.
pub(crate) fn wrap(text: &str, size: f64, max: f64) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        let longer =
            lines.last().map(|l| format!("{l} {word}")).filter(|l| width(l, size, false) <= max);
        match (longer, lines.last_mut()) {
            (Some(l), Some(last)) => *last = l,
            _ => lines.push(ellipsis(word, size, max)),
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn widths_and_ellipsis() {
        assert!(width("1307.4 TFLOP/s", 11.0, false) < 100.0);
        assert_eq!(ellipsis("short", 11.0, 100.0), "short");
        assert!(ellipsis("a rather long kernel name", 11.0, 80.0).ends_with('…'));
        assert_eq!(ellipsis("abc", 11.0, 2.0), "");
        let m = ellipsis_middle("Cijk_Ailk_Bljk_HHS_BH_MT256x256x64", 11.0, 120.0);
        assert!(m.starts_with("Cijk") && m.contains('…') && m.ends_with("x64"), "{m}");
        assert_eq!(wrap("one two three", 10.0, 50.0), ["one two", "three"]);
    }

    #[test]
    fn names_that_differ_in_the_middle_stay_apart() {
        let name = |tile: &str| format!("Cijk_Ailk_Bljk_HHS_MT{tile}_SN_LDSB0_GSU1");
        let (a, b) = (name("256x128"), name("128x256"));
        let cut = cut_apart(&[&a, &b, "other"], 11.0, 100.0);
        assert_eq!(cut, ["…MT256x128_S…", "…MT128x256_S…", "other"]);
        // As a last resort they are numbered, in order.
        let long = ["l1", "i1", "l2", "i2"].map(|n| {
            let same = n[..1].repeat(40);
            format!("{same}{}{same}", &n[1..])
        });
        let long = long.each_ref().map(String::as_str);
        assert_eq!(cut_apart(&long, 11.0, 31.0), ["… (1)", "… (3)", "… (2)", "… (4)"]);
        // Equal names stay equal.
        assert_eq!(cut_apart(&["a", "a"], 11.0, 100.0), ["a", "a"]);
    }

    proptest! {
        #[test]
        fn cut_names_fit_and_stay_apart(names in prop::collection::vec("[ab]{1,40}", 1..6)) {
            let names: Vec<&str> = names.iter().map(String::as_str).collect();
            let cut = cut_apart(&names, 11.0, 90.0);
            for (i, a) in cut.iter().enumerate() {
                prop_assert!(width(a, 11.0, false) <= 90.0 + 1e-9);
                for (j, b) in cut.iter().enumerate().take(i) {
                    prop_assert!((a == b) == (names[i] == names[j]), "{names:?} {cut:?}");
                }
            }
        }

        #[test]
        fn cut_texts_fit(text in "\\PC*", max in 0.0..300.0f64) {
            for cut in [ellipsis(&text, 11.0, max), ellipsis_middle(&text, 11.0, max)] {
                prop_assert!(width(&cut, 11.0, false) <= max + 1e-9);
            }
        }
    }
}
