//! The open data, and all that follows from it as memos.

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

/// Rows up to which Compare says before it is opened that no GEMM has two sides.
const PAIRED: usize = 20_000;

/// The ids of the findings that are ticked as fixed, in the link.
pub const FIXED_KEY: &str = "fixed";

pub(super) const DEVICES_KEY: &str = "gemmscope.devices";

/// Findings of a frame.
#[derive(Clone, Debug, PartialEq)]
pub struct FindingsResult {
    /// The frame.
    pub frame: Frame,
    /// Its findings.
    pub findings: Shared<Findings>,
    /// By finding, the row that stands for it.
    pub ranked: Shared<Vec<u32>>,
    /// Where the time goes, operation by operation.
    pub breakdown: Shared<Breakdown>,
    /// How far its figures can be trusted.
    pub trust: Shared<Trust>,
}

/// The findings that are ticked as fixed, and what is left then.
#[derive(Clone, Debug, PartialEq)]
pub struct Ticked {
    /// Their indices, ascending.
    pub indices: Vec<usize>,
    /// The accounts once all of them are fixed, book by book as those before.
    pub left: Shared<Ledger>,
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
    /// Its name and bytes, for reading it again.
    pub input: Input,
    /// Where it came from.
    pub origin: Origin,
}

impl LoadedFile {
    /// True for a file of the user's own.
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

/// Where a file came from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Origin {
    /// The user chose, dropped or pasted it.
    #[default]
    User,
    /// It is one of the page's samples.
    Sample,
    /// The link, the page or the host page brought it.
    Link,
}

/// A step back: the view before it, and what it changed in the lists of files. Files are shared, so
/// a step holds no copy of their rows.
#[derive(Clone, Debug, Default)]
pub struct UndoStep {
    pub(super) view: ViewState,
    pub(super) files: Swap<LoadedFile>,
    pub(super) contexts: Swap<TraceContext>,
}

/// State set by the user, the browser and the program. Copying copies handles.
#[derive(Clone, Copy, Default)]
pub struct WorkbenchState {
    /// The loaded files, in order.
    pub files: RwSignal<Vec<LoadedFile>>,
    /// What the small files of trace reports say about their tables.
    pub contexts: RwSignal<Vec<TraceContext>>,
    /// Tab, filters, selection and settings: all that a link holds.
    pub view: RwSignal<ViewState>,
    /// Where the address is a link to a view and no file has come yet: the names of the files that
    /// it was made from, as [`linked_names`](data::linked_names) writes them; "" where it names none.
    pub expected: RwSignal<Option<String>>,
    /// Steps that can be undone and redone.
    pub history: RwSignal<History<UndoStep>>,
    /// The user's own devices.
    pub custom: RwSignal<Vec<Device>>,
    /// Published times.
    pub published: Published,
    /// Where every row lies on the roofline, and its colours: made when a chart first asks.
    pub row_cache: StoredValue<RowCache>,
    /// Rows under the pointer in any chart, ascending: the other charts mark them.
    pub hovered: RwSignal<Vec<u32>>,
    /// Counts the times that rows were picked, also where they were the selected ones already.
    pub picks: RwSignal<u32>,
    /// True once the rules run over what shows: an embedded page has no list of findings.
    pub looks: RwSignal<bool>,
    /// What the rules look for while they run.
    pub checking: RwSignal<&'static str>,
    /// True once the user asked for the findings of many rows.
    pub asked: RwSignal<bool>,
    /// The latest result of the rules; its frame may be an older one.
    pub findings_result: RwSignal<Option<FindingsResult>>,
    /// Where actions report what they did.
    pub(super) status: RwSignal<Message>,
    pub(super) united: StoredValue<Last<Tables, Shared<Dataset>>>,
    /// From rows and view to the frame that shows.
    pub(super) study: StoredValue<Study>,
}

/// The rows of each file, and what describes their reports.
pub(super) type Tables = (Vec<Shared<Dataset>>, Vec<TraceContext>);

/// The state and the memos that follow from it. Copying copies handles.
#[derive(Clone, Copy)]
pub struct Workbench {
    given: WorkbenchState,
    /// Files whose rows are those of another one and are not counted, by their index.
    pub repeated: Memo<Vec<trace::Repeated>>,
    /// What a comparison of the passing rows lacks, if it is cheap to tell.
    pub compare_lacks: Memo<Option<Lack>>,
    /// True once there is a file.
    pub has_data: Memo<bool>,
    /// All rows of all files.
    pub data: Memo<Shared<Dataset>>,
    /// The devices that win over the catalogue's: the user's own, and those with published times.
    pub known_devices: Memo<Vec<Device>>,
    /// Metrics of all rows.
    pub metrics: Memo<Shared<Metrics>>,
    /// Data, metrics and the rows that pass the filters.
    pub frame: Memo<Frame>,
    /// The frame one paint later. Lists and tables follow this one, so that they are built in a
    /// task after the chart's.
    pub settled_frame: Memo<Frame>,
    /// What the rows of the files are: the user's choice, else what the data shows.
    pub decision: Memo<Shared<Decision>>,
    /// The place and picture that show.
    pub shown: Memo<Shown>,
    /// Totals of the rows that pass the filters, by side; one without a name where no sides are
    /// compared.
    pub totals: Memo<Vec<(String, Totals)>>,
    /// Selected rows in order of selection; the rows of the chosen finding where none is selected.
    pub selected: Memo<Vec<u32>>,
    /// By finding, the row that stands for it; `None` where nobody looks for findings.
    pub ranked: Memo<Option<Shared<Vec<u32>>>>,
    /// Rows that carry a number in chart, ranked list and table, counted from 1.
    pub numbered: Memo<Vec<u32>>,
    /// Names of the devices whose roofs apply, each once; `None` for rows whose device is unknown.
    pub devices_in_use: Memo<Vec<Option<String>>>,
    /// The findings of the settled frame, once they are there.
    pub findings: Memo<Option<FindingsResult>>,
    /// Index of the chosen finding.
    pub finding: Memo<Option<usize>>,
    /// What is left of the time once the ticked findings are fixed; `None` where none is ticked.
    pub ticked: Memo<Option<Ticked>>,
}

impl Deref for Workbench {
    type Target = WorkbenchState;
    fn deref(&self) -> &WorkbenchState {
        &self.given
    }
}

impl Workbench {
    /// The state of an empty page. Reads the text after `#` of the address and, but for an embedded page,
    /// the stored devices.
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
            numbered: given.numbered(frame, selected, ranked),
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

    /// The view as the text of a link, with the names of the files it was made from. "" for the view
    /// of an untouched page.
    pub fn link(&self) -> String {
        match self.view.with(|v| v.encode().is_empty()) {
            true => String::new(),
            false => self.link_with_names(),
        }
    }

    /// As [`link`](Self::link), of an untouched page too: whoever opens it is asked for the files.
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

    /// What the command `summary --json` prints, of the rows that pass the filters.
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

    /// Shows the view of a link, as a step of undo.
    pub fn open_link(&self, text: &str) {
        let (view, expected, _) = read_link(text);
        if self.files.with_untracked(Vec::is_empty) {
            self.expected.set(expected);
        }
        self.edit("link", |v| *v = view);
    }

    /// True while lists and tables show an older frame than the picture.
    pub fn lists_follow(&self) -> bool {
        self.settled_frame.try_get_untracked() != self.frame.try_get_untracked()
    }

    /// Works out what the memos will ask for once these are the files, in tasks of its own. So a file of
    /// a million rows makes no task long. `figures` are those of a file that is alone.
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

/// The user's own devices, as the browser stored them.
fn stored_devices() -> Vec<Device> {
    let json = storage::get(DEVICES_KEY);
    json.and_then(|json| serde_json::from_str(&json).ok()).unwrap_or_default()
}

/// The view of a link, the names of the files it was made from, and the keys that could not be read.
/// No names for a link without a view, or with data of its own.
fn read_link(text: &str) -> (ViewState, Option<String>, Vec<KeyProblem>) {
    let (mut view, problems) = ViewState::decode(text);
    let names = view.params.remove(FILES_KEY).unwrap_or_default();
    let brings = view.param(DATA_KEY).is_some() || view.param(SOURCE_KEY).is_some();
    // A plan, and a place alone, need no file.
    let bare = ViewState { view: view.view.clone(), ..ViewState::default() };
    let needs_file = Shown::without_rows(&view.view).needs_file();
    let expected = !brings && (!names.is_empty() || needs_file && view != bare);
    (view, expected.then_some(names), problems)
}
