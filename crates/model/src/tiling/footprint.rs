//! On-chip memory of a tile: shared memory for the operands, registers for the accumulator.

use super::Tile;
use crate::gemm::Operation;
use crate::hardware::Device;
use crate::units::Bytes;

/// On-chip memory of one workgroup.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Footprint {
    /// One stage of A: `BM BK s_a` bytes.
    pub a_bytes: f64,
    /// One stage of B: `BK BN s_b` bytes.
    pub b_bytes: f64,
    /// The accumulator: `BM BN` elements of 4 bytes (more for fp64 and complex types).
    pub accumulator_bytes: f64,
    /// Pipeline stages kept in shared memory at once.
    pub stages: u32,
    /// `stages (A + B)`.
    pub shared_bytes: f64,
    /// `warps x lanes`.
    pub threads: u32,
    /// 32-bit registers per thread for the accumulator alone, without operands and addresses.
    pub accumulator_registers_per_thread: f64,
}

/// A limit of the device that a workgroup exceeds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Overflow {
    /// The stages exceed the shared memory (LDS) of a block.
    SharedMemory {
        /// Bytes needed.
        needed: f64,
        /// Bytes a block may use.
        limit: f64,
    },
    /// The accumulator alone exceeds the registers of a thread, so it spills to memory.
    RegistersPerThread {
        /// Registers per thread.
        needed: f64,
        /// Limit of the architecture.
        limit: u32,
    },
    /// The accumulator exceeds the register file of a unit.
    RegisterFile {
        /// Bytes needed.
        needed: f64,
        /// Bytes of the register file.
        limit: f64,
    },
    /// More threads than a block may have.
    Threads {
        /// Warps x lanes.
        needed: u32,
        /// Maximum of a block.
        limit: u32,
    },
}

/// A risk of a tile that exceeds no limit for certain.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Caution {
    /// The stages exceed the shared memory with one buffer each, and fit with one buffer less. Compilers do either:
    /// Triton 2 allocated all of them (triton-lang/triton, pull request 1561), newer versions lower a loop of S stages
    /// to S - 1 buffers (test/TritonGPU/pipeline-lower-loop.mlir).
    OneBufferLess {
        /// Bytes with one buffer per stage.
        needed: f64,
        /// Bytes with one buffer less.
        less: f64,
        /// Bytes a block may use.
        limit: f64,
    },
    /// The accumulator takes most of a thread's registers.
    FewRegistersLeft {
        /// Registers per thread.
        needed: f64,
        /// Maximum of a thread.
        limit: u32,
    },
}

impl Caution {
    /// The caution as a sentence without a full stop.
    pub fn sentence(&self) -> String {
        match self {
            Self::OneBufferLess { needed, less, limit } => format!(
                "exceeds the {} of shared memory per workgroup if every stage has a buffer ({}); \
                 fits with one less ({})",
                Bytes(*limit).to_iec(),
                Bytes(*needed).to_iec(),
                Bytes(*less).to_iec()
            ),
            Self::FewRegistersLeft { needed, limit } => format!(
                "the accumulator takes {needed:.0} of {limit} registers per thread: little is \
                 left for operands and addresses"
            ),
        }
    }
}

/// Fraction of the registers from which on the accumulator leaves too few for operands.
const MANY_REGISTERS: f64 = 0.75;

/// Resource that limits occupancy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OccupancyLimit {
    /// Shared memory or LDS.
    SharedMemory,
    /// The register file.
    Registers,
    /// Threads that a unit can hold.
    Threads,
}

/// Resident workgroups per unit, from the needs of accumulator and stages alone: an upper bound, since kernels need
/// more registers than that.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Occupancy {
    /// Blocks per unit; 0 if not even one fits.
    pub blocks: u32,
    /// Resource that limits occupancy.
    pub limited_by: OccupancyLimit,
}

/// Maximum threads per block, the same on every architecture of the catalogue.
const THREADS_PER_BLOCK: u32 = 1024;

impl Footprint {
    /// Footprint of a tile with `stages` stages in shared memory and `warps` warps of `lanes` lanes. `None` if BK is
    /// unknown or a count is zero.
    ///
    /// ```
    /// use gemmscope_model::dtype::DataType;
    /// use gemmscope_model::gemm::Operation;
    /// use gemmscope_model::tiling::{Footprint, Tile};
    /// let tile = Tile { m: 256, n: 128, k: Some(64) };
    /// let print = Footprint::new(tile, &Operation::uniform(DataType::Fp16), 4, 16, 32);
    /// assert_eq!(print.map(|p| p.shared_bytes), Some(192.0 * 1024.0));
    /// ```
    pub fn new(tile: Tile, op: &Operation, stages: u32, warps: u32, lanes: u32) -> Option<Self> {
        let depth = tile.k?;
        if [tile.m, tile.n, depth, stages, warps, lanes].contains(&0) {
            return None;
        }
        let (m, n, k) = (f64::from(tile.m), f64::from(tile.n), f64::from(depth));
        let a_bytes = m * k * op.a.bytes();
        let b_bytes = k * n * op.b.bytes();
        let accumulator_bytes = m * n * op.compute.default_accumulate().bytes();
        let threads = warps.saturating_mul(lanes);
        Some(Self {
            a_bytes,
            b_bytes,
            accumulator_bytes,
            stages,
            shared_bytes: f64::from(stages) * (a_bytes + b_bytes),
            threads,
            accumulator_registers_per_thread: accumulator_bytes / 4.0 / f64::from(threads),
        })
    }

    /// Bytes of one stage of both operands plus the accumulator.
    pub fn total_bytes(&self) -> f64 {
        self.a_bytes + self.b_bytes + self.accumulator_bytes
    }

    /// Device limits that the tile exceeds. Unknown limits are not checked.
    pub(crate) fn overflows(&self, device: &Device) -> Vec<Overflow> {
        let mut overflows = Vec::new();
        if let Some(limit) = shared_limit(device)
            && self.least_shared_bytes() > limit
        {
            overflows.push(Overflow::SharedMemory { needed: self.least_shared_bytes(), limit });
        }
        let limit = self.registers_limit(device);
        match device.registers_bytes_per_unit {
            Some(file) if self.accumulator_bytes > file => {
                overflows
                    .push(Overflow::RegisterFile { needed: self.accumulator_bytes, limit: file });
            }
            // At the limit exactly, no register is left for the operands.
            _ if self.accumulator_registers_per_thread >= f64::from(limit) => {
                overflows.push(Overflow::RegistersPerThread {
                    needed: self.accumulator_registers_per_thread,
                    limit,
                });
            }
            _ => {}
        }
        if self.threads > THREADS_PER_BLOCK {
            overflows.push(Overflow::Threads { needed: self.threads, limit: THREADS_PER_BLOCK });
        }
        overflows
    }

    /// Bytes of shared memory if the compiler gives the last stage no buffer.
    fn least_shared_bytes(&self) -> f64 {
        let one = self.a_bytes + self.b_bytes;
        self.shared_bytes - if self.stages > 1 { one } else { 0.0 }
    }

    /// Maximum registers per thread of this block: the architecture's limit, or its part of the register file if
    /// smaller.
    pub fn registers_limit(&self, device: &Device) -> u32 {
        let named = registers_per_thread(device);
        let file = device.registers_bytes_per_unit.unwrap_or(f64::INFINITY);
        let part = file / 4.0 / f64::from(self.threads.max(1));
        if part < f64::from(named) { part as u32 } else { named }
    }

    /// Risks although no limit is exceeded for certain.
    pub fn cautions(&self, device: &Device) -> Vec<Caution> {
        let mut out = Vec::new();
        if let Some(limit) = shared_limit(device) {
            let less = self.least_shared_bytes();
            if self.shared_bytes > limit && less <= limit {
                out.push(Caution::OneBufferLess { needed: self.shared_bytes, less, limit });
            }
        }
        let limit = self.registers_limit(device);
        let needed = self.accumulator_registers_per_thread;
        if needed >= MANY_REGISTERS * f64::from(limit) && needed < f64::from(limit) {
            out.push(Caution::FewRegistersLeft { needed, limit });
        }
        out
    }

    /// Resident blocks per unit. `None` if the device's shared memory and register file are both unknown.
    pub(crate) fn occupancy(&self, device: &Device) -> Option<Occupancy> {
        let fit = |available: Option<f64>, needed: f64| {
            available.map(|bytes| if needed > 0.0 { bytes / needed } else { f64::INFINITY })
        };
        // A block that fits only with one buffer less runs with one buffer less.
        let least = shared_limit(device).is_some_and(|limit| self.shared_bytes > limit);
        let buffers = if least { self.least_shared_bytes() } else { self.shared_bytes };
        let shared = fit(device.shared_bytes_per_unit, buffers);
        let registers = fit(device.registers_bytes_per_unit, self.accumulator_bytes);
        if shared.is_none() && registers.is_none() {
            return None;
        }
        let threads = f64::from(threads_per_unit(device)) / f64::from(self.threads.max(1));
        let (limited_by, blocks) = [
            (OccupancyLimit::SharedMemory, shared),
            (OccupancyLimit::Registers, registers),
            (OccupancyLimit::Threads, Some(threads)),
        ]
        .into_iter()
        .filter_map(|(limit, blocks)| Some((limit, blocks?.floor())))
        .min_by(|a, b| a.1.total_cmp(&b.1))?;
        // Float to int saturates: a tiny tile gives u32::MAX, not 0.
        let blocks = blocks as u32;
        let blocks = if self.overflows(device).is_empty() { blocks } else { 0 };
        Some(Occupancy { blocks, limited_by })
    }
}

impl Overflow {
    /// The overflow as a sentence without a full stop.
    pub fn sentence(&self) -> String {
        match self {
            Self::SharedMemory { needed, limit } => format!(
                "the stages take {} of shared memory even with one buffer less, a workgroup has {}",
                Bytes(*needed).to_iec(),
                Bytes(*limit).to_iec()
            ),
            Self::RegistersPerThread { needed, limit } => format!(
                "the accumulator takes {needed:.0} registers per thread, the limit is {limit}, \
                 and operands need some too: it spills"
            ),
            Self::RegisterFile { needed, limit } => format!(
                "the accumulator takes {}, the register file has {}",
                Bytes(*needed).to_iec(),
                Bytes(*limit).to_iec()
            ),
            Self::Threads { needed, limit } => {
                format!("the block has {needed} threads, the limit is {limit}")
            }
        }
    }
}

fn shared_limit(device: &Device) -> Option<f64> {
    device.shared_bytes_per_block.or(device.shared_bytes_per_unit)
}

/// Registers per thread: 255 on NVIDIA; a CDNA lane has 256 vector and 256 accumulation registers.
fn registers_per_thread(device: &Device) -> u32 {
    if device.vendor == "AMD" { 512 } else { 255 }
}

/// Resident threads of a unit: 1536 on compute capability 8.9 and 12.0, else 2048 (CUDA C++
/// Programming Guide, technical specifications; CDNA holds 32 waves of 64).
fn threads_per_unit(device: &Device) -> u32 {
    match device.arch_token.as_str() {
        "sm_89" | "sm_120" => 1536,
        _ => 2048,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dtype::DataType;
    use crate::hardware::by_id;
    use proptest::prelude::*;

    const KIB: f64 = 1024.0;

    fn print(m: u32, n: u32, k: u32, stages: u32, warps: u32) -> Footprint {
        let tile = Tile { m, n, k: Some(k) };
        Footprint::new(tile, &Operation::uniform(DataType::Fp16), stages, warps, 32).unwrap()
    }

    #[test]
    fn the_tile_of_the_report() {
        let footprint = print(256, 128, 64, 4, 16);
        assert_eq!(footprint.a_bytes, 32.0 * KIB);
        assert_eq!(footprint.b_bytes, 16.0 * KIB);
        assert_eq!(footprint.accumulator_bytes, 128.0 * KIB);
        assert_eq!(footprint.total_bytes(), 176.0 * KIB);
        assert_eq!(footprint.accumulator_registers_per_thread, 64.0);
        assert_eq!(footprint.shared_bytes, 192.0 * KIB);
        let a100 = by_id("a100-80-sxm").unwrap();
        // Exceeds with four buffers; the measured kernel ran with three.
        assert!(footprint.overflows(a100).is_empty());
        let cautions = footprint.cautions(a100);
        assert_eq!(
            cautions,
            [Caution::OneBufferLess { needed: 192.0 * KIB, less: 144.0 * KIB, limit: 163.0 * KIB }]
        );
        assert_eq!(
            cautions[0].sentence(),
            "exceeds the 163 KiB of shared memory per workgroup if every stage has a buffer (192 KiB); \
             fits with one less (144 KiB)"
        );
        assert_eq!(footprint.occupancy(a100).unwrap().blocks, 1);
        let five = print(256, 128, 64, 5, 16).overflows(a100);
        assert_eq!(five, [Overflow::SharedMemory { needed: 192.0 * KIB, limit: 163.0 * KIB }]);
        // Three stages fit, one block at a time; H100 fits all four.
        let three = print(256, 128, 64, 3, 16);
        assert_eq!(
            three.occupancy(a100),
            Some(Occupancy { blocks: 1, limited_by: OccupancyLimit::SharedMemory })
        );
        assert!(footprint.overflows(by_id("h100-sxm").unwrap()).is_empty());
    }

    #[test]
    fn every_overflow_is_named() {
        let a100 = by_id("a100-80-sxm").unwrap();
        let few_warps = print(256, 256, 16, 1, 4).overflows(a100);
        assert!(matches!(
            few_warps[..],
            [Overflow::RegistersPerThread { needed, limit: 255 }] if needed == 512.0
        ));
        // 65,536 registers for 512 threads: 128 a thread, and the accumulator wants all of them.
        let spills = print(256, 256, 16, 1, 16).overflows(a100);
        assert!(matches!(
            spills[..],
            [Overflow::RegistersPerThread { needed, limit: 128 }] if needed == 128.0
        ));
        let tight = print(256, 192, 16, 1, 16);
        assert!(tight.overflows(a100).is_empty());
        assert!(matches!(
            tight.cautions(a100)[..],
            [Caution::FewRegistersLeft { needed, limit: 128 }] if needed == 96.0
        ));
        let huge = print(512, 256, 16, 1, 64).overflows(a100);
        assert!(matches!(
            huge[..],
            [Overflow::RegisterFile { .. }, Overflow::Threads { needed: 2048, limit: 1024 }]
        ));
        for overflow in few_warps.iter().chain(&huge) {
            assert!(!overflow.sentence().is_empty());
        }
    }

    #[test]
    fn small_tiles_share_a_unit() {
        let a100 = by_id("a100-80-sxm").unwrap();
        // 64x64: 16 KiB of accumulator in a 256 KiB file, 2 x 16 KiB of 164 KiB shared memory.
        let occupancy = print(64, 64, 64, 2, 4).occupancy(a100).unwrap();
        assert_eq!(occupancy.blocks, 5);
        assert_eq!(occupancy.limited_by, OccupancyLimit::SharedMemory);
        let unknown_depth = Tile { m: 64, n: 64, k: None };
        let op = Operation::uniform(DataType::Fp16);
        assert_eq!(Footprint::new(unknown_depth, &op, 2, 4, 32), None);
    }

    proptest! {
        #[test]
        fn any_tile_is_survived(m: u32, n: u32, k: u32, stages: u32, warps: u32, lanes: u32) {
            let tile = Tile { m, n, k: Some(k) };
            let op = Operation::uniform(DataType::Bf16);
            if let Some(footprint) = Footprint::new(tile, &op, stages, warps, lanes) {
                for id in ["a100-80-sxm", "mi300x", "tpu-v4"] {
                    let device = by_id(id).unwrap();
                    let _ = footprint.overflows(device);
                    let _ = footprint.occupancy(device);
                }
            }
        }
    }
}
