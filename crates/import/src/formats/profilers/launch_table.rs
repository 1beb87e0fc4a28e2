//! Profilers' tables with a line a kernel or a line a launch, as data: which columns hold what.

use super::profile::{Launch, Profile};
use crate::{
    Delimited, Detection, Head, Header, ImportError, ImportOptions, Imported, Opened, Record,
    RowReader,
};
use gemmscope_model::units::{TimeUnit, plural};
use gemmscope_table::build::TableBuilder;

/// Note of a file that only lists kernels by their time.
pub(crate) const TIMES_ONLY: &str =
    "Times only: the file ranks kernels, without shapes or counters.";

/// Where a table with a line a kernel, or a line a launch, has its figures. "" and empty lists: it
/// has none.
pub(crate) struct LaunchColumns {
    /// Names of the kernels.
    pub kernel: &'static str,
    /// Time of a launch, and of all of them where that is missing.
    pub time: &'static [&'static str],
    pub total: &'static [&'static str],
    /// Seconds of a time whose title names no unit.
    pub unit_s: f64,
    /// Launches.
    pub calls: &'static str,
    /// Shortest, longest, deviation.
    pub spread: [&'static [&'static str]; 3],
    /// Workgroups along x, y, z. A table that has them has a line a launch.
    pub grid: [&'static str; 3],
    /// Device of a launch: `NVIDIA H100 80GB HBM3 (0)`.
    pub device: &'static str,
}

impl LaunchColumns {
    /// No columns; times in nanoseconds.
    pub(crate) const NONE: LaunchColumns = LaunchColumns {
        kernel: "",
        time: &[],
        total: &[],
        unit_s: 1e-9,
        calls: "",
        spread: [&[]; 3],
        grid: [""; 3],
        device: "",
    };

    /// It has a line a launch.
    fn is_trace(&self) -> bool {
        !self.grid[0].is_empty()
    }

    /// The launch of a line; `units` are those in the titles of the columns. `None`: the line is damaged or
    /// names no kernel.
    pub(crate) fn launch(
        &self,
        header: &Header,
        units: &[Option<f64>],
        record: &Record<'_>,
    ) -> Option<Launch> {
        let kernel = header.text(record, &[self.kernel]);
        if kernel.is_empty() || record.problem().is_some() {
            return None;
        }
        let unit_s = |i: usize| units.get(i).copied().flatten().unwrap_or(self.unit_s);
        let time = |names: &[&str]| {
            header.find(names).map_or(f64::NAN, |c| c.number(record, unit_s(c.index)))
        };
        let number = |name: &str| header.number(record, &[name]).unwrap_or(f64::NAN);
        let mut launch = Launch::new(record.line(), &kernel, time(self.time));
        if !self.calls.is_empty() {
            launch.calls = number(self.calls);
        }
        if launch.time_s.is_nan() {
            launch.time_s = time(self.total) / launch.calls;
        }
        launch.spread = self.spread.map(time);
        launch.grid = self.grid.map(|name| match name {
            "" => f64::NAN,
            name => number(name),
        });
        Some(launch)
    }
}

/// A format with a line a kernel or a line a launch, as data.
pub(crate) struct LaunchTable {
    /// Names in its header without units in brackets, the first of them written as here; and where its
    /// figures are.
    pub layouts: &'static [(&'static [&'static str], LaunchColumns)],
    /// As in [`Detection`].
    pub score: u8,
    pub reason: &'static str,
    /// Remarks for the file's card.
    pub notes: &'static [&'static str],
}

/// A header without the units of its times, which are in brackets; each in seconds.
type Titled = (Header, Vec<Option<f64>>, &'static LaunchColumns);

impl LaunchTable {
    fn layout(&self, header: &Header) -> Option<Titled> {
        let bare = |title: &String| {
            let (name, rest) = title.split_once('(')?;
            let (unit, behind) = rest.split_once(')')?;
            Some((format!("{}{behind}", name.trim_end()), TimeUnit::parse(unit)?.to_si()))
        };
        let (names, units) = header
            .names
            .iter()
            .map(|title| match bare(title) {
                Some((name, unit)) => (name, Some(unit)),
                None => (title.clone(), None),
            })
            .unzip();
        let titles = Header { names };
        let (_, columns) = self.layouts.iter().find(|(names, _)| titles.has(names))?;
        Some((titles, units, columns))
    }

    /// As [`Format::detect`](crate::Format::detect).
    pub(crate) fn detect(&self, head: &Head) -> Option<Detection> {
        let is_header = |line: &String| {
            self.layouts.iter().any(|(names, _)| line.contains(names[0]))
                && self.layout(&Header::of_line(line)).is_some()
        };
        head.lines.iter().any(is_header).then(|| Detection::new(self.score, self.reason))
    }

    /// As [`Format::open`](crate::Format::open).
    pub(crate) fn open(&'static self, head: &Head, options: &ImportOptions) -> Opened {
        let mut table = TableBuilder::new();
        let profile = Profile::new(&mut table, head, options);
        Ok(Delimited::open(Launches { format: self, profile, titles: None, before: 0 }, table))
    }
}

struct Launches {
    format: &'static LaunchTable,
    profile: Profile,
    titles: Option<Titled>,
    /// Lines without a kernel.
    before: u64,
}

impl RowReader for Launches {
    fn record(&mut self, record: &Record<'_>, table: &mut TableBuilder) -> Result<(), ImportError> {
        let Some((titles, units, columns)) = &self.titles else {
            self.titles = self.format.layout(&Header::new(record));
            self.before += u64::from(self.titles.is_none());
            return Ok(());
        };
        // A copy or a fill has no grid.
        let launch = columns.launch(titles, units, record);
        let launch = launch.filter(|l| !columns.is_trace() || !l.grid[0].is_nan());
        let Some(mut launch) = launch else {
            self.before += 1;
            return Ok(());
        };
        if !columns.device.is_empty() {
            let device = titles.text(record, &[columns.device]);
            let device = device.rsplit_once(" (").map_or(&*device, |(name, _)| name);
            if device.chars().any(char::is_alphabetic) {
                launch.device = table.device(device);
            }
        }
        self.profile.push(launch);
        Ok(())
    }

    fn end(mut self: Box<Self>, mut table: TableBuilder) -> Result<Imported, ImportError> {
        if self.titles.is_some_and(|(_, _, columns)| columns.is_trace()) {
            self.profile.unite();
        }
        if self.before > 0 {
            table.note(format!("Skipped {} without a kernel.", plural(self.before, "line")));
        }
        for note in self.format.notes {
            table.note(*note);
        }
        Ok(self.profile.finish(table))
    }
}
