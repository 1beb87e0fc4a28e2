//! A field as categories: one code per row and one text per code.

use super::{Field, Frame};
use crate::dataset::ColumnData;
use crate::group::numbered;
use gemmscope_model::gemm::Problem;
use gemmscope_model::reference::Standing;
use gemmscope_model::roofline::Bound;
use rustc_hash::FxHashMap;
use std::borrow::Cow;

/// Where nothing is published near a GEMM, or it has no time.
const NO_COMPARISON: &str = "no comparison";

/// Codes of a category, one per row, borrowed if the dataset has them already.
#[derive(Clone, Debug)]
pub enum Codes<'a> {
    /// Codes as stored in the dataset.
    Direct(&'a [u32]),
    /// Small codes of the dataset, and the category of each.
    Mapped(&'a [u16], Vec<u32>),
    /// Codes computed for every row.
    Owned(Vec<u32>),
}

impl Codes<'_> {
    /// Category of a row.
    #[inline]
    pub fn get(&self, row: usize) -> u32 {
        match self {
            Codes::Direct(c) => c[row],
            Codes::Mapped(c, map) => map[c[row] as usize],
            Codes::Owned(c) => c[row],
        }
    }

    /// Calls `f` with the category of every row, in order.
    #[inline]
    pub fn each(&self, mut f: impl FnMut(u32)) {
        match self {
            Codes::Direct(c) => c.iter().for_each(|&c| f(c)),
            Codes::Mapped(c, map) => c.iter().for_each(|&c| f(map[usize::from(c)])),
            Codes::Owned(c) => c.iter().for_each(|&c| f(c)),
        }
    }
}

/// A field as categories.
#[derive(Clone, Debug)]
pub struct Categories<'a> {
    /// Code of each row.
    pub codes: Codes<'a>,
    /// Text of each code.
    pub values: Cow<'a, [String]>,
}

impl Frame {
    /// The field as categories. Numbers become their distinct values in ascending order.
    pub fn categories<'a>(&'a self, field: &Field) -> Categories<'a> {
        let (d, x) = (&*self.data, &*self.metrics);
        match field {
            Field::Dtype => {
                mapped(&d.op, d.ops.iter().map(gemmscope_model::gemm::Operation::types))
            }
            Field::Transposes => mapped(&d.op, d.ops.iter().map(|o| o.layout().to_owned())),
            Field::Device => {
                let codes = || (0..=u16::MAX).zip(&d.devices);
                let same = |code| usize::from(x.same_device(code));
                let mut stated = vec![false; d.devices.len()];
                codes().for_each(|(code, name)| stated[same(code)] |= !name.is_empty());
                let name = |(code, _)| match self.device_name(code) {
                    "" => "not stated".to_owned(),
                    name if stated[same(code)] => name.to_owned(),
                    name => format!("{name} (assumed)"),
                };
                mapped(&d.device, codes().map(name))
            }
            Field::Source => mapped(&d.source, d.sources.iter().map(|s| s.name.clone())),
            Field::Bound => {
                let values = ["memory", "near the ridge", "compute", "launch", "unknown roof"];
                let codes = (0..d.len())
                    .map(|r| match x.bound(d, r) {
                        Some(Bound::Memory) => 0,
                        Some(Bound::NearRidge) => 1,
                        Some(Bound::Compute) => 2,
                        Some(Bound::Launch) => 3,
                        None => 4,
                    })
                    .collect();
                Categories {
                    codes: Codes::Owned(codes),
                    values: values.iter().map(|&v| v.to_owned()).collect::<Vec<_>>().into(),
                }
            }
            Field::Standing => {
                let code = |r| x.standing(d, r).map_or(Standing::ALL.len(), |s| s as usize) as u32;
                let values = Standing::ALL.map(Standing::label).into_iter().chain([NO_COMPARISON]);
                Categories {
                    codes: Codes::Owned((0..d.len()).map(code).collect()),
                    values: values.map(str::to_owned).collect::<Vec<_>>().into(),
                }
            }
            Field::Shape => {
                let mut known = FxHashMap::default();
                let mut values = Vec::new();
                let codes = (0..d.len())
                    .map(|r| {
                        let p = d.problem(r);
                        let key = (p.m, p.n, p.k, p.batch, p.op.groups);
                        *known.entry(key).or_insert_with(|| {
                            values.push(shape_label(&p));
                            (values.len() - 1) as u32
                        })
                    })
                    .collect();
                Categories { codes: Codes::Owned(codes), values: values.into() }
            }
            Field::Column(key) => match d.columns.iter().find(|c| c.key == *key).map(|c| &c.data) {
                Some(ColumnData::Text { codes, values }) => {
                    Categories { codes: Codes::Direct(codes), values: Cow::Borrowed(values) }
                }
                Some(ColumnData::Number(_)) => self.distinct_numbers(field),
                None => {
                    let derived = self.derived.as_ref().and_then(|d| d.categories(self, key));
                    derived.unwrap_or_else(|| self.distinct_numbers(field))
                }
            },
            _ => self.distinct_numbers(field),
        }
    }

    fn distinct_numbers<'a>(&'a self, field: &Field) -> Categories<'a> {
        let get = self.numbers(field);
        let (mut codes, seen) = numbered(&mut (0..self.data.len()).map(|r| get(r).to_bits()));
        let seen: Vec<f64> = seen.into_iter().map(f64::from_bits).collect();
        let mut order: Vec<u32> = (0..seen.len() as u32).collect();
        order.sort_by(|&a, &b| seen[a as usize].total_cmp(&seen[b as usize]));
        let mut rank = vec![0u32; seen.len()];
        for (new, &old) in order.iter().enumerate() {
            rank[old as usize] = new as u32;
        }
        for c in &mut codes {
            *c = rank[*c as usize];
        }
        let values = order
            .iter()
            .map(|&o| {
                let v = seen[o as usize];
                if v.is_nan() { String::new() } else { format!("{v}") }
            })
            .collect::<Vec<_>>();
        Categories { codes: Codes::Owned(codes), values: values.into() }
    }
}

/// `128 x 1280 x 2048`, with the batch in front if it is not 1 and the groups of a grouped GEMM behind.
pub fn shape_label(p: &Problem) -> String {
    let Problem { m, n, k, batch, op } = p;
    match op.groups {
        Some(groups) => format!("{m} × {n} × {k} in {} groups", groups.count),
        None if *batch == 1 => format!("{m} × {n} × {k}"),
        None => format!("{batch} × ({m} × {n} × {k})"),
    }
}

/// Categories of small codes; several codes may have the same text.
fn mapped(codes: &[u16], texts: impl Iterator<Item = String>) -> Categories<'_> {
    let mut known: FxHashMap<String, u32> = FxHashMap::default();
    let mut values = Vec::new();
    let map = texts
        .map(|t| {
            *known.entry(t).or_insert_with_key(|t| {
                values.push(t.clone());
                (values.len() - 1) as u32
            })
        })
        .collect();
    Categories { codes: Codes::Mapped(codes, map), values: values.into() }
}
