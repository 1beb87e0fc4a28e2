//! Texts of each rule that do not depend on what it finds.

/// The texts of a rule.
#[derive(Clone, Copy, Debug)]
pub struct RuleText {
    /// Key of the [rule](gemmscope_analysis::findings::Rule).
    pub id: &'static str,
    /// What it looks for.
    pub title: &'static str,
    /// Its threshold, as a sentence with numbers.
    pub threshold: &'static str,
    /// Why it matters.
    pub why: &'static str,
    /// Advice on the algorithm or the model.
    pub path_a: &'static str,
    /// Advice on the kernel.
    pub path_b: &'static str,
    /// What a profile must show to prove the cause.
    pub profile: &'static str,
}

/// The texts of all rules, in the order of [`RULES`](gemmscope_analysis::findings::RULES).
pub static RULE_TEXTS: &[RuleText] = &[
    RuleText {
        id: "wrong_device",
        title: "Probably another device, type or unit",
        threshold: "over 20 % of the GEMMs with a roof are more than 2 % above it, or the kernels' names say \
                that they were built for another device",
        why: "A few rows above the roof can have other causes. This many, or kernels that the device cannot \
          run, mean that the roof is another device's.",
        path_a: "Choose the device that ran, or type its peaks.",
        path_b: "Check the unit of the time and the data type of the rows.",
        profile: "Nothing: ask whoever measured for the device and the unit of the time.",
    },
    RuleText {
        id: "far_below",
        title: "Far below the roof in everything",
        threshold: "no GEMM of a device and type reaches 5 % of its roof, though one or more are large: they \
                would take over 5 µs at their roof, and can use half of the compute units",
        why: "Even a plain library kernel reaches several times as much with GEMMs of this size.",
        path_a: "Check that the chosen device is the one that ran, and that the type and the unit of the \
             time are right.",
        path_b: "If all of that is right, check that the kernels use the matrix units at all.",
        profile: "Look for active matrix units (tensor or MFMA cycles): none means vector code.",
    },
    RuleText {
        id: "no_model",
        title: "GEMMs without a performance model",
        threshold: "any GEMM of a trace whose shape is not known, or any measured row without a roof",
        why: "Time without a roof may hide the worst kernels.",
        path_a: "Have the tool that wrote this file record the sizes of these operations.",
        path_b: "Look at these kernels in a profiler: no figure here is about them.",
        profile: "Nothing: the shape or the peak is missing, not the time.",
    },
    RuleText {
        id: "double_count",
        title: "Time counted twice",
        threshold: "a wrapper and the operation it calls with the same shape, count and time; or the \
                same row in two files",
        why: "Totals and shares that count one kernel twice are wrong.",
        path_a: "Nothing to change: the totals here count each kernel once, a sum over the file does not.",
        path_b: "Leave the wrappers out of any sum of your own.",
        profile: "There is nothing to profile: the file lists a kernel twice.",
    },
    RuleText {
        id: "timeline",
        title: "Time outside GEMMs",
        threshold: "a trace whose device is idle for over 20 % of the time, communicates alone for over \
                10 %, or spends over 10 % of its compute time in one other kernel",
        why: "Faster GEMMs don't shorten this time.",
        path_a: "Launch less and earlier: capture the step in a CUDA or HIP graph, compile the model, \
             use larger batches, and take out what waits for the device (.item(), copies to the \
             host). Check that the trace holds whole steps and no warm-up.",
        path_b: "A faster kernel does not help here: the device would only wait longer.",
        profile: "Open the trace in a timeline viewer and look at what the processor does meanwhile.",
    },
    RuleText {
        id: "outlier",
        title: "One row stands out",
        threshold: "one of ten or more GEMMs takes over half of the time, at less than a tenth of the % of roof \
                that nine of ten others reach",
        why: "A first call, an interruption, another unit or a slip in the file would explain it.",
        path_a: "Measure this GEMM again, warmed up, before anything is concluded from it.",
        path_b: "Check the row in the file: its sizes, its time and the unit of that.",
        profile: "Nothing yet: a second measurement says whether it is so.",
    },
    RuleText {
        id: "above_roof",
        title: "Above the roof",
        threshold: "more than 102 % of the roof; over 110 % is left out of every ranking",
        why: "Nothing runs above its roof: the device, the unit, the shape or the reference is not what \
          is assumed.",
        path_a: "Check what was run: sizes, batch, sparsity, and whether operands stay in a cache \
             between repeated calls.",
        path_b: "Check device, unit of the time and clock; measure again with cold caches.",
        profile: "Profile the bytes from memory (cache residency), the instructions (sparsity) and \
              the clock.",
    },
    RuleText {
        id: "base_clock",
        title: "Measured at a lower clock",
        threshold: "the recorded clock is under 90 % of the one that the device's peak is of",
        why: "Profilers lock the clock to its base by default, and a peak falls with the clock.",
        path_a: "Nothing: these rows are judged by the peak at their own clock, here and in the table.",
        path_b: "Measure again with the clock unlocked (--clock-control none) before tuning anything.",
        profile: "The profile has the clock; only a run without the lock gives the real time.",
    },
    RuleText {
        id: "reported",
        title: "Reported figures that disagree",
        threshold: "more than 1 %, and than the file's rounding, between its figure and the one \
                recomputed from shape, type and time",
        why: "Both figures can't be right; often a unit or a count differs.",
        path_a: "Take the recomputed figures, or correct the shape, type or unit of the file.",
        path_b: "Ask the producer what it counts: bias, two FLOP a multiply-add, GiB or GB, mean of \
             rates or rate of the mean.",
        profile: "Nothing: this is arithmetic.",
    },
    KERNEL,
    LAYOUT,
    TYPE,
    SIZE,
    LIBRARY,
    LAUNCH,
    TILE,
    PUBLISHED,
    REST,
    RuleText {
        id: "batching",
        title: "Repeated identical GEMMs that could batch",
        threshold: "16 calls or more of one shape, each under 200 µs and under 40 % of the roof",
        why: "Many equal GEMMs that each leave most of the device idle could share it.",
        path_a: "If the calls do not depend on each other, batch them (torch.bmm, grouped GEMM, \
             stacked weights for Q, K and V); torch.compile may do it by itself.",
        path_b: "If they depend on each other, a smaller tile or split-K is the only way to fill the \
             device.",
        profile: "A timeline shows whether the calls are independent and run one after another.",
    },
    RuleText {
        id: "precision",
        title: "Slow data type",
        threshold: "fp32 or fp64 where tf32, bf16 or fp16 have at least 1.5 times the roof on the same \
                device",
        why: "These GEMMs run in a wide type although the device has a much faster narrow one.",
        path_a: "Use the faster type if the results allow it; validate the numbers.",
        path_b: "Check that this GEMM should run in this type: a stray cast or a flag is enough.",
        profile: "The kernel's name or a profile shows which matrix instruction ran; some \
              libraries use a faster type inside.",
    },
    RuleText {
        id: "narrow",
        title: "A narrow type that is slower",
        threshold: "8 bit or less takes over 2 % longer than fp16 or bf16 of the same sizes on the same device",
        why: "A narrow type has the higher roof and should never be slower.",
        path_a: "Keep the wider type for these shapes: it is faster and loses no digits.",
        path_b: "The narrow kernel is not tuned for these shapes: time its other solutions and tiles, and send the \
             library's maintainers reproducers of both types.",
        profile: "Run both reproducers one after the other: conversion and scaling kernels beside the GEMM, and the \
              matrix instruction that it uses, show where the time goes.",
    },
    RuleText {
        id: "platform",
        title: "Over 5 times as slow as on another device",
        threshold: "over 5 times as slow as the same GEMM on another device, and by more than the roofs of the two differ",
        why: "Devices of one age differ by less: the kernel is at fault before the device is.",
        path_a: "Batch more of them into one call (torch.bmm, or a grouped GEMM), or run this shape on the faster device.",
        path_b: "Compare the kernels of the two devices and send the slower one's library reproducers: another kernel, \
             tile or layout is likely.",
        profile: "Profile both: the kernel's name, its grid and the bytes that it moves tell what differs.",
    },
];

/// Texts of the rule with this id.
pub fn rule_text(id: &str) -> Option<&'static RuleText> {
    RULE_TEXTS.iter().find(|text| text.id == id)
}

/// Texts of an account with a measured alternative: those that differ, combined with the shared ones.
const fn measured(
    id: &'static str,
    title: &'static str,
    threshold: &'static str,
    paths: [&'static str; 2],
) -> RuleText {
    RuleText {
        id,
        title,
        threshold,
        why: "The same product was measured faster.",
        path_a: paths[0],
        path_b: paths[1],
        profile: "Run both reproducers one after the other; only then profile where the slower one \
                  spends its time.",
    }
}

const SLOWER: &str = "The slower one may use a less tuned kernel: send the library's maintainers reproducers of both.";

pub(super) const KERNEL: RuleText = measured(
    "kernel",
    "Another kernel is faster",
    "another kernel or tile of the same library ran it over 2 % faster",
    [
        "Nothing in the model: the choice of kernel is the library's.",
        "Ask for the faster kernel (a solution index, a tuned configuration), and send the \
         library's maintainers reproducers of both.",
    ],
);

pub(super) const LAYOUT: RuleText = measured(
    "layout",
    "Another layout is faster",
    "the operands stored the other way round ran over 2 % faster",
    [
        "Store the weights in the faster layout once, at load time, if the neighbouring operations \
         (in training, the backward pass) allow it.",
        SLOWER,
    ],
);

pub(super) const TYPE: RuleText = measured(
    "type",
    "Another type is faster",
    "another type with the same bytes and the same peak ran over 2 % faster",
    ["Use the other type if the numbers allow it.", SLOWER],
);

pub(super) const SIZE: RuleText = measured(
    "size",
    "Padding is faster",
    "a GEMM that is larger in exactly one of M, N, K ran over 2 % faster",
    [
        "Pad the size, if the model allows it: the extra rows or columns are zeros.",
        "Send the library's maintainers reproducers of both sizes: the smaller one should not take \
         longer.",
    ],
);

pub(super) const LIBRARY: RuleText = measured(
    "library",
    "Another library or file is faster",
    "another library or file ran it over 2 % faster on the same device",
    [
        "Nothing in the model: the choice of library is enough.",
        "Choose the faster library for these shapes, or a dispatcher that measures both; send the \
         slower one's maintainers reproducers.",
    ],
);

// ANCHOR: launch
pub(super) const LAUNCH: RuleText = RuleText {
    id: "launch",
    title: "Launches",
    threshold: "each call pays what starting, filling and draining a kernel takes however little it computes: 4.5 µs \
                (assumed: AMD's Origami counts that), but never more than the shortest call on the device, and nothing in a profiler's kernel times",
    why: "Each call pays for its launch.",
    path_a: "Launch less: merge GEMMs that do not wait for each other (Q, K and V; a grouped GEMM), \
             batch equal ones, or fuse them into their neighbours.",
    path_b: "A kernel with fewer workgroups and less set-up helps a little; tuning the tile does not.",
    profile: "Time an empty kernel the same way: that is the floor of this device.",
};
// ANCHOR_END: launch

pub(super) const TILE: RuleText = RuleText {
    id: "tile",
    title: "Padding and waves of the tile",
    threshold: "the roof of the run's own tile is below the device's, and compute limits",
    why: "Tiles that reach past the edge and waves that are not full leave units without useful work.",
    path_a: "Pad or cut the batch so that the tiles fill whole waves, where the model allows it.",
    path_b: "Choose a tile whose count fits the units.",
    profile: "One workgroup per unit is assumed. A profile shows the launched grid, the occupancy and \
              the units that idle at the end.",
};

pub(super) const PUBLISHED: RuleText = RuleText {
    id: "published",
    title: "Slower than others reach",
    threshold: "a time that others published for such a GEMM on this device is shorter, by more than its error, and no \
                account before holds the difference",
    why: "Others take less for GEMMs like these on this device.",
    path_a: "Nothing in the model: others reach it with these sizes.",
    path_b: "Run the library that was faster there, and compare versions, kernels and clocks with it. What was published is a \
             layer of a framework or a kernel in a warm loop: time yours the same way first.",
    profile: "Measure one GEMM with the library of the published time on this machine.",
};

pub(super) const REST: RuleText = RuleText {
    id: "rest",
    title: "Unexplained",
    threshold: "time above the roof time that no faster run and no model explains",
    why: "The device allows more than these GEMMs reach. Nobody has shown that they can be faster.",
    path_a: "Change the roof: a larger batch, fusion with a neighbour, a narrower type that this device \
             multiplies faster, or structured sparsity.",
    path_b: "Tune tile, split-K and stages for each shape, and try other libraries. Send the kernel \
             team reproducers.",
    profile: "Timings don't say why. Look for idle matrix units (low tensor or MFMA active cycles), the \
              bytes really moved, and the stall reason in a profile.",
};
