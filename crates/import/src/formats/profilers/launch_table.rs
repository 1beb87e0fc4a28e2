//! Describes profiler tables with one line per kernel, launch or counter as data.

use super::profile::{Counters, Launch, Profile};
use crate::{
    Claim, Delimited, Head, Header, ImportError, ImportOptions, Imported, Reader, Record, RowReader,
};
use gemmscope_model::units::{TimeUnit, plural};
use gemmscope_table::build::TableBuilder;
use std::borrow::Cow;
use std::collections::HashMap;

/// Note on a file that only lists kernels by time.
pub(crate) const TIMES_ONLY: &str =
    "Times only: the file ranks kernels, without shapes or counters.";

/// Where a table holds the counters of a launch.
pub(crate) enum CountedIn {
    /// Nowhere.
    Nothing,
    /// In columns whose titles pass this test. Units, if any, are in the line below the header.
    Columns(fn(&str) -> bool),
    /// One per line: titles of name, unit and value, and of the cells that identify the launch.
    Lines([&'static str; 3], &'static [&'static str]),
}

/// Column titles of a table with one line per kernel, launch or counter. "" and empty lists mean no such column.
pub(crate) struct LaunchColumns {
    /// Names of the kernels.
    pub kernel: &'static str,
    /// Time per launch; `total` is the time of all launches, used if that is missing.
    pub time: &'static [&'static str],
    pub total: &'static [&'static str],
    /// Factor to seconds for a time whose title states no unit.
    pub unit_s: f64,
    /// Number of launches.
    pub calls: &'static str,
    /// Minimum, maximum, standard deviation.
    pub spread: [&'static [&'static str]; 3],
    /// Workgroups along x, y, z. A line without them is not a launch.
    pub grid: [&'static str; 3],
    /// Column or counter that names the device of a launch: `NVIDIA H100 80GB HBM3 (0)`.
    pub device: &'static str,
    /// Merge launches of a kernel with the same grid.
    pub is_trace: bool,
    pub counters: CountedIn,
    /// Reads further figures from the first line of a launch.
    pub also: fn(&mut Launch, &mut Counters, &Header, &Record<'_>, &mut TableBuilder),
    /// Evaluates the counters of a launch, once all are read.
    pub counted: fn(&mut Launch, &Counters, &mut TableBuilder),
    /// Remarks for the file's card.
    pub notes: &'static [&'static str],
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
        is_trace: false,
        counters: CountedIn::Nothing,
        also: |_, _, _, _, _| {},
        counted: |_, _, _| {},
        notes: &[],
    };

    /// The kernel of a line; "" if it names none or is damaged.
    fn kernel<'r>(&self, header: &Header, record: &Record<'r>) -> Cow<'r, str> {
        match record.problem() {
            None => header.text(record, &[self.kernel]),
            Some(_) => Cow::default(),
        }
    }

    /// The launch of a line; `units` are those in the column titles. `None` if it names no kernel or has no grid.
    fn launch(&self, header: &Header, units: &[String], record: &Record<'_>) -> Option<Launch> {
        let kernel = self.kernel(header, record);
        let kernel = kernel.trim_end_matches(".kd");
        if kernel.is_empty() {
            return None;
        }
        let unit_s = |i: usize| TimeUnit::parse(&units[i]).map_or(self.unit_s, TimeUnit::to_si);
        let time = |names: &[&str]| {
            header.find(names).map_or(f64::NAN, |c| c.number(record, unit_s(c.index)))
        };
        let number = |name: &str| header.number(record, &[name]).unwrap_or(f64::NAN);
        let mut launch = Launch::new(record.line(), kernel, time(self.time));
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
        // Copies and fills have no grid.
        (self.grid[0].is_empty() || !launch.grid[0].is_nan()).then_some(launch)
    }
}

/// A format of such tables, with one or more layouts.
pub(crate) struct LaunchTable {
    /// Per layout: names in its header without bracketed units (the first in this exact spelling), and its columns.
    pub layouts: &'static [(&'static [&'static str], LaunchColumns)],
}

/// A header with the bracketed units of its times removed, and these units or those of the line below.
struct Titled {
    header: Header,
    units: Vec<String>,
    names: &'static [&'static str],
    columns: &'static LaunchColumns,
    /// No line has followed it yet.
    is_last: bool,
}

impl Titled {
    /// The launch of its first line, with all that this line states.
    fn first(&self, record: &Record<'_>, table: &mut TableBuilder) -> Option<(Launch, Counters)> {
        let Titled { header, columns, .. } = self;
        let mut launch = columns.launch(header, &self.units, record)?;
        if !columns.device.is_empty() {
            on_device(&mut launch, &header.text(record, &[columns.device]), table);
        }
        let mut counters = Counters::default();
        (columns.also)(&mut launch, &mut counters, header, record, table);
        Some((launch, counters))
    }
}

/// Sets the device from a name such as `NVIDIA H100 80GB HBM3 (0)`; ignores a bare number.
fn on_device(launch: &mut Launch, name: &str, table: &mut TableBuilder) {
    let name = name.rsplit_once(" (").map_or(name, |(name, _)| name);
    if name.chars().any(char::is_alphabetic) {
        launch.device = table.device(name);
    }
}

impl LaunchTable {
    fn layout(&self, header: &Header) -> Option<Titled> {
        let bare = |title: &String| {
            let (name, rest) = title.split_once('(')?;
            let (unit, behind) = rest.split_once(')')?;
            TimeUnit::parse(unit)?;
            Some((format!("{}{behind}", name.trim_end()), unit.to_owned()))
        };
        let titles = header.names.iter();
        let (names, units) =
            titles.map(|t| bare(t).unwrap_or_else(|| (t.trim().to_owned(), String::new()))).unzip();
        let header = Header { names };
        let fits = |(names, columns): &&(&[&str], LaunchColumns)| match columns.counters {
            CountedIn::Columns(is) => header.has(names) && header.names.iter().any(|n| is(n)),
            _ => header.has(names),
        };
        let (names, columns) = self.layouts.iter().find(fits)?;
        Some(Titled { header, units, names, columns, is_last: true })
    }

    /// See [`Format::claim`](crate::Format::claim).
    pub(crate) fn claim(&self, head: &Head) -> Option<Claim> {
        let named = |l: &&String| self.layouts.iter().any(|(names, _)| l.contains(names[0]));
        let mut lines = head.lines.iter().filter(named);
        let found = lines.find_map(|line| self.layout(&Header::of_line(line)))?;
        Some(Claim::header(found.names))
    }

    /// See [`Format::open`](crate::Format::open).
    pub(crate) fn open(&'static self, head: &Head, options: &ImportOptions) -> Box<dyn Reader> {
        let mut table = TableBuilder::new();
        let profile = Profile::new(&mut table, head, options);
        let (open, places, key) = (Vec::new(), HashMap::new(), String::new());
        let rows = Launches { format: self, profile, titles: None, open, places, key, before: 0 };
        Delimited::open(rows, table)
    }
}

struct Launches {
    format: &'static LaunchTable,
    profile: Profile,
    titles: Option<Titled>,
    /// Launches to which later lines may add counters, and the index of each by key.
    open: Vec<(Launch, Counters)>,
    places: HashMap<String, usize>,
    /// Key of the current line's launch; a field to reuse its allocation.
    key: String,
    /// Number of lines without a kernel.
    before: u64,
}

impl Launches {
    /// Reads a line with one counter and adds it to the entry of its launch.
    fn counter(
        &mut self,
        record: &Record<'_>,
        [name, unit, value]: [&str; 3],
        apart: &[&str],
        table: &mut TableBuilder,
    ) {
        let Some(titles) = &self.titles else { return };
        let Titled { header, columns, .. } = titles;
        let text = |name: &str| header.text(record, &[name]);
        let value = header.position(value).filter(|i| record.len() > *i);
        let Some(value) = value.filter(|_| !columns.kernel(header, record).is_empty()) else {
            self.before += 1;
            return;
        };
        let name = text(name);
        // Lines with the profiler's advice have no counter.
        if name.is_empty() {
            return;
        }
        self.key.clear();
        for part in apart {
            self.key += &text(part);
            self.key.push('/');
        }
        let at = match self.places.get(&self.key) {
            Some(at) => *at,
            None => {
                let Some(first) = titles.first(record, table) else {
                    self.before += 1;
                    return;
                };
                self.open.push(first);
                self.places.insert(self.key.clone(), self.open.len() - 1);
                self.open.len() - 1
            }
        };
        let (launch, counters) = &mut self.open[at];
        if *name == *columns.device {
            on_device(launch, &record.text(value), table);
        }
        counters.add(&name, &text(unit), record.number(value));
    }
}

impl RowReader for Launches {
    fn record(&mut self, record: &Record<'_>, table: &mut TableBuilder) -> Result<(), ImportError> {
        let below =
            |t: &&mut Titled| t.header.text(record, &[t.columns.kernel]) != t.columns.kernel;
        let Some(titles) = self.titles.as_mut().filter(below) else {
            match self.format.layout(&Header::new(record)) {
                Some(titles) => self.titles = Some(titles),
                None => self.before += 1,
            }
            return Ok(());
        };
        let of_units = std::mem::take(&mut titles.is_last) && record.get(0).is_empty();
        if of_units && matches!(titles.columns.counters, CountedIn::Columns(_)) {
            titles.units = (0..titles.units.len()).map(|i| record.text(i).into_owned()).collect();
            return Ok(());
        }
        let Titled { header, units, columns, .. } = &*titles;
        if let CountedIn::Lines(counter, apart) = columns.counters {
            self.counter(record, counter, apart, table);
            return Ok(());
        }
        let Some((mut launch, mut counters)) = titles.first(record, table) else {
            self.before += 1;
            return Ok(());
        };
        if let CountedIn::Columns(is) = columns.counters {
            for (i, name) in header.names.iter().enumerate().filter(|(_, n)| is(n)) {
                counters.add(name, &units[i], record.number(i));
            }
        }
        (columns.counted)(&mut launch, &counters, table);
        self.profile.push(launch);
        Ok(())
    }

    fn end(mut self: Box<Self>, mut table: TableBuilder) -> Result<Imported, ImportError> {
        if self.before > 0 {
            table.note(format!("Skipped {} without a kernel.", plural(self.before, "line")));
        }
        if let Some(Titled { columns, .. }) = self.titles {
            for (mut launch, counters) in self.open {
                (columns.counted)(&mut launch, &counters, &mut table);
                self.profile.push(launch);
            }
            if columns.is_trace {
                self.profile.unite();
            }
            for note in columns.notes {
                table.note(*note);
            }
        }
        Ok(self.profile.finish(table))
    }
}
