//! What the capture of a graph recorded.

use serde::{Deserialize, Serialize};

/// The launches that the capture of one graph recorded, in their order. A later launch of the
/// graph runs the same kernels, but names no operation: the capture does.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Capture {
    /// Name, shapes, types and strides of the operations that multiply, as the trace prints them.
    pub signatures: Vec<[String; 4]>,
    /// Names of kernels.
    pub kernels: Vec<String>,
    /// The launches.
    pub launches: Vec<CapturedLaunch>,
}

/// One launch of a capture.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CapturedLaunch {
    /// Code of the kernel's name; `None` where the trace does not name it (CUDA).
    pub kernel: Option<u32>,
    /// The call of an operation that multiplies: its number in the capture and its signature.
    pub call: Option<(u32, u32)>,
}
