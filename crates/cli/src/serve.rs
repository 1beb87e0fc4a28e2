//! Serves one page at a loopback address under an unguessable path, so that it can be opened through `ssh -L`.

use std::collections::hash_map::RandomState;
use std::hash::{BuildHasher, Hasher};
use std::io::{BufRead, BufReader, Read, Result, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::sync::Arc;
use std::time::Duration;

/// Maximum bytes of a request's headers.
const HEAD_LIMIT: u64 = 16 << 10;
/// Timeout for reading a request.
const PATIENCE: Duration = Duration::from_secs(10);

/// A page and where it is served.
#[derive(Debug)]
pub(super) struct Server {
    listener: TcpListener,
    port: u16,
    path: String,
}

/// 128 random bits in hexadecimal. The standard library seeds each hasher from the system's random numbers.
fn secret() -> String {
    let part = || format!("{:016x}", RandomState::new().build_hasher().finish());
    part() + &part()
}

impl Server {
    /// Listens on this port of 127.0.0.1, or on any free one if 0.
    ///
    /// # Errors
    ///
    /// The port is taken or not allowed.
    pub(super) fn new(port: u16) -> Result<Server> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port))?;
        let port = listener.local_addr()?.port();
        Ok(Server { listener, port, path: format!("/{}/", secret()) })
    }

    /// The page's address.
    pub(super) fn address(&self) -> String {
        format!("http://127.0.0.1:{}{}", self.port, self.path)
    }

    /// The port.
    pub(super) fn port(&self) -> u16 {
        self.port
    }

    /// Answers `most` requests; with `usize::MAX` until the process ends.
    pub(super) fn run(&self, html: String, most: usize) {
        let html: Arc<str> = html.into();
        for stream in self.listener.incoming().take(most) {
            // A failed connection is the client's to retry.
            let Ok(stream) = stream else { continue };
            let (html, path) = (html.clone(), self.path.clone());
            std::thread::spawn(move || {
                // The client may have gone.
                let _ = answer(&stream, &path, &html);
            });
        }
    }
}

/// The request.
#[derive(Debug, PartialEq, Eq)]
enum Asked {
    Page { body: bool },
    Nothing,
    OtherMethod,
}

fn asked(head: &[String], path: &str) -> Asked {
    let mut words = head.first().map_or("", String::as_str).split(' ');
    let (method, target) = (words.next().unwrap_or(""), words.next().unwrap_or(""));
    if !matches!(method, "GET" | "HEAD") {
        return Asked::OtherMethod;
    }
    // Other host names are refused: another site may have pointed its name here (DNS rebinding).
    let host = head.iter().skip(1).find_map(|line| {
        let (name, value) = line.split_once(':')?;
        name.eq_ignore_ascii_case("host").then(|| value.trim())
    });
    // Through a tunnel the port differs.
    let name = host.map(|h| h.rsplit_once(':').map_or(h, |(name, _)| name));
    let local = matches!(name, Some("127.0.0.1" | "localhost"));
    if target == path && local { Asked::Page { body: method == "GET" } } else { Asked::Nothing }
}

fn answer(stream: &TcpStream, path: &str, html: &str) -> Result<()> {
    stream.set_read_timeout(Some(PATIENCE))?;
    stream.set_write_timeout(Some(PATIENCE))?;
    let mut lines = BufReader::new(stream.take(HEAD_LIMIT));
    let mut head = Vec::new();
    loop {
        let mut line = String::new();
        if lines.read_line(&mut line)? == 0 || line.trim_end().is_empty() {
            break;
        }
        head.push(line.trim_end().to_owned());
    }
    let (status, kind, body, length) = match asked(&head, path) {
        Asked::Page { body } => {
            ("200 OK", "text/html; charset=utf-8", if body { html } else { "" }, html.len())
        }
        Asked::Nothing => ("404 Not Found", "text/plain", "", 0),
        Asked::OtherMethod => ("405 Method Not Allowed\r\nAllow: GET, HEAD", "text/plain", "", 0),
    };
    let mut to = stream;
    write!(
        to,
        "HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {length}\r\n\
         Cache-Control: no-store\r\nReferrer-Policy: no-referrer\r\n\
         X-Content-Type-Options: nosniff\r\nCross-Origin-Resource-Policy: same-origin\r\n\
         Connection: close\r\n\r\n"
    )?;
    to.write_all(body.as_bytes())?;
    to.flush()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(port: u16, text: &str) -> String {
        let mut stream = TcpStream::connect((Ipv4Addr::LOCALHOST, port)).unwrap();
        stream.write_all(text.as_bytes()).unwrap();
        let mut all = String::new();
        stream.read_to_string(&mut all).unwrap();
        all
    }

    #[test]
    fn only_the_page_at_its_path_is_served() {
        let server = Server::new(0).unwrap();
        let (port, path) = (server.port(), server.path.clone());
        assert_eq!(path.len(), 34, "{path}");
        assert_ne!(Server::new(0).unwrap().path, path);
        let serving = std::thread::spawn(move || server.run("<p>page</p>".into(), 8));
        let of = |method: &str, path: &str, host: &str| {
            request(port, &format!("{method} {path} HTTP/1.1\r\nHost: {host}\r\n\r\n"))
        };
        let here = format!("127.0.0.1:{port}");
        let page = of("GET", &path, &here);
        assert!(page.starts_with("HTTP/1.1 200 OK\r\n"), "{page}");
        assert!(page.ends_with("\r\n\r\n<p>page</p>"), "{page}");
        assert!(page.contains("Cache-Control: no-store"), "{page}");
        assert!(of("GET", &path, "localhost:9000").contains("200 OK"));
        let head = of("HEAD", &path, &here);
        assert!(head.contains("Content-Length: 11") && head.ends_with("\r\n\r\n"));
        for (method, path, host, status) in [
            ("GET", "/", here.as_str(), "404"),
            ("GET", &path[..path.len() - 1], &here, "404"),
            ("GET", "/../etc/passwd", &here, "404"),
            ("GET", &path, "evil.example", "404"),
            ("POST", &path, &here, "405"),
        ] {
            let answer = of(method, path, host);
            assert!(answer.starts_with(&format!("HTTP/1.1 {status} ")), "{answer}");
            assert!(answer.ends_with("\r\n\r\n"), "{answer}");
        }
        serving.join().unwrap();
    }
}
