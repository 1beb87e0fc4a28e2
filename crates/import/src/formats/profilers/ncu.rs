//! Nsight Compute's CSV: long (one line per metric, `ncu --csv`) and wide (one column per metric, units in the
//! second row, `--page raw`).
//!
//! Program output and `==PROF==` lines may precede the header. Numbers have thousands separators and decimal signs of
//! the machine's locale; units are scaled (`Mbyte`, `usecond`).

use super::launch_table::{CountedIn, LaunchColumns, LaunchTable};
use super::profile::{Counters, Launch, TIMES};
use crate::{Format, Header, ReadBy, Record};
use gemmscope_model::dtype::DataType;
use gemmscope_table::build::TableBuilder;

pub(crate) const FORMAT: Format = Format {
    id: "ncu",
    name: "Nsight Compute (CSV)",
    produced_by: "ncu --set full --csv --page raw ./app > ncu.csv, or ncu --csv --metrics gpu__time_duration.sum,dram__bytes.sum,sm__cycles_elapsed.avg.per_second,sm__inst_executed_pipe_tensor.sum ./app",
    example: "\"ID\",\"Process ID\",\"Process Name\",\"Host Name\",\"Kernel Name\",\"Context\",\"Stream\",\"Block Size\",\"Grid Size\",\"Device\",\"CC\",\"Section Name\",\"Metric Name\",\"Metric Unit\",\"Metric Value\"\n\
              \"0\",\"7\",\"app\",\"127.0.0.1\",\"ampere_h16816gemm_128x128_ldg8_stages_32x5_nn\",\"1\",\"7\",\"(256, 1, 1)\",\"(32, 32, 1)\",\"0\",\"8.0\",\"Command line profiler metrics\",\"gpu__time_duration.sum\",\"usecond\",\"612.3\"\n\
              \"0\",\"7\",\"app\",\"127.0.0.1\",\"ampere_h16816gemm_128x128_ldg8_stages_32x5_nn\",\"1\",\"7\",\"(256, 1, 1)\",\"(32, 32, 1)\",\"0\",\"8.0\",\"Command line profiler metrics\",\"sm__inst_executed_pipe_tensor.sum\",\"inst\",\"33,554,432\"\n",
    read: ReadBy::Launches(&LaunchTable {
        layouts: &[
            (
                &["Kernel Name", "Metric Name", "Metric Unit", "Metric Value"],
                LaunchColumns {
                    counters: CountedIn::Lines(
                        ["Metric Name", "Metric Unit", "Metric Value"],
                        &["Process ID", "ID", "Kernel Name"],
                    ),
                    ..METRICS
                },
            ),
            (&["Kernel Name", "ID"], METRICS),
        ],
    }),
};

const METRICS: LaunchColumns = LaunchColumns {
    kernel: "Kernel Name",
    device: "device__attribute_display_name",
    counters: CountedIn::Columns(|title| title.contains("__")),
    also,
    counted,
    notes: &["Measured bytes are from memory counters; open marks on the roofline show that AI."],
    ..LaunchColumns::NONE
};

/// Input type of a tensor operation: `ops_path_tensor_src_bf16_dst_fp32.sum`.
fn of_source(bare: &str) -> Option<DataType> {
    DataType::parse(bare.split("src_").nth(1)?.split('_').next()?)
}

/// Type of a thread instruction as an index into [`SCALAR`], and its FLOP:
/// `sass_thread_inst_executed_op_ffma_pred_on.sum`.
fn of_thread(bare: &str) -> Option<(usize, f64)> {
    let op = bare.strip_prefix("sass_thread_inst_executed_op_")?.strip_suffix("_pred_on.sum")?;
    let place = ["f", "d", "h"].iter().position(|letter| op.starts_with(letter))?;
    match op.get(1..)? {
        "fma" => Some((place, 2.0)),
        "add" | "mul" => Some((place, 1.0)),
        _ => None,
    }
}

const SCALAR: [DataType; 3] = [DataType::Fp32, DataType::Fp64, DataType::Fp16];

/// Strips the prefix of sub-partition or SM; the sums of both are equal.
fn bare(name: &str) -> &str {
    name.strip_prefix("smsp__").or(name.strip_prefix("sm__")).unwrap_or(name)
}

/// Grid and compute capability from the first line of a launch.
fn also(
    l: &mut Launch,
    counters: &mut Counters,
    h: &Header,
    record: &Record<'_>,
    _: &mut TableBuilder,
) {
    let grid = h.text(record, &["Grid Size"]);
    let sizes =
        grid.split(|c: char| !c.is_ascii_digit()).filter_map(|text| text.parse::<f64>().ok());
    if let [x, y, z] = sizes.collect::<Vec<f64>>()[..] {
        l.grid = [x, y, z];
    }
    counters.add("CC", "", h.number(record, &["CC"]));
}

/// Evaluates time, clock, traffic, work and device.
fn counted(l: &mut Launch, counters: &Counters, table: &mut TableBuilder) {
    l.time_s = counters.last(&TIMES);
    l.clock_hz = counters.last(&[
        "sm__cycles_elapsed.avg.per_second",
        "SM Frequency",
        "smsp__cycles_elapsed.avg.per_second",
    ]);
    if l.time_s.is_nan() {
        let cycles = ["sm__cycles_elapsed.avg", "sm__cycles_elapsed.max", "Elapsed Cycles"];
        l.time_s = counters.last(&cycles) / l.clock_hz;
    }
    l.bytes = counters.last(&["dram__bytes.sum"]);
    if l.bytes.is_nan() {
        l.bytes =
            counters.last(&["dram__bytes_read.sum"]) + counters.last(&["dram__bytes_write.sum"]);
    }
    l.cache_bytes = ["lts__t_bytes.sum", "l1tex__t_bytes.sum"].map(|n| counters.last(&[n]));
    if l.grid[0].is_nan() {
        l.grid = [counters.first(&["launch__grid_size"]), 1.0, 1.0];
    }
    let sum = |name: &'_ str, start: &str| {
        (bare(name).starts_with(start) && name.ends_with(".sum")).then_some(())
    };
    // The total includes its parts (`_op_hmma`), so take the maximum.
    let instructions = counters.of(|n| sum(n, "inst_executed_pipe_tensor")).map(|c| c.1);
    let instructions = instructions.fold(f64::NAN, f64::max);
    let by_instruction = flops_per_instruction(&l.kernel).map_or(f64::NAN, |f| f * instructions);
    let tensor = |n| sum(n, "ops_path_tensor").map(|()| of_source(bare(n)));
    let operations: f64 = counters.of(tensor).map(|c| c.1).sum();
    l.dtype = counters.of(tensor).filter(|(t, v)| *v > 0.0 && t.is_some()).last().and_then(|c| c.0);
    let mut threads = [0.0; 3];
    for ((place, operations), v) in counters.of(|n| of_thread(bare(n))) {
        threads[place] += operations * v;
    }
    let (place, scalar) = threads
        .into_iter()
        .enumerate()
        .fold((0, 0.0), |best, s| if s.1 > best.1 { s } else { best });
    l.work = [operations, by_instruction, scalar]
        .into_iter()
        .filter(|w| *w > 0.0)
        .fold(f64::NAN, f64::max);
    if l.dtype.is_none() && scalar > 0.0 && l.work == scalar {
        l.dtype = Some(SCALAR[place]);
    }
    let cc = counters.first(&["CC"]);
    if l.device == 0 && !cc.is_nan() {
        let units = counters.last(&["device__attribute_multiprocessor_count"]);
        let target = format!("sm_{}", (cc * 10.0).round());
        let named = if units.is_nan() { target } else { format!("{target}:{units}") };
        l.device = table.device(&named);
    }
}

/// FLOP per tensor instruction of a warp, from the instruction shape in the kernel's name.
fn flops_per_instruction(kernel: &str) -> Option<f64> {
    // CUTLASS writes `GemmShape<16, 8, 16>`; the smallest one is the instruction.
    let shapes = kernel.match_indices("GemmShape<").filter_map(|(at, m)| {
        let inside = kernel[at + m.len()..].split('>').next()?;
        let sizes: Vec<f64> = inside
            .split(',')
            .filter_map(|p| p.trim().trim_start_matches("(int)").parse::<f64>().ok())
            .collect();
        match sizes[..] {
            [m, n, k] => Some(2.0 * m * n * k),
            _ => None,
        }
    });
    if let Some(least) = shapes.min_by(f64::total_cmp) {
        return Some(least);
    }
    [("16832", 8192.0), ("16816", 4096.0), ("1688", 2048.0), ("884", 512.0)]
        .into_iter()
        .find(|(code, _)| {
            kernel.match_indices(code).any(|(at, m)| {
                let before = kernel[..at].bytes().next_back();
                let after = kernel[at + m.len()..].bytes().next();
                before.is_some_and(|b| b.is_ascii_alphabetic() || b == b'_')
                    && after.is_none_or(|b| !b.is_ascii_digit())
            })
        })
        .map(|(_, flops)| flops)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::read;

    #[test]
    fn instructions_by_name() {
        let f = flops_per_instruction;
        assert_eq!(f("ampere_fp16_s16816gemm_fp16_256x128_ldg8"), Some(4096.0));
        assert_eq!(f("volta_fp16_s884gemm_fp16_256x128"), Some(512.0));
        assert_eq!(f("turing_h1688gemm_256x128"), Some(2048.0));
        assert_eq!(
            f(
                "void cutlass::Kernel<Gemm<cutlass::gemm::GemmShape<128, 128, 32>, GemmShape<64, 64, 32>, GemmShape<8, 8, 4>>>"
            ),
            Some(512.0)
        );
        assert_eq!(f("my_kernel_1688416"), None);
    }

    #[test]
    fn a_run_at_the_base_clock_is_judged_by_it() {
        use gemmscope_model::hardware::RoofKind;
        use gemmscope_table::metrics::{DeviceChoice, Metrics};
        let k = "ampere_fp16_s16816gemm_fp16_256x128_ldg8_f2f_stages_64x3_nn";
        let mut text = format!("{}\n", FORMAT.example.lines().next().unwrap());
        for (metric, unit, value) in [
            ("dram__bytes.sum", "Gbyte", "25.71"),
            ("gpu__time_duration.sum", "msecond", "106.97"),
            ("sm__cycles_elapsed.avg.per_second", "Mhz", "765"),
            ("sm__inst_executed_pipe_tensor.sum", "inst", "4,194,304,000"),
            ("device__attribute_display_name", "", "NVIDIA A100-SXM4-40GB"),
        ] {
            text += &format!(
                "\"0\",\"7\",\"app\",\"h\",\"{k}\",\"1\",\"7\",\"(256, 1, 1)\",\"(640, 20, 1)\",\"0\",\"8.0\",\"\",\"{metric}\",\"{unit}\",\"{value}\"\n"
            );
        }
        let d = read(text);
        assert_eq!((d.m[0], d.n[0], d.k[0]), (20480, 20480, 20480));
        let intensity = d.number(gemmscope_table::dataset::ColumnMeaning::ReportedWork, 0)
            / d.number(gemmscope_table::dataset::ColumnMeaning::MeasuredBytes, 0);
        assert!((intensity - 668.0).abs() < 1.0, "{intensity}");
        let devices = DeviceChoice::default().resolve(&d, &[]);
        let m = Metrics::compute(&d, devices, RoofKind::default());
        let efficiency = m.efficiency(&d, 0);
        assert!((efficiency - 0.949).abs() < 0.002, "{efficiency}");
    }
}
