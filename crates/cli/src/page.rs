//! `gemmscope page`: the one-file page with data and view inside, as the page saves it.

use crate::args::Args;
use crate::load::{Exit, load_by, view_state, write_out};
use crate::read::{bytes_of, read_bytes};
use gemmscope_share::data;
use gemmscope_share::data::Carried;
use std::io::{Read, Write};

/// Puts the files into the one-file page.
pub(super) fn page(
    args: &Args,
    stdin: &mut dyn Read,
    out: &mut dyn Write,
    err: &mut dyn Write,
) -> std::io::Result<Exit> {
    let app = args.app.clone().unwrap_or_default();
    let app_name = app.to_string_lossy();
    let template = match std::fs::read_to_string(&app) {
        Ok(text) => text,
        Err(e) => {
            writeln!(err, "gemmscope: {app_name}: cannot be read: {e}")?;
            return Ok(Exit::Failed);
        }
    };
    let mut files: Vec<Carried> = Vec::new();
    // Reads each file as the page will, to report unreadable files now.
    let loaded = load_by(&args.files, args, &mut |file, options| {
        let bytes = bytes_of(file, stdin)?;
        let imported = read_bytes(&file.name, options, &bytes)?;
        files.push(Carried {
            name: file.name_for_people().into_owned(),
            options: args.options.clone(),
            bytes,
        });
        Ok(imported)
    });
    loaded.report(err)?;
    if !loaded.has_rows() {
        return Ok(Exit::of(&loaded));
    }
    let mut state = view_state(args, &loaded, err)?;
    // The data is in the page, so the data in a link is dropped.
    for key in [data::DATA_KEY, data::SOURCE_KEY] {
        state.set_param(key, "");
    }
    let size: u64 = files.iter().map(|f| f.bytes.len() as u64).sum();
    if size > data::PAGE_UNPACKED {
        writeln!(
            err,
            "gemmscope: a page takes at most {} MB of data, these are {}",
            data::PAGE_UNPACKED >> 20,
            size.div_ceil(1 << 20)
        )?;
        return Ok(Exit::Failed);
    }
    match data::page(&template, &state.encode(), &files) {
        Ok(html) => Ok(Exit::worked(
            write_out(args, &html, out, err)? && !loaded.failed,
        )),
        Err(message) => {
            writeln!(
                err,
                "gemmscope: {app_name}: {message}: expected gemmscope.html of a release, or a \
                 saved page"
            )?;
            Ok(Exit::Failed)
        }
    }
}
