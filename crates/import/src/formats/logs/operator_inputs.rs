//! Operator inputs of a model as stored by TritonBench: `cnt: 12, ((T([8192, 768], f16), ...), {})` below the
//! operator's name. Shapes with numbers of calls, without times.

use super::*;
use crate::cell::operands::Operator;

pub(crate) const FORMAT: Format = Format {
    id: "operator-inputs",
    name: "TritonBench operator inputs",
    produced_by: "TritonBench's and TorchBench's operator inputs (operator_inp_logs)",
    example: "Operator: aten.mm.default\ncnt: 12, ((T([8192, 768], f16), T([768, 768], f16)), {})\n",
    read: ReadBy::Log(&LogFormat {
        knows: |_, head| head.any(|l| slots("^cnt: {count}, ((", l).is_some()),
        others: Others::Operations("line"),
        parser: |_, _, _| Box::<Inputs>::default(),
        ..LogFormat::DEFAULT
    }),
};

#[derive(Default)]
struct Inputs {
    operator: String,
}

/// Sizes and types of the tensors in a line, and whether `stride=` marks them as stored transposed.
fn tensors(text: &str) -> Vec<(Vec<u32>, Option<DataType>, bool)> {
    text.split("T([")
        .skip(1)
        .filter_map(|t| {
            let (sizes, rest) = t.split_once(']')?;
            let sizes: Vec<u32> = sizes.split(',').filter_map(|s| s.trim().parse().ok()).collect();
            let dtype = rest
                .split([',', ')'])
                .map(str::trim)
                .find(|w| !w.is_empty())
                .and_then(DataType::parse);
            let own = rest.split_once(')').map_or(rest, |(own, _)| own);
            let stride = own.split_once("stride=").map(|(_, s)| s.trim_start_matches('('));
            let strides: Vec<&str> = stride.unwrap_or("").split(',').map(str::trim).collect();
            let transposed =
                matches!(strides[..], [.., "1", last] if last != "1" && !last.is_empty());
            Some((sizes, dtype, transposed))
        })
        .collect()
}

impl Parser for Inputs {
    fn result(&mut self, line: &str, rows: &mut LogRows<'_>) -> Option<Entry> {
        if let Some(s) = slots("^Operator: {operator}", line) {
            s.get("operator").clone_into(&mut self.operator);
            return None;
        }
        let s = slots("^cnt: {count}, {inputs}", line)?;
        let Some(operator) = Operator::of(&self.operator) else { return rows.other() };
        let all = tensors(s.get("inputs"));
        let row = (|| {
            let Some([(_, dtype, ta), (_, dtype_b, tb)]) = operator.pair(&all) else {
                return Err(RowError::new("not two tensors"));
            };
            let shapes: Vec<Vec<u32>> = all.iter().map(|t| t.0.clone()).collect();
            let shape = operator.shape(&shapes);
            let shape = shape.ok_or_else(|| RowError::new(UNFIT))?;
            let a = dtype.ok_or_else(|| CellError::Missing.of("data type"))?;
            let types = [a, dtype_b.unwrap_or(a)];
            let op = operator.operation(&shapes, shape.sizes[1], types, [*ta, *tb]);
            Ok(shape.row(op, f64::NAN))
        })();
        let mut e = Entry::new(row);
        e.op_name = self.operator.clone();
        e.figures.push((ColumnMeaning::Count, s.number("count")));
        Some(e)
    }
}
