//! What a table leaves open, and what the user answered to it.

use super::Reader;
use crate::document::evidence::{CALLS, Side};
use crate::document::readings::{ORDER, Question, Reading, SIZES, SQUARE};
use crate::document::sizes::{Stated, stated};
use crate::document::title::Holds;
use crate::document::units::Candidate;
use crate::document::words::{Measure, unit_word};
use gemmscope_model::units::{RateUnit, TimeUnit};

impl Reader<'_> {
    /// Takes the first of these units, or the one that was answered; asks, where no fact states it.
    pub(super) fn ask_unit(&mut self, columns: &[usize], pool: &[Candidate]) {
        let Some(&(mut measure, mut factor)) = pool.first() else { return };
        let name = columns.first().map_or("", |i| &self.columns[*i].name).to_owned();
        let key = format!("unit:{name}");
        let answer = self.options.answer(&key).or_else(|| self.options.answer("unit"));
        let by_fact = self.facts.unit.as_ref().is_some_and(|f| pool == [f.value]);
        let chosen = answer.and_then(|a| {
            let time = TimeUnit::parse(a).map(|u| (Measure::Time, u.to_si()));
            time.or_else(|| RateUnit::parse(a).map(|u| (Measure::Rate, u.to_si())))
        });
        if let Some((m, f)) = chosen {
            (measure, factor) = (m, f);
        }
        let holds = if measure == Measure::Time { Holds::Time } else { Holds::Rate };
        for &i in columns {
            self.columns[i].title.holds = holds;
            self.columns[i].title.factor = Some(factor);
        }
        if by_fact {
            return;
        }
        let word = unit_word(measure, factor);
        let why =
            if chosen.is_some() { format!("{word} as chosen") } else { format!("assuming {word}") };
        let text = format!("No unit on “{name}”: {why}{}.", self.first_row(columns, pool));
        let choices: Vec<&str> = pool.iter().map(|(m, f)| unit_word(*m, *f)).collect();
        self.questions.push(Question::new(&key, text, word, &choices));
    }

    /// What the first row would be under each unit.
    fn first_row(&self, columns: &[usize], pool: &[Candidate]) -> String {
        let value =
            columns.first().and_then(|i| self.columns[*i].cells.iter().find_map(|c| c.value));
        let Some(value) = value.filter(|_| pool.len() > 1) else { return String::new() };
        let all: Vec<String> =
            pool.iter().take(4).map(|(m, f)| format!("{value} {}", unit_word(*m, *f))).collect();
        format!(" (the first figure would be {})", all.join(" or "))
    }

    /// Sizes that the user states in place of assumed ones: `N: 4096, K: 8192`.
    pub(super) fn answered_sizes(&mut self, mut ways: Vec<Reading>) -> Vec<Reading> {
        for way in &mut ways {
            let Some(question) = &mut way.question else { continue };
            let key = question.key.clone();
            let asks = [SQUARE, SIZES].contains(&key.as_str());
            let Some(answer) = self.options.answer(&key).filter(|_| asks) else { continue };
            let Stated { m, n, k, .. } = stated(answer);
            for (place, value) in [m, n, k].into_iter().enumerate() {
                let Some(value) = value else { continue };
                way.sizes.iter_mut().flatten().for_each(|size| size[place] = value);
            }
            if [m, n, k].iter().any(Option::is_some) {
                question.text = format!("Sizes as chosen: {answer}.");
            } else if answer != question.value {
                self.not_understood(&key, answer, "`N: 4096, K: 8192`");
            }
        }
        ways
    }

    /// The order of three sizes in one cell.
    pub(super) fn answered_order(&self, way: &mut Reading) {
        let Some(order) = self.options.answer(ORDER) else { return };
        let letters: Vec<char> =
            order.to_lowercase().chars().filter(|c| "mnk".contains(*c)).collect();
        let at = |l: char| letters.iter().position(|c| *c == l);
        if let (Some(m), Some(n), Some(k)) = (at('m'), at('n'), at('k'))
            && self.questions.iter().any(|q| q.key == ORDER)
        {
            for size in way.sizes.iter_mut().flatten() {
                *size = [size[m], size[n], size[k], size[3]];
            }
        }
    }

    /// How many calls a time is of.
    pub(super) fn answered_calls(&mut self, sides: &mut [Side]) {
        let Some(question) = self.questions.iter_mut().find(|q| q.key == CALLS) else { return };
        let Some(answer) = self.options.answer(CALLS) else { return };
        match answer.parse::<u32>() {
            Ok(count) if count > 0 => {
                question.text = format!("Each time is of {count} calls or products, as chosen.");
                let all = sides.iter_mut().flat_map(|s| &mut s.calls);
                all.for_each(|calls| *calls *= f64::from(count));
            }
            _ => self.not_understood(CALLS, answer, "a whole number from 1"),
        }
    }

    fn not_understood(&mut self, key: &str, answer: &str, expected: &str) {
        self.notes.push(format!(
            "The answer “{answer}” to “{key}” is not understood and changes nothing: expected {expected}."
        ));
    }
}
