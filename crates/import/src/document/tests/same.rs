//! One table in many variants: columns and rows in any order, with and without units in titles, in each
//! syntax and in each locale.

use super::{device, library, read};
use gemmscope_model::dtype::DataType;
use gemmscope_table::dataset::Dataset;

/// One table in each syntax.
fn dressed(titles: &[&str], rows: &[Vec<String>]) -> Vec<(&'static str, String)> {
    let line = |cells: &[String], by: &str| cells.join(by);
    let titles: Vec<String> = titles.iter().map(|t| (*t).to_owned()).collect();
    let all = || std::iter::once(&titles).chain(rows);
    let joined = |by: &str| all().map(|r| line(r, by) + "\n").collect::<String>();
    let bars = |r: &[String]| format!("| {} |\n", r.join(" | "));
    let rule = format!("|{}\n", "---|".repeat(titles.len()));
    let markdown: String =
        bars(&titles) + &rule + &rows.iter().map(|r| bars(r)).collect::<String>();
    let wide = |r: &[String]| r.iter().map(|c| format!("{c:>22}")).collect::<String>() + "\n";
    let printed: String = all().map(|r| wide(r)).collect();
    let indexed: String = std::iter::once("  ".to_owned() + &wide(&titles))
        .chain(rows.iter().enumerate().map(|(i, r)| format!("{i:<2}{}", wide(r))))
        .collect();
    let edge = format!("+{}\n", "------+".repeat(titles.len()));
    let grid = format!(
        "{edge}{}{edge}{}{edge}",
        bars(&titles),
        rows.iter().map(|r| bars(r)).collect::<String>()
    );
    let tags = |r: &[String], t: &str| {
        format!("<tr>{}</tr>\n", r.iter().map(|c| format!("<{t}>{c}</{t}>")).collect::<String>())
    };
    let html = format!(
        "<table>\n{}{}</table>\n",
        tags(&titles, "th"),
        rows.iter().map(|r| tags(r, "td")).collect::<String>()
    );
    let simple: String = std::iter::once(wide(&titles))
        .chain(std::iter::once(format!("{}\n", "  --------------------".repeat(titles.len()))))
        .chain(rows.iter().map(|r| wide(r)))
        .collect();
    vec![
        ("CSV", joined(",")),
        ("TSV", joined("\t")),
        ("semicolons", joined(";")),
        ("Markdown", markdown),
        ("printed", printed),
        ("printed, indexed", indexed),
        ("simple", simple),
        ("grid", grid),
        ("HTML", html),
    ]
}

/// M, N, K, time in ns and library of each row, sorted.
fn points(data: &Dataset) -> Vec<(u32, u32, u32, u64, String)> {
    let mut out: Vec<_> = (0..data.len())
        .map(|r| {
            let ns = (data.time_s[r] * 1e12).round() as u64;
            (data.m[r], data.n[r], data.k[r], ns, library(data, r).to_owned())
        })
        .collect();
    out.sort();
    out
}

fn cells(texts: &[&str]) -> Vec<String> {
    texts.iter().map(|c| (*c).to_owned()).collect()
}

/// All variants of a table with decimal points, each with its name.
fn written(titles: &[&str], rows: &[Vec<String>]) -> Vec<(String, String)> {
    let mut out = Vec::new();
    let orders: [[usize; 5]; 3] = [[0, 1, 2, 3, 4], [4, 2, 0, 3, 1], [2, 3, 1, 4, 0]];
    for order in orders {
        let titles: Vec<&str> = order.iter().map(|i| titles[*i]).collect();
        let mut rows: Vec<Vec<String>> =
            rows.iter().map(|r| order.iter().map(|i| r[*i].clone()).collect()).collect();
        for turn in ["", ", last row first"] {
            for comma in [false, true] {
                let localized = |c: &String| if comma { c.replace('.', ",") } else { c.clone() };
                let rows: Vec<Vec<String>> =
                    rows.iter().map(|r| r.iter().map(localized).collect()).collect();
                // With commas as delimiters there are no decimal commas.
                let all =
                    dressed(&titles, &rows).into_iter().filter(|(d, _)| !comma || *d != "CSV");
                let locale = if comma { ", decimal commas" } else { "" };
                out.extend(all.map(|(d, text)| (format!("{d}{locale}{turn}"), text)));
            }
            rows.reverse();
        }
    }
    out
}

fn all_read_the_same(
    titles: &[&str],
    rows: &[Vec<String>],
    wanted: &[(u32, u32, u32, u64, String)],
) {
    for (way, text) in written(titles, rows) {
        assert_eq!(points(&read(&text)), wanted, "{way}:\n{text}");
    }
}

#[test]
fn a_column_a_library() {
    let rows = [
        cells(&["512", "1024", "2048", "0.25", "0.5"]),
        cells(&["1024", "1024", "2048", "0.4", "0.75"]),
        cells(&["4096", "2048", "1024", "1.5", "2.25"]),
    ];
    let titles = ["M", "N", "K", "onelib (ms)", "twolib (ms)"];
    let wanted = points(&read(&dressed(&titles, &rows)[3].1));
    assert_eq!(wanted.len(), 6);
    all_read_the_same(&titles, &rows, &wanted);
}

#[test]
fn a_time_and_a_rate_with_and_without_their_units() {
    let rows = [
        cells(&["512", "1024", "2048", "0.25", "8.59"]),
        cells(&["1024", "1024", "2048", "0.4", "10.74"]),
        cells(&["4096", "2048", "1024", "1.5", "11.45"]),
    ];
    let titles = ["M", "N", "K", "time (ms)", "throughput (TFLOP/s)"];
    let wanted = points(&read(&dressed(&titles, &rows)[3].1));
    assert_eq!(wanted[0], (512, 1024, 2048, 250_000_000, String::new()));
    all_read_the_same(&titles, &rows, &wanted);
    // Only one pair of units makes rate times time equal the work.
    all_read_the_same(&["M", "N", "K", "time", "throughput"], &rows, &wanted);
}

/// Rows of a table that begins with whatever stands above: HTML as browsers copy it, Markdown, tabs.
#[test]
fn a_sentence_with_a_comma_is_no_header_in_any_syntax() {
    let tags = |titles: &str, rows: &str| {
        let cells = |line: &str, tag: &str| {
            let cells = line.split('|').map(|c| format!("<{tag}>{c}</{tag}>")).collect::<String>();
            format!("<tr>{cells}</tr>")
        };
        let rows: String = rows.lines().map(|line| cells(line, "td")).collect();
        format!("<table>{}{rows}</table>", cells(titles, "th"))
    };
    let (titles, rows) = ("M|N|K|a, us", "4096|4096|4096|210.5\n8192|4096|4096|1,410.5");
    let table = tags(titles, rows);
    let tabs = format!("{titles}\n{rows}").replace('|', "\t");
    for text in [
        format!("<p style=\"color: red; margin: 0\">H100, bf16</p>{table}"),
        format!("<p style=\"color:red\">\nH100, bf16</p>\n{table}"),
        format!("<h3>GEMM</h3><p>H100, bf16</p>{table}"),
        format!(
            "<html>\n<body>\n<!--StartFragment--><p>H100, bf16</p>{table}<!--EndFragment--></body></html>"
        ),
        format!("H100, bf16\n\n{titles}\n-|-|-|-\n{rows}\n"),
        format!("H100, bf16\n{tabs}\n"),
    ] {
        let d = read(&text);
        assert_eq!((&d.m[..], d.len()), (&[4096, 8192][..], 2), "{text}");
        assert!((d.time_s[1] / 1410.5e-6 - 1.0).abs() < 1e-12, "{text}: {:?}", d.time_s);
        assert_eq!(
            (device(&d, 0), d.ops[usize::from(d.op[0])].a),
            ("H100", DataType::Bf16),
            "{text}"
        );
    }
}
