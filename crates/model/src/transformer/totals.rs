//! Lower bound of a step's time: every GEMM at its own roof.

use super::{Model, ModelGemm, Workload, WorkloadError};
use crate::hardware::{Device, RoofKind};
use crate::reference::ReferenceTime;
use crate::roofline::{Bound, Roof};
use crate::units::{Bytes, Flops, Seconds};
use std::fmt;

/// One GEMM of a step at its roof.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GemmBest {
    /// The GEMM and its count.
    pub gemm: ModelGemm,
    /// The roof of its compute type.
    pub roof: Roof,
    /// Roofline time of one run.
    pub time: Seconds,
    /// Roofline time of all its runs in the step.
    pub total_time: Seconds,
    /// Expected time of one run: see [`Device::expected_s`].
    pub expected: Seconds,
    /// Published time of others, if one is loaded for a similar shape.
    pub reference: Option<ReferenceTime>,
    /// What limits it at its roof.
    pub bound: Bound,
    /// Smallest M at which it reaches the ridge point. `None` for products of attention, or if no M does.
    pub ridge_m: Option<u32>,
}

/// A step on one device, each GEMM at its roof. Excludes communication, norms and sampling, so a real step takes
/// longer.
#[derive(Clone, Debug, PartialEq)]
pub struct StepTotals {
    /// Each GEMM, as [`Model::gemms`] lists them.
    pub gemms: Vec<GemmBest>,
    /// Work of the step on one device.
    pub work: Flops,
    /// Compulsory bytes of the step on one device.
    pub bytes: Bytes,
    /// Roofline time of the step: the sum over its GEMMs.
    pub time: Seconds,
    /// Expected time of the step: the sum over its GEMMs.
    pub expected: Seconds,
    /// Tokens that the step reads or generates / its roofline time.
    pub tokens_per_s: f64,
    /// Weights on one device, embeddings included.
    pub weight_bytes: Bytes,
    /// KV cache of the step's context on one device.
    pub kv_cache_bytes: Bytes,
    /// True if weights and cache fit in the device's memory. `None` if its size is unknown.
    pub fits: Option<bool>,
}

/// Why a step has no totals.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TotalsError {
    /// The GEMMs of the step cannot be listed.
    Workload(WorkloadError),
    /// The device has no peak for a type; the sentence names it.
    NoRoof(String),
}

impl fmt::Display for TotalsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Workload(error) => error.fmt(f),
            Self::NoRoof(sentence) => f.write_str(sentence),
        }
    }
}

impl std::error::Error for TotalsError {}

impl From<WorkloadError> for TotalsError {
    fn from(error: WorkloadError) -> Self {
        Self::Workload(error)
    }
}

impl Model {
    /// Totals of one step with every GEMM at its roof.
    ///
    /// # Errors
    /// [`TotalsError::Workload`] as [`Model::gemms`], and [`TotalsError::NoRoof`] if the device has no peak for a type
    /// that the step multiplies in.
    pub fn totals(
        &self,
        workload: &Workload,
        device: &Device,
        kind: RoofKind,
    ) -> Result<StepTotals, TotalsError> {
        let mut best = Vec::new();
        for gemm in self.gemms(workload)? {
            let compute = gemm.problem.op.compute;
            let no_roof = || TotalsError::NoRoof(device.explain_peak(compute));
            let roof = device.roof(compute, kind).ok_or_else(no_roof)?;
            let time = Seconds(roof.problem_time_s(&gemm.problem));
            let expected = Seconds(device.expected_s(&gemm.problem).ok_or_else(no_roof)?);
            best.push(GemmBest {
                gemm,
                roof,
                time,
                total_time: time * gemm.count as f64,
                expected,
                // Tables assume weights stored N x K, as `Model::gemms` does.
                reference: device.references.time(&gemm.problem),
                bound: roof.bound(gemm.problem.intensity().0),
                ridge_m: (!gemm.part.is_attention()).then(|| roof.ridge_m(&gemm.problem)).flatten(),
            });
        }
        let time: Seconds = best.iter().map(|gemm| gemm.total_time).sum();
        let count = |gemm: &GemmBest| gemm.gemm.count as f64;
        let shards = f64::from(workload.tensor_parallel);
        let weight_bytes = self.weight_bytes(workload.types.weight) / shards;
        let tokens = f64::from(workload.batch) * f64::from(workload.length);
        // A compressed cache has no heads to divide, so every device stores all of it.
        let kv_shards = match self.attention {
            super::Attention::Grouped { .. } => shards,
            super::Attention::Latent { .. } => 1.0,
        };
        let kv_cache_bytes = self.kv_bytes_per_token(workload.types.kv_cache) * tokens / kv_shards;
        Ok(StepTotals {
            work: best.iter().map(|b| b.gemm.problem.work() * count(b)).sum(),
            bytes: best.iter().map(|b| b.gemm.problem.bytes() * count(b)).sum(),
            time,
            expected: best.iter().map(|b| b.expected * count(b)).sum(),
            tokens_per_s: workload.tokens() as f64 / time.0,
            weight_bytes: Bytes(weight_bytes),
            kv_cache_bytes: Bytes(kv_cache_bytes),
            fits: device.memory_bytes.map(|memory| weight_bytes + kv_cache_bytes <= memory),
            gemms: best,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::{LayerPart, Types, preset};
    use super::*;
    use crate::dtype::DataType;
    use crate::hardware::by_id;
    use crate::roofline::Roof;

    fn close(value: f64, expected: f64, relative: f64) {
        assert!((value / expected - 1.0).abs() < relative, "{value} is not {expected}");
    }

    #[test]
    fn decode_reads_the_weights_once() {
        let model = preset("llama-2-7b").unwrap();
        let mi300x = by_id("mi300x").unwrap();
        let step = model.totals(&Workload::decode(1, 1), mi300x, RoofKind::Datasheet).unwrap();
        // All matrices (not the input embedding), 2 bytes each, at 5.3 TB/s.
        let bytes = 2.0 * model.active_matrix_parameters();
        close(step.bytes.0, bytes, 2e-3);
        close(step.time.0, bytes / 5.3e12, 2e-3);
        close(step.tokens_per_s, 5.3e12 / bytes, 2e-3);
        assert!(step.gemms.iter().all(|gemm| gemm.bound == Bound::Memory));
        assert_eq!(step.fits, Some(true));
    }

    #[test]
    fn prefill_is_bound_by_compute() {
        let model = preset("llama-3-70b").unwrap();
        let device = by_id("h100-sxm").unwrap();
        let workload = Workload { tensor_parallel: 8, ..Workload::prefill(1, 4096) };
        let step = model.totals(&workload, device, RoofKind::Datasheet).unwrap();
        let down = step.gemms.iter().find(|gemm| gemm.gemm.part == LayerPart::Down).unwrap();
        assert_eq!(down.bound, Bound::Compute);
        // 70.55 B parameters of 2 bytes over 8 devices.
        close(step.weight_bytes.0, 17.64e9, 1e-2);
        assert_eq!(step.fits, Some(true));
    }

    #[test]
    fn cache_sizes() {
        // Llama 2 7B: 2 x 32 layers x 4096 x 2 bytes per token; Llama 3 70B caches an eighth of its heads.
        let bytes = |id: &str| preset(id).unwrap().kv_bytes_per_token(DataType::Fp16);
        assert_eq!(bytes("llama-2-7b"), 524_288.0);
        assert_eq!(bytes("llama-3-70b"), 327_680.0);
        // DeepSeek-V3 caches 512 + 64 values per layer.
        assert_eq!(bytes("deepseek-v3"), 61.0 * 576.0 * 2.0);
    }

    #[test]
    fn a_missing_peak_is_said() {
        let model = preset("llama-2-7b").unwrap();
        let v100 = by_id("v100-sxm2").unwrap();
        let error = model.totals(&Workload::decode(1, 1), v100, RoofKind::Datasheet).unwrap_err();
        assert_eq!(error.to_string(), "Tesla V100-SXM2 has no bf16 peak, so no roof");
        let fp16 = Workload { types: Types::uniform(DataType::Fp16), ..Workload::decode(1, 1) };
        assert!(model.totals(&fp16, v100, RoofKind::Datasheet).is_ok());
        // Without an achievable rate the datasheet's is used.
        let [a, b] = [RoofKind::Datasheet, RoofKind::Achievable]
            .map(|kind| model.totals(&fp16, v100, kind).unwrap());
        assert_eq!(a, b);
        let calls: u64 = a.gemms.iter().map(|g| g.gemm.count).sum();
        // With one token every GEMM is memory-bound.
        let moved = a.time.0 / Roof::REACHED_BANDWIDTH;
        close(a.expected.0, moved + calls as f64 * 4.5e-6, 1e-9);
    }

    fn weight_only(weight: DataType) -> Types {
        Types { weight, ..Types::uniform(DataType::Bf16) }
    }

    #[test]
    fn narrow_weights_decode_faster() {
        let model = preset("llama-3-8b").unwrap();
        let device = by_id("a100-80-sxm").unwrap();
        let time = |weight| {
            let workload = Workload { types: weight_only(weight), ..Workload::decode(1, 1) };
            let step = model.totals(&workload, device, RoofKind::Datasheet);
            step.unwrap().time.0
        };
        close(time(DataType::Bf16) / time(DataType::Int4), 4.0, 0.02);
        // The ridge comes four times as early: fewer bytes for the same work.
        let step = |weight| {
            let workload = Workload { types: weight_only(weight), ..Workload::decode(1, 1) };
            let step = model.totals(&workload, device, RoofKind::Datasheet);
            step.unwrap().gemms[0].ridge_m.unwrap()
        };
        assert!(step(DataType::Int4) < step(DataType::Bf16));
    }
}
