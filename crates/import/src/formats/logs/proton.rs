//! Tree printed by Triton's Proton viewer: `├─ 285.4 2648.9 matmul_kernel [M=8192, N=8192, K=512]`, with the rate and
//! the time of all calls. The number of calls follows from the two.

use super::*;
use crate::columns::defaults::assumption;
use gemmscope_model::units::RateUnit;

pub(crate) const FORMAT: Format = Format {
    id: "proton",
    name: "Triton Proton viewer (printed tree)",
    produced_by: "python 09-persistent-matmul.py (Triton), or proton-viewer -m tflop16/s,time/us matmul.hatchet",
    example: "274.1 3100.5 ROOT\n\
              ├─ 281.5 2441.3 cublas [M=8192, N=8192, K=512]\n\
              └─ 208.6 659.2 matmul_kernel [M=8192, N=8192, K=512]\n",
    read: ReadBy::Log(&LogFormat {
        knows: |_, head| {
            head.any(|l| l.trim_end().ends_with(" ROOT")) && head.any(|l| slots(NODE, l).is_some())
        },
        others: Others::Unsaid,
        parser: |_, options, rows| {
            let answer = options.answer("unit:value").and_then(RateUnit::parse);
            let unit = answer.unwrap_or(RateUnit::TeraFlops);
            let text = "The tree names no unit: assuming TFLOP/s, as Triton's tutorials print.";
            let choices = ["TFLOP/s", "GFLOP/s"];
            rows.table.assume(assumption("unit:value", text, unit.label(), &choices));
            Box::new(Tree { unit, dtype: rows.dtype(None) })
        },
        ..LogFormat::DEFAULT
    }),
};

/// A node with sizes in its name, after box characters are mapped to ASCII.
const NODE: &str = "+- {number} {number} {kernel} [M={m}, N={n}, K={k}]";

struct Tree {
    unit: RateUnit,
    dtype: DataType,
}

impl Parser for Tree {
    fn result(&mut self, line: &str, _: &mut LogRows<'_>) -> Option<Entry> {
        let slots = slots(NODE, line)?;
        let figures: Vec<f64> = slots
            .all()
            .filter(|(name, _)| *name == "number")
            .map(|(_, text)| text.parse().unwrap_or(f64::NAN))
            .collect();
        let [rate, total] = figures[..] else { return None };
        let rate = rate * self.unit.to_si();
        let values = SlotValues::new(slots);
        let row = (|| {
            let [m, n, k] = [values.size("m")?, values.size("n")?, values.size("k")?];
            let op = Operation::uniform(self.dtype);
            let problem = Problem { m, n, k, batch: 1, op };
            let time_s = log::time(Some(problem.work().0 / rate), 1.0)?;
            Ok(Row::new(m, n, k, op, time_s))
        })();
        let mut e = Entry::new(row);
        e.kernel = values.get("kernel").to_owned();
        e.rate = rate;
        // The unit of the total time is the one that gives a whole number of calls.
        let calls =
            |unit_s: f64| e.row.as_ref().map_or(f64::NAN, |row| total * unit_s / row.time_s);
        let whole = [1e-6, 1e-3]
            .map(calls)
            .into_iter()
            .find(|n| n.round() >= 1.0 && (n / n.round() - 1.0).abs() < 0.002);
        e.figures.extend(whole.map(|n| (ColumnMeaning::Count, n.round())));
        Some(e)
    }
}
