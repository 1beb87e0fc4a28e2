//! The open data, and everything derived from it as memos.

use super::last::Last;
use super::memos::devices_in_use;
use super::references::Published;
use super::several;
use super::{Message, Shared, Shell, Shown};
use crate::app::load::figures::IncomingFigures;
use crate::undo::{HasKey, History, Swap};
use crate::web::file::Input;
use crate::web::{clock, dom, storage};
use gemmscope_analysis::compare::{Lack, Setup};
use gemmscope_analysis::ledger::Ledger;
use gemmscope_chart::charts::RowCache;
use gemmscope_import::ImportOptions;
use gemmscope_model::hardware::Device;
use gemmscope_share::data::{self, DATA_KEY, FILES_KEY, SOURCE_KEY};
use gemmscope_table::data_kind::Decision;
use gemmscope_table::dataset::{Dataset, TraceContext};
use gemmscope_table::field::Frame;
use gemmscope_table::filter::Mask;
use gemmscope_table::metrics::{Metrics, Totals};
use gemmscope_table::study::Study;
use gemmscope_table::trace;
use gemmscope_table::view_state::{KeyProblem, ViewState};
use gemmscope_words::findings::Findings;
use gemmscope_words::report::Breakdown;
use gemmscope_words::summary::Summary;
use gemmscope_words::trust::Trust;
use leptos::prelude::*;
use std::ops::Deref;
use std::sync::Arc;
use std::time::Duration;

/// Up to this many rows, it is checked in advance whether any GEMM has two sides to compare.
const PAIRED: usize = 20_000;

/// View state key for the ids of findings ticked as fixed.
pub const FIXED_KEY: &str = "fixed";

pub(super) const DEVICES_KEY: &str = "gemmscope.devices";

/// Findings of a frame.
#[derive(Clone, Debug, PartialEq)]
pub struct FindingsResult {
    /// The frame.
    pub frame: Frame,
    /// Its findings.
    pub findings: Shared<Findings>,
    /// The row that stands for each finding.
    pub ranked: Shared<Vec<u32>>,
    /// Breakdown of the time by operation.
    pub breakdown: Shared<Breakdown>,
    /// Trust in its figures.
    pub trust: Shared<Trust>,
}

/// The findings ticked as fixed, and what is left then.
#[derive(Clone, Debug, PartialEq)]
pub struct Ticked {
    /// Their indices, ascending.
    pub indices: Vec<usize>,
    /// The ledger once all of them are fixed, with the same books as before.
    pub left: Shared<Ledger>,
}

/// A loaded file.
#[derive(Clone, Debug, PartialEq)]
pub struct LoadedFile {
    /// Id on this page, as a key and for importing it again.
    pub id: u32,
    /// Its rows.
    pub data: Shared<Dataset>,
    /// The user's decisions on how to read it.
    pub options: ImportOptions,
    /// Its name and bytes, for reading it again.
    pub input: Input,
    /// Its origin.
    pub origin: Origin,
}

impl LoadedFile {
    /// True for one of the user's own files.
    pub fn is_own(&self) -> bool {
        self.origin == Origin::User
    }
}

impl HasKey for LoadedFile {
    type Key = u32;
    fn key(&self) -> u32 {
        self.id
    }
}

impl HasKey for TraceContext {
    type Key = Vec<String>;
    fn key(&self) -> Vec<String> {
        self.files.clone()
    }
}

/// Origin of a file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Origin {
    /// The user chose, dropped or pasted it.
    #[default]
    User,
    /// One of the page's samples.
    Sample,
    /// It came with the link, the page or the host page.
    Link,
}

/// An undo step: the view before it, and its changes to the lists of files. Files are shared, so a step does not copy
/// their rows.
#[derive(Clone, Debug, Default)]
pub struct UndoStep {
    pub(super) view: ViewState,
    pub(super) files: Swap<LoadedFile>,
    pub(super) contexts: Swap<TraceContext>,
}

/// State set by the user, the browser and the program. Copying it copies handles.
#[derive(Clone, Copy, Default)]
pub struct WorkbenchState {
    /// The loaded files, in order.
    pub files: RwSignal<Vec<LoadedFile>>,
    /// Contexts from the small files of trace reports.
    pub contexts: RwSignal<Vec<TraceContext>>,
    /// Tab, filters, selection and settings: the content of a link.
    pub view: RwSignal<ViewState>,
    /// If the address is a link to a view and no file is open yet: the names of the files that it was made from, as
    /// [`linked_names`](data::linked_names) writes them; "" if it names none.
    pub expected: RwSignal<Option<String>>,
    /// Steps that can be undone and redone.
    pub history: RwSignal<History<UndoStep>>,
    /// The user's own devices.
    pub custom: RwSignal<Vec<Device>>,
    /// Published times.
    pub published: Published,
    /// Positions and colours of all rows; computed when a chart first asks.
    pub row_cache: StoredValue<RowCache>,
    /// Rows hovered in any chart, ascending, which the other charts highlight.
    pub hovered: RwSignal<Vec<u32>>,
    /// Number of times that rows were picked, including those that were selected already.
    pub picks: RwSignal<u32>,
    /// True once the rules run over these rows: an embed has no list of findings.
    pub looks: RwSignal<bool>,
    /// What the rules currently look for, while they run.
    pub checking: RwSignal<&'static str>,
    /// True once the user asked for the findings of many rows.
    pub asked: RwSignal<bool>,
    /// Latest result of the rules; may belong to an older frame.
    pub findings_result: RwSignal<Option<FindingsResult>>,
    /// Messages of actions.
    pub(super) status: RwSignal<Message>,
    pub(super) united: StoredValue<Last<Tables, Shared<Dataset>>>,
    /// Computes the frame from rows and view.
    pub(super) study: StoredValue<Study>,
}

/// The rows of each file, and the contexts of reports.
pub(super) type Tables = (Vec<Shared<Dataset>>, Vec<TraceContext>);

/// The state, and the memos derived from it. Copying it copies handles.
#[derive(Clone, Copy)]
pub struct Workbench {
    given: WorkbenchState,
    /// Files that are not counted because their rows repeat another file's, by index.
    pub repeated: Memo<Vec<trace::Repeated>>,
    /// What the passing rows lack for a comparison, if that is cheap to tell.
    pub compare_lacks: Memo<Option<Lack>>,
    /// True once there is a file.
    pub has_data: Memo<bool>,
    /// All rows of all files.
    pub data: Memo<Shared<Dataset>>,
    /// Devices that take precedence over the catalogue: the user's own, and those with published times.
    pub known_devices: Memo<Vec<Device>>,
    /// Metrics of all rows.
    pub metrics: Memo<Shared<Metrics>>,
    /// Data, metrics and the rows that pass the filters.
    pub frame: Memo<Frame>,
    /// The frame one paint later. Lists and tables depend on it, so that they are built in a task after the chart's.
    pub settled_frame: Memo<Frame>,
    /// The kind of rows: the user's choice, else that found in the data.
    pub decision: Memo<Shared<Decision>>,
    /// The current place and picture.
    pub shown: Memo<Shown>,
    /// Totals of the passing rows by side; one without a name if no sides are compared.
    pub totals: Memo<Vec<(String, Totals)>>,
    /// Selected rows in order of selection; without any, the rows of the chosen finding.
    pub selected: Memo<Vec<u32>>,
    /// The row that stands for each finding; `None` if findings are not computed.
    pub ranked: Memo<Option<Shared<Vec<u32>>>>,
    /// Rows numbered in chart, ranked list and table, from 1.
    pub numbered: Memo<Vec<u32>>,
    /// Distinct names of the devices whose roofs apply; `None` for rows with an unknown device.
    pub devices_in_use: Memo<Vec<Option<String>>>,
    /// Findings of the settled frame, once computed.
    pub findings: Memo<Option<FindingsResult>>,
    /// Index of the chosen finding.
    pub finding: Memo<Option<usize>>,
    /// Time left once the ticked findings are fixed; `None` if none is ticked.
    pub ticked: Memo<Option<Ticked>>,
}

impl Deref for Workbench {
    type Target = WorkbenchState;
    fn deref(&self) -> &WorkbenchState {
        &self.given
    }
}

impl Workbench {
    /// State of an empty page. Reads the text after `#` of the address and, except in an embed, the stored devices.
    pub fn new(hash: &str, shell: Shell) -> Workbench {
        let status = shell.status;
        let (first, expected, problems) = read_link(hash);
        let lines: Vec<String> =
            problems.iter().map(|p| format!("Link: {} ({})", p.message, p.key)).collect();
        status.set(lines.join("; ").into());
        let given = WorkbenchState {
            view: RwSignal::new(first),
            custom: RwSignal::new(if dom::embedded() { Vec::new() } else { stored_devices() }),
            expected: RwSignal::new(expected),
            status,
            ..WorkbenchState::default()
        };
        let WorkbenchState { files, view, .. } = given;
        let repeated = given.repeated();
        let data = given.united(repeated);
        let known_devices = given.known_devices();
        let metrics = given.metrics(data, known_devices);
        Effect::new(move |_| {
            let data = data.get();
            metrics.with(|m| given.ask_for(m.devices.iter().flatten(), &data.ops));
        });
        let decision = given.decision(data);
        let filtered = given.filtered(data, metrics, decision);
        let frame = Memo::new(move |_| filtered.with(|f| f.0.clone()));
        Effect::new(move |_| {
            let refused = filtered.with(|f| f.1);
            if refused > 0 {
                let most = Mask::CAPACITY;
                status.set(format!("{most} filters are too many; {refused} left out").into());
            }
        });
        let settled_frame = given.settled(frame);
        let findings = given.findings(settled_frame);
        let finding = given.finding(findings);
        let selected = given.selected(data, findings, finding);
        let ranked = given.ranked(findings);
        let key = Memo::new(move |_| view.with(|v| v.view.clone()));
        Workbench {
            given,
            repeated,
            compare_lacks: Memo::new(move |_| {
                let frame = settled_frame.get();
                (frame.rows.len() <= PAIRED).then(|| Setup::lacks(&frame))?
            }),
            has_data: Memo::new(move |_| files.with(|f| !f.is_empty())),
            data,
            known_devices,
            metrics,
            frame,
            settled_frame,
            decision,
            shown: Memo::new(move |_| {
                let kind = decision.with(|d| d.kind);
                key.with(|key| data.with(|data| Shown::of(key, kind, data)))
            }),
            totals: Memo::new(move |_| settled_frame.with(Totals::of)),
            selected,
            ranked,
            numbered: given.numbered(frame, ranked),
            devices_in_use: Memo::new(move |_| devices_in_use(&data.get(), &metrics.get())),
            findings,
            finding,
            ticked: given.ticked(findings),
        }
    }

    /// The one of the surrounding page.
    pub fn here() -> Workbench {
        expect_context()
    }

    /// The view as the text of a link, with the names of the files that it was made from. "" for an untouched page.
    pub fn link(&self) -> String {
        match self.view.with(|v| v.encode().is_empty()) {
            true => String::new(),
            false => self.link_with_names(),
        }
    }

    /// As [`link`](Self::link), for an untouched page too: whoever opens it is asked for the files.
    pub fn link_with_names(&self) -> String {
        let view = self.view.get();
        let brings = |key| view.param(key).is_some();
        if brings(DATA_KEY) || brings(SOURCE_KEY) {
            return view.encode();
        }
        let names = self
            .files
            .with(|files| data::linked_names(files.iter().map(|f| f.input.name.as_str())));
        let mut link = view;
        link.set_param(FILES_KEY, names);
        link.encode()
    }

    /// The output of `summary --json` for the passing rows.
    pub fn summary(&self) -> Vec<Summary> {
        self.frame.with_untracked(Summary::all)
    }

    /// Ids of the devices whose roofs apply to the rows, in order.
    pub fn device_ids(&self) -> Vec<String> {
        let used = self.data.with(|d| d.devices_used());
        self.metrics.with(|m| {
            let known = m.devices.iter().zip(used).filter(|(_, used)| *used);
            let mut ids: Vec<String> = Vec::new();
            for id in known.filter_map(|(d, _)| Some(d.as_ref()?.id.clone())) {
                if !ids.contains(&id) {
                    ids.push(id);
                }
            }
            ids
        })
    }

    /// Shows the view of a link, as an undo step.
    pub fn open_link(&self, text: &str) {
        let (view, expected, _) = read_link(text);
        if self.files.with_untracked(Vec::is_empty) {
            self.expected.set(expected);
        }
        self.edit(|v| *v = view);
    }

    /// True while lists and tables show an older frame than the picture.
    pub fn lists_follow(&self) -> bool {
        self.settled_frame.try_get_untracked() != self.frame.try_get_untracked()
    }

    /// Precomputes what the memos will need once these are the files, in separate tasks, so that not even a million
    /// rows cause a long task. `figures` are those of a single file.
    pub async fn prepare(&self, files: Vec<LoadedFile>, mut figures: IncomingFigures) {
        if files.len() > 1 {
            figures = IncomingFigures::default();
        }
        let repeated = several::repeated(&files);
        let contexts = self.contexts.get_untracked();
        let data = self.unite(&files, &repeated, contexts);
        clock::pause(Duration::ZERO).await;
        let (choice, roof, kind) =
            self.view.with_untracked(|v| (v.devices.clone(), v.roof, v.kind));
        let resolved = self.known_devices.with_untracked(|known| choice.resolve(&data, known));
        let cache = self.row_cache.get_value();
        let sample = figures.sample(&data);
        let metrics = match figures.of(&data, &resolved, roof) {
            Some((metrics, points)) => {
                let metrics = Arc::new(metrics);
                cache.set_points(&data.0, &metrics, points);
                metrics
            }
            None => {
                let metrics = Arc::new(Metrics::compute(&data, resolved, roof));
                clock::pause(Duration::ZERO).await;
                let _ = cache.points(&data.0, &metrics);
                metrics
            }
        };
        clock::pause(Duration::ZERO).await;
        let decision = Arc::new(Decision::sampled(&data, &sample, kind));
        self.study.try_update_value(|study| study.foresee(&data.0, metrics, decision, kind));
        clock::pause(Duration::ZERO).await;
    }
}

/// The user's own devices, as stored in the browser.
fn stored_devices() -> Vec<Device> {
    let json = storage::get(DEVICES_KEY);
    json.and_then(|json| serde_json::from_str(&json).ok()).unwrap_or_default()
}

/// The view of a link, the names of the files that it was made from, and the keys that could not be read. No names for
/// a link without a view, or with data of its own.
fn read_link(text: &str) -> (ViewState, Option<String>, Vec<KeyProblem>) {
    let (mut view, problems) = ViewState::decode(text);
    let names = view.params.remove(FILES_KEY).unwrap_or_default();
    let brings = view.param(DATA_KEY).is_some() || view.param(SOURCE_KEY).is_some();
    // A plan, or a place alone, needs no file.
    let bare = ViewState { view: view.view.clone(), ..ViewState::default() };
    let needs_file = Shown::without_rows(&view.view).needs_file();
    let expected = !brings && (!names.is_empty() || needs_file && view != bare);
    (view, expected.then_some(names), problems)
}
