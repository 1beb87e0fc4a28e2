use super::*;
use crate::hardware::RoofKind;
use crate::import::{ImportOptions, Imported, read_all};
use crate::metrics::Metrics;
use std::sync::Arc;

const THREE: &str = "M,N,K,dtype,time_us,layer\n4096,4096,4096,bf16,1000,mlp\n\
                     4096,4096,4096,bf16,300,mlp\n1024,4096,4096,bf16,200,qkv\n";

fn frame(text: &str, device: Option<&str>) -> Frame {
    let read = read_all("mine.csv", text.as_bytes(), &ImportOptions::default());
    let Ok(Imported::Table(data)) = read else {
        panic!("{read:?}");
    };
    let device = device.and_then(hardware::by_id).cloned();
    let devices = vec![device; data.devices.len()];
    let metrics = Metrics::compute(&data, devices, RoofKind::Datasheet);
    Frame::all(Arc::new(*data), Arc::new(metrics))
}

fn state(pairs: &[(&str, &str)]) -> ViewState {
    let mut state = ViewState::default();
    for (key, value) in pairs {
        state.set_param(key, *value);
    }
    state
}

fn look(theme: &Theme) -> Look<'_> {
    Look {
        theme,
        width: 900.0,
        height: 400.0,
        selected: &[],
        first: (0, 0),
    }
}

#[test]
fn bars_and_the_sentence_follow_the_settings() {
    let f = frame(THREE, Some("h100-sxm"));
    let view = ParetoView::open(&f, &state(&[("pareto.by", "c.layer")]));
    let scene = view.scene(&look(&Theme::LIGHT));
    assert_eq!(scene.marks.len(), 2);
    assert!(scene.marks[0].label.starts_with("mlp: "));
    assert!(
        view.sentence()
            .starts_with("If mlp reached 80 % of the roof: ")
    );
    let all = state(&[("pareto.group", "*"), ("pareto.device", "a100-80-sxm")]);
    let view = ParetoView::open(&f, &all);
    assert!(
        view.sentence().contains("If all GEMMs ran on"),
        "{}",
        view.sentence()
    );
    assert!(view.result.speedup() < 1.0, "an A100 is slower");
    // What no file says can be typed, and is named as an assumption.
    let typed = state(&[("pareto.besides", "whole"), ("pareto.ms", "3")]);
    let view = ParetoView::open(&f, &typed);
    assert!((view.result.other_s - 1.5e-3).abs() < 1e-12);
    assert!(
        view.sentence().contains("End to end"),
        "{}",
        view.sentence()
    );
    assert!(view.notes()[1].starts_with("Assumed, as typed: 1.500 ms"));
    let typed = state(&[("pareto.besides", "whole"), ("pareto.ms", "1")]);
    let view = ParetoView::open(&f, &typed);
    assert!(view.notes()[1].contains("shorter than its GEMMs"));
    let typed = state(&[("pareto.besides", "other"), ("pareto.ms", "20")]);
    assert!((ParetoView::open(&f, &typed).result.other_s - 20e-3).abs() < 1e-12);
    // The value of a link that means nothing here is the default.
    let view = ParetoView::open(
        &f,
        &state(&[("pareto.group", "=nothing"), ("pareto.efficiency", "x")]),
    );
    assert_eq!(view.bar, Some(0));
    assert_eq!(view.table().rows.len(), 2);
}

#[test]
fn goldens() {
    let mut rows = crate::fixture::Rows::new();
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
    let f = rows.frame(Some("mi300x"));
    let by = state(&[("pareto.by", "c.library")]);
    let view = ParetoView::open(&f, &by);
    crate::fixture::draw_everywhere("small-pareto", &view);
    for (name, theme, width, selected) in [
        (
            "pareto-desk",
            &Theme::LIGHT,
            crate::fixture::SIZES[1].0,
            &[][..],
        ),
        (
            "pareto-phone-dark",
            &Theme::DARK,
            crate::fixture::SIZES[0].0,
            &[2],
        ),
    ] {
        let look = Look {
            width,
            height: view.height(width),
            selected,
            ..look(theme)
        };
        crate::fixture::golden(name, &view.scene(&look));
    }
}

#[test]
fn nothing_to_lose_is_said() {
    for (text, device, why) in [
        (THREE, None, "No roof is known"),
        (
            "M,N,K,dtype\n4096,4096,4096,bf16\n",
            Some("h100-sxm"),
            "Nothing here was measured",
        ),
    ] {
        let f = frame(text, device);
        let view = ParetoView::open(&f, &ViewState::default());
        let dump = view.scene(&look(&Theme::DARK)).dump();
        assert!(dump.contains(why), "{dump}");
    }
}
