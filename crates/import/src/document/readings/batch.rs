//! A column that counts: it multiplies the work, or is part of M.

use super::super::columns::{Column, share};
use super::super::title::{Holds, title};
use super::super::words::lower_words;
use super::{APART, BATCH, IN_M, Question, Reading};
use gemmscope_model::gemm::Groups;

/// Interpretations of a batch: it multiplies the work, or is part of M.
pub(in super::super) fn with_batch(
    columns: &[Column],
    batch: &Column,
    m: Option<&Column>,
    base: &[Option<[u32; 3]>],
) -> Vec<Reading> {
    let counts: Vec<u32> = batch.cells.iter().map(|c| c.whole().unwrap_or(1)).collect();
    let one = |t: &Option<[u32; 3]>| t.map(|[m, n, k]| [m, n, k, 1]);
    let each = |(t, b): (&Option<[u32; 3]>, &u32)| t.map(|[m, n, k]| [m, n, k, *b]);
    let name = &batch.name;
    let mut apart = Reading::new(
        base.iter().zip(&counts).map(each).collect(),
        format!("“{name}” counts independent GEMMs"),
    );
    let mut inside =
        Reading::new(base.iter().map(one).collect(), format!("“{name}” is part of M already"));
    let groups = counts_groups(name);
    if groups {
        // One call whose rows are divided among several B.
        inside.groups = counts.iter().map(|count| Some(Groups::uniform(*count, 1))).collect();
        inside.why = format!("M holds the rows of all “{name}”");
    }
    let by_group = m.is_some_and(|m| {
        let name = m.name.to_lowercase();
        name.contains("group") || name.contains("expert")
    });
    let words = lower_words(name);
    let counted = !groups && words.iter().any(|w| w == "count" || w == "num");
    if by_group || counted || counts.iter().all(|b| *b == 1) {
        return vec![apart];
    }
    let text = match groups {
        true => format!("“{name}” counts GEMMs of M × N × K each, unless M holds the rows of all."),
        false => format!(
            "“{name}” counts independent GEMMs of M × N × K each, unless M holds the whole batch already."
        ),
    };
    apart.question = Some(Question::new(BATCH, text.clone(), APART, &[IN_M, APART]));
    if is_factor(columns, batch, base, &counts) {
        return vec![inside, apart];
    }
    inside.question = Some(Question::new(BATCH, text, IN_M, &[IN_M, APART]));
    vec![apart, inside]
}

/// A column of this title counts groups, as those of a grouped GEMM, not a batch.
pub(in super::super) fn counts_groups(name: &str) -> bool {
    title(name).holds == Holds::Groups
}

/// True if M is the batch times up to two other columns in most rows.
fn is_factor(
    columns: &[Column],
    batch: &Column,
    base: &[Option<[u32; 3]>],
    counts: &[u32],
) -> bool {
    // Leading dimensions, strides and scaling factors are not factors of M.
    let of_call = |name: &str| {
        let name = name.trim().to_lowercase();
        ["ld", "stride", "alpha", "beta"].iter().any(|p| name.starts_with(p))
    };
    let other = |c: &&Column| {
        !std::ptr::eq(*c, batch)
            && matches!(c.title.holds, Holds::Open | Holds::Other)
            && !of_call(&c.name)
            && c.cells.iter().all(|c| c.whole().is_some())
    };
    let others: Vec<&Column> = columns.iter().filter(other).take(12).collect();
    let fits = |some: &[&Column]| {
        let rows =
            base.iter().zip(counts).enumerate().filter_map(|(r, (t, b))| Some((r, (*t)?[0], *b)));
        share(rows.map(|(r, m, b)| {
            let product: f64 = some.iter().filter_map(|c| c.value(r)).product();
            (f64::from(b) * product - f64::from(m)).abs() < 0.5
        })) > 0.9
    };
    fits(&[])
        || others.iter().any(|a| fits(&[a]))
        || others.iter().enumerate().any(|(i, a)| others[i + 1..].iter().any(|b| fits(&[a, b])))
}
