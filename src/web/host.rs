//! The connection to the page that embeds this one, over a `MessagePort`.
//! [`gemmscope_share::embed`] defines the messages.

use super::dom::{self, Listener};
use super::js::field;
use gemmscope_share::embed;
use gemmscope_share::embed::{Refusal, Reply, Request};
use std::cell::{Cell, RefCell};
use std::rc::Rc;
use wasm_bindgen::prelude::*;

/// Performs a request; a load comes with its bytes.
pub type Handler = Rc<dyn Fn(Rc<Host>, Request, Option<js_sys::ArrayBuffer>)>;

/// The connected host page.
pub struct Host {
    port: web_sys::MessagePort,
    /// True while a load is running: a second one is rejected.
    pub busy: Cell<bool>,
    listener: RefCell<Option<Listener>>,
}

impl Host {
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
}

/// A message as JSON without its bytes; "" if that is impossible (cycles).
fn text_of(data: &JsValue) -> String {
    js_sys::JSON::stringify(data).ok().and_then(|t| t.as_string()).unwrap_or_default()
}

/// Says hello to the host page and waits for its connection. `on_host` is called once, before the first request.
pub fn listen(on_host: impl Fn(Rc<Host>) + 'static, handler: Handler) -> Listener {
    let host: Rc<RefCell<Option<Rc<Host>>>> = Rc::default();
    let window = dom::window();
    let parent = window.parent().ok().flatten();
    let alone = parent.as_ref().is_none_or(|p| js_sys::Object::is(p, &window));
    let from = parent.clone();
    let listener = dom::listen(&window, "message", move |event: web_sys::MessageEvent| {
        let from_parent = !alone
            && from.as_ref().is_some_and(|parent| {
                js_sys::Object::is(&field(&event, "source"), parent.as_ref())
            });
        let ports: Vec<web_sys::MessagePort> =
            event.ports().iter().filter_map(|p| p.dyn_into().ok()).collect();
        let connected = host.borrow().is_some();
        match embed::connect(&text_of(&event.data()), from_parent, ports.len(), connected) {
            Err(None) => {}
            Err(Some(refusal)) => {
                // Only the page that sent the port is told the reason.
                if let (Some(port), true) = (ports.first(), from_parent) {
                    let refused = Host {
                        port: port.clone(),
                        busy: Cell::new(false),
                        listener: RefCell::default(),
                    };
                    refused.send(&refusal.into());
                    port.close();
                }
            }
            Ok(_) => {
                let Some(port) = ports.first() else { return };
                let new = Rc::new(Host {
                    port: port.clone(),
                    busy: Cell::new(false),
                    listener: RefCell::default(),
                });
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
    if let (false, Some(parent)) = (alone, parent) {
        // The message is not secret, so any origin may receive it.
        let hello = js_sys::JSON::parse(r#"{"gemm":{"v":1,"type":"hello"}}"#);
        let _ = parent.post_message(&hello.unwrap_or(JsValue::NULL), "*");
    }
    listener
}

fn receive(host: Rc<Host>, data: &JsValue, handler: &Handler) {
    let bytes = field(data, "bytes").dyn_into::<js_sys::ArrayBuffer>().ok();
    if field(data, "bytes").is_object() && bytes.is_none() {
        // Any other kind of buffer would be serialised number by number below.
        let id = field(data, "id").as_f64().map(|v| v as u64);
        host.send(&Reply::from(Refusal {
            id,
            code: "bad-message",
            message: "bytes is an ArrayBuffer".to_owned(),
        }));
        return;
    }
    let size = bytes.as_ref().map(|b| b.byte_length() as usize);
    match embed::request(&text_of(data), size, host.busy.get()) {
        Ok(request) => handler(host, request, bytes),
        Err(refusal) => host.send(&refusal.into()),
    }
}
