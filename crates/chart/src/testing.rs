//! Test helpers for pictures: legibility of texts, pictures as text, and checks for every chart.

use crate::chart::{Chart, RenderOptions};
use crate::labels::{contains, overlaps};
use crate::scene::{Anchor, Baseline, DragArea, Item, Point, Scene};
use crate::text;
use crate::tooltip::Tooltip;
use std::fmt::Write as _;

impl Scene {
    /// The texts with the boxes of their letters, which are a little lower than their lines.
    pub fn text_boxes(&self) -> Vec<(&str, [f64; 4])> {
        let each = self.items.iter().filter_map(|item| {
            let Item::Text { at, text, size, bold, anchor, baseline, turned, .. } = item else {
                return None;
            };
            let (w, h) = (0.94 * text::width(text, *size, *bold), 0.8 * size);
            let x = match anchor {
                Anchor::Start => 0.0,
                Anchor::Middle => -w / 2.0,
                Anchor::End => -w,
            };
            let y = match baseline {
                Baseline::Top => 0.2 * size,
                Baseline::Middle => -h / 2.0,
                Baseline::Bottom => -size,
            };
            let rect = match turned {
                // Turned text ends above its start.
                true => [at.0 + y, at.1 - x - w, h, w],
                false => [at.0 + x, at.1 + y, w, h],
            };
            Some((text.as_str(), rect))
        });
        each.filter(|(text, _)| !text.is_empty()).collect()
    }

    /// Faulty texts: outside the picture, overlapping another text, or drawn over.
    pub fn text_faults(&self) -> Vec<String> {
        let boxes = self.text_boxes();
        let frame = [-1.0, -1.0, self.width + 2.0, self.height + 2.0];
        let mut out = Vec::new();
        for (i, (text, rect)) in boxes.iter().enumerate() {
            if !contains(frame, *rect) {
                out.push(format!("{text:?} leaves the picture: {rect:.0?}"));
            }
            // A label drawn twice in one place, over what dims it, counts once.
            let over = |b: &&(&str, [f64; 4])| overlaps(*rect, b.1) && *b != &(*text, *rect);
            out.extend(
                boxes[..i]
                    .iter()
                    .filter(over)
                    .map(|b| format!("{text:?} lies over {:?}: {rect:.0?}, {:.0?}", b.0, b.1)),
            );
        }
        let (mut below, mut clip) = (0, frame);
        for item in &self.items {
            match item {
                Item::Text { text, .. } => below += usize::from(!text.is_empty()),
                Item::Clip { rect } => clip = *rect,
                Item::Unclip => clip = frame,
                _ => {}
            }
            let over = boxes[..below].iter().find(|b| overlaps(clip, b.1) && covers(item, b.1));
            out.extend(over.map(|b| format!("{:?} lies below {item:?}: {:.0?}", b.0, b.1)));
        }
        out
    }

    /// A readable snapshot: title, description, all texts and the first marks. A hash of [`dump`](Scene::dump) covers
    /// the rest.
    pub fn digest(&self) -> String {
        let scene = self;
        let mut out =
            format!("{} x {}  {}\n{}\n", scene.width, scene.height, scene.title, scene.description);
        if let Some(message) = &scene.message {
            let _ = writeln!(out, "message: {message}");
        }
        let (mut words, mut numbers) = (Vec::new(), Vec::new());
        let (mut areas, mut lines, mut glyphs, mut images) = (0, 0, 0, 0);
        for item in &scene.items {
            match item {
                Item::Text { text, .. } if text.chars().any(char::is_alphabetic) => {
                    words.push(text)
                }
                Item::Text { text, .. } => numbers.push(text.as_str()),
                Item::Rect { .. } | Item::Polygon { .. } => areas += 1,
                Item::Line { .. } => lines += 1,
                Item::Symbol { .. } => glyphs += 1,
                Item::Marks(marks) => glyphs += marks.xs.len(),
                Item::Image { .. } => images += 1,
                Item::Clip { .. } | Item::Unclip => {}
            }
        }
        for text in words {
            let _ = writeln!(out, "text: {text}");
        }
        let _ = writeln!(out, "numbers: {}", numbers.join(" "));
        let count = scene.hit_areas.len();
        for (at, mark) in scene.hit_areas.iter().enumerate() {
            if at < 3 || at + 1 == count {
                let _ = writeln!(out, "mark {} of {count}: {}", at + 1, mark.tooltip.sentence());
            }
        }
        let _ = writeln!(
            out,
            "drawn: {areas} areas, {lines} lines, {glyphs} points, {images} images; {:016x}",
            fingerprint(&scene.dump())
        );
        out
    }

    /// The scene as text, one item per line, for snapshots and bug reports.
    pub fn dump(&self) -> String {
        let mut out = String::new();
        let _ = writeln!(out, "{} x {}  {}", self.width, self.height, self.title);
        if !self.description.is_empty() {
            let _ = writeln!(out, "{}", self.description);
        }
        if let Some(m) = &self.message {
            let _ = writeln!(out, "message: {m}");
        }
        for item in &self.items {
            let _ = writeln!(out, "{}", dump_item(item));
        }
        for m in &self.hit_areas {
            let [l, t, w, h] = m.rect;
            let _ = writeln!(
                out,
                "mark {l:.1},{t:.1} {w:.1}x{h:.1} rows {} {}",
                m.rows.len(),
                m.tooltip.sentence()
            );
        }
        for h in &self.drag_areas {
            let _ = match h {
                DragArea::Range { rect, field, scale } => writeln!(
                    out,
                    "range of {field} at {:.1},{:.1} {:.1}x{:.1}: {:.6e} to {:.6e}",
                    rect[0], rect[1], rect[2], rect[3], scale.domain.0, scale.domain.1
                ),
                DragArea::Scroll { columns, rows, .. } => writeln!(
                    out,
                    "scrolls: columns {} to {} of {}, rows {} to {} of {}",
                    columns.first,
                    columns.first + columns.shown,
                    columns.total,
                    rows.first,
                    rows.first + rows.shown,
                    rows.total
                ),
            };
        }
        out
    }
}

impl Chart {
    /// The picture with the tooltips of its marks filled in.
    pub fn spoken(&self, options: &RenderOptions<'_>) -> Scene {
        let mut scene = self.scene(options);
        scene.hit_areas.iter_mut().for_each(|area| area.tooltip = self.tooltip(&area.tooltip));
        scene
    }
}

impl Tooltip {
    /// The tooltip in one line: `head: value; caption value`.
    pub(crate) fn sentence(&self) -> String {
        let rows: Vec<String> = self
            .rows
            .iter()
            .map(|(caption, value)| match caption.as_str() {
                "" => value.clone(),
                caption => format!("{caption} {value}"),
            })
            .collect();
        match rows.len() {
            0 => self.head.clone(),
            _ => format!("{}: {}", self.head, rows.join("; ")),
        }
    }
}

/// True if an area, or a line that is not a grid line, covers a rectangle.
fn covers(item: &Item, rect: [f64; 4]) -> bool {
    match item {
        Item::Rect { rect: area, fill: Some(_), .. } => overlaps(*area, rect),
        Item::Line { points, width, .. } if *width > 1.0 => {
            points.windows(2).any(|ends| crate::clip::segment(ends[0], ends[1], rect).is_some())
        }
        _ => false,
    }
}

fn dump_points(points: &[Point]) -> String {
    let mut parts: Vec<String> =
        points.iter().take(8).map(|(x, y)| format!("{x:.1},{y:.1}")).collect();
    if points.len() > 8 {
        parts.push(format!("... {} points", points.len()));
    }
    parts.join(" ")
}

fn dump_item(item: &Item) -> String {
    let rect = |r: &[f64; 4]| format!("{:.1},{:.1} {:.1}x{:.1}", r[0], r[1], r[2], r[3]);
    match item {
        Item::Rect { rect: r, fill, stroke } => {
            let mut s = format!("rect {}", rect(r));
            if let Some(c) = fill {
                s += &format!(" fill {}", c.css());
            }
            if let Some((c, w)) = stroke {
                s += &format!(" stroke {} {w}", c.css());
            }
            s
        }
        Item::Line { points, color, width, dash } => {
            format!("line {} {width} dash {dash:?} {}", color.css(), dump_points(points))
        }
        Item::Polygon { points, fill } => {
            format!("polygon {} {}", fill.css(), dump_points(points))
        }
        Item::Symbol { at, radius, symbol, color } => {
            format!("{symbol:?} {:.1},{:.1} r {radius:.1} {}", at.0, at.1, color.css())
        }
        Item::Marks(m) => {
            let (sx, sy) = (0..m.len()).fold((0.0, 0.0), |(a, b), i| {
                let (x, y) = m.at(i);
                (a + x, b + y)
            });
            let n = m.len().max(1) as f64;
            format!(
                "marks {:?} {} of {} colours, mean {:.1},{:.1} r {}",
                m.symbol,
                m.len(),
                m.palette.len(),
                sx / n,
                sy / n,
                m.radius
            )
        }
        Item::Text { at, text, size, bold, color, anchor, baseline, turned } => format!(
            "text {:.1},{:.1} {size}{} {} {anchor:?} {baseline:?}{} {text:?}",
            at.0,
            at.1,
            if *bold { " bold" } else { "" },
            color.css(),
            if *turned { " turned" } else { "" }
        ),
        Item::Image { rect: r, width, height, rgba } => format!(
            "image {} {width}x{height} sum {}",
            rect(r),
            rgba.iter().map(|&b| u64::from(b)).sum::<u64>()
        ),
        Item::Clip { rect: r } => format!("clip {}", rect(r)),
        Item::Unclip => "unclip".to_owned(),
    }
}

/// Platform-independent hash of a text (FNV-1a).
fn fingerprint(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    })
}

#[cfg(test)]
pub(crate) use checks::*;

#[cfg(test)]
mod checks {
    /// Sizes of a view on a phone and on a desktop.
    pub(crate) const SIZES: [(f64, f64); 2] = [(358.0, 420.0), (1040.0, 640.0)];

    /// Draws a view in both themes and at both sizes, checks that nothing sticks out or overlaps the edge, and writes
    /// the pictures to the folder in `PICTURES` if it is set.
    pub(crate) fn draw_everywhere(name: &str, view: &crate::chart::Chart) {
        use crate::chart::RenderOptions;
        use crate::palette::Theme;
        for (width, _) in SIZES {
            for dark in [false, true] {
                let theme = Theme::of(dark);
                let look = RenderOptions::new(&theme, (width, view.height(width)));
                let scene = view.spoken(&look);
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

    /// Checks that every text is inside the picture and overlaps no other, marks are finite, and table rows complete.
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

    /// Checks that no text lies on a line, except for thin grid lines.
    pub(crate) fn clear_of_lines(scene: &crate::scene::Scene) {
        use crate::scene::Item;
        let boxes = scene.text_boxes();
        for item in &scene.items {
            let Item::Line { points, width, .. } = item else { continue };
            for ends in points.windows(2).filter(|_| *width > 1.0) {
                let on =
                    boxes.iter().find(|b| crate::clip::segment(ends[0], ends[1], b.1).is_some());
                assert!(on.is_none(), "{}: {on:?} lies on {ends:?}", scene.title);
            }
        }
    }

    /// Pictures whose SVG is also a golden: one for each way to draw.
    const AS_SVG: [&str; 3] = ["compare-overview-desk", "tuning-desk", "tiles-phone"];

    /// Compares a picture as text with `tests/golden/views`; `UPDATE_GOLDEN=1` writes it.
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

    /// 500 shapes measured by two libraries and 37 by the first alone; `y` is slower on all but one of them.
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
}
