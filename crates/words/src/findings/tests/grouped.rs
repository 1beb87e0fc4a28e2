//! What is said of grouped GEMMs.

use super::*;
use gemmscope_model::gemm::{Groups, Problem};

/// One grouped GEMM in bf16 on an MI300X, each token to 4 of 32 experts.
fn experts(tokens: u32, time_us: f64) -> Row {
    let one = row([4 * tokens, 3072, 3072], DataType::Bf16, time_us);
    let op = Operation { groups: Some(Groups::uniform(32, 4)), ..one.op.with_layout(false, true) };
    Row { op, calls: 24.0, ..one }
}

#[test]
fn few_tokens_say_how_many_more_are_free() {
    let f = frame(&[experts(32, 300.0)], Some("mi300x"), RoofKind::Datasheet);
    let report = check_all(&f);
    let rest = of(&report, "rest")[0];
    let roof = f.metrics.roof(&f.data, 0).unwrap();
    let rows = roof.ridge_size(|m| Problem { m, ..f.data.problem(0) }).unwrap();
    // About 32 / 4 times as many as a dense layer.
    assert!(rows / 4 > 1800 && rows / 4 < 2600, "{rows}");
    let tokens = gemmscope_model::units::grouped(u64::from(rows / 4));
    let said = format!(
        "The weights of 31.6 of 32 groups are 99.7 % of the bytes: more tokens a step cost next to nothing up to \
         {tokens}."
    );
    assert_eq!(rest.path_a, said);
    // 24 calls of 32 x 3072 x 3072 x 2 bytes of weights, nearly all of them.
    assert!(rest.text.contains("128 × 3072 × 3072 bf16 NT in 32 groups"), "{}", rest.text);
}

#[test]
fn groups_that_fill_little_of_their_tiles_are_a_sign_and_a_cause() {
    let mut data =
        (*frame(&[experts(4096, 3000.0)], Some("mi300x"), RoofKind::Datasheet).data).clone();
    let mut add = |meaning: ColumnMeaning, data_of: ColumnData| {
        data.columns.push(Column {
            key: meaning.id().to_owned(),
            label: meaning.id().to_owned(),
            meaning,
            unit: String::new(),
            data: data_of,
        });
    };
    add(ColumnMeaning::TileM, ColumnData::Number(vec![128.0]));
    add(ColumnMeaning::TileN, ColumnData::Number(vec![128.0]));
    // One expert has nearly all rows, 31 have 8.
    let mut rows = vec![16384 - 31 * 8];
    rows.resize(32, 8);
    let text: Vec<String> = rows.iter().map(u32::to_string).collect();
    add(
        ColumnMeaning::GroupRows,
        ColumnData::Text { codes: vec![1], values: vec![String::new(), text.join(" ")] },
    );
    data.ops[0].groups = Some(Groups::known(32, 32));
    let device = hardware::by_id("mi300x").cloned();
    let metrics = Metrics::compute(&data, vec![device], RoofKind::Datasheet);
    let tiles = gemmscope_analysis::tile_roof::TileRoofs::new(&data, &metrics);
    let fill = tiles.of(0).unwrap().fill.unwrap();
    // 127 tiles of the large one, and one each of the small ones.
    assert!((fill - 16384.0 / (128.0 * (127.0 + 31.0))).abs() < 1e-12, "{fill}");
    let small = |rows: &str| {
        let mut data = data.clone();
        if let Some(ColumnData::Text { values, .. }) = data.columns.last_mut().map(|c| &mut c.data)
        {
            values[1] = rows.to_owned();
        }
        data.m[0] = rows.split(' ').map(|r| r.parse::<u32>().unwrap()).sum();
        let metrics =
            Metrics::compute(&data, vec![hardware::by_id("mi300x").cloned()], RoofKind::Datasheet);
        let report = check_all(&Frame::all(Arc::new(data), Arc::new(metrics)));
        let signs = report.findings.iter().flat_map(|f| &f.signs);
        signs.map(|s| s.sign).any(|s| s == Sign::SmallGroups)
    };
    assert!(!small(&text.join(" ")));
    assert!(small(&vec!["8"; 32].join(" ")));
}
