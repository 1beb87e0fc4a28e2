//! `gemmscope open`: opens the page with the data inside in the user's browser. Over ssh the browser is on another
//! machine, so the command says how to get the page there.

use crate::Io;
use crate::command_line::notes;
use crate::exit::{Exit, Stop};
use crate::messages::{Code, Messages};
use crate::page::{Content, Made, html};
use crate::serve::Server;
use crate::{output, progress};
use clap::builder::TypedValueParser;
use gemmscope_model::encode::one_line;
use gemmscope_share::data::base_name;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// Time for which the opener (`xdg-open`) is watched for failure.
const START: Duration = Duration::from_secs(2);

/// The page with the data inside, in the browser
#[derive(Debug, clap::Args)]
#[command(after_help = notes(
    "Over ssh, or where no browser can be, it prints the file to copy. --serve offers the page at an\n\
     address of this machine alone, with a path that nobody can guess, until Ctrl-C. Without -o the\n\
     file lies in the folder for temporary files, readable by you alone.\n",
    &[
        "gemmscope open bench.csv --device mi300x",
        "hipblaslt-bench --log 1 | gemmscope open - --device mi300x",
    ],
))]
pub(super) struct Open {
    /// Offer the page at a loopback address until Ctrl-C, instead of a file
    #[arg(long)]
    serve: bool,
    /// Port of --serve; 0 is any free one
    #[arg(long, value_name = "N", default_value_t = 0, requires = "serve")]
    port: u16,
    /// Output file [default: a temporary one]
    #[arg(short, long, value_name = "OUT.html", value_parser = named_html())]
    output: Option<PathBuf>,
    #[command(flatten)]
    pub content: Content,
}

fn named_html() -> impl TypedValueParser<Value = PathBuf> {
    html().try_map(|path| match path == Path::new("-") {
        true => Err("name a file; `gemmscope page -o -` writes to standard output"),
        false => Ok(path),
    })
}

impl Open {
    /// Writes or serves the page and opens it, or prints where it is.
    pub(super) fn run(&self, io: &mut Io<'_>) -> Result<Exit, Stop> {
        let made = self.content.make(self.output.as_deref(), io)?;
        progress::stop();
        let worked = Exit::worked(!made.failed);
        let browser = Browser::of(&|name| std::env::var_os(name).filter(|v| !v.is_empty()));
        if self.serve {
            if let Some(path) = &self.output {
                write(path, &made.html, &mut io.err)?;
            }
            return serve(self.port, made, &browser, io);
        }
        let path = match &self.output {
            Some(path) => {
                write(path, &made.html, &mut io.err)?;
                path.clone()
            }
            None => write_temporary(&made, &mut io.err)?,
        };
        let path = path.canonicalize().unwrap_or(path);
        writeln!(io.out, "{}", one_line(&path.to_string_lossy()))?;
        io.out.flush()?;
        if browser.away {
            io.err.hint(
            "No browser here: copy this file to a machine that has one and open it there, or run \
             the command again with --serve.",
        )?;
        } else if let Err(why) = browser.show(path.as_os_str()) {
            io.err.say(Code::NoBrowser, &format!("{why}: open the file yourself"))?;
        }
        Ok(worked)
    }
}

/// Serves the page until the process is ended.
fn serve(port: u16, made: Made, browser: &Browser, io: &mut Io<'_>) -> Result<Exit, Stop> {
    let server = match Server::new(port) {
        Ok(server) => server,
        Err(e) => {
            let why = format!("--serve: port {port} cannot be had: {e}");
            return io.err.stop(Code::CannotWrite, &why);
        }
    };
    writeln!(io.out, "{}", server.address())?;
    io.out.flush()?;
    if browser.away {
        let port = server.port();
        io.err.hint(&format!(
            "From your machine: ssh -N -L {port}:127.0.0.1:{port} {}, then open the address there.",
            host()
        ))?;
    }
    // The remote terminal of an editor sets BROWSER and opens addresses on the user's machine.
    if (!browser.away || browser.chosen.is_some())
        && let Err(why) = browser.show(OsStr::new(&server.address()))
    {
        io.err.say(Code::NoBrowser, &format!("{why}: open the address yourself"))?;
    }
    io.err.hint("Only this machine can reach it. Ctrl-C ends it.")?;
    server.run(made.html, usize::MAX);
    Ok(Exit::worked(!made.failed))
}

/// This machine's name, for the suggested ssh command.
fn host() -> String {
    let name = std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
    let name = name.trim();
    if name.is_empty() { "THIS-HOST".into() } else { name.to_owned() }
}

fn write(path: &Path, html: &str, err: &mut Messages<'_>) -> Result<(), Stop> {
    let written = output::write_file(path, |to| to.write_all(html.as_bytes()));
    written.or_else(|e| err.unwritten(path, &e))
}

/// Writes the page into a new folder that only the user can read.
fn write_temporary(made: &Made, err: &mut Messages<'_>) -> Result<PathBuf, Stop> {
    let folder = output::temporary_folder();
    let folder = folder.or_else(|e| err.unwritten(&std::env::temp_dir(), &e))?;
    remove_old(folder.path());
    let name = file_name(&made.first);
    write(&folder.path().join(&name), &made.html, err)?;
    Ok(folder.keep().join(name))
}

/// Age at which pages of earlier runs are removed; until then their tabs can be reloaded.
const KEPT: Duration = Duration::from_secs(24 * 3600);

/// Removes the folders of the user's earlier runs.
fn remove_old(own: &Path) {
    let beside = own.parent().and_then(|all| std::fs::read_dir(all).ok());
    for entry in beside.into_iter().flatten().filter_map(Result::ok) {
        let path = entry.path();
        let old = || {
            let about = entry.metadata().ok()?;
            let age = about.modified().ok()?.elapsed().ok()?;
            let ours = about.is_dir() && output::is_temporary(&path) && same_owner(&about, own);
            let mut inside = std::fs::read_dir(&path).ok().filter(|_| ours && age > KEPT)?;
            let page = |name: &str| name.ends_with("gemmscope.html");
            Some(inside.all(|e| e.is_ok_and(|e| e.file_name().to_str().is_some_and(page))))
        };
        if old() == Some(true) {
            // Errors are ignored: the system empties the temporary folder too.
            let _ = std::fs::remove_dir_all(&path);
        }
    }
}

#[cfg(unix)]
fn same_owner(about: &std::fs::Metadata, own: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    std::fs::metadata(own).is_ok_and(|own| own.uid() == about.uid())
}

#[cfg(not(unix))]
fn same_owner(_: &std::fs::Metadata, _: &Path) -> bool {
    true
}

/// File name of the page, after its first data file.
fn file_name(first: &str) -> String {
    let stem = base_name(first).split('.').next().unwrap_or_default();
    let plain = |c: char| if c.is_alphanumeric() { c } else { '-' };
    let stem: String = stem.chars().take(60).map(plain).collect();
    match stem.trim_matches('-') {
        "" | "standard-input" => "gemmscope.html".into(),
        stem => format!("{stem}.gemmscope.html"),
    }
}

/// How to open a page for the user.
#[derive(Debug, PartialEq, Eq)]
struct Browser {
    /// No browser here: the user is connected by ssh, or there is no display.
    away: bool,
    /// The value of `BROWSER`.
    chosen: Option<OsString>,
}

impl Browser {
    /// Reads the environment.
    fn of(variable: &dyn Fn(&str) -> Option<OsString>) -> Browser {
        let any = |names: &[&str]| names.iter().any(|name| variable(name).is_some());
        let chosen = variable("BROWSER");
        let screenless = cfg!(all(unix, not(target_os = "macos")))
            && chosen.is_none()
            && !any(&["DISPLAY", "WAYLAND_DISPLAY"]);
        Browser { away: any(&["SSH_CONNECTION", "SSH_TTY"]) || screenless, chosen }
    }

    /// Program and arguments that open this path or address.
    fn command(&self, what: &OsStr) -> Vec<OsString> {
        let words: &[&str] = if cfg!(windows) {
            &["rundll32", "url.dll,FileProtocolHandler"]
        } else if cfg!(target_os = "macos") {
            &["open"]
        } else {
            &["xdg-open"]
        };
        // BROWSER may list several, separated by colons.
        let chosen = self.chosen.as_deref().and_then(OsStr::to_str);
        let chosen = chosen.map(|c| c.split(':').next().unwrap_or(c));
        let mut words: Vec<OsString> = match chosen {
            Some(chosen) => chosen.split_whitespace().map(OsString::from).collect(),
            None => words.iter().map(OsString::from).collect(),
        };
        match words.iter_mut().find(|w| *w == "%s") {
            Some(place) => what.clone_into(place),
            None => words.push(what.to_owned()),
        }
        words
    }

    /// Starts it.
    fn show(&self, what: &OsStr) -> Result<(), String> {
        let words = self.command(what);
        let name = words[0].to_string_lossy().into_owned();
        let child = Command::new(&words[0])
            .args(&words[1..])
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .map_err(|e| format!("{name} cannot be started: {e}"))?;
        if started(child) { Ok(()) } else { Err(format!("{name} opened nothing")) }
    }
}

/// False if it fails within [`START`]; a browser may keep running.
fn started(mut child: Child) -> bool {
    let start = Instant::now();
    while start.elapsed() < START {
        match child.try_wait() {
            Ok(Some(status)) => return status.success(),
            Ok(None) => std::thread::sleep(Duration::from_millis(20)),
            Err(_) => return false,
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(set: &[(&str, &str)]) -> Browser {
        Browser::of(&|name| {
            let found = set.iter().find(|(n, _)| *n == name);
            found.map(|(_, value)| OsString::from(value))
        })
    }

    #[test]
    fn over_ssh_and_without_a_screen_the_browser_is_elsewhere() {
        assert!(!of(&[("DISPLAY", ":0")]).away);
        assert!(!of(&[("WAYLAND_DISPLAY", "wayland-0")]).away);
        assert!(!of(&[("BROWSER", "lynx")]).away);
        assert!(of(&[("DISPLAY", ":0"), ("SSH_CONNECTION", "1 2 3 4")]).away);
        assert!(of(&[("BROWSER", "lynx"), ("SSH_TTY", "/dev/pts/0")]).away);
        #[cfg(all(unix, not(target_os = "macos")))]
        assert!(of(&[]).away);
    }

    #[test]
    fn the_users_browser_takes_the_page() {
        let words = |browser: &str| of(&[("BROWSER", browser)]).command(OsStr::new("/x y.html"));
        assert_eq!(words("firefox"), ["firefox", "/x y.html"]);
        assert_eq!(words("w3m -T %s -o:lynx"), ["w3m", "-T", "/x y.html", "-o"]);
        assert_eq!(of(&[]).command(OsStr::new("a")).last().unwrap(), "a");
    }

    #[test]
    fn the_page_is_called_after_its_data() {
        assert_eq!(file_name("runs/bench v2.csv.gz"), "bench-v2.gemmscope.html");
        assert_eq!(file_name("standard input"), "gemmscope.html");
        assert_eq!(file_name("../..//.csv"), "gemmscope.html");
    }
}
