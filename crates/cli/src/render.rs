//! `gemmscope render`: draws a view without a browser.

use crate::Io;
use crate::command_line::{Input, Listed, Selection, file, notes, one_of};
use crate::exit::{Exit, Stop};
use crate::load::{Request, Shown, frame};
use crate::messages::Code;
use crate::output;
use gemmscope_chart::palette::Theme;
use gemmscope_chart::svg::svg;
use gemmscope_chart::{picture, places};
use std::path::PathBuf;

/// A chart as SVG, the same as on the page
#[derive(Debug, clap::Args)]
#[command(after_help = notes(
    "Text uses the viewer's fonts; a program such as rsvg-convert makes a PNG of it.\n",
    &[
        "gemmscope render bench.csv --view roofline --device mi300x -o roofline.svg",
        "gemmscope render bench.csv --device mi300x --size 1600x900 | rsvg-convert -z 2 -o roofline.png",
    ],
))]
pub(super) struct Render {
    /// Place or chart [default: by the data; see `gemmscope views`]
    #[arg(long, value_name = "V", value_parser = drawn(), hide_possible_values = true)]
    view: Option<String>,
    /// Colours
    #[arg(long, value_name = "T", value_parser = ["light", "dark"], default_value = "light")]
    theme: String,
    /// Size in CSS pixels; the height is optional
    #[arg(long, value_name = "WxH", value_parser = size, default_value = "960")]
    size: (f64, Option<f64>),
    /// Output file [default: standard output]
    #[arg(short, long, value_name = "OUT.svg", value_parser = file(&["svg"], "an SVG (rsvg-convert makes a PNG or PDF of it)"))]
    output: Option<PathBuf>,
    #[command(flatten)]
    selection: Selection,
    #[command(flatten)]
    input: Input,
}

/// Places and charts that are pictures.
fn drawn() -> Listed {
    let drawn = |id: &&str| places::of(id).is_some_and(|(_, picture)| !picture.is_empty());
    one_of(places::names().into_iter().filter(drawn))
}

/// `960x600` or `960`: width and height in CSS pixels; without a height the view chooses.
fn size(text: &str) -> Result<(f64, Option<f64>), String> {
    let side = |t: &str| {
        t.parse::<f64>()
            .ok()
            .filter(|v| (100.0..=8192.0).contains(v))
            .ok_or_else(|| format!("expected WIDTHxHEIGHT, each 100 to 8192: {text}"))
    };
    match text.split_once('x') {
        Some((w, h)) => Ok((side(w)?, Some(side(h)?))),
        None => Ok((side(text)?, None)),
    }
}

impl Render {
    /// Draws one view as SVG.
    pub(super) fn run(&self, io: &mut Io<'_>) -> Result<Exit, Stop> {
        let request = Request { output: self.output.as_deref(), ..self.input.request() };
        let Shown { frame, state, failed } =
            frame(&request, &self.selection, self.view.as_deref(), io)?;
        let theme = Theme::of(self.theme == "dark");
        let Some(scene) = picture::saved(&frame, &state, self.size, &theme) else {
            let why = format!("this view has no chart (see `gemmscope views`): {}", state.view);
            return io.err.stop(Code::Nothing, &why);
        };
        if let Some(message) = &scene.message {
            io.err.say(Code::Nothing, message)?;
        }
        output::write_text(self.output.as_deref(), &svg(&scene), io)?;
        Ok(Exit::worked(!failed))
    }
}
