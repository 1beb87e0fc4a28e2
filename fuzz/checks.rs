//! What holds for every input beyond the readers, shared by the fuzz targets and
//! `tests/fuzz_checks.rs`. Each function panics where an invariant does not hold.

#![allow(dead_code, reason = "each fuzz target uses a part")]
#![allow(clippy::unwrap_used, reason = "a check that cannot go on says where")]

use crate::exercise::{outcome, said, sound, told};
use flate2::Compression;
use flate2::write::{DeflateEncoder, GzEncoder};
use gemmscope_import::{Head, ImportOptions, Imported, inspect, read_all};
use gemmscope_model::dtype::DataType;
use gemmscope_model::encode::{markup, visible};
use gemmscope_model::gemm::{Groups, Operation, Problem, parse_rows, tiles_of_rows};
use gemmscope_model::hardware::{Device, NameMatch, RoofKind, catalog, match_name};
use gemmscope_model::reference::{ReferenceTable, listed};
use gemmscope_model::tiling::kernel_name::KernelName;
use gemmscope_model::transformer::{Model, Workload};
use gemmscope_model::units::{
    BandwidthUnit, RateUnit, Seconds, TimeUnit, fixed, format_short, format_significant, percent,
};
use gemmscope_share::run_list::{ListedRun, RunList};
use gemmscope_share::{data, embed};
use gemmscope_table::dataset::wire::{self, Buffer};
use gemmscope_table::dataset::{Dataset, TraceContext};
use gemmscope_table::trace;
use gemmscope_table::view_state::ViewState;
use std::io::Write;

/// The parts of an input that zeros separate.
fn parts(bytes: &[u8]) -> impl Iterator<Item = &[u8]> {
    bytes.split(|b| *b == 0)
}

/// A zip archive of these parts, every second one packed.
pub(crate) fn zip(parts: &[(String, Vec<u8>)]) -> Vec<u8> {
    let mut out = Vec::new();
    let mut directory = Vec::new();
    for (i, (name, plain)) in parts.iter().enumerate() {
        let (method, packed) = if i % 2 == 0 {
            (0u16, plain.clone())
        } else {
            let mut e = DeflateEncoder::new(Vec::new(), Compression::fast());
            e.write_all(plain).unwrap();
            (8u16, e.finish().unwrap())
        };
        let mut crc = flate2::Crc::new();
        crc.update(plain);
        let at = out.len() as u32;
        let mut common = Vec::new();
        common.extend([20, 0, 0, 0]);
        common.extend(method.to_le_bytes());
        common.extend([0; 4]);
        for v in [crc.sum(), packed.len() as u32, plain.len() as u32] {
            common.extend(v.to_le_bytes());
        }
        common.extend((name.len() as u16).to_le_bytes());
        common.extend([0, 0]);
        out.extend(b"PK\x03\x04");
        out.extend(&common);
        out.extend(name.as_bytes());
        out.extend(&packed);
        directory.extend(b"PK\x01\x02\x14\0");
        directory.extend(&common);
        directory.extend([0; 10]);
        directory.extend(at.to_le_bytes());
        directory.extend(name.as_bytes());
    }
    let (at, len) = (out.len() as u32, directory.len() as u32);
    out.extend(&directory);
    out.extend(b"PK\x05\x06\0\0\0\0");
    let count = (parts.len() as u16).to_le_bytes();
    out.extend([count, count].concat());
    out.extend(len.to_le_bytes());
    out.extend(at.to_le_bytes());
    out.extend([0, 0]);
    out
}

/// A workbook whose shared strings and sheets are the parts of the input: as XML, or as cells that
/// blanks separate.
pub(crate) fn workbook(bytes: &[u8]) {
    let Some((step, bytes)) = bytes.split_first() else {
        return;
    };
    let mut texts = parts(bytes).map(|p| {
        let text = String::from_utf8_lossy(p).into_owned();
        if text.contains('<') {
            return text;
        }
        let cell = |c: &str| format!("<c t=\"str\"><v>{}</v></c>", markup(c));
        text.lines()
            .map(|l| format!("<row>{}</row>", l.split(' ').map(cell).collect::<String>()))
            .collect()
    });
    let strings = texts.next().unwrap_or_default();
    let sheets: Vec<String> = texts.take(3).collect();
    let (mut list, mut links) = (String::new(), String::new());
    for i in 0..sheets.len() {
        list += &format!("<sheet name=\"s{i}\" sheetId=\"{i}\" r:id=\"r{i}\"/>");
        links += &format!("<Relationship Id=\"r{i}\" Target=\"{i}.xml\"/>");
    }
    let mut files = vec![
        ("xl/workbook.xml".to_owned(), format!("<workbook>{list}</workbook>").into_bytes()),
        ("xl/_rels/workbook.xml.rels".to_owned(), links.into_bytes()),
        ("xl/sharedStrings.xml".to_owned(), strings.into_bytes()),
    ];
    for (i, sheet) in sheets.into_iter().enumerate() {
        files.push((format!("xl/{i}.xml"), sheet.into_bytes()));
    }
    let whole = zip(&files);
    let told = outcome(None, "x.xlsx", &whole, whole.len());
    assert_eq!(told, outcome(None, "x.xlsx", &whole, usize::from(*step) + 1));
    // A changed byte changes no row without a word: at most it is refused.
    if let Some(at) = whole.len().checked_sub(usize::from(*step) * 3 + 1) {
        let mut changed = whole;
        changed[at] ^= 1;
        let _ = outcome(None, "x.xlsx", &changed, changed.len());
    }
}

/// Any bytes as a zip archive.
pub(crate) fn archive(bytes: &[u8]) {
    let whole = [b"PK\x03\x04", bytes].concat();
    assert_eq!(outcome(None, "x.xlsx", &whole, 7), outcome(None, "x.xlsx", &whole, whole.len()));
}

/// A gzip file of the input, with one byte changed where the first two say so.
pub(crate) fn gzip(bytes: &[u8]) {
    let [at, flip, text @ ..] = bytes else { return };
    let mut packed = GzEncoder::new(Vec::new(), Compression::fast());
    packed.write_all(text).unwrap();
    let mut packed = packed.finish().unwrap();
    let whole = outcome(None, "x.csv.gz", &packed, packed.len());
    if *flip == 0 {
        // Packed or not, the rows are the same.
        let rows = |t: &str| t.split_once('\n').map(|(_, rows)| rows.to_owned());
        let plain = outcome(None, "x.csv.gz", text, text.len().max(1));
        assert_eq!(rows(&whole), rows(&plain));
        for step in [1, 7] {
            assert_eq!(whole, outcome(None, "x.csv.gz", &packed, step), "by {step}");
        }
        return;
    }
    // What is damaged may be refused earlier or later, so with another sentence.
    let at = usize::from(*at) % packed.len();
    packed[at] ^= flip;
    let is_table = |told: &str| told.contains('\n');
    let whole = outcome(None, "x.csv.gz", &packed, packed.len());
    for step in [1, 7] {
        let told = outcome(None, "x.csv.gz", &packed, step);
        assert!(told == whole || !is_table(&told) && !is_table(&whole), "by {step}");
    }
}

/// A link's view state, and the data in a link or a page.
pub(crate) fn link(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let (state, problems) = ViewState::decode(&text);
    for p in &problems {
        said(&p.message);
    }
    let again = ViewState::decode(&state.encode()).0;
    assert_eq!(again.encode(), state.encode());
    let _ = data::from_page(&text);
    let mut packed = DeflateEncoder::new(Vec::new(), Compression::fast());
    packed.write_all(bytes).unwrap();
    let link = |block: &[u8]| data::to_link(block).unwrap_or_default();
    for coded in [text.into_owned(), link(bytes), link(&packed.finish().unwrap())] {
        match data::from_link(&coded) {
            Err(e) => said(&e),
            Ok(files) => {
                assert!(files.len() <= 100);
                assert!(files.iter().map(|f| f.bytes.len()).sum::<usize>() <= 8 << 20);
                let again = data::to_link(&data::pack(files.clone())).ok();
                again.iter().for_each(|t| assert_eq!(data::from_link(t).unwrap(), files));
            }
        }
    }
}

/// A message of a host to the page that it embeds or opened.
pub(crate) fn message(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    for (ports, connected) in [(1, false), (2, true)] {
        match embed::connect(&text, ports, connected) {
            Ok(version) => assert!(!connected && embed::VERSIONS.contains(&version)),
            Err(refusal) => refusal.iter().for_each(|r| said(&r.message)),
        }
    }
    for (size, busy) in
        [(None, false), (None, true), (Some(bytes.len()), false), (Some(bytes.len()), true)]
    {
        for window in [embed::HostWindow::Parent, embed::HostWindow::Opener] {
            match embed::request(&text, size, embed::HostState { window, busy, taken: bytes.len() })
            {
                Err(refusal) => said(&refusal.message),
                Ok(embed::Request::Load { name, .. }) => {
                    assert!(size.is_some() && !busy && !name.chars().any(char::is_control));
                }
                Ok(embed::Request::View { set, .. }) => {
                    assert_eq!(window, embed::HostWindow::Parent);
                    set.hash.iter().for_each(|h| link(h.as_bytes()));
                }
                Ok(embed::Request::Export { .. }) => assert_eq!(window, embed::HostWindow::Parent),
            }
        }
    }
}

/// A list of runs: what is read is written alike, stays below its folder, and takes one run more.
pub(crate) fn history(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let mut list = match RunList::read(&text) {
        Ok(list) => list,
        Err(why) => return said(&why),
    };
    assert_eq!(RunList::read(&list.write()).as_ref(), Ok(&list));
    for run in list.runs.clone() {
        assert!(
            !run.rows.contains(':') && run.rows.split('/').all(|part| !matches!(part, "" | ".."))
        );
        let info = run.info;
        let rows = list.file_of(&info);
        assert!(list.runs.iter().all(|r| r.rows != rows));
        let before = list.runs.len();
        let gone = list.add(ListedRun { info, rows, sha256: run.sha256 }, before);
        assert_eq!((gone.len(), list.runs.len()), (1, before));
        RunList::read(&list.write()).unwrap();
    }
}

/// M, N, K, a tile, then groups as files state them, or the rows of each: what a grouped GEMM costs lies between one
/// group and one with a group for each row.
pub(crate) fn grouped(bytes: &[u8]) {
    let [m, n, k, tile, text @ ..] = bytes else { return };
    let text = String::from_utf8_lossy(text);
    let size = |v: &u8| 1 << (v % 32) | u32::from(*v);
    let (m, n, k, tile) = (size(m), size(n), size(k), size(tile));
    let rows = parse_rows(&text);
    let of_rows = rows.as_deref().and_then(Groups::of_rows);
    if let (Some(rows), Some(groups)) = (&rows, of_rows) {
        let filled = rows.iter().filter(|rows| **rows > 0).count();
        assert_eq!(groups.active(f64::from(m)), filled as f64);
        let whole: u64 = rows.iter().map(|rows| u64::from(*rows)).sum();
        let tiles = tiles_of_rows(rows.iter().copied(), tile);
        assert!(tiles >= whole.div_ceil(u64::from(tile)) && tiles <= whole);
    }
    let Some(groups) = text.parse().ok().or(of_rows) else { return };
    assert_eq!(groups.to_string().parse(), Ok(groups), "{groups}");
    let active = groups.active(f64::from(m));
    assert!(active > 0.0 && active <= f64::from(groups.count), "{groups} over {m} rows: {active}");
    assert!(groups.tiles(m, tile) >= u64::from(m.div_ceil(tile)).min(1), "{groups}");
    let op = Operation { groups: Some(groups), ..Operation::uniform(DataType::Bf16) };
    let problem = Problem { m, n, k, batch: 1, op };
    let (work, moved) = (problem.work().0, problem.bytes().0);
    assert!(work > 0.0 && work.is_finite() && moved > 0.0 && moved.is_finite(), "{groups}");
    assert!(problem.intensity().0 > 0.0);
    if !groups.along_k && groups.down == 0 {
        let one = Problem { op: Operation { groups: None, ..op }, ..problem };
        let b = f64::from(n) * f64::from(k) * 2.0;
        assert!((work / one.work().0 - 1.0).abs() < 1e-12);
        let extra = moved - one.bytes().0;
        assert!((extra - (active - 1.0) * b).abs() <= 1e-9 * moved, "{groups}: {extra}");
    }
}

/// The configuration of a model, and the description of a device.
pub(crate) fn description(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let _ = Model::is_config(&text);
    if let Ok(model) = Model::from_config(&text)
        && model.validate().is_ok()
    {
        assert!(model.parameters().is_finite() && model.parameters() > 0.0);
        if let Ok(gemms) = model.gemms(&Workload::decode(1, 128)) {
            for g in gemms {
                assert!(g.problem.work().0 > 0.0 && g.problem.work().0.is_finite());
            }
        }
    }
    // Tables are for other checks.
    if text.trim_start().starts_with(['{', '['])
        && let Ok(Imported::Devices(devices)) = read_all("d.json", bytes, &ImportOptions::default())
    {
        // The worker sends them as JSON.
        let json = serde_json::to_string(&devices).unwrap();
        assert_eq!(serde_json::from_str::<Vec<Device>>(&json).unwrap(), devices);
        for d in devices {
            assert!(!d.name.is_empty() && d.name == visible(&d.name));
            for p in &d.peaks {
                let roof = d.roof(p.dtype, RoofKind::Datasheet);
                assert!(roof.is_some_and(|r| {
                    r.peak_flops_per_s.is_normal() && r.bandwidth_bytes_per_s.is_normal()
                }));
            }
        }
    }
}

/// Names of kernels and devices, units, and figures as text.
pub(crate) fn names(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    if let Some(tile) = KernelName::parse(&text).tile {
        assert!(tile.m > 0 && tile.n > 0 && tile.k != Some(0), "{tile:?}");
    }
    match match_name(&text) {
        NameMatch::Ambiguous(all) => assert!(!all.is_empty()),
        NameMatch::Exact(d) | NameMatch::Alias(d) => assert!(catalog().contains(d)),
        NameMatch::Unknown => {}
    }
    let units = [
        TimeUnit::parse(&text).map(TimeUnit::to_si),
        RateUnit::parse(&text).map(RateUnit::to_si),
        BandwidthUnit::parse(&text).map(BandwidthUnit::to_si),
    ];
    assert!(units.iter().flatten().all(|u| u.is_normal()));
    assert_eq!(visible(&visible(&text)), visible(&text));
    let markup = markup(&text);
    assert!(!markup.contains(['<', '>', '"']));
    for eight in bytes.chunks_exact(8) {
        let v = f64::from_le_bytes(eight.try_into().unwrap());
        for digits in [1, 3, 4, 17] {
            let written = [
                format_significant(v, digits),
                format_short(v, digits),
                fixed(v, digits),
                percent(v),
                Seconds(v).to_string(),
            ];
            for w in written {
                assert!(!w.is_empty() && w.len() < 60, "{v:e}: {w}");
            }
            let back: f64 = format_significant(v, digits).parse().unwrap_or(f64::NAN);
            let near = (back / v - 1.0).abs() <= 10f64.powi(1 - digits.min(15) as i32);
            assert!(
                // Rounded up, the largest ones are no doubles.
                near || v == 0.0 || !v.is_normal() || v.abs() > 1e308,
                "{v:e} {digits}: {back:e}"
            );
        }
    }
}

/// The content of a file of published times, with the number of its table before it.
pub(crate) fn reference(bytes: &[u8]) {
    let Some((number, content)) = bytes.split_first() else { return };
    let source = &listed()[usize::from(*number) % listed().len()];
    let mut packed = GzEncoder::new(Vec::new(), Compression::fast());
    packed.write_all(content).unwrap();
    match ReferenceTable::read(source, &packed.finish().unwrap()) {
        Err(why) => said(&why),
        Ok(table) => {
            assert!(
                table.each().all(|(p, time)| p.work().0 > 0.0 && time.is_normal() && time > 0.0)
            );
            assert!(table.band().iter().all(|at| at.p50 > 0.0 && at.p50 <= at.p90));
        }
    }
}

/// A text read as a document, whatever it is.
pub(crate) fn document(bytes: &[u8]) {
    let options = ImportOptions { format: Some("document".to_owned()), ..ImportOptions::default() };
    match read_all("x.md", bytes, &options) {
        Err(e) => said(&e.message),
        Ok(Imported::Table(data)) => {
            sound(&data, bytes.len());
            let used = data.sources.iter().map(|s| s.rows_used).sum::<u64>();
            // Of a known tool's table, rows that are all set aside keep their reasons.
            let set_aside = data.sources.iter().map(|s| s.rejected.total()).sum::<u64>();
            assert!(used + set_aside > 0 && used == data.len() as u64);
        }
        Ok(_) => {}
    }
}

/// A file with what the user said about it: options as JSON or as lines, a zero, the file.
pub(crate) fn answers(bytes: &[u8]) {
    let Some(at) = bytes.iter().position(|b| *b == 0) else {
        return;
    };
    let (said_so, file) = (&bytes[..at], &bytes[at + 1..]);
    let options = match serde_json::from_slice::<ImportOptions>(said_so) {
        Ok(options) => options,
        Err(_) => lines_of_options(&String::from_utf8_lossy(said_so)),
    };
    let json = serde_json::to_string(&options).unwrap();
    assert_eq!(serde_json::from_str::<ImportOptions>(&json).unwrap(), options);
    let head = Head::from_bytes("x.csv", file);
    let _ = inspect(&head, &options);
    match read_all("x.csv", file, &options) {
        Err(e) => said(&e.message),
        Ok(Imported::Table(data)) => sound(&data, bytes.len()),
        Ok(_) => {}
    }
}

/// Options as lines: `format`, `header=meaning`, `key:answer`.
fn lines_of_options(text: &str) -> ImportOptions {
    let mut options = ImportOptions::default();
    for line in text.lines() {
        if let Some((header, meaning)) = line.split_once('=') {
            let columns = &mut options.columns;
            columns.insert(header.to_owned(), meaning.to_owned());
        } else if let Some((key, answer)) = line.split_once(':') {
            options.answers.insert(key.to_owned(), answer.to_owned());
        } else {
            options.format = Some(line.to_owned());
        }
    }
    options
}

/// What the worker sends: any table comes back as it was; a changed message is refused or sound.
pub(crate) fn transfer(bytes: &[u8]) {
    let [change, at, text @ ..] = bytes else {
        return;
    };
    let Ok(Imported::Table(data)) = read_all("x", text, &ImportOptions::default()) else {
        return;
    };
    let before = told(&data);
    let mut packed = wire::pack(*data);
    let back = wire::unpack(packed.clone()).unwrap();
    assert_eq!(told(&back), before);
    let number = usize::from(*at) % packed.buffers.len();
    match change % 4 {
        0 => packed.buffers.truncate(number),
        1 => match &mut packed.buffers[number] {
            Buffer::U8(v) => v.push(*at),
            Buffer::U16(v) => v.iter_mut().for_each(|c| *c = c.wrapping_add(u16::from(*at))),
            Buffer::U32(v) => v.iter_mut().for_each(|c| *c = c.wrapping_add(u32::from(*at))),
            Buffer::F64(v) => v.clear(),
        },
        2 => packed.buffers.swap(number, 0),
        _ => {
            let cut = usize::from(*at) % packed.head.len();
            packed.head = packed.head.chars().take(cut).collect();
        }
    }
    if let Ok(data) = wire::unpack(packed) {
        for row in 0..data.len() {
            let _ = (data.problem(row), &data.devices[usize::from(data.device[row])]);
            let _ = &data.sources[usize::from(data.source[row])];
        }
        let _ = told(&data);
    }
}

/// Several files side by side: no row is lost or gets the values of another file.
pub(crate) fn files(bytes: &[u8]) {
    let (mut tables, mut contexts) = (Vec::new(), Vec::new());
    for (i, part) in parts(bytes).take(6).enumerate() {
        match read_all(&format!("r/{i}.csv"), part, &ImportOptions::default()) {
            Ok(Imported::Table(data)) => tables.push(*data),
            Ok(Imported::Context(context)) => contexts.push(context),
            _ => {}
        }
    }
    let tables: Vec<&Dataset> = tables.iter().collect();
    let repeated = trace::repeated_rows(&tables);
    let (mut all, sources, lent) = trace::unite(&tables, &repeated);
    lent.to(&mut all);
    for context in &contexts {
        // The worker sends it as JSON.
        let json = serde_json::to_string(context).unwrap();
        assert_eq!(serde_json::from_str::<TraceContext>(&json).unwrap(), **context);
        let _ = trace::attach(&mut all, context);
    }
    sound(&all, bytes.len());
    let mut row = 0;
    for (i, table) in tables.iter().enumerate() {
        if repeated.iter().any(|r| r.table == i) {
            assert!(sources[i].is_empty());
            continue;
        }
        for own in 0..table.len() {
            assert_eq!(all.problem(row), table.problem(own));
            assert_eq!(all.time_s[row].to_bits(), table.time_s[own].to_bits());
            assert!(sources[i].contains(&usize::from(all.source[row])));
            let stated = &table.devices[usize::from(table.device[own])];
            let device = &all.devices[usize::from(all.device[row])];
            assert!(device == stated || stated.is_empty());
            row += 1;
        }
    }
    assert_eq!(row, all.len());
}
