//! `ONEDNN_VERBOSE=1` (`DNNL_VERBOSE=1`): one line per primitive, with comma-separated cells. The last two are the
//! problem, `2048x5120:5120x34816`, and the milliseconds.

use super::benchdnn::Benchdnn;
use super::*;

pub(crate) const FORMAT: Format = Format {
    id: "onednn-verbose",
    name: "oneDNN verbose",
    produced_by: "ONEDNN_VERBOSE=1 ./app (oneDNN)",
    example: "onednn_verbose,v1,primitive,exec,gpu,matmul,jit:gemm:any,undef,src:bf16::blocked:ab::f0 wei:bf16::blocked:ab::f0 dst:bf16::blocked:ab::f0,,,2048x5120:5120x34816,7.04395\n",
    read: ReadBy::Log(&LogFormat {
        knows: |_, head| head.any(|l| slots(OLD, l).or_else(|| slots(EXEC, l)).is_some()),
        parser: |_, _, _| Box::<Verbose>::default(),
        ..LogFormat::DEFAULT
    }),
};

const EXEC: &str = "nn_verbose,{},exec,{engine},{primitive},{kernel},{kind},{tensors},{rest}";
const OLD: &str = "nnl_verbose,exec,{engine},{primitive},{kernel},{kind},{tensors},{rest}";

#[derive(Default)]
struct Verbose {
    others: u64,
}

/// Type and layout of a tensor: `src:bf16::blocked:ab::f0`, `src_bf16::blocked:ab:f0`.
fn tensor<'a>(tensors: &'a str, name: &str) -> Option<(DataType, Vec<&'a str>)> {
    let text =
        tensors.split(' ').find_map(|t| t.strip_prefix(name))?.trim_start_matches(['_', ':']);
    let mut parts = text.split(':').filter(|p| !p.is_empty());
    let dtype = DataType::parse(parts.next()?)?;
    Some((dtype, parts.collect()))
}

fn row(s: &Slots<'_>) -> Result<Row, RowError> {
    let mut rest = s.get("rest").rsplit(',');
    let (time, problem) = (rest.next().unwrap_or(""), rest.next().unwrap_or(""));
    let time = log::time(log::leading(time).map(|t| t.0), 1e-3)?;
    let tensors = s.get("tensors");
    let part = |name| tensor(tensors, name);
    let (a, b, c) = (part("src"), part("wei"), part("dst"));
    let (Some((a, tag_a)), Some((b, tag_b))) = (a, b) else {
        return Err(CellError::Missing.of("data type"));
    };
    let op = Operation::mixed(a, b, c.map_or(a.default_output(), |(c, _)| c));
    let of = |tags: &[&str]| tags.iter().any(|t| matches!(*t, "ba" | "acb" | "abdc"));
    let mut op = op.with_layout(of(&tag_a), of(&tag_b) || s.get("primitive") == "inner_product");
    op.bias = part("bia").is_some_and(|(dtype, _)| dtype.bits() > 0);
    Ok(Benchdnn::sizes(problem)?.0.row(op, time))
}

impl Parser for Verbose {
    fn result(&mut self, line: &str, _: &mut LogRows<'_>) -> Option<Entry> {
        let s = slots(OLD, line).or_else(|| slots(EXEC, line))?;
        if !matches!(s.get("primitive"), "matmul" | "inner_product") {
            self.others += 1;
            return None;
        }
        let mut e = Entry::new(row(&s));
        e.kernel = s.get("kernel").to_owned();
        e.library = "oneDNN".to_owned();
        e.op_name = s.get("primitive").to_owned();
        Some(e)
    }

    fn end(&mut self, table: &mut TableBuilder) {
        if self.others > 0 {
            table.note(format!(
                "{} of other primitives.",
                gemmscope_model::units::plural(self.others, "line")
            ));
        }
    }
}
