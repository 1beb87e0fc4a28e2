//! A scene as text.

use super::{DragArea, Item, Point, Scene};

impl Scene {
    /// What the picture says, for snapshots that a reader follows: title, description, every word in
    /// it, what its first marks stand for. A fingerprint of [`dump`](Scene::dump) pins the rest.
    pub fn digest(&self) -> String {
        use std::fmt::Write as _;
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

    /// The scene as text, one item a line, for snapshots and bug reports.
    pub fn dump(&self) -> String {
        use std::fmt::Write as _;
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

/// The same number for the same text on every machine (FNV-1a).
fn fingerprint(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    })
}
