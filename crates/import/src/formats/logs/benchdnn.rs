//! oneDNN's benchdnn in performance mode: `perf,cpu,…` lines of matmul and inner product.
//!
//! The `Output template:` line names the fields; without it the default order applies. The problem is `MxK:KxN` for a
//! matmul, with leading batch dimensions, and `mb32ic1024oc512` for an inner product.

use super::*;
use crate::cell::operands::product;
use crate::cell::shape_text::Shape;
use crate::split::dialect;

pub(crate) const FORMAT: Format = Format {
    id: "benchdnn",
    name: "oneDNN benchdnn",
    produced_by: "./benchdnn --mode=P --matmul --dt=f32 256x1024:1024x512",
    example: "Output template: perf,%engine%,%impl%,%name%,%prb%,%Gops%,%+ctime%,%-time%,%-Gflops%,%0time%,%0Gflops%\n\
              perf,cpu,brg_matmul:avx512_core,,--mode=P --matmul 256x1024:1024x512,0.268435,0.1,0.25,1073.74,0.26,1032.44\n",
    read: ReadBy::Log(&LogFormat {
        knows: |_, head| {
            head.any(|l| {
                let starts = ["perf,cpu,", "perf,gpu,", "Output template: perf,"];
                starts.iter().any(|s| l.trim_start().starts_with(s))
            })
        },
        // benchdnn omits its default type from the problem.
        dtype: DataType::Fp32,
        parser: |_, _, _| Box::new(Benchdnn { template: DEFAULT.map(str::to_owned).to_vec() }),
        ..LogFormat::DEFAULT
    }),
};

const DEFAULT: [&str; 11] = [
    "perf", "engine", "impl", "name", "prb", "Gops", "+ctime", "-time", "-Gflops", "0time",
    "0Gflops",
];

#[derive(Debug)]
pub(super) struct Benchdnn {
    template: Vec<String>,
}

impl Benchdnn {
    /// The shape, and whether the weights are transposed, as in an inner product.
    pub(super) fn sizes(problem: &str) -> Result<(Shape, bool), RowError> {
        let words: Vec<&str> = problem.split_whitespace().collect();
        let descriptor = words.iter().rev().find(|w| !w.starts_with("--")).copied().unwrap_or("");
        let descriptor = descriptor.split(['"', '_']).next().unwrap_or("");
        if let Some((a, b)) = descriptor.split_once(':') {
            let list = |t: &str| -> Option<Vec<u32>> {
                let sizes: Option<Vec<u32>> = t.split('x').map(|v| v.parse().ok()).collect();
                sizes.filter(|s| s.len() > 1)
            };
            let (Some(a), Some(b)) = (list(a), list(b.split(':').next().unwrap_or(""))) else {
                return Err(RowError::new("matmul sizes are not MxK:KxN"));
            };
            let shape = product(&a, &b);
            let unfit = || flaw(UNFIT, descriptor);
            return Ok((shape.ok_or_else(unfit)?, false));
        }
        let get = |key: &str| {
            descriptor.match_indices(key).find_map(|(at, _)| {
                log::leading(
                    &descriptor[at + key.len()..]
                        .chars()
                        .take_while(char::is_ascii_digit)
                        .collect::<String>(),
                )
                .map(|v| v.0)
            })
        };
        let convolution = get("kh").is_some() || get("kw").is_some();
        match (get("mb"), get("oc"), get("ic")) {
            (Some(m), Some(n), Some(k)) if !convolution => {
                let space = get("ih").unwrap_or(1.0) * get("iw").or(get("ih")).unwrap_or(1.0);
                let k = log::size(k * space, "ic")?;
                let sizes = [log::size(m, "mb")?, log::size(n, "oc")?, k];
                Ok((Shape::new(sizes, None), true))
            }
            _ => Err(flaw("not a matmul or inner product", descriptor)),
        }
    }
}

impl Parser for Benchdnn {
    fn result(&mut self, line: &str, rows: &mut LogRows<'_>) -> Option<Entry> {
        let line = line.trim();
        if let Some(t) = line.strip_prefix("Output template: ") {
            self.template = t.split(',').map(|f| f.trim_matches('%').to_owned()).collect();
            return None;
        }
        if !line.starts_with("perf,") {
            return None;
        }
        let cells: Vec<&str> = dialect::cells(line, b',').collect();
        // Older versions omit the implementation and sometimes the name.
        let template: Vec<&str> = match cells.len() {
            n if n == self.template.len() => self.template.iter().map(String::as_str).collect(),
            10 => DEFAULT.iter().filter(|f| **f != "impl").copied().collect(),
            9 => DEFAULT.iter().filter(|f| !matches!(**f, "impl" | "+ctime")).copied().collect(),
            _ => self.template.iter().map(String::as_str).collect(),
        };
        let get = |names: &[&str]| {
            names.iter().find_map(|n| {
                let at = template.iter().position(|t| t == n)?;
                cells.get(at).map(|c| c.trim().trim_matches('"').to_owned())
            })
        };
        let number = |names: &[&str]| get(names)?.parse::<f64>().ok();
        let problem = get(&["prb", "DESC"]).unwrap_or_default();
        // Use the average time if present; the rate belongs to the shortest one.
        let (time, rate) = match number(&["0time"]) {
            Some(t) => (Some(t), number(&["0Gflops"])),
            None => (number(&["-time", "time"]), number(&["-Gflops", "Gflops"])),
        };
        let row = (|| -> Result<Row, RowError> {
            let (shape, inner) = Self::sizes(&problem)?;
            let options = pairs(&problem, '=');
            let said = [options.get("dt"), options.get("cfg")];
            let said: Vec<DataType> =
                said.iter().flat_map(|t| t.split(':')).filter_map(DataType::parse).collect();
            let a = rows.dtype(said.first().copied());
            let op = match said[..] {
                [said, ref others @ ..] if said == a && !others.is_empty() => {
                    let c = others.get(1).copied().unwrap_or(a.default_output());
                    Operation::mixed(a, others[0], c)
                }
                [said] if said == a => Operation::mixed(a, a, a),
                _ => Operation::uniform(a),
            };
            let tag = |key: &str| matches!(options.get(key), "ba" | "acb" | "abdc");
            let mut op = op.with_layout(tag("stag"), inner || tag("wtag"));
            op.bias = problem.contains("--bia");
            Ok(shape.row(op, log::time(time, 1e-3)?))
        })();
        let mut e = Entry::new(row);
        e.rate = rate.map_or(f64::NAN, |v| v * 1e9);
        e.work = number(&["Gops"]).map_or(f64::NAN, |v| v * 1e9);
        e.time_min = number(&["-time"]).map_or(f64::NAN, |v| v * 1e-3);
        e.kernel = get(&["impl"]).unwrap_or_default();
        e.model = get(&["name"]).unwrap_or_default();
        e.library = "oneDNN".into();
        Some(e)
    }
}
