//! `gemmscope page`: the one-file page with data and view inside, as the page saves it.

use crate::args::Args;
use crate::load::{load_by, view_state, write_out};
use crate::read::{bytes_of, name_of, read_bytes};
use gemmscope_share::data;
use gemmscope_share::data::Carried;
use std::io::{Read, Write};

/// Puts the files into the one-file page.
pub(super) fn page(
    args: &Args,
    stdin: &mut dyn Read,
    out: &mut dyn Write,
    err: &mut dyn Write,
) -> std::io::Result<bool> {
    let app = args.app.clone().unwrap_or_default();
    let template = match std::fs::read_to_string(&app) {
        Ok(text) => text,
        Err(e) => {
            writeln!(err, "gemmscope: {}: cannot be read: {e}", name_of(&app))?;
            return Ok(false);
        }
    };
    let mut files: Vec<Carried> = Vec::new();
    // Reads each file as the page will, to report unreadable files now.
    let loaded = load_by(&args.files, err, &mut |file| {
        let name = name_of(file);
        let bytes = bytes_of(file, stdin)?;
        let imported = read_bytes(&name, &args.options, &bytes)?;
        files.push(Carried {
            name,
            options: args.options.clone(),
            bytes,
        });
        Ok(imported)
    })?;
    if !loaded.ok {
        return Ok(false);
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
            "gemmscope: a page takes {} MB of data, these are {}",
            data::PAGE_UNPACKED >> 20,
            size.div_ceil(1 << 20)
        )?;
        return Ok(false);
    }
    match data::page(&template, &state.encode(), &files) {
        Ok(html) => write_out(args, &html, out, err),
        Err(message) => {
            writeln!(
                err,
                "gemmscope: {}: {message}: expected gemmscope.html of a release, or a page that was saved",
                name_of(&app)
            )?;
            Ok(false)
        }
    }
}
