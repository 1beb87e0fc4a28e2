//! What stands above and below a table and applies to all its rows; the nearest place that states a fact wins.

use super::block::Block;
use super::facts::{Facts, stated_by};
use super::lines::said;
use std::cell::OnceCell;
use std::collections::HashSet;

/// Search range in blocks: above the table, and from the start of the text.
const REACH: usize = 2_000;
/// Maximum number of blocks searched.
const MOST: usize = 400;

/// The blocks of a text, with the facts that each of them states: a block is read once for all tables around it.
pub(super) struct Surroundings<'a> {
    pub blocks: &'a [Block],
    /// For each block, the headings above it, outermost first; a heading is the last of its own.
    paths: Vec<Vec<usize>>,
    /// Innermost headings of the tables with measurements.
    measured: HashSet<usize>,
    places: Vec<Place>,
}

/// What was found in a block, once some table asked.
#[derive(Clone, Default)]
struct Place {
    facts: OnceCell<Facts>,
    /// True for a line of a log that holds a measurement itself.
    is_measured: OnceCell<bool>,
}

impl<'a> Surroundings<'a> {
    pub(super) fn of(blocks: &'a [Block]) -> Surroundings<'a> {
        let paths = paths(blocks);
        let measuring = blocks.iter().zip(&paths).take(REACH).filter(|(b, _)| b.measures());
        let measured = measuring.filter_map(|(_, path)| path.last().copied()).collect();
        Surroundings { blocks, paths, measured, places: vec![Place::default(); blocks.len()] }
    }

    /// Facts about the table at this index.
    pub(super) fn facts(&self, at: usize) -> Facts {
        let is_log = self.blocks[at].table().is_some_and(|t| t.is_log);
        let mut out = Facts::default();
        for i in self.around(at) {
            let (block, place) = (&self.blocks[i], &self.places[i]);
            let measured = || said(&block.said()).is_measured();
            if is_log && *place.is_measured.get_or_init(measured) {
                continue;
            }
            // Lines of a log name their own sizes.
            out.add(place.facts.get_or_init(|| stated_by(block)), !is_log);
        }
        out
    }

    /// Blocks that may state facts about a table, nearest first: its own section above and below, the sections that
    /// enclose it, then sections without measurements of their own.
    fn around(&self, at: usize) -> Vec<usize> {
        let (blocks, paths) = (self.blocks, &self.paths);
        let mine = &paths[at];
        let own = |i: usize| mine.starts_with(&paths[i]);
        let speaks = |i: &usize| !blocks[*i].measures();
        let start = at.saturating_sub(REACH);
        let above: Vec<usize> = (start..at).rev().filter(|i| own(*i)).filter(speaks).collect();
        let (near, far): (Vec<usize>, Vec<usize>) = above.iter().partition(|i| paths[**i] == *mine);
        let ends = |b: &Block| b.table().is_some() || b.level().is_some();
        let below: Vec<usize> =
            (at + 1..blocks.len()).take_while(|i| !ends(&blocks[*i])).take(8).collect();
        let lends = |i: &usize| {
            *i != at
                && !own(*i)
                && speaks(i)
                && !below.contains(i)
                && !paths[*i].iter().any(|h| self.measured.contains(h))
        };
        let lent = (0..blocks.len().min(REACH)).filter(lends);
        let (nearest, further) = near.split_at(near.len().min(3));
        let all = nearest.iter().chain(&below).chain(further).chain(&far).copied();
        all.chain(lent).take(MOST).collect()
    }
}

fn paths(blocks: &[Block]) -> Vec<Vec<usize>> {
    let mut stack: Vec<usize> = Vec::new();
    let mut out = Vec::with_capacity(blocks.len());
    for (i, block) in blocks.iter().enumerate() {
        if let Some(level) = block.level() {
            stack.retain(|h| blocks[*h].level().is_some_and(|l| l < level));
            stack.push(i);
        }
        out.push(stack.clone());
    }
    out
}
