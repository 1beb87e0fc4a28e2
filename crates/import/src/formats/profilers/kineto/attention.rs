//! Unfused attention: a batched product, a softmax, and a batched product over the same heads, which write and
//! read the full score matrix.

use super::events::{Events, Signature};
use crate::cell::experts::ExpertPart;
use crate::cell::py::Py;
use crate::formats::profilers::tracelens::from_operands;
use gemmscope_table::dataset::UnfusedAttention;
use std::collections::{HashMap, HashSet};

/// A call of a matrix multiply.
pub(super) struct Product {
    /// Code of its signature.
    pub signature: u32,
    /// Its call in the trace; `None` for a graph kernel.
    pub caller: Option<u32>,
    /// Indices of its kernels.
    pub kernels: Vec<u32>,
    /// Its part, if it is an expert GEMM.
    pub part: Option<ExpertPart>,
}

/// M, N, K and batch.
type Sizes = [u32; 4];

/// Indices of the products that belong to unfused attention, and the time between them. Each precedes or follows a
/// softmax on its device; found in one pass over the kernels by start time.
pub(super) fn find(
    events: &Events,
    signatures: &[&Signature],
    products: &[Product],
) -> (HashSet<usize>, UnfusedAttention) {
    let of_name = |name| events.names.value(name).to_ascii_lowercase().contains("softmax");
    let mut known: HashMap<u32, bool> = HashMap::new();
    let mut softmax = |name| *known.entry(name).or_insert_with(|| of_name(name));
    let (mut found, mut sum) = (HashSet::new(), UnfusedAttention::default());
    if !events.kernels.iter().any(|k| softmax(k.name)) {
        return (found, sum);
    }
    let mut product_of: HashMap<u32, usize> = HashMap::new();
    for (at, product) in products.iter().enumerate() {
        product_of.extend(product.kernels.iter().map(|k| (*k, at)));
    }
    let mut sizes: HashMap<u32, Option<Sizes>> = HashMap::new();
    let mut order: Vec<u32> = (0..events.kernels.len() as u32).collect();
    order.retain(|i| events.kernels[*i as usize].start_s.is_finite());
    order.sort_by(|a, b| {
        let [a, b] = [a, b].map(|i| &events.kernels[*i as usize]);
        a.device.cmp(&b.device).then(a.start_s.total_cmp(&b.start_s))
    });
    // The last product with its sizes, whether a softmax followed it, and the seconds since.
    let mut last: Option<(usize, Sizes)> = None;
    let (mut after_softmax, mut between_s, mut device) = (false, 0.0, i64::MIN);
    for i in order {
        let k = &events.kernels[i as usize];
        if k.device != device {
            (last, device) = (None, k.device);
        }
        let Some(&at) = product_of.get(&i) else {
            if last.is_some() && k.time_s.is_finite() {
                between_s += k.time_s;
                after_softmax |= softmax(k.name);
            }
            continue;
        };
        if last.is_some_and(|l| l.0 == at) {
            continue;
        }
        let code = products[at].signature;
        let now = *sizes.entry(code).or_insert_with(|| batched(signatures[code as usize]));
        if let (Some((scores, of_scores)), Some(of_values), true) = (last, now, after_softmax)
            && same_heads(of_scores, of_values)
        {
            found.extend([scores, at]);
            sum.calls += 1;
            sum.between_s += between_s;
        }
        last = now.map(|sizes| (at, sizes));
        (after_softmax, between_s) = (false, 0.0);
    }
    (found, sum)
}

/// The sizes of a batched product; `None` for any other operation.
fn batched([name, dims, types, strides, _]: &Signature) -> Option<Sizes> {
    let (gemm, _) =
        from_operands(name, &Py::parse(dims), &Py::parse(types), &Py::parse(strides))?.ok()?;
    (gemm.batch > 1).then_some([gemm.m, gemm.n, gemm.k, gemm.batch])
}

/// True if the second product multiplies the scores that the first one wrote, as either operand.
fn same_heads(scores: Sizes, values: Sizes) -> bool {
    let ([m, n, _, heads], [vm, vn, vk, batch]) = (scores, values);
    heads == batch && (vm == m && vk == n || vn == n && vk == m)
}
