const TIME: usize = 0;

use super::*;
use crate::palette::Theme;
use gemmscope_analysis::ledger::Ledger;
use gemmscope_model::dtype::DataType;
use gemmscope_model::gemm::Operation;
use gemmscope_table::data_kind::DataKind;
use gemmscope_table::dataset::ColumnMeaning;
use gemmscope_table::fixture::Rows;

fn state(pairs: &[(&str, &str)]) -> ViewState {
    let mut state = ViewState::default();
    for (key, value) in pairs {
        state.set_param(key, *value);
    }
    state
}

fn open(inputs: &Inputs<'_>) -> Chart {
    (KIND.open)(inputs)
}

/// GEMMs of several libraries, sizes and layouts.
fn frame(device: Option<&str>) -> Frame {
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
    rows.frame(device).as_kind(Some(DataKind::Workload))
}

#[test]
fn bars_add_up_to_the_ledger_whatever_they_are_of() {
    let f = frame(Some("mi300x"));
    let [book] = &Ledger::new(&f).books[..] else { panic!("one book") };
    for by in [GEMM, "shape", "c.library", "dtype"] {
        let (chart, _) = LostTime::read(&Inputs::new(&f, &state(&[("lost.by", by)])));
        let (order, figures) = (&chart.spec.order, &chart.spec.figures);
        let of = |figure: usize| order.iter().map(move |bar| figures[figure].of[*bar]);
        let sum = |figure: usize| of(figure).filter(|v| !v.is_nan()).sum::<f64>();
        assert!((sum(TIME) - book.time_s).abs() < 1e-12, "{by}");
        assert!((sum(LOST) - book.lost_s()).abs() < 1e-12, "{by}");
        for account in Account::ALL {
            let place = chart.held.iter().position(|a| *a == account);
            let own = place.map_or(0.0, |at| sum(ACCOUNTS + at));
            assert!((own - book.of(account).seconds).abs() < 1e-12, "{by} {account:?}");
        }
        assert!(of(LOST).is_sorted_by(|a, b| a >= b), "{by}");
        let rows: usize = order.iter().map(|bar| chart.spec.groups.get(*bar).len()).sum();
        assert_eq!(rows, f.rows.len(), "{by}");
    }
}

#[test]
fn layers_of_a_model_are_the_bars_and_old_settings_are_ignored() {
    let mut t = Rows::new();
    let layer = t.table().text_column(ColumnMeaning::Other, "layer");
    for (m, us, name) in [(4096, 1000.0, "mlp"), (4096, 300.0, "mlp"), (1024, 200.0, "qkv")] {
        t.table().set_text(layer, name.as_bytes());
        let op = Operation::uniform(DataType::Bf16);
        t.typed((m, 4096, 4096), op, "", us * 1e-6, "");
    }
    let f = t.frame(Some("h100-sxm")).as_kind(Some(DataKind::Workload));
    let old = state(&[("pareto.group", "*"), ("pareto.by", "shape"), ("pareto.efficiency", "80")]);
    let chart = open(&Inputs::new(&f, &old));
    let scene = chart.spoken(&RenderOptions::new(&Theme::LIGHT, (900.0, 400.0)));
    let heads: Vec<&str> = scene.hit_areas.iter().map(|a| a.tooltip.head.as_str()).collect();
    assert_eq!(heads, ["mlp", "qkv"]);
}

#[test]
fn many_bars_scroll_on_one_scale() {
    let mut rows = Rows::new();
    for i in 1..200u32 {
        rows.row((64 * i, 1024, 4096), "x", 1e-4 * f64::from(i), "");
    }
    let f = rows.frame(Some("h100-sxm"));
    let chart = open(&Inputs::new(&f, &state(&[])));
    let at = |first: usize| {
        let look = RenderOptions::new(&Theme::LIGHT, (900.0, 400.0));
        let scene = chart.spoken(&RenderOptions { first: (0, first), ..look });
        let (_, _, rows) = scene.scroll().expect("it scrolls");
        assert_eq!((rows.total, rows.first), (199, first));
        scene.hit_areas
    };
    let (top, below) = (at(0), at(5));
    assert_eq!(top[5].tooltip, below[0].tooltip);
}

#[test]
fn goldens() {
    let f = frame(Some("mi300x"));
    let by = state(&[("lost.by", "c.library")]);
    let view = open(&Inputs::new(&f, &by));
    crate::testing::draw_everywhere("small-lost", &view);
    for (name, theme, width, selected) in [
        ("lost-desk", &Theme::LIGHT, crate::testing::SIZES[1].0, &[][..]),
        ("lost-phone-dark", &Theme::DARK, crate::testing::SIZES[0].0, &[2]),
    ] {
        let view = open(&Inputs::new(&f, &ViewState::default()));
        let look =
            RenderOptions { selected, ..RenderOptions::new(theme, (width, view.height(width))) };
        crate::testing::golden(name, &view.spoken(&look));
    }
}

#[test]
fn nothing_to_lose_is_said() {
    let mut unmeasured = Rows::new();
    unmeasured.row((4096, 4096, 4096), "", f64::NAN, "");
    let mut unknown = Rows::new();
    unknown.row((4096, 4096, 4096), "", 1e-3, "");
    for (f, why) in [
        (unknown.frame(None), "No roof: choose a device"),
        (unmeasured.frame(Some("h100-sxm")), "No row here has a time"),
    ] {
        let view = open(&Inputs::new(&f, &ViewState::default()));
        let dump = view.spoken(&RenderOptions::new(&Theme::DARK, (900.0, 400.0))).dump();
        assert!(dump.contains(why), "{dump}");
    }
}
