//! What a sweep over tiles shows, in sentences.

use gemmscope_analysis::tile_sweep::{Influence, LITTLE, NoSweep, Sweep, TileSource};
use gemmscope_model::gemm::Problem;
use gemmscope_model::tiling::Axis;
use gemmscope_model::units::{capitalized, grouped, percent, plural};

/// Up to so many shapes, or settings, are named.
pub const NAMED: usize = 3;

/// The best setting of all shapes together; of up to [`NAMED`] shapes the best of each.
pub fn headline(sweep: &Sweep) -> String {
    let what = match sweep.source {
        TileSource::BestColumn => ", as stated",
        TileSource::Columns => "",
        TileSource::KernelNames => ", tiles from kernel names",
    };
    let axis = sweep.axis.label();
    let with = |label: &str| match sweep.axis {
        Axis::Bn | Axis::Bm | Axis::BmBn | Axis::Bk => format!("Tile {axis} = {label}"),
        Axis::SplitK | Axis::Stages | Axis::Warps => format!("{} = {label}", capitalized(axis)),
    };
    let single = sweep.single_choice();
    let mut text = match sweep.count() {
        2.. if let Some(c) = single.as_ref().filter(|c| c.best == c.shapes) => format!(
            "{} is within 2 % of the fastest on {}{what}",
            with(&c.label),
            match c.shapes {
                2 => "both shapes".to_owned(),
                n => format!("all {} shapes", grouped(n as u64)),
            }
        ),
        1..=NAMED => format!("Best {axis}: {}{what}", winners(sweep).join(", ")),
        n => match single {
            Some(c) if c.for_all() => format!(
                "{} is the best single choice{what}: {} of the best rate on average, within \
                 2 % of it on {} of {}",
                with(&c.label),
                percent(c.share),
                grouped(c.best as u64),
                plural(c.shapes as u64, "shape")
            ),
            Some(c) => format!(
                "{} is within 2 % of the fastest on {} of the {} that tried it, of {} in all{what}",
                with(&c.label),
                grouped(c.best as u64),
                plural(c.ran as u64, "shape"),
                grouped(n as u64)
            ),
            None => format!("Best {axis} of {}{what}", plural(n as u64, "shape")),
        },
    };
    if sweep.agreement.1 > 0 {
        text.push_str(&format!(
            ". The model's pick of {axis} is the best measured in {} of {}",
            grouped(sweep.agreement.0),
            grouped(sweep.agreement.1)
        ));
    }
    if sweep.model_reaches.is_finite() {
        text.push_str(&format!(
            "; its picks reach {} of the best rate",
            percent(sweep.model_reaches)
        ));
    }
    text.push('.');
    text
}

/// The best setting of each shape: `64 for 384 × 3072 × 1024`.
fn winners(sweep: &Sweep) -> Vec<String> {
    let mut out = Vec::new();
    for panel in &sweep.panels {
        for line in &panel.lines {
            let Problem { m, n, k, .. } = line.problem;
            let best = line.best.map_or("unknown".to_owned(), |i| panel.column_label(i));
            let alike = match line.about_best() {
                0 | 1 => String::new(),
                n => format!(" ({} within 2 %)", plural(n as u64 - 1, "other")),
            };
            out.push(format!("{best}{alike} for {m} × {n} × {k}"));
        }
    }
    out
}

/// The settings other than the tile that matter most; `None` where none varies.
pub fn influences(influences: &[Influence]) -> Option<String> {
    influences.first()?;
    let told: Vec<String> = influences
        .iter()
        .filter(|i| i.spread() > LITTLE)
        .take(NAMED)
        .filter_map(|i| {
            let (best, worst) = (i.values.first()?, i.values.last()?);
            let name = &i.name;
            let set = if i.values.len() == 2 { "pair" } else { "set" };
            let sets = plural(u64::from(i.sets), set);
            let on = format!("{sets} on {}", plural(i.shapes as u64, "shape"));
            let reach = format!("{} reaches {} of the best rate", worst.value, percent(worst.best));
            // A value that is far from the best of some shape is no choice for all.
            Some(match 1.0 - best.best > LITTLE {
                true => format!(
                    "choose {name} by shape (always {} reaches {}, always {reach}, {on})",
                    best.value,
                    percent(best.best)
                ),
                false => format!("{name} {} is best ({reach}, {on})", best.value),
            })
        })
        .collect();
    Some(match told.is_empty() {
        true => {
            "No other setting changes the best rate by more than 5 %, all else equal.".to_owned()
        }
        false => format!(
            "The other settings, all else equal, in the geometric mean: {}.",
            told.join("; ")
        ),
    })
}

/// Why there is no sweep to show.
pub fn no_sweep(why: &NoSweep) -> String {
    match why {
        NoSweep::NoTiles => "No tiles: the tile map needs columns such as tile_m and tile_n, or \
            tiles in kernel names."
            .to_owned(),
        NoSweep::SingleTile(source, n) => {
            let named = match source {
                TileSource::KernelNames => " (from the kernel's name)",
                _ => "",
            };
            let of = match n {
                1 => String::new(),
                n => format!(" for each of {}", plural(*n, "shape")),
            };
            format!("Only one tile{named} was measured{of}: measure several to see which is best.")
        }
        NoSweep::TileIsShape(n) => {
            format!(
                "The tile is as wide as N in all {}: keep N and vary tile_n.",
                plural(*n, "row")
            )
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gemmscope_analysis::tile_sweep;
    use gemmscope_table::dataset::ColumnMeaning;
    use gemmscope_table::fixture::Rows;

    /// The sentence about kernels of one or more shapes: name, K and time in µs.
    fn said(kernels: &[(String, u32, f64)]) -> Option<String> {
        let mut rows = Rows::new();
        let column = rows.table().text_column(ColumnMeaning::Kernel, "kernel");
        for (kernel, k, us) in kernels {
            rows.table().set_text(column, kernel.as_bytes());
            rows.row((512, 512, *k), "", us * 1e-6, "");
        }
        influences(&tile_sweep::influences(&rows.frame(None), Axis::Bn))
    }

    #[test]
    fn the_settings_that_change_most_are_named() {
        let mut kernels = Vec::new();
        for (wgm, by_wgm) in [(1, 1.0), (8, 1.1)] {
            for (vw, by_vw) in [(2, 2.0), (4, 1.0)] {
                for (tt, by_tt) in [("4_4", 1.0), ("8_8", 1.5)] {
                    let kernel = format!("Cijk_MT64x64x8_TT{tt}_VW{vw}_WGM{wgm}");
                    kernels.push((kernel, 512, 10.0 * by_wgm * by_vw * by_tt));
                }
            }
        }
        assert_eq!(
            said(&kernels).as_deref(),
            Some(
                "The other settings, all else equal, in the geometric mean: VW 4 is best (2 reaches \
                 50.0 % of the best rate, 4 pairs on 1 shape); TT 4_4 is best (8_8 reaches 66.7 % of the \
                 best rate, 4 pairs on 1 shape); WGM 1 is best (8 reaches 90.9 % of the best rate, 4 pairs \
                 on 1 shape)."
            )
        );
        assert_eq!(said(&[]), None);
    }

    #[test]
    fn a_value_that_suits_shapes_differently_is_told_with_averages() {
        let of = |vw: u32, k: u32, us: f64| (format!("Cijk_MT64x64x8_VW{vw}"), k, us);
        let kernels = [of(2, 512, 10.0), of(4, 512, 12.5), of(2, 1024, 12.5), of(4, 1024, 10.0)];
        assert_eq!(
            said(&kernels).as_deref(),
            Some(
                "The other settings, all else equal, in the geometric mean: choose VW by shape (always 2 \
                 reaches 89.4 %, always 4 reaches 89.4 % of the best rate, 2 pairs on 2 shapes)."
            )
        );
    }
}
