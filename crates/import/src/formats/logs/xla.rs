//! XLA's table of measured matmuls (`matmul_interpolator_data.h`, or the protobuf text in it): a rate per device,
//! operand and output types, and b, m, n, k.

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
        parser: |_, _, _| Box::<Xla>::default(),
        others: Others::Unsaid,
        ..LogFormat::DEFAULT
    }),
};

#[derive(Debug, Default)]
struct Xla {
    /// The last key: a device, or the types of a rate.
    key: String,
    device: String,
    /// Sizes of the entry as slots. A batch of one may be omitted.
    sizes: Vec<(&'static str, String)>,
}

const SIZES: [(&str, &str); 4] =
    [("batch", "^b: {batch}"), ("m", "^m: {m}"), ("n", "^n: {n}"), ("k", "^k: {k}")];

/// Strips the compiler target if a name follows it: `sm_90_H100` to `H100`.
fn product(key: &str) -> &str {
    key.strip_prefix("sm_").and_then(|rest| rest.split_once('_')).map_or(key, |(_, name)| name)
}

impl Parser for Xla {
    fn result(&mut self, line: &str, rows: &mut LogRows<'_>) -> Option<Entry> {
        if line.contains("entries {") {
            self.sizes.clear();
        }
        if let Some(s) = slots("key: \"{key}\"", line) {
            s.get("key").clone_into(&mut self.key);
        }
        if line.contains("value {") && !self.key.is_empty() {
            product(&std::mem::take(&mut self.key)).clone_into(&mut self.device);
        }
        let size = |(name, template)| Some((name, slots(template, line)?.get(name).to_owned()));
        self.sizes.extend(SIZES.into_iter().filter_map(size));
        let rate = log::number_after(line, "value:")?;
        let key = std::mem::take(&mut self.key);
        if values::types(&key).is_none() {
            return Some(Entry::new(Err(RowError::new("expected types such as bf16xbf16->bf16"))));
        }
        let known = [("dtype", &key), ("op_name", &key), ("device", &self.device)];
        let known = known.into_iter().chain(self.sizes.iter().map(|(name, text)| (*name, text)));
        let said =
            SlotValues::new(known.fold(Slots::default(), |s, (name, text)| s.with(name, text)));
        let mut e = said.entry(&LogFormat::DEFAULT, rows)?;
        e.rate = rate;
        Some(e)
    }
}
