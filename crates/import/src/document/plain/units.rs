//! Determines the units of the figures of a plain table.

use super::Plain;
use crate::document::columns::Column;
use crate::document::facts::Facts;
use crate::document::open_units::Evidence;
use crate::document::readings::{Question, Reading};
use crate::document::title::{Holds, Title};
use crate::document::unit_words::{Measure, unit_word};
use crate::document::units::{ALL, Candidate, Limits, NEAR, agree, candidates, is_too_fast};
use gemmscope_model::units::BandwidthUnit;
use gemmscope_table::dataset::Assumption;

/// Figures of a plain table with their units.
pub(super) struct Units<'a> {
    pub on: Evidence<'a>,
    ways: Vec<Reading>,
    /// Positions of the figures in use.
    pub figures: Vec<usize>,
}

impl<'a> Units<'a> {
    /// Determines the unit of each figure; adds a question if nothing states it.
    pub(super) fn of(plain: &Plain<'a>, ways: Vec<Reading>, figures: Vec<usize>) -> Self {
        let column = |(i, column): (usize, &Column)| {
            let mut column = column.clone();
            // Cells with units are parsed to SI.
            if column.cells.iter().any(|c| c.unit.is_some()) {
                column.title.factor = Some(1.0);
            }
            // Columns that are not in use say nothing about units.
            if !figures.contains(&i)
                && (column.title.is_figure() || column.title.holds == Holds::Open)
            {
                column.title.holds = Holds::Other;
            }
            column
        };
        let on = Evidence {
            rows: plain.rows.len(),
            columns: plain.columns.iter().enumerate().map(column).collect(),
            facts: Facts::default(),
            limits: Limits::of(""),
            options: plain.options,
            notes: Vec::new(),
            questions: Vec::new(),
        };
        let mut units = Units { on, ways, figures };
        units.decide();
        units
    }

    fn decide(&mut self) {
        for i in self.figures.clone() {
            self.contradicted(i);
        }
        let holds: Vec<Holds> =
            self.figures.iter().map(|i| self.on.columns[*i].title.holds).collect();
        // Figures still without a unit are asked about one by one.
        let _ = self.on.units(&self.ways);
        for (i, holds) in self.figures.clone().into_iter().zip(holds) {
            let column = &mut self.on.columns[i];
            if column.title.factor.is_none() {
                column.title.holds = holds;
                let measure = if holds == Holds::Time { Measure::Time } else { Measure::Rate };
                let (found, _) = candidates(&self.on.columns[i], self.on.limits, &self.ways[0]);
                let all = ALL.into_iter().filter(|c| c.0 == measure);
                let pool = if found.is_empty() { all.collect() } else { found };
                self.on.ask_unit(&[i], &pool);
            }
        }
    }

    /// Factor of a figure to SI.
    pub(super) fn factor(&self, column: usize) -> f64 {
        self.on.columns[column].title.factor.unwrap_or(1.0)
    }

    /// Notes and questions about the units.
    pub(super) fn said(self) -> (Vec<String>, Vec<Assumption>) {
        let Evidence { notes, questions, options, .. } = self.on;
        (notes, questions.into_iter().map(|q| q.assumption(options)).collect())
    }

    /// Handles a time whose stated unit is contradicted by the figures.
    fn contradicted(&mut self, i: usize) {
        let own = &self.on.columns[i];
        let (Some(stated), false) = (own.title.factor, own.by_hand) else { return };
        let in_cells = own.cells.iter().any(|c| c.unit.is_some());
        if own.title.holds != Holds::Time || in_cells {
            return;
        }
        let rates = self.figures.iter().map(|r| &self.on.columns[*r]);
        let rates = rates.filter(|c| c.title.holds == Holds::Rate && c.title.factor.is_some());
        let rate = rates.take(1).next();
        let proved = |f: f64| {
            rate.is_some_and(|rate| {
                let rate = (rate, rate.title.factor.unwrap_or(1.0));
                agree((own, f), rate, &self.ways[0], NEAR) > 0.5
            })
        };
        let some = rate.is_some_and(|rate| {
            let rate = (rate, rate.title.factor.unwrap_or(1.0));
            agree((own, stated), rate, &self.ways[0], NEAR) > 0.0
        });
        let times = || ALL.into_iter().filter(|c| c.0 == Measure::Time);
        let confirmed =
            times().map(|c| c.1).find(|f| *f != stated && !proved(stated) && proved(*f));
        let too_fast = !some && is_too_fast(own, stated, &self.ways[0]);
        let fitting = || {
            let bare = Title { factor: None, ..own.title.clone() };
            let bare = Column { title: bare, ..own.clone() };
            candidates(&bare, self.on.limits, &self.ways[0]).0.first().map(|c| c.1)
        };
        let (factor, why) = match (confirmed, too_fast) {
            (Some(f), true) => (f, format!("the rates in the file fit {}", word(f))),
            (Some(f), false) => (stated, format!("the rates in the file fit {}", word(f))),
            (None, true) => {
                let f = fitting().unwrap_or(1.0);
                (f, format!("no device is that fast: assuming {}", word(f)))
            }
            (None, false) => return,
        };
        let text = format!("“{}” says {}, but {why}.", own.name, word(stated));
        self.asked_again(i, factor, text, &times().collect::<Vec<_>>());
    }

    fn asked_again(&mut self, i: usize, factor: f64, text: String, pool: &[Candidate]) {
        let key = format!("unit:{}", self.on.columns[i].name);
        let by_word = |a: &str| pool.iter().find(|c| word(c.1) == a).map(|c| c.1);
        let answer = self.on.options.answer(&key).and_then(by_word);
        let choices: Vec<&str> = pool.iter().map(|c| word(c.1)).collect();
        self.on.questions.push(Question::new(&key, text, word(factor), &choices));
        self.on.columns[i].title.factor = Some(answer.unwrap_or(factor));
    }

    /// The unit of a bandwidth column for which bandwidth times time is nearest to the bytes moved.
    pub(super) fn bandwidth_unit(&self, column: usize, time: Option<usize>) -> BandwidthUnit {
        let fallback = BandwidthUnit::Gigabytes;
        let Some(time) = time else { return fallback };
        let ratio = |r: usize| {
            let (value, time) = (self.on.columns[column].value(r)?, self.on.columns[time].si(r)?);
            let ratio = self.ways[0].bytes(r)? / time / value;
            (ratio > 0.0 && ratio.is_finite()).then(|| ratio.log10())
        };
        let mut ratios: Vec<f64> = (0..self.on.rows).filter_map(ratio).collect();
        ratios.sort_by(f64::total_cmp);
        match ratios.get(ratios.len() / 2) {
            None => fallback,
            Some(x) if *x > 10.5 => BandwidthUnit::Terabytes,
            Some(x) if *x > 7.5 => BandwidthUnit::Gigabytes,
            Some(x) if *x > 4.5 => BandwidthUnit::Megabytes,
            _ => BandwidthUnit::Bytes,
        }
    }
}

fn word(factor: f64) -> &'static str {
    unit_word(Measure::Time, factor)
}
