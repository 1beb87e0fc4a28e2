//! BLIS's `test/3`: Matlab lines `data_st_sgemm_asm_blis( 1, 1:4 ) = [ m k n gflops ];`, in the order
//! m, k, n. Its test suite: `blis_sgemm_nt_ccc  m n k gflops residue PASS`, or the same in brackets.

use super::*;
use crate::cell::values;
use gemmscope_model::dtype::from_blas_letter;
use gemmscope_model::units::float;

pub(crate) const FORMAT: Format = Format {
    id: "blis",
    name: "BLIS test/3 and test suite",
    produced_by: "./runme.sh (blis/test/3), the *.m files it writes, or ./test_libblis.x (blis/testsuite)",
    example: "data_st_sgemm_blis( 1, 1:4 ) = [   400   300   200   61.23 ];\n",
    read: ReadBy::Log(&LogFormat {
        knows: |head| {
            head.any(|l| {
                let data = log::has(l, &["data_", "gemm", "1:4", "= ["]);
                data || printed(l).is_some_and(|p| p.of_suite)
            })
        },
        score: 95,
        reason: "its lines are data_…gemm…( i, 1:4 ) = [ m k n gflops ];, or blis_…gemm_… m n k gflops",
        parser: |_, _, _| Box::new(Blis),
        ..LogFormat::DEFAULT
    }),
};

struct Blis;

/// A line with a result.
struct Printed<'a> {
    /// `data_st_sgemm_asm_blis`, `blis_sgemm_nt_ccc`
    name: &'a str,
    of_suite: bool,
    figures: Vec<f64>,
}

fn printed(line: &str) -> Option<Printed<'_>> {
    let line = line.trim_start();
    let name = line.split(['(', ' ']).next()?;
    let of_suite = name.starts_with("blis_");
    if !(of_suite || name.starts_with("data_")) || !name.contains("gemm") {
        return None;
    }
    let rest = &line[name.len()..];
    let values = match log::after(rest, "[") {
        Some(inside) => inside.split(']').next()?,
        None if of_suite => rest,
        None => return None,
    };
    let figures: Vec<f64> = values.split_whitespace().map_while(float).collect();
    // The title of a column is no result.
    (!of_suite || figures.len() >= 4).then_some(Printed { name, of_suite, figures })
}

impl Parser for Blis {
    fn result(&mut self, line: &str, _: &mut LogRows<'_>) -> Option<Entry> {
        let Printed { name, of_suite, figures } = printed(line)?;
        let (before, behind) = name.split_once("gemm").unwrap_or((name, ""));
        let dtype = before.chars().next_back().and_then(from_blas_letter).unwrap_or(DataType::Fp64);
        let mut rate = f64::NAN;
        let row = (|| -> Result<Row, RowError> {
            let (m, n, k, gflops) = match figures[..] {
                [m, n, k, gflops, ..] if of_suite => (m, n, k, gflops),
                [m, k, n, gflops] => (m, n, k, gflops),
                _ => return Err(RowError::new("not the four numbers m, k, n and GFLOP/s")),
            };
            rate = gflops * 1e9;
            let (m, n, k) = (log::size(m, "m")?, log::size(n, "n")?, log::size(k, "k")?);
            // `_nt_ccc`: the operands as BLAS writes them, then how each is stored.
            let letters = behind.strip_prefix('_').filter(|_| of_suite);
            let (a, b) = letters.and_then(|l| values::layout(l.get(..2)?)).unwrap_or_default();
            let op = Operation::uniform(dtype).with_layout(a, b);
            Ok(Row::new(m, n, k, op, f64::NAN))
        })();
        let mut e = Entry::new(row);
        e.rate = rate;
        // `data_st_sgemm_asm_blis`: the implementation follows the routine.
        e.library = match of_suite {
            true => "BLIS".to_owned(),
            false => behind.trim_matches(['_', ' ']).to_owned(),
        };
        e.op_name = name.trim_start_matches("data_").to_owned();
        Some(e)
    }
}
