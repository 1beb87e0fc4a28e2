//! Scans names byte by byte, which saves the page a regular-expression engine.

/// Maximal runs of letters and digits.
pub(super) fn words(name: &str) -> impl Iterator<Item = &str> {
    name.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty())
}

/// Positive numbers joined by `x`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Sizes {
    Two([u32; 2]),
    Three([u32; 3]),
    Four([u32; 4]),
}

/// Parses two to four numbers joined by `x`: `256x128x64`.
pub(super) fn sizes(word: &str) -> Option<Sizes> {
    let mut found = [0u32; 4];
    let mut count = 0;
    for part in word.split('x') {
        let slot = found.get_mut(count)?;
        // `parse` would accept a sign, but words have only letters and digits.
        *slot = part.parse().ok().filter(|size| *size > 0)?;
        count += 1;
    }
    let [a, b, c, d] = found;
    match count {
        2 => Some(Sizes::Two([a, b])),
        3 => Some(Sizes::Three([a, b, c])),
        4 => Some(Sizes::Four(found)).filter(|_| d > 0),
        _ => None,
    }
}

/// Like [`sizes`], after a prefix: `MT256x128x64`.
pub(super) fn sizes_after_prefix(word: &str, prefix: &str) -> Option<Sizes> {
    sizes(word.strip_prefix(prefix)?)
}

/// The number after a key, with `_`, `:`, `=`, quotes or blanks between: `num_warps: 8`, `BLOCK_SIZE_M_128`,
/// `split_k4`. The key must not be the end of a longer word.
pub(super) fn number_after(text: &str, key: &str) -> Option<u32> {
    text.match_indices(key).find_map(|(at, _)| {
        let before = text[..at].chars().next_back();
        if before.is_some_and(|c| c.is_ascii_alphanumeric()) {
            return None;
        }
        leading_number(text[at + key.len()..].trim_start_matches(['_', ':', '=', '\'', '"', ' ']))
    })
}

/// The number at the start of a text.
pub(super) fn leading_number(text: &str) -> Option<u32> {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    text.get(..digits)?.parse().ok()
}
