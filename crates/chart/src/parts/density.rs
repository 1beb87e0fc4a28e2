//! Many points as one image: counts on a pixel grid, a 3 × 3 splat, and one ramp of lightness over the logarithm of the
//! count.
//!
//! Costs one pass over the points and one over the pixels, whatever the number of points per pixel. A layer has one
//! colour, and a pixel that layers share has that of the fuller one: colours would mix into ones that nothing has.

use crate::labels::Rect;
use crate::palette::{Theme, mix};
use crate::scene::{Color, Item};

/// Counts points by pixel.
#[derive(Clone, Debug)]
pub(crate) struct Density {
    rect: Rect,
    scale: f64,
    width: usize,
    height: usize,
    /// One cell per pixel, with a border of one.
    cells: Vec<u32>,
}

/// Maximum number of pixels; a larger plot gets larger pixels.
const MOST: f64 = 2_600_000.0;

/// Radius and opacity of marks for a number of points: points that lie over each other are darker.
pub(crate) fn look(n: u64) -> (f64, f64) {
    match n {
        0..=60 => (5.0, 0.75),
        61..=300 => (4.2, 0.65),
        301..=2000 => (3.4, 0.5),
        _ => (2.6, 0.4),
    }
}

impl Density {
    /// With more points than this, a density image replaces marks.
    pub(crate) const ABOVE: usize = 5_000;

    /// An empty picture over `rect` with `scale` pixels per CSS pixel.
    pub(crate) fn new(rect: Rect, scale: f64) -> Self {
        let rect = rect.map(|v| if v.is_finite() { v } else { 0.0 });
        let scale = if scale.is_finite() { scale.clamp(0.25, 3.0) } else { 1.0 };
        let area = (rect[2].max(1.0) * rect[3].max(1.0)).min(1e9);
        let scale = scale.min((MOST / area).sqrt());
        let side = |v: f64| (v.max(1.0) * scale).ceil().clamp(1.0, 8192.0) as usize;
        let (width, height) = (side(rect[2]), side(rect[3]));
        Density { rect, scale, width, height, cells: vec![0; (width + 2) * (height + 2)] }
    }

    /// Adds a point at CSS pixels; ignored if outside.
    #[inline(always)]
    pub(crate) fn add(&mut self, x: f32, y: f32) {
        let px = (f64::from(x) - self.rect[0]) * self.scale;
        let py = (f64::from(y) - self.rect[1]) * self.scale;
        // NaN fails the comparisons.
        if px >= 0.0 && py >= 0.0 && px < self.width as f64 && py < self.height as f64 {
            let (column, row) = (px as usize + 1, py as usize + 1);
            if let Some(cell) = self.cells.get_mut(row * (self.width + 2) + column) {
                *cell = cell.saturating_add(1);
            }
        }
    }

    /// Horizontal pass of the splat (1 2 1) over a row; false if the row is empty.
    fn blur(&self, row: usize, out: &mut [f32]) -> bool {
        let stride = self.width + 2;
        let cells = &self.cells[row * stride..(row + 1) * stride];
        let mut any = false;
        for (o, three) in out.iter_mut().zip(cells.windows(3)) {
            *o = splat(three[0] as f32, three[1] as f32, three[2] as f32);
            any |= *o > 0.0;
        }
        any
    }

    /// The image: a lone point is clearly visible in `color`, the fullest pixel is near the colour of text.
    pub(crate) fn image(&self, color: Color, theme: &Theme) -> Item {
        Density::layers(&[(self, color)], theme)
    }

    /// One image of layers over the same rectangle: where they share a pixel, the fuller one is seen.
    pub(crate) fn layers(layers: &[(&Density, Color)], theme: &Theme) -> Item {
        let peak = layers.iter().map(|(of, _)| of.peak()).max().unwrap_or(1);
        let mut each = layers.iter().map(|(of, color)| of.pixels(*color, f64::from(peak), theme));
        let mut out = each.next().unwrap_or_default();
        for layer in each {
            for (to, from) in out.chunks_exact_mut(4).zip(layer.chunks_exact(4)) {
                // Opacity grows with the number of points.
                if from[3] > to[3] {
                    to.copy_from_slice(from);
                }
            }
        }
        let (rect, scale, width, height) = layers
            .first()
            .map_or(([0.0; 4], 1.0, 0, 0), |(of, _)| (of.rect, of.scale, of.width, of.height));
        Item::Image {
            rect: [rect[0], rect[1], width as f64 / scale, height as f64 / scale],
            width: width as u32,
            height: height as u32,
            rgba: out,
        }
    }

    /// Number of points of the fullest pixel, at least 1.
    fn peak(&self) -> u32 {
        self.cells.iter().copied().max().unwrap_or(0).max(1)
    }

    /// Pixels in a colour; those with `peak` points are near the colour of text.
    fn pixels(&self, color: Color, peak: f64, theme: &Theme) -> Vec<u8> {
        let mut rgba = vec![0u8; self.width * self.height * 4];
        let ramp = ramp(color, theme);
        // 4 is one point in the centre of its splat; its corners are a quarter.
        let log = |count: f64| (1.0 + count).ln() - 2f64.ln();
        let step = |n: f32| {
            let height = f64::from(n) / 4.0;
            let share = (log(height) / log(peak).max(1.0)).clamp(0.0, 1.0);
            let [red, green, blue] = ramp[((share * STEPS as f64) as usize).min(STEPS - 1)];
            let alpha = LONE * height.min(1.0) + (1.0 - LONE) * share;
            [red, green, blue, (alpha * 255.0).round() as u8]
        };
        let mut lines = vec![vec![0f32; self.width]; 3];
        let mut filled = [false; 3];
        for row in 0..self.height + 2 {
            filled[row % 3] = self.blur(row, &mut lines[row % 3]);
            if row < 2 || filled == [false; 3] {
                continue;
            }
            let (a, b, c) = (&lines[(row + 1) % 3], &lines[(row + 2) % 3], &lines[row % 3]);
            let out = rgba[(row - 2) * self.width * 4..].chunks_exact_mut(4);
            for (((pixel, a), b), c) in out.zip(a).zip(b).zip(c) {
                let n = splat(*a, *b, *c);
                if n > 0.0 {
                    pixel.copy_from_slice(&step(n));
                }
            }
        }
        rgba
    }
}

/// One direction of the splat (1 2 1).
#[inline(always)]
fn splat(a: f32, b: f32, c: f32) -> f32 {
    a + 2.0 * b + c
}

/// Opacity of a lone point.
const LONE: f64 = 0.6;
/// Steps of the ramp.
const STEPS: usize = 64;

/// Red, green and blue from few points to many: pale, the colour itself, then towards the colour of text.
fn ramp(color: Color, theme: &Theme) -> Vec<[u8; 3]> {
    let pale = mix(theme.panel, color, 0.55);
    let full = mix(color, theme.text, 0.7);
    let of = |i: usize| {
        let t = i as f64 / (STEPS - 1) as f64;
        let Color(r, g, b, _) =
            if t < 0.5 { mix(pale, color, 2.0 * t) } else { mix(color, full, 2.0 * t - 1.0) };
        [r, g, b]
    };
    (0..STEPS).map(of).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const RED: Color = Color(200, 10, 10, 255);

    fn pixels(item: &Item) -> (u32, u32, &[u8]) {
        match item {
            Item::Image { width, height, rgba, .. } => (*width, *height, rgba),
            _ => (0, 0, &[]),
        }
    }

    #[test]
    fn a_lone_point_is_visible_and_piles_are_darker() {
        let theme = &Theme::LIGHT;
        let mut d = Density::new([0.0, 0.0, 20.0, 20.0], 1.0);
        (0..1000).for_each(|_| d.add(5.5, 5.5));
        d.add(15.0, 15.0);
        let item = d.image(RED, theme);
        let (w, h, rgba) = pixels(&item);
        assert_eq!((w, h), (20, 20));
        let at = |x: usize, y: usize| &rgba[(y * 20 + x) * 4..(y * 20 + x) * 4 + 4];
        let light = |x, y| at(x, y)[..3].iter().map(|v| u32::from(*v)).sum::<u32>();
        assert!(at(15, 15)[3] > 150, "{:?}", at(15, 15));
        assert!(at(14, 15)[3] > 0 && at(14, 14)[3] > 0 && at(13, 15)[3] == 0);
        assert!(light(5, 5) < light(15, 15) && at(5, 5)[3] == 255);
        assert_eq!(at(4, 5), at(6, 5));
    }

    #[test]
    fn a_pixel_of_two_layers_has_the_colour_of_the_fuller_one() {
        const BLUE: Color = Color(10, 10, 200, 255);
        let theme = &Theme::LIGHT;
        let [mut red, mut blue] = [0, 1].map(|_| Density::new([0.0, 0.0, 20.0, 20.0], 1.0));
        red.add(5.5, 5.5);
        (0..50).for_each(|_| blue.add(5.5, 5.5));
        red.add(15.0, 15.0);
        let item = Density::layers(&[(&red, RED), (&blue, BLUE)], theme);
        let (_, _, rgba) = pixels(&item);
        let at = |x: usize, y: usize| &rgba[(y * 20 + x) * 4..(y * 20 + x) * 4 + 4];
        assert!(at(5, 5)[2] > at(5, 5)[0] && at(15, 15)[0] > at(15, 15)[2]);
        // One layer is as before, whatever is beside it.
        assert_eq!(Density::layers(&[(&red, RED)], theme), red.image(RED, theme));
    }

    #[test]
    fn lightness_falls_from_few_points_to_many() {
        for theme in [Theme::LIGHT, Theme::DARK] {
            let ramp = ramp(RED, &theme);
            let light = |c: &[u8; 3]| c.iter().map(|v| i32::from(*v)).sum::<i32>();
            let dark = if theme == Theme::DARK { -1 } else { 1 };
            let (first, last) = (light(&ramp[0]), light(&ramp[STEPS - 1]));
            assert!(dark * (first - last) > 150, "{first} {last}");
        }
    }

    proptest! {
        #[test]
        fn counts_what_a_plain_count_counts(points in proptest::collection::vec((proptest::num::f32::ANY, -5.0..60.0f32), 0..50),
                                            inner in proptest::collection::vec((-5.0..60.0f32, -5.0..60.0f32), 0..50)) {
            let mut d = Density::new([2.0, 3.0, 50.0, 40.0], 1.0);
            let mut plain = vec![0u32; 50 * 40];
            let mut n = 0;
            for &(x, y) in points.iter().chain(&inner) {
                d.add(x, y);
                if (2.0..52.0).contains(&x) && (3.0..43.0).contains(&y) {
                    plain[(y as usize - 3) * 50 + x as usize - 2] += 1;
                    n += 1;
                }
            }
            let counts = &d.cells;
            prop_assert_eq!(counts.iter().sum::<u32>(), n);
            for y in 0..40 {
                for x in 0..50 {
                    prop_assert_eq!(counts[(y + 1) * 52 + x + 1], plain[y * 50 + x]);
                }
            }
            let item = d.image(RED, &Theme::LIGHT);
            let (_, _, rgba) = pixels(&item);
            for y in 0..40usize {
                for x in 0..50usize {
                    let near = (y.saturating_sub(1)..(y + 2).min(40)).any(|v| (x.saturating_sub(1)..(x + 2).min(50)).any(|u| plain[v * 50 + u] > 0));
                    prop_assert_eq!(rgba[(y * 50 + x) * 4 + 3] > 0, near);
                }
            }
        }

        #[test]
        fn any_rectangle_is_drawable(a in proptest::num::f64::ANY, b in proptest::num::f64::ANY, s in proptest::num::f64::ANY) {
            let mut d = Density::new([0.0, 0.0, a.clamp(-10.0, 300.0), b.clamp(-10.0, 300.0)], s);
            d.add(1.0, 1.0);
            let item = d.image(RED, &Theme::LIGHT);
            let (w, h, rgba) = pixels(&item);
            prop_assert_eq!(rgba.len(), (w * h * 4) as usize);
        }
    }
}
