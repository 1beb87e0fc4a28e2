//! The table printed by `prof.key_averages(group_by_input_shape=True).table()`: columns between rules of dashes, cells
//! separated by two or more blanks. The time covers all calls.

use super::*;
use crate::cell::operands::Operator;
use crate::cell::py::Py;
use crate::cell::{Quantity, quantity};
use crate::split::dialect::apart;

pub(crate) const FORMAT: Format = Format {
    id: "key-averages",
    name: "torch.profiler key_averages().table()",
    produced_by: "print(prof.key_averages(group_by_input_shape=True).table()) (PyTorch)",
    example: "-----------  ------------  ------------  ----------------------------\n\
              Name         Self CUDA     # of Calls    Input Shapes\n\
              -----------  ------------  ------------  ----------------------------\n\
              aten::mm     45.600ms      12            [[8192, 768], [768, 3072]]\n\
              -----------  ------------  ------------  ----------------------------\n",
    read: ReadBy::Log(&LogFormat {
        knows: |_, head| head.any(|l| columns(l).is_some()),
        others: Others::Operations("line"),
        parser: |_, _, _| Box::<KeyAverages>::default(),
        ..LogFormat::DEFAULT
    }),
};

/// Positions of name, time, calls and shapes.
fn columns(line: &str) -> Option<[usize; 4]> {
    let cells = apart(line);
    let at = |names: &[&str]| names.iter().find_map(|n| cells.iter().position(|c| c == n));
    let times = ["Self CUDA", "Self XPU", "Self HPU", "Self device", "CUDA total", "Self CPU"];
    Some([at(&["Name"])?, at(&times)?, at(&["# of Calls"])?, at(&["Input Shapes"])?])
}

#[derive(Default)]
struct KeyAverages {
    columns: Option<[usize; 4]>,
}

impl Parser for KeyAverages {
    fn result(&mut self, line: &str, rows: &mut LogRows<'_>) -> Option<Entry> {
        if let Some(columns) = columns(line) {
            self.columns = Some(columns);
            return None;
        }
        let cells = apart(line);
        let columns = self.columns.filter(|all| all.iter().all(|i| *i < cells.len()))?;
        let [name, time, calls, inputs] = columns.map(|i| cells[i]);
        if line.trim_start().starts_with('-') {
            return None;
        }
        // Operations have a namespace; a user-defined range may have the same bare name.
        let operator = Operator::of(name).filter(|_| name.contains("::"));
        let Some(operator) = operator else { return rows.other() };
        let calls = calls.parse::<f64>().ok().unwrap_or(f64::NAN);
        let shapes = Py::parse(inputs).shapes();
        let time = quantity(time.as_bytes()).filter(|(_, kind)| *kind == Quantity::Time);
        // A wrapper has no time of its own; the operation it calls has.
        if time.is_some_and(|(t, _)| t == 0.0) {
            return rows.other();
        }
        let row = (|| {
            let shape = operator.shape(&shapes);
            let shape = shape.ok_or_else(|| flaw(UNFIT, inputs))?;
            if calls.is_nan() || calls <= 0.0 {
                return Err(RowError::new("the number of calls is missing"));
            }
            let dtype = rows.dtype(None);
            let op = operator.operation(&shapes, shape.sizes[1], [dtype; 2], [false; 2]);
            Ok(shape.row(op, log::time(time.map(|(t, _)| t / calls), 1.0)?))
        })();
        let mut e = Entry::new(row);
        e.op_name = name.to_owned();
        e.figures.push((ColumnMeaning::Count, calls));
        Some(e)
    }
}
