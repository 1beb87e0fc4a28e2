//! `gemmscope render`: draws a view without a browser.

use crate::args::Args;
use crate::load::{frame, write_out};
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
) -> std::io::Result<bool> {
    let Some((frame, state)) = frame(args, stdin, err)? else {
        return Ok(false);
    };
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
