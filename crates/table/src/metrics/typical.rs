//! Efficiency of GEMMs that were measured individually.

use crate::field::Frame;
use crate::stats::quantile;
use serde::{Deserialize, Serialize};

/// Distribution of efficiency with every GEMM counted once, whatever its time: the total time of a benchmark is that of
/// no program, and its largest GEMMs alone would decide.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Typical {
    /// Geometric mean of the efficiencies, 1 at the roof.
    pub geometric_mean: f64,
    /// 10th percentile.
    pub p10: f64,
    /// 90th percentile.
    pub p90: f64,
    /// Number of GEMMs.
    pub gemms: u64,
}

impl Typical {
    /// Over the rows that are not calls of a program; `None` if none of them has a time and a roof.
    pub fn over(frame: &Frame, rows: &[u32]) -> Option<Typical> {
        let (data, metrics, decision) = (&*frame.data, &*frame.metrics, frame.decision());
        let own = rows.iter().map(|r| *r as usize);
        let own = own.filter(|r| !decision.is_program(usize::from(data.source[*r])));
        let shares = own.map(|r| metrics.efficiency(data, r));
        let mut shares: Vec<f64> = shares.filter(|e| *e > 0.0 && e.is_finite()).collect();
        shares.sort_unstable_by(f64::total_cmp);
        let logs: f64 = shares.iter().map(|e| e.ln()).sum();
        (!shares.is_empty()).then(|| Typical {
            geometric_mean: (logs / shares.len() as f64).exp(),
            p10: quantile(&shares, 0.1),
            p90: quantile(&shares, 0.9),
            gemms: shares.len() as u64,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data_kind::DataKind;
    use crate::fixture::Rows;

    #[test]
    fn each_gemm_counts_once_and_calls_of_a_program_have_a_total() {
        let mut rows = Rows::new();
        // 105.1 µs at the roof of 4096³ in fp16; eleven from 10 to 60 % of it.
        for i in 0..11u32 {
            rows.row((4096, 4096, 4096 + i), "", 105.1e-6 / (0.1 + 0.05 * f64::from(i)), "");
        }
        let frame = rows.frame(Some("mi300x"));
        let shares: Vec<f64> = (0..11).map(|r| frame.metrics.efficiency(&frame.data, r)).collect();
        let typical = Typical::over(&frame, &frame.rows).unwrap();
        let product: f64 = shares.iter().product();
        assert!((typical.geometric_mean - product.powf(1.0 / 11.0)).abs() < 1e-12);
        assert_eq!((typical.p10, typical.p90, typical.gemms), (shares[1], shares[9], 11));
        let program = frame.as_kind(Some(DataKind::Workload));
        assert_eq!(Typical::over(&program, &program.rows), None);
        assert_eq!(Typical::over(&frame, &[]), None);
    }
}
