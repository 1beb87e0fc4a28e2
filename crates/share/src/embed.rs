//! Messages between an embedded page and its host: types, limits, and who may send what.
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
/// Maximum length of a message without its bytes, characters.
pub(crate) const MAX_MESSAGE: usize = 64 << 10;

/// Why a message was refused: `code` is stable, `message` is for the log.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Refusal {
    /// Id of the refused request, if it could be read.
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
        /// Id of the request; 0 if it had none.
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

/// Checks whether a window message opens the connection. `data` is its JSON, `from_parent` is true if it came from the
/// parent window, and `ports` is the number of ports in it.
///
/// # Errors
///
/// The refusal to send; `None` if the message is not for gemmscope and should be ignored.
pub fn connect(
    data: &str,
    from_parent: bool,
    ports: usize,
    connected: bool,
) -> Result<u32, Option<Refusal>> {
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
    if !from_parent {
        return refuse("source", "only the page that embeds this frame can connect");
    }
    if connected {
        return refuse("connected", "this frame already has a host");
    }
    if ports != 1 {
        return refuse("bad-message", "connect takes exactly one MessagePort");
    }
    match gemm.get("v").and_then(Value::as_u64).and_then(|v| u32::try_from(v).ok()) {
        Some(v) if VERSIONS.contains(&v) => Ok(v),
        _ => refuse("version", "this page speaks version 1 of the protocol"),
    }
}

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
pub fn request(data: &str, bytes: Option<usize>, busy: bool) -> Result<Request, Refusal> {
    if data.len() > MAX_MESSAGE {
        return Err(Refusal::new(
            None,
            "too-large",
            format!("a message may have at most {MAX_MESSAGE} characters"),
        ));
    }
    let value: Value =
        serde_json::from_str(data).map_err(|_| Refusal::new(None, "bad-message", SHAPE))?;
    let id = value.get("id").and_then(Value::as_u64);
    let text = |key: &str| value.get(key).and_then(Value::as_str);
    let malformed = |message: &str| Refusal::new(id, "bad-message", message);
    let needed = id.ok_or_else(|| malformed(SHAPE))?;
    match text("type") {
        Some("load") => {
            let size = bytes.ok_or_else(|| malformed("load takes bytes, an ArrayBuffer"))?;
            if size > MAX_BYTES {
                return Err(Refusal::new(
                    id,
                    "too-large",
                    format!("at most {} MiB can be loaded", MAX_BYTES >> 20),
                ));
            }
            if busy {
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

/// A URL as the browser's own parser split it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct UrlParts {
    /// Scheme with the colon: `https:`.
    pub protocol: String,
    /// Host without port.
    pub hostname: String,
    /// Host with port.
    pub host: String,
    /// User name before an `@`.
    pub username: String,
    /// Password before an `@`.
    pub password: String,
}

/// What to do with the `src` of a link.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SourcePolicy {
    /// Same origin as the page: fetch without asking.
    SameOrigin,
    /// This host: ask the user once.
    Ask(String),
    /// Do not fetch, for the reason in the sentence.
    Refuse(String),
}

/// Decides about the `src` of a link: https is allowed, and plain http from this machine or the page's own origin; an
/// address with a user name never.
pub fn source_policy(src: &UrlParts, page: &UrlParts) -> SourcePolicy {
    let same = src.protocol == page.protocol && src.host == page.host && !src.host.is_empty();
    if !src.username.is_empty() || !src.password.is_empty() {
        return SourcePolicy::Refuse(format!(
            "addresses with a user name are refused, as they hide the real host: {}",
            src.host
        ));
    }
    let local = matches!(src.hostname.as_str(), "localhost" | "127.0.0.1" | "[::1]");
    match src.protocol.as_str() {
        "http:" | "https:" if same => SourcePolicy::SameOrigin,
        "https:" if !src.host.is_empty() => SourcePolicy::Ask(src.host.clone()),
        "http:" if local => SourcePolicy::Ask(src.host.clone()),
        _ => SourcePolicy::Refuse(format!(
            "data is read over https (plain http from this machine alone); drop a local file on the page \
             instead: {}//{}",
            src.protocol, src.host
        )),
    }
}

/// Maps the address of a GitHub or Hugging Face page that shows a file to the address of the file itself. Returns other
/// addresses unchanged.
pub fn raw_address(src: &str) -> String {
    for (shown, raw, from, to) in [
        ("https://github.com/", "https://raw.githubusercontent.com/", "/blob/", "/"),
        ("https://huggingface.co/", "https://huggingface.co/", "/blob/", "/resolve/"),
    ] {
        if let Some(rest) = src.strip_prefix(shown)
            && let Some((repository, path)) = rest.split_once(from)
        {
            return format!("{raw}{repository}{to}{path}");
        }
    }
    src.to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn url(text: &str) -> UrlParts {
        // Splits as the browser does, well enough for tests.
        let (protocol, rest) = text.split_once("//").unwrap_or((text, ""));
        let authority = rest.split(['/', '?', '#']).next().unwrap_or("");
        let (user, host) = authority.rsplit_once('@').unwrap_or(("", authority));
        let (username, password) = user.split_once(':').unwrap_or((user, ""));
        let hostname = match host.strip_prefix('[').and_then(|h| h.split_once(']')) {
            Some((inner, _)) => format!("[{inner}]"),
            None => host.split(':').next().unwrap_or("").to_owned(),
        };
        UrlParts {
            protocol: protocol.into(),
            hostname,
            host: host.into(),
            username: username.into(),
            password: password.into(),
        }
    }

    #[test]
    fn look_alike_hosts_are_asked_about_by_their_own_name() {
        let page = url("https://tools.example.org/gemmscope/");
        let policy = |u: &str| source_policy(&url(u), &page);
        assert_eq!(policy("https://tools.example.org/a.csv"), SourcePolicy::SameOrigin);
        for other in [
            "tools.example.org.evil.net",
            "evil-tools.example.org",
            "tools.example.org:8443",
            "tooIs.example.org",
            "xn--tols-0qa.example.org",
            "example.org",
        ] {
            assert_eq!(policy(&format!("https://{other}/a.csv")), SourcePolicy::Ask(other.into()));
        }
        for refused in [
            "https://tools.example.org@evil.net/a.csv",
            "https://tools.example.org:x@evil.net/a.csv",
            "http://tools.example.org/a.csv",
            "http://localhost.evil.net/a.csv",
            "http://127.0.0.1.evil.net/a.csv",
            "javascript:",
            "data:",
            "file:///etc/passwd",
            "blob:",
            "ftp://tools.example.org/a.csv",
        ] {
            assert!(matches!(policy(refused), SourcePolicy::Refuse(_)), "{refused}");
        }
        assert_eq!(
            policy("http://localhost:9000/a.csv"),
            SourcePolicy::Ask("localhost:9000".into())
        );
        assert_eq!(
            source_policy(&url("http://box/a.csv"), &url("http://box/gemmscope/")),
            SourcePolicy::SameOrigin
        );
    }

    #[test]
    fn addresses_of_pages_about_files_become_those_of_the_files() {
        assert_eq!(
            raw_address("https://github.com/o/r/blob/main/a/b.csv"),
            "https://raw.githubusercontent.com/o/r/main/a/b.csv"
        );
        assert_eq!(
            raw_address("https://huggingface.co/datasets/o/r/blob/main/b.csv"),
            "https://huggingface.co/datasets/o/r/resolve/main/b.csv"
        );
        for same in ["https://github.com.evil.net/o/r/blob/main/b.csv", "bench.csv", ""] {
            assert_eq!(raw_address(same), same);
        }
    }

    #[test]
    fn only_the_parent_connects_once_with_one_port() {
        let hello = r#"{"gemm":{"v":1,"type":"connect"}}"#;
        assert_eq!(connect(hello, true, 1, false), Ok(1));
        let code = |r: Result<u32, Option<Refusal>>| r.unwrap_err().map(|r| r.code);
        assert_eq!(code(connect(hello, false, 1, false)), Some("source"));
        assert_eq!(code(connect(hello, true, 1, true)), Some("connected"));
        assert_eq!(code(connect(hello, true, 0, false)), Some("bad-message"));
        assert_eq!(code(connect(hello, true, 2, false)), Some("bad-message"));
        let newer = r#"{"gemm":{"v":2,"type":"connect"}}"#;
        assert_eq!(code(connect(newer, true, 1, false)), Some("version"));
        for foreign in
            ["", "null", "\"x\"", r#"{"type":"connect"}"#, r#"{"gemm":{"type":"hello"}}"#]
        {
            assert_eq!(connect(foreign, true, 1, false), Err(None));
        }
    }

    #[test]
    fn requests_and_their_refusals() {
        let load = r#"{"type":"load","id":7,"name":"bench.csv","format":"iree","later":1}"#;
        assert_eq!(
            request(load, Some(10), false),
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
        assert_eq!(code(request(load, None, false)), (Some(7), "bad-message"));
        assert_eq!(code(request(load, Some(10), true)), (Some(7), "busy"));
        assert_eq!(code(request(load, Some(MAX_BYTES + 1), false)), (Some(7), "too-large"));
        assert_eq!(
            code(request(r#"{"type":"eval","id":1}"#, None, false)),
            (Some(1), "unknown-type")
        );
        assert_eq!(code(request(r#"{"type":"load"}"#, Some(1), false)), (None, "bad-message"));
        assert_eq!(code(request("[1", None, false)), (None, "bad-message"));
        assert_eq!(code(request(&" ".repeat(MAX_MESSAGE + 1), None, false)), (None, "too-large"));
        let long = format!(r#"{{"type":"load","id":2,"name":"{}"}}"#, "x".repeat(300));
        assert_eq!(code(request(&long, Some(1), false)), (Some(2), "bad-message"));
        let theme = r#"{"type":"view","id":3,"set":{"theme":"pink"}}"#;
        assert_eq!(code(request(theme, None, false)), (Some(3), "bad-message"));
        assert_eq!(
            request(r#"{"type":"export","id":4,"what":"svg"}"#, None, false),
            Ok(Request::Export { id: 4, what: EmbedExport::Svg })
        );
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
            let _ = request(&text, bytes, false);
            let _ = connect(&text, true, 1, false);
        }
    }
}
