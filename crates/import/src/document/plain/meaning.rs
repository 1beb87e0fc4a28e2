//! Decides the meanings of the columns of a plain table: by title, checked against the values, with at
//! most one column per meaning.

use crate::cell;
use crate::cell::values::Probe;
use crate::document::columns::Column;
use crate::document::title::{Holds, Title};
use gemmscope_table::dataset::ColumnMeaning::{self, *};
use gemmscope_table::dataset::ColumnSpec;

/// A column with the same meaning as the one in use.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Double {
    pub column: usize,
    pub spec: ColumnSpec,
    /// Position of the column in use.
    pub first: usize,
}

/// Reason against a column titled as type; its values may be names that contain one, such as `MKL_fp32`.
pub(super) const NOT_TYPES: &str = "its values are not data types";

/// Reason to take a column as the side of square matrices.
const ONLY_SIZE: &str = "the only size: square matrices";

/// Reason to take a column with a one-letter title as types.
const TYPES: &str = "its values are data types";

/// Meaning by the values, its strength, and the reason.
type Judged = Option<(ColumnMeaning, u8, String)>;

/// Checks the title of a column against its values.
pub(super) fn by_values(column: &mut Column, probe: &Probe) {
    let judged = match probe.filled {
        0 => None,
        _ => of_letter(&column.name, probe).unwrap_or_else(|| contradicted(&column.title, probe)),
    };
    if let Some((meaning, strength, why)) = judged {
        means(column, meaning, strength, why);
        return;
    }
    let by_name = match column.title.spec.meaning {
        Other => "name not recognised",
        _ => "by its name",
    };
    column.why = by_name.to_owned();
}

fn means(column: &mut Column, meaning: ColumnMeaning, strength: u8, why: impl Into<String>) {
    column.title = Title::meaning(meaning, strength);
    column.why = why.into();
}

/// Meaning of a title of one letter, `A` to `D`, by its values, except for a numeric `B`. `None` for other titles.
fn of_letter(name: &str, probe: &Probe) -> Option<Judged> {
    let lower = name.trim().to_lowercase();
    let [letter @ b'a'..=b'd'] = lower.as_bytes() else { return None };
    let by_value = |meaning: ColumnMeaning, strength, why: &str| {
        Some(Some((meaning, strength, why.to_owned())))
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

/// A meaning by the values that contradicts the title.
fn contradicted(title: &Title, probe: &Probe) -> Judged {
    let numbers = probe.all_numbers();
    let meaning = title.spec.meaning;
    let wrong = match meaning {
        Dtype | DtypeA | DtypeB | DtypeC | Compute => !probe.any_dtype,
        TransA | TransB => !probe.any_transpose,
        Layout => !probe.any_layout,
        Mnk if probe.triples == 0 && numbers && probe.whole() => {
            return Some((Square, title.strength, ONLY_SIZE.to_owned()));
        }
        Mnk => probe.triples == 0,
        ShapeA | ShapeB => !probe.all_operands(),
        Tile => probe.triples == 0 && probe.pairs == 0,
        Status => title.strength < 60 && numbers,
        Device | Kernel | Library | Model => numbers,
        M | N | K | Batch | Square | PerToken => probe.numbers == 0,
        Time | ReportedRate => probe.numbers + probe.quantities == 0 && probe.filled > 3,
        _ => false,
    };
    wrong.then(|| {
        let why = match meaning {
            Dtype | DtypeA | DtypeB | DtypeC | Compute => NOT_TYPES.to_owned(),
            _ => format!("its values do not fit “{}”", title.spec.label()),
        };
        (Other, 0, why)
    })
}

/// Names the columns of whole numbers without a header: three are M, N, K; four with small numbers in the third place
/// are M, N, batch, K, the usual order of such lists.
pub(super) fn headless_sizes(columns: &mut [Column], rows: &[Vec<String>]) {
    let sizes: Option<Vec<Vec<u32>>> = rows
        .iter()
        .filter(|r| r.iter().any(|c| !c.is_empty()))
        .map(|r| r.iter().map(|c| cell::size(c.as_bytes()).ok()).collect())
        .collect();
    let Some(sizes) = sizes.filter(|s| !s.is_empty() && s.iter().all(|r| r.len() == columns.len()))
    else {
        return;
    };
    let meanings: &[ColumnMeaning] = match columns.len() {
        3 => &[M, N, K],
        4 if sizes.iter().all(|r| r[2] <= 512 && r[3] >= 8) => &[M, N, Batch, K],
        _ => return,
    };
    for (column, meaning) in columns.iter_mut().zip(meanings) {
        means(column, *meaning, 60, "by its place: the list has no header");
    }
}

/// Tensile's `SizeI, SizeJ, SizeK, SizeL`: K is the batch and L the summed dimension.
pub(super) fn tensile_sizes(columns: &mut [Column]) {
    let position = |n: &str| columns.iter().position(|c| c.name.trim().eq_ignore_ascii_case(n));
    if let (Some(_), Some(k), Some(l)) = (position("SizeI"), position("SizeK"), position("SizeL")) {
        let why = "SizeL is the summed dimension, SizeK the batch";
        for (i, meaning) in [(k, Batch), (l, K)] {
            means(&mut columns[i], meaning, 90, why);
        }
    }
}

fn has(columns: &[Column], meanings: &[ColumnMeaning]) -> bool {
    columns.iter().any(|c| meanings.contains(&c.title.spec.meaning))
}

/// In `batch, in_features, out_features` one GEMM takes the whole batch, so the batch is M.
pub(super) fn batch_as_m(columns: &mut [Column]) {
    let lacks_m = !has(columns, &[M, Mnk, ShapeA]);
    if !(lacks_m && has(columns, &[N]) && has(columns, &[K])) {
        return;
    }
    let batch = |c: &&mut Column| c.title.spec.meaning == Batch && !c.by_hand;
    if let Some(column) = columns.iter_mut().find(batch) {
        means(column, M, 40, "no other column is M: one GEMM per batch");
    }
}

/// Finds types and devices by value if no title names them (`Datentyp`, `Karte`).
pub(super) fn by_values_alone(columns: &mut [Column], probes: &[Probe]) {
    let take = |columns: &mut [Column], meaning, why: &str, fits: &dyn Fn(&Probe) -> bool| {
        let mut all = columns.iter_mut().zip(probes);
        let fitting = |(c, p): &(&mut Column, &Probe)| {
            c.title.spec.meaning == Other && p.filled > 0 && fits(p)
        };
        if let Some((column, _)) = all.find(fitting) {
            means(column, meaning, 30, why);
        }
    };
    if !has(columns, &[Dtype, DtypeA]) {
        take(columns, Dtype, TYPES, &|p| p.all_dtypes());
    }
    if !has(columns, &[M, N, K, Mnk, ShapeA, Square]) {
        let named = |(c, p): &(&mut Column, &Probe)| {
            let names = matches!(c.title.spec.meaning, Kernel | OpName | Model | Other);
            names && !c.name.to_lowercase().contains("stride") && p.all_named_shapes()
        };
        if let Some((column, _)) = columns.iter_mut().zip(probes).find(named) {
            let strength = column.title.strength;
            means(column, Mnk, strength, "its values name M, N and K");
        }
    }
    if !has(columns, &[Device]) {
        let is_device = |s: &String| {
            s.len() >= 3
                && cell::number(s.as_bytes()).is_none()
                && !gemmscope_model::hardware::match_name(s).candidates().is_empty()
        };
        take(columns, Device, "its values are devices", &|p| p.samples.iter().all(is_device));
    }
}

/// The strongest column with this meaning.
fn strongest(columns: &[Column], meaning: ColumnMeaning) -> Option<usize> {
    let mut best: Option<usize> = None;
    for (i, c) in columns.iter().enumerate() {
        let better = |b: usize| c.title.strength > columns[b].title.strength;
        if c.title.spec.meaning == meaning && best.is_none_or(better) {
            best = Some(i);
        }
    }
    best
}

/// Groups and experts a token mean something together: alone, groups are a batch or a column of the file, and
/// a `topk` may be of anything.
fn experts(columns: &mut [Column]) {
    let groups = columns.iter().position(|c| c.title.holds == Holds::Groups);
    let per_token = columns.iter().position(|c| c.title.spec.meaning == PerToken);
    let (Some(groups), Some(_)) = (groups, per_token) else {
        for column in columns.iter_mut().filter(|c| c.title.spec.meaning == PerToken && !c.by_hand)
        {
            column.title.spec = Other.into();
        }
        let is_batched = has(columns, &[Batch]) || !has(columns, &[M]);
        if let Some(groups) = groups.filter(|i| !is_batched && !columns[*i].by_hand) {
            means(&mut columns[groups], Batch, 50, "groups, each a GEMM or a part of M");
        }
        return;
    };
    if !columns[groups].by_hand {
        means(&mut columns[groups], Groups, 90, "experts, beside the experts a token");
    }
}

/// Assigns each meaning to its strongest column; the others are kept as columns of the file.
pub(super) fn settle(columns: &mut [Column]) -> Vec<Double> {
    experts(columns);
    let three = [M, N, K].iter().all(|size| has(columns, &[*size]));
    for column in columns.iter_mut().filter(|c| three && !c.by_hand) {
        if [Mnk, Square, ShapeA, ShapeB].contains(&column.title.spec.meaning) {
            column.title.spec = Other.into();
            column.why = "M, N and K have columns of their own".to_owned();
        }
    }
    // `n` as the only size is the side of square matrices. If `m` or `k` is the only size, the others have unknown
    // titles or are stated elsewhere.
    let sized = |c: &&mut Column| [M, N, K].contains(&c.title.spec.meaning);
    if !has(columns, &[Mnk, Square]) {
        let mut sizes = columns.iter_mut().filter(sized);
        if let (Some(column), None) = (sizes.next(), sizes.next())
            && column.title.spec.meaning == N
            && (95..255).contains(&column.title.strength)
        {
            let strength = column.title.strength;
            means(column, Square, strength, ONLY_SIZE);
        }
    }
    if !has(columns, &[Time])
        && let Some(i) = strongest(columns, TimeMin).filter(|i| !columns[*i].by_hand)
    {
        columns[i].title.spec.meaning = Time;
        columns[i].why = "the only time: the shortest run".to_owned();
    }
    let mut doubles = Vec::new();
    for i in 0..columns.len() {
        let Title { spec, strength, .. } = columns[i].title;
        let first = strongest(columns, spec.meaning).filter(|first| *first != i);
        let Some(first) = first.filter(|_| !matches!(spec.meaning, Other | Ignore)) else {
            continue;
        };
        if strength == columns[first].title.strength {
            doubles.push(Double { column: i, spec, first });
        }
        columns[i].why = format!("“{}” fits better", columns[first].name);
        columns[i].title.spec = Other.into();
    }
    for column in columns.iter_mut() {
        use Holds::{Groups, Length, Shape};
        let sizes =
            [Holds::M, Holds::N, Holds::K, Holds::Batch, Holds::Square, Shape, Length, Groups];
        match column.title.spec.meaning {
            // A percentile is used as the time if there is no other.
            Time => column.title.holds = Holds::Time,
            ReportedRate => column.title.holds = Holds::Rate,
            // Next to the size in use it is just another number.
            Other if sizes.contains(&column.title.holds) => column.title.holds = Holds::Other,
            _ => {}
        }
    }
    doubles
}
