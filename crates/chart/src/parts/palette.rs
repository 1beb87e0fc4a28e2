//! Colours: light and dark themes, categories that colour-blind readers can tell apart, and perceptually uniform maps
//! computed in OKLab.

use crate::scene::{Color, Symbol};
use gemmscope_analysis::ledger::Account;

const fn rgb(hex: u32) -> Color {
    Color((hex >> 16) as u8, (hex >> 8) as u8, hex as u8, 255)
}

/// Colours of a chart, matching the page.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Theme {
    /// Dark background.
    pub dark: bool,
    /// Behind everything.
    pub background: Color,
    /// Behind a plot.
    pub panel: Color,
    /// Main text.
    pub text: Color,
    /// Secondary text: ticks, titles, notes.
    pub muted: Color,
    /// Grid lines.
    pub grid: Color,
    /// Minor grid lines.
    pub grid_minor: Color,
    /// Axis lines and tick marks.
    pub axis: Color,
    /// Selection, focus, links.
    pub accent: Color,
    /// Warnings.
    pub warn: Color,
    /// Roof lines and their labels.
    pub roof: Color,
    /// Categories beyond the palette, missing values.
    pub other: Color,
    /// Colours of categories.
    pub categories: [Color; 8],
}

impl Default for Theme {
    fn default() -> Self {
        Theme::LIGHT
    }
}

impl Theme {
    /// Dark on white.
    pub const LIGHT: Theme = Theme {
        dark: false,
        background: rgb(0xf6f7f9),
        panel: rgb(0xffffff),
        text: rgb(0x1a1f26),
        muted: rgb(0x59626e),
        grid: rgb(0xe6e9ee),
        grid_minor: rgb(0xf2f4f7),
        axis: rgb(0x9aa3af),
        accent: rgb(0x0b5bd3),
        warn: rgb(0xb3400a),
        roof: rgb(0x39424e),
        other: rgb(0x848d99),
        categories: [
            rgb(0x2768a8),
            rgb(0xd37528),
            rgb(0x19946a),
            rgb(0xd56496),
            rgb(0x593298),
            rgb(0x7a6a00),
            rgb(0x8e1927),
            rgb(0x3479f9),
        ],
    };

    /// Light on near-black.
    pub const DARK: Theme = Theme {
        dark: true,
        background: rgb(0x0d1014),
        panel: rgb(0x13171d),
        text: rgb(0xe7eaee),
        muted: rgb(0x9ba5b3),
        grid: rgb(0x242b35),
        grid_minor: rgb(0x1a2028),
        axis: rgb(0x566170),
        accent: rgb(0x6fb3ff),
        warn: rgb(0xff9a66),
        roof: rgb(0xc3cad4),
        other: rgb(0x7d8795),
        categories: [
            rgb(0x3c7fff),
            rgb(0xe5941e),
            rgb(0x32a781),
            rgb(0xea69c9),
            rgb(0xf1e868),
            rgb(0xd55a33),
            rgb(0x78ebf4),
            rgb(0x90a7fd),
        ],
    };

    /// The theme of a colour scheme.
    pub fn of(dark: bool) -> Theme {
        if dark { Theme::DARK } else { Theme::LIGHT }
    }

    /// Colour and symbol of category `index`: eight colours as discs, then as squares, then as diamonds; beyond that
    /// grey.
    pub(crate) fn category(&self, index: usize) -> (Color, Symbol) {
        const SHAPES: [Symbol; 3] = [Symbol::Dot, Symbol::Square, Symbol::Diamond];
        match SHAPES.get(index / self.categories.len()) {
            Some(&symbol) => (self.categories[index % self.categories.len()], symbol),
            None => (self.other, Symbol::Dot),
        }
    }

    /// Colour of an account of the ledger, in every view; the same as in `style/tokens.css`.
    pub(crate) fn account(&self, account: Account) -> Color {
        rgb(if self.dark { account.dark_rgb() } else { account.light_rgb() })
    }

    /// Colour of a point that loses nothing, as far as known: that of the roof's time in a bar, dark enough for a dot.
    pub(crate) fn nothing_lost(&self) -> Color {
        rgb(if self.dark { 0x5a6d90 } else { 0x9aaecf })
    }

    /// Number of categories that can be told apart.
    pub(crate) const DISTINCT: usize = 24;
}

/// The colour with another opacity, 0 to 1.
pub(crate) fn alpha(c: Color, a: f64) -> Color {
    let a = if a.is_finite() { a.clamp(0.0, 1.0) } else { 1.0 };
    Color(c.0, c.1, c.2, (f64::from(c.3) * a).round() as u8)
}

fn linear(v: u8) -> f64 {
    let v = f64::from(v) / 255.0;
    if v <= 0.04045 { v / 12.92 } else { ((v + 0.055) / 1.055).powf(2.4) }
}

fn gamma(v: f64) -> u8 {
    let v = v.clamp(0.0, 1.0);
    let v = if v <= 0.003_130_8 { v * 12.92 } else { 1.055 * v.powf(1.0 / 2.4) - 0.055 };
    (v * 255.0).round() as u8
}

/// Contrast ratio of two opaque colours (WCAG 2), 1 to 21.
pub(crate) fn contrast(a: Color, b: Color) -> f64 {
    let lum = |c: Color| 0.2126 * linear(c.0) + 0.7152 * linear(c.1) + 0.0722 * linear(c.2);
    let (x, y) = (lum(a), lum(b));
    (x.max(y) + 0.05) / (x.min(y) + 0.05)
}

/// Black or white, whichever has more contrast on a colour.
pub(crate) fn on(c: Color) -> Color {
    let (dark, light) = (rgb(0x10141a), rgb(0xffffff));
    if contrast(c, dark) >= contrast(c, light) { dark } else { light }
}

/// sRGB to OKLab: lightness, green-red, blue-yellow.
pub(crate) fn oklab(c: Color) -> [f64; 3] {
    let (r, g, b) = (linear(c.0), linear(c.1), linear(c.2));
    let l = (0.412_221_470_8 * r + 0.536_332_536_3 * g + 0.051_445_992_9 * b).cbrt();
    let m = (0.211_903_498_2 * r + 0.680_699_545_1 * g + 0.107_396_956_6 * b).cbrt();
    let s = (0.088_302_461_9 * r + 0.281_718_837_6 * g + 0.629_978_700_5 * b).cbrt();
    [
        0.210_454_255_3 * l + 0.793_617_785_0 * m - 0.004_072_046_8 * s,
        1.977_998_495_1 * l - 2.428_592_205_0 * m + 0.450_593_709_9 * s,
        0.025_904_037_1 * l + 0.782_771_766_2 * m - 0.808_675_766_0 * s,
    ]
}

/// OKLab to sRGB, clamped to the gamut.
pub(crate) fn from_oklab([l0, a, b]: [f64; 3]) -> Color {
    let l = (l0 + 0.396_337_777_4 * a + 0.215_803_757_3 * b).powi(3);
    let m = (l0 - 0.105_561_345_8 * a - 0.063_854_172_8 * b).powi(3);
    let s = (l0 - 0.089_484_177_5 * a - 1.291_485_548_0 * b).powi(3);
    Color(
        gamma(4.076_741_662_1 * l - 3.307_711_591_3 * m + 0.230_969_929_2 * s),
        gamma(-1.268_438_004_6 * l + 2.609_757_401_1 * m - 0.341_319_396_5 * s),
        gamma(-0.004_196_086_3 * l - 0.703_418_614_7 * m + 1.707_614_701_0 * s),
        255,
    )
}

/// Two colours mixed in OKLab; `t` 0 is the first.
pub(crate) fn mix(a: Color, b: Color, t: f64) -> Color {
    let (x, y) = (oklab(a), oklab(b));
    let t = if t.is_finite() { t.clamp(0.0, 1.0) } else { 0.0 };
    let Color(r, g, bl, _) = from_oklab([0, 1, 2].map(|i| x[i] + (y[i] - x[i]) * t));
    let al = f64::from(a.3) + (f64::from(b.3) - f64::from(a.3)) * t;
    Color(r, g, bl, al.round() as u8)
}

/// Sequential map from low (0) to high (1): dark violet-blue over teal to light yellow, with lightness rising linearly.
pub(crate) fn sequential(t: f64) -> Color {
    // Lightness 0.30, 0.46, 0.62, 0.78, 0.94 in OKLab.
    const STOPS: [[f64; 3]; 5] = [
        [0.30, 0.030, -0.110],
        [0.46, -0.035, -0.085],
        [0.62, -0.095, -0.005],
        [0.78, -0.085, 0.100],
        [0.94, -0.020, 0.130],
    ];
    let t = if t.is_nan() { 0.0 } else { t.clamp(0.0, 1.0) } * 4.0;
    let i = (t.floor() as usize).min(3);
    let f = t - i as f64;
    from_oklab([0, 1, 2].map(|k| STOPS[i][k] + (STOPS[i + 1][k] - STOPS[i][k]) * f))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_reads_on_every_surface() {
        for t in [Theme::LIGHT, Theme::DARK] {
            for surface in [t.background, t.panel] {
                for c in [t.text, t.muted, t.accent, t.warn, t.roof] {
                    assert!(contrast(c, surface) >= 4.5, "{c:?} on {surface:?}");
                }
                for c in t.categories.into_iter().chain([t.other]) {
                    assert!(
                        contrast(c, surface) >= 2.8,
                        "{c:?} on {surface:?}: {}",
                        contrast(c, surface)
                    );
                }
            }
        }
    }

    #[test]
    fn accounts_have_the_colours_that_the_page_has() {
        let page = include_str!("../../../../style/tokens.css");
        let of = |account: Account| {
            let token = format!("--account-{}: #", account.key().replace('_', "-"));
            let found = page.split(&token).skip(1).map(|rest| rest[..6].to_owned());
            found.collect::<Vec<_>>()
        };
        for account in Account::ALL {
            let [light, dark] = [Theme::LIGHT, Theme::DARK].map(|t| {
                let Color(r, g, b, _) = t.account(account);
                format!("{r:02x}{g:02x}{b:02x}")
            });
            // The dark colours occur twice: for the system's theme and for the chosen one.
            assert_eq!(of(account), [light, dark.clone(), dark], "{account:?}");
            let rule = format!("[data-account=\"{}\"]", account.key());
            assert!(include_str!("../../../../style/views.css").contains(&rule), "{rule}");
        }
    }

    /// Simulates colour blindness, severity 1 (Machado, Oliveira, Fernandes 2009).
    fn seen(c: Color, m: &[[f64; 3]; 3]) -> [f64; 3] {
        let v = [linear(c.0), linear(c.1), linear(c.2)];
        let o = m.map(|r| r[0] * v[0] + r[1] * v[1] + r[2] * v[2]);
        oklab(Color(gamma(o[0]), gamma(o[1]), gamma(o[2]), 255))
    }

    #[test]
    fn colours_differ_for_colour_blind_readers() {
        let full = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
        let protan = [
            [0.152286, 1.052583, -0.204868],
            [0.114503, 0.786281, 0.099216],
            [-0.003882, -0.048116, 1.051998],
        ];
        let deutan = [
            [0.367322, 0.860646, -0.227968],
            [0.280085, 0.672501, 0.047413],
            [-0.011820, 0.042940, 0.968881],
        ];
        for theme in [Theme::LIGHT, Theme::DARK] {
            let accounts = Account::ALL.map(|a| theme.account(a));
            // The first two share a colour; accounts that are no loss are never shown beside categories.
            let (bars, lost) = (&accounts[1..], &accounts[2..10]);
            for (kind, m, [category, account, apart]) in [
                ("full", full, [0.12, 0.08, 0.07]),
                ("protan", protan, [0.07, 0.06, 0.045]),
                ("deutan", deutan, [0.07, 0.06, 0.045]),
            ] {
                let differ = |a: &[Color], b: &[Color], least: f64| {
                    for (a, b) in a.iter().flat_map(|a| b.iter().map(move |b| (a, b))) {
                        let (x, y) = (seen(*a, &m), seen(*b, &m));
                        let d = (0..3).map(|k| (x[k] - y[k]).powi(2)).sum::<f64>().sqrt();
                        assert!(std::ptr::eq(a, b) || d > least, "{kind} {a:?} {b:?}: {d:.3}");
                    }
                };
                differ(&theme.categories, &theme.categories, category);
                differ(bars, bars, account);
                differ(lost, &theme.categories, apart);
            }
        }
    }

    #[test]
    fn olive_and_green_are_colours_of_categories_alone() {
        for theme in [Theme::LIGHT, Theme::DARK] {
            for account in Account::ALL {
                let [_, a, b] = oklab(theme.account(account));
                let hue = b.atan2(a).to_degrees().rem_euclid(360.0);
                assert!(a.hypot(b) < 0.03 || !(88.0..182.0).contains(&hue), "{account:?} {hue}");
            }
        }
    }

    #[test]
    fn maps_are_even_and_total() {
        let l: Vec<f64> = (0..=20).map(|i| oklab(sequential(f64::from(i) / 20.0))[0]).collect();
        for w in l.windows(2) {
            assert!((w[1] - w[0] - 0.032).abs() < 0.012, "{:?}", w);
        }
        for t in [f64::NAN, f64::INFINITY, -5.0, 5.0] {
            let _ = sequential(t);
        }
        let back = from_oklab(oklab(Color(12, 200, 99, 255)));
        assert_eq!(back, Color(12, 200, 99, 255));
        assert_eq!(Theme::LIGHT.category(8).1, Symbol::Square);
        assert_eq!(Theme::LIGHT.category(999).0, Theme::LIGHT.other);
    }
}
