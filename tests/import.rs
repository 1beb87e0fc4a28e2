//! Every fixture, read in every way: with and without its name, in slices of 1, 7 and 4096 bytes, packed, exported and
//! read again. The result is the same each time and matches `tests/golden/import` (`UPDATE_GOLDEN=1 cargo test --test
//! import` updates it).

#![allow(clippy::unwrap_used, reason = "a test that cannot go on says where")]

#[path = "import/book.rs"]
mod book;

use flate2::{Compression, write::GzEncoder};
use gemmscope_import::{FORMATS, ImportError, ImportOptions, Imported, Session, read_all};
use gemmscope_model::hardware::RoofKind;
use gemmscope_table::data_kind::Decision;
use gemmscope_table::dataset::{ColumnData, Dataset};
use gemmscope_table::metrics::{DeviceChoice, Metrics};
use gemmscope_table::{fixture, native_csv};
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests")
}

/// (folder, file) of every fixture, sorted.
fn fixtures() -> Vec<(String, PathBuf)> {
    let mut out = Vec::new();
    for folder in std::fs::read_dir(root().join("fixtures")).unwrap() {
        let folder = folder.unwrap().path();
        if !folder.is_dir() {
            continue;
        }
        for file in std::fs::read_dir(&folder).unwrap() {
            let file = file.unwrap().path();
            if file.is_file() {
                let name = folder.file_name().unwrap().to_string_lossy().into_owned();
                out.push((name, file));
            }
        }
    }
    out.sort();
    out
}

fn in_slices(name: &str, bytes: &[u8], step: usize) -> Result<Imported, ImportError> {
    let mut session = Session::new(name, ImportOptions::default());
    for slice in bytes.chunks(step) {
        session.feed(slice)?;
    }
    session.finish()
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut e = GzEncoder::new(Vec::new(), Compression::default());
    e.write_all(bytes).unwrap();
    e.finish().unwrap()
}

/// Every row in words, without its source.
fn rows(d: &Dataset, limit: usize) -> String {
    let mut out = String::new();
    let last = d.len().saturating_sub(1);
    for row in 0..d.len() {
        if row >= limit && row != last {
            continue;
        }
        let p = d.problem(row);
        write!(
            out,
            "  line {}: {} x {} x {}, batch {}, {}, {:e} s",
            d.line[row], p.m, p.n, p.k, p.batch, p.op, d.time_s[row]
        )
        .unwrap();
        let device = &d.devices[d.device[row] as usize];
        if !device.is_empty() {
            write!(out, ", on {device}").unwrap();
        }
        for c in &d.columns {
            match &c.data {
                ColumnData::Number(v) if !v[row].is_nan() => {
                    write!(out, ", {}={}", c.key, v[row]).unwrap();
                }
                ColumnData::Text { codes, values } if codes[row] != 0 => {
                    write!(out, ", {}={:?}", c.key, values[codes[row] as usize]).unwrap();
                }
                _ => {}
            }
        }
        out.push('\n');
    }
    out
}

/// The table as text, with all decisions of the importer.
fn dump(result: &Result<Imported, ImportError>, limit: usize) -> String {
    let mut out = String::new();
    match result {
        Err(e) => writeln!(out, "error ({:?}): {e}", e.kind).unwrap(),
        Ok(Imported::Table(d)) => {
            for s in &d.sources {
                let reason = format!(" ({})", s.format_reason);
                let reason = if s.format_reason.is_empty() { "" } else { &reason };
                writeln!(out, "format: {}{reason}", s.format).unwrap();
                writeln!(
                    out,
                    "rows: {} read, {} used, {} set aside",
                    s.rows_read,
                    s.rows_used,
                    s.rejected.total()
                )
                .unwrap();
                for r in &s.rejected.reasons {
                    writeln!(
                        out,
                        "set aside: {} x {}, lines {:?}, example {:?}",
                        r.count, r.text, r.first_lines, r.example
                    )
                    .unwrap();
                }
                for a in &s.assumptions {
                    writeln!(
                        out,
                        "assumed {}: {} [{}], {} choices",
                        a.key,
                        a.text,
                        a.value,
                        a.choices.len()
                    )
                    .unwrap();
                }
                for n in &s.notes {
                    writeln!(out, "note: {n}").unwrap();
                }
                writeln!(
                    out,
                    "own rates: {} of {} within 1 %",
                    s.reported_rate.within_1_percent, s.reported_rate.compared
                )
                .unwrap();
                for p in &s.points {
                    writeln!(
                        out,
                        "point of line {}: {:?}, {} FLOP/B, {} FLOP/s, {}, {:?}",
                        p.line, p.name, p.intensity, p.rate, p.dtype, p.device
                    )
                    .unwrap();
                }
            }
            for c in &d.columns {
                let kind = match &c.data {
                    ColumnData::Number(_) => "number",
                    ColumnData::Text { .. } => "text",
                };
                writeln!(
                    out,
                    "column {}: {:?}, {kind}, unit {:?}, label {:?}",
                    c.key, c.meaning, c.unit, c.label
                )
                .unwrap();
            }
            writeln!(out, "rows:").unwrap();
            out.push_str(&rows(d, limit));
        }
        Ok(other) => writeln!(out, "{other:#?}").unwrap(),
    }
    out
}

#[test]
fn every_fixture_reads_the_same_in_every_way() {
    let mut problems = Vec::new();
    for (folder, file) in fixtures() {
        let name = file.file_name().unwrap().to_string_lossy().into_owned();
        let bytes = std::fs::read(&file).unwrap();
        let options = ImportOptions::default();
        let named = read_all(&name, &bytes, &options);
        let at = format!("{folder}/{name}");
        // Results whose debug text includes the file name (a context, devices) may differ only in that.
        let dump_all = |r: &Result<Imported, ImportError>| match r {
            Ok(Imported::Table(_)) | Err(_) => dump(r, usize::MAX),
            Ok(_) => dump(r, usize::MAX).replace(&format!(" {name}"), "").replace(&name, ""),
        };
        let whole = dump_all(&named);

        let golden = format!("tests/golden/import/{folder}/{name}.txt");
        if let Err(e) = fixture::golden(&golden, &dump(&named, 6)) {
            problems.push(e);
        }
        if let Ok(Imported::Table(d)) = &named
            && folder != "gemmscope"
            && d.sources[0].format != folder
        {
            problems.push(format!("{at}: read as {}", d.sources[0].format));
        }
        if folder != "errors"
            && let Err(e) = &named
        {
            problems.push(format!("{at}: {e}"));
        }
        // Packing and slicing change nothing, except that an error may quote the file's first bytes.
        let packed = gzip(&bytes);
        for (way, again) in [
            ("unnamed", read_all("", &bytes, &options)),
            ("by 1 byte", in_slices(&name, &bytes, 1)),
            ("by 7 bytes", in_slices(&name, &bytes, 7)),
            ("by 4096 bytes", in_slices(&name, &bytes, 4096)),
            ("packed", read_all(&name, &packed, &options)),
            ("packed, by 1 byte", in_slices(&name, &packed, 1)),
        ] {
            if folder == "errors" && (way.starts_with("packed") || way == "unnamed") {
                continue;
            }
            if dump_all(&again) != whole {
                problems.push(format!("{at}: {way} reads otherwise: {}", dump(&again, 3)));
            }
        }
        if let Ok(Imported::Table(d)) = &named {
            let text = native_csv::csv(d, 0..d.len(), None);
            // Under the name of the file, as in a saved page.
            match read_all(&name, text.as_bytes(), &options) {
                Ok(Imported::Table(back)) => {
                    let columns = |d: &Dataset| {
                        d.columns
                            .iter()
                            .map(|c| (c.key.clone(), c.label.clone(), c.meaning, c.unit.clone()))
                            .collect::<Vec<_>>()
                    };
                    if columns(d) != columns(&back) {
                        problems.push(format!("{at}: exported columns differ"));
                    }
                    if rows(d, usize::MAX) != rows(&back, usize::MAX) {
                        problems.push(format!("{at}: exported rows differ"));
                    }
                    if native_csv::csv(&back, 0..back.len(), None) != text {
                        problems.push(format!("{at}: exported again differs"));
                    }
                    if told(d) != told(&back) {
                        problems.push(format!("{at}: {:?}, exported {:?}", told(d), told(&back)));
                    }
                }
                // A file with only rejected rows has nothing to export.
                Err(_) if d.is_empty() => {}
                other => problems.push(format!("{at}: export reads as {other:?}")),
            }
            let chosen = |id: Option<&str>| DeviceChoice {
                default: id.map(str::to_owned),
                ..DeviceChoice::default()
            };
            let figures = |d: &Dataset, choice: DeviceChoice| {
                Metrics::compute(d, choice.resolve(d, &[]), RoofKind::Datasheet)
            };
            let metrics = figures(d, chosen(Some("h100-sxm")));
            let text = native_csv::csv(d, 0..d.len(), Some(&metrics));
            if let Ok(Imported::Table(back)) = read_all("export.csv", text.as_bytes(), &options) {
                // Whatever device is chosen, the figures are of the one that the file states.
                for choice in [None, Some("mi300x")] {
                    let again = figures(&back, chosen(choice));
                    let known =
                        metrics.roof_s.iter().zip(&again.roof_s).filter(|(a, _)| !a.is_nan());
                    if known.clone().any(|(a, b)| a.to_bits() != b.to_bits()) {
                        problems.push(format!("{at}: exported with a device, other figures"));
                    }
                }
            }
        }
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

/// What a table knows besides its rows: assumptions without their choices, remarks, agreement of rates, kind of rows,
/// and the context of a trace.
fn told(d: &Dataset) -> String {
    let decision = Decision::new(d, None);
    let mut out = format!("{:?} {:?} {}", decision.kind, decision.side, decision.reason);
    for s in &d.sources {
        for a in &s.assumptions {
            write!(out, "; {} {} {} {}", a.key, a.text, a.value, a.by_hand).unwrap();
        }
        let trace = (&s.trace, s.not_gemm, &s.not_gemm_names, s.counted_twice, &s.captures);
        let unknown = (s.without_model, &s.without_model_names, &s.remedy);
        let rates = (s.reported_rate, s.is_column_major());
        let skipped: Vec<_> = s.rejected.reasons.iter().map(|r| (&r.text, r.count)).collect();
        write!(out, "; {:?} {trace:?} {unknown:?} {rates:?}", s.notes).unwrap();
        write!(out, " {} {skipped:?}", s.rows_read).unwrap();
    }
    out
}

/// The cells of comma separated values, by an independent parser.
fn records(text: &str) -> Vec<Vec<String>> {
    let mut out = vec![vec![String::new()]];
    let (mut quoted, mut chars) = (false, text.chars().peekable());
    while let Some(c) = chars.next() {
        let Some(cell) = out.last_mut().and_then(|r| r.last_mut()) else {
            continue;
        };
        match c {
            '"' if quoted && chars.peek() == Some(&'"') => cell.extend(chars.next()),
            '"' if quoted => quoted = false,
            '"' if cell.is_empty() => quoted = true,
            ',' if !quoted => out.last_mut().unwrap().push(String::new()),
            '\r' if !quoted => {}
            '\n' if !quoted => out.push(vec![String::new()]),
            c => cell.push(c),
        }
    }
    if out.last().is_some_and(|r| r.len() == 1 && r[0].is_empty()) {
        out.pop();
    }
    out
}

/// The table as written by a spreadsheet with another locale.
fn written(records: &[Vec<String>], delimiter: char, all_quoted: bool, comma: bool) -> String {
    let mut out = String::new();
    for record in records {
        for (i, cell) in record.iter().enumerate() {
            let plain = |c: char| c.is_ascii_digit() || ".,-+eE ".contains(c);
            let number =
                cell.chars().all(plain) && cell.replace(',', "").trim().parse::<f64>().is_ok();
            let swapped = |c| match c {
                '.' => ',',
                ',' => '.',
                c => c,
            };
            let cell: String =
                cell.chars().map(|c| if comma && number { swapped(c) } else { c }).collect();
            let quote = all_quoted && !cell.is_empty()
                || cell.contains([delimiter, '"', '\n']) && !(delimiter == '|' && cell.len() < 2);
            out.extend((i > 0).then_some(delimiter));
            match quote {
                true => write!(out, "\"{}\"", cell.replace('"', "\"\"")).unwrap(),
                false => out.push_str(&cell),
            }
        }
        out.push('\n');
    }
    out
}

const DIALECTS: [(&str, char, bool, bool); 6] = [
    ("semicolons", ';', false, false),
    ("tabs", '\t', false, false),
    ("bars", '|', false, false),
    ("quotes", ',', true, false),
    ("decimal commas", ';', false, true),
    ("decimal commas in quotes", ',', true, true),
];

/// Content of a table, without the text of rejected lines, which is that of the file.
fn said(result: &Result<Imported, ImportError>) -> String {
    let dump = dump(result, usize::MAX);
    let lines = dump.lines().map(|l| l.split(", example ").next().unwrap_or(l));
    lines.collect::<Vec<_>>().join("\n")
}

/// The dialects in which a table is read differently.
fn other_dialects(name: &str, bytes: &[u8]) -> Vec<String> {
    let options = ImportOptions::default();
    let table = records(&String::from_utf8_lossy(bytes));
    let wanted = said(&read_all(name, bytes, &options));
    let mut out = Vec::new();
    for (dialect, delimiter, quoted, comma) in DIALECTS {
        let text = written(&table, delimiter, quoted, comma);
        let found = said(&read_all(name, text.as_bytes(), &options));
        if found != wanted {
            let differs = wanted.lines().zip(found.lines()).find(|(a, b)| a != b);
            let (a, b) = differs.unwrap_or(("", "more or fewer lines"));
            out.push(format!("{name} with {dialect}:\n    {a}\n    {b}"));
        }
    }
    out
}

#[test]
fn every_table_reads_the_same_in_every_dialect() {
    let mut problems = Vec::new();
    for (folder, file) in fixtures() {
        let name = file.file_name().unwrap().to_string_lossy().into_owned();
        if !name.ends_with(".csv") && !TABLES_IN_LOGS.contains(&&*folder) {
            continue;
        }
        let bytes = std::fs::read(&file).unwrap();
        // Files that already use another dialect have a fixture with commas too.
        let foreign = name == "decimal_comma.csv" || bytes.iter().take(200).any(|&b| b == b';');
        if !foreign {
            problems.extend(other_dialects(&name, &bytes));
        }
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

/// The same for real files in the folder `GEMMSCOPE_DATA`.
#[test]
fn real_tables_read_the_same_in_every_dialect() {
    let Some(folder) = std::env::var_os("GEMMSCOPE_DATA") else {
        return;
    };
    let (mut folders, mut tables, mut problems) = (vec![PathBuf::from(folder)], 0, Vec::new());
    while let Some(folder) = folders.pop() {
        for file in std::fs::read_dir(folder).unwrap().map(|f| f.unwrap().path()) {
            if file.is_dir() {
                folders.push(file);
                continue;
            }
            let size = std::fs::metadata(&file).unwrap().len();
            if file.extension().is_none_or(|e| e != "csv") || size > 2 << 20 {
                continue;
            }
            tables += 1;
            let name = file.file_name().unwrap().to_string_lossy().into_owned();
            problems.extend(
                other_dialects(&name, &std::fs::read(&file).unwrap())
                    .first()
                    .map(|p| format!("{}: {p}", file.display())),
            );
        }
    }
    println!("{} of {tables} real tables read the same", tables - problems.len());
    assert!(problems.len() * 50 <= tables, "{}", problems.join("\n"));
}

/// Formats with tables within the output of a command.
const TABLES_IN_LOGS: [&str; 6] =
    ["cutlass", "hipblaslt-bench", "rocblas-bench", "tensile", "flashinfer", "tunableop"];

/// Names of kernels, tiles and instructions, with their numbers.
const TILES: [(&str, [u32; 3]); 10] = [
    ("Cijk_Ailk_Bljk_HBH_MT128x224x64_MI16x16x16_SN_WGM8", [128, 224, 64]),
    ("256x128x64_16x16x16_intrawave_v3", [256, 128, 64]),
    ("BLOCK_M=160, BLOCK_N=224, BLOCK_K=96, num_warps=8", [160, 224, 96]),
    ("BLOCK_SIZE_M: 160, BLOCK_SIZE_N: 224, BLOCK_SIZE_K: 96, GROUP_SIZE_M: 8", [160, 224, 96]),
    ("BM=160 BN=224 BK=96", [160, 224, 96]),
    ("tile 160x224x96", [160, 224, 96]),
    ("tile_shape=160x224x96", [160, 224, 96]),
    ("wgmma.mma_async.sync.aligned.m64n224k16", [64, 224, 16]),
    ("cutlass3x_sm90_tensorop_s64x128x16gemm_160x224x96_2x1x1_0_tnn_align8", [160, 224, 96]),
    ("sm90_xmma_gemm_f16f16_tilesize160x224x96_warpgroupsize1x1x1", [160, 224, 96]),
];

#[test]
fn no_reader_takes_sizes_from_a_kernel_or_a_tile() {
    let mut problems = Vec::new();
    for (text, tile) in TILES {
        let cell = text.replace('"', "");
        for file in [
            format!("{text} 0.25 ms\n{text} 0.27 ms 12.5 TFLOPS\n"),
            format!("name,time_us,TFLOPS\n\"{cell}\",250,12\n\"{cell}\",270,11\n"),
            format!("kernel;Dauer (ms)\n\"{cell}\";0,25\n"),
            format!("| kernel | time |\n|---|---|\n| {cell} | 0.25 ms |\n"),
            format!(
                "[{{\"kernel\": \"{cell}\", \"time_ms\": 0.25}}, {{\"kernel\": \"{cell}\", \"time_ms\": 0.5}}]\n"
            ),
        ] {
            let forced = FORMATS.iter().map(|f| Some(f.id.to_owned()));
            for format in forced.chain([None]) {
                let options = ImportOptions { format: format.clone(), ..ImportOptions::default() };
                if let Ok(Imported::Table(d)) = read_all("", file.as_bytes(), &options)
                    && (0..d.len()).any(|r| [d.m[r], d.n[r], d.k[r]] == tile)
                {
                    problems.push(format!("{format:?}: {file}"));
                }
            }
        }
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

#[test]
fn statistics_of_one_measurement_are_no_libraries() {
    let words = [
        "median", "mean", "avg", "std", "min", "max", "p10", "p90", "p99", "best", "worst", "ref",
        "1", "2", "3",
    ];
    let columns = |unit: &str, behind: bool| {
        let name = |w: &&str| {
            if behind || *w == "ref" { format!("{unit}_{w}") } else { format!("{w}_{unit}") }
        };
        words
            .iter()
            .filter(|w| behind || !w.starts_with(char::is_numeric))
            .map(name)
            .collect::<Vec<_>>()
    };
    for unit in ["us", "ms", "tflops", "gflops"] {
        for behind in [true, false] {
            let names = columns(unit, behind);
            let values = vec!["90.5"; names.len()].join(",");
            let file = format!(
                "M,N,K,{}\n1024,1024,1024,{values}\n2048,2048,2048,{values}\n",
                names.join(",")
            );
            let Ok(Imported::Table(d)) = read_all("", file.as_bytes(), &ImportOptions::default())
            else {
                panic!("{file}");
            };
            assert_eq!(d.len(), 2, "{file}");
        }
    }
}

#[test]
fn every_format_reads_its_own_example() {
    let mut problems = Vec::new();
    for f in FORMATS {
        match read_all("", f.example.as_bytes(), &ImportOptions::default()) {
            Ok(Imported::Table(d)) => {
                let s = &d.sources[0];
                // Our own table states the format that its rows came from.
                if s.format != f.id && f.id != "gemmscope" {
                    problems.push(format!("{}: its example reads as {}", f.id, s.format));
                }
                // A profile without shapes has GEMMs that need an answer of the user.
                if s.rejected.total() > s.without_model.rows {
                    problems.push(format!("{}: {:?}", f.id, s.rejected.reasons));
                }
            }
            Ok(_) => {}
            Err(e) => problems.push(format!("{}: {e}", f.id)),
        }
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

#[test]
fn every_format_has_a_fixture() {
    let have: Vec<String> = fixtures().into_iter().map(|f| f.0).collect();
    let missing: Vec<&str> =
        FORMATS.iter().map(|f| f.id).filter(|id| !have.iter().any(|h| h == id)).collect();
    assert!(missing.is_empty(), "no folder in tests/fixtures for {missing:?}");
}

#[test]
fn format_ids_are_distinct_and_plain() {
    for (i, f) in FORMATS.iter().enumerate() {
        assert!(FORMATS[..i].iter().all(|g| g.id != f.id), "{}", f.id);
        assert!(
            f.id.bytes()
                .all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-' || b == b'_'),
            "{}",
            f.id
        );
    }
}

#[test]
fn the_book_lists_what_is_read() {
    let text = book::markdown();
    if let Err(e) = fixture::golden("docs/src/formats.md", &text) {
        panic!("{e}");
    }
    // Each format is in the chapter of its family, and only there.
    let book = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/src");
    let chapters: String = std::fs::read_dir(book)
        .unwrap()
        .map(|file| file.unwrap().path())
        .filter(|path| path.extension().is_some_and(|e| e == "md"))
        .map(|path| std::fs::read_to_string(path).unwrap())
        .collect();
    for f in FORMATS {
        let told = chapters.matches(&format!("{{{{format:{}}}}}", f.id)).count();
        assert_eq!(told, 1, "chapters of {}", f.id);
    }
}

/// Prints the share of agreeing rates by format, over the fixtures; disagreement is explained in the book.
#[test]
fn shares_of_own_rates() {
    use book::DIFFERENCES;
    let mut shares: std::collections::BTreeMap<String, (u64, u64)> = Default::default();
    for (_, file) in fixtures() {
        let bytes = std::fs::read(&file).unwrap();
        if let Ok(Imported::Table(d)) = read_all("", &bytes, &ImportOptions::default()) {
            let s = &d.sources[0];
            let sum = shares.entry(s.format.clone()).or_default();
            sum.0 += s.reported_rate.within_1_percent;
            sum.1 += s.reported_rate.compared;
        }
    }
    let mut unexplained = Vec::new();
    for (format, (within, compared)) in shares {
        if compared > 0 {
            println!("{format:<18} {within:>4} of {compared:>4} own rates within 1 %");
        }
        if within != compared && !DIFFERENCES.iter().any(|(id, _)| *id == format) {
            unexplained.push(format!("{format}: {within} of {compared}"));
        }
    }
    assert!(unexplained.is_empty(), "the book does not say why: {unexplained:?}");
    for (id, _) in DIFFERENCES {
        assert!(FORMATS.iter().any(|f| f.id == *id), "no format {id}");
    }
}
