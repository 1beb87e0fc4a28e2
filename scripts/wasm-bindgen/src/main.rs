//! `wasm-bindgen`, as far as Trunk calls it: the arguments below, and `--version`.

use anyhow::{Context, Result, bail};
use std::path::PathBuf;
use wasm_bindgen_cli_support::Bindgen;

fn main() -> Result<()> {
    let mut bindgen = Bindgen::new();
    bindgen.omit_default_module_path(false);
    let mut out_dir = None;
    for arg in std::env::args().skip(1) {
        match arg.split_once('=') {
            Some(("--out-dir", dir)) => out_dir = Some(PathBuf::from(dir)),
            Some(("--out-name", name)) => _ = bindgen.out_name(name),
            Some(("--target", "web")) => _ = bindgen.web(true)?,
            None if arg == "--version" => {
                println!("wasm-bindgen {}", wasm_bindgen_shared::version());
                return Ok(());
            }
            None if arg == "--no-typescript" => _ = bindgen.typescript(false),
            None if arg == "--keep-debug" => _ = bindgen.keep_debug(true),
            None if arg == "--no-demangle" => _ = bindgen.demangle(false),
            _ if arg.starts_with('-') => bail!("{arg}: not an argument of this wasm-bindgen (scripts/wasm-bindgen)"),
            _ => _ = bindgen.input_path(&arg),
        }
    }
    bindgen.generate(out_dir.context("--out-dir=DIR is missing")?)
}
