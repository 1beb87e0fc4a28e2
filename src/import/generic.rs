//! Any delimited file with M, N, K and a time or a rate.

use super::{Detection, Format, Head, ImportError, ImportOptions, Reader};

/// Entry of the table of formats.
pub const FORMAT: Format = Format {
    id: "generic",
    name: "Table with M, N, K and a time or a rate",
    produced_by: "any script or spreadsheet",
    example: "M,N,K,dtype,time_us\n4096,4096,4096,fp16,690\n",
    detect,
    open,
};

fn detect(_head: &Head) -> Option<Detection> {
    None
}

fn open(_head: &Head, _options: &ImportOptions) -> Result<Box<dyn Reader>, ImportError> {
    Err(ImportError::new("not read yet"))
}
