//! Nsight Systems' kernel summary and kernel trace: times, launches and grids, without shapes and
//! counters. Until the user names the shapes it is a ranking by time.

use super::profile::{LaunchColumns, Profile, TIMES_ONLY};
use crate::{
    Delimited, Detection, Format, Head, Header, ImportError, ImportOptions, Imported, Opened,
    ReadBy, Record, RowReader,
};
use gemmscope_model::units::TimeUnit;
use gemmscope_model::units::plural;
use gemmscope_table::build::TableBuilder;

pub(crate) const FORMAT: Format = Format {
    id: "nsys",
    name: "Nsight Systems kernel summary (CSV)",
    produced_by: "nsys stats --report cuda_gpu_kern_sum --format csv report.nsys-rep (or cuda_gpu_trace)",
    example: "Time (%),Total Time (ns),Instances,Avg (ns),Med (ns),Min (ns),Max (ns),StdDev (ns),Name\n\
              61.2,612300,3,204100.0,204000.0,203000,205300,1153.0,nvjet_tst_128x256_64x4_2x1_v_bz_TNT\n",
    read: ReadBy::Code { detect, open },
};

/// A kernel a line.
const SUMMARY: LaunchColumns = LaunchColumns {
    kernel: "name",
    time: &["avg", "average"],
    calls: "instances",
    spread: [&["min", "minimum"], &["max", "maximum"], &["stddev"]],
    ..LaunchColumns::NONE
};

/// A launch a line.
const TRACE: LaunchColumns = LaunchColumns {
    kernel: "name",
    time: &["duration"],
    grid: ["grdx", "grdy", "grdz"],
    ..LaunchColumns::NONE
};

/// The titles in small letters and without their units.
struct Columns {
    titles: Header,
    /// The unit of each column in seconds.
    unit_s: Vec<f64>,
    /// It has a launch a line.
    trace: bool,
}

impl Columns {
    fn new(header: Header) -> Option<Self> {
        let (names, unit_s) = header
            .names
            .iter()
            .map(|title| {
                let title = title.trim();
                let (name, unit) = match title.strip_suffix(')').and_then(|t| t.rsplit_once('(')) {
                    Some((name, unit)) => (name.trim(), TimeUnit::parse(unit)),
                    None => (title, None),
                };
                (name.to_ascii_lowercase(), unit.map_or(1e-9, TimeUnit::to_si))
            })
            .unzip();
        let titles = Header { names };
        let trace = titles.has(&["grdx"]);
        (titles.has(&["name", "total time", "instances"])
            || titles.has(&["name", "duration", "grdx"]))
        .then_some(Columns { titles, unit_s, trace })
    }
}

fn detect(head: &Head) -> Option<Detection> {
    let is_header = |line: &String| {
        (line.contains("Instances") && line.contains("Total Time") || line.contains("GrdX"))
            && Columns::new(Header::of_line(line)).is_some()
    };
    head.lines.iter().any(is_header).then(|| {
        Detection::new(96, "the header has Total Time, Instances, Name, or GrdX and Duration")
    })
}

fn open(head: &Head, options: &ImportOptions) -> Opened {
    let mut table = TableBuilder::new();
    let rows = Nsys { profile: Profile::new(&mut table, head, options), columns: None, before: 0 };
    Ok(Delimited::open(rows, table))
}

struct Nsys {
    profile: Profile,
    columns: Option<Columns>,
    before: u64,
}

impl RowReader for Nsys {
    fn record(&mut self, record: &Record<'_>, table: &mut TableBuilder) -> Result<(), ImportError> {
        let Some(columns) = &self.columns else {
            self.columns = Columns::new(Header::new(record));
            self.before += u64::from(self.columns.is_none());
            return Ok(());
        };
        let layout = if columns.trace { &TRACE } else { &SUMMARY };
        let launch = layout.launch(&columns.titles, record, |i| columns.unit_s[i]);
        // A copy or a fill has no grid.
        let launch = launch.filter(|l| !columns.trace || !l.grid[0].is_nan());
        let Some(mut launch) = launch else {
            self.before += 1;
            return Ok(());
        };
        if columns.trace {
            // `NVIDIA H100 80GB HBM3 (0)`
            let device = columns.titles.text(record, &["device"]);
            let device = device.rsplit_once(" (").map_or(&*device, |(d, _)| d);
            if device.chars().any(char::is_alphabetic) {
                launch.device = table.device(device);
            }
        }
        self.profile.push(launch);
        Ok(())
    }

    fn end(mut self: Box<Self>, mut table: TableBuilder) -> Result<Imported, ImportError> {
        if self.columns.is_some_and(|c| c.trace) {
            self.profile.unite();
        }
        if self.before > 0 {
            table.note(format!("Skipped {} without a kernel.", plural(self.before, "line")));
        }
        table.note(TIMES_ONLY);
        Ok(self.profile.finish(table))
    }
}
