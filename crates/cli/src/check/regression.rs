//! Compares rows with those of a baseline.

use super::{Missing, Regression, Slower};
use crate::load::{Loaded, as_one, shown};
use crate::messages::Messages;
use gemmscope_analysis::compare::duel::{Duel, DuelVerdict, Measure};
use gemmscope_analysis::compare::{Comparison, Setup};
use gemmscope_table::field::Field;
use gemmscope_table::view_state::ViewState;
use gemmscope_words::compare::join;

/// Compares GEMM by GEMM; returns the slower and the missing ones.
pub(super) fn against(
    new: Loaded,
    old_name: &str,
    old: Loaded,
    state: &ViewState,
    most: f64,
) -> std::io::Result<(Regression, Missing)> {
    let sides = ["baseline".to_owned(), "now".to_owned()];
    let mut data = as_one(old.data, &sides[0]);
    data.append(as_one(new.data, &sides[1]));
    let custom: Vec<_> = old.custom.into_iter().chain(new.custom).collect();
    // The same filters again: those over the limit were reported already.
    let mut nobody = std::io::sink();
    let frame = shown(data, state, &custom, &mut Messages::new(&mut nobody, false, None))?;
    let setup = Setup {
        side: Field::Source,
        keys: Setup::default_keys(&frame, &Field::Source),
        sides: sides.to_vec(),
        published: false,
    };
    let comparison = Comparison::new(&frame, &setup);
    // Slower by x means a rate of 1 / (1 + x), and the threshold applies to the ratio of rates.
    let duel = Duel::new(&frame, &comparison, (0, 1), Measure::Rate, most);
    let measured = |c: &usize, side| comparison.sample(*c, side).is_some();
    let before = (0..comparison.len()).filter(|c| measured(c, 0));
    let gone = before.clone().filter(|c| !measured(c, 1));
    let gemms: Vec<String> = gone.map(|c| comparison.label(&frame, c)).collect();
    let missing = Missing {
        baseline: old_name.to_owned(),
        held: (!duel.ratios.is_empty()).then_some(gemms.is_empty()),
        gone: gemms.len(),
        of: before.count(),
        gemms,
        allowed: false,
    };
    let found = Regression {
        baseline: old_name.to_owned(),
        most,
        compared: duel.ratios.len(),
        matched: join(&comparison),
        ..Regression::default()
    };
    if duel.ratios.is_empty() {
        let why = format!("{old_name} and the files share no GEMM. {}", found.matched);
        return Ok((Regression { why: Some(why), ..found }, missing));
    }
    let ranked = duel.ranked().into_iter().map(|i| duel.ratios[i]);
    let rows: Vec<Slower> = ranked
        .filter(|r| r.verdict == DuelVerdict::A)
        .map(|r| {
            let c = r.configuration as usize;
            let time = |side| comparison.sample(c, side).map_or(f64::NAN, |s| s.time_s);
            Slower {
                gemm: comparison.label(&frame, c),
                longer: 1.0 / r.ratio - 1.0,
                before_s: time(0),
                now_s: time(1),
            }
        })
        .collect();
    let noise = duel.ratios.iter();
    let noise = noise.filter(|r| r.verdict == DuelVerdict::Noise && r.ratio < 1.0);
    let held = Some(rows.is_empty());
    Ok((Regression { held, within_spread: noise.count(), rows, ..found }, missing))
}
