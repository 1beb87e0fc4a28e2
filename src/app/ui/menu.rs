//! A button that opens a list.

use super::keep;
use crate::web::dom;
use leptos::prelude::*;
use web_sys::{KeyboardEvent, MouseEvent, Node};

/// Open state and root element. Copying copies handles.
#[derive(Clone, Copy)]
struct Opened {
    open: RwSignal<bool>,
    root: NodeRef<leptos::html::Div>,
}

impl Opened {
    /// A closed menu; a click outside closes it.
    fn closed() -> Opened {
        let Opened { open, root } = Opened { open: RwSignal::new(false), root: NodeRef::new() };
        keep(dom::listen(&dom::document(), "pointerdown", move |event: web_sys::Event| {
            let outside = |root: leptos::web_sys::HtmlDivElement| {
                !root.contains(dom::target::<Node>(&event).as_ref())
            };
            if open.get_untracked() && root.get_untracked().is_some_and(outside) {
                open.set(false);
            }
        }));
        Opened { open, root }
    }

    /// Moves the focus through the entries, cyclically.
    fn step(self, step: i32) {
        let Some(root) = self.root.get_untracked() else { return };
        let (items, here) =
            dom::items(&root, ".menu button:not(:disabled), .menu input, .menu a, .menu summary");
        let count = items.len() as i32;
        let next = match here {
            Some(i) => i as i32 + step,
            None => step.min(0),
        };
        if count > 0 {
            let _ = items[next.rem_euclid(count) as usize].focus();
        }
    }

    fn close(self) {
        self.open.set(false);
        let buttons = self.root.get_untracked().map(|root| dom::all(&root, "button"));
        let _ = buttons.iter().flatten().next().map(|button| button.focus());
    }

    fn key(self, event: &KeyboardEvent) {
        let step = match event.key().as_str() {
            "Escape" if self.open.get_untracked() => {
                event.stop_propagation();
                event.prevent_default();
                return self.close();
            }
            // The focus moves on to what is beside the button.
            "ArrowLeft" | "ArrowRight" if !dom::within(event, ".menu") => {
                return self.open.set(false);
            }
            "ArrowDown" => 1,
            "ArrowUp" => -1,
            _ => return,
        };
        event.prevent_default();
        event.stop_propagation();
        if self.open.get_untracked() {
            self.step(step);
        } else {
            // The list exists in the next frame.
            self.open.set(true);
            request_animation_frame(move || self.step(step));
        }
    }
}

/// A button that opens a list below it. The list closes on a choice, on Escape and on a click outside; the arrow keys
/// move through it.
#[component]
pub fn Menu(
    /// Contents of the button.
    #[prop(into)]
    label: ViewFn,
    /// Name of the button for screen readers.
    #[prop(into)]
    name: Signal<String>,
    /// Class of the button.
    #[prop(default = "button")]
    class: &'static str,
    /// True to align the list with the right edge of the button.
    #[prop(default = false)]
    right: bool,
    /// True to keep the list open after a choice (checkboxes).
    #[prop(default = false)]
    stays: bool,
    children: ChildrenFn,
) -> impl IntoView {
    let opened = Opened::closed();
    let Opened { open, root } = opened;
    let on_pick = move |event: MouseEvent| {
        if !stays && dom::within(&event, "button, [role=option]")
            || dom::within(&event, "[data-close]")
        {
            opened.close();
        }
    };
    view! {
        <div class="menu-root" class:menu-right=right node_ref=root on:keydown=move |e| opened.key(&e)>
            <button
                type="button"
                class=class
                aria-haspopup="true"
                aria-expanded=move || open.get().to_string()
                aria-label=move || name.get()
                title=move || name.get()
                on:click=move |_| open.update(|o| *o = !*o)
            >
                {label.run()}
            </button>
            <Show when=move || open.get()>
                <div class="menu" on:click=on_pick>{children()}</div>
            </Show>
        </div>
    }
}
