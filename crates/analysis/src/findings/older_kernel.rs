//! Rule: a kernel built for an older generation of tensor cores than the device has.

use super::story::{self, Hit, Story};
use super::unaligned::unaligned;
use super::{Category, Confidence, Need, Rule, Scan, advice};
use gemmscope_model::roofline::Bound;
use gemmscope_model::tiling::kernel_name::{self, built_for};
use gemmscope_table::dataset::ColumnMeaning;

/// Generations whose tensor cores need instructions of their own for their full rate: `wgmma` from
/// 90 on, `tcgen05` from 100 on (PTX ISA, asynchronous warpgroup and 5th-generation instructions).
const OWN: [u32; 2] = [90, 100];
/// A GEMM that reaches more of its roof than this is not held back by its kernel.
const FAST: f64 = 0.8;
/// The part of a Hopper's rate that its older instructions (`mma.sync`) reach (Luo et al., Dissecting
/// the NVIDIA Hopper Architecture, arXiv 2402.13499): newer ones save at most the rest of the time.
const OLDER_RATE: f64 = 0.63;

pub(super) const RULE: Rule = Rule {
    id: "older_kernel",
    title: "Kernel of an older generation",
    category: Category::Library,
    needs: &[Need::Time, Need::Roof, Need::Column(ColumnMeaning::Kernel, "the kernel's name")],
    threshold: "the kernel's name is of sm_89 or older on a device of sm_90 or sm_100, and the GEMM \
                reaches less than 80 % of its roof; not launch-bound, and memory-bound only where \
                rows start off 16 bytes",
    confidence: Confidence::Likely,
    why: "Tensor cores reach their full rate only through the instructions of their own generation \
          (wgmma on Hopper, tcgen05 on Blackwell), which older kernels do not use.",
    path_a: "Update CUDA and the library; build own kernels for sm_90a or sm_100a.",
    path_b: "See why the library falls back: pointers that are not multiples of 16 bytes, an \
             epilogue or a type without newer kernels.",
    profile: "Look for HMMA instructions where HGMMA or UTCMMA would do the work.",
    check,
};

/// The generation of a device with tensor cores that older kernels do not fill: 90 of `sm_90`.
fn generation(token: &str) -> Option<u32> {
    // sm_103 is of the generation of sm_100; sm_120 has no tcgen05.
    let of = match kernel_name::generation(token)? {
        100..=119 => 100,
        other => other,
    };
    OWN.contains(&of).then_some(of)
}

/// The name of a kernel without its return type and parameters: its template arguments tell what it
/// is.
fn without_parameters(kernel: &str) -> &str {
    let name = kernel.strip_prefix("void ").unwrap_or(kernel);
    name.rfind(">(").map_or(name, |end| &name[..=end])
}

fn check(rule: &Rule, scan: &Scan<'_>) -> Vec<super::Finding> {
    let kernel = |g: &super::Group| scan.data().text(ColumnMeaning::Kernel, g.row as usize);
    let hits = scan
        .checked()
        .filter(|(_, g)| g.efficiency() < FAST && !story::tiny(g))
        .filter(|(_, g)| {
            let device = scan.device(g).and_then(|d| generation(&d.arch_token));
            device.is_some() && built_for(kernel(g)).is_some_and(|of| of < OWN[0])
        })
        .filter_map(|(i, g)| {
            // What keeps newer kernels away can cost all that is lost; the instructions cannot.
            let most = match unaligned(scan, g).is_empty() {
                false => g.saved_at(1.0),
                true if scan.bound(g) == Some(Bound::Memory) => return None,
                true => g.saved_at(1.0).min((1.0 - OLDER_RATE) * g.time_s),
            };
            Some(Hit { group: i, back: Some((0.0, most)) })
        })
        .collect();
    story::findings(
        rule,
        scan,
        hits,
        |_, g| {
            let of = built_for(kernel(g)).unwrap_or_default();
            let device = scan.device(g);
            let token = device.map_or("", |d| d.arch_token.as_str());
            let (opening, formula) = (story::opening(scan, g), story::roof_formula(scan, g));
            let own = format!("{opening}. Its kernel is {}.", without_parameters(kernel(g)));
            if let [first, ..] = unaligned(scan, g).as_slice() {
                return Story {
                    title: format!("Unaligned size, so an sm_{of} kernel runs: {}", scan.title(g)),
                    text: format!(
                        "{own} {} is no multiple of 16 bytes, which kernels of {token} need.",
                        first.0
                    ),
                    formula,
                    path_a: Some(advice::padding(scan, g)),
                    path_b: Some(
                        "Compare with the padded size first; then ask the library's maintainers \
                         for a newer kernel that takes odd sizes."
                            .to_owned(),
                    ),
                };
            }
            Story {
                title: format!("An sm_{of} kernel runs on {token}: {}", scan.title(g)),
                text: own,
                formula,
                ..Story::default()
            }
        },
        |n| format!("{n} GEMMs run kernels of an older generation"),
    )
}
