//! Messages between this page and its host, the page around it or the one that opened it: types,
//! limits, and who may send what.
//!
//! A host page (or the `<gemm-scope>` element) sends one window message `{gemm: {v: 1, type: "connect"}}` with a
//! `MessagePort`; everything after goes over the port. Every request has an `id` and gets exactly one reply, `ok` or
//! `error`. Unknown fields are ignored; unknown types are refused.
//!
//! ```text
//! host -> embed  {type: "load", id, name, format?, device?} + bytes: ArrayBuffer
//!                {type: "view", id, set: {view?, device?, theme?, hash?}}
//!                {type: "export", id, what: "svg" | "csv" | "view" | "summary"}
//! embed -> host  {type: "ready", app, v: [1]}
//!                {type: "ok", id, …} | {type: "error", id, code, message}
//!                {type: "resize", height} | {type: "change", view}
//! ```
//!
//! Any page may embed gemmscope, since it only passes in data that it has already. An embedded page in turn has no file
//! picker, no storage and no service worker, and tells its host nothing except what came from the host.

use gemmscope_model::units::expected_one_of;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Supported versions of the protocol; a host asks for one of them.
pub const VERSIONS: [u32; 1] = [1];
/// Maximum size of a file from a host, bytes.
pub(crate) const MAX_BYTES: usize = 64 << 20;
/// Maximum length of a name, characters.
pub(crate) const MAX_NAME: usize = 256;
/// Longest message without its bytes, characters.
pub const MAX_MESSAGE: usize = 64 << 10;

/// Which window the host is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HostWindow {
    /// The page around this one.
    Parent,
    /// The page that opened this one.
    Opener,
}

/// What is known of a host when a request comes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HostState {
    /// Which window it is.
    pub window: HostWindow,
    /// A file of it is being loaded, or its reader is being asked.
    pub busy: bool,
    /// Bytes that it has handed over before.
    pub taken: usize,
}

/// Why a message was refused: `code` is stable, `message` is for the log.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Refusal {
    /// Id of the refused request, if it could be read from the JSON; else the receiver reads it from the message.
    pub id: Option<u64>,
    /// Stable code: `bad-message`, `unknown-type`, `version`, `source`, `connected`, `too-large`, `busy`.
    pub code: &'static str,
    /// What was expected, for the log.
    pub message: String,
}

impl Refusal {
    fn new(id: Option<u64>, code: &'static str, message: impl Into<String>) -> Self {
        Refusal { id, code, message: message.into() }
    }

    /// Refuses bytes of another kind than an `ArrayBuffer`.
    pub fn no_buffer() -> Self {
        Refusal::new(None, "bad-message", "bytes is an ArrayBuffer")
    }

    /// Refuses a message of more than [`MAX_MESSAGE`] characters.
    pub fn too_long() -> Self {
        let message = format!("a message may have at most {MAX_MESSAGE} characters");
        Refusal::new(None, "too-large", message)
    }
}

/// A request over the port.
#[derive(Clone, Debug, PartialEq)]
pub enum Request {
    /// Show this file, whose bytes accompany the JSON.
    Load {
        /// Id for the reply.
        id: u64,
        /// Name to show, printable.
        name: String,
        /// Format id, which overrides detection.
        format: Option<String>,
        /// True to add the file to those shown.
        add: bool,
    },
    /// Change the view; absent keys keep their values.
    View {
        /// Id for the reply.
        id: u64,
        /// The change.
        set: ViewChange,
    },
    /// Export the content of the page.
    Export {
        /// Id for the reply.
        id: u64,
        /// The form of the export.
        what: EmbedExport,
    },
}

/// A change of the view.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct ViewChange {
    /// Key of the view: `roofline`.
    pub view: Option<String>,
    /// Device id for rows that do not state one.
    pub device: Option<String>,
    /// `auto`, `light` or `dark`.
    pub theme: Option<String>,
    /// A complete view state, as after `#` in a link; replaces the current one.
    pub hash: Option<String>,
}

/// What to export.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EmbedExport {
    /// The active view as SVG text.
    Svg,
    /// The rows that pass the filters, as gemmscope's CSV.
    Csv,
    /// The view state, as after `#`.
    View,
    /// The summary as JSON.
    Summary,
}

/// A message to the host.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Reply {
    /// First message after connecting.
    Ready {
        /// Version of the app.
        app: String,
        /// Supported versions of the protocol.
        v: Vec<u32>,
    },
    /// The request was carried out.
    Ok {
        /// Id of the request.
        id: u64,
        /// Result, if the request has one.
        #[serde(skip_serializing_if = "Option::is_none")]
        result: Option<Value>,
    },
    /// The request was refused or failed.
    Error {
        /// Id of the request; 0 if it had none that is a whole number.
        id: u64,
        /// Stable code.
        code: String,
        /// A sentence for people.
        message: String,
    },
    /// The page's height has changed.
    Resize {
        /// Height of the whole page, CSS pixels, rounded up.
        height: u32,
    },
    /// The user changed the view.
    Change {
        /// View state, as after `#` in a link.
        view: String,
    },
}

impl From<Refusal> for Reply {
    fn from(r: Refusal) -> Reply {
        Reply::Error { id: r.id.unwrap_or(0), code: r.code.to_owned(), message: r.message }
    }
}

/// Checks whether a message of the host's window opens the connection. `data` is its JSON, and `ports` is
/// the number of ports in it.
///
/// # Errors
///
/// `Err(None)` if the message is not for gemmscope and is to be ignored.
pub fn connect(data: &str, ports: usize, connected: bool) -> Result<u32, Option<Refusal>> {
    if data.len() > MAX_MESSAGE {
        return Err(None);
    }
    let Ok(value) = serde_json::from_str::<Value>(data) else {
        return Err(None);
    };
    let Some(gemm) = value.get("gemm").and_then(Value::as_object) else {
        return Err(None);
    };
    if gemm.get("type").and_then(Value::as_str) != Some("connect") {
        return Err(None);
    }
    let refuse = |code, message: &str| Err(Some(Refusal::new(None, code, message)));
    if connected {
        return refuse("connected", "this page already has a host");
    }
    if ports != 1 {
        return refuse("bad-message", "connect takes exactly one MessagePort");
    }
    match gemm.get("v").and_then(Value::as_u64).and_then(|v| u32::try_from(v).ok()) {
        Some(v) if VERSIONS.contains(&v) => Ok(v),
        _ => refuse("version", "this page speaks version 1 of the protocol"),
    }
}

/// Why a message has no JSON: a cycle, a lone half of a character, too deep.
const NOT_PLAIN: &str = "expected plain data: objects, lists, numbers and whole characters";
/// Expected form of a message.
const SHAPE: &str = "expected an object with a type and an id, a whole number";

/// First characters of a text, for quoting in a refusal.
fn start(text: &str) -> String {
    text.chars().take(40).collect()
}

/// Parses a request from the JSON of a port message. `bytes` is the size of its `ArrayBuffer`, if any; `busy` is true
/// while a file is being loaded.
///
/// # Errors
///
/// The refusal to send.
pub fn request(data: &str, bytes: Option<usize>, host: HostState) -> Result<Request, Refusal> {
    if data.len() > MAX_MESSAGE {
        return Err(Refusal::too_long());
    }
    let value: Value =
        serde_json::from_str(data).map_err(|_| Refusal::new(None, "bad-message", NOT_PLAIN))?;
    let id = value.get("id").and_then(Value::as_u64);
    let text = |key: &str| value.get(key).and_then(Value::as_str);
    let malformed = |message: &str| Refusal::new(id, "bad-message", message);
    let needed = id.ok_or_else(|| malformed(SHAPE))?;
    let opener = host.window == HostWindow::Opener;
    match text("type") {
        Some("view" | "export") if opener => {
            let message = "the page that opened this one can load, and nothing else";
            Err(Refusal::new(id, "not-allowed", message))
        }
        Some("load") => {
            let size = bytes.ok_or_else(|| malformed("load takes bytes, an ArrayBuffer"))?;
            let taken = if opener { host.taken } else { 0 };
            if taken.saturating_add(size) > MAX_BYTES {
                let most = MAX_BYTES >> 20;
                let in_all = if opener { " in all" } else { "" };
                let message = format!("at most {most} MiB{in_all} can be loaded");
                return Err(Refusal::new(id, "too-large", message));
            }
            if host.busy {
                return Err(Refusal::new(id, "busy", "one load at a time"));
            }
            let name = text("name").unwrap_or("data");
            if name.chars().count() > MAX_NAME || name.chars().any(char::is_control) {
                return Err(malformed("a name has up to 256 printable characters"));
            }
            Ok(Request::Load {
                id: needed,
                name: name.to_owned(),
                format: text("format").map(str::to_owned),
                add: value.get("add").and_then(Value::as_bool).unwrap_or(false),
            })
        }
        Some("view") => {
            let set = value.get("set").unwrap_or(&Value::Null).to_string();
            let set: ViewChange = serde_json::from_str(&set)
                .map_err(|_| malformed("set takes view, device, theme, hash, each a string"))?;
            if let Some(theme) = set.theme.as_deref()
                && !matches!(theme, "auto" | "light" | "dark")
            {
                return Err(malformed(&expected_one_of(&["auto", "light", "dark"], &start(theme))));
            }
            Ok(Request::View { id: needed, set })
        }
        Some("export") => {
            let what = value.get("what").unwrap_or(&Value::Null).to_string();
            let known = ["svg", "csv", "view", "summary"];
            let what: EmbedExport = serde_json::from_str(&what)
                .map_err(|_| malformed(&expected_one_of(&known, &start(&what))))?;
            Ok(Request::Export { id: needed, what })
        }
        Some(other) => {
            let message = expected_one_of(&["load", "view", "export"], &start(other));
            Err(Refusal::new(id, "unknown-type", message))
        }
        None => Err(malformed(SHAPE)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const PARENT: HostState = HostState { window: HostWindow::Parent, busy: false, taken: 0 };
    const OPENER: HostState = HostState { window: HostWindow::Opener, ..PARENT };

    #[test]
    fn a_host_connects_once_with_one_port() {
        let hello = r#"{"gemm":{"v":1,"type":"connect"}}"#;
        assert_eq!(connect(hello, 1, false), Ok(1));
        let code = |r: Result<u32, Option<Refusal>>| r.unwrap_err().map(|r| r.code);
        assert_eq!(code(connect(hello, 1, true)), Some("connected"));
        assert_eq!(code(connect(hello, 0, false)), Some("bad-message"));
        assert_eq!(code(connect(hello, 2, false)), Some("bad-message"));
        let newer = r#"{"gemm":{"v":2,"type":"connect"}}"#;
        assert_eq!(code(connect(newer, 1, false)), Some("version"));
        for foreign in
            ["", "null", "\"x\"", r#"{"type":"connect"}"#, r#"{"gemm":{"type":"hello"}}"#]
        {
            assert_eq!(connect(foreign, 1, false), Err(None));
        }
    }

    #[test]
    fn requests_and_their_refusals() {
        let load = r#"{"type":"load","id":7,"name":"bench.csv","format":"iree","later":1}"#;
        assert_eq!(
            request(load, Some(10), PARENT),
            Ok(Request::Load {
                id: 7,
                name: "bench.csv".into(),
                format: Some("iree".into()),
                add: false
            })
        );
        let code = |r: Result<Request, Refusal>| {
            let r = r.unwrap_err();
            (r.id, r.code)
        };
        assert_eq!(code(request(load, None, PARENT)), (Some(7), "bad-message"));
        assert_eq!(
            code(request(load, Some(10), HostState { busy: true, ..PARENT })),
            (Some(7), "busy")
        );
        assert_eq!(code(request(load, Some(MAX_BYTES + 1), PARENT)), (Some(7), "too-large"));
        assert_eq!(
            code(request(r#"{"type":"eval","id":1}"#, None, PARENT)),
            (Some(1), "unknown-type")
        );
        assert_eq!(code(request(r#"{"type":"load"}"#, Some(1), PARENT)), (None, "bad-message"));
        assert_eq!(code(request("[1", None, PARENT)), (None, "bad-message"));
        assert_eq!(code(request(&" ".repeat(MAX_MESSAGE + 1), None, PARENT)), (None, "too-large"));
        let long = format!(r#"{{"type":"load","id":2,"name":"{}"}}"#, "x".repeat(300));
        assert_eq!(code(request(&long, Some(1), PARENT)), (Some(2), "bad-message"));
        let theme = r#"{"type":"view","id":3,"set":{"theme":"pink"}}"#;
        assert_eq!(code(request(theme, None, PARENT)), (Some(3), "bad-message"));
        assert_eq!(
            request(r#"{"type":"export","id":4,"what":"svg"}"#, None, PARENT),
            Ok(Request::Export { id: 4, what: EmbedExport::Svg })
        );
    }

    #[test]
    fn an_opener_hands_over_files_up_to_a_limit_and_learns_nothing() {
        let load = r#"{"type":"load","id":7,"name":"bench.csv"}"#;
        let code = |r: Result<Request, Refusal>| r.map_err(|r| r.code).map(|_| ());
        assert_eq!(code(request(load, Some(MAX_BYTES), OPENER)), Ok(()));
        let after = |taken| HostState { taken, ..OPENER };
        assert_eq!(code(request(load, Some(MAX_BYTES), after(1))), Err("too-large"));
        assert_eq!(code(request(load, Some(1), after(usize::MAX))), Err("too-large"));
        let parent = HostState { taken: MAX_BYTES, ..PARENT };
        assert_eq!(code(request(load, Some(MAX_BYTES), parent)), Ok(()));
        for asks in
            [r#"{"type":"export","id":1,"what":"csv"}"#, r#"{"type":"view","id":1,"set":{}}"#]
        {
            assert_eq!(code(request(asks, None, OPENER)), Err("not-allowed"));
        }
        assert_eq!(code(request(r#"{"type":"x","id":1}"#, None, OPENER)), Err("unknown-type"));
    }

    #[test]
    fn replies_are_plain_objects() {
        let json = |r: &Reply| serde_json::to_string(r).unwrap();
        assert_eq!(json(&Reply::Ok { id: 3, result: None }), r#"{"type":"ok","id":3}"#);
        assert_eq!(
            json(&Refusal::new(None, "busy", "one load at a time").into()),
            r#"{"type":"error","id":0,"code":"busy","message":"one load at a time"}"#
        );
    }

    proptest! {
        #[test]
        fn any_text_is_survived(text in "\\PC*", bytes in proptest::option::of(0usize..100)) {
            let _ = request(&text, bytes, PARENT);
            let _ = connect(&text, 1, false);
        }
    }
}
