//! What the capture of a graph recorded.

use serde::{Deserialize, Serialize};

/// The launches that the capture of one graph recorded, as its reader wrote them. A later launch of
/// the graph runs the same kernels, but names no operation: the capture does.
///
/// Only the reader of traces looks inside, so the page carries it as text.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Capture(pub String);
