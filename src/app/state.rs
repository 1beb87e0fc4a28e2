//! The page's state: four signals, and everything that follows from them as memos.
//!
//! Components read the memos and call the actions; none keeps a copy of its own.

mod actions;

use super::load::Loader;
use crate::chart::roofline::Points;
use crate::chart::roofline::settings::{LABELS_KEY, numbered};
use crate::dataset::Dataset;
use crate::field::Frame;
use crate::filter::Mask;
use crate::findings::Findings;
use crate::hardware::Device;
use crate::history::History;
use crate::import::ImportOptions;
use crate::metrics::{Metrics, Totals};
use crate::report::Breakdown;
use crate::trace::{self, TraceContext};
use crate::view_state::{RowRef, ViewState};
use crate::web::{clock, dom, storage};
use leptos::prelude::*;
use std::ops::Deref;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

/// A shared value that equals only itself: cheap to compare, as memos want it.
#[derive(Debug)]
pub struct Shared<T>(pub Arc<T>);

impl<T> Clone for Shared<T> {
    fn clone(&self) -> Self {
        Shared(self.0.clone())
    }
}

impl<T> PartialEq for Shared<T> {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl<T> Deref for Shared<T> {
    type Target = T;
    fn deref(&self) -> &T {
        &self.0
    }
}

impl<T> From<T> for Shared<T> {
    fn from(value: T) -> Self {
        Shared(Arc::new(value))
    }
}

/// A frame that equals another of the same parts.
#[derive(Clone, Debug)]
pub struct Shown(pub Frame);

impl PartialEq for Shown {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0.data, &other.0.data)
            && Arc::ptr_eq(&self.0.metrics, &other.0.metrics)
            && Arc::ptr_eq(&self.0.rows, &other.0.rows)
    }
}

impl Deref for Shown {
    type Target = Frame;
    fn deref(&self) -> &Frame {
        &self.0
    }
}

/// What was found in a frame.
#[derive(Clone, Debug, PartialEq)]
pub struct Judged {
    /// The frame.
    pub frame: Shown,
    /// Its findings.
    pub findings: Shared<Findings>,
    /// What matters in three sentences.
    pub sentences: [String; 3],
    /// What they rest on and no file says.
    pub assumptions: Vec<String>,
    /// Where the time goes, operation by operation.
    pub breakdown: Shared<Breakdown>,
}

/// A loaded file.
#[derive(Clone, Debug, PartialEq)]
pub struct LoadedFile {
    /// Number on this page, for keys and for importing it again.
    pub id: u32,
    /// Its rows.
    pub data: Shared<Dataset>,
    /// What the user decided about it.
    pub options: ImportOptions,
}

/// How far the file that is being read has come.
#[derive(Clone, Debug, PartialEq)]
pub struct Progress {
    /// File name.
    pub name: String,
    /// Bytes read.
    pub read: u64,
    /// Bytes in all.
    pub total: u64,
    /// Bytes a second so far.
    pub bytes_per_s: f64,
}

/// A file that could not be read.
#[derive(Clone, Debug, PartialEq)]
pub struct LoadError {
    /// Number on this page.
    pub id: u32,
    /// File name.
    pub name: String,
    /// What was wrong and what to do.
    pub message: String,
    /// True where the columns can be assigned by hand.
    pub mappable: bool,
}

/// What is being read, what waits, what went wrong.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LoadState {
    /// The file being read.
    pub current: Option<Progress>,
    /// Names of the files that wait.
    pub waiting: Vec<String>,
    /// Files that could not be read.
    pub errors: Vec<LoadError>,
    /// Files of folders that were left out, with the reason.
    pub left: Vec<(String, String)>,
}

/// Figures and places of a file that is about to be shown.
struct ReadyMade {
    data: Shared<Dataset>,
    metrics: Shared<Metrics>,
    points: Shared<Points>,
}

/// Which dialog is open.
#[derive(Clone, Debug, PartialEq)]
pub enum Dialog {
    /// Keyboard shortcuts and terms.
    Help,
    /// What is read, with the command that makes each.
    Formats,
    /// Devices and their peaks; the text is the device name of a file to choose one for.
    Devices(Option<String>),
    /// Columns of a file: loaded (`Ok`) or refused (`Err`), by number.
    Mapping(u32),
    /// Text to import.
    Paste,
    /// Links, pages, snippets.
    Share,
    /// Another host before it is contacted: its name and the whole address.
    Source(String, String),
}

/// Light, dark, or as the system is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ThemeChoice {
    /// As the system is.
    #[default]
    System,
    /// Light.
    Light,
    /// Dark.
    Dark,
}

/// Everything a component may need. Copying it copies handles.
#[derive(Clone, Copy)]
pub struct App {
    /// The loaded files, in order.
    pub files: RwSignal<Vec<LoadedFile>>,
    /// What the small files of trace reports say around the tables.
    pub contexts: RwSignal<Vec<TraceContext>>,
    /// What is looked at.
    pub view: RwSignal<ViewState>,
    /// What is being read.
    pub load: RwSignal<LoadState>,
    /// The user's own devices.
    pub custom: RwSignal<Vec<Device>>,
    /// Undo.
    pub history: RwSignal<History<ViewState>>,
    /// The open dialog.
    pub dialog: RwSignal<Option<Dialog>>,
    /// The chosen theme.
    pub theme: RwSignal<ThemeChoice>,
    /// True where dark colours are shown.
    pub dark: RwSignal<bool>,
    /// One line for the status region, also read out.
    pub status: RwSignal<String>,
    /// All rows of all files.
    pub data: Memo<Shared<Dataset>>,
    /// Their figures.
    pub metrics: Memo<Shared<Metrics>>,
    /// Where every row lies on the roofline; computed when first asked for.
    pub points: Memo<Shared<Points>>,
    /// Data, figures and the rows that pass the filters.
    pub frame: Memo<Shown>,
    /// The frame once it was painted: lists and tables follow the chart, so that no task is long.
    pub late: RwSignal<Shown>,
    /// Figures of the rows that pass.
    pub totals: Memo<Totals>,
    /// Rows of the selection, in order of selection; those of the chosen finding where none is.
    pub selected: Memo<Vec<u32>>,
    /// Rows that carry a number in chart and table, from 1: the selected ones, then those that
    /// cost most.
    pub numbered: Memo<Vec<u32>>,
    /// Names of the devices that rows are judged by; `None` where rows have no known device.
    pub judged: Memo<Vec<Option<String>>>,
    /// Rows under the pointer in any chart, ascending: the other charts mark them.
    pub hovered: RwSignal<Vec<u32>>,
    /// What was found in the frame, once it is worked out.
    pub found: RwSignal<Option<Judged>>,
    /// The chosen finding: its index.
    pub finding: Memo<Option<usize>>,
    /// What surrounds the views is built, although there is nothing to see yet.
    pub built_early: RwSignal<bool>,
    /// Words of the trade are explained where they stand.
    pub terms: RwSignal<bool>,
    ready_made: StoredValue<Option<ReadyMade>>,
    mask: StoredValue<Mask>,
    loader: StoredValue<Rc<Loader>, LocalStorage>,
}

const DEVICES_KEY: &str = "gemmscope.devices";
const THEME_KEY: &str = "gemmscope.theme";
const TERMS_KEY: &str = "gemmscope.terms";
/// The chosen finding, in links.
const FINDING_KEY: &str = "finding";

impl App {
    /// The state of an empty page; reads the address bar and what was stored.
    pub fn new(hash: &str) -> App {
        let (first, problems) = ViewState::decode(hash);
        let files = RwSignal::new(Vec::<LoadedFile>::new());
        let view = RwSignal::new(first);
        let custom = RwSignal::new(stored_devices());
        let status = RwSignal::new(
            problems
                .iter()
                .map(|p| format!("Link: {} ({})", p.message, p.key))
                .collect::<Vec<_>>()
                .join("; "),
        );

        let contexts = RwSignal::new(Vec::<TraceContext>::new());
        let data = Memo::new(move |_| {
            files.with(|files| contexts.with(|contexts| unite(files, contexts)))
        });
        let devices = Memo::new(move |_| view.with(|v| v.devices.clone()));
        let roof = Memo::new(move |_| view.with(|v| v.roof));
        let ready_made = StoredValue::new(None::<ReadyMade>);
        let metrics = Memo::new(move |_| {
            let data = data.get();
            let resolved = custom.with(|own| devices.get().resolve(&data.devices, own));
            let kind = roof.get();
            let made = ready_made.with_value(|r| {
                r.as_ref()
                    .filter(|r| {
                        r.data == data && r.metrics.devices == resolved && r.metrics.kind == kind
                    })
                    .map(|r| r.metrics.clone())
            });
            made.unwrap_or_else(|| Shared::from(Metrics::compute(&data, resolved, kind)))
        });
        let points = Memo::new(move |_| {
            let (data, metrics) = (data.get(), metrics.get());
            let made = ready_made.try_update_value(|r| {
                r.take()
                    .filter(|r| r.data == data && r.metrics == metrics)
                    .map(|r| r.points)
            });
            made.flatten()
                .unwrap_or_else(|| Shared::from(Points::new(&data, &metrics)))
        });
        let mask = StoredValue::new(Mask::default());
        let filters = Memo::new(move |_| view.with(|v| v.filters.clone()));
        let frame = Memo::new(move |old: Option<&Shown>| {
            let (data, metrics) = (data.get(), metrics.get());
            let whole = Frame {
                data: data.0,
                metrics: metrics.0,
                rows: Arc::new(Vec::new()),
            };
            let filters = filters.get();
            mask.try_update_value(|mask| {
                let same = old.is_some_and(|o| {
                    Arc::ptr_eq(&o.data, &whole.data) && Arc::ptr_eq(&o.metrics, &whole.metrics)
                });
                if !same {
                    mask.reset();
                }
                let refused = mask.update(&filters, &whole);
                if !refused.is_empty() {
                    status.set(format!(
                        "{} filters are too many; {} left out",
                        Mask::CAPACITY,
                        refused.len()
                    ));
                }
                let rows = Arc::new(mask.passing());
                Shown(Frame {
                    rows,
                    ..whole.clone()
                })
            })
            .unwrap_or(Shown(whole))
        });
        let empty = Shown(Frame::all(Arc::new(Dataset::new()), Arc::default()));
        let late = RwSignal::new(empty);
        let totals = Memo::new(move |_| late.with(|f| Totals::over(&f.data, &f.metrics, &f.rows)));
        let selection = Memo::new(move |_| view.with(|v| v.selection.clone()));
        let found = RwSignal::new(None::<Judged>);
        let chosen = Memo::new(move |_| view.with(|v| v.param(FINDING_KEY).map(str::to_owned)));
        let finding = Memo::new(move |_| {
            let id = chosen.get()?;
            found.with(|j| j.as_ref()?.findings.position(&id))
        });
        let selected = Memo::new(move |_| {
            let wanted = selection.get();
            if wanted.is_empty()
                && let Some(i) = finding.get()
            {
                let rows = found.with(|j| {
                    let one = j.as_ref()?.findings.findings.get(i)?;
                    Some(one.evidence.rows.clone())
                });
                return rows.unwrap_or_default();
            }
            data.with(|d| RowRef::find(&wanted, d))
        });
        let labels =
            Memo::new(move |_| view.with(|v| v.param(LABELS_KEY).unwrap_or("").to_owned()));
        let numbered = Memo::new(move |_| {
            let (by, selected) = (labels.get(), selected.get());
            frame.with(|f| numbered(f, &by, &selected))
        });
        let judged = Memo::new(move |_| {
            let (metrics, data) = (metrics.get(), data.get());
            let mut used = vec![false; data.devices.len()];
            for &code in &data.device {
                used[usize::from(code)] = true;
            }
            let mut names: Vec<Option<String>> = metrics
                .devices
                .iter()
                .zip(used)
                .filter(|(_, used)| *used)
                .map(|(d, _)| d.as_ref().map(|d| d.name.clone()))
                .collect();
            names.sort();
            names.dedup();
            names
        });
        let theme = RwSignal::new(match dom::root_data("theme").as_deref() {
            Some("light") => ThemeChoice::Light,
            Some("dark") => ThemeChoice::Dark,
            _ => ThemeChoice::System,
        });
        App {
            files,
            contexts,
            view,
            load: RwSignal::default(),
            custom,
            history: RwSignal::default(),
            dialog: RwSignal::new(None),
            theme,
            dark: RwSignal::new(false),
            status,
            data,
            metrics,
            points,
            ready_made,
            frame,
            late,
            totals,
            selected,
            numbered,
            judged,
            hovered: RwSignal::default(),
            found,
            finding,
            built_early: RwSignal::new(false),
            terms: RwSignal::new(storage::get(TERMS_KEY).as_deref() != Some("off")),
            mask,
            loader: StoredValue::new_local(Rc::new(Loader::default())),
        }
    }

    /// The state of the surrounding page.
    pub fn here() -> App {
        expect_context()
    }

    /// What reads files.
    pub fn loader(&self) -> Rc<Loader> {
        self.loader.get_value()
    }

    /// What reads files, while the page's component lives.
    pub fn try_loader(&self) -> Option<Rc<Loader>> {
        self.loader.try_get_value()
    }

    /// Computes what the memos will ask for once `data` is the only file, in tasks of its own: a
    /// file of a million rows then keeps no task long.
    pub async fn prepare(&self, data: &Shared<Dataset>) {
        let (choice, kind) = self.view.with_untracked(|v| (v.devices.clone(), v.roof));
        let resolved = self
            .custom
            .with_untracked(|own| choice.resolve(&data.devices, own));
        let metrics = Shared::from(Metrics::compute(data, resolved, kind));
        clock::pause(Duration::ZERO).await;
        let points = Shared::from(Points::new(data, &metrics));
        clock::pause(Duration::ZERO).await;
        self.ready_made.set_value(Some(ReadyMade {
            data: data.clone(),
            metrics,
            points,
        }));
    }

    /// True before the first file.
    pub fn is_empty(&self) -> bool {
        self.files.with_untracked(Vec::is_empty)
    }
}

/// One file is shared as it is; several are copied into one table, and what trace reports say is
/// hung on their tables.
fn unite(files: &[LoadedFile], contexts: &[TraceContext]) -> Shared<Dataset> {
    let traced = files
        .iter()
        .flat_map(|f| &f.data.sources)
        .any(|s| contexts.iter().any(|c| trace::is_table_of(&s.format, c)));
    match files {
        [] => Shared::from(Dataset::new()),
        [one] if !traced => one.data.clone(),
        [first, rest @ ..] => {
            let mut all = (*first.data.0).clone();
            for file in rest {
                all.append((*file.data.0).clone());
            }
            for context in contexts.iter().filter(|_| traced) {
                trace::attach(&mut all, context);
            }
            Shared::from(all)
        }
    }
}

fn stored_devices() -> Vec<Device> {
    storage::get(DEVICES_KEY)
        .and_then(|json| serde_json::from_str(&json).ok())
        .unwrap_or_default()
}
