//! The page's entry on wasm32; natively the `gemmscope` command.
#[cfg(target_arch = "wasm32")]
fn main() {
    // The worker runs the same wasm (public/worker.mjs): there is no page to mount there.
    if web_sys::window().is_none() {
        return;
    }
    leptos::mount::mount_to_body(|| {
        use leptos::prelude::*;
        view! { <main><h1>"gemmscope"</h1></main> }
    });
}

#[cfg(not(target_arch = "wasm32"))]
fn main() -> std::process::ExitCode {
    gemmscope::cli::main()
}
