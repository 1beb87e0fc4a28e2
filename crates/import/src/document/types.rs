//! Determines the operand types of a row: from its columns, the name of its side, the nearest fact, or by asking.

use super::columns::Column;
use super::evidence::Side;
use super::facts::{Fact, Facts, Types};
use super::readings::Question;
use super::title::{Holds, is_share_of_peak};
use super::words::{TypeName, plain_words, types_in};
use crate::ImportOptions;
use crate::columns::defaults::NO_TYPE;
use gemmscope_model::dtype::DataType;

/// Types of A and B.
#[derive(Clone, Debug)]
pub(super) struct Typed {
    pub a: TypeName,
    pub b: TypeName,
}

impl Typed {
    fn both(one: TypeName) -> Typed {
        Typed { a: one.clone(), b: one }
    }
}

/// The types of a row. Adds each open question only once per table.
pub(super) fn row_types(
    columns: &[Column],
    facts: &Facts,
    side: &Side,
    sides: &[Side],
    row: usize,
    options: &ImportOptions,
    questions: &mut Vec<Question>,
) -> Typed {
    let own = of_columns(columns, row);
    let partly = is_partly_typed(columns);
    if let Some(dtype) = options.dtype("dtype")
        && !(partly && own.is_some())
    {
        ask(
            questions,
            "dtype",
            format!("{NO_TYPE}, chosen by hand: assuming {}.", dtype.name()),
            dtype,
        );
        return Typed::both(dtype.into());
    }
    let fact = facts.types.as_ref();
    let stated = || match fact.map(|f| &f.value) {
        Some(Types::Operands(a, b)) => Some(Typed { a: a.clone(), b: b.clone() }),
        _ => None,
    };
    let recipe = || facts.recipe.as_ref().map(|f| Typed::both(f.value.clone()));
    let typed = own
        .or_else(|| of_name(columns, fact, side, sides, row, questions))
        .or_else(|| of_peak(columns, facts, side, row, questions))
        // Beside rows of a stated type, those without one are what is measured.
        .or_else(|| recipe().filter(|_| partly))
        .or_else(stated)
        .or_else(recipe);
    let unread = columns.iter().find(|c| c.title.holds == Holds::Type && !c.text(row).is_empty());
    let mut typed = typed
        .unwrap_or_else(|| unknown(fact, unread.map_or("", |c| c.text(row)), columns, questions));
    for name in [&mut typed.a, &mut typed.b] {
        if let Some(odd) = &name.odd {
            if let Some(dtype) = options.dtype(&format!("dtype:{odd}")) {
                let text = format!("The data type “{odd}” is {}, as chosen.", dtype.name());
                ask(questions, &format!("dtype:{odd}"), text, dtype);
                *name = dtype.into();
                continue;
            }
            let text = format!(
                "The data type “{odd}” is not known: assuming {}, the nearest.",
                name.dtype.name()
            );
            ask(questions, &format!("dtype:{odd}"), text, name.dtype);
        }
    }
    typed
}

fn ask(questions: &mut Vec<Question>, key: &str, text: String, dtype: DataType) {
    ask_among(questions, key, text, &[dtype]);
}

/// Asks for a type; of the likely ones, the first is assumed.
fn ask_among(questions: &mut Vec<Question>, key: &str, text: String, likely: &[DataType]) {
    let Some(first) = likely.first().filter(|_| questions.iter().all(|q| q.key != key)) else {
        return;
    };
    let others = DataType::ALL.iter().filter(|dtype| !likely.contains(dtype));
    let choices: Vec<&str> = match likely {
        [_] => DataType::ALL.iter().map(|dtype| dtype.id()).collect(),
        _ => likely.iter().chain(others).map(|dtype| dtype.id()).collect(),
    };
    questions.push(Question::new(key, text, first.id(), &choices));
}

/// True if some rows name their type and others do not.
pub(super) fn is_partly_typed(columns: &[Column]) -> bool {
    columns.iter().filter(|c| c.title.holds == Holds::Type).any(|c| {
        let empty = c.cells.iter().filter(|c| c.text.is_empty()).count();
        empty > 0 && empty < c.cells.len()
    })
}

/// The types that rows of a table name.
fn named_in(columns: &[Column]) -> Vec<DataType> {
    let typed = columns.iter().filter(|c| c.title.holds == Holds::Type);
    let cells = typed.flat_map(|c| &c.cells);
    let mut out: Vec<DataType> = cells.flat_map(|c| types_in(&c.text)).map(|t| t.dtype).collect();
    out.dedup();
    out
}

/// The type whose stated peak gives the row's own share of the peak. Of a recipe with as many bits it is the recipe's;
/// else it is asked.
fn of_peak(
    columns: &[Column],
    facts: &Facts,
    side: &Side,
    row: usize,
    questions: &mut Vec<Question>,
) -> Option<Typed> {
    let peaks = facts.peaks.as_ref()?;
    let share = columns.iter().find(|c| is_share_of_peak(&c.name))?.value(row)?;
    let rate = columns[side.rate?].value(row).filter(|_| share > 0.0)?;
    let found = peaks.value.iter().min_by(|a, b| {
        let off = |peak: f64| distance(rate / share / peak);
        off(a.1).total_cmp(&off(b.1))
    });
    let (name, _) = found.filter(|(_, peak)| distance(rate / share / peak) < NEAR_PEAK)?;
    let recipe = facts.recipe.as_ref().filter(|f| f.value.dtype.bits() == name.dtype.bits());
    if let Some(recipe) = recipe {
        return Some(Typed::both(recipe.value.clone()));
    }
    let text = format!(
        "The data type is not stated for some rows; their share of the peak is that of {} (line {}): assuming {}.",
        name.dtype.name(),
        peaks.line,
        name.dtype.name()
    );
    ask(questions, "dtype", text, name.dtype);
    Some(Typed::both(name.clone()))
}

/// A rate over its share is a peak within this, as a logarithm to base ten: shares are printed with two digits.
const NEAR_PEAK: f64 = 0.07;

/// Distance of a ratio to 1, as a logarithm to base ten, whatever power of a thousand and of percent lies between.
fn distance(ratio: f64) -> f64 {
    let off = |scale: f64| {
        let log = (ratio * scale).log10() / 3.0;
        (log - log.round()).abs() * 3.0
    };
    off(1.0).min(off(100.0))
}

fn unknown(
    fact: Option<&Fact<Types>>,
    unread: &str,
    columns: &[Column],
    questions: &mut Vec<Question>,
) -> Typed {
    let (text, dtype) = match fact {
        _ if !unread.is_empty() => {
            let fp16 = DataType::Fp16;
            (format!("The data type “{unread}” is not known: assuming {}.", fp16.name()), fp16)
        }
        Some(Fact { value: Types::OneOf(some), line }) => {
            let names: Vec<&str> = some.iter().map(|t| t.dtype.name()).collect();
            // Rows that name none are of another type than those that do.
            let named = named_in(columns);
            let mut likely: Vec<DataType> = some.iter().map(|t| t.dtype).collect();
            likely.sort_by_key(|dtype| named.contains(dtype));
            let first = likely.first().copied().unwrap_or(DataType::Fp16);
            let text = format!(
                "The data type is not stated for the rows; line {line} names {}: assuming {}.",
                names.join(", "),
                first.name()
            );
            ask_among(questions, "dtype", text, &likely);
            return Typed::both(first.into());
        }
        _ => (format!("{NO_TYPE}: assuming {}.", DataType::Fp16.name()), DataType::Fp16),
    };
    ask(questions, "dtype", text, dtype);
    Typed::both(dtype.into())
}

/// Types from the columns. Of two without a stated role, the narrower is that of the operands.
fn of_columns(columns: &[Column], row: usize) -> Option<Typed> {
    let in_cell = |c: &Column| types_in(&c.text(row).replace([';', ','], " "));
    let of = |holds: Holds| -> Option<Vec<TypeName>> {
        let column = columns.iter().find(|c| c.title.holds == holds)?;
        Some(in_cell(column)).filter(|t| !t.is_empty())
    };
    let (a, b) = (of(Holds::TypeA), of(Holds::TypeB));
    let one: Vec<Vec<TypeName>> = columns
        .iter()
        .filter(|c| c.title.holds == Holds::Type)
        .map(|c| {
            let own = in_cell(c);
            if own.is_empty() { types_in(&c.text(row).replace('_', " ")) } else { own }
        })
        .filter(|t| !t.is_empty())
        .collect();
    let narrow = one.iter().filter_map(|t| t.first()).min_by_key(|t| t.dtype.bits()).cloned();
    let first = |list: Option<Vec<TypeName>>| list.and_then(|l| l.into_iter().next());
    let (a, b) = (first(a), first(b));
    if a.is_some() || b.is_some() {
        let a_type = a.clone().or_else(|| narrow.clone()).or_else(|| b.clone())?;
        let b_type = b.or(narrow).or(a)?;
        return Some(Typed { a: a_type, b: b_type });
    }
    match &one[..] {
        [] => None,
        [types] => match &types[..] {
            [a, b, ..] if b.dtype.bits() < a.dtype.bits() => {
                Some(Typed { a: a.clone(), b: b.clone() })
            }
            [a, ..] => Some(Typed::both(a.clone())),
            [] => None,
        },
        _ => {
            // The narrower type is that of the operands, the other that of the output; integers of up to 4 bits are
            // weights.
            let narrow = narrow?;
            let wide = one.iter().filter_map(|t| t.first()).max_by_key(|t| t.dtype.bits())?;
            let weights = narrow.dtype.bits() <= 4
                && !matches!(narrow.dtype, DataType::Fp4 | DataType::MxFp4 | DataType::NvFp4);
            let a = if weights { wide.clone() } else { narrow.clone() };
            Some(Typed { a, b: narrow })
        }
    }
}

/// `W4A16`: bits of the weights (B) and of the activations (A). A stated type with as many bits is used.
fn weights_and_acts(
    word: &str,
    fact: Option<&Fact<Types>>,
    questions: &mut Vec<Question>,
) -> Option<Typed> {
    let lower = word.to_lowercase();
    let (weights, acts) = lower.strip_prefix('w')?.split_once('a')?;
    let stated = match fact.map(|f| &f.value) {
        Some(Types::Operands(a, _)) => vec![a.clone()],
        Some(Types::OneOf(some)) => some.clone(),
        None => Vec::new(),
    };
    let of = |bits: &str, whole: Option<DataType>| -> Option<TypeName> {
        let known = stated.iter().find(|t| t.dtype.bits().to_string() == bits);
        known.cloned().or(whole.map(TypeName::from))
    };
    let int = |bits: &str| match bits {
        "4" => Some(DataType::Int4),
        "8" => Some(DataType::Int8),
        "16" => Some(DataType::Fp16),
        _ => None,
    };
    let typed = Typed { a: of(acts, int(acts))?, b: of(weights, int(weights))? };
    // 8 bits may be int8 or fp8.
    if acts == "8" && !stated.iter().any(|t| t.dtype.bits() == 8) {
        let text = format!(
            "“{word}” does not say whether its 8 bits are int8 or fp8: assuming {}.",
            typed.a.dtype.name()
        );
        ask(questions, "dtype", text, typed.a.dtype);
    }
    Some(typed)
}

/// Types in the name of the side or the row: `triton-fp8`, `bf16 ms`, `QMM 4-bit`.
fn of_name(
    columns: &[Column],
    fact: Option<&Fact<Types>>,
    side: &Side,
    sides: &[Side],
    row: usize,
    questions: &mut Vec<Question>,
) -> Option<Typed> {
    let named = columns.iter().filter(|c| c.title.holds == Holds::Library).map(|c| c.text(row));
    let name = std::iter::once(side.name.as_str()).chain(named).collect::<Vec<_>>().join(" ");
    // The type of an accumulator is not an operand type.
    let words: Vec<String> = plain_words(&name.replace("-bit", "bit"))
        .map(|w| {
            let acc = w.to_lowercase().find("_acc").unwrap_or(w.len());
            match super::words::type_of_word(w) {
                Some(_) => w.to_owned(),
                None => w[..acc].replace('_', " "),
            }
        })
        .collect();
    if let Some(typed) = words.iter().find_map(|w| weights_and_acts(w, fact, questions)) {
        return Some(typed);
    }
    let types = types_in(&words.join(" "));
    let first = types.first()?;
    if let Some(second) = types.get(1)
        && second.dtype.bits() < first.dtype.bits()
        && name.contains(['x', '×', '*'])
    {
        return Some(Typed { a: first.clone(), b: second.clone() });
    }
    if first.dtype != DataType::Int4 {
        return Some(Typed::both(first.clone()));
    }
    // A 4-bit type describes only the weights.
    if let Some(Fact { value: Types::Operands(a, b), .. }) = fact
        && a != b
    {
        return Some(Typed { a: a.clone(), b: b.clone() });
    }
    let wide = sides.iter().flat_map(|s| types_in(&s.name)).find(|t| t.dtype.bits() > 8);
    let wide = wide.map_or(DataType::Fp16, |t| t.dtype);
    let text = format!(
        "“{}” names the weights alone: the data type of A is assumed to be {}.",
        name.trim(),
        wide.name()
    );
    ask(questions, "dtype", text, wide);
    Some(Typed { a: wide.into(), b: first.clone() })
}
