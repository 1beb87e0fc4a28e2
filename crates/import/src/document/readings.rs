//! Interpretations of the sizes of a table, most plausible first.

mod batch;

use super::cell::Cell;
use super::columns::{Column, names_shapes, share};
use super::experts;
use super::facts::Facts;
use super::sizes::{triple, triple_anywhere, whole_numbers};
use super::title::Holds;
use super::words::lower_words;
use crate::ImportOptions;
use crate::cell::experts::ExpertRow;
use crate::columns::defaults::assumption;
use gemmscope_model::gemm::Groups;
use gemmscope_table::dataset::Assumption;

pub(super) use batch::{counts_groups, with_batch};

/// M, N, K and batch.
pub(super) type Size = [u32; 4];

/// A question left open by an interpretation.
#[derive(Clone, Debug)]
pub(super) struct Question {
    pub key: String,
    pub text: String,
    pub value: String,
    pub choices: Vec<String>,
}

impl Question {
    pub(super) fn new(key: &str, text: String, value: &str, choices: &[&str]) -> Question {
        let choices = choices.iter().map(|c| (*c).to_owned()).collect();
        Question { key: key.to_owned(), text, value: value.to_owned(), choices }
    }

    /// The same, answered by the user with its value.
    pub(super) fn chosen(self) -> Question {
        let text = format!("“{}”, as chosen.", self.value);
        Question { text, ..self }
    }

    /// The assumption to show, with the user's answer if there is one.
    pub(super) fn assumption(self, options: &ImportOptions) -> Assumption {
        let choices: Vec<&str> = self.choices.iter().map(String::as_str).collect();
        let value = options.answer(&self.key).map_or(self.value, str::to_owned);
        assumption(self.key, self.text, value, &choices)
    }
}

/// One interpretation of the sizes.
#[derive(Clone, Debug, Default)]
pub(super) struct Reading {
    pub sizes: Vec<Option<Size>>,
    /// The decision, as the end of a sentence.
    pub why: String,
    pub question: Option<Question>,
    /// Used only if rate and time confirm it.
    pub to_prove: bool,
    /// FLOP per multiply-add, by row; 2 if empty.
    pub operations: Vec<f64>,
    /// What a row of a table of experts times, and its groups by row.
    pub experts: Option<ExpertRow>,
    pub groups: Vec<Option<Groups>>,
    /// Number of rows in which rate and time confirm it, and number of rows checked.
    pub agree: Option<(usize, usize)>,
}

impl Reading {
    pub(super) fn new(sizes: Vec<Option<Size>>, why: impl Into<String>) -> Reading {
        Reading { sizes, why: why.into(), ..Reading::default() }
    }

    /// FLOP of a row; `None` without sizes.
    pub(super) fn work(&self, row: usize) -> Option<f64> {
        let size = (*self.sizes.get(row)?)?;
        let operations = self.operations.get(row).copied().unwrap_or(2.0);
        Some(operations * size.iter().map(|v| f64::from(*v)).product::<f64>())
    }

    /// Minimum bytes moved by a row with 2-byte operands.
    pub(super) fn bytes(&self, row: usize) -> Option<f64> {
        let [m, n, k, batch] = (*self.sizes.get(row)?)?.map(f64::from);
        Some(2.0 * batch * (m * k + k * n + m * n))
    }
}

/// Sizes from columns and facts.
struct Sizes<'a> {
    columns: &'a [Column],
    facts: &'a Facts,
    rows: usize,
}

impl<'a> Sizes<'a> {
    fn column(&self, holds: Holds) -> Option<&'a Column> {
        self.columns.iter().find(|c| c.title.holds == holds)
    }

    fn of_letter(&self, letter: char) -> Option<&'a Column> {
        self.column(match letter {
            'm' => Holds::M,
            'n' => Holds::N,
            _ => Holds::K,
        })
    }

    /// The size with this letter in a row: from its column, else from the facts.
    fn get(&self, letter: char, row: usize) -> Option<u32> {
        match self.of_letter(letter) {
            Some(column) => column.cells.get(row)?.whole(),
            None => self.facts.size(letter).map(|f| f.value),
        }
    }

    fn known(&self, letter: char) -> bool {
        self.of_letter(letter).is_some() || self.facts.size(letter).is_some()
    }

    /// A size and the title of its column, as text.
    fn named(&self, letter: char) -> String {
        let column = self.of_letter(letter);
        column.map_or(String::new(), |c| format!("{} = “{}”", letter.to_ascii_uppercase(), c.name))
    }

    /// True if cells hold two sizes, such as those of a weight, in an order that no title states.
    fn has_pairs(&self) -> bool {
        let pair = |c: &Column| {
            let two =
                |c: &Cell| c.text.starts_with(['[', '(']) && whole_numbers(&c.text).len() == 2;
            share(c.cells.iter().map(two)) > 0.5
        };
        self.columns.iter().any(pair)
    }

    /// The sizes stated around the table, with their lines, as text.
    fn stated(&self) -> String {
        let said = "mnk".chars().filter(|l| self.of_letter(*l).is_none()).filter_map(|l| {
            let fact = self.facts.size(l)?;
            Some(format!("{} = {} ({})", l.to_ascii_uppercase(), fact.value, fact.place()))
        });
        said.collect::<Vec<_>>().join(", ")
    }
}

/// Keys of questions about sizes, and their answers.
pub(super) const BATCH: &str = "batch";
pub(super) const ORDER: &str = "order";
pub(super) const SQUARE: &str = "square";
pub(super) const SIZES: &str = ImportOptions::SIZES;
pub(super) const IN_M: &str = "in M";
pub(super) const APART: &str = "apart";

/// All interpretations of the sizes; `Err` names what is missing.
pub(super) fn readings(
    columns: &[Column],
    facts: &Facts,
    rows: usize,
) -> Result<Vec<Reading>, String> {
    let all = Sizes { columns, facts, rows };
    let titled: Vec<char> = "mnk".chars().filter(|l| all.of_letter(*l).is_some()).collect();
    let have: Vec<char> = "mnk".chars().filter(|l| all.known(*l)).collect();
    if let Some(reading) = of_operands(&all) {
        return Ok(vec![reading]);
    }
    if titled.len() < 3
        && let Some(reading) = of_shapes(&all)
    {
        return Ok(vec![reading]);
    }
    if titled.is_empty()
        && let Some(reading) = square(&all)
    {
        return Ok(vec![reading]);
    }
    if let Some(ways) = of_experts(&all) {
        return Ok(ways);
    }
    let batch = all.column(Holds::Batch).or_else(|| all.column(Holds::Groups));
    if let Some(length) =
        all.column(Holds::Length).filter(|_| !all.known('m') && all.known('n') && all.known('k'))
    {
        return Ok(vec![sequences(&all, all.column(Holds::Batch), length)]);
    }
    if have.len() == 3 && !(titled.is_empty() && all.column(Holds::Batch).is_some()) {
        return Ok(three(&all, batch));
    }
    if let Some(batch) = batch.filter(|_| !all.known('m') && all.known('n') && all.known('k')) {
        return Ok(vec![batch_as_m(&all, batch)]);
    }
    if have.len() == 2
        && titled.len() == 1
        && let Some(reading) = named_after_swept(&all, &titled, &have)
    {
        return Ok(vec![reading]);
    }
    if titled == ['n'] && have == ['n'] && !all.has_pairs() {
        return Ok(vec![lone(&all, titled[0])]);
    }
    if have.is_empty()
        && let Some(reading) = in_names(&all)
    {
        return Ok(vec![reading]);
    }
    let mut lost: Vec<String> = "mnk"
        .chars()
        .filter(|l| !have.contains(l))
        .map(|l| l.to_ascii_uppercase().to_string())
        .collect();
    let verb = if lost.len() > 1 { "stand" } else { "stands" };
    let moe = columns.iter().any(|c| {
        let words = lower_words(&c.name);
        words.iter().any(|w| w.starts_with("expert") || w == "moe")
    });
    if moe {
        lost.push("(MoE)".to_owned());
    }
    let alone =
        batch.map_or(String::new(), |b| format!(" (“{}” alone is no size of a GEMM)", b.name));
    Err(format!(
        "no size: {} of M, N and K {verb} nowhere in or around the table; add a column or write M, N and K \
         once above it{alone}",
        lost.join(" and "),
    ))
}

/// Shapes of both operands in one cell (`4096,7168;7168,2112`) or a column each. The shared size is K, so
/// B may be (K, N) or (N, K).
fn of_operands(all: &Sizes<'_>) -> Option<Reading> {
    let columns: Vec<&Column> = all.columns.iter().filter(|c| names_shapes(c)).collect();
    let first = columns.first()?;
    let of_row = |row: usize| -> Option<Size> {
        let mut shapes: Vec<Vec<u32>> = Vec::new();
        for column in &columns {
            let text = column.text(row);
            let parts =
                text.split([';', '@']).flat_map(|p| p.split("],")).flat_map(|p| p.split("),"));
            shapes.extend(parts.map(whole_numbers).filter(|s| !s.is_empty()));
        }
        let [a, b, ..] = &shapes[..] else { return None };
        let ([m, k], [b0, b1]) = (&a[..], &b[..]) else { return None };
        match () {
            () if b0 == k => Some([*m, *b1, *k, 1]),
            () if b1 == k => Some([*m, *b0, *k, 1]),
            () => None,
        }
    };
    let sizes: Vec<Option<Size>> = (0..first.cells.len()).map(of_row).collect();
    sizes
        .iter()
        .any(Option::is_some)
        .then(|| Reading::new(sizes, "sizes from the shapes of the operands"))
}

/// Three sizes in one cell.
fn of_shapes(all: &Sizes<'_>) -> Option<Reading> {
    let column = all.column(Holds::Shape)?;
    let found: Vec<Option<[u32; 3]>> =
        column.cells.iter().map(|c| triple_anywhere(&c.text).map(|t| t.0)).collect();
    if !found.iter().any(Option::is_some) {
        return None;
    }
    let stated = match &column.title.order[..] {
        [] => all.facts.order.as_ref().map(|f| f.value.clone()),
        own => Some(own.to_vec()),
    };
    // The order does not matter if all are square.
    let square = found.iter().flatten().all(|[m, n, k]| m == n && n == k);
    let order = stated.clone().unwrap_or_else(|| vec!['m', 'n', 'k']);
    let at = |letter: char| order.iter().position(|l| *l == letter).unwrap_or(0);
    let (m, n, k) = (at('m'), at('n'), at('k'));
    let sizes = found.iter().map(|t| t.map(|t| [t[m], t[n], t[k], 1])).collect();
    let mut out = Reading::new(sizes, "");
    if stated.is_none() && !square {
        let text = format!(
            "The order of the three sizes in “{}” is not stated: assuming M, N, K.",
            column.name
        );
        out.question =
            Some(Question::new(ORDER, text, "M, N, K", &["M, N, K", "M, K, N", "N, M, K"]));
    }
    Some(out)
}

/// M, N and K beside a number of experts and of those that a token goes to.
fn of_experts(all: &Sizes<'_>) -> Option<Vec<Reading>> {
    let counts = [all.column(Holds::Groups)?, all.column(Holds::PerToken)?];
    let size = |row: usize| {
        let [m, n, k] = ['m', 'n', 'k'].map(|letter| all.get(letter, row));
        Some([m?, n?, k?])
    };
    let base: Vec<_> =
        (0..all.rows).map(|row| Some((size(row)?, experts::of_row(counts, row)?))).collect();
    let widths = ['n', 'k'].map(|letter| all.of_letter(letter));
    let known = ['m', 'n', 'k'].iter().all(|letter| all.known(*letter));
    known.then(|| experts::ways(&base, experts::names_layer(widths.into_iter().flatten())))
}

/// M = N = K from one column.
fn square(all: &Sizes<'_>) -> Option<Reading> {
    let side = |c: &Cell| -> Option<u32> {
        if let Some(v) = c.whole().filter(|_| !c.text.contains(['x', '×', '*'])) {
            return Some(v);
        }
        let numbers = whole_numbers(&c.text);
        let first = *numbers.first()?;
        (numbers.len() > 1 && numbers.iter().all(|v| *v == first)).then_some(first)
    };
    let most = |c: &&Column| share(c.cells.iter().map(|c| side(c).is_some())) > 0.5;
    let column = all.column(Holds::Square).or_else(|| all.column(Holds::Shape)).filter(most)?;
    let lower = column.name.to_lowercase();
    let twice = column.cells.iter().any(|c| c.text.contains(['x', '×']));
    // A number below a word for the whole product ("gemm", "problem") identifies it; it is not a size.
    let sized = ["size", "dim", "shape", "matrix", "square"].iter().any(|w| lower.contains(w));
    if column.title.holds == Holds::Shape && !twice && !sized {
        return None;
    }
    let stated = twice
        || lower.contains('=')
        || lower.contains("square")
        || lower.contains("matrix")
        || all.facts.square.is_some();
    let sizes = column.cells.iter().map(|c| side(c).map(|v| [v, v, v, 1])).collect();
    let mut out = Reading::new(sizes, "");
    if !stated {
        out.question = Some(only_size(&column.name));
    }
    Some(out)
}

pub(super) fn only_size(name: &str) -> Question {
    let text = format!("“{name}” is the only size: assuming square matrices, M = N = K.");
    Question::new(SQUARE, text, "square", &[])
}

/// M, N and K, with a batch that multiplies the work or is part of M.
fn three(all: &Sizes<'_>, batch: Option<&Column>) -> Vec<Reading> {
    let base: Vec<Option<[u32; 3]>> = (0..all.rows)
        .map(|r| Some([all.get('m', r)?, all.get('n', r)?, all.get('k', r)?]))
        .collect();
    let around = all.stated();
    let with = |why: &str| {
        [&*around, why].iter().filter(|t| !t.is_empty()).copied().collect::<Vec<_>>().join("; ")
    };
    let Some(batch) = batch else {
        let one = |t: &Option<[u32; 3]>| t.map(|[m, n, k]| [m, n, k, 1]);
        return vec![Reading::new(base.iter().map(one).collect(), around)];
    };
    let mut ways = with_batch(all.columns, batch, all.of_letter('m'), &base);
    for way in &mut ways {
        way.why = with(&way.why);
    }
    ways
}

/// In `B, L, d_model, d_ff` one GEMM takes the tokens of all sequences: M = B · L.
fn sequences(all: &Sizes<'_>, batch: Option<&Column>, length: &Column) -> Reading {
    let of_row = |r: usize| {
        let b = batch.map_or(Some(1), |b| b.cells.get(r)?.whole())?;
        let m = b.checked_mul(length.cells.get(r)?.whole()?)?;
        Some([m, all.get('n', r)?, all.get('k', r)?, 1])
    };
    let name = |c: Option<&Column>| c.map_or(String::new(), |c| format!("“{}”", c.name));
    let m = match batch {
        Some(_) => format!("{} · {}", name(batch), name(Some(length))),
        None => name(Some(length)),
    };
    let parts = [format!("M = {m}"), all.named('n'), all.named('k'), all.stated()];
    let why: Vec<String> = parts.into_iter().filter(|p| !p.is_empty()).collect();
    Reading::new((0..all.rows).map(of_row).collect(), why.join("; "))
}

/// In `batch, N, K` one GEMM takes the whole batch: M = batch.
fn batch_as_m(all: &Sizes<'_>, batch: &Column) -> Reading {
    let of_row =
        |r: usize| Some([batch.cells.get(r)?.whole()?, all.get('n', r)?, all.get('k', r)?, 1]);
    let around = all.stated();
    let why = format!("M = “{}”", batch.name);
    let why = if around.is_empty() { why } else { format!("{why}; {around}") };
    Reading::new((0..all.rows).map(of_row).collect(), why)
}

/// Assumes the missing size if the text states a fixed value for the swept letter:
/// `...-m-8192-k-8192` above a column M.
fn named_after_swept(all: &Sizes<'_>, titled: &[char], have: &[char]) -> Option<Reading> {
    let swept = *titled.first().filter(|l| all.facts.size(**l).is_some())?;
    let fact = all.facts.size(swept)?;
    let lost = "mnk".chars().find(|l| !have.contains(l))?;
    let get = |letter: char, row: usize| {
        if letter == lost { Some(fact.value) } else { all.get(letter, row) }
    };
    let of_row = |r: usize| Some([get('m', r)?, get('n', r)?, get('k', r)?, 1]);
    let letter = lost.to_ascii_uppercase();
    let text = format!(
        "{letter} is not stated: assuming {letter} = {} from line {}.",
        fact.value, fact.line
    );
    let value = format!("{letter}: {}", fact.value);
    let question = Some(Question::new(SIZES, text, &value, &[]));
    Some(Reading { question, ..Reading::new((0..all.rows).map(of_row).collect(), all.stated()) })
}

/// N alone is the side of square matrices; adds a question unless the text says so.
fn lone(all: &Sizes<'_>, letter: char) -> Reading {
    let sizes = (0..all.rows).map(|r| all.get(letter, r).map(|v| [v, v, v, 1])).collect();
    let mut out = Reading::new(sizes, "");
    if all.facts.square.is_none() {
        let name = all.of_letter(letter).map_or("", |c| &c.name);
        out.question = Some(only_size(name));
    }
    out
}

/// Three numbers in a name may be a tile, so rate and time must confirm them as sizes.
fn in_names(all: &Sizes<'_>) -> Option<Reading> {
    let named = |c: &&Column| {
        matches!(c.title.holds, Holds::Library | Holds::Words)
            && share(c.cells.iter().map(|c| triple(&c.text).is_some())) > 0.5
    };
    let column = all.columns.iter().find(named)?;
    let of = |c: &Cell| triple(&c.text).map(|([m, n, k], ..)| [m, n, k, 1]);
    let why = format!("sizes in “{}” in the order M, N, K", column.name);
    let sizes = column.cells.iter().map(of).collect();
    Some(Reading { to_prove: true, ..Reading::new(sizes, why) })
}
