//! Finds the catalogue device that a driver or a file names.
//!
//! Products are matched by whole words: `H200` never becomes `H100`, `GH200` never `H200`, `MI300A` never `MI300X`. If
//! several devices are possible, the user chooses among the candidates.

use super::{Device, by_id, catalog};
use std::collections::HashMap;
use std::sync::OnceLock;

/// The outcome of [`match_name`] and [`match_target`].
#[derive(Clone, Debug, PartialEq)]
pub enum NameMatch {
    /// The text is a catalogue id or the device's full name.
    Exact(&'static Device),
    /// The text is another known name of exactly one device.
    Alias(&'static Device),
    /// The text fits several devices, or one device plus words that could mean another variant. The likeliest is first.
    Ambiguous(Vec<&'static Device>),
    /// The text fits no device of the catalogue.
    Unknown,
}

impl NameMatch {
    /// The device, if only one is possible.
    pub fn device(&self) -> Option<&'static Device> {
        match self {
            Self::Exact(device) | Self::Alias(device) => Some(device),
            Self::Ambiguous(_) | Self::Unknown => None,
        }
    }

    /// Every device that the text may mean.
    pub fn candidates(&self) -> Vec<&'static Device> {
        match self {
            Self::Exact(device) | Self::Alias(device) => vec![device],
            Self::Ambiguous(devices) => devices.clone(),
            Self::Unknown => Vec::new(),
        }
    }
}

/// Finds a device by the name that a driver, a file or a user wrote.
///
/// ```
/// use gemmscope_model::hardware::match_name;
/// let device = match_name("AMD Instinct MI300X VF").device().ok_or("not found")?;
/// assert_eq!(device.id, "mi300x");
/// assert_eq!(match_name("NVIDIA A100").candidates().len(), 4);
/// # Ok::<(), &str>(())
/// ```
pub fn match_name(text: &str) -> NameMatch {
    let text = text.trim();
    if let Some(device) = by_id(text).or_else(|| by_id(&text.to_lowercase())) {
        return NameMatch::Exact(device);
    }
    let words = product_words(text);
    if words.is_empty() {
        return NameMatch::Unknown;
    }
    let of = |names: &ByWords| names.get(&words).cloned().unwrap_or_default();
    let (names, aliases) = words_of_catalog();
    let (named, aliased) = (of(names), of(aliases));
    let mut all = named.clone();
    all.extend(aliased.iter().filter(|device| !named.contains(device)));
    match (named.as_slice(), all.as_slice()) {
        ([device], [_]) => return NameMatch::Exact(device),
        ([], [device]) => return NameMatch::Alias(device),
        (_, [_, _, ..]) => return NameMatch::Ambiguous(all),
        _ => {}
    }
    if let Some(token) = arch_token(text) {
        return match_target(token, None);
    }
    by_model(text, &words)
}

/// Finds a device by compiler target and SM or CU count, as tuning files give them: `("gfx942", Some(80))`. gfx942 with
/// 304 CUs reads as MI300X, which those files mean; MI325X has the same compute and a faster memory.
pub fn match_target(arch_token: &str, units: Option<u32>) -> NameMatch {
    // `gfx942:sramecc+:xnack-` has feature flags after the target.
    let token = arch_token.trim().split(':').next().unwrap_or_default().to_lowercase();
    let token = match token.strip_prefix("sm") {
        Some(digits) if !digits.starts_with('_') => format!("sm_{digits}"),
        _ => token,
    };
    let token = token.trim_end_matches('a');
    let found = devices_where(|device| {
        device.arch_token.trim_end_matches('a') == token
            && units.is_none_or(|units| device.units == Some(units))
    });
    if let Some(units) = units {
        let key = format!("{token}:{units}");
        if let Some(device) = found.iter().find(|device| device.aliases.contains(&key)) {
            return NameMatch::Alias(device);
        }
    }
    match found.as_slice() {
        [] => NameMatch::Unknown,
        [device] if units.is_some() => NameMatch::Alias(device),
        _ => NameMatch::Ambiguous(found),
    }
}

type ByWords = HashMap<Vec<String>, Vec<&'static Device>>;

/// Devices by the words of their name, and by those of their aliases, in the catalogue's order.
fn words_of_catalog() -> &'static (ByWords, ByWords) {
    static WORDS: OnceLock<(ByWords, ByWords)> = OnceLock::new();
    WORDS.get_or_init(|| {
        let (mut names, mut aliases) = (ByWords::new(), ByWords::new());
        for device in catalog() {
            names.entry(product_words(&device.name)).or_default().push(device);
            for alias in &device.aliases {
                let found = aliases.entry(product_words(alias)).or_default();
                if !found.contains(&device) {
                    found.push(device);
                }
            }
        }
        (names, aliases)
    })
}

fn devices_where(keep: impl Fn(&Device) -> bool) -> Vec<&'static Device> {
    catalog().iter().filter(|device| keep(device)).collect()
}

/// The words of a name in lower case, without the vendor and other words that do not distinguish products.
fn product_words(text: &str) -> Vec<String> {
    const NOISE: [&str; 21] = [
        "nvidia",
        "amd",
        "intel",
        "google",
        "aws",
        "habana",
        "instinct",
        "tesla",
        "geforce",
        "graphics",
        "gpu",
        "accelerator",
        "data",
        "center",
        "cloud",
        "oam",
        "vf",
        "r",
        "tm",
        "tpu",
        "hgx",
    ];
    text.to_lowercase()
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty() && !NOISE.contains(word))
        .map(str::to_owned)
        .collect()
}

fn arch_token(text: &str) -> Option<&str> {
    let word = text.split(':').next()?.trim();
    let lower = word.to_lowercase();
    let is_target = |prefix: &str| {
        lower.strip_prefix(prefix).is_some_and(|rest| {
            (2..=5).contains(&rest.len())
                && rest.starts_with(|c: char| c.is_ascii_digit())
                && rest.chars().all(|c| c.is_ascii_alphanumeric())
        })
    };
    (is_target("gfx") || is_target("sm_") || is_target("sm")).then_some(word)
}

/// Model words of each product line with the devices they may mean, longest first if one contains another. Further
/// words narrow the choice.
const MODELS: [(&str, &[&str]); 39] = [
    ("a100", &["a100-80-sxm", "a100-40-sxm", "a100-80-pcie", "a100-40-pcie"]),
    ("v100", &["v100-sxm2", "v100-pcie"]),
    ("p100", &["p100-sxm2", "p100-pcie"]),
    ("xp", &["titan-xp"]),
    ("m40", &["m40"]),
    ("h100", &["h100-sxm", "h100-pcie"]),
    ("h20", &["h20"]),
    ("h200", &["h200-sxm"]),
    ("gh200", &["gh200-96"]),
    ("b200", &["b200-sxm"]),
    ("gb200", &["gb200"]),
    ("b300", &["b300-sxm"]),
    ("t4", &["t4"]),
    ("a10", &["a10"]),
    ("a10g", &["a10g"]),
    ("a30", &["a30"]),
    ("a40", &["a40"]),
    ("a6000", &["rtx-a6000"]),
    ("3090", &["rtx3090"]),
    ("l4", &["l4"]),
    ("l40s", &["l40s"]),
    ("l40", &["l40"]),
    ("4090", &["rtx4090"]),
    ("rtx4090", &["rtx4090"]),
    ("5090", &["rtx5090"]),
    ("rtx5090", &["rtx5090"]),
    ("mi210", &["mi210"]),
    ("mi250", &["mi250"]),
    ("mi250x", &["mi250x-gcd", "mi250x"]),
    ("mi300x", &["mi300x"]),
    ("mi308x", &["mi308x"]),
    ("mi300a", &["mi300a"]),
    ("mi325x", &["mi325x"]),
    ("mi350x", &["mi350x"]),
    ("mi355x", &["mi355x"]),
    ("gaudi2", &["gaudi2"]),
    ("gaudi3", &["gaudi3"]),
    ("b580", &["arc-b580"]),
    ("trn2", &["trn2"]),
];

/// Words of products that the catalogue lacks.
const OTHER_PRODUCT: [&str; 12] =
    ["nvl", "laptop", "mobile", "d", "ti", "super", "mig", "max", "144g", "144gb", "cnx", "ultra"];

/// Words that do not distinguish variants.
const NEUTRAL: [&str; 7] = ["rtx", "x", "dgx", "hbm", "ac", "480gb", "1g"];

/// True for a model word that other makers have too: `A10`, `5090`.
fn is_short(model: &str) -> bool {
    model.len() <= 3 || model.bytes().all(|b| b.is_ascii_digit())
}

/// Makers of the catalogue's devices.
const MAKERS: [&str; 6] = ["nvidia", "amd", "intel", "google", "aws", "habana"];

/// Words of makers and kinds of processors that the catalogue lacks.
const OTHER_MAKERS: [&str; 29] = [
    "apple",
    "iphone",
    "ipad",
    "qualcomm",
    "snapdragon",
    "adreno",
    "arm",
    "armv7",
    "armv8",
    "armv9",
    "aarch64",
    "cortex",
    "neoverse",
    "graviton",
    "mali",
    "powervr",
    "samsung",
    "exynos",
    "mediatek",
    "dimensity",
    "huawei",
    "kirin",
    "ascend",
    "cpu",
    "ryzen",
    "threadripper",
    "epyc",
    "xeon",
    "core",
];

/// Product lines of NVIDIA, which name the maker.
const NVIDIA_LINES: [&str; 4] = ["tesla", "geforce", "quadro", "rtx"];

/// True if the text names another maker or kind of processor, and not the maker of the device.
fn names_another(text: &str, device: &Device) -> bool {
    let lower = text.to_lowercase();
    let mut words = lower.split(|c: char| !c.is_alphanumeric());
    let own = device.vendor.to_lowercase();
    let is_own = |word: &str| word == own || own == "nvidia" && NVIDIA_LINES.contains(&word);
    let is_other = |word: &str| MAKERS.contains(&word) || OTHER_MAKERS.contains(&word);
    let named = words.clone().any(is_own);
    !named && words.any(is_other)
}

fn by_model(text: &str, words: &[String]) -> NameMatch {
    let mut found: Vec<&'static Device> = Vec::new();
    let mut models = 0;
    for (model, ids) in MODELS {
        if words.iter().any(|word| word == model) {
            models += 1;
            let is_own = |device: &&Device| !is_short(model) || !names_another(text, device);
            found.extend(ids.iter().filter_map(|id| by_id(id)).filter(is_own));
        }
    }
    if found.is_empty() || words.iter().any(|word| OTHER_PRODUCT.contains(&word.as_str())) {
        return NameMatch::Unknown;
    }
    let qualifiers: Vec<&str> = words
        .iter()
        .map(String::as_str)
        .filter(|word| !NEUTRAL.contains(word) && !MODELS.iter().any(|(model, _)| model == word))
        .collect();
    let fits = |device: &Device, word: &str| {
        let form = device.form.to_lowercase();
        let memory = device.memory_kind.to_lowercase();
        let size = device.memory_bytes.map(|bytes| format!("{}", (bytes / 1e9).round()));
        // `a100-sxm-80`: a bare number counts if it is the memory size.
        let number = word.chars().all(|c| c.is_ascii_digit()).then_some(word);
        let size_word = word.strip_suffix("gb").or_else(|| word.strip_suffix('g')).or(number);
        form == word
            || (word == "sxm" && form.starts_with("sxm"))
            || memory == word
            || size_word.is_some_and(|number| size.as_deref() == Some(number))
            || (word == "gcd" && device.id.ends_with("gcd"))
    };
    // A word that fits no device of the line, such as part of a file name, narrows nothing and makes the match
    // uncertain.
    let mut doubt = models > 1;
    for word in qualifiers {
        let narrowed: Vec<_> = found.iter().copied().filter(|device| fits(device, word)).collect();
        if narrowed.is_empty() {
            doubt = true;
        } else {
            found = narrowed;
        }
    }
    match found.as_slice() {
        [device] if !doubt => NameMatch::Alias(device),
        _ => NameMatch::Ambiguous(found),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn ids(found: &NameMatch) -> Vec<&'static str> {
        found.candidates().into_iter().map(|device| device.id.as_str()).collect()
    }

    #[test]
    fn names_that_drivers_print() {
        for (name, id) in [
            ("NVIDIA H100 80GB HBM3", "h100-sxm"),
            ("NVIDIA H100 PCIe", "h100-pcie"),
            ("NVIDIA H200", "h200-sxm"),
            ("NVIDIA GH200 480GB", "gh200-96"),
            ("NVIDIA B200", "b200-sxm"),
            ("NVIDIA GB200", "gb200"),
            ("NVIDIA B300 SXM6 AC", "b300-sxm"),
            ("NVIDIA A100-SXM4-80GB", "a100-80-sxm"),
            ("NVIDIA A100-SXM4-40GB", "a100-40-sxm"),
            ("NVIDIA A100-PCIE-40GB", "a100-40-pcie"),
            ("NVIDIA A100 80GB PCIe", "a100-80-pcie"),
            ("Tesla V100-SXM2-16GB", "v100-sxm2"),
            ("Tesla V100-SXM2-32GB", "v100-sxm2"),
            ("Tesla V100-PCIE-32GB", "v100-pcie"),
            ("V100-PCIE-16GB", "v100-pcie"),
            ("Tesla P100-SXM2-16GB", "p100-sxm2"),
            ("Tesla P100-PCIE-16GB", "p100-pcie"),
            ("Tesla M40 24GB", "m40"),
            ("NVIDIA TITAN Xp", "titan-xp"),
            ("NVIDIA L4", "l4"),
            ("Tesla T4", "t4"),
            ("NVIDIA A10G", "a10g"),
            ("NVIDIA A10", "a10"),
            ("A10", "a10"),
            ("A10G", "a10g"),
            ("NVIDIA RTX A6000", "rtx-a6000"),
            ("NVIDIA GeForce RTX 3090", "rtx3090"),
            ("NVIDIA H100 NVL", "h100-nvl"),
            ("NVIDIA RTX PRO 6000 Blackwell Server Edition", "rtx-pro-6000-server"),
            ("NVIDIA H20", "h20"),
            ("NVIDIA L40", "l40"),
            ("NVIDIA L40S", "l40s"),
            ("NVIDIA GeForce RTX 4090", "rtx4090"),
            ("NVIDIA GeForce RTX 5090", "rtx5090"),
            ("NVIDIA_A100-SXM4-80GB", "a100-80-sxm"),
            ("a100-sxm-80", "a100-80-sxm"),
            ("AMD Instinct MI300X", "mi300x"),
            ("AMD Instinct MI300X VF", "mi300x"),
            ("AMD_Instinct_MI300X_OAM", "mi300x"),
            ("AMD Instinct MI308X", "mi308x"),
            ("AMD Instinct MI300A", "mi300a"),
            ("AMD Instinct MI325X", "mi325x"),
            ("AMD Instinct MI355X", "mi355x"),
            ("MI210", "mi210"),
            ("MI250X GCD", "mi250x-gcd"),
            ("Intel(R) Data Center GPU Max 1550", "pvc-1550"),
            ("TPU v5 lite", "tpu-v5e"),
            ("h100", ""),
        ] {
            let found = match_name(name);
            let device = found.device().map_or("", |device| device.id.as_str());
            assert_eq!(device, id, "{name}: {found:?}");
        }
    }

    #[test]
    fn ids_and_full_names_are_exact() {
        for device in catalog() {
            assert_eq!(match_name(&device.id), NameMatch::Exact(device));
            let by_name = match_name(&device.name);
            assert!(by_name.candidates().contains(&device), "{}", device.name);
        }
    }

    #[test]
    fn doubts_become_candidates() {
        assert_eq!(ids(&match_name("H100")), ["h100-sxm", "h100-pcie"]);
        assert_eq!(ids(&match_name("A100 80GB")), ["a100-80-sxm", "a100-80-pcie"]);
        assert_eq!(ids(&match_name("A100-SXM")), ["a100-80-sxm", "a100-40-sxm"]);
        // The maker of the host beside the device's own.
        assert_eq!(ids(&match_name("Tesla T4, AMD EPYC host")), ["t4"]);
        // The driver reports one die under the name of the whole product.
        assert_eq!(ids(&match_name("AMD Instinct MI250X")), ["mi250x", "mi250x-gcd"]);
        assert!(matches!(
            match_name("results_l40s_run3"),
            NameMatch::Ambiguous(devices) if devices[0].id == "l40s"
        ));
        assert_eq!(ids(&match_name("mi300x vs h200")), ["h200-sxm", "mi300x"]);
    }

    #[test]
    fn other_products_are_unknown() {
        for name in [
            "",
            "NVIDIA H100 NVL 47C MIG",
            "NVIDIA GeForce RTX 4090 D",
            "NVIDIA GeForce RTX 4090 Laptop GPU",
            "NVIDIA GeForce RTX 3090 Ti",
            "AMD Radeon RX 7900 GRE",
            "MI300",
            "GH200 144G HBM3e",
            "CPU",
            "gfx1250",
            "gfx1103",
            // Other makers and kinds, with a model word of the catalogue.
            "Apple A10 quad core 2.3GHz (ARM v8)",
            "AMD A10-7850K",
            "AMD Ryzen AI 9 HX 370",
            "Intel Core i9-14900K",
            "Intel Core T4",
            "Apple M3 Ultra",
            "Qualcomm Snapdragon 8 Gen 3",
            "ARM Mali-G610",
        ] {
            assert_eq!(match_name(name), NameMatch::Unknown, "{name}");
        }
    }

    #[test]
    fn compiler_targets() {
        let target = |token: &str, units| ids(&match_target(token, units));
        assert_eq!(target("gfx942", Some(80)), ["mi308x"]);
        assert_eq!(target("gfx942", Some(304)), ["mi300x"]);
        assert_eq!(target("gfx942", Some(228)), ["mi300a"]);
        assert_eq!(target("gfx950", Some(256)), ["mi350x", "mi355x"]);
        assert_eq!(target("gfx90a:sramecc+:xnack-", Some(110)), ["mi250x-gcd"]);
        assert_eq!(target("sm_90", Some(114)), ["h100-pcie"]);
        assert_eq!(target("sm90", Some(132)), ["h100-sxm", "h200-sxm", "gh200-96", "h100-nvl"]);
        assert_eq!(target("sm_100a", Some(148)), ["b200-sxm", "gb200"]);
        assert_eq!(target("gfx1201", Some(64)), ["rx9070xt"]);
        assert_eq!(ids(&match_name("gfx1100")), ["rx7900xtx", "rx7900xt"]);
        assert_eq!(ids(&match_name("Radeon RX 9070")), ["rx9070"]);
        assert_eq!(match_target("gfx1250", Some(256)), NameMatch::Unknown);
        assert!(matches!(match_name("gfx942"), NameMatch::Ambiguous(_)));
    }

    #[test]
    fn every_model_word_leads_to_a_device() {
        for (model, ids) in MODELS {
            for id in ids {
                assert!(by_id(id).is_some(), "{model}: {id}");
            }
        }
    }

    proptest! {
        #[test]
        fn any_text_is_survived(text in ".*", units in proptest::option::of(0u32..400)) {
            let _ = match_name(&text);
            let _ = match_target(&text, units);
        }
    }
}
