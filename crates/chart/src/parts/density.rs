//! Many points as one picture: counts on a pixel grid, a 3 x 3 splat, logarithmic opacity.
//!
//! The cost is one pass over the points and one over the pixels, whatever the number of points
//! on a pixel. Colours of categories that share a pixel are mixed by their counts.

use crate::labels::Rect;
use crate::scene::{Color, Item};

/// Counts points by pixel and colour.
#[derive(Clone, Debug)]
pub(crate) struct Density<'a> {
    palette: &'a [Color],
    rect: Rect,
    scale: f64,
    width: usize,
    height: usize,
    // The points of a pixel in four bytes, with a border of one: points hit pixels in no order, and a picture of
    // four bytes a pixel stays in the cache. 0 is none; of one colour its code stands above their count; else it
    // is the place of their sums in `mixed`, marked by `MIXED`.
    cells: Vec<u32>,
    // Sums of red, green, blue, and the count.
    mixed: Vec<[u32; 4]>,
    // First and last column in use, by row; empty rows are skipped.
    spans: Vec<(u32, u32)>,
    peak: u32,
}

/// A cell with several colours, or with more points than [`COUNT`] holds.
const MIXED: u32 = 1 << 31;
/// Bits of a cell's count, below the code of its colour.
const BITS: u32 = 21;
const COUNT: u32 = (1 << BITS) - 1;

/// Pixels of a density picture at most; a larger plot gets larger pixels.
const MOST: f64 = 2_600_000.0;

/// Radius and opacity of marks for a number of points.
pub(crate) fn look(n: u64) -> (f64, f64) {
    match n {
        0..=60 => (5.0, 0.92),
        61..=300 => (4.2, 0.85),
        301..=2000 => (3.4, 0.7),
        _ => (2.6, 0.55),
    }
}

impl<'a> Density<'a> {
    /// Points from which a density image replaces marks.
    pub(crate) const ABOVE: usize = 5_000;

    /// An empty picture over `rect` with `scale` pixels per CSS pixel; points have the colours of a palette.
    pub(crate) fn new(rect: Rect, scale: f64, palette: &'a [Color]) -> Self {
        let rect = rect.map(|v| if v.is_finite() { v } else { 0.0 });
        let scale = if scale.is_finite() { scale.clamp(0.25, 3.0) } else { 1.0 };
        let area = (rect[2].max(1.0) * rect[3].max(1.0)).min(1e9);
        let scale = scale.min((MOST / area).sqrt());
        let side = |v: f64| (v.max(1.0) * scale).ceil().clamp(1.0, 8192.0) as usize;
        let (width, height) = (side(rect[2]), side(rect[3]));
        Density {
            palette,
            rect,
            scale,
            width,
            height,
            cells: vec![0; (width + 2) * (height + 2)],
            mixed: Vec::new(),
            spans: vec![(u32::MAX, 0); height + 2],
            peak: 0,
        }
    }

    /// Adds a point at CSS pixels with the code of its colour; one outside is not counted.
    #[inline]
    pub(crate) fn add(&mut self, x: f32, y: f32, code: u16) {
        let px = (f64::from(x) - self.rect[0]) * self.scale;
        let py = (f64::from(y) - self.rect[1]) * self.scale;
        // NaN fails the comparisons.
        if px >= 0.0 && py >= 0.0 && px < self.width as f64 && py < self.height as f64 {
            let (column, row) = (px as usize + 1, py as usize + 1);
            let at = row * (self.width + 2) + column;
            let code = u32::from(code);
            let old = self.cells[at];
            let alike = old == 0 || old >> BITS == code;
            if alike && code < MIXED >> BITS && old & COUNT < COUNT {
                let n = (old & COUNT) + 1;
                self.cells[at] = code << BITS | n;
                self.peak = self.peak.max(n);
            } else {
                self.mix(at, code);
            }
            let span = &mut self.spans[row];
            *span = (span.0.min(column as u32), span.1.max(column as u32));
        }
    }

    /// Adds a point to a cell that has others of another colour.
    fn mix(&mut self, at: usize, code: u32) {
        if self.cells[at] & MIXED == 0 {
            self.mixed.push(self.sums(self.cells[at]));
            self.cells[at] = MIXED | (self.mixed.len() - 1) as u32;
        }
        let [r, g, b] = self.channels(code);
        let sums = &mut self.mixed[(self.cells[at] & !MIXED) as usize];
        for (sum, add) in sums.iter_mut().zip([r, g, b, 1]) {
            *sum = sum.wrapping_add(add);
        }
        self.peak = self.peak.max(sums[3]);
    }

    /// Red, green and blue of a code.
    fn channels(&self, code: u32) -> [u32; 3] {
        let color = self.palette.get(code as usize).copied().unwrap_or(Color(128, 128, 128, 255));
        [color.0, color.1, color.2].map(u32::from)
    }

    /// Sums of red, green, blue, and the count, of a cell.
    fn sums(&self, cell: u32) -> [u32; 4] {
        if cell & MIXED > 0 {
            return self.mixed[(cell & !MIXED) as usize];
        }
        let ([r, g, b], n) = (self.channels(cell >> BITS), cell & COUNT);
        [n * r, n * g, n * b, n]
    }

    /// Points counted so far.
    #[cfg(test)]
    pub(crate) fn points(&self) -> u64 {
        self.cells.iter().map(|cell| u64::from(self.sums(*cell)[3])).sum()
    }

    /// Horizontal part of the splat (1 2 1) of a row of cells; true where it has points.
    fn blur(&self, row: usize, out: &mut [[f32; 4]]) -> bool {
        let (first, last) = self.spans[row];
        out.fill([0.0; 4]);
        if first > last {
            return false;
        }
        let stride = self.width + 2;
        let cells = &self.cells[row * stride..(row + 1) * stride];
        for (column, cell) in cells.iter().enumerate().take(last as usize + 1).skip(first as usize)
        {
            if *cell > 0 {
                let sums = self.sums(*cell).map(|sum| sum as f32);
                // The column of a cell is one more than that of its pixel.
                for (pixel, weight) in
                    [(column, 1.0), (column - 1, 2.0), (column.wrapping_sub(2), 1.0)]
                {
                    if let Some(o) = out.get_mut(pixel) {
                        (0..4).for_each(|k| o[k] += weight * sums[k]);
                    }
                }
            }
        }
        true
    }

    /// The picture. A lone point is well visible, a pile approaches full opacity by the logarithm
    /// of its height.
    pub(crate) fn image(&self) -> Item {
        let mut rgba = vec![0u8; self.width * self.height * 4];
        // Kept for three rows.
        let mut lines = vec![vec![[0f32; 4]; self.width]; 3];
        let mut filled = [false; 3];
        filled[0] = self.blur(0, &mut lines[0]);
        filled[1] = self.blur(1, &mut lines[1]);
        let peak = self.peak.max(1);
        let gain = 0.62 / (1.0 + f64::from(peak)).ln();
        // Opacity of small heights is looked up: 4 is one point in the middle of its splat.
        let table: Vec<u8> = (0..4096).map(|i| opacity(f64::from(i) / 16.0, gain)).collect();
        for y in 0..self.height {
            let last = (y + 2) % 3;
            filled[last] = self.blur(y + 2, &mut lines[last]);
            if !(filled[0] || filled[1] || filled[2]) {
                continue;
            }
            let (a, b, c) = (&lines[y % 3], &lines[(y + 1) % 3], &lines[last]);
            let out = &mut rgba[y * self.width * 4..(y + 1) * self.width * 4];
            for (x, pixel) in out.chunks_exact_mut(4).enumerate() {
                let sum = |k: usize| a[x][k] + 2.0 * b[x][k] + c[x][k];
                let n = sum(3);
                if n == 0.0 {
                    continue;
                }
                for (k, channel) in pixel.iter_mut().take(3).enumerate() {
                    *channel = (sum(k) / n + 0.5) as u8;
                }
                // n is 4 for a lone point's own pixel.
                let n = n * 4.0;
                pixel[3] = match table.get(n as usize) {
                    Some(&v) => v,
                    None => opacity(f64::from(n) / 16.0, gain),
                };
            }
        }
        let rect = [
            self.rect[0],
            self.rect[1],
            self.width as f64 / self.scale,
            self.height as f64 / self.scale,
        ];
        Item::Image { rect, width: self.width as u32, height: self.height as u32, rgba }
    }
}

/// `height` 1 is a lone point's centre; its corners are a quarter.
fn opacity(height: f64, gain: f64) -> u8 {
    let base = 0.38 * height.min(1.0);
    let pile = gain * (1.0 + height).ln();
    ((base + pile).min(1.0) * 255.0).round() as u8
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const PALETTE: [Color; 2] = [Color(200, 10, 10, 255), Color(10, 10, 200, 255)];
    const RED: u16 = 0;
    const BLUE: u16 = 1;

    fn pixels(item: &Item) -> (u32, u32, &[u8]) {
        match item {
            Item::Image { width, height, rgba, .. } => (*width, *height, rgba),
            _ => (0, 0, &[]),
        }
    }

    #[test]
    fn a_lone_point_is_visible_and_has_its_colour() {
        let mut d = Density::new([0.0, 0.0, 10.0, 8.0], 1.0, &PALETTE);
        d.add(3.5, 4.5, RED);
        let item = d.image();
        let (w, h, rgba) = pixels(&item);
        assert_eq!((w, h), (10, 8));
        let at = |x: usize, y: usize| &rgba[(y * 10 + x) * 4..(y * 10 + x) * 4 + 4];
        assert_eq!(&at(3, 4)[..3], &[200, 10, 10]);
        assert!(at(3, 4)[3] > 150, "{:?}", at(3, 4));
        assert!(at(2, 4)[3] > 0 && at(2, 3)[3] > 0 && at(1, 4)[3] == 0);
    }

    #[test]
    fn shared_pixels_mix_and_piles_are_denser() {
        let mut d = Density::new([0.0, 0.0, 20.0, 20.0], 1.0, &PALETTE);
        for _ in 0..1000 {
            d.add(5.0, 5.0, RED);
            d.add(5.0, 5.0, BLUE);
        }
        d.add(15.0, 15.0, BLUE);
        let item = d.image();
        let (w, _, rgba) = pixels(&item);
        let at = |x: u32, y: u32| {
            let i = ((y * w + x) * 4) as usize;
            &rgba[i..i + 4]
        };
        assert_eq!(&at(5, 5)[..3], &[105, 10, 105]);
        assert!(at(5, 5)[3] > 2 * at(15, 15)[3]);
    }

    #[test]
    fn a_pile_of_more_points_than_a_cell_counts_is_whole() {
        let mut d = Density::new([0.0, 0.0, 4.0, 4.0], 1.0, &PALETTE);
        for _ in 0..=COUNT {
            d.add(1.0, 1.0, BLUE);
        }
        d.add(1.0, 1.0, RED);
        // A code without a colour is grey.
        d.add(2.0, 2.0, u16::MAX);
        assert_eq!(d.points(), u64::from(COUNT) + 3);
        assert_eq!(d.sums(d.cells[2 * 6 + 2])[3], COUNT + 2);
        assert_eq!(d.mixed[1], [128, 128, 128, 1]);
    }

    proptest! {
        #[test]
        fn counts_what_a_plain_count_counts(points in proptest::collection::vec((proptest::num::f32::ANY, -5.0..60.0f32), 0..50),
                                            inner in proptest::collection::vec((-5.0..60.0f32, -5.0..60.0f32), 0..50)) {
            let mut d = Density::new([2.0, 3.0, 50.0, 40.0], 1.0, &PALETTE);
            let mut plain = vec![0u32; 50 * 40];
            let mut n = 0;
            for &(x, y) in points.iter().chain(&inner) {
                d.add(x, y, RED);
                if (2.0..52.0).contains(&x) && (3.0..43.0).contains(&y) {
                    plain[(y as usize - 3) * 50 + x as usize - 2] += 1;
                    n += 1;
                }
            }
            prop_assert_eq!(d.points(), n);
            for y in 0..40 {
                for x in 0..50 {
                    let cell = d.cells[(y + 1) * 52 + x + 1];
                    prop_assert_eq!(d.sums(cell)[3], plain[y * 50 + x]);
                }
            }
            let item = d.image();
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
            let mut d = Density::new([0.0, 0.0, a.clamp(-10.0, 300.0), b.clamp(-10.0, 300.0)], s, &PALETTE);
            d.add(1.0, 1.0, RED);
            let item = d.image();
            let (w, h, rgba) = pixels(&item);
            prop_assert_eq!(rgba.len(), (w * h * 4) as usize);
        }
    }
}
