//! The job of a file: reading it, then showing it.

use super::figures::IncomingFigures;
use super::{Job, Loader, Queue};
use crate::app::planner;
use crate::app::state::several;
use crate::app::state::{Dialog, LoadError, LoadedFile, Origin, Progress, Shared};
use crate::web::file::Input;
use crate::web::reading::{self, ReadOutcome};
use crate::web::{clock, dom, storage};
use gemmscope_import::{ErrorKind, Head, ImportError, ImportOptions, Imported, header_fingerprint};
use gemmscope_model::hardware::{Device, RoofKind};
use gemmscope_model::transformer::Model;
use gemmscope_model::units::{Bytes, grouped, plural};
use gemmscope_share::data::names_without;
use gemmscope_table::dataset::{Dataset, MOST_TOGETHER, TraceContext, too_large_together};
use gemmscope_table::trace;
use gemmscope_table::view_state::ViewState;
use leptos::prelude::*;
use std::cell::RefCell;
use std::rc::Rc;

impl Loader {
    /// Reads the file of a job and adds its content to the page; `Err` is the reason.
    pub(super) async fn run_job(&self, queue: &Queue, job: Job) -> Result<(), String> {
        let started = clock::now_ms();
        clock::mark("gemmscope:chosen");
        let total = job.input.size();
        let name = job.input.name.clone();
        self.shell.load.update(|l| {
            l.waiting = queue.names();
            l.current = Some(Progress { name: name.clone(), read: 0, total, bytes_per_s: 0.0 });
        });
        if name.ends_with(".json") && total <= HEAD_BYTES && self.plan(queue, &job.input).await {
            return Ok(());
        }
        let mut options = job.options.clone();
        let figures = Rc::new(RefCell::new(IncomingFigures::default()));
        // With other files present, figures depend on all rows.
        let alone = self.staying(job.replaces).is_empty();
        let mut outcome = self.read(queue, &job.input, &options, started, (alone, &figures)).await;
        // A file of an unknown format, with columns that were assigned by hand earlier.
        if let (ReadOutcome::Failed(error), true) = (&outcome, options == ImportOptions::default())
            && error.kind == ErrorKind::NeedsMapping
            && let Some(known) = remembered(&job.input).await
        {
            options = known;
            outcome = self.read(queue, &job.input, &options, started, (alone, &figures)).await;
        }
        match outcome {
            ReadOutcome::Done(Imported::Table(data)) => {
                let read = Read { data: *data, options, started, figures: figures.take() };
                self.add_table(queue, job, read).await?;
            }
            ReadOutcome::Done(Imported::Devices(devices)) => {
                self.add_devices(&name, devices, job.origin);
            }
            ReadOutcome::Done(Imported::Context(context)) => {
                self.add_context(&name, *context);
            }
            ReadOutcome::Failed(error) if job.of_folder => {
                let left = (name, error.to_string());
                self.shell.load.update(|l| l.left.push(left));
            }
            ReadOutcome::Failed(error) => return Err(self.refuse(queue, job, &error)),
            ReadOutcome::Cancelled => {
                self.shell.say(format!("{name}: cancelled"));
                return Err("cancelled".to_owned());
            }
        }
        Ok(())
    }

    /// Plans the model if the file is a `config.json`; false for any other file.
    async fn plan(&self, queue: &Queue, input: &Input) -> bool {
        let Ok(text) = String::from_utf8(head(input).await.0) else {
            return false;
        };
        if !Model::is_config(&text) {
            return false;
        }
        let name = &input.name;
        match planner::take_model(self.bench, &text) {
            Ok(model) => self.shell.say(format!("{name}: {model} is planned")),
            Err(why) => self.shell.refuse(LoadError {
                id: queue.new_id(),
                name: name.clone(),
                message: format!("it looks like a model's configuration, but {why}"),
                ..LoadError::default()
            }),
        }
        true
    }

    /// The files that stay when one is read; `replaces` is the one that it replaces. If all are samples, they give way.
    fn staying(&self, replaces: Option<u32>) -> Vec<LoadedFile> {
        let mut files = self.bench.files.get_untracked();
        if replaces.is_none() && files.iter().all(|f| f.origin == Origin::Sample) {
            files.clear();
        }
        files.retain(|f| Some(f.id) != replaces);
        files
    }

    /// Adds the rows of a file.
    async fn add_table(&self, queue: &Queue, job: Job, mut read: Read) -> Result<(), String> {
        let aside: u64 = read.data.sources.iter().map(|s| s.rejected.total()).sum();
        let (count, rows, skipped) = queue.read.get();
        // A file that is read again, with the captures of another one, counts once.
        let before = job.replaces.filter(|_| count > 0).and_then(|id| {
            self.bench.files.with_untracked(|files| {
                let old = &files.iter().find(|f| f.id == id)?.data;
                let aside: u64 = old.sources.iter().map(|s| s.rejected.total()).sum();
                Some((old.len() as u64, aside))
            })
        });
        let count = count + u32::from(before.is_none());
        let (known, known_aside) = before.unwrap_or_default();
        let rows = (rows + read.data.len() as u64).saturating_sub(known);
        let skipped = (skipped + aside).saturating_sub(known_aside);
        queue.read.set((count, rows, skipped));
        let points = read.data.points().count() as u64;
        let total = job.input.size();
        // A file that was removed while it was read again stays removed.
        if job.replaces.is_some_and(|id| self.input(id).is_none()) {
            return Ok(());
        }
        let id = job.replaces.unwrap_or_else(|| queue.new_id());
        let mut together = self.staying(job.replaces);
        several::tell_apart(&mut read.data, &together);
        let name = match (count, read.data.sources.first()) {
            (1, Some(source)) => source.name.clone(),
            _ => plural(u64::from(count), "file"),
        };
        let tables = together.iter().map(|f| &*f.data.0).chain([&read.data]);
        if let Some(why) =
            too_large_together(tables, MOST_TOGETHER).filter(|_| !together.is_empty())
        {
            return Err(self.refuse(queue, job, &ImportError::new(why)));
        }
        let file = LoadedFile {
            id,
            data: Shared::from(read.data),
            options: read.options,
            input: job.input,
            origin: job.origin,
        };
        let files = self.bench.files;
        let leaving: Vec<u32> = files.with_untracked(|files| {
            let leaves = |f: &&LoadedFile| f.id != id && together.iter().all(|t| t.id != f.id);
            files.iter().filter(leaves).map(|f| f.id).collect()
        });
        let at = files.with_untracked(|files| files.iter().position(|f| f.id == id));
        together.insert(at.unwrap_or(together.len()), file.clone());
        self.bench.prepare(together, read.figures).await;
        self.dismiss_error(id);
        let left = |names: String| names_without(&names, &file.input.name);
        self.bench.expected.update(|names| *names = names.take().and_then(left));
        let closed = !leaving.is_empty();
        if closed {
            self.bench.remove_files(leaving, ViewState::start_over);
        }
        if let Some(tab) = job.tab {
            self.bench.edit_without_undo(|v| v.view = tab.to_owned());
        }
        match job.by_user {
            true => self.bench.replace_file(file),
            false => files.update(|files| match files.iter_mut().find(|f| f.id == id) {
                Some(old) => *old = file,
                None => files.push(file),
            }),
        }
        self.give_captures();
        clock::mark("gemmscope:computed");
        // In an embed nobody chose the file or waits for it. With several files the last one reports.
        if dom::embedded() || !queue.names().is_empty() {
            return Ok(());
        }
        let seconds = (clock::now_ms() - read.started) / 1e3;
        let mut words = rows_read(&name, (rows, points), skipped);
        // For a small file the rate would be mostly overhead.
        if count == 1 && seconds > 0.5 && total > SMALL {
            words.push_str(&format!(", {}/s", Bytes(total as f64 / seconds)));
        }
        if closed {
            self.shell.say_with_undo(format!("{words}. The sample is closed."));
        } else {
            self.shell.say(words);
        }
        Ok(())
    }

    /// Reads traces with graph launches again, with the captures of the other files, which contain the shapes of their
    /// kernels.
    fn give_captures(&self) {
        let again: Vec<(u32, ImportOptions)> = self.bench.files.with_untracked(|files| {
            let tables: Vec<&Dataset> = files.iter().map(|f| &*f.data.0).collect();
            let with_captures = |(i, f): (usize, &LoadedFile)| {
                let captures = trace::missing_captures(&tables, i);
                (!captures.is_empty() && captures != f.options.captures).then(|| {
                    let options = ImportOptions { captures, ..f.options.clone() };
                    (f.id, options)
                })
            };
            files.iter().enumerate().filter_map(with_captures).collect()
        });
        for (id, options) in again {
            self.read_again(id, options, false);
        }
    }

    /// Adds the devices of a file, and chooses the device if it is the only one. Devices of a link or a page last until
    /// the page is closed, and its view says which one is chosen.
    fn add_devices(&self, name: &str, devices: Vec<Device>, origin: Origin) {
        let brought = origin == Origin::Link;
        let count = devices.len();
        let first = devices.first().map(|d| (d.id.clone(), d.name.clone()));
        for device in devices {
            let named = self.bench.contexts.with_untracked(|all| {
                all.iter().find_map(|c| c.name_measured(std::slice::from_ref(&device)))
            });
            let device = named.unwrap_or(device);
            match brought {
                true => self.bench.lend_device(device),
                false => self.bench.save_device(device),
            }
        }
        let chosen = self.bench.view.with_untracked(|v| v.devices.default.is_some());
        if brought && chosen {
            return;
        }
        // Several devices are ambiguous.
        self.shell.say(match first {
            Some((id, device)) if count == 1 => {
                self.bench.choose_device("", Some(id));
                format!("{name}: device {device} added and chosen")
            }
            _ => format!("{name}: {count} devices added, to be chosen from the list of devices"),
        });
    }

    /// Shows why a file could not be read, and returns the message.
    fn refuse(&self, queue: &Queue, job: Job, error: &ImportError) -> String {
        let name = job.input.name.clone();
        let id = job.replaces.unwrap_or_else(|| queue.new_id());
        let message = error.to_string();
        let mappable = error.kind == ErrorKind::NeedsMapping;
        // With other files open, a notice offers the dialog, which would cover them.
        let own = |files: &Vec<LoadedFile>| files.iter().any(|f| f.origin != Origin::Sample);
        let beside = !queue.names().is_empty() || self.bench.files.with_untracked(own);
        let ask = mappable && !beside;
        self.dismiss_error(id);
        let input = Some(job.input);
        self.shell.refuse(LoadError { id, name, message: message.clone(), mappable, input });
        if ask {
            self.shell.open(Dialog::Mapping(id));
        }
        message
    }

    async fn read(
        &self,
        queue: &Queue,
        input: &Input,
        options: &ImportOptions,
        started: f64,
        (alone, figures): (bool, &Rc<RefCell<IncomingFigures>>),
    ) -> ReadOutcome {
        let load = self.shell.load;
        let progress = move |read: u64| {
            let seconds = ((clock::now_ms() - started) / 1e3).max(1e-3);
            let _ = load.try_update(|l| {
                if let Some(p) = &mut l.current {
                    p.read = read;
                    p.bytes_per_s = read as f64 / seconds;
                }
            });
        };
        // Reading again starts with the first row.
        figures.take();
        let (bench, figures) = (self.bench, figures.clone());
        let grown = Rc::new(move |data: &Dataset| {
            if alone {
                figures.borrow_mut().follow(&bench, data);
            }
        });
        queue.importer.import(input, options, progress, grown).await
    }

    /// Keeps the context that a trace report gives for its tables. From now on the device of its platform applies to
    /// their rows.
    pub fn add_context(&self, name: &str, context: TraceContext) {
        let device = context.device();
        if let Some(measured) = self.bench.custom.with_untracked(|own| context.name_measured(own)) {
            self.bench.save_device(measured);
        }
        self.bench.contexts.update(|all| {
            all.retain(|c| c.files != context.files);
            all.push(context);
        });
        let Some(device) = device else {
            self.shell.say(format!("{name}: read, joined with its table"));
            return;
        };
        self.shell.say(format!(
            "{name}: {} with the report's own peaks; percentages are of those (achievable)",
            device.name
        ));
        self.bench.lend_device(device);
        self.bench.edit_without_undo(|v| v.roof = RoofKind::Achievable);
    }
}

/// Sentence: number of rows, or of points without sizes, that were read and skipped.
fn rows_read(name: &str, (rows, points): (u64, u64), skipped: u64) -> String {
    let mut words = match (rows, points) {
        // A notice gives the reason.
        (0, 0) => format!("{name}: no usable rows"),
        (0, n) => format!("{name}: {} without sizes read", plural(n, "point")),
        (n, _) => format!("{name}: {} read", plural(n, "row")),
    };
    if skipped > 0 {
        words.push_str(&format!(", {} skipped", grouped(skipped)));
    }
    words
}

/// A table that was read.
struct Read {
    data: Dataset,
    options: ImportOptions,
    /// Start of reading, ms.
    started: f64,
    /// Figures of its rows that were computed meanwhile.
    figures: IncomingFigures,
}

/// Up to this size, bytes, no rate is reported.
const SMALL: u64 = 4 << 20;

/// Bytes at the start of a file in which its header is looked for.
const HEAD_BYTES: u64 = 64 << 10;

/// The beginning of a file, and whether it is all of it.
pub async fn head(input: &Input) -> (Vec<u8>, bool) {
    reading::beginning(input, HEAD_BYTES).await
}

/// Storage key of the columns assigned by hand to files with this header.
pub fn columns_key(fingerprint: &str) -> String {
    format!("gemmscope.columns.{fingerprint}")
}

/// The columns assigned by hand to earlier files with the same header.
async fn remembered(input: &Input) -> Option<ImportOptions> {
    if dom::embedded() {
        return None;
    }
    let header = header_fingerprint(&Head::from_bytes(&input.name, &head(input).await.0))?;
    let json = storage::get(&columns_key(&header))?;
    serde_json::from_str(&json).ok()
}
