//! DeepGEMM's tests: ` > Perf (m=  4096, n= 24576, k= 1536, …): 123 us | 1404 TFLOPS | 900 GB/s`.

use super::*;
use crate::cell::values;

pub(crate) const FORMAT: Format = Format {
    id: "deepgemm",
    name: "DeepGEMM tests",
    produced_by: "python tests/test_fp8.py (DeepGEMM)",
    example: " > Perf (m= 4096, n=24576, k= 1536, layout=NT, BF16, acc=0): 220 us | 1406 TFLOPS | 956 GB/s\n",
    read: ReadBy::Log(&LogFormat {
        knows: |head| head.any(|l| log::has(l, &["> Perf", "m=", "k=", "us"])),
        score: 96,
        reason: "its lines start with > Perf (m=",
        dtype: DataType::Fp8E4m3,
        parser: |_, _, _| Box::<DeepGemm>::default(),
        notes: &["Times and rates have no decimals, so small ones differ by more than 1 %."],
        ..LogFormat::DEFAULT
    }),
};

#[derive(Default)]
struct DeepGemm {
    groups: bool,
}

impl Parser for DeepGemm {
    fn result(&mut self, line: &str, rows: &mut LogRows<'_>) -> Option<Entry> {
        // `Testing GEMM:` and the like go before the results.
        if let Some(what) = line.trim().strip_prefix("Testing ") {
            self.groups = what.to_ascii_lowercase().contains("grouped");
            return None;
        }
        let rest = log::after(line, "> Perf")?;
        let (args, result) = rest.rsplit_once("):")?;
        let row = self.row(args, result, rows);
        let mut e = Entry::new(row);
        for piece in result.split(['|', ',']) {
            if piece.contains("FLOPS") {
                e.rate = log::rate_in(
                    piece.trim_start_matches([' ', '~']).trim_start_matches("throughput:"),
                );
            } else if piece.contains("GB/s") {
                e.bandwidth = log::leading(piece).map_or(f64::NAN, |n| n.0 * 1e9);
            }
        }
        e.library = "DeepGEMM".into();
        Some(e)
    }
}

impl DeepGemm {
    fn row(&mut self, args: &str, result: &str, rows: &mut LogRows<'_>) -> Result<Row, RowError> {
        let args = args.replace('(', ",").replace(' ', "");
        let field =
            |key: &str| args.split(',').find_map(|a| a.strip_prefix(key)?.strip_prefix('='));
        let size = |keys: &[&str]| log::size_of(keys.iter().find_map(|k| field(k)), keys[0]);
        let groups = match field("num_groups") {
            Some(_) => size(&["num_groups"])?,
            None => 1,
        };
        let per_group = field("expected_m_per_group").is_some() || field("m_per_group").is_some();
        let m = size(&["m", "m_per_group", "expected_m_per_group"])?;
        let (n, k) = (size(&["n"])?, size(&["k"])?);
        // Newer tests print the time to launch before that of the kernel.
        let timed = result.split('|').find(|p| !p.trim_start().starts_with("launch"));
        let timed = timed.unwrap_or(result);
        let us = log::leading(timed).or_else(|| log::after(timed, "):").and_then(log::leading));
        let seconds = match us {
            Some((v, rest)) if rest.trim_start().starts_with("ms") => log::time(Some(v), 1e-3)?,
            Some((v, _)) => log::time(Some(v), 1e-6)?,
            None => return Err(RowError::new("time is missing")),
        };
        let upper = args.to_ascii_uppercase();
        // Older tests are fp8 only; newer ones name the output and the kind.
        let said = field("dtype").or_else(|| field("kind")).and_then(DataType::parse);
        let operand = rows.dtype(said);
        let single = ["FP32", "FLOAT32", ",OUT=FLOAT"].iter().any(|w| upper.contains(w));
        let out = if single { DataType::Fp32 } else { DataType::Bf16 };
        let (ta, tb) = field("layout").and_then(values::layout).unwrap_or((false, true));
        let mut op = Operation { c: out, ..Operation::uniform(operand) }.with_layout(ta, tb);
        op.beta = field("acc") == Some("1") || field("accumulate") == Some("True");
        let mut row = Row::new(m, n, k, op, seconds);
        if per_group {
            row.batch = groups;
        } else if groups > 1 && m % groups == 0 {
            // Contiguous groups: m rows in all.
            row.m = m / groups;
            row.batch = groups;
        }
        Ok(row)
    }
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
