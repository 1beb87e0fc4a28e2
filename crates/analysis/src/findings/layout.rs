//! Rule: one layout is slower than another on the same sizes.

use super::same_shape;
use super::story::{self, Hit, Story};
use super::{Category, Confidence, Group, Need, Rule, Scan};
use gemmscope_model::gemm::Operation;
use gemmscope_model::order::InOrder;
use gemmscope_model::units::plural;
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

/// The slower layout must take at least this many times as long.
pub(super) const SLOWER: f64 = 1.15;

pub(super) const RULE: Rule = Rule {
    id: "layout",
    title: "A slow layout",
    category: Category::Layout,
    needs: &[Need::Time],
    threshold: "the same sizes and types in another layout are at least 1.15 times as fast",
    confidence: Confidence::Certain,
    why: "The same product is faster with its operands stored the other way round.",
    path_a: "Store the weights in the faster layout once, at load time, if the neighbouring \
             operations allow it.",
    path_b: "The slower layout may use a less tuned kernel: send the library's maintainers \
             reproducers of both.",
    profile: "Profile where the slower layout spends its time before blaming the access pattern.",
    check,
};

fn check(rule: &Rule, scan: &Scan<'_>) -> Vec<super::Finding> {
    let data = scan.data();
    if one(data.ops.iter().map(|o| o.layout())) {
        return Vec::new();
    }
    let slow = if one(scan.groups.iter().map(|g| layout_of(scan, g))) {
        // A filter on the slow layout does not make it a fast one: it is compared with all rows.
        let whole = scan.frame.with_rows(Arc::new((0..data.len() as u32).collect()));
        let shown = (0u32..).zip(&scan.groups);
        let number: HashMap<u32, u32> =
            shown.flat_map(|(i, g)| scan.rows(g).iter().map(move |row| (*row, i))).collect();
        let all = Scan::new(&whole);
        Slow::new(&all, scan, |g| {
            let mut rows = all.rows(&all.groups[g as usize]).iter();
            rows.find_map(|row| number.get(row)).copied()
        })
    } else {
        Slow::new(scan, scan, Some)
    };
    let sets = slow.by_layout.values().cloned().collect();
    story::joined(rule, scan, sets, |hits| slow.story(scan, hits))
}

/// True where all layouts are the same.
fn one(mut layouts: impl Iterator<Item = &'static str>) -> bool {
    let first = layouts.next();
    layouts.all(|l| Some(l) == first)
}

fn operation(scan: &Scan<'_>, group: &Group) -> Operation {
    let data = scan.data();
    data.ops[usize::from(data.op[group.row as usize])]
}

fn layout_of(scan: &Scan<'_>, group: &Group) -> &'static str {
    operation(scan, group).layout()
}

/// The groups of the same sizes and types, in any layout.
fn same_but_layout(scan: &Scan<'_>) -> Vec<Vec<u32>> {
    let data = scan.data();
    // Operations that differ only in the layout get the same number.
    let mut kinds: HashMap<u64, u64> = HashMap::new();
    let kind_of: Vec<u64> = data
        .ops
        .iter()
        .map(|o| {
            let next = kinds.len() as u64;
            let plain = o.with_layout(false, false);
            *kinds.entry(plain.key()).or_insert(next)
        })
        .collect();
    same_shape::sets(scan, |g| {
        let group = &scan.groups[g as usize];
        let row = group.row as usize;
        let place = u64::from(data.source[row]) << 32 | u64::from(group.side) << 48;
        group.checked.then(|| kind_of[usize::from(data.op[row])] | place)
    })
}

/// The groups in a slow layout, and the call of a group in a fast layout that each is compared with.
struct Slow {
    by_layout: BTreeMap<(u16, &'static str), Vec<Hit>>,
    partner: HashMap<u32, Partner>,
}

#[derive(Clone, Copy)]
struct Partner {
    call_s: f64,
    layout: &'static str,
}

impl Slow {
    /// The slow groups of `scan` that are in `shown`, which may be the same; `own` is the number of
    /// a group there.
    fn new(scan: &Scan<'_>, shown: &Scan<'_>, own: impl Fn(u32) -> Option<u32>) -> Self {
        let group = |g: u32| &scan.groups[g as usize];
        let call = |g: u32| group(g).call_s();
        // Of each slow group the sizes in all layouts.
        let mut slow: BTreeMap<(u16, &'static str), Vec<Slower>> = BTreeMap::new();
        for set in same_but_layout(scan) {
            let best = same_shape::fastest_by(scan, &set, |g| layout_of(scan, group(g)));
            let least = best.iter().map(|(_, g)| call(*g)).fold(f64::INFINITY, f64::min);
            for (name, g) in &best {
                if call(*g) > SLOWER * least {
                    let key = (group(*g).side, *name);
                    slow.entry(key).or_default().push((*g, best.clone()));
                }
            }
        }
        let mut out = Slow { by_layout: BTreeMap::new(), partner: HashMap::new() };
        for (key, groups) in slow {
            let reference = reference(&groups, &call);
            for (g, all) in groups {
                let fastest =
                    all.iter().min_by(|a, b| call(a.1).total_cmp(&call(b.1))).map_or(g, |f| f.1);
                let usual = all.iter().find(|(name, _)| Some(*name) == reference);
                let fast = usual.filter(|u| call(g) > SLOWER * call(u.1)).map_or(fastest, |u| u.1);
                let Some(own) = own(g) else { continue };
                let partner = Partner { call_s: call(fast), layout: layout_of(scan, group(fast)) };
                let own_group = &shown.groups[own as usize];
                let gap = (own_group.call_s() - partner.call_s) * own_group.calls;
                out.partner.insert(own, partner);
                out.by_layout
                    .entry(key)
                    .or_default()
                    .push(Hit { group: own, back: Some((0.5 * gap, gap)) });
            }
        }
        out
    }

    fn story(&self, scan: &Scan<'_>, hits: &[Hit]) -> Story {
        let mut pairs: Vec<(u32, Partner)> =
            hits.iter().filter_map(|h| Some((h.group, *self.partner.get(&h.group)?))).collect();
        let call = |g: u32| scan.groups[g as usize].call_s();
        let ratio = |p: &(u32, Partner)| call(p.0) / p.1.call_s;
        // The clearest first.
        pairs.order_by(|a, b| ratio(b).total_cmp(&ratio(a)).then(a.0.cmp(&b.0)));
        let Some(first) = pairs.first() else {
            return Story::default();
        };
        let group = &scan.groups[first.0 as usize];
        let (slow, fast) = (layout_of(scan, group), first.1.layout);
        let most = ratio(first);
        let formula = format!(
            "time {slow} / time {fast} = {} / {} = {most:.2}",
            story::time(call(first.0)),
            story::time(first.1.call_s),
        );
        if pairs.len() == 1 {
            return Story {
                title: format!(
                    "Layout {slow} takes {most:.1}x the time of {fast}: {}",
                    scan.title(group)
                ),
                text: format!(
                    "{}. Stored as {fast} the same product takes {}.",
                    story::opening(scan, group),
                    story::time(first.1.call_s)
                ),
                formula,
                ..Story::default()
            };
        }
        let least = pairs.last().map_or(most, ratio);
        let (mut time_s, mut fast_s) = (0.0, 0.0);
        for (slow, fast) in &pairs {
            let group = &scan.groups[*slow as usize];
            time_s += group.time_s;
            fast_s += fast.call_s * group.calls;
        }
        let all = one(pairs.iter().map(|p| p.1.layout));
        let other = if all { fast } else { "a faster layout" };
        let count = plural(pairs.len() as u64, "GEMM");
        Story {
            title: format!("Layout {slow} takes up to {most:.1}x the time of {other}: {count}"),
            text: format!(
                "{count} in layout {slow} take {} ({}); the same sizes and types in {other} take {}. \
                 The ratio is {least:.1} to {most:.1}, most for {}.",
                story::time(time_s),
                story::share_of_time(scan, hits),
                story::time(fast_s),
                scan.problem(group),
            ),
            formula,
            ..Story::default()
        }
    }
}

/// A slow group, and the fastest group of each layout of its sizes.
type Slower = (u32, Vec<(&'static str, u32)>);

/// The layout that most of the groups can be compared with; of several the one with the least time.
fn reference(groups: &[Slower], call: &impl Fn(u32) -> f64) -> Option<&'static str> {
    let mut found: BTreeMap<&'static str, (usize, f64)> = BTreeMap::new();
    for (slow, all) in groups {
        for (name, g) in all.iter().filter(|(_, g)| g != slow) {
            let entry = found.entry(name).or_default();
            entry.0 += 1;
            entry.1 += call(*g);
        }
    }
    found
        .into_iter()
        .min_by(|(_, a), (_, b)| b.0.cmp(&a.0).then(a.1.total_cmp(&b.1)))
        .map(|(name, _)| name)
}
