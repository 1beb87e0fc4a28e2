//! What columns without a unit or of derived figures hold.

use super::asked;
use crate::testing::read;
use gemmscope_table::dataset::ColumnData;

#[test]
fn figures_that_grow_with_m_where_memory_bounds_the_time_are_rates() {
    let unit = |rows: &str| {
        let d = read(format!("   batch_size     N     K  torch-bf16\n{rows}"));
        assert!(asked(&d).contains(&"unit:torch-bf16"), "{:?}", asked(&d));
        (d.time_s[0], d.time_s[1])
    };
    // 9.9 us at 3.06 TB/s.
    let (one, sixteen) =
        unit("0         1.0  2112  7168       3.059\n1        16.0  2112  7168      49.595\n");
    assert!(
        (one / 9.898e-6 - 1.0).abs() < 1e-3 && (sixteen / 9.768e-6 - 1.0).abs() < 1e-3,
        "{one} {sixteen}"
    );
    let (one, sixteen) =
        unit("0         1.0  2112  7168       9.898\n1        16.0  2112  7168       9.768\n");
    assert!(
        (one / 9.898e-6 - 1.0).abs() < 1e-3 && (sixteen / 9.768e-6 - 1.0).abs() < 1e-3,
        "{one} {sixteen}"
    );
}

#[test]
fn derived_columns_are_figures_each_with_a_name_of_its_own() {
    let d = read(
        "| M | N | K | bf16 ms | vs M=1 | fp8 ms | vs M=1 |\n|---|---|---|---|---|---|---|\n\
         | 1 | 512 | 512 | 0.271 | 1.00x | 0.041 | 1.00x |\n| 2 | 512 | 512 | 0.539 | **1.99x** | 0.076 | 1.83x |\n",
    );
    let kept: Vec<(&str, bool)> = d
        .columns
        .iter()
        .filter(|c| c.label.contains("vs"))
        .map(|c| (&*c.label, matches!(c.data, ColumnData::Text { .. })))
        .collect();
    assert_eq!(kept, [("vs M=1 (bf16 ms)", false), ("vs M=1 (fp8 ms)", false)]);
}
