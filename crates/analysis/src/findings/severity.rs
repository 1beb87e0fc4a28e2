//! How much a finding matters, by its share of the time and its efficiency.

use serde::{Deserialize, Serialize};

/// How much a finding matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Severity {
    /// Over 15 % of the time and under 30 % efficiency.
    Critical,
    /// Over 10 % of the time, or under 40 % efficiency.
    High,
    /// Over 5 % of the time, or a notable pattern.
    Medium,
    /// Anything else that was flagged.
    Low,
}

impl Severity {
    /// `Critical`, `High`, `Medium`, `Low`.
    pub fn label(self) -> &'static str {
        match self {
            Severity::Critical => "Critical",
            Severity::High => "High",
            Severity::Medium => "Medium",
            Severity::Low => "Low",
        }
    }
}

/// A measured cause of at least this share precedes a larger cause without a measurement.
pub const MEASURED_SHARE: f64 = 0.02;
/// Share above which, with an efficiency under `CRITICAL_EFFICIENCY`, a finding is Critical.
pub const CRITICAL_SHARE: f64 = 0.15;
/// See [`CRITICAL_SHARE`].
const CRITICAL_EFFICIENCY: f64 = 0.30;
/// Share above which it is High.
pub const HIGH_SHARE: f64 = 0.10;
/// Efficiency under which it is High.
const HIGH_EFFICIENCY: f64 = 0.40;
/// Share above which it is Medium.
pub const MEDIUM_SHARE: f64 = 0.05;
/// Share under which it is Low, whatever the efficiency.
pub const TRIFLE_SHARE: f64 = 0.01;
/// Efficiency above which it is an anomaly, which is listed but not ranked.
pub const ANOMALY_EFFICIENCY: f64 = 1.10;

/// Severity from share of the time and efficiency; the first matching condition decides. Low if less than 1 % of the
/// time is `at_stake`: a GEMM of 27 µs in 30 ms does not matter at any efficiency.
pub fn priority(share: f64, at_stake: f64, efficiency: Option<f64>, notable: bool) -> Severity {
    let under = |limit: f64| efficiency.is_some_and(|e| e < limit);
    if share.min(at_stake) < TRIFLE_SHARE {
        Severity::Low
    } else if share > CRITICAL_SHARE && under(CRITICAL_EFFICIENCY) {
        Severity::Critical
    } else if share > HIGH_SHARE || under(HIGH_EFFICIENCY) {
        Severity::High
    } else if share > MEDIUM_SHARE || notable {
        Severity::Medium
    } else {
        Severity::Low
    }
}

/// Word for an efficiency.
pub fn band(efficiency: f64) -> &'static str {
    if efficiency > ANOMALY_EFFICIENCY {
        "above its roof"
    } else if efficiency > 0.8 {
        "excellent"
    } else if efficiency >= 0.6 {
        "good"
    } else if efficiency >= 0.4 {
        "acceptable"
    } else {
        "investigate"
    }
}
