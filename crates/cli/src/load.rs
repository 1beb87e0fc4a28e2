//! Reads the files of a command line into one table.

mod misuse;

use crate::Io;
use crate::command_line::{Selection, Source};
use crate::exit::{Exit, Stop};
use crate::files::{InputFile, given, with_runs};
use crate::messages::{Code, Messages};
use crate::read::read;
use crate::{output, progress, reference};
use gemmscope_analysis::ledger::Columns;
use gemmscope_chart::link_keys;
use gemmscope_import::{ImportError, ImportOptions, Imported};
use gemmscope_model::hardware::{Device, RoofKind};
use gemmscope_model::units::plural;
use gemmscope_table::dataset::{Dataset, TraceContext};
use gemmscope_table::field::Frame;
use gemmscope_table::metrics::{DeviceChoice, Metrics};
use gemmscope_table::study::Study;
use gemmscope_table::trace;
use gemmscope_table::view_state::ViewState;
use misuse::{device_id, wrong_answer, wrong_column};
use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::io::Read;
use std::path::Path;
use std::sync::Arc;

/// What a command reads, and where its result goes.
#[derive(Clone, Copy)]
pub(super) struct Request<'a> {
    pub source: &'a Source,
    /// Id of the format that the files are read as.
    pub format: Option<&'a str>,
    /// `-o`.
    pub output: Option<&'a Path>,
    /// A file read in addition to those of `source`: a baseline, a page.
    pub beside: Option<&'a OsStr>,
}

/// Result of reading one file.
#[derive(Debug)]
pub(super) enum Outcome {
    /// Its rows are in the table, as these sources.
    Table(std::ops::Range<usize>),
    /// It defines these devices.
    Devices(Vec<String>),
    /// It is context for the table of this name (`None`: that table was not given).
    Context(Option<String>),
    /// It was not needed, for this reason.
    LeftOut(String),
    /// It cannot be read.
    Failed(ImportError),
}

/// All rows of all files, and the devices that files define.
#[derive(Debug, Default)]
pub(super) struct Loaded {
    pub data: Dataset,
    pub custom: Vec<Device>,
    /// Id of the device of `--device`.
    pub device: Option<String>,
    /// `--no-published`.
    pub no_published: bool,
    /// The files have measured peaks; efficiency is then relative to these.
    pub measured_peaks: bool,
    /// Name and outcome of each file.
    pub files: Vec<(String, Outcome)>,
    /// True if a file could not be read: the exit code is 1 even if the others were.
    pub failed: bool,
    /// An error in the options that is found only after reading the files.
    pub misuse: Option<String>,
}

impl Loaded {
    /// Rows and view state selected by the options.
    pub(super) fn show(
        self,
        selection: &Selection,
        view: Option<&str>,
        err: &mut Messages<'_>,
    ) -> Result<Shown, Stop> {
        let state = view_state(selection, view, &self, err)?;
        let failed = self.failed;
        let frame = shown(self.data, &state, &self.custom, err)?;
        Ok(Shown { frame, state, failed })
    }

    /// Ends a command that has nothing to show.
    pub(super) fn expect_rows(&self) -> Result<(), Stop> {
        if self.misuse.is_some() {
            return Err(Stop::With(Exit::Misuse));
        }
        if self.data.is_empty() { Err(Stop::With(Exit::Failed)) } else { Ok(()) }
    }

    /// Reports as [`report`](Self::report) does, and ends a command that has nothing to show.
    pub(super) fn with_rows(self, err: &mut Messages<'_>) -> Result<Loaded, Stop> {
        self.report(err)?;
        self.expect_rows()?;
        Ok(self)
    }

    /// True if a file has time of GEMMs with an unknown shape.
    pub(super) fn has_gemm_time(&self) -> bool {
        self.data.sources.iter().any(|s| s.without_model.time_s > 0.0)
    }

    /// Sets the device; returns an error in `--device` or `--answer`, given the files.
    fn misuse_of_options(&mut self, source: &Source, options: &ImportOptions) -> Option<String> {
        match device_id(source.device.as_deref(), &self.custom) {
            Ok(id) => self.device = id,
            Err(why) => return Some(why),
        }
        let asked = self.data.sources.iter().flat_map(|s| &s.assumptions);
        wrong_answer(options, &asked.collect::<Vec<_>>())
    }

    /// A sentence if `--device` has no effect, because every row's file names another device.
    pub(super) fn overruled_device(&self) -> Option<String> {
        let chosen = self.device.as_ref()?;
        let used: BTreeSet<usize> =
            self.data.device.iter().map(|code| usize::from(*code)).collect();
        let devices = self.devices();
        let is_chosen = |code: &usize| devices[*code].as_ref().is_some_and(|d| d.id == *chosen);
        if used.is_empty() || used.iter().any(is_chosen) {
            return None;
        }
        let names: Vec<&str> = used.iter().map(|code| self.data.devices[*code].as_str()).collect();
        let names = names.join(", ");
        Some(format!("--device {chosen}: not used, as the files name their device: {names}"))
    }

    /// The device for each entry of [`Dataset::devices`]; the chosen one for rows that name none.
    fn devices(&self) -> Vec<Option<Device>> {
        let choice = DeviceChoice { default: self.device.clone(), ..DeviceChoice::default() };
        match self.no_published {
            true => choice.resolve(&self.data, &self.custom),
            false => {
                let devices = reference::devices(&self.data, &choice, &self.custom);
                choice.resolve(&self.data, &devices)
            }
        }
    }

    /// Adds context to the table it belongs to, and returns that table's name.
    fn attach(&mut self, context: &TraceContext) -> Option<String> {
        let attached = trace::attach(&mut self.data, context);
        self.measured_peaks |= attached.device.is_some();
        match context.name_measured(&self.custom) {
            Some(named) => {
                let same = self.custom.iter_mut().filter(|d| d.id == named.id);
                same.for_each(|d| *d = named.clone());
            }
            None => self.custom.extend(attached.device),
        }
        attached.source.map(|s| self.data.sources[s].name.clone())
    }

    /// The figures of all rows, with the chosen device, against this roof.
    pub(super) fn metrics(&self, roof: RoofKind) -> Metrics {
        Metrics::compute(&self.data, self.devices(), roof)
    }

    /// Writes errors, files left out and the number of skipped rows to `err`.
    pub(super) fn report(&self, err: &mut Messages<'_>) -> std::io::Result<()> {
        for (name, outcome) in &self.files {
            match outcome {
                Outcome::Table(sources) => {
                    for s in &self.data.sources[sources.clone()] {
                        let skipped = s.rejected.total();
                        if skipped > 0 {
                            let rows = plural(skipped, "row");
                            let all = if s.rows_used == 0 { ", none used" } else { "" };
                            let what = format!("{rows} skipped{all} (see `gemmscope summary`)");
                            err.of_file(Code::RowsSkipped, name, &what)?;
                        }
                    }
                }
                Outcome::Devices(_) | Outcome::Context(Some(_)) => {}
                Outcome::Context(None) => {
                    let wanted = "also give the table it belongs to (GEMM.csv, gemm_ops.csv, \
                                  pmc_perf.csv)";
                    err.of_file(Code::NeedsTable, name, wanted)?;
                }
                Outcome::LeftOut(why) => {
                    err.of_file(Code::LeftOut, name, &format!("left out: {why}"))?;
                }
                Outcome::Failed(why) => err.failed(name, why)?,
            }
        }
        if self.data.is_blank() {
            err.say(Code::NoRows, "no usable rows")?;
        }
        if let Some(why) = self.overruled_device() {
            err.say(Code::Ignored, &why)?;
        }
        if let Some(misuse) = &self.misuse {
            err.usage(misuse)?;
        }
        Ok(())
    }
}

/// Reads the files of a command.
pub(super) fn load(request: &Request<'_>, stdin: &mut dyn Read) -> Loaded {
    let mut all = load_files(&request.source.files, request, stdin);
    if all.misuse.is_none() {
        all.misuse = wrong_column(request.source, &[&all]);
    }
    all
}

/// Reads the baseline too. A `--column` may exist in the baseline alone.
pub(super) fn load_with_baseline(
    request: &Request<'_>,
    file: &OsString,
    stdin: &mut dyn Read,
) -> (Loaded, Loaded) {
    let mut all = load_files(&request.source.files, request, stdin);
    let baseline = load_files(std::slice::from_ref(file), request, stdin);
    if all.misuse.is_none() {
        all.misuse = wrong_column(request.source, &[&all, &baseline]);
    }
    (all, baseline)
}

/// Reads these files.
fn load_files(files: &[OsString], request: &Request<'_>, stdin: &mut dyn Read) -> Loaded {
    let options = request.source.options(request.format);
    let (files, mut wrong) = given(files);
    let (files, wrong_lists) = with_runs(files);
    wrong.extend(wrong_lists);
    let mut all = Loaded {
        failed: !wrong.is_empty(),
        no_published: request.source.no_published,
        ..Loaded::default()
    };
    for why in wrong {
        let why = Outcome::Failed(ImportError::new(why));
        all.files.push(("files".to_owned(), why));
    }
    let paths: Vec<&str> = files.iter().map(|f| f.name.as_str()).collect();
    let repeated = trace::repeated_tables(&paths);
    let mut tables: Vec<(usize, Dataset)> = Vec::new();
    let mut contexts = Vec::new();
    for (i, file) in files.iter().enumerate() {
        progress::of_size(&format!("reading {}", file.name_for_people()), file.size());
        let outcome = if let Some((_, why)) = repeated.iter().find(|(at, _)| *at == i) {
            Outcome::LeftOut(why.clone())
        } else {
            match read(file, &options, stdin) {
                Ok(Imported::Table(data)) => {
                    tables.push((i, *data));
                    Outcome::Table(0..0)
                }
                Ok(Imported::Devices(devices)) => {
                    let names = devices.iter().map(|d| d.name.clone()).collect();
                    all.custom.extend(devices);
                    Outcome::Devices(names)
                }
                Ok(Imported::Context(context)) => {
                    contexts.push((all.files.len(), context));
                    Outcome::Context(None)
                }
                Err(e) if file.of_folder => Outcome::LeftOut(e.to_string()),
                Err(e) => {
                    all.failed = true;
                    Outcome::Failed(e)
                }
            }
        };
        all.files.push((file.name_for_people().into_owned(), outcome));
    }
    progress::step("working out the figures");
    take_captures(&mut tables, &files, &options, stdin);
    let of_args = all.files.len() - files.len();
    let (of_table, mut tables): (Vec<usize>, Vec<Dataset>) = tables.into_iter().unzip();
    let (data, sources, repeated, lent) = if let [one] = tables.as_mut_slice() {
        // A single table may be large, so it is moved, not copied.
        let sources = 0..one.sources.len();
        (std::mem::take(one), vec![sources], Vec::new(), trace::Lent::default())
    } else {
        let tables: Vec<&Dataset> = tables.iter().collect();
        let repeated = trace::repeated_rows(&tables);
        let (data, sources, lent) = trace::unite(&tables, &repeated);
        (data, sources, repeated, lent)
    };
    all.data = data;
    for (file, sources) in of_table.iter().zip(sources) {
        all.files[of_args + file].1 = Outcome::Table(sources);
    }
    for r in repeated {
        all.files[of_args + of_table[r.table]].1 = Outcome::LeftOut(r.why);
    }
    for (at, context) in contexts {
        all.files[at].1 = Outcome::Context(all.attach(&context));
    }
    lent.to(&mut all.data);
    let used = |outcome: &Outcome| !matches!(outcome, Outcome::LeftOut(_));
    let read = files.iter().zip(&all.files[of_args..]);
    let read = read.filter(|(file, (_, outcome))| file.of_folder && used(outcome));
    let read: Vec<&Path> = read.filter_map(|(file, _)| file.path.as_deref()).collect();
    let wrong_place = output::wrong_place(request, &read);
    all.misuse = wrong_place.or_else(|| all.misuse_of_options(request.source, &options));
    all
}

/// Merges several sources into one called `name`, so that they are one side or one run.
pub(super) fn as_one(mut data: Dataset, name: &str) -> Dataset {
    if let Some(mut first) = data.sources.first().cloned() {
        first.name = name.to_owned();
        data.sources = vec![first];
        data.source.iter_mut().for_each(|s| *s = 0);
    }
    data
}

/// Reads traces with graph launches again, together with the graph captures of the other files, which contain the
/// shapes of their kernels.
fn take_captures(
    tables: &mut [(usize, Dataset)],
    files: &[InputFile],
    options: &ImportOptions,
    stdin: &mut dyn Read,
) {
    for i in 0..tables.len() {
        let all: Vec<&Dataset> = tables.iter().map(|(_, d)| d).collect();
        let captures = trace::missing_captures(&all, i);
        let file = &files[tables[i].0];
        // Standard input cannot be read twice.
        if captures.is_empty() || file.path.is_none() {
            continue;
        }
        let options = ImportOptions { captures, ..options.clone() };
        if let Ok(Imported::Table(data)) = read(file, &options, stdin) {
            tables[i].1 = *data;
        }
    }
}

/// The view state: `--state`, overridden by `--view`, `--device` and `--rows`; measured peaks select the achievable
/// roof. A key with a bad value is an error, because without that filter the result would be about other rows.
pub(super) fn view_state(
    selection: &Selection,
    view: Option<&str>,
    loaded: &Loaded,
    err: &mut Messages<'_>,
) -> Result<ViewState, Stop> {
    let text = selection.state.as_deref().unwrap_or("");
    let text = text.split_once('#').map_or(text, |(_, hash)| hash);
    let (mut state, problems) = ViewState::decode(text);
    for p in &problems {
        let what = format!("--state: {}: {}", p.key, p.message);
        err.say(Code::BadState, &what)?;
    }
    if !problems.is_empty() {
        return Err(Stop::With(Exit::Misuse));
    }
    let unknown: Vec<&String> =
        state.params.keys().filter(|key| !link_keys::is_known(key)).collect();
    for key in unknown.iter().take(3) {
        let key: String = key.chars().take(200).collect();
        err.say(Code::Ignored, &format!("--state: nothing is called {key}; it changes nothing"))?;
    }
    if let further @ 1.. = unknown.len().saturating_sub(3) {
        let keys = plural(further as u64, "further key");
        err.say(
            Code::Ignored,
            &format!("--state: {keys} that nothing is called by change nothing"),
        )?;
    }
    if loaded.measured_peaks {
        state.roof = RoofKind::Achievable;
    }
    if let Some(view) = view {
        view.clone_into(&mut state.view);
    }
    if let Some(device) = &loaded.device {
        state.devices.default = Some(device.clone());
    }
    state.no_published |= loaded.no_published;
    state.kind = selection.rows.or(state.kind);
    Ok(state)
}

/// Rows and view state selected by the options.
pub(super) struct Shown {
    pub frame: Frame,
    pub state: ViewState,
    /// A file could not be read: the exit code is 1 although the other files are shown.
    pub failed: bool,
}

/// Reads the files, and returns the rows and the view state that the options select. Ends the command if there are
/// no rows.
pub(super) fn frame(
    request: &Request<'_>,
    selection: &Selection,
    view: Option<&str>,
    io: &mut Io<'_>,
) -> Result<Shown, Stop> {
    let loaded = load(request, io.stdin).with_rows(&mut io.err)?;
    loaded.show(selection, view, &mut io.err)
}

/// The rows selected by a view state. Reports filters over the limit on `err`.
pub(super) fn shown(
    data: Dataset,
    state: &ViewState,
    custom: &[Device],
    err: &mut Messages<'_>,
) -> std::io::Result<Frame> {
    let devices = match state.no_published {
        true => custom.to_vec(),
        false => reference::devices(&data, &state.devices, custom),
    };
    let (frame, refused) =
        Study::default().frame(&Arc::new(data), state, &devices, || Some(Columns::new()));
    if !refused.is_empty() {
        let what = format!("too many filters, left out: {}", refused.join(", "));
        err.say(Code::TooManyFilters, &what)?;
    }
    Ok(frame)
}
