//! TritonBench's tables: separated by `;`, `(M, N, K)` in the first cell, the metric behind the
//! backend (`aten_matmul-tflops`); a cell may be `CUDA OOM`, and the last line is an average.

use super::wide::{self, Plan, Planner, Provider, Sizes, Unit, Wide};
use super::{
    Col, Delimited, Delimiter, Detection, Dialect, Format, Head, ImportError, ImportOptions,
    Reader, TableBuilder, shape_text, unsaid,
};
use crate::dtype::DataType;
use crate::gemm::Operation;

/// Entry of the table of formats.
pub const FORMAT: Format = Format {
    id: "tritonbench",
    name: "TritonBench table",
    produced_by: "python run.py --op gemm --metrics latency,tflops --csv --output gemm.csv (TritonBench)",
    example: "x_val;aten_matmul-latency;aten_matmul-tflops;triton_tutorial_matmul-latency;triton_tutorial_matmul-tflops\n\
              (4096, 4096, 4096);0.2312 (±1.2%);594.4;0.2502 (±2.0%);549.3\n",
    detect,
    open,
};

/// Metric names of TritonBench.
fn metric(name: &str) -> Option<Unit> {
    Some(match name {
        "latency" => Unit::Time(1e-3),
        "tflops" => Unit::Rate(1e12),
        "gbps" => Unit::Bandwidth(1e9),
        _ => return None,
    })
}

const OTHER_METRICS: [&str; 12] = [
    "speedup",
    "accuracy",
    "walltime",
    "compile_time",
    "best_config",
    "mem_footprint",
    "ncu_trace",
    "cpu_peak_mem",
    "gpu_peak_mem",
    "hw_roofline",
    "kineto_trace",
    "error",
];

fn detect(head: &Head) -> Option<Detection> {
    let at = head.lines.iter().position(|l| l.contains(';'))?;
    let fields = Head::fields(&head.lines[at], ';');
    let metrics = fields
        .iter()
        .filter(|f| f.rsplit_once('-').is_some_and(|(_, m)| metric(m).is_some()))
        .count();
    let tuples = head.lines[at + 1..]
        .iter()
        .filter(|l| shape_text::sizes(Head::fields(l, ';')[0]).len() >= 3)
        .count();
    (metrics > 0 && tuples > 0).then(|| {
        Detection::new(
            94,
            "separated by “;”, shapes such as (M, N, K) first, then backend-metric columns",
        )
    })
}

fn open(head: &Head, options: &ImportOptions) -> Result<Box<dyn Reader>, ImportError> {
    let mut table = TableBuilder::new();
    let fallback = head
        .lines
        .iter()
        .find(|l| l.contains(';'))
        .filter(|l| l.contains("bf16"))
        .map_or(DataType::Fp16, |_| DataType::Bf16);
    let dtype = unsaid::dtype(&mut table, head, options, fallback);
    let device = unsaid::device(&mut table, head, options);
    let planner: Planner = Box::new(move |h, table| {
        if !h.names.iter().any(|n| n.contains('-')) {
            return None;
        }
        let mut providers: Vec<Provider> = Vec::new();
        let mut used = vec![0];
        for (i, name) in h.names.iter().enumerate().skip(1) {
            let Some((backend, m)) = name.trim().rsplit_once('-') else {
                continue;
            };
            let known = metric(m);
            if known.is_none() && !OTHER_METRICS.contains(&m) {
                continue;
            }
            used.push(i);
            let at = match providers.iter().position(|p| p.name == backend) {
                Some(at) => at,
                None => {
                    providers.push(Provider {
                        name: backend.to_owned(),
                        ..Provider::default()
                    });
                    providers.len() - 1
                }
            };
            match known {
                Some(unit) => providers[at].set(
                    Col {
                        index: i,
                        name: name.trim().to_owned(),
                    },
                    unit,
                ),
                None => {
                    // One long column a metric, whichever backend it is of.
                    let id = providers
                        .iter()
                        .flat_map(|p| &p.rest)
                        .find(|(c, _)| h.names[*c].trim().ends_with(&format!("-{m}")))
                        .map(|(_, id)| *id)
                        .unwrap_or_else(|| table.auto_column(m));
                    providers[at].rest.push((i, id));
                }
            }
        }
        providers.retain(|p| p.time.is_some() || p.rate.is_some() || p.bandwidth.is_some());
        if providers.is_empty() {
            return None;
        }
        Some(Plan {
            sizes: Sizes::Tuple(Col {
                index: 0,
                name: h.names[0].trim().to_owned(),
            }),
            batch: None,
            trans: [None, None],
            beta: None,
            op: Operation::uniform(dtype),
            device,
            providers,
            common: wide::rest(h, table, &used),
            abbreviated: false,
        })
    });
    Ok(Box::new(Delimited::new(
        Dialect {
            delimiter: Delimiter::Byte(b';'),
            decimal_comma: false,
        },
        Wide::new(table, planner),
    )))
}

#[cfg(test)]
mod tests {
    use crate::dataset::Role;
    use crate::import::{ImportOptions, Imported, read_all};

    #[test]
    fn metrics_of_two_backends() {
        let text = "x_val;aten_matmul-latency;aten_matmul-tflops;aten_matmul-speedup;triton-latency;triton-tflops;triton-speedup\n\
             (4096, 4096, 4096);0.2312 (±1.20%);594.4;1.0;0.25;549.7;0.9\n\
             (8192, 4096, 4096);0.4624;594.4;1.0;CUDA OOM;;\n\
             average;0.3;594.4;1.0;0.25;549.7;0.9\n";
        let Ok(Imported::Table(d)) = read_all("", text.as_bytes(), &ImportOptions::default())
        else {
            panic!("a table")
        };
        let s = &d.sources[0];
        assert_eq!(
            (d.len(), s.format.as_str(), s.set_aside.total()),
            (3, "tritonbench", 1)
        );
        assert_eq!(
            s.set_aside.reasons[0].text,
            "time says that the run failed (triton-latency)"
        );
        assert_eq!(
            (s.reported_rate.compared, s.reported_rate.within_1_percent),
            (3, 3)
        );
        assert!((d.time_s[0] - 231.2e-6).abs() < 1e-12);
        assert!((d.number(Role::TimeStd, 0) / d.time_s[0] - 0.012).abs() < 1e-12);
    }
}
