//! AMD's profilers: rocprofv3 kernel traces, counters and statistics, rocprof-compute's
//! `pmc_perf.csv`. Times are in ns; grids are in work-items; the files have no shapes.

use super::profile::{Launch, LaunchColumns, Profile, TIMES_ONLY};
use crate::{
    Delimited, Detection, Format, Head, Header, ImportError, ImportOptions, Imported, Opened,
    ReadBy, Record, RowReader,
};
use gemmscope_model::dtype::DataType;
use gemmscope_table::build::TableBuilder;
use std::collections::HashMap;

pub(crate) const FORMAT: Format = Format {
    id: "rocprof",
    name: "rocprofv3 and rocprof-compute (CSV)",
    produced_by: "rocprofv3 --kernel-trace --output-format csv -- ./app (*_kernel_trace.csv), \
                  rocprofv3 --pmc SQ_INSTS_VALU_MFMA_MOPS_BF16 -- ./app (*_counter_collection.csv), \
                  rocprof-compute profile -n run -- ./app (pmc_perf.csv)",
    example: "\"Kind\",\"Agent_Id\",\"Queue_Id\",\"Kernel_Id\",\"Kernel_Name\",\"Correlation_Id\",\"Start_Timestamp\",\"End_Timestamp\",\"Workgroup_Size_X\",\"Workgroup_Size_Y\",\"Workgroup_Size_Z\",\"Grid_Size_X\",\"Grid_Size_Y\",\"Grid_Size_Z\"\n\
              \"KERNEL_DISPATCH\",4,1,17,\"Cijk_Ailk_Bljk_BBS_BH_MT128x128x64_MI16x16x1_SN\",1,1000,111000,256,1,1,65536,16,1\n",
    read: ReadBy::Code { detect, open },
};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// A launch a line.
    Trace,
    /// A counter a line.
    Counters,
    /// A launch a line, a column a counter.
    Wide,
    /// A kernel a line.
    Stats,
}

const STATS: LaunchColumns = LaunchColumns {
    kernel: "Name",
    time: &["AverageNs"],
    calls: "Calls",
    spread: [&["MinNs"], &["MaxNs"], &["StdDev"]],
    ..LaunchColumns::NONE
};

fn kind(header: &Header) -> Option<Kind> {
    let kinds: [(Kind, &[&str]); 4] = [
        (Kind::Counters, &["Counter_Name", "Counter_Value", "Kernel_Name"]),
        (Kind::Wide, &["Kernel_Name", "Start_Timestamp", "Dispatch_ID", "Grid_Size"]),
        (Kind::Trace, &["Kernel_Name", "Start_Timestamp", "End_Timestamp"]),
        (Kind::Stats, &["Name", "Calls", "TotalDurationNs", "AverageNs"]),
    ];
    let found = kinds.into_iter().find(|(_, names)| header.has(names));
    found.map(|(kind, _)| kind)
}

fn detect(head: &Head) -> Option<Detection> {
    let why = match kind(&Header::of_line(head.first()))? {
        Kind::Trace => "the header has Kernel_Name, Start_Timestamp, End_Timestamp",
        Kind::Counters => "the header has Kernel_Name, Counter_Name, Counter_Value",
        Kind::Wide => "the header has Dispatch_ID, Kernel_Name and a column per counter",
        Kind::Stats => "the header has Name, Calls, TotalDurationNs",
    };
    Some(Detection::new(96, why))
}

fn open(head: &Head, options: &ImportOptions) -> Opened {
    let mut table = TableBuilder::new();
    let rows = RocProf {
        profile: Profile::new(&mut table, head, options),
        header: None,
        dispatches: Vec::new(),
        places: HashMap::new(),
    };
    Ok(Delimited::open(rows, table))
}

struct RocProf {
    profile: Profile,
    header: Option<(Header, Kind)>,
    /// Launches of a file with a line a counter, and the place of each by its number.
    dispatches: Vec<(Launch, Counts)>,
    places: HashMap<String, usize>,
}

/// Counters of work and traffic. NaN: not collected.
#[derive(Debug)]
struct Counts {
    read: f64,
    read_32: f64,
    bubble: f64,
    write: f64,
    write_64: f64,
    /// Requests to the L2 cache, of 128 bytes each.
    l2: f64,
    /// Accesses of the L1 caches, of a line each.
    l1: f64,
    /// Bytes of such a line.
    l1_line: f64,
    /// Matrix operations by type, in units of 512.
    mops: f64,
    dtype: Option<DataType>,
}

impl Counts {
    fn new() -> Self {
        Counts {
            read: f64::NAN,
            read_32: f64::NAN,
            bubble: f64::NAN,
            write: f64::NAN,
            write_64: f64::NAN,
            l2: f64::NAN,
            l1: f64::NAN,
            l1_line: 64.0,
            mops: f64::NAN,
            dtype: None,
        }
    }

    fn add(&mut self, name: &str, v: f64) {
        // Only the gfx94x and later, with longer lines, number their ports to the memory.
        if name.trim().starts_with("TCC_EA0_") || name.trim() == "TCC_BUBBLE_sum" {
            self.l1_line = 128.0;
        }
        // A counter of a second pass has a suffix; keep the first.
        let place = match name.trim() {
            "TCC_EA0_RDREQ_sum" | "TCC_EA_RDREQ_sum" => &mut self.read,
            "TCC_EA0_RDREQ_32B_sum" | "TCC_EA_RDREQ_32B_sum" => &mut self.read_32,
            "TCC_BUBBLE_sum" => &mut self.bubble,
            "TCC_REQ_sum" => &mut self.l2,
            "TCP_TOTAL_CACHE_ACCESSES_sum" => &mut self.l1,
            "TCC_EA0_WRREQ_sum" | "TCC_EA_WRREQ_sum" => &mut self.write,
            "TCC_EA0_WRREQ_64B_sum" | "TCC_EA_WRREQ_64B_sum" => &mut self.write_64,
            other => {
                let Some(code) = other.strip_prefix("SQ_INSTS_VALU_MFMA_MOPS_") else {
                    return;
                };
                let dtype = match code {
                    "F16" => DataType::Fp16,
                    "BF16" => DataType::Bf16,
                    "F8" => DataType::Fp8E4m3,
                    "F32" => DataType::Fp32,
                    "F64" => DataType::Fp64,
                    "I8" => DataType::Int8,
                    "F6F4" => DataType::MxFp4,
                    _ => return,
                };
                if v > 0.0 && (self.mops.is_nan() || v > self.mops) {
                    self.dtype = Some(dtype);
                }
                self.mops = if self.mops.is_nan() { v } else { self.mops + v };
                return;
            }
        };
        if place.is_nan() {
            *place = v;
        }
    }

    fn into(self, mut l: Launch) -> Launch {
        // Requests have 32, 64 or 128 bytes; a kind that was not collected counts as 0.
        let some = |v: f64| if v.is_nan() { 0.0 } else { v };
        let (r32, bubble, w64) = (some(self.read_32), some(self.bubble), some(self.write_64));
        l.bytes = 128.0 * bubble
            + 32.0 * r32
            + 64.0 * (self.read - bubble - r32)
            + 32.0 * (self.write - w64)
            + 64.0 * w64;
        l.cache_bytes = [128.0 * self.l2, self.l1_line * self.l1];
        l.work = self.mops * 512.0;
        if l.work == 0.0 {
            l.work = f64::NAN;
        }
        l.dtype = self.dtype;
        l
    }
}

impl RocProf {
    fn launch(h: &Header, record: &Record<'_>, name: &str, table: &mut TableBuilder) -> Launch {
        let number = |n: &str| h.number(record, &[n]).unwrap_or(f64::NAN);
        let ns = number("End_Timestamp") - number("Start_Timestamp");
        let mut l = Launch::new(record.line(), name, if ns > 0.0 { ns / 1e9 } else { f64::NAN });
        let part = |axis: &str| {
            let items = number(&format!("Grid_Size_{axis}"));
            let group = number(&format!("Workgroup_Size_{axis}"));
            (items / group).ceil()
        };
        l.grid = ["X", "Y", "Z"].map(part);
        if l.grid[0].is_nan() {
            // One number for all three axes.
            l.grid = [(number("Grid_Size") / number("Workgroup_Size")).ceil(), 1.0, 1.0];
        }
        let agent = h.text(record, &["GPU_ID", "Agent_Id"]);
        if !agent.is_empty() {
            table.note(format!("Agent {}.", agent.trim_start_matches("Agent ")));
        }
        l
    }
}

impl RowReader for RocProf {
    fn record(&mut self, record: &Record<'_>, table: &mut TableBuilder) -> Result<(), ImportError> {
        let Some((h, kind)) = self.header.take() else {
            let h = Header::new(record);
            self.header = kind(&h).map(|k| (h, k));
            return Ok(());
        };
        let name = h.text(record, &["Kernel_Name", "Name"]);
        let name = name.trim_end_matches(".kd");
        if record.problem().is_none() && !name.is_empty() && *name != *"Kernel_Name" {
            match kind {
                Kind::Trace => {
                    let l = Self::launch(&h, record, name, table);
                    self.profile.push(l);
                }
                Kind::Wide => {
                    let l = Self::launch(&h, record, name, table);
                    let mut counts = Counts::new();
                    for (i, n) in h.names.iter().enumerate() {
                        if let Some(v) = record.number(i) {
                            counts.add(n, v);
                        }
                    }
                    self.profile.push(counts.into(l));
                }
                Kind::Counters => {
                    let id = h.text(record, &["Dispatch_Id"]).into_owned();
                    let at = match self.places.get(&id) {
                        Some(at) => *at,
                        None => {
                            let l = Self::launch(&h, record, name, table);
                            self.dispatches.push((l, Counts::new()));
                            self.places.insert(id, self.dispatches.len() - 1);
                            self.dispatches.len() - 1
                        }
                    };
                    let value = h.number(record, &["Counter_Value"]);
                    if let (Some(v), Some((_, counts))) = (value, self.dispatches.get_mut(at)) {
                        counts.add(&h.text(record, &["Counter_Name"]), v);
                    }
                }
                Kind::Stats => {
                    if let Some(mut l) = STATS.launch(&h, record, |_| 1e-9) {
                        name.clone_into(&mut l.kernel);
                        self.profile.push(l);
                    }
                }
            }
        }
        self.header = Some((h, kind));
        Ok(())
    }

    fn end(mut self: Box<Self>, mut table: TableBuilder) -> Result<Imported, ImportError> {
        for (l, counts) in std::mem::take(&mut self.dispatches) {
            self.profile.push(counts.into(l));
        }
        match self.header.as_ref().map(|(_, k)| k) {
            Some(Kind::Trace) => self.profile.unite(),
            Some(Kind::Stats) => table.note(TIMES_ONLY),
            _ => {}
        }
        Ok(self.profile.finish(table))
    }
}
