//! The page's entry on wasm32; natively the `gemmscope` command.
#[cfg(target_arch = "wasm32")]
fn main() {
    leptos::mount::mount_to_body(|| {
        use leptos::prelude::*;
        view! { <main><h1>"gemmscope"</h1></main> }
    });
}

#[cfg(not(target_arch = "wasm32"))]
fn main() {
    println!("gemmscope");
}
