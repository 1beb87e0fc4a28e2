//! The roof of a row's tile, in a sentence.

use gemmscope_analysis::names::roof_name;
use gemmscope_analysis::tile_roof::{
    AT_ROOF, LATENCY, Limit, NoWaves, OVER_TILE_ROOF, RowTile, SplitK,
};
use gemmscope_model::units::{FlopsPerSec, plural, rounded_percent};

/// Definition of tile efficiency.
pub const TILE_EFFICIENCY: &str =
    "Share of the covered area that is part of C: tiles that stick out compute nothing useful.";

/// Definition of wave efficiency.
pub const WAVE_EFFICIENCY: &str =
    "Share of the device that has work, averaged over the waves: the last one is rarely full.";

/// The roof of the tile, the measured rate, and advice.
pub fn sentence(of: &RowTile) -> String {
    let attained = FlopsPerSec(of.attained_flops_per_s);
    let (Some(waves), Some(bound), Some((units, kind))) = (of.waves, of.bound, &of.units) else {
        let why = of.no_waves.map_or("the device has no peak for this type", no_waves);
        return format!("Tile {}. Its waves are not known: {why}.", of.tile);
    };
    let roof = bound.roof;
    let share = of.attained_flops_per_s / roof.flops_per_s;
    let allowed = FlopsPerSec(roof.flops_per_s);
    if bound.memory_limited {
        if share < LATENCY {
            return format!(
                "Measured: {attained}, {} of the {allowed} that memory allows. The call takes far \
                 longer than its traffic: launch and latency weigh most.",
                rounded_percent(share),
            );
        }
        return format!(
            "Memory limits this shape with any tile. Measured: {attained}, {} of the {allowed} \
             that memory allows. Less traffic helps, or a kernel that uses more of the \
             bandwidth.",
            rounded_percent(share),
        );
    }
    let limit = of.limit();
    let why = match limit {
        Limit::SplitK | Limit::FewWorkgroups => {
            format!("{} for {units} {kind}s", plural(waves.workgroups, "workgroup"))
        }
        Limit::TailWave => format!(
            "{} workgroups on {units} {kind}s, which makes {} waves with a partial last one",
            waves.workgroups, waves.waves
        ),
        Limit::TilePadding => match of.fill {
            Some(fill) => format!(
                "The groups fill {} of the rows of their tiles of {}x{}",
                rounded_percent(fill),
                of.tile.m,
                of.tile.n
            ),
            None => format!("Tiles of {}x{} reach past the output", of.tile.m, of.tile.n),
        },
        Limit::Memory | Limit::Kernel => "Tile and waves fit".to_owned(),
    };
    let measured = format!("Measured: {attained}, {} of that.", rounded_percent(share));
    if share > OVER_TILE_ROOF {
        return format!(
            "{why}: at most {allowed}. {measured} So tile, split-K or the number of {kind}s is \
             not what is assumed here."
        );
    }
    let caution = match of.split_k {
        SplitK::AtRunTime => " The kernel chooses its split-K when launched; 1 is assumed here.",
        _ => "",
    };
    let at_device = of.attained_flops_per_s >= AT_ROOF * roof.device_flops_per_s;
    format!(
        "{why}: at most {allowed}, {} of the {}. {measured} {}{caution}",
        rounded_percent(roof.flops_per_s / roof.device_flops_per_s),
        roof_name(of.kind),
        advice(limit, share >= AT_ROOF, at_device),
    )
}

fn no_waves(why: NoWaves) -> &'static str {
    match why {
        NoWaves::StreamK => "a stream-K kernel has no partial last wave",
        NoWaves::Persistent => {
            "a persistent kernel has one workgroup per unit, which computes several tiles"
        }
        NoWaves::UnitsUnknown => "the number of units of the device is not known",
    }
}

/// Advice for a kernel at or below the roof of its tile, and of the device.
fn advice(limit: Limit, at_roof: bool, at_device: bool) -> String {
    let first = match limit {
        Limit::SplitK => "Use more split-K",
        Limit::FewWorkgroups => "Use smaller tiles, or batch",
        Limit::TilePadding => "Use a tile that fits",
        Limit::TailWave => "Use a tile that fills the last wave, or stream-K",
        Limit::Memory | Limit::Kernel if at_device => return "Little is left to gain.".to_owned(),
        Limit::Memory | Limit::Kernel => {
            return "The rest is lost in the kernel, or to a lower clock.".to_owned();
        }
    };
    match at_roof {
        true => format!("{first}; a better kernel would not help."),
        false => format!("{first}; the kernel can improve too."),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gemmscope_analysis::tile_roof::TileRoofs;
    use gemmscope_model::dtype::DataType;
    use gemmscope_model::gemm::Operation;
    use gemmscope_table::dataset::ColumnMeaning;
    use gemmscope_table::fixture::Rows;

    /// The sentence about one kernel on an MI300X.
    fn said(shape: (u32, u32, u32), time_s: f64, kernel: &str) -> String {
        let mut t = Rows::new();
        let column = t.table().text_column(ColumnMeaning::Kernel, "kernel");
        t.table().set_text(column, kernel.as_bytes());
        t.typed(shape, Operation::uniform(DataType::Bf16), "", time_s, "");
        let frame = t.frame(Some("mi300x"));
        sentence(&TileRoofs::new(&frame.data, &frame.metrics).of(0).expect("a tile"))
    }

    #[test]
    fn few_tiles_need_split_k() {
        let name = "Cijk_Ailk_Bljk_BBS_BH_MT256x128x64_MI16x16x16x1_GSU2_GSUAMB_ISA942";
        let text = said((256, 512, 131072), 1089e-6, name);
        assert!(text.starts_with("8 workgroups for 304 CUs: at most 34.4"), "{text}");
        assert!(
            text.ends_with("92 % of that. Use more split-K; the kernel can improve too."),
            "{text}"
        );
        // 34.36 GFLOP / 34.41 TFLOP/s = 998.5 µs at the roof of the tile.
        for (share, kernel) in [(0.949, "the kernel can improve too."), (0.951, "would not help.")]
        {
            let text = said((256, 512, 131072), 998.6e-6 / share, name);
            assert!(text.ends_with(kernel), "{text}");
        }
    }

    #[test]
    fn little_is_left_only_near_the_roof() {
        // 1.0995 PFLOP at 1307.4 TFLOP/s, in 32 x 38 whole tiles: 4 waves on 304 CUs.
        let name = "Cijk_Ailk_Bljk_BBS_BH_MT256x256x64_MI16x16x16x1_ISA942";
        let roof_s = 2.0 * 8192.0 * 9728.0 * 8192.0 / 1307.4e12;
        for (share, words) in
            [(0.94, "The rest is lost in the kernel"), (0.96, "Little is left to gain.")]
        {
            let text = said((8192, 9728, 8192), roof_s / share, name);
            assert!(text.contains(words), "{text}");
        }
    }

    #[test]
    fn other_limits() {
        let padded = "Cijk_Ailk_Bljk_BBS_BH_MT128x64x64_MI32x32x8x1_ISA942";
        let text = said((1025, 1025, 8192), 107.1e-6, padded);
        assert!(text.ends_with("the kernel can improve too."), "{text}");
        let flat = "Cijk_Ailk_Bljk_HHS_BH_MT64x128x32_MI16x16x16x1_ISA942";
        let text = said((131072, 32, 32), 13.5e-6, flat);
        assert!(text.starts_with("Memory limits this shape"), "{text}");
        let shared = "Cijk_Alik_Bljk_BBS_BH_UserArgs_MT256x256x64_MI16x16x1_SK3_ISA950";
        let text = said((4096, 4096, 4096), 300e-6, shared);
        assert!(text.contains("stream-K"), "{text}");
    }
}
