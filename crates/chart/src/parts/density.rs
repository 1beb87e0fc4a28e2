//! Many points as one image: counts on a pixel grid, a 3 × 3 splat, logarithmic opacity.
//!
//! Costs one pass over the points and one over the pixels, whatever the number of points per pixel. Colours of
//! categories that share a pixel are mixed by count.

use crate::labels::Rect;
use crate::scene::{Color, Item};

/// Counts points by pixel and colour.
#[derive(Clone, Debug)]
pub(crate) struct Density {
    rect: Rect,
    scale: f64,
    width: usize,
    height: usize,
    // One cell per pixel, with a border of one: sums of red, green, blue, and the count, 16 bits each. Points arrive in
    // random order, so cells are as small as possible to stay in cache.
    cells: Vec<u64>,
    // For each row of pixels: column and value of cells that overflowed and were restarted.
    full: Vec<Vec<(usize, u64)>>,
}

/// Unpacks a cell. Unrolled by hand, like [`splat`]: the compiler does not unroll loops when it optimises for size.
#[inline(always)]
fn parts(cell: u64) -> [f32; 4] {
    let part = |bits: u32| f32::from((cell >> bits) as u16);
    [part(0), part(16), part(32), part(48)]
}

fn count(cell: u64) -> u32 {
    (cell >> 48) as u32
}

/// Number of points at which a cell is full: sums of 8-bit colours fit 16 bits for 257 points.
const FULL: u32 = 256;

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
        Density {
            rect,
            scale,
            width,
            height,
            cells: vec![0; (width + 2) * (height + 2)],
            full: vec![Vec::new(); height + 2],
        }
    }

    /// Adds a point at CSS pixels; ignored if outside.
    #[inline(always)]
    pub(crate) fn add(&mut self, x: f32, y: f32, color: Color) {
        let px = (f64::from(x) - self.rect[0]) * self.scale;
        let py = (f64::from(y) - self.rect[1]) * self.scale;
        // NaN fails the comparisons.
        if px >= 0.0 && py >= 0.0 && px < self.width as f64 && py < self.height as f64 {
            let (column, row) = (px as usize + 1, py as usize + 1);
            if let Some(cell) = self.cells.get_mut(row * (self.width + 2) + column) {
                let (red, green, blue) =
                    (u64::from(color.0), u64::from(color.1), u64::from(color.2));
                *cell += red | green << 16 | blue << 32 | 1 << 48;
                if count(*cell) == FULL {
                    self.full[row].push((column, std::mem::take(cell)));
                }
            }
        }
    }

    /// Number of points in each pixel, border included.
    #[cfg(test)]
    fn counts(&self) -> Vec<u32> {
        let mut counts: Vec<u32> = self.cells.iter().map(|cell| count(*cell)).collect();
        for (row, full) in self.full.iter().enumerate() {
            full.iter().for_each(|f| counts[row * (self.width + 2) + f.0] += count(f.1));
        }
        counts
    }

    /// Number of points in the fullest pixel.
    fn peak(&self) -> u32 {
        let mut peak = self.cells.iter().fold(0, |most, cell| count(*cell).max(most));
        let rows = self.cells.chunks_exact(self.width + 2).zip(&self.full);
        for (cells, full) in rows.filter(|(_, full)| !full.is_empty()) {
            let mut counts: Vec<u32> = cells.iter().map(|cell| count(*cell)).collect();
            for &(column, cell) in full {
                counts[column] += count(cell);
                peak = peak.max(counts[column]);
            }
        }
        peak
    }

    /// Horizontal pass of the splat (1 2 1) over a row; false if the row is empty.
    fn blur(&self, row: usize, out: &mut [[f32; 4]]) -> bool {
        let stride = self.width + 2;
        let cells = &self.cells[row * stride..(row + 1) * stride];
        let (mut before, mut here) = (parts(cells[0]), parts(cells[1]));
        let mut any = before[3] + here[3];
        for (o, next) in out.iter_mut().zip(&cells[2..]) {
            let next = parts(*next);
            *o = splat(before, here, next);
            any += next[3];
            (before, here) = (here, next);
        }
        for &(column, cell) in &self.full[row] {
            for (at, weight) in [(column, 1.0), (column - 1, 2.0), (column.wrapping_sub(2), 1.0)] {
                if let Some(o) = out.get_mut(at) {
                    (0..4).for_each(|k| o[k] += weight * parts(cell)[k]);
                }
            }
            any += 1.0;
        }
        any > 0.0
    }

    /// The image. A lone point is clearly visible; opacity rises with the logarithm of the count towards full.
    pub(crate) fn image(&self) -> Item {
        let mut rgba = vec![0u8; self.width * self.height * 4];
        let gain = 0.62 / (1.0 + f64::from(self.peak().max(1))).ln();
        // Small counts use a lookup table; 4 is one point in the centre of its splat.
        let table: Vec<u8> = (0..4096).map(|i| opacity(f64::from(i) / 16.0, gain)).collect();
        let mut lines = vec![vec![[0f32; 4]; self.width]; 3];
        let mut filled = [false; 3];
        for row in 0..self.height + 2 {
            filled[row % 3] = self.blur(row, &mut lines[row % 3]);
            if row < 2 || filled == [false; 3] {
                continue;
            }
            let (a, b, c) = (&lines[(row + 1) % 3], &lines[(row + 2) % 3], &lines[row % 3]);
            let out = rgba[(row - 2) * self.width * 4..].chunks_exact_mut(4);
            for (((pixel, a), b), c) in out.zip(a).zip(b).zip(c) {
                let [red, green, blue, n] = splat(*a, *b, *c);
                if n == 0.0 {
                    continue;
                }
                // A lone point has 4 in its own pixel.
                let height = n * 4.0;
                let alpha = match table.get(height as usize) {
                    Some(&v) => v,
                    None => opacity(f64::from(height) / 16.0, gain),
                };
                let mean = |sum: f32| (sum / n + 0.5) as u8;
                pixel.copy_from_slice(&[mean(red), mean(green), mean(blue), alpha]);
            }
        }
        Item::Image {
            rect: [
                self.rect[0],
                self.rect[1],
                self.width as f64 / self.scale,
                self.height as f64 / self.scale,
            ],
            width: self.width as u32,
            height: self.height as u32,
            rgba,
        }
    }
}

/// One direction of the splat (1 2 1).
#[inline(always)]
fn splat(a: [f32; 4], b: [f32; 4], c: [f32; 4]) -> [f32; 4] {
    [
        a[0] + 2.0 * b[0] + c[0],
        a[1] + 2.0 * b[1] + c[1],
        a[2] + 2.0 * b[2] + c[2],
        a[3] + 2.0 * b[3] + c[3],
    ]
}

/// Opacity, 0 to 255. `height` 1 is the centre of a lone point, whose corners are a quarter.
fn opacity(height: f64, gain: f64) -> u8 {
    let base = 0.38 * height.min(1.0);
    let pile = gain * (1.0 + height).ln();
    ((base + pile).min(1.0) * 255.0).round() as u8
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const RED: Color = Color(200, 10, 10, 255);
    const BLUE: Color = Color(10, 10, 200, 255);

    fn pixels(item: &Item) -> (u32, u32, &[u8]) {
        match item {
            Item::Image { width, height, rgba, .. } => (*width, *height, rgba),
            _ => (0, 0, &[]),
        }
    }

    #[test]
    fn a_lone_point_is_visible_and_has_its_colour() {
        let mut d = Density::new([0.0, 0.0, 10.0, 8.0], 1.0);
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
        let mut d = Density::new([0.0, 0.0, 20.0, 20.0], 1.0);
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
        assert_eq!((d.peak(), at(4, 5), at(6, 6)[3]), (2000, at(6, 5), at(4, 4)[3]));
        assert_eq!(&at(4, 4)[..3], &[105, 10, 105]);
    }

    proptest! {
        #[test]
        fn counts_what_a_plain_count_counts(points in proptest::collection::vec((proptest::num::f32::ANY, -5.0..60.0f32), 0..50),
                                            inner in proptest::collection::vec((-5.0..60.0f32, -5.0..60.0f32), 0..50)) {
            let mut d = Density::new([2.0, 3.0, 50.0, 40.0], 1.0);
            let mut plain = vec![0u32; 50 * 40];
            let mut n = 0;
            for &(x, y) in points.iter().chain(&inner) {
                d.add(x, y, RED);
                if (2.0..52.0).contains(&x) && (3.0..43.0).contains(&y) {
                    plain[(y as usize - 3) * 50 + x as usize - 2] += 1;
                    n += 1;
                }
            }
            let counts = d.counts();
            prop_assert_eq!(counts.iter().sum::<u32>(), n);
            for y in 0..40 {
                for x in 0..50 {
                    prop_assert_eq!(counts[(y + 1) * 52 + x + 1], plain[y * 50 + x]);
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
            let mut d = Density::new([0.0, 0.0, a.clamp(-10.0, 300.0), b.clamp(-10.0, 300.0)], s);
            d.add(1.0, 1.0, RED);
            let item = d.image();
            let (w, h, rgba) = pixels(&item);
            prop_assert_eq!(rgba.len(), (w * h * 4) as usize);
        }
    }
}
