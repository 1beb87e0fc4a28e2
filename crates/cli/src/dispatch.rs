//! `gemmscope dispatch`: best of all sides, as a table that says which to use for each GEMM.

use crate::Io;
use crate::args::Args;
use crate::load::{Exit, Shown, Stop, frame};
use crate::messages::Code;
use crate::output::write_text;
use gemmscope_analysis::compare::{Dispatch, tunableop};

/// Forms of `dispatch`.
pub(super) const FORMS: [&str; 2] = ["csv", "tunableop"];

/// Version of the JSON; `docs/src/schema/dispatch-1.json` describes it.
const SCHEMA: &str = "gemmscope/dispatch/1";

/// Writes the table.
pub(super) fn dispatch(args: &Args, io: &mut Io<'_>) -> Result<Exit, Stop> {
    let Shown { frame, failed, .. } = frame(args, io)?;
    if args.form.as_deref() == Some("tunableop") {
        return match tunableop(&frame) {
            Ok(text) => {
                write_text(args, &text, io)?;
                Ok(Exit::worked(!failed))
            }
            Err(why) => {
                io.err.say(Code::Nothing, &why)?;
                Ok(Exit::Failed)
            }
        };
    }
    let Some((comparison, best)) = Dispatch::of(&frame) else {
        io.err.say(
            Code::Nothing,
            "nothing to choose between: no GEMM was measured on two sides (files, libraries, kernels) of one device",
        )?;
        return Ok(Exit::Failed);
    };
    let text = match args.json {
        true => {
            let mut object = serde_json::to_value(best.object(&frame, &comparison))
                .map_err(std::io::Error::from)?;
            object["schema"] = SCHEMA.into();
            object.to_string() + "\n"
        }
        false => best.table(&frame, &comparison).csv(),
    };
    write_text(args, &text, io)?;
    Ok(Exit::worked(!failed))
}
