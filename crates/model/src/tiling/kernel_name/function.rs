//! The function name in a kernel's symbol.

/// Function name of a kernel, without return type, template arguments and parameters.
///
/// ```
/// use gemmscope_model::tiling::kernel_name::function;
/// assert_eq!(function("void at::native::fill<(int)4, float>(int, float)"), "at::native::fill");
/// assert_eq!(function("_ZN5aiter11add_rmsnormIfEEvPT_"), "aiter::add_rmsnorm");
/// assert_eq!(function("triton_poi_fused_2"), "triton_poi_fused_2");
/// ```
pub fn function(name: &str) -> String {
    let mangled = name.strip_prefix("_Z").map(mangled);
    if let Some(found) = mangled.filter(|f| !f.is_empty()) {
        return found;
    }
    let name = name.replace("(anonymous namespace)::", "");
    let (mut out, mut open) = (String::new(), Vec::new());
    for c in name.chars() {
        match c {
            '<' | '(' => open.push(c),
            '>' if open.last() == Some(&'<') => drop(open.pop()),
            ')' => {
                // A `<` inside parentheses may be a comparison.
                while open.pop().is_some_and(|o| o != '(') {}
            }
            _ if open.is_empty() => out.push(c),
            _ => {}
        }
    }
    let last = out.split_whitespace().next_back();
    last.filter(|f| f.contains(char::is_alphanumeric)).map_or(name.clone(), str::to_owned)
}

/// True if the function moves data between devices (NCCL, RCCL).
///
/// ```
/// use gemmscope_model::tiling::kernel_name::communicates;
/// assert!(communicates("ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclDevKernelArgsStorage)"));
/// assert!(!communicates("triton_poi_fused_2"));
/// ```
pub fn communicates(name: &str) -> bool {
    let name = function(name);
    let own = name.rsplit("::").next().unwrap_or(&name);
    own.starts_with("nccl") || own.starts_with("rccl")
}

/// The names in a C++ symbol (Itanium ABI) after `_Z`: `N5aiter4normE` is `aiter::norm`.
fn mangled(symbol: &str) -> String {
    let nested = symbol.strip_prefix('N');
    let mut rest = nested.unwrap_or(symbol);
    let mut names = Vec::new();
    while let Some((name, after)) = counted(rest) {
        if !name.starts_with("_GLOBAL__N_") {
            names.push(name);
        }
        if nested.is_none() {
            break;
        }
        rest = after;
    }
    names.join("::")
}

/// Splits a length-prefixed name off a symbol: `4normE` is (`norm`, `E`).
fn counted(symbol: &str) -> Option<(&str, &str)> {
    let name = symbol.trim_start_matches(|c: char| c.is_ascii_digit());
    let length = symbol[..symbol.len() - name.len()].parse().ok()?;
    name.split_at_checked(length)
}
