//! Units of columns that state none: of a fact, by rate times time, or asked.

use super::Reader;
use crate::document::columns::Column;
use crate::document::facts::{Fact, unit_words};
use crate::document::readings::Reading;
use crate::document::title::Holds;
use crate::document::units::{Candidate, agree, candidates, proved};
use crate::document::words::{Measure, unit_word};

impl Reader<'_> {
    /// Gives a unit to each column that states none and may be a figure.
    pub(super) fn units(&mut self, ways: &[Reading]) -> Result<(), String> {
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

    /// No column states a unit.
    fn open_units(&mut self, ways: &[Reading]) -> Result<(), String> {
        let rows = self.table.rows.len();
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
            return Err(self.refusal("no unit fits its figures: is it a time or a rate?"));
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
        self.columns[time].title.factor = Some(t);
        self.columns[rate].title.factor = Some(r);
        self.notes.push(format!(
            "Rate times time is the work if “{}” is in {} and “{}” in {}.",
            self.columns[time].name,
            unit_word(Measure::Time, t),
            self.columns[rate].name,
            unit_word(Measure::Rate, r)
        ));
        true
    }

    fn note_unit(&mut self) {
        if let Some(Fact { value, line }) = self.facts.unit
            && self.columns.iter().any(|c| c.title.factor == Some(value.1))
        {
            self.notes.push(format!("The unit is {}, says line {line}.", unit_words(value)));
        }
    }

    /// A figure without a unit beside one that has it: rate times time tells it, else it is none.
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
            let fits = |f: f64| {
                let of = |c: &Column, way: &Reading| match is_time {
                    true => agree(own, f, c, c.title.factor.unwrap_or(1.0), way),
                    false => agree(c, c.title.factor.unwrap_or(1.0), own, f, way),
                };
                ways.iter().any(|way| others.iter().any(|c| of(c, way) >= 0.5))
            };
            let found = scales.iter().copied().find(|f| fits(*f));
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
}
