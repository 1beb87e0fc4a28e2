//! Names of public types are unique in the workspace.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

fn public_types(folder: &Path, found: &mut BTreeMap<String, Vec<String>>) {
    for entry in fs::read_dir(folder).expect("folder").map(|entry| entry.expect("entry").path()) {
        if entry.is_dir() {
            public_types(&entry, found);
        } else if entry.extension().is_some_and(|ext| ext == "rs") {
            let text = fs::read_to_string(&entry).expect("source");
            for (number, line) in text.lines().enumerate() {
                let words: Vec<&str> =
                    line.split(|c: char| !c.is_alphanumeric() && c != '_').collect();
                let declared = line.trim_start().starts_with("pub ")
                    && words
                        .iter()
                        .any(|w| ["struct", "enum", "trait", "type", "union"].contains(w));
                let after = |keyword| words.iter().skip_while(|w| **w != keyword).nth(1);
                let name =
                    ["struct", "enum", "trait", "type", "union"].iter().find_map(|k| after(*k));
                if let Some(name) = name.filter(|name| declared && !name.is_empty()) {
                    found.entry((*name).to_owned()).or_default().push(format!(
                        "{}:{}",
                        entry.display(),
                        number + 1
                    ));
                }
            }
        }
    }
}

#[test]
fn public_type_names_are_unique() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut found = BTreeMap::new();
    public_types(&root.join("src"), &mut found);
    for member in fs::read_dir(root.join("crates")).expect("crates") {
        public_types(&member.expect("crate").path().join("src"), &mut found);
    }
    assert!(found.len() > 300, "only {} public types found", found.len());
    found.retain(|_, places| places.len() > 1);
    assert!(found.is_empty(), "one name, several public types: {found:#?}");
}
