//! What each column holds: the guess from its name, checked against its values, and one column a
//! target.

use crate::dataset::Role;
use crate::import::alias::Guess;
use crate::import::cell;
use crate::import::target::Target;
use crate::import::values::Probe;

/// The guess from the name, checked against the values.
pub(super) fn judged(name: &str, guess: Guess, probe: &Probe) -> (Guess, String) {
    let by_name = |g: Guess| {
        let why = if g.target == Target::Extra {
            "the name says nothing known"
        } else {
            "by its name"
        };
        (g, why.to_owned())
    };
    let by_value = |target, strength, why: &str| (Guess { target, strength }, why.to_owned());
    let lower = name.trim().to_lowercase();
    // One letter for an operand: what it holds decides.
    if matches!(lower.as_str(), "a" | "b" | "c" | "d") && probe.filled > 0 {
        if probe.all_transposes() && matches!(lower.as_str(), "a" | "b") {
            let target = if lower == "a" {
                Target::TransA
            } else {
                Target::TransB
            };
            return by_value(target, 90, "its values are N and T");
        }
        if probe.any_dtype {
            let target = match lower.as_str() {
                "a" => Target::DtypeA,
                "b" => Target::DtypeB,
                "c" => Target::DtypeC,
                _ => Target::DtypeC,
            };
            let strength = if lower == "d" { 91 } else { 90 };
            return by_value(target, strength, "its values are data types");
        }
        if lower == "b" && probe.all_numbers() {
            return by_name(guess);
        }
        return by_value(Target::Extra, 0, "its values are of no known kind");
    }
    if probe.filled == 0 {
        return by_name(guess);
    }
    match guess.target {
        Target::Dtype | Target::DtypeA | Target::DtypeB | Target::DtypeC | Target::Compute
            if !probe.any_dtype =>
        {
            by_value(Target::Extra, 0, "its values are no data types")
        }
        Target::TransA | Target::TransB if !probe.any_transpose => {
            by_value(Target::Extra, 0, "its values are no transposes")
        }
        Target::Layout if !probe.any_layout => {
            by_value(Target::Extra, 0, "its values are no layouts such as NT")
        }
        Target::Mnk if probe.triples == 0 => {
            if probe.all_numbers() && probe.whole() {
                by_value(Target::Square, guess.strength, "one size a row")
            } else {
                by_value(Target::Extra, 0, "its values are no sizes")
            }
        }
        Target::DimsA | Target::DimsB if !probe.all_operands() => by_value(
            Target::Extra,
            0,
            "its values are no shapes such as (4096, 1024)",
        ),
        Target::Tile if probe.triples == 0 && probe.pairs == 0 => {
            by_value(Target::Extra, 0, "its values are no tiles such as 128x256")
        }
        Target::Device if probe.all_numbers() => {
            by_value(Target::Extra, 0, "its values are numbers, not device names")
        }
        Target::M | Target::N | Target::K | Target::Batch | Target::Square
            if probe.numbers == 0 =>
        {
            by_value(Target::Extra, 0, "its values are no numbers")
        }
        Target::Time(_) | Target::Rate(_) if probe.numbers == 0 && probe.filled > 3 => {
            by_value(Target::Extra, 0, "its values are no numbers")
        }
        Target::Role(Role::Kernel | Role::Library | Role::Model) if probe.all_numbers() => {
            by_value(Target::Extra, 0, "its values are numbers, not names")
        }
        _ => by_name(guess),
    }
}

/// A list of whole numbers without a header: three are M, N, K; four with small ones in the third
/// place are M, N, batch, K, as such lists are written.
pub(super) fn headless_sizes(guesses: &mut [(Guess, String)], rows: &[Vec<String>]) {
    let sizes: Option<Vec<Vec<u32>>> = rows
        .iter()
        .filter(|r| r.iter().any(|c| !c.is_empty()))
        .map(|r| {
            r.iter()
                .map(|c| cell::size(c.as_bytes(), false).ok())
                .collect()
        })
        .collect();
    let Some(sizes) = sizes.filter(|s| !s.is_empty() && s.iter().all(|r| r.len() == guesses.len()))
    else {
        return;
    };
    let targets: &[Target] = match guesses.len() {
        3 => &[Target::M, Target::N, Target::K],
        4 if sizes.iter().all(|r| r[2] <= 512 && r[3] >= 8) => {
            &[Target::M, Target::N, Target::Batch, Target::K]
        }
        _ => return,
    };
    for (guess, target) in guesses.iter_mut().zip(targets) {
        *guess = (
            Guess {
                target: *target,
                strength: 60,
            },
            "by its place: the list has no header".into(),
        );
    }
}

/// `SizeI, SizeJ, SizeK, SizeL`: there K is the batch and L is summed.
pub(super) fn tensile_sizes(header: &[String], guesses: &mut [(Guess, String)]) {
    let position = |n: &str| header.iter().position(|h| h.trim().eq_ignore_ascii_case(n));
    if let (Some(_), Some(k), Some(l)) = (position("SizeI"), position("SizeK"), position("SizeL")) {
        let why = "SizeL is the summed dimension, SizeK the batch";
        for (i, target) in [(k, Target::Batch), (l, Target::K)] {
            guesses[i] = (
                Guess {
                    target,
                    strength: 90,
                },
                why.into(),
            );
        }
    }
}

/// Types and devices that only the values give away (`Datentyp`, `Karte`).
pub(super) fn by_values_alone(guesses: &mut [(Guess, String)], probes: &[Probe]) {
    let has = |guesses: &[(Guess, String)], kinds: &[Target]| {
        guesses.iter().any(|(g, _)| kinds.contains(&g.target))
    };
    let take = |guesses: &mut [(Guess, String)],
                target: Target,
                why: &str,
                fits: &dyn Fn(&Probe) -> bool| {
        let found = guesses
            .iter()
            .zip(probes)
            .position(|((g, _), p)| g.target == Target::Extra && p.filled > 0 && fits(p));
        if let Some(i) = found {
            guesses[i] = (
                Guess {
                    target,
                    strength: 30,
                },
                why.into(),
            );
        }
    };
    if !has(guesses, &[Target::Dtype, Target::DtypeA]) {
        take(guesses, Target::Dtype, "its values are data types", &|p| {
            p.all_dtypes()
        });
    }
    let sizes = [
        Target::M,
        Target::N,
        Target::K,
        Target::Mnk,
        Target::DimsA,
        Target::Square,
    ];
    if !has(guesses, &sizes) {
        let names = |g: &Guess| {
            let roles = [Role::Kernel, Role::OpName, Role::Model];
            g.target == Target::Extra || roles.iter().any(|r| g.target == Target::Role(*r))
        };
        let named = guesses
            .iter()
            .zip(probes)
            .position(|((g, _), p)| names(g) && p.all_named_shapes());
        if let Some(i) = named {
            guesses[i].0.target = Target::Mnk;
            guesses[i].1 = "its values name M, N and K".into();
        }
    }
    if !has(guesses, &[Target::Device]) {
        take(guesses, Target::Device, "its values are devices", &|p| {
            p.samples.iter().all(|s| {
                s.len() >= 3
                    && cell::number(s.as_bytes(), false).is_none()
                    && !crate::hardware::match_name(s).candidates().is_empty()
            })
        });
    }
}

/// One column a target: the strongest keeps it, the others stay as they are in the file.
pub(super) fn settle(guesses: &mut [(Guess, String)], header: &[String]) {
    let strongest = |guesses: &[(Guess, String)], kind: Target| {
        let mut best: Option<usize> = None;
        for (i, (g, _)) in guesses.iter().enumerate() {
            if g.target.kind() == kind && best.is_none_or(|b| g.strength > guesses[b].0.strength) {
                best = Some(i);
            }
        }
        best
    };
    let has = |guesses: &[(Guess, String)], kind| strongest(guesses, kind).is_some();
    let sizes = [Target::M, Target::N, Target::K];
    let three = sizes.iter().all(|&t| has(guesses, t));
    for (g, why) in guesses.iter_mut() {
        let joint = [Target::Mnk, Target::Square, Target::DimsA, Target::DimsB];
        let weak = joint.contains(&g.target) && three && g.strength < 255;
        if weak {
            g.target = Target::Extra;
            *why = "M, N and K have columns of their own".into();
        }
    }
    // A lone `n` (with a time) is the side of square matrices.
    if !has(guesses, Target::Mnk) && !has(guesses, Target::Square) {
        let lone: Vec<usize> = guesses
            .iter()
            .enumerate()
            // A lone `k` is a column of three, two of which have other names.
            .filter(|(_, (g, _))| matches!(g.target, Target::M | Target::N) && g.strength >= 95)
            .map(|(i, _)| i)
            .collect();
        if let [i] = lone[..]
            && guesses[i].0.strength < 255
            && !guesses
                .iter()
                .enumerate()
                .any(|(j, (g, _))| j != i && sizes.contains(&g.target))
        {
            guesses[i].0.target = Target::Square;
            guesses[i].1 = "the only size: square matrices".into();
        }
    }
    if !has(guesses, Target::Time(None))
        && let Some(i) = strongest(guesses, Target::TimeMin(None))
        && let Target::TimeMin(unit) = guesses[i].0.target
        && guesses[i].0.strength < 255
    {
        guesses[i].0.target = Target::Time(unit);
        guesses[i].1 = "the only time: the shortest run".into();
    }
    for i in 0..guesses.len() {
        let kind = guesses[i].0.target.kind();
        if matches!(kind, Target::Extra | Target::Ignore) {
            continue;
        }
        if let Some(winner) = strongest(guesses, kind)
            && winner != i
        {
            guesses[i].1 = format!("“{}” fits better for this", header[winner]);
            guesses[i].0.target = Target::Extra;
        }
    }
}
