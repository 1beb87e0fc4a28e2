//! Texts in which the words of the trade explain themselves.

use super::state::App;
use crate::glossary::{Piece, mark};
use leptos::prelude::*;

/// A text with its words marked; `known` holds those that the page has explained already.
pub fn explained(app: App, text: &str, known: &mut Vec<&'static str>) -> AnyView {
    let pieces: Vec<AnyView> = mark(text, known)
        .into_iter()
        .map(|piece| match piece {
            Piece::Plain(text) => text.to_owned().into_any(),
            Piece::Word(word, term) => {
                let word = word.to_owned();
                view! {
                    <span
                        class="term"
                        class:off=move || !app.terms.get()
                        tabindex=move || app.terms.get().then_some("0")
                        data-tip=term.text
                        aria-description=move || app.terms.get().then_some(term.text)
                    >
                        {word}
                    </span>
                }
                .into_any()
            }
        })
        .collect();
    pieces.into_any()
}
