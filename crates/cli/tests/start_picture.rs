//! The picture on the start page is the roofline of the first sample as `render` draws it, in both themes.
//! `UPDATE_GOLDEN=1 cargo test -p gemmscope-cli --test start_picture` draws it anew.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on says where")]

use std::path::Path;
use std::process::Command;

#[test]
fn the_picture_of_the_start_page_is_what_render_draws() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    for theme in ["light", "dark"] {
        let drawn = Command::new(env!("CARGO_BIN_EXE_gemmscope"))
            .args(["render", "samples/mi300x-libraries.csv", "--view", "roofline"])
            .args(["--state", "labels=off", "--size", "640x340", "--theme", theme])
            .current_dir(&root)
            .output()
            .unwrap();
        assert!(drawn.status.success(), "{}", String::from_utf8_lossy(&drawn.stderr));
        let kept = root.join(format!("public/roofline-{theme}.svg"));
        if std::env::var_os("UPDATE_GOLDEN").is_some() {
            std::fs::write(&kept, &drawn.stdout).unwrap();
        }
        let same = std::fs::read(&kept).is_ok_and(|known| known == drawn.stdout);
        assert!(same, "{} is another picture: UPDATE_GOLDEN=1 draws it anew", kept.display());
    }
}
