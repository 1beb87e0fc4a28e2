//! Which addresses of a link data is fetched from.

/// A URL as the browser's own parser split it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct UrlParts {
    /// With the colon: `https:`.
    pub protocol: String,
    /// Host without port.
    pub hostname: String,
    /// Host with port.
    pub host: String,
    /// User name before an `@`.
    pub username: String,
    /// Password before an `@`.
    pub password: String,
}

/// What to do with the `src` of a link.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SourcePolicy {
    /// From the page's own origin: fetched without asking.
    SameOrigin,
    /// From this host: the user is asked once.
    Ask(String),
    /// Not fetched, for the reason in the sentence.
    Refuse(String),
}

/// Decides about the `src` of a link: https is allowed, and plain http from this machine or the page's own origin;
/// an address with a user name never.
pub fn source_policy(src: &UrlParts, page: &UrlParts) -> SourcePolicy {
    let same = src.protocol == page.protocol && src.host == page.host && !src.host.is_empty();
    if !src.username.is_empty() || !src.password.is_empty() {
        return SourcePolicy::Refuse(format!(
            "addresses with a user name are refused, as they hide the real host: {}",
            src.host
        ));
    }
    let local = matches!(src.hostname.as_str(), "localhost" | "127.0.0.1" | "[::1]");
    match src.protocol.as_str() {
        "http:" | "https:" if same => SourcePolicy::SameOrigin,
        "https:" if !src.host.is_empty() => SourcePolicy::Ask(src.host.clone()),
        "http:" if local => SourcePolicy::Ask(src.host.clone()),
        _ => SourcePolicy::Refuse(format!(
            "data is read over https (plain http from this machine alone); drop a local file on the page \
             instead: {}//{}",
            src.protocol, src.host
        )),
    }
}

/// The address of the file itself for the address of a page that shows it, on GitHub or Hugging
/// Face. Other addresses are returned unchanged.
pub fn raw_address(src: &str) -> String {
    for (shown, raw, from, to) in [
        ("https://github.com/", "https://raw.githubusercontent.com/", "/blob/", "/"),
        ("https://huggingface.co/", "https://huggingface.co/", "/blob/", "/resolve/"),
    ] {
        if let Some(rest) = src.strip_prefix(shown)
            && let Some((repository, path)) = rest.split_once(from)
        {
            return format!("{raw}{repository}{to}{path}");
        }
    }
    src.to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn url(text: &str) -> UrlParts {
        // As the browser splits it; enough for tests.
        let (protocol, rest) = text.split_once("//").unwrap_or((text, ""));
        let authority = rest.split(['/', '?', '#']).next().unwrap_or("");
        let (user, host) = authority.rsplit_once('@').unwrap_or(("", authority));
        let (username, password) = user.split_once(':').unwrap_or((user, ""));
        let hostname = match host.strip_prefix('[').and_then(|h| h.split_once(']')) {
            Some((inner, _)) => format!("[{inner}]"),
            None => host.split(':').next().unwrap_or("").to_owned(),
        };
        UrlParts {
            protocol: protocol.into(),
            hostname,
            host: host.into(),
            username: username.into(),
            password: password.into(),
        }
    }

    #[test]
    fn look_alike_hosts_are_asked_about_by_their_own_name() {
        let page = url("https://tools.example.org/gemmscope/");
        let policy = |u: &str| source_policy(&url(u), &page);
        assert_eq!(policy("https://tools.example.org/a.csv"), SourcePolicy::SameOrigin);
        for other in [
            "tools.example.org.evil.net",
            "evil-tools.example.org",
            "tools.example.org:8443",
            "tooIs.example.org",
            "xn--tols-0qa.example.org",
            "example.org",
        ] {
            assert_eq!(policy(&format!("https://{other}/a.csv")), SourcePolicy::Ask(other.into()));
        }
        for refused in [
            "https://tools.example.org@evil.net/a.csv",
            "https://tools.example.org:x@evil.net/a.csv",
            "http://tools.example.org/a.csv",
            "http://localhost.evil.net/a.csv",
            "http://127.0.0.1.evil.net/a.csv",
            "javascript:",
            "data:",
            "file:///etc/passwd",
            "blob:",
            "ftp://tools.example.org/a.csv",
        ] {
            assert!(matches!(policy(refused), SourcePolicy::Refuse(_)), "{refused}");
        }
        assert_eq!(
            policy("http://localhost:9000/a.csv"),
            SourcePolicy::Ask("localhost:9000".into())
        );
        assert_eq!(
            source_policy(&url("http://box/a.csv"), &url("http://box/gemmscope/")),
            SourcePolicy::SameOrigin
        );
    }

    #[test]
    fn addresses_of_pages_about_files_become_those_of_the_files() {
        assert_eq!(
            raw_address("https://github.com/o/r/blob/main/a/b.csv"),
            "https://raw.githubusercontent.com/o/r/main/a/b.csv"
        );
        assert_eq!(
            raw_address("https://huggingface.co/datasets/o/r/blob/main/b.csv"),
            "https://huggingface.co/datasets/o/r/resolve/main/b.csv"
        );
        for same in ["https://github.com.evil.net/o/r/blob/main/b.csv", "bench.csv", ""] {
            assert_eq!(raw_address(same), same);
        }
    }
}
