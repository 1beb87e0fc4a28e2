//! Rule: one library is slower than another on the same GEMM.

use super::same_shape;
use super::story::{self, Hit, Story};
use super::{Category, Confidence, Need, Rule, Scan};
use gemmscope_model::units::plural;
use gemmscope_table::data_kind::library_name;
use gemmscope_table::dataset::{ColumnData, ColumnMeaning};
use std::collections::{BTreeMap, HashMap};

/// The slower library must take at least this many times as long.
pub(super) const SLOWER: f64 = 1.10;

pub(super) const RULE: Rule = Rule {
    id: "library",
    title: "One library loses to another",
    category: Category::Library,
    needs: &[Need::Time, Need::Makers],
    threshold: "the same GEMM on the same device takes at least 1.1 times as long in one library \
                (or file) as in another",
    confidence: Confidence::Certain,
    why: "A faster kernel for this GEMM exists and was measured.",
    path_a: "Use the faster library for this shape, if fusion, licence and start-up allow.",
    path_b: "Send the slower library's team both reproducers: the faster one shows what is \
             possible.",
    profile: "Profile both kernels to see what they do differently.",
    check,
};

/// Whose devices a library runs on, if they are one vendor's only.
fn vendor(library: &str) -> Option<&'static str> {
    const ONLY: [(&str, &[&str]); 2] = [
        ("AMD", &["hipblaslt", "hipblas", "rocblas", "tensile", "aiter", "miopen"]),
        ("NVIDIA", &["cublaslt", "cublas", "cutlass"]),
    ];
    let library = library.to_ascii_lowercase();
    let mut vendors = ONLY.into_iter();
    vendors.find(|(_, own)| own.contains(&library.as_str())).map(|(vendor, _)| vendor)
}

fn check(rule: &Rule, scan: &Scan<'_>) -> Vec<super::Finding> {
    let data = scan.data();
    let names = match data.column(ColumnMeaning::Library).map(|c| &c.data) {
        Some(ColumnData::Text { values, .. }) if values.len() > 2 => Some(values),
        _ => None,
    };
    let maker = |g: u32| {
        let group = &scan.groups[g as usize];
        match names {
            Some(_) => scan.library(group).unwrap_or(0),
            None => u32::from(data.source[group.row as usize]),
        }
    };
    let label = |g: u32| match names {
        Some(values) => {
            let name = values.get(maker(g) as usize).map_or("", String::as_str);
            library_name(name).unwrap_or(name).to_owned()
        }
        None => data.sources.get(maker(g) as usize).map(|s| s.name.clone()).unwrap_or_default(),
    };
    let sets = same_shape::sets(scan, |g| {
        // Rows without a library name are left out.
        let known = names.is_none() || maker(g) != 0;
        known.then(|| u64::from(data.op[scan.groups[g as usize].row as usize]))
    });
    let mut losers = same_shape::losers(scan, &sets, maker, SLOWER);
    // Libraries of two vendors never ran on one device, whatever device is assumed.
    let vendors_differ =
        |a: &str, b: &str| matches!((vendor(a), vendor(b)), (Some(a), Some(b)) if a != b);
    losers.retain(|l| !vendors_differ(&label(l.group), &label(l.fastest)));
    let partner: HashMap<u32, u32> = losers.iter().map(|l| (l.group, l.fastest)).collect();
    // One finding for each pair of a slower and a faster one, not one a GEMM.
    let mut pairs: BTreeMap<(u32, u32), Vec<Hit>> = BTreeMap::new();
    for l in &losers {
        let checked = scan.groups[l.group as usize].checked;
        let hit = Hit {
            group: l.group,
            // Kernels that were only tried cost no time.
            back: checked.then_some((0.9 * l.gap_s, l.gap_s)),
        };
        let pair = (maker(l.group), maker(l.fastest));
        pairs.entry(pair).or_default().push(hit);
    }
    let sets = pairs.into_values().collect();
    let pair_of = |g: u32| (maker(g), maker(partner.get(&g).copied().unwrap_or(g)));
    // All GEMMs of a pair on one side, also those for which another finding speaks.
    let all_of = |g: u32| {
        let (pair, side) = (pair_of(g), scan.groups[g as usize].side);
        let of = losers.iter().map(|l| l.group);
        of.filter(move |g| pair_of(*g) == pair && scan.groups[*g as usize].side == side)
    };
    let mut found = story::joined(rule, scan, sets, |hits| {
        let ratio = |g: u32| {
            let other = partner.get(&g).copied().unwrap_or(g);
            scan.groups[g as usize].call_s() / scan.groups[other as usize].call_s()
        };
        let Some(hit) = hits.first() else {
            return Story::default();
        };
        let all = || all_of(hit.group);
        let worst = all().max_by(|a, b| ratio(*a).total_cmp(&ratio(*b)));
        let first = worst.unwrap_or(hits[0].group);
        let other = partner.get(&first).copied().unwrap_or(first);
        let (slow, fast) = (label(first), label(other));
        let (g, fast_s) = (&scan.groups[first as usize], scan.groups[other as usize].call_s());
        let most = ratio(first);
        let formula = format!(
            "time {slow} / time {fast} = {} / {} = {most:.2}",
            story::time(g.call_s()),
            story::time(fast_s)
        );
        let total = all().count();
        if total == 1 {
            return Story {
                title: format!("{slow} takes {most:.2}x the time of {fast}: {}", scan.problem(g)),
                text: format!("{}. {fast} takes {}.", story::opening(scan, g), story::time(fast_s)),
                formula,
                ..Story::default()
            };
        }
        let count = plural(total as u64, "GEMM");
        let elsewhere = match total - hits.len().min(total) {
            0 => String::new(),
            n => format!(" The savings of {n} of them are in other findings."),
        };
        Story {
            title: format!("{slow} takes {SLOWER:.1} to {most:.1}x the time of {fast}: {count}"),
            text: format!(
                "{fast} is at least 1.1 times as fast on {count}, most on {}: {} instead of {}.{elsewhere}",
                scan.problem(g),
                story::time(fast_s),
                story::time(g.call_s()),
            ),
            formula,
            ..Story::default()
        }
    });
    // The rows are what the title counts.
    for finding in &mut found {
        let first = finding.evidence.rows.first().copied();
        let holds = |l: &&same_shape::Loser| {
            scan.rows(&scan.groups[l.group as usize]).iter().any(|r| Some(*r) == first)
        };
        if let Some(one) = losers.iter().find(holds) {
            let rows = &mut finding.evidence.rows;
            *rows = all_of(one.group)
                .flat_map(|g| scan.rows(&scan.groups[g as usize]))
                .copied()
                .collect();
            rows.sort_unstable();
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::vendor;

    #[test]
    fn libraries_of_one_vendor_only() {
        assert_eq!(vendor("Tensile"), vendor("hipBLASLt"));
        assert_ne!(vendor("Tensile"), vendor("cuBLAS"));
        assert_eq!(vendor("Triton"), None);
    }
}
