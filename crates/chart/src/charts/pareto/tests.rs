use super::*;
use gemmscope_model::dtype::DataType;
use gemmscope_model::gemm::Operation;
use gemmscope_table::dataset::ColumnMeaning;
use gemmscope_table::fixture::Rows;

/// Three bf16 GEMMs of two layers.
fn frame(device: Option<&str>) -> Frame {
    let mut t = Rows::new();
    let layer = t.table().text_column(ColumnMeaning::Other, "layer");
    for (m, us, name) in [(4096, 1000.0, "mlp"), (4096, 300.0, "mlp"), (1024, 200.0, "qkv")] {
        t.table().set_text(layer, name.as_bytes());
        let op = Operation::uniform(DataType::Bf16);
        t.typed((m, 4096, 4096), op, "", us * 1e-6, "");
    }
    t.frame(device).as_kind(Some(DataKind::Workload))
}

fn state(pairs: &[(&str, &str)]) -> ViewState {
    let mut state = ViewState::default();
    for (key, value) in pairs {
        state.set_param(key, *value);
    }
    state
}

fn look(theme: &Theme) -> RenderOptions<'_> {
    RenderOptions::new(theme, (900.0, 400.0))
}

#[test]
fn bars_and_the_sentence_follow_the_settings() {
    let f = frame(Some("h100-sxm"));
    let view = LostTime::open(&Inputs::new(&f, &state(&[("pareto.by", "c.layer")])));
    let scene = view.scene(&look(&Theme::LIGHT));
    assert_eq!(scene.hit_areas.len(), 2);
    assert!(scene.hit_areas[0].tooltip.head == "mlp");
    assert!(view.sentence().starts_with("If mlp reached 80 % of the roof: "));
    let all = state(&[("pareto.group", "*"), ("pareto.device", "a100-80-sxm")]);
    let view = LostTime::open(&Inputs::new(&f, &all));
    assert!(view.sentence().contains("If all GEMMs ran on"), "{}", view.sentence());
    assert!(view.result.speedup() < 1.0, "an A100 is slower");
    // What no file says can be typed, and is named as an assumption.
    let typed = state(&[("pareto.besides", "whole"), ("pareto.ms", "3")]);
    let view = LostTime::open(&Inputs::new(&f, &typed));
    assert!((view.result.other_s - 1.5e-3).abs() < 1e-12);
    assert!(view.sentence().contains("End to end"), "{}", view.sentence());
    assert!(view.notes()[1].starts_with("Typed: 1.5 ms"));
    let typed = state(&[("pareto.besides", "whole"), ("pareto.ms", "1")]);
    let view = LostTime::open(&Inputs::new(&f, &typed));
    assert!(view.notes()[1].contains("shorter than its GEMMs"));
    let typed = state(&[("pareto.besides", "other"), ("pareto.ms", "20")]);
    assert!((LostTime::open(&Inputs::new(&f, &typed)).result.other_s - 20e-3).abs() < 1e-12);
    // The value of a link that means nothing here is the default.
    let view = LostTime::open(&Inputs::new(
        &f,
        &state(&[("pareto.group", "=nothing"), ("pareto.efficiency", "x")]),
    ));
    assert_eq!(view.bar, Some(0));
    assert_eq!(view.table().rows.len(), 2);
}

#[test]
fn goldens() {
    let mut rows = Rows::new();
    for (i, (library, us)) in [
        ("hipBLASLt", 30.0),
        ("rocBLAS", 55.0),
        ("Triton", 42.0),
        ("Triton, a kernel with a long name that does not fit", 21.0),
    ]
    .into_iter()
    .enumerate()
    {
        for k in 1..6u32 {
            let time = f64::from(k) * us * 1e-6;
            rows.row((1024 << (i % 2), 2048, 1024 * k), library, time, "");
        }
    }
    rows.row((1, 4096, 4096), "rocBLAS", 8e-6, "");
    let f = rows.frame(Some("mi300x")).as_kind(Some(DataKind::Workload));
    let by = state(&[("pareto.by", "c.library")]);
    let view = LostTime::open(&Inputs::new(&f, &by));
    crate::testing::draw_everywhere("small-pareto", &view);
    for (name, theme, width, selected) in [
        ("pareto-desk", &Theme::LIGHT, crate::testing::SIZES[1].0, &[][..]),
        ("pareto-phone-dark", &Theme::DARK, crate::testing::SIZES[0].0, &[2]),
    ] {
        let look =
            RenderOptions { selected, ..RenderOptions::new(theme, (width, view.height(width))) };
        crate::testing::golden(name, &view.scene(&look));
    }
}

#[test]
fn nothing_to_lose_is_said() {
    let mut unmeasured = Rows::new();
    unmeasured.row((4096, 4096, 4096), "", f64::NAN, "");
    for (f, why) in [
        (frame(None), "No roof: choose a device"),
        (unmeasured.frame(Some("h100-sxm")), "No GEMM here has a time"),
    ] {
        let view = LostTime::open(&Inputs::new(&f, &ViewState::default()));
        let dump = view.scene(&look(&Theme::DARK)).dump();
        assert!(dump.contains(why), "{dump}");
    }
}
