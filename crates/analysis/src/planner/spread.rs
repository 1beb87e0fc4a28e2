//! Load imbalance of a layer's experts.
//!
//! Every token picks `k` of `E` experts. If picks were independent and uniform, the tokens of one expert would follow a
//! binomial distribution over `T` tokens with `p = k / E`: mean `T p`, variance `T p (1 - p)`, and an expert stays idle
//! with probability `(1 - p)^T`. Real routers are less uniform, so this is a lower bound of the imbalance.

use gemmscope_model::gemm::Groups;
use gemmscope_model::transformer::{Experts, Workload};

/// Tokens of one routed expert in one layer.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spread {
    /// Mean: tokens x k / E.
    pub mean: f64,
    /// Standard deviation with uniform, independent picks.
    pub deviation: f64,
    /// Expected number of experts without a token.
    pub idle: f64,
    /// 5th percentile of tokens per expert, by normal approximation; at least 0.
    pub low: f64,
    /// 95th percentile of tokens per expert.
    pub high: f64,
}

/// 95th percentile of the standard normal distribution.
const Z95: f64 = 1.644_853_627;

impl Spread {
    /// The spread of a step. `None` without experts.
    pub fn of(experts: &Experts, workload: &Workload) -> Option<Self> {
        if experts.count == 0 || experts.per_token == 0 || experts.per_token > experts.count {
            return None;
        }
        let tokens = workload.tokens() as f64;
        let groups = Groups::uniform(experts.count, experts.per_token);
        let p = f64::from(experts.per_token) / f64::from(experts.count);
        let mean = tokens * p;
        let deviation = (mean * (1.0 - p)).sqrt();
        Some(Spread {
            mean,
            deviation,
            idle: f64::from(experts.count) - groups.active(tokens * f64::from(experts.per_token)),
            low: (mean - Z95 * deviation).max(0.0),
            high: (mean + Z95 * deviation).min(tokens),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gemmscope_model::transformer::preset;

    #[test]
    fn deepseek_decodes_with_idle_experts() {
        let experts = preset("deepseek-v3").unwrap().experts.unwrap();
        let spread = Spread::of(&experts, &Workload::decode(32, 1)).unwrap();
        assert_eq!(spread.mean, 1.0);
        assert!((spread.deviation - (1.0f64 * (1.0 - 8.0 / 256.0)).sqrt()).abs() < 1e-12);
        // (1 - 1/32)^32 of 256 experts.
        assert!((spread.idle - 256.0 * (31.0f64 / 32.0).powi(32)).abs() < 1e-9);
        assert_eq!(spread.low, 0.0);
    }

    #[test]
    fn ten_tokens_to_two_of_eight_experts() {
        let experts = preset("mixtral-8x7b").unwrap().experts.unwrap();
        let spread = Spread::of(&experts, &Workload::decode(10, 1)).unwrap();
        assert_eq!(spread.mean, 2.5);
    }

    #[test]
    fn all_experts_for_every_token() {
        let experts =
            Experts { count: 4, per_token: 4, intermediate: 8, shared: 0, dense_layers: 0 };
        let spread = Spread::of(&experts, &Workload::decode(10, 1)).unwrap();
        assert_eq!((spread.mean, spread.deviation, spread.idle), (10.0, 0.0, 0.0));
        let none = Experts { count: 0, ..experts };
        assert_eq!(Spread::of(&none, &Workload::decode(1, 1)), None);
    }
}
