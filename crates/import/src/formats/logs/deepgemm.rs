//! DeepGEMM's tests: ` > Perf (m=  4096, n= 24576, k= 1536, …): 123 us | 1404 TFLOPS | 900 GB/s`.

use super::*;
use gemmscope_model::gemm::Groups;

pub(crate) const FORMAT: Format = Format {
    id: "deepgemm",
    name: "DeepGEMM tests",
    produced_by: "python tests/test_fp8.py (DeepGEMM)",
    example: " > Perf (m= 4096, n=24576, k= 1536, layout=NT, BF16, acc=0): 220 us | 1406 TFLOPS | 956 GB/s\n",
    read: ReadBy::Log(&LogFormat {
        signature: &["> Perf", "m=", "k=", "us"],
        // Newer tests print the launch time before the kernel time.
        results: &[
            "> Perf {=args}): launch {} | {time} | {rate} | {gbps} GB/s",
            "> Perf {=args}): {time} | {rate} | {gbps} GB/s",
            "> Perf {=args}): {time} | throughput: {rate}, {gbps} GB/s",
            "> Perf {=args}): {time} |",
            "> Perf {=args}): {time}",
        ],
        also: groups,
        library: "DeepGEMM",
        // Older tests are fp8 only; newer ones name the output type and the kind.
        dtype: DataType::Fp8E4m3,
        output: Some(DataType::Bf16),
        transposed: [false, true],
        notes: &["Times are rounded: the rates of short calls differ by more than 1 %."],
        ..LogFormat::DEFAULT
    }),
};

/// Applies output type, accumulation and groups; `m` may be the rows of one group or of all.
fn groups(s: &SlotValues<'_>, e: &mut Entry, _: &mut LogRows<'_>) {
    let args = s.get("args").to_ascii_uppercase();
    e.amend(|mut row| {
        let single = ["FP32", "FLOAT32"].iter().any(|w| args.contains(w));
        if single || s.get("out").starts_with("float") {
            row.op.c = DataType::Fp32;
        }
        row.op.beta = s.get("acc") == "1" || s.get("accumulate") == "True";
        if !s.get("num_groups").is_empty() {
            let groups = s.size("num_groups")?;
            if args.contains("M_PER_GROUP") {
                row.batch = groups;
            } else if row.m % groups == 0 {
                (row.m, row.batch) = (row.m / groups, groups);
            } else {
                // M is not divisible, so the groups differ in size.
                row.op.groups = Some(Groups::known(groups, groups));
            }
        }
        Ok(row)
    });
}

#[cfg(test)]
mod tests {
    use crate::testing::read;

    #[test]
    fn the_time_to_launch_is_not_the_time_of_the_kernel() {
        let d = read(
            " > Perf (m=   128, n=  2112, k=  7168, 1D2D, layout=NT, BF16, acc=0): \
             launch   82 us |   12 us |  323 TFLOPS | 1502 GB/s | 0.95x cuBLAS\n",
        );
        assert_eq!((d.len(), d.time_s[0]), (1, 12e-6));
        assert_eq!(d.sources[0].reported_rate.within_1_percent, 1);
    }
}
