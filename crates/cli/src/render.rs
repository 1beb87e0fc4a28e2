//! `gemmscope render`: draws a view without a browser.

use crate::args::Args;
use crate::load::{Exit, Shown, Stop, frame, write_out};
use crate::messages::{Code, Messages};
use gemmscope_chart::palette::Theme;
use gemmscope_chart::picture;
use gemmscope_chart::svg::svg;
use std::io::{Read, Write};

/// Draws one view as SVG.
pub(super) fn render(
    args: &Args,
    stdin: &mut dyn Read,
    out: &mut dyn Write,
    err: &mut Messages<'_>,
) -> Result<Exit, Stop> {
    let Shown { frame, state, failed } = frame(args, stdin, err)?;
    let theme = Theme::of(args.dark);
    let Some(scene) = picture::saved(&frame, &state, (args.size.0, args.size.1), &theme) else {
        let why = format!("this view has no chart (see `gemmscope views`): {}", state.view);
        return err.stop(Code::Nothing, &why);
    };
    if let Some(message) = &scene.message {
        err.say(Code::Nothing, message)?;
    }
    write_out(args, &svg(&scene), out, err)?;
    Ok(Exit::worked(!failed))
}
