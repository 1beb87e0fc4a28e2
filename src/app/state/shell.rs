//! State of the shell: theme, dialog, status line, progress.

use crate::app::ui::{NARROW, media};
use crate::web::file::Input;
use crate::web::{clock, dom, storage};
use leptos::prelude::*;
use wasm_bindgen::JsValue;

/// Height of the line of figures, the filters and a bar of settings, px.
const DOCK_TOP: f64 = 114.0;
const THEME_KEY: &str = "gemmscope.theme";
const PANEL_KEY: &str = "gemmscope.panel";
const DARK_QUERY: &str = "(prefers-color-scheme: dark)";

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

impl ThemeChoice {
    /// The value in the browser's storage and in `data-theme` of the page; `None` for the default.
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
    /// Devices and their peaks. The text is the device name in a file to choose a device for.
    Devices(Option<String>),
    /// Columns of the file with this number, loaded or refused.
    Mapping(u32),
    /// Links, pages, snippets.
    Share,
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
    /// Bytes in all.
    pub total: u64,
    /// Bytes a second so far.
    pub bytes_per_s: f64,
}

/// The status line.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Message {
    /// What it says.
    pub text: String,
    /// True where it reports a step that can be undone, and offers that.
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
    /// Number on this page.
    pub id: u32,
    /// File name.
    pub name: String,
    /// What was wrong and what to do.
    pub message: String,
    /// True where the columns can be assigned by hand.
    pub mappable: bool,
    /// The file, where there is one to read again.
    pub input: Option<Input>,
}

/// Progress, queue and failures of loading.
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

/// The state of what surrounds the views. Copying it copies handles.
#[derive(Clone, Copy)]
pub struct Shell {
    /// The chosen theme.
    pub theme: RwSignal<ThemeChoice>,
    /// True where dark colours are shown.
    pub dark: Memo<bool>,
    /// The open dialog.
    pub dialog: RwSignal<Option<Dialog>>,
    /// One line at the bottom of the page, also read out.
    pub status: RwSignal<Message>,
    /// What is being read.
    pub load: RwSignal<LoadState>,
    /// How many things that the address, the page or the last visit brings are still on their way.
    pub coming: RwSignal<u32>,
    /// Where the dock lies so that it leaves what was clicked in sight: "" is below, else `left` or
    /// `right`.
    pub dock_side: RwSignal<&'static str>,
    /// Where the dock may begin at most, px from the top of the place: below the bar of the picture.
    pub dock_top: RwSignal<f64>,
    /// True where somebody reads on below: a phone then has no room for header and tabs.
    pub reads_on: RwSignal<bool>,
    /// How far down that was turned on, or how far up off, px.
    turned: StoredValue<f64>,
    /// True while files and filters show beside the views, where there is room.
    pub panel: RwSignal<bool>,
    /// True while they are open as the drawer of a phone.
    pub drawer: RwSignal<bool>,
}

impl Shell {
    /// The state of a fresh page. Reads what was stored, and follows the system's colour scheme
    /// while the calling component lives.
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

    /// Shows a message about a step, with a button that undoes it.
    pub fn say_with_undo(&self, message: impl Into<String>) {
        self.status.set(Message { text: message.into(), undo: true });
    }

    /// Shows the files, and of the first with skipped rows which they are.
    pub fn show_skipped(&self) {
        self.show_panel(true);
        // What is hidden takes no focus.
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

    /// Chooses and stores the theme.
    pub fn set_theme(&self, theme: ThemeChoice) {
        self.theme.set(theme);
        storage::set(THEME_KEY, theme.id());
    }

    /// Follows what scrolls under header and tabs: down they go, a good way up they come back. Without them
    /// there is more room below, and at the end of what scrolls that much less is above.
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

    /// True while files and filters show, as a panel or as the drawer that it is on a phone.
    pub fn shows_panel(&self) -> bool {
        if dom::media(NARROW) { self.drawer.get() } else { self.panel.get() }
    }

    /// Shows or hides files and filters. A panel stays so on the next visit.
    pub fn show_panel(&self, on: bool) {
        if dom::media(NARROW) {
            self.drawer.set(on);
        } else {
            self.panel.set(on);
            storage::set(PANEL_KEY, on.then_some("on"));
        }
    }
}
