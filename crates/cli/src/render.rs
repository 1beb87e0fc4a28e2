//! `gemmscope render`: draws a view without a browser.

use crate::args::Args;
use crate::load::{Exit, Shown, frame, write_out};
use gemmscope_chart::palette::Theme;
use gemmscope_chart::picture;
use gemmscope_chart::svg::svg;
use std::io::{Read, Write};

/// Draws one view as SVG.
pub(super) fn render(
    args: &Args,
    stdin: &mut dyn Read,
    out: &mut dyn Write,
    err: &mut dyn Write,
) -> std::io::Result<Exit> {
    let Shown {
        frame,
        state,
        failed,
    } = match frame(args, stdin, err)? {
        Ok(shown) => shown,
        Err(exit) => return Ok(exit),
    };
    let theme = Theme::of(args.dark);
    let Some(scene) = picture::saved(&frame, &state, (args.size.0, args.size.1), &theme) else {
        writeln!(
            err,
            "gemmscope: this view has no chart (see `gemmscope views`): {}",
            state.view
        )?;
        return Ok(Exit::Failed);
    };
    if let Some(message) = &scene.message {
        writeln!(err, "gemmscope: {message}")?;
    }
    Ok(Exit::worked(
        write_out(args, &svg(&scene), out, err)? && !failed,
    ))
}
