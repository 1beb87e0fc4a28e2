//! Reads the files of a command line into one table.

use crate::args::Args;
use crate::read::{name_of, read};
use gemmscope_chart::picture;
use gemmscope_import::{ImportError, Imported};
use gemmscope_model::hardware::{Device, RoofKind};
use gemmscope_model::units::plural;
use gemmscope_table::dataset::Dataset;
use gemmscope_table::field::Frame;
use gemmscope_table::trace;
use gemmscope_table::view_state::ViewState;
use std::ffi::OsString;
use std::io::{Read, Write};

/// All rows of all files, and the devices that files define.
#[derive(Debug, Default)]
pub(super) struct Loaded {
    pub data: Dataset,
    pub custom: Vec<Device>,
    /// The files have measured peaks, to which percentages then refer.
    pub measured_peaks: bool,
    /// False if a file could not be read.
    pub ok: bool,
}

/// Reads the files; reports unreadable files and rejected rows on `err`.
pub(super) fn load(
    files: &[OsString],
    args: &Args,
    stdin: &mut dyn Read,
    err: &mut dyn Write,
) -> std::io::Result<Loaded> {
    load_by(files, err, &mut |file| read(file, &args.options, stdin))
}

/// Like [`load`], with each file read by `read`.
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
                let rejected: u64 = data.sources.iter().map(|s| s.rejected.total()).sum();
                if rejected > 0 {
                    writeln!(
                        err,
                        "gemmscope: {name}: {} skipped (see `gemmscope summary`)",
                        plural(rejected, "row")
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

/// The view state of the options: that of `--state`, changed by `--view` and `--device`, with the
/// measured peaks of the files. Reports keys that cannot be read on `err`.
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

/// The rows and the view state that the options select; `None` if a file cannot be read.
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

/// The rows that a state shows. Reports filters beyond the limit on `err`.
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

/// Writes to `-o FILE`, or to standard output if that is `-` or missing. Returns false if the file
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
