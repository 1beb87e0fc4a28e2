//! Adds a run to a list of runs.

use super::History;
use crate::Io;
use crate::exit::{Exit, Stop};
use crate::load::{as_one, load};
use crate::messages::Code;
use crate::output::write_file;
use flate2::Compression;
use flate2::write::GzEncoder;
use gemmscope_analysis::history::stated;
use gemmscope_model::hardware::RoofKind;
use gemmscope_model::units::{date, instant};
use gemmscope_share::data::base_name;
use gemmscope_share::run_list::{ListedRun, RunList, digest};
use gemmscope_table::dataset::{Dataset, RunInfo};
use gemmscope_table::field::Frame;
use gemmscope_table::native_csv;
use std::io::Write;
use std::path::Path;
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

/// Name of the list in its folder.
const LIST: &str = "history.json";
/// Folder of the runs, beside the list.
const RUNS: &str = "runs";

/// A date, or a date with a time.
pub(super) fn when(text: &str) -> Result<String, String> {
    match instant(text) {
        Some(_) => Ok(text.to_owned()),
        None => Err(format!("expected 2026-11-28 or 2026-11-28T09:30:00Z: {text}")),
    }
}

/// Now, in UTC.
fn now() -> String {
    let seconds = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |d| d.as_secs());
    utc(seconds)
}

/// Seconds since 1970-01-01 00:00 UTC in the form of RFC 3339.
fn utc(seconds: u64) -> String {
    let (day, clock) = (seconds / 86_400, seconds % 86_400);
    let (hour, minute, second) = (clock / 3600, clock / 60 % 60, clock % 60);
    format!("{}T{hour:02}:{minute:02}:{second:02}Z", date(day.cast_signed()))
}

/// The rows as our own CSV, packed; the same rows give the same bytes.
fn packed(data: &Dataset) -> std::io::Result<Vec<u8>> {
    let mut to = GzEncoder::new(Vec::new(), Compression::best());
    let mut writer = native_csv::CsvWriter::new(data, None);
    to.write_all(writer.header().as_bytes())?;
    to.write_all(writer.rows(0..data.len()).as_bytes())?;
    to.finish()
}

/// Writes the rows of the files as a run, and the list with it.
pub(super) fn run(options: &History, folder: &Path, io: &mut Io<'_>) -> Result<Exit, Stop> {
    let mut loaded = load(&options.input.request(), io.stdin).with_rows(&mut io.err)?;
    let path = folder.join(LIST);
    // Whoever made the folder would choose where the rows are written.
    for link in [folder.join(RUNS), path.clone()] {
        if link.is_symlink() {
            let why = format!("{} is a link; it may lead anywhere", link.display());
            return io.err.stop(Code::CannotWrite, &why);
        }
    }
    let mut list = match std::fs::read_to_string(&path) {
        Ok(text) => RunList::read(&text)
            .or_else(|why| io.err.stop(Code::CannotRead, &format!("{}: {why}", path.display())))?,
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => RunList::default(),
        Err(e) => {
            let why = format!("{} cannot be read: {e}", path.display());
            return io.err.stop(Code::CannotRead, &why);
        }
    };
    let metrics = Arc::new(loaded.metrics(RoofKind::default()));
    let failed = loaded.failed;
    let data = Arc::new(std::mem::take(&mut loaded.data));
    let given = RunInfo {
        when: options.when.clone().unwrap_or_default(),
        commit: options.commit.clone(),
        run: options.run.clone(),
        ..RunInfo::default()
    };
    let host = RunInfo { host: options.host.clone(), ..RunInfo::default() };
    let mut info = given.or(stated(&Frame::all(data.clone(), metrics))).or(host);
    if info.when.is_empty() {
        info.when = now();
    }
    let rows = list.file_of(&info);
    let file = folder.join(&rows);
    // The rows are those of one run, by its name, whatever their files were called.
    let bytes = packed(&as_one(Dataset::clone(&data), base_name(&rows)))?;
    let run = ListedRun { rows: rows.clone(), sha256: digest(&bytes), info };
    let gone = list.add(run, usize::from(options.most));
    if gone.iter().any(|old| old.rows == rows) {
        let why =
            format!("not kept: the {} runs of {} are all newer", options.most, path.display());
        return io.err.stop(Code::Nothing, &why);
    }
    // The list names a run only once it is there, and none that is gone.
    let write = |path: &Path, bytes: &[u8]| write_file(path, |to| to.write_all(bytes));
    write(&file, &bytes).or_else(|e| io.err.unwritten(&file, &e))?;
    write(&path, list.write().as_bytes()).or_else(|e| io.err.unwritten(&path, &e))?;
    for old in gone {
        remove(folder, &old);
    }
    writeln!(io.out, "{}", file.display())?;
    Ok(Exit::worked(!failed))
}

/// Removes the file of a run that the list has no more, if it is what the list said: a list can come from anybody.
fn remove(folder: &Path, run: &ListedRun) {
    let path = folder.join(&run.rows);
    let is_ours = Path::new(&run.rows).parent() == Some(Path::new(RUNS));
    let is_file = || path.symlink_metadata().is_ok_and(|meta| meta.is_file());
    if is_ours && is_file() && std::fs::read(&path).is_ok_and(|bytes| run.is(&bytes)) {
        // What cannot be removed only takes room.
        let _ = std::fs::remove_file(path);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seconds_are_a_date() {
        assert_eq!(utc(0), "1970-01-01T00:00:00Z");
        assert_eq!(utc(951_782_400), "2000-02-29T00:00:00Z");
        assert_eq!(utc(1_795_858_199), "2026-11-28T09:29:59Z");
        assert_eq!(when(&utc(4_102_444_800)), Ok("2100-01-01T00:00:00Z".to_owned()));
        assert!(when("28.11.2026").is_err() && when("").is_err());
    }
}
