//! `gemmscope page`: writes the one-file page with data and view inside, as *Save as a page* does.

use crate::Io;
use crate::app;
use crate::command_line::{Input, Listed, Selection, file, notes, one_of};
use crate::exit::{Exit, Stop};
use crate::load::{Request, load, view_state};
use crate::messages::Code;
use crate::{output, progress, reference};
use gemmscope_chart::places;
use gemmscope_model::pass;
use gemmscope_share::data;
use gemmscope_share::extract::extract;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// The whole app with data and view in one HTML file that opens from disk
#[derive(Debug, clap::Args)]
#[command(after_help = notes(
    "The command of a release carries the app; another one takes it from --app: the one-file page of\n\
     a release (or of `make single-file`), or a saved page, whose data is replaced. The rows are\n\
     stored, never the file.\n",
    &[
        "gemmscope page bench.csv --device mi300x -o bench.gemmscope.html",
        "gemmscope page old.csv new.csv --app gemmscope.html --view compare -o compared.html",
    ],
))]
pub(super) struct Page {
    /// Output file (- is standard output)
    #[arg(short, long, value_name = "OUT.html", value_parser = html())]
    output: PathBuf,
    #[command(flatten)]
    pub content: Content,
}

/// A parser of the file name of a page.
pub(super) fn html() -> impl clap::builder::TypedValueParser<Value = PathBuf> {
    file(&["html", "htm"], "an HTML page")
}

/// Content of a page.
#[derive(Debug, clap::Args)]
pub(super) struct Content {
    /// The one-file page to put the data into [default: the one in a release's command]
    #[arg(long, value_name = "FILE")]
    pub app: Option<OsString>,
    /// Place or chart [default: by the data; see `gemmscope views`]
    #[arg(long, value_name = "V", value_parser = any_view(), hide_possible_values = true)]
    view: Option<String>,
    #[command(flatten)]
    selection: Selection,
    #[command(flatten)]
    input: Input,
}

fn any_view() -> Listed {
    one_of(places::names().into_iter())
}

/// A page with its data.
pub(super) struct Made {
    pub html: String,
    /// Name of the first data file, for the name of the page.
    pub first: String,
    /// A file could not be read: the exit code is 1 although the other files are in the page.
    pub failed: bool,
}

impl Page {
    /// Puts the rows of the files into the one-file page.
    pub(super) fn run(&self, io: &mut Io<'_>) -> Result<Exit, Stop> {
        let made = self.content.make(Some(&self.output), io)?;
        output::write_text(Some(&self.output), &made.html, io)?;
        Ok(Exit::worked(!made.failed))
    }
}

impl Content {
    /// The one-file page with the rows of the files in it. `output` is where it will be written.
    pub(super) fn make(&self, output: Option<&Path>, io: &mut Io<'_>) -> Result<Made, Stop> {
        let app = self.app.as_deref();
        let template = app::template(app).or_else(|why| io.err.stop(Code::NoPage, &why))?;
        let request = Request { output, beside: app, ..self.input.request() };
        let loaded = load(&request, io.stdin).with_rows(&mut io.err)?;
        let mut state = view_state(&self.selection, self.view.as_deref(), &loaded, &mut io.err)?;
        // The data is in the page, so data or addresses in the link are dropped.
        for key in [data::DATA_KEY, data::SOURCE_KEY] {
            state.set_param(key, "");
        }
        progress::step("packing the page");
        let all: Vec<u32> = (0..loaded.data.len() as u32).collect();
        let tables = match state.no_published {
            true => Vec::new(),
            false => reference::files(&loaded.data, &state.devices, &loaded.custom),
        };
        let packed = extract(&loaded.data, &all, &loaded.custom, &tables, &async |_| {});
        let block = pass::at_once(packed).or_else(|why| io.err.stop(Code::TooLarge, &why))?;
        match data::page(&template, &state.encode(), &block) {
            Ok(html) => Ok(Made {
                html,
                first: loaded.files.first().map_or(String::new(), |(name, _)| name.clone()),
                failed: loaded.failed,
            }),
            Err(message) => {
                let name = app.unwrap_or_default().to_string_lossy();
                let why =
                    format!("{message}: expected gemmscope.html of a release, or a saved page");
                io.err.of_file(Code::NoPage, &name, &why)?;
                Err(Stop::With(Exit::Failed))
            }
        }
    }
}
