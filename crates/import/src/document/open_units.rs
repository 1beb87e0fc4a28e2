//! Determines missing units of columns: from a fact, by rate times time, or by asking the user.

use super::columns::Column;
use super::facts::{Fact, Facts, unit_words};
use super::readings::{Question, Reading};
use super::title::Holds;
use super::unit_words::{Measure, unit_word};
use super::units::{ALL, Candidate, EXACT, Limits, NEAR, agree, candidates, proved};
use crate::ImportOptions;
use gemmscope_model::units::{RateUnit, TimeUnit};

/// The columns of a table with the evidence about them, and the decisions made.
pub(super) struct Evidence<'a> {
    pub columns: Vec<Column>,
    pub facts: Facts,
    pub limits: Limits,
    pub options: &'a ImportOptions,
    /// Number of rows.
    pub rows: usize,
    /// Notes on decisions that need no question.
    pub notes: Vec<String>,
    pub questions: Vec<Question>,
}

impl Evidence<'_> {
    /// Sets the unit of each column that states none and may be a figure. `Err` with the reason if that is impossible.
    pub(super) fn units(&mut self, ways: &[Reading]) -> Result<(), &'static str> {
        let stated = self.columns.iter().any(|c| c.title.is_figure() && c.title.factor.is_some());
        if !stated {
            self.open_units(ways)?;
        }
        self.units_beside(ways);
        for column in &mut self.columns {
            if column.title.holds == Holds::Open {
                column.title.holds = Holds::Other;
            }
        }
        Ok(())
    }

    /// Handles tables in which no column states a unit.
    fn open_units(&mut self, ways: &[Reading]) -> Result<(), &'static str> {
        let rows = self.rows;
        let filled = |c: &Column| {
            c.numbers() * 2 >= rows && c.cells.iter().any(|c| c.value.is_some_and(|v| v > 0.0))
        };
        let worded: Vec<usize> = (0..self.columns.len())
            .filter(|i| self.columns[*i].title.is_figure() && filled(&self.columns[*i]))
            .collect();
        let open: Vec<usize> = (0..self.columns.len())
            .filter(|i| self.columns[*i].title.holds == Holds::Open && filled(&self.columns[*i]))
            .collect();
        let found = if worded.is_empty() { open } else { worded };
        if self.is_proved(&found, ways) {
            return Ok(());
        }
        let mut pools: Vec<(Holds, Vec<Candidate>)> = Vec::new();
        for &i in &found {
            let column = &self.columns[i];
            let fact = self.facts.unit.as_ref().filter(|f| match column.title.holds {
                Holds::Time => f.value.0 == Measure::Time,
                Holds::Rate => f.value.0 == Measure::Rate,
                _ => true,
            });
            let (some, why) = match fact {
                Some(fact) => (vec![fact.value], String::new()),
                None => candidates(column, self.limits, &ways[0]),
            };
            if !why.is_empty() {
                self.notes.push(format!("“{}” is {why}.", column.name));
            }
            let holds = column.title.holds;
            match pools.iter_mut().find(|(h, _)| *h == holds) {
                Some((_, pool)) => {
                    let both: Vec<Candidate> =
                        pool.iter().copied().filter(|c| some.contains(c)).collect();
                    *pool = if both.is_empty() { some } else { both };
                }
                None => pools.push((holds, some)),
            }
        }
        if pools.iter().any(|(_, pool)| pool.is_empty()) {
            return Err("no unit fits its figures: is it a time or a rate?");
        }
        for (holds, pool) in pools {
            let names: Vec<usize> =
                found.iter().copied().filter(|i| self.columns[*i].title.holds == holds).collect();
            self.ask_unit(&names, &pool);
        }
        self.note_unit();
        Ok(())
    }

    fn is_proved(&mut self, found: &[usize], ways: &[Reading]) -> bool {
        let of = |holds| found.iter().copied().find(|i| self.columns[*i].title.holds == holds);
        let (Some(time), Some(rate)) = (of(Holds::Time), of(Holds::Rate)) else { return false };
        let pair = proved(&self.columns[time], &self.columns[rate], ways);
        let Some((t, r)) = pair else { return false };
        // Rate times time fixes the product of both units; a longer time must have a lower rate.
        let product = t * r;
        let pairs: Vec<(f64, f64)> = ALL
            .into_iter()
            .filter(|c| c.0 == Measure::Time)
            .filter_map(|(_, t)| {
                let fits = |c: &Candidate| (c.1 * t / product - 1.0).abs() < 1e-9;
                let rate = ALL.into_iter().filter(|c| c.0 == Measure::Rate).find(fits)?;
                Some((t, rate.1))
            })
            .collect();
        let answered = |i: usize, of: fn(&(f64, f64)) -> f64, measure| {
            let answer = self.options.answer(&format!("unit:{}", self.columns[i].name));
            let answer = answer.or_else(|| self.options.answer("unit"))?;
            pairs.iter().find(|pair| unit_word(measure, of(pair)) == answer).copied()
        };
        let by_hand = answered(time, |p| p.0, Measure::Time)
            .or_else(|| answered(rate, |p| p.1, Measure::Rate));
        let (t, r) = by_hand.unwrap_or((t, r));
        self.columns[time].title.factor = Some(t);
        self.columns[rate].title.factor = Some(r);
        let words = [unit_word(Measure::Time, t), unit_word(Measure::Rate, r)];
        self.notes.push(format!(
            "Rate times time is the work if “{}” is in {} and “{}” in {}.",
            self.columns[time].name, words[0], self.columns[rate].name, words[1]
        ));
        if pairs.len() > 1 {
            let times = pairs.iter().map(|p| unit_word(Measure::Time, p.0)).collect();
            let rates = pairs.iter().map(|p| unit_word(Measure::Rate, p.1)).collect();
            let both: [(usize, &str, Vec<&str>); 2] =
                [(time, words[0], times), (rate, words[1], rates)];
            for (i, word, choices) in both {
                let name = &self.columns[i].name;
                let text = format!("No unit on “{name}”: {word} by rate times time.");
                self.questions.push(Question::new(&format!("unit:{name}"), text, word, &choices));
            }
        }
        true
    }

    fn note_unit(&mut self) {
        if let Some(Fact { value, line }) = self.facts.unit
            && self.columns.iter().any(|c| c.title.factor == Some(value.1))
        {
            self.notes.push(format!("The unit is {}, says line {line}.", unit_words(value)));
        }
    }

    /// Handles figures without a unit next to one that states its unit: rate times time gives the missing one. Without
    /// a match the column is not a figure.
    fn units_beside(&mut self, ways: &[Reading]) {
        for i in 0..self.columns.len() {
            if !self.columns[i].title.is_figure() || self.columns[i].title.factor.is_some() {
                continue;
            }
            let is_time = self.columns[i].title.holds == Holds::Time;
            let scales: &[f64] =
                if is_time { &[1e-9, 1e-6, 1e-3, 1.0] } else { &[1.0, 1e6, 1e9, 1e12] };
            let others: Vec<&Column> = self
                .columns
                .iter()
                .filter(|c| c.title.is_figure() && c.title.factor.is_some())
                .filter(|c| (c.title.holds == Holds::Time) != is_time)
                .collect();
            let own = &self.columns[i];
            let fits = |f: f64, slack: f64| {
                let of = |c: &Column, way: &Reading| {
                    let (own, other) = ((own, f), (c, c.title.factor.unwrap_or(1.0)));
                    let (time, rate) = if is_time { (own, other) } else { (other, own) };
                    agree(time, rate, way, slack) >= 0.5
                };
                ways.iter().any(|way| others.iter().any(|c| of(c, way)))
            };
            let by = |slack: f64| scales.iter().copied().find(|f| fits(*f, slack));
            let found = by(EXACT).or_else(|| by(NEAR));
            let measure = if is_time { Measure::Time } else { Measure::Rate };
            match found {
                Some(f) => {
                    let note = format!(
                        "“{}” is in {}: rate times time is the work.",
                        own.name,
                        unit_word(measure, f)
                    );
                    self.columns[i].title.factor = Some(f);
                    self.notes.push(note);
                }
                None => self.columns[i].title.holds = Holds::Other,
            }
        }
    }

    /// Sets the answered unit, or the first of `pool`. Adds a question unless a fact states the unit.
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
        // Likely units first, then all others.
        let measures: Vec<Measure> = pool.iter().map(|c| c.0).collect();
        let others = ALL.iter().filter(|c| measures.contains(&c.0) && !pool.contains(c));
        let choices: Vec<&str> =
            pool.iter().chain(others).map(|(m, f)| unit_word(*m, *f)).collect();
        self.questions.push(Question::new(&key, text, word, &choices));
    }

    /// Preview for the question: the first row under each unit.
    fn first_row(&self, columns: &[usize], pool: &[Candidate]) -> String {
        let value =
            columns.first().and_then(|i| self.columns[*i].cells.iter().find_map(|c| c.value));
        let Some(value) = value.filter(|_| pool.len() > 1) else { return String::new() };
        let all: Vec<String> =
            pool.iter().take(4).map(|(m, f)| format!("{value} {}", unit_word(*m, *f))).collect();
        format!(" (the first figure would be {})", all.join(" or "))
    }
}
