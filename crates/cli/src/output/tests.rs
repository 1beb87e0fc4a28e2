//! A command that a signal ends in the middle of a write leaves the previous file.

use super::*;
use std::os::unix::process::ExitStatusExt;
use std::process::{Child, Command, ExitStatus};
use std::time::Duration;

/// Environment variables: the folder that a child writes into, and what it writes: `file` or `folder`.
const FOLDER: &str = "GEMMSCOPE_TEST_FOLDER";
const WHAT: &str = "GEMMSCOPE_TEST_WHAT";

/// Runs as a separate process: writes half of a file, reports that, and waits to be ended.
#[test]
#[ignore = "a child of the tests beside it"]
fn child() {
    let folder = PathBuf::from(std::env::var_os(FOLDER).unwrap());
    let wait = || {
        fs::write(folder.with_extension("half"), "").unwrap();
        loop {
            std::thread::sleep(Duration::from_secs(60));
        }
    };
    match std::env::var(WHAT).unwrap().as_str() {
        "file" => write_file(&folder.join("out.csv"), |to| {
            to.write_all(&[b'x'; 100_000])?;
            to.flush()?;
            wait()
        }),
        _ => {
            let part = PartFolder::new(&folder).unwrap();
            part.write("01.py", "print()").unwrap();
            wait()
        }
    }
    .unwrap();
}

/// A folder in which the child reports its progress.
struct Desk(PathBuf);

impl Desk {
    fn new(name: &str) -> Desk {
        let folder = std::env::temp_dir().join(format!("gemmscope-{name}-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join("out.csv"), "before").unwrap();
        Desk(folder)
    }

    /// A child in the middle of its write; `before` is a shell line that precedes its start.
    fn child(&self, what: &str, before: &str) -> Child {
        let half = self.0.with_extension("half");
        let _ = fs::remove_file(&half);
        let own = std::env::current_exe().unwrap();
        let mut child = Command::new("sh")
            .args(["-c", &format!("ulimit -c 0; {before} exec \"$0\" \"$@\"")])
            .arg(own)
            .args(["output::tests::child", "--exact", "--ignored", "--nocapture"])
            .env(FOLDER, &self.0)
            .env(WHAT, what)
            .stdout(std::process::Stdio::null())
            .spawn()
            .unwrap();
        while !half.exists() {
            assert!(child.try_wait().unwrap().is_none(), "the child has ended");
            std::thread::sleep(Duration::from_millis(5));
        }
        child
    }

    fn names(&self) -> Vec<String> {
        let all = fs::read_dir(&self.0).unwrap();
        let mut names: Vec<String> =
            all.map(|e| e.unwrap().file_name().to_string_lossy().into_owned()).collect();
        names.sort();
        names
    }
}

impl Drop for Desk {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
        let _ = fs::remove_file(self.0.with_extension("half"));
    }
}

/// Sends signals in this order, and waits for the end.
fn end(mut child: Child, signals: &[&str]) -> ExitStatus {
    for signal in signals {
        let kill = format!("kill -{signal} {}", child.id());
        assert!(Command::new("sh").args(["-c", &kill]).status().unwrap().success());
    }
    child.wait().unwrap()
}

#[test]
fn a_signal_takes_what_is_not_whole_and_leaves_what_was_there() {
    use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGXCPU};
    let desk = Desk::new("signals");
    let all =
        [("HUP", SIGHUP), ("INT", SIGINT), ("QUIT", SIGQUIT), ("TERM", SIGTERM), ("XCPU", SIGXCPU)];
    // A child ignores the signals that this process was told to ignore, by `nohup` or as a background job.
    for (name, number) in
        all.into_iter().filter(|s| super::signals::ignored() >> (s.1 - 1) & 1 == 0)
    {
        for what in ["file", "folder"] {
            let child = desk.child(what, "");
            assert_eq!(desk.names().len(), 2, "{what}: {:?}", desk.names());
            assert_eq!(end(child, &[name]).signal(), Some(number), "{what}");
            assert_eq!(desk.names(), ["out.csv"], "{what}, {name}");
            assert_eq!(fs::read_to_string(desk.0.join("out.csv")).unwrap(), "before");
        }
    }
}

#[test]
#[cfg(target_os = "linux")]
fn a_signal_that_is_ignored_stays_so() {
    let desk = Desk::new("nohup");
    let child = desk.child("file", "trap '' HUP;");
    assert_eq!(end(child, &["HUP", "TERM"]).signal(), Some(signal_hook::consts::SIGTERM));
    assert_eq!(desk.names(), ["out.csv"]);
}

#[test]
fn a_fault_takes_what_is_not_whole() {
    let desk = Desk::new("fault");
    let path = desk.0.join("out.csv");
    let failed = write_file(&path, |to| {
        to.write_all(b"half")?;
        Err(ErrorKind::StorageFull.into())
    });
    assert_eq!(failed.unwrap_err().kind(), ErrorKind::StorageFull);
    assert_eq!(
        (desk.names(), fs::read_to_string(&path).unwrap()),
        (vec!["out.csv".into()], "before".into())
    );
    // An invalid file name, after a valid one that was written.
    let folder = desk.0.join("replays");
    let (what, _) = write_folder(&folder, &[("a.py", "1"), ("no/b.py", "2")]).unwrap_err();
    assert_eq!(what, folder.join("no/b.py"));
    assert_eq!(desk.names(), ["out.csv"]);
}
