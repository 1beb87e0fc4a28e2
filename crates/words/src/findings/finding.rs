//! A finding with its texts, as displayed and as in JSON.

use super::rules;
use gemmscope_analysis::findings::{Category, FindingFacts, Kind, Severity, SignCount};
use gemmscope_analysis::ledger::Evidence as Basis;
use gemmscope_model::units::{decapitalized, seconds_brief};
use serde::ser::{Serialize, Serializer};
use std::ops::Deref;

/// A finding in words.
#[derive(Clone, Debug, PartialEq)]
pub struct Finding {
    /// Its facts.
    pub facts: FindingFacts,
    /// Title, one line.
    pub title: String,
    /// Description, one or two sentences.
    pub text: String,
    /// The formula with its numbers.
    pub formula: String,
    /// Advice on the algorithm or the model: fusion, batching, quantisation.
    pub path_a: String,
    /// Advice on the kernel: tuning, tile, replay.
    pub path_b: String,
    /// What a profile must show to prove the cause.
    pub profile: String,
}

impl Deref for Finding {
    type Target = FindingFacts;
    fn deref(&self) -> &FindingFacts {
        &self.facts
    }
}

impl Serialize for Finding {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        #[derive(serde::Serialize)]
        struct Evidence<'f> {
            rows: &'f [u32],
            formula: &'f str,
        }
        #[derive(serde::Serialize)]
        struct Line<'f> {
            rule: &'f str,
            kind: Kind,
            side: &'f str,
            device: &'f str,
            title: &'f str,
            text: &'f str,
            severity: Severity,
            basis: Basis,
            category: Category,
            evidence: Evidence<'f>,
            time_s: f64,
            share: f64,
            efficiency: Option<f64>,
            split_s: Option<f64>,
            alone_s: Option<f64>,
            groups: u64,
            whole_s: f64,
            signs: &'f [SignCount],
            path_a: &'f str,
            path_b: &'f str,
            profile: &'f str,
        }
        let facts = &self.facts;
        let line = Line {
            rule: &facts.rule,
            kind: facts.kind,
            side: &facts.side,
            device: &facts.device,
            title: &self.title,
            text: &self.text,
            severity: facts.severity,
            basis: facts.basis,
            category: facts.category,
            evidence: Evidence { rows: &facts.evidence.rows, formula: &self.formula },
            time_s: facts.time_s,
            share: facts.share,
            efficiency: facts.efficiency,
            split_s: facts.split_s,
            alone_s: facts.alone_s,
            groups: facts.groups,
            whole_s: facts.whole_s,
            signs: &facts.signs,
            path_a: &self.path_a,
            path_b: &self.path_b,
            profile: &self.profile,
        };
        line.serialize(to)
    }
}

impl Finding {
    /// Its saving: `saves 7.74 ms alone`; `saves at most 13.5 ms alone` if no run shows that; for an idea `at the roof
    /// 2.00 ms less`. `None` for a question.
    pub fn saves(&self) -> Option<String> {
        let seconds = seconds_brief(self.alone_s?);
        Some(match self.kind {
            Kind::Lost if self.basis.is_bound() => format!("saves at most {seconds} alone"),
            Kind::Lost => format!("saves {seconds} alone"),
            _ => format!("at the roof {seconds} less"),
        })
    }

    /// Its saving and the basis of it: `saves 7.74 ms alone, measured`. `None` for a question.
    pub fn saved(&self) -> Option<String> {
        let saves = self.saves()?;
        Some(match (self.kind, self.basis) {
            // "At most" already states the basis.
            (Kind::Lost, Basis::AtMost) => saves,
            (Kind::Lost, basis) => format!("{saves}, {}", basis.label()),
            _ => saves,
        })
    }

    /// Its saving alone and its share in the ledger: `saves 7.74 ms alone, measured; split 1.66 ms`. `None` for a
    /// question.
    pub fn worth(&self) -> Option<String> {
        let saved = self.saved()?;
        Some(match self.split_s {
            Some(split_s) => format!("{saved}; split {}", seconds_brief(split_s)),
            None => saved,
        })
    }

    /// First advice: on the model if the cause lies there, else on the kernel.
    pub fn path(&self) -> &str {
        match self.category {
            _ if self.path_a.starts_with("Nothing") => &self.path_b,
            Category::Launches
            | Category::Precision
            | Category::Layout
            | Category::Library
            | Category::Timeline
            | Category::Data => &self.path_a,
            _ => &self.path_b,
        }
    }

    /// Its title for use inside a sentence, in lower case unless it starts with a name.
    pub(crate) fn inside(&self) -> String {
        match self.rule == rules::LIBRARY.id && !self.title.starts_with("Another") {
            true => self.title.clone(),
            false => decapitalized(&self.title),
        }
    }

    /// Its title, with its side and device.
    pub fn heading(&self) -> String {
        self.named(&self.title)
    }

    /// A text with the finding's side and device.
    pub fn named(&self, text: &str) -> String {
        match self.of.as_str() {
            of if text.starts_with(of) => text.to_owned(),
            of => format!("{of}: {text}"),
        }
    }
}
