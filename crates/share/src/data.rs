//! Data inside a link or a saved page.
//!
//! Holds the tables that [`extract`](crate::extract) makes of the open files, each with its import options (format,
//! columns, answers). The packed form is a line of JSON about the files, then their bytes, all deflated; links and
//! pages contain it as URL-safe base64.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use flate2::Compression;
use flate2::read::{DeflateDecoder, MultiGzDecoder};
use flate2::write::DeflateEncoder;
use gemmscope_import::ImportOptions;
use gemmscope_model::encode::visible;
use gemmscope_model::pass;
use gemmscope_model::units::Bytes;
use serde::{Deserialize, Serialize};
use std::io::{Read, Write};

/// Error message for damaged data.
const DAMAGED: &str = "the data is cut off or damaged";
/// Key of the data in a link.
pub const DATA_KEY: &str = "data";
/// Key of the data's address in a link.
pub const SOURCE_KEY: &str = "src";
/// Key of the names of the files that a link without data was made from, separated by `*`.
pub const FILES_KEY: &str = "files";
/// Maximum characters of data in a link: chat programs and mail truncate longer ones.
pub const LINK_LIMIT: usize = 32_000;
/// Maximum bytes that a link's data may unpack to.
pub(crate) const LINK_UNPACKED: u64 = 8 << 20;
/// Maximum number of files in a link or a page.
pub(crate) const MOST_FILES: usize = 100;
/// Maximum bytes that a page's data may unpack to.
pub const PAGE_UNPACKED: u64 = 512 << 20;
/// Maximum bytes fetched from an address.
pub const FETCH_LIMIT: u64 = 256 << 20;
/// Start tag of the page element whose text is the data.
pub const SLOT: &str = "<script type=\"text/plain\" id=\"gemmscope-data\">";

/// A file with its import options.
#[derive(Clone, Debug, PartialEq)]
pub struct Carried {
    /// Name.
    pub name: String,
    /// Import options chosen for it.
    pub options: ImportOptions,
    /// Bytes of the file.
    pub bytes: Vec<u8>,
}

#[derive(Serialize, Deserialize)]
struct Entry {
    name: String,
    size: usize,
    #[serde(default)]
    options: ImportOptions,
}

/// Maximum number of files that a link names.
const LINKED: usize = 8;

/// File names for [`FILES_KEY`] of a link: without folders, the first eight.
pub fn linked_names<'a>(names: impl Iterator<Item = &'a str>) -> String {
    let names: Vec<&str> = names.take(LINKED).map(base_name).collect();
    names.join("*")
}

/// Removes an opened file from [`linked_names`]; `None` if none is left.
///
/// ```
/// use gemmscope_share::data::names_without;
/// assert_eq!(names_without("a.csv*b.csv", "runs/a.csv").as_deref(), Some("b.csv"));
/// assert_eq!(names_without("b.csv", "b.csv"), None);
/// ```
pub fn names_without(names: &str, opened: &str) -> Option<String> {
    let opened = base_name(opened);
    let left: Vec<&str> =
        names.split('*').filter(|name| !name.is_empty() && *name != opened).collect();
    (!left.is_empty()).then(|| left.join("*"))
}

/// Last component of a path.
pub fn base_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// Bytes packed between two pauses.
const STRETCH: usize = 256 << 10;

/// Packs files into one deflated block.
pub fn pack(files: Vec<Carried>) -> Vec<u8> {
    pass::at_once(pack_with(&files, &async |_| {}))
}

/// Like [`pack`]. Awaits `pause` every 256 KiB, passing the fraction done, 0 to 1.
pub(crate) async fn pack_with(files: &[Carried], pause: &impl AsyncFn(f64)) -> Vec<u8> {
    let entry = |f: &Carried| Entry {
        name: f.name.clone(),
        size: f.bytes.len(),
        options: f.options.clone(),
    };
    let head: Vec<Entry> = files.iter().map(entry).collect();
    let mut out = DeflateEncoder::new(Vec::new(), Compression::default());
    // Writing to a vector does not fail.
    let _ = out.write_all(serde_json::to_string(&head).unwrap_or_default().as_bytes());
    let _ = out.write_all(b"\n");
    let total: usize = files.iter().map(|f| f.bytes.len()).sum();
    let mut done = 0;
    for bytes in files.iter().flat_map(|f| f.bytes.chunks(STRETCH)) {
        let _ = out.write_all(bytes);
        done += bytes.len();
        pause(done as f64 / total as f64).await;
    }
    out.finish().unwrap_or_default()
}

/// Unpacks a block from [`pack`]. `limit` is the maximum of bytes it may unpack to, counting gzip files in it unpacked
/// too.
///
/// # Errors
///
/// A sentence about what is wrong.
pub(crate) fn unpack(block: &[u8], limit: u64) -> Result<Vec<Carried>, String> {
    let too_large = || format!("the data unpacks to more than {}", Bytes(limit as f64).to_iec());
    let mut plain = Vec::new();
    DeflateDecoder::new(block)
        .take(limit + 1)
        .read_to_end(&mut plain)
        .map_err(|_| DAMAGED.to_owned())?;
    let mut left = limit.checked_sub(plain.len() as u64).ok_or_else(too_large)?;
    let end = plain.iter().position(|&b| b == b'\n').ok_or(DAMAGED)?;
    let head: Vec<Entry> = serde_json::from_slice(&plain[..end]).map_err(|_| DAMAGED.to_owned())?;
    if head.len() > MOST_FILES {
        return Err(format!(
            "the data has {} files, and at most {MOST_FILES} are read",
            head.len()
        ));
    }
    let mut rest = &plain[end + 1..];
    let mut out = Vec::new();
    for e in head {
        if e.size > rest.len() {
            return Err(format!("the data is cut off in {}", e.name));
        }
        let (bytes, tail) = rest.split_at(e.size);
        rest = tail;
        left = left.checked_sub(unpacked(bytes, left)).ok_or_else(too_large)?;
        out.push(Carried {
            name: visible(&e.name).chars().take(256).collect(),
            options: e.options,
            bytes: bytes.to_vec(),
        });
    }
    Ok(out)
}

/// Unpacked size of a gzip file in bytes, counted up to `most + 1`; 0 for other files.
fn unpacked(bytes: &[u8], most: u64) -> u64 {
    if !bytes.starts_with(&[0x1f, 0x8b]) {
        return 0;
    }
    // Damage at the end is reported when the file is read.
    let mut count = 0;
    let mut part = vec![0; 64 << 10];
    let mut text = MultiGzDecoder::new(bytes).take(most + 1);
    while let Ok(n @ 1..) = text.read(&mut part) {
        count += n as u64;
    }
    count
}

/// Encodes a block from [`pack`] for a link.
///
/// # Errors
///
/// The number of characters, if they are too many for a link.
pub fn to_link(block: &[u8]) -> Result<String, usize> {
    // Base64: four characters for three bytes.
    match (block.len() * 4).div_ceil(3) {
        ..=LINK_LIMIT => Ok(URL_SAFE_NO_PAD.encode(block)),
        long => Err(long),
    }
}

/// Decodes a text from [`to_link`].
///
/// # Errors
///
/// A sentence about what is wrong.
pub fn from_link(text: &str) -> Result<Vec<Carried>, String> {
    let block = decode(text).ok_or(DAMAGED)?;
    unpack(&block, LINK_UNPACKED)
}

/// Decodes base64, ignoring white space, because mail and chat programs break long links into lines.
fn decode(text: &str) -> Option<Vec<u8>> {
    let text: Vec<u8> = text.bytes().filter(|b| !b.is_ascii_whitespace()).collect();
    URL_SAFE_NO_PAD.decode(text).ok()
}

/// The one-file page `template` with a block from [`pack`] and a view (the text after `#`) inserted.
///
/// # Errors
///
/// A sentence, if the template has no place for data.
pub fn page(template: &str, view: &str, block: &[u8]) -> Result<String, String> {
    let at = template.find(SLOT).ok_or("this page has no place for data")? + SLOT.len();
    let end = template[at..].find("</script>").ok_or("this page has no place for data")?;
    // Neither the URL-encoded view nor base64 contains a `<`; removed in case one does.
    let view = view.replace(['<', '\n'], "");
    let data = URL_SAFE_NO_PAD.encode(block);
    Ok(format!("{}{view}\n{data}{}", &template[..at], &template[at + end..]))
}

/// View and files of a page, from the text of its element; `None` if it has none.
///
/// # Errors
///
/// A sentence about what is wrong with the data.
pub fn from_page(text: &str) -> Result<Option<(String, Vec<Carried>)>, String> {
    let Some((view, data)) = text.split_once('\n') else {
        return Ok(None);
    };
    let block = decode(data).ok_or(DAMAGED)?;
    Ok(Some((view.trim().to_owned(), unpack(&block, PAGE_UNPACKED)?)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use flate2::write::GzEncoder;
    use proptest::prelude::*;

    fn file(name: &str, bytes: &[u8]) -> Carried {
        let mut options = ImportOptions::default();
        options.columns.insert("speed".into(), "rate:tflops".into());
        Carried { name: name.into(), options, bytes: bytes.to_vec() }
    }

    #[test]
    fn a_link_carries_small_files_and_says_how_large_others_are() {
        let files = [file("a.csv", b"M,N,K\n1,2,3\n"), file("b \"x\".csv", &[0, 255, 10])];
        let text = to_link(&pack(files.to_vec())).unwrap();
        assert!(text.bytes().all(|c| c.is_ascii_alphanumeric() || matches!(c, b'-' | b'_')));
        assert_eq!(from_link(&text).unwrap(), files);
        let mut noise = 1u32;
        let bytes: Vec<u8> = (0..60_000)
            .map(|_| {
                noise = noise.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                (noise >> 24) as u8
            })
            .collect();
        assert!(to_link(&pack(vec![file("noise", &bytes)])).unwrap_err() > LINK_LIMIT);
    }

    #[test]
    fn broken_data_is_refused_in_words() {
        let text = to_link(&pack(vec![file("a.csv", b"M,N,K\n1,2,3\n")])).unwrap();
        assert!(from_link(&text[..text.len() / 2]).is_err());
        assert!(from_link("a<b").unwrap_err().contains("damaged"));
        assert!(from_link("").is_err());
        let bomb = pack(vec![file("z", &vec![0; 10 << 20])]);
        assert!(unpack(&bomb, LINK_UNPACKED).unwrap_err().contains("more than 8.00 MiB"));
        // A gzip file that unpacks to far more than a link may hold; packed again, it is small.
        let mut gzip = GzEncoder::new(Vec::new(), Compression::best());
        for _ in 0..20 {
            gzip.write_all(&vec![0; 1 << 20]).unwrap();
        }
        let packed = gzip.finish().unwrap();
        let text = to_link(&pack(vec![file("a.csv.gz", &packed)])).unwrap();
        assert!(text.len() < 2_000, "{}", text.len());
        let e = from_link(&text).unwrap_err();
        assert!(e.contains("more than 8.00 MiB"), "{e}");
        let many = vec![file("", b""); MOST_FILES + 1];
        let e = unpack(&pack(many.clone()), LINK_UNPACKED).unwrap_err();
        assert!(e.contains("101 files"), "{e}");
        assert_eq!(unpack(&pack(many[1..].to_vec()), LINK_UNPACKED).unwrap().len(), 100);
        let lie = {
            let mut e = DeflateEncoder::new(Vec::new(), Compression::fast());
            e.write_all(b"[{\"name\":\"x\",\"size\":99}]\nabc").unwrap();
            e.finish().unwrap()
        };
        assert!(unpack(&lie, 100).unwrap_err().contains("cut off in x"));
    }

    #[test]
    fn a_page_carries_view_and_data_and_can_be_saved_again() {
        let template = format!("<html>{SLOT}</script><p>rest</p></html>");
        assert_eq!(from_page("").unwrap(), None);
        let files = [file("a.csv", b"</script><b>")];
        let block = pack(files.to_vec());
        let once = page(&template, "v=1&q=%3Cx%3E", &block).unwrap();
        let twice = page(&once, "v=1&view=table", &block).unwrap();
        for (html, view) in [(&once, "v=1&q=%3Cx%3E"), (&twice, "v=1&view=table")] {
            assert_eq!(html.matches("</script>").count(), 1);
            let start = html.find(SLOT).unwrap() + SLOT.len();
            let text = &html[start..html.find("</script>").unwrap()];
            assert_eq!(from_page(text).unwrap().unwrap(), (view.to_owned(), files.to_vec()));
        }
        assert!(page("<html>", "", &block).is_err());
    }

    proptest! {
        #[test]
        fn any_bytes_travel(bytes in proptest::collection::vec(any::<u8>(), 0..200), name in "\\PC{1,20}") {
            let name = visible(&name).into_owned();
            let f = Carried { name, options: ImportOptions::default(), bytes };
            prop_assert_eq!(unpack(&decode(&URL_SAFE_NO_PAD.encode(pack(vec![f.clone()]))).unwrap(), 10_000).unwrap(), vec![f]);
        }

        #[test]
        fn any_text_is_survived(text in "\\PC*") {
            let _ = from_link(&text);
            let _ = from_page(&text);
        }
    }
}
