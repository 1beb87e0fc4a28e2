//! Plain tables: told by the first line alone.

use super::Best;
use super::tables::{generic, native_csv};
use crate::{Detection, Head};

/// Headers of a plain table, in lower case. None of them is by itself a sign of a tool.
const NAMES: &str = "m|n|k|batch|dtype|type|time|time_us|time_ms|time_s|time_ns|us|ms|ns|time (us)|\
    time (ms)|time [us]|time [ms]|latency|latency_us|latency_ms|duration_us|duration_ms|\
    mean_us|mean_ms|median_us|median_ms|avg_us|avg_ms|min_us|min_ms|max_us|max_ms|tflops|\
    gflops|tflop/s|gflop/s|kernel|kernel_name|name|library|backend|provider|model|layer|\
    op|device|gpu|transa|transb|trans_a|trans_b|ta|tb|layout|count|calls|tile|dtype_a|\
    dtype_b|dtype_c|run";

/// The format of a head whose first line is the header of a plain table.
pub(crate) fn choose(head: &Head) -> Option<Best> {
    let (format, found) = match of(head.lines.first()?)? {
        Plain::Native => (&native_csv::FORMAT, native_csv::detect(head)),
        Plain::Generic if head.beyond_columns().is_some() => return None,
        Plain::Generic => (&generic::FORMAT, generic::detect(head)),
    };
    let detection = found.unwrap_or_else(|| Detection::new(1));
    Some(Best { format, detection })
}

/// A table whose header tells at once who reads it.
enum Plain {
    /// A table of ours.
    Native,
    /// Columns with the usual names.
    Generic,
}

fn of(line: &str) -> Option<Plain> {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{FORMATS, ImportOptions, sniff};

    #[test]
    fn only_a_plain_header_is_plain() {
        for text in [
            "M,N,K,dtype,time_us\n",
            "m;n;k;\"Time (us)\"\r\n",
            "gemmscope,m,n,k,time_s,made_up\n",
            "model,kernel,dtype,batch,M,N,K,transA,transB,time_us\n1,2",
        ] {
            assert!(choose(&Head::of(text)).is_some(), "{text}");
        }
        for text in ["M,N,K,solution_index,time_us\n", "M,N,time_us\n", "m n k\n", ""] {
            assert!(choose(&Head::of(text)).is_none(), "{text}");
        }
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
}
