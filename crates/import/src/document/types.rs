//! Determines the operand types of a row: from its columns, the name of its side, the nearest fact, or by asking.

use super::columns::Column;
use super::evidence::Side;
use super::facts::{Fact, Types};
use super::readings::Question;
use super::title::Holds;
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
    fact: Option<&Fact<Types>>,
    side: &Side,
    sides: &[Side],
    row: usize,
    options: &ImportOptions,
    questions: &mut Vec<Question>,
) -> Typed {
    if let Some(dtype) = options.dtype("dtype") {
        ask(
            questions,
            "dtype",
            format!("{NO_TYPE}, chosen by hand: assuming {}.", dtype.name()),
            dtype,
        );
        return Typed::both(dtype.into());
    }
    let typed = of_columns(columns, row)
        .or_else(|| of_name(columns, fact, side, sides, row, questions))
        .or_else(|| match fact.map(|f| &f.value) {
            Some(Types::Operands(a, b)) => Some(Typed { a: a.clone(), b: b.clone() }),
            _ => None,
        });
    let unread = columns.iter().find(|c| c.title.holds == Holds::Type && !c.text(row).is_empty());
    let typed =
        typed.unwrap_or_else(|| unknown(fact, unread.map_or("", |c| c.text(row)), questions));
    for name in [&typed.a, &typed.b] {
        if let Some(odd) = &name.odd {
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
    if questions.iter().any(|q| q.key == key) {
        return;
    }
    let choices: Vec<&str> = DataType::ALL.iter().map(|t| t.id()).collect();
    questions.push(Question::new(key, text, dtype.id(), &choices));
}

fn unknown(fact: Option<&Fact<Types>>, unread: &str, questions: &mut Vec<Question>) -> Typed {
    let (text, dtype) = match fact {
        _ if !unread.is_empty() => {
            let fp16 = DataType::Fp16;
            (format!("The data type “{unread}” is not known: assuming {}.", fp16.name()), fp16)
        }
        Some(Fact { value: Types::OneOf(some), line }) => {
            let names: Vec<&str> = some.iter().map(|t| t.dtype.name()).collect();
            let first = some.first().map_or(DataType::Fp16, |t| t.dtype);
            let text = format!(
                "The data type is not stated for the rows; line {line} names {}: assuming {}.",
                names.join(", "),
                first.name()
            );
            (text, first)
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
