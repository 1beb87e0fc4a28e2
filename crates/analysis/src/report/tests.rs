use super::impact_percent;
use super::operations::rule_of_thumb;

#[test]
fn rules_of_thumb() {
    assert_eq!([250.0, 150.0, 50.0].map(rule_of_thumb), ["compute", "between", "memory"]);
    let (low, mid, high) = impact_percent(0.0446, 1.0);
    assert!((low - 71.66).abs() < 0.01 && (mid - 83.6).abs() < 0.01 && (high - 95.54).abs() < 1e-9);
    assert_eq!(impact_percent(1.05, 1.0), (0.0, 0.0, 0.0));
}
