//! Infers the measured step from the shapes of its GEMMs.

use super::DECODE_TOKENS;
use crate::planner::form;
use crate::planner::matching::{Index, Match};
use crate::planner::state::SCHEMES;
use gemmscope_model::gemm::Problem;
use gemmscope_model::transformer::{Attention, LayerPart, Model, Pass, Phase, Workload};
use gemmscope_table::field::Frame;
use gemmscope_table::view_state::ViewState;

/// The measured step, as far as the shapes tell.
#[derive(Clone, Debug, PartialEq)]
pub struct MeasuredStep {
    /// Prefill or decode.
    pub phase: Phase,
    /// Sequences per step.
    pub batch: u32,
    /// Prompt length; in decode the context length, if an attention product tells it.
    pub length: Option<u32>,
    /// True if gradients were measured too.
    pub backward: bool,
    /// Number of devices that shared the layers.
    pub tensor_parallel: u32,
    /// True if queries, keys and values were one GEMM; `None` if none of them was found.
    pub fuse_qkv: Option<bool>,
    /// True if gate and up projection were one GEMM; `None` if neither was found.
    pub fuse_gate_up: Option<bool>,
    /// A row of the layer with most time, whose types and device apply to the step.
    pub row: u32,
    /// Number of tokens that pass through the layers.
    pub tokens: u32,
    /// True if batch and length follow from the shapes rather than being assumed.
    pub told: bool,
}

impl MeasuredStep {
    /// Infers the step from the shapes of a table. `None` if it has no linear layer of the model.
    pub fn of(
        model: &Model,
        index: &Index,
        frame: &Frame,
        shapes: &[(u32, Problem)],
    ) -> Option<Self> {
        let found: Vec<Found<'_>> =
            shapes.iter().filter_map(|(row, p)| Some((*row, p, index.find(p)?))).collect();
        let time = |row: u32| {
            let r = row as usize;
            let t = frame.data.time_s[r] * frame.data.count(r);
            if t.is_finite() { t } else { 0.0 }
        };
        let layer = |m: &Match| {
            m.pass == Pass::Forward
                && m.parts
                    .iter()
                    .all(|p| !p.is_attention() && !p.is_routed() && *p != LayerPart::LmHead)
        };
        // The layer with most time decides, the first on a tie.
        let (row, _, main) = found.iter().filter(|f| layer(&f.2)).fold(
            None::<&Found<'_>>,
            |best, f| match best {
                Some(b) if time(b.0) >= time(f.0) => Some(b),
                _ => Some(f),
            },
        )?;
        let tokens = u32::try_from(main.tokens).ok().filter(|t| *t > 0)?;
        // With another number of devices, the shape may belong to another part.
        let has = |part: LayerPart| {
            found
                .iter()
                .any(|f| f.2.tensor_parallel == main.tensor_parallel && f.2.parts.contains(&part))
        };
        let fused = |whole: LayerPart, alone: LayerPart| match (has(whole), has(alone)) {
            // Other parts often have the shape of one projection, but rarely that of a fused one.
            (true, _) => Some(true),
            (false, true) => Some(false),
            _ => None,
        };
        // Only a weight gradient sums over the tokens; an input gradient often has the shape of another layer.
        let backward =
            found.iter().any(|f| f.2.pass == Pass::WeightGradient && f.2.tokens == main.tokens);
        let told = told_by_scores(model, &found, main.tensor_parallel, tokens)
            .or_else(|| told_by_output(&found, tokens));
        let (phase, batch, length, told) = match (told, backward) {
            (Some((phase, batch, length)), _) => (phase, batch, Some(length), true),
            (None, false) if tokens <= DECODE_TOKENS => (Phase::Decode, tokens, None, false),
            (None, _) => (Phase::Prefill, 1, Some(tokens), false),
        };
        Some(MeasuredStep {
            phase,
            batch,
            length,
            backward,
            tensor_parallel: main.tensor_parallel,
            fuse_qkv: fused(LayerPart::Qkv, LayerPart::Query),
            fuse_gate_up: fused(LayerPart::GateUp, LayerPart::Gate),
            row: *row,
            tokens,
            told,
        })
    }

    /// True if a workload agrees with this step in everything that is known.
    pub fn is(&self, w: &Workload) -> bool {
        (self.phase, self.batch, self.backward, self.tensor_parallel)
            == (w.phase, w.batch, w.backward, w.tensor_parallel)
            && self.length.is_none_or(|l| l == w.length)
            && self.fuse_qkv.is_none_or(|f| f == w.fuse_qkv)
            && self.fuse_gate_up.is_none_or(|f| f == w.fuse_gate_up)
    }

    /// Sets the plan to this step, with the device and types of its rows.
    pub fn plan(&self, state: &mut ViewState, frame: &Frame) {
        let types = frame.data.problem(self.row as usize).op;
        let scheme = SCHEMES.iter().find(|s| {
            let t = s.types;
            (t.activation, t.weight, t.output) == (types.a, types.b, types.c)
        });
        let device = frame
            .metrics
            .devices
            .get(frame.data.device[self.row as usize] as usize)
            .and_then(Option::as_ref);
        let yes = |on: bool| if on { "1" } else { "0" };
        let mut set = vec![
            (
                "plan.phase",
                match self.phase {
                    Phase::Prefill => "prefill",
                    Phase::Decode => "decode",
                }
                .to_owned(),
            ),
            ("plan.pass", if self.backward { "both" } else { "forward" }.to_owned()),
            ("plan.tp", self.tensor_parallel.to_string()),
            ("plan.batch", self.batch.to_string()),
        ];
        set.extend(self.length.map(|l| ("plan.length", l.to_string())));
        set.extend(self.fuse_qkv.map(|f| ("plan.qkv", yes(f).to_owned())));
        set.extend(self.fuse_gate_up.map(|f| ("plan.gate_up", yes(f).to_owned())));
        set.extend(scheme.map(|s| ("plan.types", s.id.to_owned())));
        set.extend(device.map(|d| ("plan.devices", d.id.clone())));
        let groups = form::groups(state);
        for (key, value) in set {
            match groups.iter().flat_map(|g| &g.controls).find(|c| c.key == key) {
                Some(control) => form::choose(state, control, &value),
                None => state.set_param(key, value),
            }
        }
    }
}

/// A row, its shape, and its match in the model.
type Found<'a> = (u32, &'a Problem, Match);

/// Phase, sequences and length from Q K^T, a batch of `sequences x heads` products with new positions as rows and the
/// context as columns.
fn told_by_scores(
    model: &Model,
    found: &[Found<'_>],
    tensor_parallel: u32,
    tokens: u32,
) -> Option<(Phase, u32, u32)> {
    let heads = match model.attention {
        Attention::Grouped { kv_heads, .. } => [model.heads, kv_heads],
        Attention::Latent { .. } => [model.heads, model.heads],
    };
    found.iter().filter(|(_, _, m)| m.parts == [LayerPart::Scores]).find_map(|(_, p, _)| {
        heads.iter().find_map(|all| {
            let h = all / tensor_parallel;
            let sequences = p.batch.checked_div(h).filter(|_| p.batch.is_multiple_of(h))?;
            let whole = sequences.checked_mul(p.n) == Some(tokens);
            match (whole, sequences == tokens) {
                (true, _) if p.n > 1 => Some((Phase::Prefill, sequences, p.n)),
                (_, true) => Some((Phase::Decode, sequences, p.n)),
                _ => None,
            }
        })
    })
}

/// The same from the output projection, which runs for the last position of each sequence.
fn told_by_output(found: &[Found<'_>], tokens: u32) -> Option<(Phase, u32, u32)> {
    found.iter().find_map(|(_, _, m)| {
        let rows = u32::try_from(m.tokens).ok()?;
        let is = m.parts == [LayerPart::LmHead] && m.pass == Pass::Forward;
        (is && rows > 0 && rows < tokens && tokens.is_multiple_of(rows))
            .then(|| (Phase::Prefill, rows, tokens / rows))
    })
}
