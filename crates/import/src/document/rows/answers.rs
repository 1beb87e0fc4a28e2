//! Applies the user's answers to open questions about a table.

use super::Reader;
use crate::columns::defaults::assumption;
use crate::document::evidence::CALLS;
use crate::document::readings::{ORDER, Reading, SIZES, SQUARE};
use crate::document::sizes::{Stated, stated};
use gemmscope_table::dataset::Assumption;

impl Reader<'_> {
    /// Replaces assumed sizes by those that the user stated: `N: 4096, K: 8192`.
    pub(super) fn answered_sizes(&mut self, mut ways: Vec<Reading>) -> Vec<Reading> {
        for way in &mut ways {
            let Some(question) = &mut way.question else { continue };
            let key = question.key.clone();
            let asks = [SQUARE, SIZES].contains(&key.as_str());
            let Some(answer) = self.on.options.answer(&key).filter(|_| asks) else { continue };
            let Stated { m, n, k, .. } = stated(answer);
            for (place, value) in [m, n, k].into_iter().enumerate() {
                let Some(value) = value else { continue };
                way.sizes.iter_mut().flatten().for_each(|size| size[place] = value);
            }
            if [m, n, k].iter().any(Option::is_some) {
                question.text = sizes_as_chosen(answer);
            } else if answer != question.value {
                self.on.notes.push(not_understood(&key, answer, SIZES_AS));
            }
        }
        ways
    }

    /// Applies the stated order of three sizes in one cell.
    pub(super) fn answered_order(&self, way: &mut Reading) {
        let Some(order) = self.on.options.answer(ORDER) else { return };
        let letters: Vec<char> =
            order.to_lowercase().chars().filter(|c| "mnk".contains(*c)).collect();
        let at = |l: char| letters.iter().position(|c| *c == l);
        if let (Some(m), Some(n), Some(k)) = (at('m'), at('n'), at('k'))
            && self.on.questions.iter().any(|q| q.key == ORDER)
        {
            for size in way.sizes.iter_mut().flatten() {
                *size = [size[m], size[n], size[k], size[3]];
            }
        }
    }

    /// Rewords the question on the number of calls after an answer.
    pub(super) fn answered_calls(&mut self) {
        let Some(question) = self.on.questions.iter_mut().find(|q| q.key == CALLS) else { return };
        let Some(answer) = self.on.options.answer(CALLS) else { return };
        match self.on.options.calls() {
            // The times are divided already.
            Some(count) => question.text = calls_as_chosen(count),
            None => {
                let why = not_understood(CALLS, answer, "a whole number from 1");
                self.on.notes.push(why);
            }
        }
    }
}

/// Expected form of an answer about sizes.
pub(in crate::document) const SIZES_AS: &str = "`N: 4096, K: 8192`";

pub(in crate::document) fn calls_as_chosen(count: u32) -> String {
    format!("Each time is of {count} calls or products, as chosen.")
}

pub(in crate::document) fn sizes_as_chosen(answer: &str) -> String {
    format!("Sizes as chosen: {answer}.")
}

/// The answer to `key` as an assumption that can be changed on the file's card.
pub(in crate::document) fn by_hand(key: &'static str, text: String, answer: &str) -> Assumption {
    Assumption { by_hand: true, ..assumption(key, text, answer, &[]) }
}

pub(in crate::document) fn not_understood(key: &str, answer: &str, expected: &str) -> String {
    format!(
        "The answer “{answer}” to “{key}” is not understood and changes nothing: expected {expected}."
    )
}
