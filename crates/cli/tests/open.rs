//! `gemmscope open` in the situations of a user: with a browser, over ssh, at an address.

#![cfg(unix)]
#![allow(clippy::unwrap_used, reason = "a test that cannot go on says where")]

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};

const FILE: &str = "M,N,K,dtype,time_us\n4096,4096,4096,fp16,690\n";
const APP: &str =
    "<html><script type=\"text/plain\" id=\"gemmscope-data\"></script><p>program</p></html>";

/// A folder with a file, a page, and a browser that logs its arguments.
struct Desk(PathBuf);

impl Desk {
    fn new(name: &str) -> Desk {
        let folder = std::env::temp_dir().join(format!("gemmscope-{name}-{}", std::process::id()));
        std::fs::create_dir_all(folder.join("tmp")).unwrap();
        let desk = Desk(folder);
        std::fs::write(desk.at("bench.csv"), FILE).unwrap();
        std::fs::write(desk.at("app.html"), APP).unwrap();
        desk.browser("printf %s \"$1\" > \"$0.seen\"\n");
        desk
    }

    fn at(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    fn browser(&self, does: &str) {
        std::fs::write(self.at("browser"), format!("#!/bin/sh\n{does}")).unwrap();
        let may_run = std::fs::Permissions::from_mode(0o755);
        std::fs::set_permissions(self.at("browser"), may_run).unwrap();
    }

    fn seen(&self) -> Option<String> {
        std::fs::read_to_string(self.at("browser.seen")).ok()
    }

    /// `gemmscope open` in an otherwise empty environment.
    fn open(&self, args: &[&str], variables: &[(&str, &str)]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_gemmscope"));
        command.arg("open").args(args).arg("--app").arg(self.at("app.html"));
        command.current_dir(&self.0).env_clear();
        command.env("PATH", "/usr/bin:/bin").env("TMPDIR", self.at("tmp"));
        command.envs(variables.iter().copied());
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    fn run(&self, args: &[&str], variables: &[(&str, &str)]) -> Output {
        let mut child = self.open(args, variables).spawn().unwrap();
        let stdin = child.stdin.take();
        if args.contains(&"-") {
            stdin.unwrap().write_all(FILE.as_bytes()).unwrap();
        }
        child.wait_with_output().unwrap()
    }
}

impl Drop for Desk {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// A process that ends with the test.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

#[test]
fn the_browser_gets_a_page_that_only_the_user_can_read() {
    let desk = Desk::new("open");
    let browser = desk.at("browser");
    let here = [("BROWSER", browser.to_str().unwrap())];
    for (file, name) in [("bench.csv", "bench.gemmscope.html"), ("-", "gemmscope.html")] {
        let ran = desk.run(&[file, "--device", "mi300x"], &here);
        let (out, err) = (text(&ran.stdout), text(&ran.stderr));
        assert_eq!((ran.status.code(), err.as_str()), (Some(0), ""), "{out}");
        let path = Path::new(out.trim_end());
        assert_eq!(path.file_name().unwrap(), name);
        assert_eq!(desk.seen().as_deref(), path.to_str());
        let html = std::fs::read_to_string(path).unwrap();
        assert!(html.contains("v=1&device=mi300x\n") && html.len() > APP.len());
        let folder = std::fs::metadata(path.parent().unwrap()).unwrap();
        assert_eq!(folder.permissions().mode() & 0o777, 0o700);
    }
    let named = desk.run(&["bench.csv", "-o", "here.html"], &here);
    assert!(text(&named.stdout).ends_with("/here.html\n"));
    assert!(desk.at("here.html").exists());
}

#[test]
fn pages_of_earlier_days_go_when_another_one_opens() {
    let desk = Desk::new("days");
    let browser = desk.at("browser");
    let here = [("BROWSER", browser.to_str().unwrap())];
    let open = || PathBuf::from(text(&desk.run(&["bench.csv"], &here).stdout).trim_end());
    let (first, second) = (open(), open());
    let own = desk.at("tmp/gemmscope-abc123");
    std::fs::create_dir(&own).unwrap();
    std::fs::write(own.join("notes.txt"), "mine").unwrap();
    let other = desk.at("tmp/gemmscope-of-mine");
    std::fs::create_dir(&other).unwrap();
    let days_ago = std::time::SystemTime::now() - std::time::Duration::from_secs(2 * 24 * 3600);
    for folder in [first.parent().unwrap(), &own, &other] {
        std::fs::File::open(folder).unwrap().set_modified(days_ago).unwrap();
    }
    let third = open();
    assert!(!first.parent().unwrap().exists());
    assert!(second.exists() && third.exists() && own.join("notes.txt").exists() && other.exists());
}

#[test]
fn over_ssh_it_says_what_to_copy_and_starts_nothing() {
    let desk = Desk::new("away");
    let browser = desk.at("browser");
    let away =
        [("BROWSER", browser.to_str().unwrap()), ("SSH_CONNECTION", "10.0.0.1 50000 10.0.0.2 22")];
    for variables in [&away[..], &[]] {
        let ran = desk.run(&["bench.csv"], variables);
        let (out, err) = (text(&ran.stdout), text(&ran.stderr));
        assert_eq!(ran.status.code(), Some(0), "{err}");
        assert!(Path::new(out.trim_end()).exists(), "{out}");
        assert!(err.contains("copy this file") && err.contains("--serve"), "{err}");
    }
    assert_eq!(desk.seen(), None);
}

#[test]
fn a_browser_that_fails_is_told_and_the_page_is_there() {
    let desk = Desk::new("fails");
    desk.browser("exit 3\n");
    let browser = desk.at("browser");
    for program in [browser.to_str().unwrap(), "/no/such/browser"] {
        let ran = desk.run(&["bench.csv"], &[("BROWSER", program)]);
        assert_eq!(ran.status.code(), Some(0));
        assert!(Path::new(text(&ran.stdout).trim_end()).exists());
        let err = text(&ran.stderr);
        assert!(err.contains(program) && err.contains("open the file yourself"), "{err}");
    }
}

#[test]
fn serve_offers_the_page_until_it_is_ended() {
    let desk = Desk::new("serve");
    let browser = desk.at("browser");
    let away =
        [("BROWSER", browser.to_str().unwrap()), ("SSH_CONNECTION", "10.0.0.1 50000 10.0.0.2 22")];
    let mut running = Running(desk.open(&["bench.csv", "--serve"], &away).spawn().unwrap());
    let mut address = String::new();
    let mut out = BufReader::new(running.0.stdout.take().unwrap());
    out.read_line(&mut address).unwrap();
    let address = address.trim_end();
    let rest = address.strip_prefix("http://127.0.0.1:").unwrap();
    let (port, path) = rest.split_once('/').unwrap();
    let mut lines = BufReader::new(running.0.stderr.take().unwrap()).lines();
    let hint = lines.next().unwrap().unwrap();
    assert!(hint.contains(&format!("ssh -N -L {port}:127.0.0.1:{port} ")), "{hint}");
    assert!(lines.next().unwrap().unwrap().contains("Ctrl-C"));
    // The helper of an editor's remote terminal was called.
    assert_eq!(desk.seen().as_deref(), Some(address));
    let get = |path: &str| {
        let mut stream = TcpStream::connect(("127.0.0.1", port.parse().unwrap())).unwrap();
        write!(stream, "GET {path} HTTP/1.1\r\nHost: localhost:{port}\r\n\r\n").unwrap();
        let mut all = String::new();
        stream.read_to_string(&mut all).unwrap();
        all
    };
    let page = get(&format!("/{path}"));
    assert!(page.starts_with("HTTP/1.1 200 OK") && page.ends_with("<p>program</p></html>"));
    assert!(get("/").starts_with("HTTP/1.1 404 "));
    assert!(running.0.try_wait().unwrap().is_none(), "it goes on serving");
    // Nothing was written.
    assert_eq!(std::fs::read_dir(desk.at("tmp")).unwrap().count(), 0);
    let taken = desk.run(&["bench.csv", "--serve", "--port", port], &away);
    assert_eq!(taken.status.code(), Some(1));
    assert!(text(&taken.stderr).contains("cannot be had"));
}
