//! The page's entry, on wasm32.
#[cfg(target_arch = "wasm32")]
fn main() {
    console_error_panic_hook::set_once();
    // The page's worker runs the same module: it has no window.
    if web_sys::window().is_none() {
        gemmscope::web::worker::run();
        return;
    }
    gemmscope::app::shell::page::start();
}

#[cfg(not(target_arch = "wasm32"))]
fn main() {
    eprintln!("The page runs in a browser: `make serve`. The command is in crates/cli.");
    std::process::exit(2);
}
