//! Decides what each column holds: the guess from its name, checked against its values, with at
//! most one column per meaning.

use crate::cell;
use crate::cell::values::Probe;
use crate::columns::mapping::{Double, Mapping};
use crate::document::title::title;
use gemmscope_table::dataset::ColumnMeaning::{self, *};
use gemmscope_table::dataset::ColumnSpec;

/// What a column probably holds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Guess {
    pub spec: ColumnSpec,
    /// 0 to 100: of several columns with one meaning the strongest takes it.
    pub strength: u8,
}

impl Guess {
    pub(crate) fn new<S: Into<ColumnSpec>>(spec: S, strength: u8) -> Self {
        Guess { spec: spec.into(), strength }
    }

    /// By the title alone.
    pub(crate) fn of(name: &str) -> Self {
        let title = title(name);
        Guess { spec: title.spec, strength: title.strength }
    }
}

/// Suggests columns for what is missing, by their values: whole numbers in the order of the file for
/// M, N and K, the last other column of numbers for the time. Suggests no sizes where it has not
/// enough columns for all that are missing.
pub(crate) fn suggest(mapping: &mut Mapping, probes: &[Probe]) {
    let free: Vec<usize> = (0..mapping.columns.len())
        .filter(|&i| {
            let column = &mapping.columns[i];
            column.guess.meaning == Other && column.why != BY_HAND && probes[i].all_numbers()
        })
        .collect();
    let sizes = [M, N, K];
    let wanted: Vec<ColumnMeaning> = match mapping.has_sizes() {
        true => Vec::new(),
        false => {
            let lacks = |m: &ColumnMeaning| mapping.position(*m).is_none();
            sizes.into_iter().filter(lacks).collect()
        }
    };
    let whole: Vec<usize> = free.iter().copied().filter(|&i| probes[i].counts()).collect();
    let mut taken = Vec::new();
    if whole.len() >= wanted.len() {
        for (meaning, at) in wanted.into_iter().zip(whole) {
            mapping.columns[at].suggestion = Some(meaning.into());
            taken.push(at);
        }
    }
    if !mapping.has_measurement()
        && let Some(&at) = free.iter().rev().find(|at| !taken.contains(at))
    {
        mapping.columns[at].suggestion = Some(Time.into());
    }
}

/// Why a column of types is none: its values may be names that tell them, such as `MKL_fp32`.
pub(crate) const NOT_TYPES: &str = "its values are not data types";

/// Why a column is the side of square matrices.
const ONLY_SIZE: &str = "the only size: square matrices";

/// Why a column of a one-letter title is one of types.
const TYPES: &str = "its values are data types";

/// Why a column holds what the user said.
pub(crate) const BY_HAND: &str = "chosen by hand";

/// The guess from the name, checked against the values.
pub(crate) fn judged(name: &str, guess: Guess, probe: &Probe) -> (Guess, String) {
    let judged = match probe.filled {
        0 => None,
        _ => of_letter(name, probe).unwrap_or_else(|| contradicted(guess, probe)),
    };
    judged.unwrap_or_else(|| {
        let by_name = match guess.spec.meaning {
            Other => "name not recognised",
            _ => "by its name",
        };
        (guess, by_name.to_owned())
    })
}

/// What a column holds, and why.
type Judged = Option<(Guess, String)>;

/// A title of one letter, `A` to `D`: its values decide, but for a `B` of numbers. `None` for other titles.
fn of_letter(name: &str, probe: &Probe) -> Option<Judged> {
    let lower = name.trim().to_lowercase();
    let [letter @ b'a'..=b'd'] = lower.as_bytes() else { return None };
    let by_value = |meaning: ColumnMeaning, strength, why: &str| {
        Some(Some((Guess::new::<ColumnMeaning>(meaning, strength), why.to_owned())))
    };
    match letter {
        b'a' if probe.all_transposes() => by_value(TransA, 90, "its values are N and T"),
        b'b' if probe.all_transposes() => by_value(TransB, 90, "its values are N and T"),
        b'a' if probe.any_dtype => by_value(DtypeA, 90, TYPES),
        b'b' if probe.any_dtype => by_value(DtypeB, 90, TYPES),
        b'c' if probe.any_dtype => by_value(DtypeC, 90, TYPES),
        _ if probe.any_dtype => by_value(DtypeC, 91, TYPES),
        b'b' if probe.all_numbers() => Some(None),
        _ => by_value(Other, 0, "its values are not recognised"),
    }
}

/// What the values say against the guess from the name.
fn contradicted(guess: Guess, probe: &Probe) -> Judged {
    let numbers = probe.all_numbers();
    let wrong = match guess.spec.meaning {
        Dtype | DtypeA | DtypeB | DtypeC | Compute => !probe.any_dtype,
        TransA | TransB => !probe.any_transpose,
        Layout => !probe.any_layout,
        Mnk if probe.triples == 0 && numbers && probe.whole() => {
            return Some((Guess::new(Square, guess.strength), ONLY_SIZE.to_owned()));
        }
        Mnk => probe.triples == 0,
        ShapeA | ShapeB => !probe.all_operands(),
        Tile => probe.triples == 0 && probe.pairs == 0,
        Status => guess.strength < 60 && numbers,
        Device | Kernel | Library | Model => numbers,
        M | N | K | Batch | Square => probe.numbers == 0,
        Time | ReportedRate => probe.numbers + probe.quantities == 0 && probe.filled > 3,
        _ => false,
    };
    wrong.then(|| {
        let why = match guess.spec.meaning {
            Dtype | DtypeA | DtypeB | DtypeC | Compute => NOT_TYPES.to_owned(),
            _ => format!("its values do not fit “{}”", guess.spec.label()),
        };
        (Guess::new(Other, 0), why)
    })
}

/// Names the columns of a list of whole numbers without a header: three are M, N, K; four with
/// small numbers in the third place are M, N, batch, K, the usual order of such lists.
pub(crate) fn headless_sizes(guesses: &mut [(Guess, String)], rows: &[Vec<String>]) {
    let sizes: Option<Vec<Vec<u32>>> = rows
        .iter()
        .filter(|r| r.iter().any(|c| !c.is_empty()))
        .map(|r| r.iter().map(|c| cell::size(c.as_bytes()).ok()).collect())
        .collect();
    let Some(sizes) = sizes.filter(|s| !s.is_empty() && s.iter().all(|r| r.len() == guesses.len()))
    else {
        return;
    };
    let meanings: &[ColumnMeaning] = match guesses.len() {
        3 => &[M, N, K],
        4 if sizes.iter().all(|r| r[2] <= 512 && r[3] >= 8) => &[M, N, Batch, K],
        _ => return,
    };
    for (guess, meaning) in guesses.iter_mut().zip(meanings) {
        *guess = (Guess::new(*meaning, 60), "by its place: the list has no header".into());
    }
}

/// Tensile's `SizeI, SizeJ, SizeK, SizeL`: K is the batch and L the summed dimension.
pub(crate) fn tensile_sizes(header: &[String], guesses: &mut [(Guess, String)]) {
    let position = |n: &str| header.iter().position(|h| h.trim().eq_ignore_ascii_case(n));
    if let (Some(_), Some(k), Some(l)) = (position("SizeI"), position("SizeK"), position("SizeL")) {
        let why = "SizeL is the summed dimension, SizeK the batch";
        for (i, meaning) in [(k, Batch), (l, K)] {
            guesses[i] = (Guess::new(meaning, 90), why.into());
        }
    }
}

/// In `batch, in_features, out_features` one GEMM takes the whole batch: it is M.
pub(crate) fn batch_as_m(guesses: &mut [(Guess, String)]) {
    let has = |kind| guesses.iter().any(|(g, _)| g.spec.meaning == kind);
    let lacks_m = !has(M) && !has(Mnk) && !has(ShapeA);
    if !(lacks_m && has(N) && has(K)) {
        return;
    }
    let batch = |(g, _): &&mut (Guess, String)| g.spec.meaning == Batch && g.strength < 255;
    if let Some((g, why)) = guesses.iter_mut().find(batch) {
        *g = Guess::new(M, 40);
        *why = "no other column is M: one GEMM per batch".to_owned();
    }
}

/// Finds types and devices by their values if no title names them (`Datentyp`, `Karte`).
pub(crate) fn by_values_alone(
    guesses: &mut [(Guess, String)],
    header: &[String],
    probes: &[Probe],
) {
    let has = |guesses: &[(Guess, String)], kinds: &[ColumnMeaning]| {
        guesses.iter().any(|(g, _)| kinds.contains(&g.spec.meaning))
    };
    let take = |guesses: &mut [(Guess, String)],
                meaning: ColumnMeaning,
                why: &str,
                fits: &dyn Fn(&Probe) -> bool| {
        let found = guesses
            .iter()
            .zip(probes)
            .position(|((g, _), p)| g.spec.meaning == Other && p.filled > 0 && fits(p));
        if let Some(i) = found {
            guesses[i] = (Guess::new(meaning, 30), why.into());
        }
    };
    if !has(guesses, &[Dtype, DtypeA]) {
        take(guesses, Dtype, TYPES, &|p| p.all_dtypes());
    }
    let sizes = [M, N, K, Mnk, ShapeA, Square];
    if !has(guesses, &sizes) {
        let names = |g: &Guess| {
            let meanings = [Kernel, OpName, Model];
            g.spec.meaning == Other || meanings.contains(&g.spec.meaning)
        };
        let is_stride = |name: &String| name.to_lowercase().contains("stride");
        let named =
            guesses.iter().zip(probes).zip(header).position(|(((g, _), p), name)| {
                names(g) && !is_stride(name) && p.all_named_shapes()
            });
        if let Some(i) = named {
            guesses[i].0.spec = Mnk.into();
            guesses[i].1 = "its values name M, N and K".into();
        }
    }
    if !has(guesses, &[Device]) {
        take(guesses, Device, "its values are devices", &|p| {
            p.samples.iter().all(|s| {
                s.len() >= 3
                    && cell::number(s.as_bytes()).is_none()
                    && !gemmscope_model::hardware::match_name(s).candidates().is_empty()
            })
        });
    }
}

/// Leaves each meaning to the strongest column; the others are kept as they are in the file.
pub(crate) fn settle(guesses: &mut [(Guess, String)], header: &[String]) -> Vec<Double> {
    let strongest = |guesses: &[(Guess, String)], kind: ColumnMeaning| {
        let mut best: Option<usize> = None;
        for (i, (g, _)) in guesses.iter().enumerate() {
            if g.spec.meaning == kind && best.is_none_or(|b| g.strength > guesses[b].0.strength) {
                best = Some(i);
            }
        }
        best
    };
    let has = |guesses: &[(Guess, String)], kind| strongest(guesses, kind).is_some();
    let sizes = [M, N, K];
    let three = sizes.iter().all(|&t| has(guesses, t));
    for (g, why) in guesses.iter_mut() {
        let joint = [Mnk, Square, ShapeA, ShapeB];
        let weak = joint.contains(&g.spec.meaning) && three && g.strength < 255;
        if weak {
            g.spec = Other.into();
            *why = "M, N and K have columns of their own".into();
        }
    }
    // `n` as the only size is the side of square matrices.
    if !has(guesses, Mnk) && !has(guesses, Square) {
        let lone: Vec<usize> = guesses
            .iter()
            .enumerate()
            // `m` or `k` as the only size means that the others have unknown titles, or stand elsewhere.
            .filter(|(_, (g, _))| g.spec.meaning == N && g.strength >= 95)
            .map(|(i, _)| i)
            .collect();
        if let [i] = lone[..]
            && guesses[i].0.strength < 255
            && !guesses
                .iter()
                .enumerate()
                .any(|(j, (g, _))| j != i && sizes.contains(&g.spec.meaning))
        {
            guesses[i].0.spec = Square.into();
            guesses[i].1 = ONLY_SIZE.into();
        }
    }
    if !has(guesses, Time)
        && let Some(i) = strongest(guesses, TimeMin)
        && guesses[i].0.strength < 255
    {
        guesses[i].0.spec.meaning = Time;
        guesses[i].1 = "the only time: the shortest run".into();
    }
    let mut doubles = Vec::new();
    for i in 0..guesses.len() {
        let kind = guesses[i].0.spec.meaning;
        if matches!(kind, Other | Ignore) {
            continue;
        }
        if let Some(winner) = strongest(guesses, kind)
            && winner != i
        {
            let (Guess { spec, strength }, _) = guesses[i];
            if strength == guesses[winner].0.strength {
                doubles.push(Double { column: i, spec, first: winner });
            }
            guesses[i].1 = format!("“{}” fits better", header[winner]);
            guesses[i].0.spec = Other.into();
        }
    }
    doubles
}
