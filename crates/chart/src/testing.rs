//! Checks that every chart passes.

/// Sizes a page gives a view: a phone's and a desk's.
pub(crate) const SIZES: [(f64, f64); 2] = [(358.0, 420.0), (1040.0, 640.0)];

/// Draws a view in both themes and at both sizes, checks that nothing sticks out or overlaps the
/// edge, and writes the pictures to the folder in `PICTURES` where it is set.
pub(crate) fn draw_everywhere(name: &str, view: &crate::chart::Chart) {
    use crate::chart::RenderOptions;
    use crate::palette::Theme;
    for (width, _) in SIZES {
        for dark in [false, true] {
            let theme = Theme::of(dark);
            let look = RenderOptions::new(&theme, (width, view.height(width)));
            let scene = view.scene(&look);
            sound(&scene);
            if let Ok(dir) = std::env::var("PICTURES") {
                let theme = if dark { "dark" } else { "light" };
                let path = format!("{dir}/{name}-{width:.0}-{theme}.svg");
                std::fs::write(path, crate::svg::svg(&scene)).unwrap();
            }
        }
    }
    if let Ok(dir) = std::env::var("PICTURES") {
        let table = view.table();
        let text = format!("{}\n\n{}", view.said.sentences().join("\n"), table.csv());
        std::fs::write(format!("{dir}/{name}.txt"), text).unwrap();
    }
}

/// Every text lies inside the picture and over no other, every mark is finite, every row of the table is whole.
pub(crate) fn sound(scene: &crate::scene::Scene) {
    use crate::scene::Item;
    assert!(!scene.title.is_empty());
    let faults = scene.text_faults();
    assert!(faults.is_empty(), "{}: {faults:#?}", scene.title);
    for item in &scene.items {
        match item {
            Item::Text { at, .. } => assert!(at.0.is_finite() && at.1.is_finite()),
            Item::Rect { rect, .. } => {
                assert!(rect.iter().all(|v| v.is_finite()), "{rect:?}");
            }
            _ => {}
        }
    }
    for m in &scene.hit_areas {
        assert!(m.rect.iter().all(|v| v.is_finite()), "{m:?}");
        assert!(!m.tooltip.sentence().is_empty());
    }
}

/// No text lies on a line, but for grid lines, which are thin.
pub(crate) fn clear_of_lines(scene: &crate::scene::Scene) {
    use crate::scene::Item;
    let boxes = scene.text_boxes();
    for item in &scene.items {
        let Item::Line { points, width, .. } = item else { continue };
        for ends in points.windows(2).filter(|_| *width > 1.0) {
            let on = boxes.iter().find(|b| crate::clip::segment(ends[0], ends[1], b.1).is_some());
            assert!(on.is_none(), "{}: {on:?} lies on {ends:?}", scene.title);
        }
    }
}

/// Pictures whose SVG is a golden too: one of each way to draw.
const AS_SVG: [&str; 3] = ["compare-overview-desk", "tuning-desk", "tiles-phone"];

/// Compares what a picture says with `tests/golden/views`; `UPDATE_GOLDEN=1` writes.
pub(crate) fn golden(name: &str, scene: &crate::scene::Scene) {
    let check = |ending: &str, text: &str| {
        gemmscope_table::fixture::golden(&format!("tests/golden/views/{name}.{ending}"), text)
            .unwrap_or_else(|e| panic!("{e}"));
    };
    check("txt", &scene.digest());
    if AS_SVG.contains(&name) {
        check("svg", &crate::svg::svg(scene));
    }
}

/// 500 shapes that two libraries measured, 37 that only the first did: `y` is slower on all but
/// one of them.
pub(crate) fn two_libraries() -> gemmscope_table::field::Frame {
    let mut rows = gemmscope_table::fixture::Rows::new();
    for i in 0..537u32 {
        let shape = (1 << (i % 13), 64 * (1 + i / 13 % 7), 128 << (i / 91));
        let time = 1e-6 + 2e-9 * f64::from(i * 7919 % 997);
        rows.row(shape, "x", time, "");
        if i < 500 {
            let slower = 1.01 + f64::from(i * 31 % 250);
            rows.row(shape, "y", time * slower, "");
        }
    }
    rows.frame(Some("mi300x"))
}
