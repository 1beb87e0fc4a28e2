//! Worked cases, and results for real kernel names.

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
    // Neither fits: assume a row-major framework's call.
    assert_eq!(tile(7.0), (8, 192));
}

#[test]
fn few_tiles_with_a_long_k_need_split_k() {
    let name = "Cijk_Ailk_Bljk_BBS_BH_MT256x128x64_MI16x16x16x1_GSU2_GSUAMB_ISA942";
    let s = shape(&one([256, 512, 131072], DataType::Bf16, 1089e-6, name));
    // Tensile's first number runs along N.
    assert_eq!((s.tile.m, s.tile.n), (128, 256));
    let w = s.waves.unwrap();
    assert_eq!((w.workgroups, w.waves), (8, 1));
    close(w.wave_efficiency, 0.026, 5e-4);
    close(s.roof().unwrap().flops_per_s / 1e12, 34.4, 0.05);
    close(s.efficiency().unwrap(), 0.92, 5e-3);
    assert_eq!(s.limit(), Limit::SplitK);
    assert_eq!(s.split_k_room(), 76);
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
}

#[test]
fn no_claim_about_stream_k_and_persistent_kernels() {
    let name = "Cijk_Alik_Bljk_BBS_BH_UserArgs_MT256x256x64_MI16x16x1_SK3_ISA950";
    let s = shape(&one([4096, 4096, 4096], DataType::Bf16, 300e-6, name));
    assert!(s.waves.is_none() && s.roof().is_none());
    assert_eq!(s.no_waves, Some(NoWaves::StreamK));
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
