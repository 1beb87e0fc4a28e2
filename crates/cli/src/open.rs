//! `gemmscope open`: the page with the data inside, in the browser of the person who asks. Over
//! ssh that browser is elsewhere, so the command says how the page gets there.

use crate::Io;
use crate::args::Args;
use crate::load::{Exit, Stop};
use crate::messages::{Code, Messages};
use crate::page::{Made, make};
use crate::progress;
use crate::serve::{Server, secret};
use gemmscope_share::data::base_name;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// How long a program that starts browsers may take to fail.
const START: Duration = Duration::from_secs(2);

/// Makes the page and opens it, or says where it is.
pub(super) fn open(args: &Args, io: &mut Io<'_>) -> Result<Exit, Stop> {
    let made = make(args, io)?;
    progress::stop();
    let worked = Exit::worked(!made.failed);
    let browser = Browser::of(&|name| std::env::var_os(name).filter(|v| !v.is_empty()));
    if args.serve {
        if let Some(path) = &args.output {
            write(Path::new(path), &made.html, &mut io.err)?;
        }
        return serve(args, made, &browser, io);
    }
    let path = match &args.output {
        Some(path) => PathBuf::from(path),
        None => temporary(&made.first).or_else(|e| io.err.unwritten(&std::env::temp_dir(), &e))?,
    };
    write(&path, &made.html, &mut io.err)?;
    let path = path.canonicalize().unwrap_or(path);
    writeln!(io.out, "{}", path.display())?;
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

/// Serves the page until the process is ended.
fn serve(args: &Args, made: Made, browser: &Browser, io: &mut Io<'_>) -> Result<Exit, Stop> {
    let server = match Server::new(args.port) {
        Ok(server) => server,
        Err(e) => {
            let why = format!("--serve: port {} cannot be had: {e}", args.port);
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
    // The remote terminal of an editor opens addresses in the browser of its user.
    if (!browser.away || browser.chosen.is_some())
        && let Err(why) = browser.show(OsStr::new(&server.address()))
    {
        io.err.say(Code::NoBrowser, &format!("{why}: open the address yourself"))?;
    }
    io.err.hint("Only this machine can reach it. Ctrl-C ends it.")?;
    server.run(made.html, usize::MAX);
    Ok(Exit::worked(!made.failed))
}

/// This machine's name, for a command that the user completes.
fn host() -> String {
    let name = std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
    let name = name.trim();
    if name.is_empty() { "THIS-HOST".into() } else { name.to_owned() }
}

fn write(path: &Path, html: &str, err: &mut Messages<'_>) -> Result<(), Stop> {
    std::fs::write(path, html).or_else(|e| err.unwritten(path, &e))
}

/// A new file in a new folder that only the user can read.
fn temporary(first: &str) -> std::io::Result<PathBuf> {
    let folder = std::env::temp_dir().join(format!("gemmscope-{}", &secret()[..12]));
    #[cfg(unix)]
    {
        let mut builder = std::fs::DirBuilder::new();
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        builder.create(&folder)?;
    }
    #[cfg(not(unix))]
    std::fs::create_dir(&folder)?;
    Ok(folder.join(file_name(first)))
}

/// The page's name after that of its first file.
fn file_name(first: &str) -> String {
    let stem = base_name(first).split('.').next().unwrap_or_default();
    let plain = |c: char| if c.is_alphanumeric() { c } else { '-' };
    let stem: String = stem.chars().take(60).map(plain).collect();
    match stem.trim_matches('-') {
        "" | "standard-input" => "gemmscope.html".into(),
        stem => format!("{stem}.gemmscope.html"),
    }
}

/// What opens a page for the user.
#[derive(Debug, PartialEq, Eq)]
struct Browser {
    /// The user sits at another machine, or there is no screen.
    away: bool,
    /// The command of `BROWSER`.
    chosen: Option<OsString>,
}

impl Browser {
    /// As the variables of the environment say.
    fn of(variable: &dyn Fn(&str) -> Option<OsString>) -> Browser {
        let any = |names: &[&str]| names.iter().any(|name| variable(name).is_some());
        let chosen = variable("BROWSER");
        let screenless = cfg!(all(unix, not(target_os = "macos")))
            && chosen.is_none()
            && !any(&["DISPLAY", "WAYLAND_DISPLAY"]);
        Browser { away: any(&["SSH_CONNECTION", "SSH_TTY"]) || screenless, chosen }
    }

    /// Program and arguments that show this.
    fn command(&self, what: &OsStr) -> Vec<OsString> {
        let words: &[&str] = if cfg!(windows) {
            &["rundll32", "url.dll,FileProtocolHandler"]
        } else if cfg!(target_os = "macos") {
            &["open"]
        } else {
            &["xdg-open"]
        };
        // Several may be given; the first is what the user wants.
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

/// False if it fails at once; a browser itself goes on running.
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
