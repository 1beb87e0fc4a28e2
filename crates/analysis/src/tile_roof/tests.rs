//! The worked cases, and what real kernel names give.

use super::*;
use gemmscope_model::dtype::DataType;
use gemmscope_model::gemm::Operation;
use gemmscope_model::hardware;
use gemmscope_table::dataset::Column;

fn one(sizes: [u32; 3], dtype: DataType, time_s: f64, kernel: &str) -> Dataset {
    let mut d = Dataset::new();
    d.sources.push(Default::default());
    d.ops.push(Operation::uniform(dtype));
    let [m, n, k] = sizes;
    (d.m, d.n, d.k, d.batch) = (vec![m], vec![n], vec![k], vec![1]);
    (d.op, d.device, d.source, d.line) = (vec![0], vec![0], vec![0], vec![2]);
    d.time_s = vec![time_s];
    d.columns.push(Column {
        key: "kernel".into(),
        label: "Kernel".into(),
        meaning: ColumnMeaning::Kernel,
        unit: String::new(),
        data: ColumnData::Text { codes: vec![1], values: vec![String::new(), kernel.to_owned()] },
    });
    d
}

fn shape(data: &Dataset) -> RowTile {
    let device = hardware::by_id("mi300x").cloned();
    let metrics = Metrics::compute(data, vec![device], RoofKind::Datasheet);
    TileRoofs::new(data, &metrics).of(0).expect("a tile")
}

fn close(a: f64, b: f64, within: f64) {
    assert!((a - b).abs() <= within, "{a} is not {b}");
}

#[test]
fn the_launched_grid_tells_how_a_tile_lies() {
    let name = "nvjet_sm90_tst_192x8_64x8_4x1_v_bz_TNT";
    let tile = |launched: f64| {
        let mut data = one([25136, 1, 2880], DataType::Bf16, 20e-6, name);
        data.columns.push(Column {
            key: "workgroups".into(),
            label: "Workgroups".into(),
            meaning: ColumnMeaning::Workgroups,
            unit: String::new(),
            data: ColumnData::Number(vec![launched]),
        });
        let tile = shape(&data).tile;
        (tile.m, tile.n)
    };
    // 131 x 1 workgroups, not 3142 x 1.
    assert_eq!(tile(131.0), (192, 8));
    assert_eq!(tile(3142.0), (8, 192));
    // Neither fits: as a row-major framework calls it.
    assert_eq!(tile(7.0), (8, 192));
}

#[test]
fn few_tiles_with_a_long_k_need_split_k() {
    let name = "Cijk_Ailk_Bljk_BBS_BH_MT256x128x64_MI16x16x16x1_GSU2_GSUAMB_ISA942";
    let s = shape(&one([256, 512, 131072], DataType::Bf16, 1089e-6, name));
    // Tensile's first number covers N.
    assert_eq!((s.tile.m, s.tile.n), (128, 256));
    let w = s.waves.unwrap();
    assert_eq!((w.workgroups, w.waves), (8, 1));
    close(w.wave_efficiency, 0.026, 5e-4);
    close(s.roof().unwrap().flops_per_s / 1e12, 34.4, 0.05);
    close(s.efficiency().unwrap(), 0.92, 5e-3);
    assert_eq!(s.limit(), Limit::SplitK);
    assert_eq!(s.split_k_room(), 76);
    let text = s.sentence();
    assert!(text.starts_with("8 workgroups for 304 CUs: at most 34.4"), "{text}");
    assert!(
        text.ends_with("92 % of that. Use more split-K; the kernel can improve too."),
        "{text}"
    );
    // 34.36 GFLOP / 34.41 TFLOP/s = 998.5 µs at the roof of the tile.
    for (share, kernel) in [(0.949, "the kernel can improve too."), (0.951, "would not help.")] {
        let at = shape(&one([256, 512, 131072], DataType::Bf16, 998.6e-6 / share, name));
        assert!(at.sentence().ends_with(kernel), "{}", at.sentence());
    }
}

#[test]
fn little_is_left_only_near_the_roof() {
    // 1.0995 PFLOP at 1307.4 TFLOP/s, in 32 x 38 whole tiles: 4 waves on 304 CUs.
    let name = "Cijk_Ailk_Bljk_BBS_BH_MT256x256x64_MI16x16x16x1_ISA942";
    for (share, words) in
        [(0.94, "The rest is lost in the kernel"), (0.96, "Little is left to gain.")]
    {
        let roof_s = 2.0 * 8192.0 * 9728.0 * 8192.0 / 1307.4e12;
        let at = shape(&one([8192, 9728, 8192], DataType::Bf16, roof_s / share, name));
        assert_eq!(at.waves.unwrap().efficiency(), 1.0);
        assert!(at.sentence().contains(words), "{}", at.sentence());
    }
}

#[test]
fn just_over_a_power_of_two_wastes_tiles_and_units() {
    let name = "Cijk_Ailk_Bljk_BBS_BH_MT128x64x64_MI32x32x8x1_ISA942";
    let s = shape(&one([1025, 1025, 8192], DataType::Bf16, 107.1e-6, name));
    let w = s.waves.unwrap();
    assert_eq!((w.workgroups, w.waves), (153, 1));
    close(w.tile_efficiency, 0.838, 5e-4);
    close(w.wave_efficiency, 0.503, 5e-4);
    close(s.roof().unwrap().flops_per_s / 1e12, 551.6, 0.5);
    close(s.efficiency().unwrap(), 0.29, 5e-3);
    assert!(s.sentence().ends_with("the kernel can improve too."));
}

#[test]
fn a_tail_wave() {
    let name = "Cijk_Ailk_Bljk_BBS_BH_MT256x112x64_MI16x16x16x1_ISA942";
    let s = shape(&one([4097, 4097, 4097], DataType::Bf16, 367.2e-6, name));
    let w = s.waves.unwrap();
    assert_eq!((w.workgroups, w.waves), (629, 3));
    close(s.roof().unwrap().flops_per_s / 1e12, 839.2, 0.5);
    close(s.efficiency().unwrap(), 0.45, 5e-3);
    assert_eq!(s.limit(), Limit::TailWave);
}

#[test]
fn a_tall_skinny_one_is_the_memorys() {
    let name = "Cijk_Ailk_Bljk_HHS_BH_MT64x128x32_MI16x16x16x1_ISA942";
    let s = shape(&one([131072, 32, 32], DataType::Fp16, 13.5e-6, name));
    let w = s.waves.unwrap();
    assert_eq!((w.workgroups, w.waves), (1024, 4));
    close(w.tile_efficiency, 0.5, 1e-9);
    close(w.wave_efficiency, 0.842, 5e-4);
    assert_eq!(s.limit(), Limit::Memory);
    close(s.efficiency().unwrap(), 0.235, 1e-3);
    assert!(s.sentence().starts_with("Memory limits this shape"));
}

#[test]
fn no_claim_about_stream_k_and_persistent_kernels() {
    let name = "Cijk_Alik_Bljk_BBS_BH_UserArgs_MT256x256x64_MI16x16x1_SK3_ISA950";
    let s = shape(&one([4096, 4096, 4096], DataType::Bf16, 300e-6, name));
    assert!(s.waves.is_none() && s.roof().is_none());
    assert!(s.sentence().contains("stream-K"));
}

#[test]
fn split_k_from_the_launched_grid() {
    let name = "Cijk_Alik_Bljk_BBS_BH_UserArgs_MT16x16x256_MI16x16x1_GSUAMBSK_ISA942";
    let mut d = one([32, 32, 2880], DataType::Bf16, 8e-6, name);
    assert_eq!(shape(&d).split_k, SplitK::AtRunTime);
    d.columns.push(Column {
        key: "workgroups".into(),
        label: "workgroups".into(),
        meaning: ColumnMeaning::Workgroups,
        unit: String::new(),
        data: ColumnData::Number(vec![12.0]),
    });
    let s = shape(&d);
    assert_eq!(s.split_k, SplitK::Launched(3));
    assert_eq!(s.tiling.workgroups(), 12);
}

#[test]
fn a_grid_that_clusters_pad_tells_the_split() {
    assert_eq!([786, 790, 3168].map(|launched| parts(launched, 786)), [Some(1), Some(1), Some(4)]);
    assert_eq!([300, 785, 1200].map(|launched| parts(launched, 786)), [None, None, None]);
}
