//! Texts with explanations of technical terms.

use gemmscope_analysis::glossary::{Piece, mark};
use leptos::prelude::*;

/// A text whose technical terms explain themselves while `terms` is on. `known` holds the terms
/// that the page has explained already.
pub fn explained(terms: RwSignal<bool>, text: &str, known: &mut Vec<&'static str>) -> AnyView {
    let pieces: Vec<AnyView> = mark(text, known)
        .into_iter()
        .map(|piece| match piece {
            Piece::Plain(text) => text.to_owned().into_any(),
            Piece::Word(word, term) => {
                let word = word.to_owned();
                view! {
                    <span
                        class="term"
                        class:off=move || !terms.get()
                        tabindex=move || terms.get().then_some("0")
                        data-tip=term.text
                        aria-description=move || terms.get().then_some(term.text)
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
