//! Kernels without a row, with their time: GEMMs without a shape, and everything that is not a GEMM.

use super::events::Kernel;
use crate::formats::profilers::kernel_kind::KernelKind;
use gemmscope_model::units::percent;
use gemmscope_table::build::TableBuilder;
use gemmscope_table::build::cell_text::RowError;
use gemmscope_table::build::intern::Interner;
use gemmscope_table::dataset::RowsAndTime;
use std::collections::HashMap;

/// GEMM kernels without a shape that share a name.
#[derive(Debug)]
pub(super) struct Loose {
    sum: RowsAndTime,
    line: u32,
    kind: KernelKind,
    graph: bool,
}

/// Time of kernels without a row, by kind.
#[derive(Debug, Default)]
pub(super) struct LeftOut {
    pub not_gemm: RowsAndTime,
    attention: RowsAndTime,
    pub convolution: RowsAndTime,
    pub loose: HashMap<u32, Loose>,
    /// Kernels that are not GEMMs, by name.
    others: HashMap<u32, RowsAndTime>,
}

impl LeftOut {
    pub(super) fn add(&mut self, k: &Kernel, kind: KernelKind, graph: bool) {
        match kind {
            KernelKind::Gemm | KernelKind::GroupedGemm => {
                let sum = RowsAndTime::default();
                let first = Loose { sum, line: k.line, kind, graph };
                self.loose.entry(k.name).or_insert(first).sum.add(k.time_s);
                return;
            }
            KernelKind::Attention => self.attention.add(k.time_s),
            KernelKind::Convolution => self.convolution.add(k.time_s),
            KernelKind::Other => {}
        }
        self.not_gemm.add(k.time_s);
        self.others.entry(k.name).or_default().add(k.time_s);
    }

    /// Name, calls and time of the GEMM kernels without a shape.
    pub(super) fn loose_names(&self, names: &Interner) -> Vec<(String, RowsAndTime)> {
        let named = |(name, l): (&u32, &Loose)| (names.value(*name).to_owned(), l.sum);
        self.loose.iter().map(named).collect()
    }

    /// Name, calls and time of kernels that are not GEMMs.
    pub(super) fn other_names(&self, names: &Interner) -> Vec<(String, RowsAndTime)> {
        let named = |(name, sum): (&u32, &RowsAndTime)| (names.value(*name).to_owned(), *sum);
        self.others.iter().map(named).collect()
    }

    /// Rejects the GEMM kernels without a shape, longest time first. Returns their number and total time.
    pub(super) fn reject_loose(&self, table: &mut TableBuilder, names: &Interner) -> RowsAndTime {
        let mut loose: Vec<_> = self.loose.iter().collect();
        loose.sort_by(|a, b| b.1.sum.time_s.total_cmp(&a.1.sum.time_s).then(a.0.cmp(b.0)));
        let mut without = RowsAndTime::default();
        for (name, l) in loose {
            without.add_calls(l.sum.rows, l.sum.time_s);
            let reason = match (l.kind, l.graph) {
                (KernelKind::GroupedGemm, _) => {
                    "a grouped or expert (MoE) GEMM without its sizes in the trace"
                }
                (_, true) => {
                    "a GEMM kernel of a graph launch, without its operation: also open the \
                     trace of the capture"
                }
                _ => "a GEMM kernel whose operation has no shapes in the trace",
            };
            table.reject(l.line, names.value(*name).as_bytes(), &RowError::new(reason));
        }
        without
    }

    /// Adds notes on the time without rows, also as a fraction of `span_s`, the seconds from the
    /// first to the last kernel.
    pub(super) fn tell(
        &self,
        table: &mut TableBuilder,
        gemm_s: f64,
        without: &RowsAndTime,
        span_s: Option<f64>,
    ) {
        let time = |s: f64| gemmscope_model::units::Seconds(s);
        if without.rows > 0 {
            let grouped: f64 = self
                .loose
                .values()
                .filter(|l| l.kind == KernelKind::GroupedGemm)
                .map(|l| l.sum.time_s)
                .sum();
            let share = without.time_s / (without.time_s + gemm_s) * 100.0;
            table.note(format!(
                "{} of GEMM kernels ({share:.1} % of the GEMM time) have no usable shape and count \
                 in no efficiency.",
                time(without.time_s),
            ));
            if grouped > 0.0 {
                table.note(format!("{} of that are grouped or expert (MoE) GEMMs.", time(grouped)));
            }
        }
        for (kind, sum) in [("attention", self.attention), ("convolution", self.convolution)] {
            if sum.rows > 0 {
                let share =
                    |span: f64| format!(" ({} of the traced time)", percent(sum.time_s / span));
                let share = span_s.map_or_else(String::new, share);
                let time = time(sum.time_s);
                table.note(format!("{time} of {kind} kernels{share} left out: not GEMMs."));
            }
        }
    }
}
