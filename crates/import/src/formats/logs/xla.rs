//! XLA's table of measured matmuls (`matmul_interpolator_data.h`, or the protobuf text in it):
//! a rate for each type of operands and output at each b, m, n, k, by device.

use super::*;
use crate::cell::values;

pub(crate) const FORMAT: Format = Format {
    id: "xla",
    name: "XLA matmul performance table",
    produced_by: "XLA's matmul_perf_table_gen (protobuf text, as in \
                  xla/service/gpu/model/matmul_interpolator_data.h)",
    example: "entries { key: \"sm_90_H100\"\n\
              value { entries {\n\
              b: 1\nm: 1024\nn: 2048\nk: 256\n\
              flops { key: \"bf16xbf16->bf16\" value: 139519467775467 }\n\
              } } }\n",
    read: ReadBy::Log(&LogFormat {
        knows: |_, head| {
            let has = |word: &str| head.lines.iter().any(|l| l.contains(word));
            has("entries {") && has("flops {") && has("key:")
        },
        score: 96,
        reason: "protobuf text with entries of flops by types",
        parser: |_, _, _| Box::<Xla>::default(),
        others: Others::Unsaid,
        ..LogFormat::DEFAULT
    }),
};

#[derive(Debug, Default)]
struct Xla {
    /// The last key: of a device, or of the types of a rate.
    key: String,
    device: u16,
    /// b, m, n, k of the entry.
    sizes: [Option<String>; 4],
}

/// `sm_90_H100` -> `H100`: behind the compiler target, where there is more than that.
fn product(key: &str) -> &str {
    key.strip_prefix("sm_").and_then(|rest| rest.split_once('_')).map_or(key, |(_, name)| name)
}

/// Text in quotes behind a label.
fn quoted<'a>(line: &'a str, label: &str) -> Option<&'a str> {
    let rest = log::after(line, label)?.strip_prefix('"')?;
    rest.split_once('"').map(|(text, _)| text)
}

impl Parser for Xla {
    fn result(&mut self, line: &str, rows: &mut LogRows<'_>) -> Option<Entry> {
        let line = line.trim();
        if line.contains("entries {") {
            self.sizes = Default::default();
        }
        if let Some(key) = quoted(line, "key:") {
            key.clone_into(&mut self.key);
        }
        if line.contains("value {") && !self.key.is_empty() {
            self.device = rows.table.device(product(&self.key));
            self.key.clear();
        }
        for (place, label) in ["b:", "m:", "n:", "k:"].into_iter().enumerate() {
            if let Some(rest) = line.strip_prefix(label) {
                self.sizes[place] = Some(rest.trim().to_owned());
            }
        }
        let rate = log::number_after(line, "value:")?;
        let mut e = Entry::new(self.row());
        e.op_name = std::mem::take(&mut self.key);
        e.rate = rate;
        Some(e)
    }
}

impl Xla {
    fn row(&self) -> Result<Row, RowError> {
        let size = |place: usize, name: &str| log::size_of(self.sizes[place].as_deref(), name);
        // A batch of one may be left out.
        let b = if self.sizes[0].is_some() { size(0, "b")? } else { 1 };
        let (m, n, k) = (size(1, "m")?, size(2, "n")?, size(3, "k")?);
        let types = values::types(&self.key)
            .ok_or_else(|| RowError::new("expected types such as bf16xbf16->bf16"))?;
        let usual = if types.a == types.b { types.a.default_output() } else { types.a };
        let op = Operation::mixed(types.a, types.b, types.c.unwrap_or(usual));
        Ok(Row { batch: b, device: self.device, ..Row::new(m, n, k, op, f64::NAN) })
    }
}
