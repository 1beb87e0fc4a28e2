//! `gemmscope render`: draws a view without a browser.

use crate::Io;
use crate::args::Args;
use crate::load::{Exit, Shown, Stop, frame};
use crate::messages::Code;
use crate::output;
use gemmscope_chart::palette::Theme;
use gemmscope_chart::picture;
use gemmscope_chart::svg::svg;

/// Draws one view as SVG.
pub(super) fn render(args: &Args, io: &mut Io<'_>) -> Result<Exit, Stop> {
    let Shown { frame, state, failed } = frame(args, io)?;
    let theme = Theme::of(args.dark);
    let Some(scene) = picture::saved(&frame, &state, (args.size.0, args.size.1), &theme) else {
        let why = format!("this view has no chart (see `gemmscope views`): {}", state.view);
        return io.err.stop(Code::Nothing, &why);
    };
    if let Some(message) = &scene.message {
        io.err.say(Code::Nothing, message)?;
    }
    output::write_text(args, &svg(&scene), io)?;
    Ok(Exit::worked(!failed))
}
