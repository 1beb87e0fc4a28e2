//! State of the shell: theme, dialog, status line, progress.

use super::Shared;
use crate::app::ui::{NARROW, media};
use crate::web::file::Input;
use crate::web::{clock, dom, storage};
use gemmscope_table::result_table::ResultTable;
use leptos::prelude::*;
use wasm_bindgen::JsValue;

/// Height of the line of figures, the filters and a bar of settings, px.
const DOCK_TOP: f64 = 114.0;
const THEME_KEY: &str = "gemmscope.theme";
const PANEL_KEY: &str = "gemmscope.panel";
const DARK_QUERY: &str = "(prefers-color-scheme: dark)";

/// Light, dark, or that of the system.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ThemeChoice {
    /// The system's theme.
    #[default]
    System,
    /// Light.
    Light,
    /// Dark.
    Dark,
}

impl ThemeChoice {
    /// Value in the browser's storage and in `data-theme` of the page; `None` for the default.
    fn id(self) -> Option<&'static str> {
        match self {
            ThemeChoice::System => None,
            ThemeChoice::Light => Some("light"),
            ThemeChoice::Dark => Some("dark"),
        }
    }

    fn from_id(id: Option<&str>) -> Self {
        match id {
            Some("light") => ThemeChoice::Light,
            Some("dark") => ThemeChoice::Dark,
            _ => ThemeChoice::System,
        }
    }
}

/// Which dialog is open.
#[derive(Clone, Debug, PartialEq)]
pub enum Dialog {
    /// Keyboard shortcuts and terms.
    Help,
    /// The file formats, each with the command that makes one.
    Formats,
    /// Devices and their peaks. The text is the device name in a file for which a device is chosen.
    Devices(Option<String>),
    /// Columns of the file with this id, loaded or failed.
    Mapping(u32),
    /// Links, pages, snippets.
    Share,
    /// The figures of a picture, as drawn when it was opened, and the number of rows left out.
    Figures(Shared<(ResultTable, u64)>),
    /// Asks before a file of the page that opened this one is read.
    Handed(Handed),
    /// Asks before another host is contacted: its name and the whole address.
    Source(String, String),
}

/// The question whether a file may be opened. Copying the answer copies a handle.
#[derive(Clone, Debug, PartialEq)]
pub struct Handed {
    /// Origin of the page that hands it over.
    pub origin: String,
    /// Name of the file.
    pub name: String,
    /// Its size, bytes.
    pub size: u64,
    answer: StoredValue<js_sys::Function, LocalStorage>,
}

impl Handed {
    /// A question; `answer` is called with whether to open the file.
    pub fn new(origin: String, name: String, size: u64, answer: js_sys::Function) -> Handed {
        Handed { origin, name, size, answer: StoredValue::new_local(answer) }
    }

    /// Answers the question; the first answer counts.
    pub fn answer(&self, open: bool) {
        if let Some(answer) = self.answer.try_get_value() {
            let _ = answer.call1(&JsValue::NULL, &open.into());
        }
    }
}

/// How far the file that is being read has come.
#[derive(Clone, Debug, PartialEq)]
pub struct Progress {
    /// File name.
    pub name: String,
    /// Bytes read.
    pub read: u64,
    /// Total bytes.
    pub total: u64,
    /// Bytes per second so far.
    pub bytes_per_s: f64,
}

/// A file of the address that is being fetched.
#[derive(Clone, Debug, PartialEq)]
pub struct Fetching {
    /// File name.
    pub name: String,
    /// Stops it.
    pub cancel: js_sys::Function,
}

/// The status line.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Message {
    /// Its text.
    pub text: String,
    /// True if it reports a step that can be undone, and offers that.
    pub undo: bool,
}

impl<T: Into<String>> From<T> for Message {
    fn from(text: T) -> Message {
        Message { text: text.into(), undo: false }
    }
}

/// A file that could not be read.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LoadError {
    /// Id on this page.
    pub id: u32,
    /// File name.
    pub name: String,
    /// What is wrong, and what to do.
    pub message: String,
    /// True if the columns can be assigned by hand.
    pub mappable: bool,
    /// The file, if it can be read again.
    pub input: Option<Input>,
}

/// Progress, queue and failures of loading.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LoadState {
    /// What is being fetched; `None` also once that was cancelled.
    pub fetching: Option<Fetching>,
    /// The file being read.
    pub current: Option<Progress>,
    /// Names of the waiting files.
    pub waiting: Vec<String>,
    /// Files that could not be read.
    pub errors: Vec<LoadError>,
    /// Files of folders that were left out, with the reason.
    pub left: Vec<(String, String)>,
}

/// State of what surrounds the views. Copying it copies handles.
#[derive(Clone, Copy)]
pub struct Shell {
    /// The chosen theme.
    pub theme: RwSignal<ThemeChoice>,
    /// True while dark colours are shown.
    pub dark: Memo<bool>,
    /// The open dialog.
    pub dialog: RwSignal<Option<Dialog>>,
    /// The line at the bottom of the page, announced by screen readers.
    pub status: RwSignal<Message>,
    /// Progress of loading.
    pub load: RwSignal<LoadState>,
    /// Number of things from the address, the page or the last visit that are still loading.
    pub coming: RwSignal<u32>,
    /// Side of the dock that leaves the clicked point visible: "" is below, else `left` or `right`.
    pub dock_side: RwSignal<&'static str>,
    /// Highest position of the dock, px from the top of the place: below the bar of the picture.
    pub dock_top: RwSignal<f64>,
    /// True once the user has scrolled down: a phone then hides header and tabs.
    pub reads_on: RwSignal<bool>,
    /// Extreme scroll position since that last changed, px: the furthest down while on, the furthest up while off.
    turned: StoredValue<f64>,
    /// The panel of files and filters is shown, where there is room for it.
    pub panel: RwSignal<bool>,
    /// The panel is open as a drawer, on a phone.
    pub drawer: RwSignal<bool>,
}

impl Shell {
    /// State of a new page. Reads stored settings, and follows the system's colour scheme for the lifetime of the
    /// calling component.
    pub fn of_page() -> Shell {
        let theme = RwSignal::new(ThemeChoice::from_id(dom::root_data("theme").as_deref()));
        let system = media(DARK_QUERY);
        Effect::new(move |_| dom::set_root_data("theme", theme.get().id()));
        Shell {
            theme,
            dark: Memo::new(move |_| match theme.get() {
                ThemeChoice::System => system.get(),
                ThemeChoice::Light => false,
                ThemeChoice::Dark => true,
            }),
            dialog: RwSignal::new(None),
            status: RwSignal::default(),
            load: RwSignal::default(),
            coming: RwSignal::new(0),
            dock_side: RwSignal::new(""),
            dock_top: RwSignal::new(DOCK_TOP),
            reads_on: RwSignal::new(false),
            turned: StoredValue::new(0.0),
            panel: RwSignal::new(storage::get(PANEL_KEY).as_deref() == Some("on")),
            drawer: RwSignal::new(false),
        }
    }

    /// The one of the surrounding page.
    pub fn here() -> Shell {
        expect_context()
    }

    /// Opens a dialog.
    pub fn open(&self, dialog: Dialog) {
        self.dialog.set(Some(dialog));
    }

    /// Closes the open dialog.
    pub fn close(&self) {
        self.dialog.set(None);
    }

    /// Shows a message in the status line.
    pub fn say(&self, message: impl Into<String>) {
        self.status.set(message.into().into());
    }

    /// Shows a message about a step, with an undo button.
    pub fn say_with_undo(&self, message: impl Into<String>) {
        self.status.set(Message { text: message.into(), undo: true });
    }

    /// Shows the files, with the list of skipped rows of the first file that has some.
    pub fn show_skipped(&self) {
        self.show_panel(true);
        // A hidden element cannot be focused.
        leptos::task::spawn_local(async {
            clock::after_paint().await;
            let _ = dom::first(".file-card-more.aside").map(|card| card.set_attribute("open", ""));
            dom::focus(".file-card-more.aside > summary");
        });
    }

    /// Lists a file that could not be read.
    pub fn refuse(&self, error: LoadError) {
        self.load.update(|l| l.errors.push(error));
    }

    /// Sets and stores the theme.
    pub fn set_theme(&self, theme: ThemeChoice) {
        self.theme.set(theme);
        storage::set(THEME_KEY, theme.id());
    }

    /// Hides header and tabs of a phone when the user scrolls down, and shows them again after scrolling up further.
    /// The distances differ because hiding changes the room, and thus the scroll position at the end.
    pub fn scrolled(&self, event: &web_sys::Event) {
        const DOWN: f64 = 40.0;
        const UP: f64 = 140.0;
        let element = dom::target::<web_sys::Element>(event);
        let Some(now) = element.map(|e| f64::from(e.scroll_top())) else {
            return;
        };
        let (on, turned) = (self.reads_on.get_untracked(), self.turned.get_value());
        self.turned.set_value(if on { turned.max(now) } else { turned.min(now) });
        if on && (now < turned - UP || now < DOWN) || !on && now > turned + DOWN {
            self.turned.set_value(now);
            self.reads_on.set(!on);
        }
    }

    /// True while files and filters are shown, as a panel or a drawer.
    pub fn shows_panel(&self) -> bool {
        if dom::media(NARROW) { self.drawer.get() } else { self.panel.get() }
    }

    /// Shows or hides files and filters. A panel is remembered for the next visit.
    pub fn show_panel(&self, on: bool) {
        if dom::media(NARROW) {
            self.drawer.set(on);
        } else {
            self.panel.set(on);
            storage::set(PANEL_KEY, on.then_some("on"));
        }
    }
}
