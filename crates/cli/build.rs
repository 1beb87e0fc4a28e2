//! Puts the one-file page into the command: `GEMMSCOPE_PAGE=gemmscope.html cargo build`. Without
//! the variable the command carries none and asks for `--app`.

use flate2::Compression;
use flate2::write::GzEncoder;
use std::io::Write;
use std::path::Path;

/// The element that takes the data: a page without it is none of ours.
const SLOT: &str = "id=\"gemmscope-data\"";

fn main() -> Result<(), Box<dyn std::error::Error>> {
    println!("cargo:rerun-if-changed=build.rs");
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
