//! Plain tables: told by the first line alone. A page that shows nothing else needs no other reader.

use super::tables::{generic, native_csv};
use super::{Best, Chosen, Readers};
use crate::{Detection, Format, Head, ImportError, ImportOptions, ReadBy};

/// The reader of plain tables of others.
pub(crate) static GENERIC: Readers =
    Readers { open: |head, options| open(head, options, Plain::Generic, generic), ..NO_OTHER };

/// The reader of tables of ours.
pub(crate) static NATIVE: Readers =
    Readers { open: |head, options| open(head, options, Plain::Native, native), ..NO_OTHER };

/// Whatever else a file may be is refused.
const NO_OTHER: Readers = Readers {
    open: |_, _| Err(foreign()),
    workbook: |_, _, _| Err(foreign()),
    unpack: || Err(foreign()),
};

/// Opens a table of this kind. The reader comes with `best`: nothing else is linked.
fn open(
    head: &Head,
    options: &ImportOptions,
    kind: Plain,
    best: fn(&Head) -> Option<Best>,
) -> Result<Chosen, ImportError> {
    let own = head.lines.first().and_then(|line| of(line)) == Some(kind);
    let best = best(head).filter(|_| own).ok_or_else(foreign)?;
    match &best.format.read {
        ReadBy::Code { open, .. } => Ok(Chosen::new(&best, open(head, options)?)),
        _ => Err(foreign()),
    }
}

fn foreign() -> ImportError {
    ImportError::new("this is no plain table")
}

/// Headers of a plain table, in lower case. None of them is by itself a sign of a tool.
const NAMES: &str = "m|n|k|batch|dtype|type|time|time_us|time_ms|time_s|time_ns|us|ms|ns|time (us)|\
    time (ms)|time [us]|time [ms]|latency|latency_us|latency_ms|duration_us|duration_ms|\
    mean_us|mean_ms|median_us|median_ms|avg_us|avg_ms|min_us|min_ms|max_us|max_ms|tflops|\
    gflops|tflop/s|gflop/s|kernel|kernel_name|name|library|backend|provider|model|layer|\
    op|device|gpu|transa|transb|trans_a|trans_b|ta|tb|layout|count|calls|tile|dtype_a|\
    dtype_b|dtype_c|run";

/// The format of a head whose first line is the header of a plain table.
pub(crate) fn choose(head: &Head) -> Option<Best> {
    match of(head.lines.first()?)? {
        Plain::Native => native(head),
        Plain::Generic => generic(head),
    }
}

fn native(head: &Head) -> Option<Best> {
    best(&native_csv::FORMAT, native_csv::detect(head))
}

fn generic(head: &Head) -> Option<Best> {
    best(&generic::FORMAT, generic::detect(head))
}

fn best(format: &'static Format, found: Option<Detection>) -> Option<Best> {
    let detection = found.unwrap_or_else(|| Detection::new(1));
    Some(Best { format, detection })
}

/// A table whose header tells at once who reads it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Plain {
    /// A table of ours: [`Session::native`](crate::Session::native).
    Native,
    /// Columns with the usual names: [`Session::plain`](crate::Session::plain).
    Generic,
}

fn of(line: &str) -> Option<Plain> {
    // The first line of a file may be asked before its dialect is known.
    let delimiter = [b',', b';', b'\t'].into_iter().find(|d| line.as_bytes().contains(d))?;
    let names: Vec<&str> =
        crate::split::dialect::cells(line, delimiter).map(|c| c.trim_matches('"').trim()).collect();
    if names.first() == Some(&"gemmscope") && names.contains(&"time_s") {
        return Some(Plain::Native);
    }
    let names: Vec<String> = names.iter().map(|n| n.to_ascii_lowercase()).collect();
    let has = |name: &str| names.iter().any(|n| n == name);
    let known = |n: &String| NAMES.split('|').any(|known| known == n);
    (has("m") && has("n") && has("k") && names.iter().all(known)).then_some(Plain::Generic)
}

/// Which plain table the file that starts with these bytes is; `None` for another file, and where a first
/// line does not end in them.
pub fn plain(start: &[u8], options: &ImportOptions) -> Option<Plain> {
    let end = memchr::memchr(b'\n', start);
    let line = end.and_then(|end| start.get(..end));
    let text = line.filter(|l| l.is_ascii() && !l.contains(&0));
    let text = text.and_then(|l| std::str::from_utf8(l).ok());
    of(text.filter(|_| options.format.is_none())?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{FORMATS, Session, sniff};

    #[test]
    fn only_a_plain_header_is_plain() {
        let options = ImportOptions::default();
        for text in [
            "M,N,K,dtype,time_us\n",
            "m;n;k;\"Time (us)\"\r\n",
            "gemmscope,m,n,k,time_s,made_up\n",
            "model,kernel,dtype,batch,M,N,K,transA,transB,time_us\n1,2",
        ] {
            assert!(plain(text.as_bytes(), &options).is_some(), "{text}");
        }
        for text in [
            "M,N,K,dtype,time_us",
            "M,N,K,solution_index,time_us\n",
            "\u{feff}M,N,K,time_us\n",
            "M,N,time_us\n",
            "m n k\n",
            "",
        ] {
            assert!(plain(text.as_bytes(), &options).is_none(), "{text}");
        }
        let by_hand = ImportOptions { format: Some("log".into()), ..options };
        assert_eq!(plain(b"M,N,K,time_us\n", &by_hand), None);
    }

    #[test]
    fn no_tool_writes_a_plain_header() {
        for format in FORMATS {
            let head = Head::of(format.example);
            let plain = choose(&head).map(|best| best.format.id);
            let own = matches!(format.id, "gemmscope" | "generic").then_some(format.id);
            assert_eq!(plain, own, "{}", format.id);
            assert!(sniff(&head, &ImportOptions::default()).is_ok());
        }
    }

    #[test]
    fn a_packed_table_is_not_plain() {
        let packed = b"\x1f\x8b\x08\0\0\0\0\0\0\x03M,N,K,time_us\n";
        let options = ImportOptions::default();
        assert_eq!(plain(packed, &options), None);
        let refused = Session::plain("a.csv", options).feed(packed);
        assert_eq!(refused.unwrap_err(), foreign());
    }

    #[test]
    fn the_plain_readers_and_all_of_them_read_a_plain_table_alike() {
        for text in [
            "M,N,K,dtype,time_us,kernel\n64,64,64,fp16,2.5,a\n64,64,x,fp16,2,b\n",
            "m,n,k,time_us\n",
            "m,n,k,kernel\n1,2,3,a\n",
            "gemmscope,m,n,k,time_s\n1,2,3,4,5\n",
        ] {
            let read = |mut session: Session| {
                session.feed(text.as_bytes())?;
                session.finish()
            };
            let options = ImportOptions::default();
            let all = read(Session::new("a.csv", options.clone()));
            let plain = read(match plain(text.as_bytes(), &options).unwrap() {
                Plain::Generic => Session::plain("a.csv", options),
                Plain::Native => Session::native("a.csv", options),
            });
            assert_eq!(format!("{all:?}"), format!("{plain:?}"));
        }
    }
}
