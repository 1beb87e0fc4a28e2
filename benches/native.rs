//! Times of the parts that run between a file and its picture, on this machine, without a browser.
//!
//! `scripts/bench.sh` makes the files and starts this: `cargo bench --bench native -- FILE...`.
//! Each part runs until it has 5 to 30 repeats or half a second; the table shows the median and,
//! where it is wide, the spread. The last lines compare each size with the one before it.

use gemmscope_analysis::findings::Scan;
use gemmscope_analysis::ledger::{Ledger, Partners, Splitter};
use gemmscope_chart::chart::{Chart, RenderOptions};
use gemmscope_chart::charts;
use gemmscope_chart::charts::{Inputs, RowCache};
use gemmscope_chart::color_scale::ColorScale;
use gemmscope_chart::interactive;
use gemmscope_chart::palette::Theme;
use gemmscope_chart::roofline::{Points, RooflineInput, hit_grid, roofline};
use gemmscope_import::{ImportOptions, Imported, Session};
use gemmscope_model::hardware::RoofKind;
use gemmscope_model::pass;
use gemmscope_table::dataset::Dataset;
use gemmscope_table::field::{Field, FieldKind, Frame};
use gemmscope_table::filter::{Filters, Mask, Range};
use gemmscope_table::metrics::{DeviceChoice, Metrics};
use gemmscope_table::view_state::ViewState;
use gemmscope_words::findings::{check, check_all};
use serde::Serialize;
use std::cell::Cell;
use std::error::Error;
use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// What a browser hands over at a time is between 64 KiB and 2 MiB.
const SLICE: usize = 256 << 10;

/// One part of one file.
#[derive(Clone, Debug, Serialize)]
struct Timing {
    part: String,
    median_ms: f64,
    min_ms: f64,
    max_ms: f64,
    repeats: usize,
}

/// One file.
#[derive(Debug, Serialize)]
struct Report {
    file: String,
    bytes: u64,
    rows: usize,
    rejected: u64,
    format: String,
    timings: Vec<Timing>,
}

impl Report {
    fn median(&self, part: &str) -> Option<f64> {
        let found = self.timings.iter().find(|t| t.part == part)?;
        Some(found.median_ms)
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut files: Vec<PathBuf> = Vec::new();
    let mut json = None;
    let mut parse_only = false;
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--bench" => {}                 // cargo says so
            "--parse" => parse_only = true, // for a profiler
            "--json" => json = arguments.next().map(PathBuf::from),
            _ => files.push(argument.into()),
        }
    }
    if files.is_empty() {
        println!(
            "usage: cargo bench --bench native -- [--parse] [--json OUT] FILE...  (see `make bench`)"
        );
        return Ok(());
    }
    if parse_only {
        for file in &files {
            let bytes = std::fs::read(file)?;
            let parse = time("parse", || parse("", &bytes).map(|d| d.len()).ok());
            println!("{}: {:.1} ms", file.display(), parse.median_ms);
        }
        return Ok(());
    }
    let mut reports = Vec::new();
    for file in &files {
        let report = measure(file)?;
        print(&report);
        reports.push(report);
    }
    growth(&reports);
    if let Some(path) = json {
        if let Some(folder) = path.parent() {
            std::fs::create_dir_all(folder)?;
        }
        std::fs::write(path, serde_json::to_string_pretty(&reports)?)?;
    }
    Ok(())
}

fn time<T>(part: impl Into<String>, mut f: impl FnMut() -> T) -> Timing {
    let mut samples: Vec<f64> = Vec::new();
    let start = Instant::now();
    while samples.len() < 5 || (samples.len() < 30 && start.elapsed() < Duration::from_millis(500))
    {
        let one = Instant::now();
        let made = black_box(f());
        samples.push(one.elapsed().as_secs_f64() * 1e3);
        drop(made); // freeing is not part of it
    }
    samples.sort_by(f64::total_cmp);
    Timing {
        part: part.into(),
        median_ms: samples[samples.len() / 2],
        min_ms: samples[0],
        max_ms: samples[samples.len() - 1],
        repeats: samples.len(),
    }
}

fn parse(name: &str, bytes: &[u8]) -> Result<Dataset, Box<dyn Error>> {
    let mut session = Session::new(name, ImportOptions::default());
    session.expect(bytes.len() as u64);
    for slice in bytes.chunks(SLICE) {
        session.feed(slice)?;
    }
    match session.finish()? {
        Imported::Table(data) => Ok(*data),
        _ => Err("the file holds no rows".into()),
    }
}

fn measure(path: &Path) -> Result<Report, Box<dyn Error>> {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let bytes = std::fs::read(path)?;
    let mut timings = vec![time("read", || std::fs::read(path).map(|b| b.len()))];
    let data = Arc::new(parse(&name, &bytes)?);
    timings.push(time("parse", || parse(&name, &bytes).map(|d| d.len()).ok()));

    let choice = DeviceChoice { default: Some("h100-sxm".into()), ..DeviceChoice::default() };
    let devices = choice.resolve(&data, &[]);
    let compute = || Metrics::compute(&data, devices.clone(), RoofKind::Datasheet);
    timings.push(time("metrics", compute));
    let frame = Frame::all(data.clone(), Arc::new(compute()));

    filters(&frame, &mut timings);
    ledger(&frame, &mut timings);
    findings(&frame, &mut timings);
    pictures(&frame, &mut timings);
    views(&frame, &mut timings);
    let source = data.sources.first();
    Ok(Report {
        file: name.into_owned(),
        bytes: bytes.len() as u64,
        rows: data.len(),
        rejected: source.map_or(0, |s| s.rejected.total()),
        format: source.map_or_else(String::new, |s| s.format.clone()),
        timings,
    })
}

fn filters(frame: &Frame, timings: &mut Vec<Timing>) {
    let dtypes = frame.categories(&Field::Dtype).values;
    let mut mask = Mask::default();
    let mut filters = Filters::default();
    let mut turn = 0;
    timings.push(time("filter a type", || {
        filters.facets.clear();
        filters.toggle(&Field::Dtype, &dtypes[turn % dtypes.len()]);
        turn += 1;
        mask.update(&filters, frame);
        mask.passing().len()
    }));
    timings.push(time("filter a range", || {
        let top = 1.0 - f64::from(turn as u32 % 7) * 0.05;
        turn += 1;
        let range = Range { min: Some(0.2), max: Some(top) };
        filters.ranges.insert(Field::Efficiency, range);
        mask.update(&filters, frame);
        mask.passing().len()
    }));
    let facets: Vec<Field> = frame
        .fields()
        .into_iter()
        .filter(|f| f.kind == FieldKind::Category && f.field != Field::Shape)
        .map(|f| f.field)
        .collect();
    timings.push(time("facet counts", || {
        let counts = facets.iter().map(|f| mask.counts(f, frame).len());
        counts.sum::<usize>()
    }));
}

/// The longest time between two pauses of passes.
struct Longest(Cell<Instant>, Cell<f64>);

impl Longest {
    fn new() -> Longest {
        Longest(Cell::new(Instant::now()), Cell::new(0.0))
    }

    fn pause(&self) {
        self.1.set(self.1.get().max(self.0.get().elapsed().as_secs_f64() * 1e3));
        self.0.set(Instant::now());
    }

    fn timing(&self, part: &str) -> Timing {
        let ms = self.1.get();
        Timing { part: part.to_owned(), median_ms: ms, min_ms: ms, max_ms: ms, repeats: 1 }
    }
}

/// The partners of every GEMM, the accounts of all rows, and the longest time between two pauses of either.
fn ledger(frame: &Frame, timings: &mut Vec<Timing>) {
    frame.counted();
    timings.push(time("ledger partners", || Partners::of(frame)));
    let partners = Partners::of(frame);
    timings.push(time("ledger", || Ledger::of(frame, &partners).books.len()));
    let longest = Longest::new();
    let pause = async || longest.pause();
    pass::at_once(Partners::find(frame, &pause));
    let splitter = Splitter::new(frame, partners);
    pass::at_once(Ledger::add_up(&splitter, &[], |_| {}, &pause));
    timings.push(longest.timing("ledger step"));
}

/// Grouping, all findings, and the longest time between two pauses.
fn findings(frame: &Frame, timings: &mut Vec<Timing>) {
    timings.push(time("finding groups", || Scan::new(frame).groups.len()));
    timings.push(time("findings", || check_all(frame).findings.len()));
    let longest = Longest::new();
    pass::at_once(check(frame, None, &async |_| longest.pause()));
    timings.push(longest.timing("findings step"));
}

fn pictures(frame: &Frame, timings: &mut Vec<Timing>) {
    let theme = Theme::of(false);
    timings.push(time("positions", || Points::new(&frame.data, &frame.metrics)));
    let points = Points::new(&frame.data, &frame.metrics);
    let colour = || match frame.info(&Field::Dtype) {
        Some(info) => ColorScale::by(frame, &info, &theme),
        None => ColorScale::plain(&theme),
    };
    timings.push(time("colours", colour));
    let color_scale = colour();
    let input = RooflineInput {
        dpr: 2.0,
        ..RooflineInput::new(frame, &points, &color_scale, &theme, (1000.0, 600.0))
    };
    timings.push(time("roofline scene", || roofline(&input)));
    let chart = roofline(&input);
    timings.push(time("hit grid", || hit_grid(&input, &chart.plot)));
    let grid = hit_grid(&input, &chart.plot);
    // A pointer on its way across the plot.
    let [left, top, width, height] = chart.plot.rect;
    timings.push(time("1000 hits", || {
        let hits = (0..1000).filter(|i| {
            let (x, y) = (f64::from(i % 40) / 40.0, f64::from(i / 40) / 25.0);
            grid.nearest((left + x * width, top + y * height), 24.0).is_some()
        });
        hits.count()
    }));
}

/// Every analysis view: opened and drawn for the first time, and again after a filter.
fn views(frame: &Frame, timings: &mut Vec<Timing>) {
    let state = ViewState::default();
    let even = frame.rows.iter().copied().filter(|r| r % 2 == 0);
    let half = frame.with_rows(Arc::new(even.collect()));
    // A chart of the same data finds the places and colours of its rows where they were kept.
    let cache = RowCache::default();
    for kind in charts::CHARTS {
        let draw = |frame: &Frame, cache: &RowCache| {
            let inputs = Inputs { cache: cache.clone(), ..Inputs::new(frame, &state) };
            let chart: Arc<Chart> = (kind.open)(&inputs).into();
            let options = RenderOptions {
                dpr: 2.0,
                ..RenderOptions::new(&Theme::LIGHT, (1000.0, chart.height(1000.0)))
            };
            let drawn = interactive::draw(&chart, Some(frame), &options);
            // All that the page asks of it.
            let said = drawn.notes.len() + drawn.opened.said.controls.len();
            drawn.scene().items.len() + said
        };
        timings.push(time(format!("{}{FIRST}", kind.id), || draw(frame, &RowCache::default())));
        draw(frame, &cache);
        timings.push(time(format!("{}{FILTERED}", kind.id), || draw(&half, &cache)));
    }
}

/// What the parts of a view are called.
const FIRST: &str = ": first drawn";
const FILTERED: &str = ": half filtered out";
/// What they may take at [`ROWS`], ms.
const TARGETS: [f64; 2] = [150.0, 50.0];
const ROWS: usize = 100_000;

/// A line a view: first drawn, and drawn again after a filter.
fn print_views(report: &Report) {
    println!("  view        first drawn   after a filter");
    for first in &report.timings {
        let Some(view) = first.part.strip_suffix(FIRST) else {
            continue;
        };
        let again = report.median(&format!("{view}{FILTERED}"));
        let cell = |ms: f64, target: f64| {
            let over = report.rows <= ROWS && ms > target;
            format!("{ms:>8.2} ms{}", if over { " (over)" } else { "" })
        };
        println!(
            "  {view:<10} {:<15} {}",
            cell(first.median_ms, TARGETS[0]),
            cell(again.unwrap_or(f64::NAN), TARGETS[1])
        );
    }
}

fn print(report: &Report) {
    println!(
        "\n{}: {} rows, {:.1} MB, {} set aside, read as {}",
        report.file,
        report.rows,
        report.bytes as f64 / 1e6,
        report.rejected,
        report.format
    );
    for t in report.timings.iter().filter(|t| !t.part.contains(": ")) {
        let rate = match t.part.as_str() {
            "read" | "parse" => format!("{:8.0} MB/s", report.bytes as f64 / 1e3 / t.median_ms),
            _ => String::new(),
        };
        println!(
            "  {:<22}{:>10.3} ms   {:>9.3} to {:<9.3} of {:>2}{rate}",
            t.part, t.median_ms, t.min_ms, t.max_ms, t.repeats
        );
    }
    print_views(report);
}

/// Ten times the rows may take eleven times as long.
fn growth(reports: &[Report]) {
    for pair in reports.windows(2) {
        let [small, large] = pair else { continue };
        if small.format != large.format || large.rows <= small.rows || small.rows == 0 {
            continue;
        }
        let rows = large.rows as f64 / small.rows as f64;
        let times: Vec<String> = large
            .timings
            .iter()
            .filter_map(|t| {
                let times = t.median_ms / small.median(&t.part)?;
                let mark = if times > 1.1 * rows { " (over)" } else { "" };
                Some(format!("{} {times:.1}{mark}", t.part))
            })
            .collect();
        println!(
            "\ngrowth {} to {} rows ({rows:.0} x): {}",
            small.rows,
            large.rows,
            times.join(", ")
        );
    }
}
