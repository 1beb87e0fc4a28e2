//! Rule: memory-bound and far below the bandwidth.

use super::advice;
use super::story::{self, Hit, Story};
use super::{Category, Confidence, Need, Rule, Scan};
use gemmscope_model::roofline::Bound;
use gemmscope_model::units::percent;

/// A memory-bound GEMM below this share of the bandwidth is flagged.
pub(super) const LOW: f64 = 0.60;
/// Share of the bandwidth that streaming kernels usually reach.
pub(super) const REACHABLE: f64 = 0.85;

/// Below this share neither memory nor arithmetic is what limits a GEMM.
pub(super) const NEITHER: f64 = 0.10;

pub(super) const RULE: Rule = Rule {
    id: "memory_bandwidth",
    title: "Memory-bound below achievable bandwidth",
    category: Category::Memory,
    needs: &[Need::Time, Need::Roof],
    threshold: "AI under 0.75 of the ridge point and 10 to 60 % of the device's bandwidth; not \
                launch-bound",
    confidence: Confidence::Certain,
    why: "Memory limits these GEMMs, and they don't use the bandwidth there is.",
    path_a: "Move fewer bytes: fuse the neighbouring elementwise operations, quantise the weights \
             (fp8, int8, 4 bit), or batch requests so that one read of the weights serves more rows.",
    path_b: "Tune a matrix-vector or split-K kernel for this shape: 80 % of the bandwidth is \
             within reach.",
    profile: "The bytes counted are the compulsory ones. Profile the bytes really moved \
              (ncu: dram__bytes; rocprof: TCC_EA) before blaming traffic or access pattern.",
    check,
};

fn check(rule: &Rule, scan: &Scan<'_>) -> Vec<super::Finding> {
    let hits = scan
        .checked()
        .filter(|(_, g)| {
            let e = g.efficiency();
            scan.bound(g) == Some(Bound::Memory) && (NEITHER..LOW).contains(&e) && !story::tiny(g)
        })
        .map(|(i, g)| Hit { group: i, back: Some((g.saved_at(REACHABLE), g.saved_at(1.0))) })
        .collect();
    story::findings(
        rule,
        scan,
        hits,
        |_, g| {
            let r = g.row as usize;
            let m = scan.metrics();
            let roof = scan.roof(g);
            Story {
                title: format!(
                    "Memory-bound at {} of the bandwidth: {}",
                    percent(m.bandwidth_use(scan.data(), r)),
                    scan.title(g)
                ),
                text: format!(
                    "{}. {} of compulsory traffic where the device moves {}; AI {:.1} FLOP/B is \
                     below the ridge point at {:.1}.",
                    story::opening(scan, g),
                    story::bandwidth(m.bandwidth(scan.data(), r)),
                    story::bandwidth(roof.map_or(f64::NAN, |r| r.bandwidth_bytes_per_s)),
                    m.ai[r],
                    roof.map_or(f64::NAN, |r| r.ridge()),
                ),
                formula: story::roof_formula(scan, g),
                path_a: Some(advice::padded_then(scan, g, &advice::memory_path(scan, g))),
                path_b: Some(advice::memory_kernel(scan, g)),
            }
        },
        |n| format!("{n} memory-bound GEMMs below achievable bandwidth"),
    )
}
