use super::*;
use crate::palette::Theme;
use crate::testing::{SIZES, draw_everywhere, golden};
use gemmscope_table::dataset::ColumnMeaning;
use gemmscope_table::fixture::Rows;

fn seed() -> Frame {
    let mut t = Rows::new();
    let order = t.table().number_column(ColumnMeaning::Order, "generation");
    let status = t.table().text_column(ColumnMeaning::Status, "status");
    let kernel = t.table().text_column(ColumnMeaning::Kernel, "kernel");
    let bm = t.table().number_column(ColumnMeaning::TileM, "BLOCK_SIZE_M");
    let group = t.table().auto_column("GROUP_SIZE_M");
    let work = 2.0 * 4096f64.powi(3);
    for (i, (g, tflops, name)) in [
        (0.0, f64::NAN, "fused_gen_0_var_0"),
        (0.0, 2.93, "fused_gen_0_var_1"),
        (0.0, 161.87, "fused_gen_0_var_2"),
        (1.0, 54.38, "fused_gen_1_var_0"),
        (1.0, 186.01, "fused_gen_1_var_1"),
        (1.0, 186.12, "fused_gen_1_var_2"),
        (2.0, 2.88, "fused_gen_2_var_0"),
        (2.0, 201.80, "fused_gen_2_var_1"),
        (2.0, 131.46, "fused_gen_2_var_2"),
        (3.0, 177.98, "fused_gen_3_best"),
        (4.0, 197.56, "fused_gen_4_best"),
        (f64::NAN, 199.13, "pytorch_unfused"),
        (f64::NAN, 204.71, "triton_fused_optimized"),
    ]
    .into_iter()
    .enumerate()
    {
        t.table().set_number(order, g);
        let said = if i == 0 { "correctness failed" } else { "ok" };
        t.table().set_text(status, said.as_bytes());
        t.table().set_text(kernel, name.as_bytes());
        if i == 12 {
            t.table().set_number(bm, 256.0);
            t.table().set_auto(group, b"8", Some(8.0));
        }
        t.row((4096, 4096, 4096), "Triton", work / (tflops * 1e12), "");
    }
    t.frame(Some("a100-80-pcie"))
}

fn at(view: &Chart, size: usize, dark: bool, selected: &[u32]) -> Scene {
    view.spoken(&RenderOptions {
        selected,
        ..RenderOptions::new(&Theme::of(dark), (SIZES[size].0, SIZES[size].1))
    })
}

#[test]
fn goldens() {
    let frame = seed();
    let mut state = ViewState::default();
    let view = Tuning::open(&frame, &state);
    draw_everywhere("tuning", &view);
    golden("tuning-phone", &at(&view, 0, false, &[]));
    golden("tuning-desk", &at(&view, 1, false, &[]));
    golden("tuning-dark-selected", &at(&view, 1, true, &[4]));
    assert_eq!(view.table().rows.len(), 13);
    state.set_param("tuning.scale", "log");
    draw_everywhere("tuning-log", &Tuning::open(&frame, &state));
    let notes = view.said.notes.clone();
    assert!(notes[0].contains("202 TFLOP/s in generation 2"), "{notes:?}");
    assert!(notes[1].contains("failed: correctness failed.") && notes[2].starts_with("2 slow"));
    let details = view.said.details.clone();
    let bad = &details.last().unwrap();
    assert_eq!((bad.0.as_str(), bad.1.rows.len()), ("Failed and slow variants", 3));
    assert!(bad.1.rows.iter().any(|r| r[2] == "failed: correctness failed"));
}

#[test]
fn a_long_history_and_odd_ones() {
    let mut t = Rows::new();
    let order = t.table().number_column(ColumnMeaning::Order, "iteration");
    let status = t.table().text_column(ColumnMeaning::Status, "status");
    let mut best = 1e-3;
    for i in 0..700u32 {
        t.table().set_number(order, f64::from(i / 2));
        best *= 1.0 - 1.5 / f64::from(i + 400);
        let wild = 1.0 + f64::from(i * 7919 % 97) / 60.0;
        let failed = i % 23 == 5;
        t.table().set_text(status, if failed { b"timeout" } else { b"ok" });
        let time = if failed { f64::NAN } else { best * wild };
        t.row((4096, 4096, 4096), "x", time, "");
    }
    let view = Tuning::open(&t.frame(Some("h100-sxm")), &ViewState::default());
    draw_everywhere("tuning-long", &view);
    assert!(at(&view, 0, false, &[]).message.is_none());

    let mut t = Rows::new();
    t.row((8, 8, 8), "x", 1e-6, "");
    let view = Tuning::open(&t.frame(None), &ViewState::default());
    assert!(at(&view, 0, false, &[]).message.is_some_and(|m| m.contains("generation")));

    let mut t = Rows::new();
    let order = t.table().number_column(ColumnMeaning::Order, "trial");
    let status = t.table().text_column(ColumnMeaning::Status, "status");
    t.table().set_number(order, 1.0);
    t.table().set_text(status, b"out of memory");
    t.row((8, 8, 8), "x", f64::NAN, "");
    let view = Tuning::open(&t.frame(None), &ViewState::default());
    let message = at(&view, 1, true, &[]).message;
    assert!(message.is_some_and(|m| m.contains("out of memory")));
}
