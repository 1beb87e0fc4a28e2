//! What the header of an unknown tool leaves open: the data type, the device. Each is the user's answer, else what
//! the lines around the table or the file's name say.

use crate::columns::defaults;
use crate::columns::header::Col;
use crate::columns::mapping::Sampled;
use crate::{Head, ImportOptions};
use gemmscope_model::dtype::DataType;
use gemmscope_table::build::TableBuilder;

/// Data type where no column says one: the user's word, the title of the time or the rate, the
/// file name, fp16.
pub(super) fn default_dtype(
    table: &mut TableBuilder,
    head: &Head,
    options: &ImportOptions,
    figure: Option<&Col>,
    needed: bool,
) -> DataType {
    let (dtype, why) = defaults::guess_dtype(head, options, DataType::Fp16);
    // `int8 TOPS`
    let titled = figure
        .filter(|_| options.dtype("dtype").is_none())
        .and_then(|c| Some((c, defaults::dtype_in(&c.name)?)));
    if let (true, Some((c, dtype))) = (needed, titled) {
        let why = format!("Data type from “{}”", c.name);
        table.assume_dtype(dtype, &why);
        return dtype;
    }
    if needed {
        table.assume_dtype(dtype, why);
    }
    dtype
}

/// The device of the last heading above the table.
pub(super) fn device_in_headings(sampled: &Sampled) -> Option<&str> {
    sampled.preamble.iter().rev().find_map(|line| defaults::device_in_heading(line))
}

/// Device where no column says one: the user's word, the lines before the header, the file name.
pub(super) fn default_device(
    table: &mut TableBuilder,
    sampled: &Sampled,
    head: &Head,
    options: &ImportOptions,
) -> u16 {
    let heading = device_in_headings(sampled).map(|name| (name, "a heading above the table"));
    let of = |find: fn(&str) -> Option<&str>| sampled.preamble.iter().find_map(|line| find(line));
    let stated = || of(defaults::stated_device).or_else(|| of(defaults::target_in));
    let named = heading.or_else(|| Some((stated()?, "a line before the header")));
    defaults::device_above(table, head, options, named)
}
