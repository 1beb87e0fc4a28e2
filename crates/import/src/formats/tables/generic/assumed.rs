//! What the header of an unknown tool leaves open: units, the data type, the device. Each is the user's
//! answer, else what the values, the lines around them or the file's name say.

use crate::columns::defaults::{self, as_chosen, assuming, assumption, no_unit};
use crate::columns::header::Col;
use crate::columns::mapping::{Sampled, units};
use crate::{Head, ImportOptions};
use gemmscope_model::dtype::DataType;
use gemmscope_model::units::{BandwidthUnit, FlopsPerSec, RateUnit, TimeUnit};
use gemmscope_table::build::TableBuilder;

pub(super) fn time_unit(
    table: &mut TableBuilder,
    sampled: &Sampled,
    options: &ImportOptions,
    c: &Col,
    stated: Option<TimeUnit>,
) -> TimeUnit {
    let m = &sampled.mapping;
    if sampled.has_units(c.index) {
        return stated.unwrap_or(TimeUnit::Microseconds);
    }
    let key = format!("unit:{}", c.name);
    let choices = TimeUnit::ALL.map(TimeUnit::label);
    let found = units::infer_time(m, &sampled.rows, c.index);
    let answered = options.answer(&key).and_then(TimeUnit::parse);
    let unit = answered.unwrap_or(found.unit);
    if let Some(stated) = stated {
        let by_hand = options.columns.contains_key(&c.name);
        let too_fast = units::is_too_fast(m, &sampled.rows, c.index, stated);
        if by_hand || found.unit == stated || !too_fast && !found.confirmed {
            return stated;
        }
        let (unit, why) = if let Some(unit) = answered {
            (unit, as_chosen(unit.label()))
        } else if !too_fast {
            (stated, format!("the rates in the file fit {}", found.unit.label()))
        } else if found.confirmed {
            (found.unit, format!("the rates in the file fit {}", found.unit.label()))
        } else {
            (found.unit, format!("no device is that fast: {}", assuming(found.unit.label())))
        };
        let text = format!("“{}” says {}, but {why}.", c.name, stated.label());
        table.assume(assumption(key, text, unit.label(), &choices));
        return unit;
    }
    let why = if answered.is_some() {
        as_chosen(unit.label())
    } else if found.confirmed {
        format!("the rates in the file fit {}", unit.label())
    } else {
        format!(
            "assuming {}, the smallest that a device can reach (up to {} in the first rows)",
            unit.label(),
            FlopsPerSec(found.highest)
        )
    };
    let text = no_unit(&c.name, &why);
    table.assume(assumption(key, text, unit.label(), &choices));
    unit
}

pub(super) fn rate_unit(
    table: &mut TableBuilder,
    sampled: &Sampled,
    options: &ImportOptions,
    c: &Col,
    stated: Option<RateUnit>,
    time: Option<(usize, TimeUnit)>,
) -> RateUnit {
    let m = &sampled.mapping;
    if let Some(unit) = stated {
        return unit;
    }
    if sampled.has_units(c.index) {
        return RateUnit::Flops;
    }
    let key = format!("unit:{}", c.name);
    let found = units::infer_rate(m, &sampled.rows, c.index, time);
    let answered = options.answer(&key).and_then(RateUnit::parse);
    let unit = answered.unwrap_or(found.unit);
    let why = if answered.is_some() {
        as_chosen(unit.label())
    } else if found.confirmed {
        format!("the times in the file fit {}", unit.label())
    } else {
        format!(
            "assuming {}, the largest that a device can reach (up to {} in the first rows)",
            unit.label(),
            FlopsPerSec(found.highest)
        )
    };
    let text = no_unit(&c.name, &why);
    let choices = RateUnit::ALL.map(RateUnit::label);
    table.assume(assumption(key, text, unit.label(), &choices));
    unit
}

pub(super) fn bandwidth_unit(
    table: &mut TableBuilder,
    sampled: &Sampled,
    i: usize,
    time: Option<(usize, TimeUnit)>,
) -> BandwidthUnit {
    if sampled.has_units(i) {
        return BandwidthUnit::Bytes;
    }
    let name = &sampled.mapping.columns[i].header;
    let unit = units::infer_bandwidth(&sampled.mapping, &sampled.rows, i, time);
    let key = format!("unit:{name}");
    let text = no_unit(name, &assuming(unit.label()));
    let choices = BandwidthUnit::ALL.map(BandwidthUnit::label);
    table.assume(assumption(key, text, unit.label(), &choices));
    unit
}

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
