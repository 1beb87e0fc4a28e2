//! Sweeps over tiles, in sentences.

use gemmscope_analysis::tile_sweep::{
    FLAT_M, Influence, LITTLE, NoSweep, Sweep, SweepLine, TileSource,
};
use gemmscope_model::gemm::Problem;
use gemmscope_model::tiling::Axis;
use gemmscope_model::units::{capitalized, grouped, percent, plural};

/// From this share on, a value counts as the best one of every shape.
const ALWAYS: f64 = 0.9995;

/// Up to this many shapes, or settings, are named.
pub const NAMED: usize = 3;

/// The best setting over all shapes; for up to [`NAMED`] shapes the best of each.
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

/// The most influential settings other than the tile; `None` if none varies.
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
            // A value far from the best of some shape is not recommended for all.
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

/// Title of an empty map, with the reason.
pub fn no_map(why: &str) -> String {
    format!("No tile map. {why}")
}

/// Note on a file that states the best tile of each shape.
pub const STATED_BEST: &str = "No times: the file names the best tile of each shape.";
/// Note if the device is not stated and the chosen one is assumed.
pub const DEVICE_ASSUMED: &str = "Device not stated; the chosen one is assumed.";
/// Rule by which values of settings are compared.
pub const ALL_ELSE_EQUAL: &str = "Each value against the best one, all else equal.";

/// Best and worst value of the most influential setting.
pub fn largest_influence(of: &Influence) -> String {
    let (Some(best), Some(worst)) = (of.values.first(), of.values.last()) else {
        return String::new();
    };
    let name = &of.name;
    let mean = match of.shapes {
        1 => String::new(),
        n => format!(", in the geometric mean of {}", plural(n as u64, "shape")),
    };
    let which = match best.best > ALWAYS {
        true => format!("{name} {} is best", best.value),
        false => format!("{name} {} reaches {} of the best rate", best.value, percent(best.best)),
    };
    let count = plural(of.values.len() as u64, "value");
    format!("{which} of {count}, {} is worst at {}{mean}.", worst.value, percent(worst.best))
}

/// The fastest kernel of a shape.
pub fn fastest_kernel(of: &Problem, kernel: &str, rate: &str) -> String {
    let Problem { m, n, k, .. } = of;
    format!("Fastest kernel at {m} × {n} × {k}: {kernel}, {rate}.")
}

/// The part of a sweep that is shown.
pub fn part_shown(part: &Sweep, of: &Sweep) -> String {
    format!(
        "{} of {} shapes shown in {} of {} panels: choose a panel or filter; the CSV \
         has all.",
        grouped(part.count() as u64),
        grouped(of.count() as u64),
        part.panels.len(),
        of.panels.len()
    )
}

/// Shapes that are not drawn, since they have only one tile.
pub fn single_left_out(shapes: u64) -> String {
    format!("{} with one tile left out.", plural(shapes, "shape"))
}

/// Bounds of the tiles; `occur`: whether parallelism and memory bound any tile that is drawn.
pub fn limits(sweep: &Sweep, occur: [bool; 2]) -> Vec<String> {
    let mut units: Vec<String> = Vec::new();
    for (p, n) in sweep.panels.iter().filter_map(|p| Some((p, p.units?))) {
        let text = format!("{n} {}s of {}", p.unit_kind, p.device);
        if !units.contains(&text) {
            units.push(text);
        }
    }
    if units.is_empty() {
        return vec![
            "Choose a device to see what bounds each tile and the model's choice.".to_owned(),
        ];
    }
    // Compute-bound shapes get neither sentence.
    let few =
        format!("Fewer workgroups than compute units ({}): parallelism-bound.", units.join(", "));
    let flat = "Enough workgroups and below the ridge point: memory-bound.".to_owned();
    [few, flat].into_iter().zip(occur).filter(|(_, occurs)| *occurs).map(|(text, _)| text).collect()
}

/// Models that the marked tiles come from.
pub fn models(sweep: &Sweep) -> Option<String> {
    let lines = sweep.panels.iter().flat_map(|p| &p.lines);
    let modelled = lines.filter(|l| l.model.is_some());
    let is_flat = |l: &SweepLine| l.problem.m <= FLAT_M && sweep.axis == Axis::Bn;
    let (mut flat, mut other) = (false, false);
    modelled.for_each(|l| if is_flat(l) { flat = true } else { other = true });
    let flat = flat.then_some(
        "Model (flat GEMM): the widest BN up to 128 with as many workgroups as compute units, else the \
         narrowest.",
    );
    let other = other.then_some(
        "Model (shape roof): of the tiles within 10 % of the highest shape roof, the one with \
         least L2 traffic.",
    );
    let out: Vec<&str> = flat.into_iter().chain(other).collect();
    (!out.is_empty()).then(|| out.join(" "))
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
