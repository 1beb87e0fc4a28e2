//! `gemmscope render`: a picture without a browser.

use super::args::Args;
use super::load::{frame, load, view_state, write_out};
use crate::chart::palette::Theme;
use crate::chart::svg::svg;
use crate::picture;
use std::io::{Read, Write};

/// Draws one view as SVG.
pub(super) fn render(
    args: &Args,
    stdin: &mut dyn Read,
    out: &mut dyn Write,
    err: &mut dyn Write,
) -> std::io::Result<bool> {
    let loaded = load(&args.files, args, stdin, err)?;
    if !loaded.ok {
        return Ok(false);
    }
    let state = view_state(args, &loaded, err)?;
    let frame = frame(loaded, &state, err)?;
    let theme = Theme::of(args.dark);
    let Some(scene) = picture::draw(&frame, &state, (args.size.0, args.size.1), &theme) else {
        writeln!(
            err,
            "gemmscope: no picture of this view (see `gemmscope views`): {}",
            state.view
        )?;
        return Ok(false);
    };
    if let Some(message) = &scene.message {
        writeln!(err, "gemmscope: {message}")?;
    }
    write_out(args, &svg(&scene), out, err)
}
