//! What is fetched while building, testing and publishing is pinned, and no job that runs it may write.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on says where")]

use std::fs;
use std::path::Path;

fn read(name: &str) -> String {
    fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(name)).unwrap()
}

/// The workflows: name and text.
fn workflows() -> Vec<(String, String)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(".github/workflows");
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let all = entries.map(|path| (path.display().to_string(), fs::read_to_string(&path).unwrap()));
    let all: Vec<_> = all.collect();
    assert!(all.len() >= 4);
    all
}

fn is_hex(text: &str, digits: usize) -> bool {
    text.len() == digits && text.bytes().all(|b| b.is_ascii_digit() || (b'a'..=b'f').contains(&b))
}

/// The jobs of a workflow: their lines, each job at once.
fn jobs(text: &str) -> Vec<String> {
    let jobs = text.split("\njobs:\n").nth(1).unwrap();
    let mut all: Vec<String> = Vec::new();
    for line in jobs.lines() {
        let begins = line.starts_with("  ") && !line[2..].starts_with([' ', '#']);
        if begins {
            all.push(String::new());
        }
        if let Some(job) = all.last_mut() {
            *job += &format!("{line}\n");
        }
    }
    all
}

#[test]
fn actions_are_pinned_by_commit() {
    let mut all = workflows();
    all.push(("action.yml".to_owned(), read("action.yml")));
    let mut uses = 0;
    for (name, text) in all {
        for line in text.lines().filter_map(|line| line.split_once("uses: ").map(|(_, used)| used))
        {
            let (action, version) = line.split_once(" # ").unwrap_or((line, ""));
            let commit = action.split_once('@').unwrap_or_default().1;
            assert!(is_hex(commit, 40), "{name}: {line}");
            assert!(version.starts_with('v'), "{name}: {line} says no version");
            uses += 1;
        }
    }
    assert!(uses > 10);
}

#[test]
fn what_may_write_runs_nothing_of_the_checkout() {
    for (name, text) in workflows() {
        let before = text.split("\njobs:\n").next().unwrap();
        assert!(before.contains("\npermissions:\n  contents: read\n"), "{name}");
        assert!(!before.contains(": write"), "{name}: for all jobs");
        for job in jobs(&text) {
            let checks_out = job.contains("actions/checkout@");
            assert!(!(checks_out && job.contains(": write")), "{name}: {job}");
            let kept_out = job.matches("persist-credentials: false").count();
            assert_eq!(job.matches("actions/checkout@").count(), kept_out, "{name}: {job}");
        }
    }
}

#[test]
fn images_are_pinned_by_digest() {
    let text = read("deploy/Containerfile");
    let mut stages = vec!["scratch"];
    for line in text.lines().filter_map(|line| line.strip_prefix("FROM ")) {
        let (image, stage) = line.split_once(" AS ").unwrap_or((line, ""));
        let digest = image.split_once("@sha256:").unwrap_or_default().1;
        assert!(stages.contains(&image) || is_hex(digest, 64), "{line}");
        stages.push(stage);
    }
    assert!(stages.len() > 4);
}

#[test]
fn packages_are_locked_with_their_digests() {
    for name in ["scripts/docs-requirements.txt", "scripts/wheel-requirements.txt"] {
        let text = read(name);
        let mut packages = 0;
        for package in text.split("\n").collect::<Vec<_>>().join("\n").replace(" \\\n", " ").lines()
        {
            if package.is_empty() || package.starts_with('#') {
                continue;
            }
            assert!(
                package.contains("==") && package.contains("--hash=sha256:"),
                "{name}: {package}"
            );
            packages += 1;
        }
        let wanted = read(&name.replace(".txt", ".in"));
        for package in wanted.lines().filter(|line| !line.starts_with('#')) {
            assert!(text.contains(&format!("\n{package}")), "{name} lacks {package}");
        }
        assert!(packages >= 2, "{name}");
    }
    for (folder, least) in [("scripts/npm", 5), ("e2e", 2)] {
        let lock: serde_json::Value =
            serde_json::from_str(&read(&format!("{folder}/package-lock.json"))).unwrap();
        let named: serde_json::Value =
            serde_json::from_str(&read(&format!("{folder}/package.json"))).unwrap();
        for kind in ["dependencies", "devDependencies"] {
            assert_eq!(lock["packages"][""][kind], named[kind], "{folder}");
        }
        let packages = lock["packages"].as_object().unwrap();
        assert!(packages.len() > least);
        for (name, package) in packages.iter().filter(|(name, _)| !name.is_empty()) {
            assert!(
                package["integrity"].as_str().unwrap().starts_with("sha512-"),
                "{folder}: {name}"
            );
        }
    }
    for name in ["Cargo.lock", "scripts/wasm-bindgen/Cargo.lock"] {
        let lock = read(name);
        for package in lock.split("[[package]]").skip(1).filter(|p| p.contains("\nsource = ")) {
            let registry = "source = \"registry+https://github.com/rust-lang/crates.io-index\"";
            assert!(
                package.contains(registry) && package.contains("\nchecksum = "),
                "{name}: {package}"
            );
        }
    }
}

#[test]
fn installers_read_the_locks() {
    let setup = read("scripts/setup.sh").replace("\\\n", " ");
    for line in setup.lines().filter(|line| !line.trim_start().starts_with('#')) {
        assert!(!line.contains("npm install"), "{line}");
        assert!(!line.contains("npm ci") || line.contains("--ignore-scripts"), "{line}");
        assert!(!line.contains("pip\" install") || line.contains("--require-hashes"), "{line}");
        let installs = line.contains("quick_install ") && !line.contains("quick_install()");
        assert!(!installs || line.contains("--locked"), "{line}");
    }
    assert!(read("scripts/release.mjs").contains("\"--require-hashes\""));
}

/// The licences that deny.toml allows.
fn allowed() -> Vec<String> {
    let text = read("deny.toml");
    let list = text.split("\nallow = [").nth(1).unwrap().split(']').next().unwrap();
    list.split(',')
        .map(|l| l.trim().trim_matches('"').to_owned())
        .filter(|l| !l.is_empty())
        .collect()
}

#[test]
fn every_crate_has_a_licence_that_is_allowed() {
    let cargo = std::process::Command::new(env!("CARGO"))
        .args(["metadata", "--locked", "--format-version", "1"])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .unwrap();
    assert!(cargo.status.success(), "{}", String::from_utf8_lossy(&cargo.stderr));
    let metadata: serde_json::Value = serde_json::from_slice(&cargo.stdout).unwrap();
    let allowed = allowed();
    let packages = metadata["packages"].as_array().unwrap();
    assert!(allowed.len() > 5 && packages.len() > 100);
    for package in packages {
        let licence = package["license"].as_str().unwrap_or("");
        let one_of = |part: &str| {
            let part = part.trim_matches(['(', ')']).replace('/', " OR ");
            part.split(" OR ").any(|one| allowed.iter().any(|l| l == one.trim()))
        };
        assert!(licence.split(" AND ").all(one_of), "{}: {licence}", package["name"]);
    }
}
