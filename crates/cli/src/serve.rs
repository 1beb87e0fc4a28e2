//! Serves one page at a loopback address under an unguessable path, so that it can be opened through `ssh -L`.

use std::collections::hash_map::RandomState;
use std::hash::{BuildHasher, Hasher};
use std::io::{Error, ErrorKind, Read, Result, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Maximum bytes of a request's headers.
const HEAD_LIMIT: usize = 16 << 10;
/// Time for all headers of a request, and for each write of the answer.
const PATIENCE: Duration = Duration::from_secs(10);
/// Connections answered at once, each by a thread of its own; further ones are told to come again.
const MOST_OPEN: usize = 64;

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
        // Cloned by each open connection.
        let open = Arc::new(());
        for stream in self.listener.incoming().take(most) {
            // A failed connection is the client's to retry.
            let Ok(stream) = stream else { continue };
            if Arc::strong_count(&open) > MOST_OPEN {
                let _ = write_answer(&stream, &Answer::BUSY, "");
                continue;
            }
            let (html, path, open) = (html.clone(), self.path.clone(), open.clone());
            std::thread::spawn(move || {
                let _open = open;
                // The client may have gone.
                let _ = answer(&stream, &path, &html);
            });
        }
    }
}

/// What a request is answered.
#[derive(Debug, PartialEq, Eq)]
struct Answer {
    status: &'static str,
    /// True for the page, false for an empty text.
    page: bool,
    /// False for the headers alone.
    body: bool,
}

impl Answer {
    const BAD: Answer = Answer::empty("400 Bad Request");
    const NOTHING: Answer = Answer::empty("404 Not Found");
    const OTHER_METHOD: Answer = Answer::empty("405 Method Not Allowed\r\nAllow: GET, HEAD");
    const TOO_LONG: Answer = Answer::empty("431 Request Header Fields Too Large");
    const BUSY: Answer = Answer::empty("503 Service Unavailable\r\nRetry-After: 1");

    const fn empty(status: &'static str) -> Answer {
        Answer { status, page: false, body: true }
    }

    /// The answer to a request with these headers.
    fn of(head: &str, path: &str) -> Answer {
        let mut lines = head.lines();
        let mut words = lines.next().unwrap_or("").split(' ');
        let (Some(method), Some(target), Some(_)) = (words.next(), words.next(), words.next())
        else {
            return Answer::BAD;
        };
        let mut hosts = lines.filter_map(|line| {
            let (name, value) = line.split_once(':')?;
            name.eq_ignore_ascii_case("host").then(|| value.trim())
        });
        // RFC 9112, section 3.2: no Host or several are an error.
        let (Some(host), None) = (hosts.next(), hosts.next()) else { return Answer::BAD };
        if !matches!(method, "GET" | "HEAD") {
            return Answer::OTHER_METHOD;
        }
        // Other host names are refused: another site may have pointed its name here (DNS rebinding). Through a tunnel
        // the port differs.
        let name = host.rsplit_once(':').map_or(host, |(name, _)| name);
        if target != path || !matches!(name, "127.0.0.1" | "localhost") {
            return Answer::NOTHING;
        }
        Answer { status: "200 OK", page: true, body: method == "GET" }
    }
}

/// The headers of a request up to the empty line; `None` if they are too long.
///
/// # Errors
///
/// The client is gone or takes too long.
fn read_head(mut stream: &TcpStream) -> Result<Option<Vec<u8>>> {
    let until = Instant::now() + PATIENCE;
    let mut head = Vec::new();
    let mut part = [0; 1024];
    while !head.windows(4).any(|w| w == b"\r\n\r\n") {
        if head.len() >= HEAD_LIMIT {
            return Ok(None);
        }
        let left = until.checked_duration_since(Instant::now()).filter(|left| !left.is_zero());
        stream.set_read_timeout(Some(left.ok_or_else(|| Error::from(ErrorKind::TimedOut))?))?;
        match stream.read(&mut part)? {
            0 => break,
            n => head.extend_from_slice(&part[..n]),
        }
    }
    Ok(Some(head))
}

fn answer(stream: &TcpStream, path: &str, html: &str) -> Result<()> {
    let answer = match read_head(stream)? {
        None => Answer::TOO_LONG,
        Some(head) => std::str::from_utf8(&head).map_or(Answer::BAD, |h| Answer::of(h, path)),
    };
    write_answer(stream, &answer, html)
}

fn write_answer(stream: &TcpStream, answer: &Answer, html: &str) -> Result<()> {
    stream.set_write_timeout(Some(PATIENCE))?;
    let (kind, content) =
        if answer.page { ("text/html; charset=utf-8", html) } else { ("text/plain", "") };
    let (status, length) = (answer.status, content.len());
    let mut to = stream;
    write!(
        to,
        "HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {length}\r\n\
         Cache-Control: no-store\r\nReferrer-Policy: no-referrer\r\n\
         X-Content-Type-Options: nosniff\r\nCross-Origin-Resource-Policy: same-origin\r\n\
         Connection: close\r\n\r\n"
    )?;
    to.write_all(if answer.body { content.as_bytes() } else { &[] })?;
    to.flush()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn try_request(port: u16, text: &[u8]) -> Result<String> {
        let mut stream = TcpStream::connect((Ipv4Addr::LOCALHOST, port))?;
        stream.write_all(text)?;
        let mut all = String::new();
        stream.read_to_string(&mut all)?;
        Ok(all)
    }

    fn request(port: u16, text: &str) -> String {
        try_request(port, text.as_bytes()).unwrap()
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

    #[test]
    fn what_is_no_request_is_told_so() {
        let server = Server::new(0).unwrap();
        let (port, path) = (server.port(), server.path.clone());
        let here = format!("Host: 127.0.0.1:{port}\r\n");
        let requests = [
            (format!("GET {path} HTTP/1.1\r\n{here}Host: evil.example\r\n\r\n"), "400"),
            (format!("GET {path} HTTP/1.1\r\nHost: evil.example\r\n{here}\r\n"), "400"),
            (format!("GET {path} HTTP/1.1\r\n\r\n"), "400"),
            ("hello\r\n\r\n".to_owned(), "400"),
            // Read to its last byte, so that the connection is closed without a reset.
            (format!("{:x<HEAD_LIMIT$}", format!("GET {path} HTTP/1.1\r\nA: ")), "431"),
        ];
        let serving = std::thread::spawn(move || server.run("<p>page</p>".into(), 6));
        for (text, status) in &requests {
            let answer = request(port, text);
            assert!(answer.starts_with(&format!("HTTP/1.1 {status} ")), "{text:.80}: {answer}");
        }
        let answer = try_request(port, b"GET /\xff HTTP/1.1\r\n\r\n").unwrap();
        assert!(answer.starts_with("HTTP/1.1 400 "), "{answer}");
        serving.join().unwrap();
    }

    #[test]
    fn connections_beyond_the_limit_are_sent_away() {
        let server = Server::new(0).unwrap();
        let (port, path) = (server.port(), server.path.clone());
        std::thread::spawn(move || server.run("<p>page</p>".into(), usize::MAX));
        let idle: Vec<TcpStream> = (0..MOST_OPEN)
            .map(|_| TcpStream::connect((Ipv4Addr::LOCALHOST, port)).unwrap())
            .collect();
        // Accepted in order, so after the idle ones.
        let page = format!("GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n");
        let answer = request(port, "");
        assert!(answer.starts_with("HTTP/1.1 503 "), "{answer}");
        drop(idle);
        // Their threads end as soon as they see it. Until then a request may be cut off by the refusal.
        while !try_request(port, page.as_bytes()).is_ok_and(|a| a.contains("200 OK")) {}
    }
}
