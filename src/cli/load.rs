//! Files of a command line into one table.

use super::args::Args;
use super::read::{name_of, read};
use crate::dataset::Dataset;
use crate::field::Frame;
use crate::hardware::{Device, RoofKind};
use crate::import::{ImportError, Imported};
use crate::picture;
use crate::trace;
use crate::view_state::ViewState;
use std::ffi::OsString;
use std::io::{Read, Write};

/// All rows of all files, and the devices that files define.
#[derive(Debug, Default)]
pub(super) struct Loaded {
    pub data: Dataset,
    pub custom: Vec<Device>,
    /// The files bring peaks that were measured: percentages are of those.
    pub measured_peaks: bool,
    /// False where a file could not be read.
    pub ok: bool,
}

/// Reads the files; says on `err` what could not be read or was set aside.
pub(super) fn load(
    files: &[OsString],
    args: &Args,
    stdin: &mut dyn Read,
    err: &mut dyn Write,
) -> std::io::Result<Loaded> {
    load_by(files, err, &mut |file| read(file, &args.options, stdin))
}

/// The same with each file read by `read`.
pub(super) fn load_by(
    files: &[OsString],
    err: &mut dyn Write,
    read: &mut dyn FnMut(&OsString) -> Result<Imported, ImportError>,
) -> std::io::Result<Loaded> {
    let mut all = Loaded {
        ok: true,
        ..Loaded::default()
    };
    let paths: Vec<_> = files.iter().map(|f| f.to_string_lossy()).collect();
    let paths: Vec<&str> = paths.iter().map(|p| &**p).collect();
    let repeated = trace::repeated_tables(&paths);
    let mut contexts = Vec::new();
    for (i, file) in files.iter().enumerate() {
        let name = name_of(file);
        if let Some((_, why)) = repeated.iter().find(|(at, _)| *at == i) {
            writeln!(err, "gemmscope: {name}: left out: {why}")?;
            continue;
        }
        match read(file) {
            Ok(Imported::Table(data)) => {
                let set_aside: u64 = data.sources.iter().map(|s| s.set_aside.total()).sum();
                if set_aside > 0 {
                    writeln!(
                        err,
                        "gemmscope: {name}: {set_aside} rows set aside (see `gemmscope summary`)"
                    )?;
                }
                all.data.append(*data);
            }
            Ok(Imported::Devices(devices)) => all.custom.extend(devices),
            Ok(Imported::Context(context)) => contexts.push((name, context)),
            Err(e) => {
                all.ok = false;
                writeln!(err, "gemmscope: {name}: {e}")?;
            }
        }
    }
    for (name, context) in contexts {
        let attached = trace::attach(&mut all.data, &context);
        if attached.source.is_none() {
            writeln!(
                err,
                "gemmscope: {name}: belongs to a table (GEMM.csv, gemm_ops.csv, pmc_perf.csv) that is not \
                 among the files"
            )?;
        }
        all.measured_peaks |= attached.device.is_some();
        match context.name_measured(&all.custom) {
            Some(named) => {
                let same = all.custom.iter_mut().filter(|d| d.id == named.id);
                same.for_each(|d| *d = named.clone());
            }
            None => all.custom.extend(attached.device),
        }
    }
    if all.ok && all.data.is_empty() {
        all.ok = false;
        writeln!(err, "gemmscope: no file holds a row that was read")?;
    }
    Ok(all)
}

/// What the options look at: the state of `--state` with `--view` and `--device` over it, judged
/// by the peaks that the files bring. Keys that cannot be read are named on `err`.
pub(super) fn view_state(
    args: &Args,
    loaded: &Loaded,
    err: &mut dyn Write,
) -> std::io::Result<ViewState> {
    let text = args.state.as_deref().unwrap_or("");
    let text = text.split_once('#').map_or(text, |(_, hash)| hash);
    let (mut state, problems) = ViewState::decode(text);
    for p in problems {
        writeln!(err, "gemmscope: --state: {}: {}", p.key, p.message)?;
    }
    if loaded.measured_peaks {
        state.roof = RoofKind::Achievable;
    }
    if let Some(view) = &args.view {
        state.view.clone_from(view);
    }
    if let Some(device) = &args.device {
        state.devices.default = Some(device.clone());
    }
    Ok(state)
}

/// The rows that the options look at, and the state they are looked at with; `None` where a file
/// cannot be read.
pub(super) fn frame(
    args: &Args,
    stdin: &mut dyn Read,
    err: &mut dyn Write,
) -> std::io::Result<Option<(Frame, ViewState)>> {
    let loaded = load(&args.files, args, stdin, err)?;
    if !loaded.ok {
        return Ok(None);
    }
    let state = view_state(args, &loaded, err)?;
    let frame = shown(loaded.data, &state, &loaded.custom, err)?;
    Ok(Some((frame, state)))
}

/// The rows that a state shows of some data; filters that are too many are named on `err`.
pub(super) fn shown(
    data: Dataset,
    state: &ViewState,
    custom: &[Device],
    err: &mut dyn Write,
) -> std::io::Result<Frame> {
    let (frame, refused) = picture::frame(data, state, custom);
    if !refused.is_empty() {
        writeln!(
            err,
            "gemmscope: too many filters, left out: {}",
            refused.join(", ")
        )?;
    }
    Ok(frame)
}

/// Writes to `-o FILE`, or to standard output where that is `-` or missing. False where the file
/// cannot be written.
pub(super) fn write_out(
    args: &Args,
    text: &str,
    out: &mut dyn Write,
    err: &mut dyn Write,
) -> std::io::Result<bool> {
    match args.output.as_deref() {
        Some(path) if path != "-" => {
            if let Err(e) = std::fs::write(path, text) {
                let path = path.to_string_lossy();
                writeln!(err, "gemmscope: {path}: cannot be written: {e}")?;
                return Ok(false);
            }
        }
        _ => out.write_all(text.as_bytes())?,
    }
    Ok(true)
}
