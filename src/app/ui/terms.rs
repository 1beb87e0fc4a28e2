//! Texts with explanations of technical terms.

use gemmscope_words::glossary::{Piece, mark};
use leptos::prelude::*;

/// A text in which technical terms have explanations on hover and focus. `known` holds the terms that the page has
/// explained already.
pub fn explained(text: &str, known: &mut Vec<&'static str>) -> AnyView {
    let pieces: Vec<AnyView> = mark(text, known)
        .into_iter()
        .map(|piece| match piece {
            Piece::Plain(text) => text.to_owned().into_any(),
            Piece::Word(word, term) => {
                let word = word.to_owned();
                view! {
                    <span class="term" tabindex="0" data-tip=term.text aria-description=term.text>{word}</span>
                }
                .into_any()
            }
        })
        .collect();
    pieces.into_any()
}
