//! Captured CUDA graphs of a trace.

use serde::{Deserialize, Serialize};

/// The launches recorded while one graph was captured, as the reader wrote them. Later launches of the graph run the
/// same kernels without naming operations; the capture names them.
///
/// Only the reader of traces parses it, so the page carries it as text.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Capture(pub String);
