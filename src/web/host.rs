//! The connection to the host, the page around this one or the one that opened it, over a `MessagePort`.
//! [`gemmscope_share::embed`] defines the messages.

use super::dom::{self, Listener};
use super::js::field;
use gemmscope_share::embed::{self, HostState, HostWindow, Refusal, Reply, Request};
use std::cell::{Cell, RefCell};
use std::rc::Rc;
use wasm_bindgen::prelude::*;

/// Performs a request; a load comes with its bytes.
pub type Handler = Rc<dyn Fn(Rc<Host>, Request, Option<js_sys::ArrayBuffer>)>;

/// The connected host page.
pub struct Host {
    /// Where it comes from, as the browser says: `https://ci.example`; `null` for a page without an origin.
    pub origin: String,
    port: web_sys::MessagePort,
    state: Cell<HostState>,
    listener: RefCell<Option<Listener>>,
}

impl Host {
    fn new(port: web_sys::MessagePort, window: HostWindow, origin: String) -> Rc<Host> {
        let state = Cell::new(HostState { window, busy: false, taken: 0 });
        Rc::new(Host { origin, port, state, listener: RefCell::default() })
    }

    /// Sends a message.
    pub fn send(&self, reply: &Reply) {
        let json = serde_json::to_string(reply).unwrap_or_default();
        if let Ok(value) = js_sys::JSON::parse(&json) {
            let _ = self.port.post_message(&value);
        }
    }

    /// Replies to a request.
    pub fn answer(&self, id: u64, result: Result<Option<serde_json::Value>, (String, String)>) {
        self.send(&match result {
            Ok(result) => Reply::Ok { id, result },
            Err((code, message)) => Reply::Error { id, code, message },
        });
    }

    /// True while a load of it is under way: a second one is refused.
    pub fn set_busy(&self, busy: bool) {
        self.state.set(HostState { busy, ..self.state.get() });
    }

    /// Counts bytes that it has handed over.
    pub fn take(&self, bytes: usize) {
        let state = self.state.get();
        self.state.set(HostState { taken: state.taken.saturating_add(bytes), ..state });
    }

    /// Hears no more of it.
    pub fn close(&self) {
        self.port.close();
    }
}

/// A message as JSON without its bytes: "" where that is impossible (cycles), `None` where it is too long to
/// be copied.
fn text_of(data: &JsValue) -> Option<String> {
    let Ok(text) = js_sys::JSON::stringify(data) else { return Some(String::new()) };
    let short = (text.length() as usize) <= embed::MAX_MESSAGE;
    short.then(|| text.as_string().unwrap_or_default())
}

/// The window of the host: of an embedded page the one around it, else the one that opened it.
pub fn window() -> Option<(web_sys::Window, HostWindow)> {
    let own = dom::window();
    let (other, which) = match dom::embedded() {
        true => (own.parent().ok()??.into(), HostWindow::Parent),
        false => (own.opener().ok()?, HostWindow::Opener),
    };
    // A window of another origin is no instance of this page's class, so it is not checked for one.
    let there = other.is_object() && !js_sys::Object::is(&other, &own);
    there.then(|| (other.unchecked_into(), which))
}

/// Says hello to the window of the host and waits for its connection. `on_host` is called once, before the
/// first request.
pub fn listen(on_host: impl Fn(Rc<Host>) + 'static, handler: Handler) -> Option<Listener> {
    let (other, which) = window()?;
    let host: RefCell<Option<Rc<Host>>> = RefCell::default();
    let from = other.clone();
    let listener = dom::listen(&dom::window(), "message", move |event: web_sys::MessageEvent| {
        // Messages of other windows are passed over unread.
        if !js_sys::Object::is(&field(&event, "source"), &from) {
            return;
        }
        let Some(text) = text_of(&event.data()) else { return };
        let ports: Vec<web_sys::MessagePort> =
            event.ports().iter().filter_map(|p| p.dyn_into().ok()).collect();
        let connected = host.borrow().is_some();
        let answer = embed::connect(&text, ports.len(), connected);
        let Some(port) = ports.first() else { return };
        let new = Host::new(port.clone(), which, event.origin());
        match answer {
            Err(None) => {}
            Err(Some(refusal)) => {
                new.send(&refusal.into());
                new.close();
            }
            Ok(_) => {
                *host.borrow_mut() = Some(new.clone());
                let (weak, handler) = (Rc::downgrade(&new), handler.clone());
                let listener = dom::listen(port, "message", move |e: web_sys::MessageEvent| {
                    if let Some(host) = weak.upgrade() {
                        receive(host, &e.data(), &handler);
                    }
                });
                *new.listener.borrow_mut() = Some(listener);
                on_host(new.clone());
                port.start();
                new.send(&Reply::Ready {
                    app: env!("CARGO_PKG_VERSION").to_owned(),
                    v: embed::VERSIONS.to_vec(),
                });
            }
        }
    });
    // The message holds nothing secret, so any origin may receive it.
    let hello = js_sys::JSON::parse(r#"{"gemm":{"v":1,"type":"hello"}}"#);
    let _ = other.post_message(&hello.unwrap_or(JsValue::NULL), "*");
    Some(listener)
}

/// The id of a message, read from the message itself: what cannot be written as JSON is answered too.
fn id_of(data: &JsValue) -> Option<u64> {
    let id = field(data, "id").as_f64()?;
    (id >= 0.0 && id.fract() == 0.0 && id <= js_sys::Number::MAX_SAFE_INTEGER).then_some(id as u64)
}

fn receive(host: Rc<Host>, data: &JsValue, handler: &Handler) {
    let bytes = field(data, "bytes").dyn_into::<js_sys::ArrayBuffer>().ok();
    let request = if field(data, "bytes").is_object() && bytes.is_none() {
        // Any other kind of buffer would be serialised number by number.
        Err(Refusal::no_buffer())
    } else {
        let size = bytes.as_ref().map(|b| b.byte_length() as usize);
        match text_of(data) {
            Some(text) => embed::request(&text, size, host.state.get()),
            None => Err(Refusal::too_long()),
        }
    };
    match request {
        Ok(request) => handler(host, request, bytes),
        Err(refusal) => {
            host.send(&Refusal { id: refusal.id.or_else(|| id_of(data)), ..refusal }.into());
        }
    }
}
