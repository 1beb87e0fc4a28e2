//! What the columns of a table without a known producer become, and what has to be assumed.

use crate::dataset::{Assumption, Role};
use crate::dtype::DataType;
use crate::import::cell::Col;
use crate::import::mapping::{self, Sampled};
use crate::import::target::Target;
use crate::import::{ColumnId, Head, ImportOptions, TableBuilder, alias, unsaid, values};
use crate::units::{BandwidthUnit, FlopsPerSec, RateUnit, TimeUnit};

/// Where M, N and K come from.
#[derive(Debug)]
pub(super) enum Sizes {
    Three(Col, Col, Col),
    One(Col),
    Operands(Col, Col),
    Square(Col),
}

#[derive(Debug)]
pub(super) enum Extra {
    Text(usize, ColumnId),
    Number(usize, ColumnId, f64),
    Auto(usize, ColumnId),
    Tile(usize, [ColumnId; 3]),
}

#[derive(Debug)]
pub(super) struct Plan {
    pub header_line: u32,
    pub width: usize,
    pub sizes: Sizes,
    pub batch: Option<Col>,
    pub time: Option<(Col, f64)>,
    pub rate: Option<(Col, f64)>,
    pub dtype: Option<Col>,
    pub dtype_a: Option<Col>,
    pub dtype_b: Option<Col>,
    pub dtype_c: Option<Col>,
    pub compute: Option<Col>,
    pub trans: [Option<Col>; 2],
    pub layout: Option<Col>,
    pub bias: Option<Col>,
    pub beta: Option<Col>,
    pub device: Option<Col>,
    pub units: Option<Col>,
    pub status: Option<Col>,
    /// The rows are a tuning history: they have an order and a status. Its failures are kept.
    pub history: bool,
    pub extras: Vec<Extra>,
    /// A column of names, which may name the type.
    pub named_dtype: Option<Col>,
    pub default_dtype: DataType,
    pub default_device: u16,
}

pub(super) fn plan(
    table: &mut TableBuilder,
    sampled: &Sampled,
    head: &Head,
    options: &ImportOptions,
) -> Plan {
    let m = &sampled.mapping;
    let col = |t: Target| {
        m.position(t).map(|index| Col {
            index,
            name: m.columns[index].header.clone(),
        })
    };
    let time = col(Target::Time(None)).map(|c| {
        let unit = time_unit(table, sampled, options, &c);
        (c, unit)
    });
    let time_place = time.as_ref().map(|(c, u)| (c.index, *u));
    let rate = col(Target::Rate(None)).map(|c| {
        let unit = rate_unit(table, sampled, options, &c, time_place);
        (c, unit.to_si())
    });
    let sizes = match (col(Target::M), col(Target::N), col(Target::K)) {
        (Some(m), Some(n), Some(k)) => Sizes::Three(m, n, k),
        _ => match (
            col(Target::Mnk),
            col(Target::DimsA).zip(col(Target::DimsB)),
            col(Target::Square),
        ) {
            (Some(c), ..) => Sizes::One(c),
            (None, Some((a, b)), _) => Sizes::Operands(a, b),
            (None, None, square) => {
                let c = square.unwrap_or(Col {
                    index: 0,
                    name: String::new(),
                });
                table.assume(Assumption {
                    key: "square".into(),
                    text: format!("“{}” is the only size: M = N = K.", c.name),
                    value: "square".into(),
                    choices: Vec::new(),
                });
                Sizes::Square(c)
            }
        },
    };
    let dtype = col(Target::Dtype);
    let dtype_a = col(Target::DtypeA);
    let unsaid = dtype.is_none() && dtype_a.is_none();
    // `gemm_m1024_n4096_k512_fp8`
    let named_dtype = m
        .position(Target::Mnk)
        .filter(|_| unsaid && options.dtype("dtype").is_none())
        .filter(|&i| {
            m.columns[i]
                .samples
                .iter()
                .all(|s| unsaid::dtype_in(s).is_some())
        });
    let figure = time.as_ref().map(|t| &t.0).or(rate.as_ref().map(|r| &r.0));
    let default_dtype = default_dtype(
        table,
        head,
        options,
        figure,
        unsaid && named_dtype.is_none(),
    );
    let device = col(Target::Device);
    let default_device = if device.is_some() {
        0
    } else {
        default_device(table, sampled, head, options)
    };
    let mut plan = Plan {
        header_line: m.header_line,
        width: m.columns.len(),
        sizes,
        batch: col(Target::Batch),
        rate: rate.clone(),
        time: time.map(|(c, u)| (c, u.to_si())),
        dtype,
        dtype_a,
        dtype_b: col(Target::DtypeB),
        dtype_c: col(Target::DtypeC),
        compute: col(Target::Compute),
        trans: [col(Target::TransA), col(Target::TransB)],
        layout: col(Target::Layout),
        bias: col(Target::Bias),
        beta: col(Target::Beta),
        units: device.as_ref().and(col(Target::DeviceUnits)),
        device,
        status: col(Target::Role(Role::Status)),
        history: m.position(Target::Role(Role::Order)).is_some()
            && m.position(Target::Role(Role::Status)).is_some(),
        extras: Vec::new(),
        named_dtype: named_dtype.map(|index| Col {
            index,
            name: m.columns[index].header.clone(),
        }),
        default_dtype,
        default_device,
    };
    if plan.time.is_none()
        && let Some((c, _)) = &plan.rate
    {
        table.rates_are_not_independent();
        table.note(format!(
            "Times are computed from the rates in “{}”, with 2MNK operations a call.",
            c.name
        ));
    }
    for (i, c) in m.columns.iter().enumerate() {
        if let Some(extra) = extra(table, sampled, i, c.guess, &plan, time_place) {
            plan.extras.push(extra);
        }
    }
    plan
}

/// What a column beyond the canonical ones becomes.
fn extra(
    table: &mut TableBuilder,
    sampled: &Sampled,
    i: usize,
    guess: Target,
    plan: &Plan,
    time: Option<(usize, TimeUnit)>,
) -> Option<Extra> {
    let m = &sampled.mapping;
    let name = m.columns[i].header.as_str();
    let number = |table: &mut TableBuilder, role: Role, scale: f64| {
        Some(Extra::Number(i, table.number_column(role, name), scale))
    };
    let scale_like_time = |unit: Option<TimeUnit>| {
        unit.or(time.map(|t| t.1))
            .unwrap_or(TimeUnit::Microseconds)
            .to_si()
    };
    match guess {
        Target::Extra => {
            // A printed table's index says nothing.
            if sampled.shifted && i == 0 {
                return None;
            }
            Some(Extra::Auto(i, table.auto_column(name)))
        }
        // Sizes within a name: the name is kept.
        Target::Mnk | Target::DimsA | Target::DimsB
            if m.columns[i].samples.iter().any(|s| values::is_name(s)) =>
        {
            Some(match alias::guess(name).target {
                Target::Role(role) if role.is_text() => {
                    Extra::Text(i, table.text_column(role, name))
                }
                _ => Extra::Text(i, table.auto_column(name)),
            })
        }
        // The type is in the operation already; what else stands there is kept.
        Target::Compute => Some(Extra::Text(i, table.auto_column(name))),
        Target::DeviceUnits => Some(Extra::Auto(i, table.auto_column(name))),
        Target::Rate(_) => match (&plan.time, &plan.rate) {
            (Some(_), Some((_, scale))) => number(table, Role::ReportedRate, *scale),
            _ => None,
        },
        Target::Bandwidth(unit) => {
            let unit = unit.unwrap_or_else(|| {
                let u = values::infer_bandwidth(m, &sampled.rows, i, time);
                table.assume(Assumption {
                    key: format!("unit:{name}"),
                    text: format!("“{name}” does not say its unit: taken as {}.", u.label()),
                    value: u.label().into(),
                    choices: BandwidthUnit::ALL.map(|u| u.label().to_owned()).to_vec(),
                });
                u
            });
            number(table, Role::ReportedBandwidth, unit.to_si())
        }
        Target::Work(unit) => number(
            table,
            Role::ReportedWork,
            unit.unwrap_or(RateUnit::Flops).to_si(),
        ),
        Target::TimeStd(u) => number(table, Role::TimeStd, scale_like_time(u)),
        Target::TimeMin(u) => number(table, Role::TimeMin, scale_like_time(u)),
        Target::TimeMax(u) => number(table, Role::TimeMax, scale_like_time(u)),
        Target::Tile => Some(Extra::Tile(
            i,
            [
                table.number_column(Role::TileM, &format!("{name} M")),
                table.number_column(Role::TileN, &format!("{name} N")),
                table.number_column(Role::TileK, &format!("{name} K")),
            ],
        )),
        Target::Role(role) if role.is_text() => Some(Extra::Text(i, table.text_column(role, name))),
        Target::Role(Role::ReportedEfficiency) => {
            let most = m.columns[i]
                .samples
                .iter()
                .filter_map(|s| s.trim_end_matches('%').trim().parse::<f64>().ok())
                .fold(0.0, f64::max);
            let percent = name.contains('%') || most > 1.5;
            number(
                table,
                Role::ReportedEfficiency,
                if percent { 0.01 } else { 1.0 },
            )
        }
        Target::Role(Role::MeasuredClock) => {
            number(table, Role::MeasuredClock, alias::clock_scale(name))
        }
        Target::Role(role) => number(table, role, 1.0),
        _ => None,
    }
}

fn time_unit(
    table: &mut TableBuilder,
    sampled: &Sampled,
    options: &ImportOptions,
    c: &Col,
) -> TimeUnit {
    let m = &sampled.mapping;
    if let Some(unit) = mapping::time_unit(m.columns[c.index].guess) {
        return unit;
    }
    let key = format!("unit:{}", c.name);
    let choices = TimeUnit::ALL.map(|u| u.label().to_owned()).to_vec();
    let found = values::infer_time(m, &sampled.rows, c.index);
    let answered = options.answer(&key).and_then(TimeUnit::parse);
    let unit = answered.unwrap_or(found.unit);
    let text = if answered.is_some() {
        format!(
            "“{}” does not say its unit: {} as chosen.",
            c.name,
            unit.label()
        )
    } else if found.confirmed {
        format!(
            "“{}” does not say its unit: {}, which agrees with the rates in the file.",
            c.name,
            unit.label()
        )
    } else {
        format!(
            "“{}” does not say its unit: taken as {}, the shortest that a device can reach \
             (up to {} in the first rows).",
            c.name,
            unit.label(),
            FlopsPerSec(found.highest)
        )
    };
    table.assume(Assumption {
        key,
        text,
        value: unit.label().into(),
        choices,
    });
    unit
}

fn rate_unit(
    table: &mut TableBuilder,
    sampled: &Sampled,
    options: &ImportOptions,
    c: &Col,
    time: Option<(usize, TimeUnit)>,
) -> RateUnit {
    let m = &sampled.mapping;
    if let Some(unit) = mapping::rate_unit(m.columns[c.index].guess) {
        return unit;
    }
    let key = format!("unit:{}", c.name);
    let found = values::infer_rate(m, &sampled.rows, c.index, time);
    let answered = options.answer(&key).and_then(RateUnit::parse);
    let unit = answered.unwrap_or(found.unit);
    let why = if answered.is_some() {
        "as chosen".to_owned()
    } else if found.confirmed {
        "which agrees with the times in the file".to_owned()
    } else {
        format!(
            "the highest that a device can reach (up to {} in the first rows)",
            FlopsPerSec(found.highest)
        )
    };
    table.assume(Assumption {
        key,
        text: format!(
            "“{}” does not say its unit: {}, {why}.",
            c.name,
            unit.label()
        ),
        value: unit.label().into(),
        choices: RateUnit::ALL.map(|u| u.label().to_owned()).to_vec(),
    });
    unit
}

/// Data type where no column says one: the user's word, the title of the time or the rate, the
/// file name, fp16.
fn default_dtype(
    table: &mut TableBuilder,
    head: &Head,
    options: &ImportOptions,
    figure: Option<&Col>,
    needed: bool,
) -> DataType {
    let (dtype, why) = unsaid::guess_dtype(head, options, DataType::Fp16);
    // `int8 TOPS`
    let titled = figure
        .filter(|_| options.dtype("dtype").is_none())
        .and_then(|c| Some((c, unsaid::dtype_in(&c.name)?)));
    if let (true, Some((c, dtype))) = (needed, titled) {
        let why = format!("No column holds the data type, “{}” names it", c.name);
        table.assume_dtype(dtype, &why);
        return dtype;
    }
    if needed {
        table.assume_dtype(dtype, why);
    }
    dtype
}

/// Device where no column says one: the user's word, the lines before the header, the file name.
fn default_device(
    table: &mut TableBuilder,
    sampled: &Sampled,
    head: &Head,
    options: &ImportOptions,
) -> u16 {
    if let Some(answer) = options.answer("device") {
        table.assume_device(answer, "The file does not name its device: chosen by hand.");
        return table.device(answer);
    }
    for line in &sampled.preamble {
        let line = line.trim_start_matches(['#', '/', ' ']);
        if let Some((key, value)) = line.split_once([':', '='])
            && alias::guess(key).target == Target::Device
            && !value.trim().is_empty()
        {
            table.note(format!(
                "Device from a line before the header: {}.",
                value.trim()
            ));
            return table.device(value);
        }
    }
    if let Some(name) = unsaid::named_device(&head.name) {
        table.assume_device(
            &name,
            &format!("The file does not name its device, its name does: {name}."),
        );
        return table.device(&name);
    }
    0
}
