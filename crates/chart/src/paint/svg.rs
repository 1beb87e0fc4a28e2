//! A scene as an SVG file: the painter's shapes under a header of our own.

use crate::paint::{Options, Painter};
use crate::scene::{Item, Scene};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use gemmscope_model::encode::markup;
use plotters_svg::SVGBackend;
use std::fmt::Write as _;
use std::io::Read as _;

/// The scene as SVG text, with title and description for assistive technology. Deterministic.
pub fn svg(scene: &Scene) -> String {
    let options = Options::svg();
    let scale = options.scale;
    let (w, h) = (scene.width, scene.height);
    let mut out = String::new();
    let _ = write!(
        out,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{}\" height=\"{}\" viewBox=\"0 0 {} {}\" role=\"img\" aria-labelledby=\"title desc\">\n<title id=\"title\">{}</title>\n<desc id=\"desc\">{}</desc>\n",
        number(w),
        number(h),
        number(w * scale),
        number(h * scale),
        markup(&scene.title),
        markup(&scene.description),
    );
    let mut painter = Painter::new(scene, options);
    let size = ((w * scale) as u32, (h * scale) as u32);
    let mut rest = scene.items.as_slice();
    while !rest.is_empty() {
        let run = rest.iter().position(|i| matches!(i, Item::Image { .. })).unwrap_or(rest.len());
        let mut part = String::new();
        {
            let mut backend = SVGBackend::with_string(&mut part, size);
            for item in &rest[..run] {
                // Writing to a string cannot fail.
                let _ = painter.draw(item, &mut backend);
            }
        }
        // The backend breaks the line before a text; a build server would execute `::error::` there, and `##[error]`
        // anywhere, in its log.
        out.push_str(&body(&part).replace("\n::", "\n&#58;:").replace("##", "#&#35;"));
        rest = &rest[run..];
        if let Some((image, tail)) = rest.split_first() {
            push_image(&mut out, image, scale, painter.clip());
            rest = tail;
        }
    }
    out.push_str("</svg>\n");
    out
}

/// What the backend wrote between its own root tags.
fn body(part: &str) -> &str {
    let start = part.find(">\n").map_or(part.len(), |i| i + 2);
    let inner = &part[start..];
    inner.strip_suffix("</svg>\n").unwrap_or(inner)
}

fn push_image(out: &mut String, item: &Item, scale: f64, clip: [f64; 4]) {
    let Item::Image { rect, width, height, rgba } = item else {
        return;
    };
    let Some(png) = png(*width, *height, rgba) else {
        return;
    };
    let units = |v: f64| number(v * scale);
    // A nested svg element cuts the picture to the clip.
    let _ = writeln!(
        out,
        "<svg x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"><image x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" preserveAspectRatio=\"none\" image-rendering=\"pixelated\" href=\"data:image/png;base64,{}\"/></svg>",
        units(clip[0]),
        units(clip[1]),
        units(clip[2]),
        units(clip[3]),
        units(rect[0] - clip[0]),
        units(rect[1] - clip[1]),
        units(rect[2]),
        units(rect[3]),
        STANDARD.encode(&png),
    );
}

fn number(v: f64) -> String {
    let v = if v.is_finite() { v } else { 0.0 };
    format!("{}", (v * 1000.0).round() / 1000.0)
}

/// Pixels as a PNG file; `None` if the sizes do not match.
pub(crate) fn png(width: u32, height: u32, rgba: &[u8]) -> Option<Vec<u8>> {
    let row = width as usize * 4;
    if row == 0 || height == 0 || rgba.len() != row * height as usize {
        return None;
    }
    let mut raw = Vec::with_capacity((row + 1) * height as usize);
    for line in rgba.chunks_exact(row) {
        raw.push(0);
        raw.extend_from_slice(line);
    }
    let mut packed = Vec::new();
    flate2::read::ZlibEncoder::new(raw.as_slice(), flate2::Compression::fast())
        .read_to_end(&mut packed)
        .ok()?;
    let mut out = b"\x89PNG\r\n\x1a\n".to_vec();
    let mut chunk = |kind: &[u8; 4], data: &[u8]| {
        let mut crc = flate2::Crc::new();
        crc.update(kind);
        crc.update(data);
        out.extend_from_slice(&(data.len() as u32).to_be_bytes());
        out.extend_from_slice(kind);
        out.extend_from_slice(data);
        out.extend_from_slice(&crc.sum().to_be_bytes());
    };
    let mut header = [0u8; 13];
    header[..4].copy_from_slice(&width.to_be_bytes());
    header[4..8].copy_from_slice(&height.to_be_bytes());
    // 8 bits, RGBA, no interlace.
    header[8..].copy_from_slice(&[8, 6, 0, 0, 0]);
    chunk(b"IHDR", &header);
    chunk(b"IDAT", &packed);
    chunk(b"IEND", &[]);
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::palette::Theme;
    use crate::scene::*;

    #[test]
    fn text_is_escaped_and_the_file_is_well_formed() {
        let mut s = Scene::new(&Theme::LIGHT, (100.0, 50.0), "a <b> & \"c\"\u{1}");
        s.sized((10.0, 10.0), "<script>&\u{202f}'x'", 11.0, Color(0, 0, 0, 255), TOP);
        s.items.push(Item::Image {
            rect: [0.0, 0.0, 10.0, 10.0],
            width: 1,
            height: 1,
            rgba: vec![255, 0, 0, 128],
        });
        s.line(vec![(0.0, 0.0), (50.0, f64::NAN)], Color(1, 2, 3, 255), 1.0);
        s.line(vec![(0.0, 0.0), (500.0, 20.0)], Color(1, 2, 3, 255), 1.0);
        let text = svg(&s);
        assert!(!text.contains("<script") && text.contains("&lt;script&gt;"));
        assert!(
            text.contains("<title id=\"title\">a &lt;b&gt; &amp; &quot;c&quot;⟨U+0001⟩</title>")
        );
        assert_eq!(text.matches("<svg").count(), 2);
        assert_eq!(text.matches("</svg>").count(), 2);
        assert!(text.contains("data:image/png;base64,iVBORw0KGgo"));
        assert!(text.contains("font-size=\"110\""), "{text}");
        assert_eq!(text, svg(&s));
    }

    #[test]
    fn strange_geometry_draws_without_a_panic() {
        let mut s = Scene::new(&Theme::LIGHT, (f64::NAN, f64::INFINITY), "");
        let odd = [0.0, -1.0, 1e300, -1e300, f64::NAN, f64::INFINITY];
        for a in odd {
            for b in odd {
                s.fill([a, b, b, a], Color(0, 0, 0, 255));
                s.dashed(vec![(a, b), (b, a), (0.5, 0.5)], Color(0, 0, 0, 255), a, &[b, a]);
                for symbol in [
                    Symbol::Dot,
                    Symbol::Ring,
                    Symbol::Cross,
                    Symbol::Triangle,
                    Symbol::Square,
                    Symbol::Diamond,
                    Symbol::Dash,
                    Symbol::Open,
                ] {
                    s.mark((a, 0.5), b, symbol, Color(1, 1, 1, 255));
                }
                s.items.push(Item::Polygon {
                    points: vec![(a, b), (b, 0.5), (0.2, a)],
                    fill: Color(1, 1, 1, 9),
                });
                s.items.push(Item::Clip { rect: [a, b, a, b] });
            }
        }
        s.items.extend([Item::Unclip, Item::Unclip]);
        assert!(svg(&s).ends_with("</svg>\n"));
    }
}
