//! Derives the expert GEMMs of a mixture-of-experts layer from an operation's input shapes. Each token is routed to a
//! few experts, in two grouped GEMMs: up and down projection.

use super::operands::Operator;
use super::shape_text::Shape;
use gemmscope_model::gemm::Groups;

/// The two grouped GEMMs of a layer's experts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Experts {
    /// Hidden to inner width; twice the inner width if gated.
    pub up: Shape,
    /// Inner to hidden width.
    pub down: Shape,
    /// Indices of the inputs that hold the tokens and the first weights.
    pub inputs: [usize; 2],
    /// Values along K per weight element: 2 for 4-bit types packed in bytes.
    pub packed: u32,
}

/// The GEMM of the layer that a row measures.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum ExpertPart {
    Up,
    Down,
    /// Both GEMMs in one call.
    Both,
}

impl ExpertPart {
    /// Label for the page.
    pub(crate) fn label(self) -> &'static str {
        match self {
            ExpertPart::Up => "experts, up",
            ExpertPart::Down => "experts, down",
            ExpertPart::Both => "experts, up and down",
        }
    }

    /// The part that a single-stage operation computes, from its name.
    pub(crate) fn named(operation: &str) -> Option<ExpertPart> {
        let has = |words: [&str; 2]| words.iter().any(|word| operation.contains(word));
        match () {
            () if has(["stage1", "_up"]) => Some(ExpertPart::Up),
            () if has(["stage2", "_down"]) => Some(ExpertPart::Down),
            () => None,
        }
    }
}

/// What a row of a table of experts times, where the table has columns for tokens, N, K, experts and experts a token.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum ExpertRow {
    /// One grouped GEMM; M counts tokens.
    #[default]
    Tokens,
    /// One grouped GEMM; M counts the rows of all experts together.
    Rows,
    /// Both GEMMs of a layer; K is the hidden width, N the inner one.
    Layer,
    /// Both GEMMs of a layer with a gate, so the first is 2 N wide.
    GatedLayer,
}

impl ExpertRow {
    /// The user's answer that chooses it.
    pub(crate) fn answer(self) -> &'static str {
        match self {
            ExpertRow::Tokens => "one GEMM, M tokens",
            ExpertRow::Rows => "one GEMM, M rows",
            ExpertRow::Layer => "up and down",
            ExpertRow::GatedLayer => "gate, up and down",
        }
    }

    /// The shape of a row with these M, N and K; `None` if a token goes to more experts than there are, or if the
    /// rows are too many to count.
    pub(crate) fn shape(self, [m, n, k]: [u32; 3], groups: [u32; 2]) -> Option<Shape> {
        let experts = |gated| Experts::of_sizes([m, k, n], groups, gated);
        match self {
            ExpertRow::Tokens => Some(experts(false)?.up),
            ExpertRow::Rows => Some(Shape { sizes: [m, n, k], ..experts(false)?.up }),
            ExpertRow::Layer => Some(experts(false)?.shape(ExpertPart::Both)),
            ExpertRow::GatedLayer => Some(experts(true)?.shape(ExpertPart::Both)),
        }
    }
}

/// True if the name may be that of a mixture-of-experts operation.
pub(crate) fn is_named(operation: &str) -> bool {
    let bare = operation.rsplit("::").next().unwrap_or(operation);
    ["moe", "experts"].iter().any(|word| bare.contains(word)) && Operator::of(operation).is_none()
}

impl Experts {
    /// `tokens` rows, each routed to `per_token` of `experts`. `None` if `per_token` is 0 or exceeds `experts`.
    pub(crate) fn of_sizes(
        [tokens, hidden, inner]: [u32; 3],
        [experts, per_token]: [u32; 2],
        gated: bool,
    ) -> Option<Experts> {
        let rows = tokens.checked_mul(per_token)?;
        let width = if gated { inner.checked_mul(2)? } else { inner };
        if per_token == 0 || per_token > experts {
            return None;
        }
        let groups = Some(Groups::uniform(experts, per_token));
        let grouped = |n, k| Shape { groups, ..Shape::new([rows, n, k], None) };
        let (up, down) = (grouped(width, hidden), grouped(hidden, inner));
        Some(Experts { up, down, inputs: [0, 1], packed: 1 })
    }

    /// From all input shapes, a test whether an input holds integers, and the scalar inputs. Expects tokens (t, K),
    /// weights (E, I or 2 I, K) and (E, K, I), and the routing as a (t, k) matrix or k as a scalar.
    pub(crate) fn of_inputs(
        operation: &str,
        inputs: &[Vec<u32>],
        is_whole: impl Fn(usize) -> bool,
        numbers: &[Option<u32>],
    ) -> Option<Experts> {
        let matrices = |from: usize| {
            inputs.iter().enumerate().skip(from).filter_map(|(at, dims)| match dims[..] {
                [experts, rows, columns] => Some((at, [experts, rows, columns])),
                _ => None,
            })
        };
        let mut pairs =
            matrices(0).flat_map(|first| matrices(first.0 + 1).map(move |of| (first, of)));
        pairs.find_map(|((at, [experts, width, columns]), (_, [of, hidden, inner]))| {
            let packed = hidden.checked_div(columns).filter(|p| [1, 2].contains(p))?;
            let inner = inner.checked_mul(packed)?;
            let gated = Some(width) == inner.checked_mul(2);
            if of != experts || columns.checked_mul(packed) != Some(hidden) || !(gated || width == inner) {
                return None;
            }
            let of_tokens = |dims: &Vec<u32>| {
                matches!(dims[..], [_, k] if k == hidden || k.checked_mul(2) == Some(hidden))
            };
            let activations = inputs[..at].iter().rposition(of_tokens)?;
            let tokens = inputs[activations][0];
            let per_token = choices(operation, inputs, [tokens, experts], &is_whole)
                .or_else(|| number_behind(numbers, experts))
                .or_else(|| stated(operation, numbers))?;
            let found = Self::of_sizes([tokens, hidden, inner], [experts, per_token], gated)?;
            Some(Experts { inputs: [activations, at], packed, ..found })
        })
    }

    /// Shape of a row that measures `part`.
    pub(crate) fn shape(&self, part: ExpertPart) -> Shape {
        match part {
            ExpertPart::Up => self.up,
            ExpertPart::Down => self.down,
            ExpertPart::Both => {
                let down = self.down.sizes[2];
                let groups = self.up.groups.map(|groups| Groups { down, ..groups });
                Shape { groups, ..self.up }
            }
        }
    }
}

/// Highest number of experts per token inferred from shapes alone: a wider matrix may hold block scales.
const MOST_CHOICES: u32 = 32;

/// Experts per token: from an integer (t, k) matrix, from the (t, k, _) result of a single stage, or
/// from any other (t, k) matrix.
fn choices(
    operation: &str,
    inputs: &[Vec<u32>],
    [tokens, experts]: [u32; 2],
    is_whole: &impl Fn(usize) -> bool,
) -> Option<u32> {
    let fits = |k: u32| k > 0 && k < experts && k <= MOST_CHOICES;
    let chosen = |dims: &Vec<u32>| match dims[..] {
        [t, k] if t == tokens && fits(k) => Some(k),
        _ => None,
    };
    let of_numbers = (0..inputs.len()).find_map(|at| chosen(&inputs[at]).filter(|_| is_whole(at)));
    let staged = || {
        inputs.iter().find_map(|dims| match dims[..] {
            [t, k, _] if t == tokens && t != experts && fits(k) => Some(k),
            _ => None,
        })
    };
    // These operations take a (t, k) matrix of token scales and no routing weights.
    let scaled = operation.contains("fmoe_");
    of_numbers.or_else(staged).or_else(|| inputs.iter().find_map(chosen).filter(|_| !scaled))
}

/// The scalar that follows the number of experts: experts per token.
fn number_behind(numbers: &[Option<u32>], experts: u32) -> Option<u32> {
    let at = numbers.iter().position(|number| *number == Some(experts))?;
    *numbers.get(at + 1)?
}

/// Experts per token of an operation that takes it at a fixed position.
fn stated(operation: &str, numbers: &[Option<u32>]) -> Option<u32> {
    let at = operation.contains("fmoe_fp8_blockscale").then_some(8)?;
    *numbers.get(at)?
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Both GEMMs of an operation as text: up, then down.
    fn of(operation: &str, inputs: &[&[u32]], whole: usize, numbers: &[u32]) -> Option<String> {
        let inputs: Vec<Vec<u32>> = inputs.iter().map(|dims| dims.to_vec()).collect();
        let numbers: Vec<Option<u32>> = numbers.iter().map(|n| Some(*n)).collect();
        let found = Experts::of_inputs(operation, &inputs, |at| at == whole, &numbers)?;
        let groups = found.up.groups?;
        Some(format!("{:?} {:?} {groups}", found.up.sizes, found.down.sizes))
    }

    const NO: usize = usize::MAX;

    #[test]
    fn experts_of_servers() {
        let gated = "[32, 22016, 4096] [32, 4096, 11008] E=64 k=2";
        // aiter passes only the routing weights; vLLM and SGLang pass the expert ids as well.
        let aiter: [&[u32]; 4] = [&[16, 4096], &[64, 22016, 4096], &[64, 4096, 11008], &[16, 2]];
        assert_eq!(of("vllm::rocm_aiter_fused_moe", &aiter, NO, &[]).as_deref(), Some(gated));
        let both = [&aiter[..], &[&[16, 2]]].concat();
        assert_eq!(of("vllm::inplace_fused_experts", &both, 4, &[]).as_deref(), Some(gated));
        // 4-bit weights, two per byte, and a layer without a gate.
        let packed: [&[u32]; 5] =
            [&[16, 4096], &[64, 22016, 2048], &[64, 4096, 5504], &[16, 2], &[16, 2]];
        assert_eq!(of("vllm::outplace_fused_experts", &packed, 4, &[]).as_deref(), Some(gated));
        let plain: [&[u32]; 4] = [&[8, 512], &[4, 1024, 512], &[4, 512, 1024], &[8, 1]];
        assert_eq!(
            of("vllm::inplace_fused_experts", &plain, 3, &[]).as_deref(),
            Some("[8, 1024, 512] [8, 512, 1024] E=4 k=1")
        );
    }

    #[test]
    fn experts_a_token_may_be_a_number() {
        // Scores (t, E), then 4-bit tokens with scales, weights with scales, E and k.
        let inputs: [&[u32]; 8] = [
            &[32, 128],
            &[128],
            &[32, 1536],
            &[32, 192],
            &[128, 6144, 1536],
            &[128, 6144, 192],
            &[128, 3072, 1536],
            &[128, 3072, 192],
        ];
        assert_eq!(
            of("trtllm::fp4_block_scale_moe_runner", &inputs, NO, &[128, 4]).as_deref(),
            Some("[128, 6144, 3072] [128, 3072, 3072] E=128 k=4")
        );
        let blocks: [&[u32]; 5] =
            [&[4, 2048], &[4, 2048], &[64, 1024, 2048], &[64, 2048, 512], &[4, 16]];
        let numbers = [0, 0, 0, 0, 0, 0, 0, 0, 6];
        assert_eq!(
            of("aiter::fmoe_fp8_blockscale_g1u1", &blocks, NO, &numbers).as_deref(),
            Some("[24, 1024, 2048] [24, 2048, 512] E=64 k=6")
        );
        assert_eq!(of("aiter::fmoe_fp8_blockscale_g1u1", &blocks, NO, &[]), None);
    }

    #[test]
    fn what_does_not_fit_is_no_guess() {
        // Only tokens and scores; weights of another width; no routing.
        for inputs in [
            &[&[888, 3072][..], &[888, 128]][..],
            &[&[16, 4096], &[64, 22016, 4096], &[64, 4096, 11000], &[16, 2]],
            &[&[16, 4096], &[64, 22016, 4096], &[64, 4096, 11008]],
        ] {
            assert_eq!(of("vllm::moe_forward", inputs, NO, &[]), None, "{inputs:?}");
        }
        assert!(is_named("vllm::inplace_fused_experts") && !is_named("aten::_grouped_mm"));
    }

    #[test]
    fn both_products_are_one_row_of_both() {
        let experts = Experts::of_sizes([16, 4096, 11008], [64, 2], true).unwrap();
        let both = experts.shape(ExpertPart::Both);
        assert_eq!((both.sizes, both.groups.unwrap().down), ([32, 22016, 4096], 11008));
        assert_eq!(ExpertPart::named("aiter::ck_moe_stage2"), Some(ExpertPart::Down));
    }
}
