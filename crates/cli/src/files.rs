//! The files that a command line names: single files, folders, standard input.

use gemmscope_model::encode::one_line;
use gemmscope_share::run_list::{ListedRun, MOST_LIST, RunList};
use std::borrow::Cow;
use std::collections::HashSet;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// Maximum number of files read from a folder, as on the page; a larger folder was probably named by mistake.
const MOST_OF_A_FOLDER: usize = 500;

/// One file to read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct InputFile {
    /// Path; `None` for standard input.
    pub path: Option<PathBuf>,
    /// Name for the importer; "" for standard input. A file of a folder keeps its path below that folder, so
    /// that files of one report are known to belong together.
    pub name: String,
    /// True if it was found in a folder: an unknown format is then no mistake of the user.
    pub of_folder: bool,
    /// What a list of runs says of it.
    pub run: Option<ListedRun>,
}

impl InputFile {
    fn new(path: Option<PathBuf>, name: String, of_folder: bool) -> InputFile {
        InputFile { path, name, of_folder, run: None }
    }

    /// Size in bytes; `None` for standard input and pipes.
    pub(super) fn size(&self) -> Option<u64> {
        let about = std::fs::metadata(self.path.as_ref()?).ok()?;
        about.is_file().then_some(about.len())
    }

    /// Name in messages.
    pub(super) fn name_for_people(&self) -> Cow<'_, str> {
        if self.path.is_none() { Cow::Borrowed("standard input") } else { one_line(&self.name) }
    }
}

/// The files of the arguments in order, with folders replaced by the files in them; and a sentence for each
/// argument that cannot be used.
pub(super) fn given(args: &[OsString]) -> (Vec<InputFile>, Vec<String>) {
    let (mut files, mut wrong) = (Vec::new(), Vec::new());
    let mut named = names(args).into_iter();
    for arg in args {
        let path = Path::new(arg);
        if arg == "-" {
            files.push(InputFile::new(None, String::new(), false));
        } else if path.is_dir() {
            let before = files.len();
            walk(path, &folder_name(path), &mut files, &mut wrong);
            let found = files.len() - before;
            if found > MOST_OF_A_FOLDER {
                files.truncate(before + MOST_OF_A_FOLDER);
                wrong.push(format!(
                    "{}: read only the first {MOST_OF_A_FOLDER} of {found} files",
                    path.display()
                ));
            }
            if found == 0 {
                wrong.push(format!("{}: the folder is empty", path.display()));
            }
        } else {
            let name = named.next().unwrap_or_default();
            files.push(InputFile::new(Some(path.to_owned()), name, false));
        }
    }
    (files, wrong)
}

/// Maximum number of folders in a name. Files further apart are unrelated, and their paths should not leave this
/// machine with a page or a report.
const NAMED_FOLDERS: usize = 2;

/// Names of the files that were given one by one, in order. If one of them lies in the folder that holds all
/// others, names are relative to that folder (`GEMM.csv`, `category_data/gemm_ops.csv`). Otherwise they are bare
/// file names, with folders only where two bare names are equal.
fn names(args: &[OsString]) -> Vec<String> {
    let paths: Vec<&Path> =
        args.iter().filter(|a| *a != "-").map(Path::new).filter(|p| !p.is_dir()).collect();
    let folder = |p: &Path| p.parent().unwrap_or(Path::new("")).to_owned();
    let shared = paths.iter().map(|p| folder(p)).reduce(|a, b| common(&a, &b)).unwrap_or_default();
    let bare = |p: &Path| with_slashes(Path::new(p.file_name().unwrap_or(p.as_os_str())));
    let of_one = paths.iter().any(|p| folder(p) == shared);
    let distinct: HashSet<String> = paths.iter().map(|p| bare(p)).collect();
    let name = |p: &&Path| {
        let below = p.strip_prefix(&shared).unwrap_or(p);
        let near = below.components().count() <= NAMED_FOLDERS + 1;
        let apart = shared.has_root() && shared.parent().is_none();
        let told_by_folder = of_one || distinct.len() < paths.len();
        if told_by_folder && near && !apart { with_slashes(below) } else { bare(p) }
    };
    paths.iter().map(name).collect()
}

/// The files with lists of runs replaced by their runs, oldest first. A run whose file another argument or the folder
/// of the list names too is one file. Sentences for the lists that cannot be read.
pub(super) fn with_runs(files: Vec<InputFile>) -> (Vec<InputFile>, Vec<String>) {
    let (mut out, mut wrong, mut listed) = (Vec::new(), Vec::new(), HashSet::new());
    for file in files {
        let Some((path, text)) = list_of(&file) else {
            out.push(file);
            continue;
        };
        let folder = path.parent().unwrap_or(Path::new(""));
        match RunList::read(&text) {
            Ok(list) => out.extend(list.runs.into_iter().map(|run| {
                let path = folder.join(&run.rows);
                listed.insert(path.clone());
                let name = run.rows.rsplit('/').next().unwrap_or(&run.rows).to_owned();
                InputFile { run: Some(run), ..InputFile::new(Some(path), name, false) }
            })),
            Err(why) => wrong.push(format!("{}: {why}", file.name_for_people())),
        }
    }
    out.retain(|f| f.run.is_some() || f.path.as_ref().is_none_or(|p| !listed.contains(p)));
    (out, wrong)
}

/// Path and text of a list of runs; `None` for any other file.
fn list_of(file: &InputFile) -> Option<(PathBuf, String)> {
    let path = file.path.clone().filter(|p| p.extension().is_some_and(|e| e == "json"))?;
    let small = file.size().is_some_and(|size| size <= MOST_LIST);
    let text = small.then(|| std::fs::read_to_string(&path).ok()).flatten()?;
    RunList::is_list(&text).then_some((path, text))
}

/// The deepest common folder.
fn common(a: &Path, b: &Path) -> PathBuf {
    a.components().zip(b.components()).take_while(|(a, b)| a == b).map(|(a, _)| a).collect()
}

fn folder_name(path: &Path) -> String {
    let absolute = path.canonicalize();
    let path = absolute.as_deref().unwrap_or(path);
    path.file_name().map_or_else(String::new, |n| n.to_string_lossy().into_owned())
}

fn with_slashes(path: &Path) -> String {
    let parts: Vec<_> =
        path.components().map(|c| c.as_os_str().to_string_lossy().into_owned()).collect();
    parts.join("/")
}

/// Adds the files of a folder and its subfolders, sorted by name, without hidden ones.
fn walk(folder: &Path, name: &str, files: &mut Vec<InputFile>, wrong: &mut Vec<String>) {
    let entries = match std::fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(e) => {
            wrong.push(format!("{}: cannot be read: {e}", folder.display()));
            return;
        }
    };
    let mut entries: Vec<_> = entries.filter_map(Result::ok).collect();
    entries.sort_by_key(std::fs::DirEntry::file_name);
    for entry in entries {
        let own = entry.file_name().to_string_lossy().into_owned();
        // Links to folders are not followed: they may form a cycle.
        let Ok(kind) = entry.file_type() else {
            continue;
        };
        if own.starts_with('.') {
            continue;
        }
        let name = format!("{name}/{own}");
        if kind.is_dir() {
            walk(&entry.path(), &name, files, wrong);
        } else if entry.path().is_file() {
            files.push(InputFile::new(Some(entry.path()), name, true));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(args: &[&str]) -> Vec<String> {
        let args: Vec<OsString> = args.iter().map(OsString::from).collect();
        given(&args).0.into_iter().map(|g| g.name).collect()
    }

    #[test]
    fn files_are_named_from_the_folder_they_share() {
        assert_eq!(names(&["/no/such/a.csv"]), ["a.csv"]);
        assert_eq!(names(&["x/a.csv", "x/b.csv"]), ["a.csv", "b.csv"]);
        assert_eq!(
            names(&["r/GEMM.csv", "-", "r/category_data/gemm_ops.csv"]),
            ["GEMM.csv", "", "category_data/gemm_ops.csv"]
        );
        assert_eq!(names(&["a/G.csv", "b/G.csv"]), ["a/G.csv", "b/G.csv"]);
        // Far apart: no path of this machine is passed on.
        assert_eq!(names(&["/home/me/work/a.csv", "/tmp/x/y/b.csv"]), ["a.csv", "b.csv"]);
        // Unrelated folders have plain names, wherever they are.
        assert_eq!(names(&["/tmp/clone/data/a.csv", "/tmp/scratch/b.csv"]), ["a.csv", "b.csv"]);
        assert_eq!(names(&["/tmp/x/a.csv", "/tmp/y/a.csv"]), ["x/a.csv", "y/a.csv"]);
    }

    #[test]
    fn a_folder_stands_for_its_files() {
        let root = std::env::temp_dir().join(format!("gemmscope-files-{}", std::process::id()));
        let report = root.join("report");
        std::fs::create_dir_all(report.join("metadata")).unwrap();
        std::fs::create_dir_all(root.join("none")).unwrap();
        for name in ["b.csv", "metadata/a.json", ".hidden"] {
            std::fs::write(report.join(name), "").unwrap();
        }
        let args = [report.clone().into_os_string()];
        let (files, wrong) = given(&args);
        let found: Vec<&str> = files.iter().map(|g| g.name.as_str()).collect();
        assert_eq!(found, ["report/b.csv", "report/metadata/a.json"]);
        assert!(files.iter().all(|g| g.of_folder) && wrong.is_empty());
        let (files, wrong) = given(&[root.join("none").into_os_string()]);
        assert!(files.is_empty() && wrong[0].contains("empty"), "{wrong:?}");
        std::fs::remove_dir_all(root).unwrap();
    }
}
