//! `gemmscope page`: the one-file page with data and view inside, as the page saves it.

use crate::Io;
use crate::app;
use crate::args::Args;
use crate::load::{Exit, Stop, load, view_state};
use crate::messages::Code;
use crate::{output, progress};
use gemmscope_model::pass;
use gemmscope_share::data;
use gemmscope_share::extract::extract;

/// A page with its data.
pub(super) struct Made {
    pub html: String,
    /// Name of the first file, for a file name.
    pub first: String,
    /// A file could not be read: the exit code is 1 although the others are in the page.
    pub failed: bool,
}

/// Puts the rows of the files into the one-file page.
pub(super) fn page(args: &Args, io: &mut Io<'_>) -> Result<Exit, Stop> {
    let made = make(args, io)?;
    output::write_text(args, &made.html, io)?;
    Ok(Exit::worked(!made.failed))
}

/// The one-file page with the rows of the files in it.
pub(super) fn make(args: &Args, io: &mut Io<'_>) -> Result<Made, Stop> {
    let template =
        app::template(args.app.as_deref()).or_else(|why| io.err.stop(Code::NoPage, &why))?;
    let loaded = load(args, io.stdin).with_rows(&mut io.err)?;
    let mut state = view_state(args, &loaded, &mut io.err)?;
    // The data is in the page, so the data in a link is dropped.
    for key in [data::DATA_KEY, data::SOURCE_KEY] {
        state.set_param(key, "");
    }
    progress::step("packing the page");
    let all: Vec<u32> = (0..loaded.data.len() as u32).collect();
    let block = pass::at_once(extract(&loaded.data, &all, &loaded.custom, &async |_| {}))
        .or_else(|why| io.err.stop(Code::TooLarge, &why))?;
    match data::page(&template, &state.encode(), &block) {
        Ok(html) => Ok(Made {
            html,
            first: loaded.files.first().map_or(String::new(), |(name, _)| name.clone()),
            failed: loaded.failed,
        }),
        Err(message) => {
            let name = args.app.as_deref().unwrap_or_default().to_string_lossy();
            let why = format!("{message}: expected gemmscope.html of a release, or a saved page");
            io.err.of_file(Code::NoPage, &name, &why)?;
            Err(Stop::With(Exit::Failed))
        }
    }
}
