//! Nsight Systems' kernel summary and kernel trace: times, launches and grids, without shapes and
//! counters. Until the user names the shapes it is a ranking by time.

use super::profile::{Launch, Profile};
use crate::{
    Delimited, Detection, Format, Head, Header, ImportError, ImportOptions, Imported, Reader,
    Record, RowReader, sniff_dialect,
};
use gemmscope_model::units::TimeUnit;
use gemmscope_table::build::TableBuilder;

pub(crate) const FORMAT: Format = Format {
    id: "nsys",
    name: "Nsight Systems kernel summary (CSV)",
    produced_by: "nsys stats --report cuda_gpu_kern_sum --format csv report.nsys-rep (or cuda_gpu_trace)",
    example: "Time (%),Total Time (ns),Instances,Avg (ns),Med (ns),Min (ns),Max (ns),StdDev (ns),Name\n\
              61.2,612300,3,204100.0,204000.0,203000,205300,1153.0,nvjet_tst_128x256_64x4_2x1_v_bz_TNT\n",
    detect,
    open,
};

/// A title without its unit, and the unit in seconds.
fn split_unit(title: &str) -> (String, Option<f64>) {
    let title = title.trim();
    match title.strip_suffix(')').and_then(|t| t.rsplit_once('(')) {
        Some((name, unit)) => (
            name.trim().to_ascii_lowercase(),
            TimeUnit::parse(unit).map(TimeUnit::to_si),
        ),
        None => (title.to_ascii_lowercase(), None),
    }
}

fn find(h: &Header, names: &[&str]) -> Option<(usize, f64)> {
    names.iter().find_map(|wanted| {
        h.names.iter().enumerate().find_map(|(i, title)| {
            let (name, unit) = split_unit(title);
            (name == *wanted).then_some((i, unit.unwrap_or(1e-9)))
        })
    })
}

fn is_header(h: &Header) -> bool {
    let has = |n: &str| find(h, &[n]).is_some();
    has("name") && (has("total time") && has("instances") || has("duration") && has("grdx"))
}

fn detect(head: &Head) -> Option<Detection> {
    head.lines
        .iter()
        .any(|l| {
            (l.contains("Instances") && l.contains("Total Time") || l.contains("GrdX"))
                && [',', '\t', ';'].iter().any(|d| {
                    is_header(&Header {
                        names: Head::fields(l, *d).into_iter().map(str::to_owned).collect(),
                    })
                })
        })
        .then(|| {
            Detection::new(
                96,
                "the header has Total Time, Instances, Name, or GrdX and Duration",
            )
        })
}

fn open(head: &Head, options: &ImportOptions) -> Result<Box<dyn Reader>, ImportError> {
    let mut table = TableBuilder::new();
    let rows = Nsys {
        profile: Profile::new(&mut table, head, options),
        header: None,
        before: 0,
    };
    Ok(Delimited::open(sniff_dialect(&head.lines), rows, table))
}

struct Nsys {
    profile: Profile,
    header: Option<Header>,
    before: u64,
}

impl RowReader for Nsys {
    fn record(&mut self, record: &Record<'_>, table: &mut TableBuilder) -> Result<(), ImportError> {
        let Some(h) = &self.header else {
            let h = Header::new(record);
            if is_header(&h) {
                self.header = Some(h);
            } else {
                self.before += 1;
            }
            return Ok(());
        };
        let number = |names: &[&str]| {
            find(h, names)
                .and_then(|(i, unit)| Some(crate::cell::scaled(record.number(i)?, unit)))
                .unwrap_or(f64::NAN)
        };
        let plain = |name: &str| {
            find(h, &[name])
                .and_then(|(i, _)| record.number(i))
                .unwrap_or(f64::NAN)
        };
        let Some((name, _)) = find(h, &["name"]) else {
            return Ok(());
        };
        let name = record.text(name);
        if name.is_empty() || record.problem().is_some() {
            self.before += 1;
            return Ok(());
        }
        let trace = find(h, &["grdx"]).is_some();
        let mut l = if trace {
            Launch::new(record.line(), &name, number(&["duration"]))
        } else {
            Launch::new(record.line(), &name, number(&["avg", "average"]))
        };
        if trace {
            l.grid = ["grdx", "grdy", "grdz"].map(plain);
            if l.grid[0].is_nan() {
                // A copy or a fill, which has no grid.
                self.before += 1;
                return Ok(());
            }
            if let Some((i, _)) = find(h, &["device"]) {
                let device = record.text(i);
                // `NVIDIA H100 80GB HBM3 (0)`
                let device = device
                    .rsplit_once(" (")
                    .map_or(&*device, |(d, _)| d)
                    .to_owned();
                if device.chars().any(char::is_alphabetic) {
                    l.device = self.profile.device(table, &device);
                }
            }
        } else {
            l.calls = plain("instances");
            l.spread = [
                number(&["min", "minimum"]),
                number(&["max", "maximum"]),
                number(&["stddev"]),
            ];
        }
        self.profile.push(l);
        Ok(())
    }

    fn end(mut self, mut table: TableBuilder) -> Result<Imported, ImportError> {
        if self
            .header
            .as_ref()
            .is_some_and(|h| find(h, &["grdx"]).is_some())
        {
            self.profile.unite();
        }
        let t = &mut table;
        if self.before > 0 {
            t.note(format!("{} lines are no kernels.", self.before));
        }
        t.note("Times only: the file ranks kernels, it holds no shapes and no counters.");
        Ok(self.profile.finish(table))
    }

    fn waiting(&self) -> usize {
        self.profile.len()
    }
}
