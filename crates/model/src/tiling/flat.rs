//! Flat GEMM of the decode phase: M small and untiled, N divided by BN (FlashDecoding++, Hong et al., MLSys 2024,
//! section 4).
//!
//! A wide BN reads A less often; a narrow one gives more independent blocks. The model says which of the two limits a
//! shape, and which BN to take. It is shown beside measured results and never replaces them.

/// Widest BN that the model suggests. A wider one gains little and halves the parallelism again.
pub(crate) const WIDEST_TICK: u32 = 128;

/// What limits a flat GEMM in this model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Region {
    /// Fewer blocks than units.
    Parallelism,
    /// Enough blocks: memory traffic is the limit.
    Memory,
}

/// FLOP per element moved, `2 M K / (K + M K / BN + M)` (the paper's equation 5; N and BK
/// cancel). Divide by bytes per element for FLOP/byte.
///
/// ```
/// assert!((gemmscope_model::tiling::flat::ratio(8, 4096, 128) - 15.031).abs() < 5e-4);
/// ```
pub fn ratio(m: u32, k: u32, block_n: u32) -> f64 {
    let (m, k, block_n) = (f64::from(m), f64::from(k), f64::from(block_n));
    2.0 * m * k / (k + m * k / block_n + m)
}

/// Independent blocks, `N / BN`.
pub fn parallelism(n: u32, block_n: u32) -> f64 {
    f64::from(n) / f64::from(block_n)
}

/// Limited by parallelism if there are fewer blocks than `units`, else by memory.
pub fn region(n: u32, block_n: u32, units: u32) -> Region {
    if parallelism(n, block_n) < f64::from(units) { Region::Parallelism } else { Region::Memory }
}

/// The BN that the model suggests among `candidates`: the largest with `N / BN >= min_blocks` that is at most 128, or
/// the smallest if there is none. `None` without candidates. `min_blocks` is usually the device's number of units.
pub fn model_tick(n: u32, candidates: &[u32], min_blocks: u32) -> Option<u32> {
    let enough = |block: &u32| {
        *block > 0 && *block <= WIDEST_TICK && parallelism(n, *block) >= f64::from(min_blocks)
    };
    candidates
        .iter()
        .copied()
        .filter(enough)
        .max()
        .or_else(|| candidates.iter().copied().filter(|block| *block > 0).min())
}

#[cfg(test)]
mod tests {
    use super::*;

    const BLOCKS: [u32; 5] = [32, 64, 128, 256, 512];
    const ROWS: [u32; 9] = [1024, 2048, 4096, 8192, 16384, 32768, 65536, 131072, 262144];

    #[test]
    fn ratios_of_the_paper() {
        for (k, expected) in [
            (4096, [12.780, 14.198, 15.031, 15.486, 15.724]),
            (12288, [12.793, 14.214, 15.050, 15.505, 15.744]),
        ] {
            for (block, ratio_expected) in BLOCKS.into_iter().zip(expected) {
                let value = ratio(8, k, block);
                assert!((value - ratio_expected).abs() < 6e-4, "{k} {block} {value}");
                // The paper's unsimplified form: work / ((M BK + BN BK) x tiles + M N).
                let (n, block_k, m) = (8192.0, 64.0, 8.0);
                let tiles = n * f64::from(k) / (f64::from(block) * block_k);
                let traffic = (m * block_k + f64::from(block) * block_k) * tiles + m * n;
                let raw = 2.0 * m * n * f64::from(k) / traffic;
                assert!((raw / value - 1.0).abs() < 1e-12);
            }
        }
    }

    #[test]
    fn ticks_of_the_figure() {
        let k4096 = [32, 32, 32, 64, 128, 128, 128, 128, 128];
        let k12288 = [32, 32, 32, 32, 64, 64, 128, 128, 128];
        let hits = |ticks: [u32; 9], min_blocks| {
            ROWS.into_iter()
                .zip(ticks)
                .filter(|(n, tick)| model_tick(*n, &BLOCKS, min_blocks) == Some(*tick))
                .count()
        };
        assert_eq!(hits(k4096, 108), 9);
        assert_eq!(hits(k4096, 96), 9);
        assert_eq!(hits(k4096, 128), 9);
        assert_eq!(hits(k12288, 108), 6);
        assert_eq!(hits(k4096, 216), 7);
        assert_eq!(hits(k12288, 216), 8);
        // The one point that the model misses: the figure has 64.
        assert_eq!(model_tick(32768, &BLOCKS, 216), Some(128));
    }

    #[test]
    fn regions() {
        assert_eq!(region(1024, 32, 108), Region::Parallelism);
        assert_eq!(region(262144, 128, 108), Region::Memory);
        assert_eq!(parallelism(8192, 64), 128.0);
        assert_eq!(model_tick(4096, &[], 108), None);
        assert_eq!(model_tick(4096, &[0], 108), None);
    }
}
