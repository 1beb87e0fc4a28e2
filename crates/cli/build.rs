//! Embeds the one-file page in the command: `GEMMSCOPE_PAGE=gemmscope.html cargo build`. Without the variable the
//! command has no page and asks for `--app`. Also lists the tables of published times.

use flate2::Compression;
use flate2::write::GzEncoder;
use std::io::Write;
use std::path::Path;

/// The element that takes the data: a page without it is not ours.
const SLOT: &str = "id=\"gemmscope-data\"";

fn main() -> Result<(), Box<dyn std::error::Error>> {
    println!("cargo:rerun-if-changed=build.rs");
    list_references()?;
    println!("cargo:rerun-if-env-changed=GEMMSCOPE_PAGE");
    let out = Path::new(&std::env::var("OUT_DIR")?).join("page.gz");
    let Some(page) = std::env::var_os("GEMMSCOPE_PAGE").filter(|p| !p.is_empty()) else {
        std::fs::write(out, "")?;
        return Ok(());
    };
    let path = Path::new(&page);
    if path.is_relative() {
        return Err("GEMMSCOPE_PAGE: give a path from the root, since cargo builds in the folder of the crate".into());
    }
    println!("cargo:rerun-if-changed={}", path.display());
    let html = std::fs::read_to_string(path).map_err(|e| format!("{}: {e}", path.display()))?;
    if !html.contains(SLOT) {
        return Err(format!("{}: not the one-file page", path.display()).into());
    }
    let mut packed = GzEncoder::new(Vec::new(), Compression::best());
    packed.write_all(html.as_bytes())?;
    std::fs::write(out, packed.finish()?)?;
    Ok(())
}

/// Writes `references.rs`: name and bytes of every table of published times, from the folder that the page serves too.
fn list_references() -> Result<(), Box<dyn std::error::Error>> {
    let folder = Path::new(&std::env::var("CARGO_MANIFEST_DIR")?).join("../../public/reference");
    println!("cargo:rerun-if-changed={}", folder.display());
    let mut paths = Vec::new();
    for entry in std::fs::read_dir(&folder)? {
        let path = entry?.path();
        if path.extension().is_some_and(|e| e == "bin") {
            paths.push(std::fs::canonicalize(path)?);
        }
    }
    paths.sort();
    let line = |path: &std::path::PathBuf| {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        format!("    ({name:?}, include_bytes!({:?})),\n", path.to_string_lossy())
    };
    let lines: String = paths.iter().map(line).collect();
    let out = Path::new(&std::env::var("OUT_DIR")?).join("references.rs");
    std::fs::write(out, format!("&[\n{lines}]"))?;
    Ok(())
}
