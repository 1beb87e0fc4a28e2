//! Parses M, N and K from one text: `4096x4096x1024`, `(1, 2, 3)`, `M=1, N=2, K=3`, the shapes of two
//! operands, or sizes within a name.

use crate::cell;
use crate::cell::operands::operands;
use crate::columns::words::{self, Says, holds, says};
use gemmscope_model::gemm::{Groups, Operation};
use gemmscope_table::build::Row;
use std::ops::Range;

/// M, N, K, and the batch if the text has one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Shape {
    /// M, N, K.
    pub sizes: [u32; 3],
    /// GEMMs per call.
    pub batch: Option<u32>,
    /// How a grouped GEMM divides M or K.
    pub groups: Option<Groups>,
}

impl Shape {
    /// A single or batched product.
    pub(crate) fn new(sizes: [u32; 3], batch: Option<u32>) -> Self {
        Shape { sizes, batch, groups: None }
    }

    /// A table row with this shape; `time_s` in seconds.
    pub(crate) fn row(&self, op: Operation, time_s: f64) -> Row {
        let [m, n, k] = self.sizes;
        let op = Operation { groups: self.groups, ..op };
        Row { batch: self.batch.unwrap_or(1), ..Row::new(m, n, k, op, time_s) }
    }
}

/// Parses a cell whose column header names shapes.
pub(crate) fn shape(text: &str, header: &str) -> Option<Shape> {
    labelled(text).or_else(|| match &groups(text)[..] {
        [a, b] if a.len() > 1 && b.len() > 1 => operands(a, b),
        // Some tools list the bias as a third shape.
        [a, b, c] if a.len() == 1 => operands(b, c),
        _ => by_order(text, header),
    })
}

/// Finds a shape within a name or a line: `gemm_m1024_n4096_k512_fp8`, `matmul-4096x4096x1024-bf16`,
/// `(M, K, N) = (64, 32, 16)`, `(4096, 512) @ (512, 64)`.
pub(crate) fn named(text: &str) -> Option<Shape> {
    if !text.bytes().any(|b| b.is_ascii_digit()) {
        return None;
    }
    let lettered = [['m', 'M'], ['n', 'N'], ['k', 'K']].iter().all(|letter| text.contains(letter));
    let by_letters = || labelled(text).or_else(|| listed(text));
    lettered
        .then(by_letters)
        .flatten()
        .or_else(|| {
            let found = crossed(text);
            let free = |i: usize| !is_of_kernel(text, found[i].0.clone(), &found);
            let of_operands = (1..found.len()).find_map(|i| {
                let ((a, left), (b, right)) = (&found[i - 1], &found[i]);
                let joined = joins(&text[a.end..b.start]) && free(i - 1) && free(i);
                joined.then(|| operands(left, right))?
            });
            of_operands.or_else(|| {
                let alone = (0..found.len()).find(|i| found[*i].1.len() > 2 && free(*i));
                let numbers = &found[alone?].1;
                // ONNX Runtime's `MatMulNBits-1x4096x11008` is M x K x N.
                match numbers[..] {
                    [m, k, n] if text.contains("MatMulNBits") => Some(Shape::new([m, n, k], None)),
                    _ => by_place(numbers),
                }
            })
        })
        .or_else(|| bracketed(text))
}

/// M, N, K, preceded by a batch if there are four numbers.
fn by_place(numbers: &[u32]) -> Option<Shape> {
    match numbers.len() {
        3 => positions(numbers, [Some(0), Some(1), Some(2), None]),
        4 => positions(numbers, [Some(1), Some(2), Some(3), Some(0)]),
        _ => None,
    }
}

/// True for text that joins two operands: ` x `, `] @ torch.Size([`, `).T * (`, ` times `, `), MatrixB(`.
fn joins(between: &str) -> bool {
    if between.bytes().any(|b| b.is_ascii_digit()) {
        return false;
    }
    let between = between.replace("torch.Size", "").replace("by", "@").replace("times", "@");
    let second = between.trim_end_matches(['(', '[']).strip_suffix(['B', 'b']);
    let between = second.map_or(&*between, |b| b.trim_end_matches(char::is_alphabetic));
    let sign = between.contains(['@', '*', 'x', '×', ',', '·']);
    sign && between.chars().all(|c| " ()[]@*x×,·.T^".contains(c))
}

/// Sizes in brackets: two operand shapes, or three or four numbers.
fn bracketed(text: &str) -> Option<Shape> {
    let mut found: Vec<(Range<usize>, Vec<u32>)> = Vec::new();
    for (from, _) in text.match_indices(['(', '[']) {
        let inner = text[from + 1..].split([')', ']']).next().unwrap_or("");
        let end = from + 1 + inner.len();
        let numbers: Option<Vec<u32>> = inner
            .split([',', 'x', 'X', '×'])
            .map(|n| cell::size(n.trim().as_bytes()).ok())
            .collect();
        if let Some(numbers) = numbers.filter(|n| n.len() > 1 && end < text.len())
            && !is_of_kernel(text, from..end, &[])
        {
            found.push((from..end, numbers));
        }
    }
    let pair = found.windows(2).find_map(|pair| {
        let between = &text[pair[0].0.end..pair[1].0.start];
        joins(between).then(|| operands(&pair[0].1, &pair[1].1))?
    });
    // Tensors, grids and dates have three bracketed numbers too.
    let announced = |from: usize| {
        let before = text[..from].trim_end_matches([' ', '=', ':', '(', '[']).to_ascii_lowercase();
        let word = before.rsplit(|c: char| !(c.is_alphanumeric() || c == '.')).next().unwrap_or("");
        let known = ["shape", "size", "problem", "gemm", "matmul", "mm", "mnk", "dim", "bla"];
        before.is_empty()
            || word != "torch.size" && known.iter().any(|w| word.trim_end_matches('s').ends_with(w))
    };
    let alone = || found.iter().filter(|(at, _)| announced(at.start));
    pair.or_else(|| alone().find_map(|(_, numbers)| by_place(numbers)))
}

/// Sizes after a list of letters: `(M, N, K) = (64, 32, 16)`, `MNK: 64 32 16`, `MxKxN 64x16x32`.
fn listed(text: &str) -> Option<Shape> {
    let of_list = |c: char| "mnkbMNKB,x×X* _/".contains(c);
    text.char_indices().find_map(|(at, c)| {
        if !"mnkbMNKB".contains(c) || text[..at].ends_with(char::is_alphanumeric) {
            return None;
        }
        let rest = &text[at..];
        let letters = &rest[..rest.find(|c| !of_list(c)).unwrap_or(rest.len())];
        let letters = letters.trim_end_matches([',', ' ']);
        let named: Vec<char> =
            letters.chars().flat_map(char::to_lowercase).filter(|c| "mnkb".contains(*c)).collect();
        let once = |l: char| named.iter().filter(|c| **c == l).count() == 1;
        let all = once('m') && once('n') && once('k') && (named.len() == 3 || once('b'));
        let mut rest =
            rest[letters.len()..].trim_start_matches([' ', ')', ']', '=', ':', '(', '[']);
        if !(all && (named.len() == 3 || named.len() == 4)) {
            return None;
        }
        let mut sizes = Vec::new();
        for _ in 0..named.len() {
            let end = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
            sizes.push(cell::size(&rest.as_bytes()[..end]).ok()?);
            rest = rest[end..].trim_start_matches([' ', ',', 'x', 'X', '×', '*', '/', '_']);
        }
        positions(&sizes, order(letters, sizes.len()))
    })
}

/// Numbers joined by crosses, with their positions: `128x64`, `8944 × 2816 × 1024`. `64x32 x 32x16` is two operands.
fn crossed(text: &str) -> Vec<(Range<usize>, Vec<u32>)> {
    let mut out = Vec::new();
    let bytes = text.as_bytes();
    let digits = |from: usize| bytes[from..].iter().take_while(|b| b.is_ascii_digit()).count();
    let blanks = |from: usize| bytes[from..].iter().take_while(|b| **b == b' ').count();
    let cross = |from: usize| ["x", "X", "×", "*"].iter().find(|c| text[from..].starts_with(**c));
    let mut at = 0;
    while at < bytes.len() {
        let len = digits(at);
        if len == 0 {
            at += 1;
            continue;
        }
        let (from, mut to) = (at, at + len);
        let mut numbers = vec![cell::size(&bytes[from..to]).unwrap_or(0)];
        let mut tight = None;
        loop {
            let sign = to + blanks(to);
            let Some(next) = cross(sign).map(|c| sign + c.len()) else { break };
            let next = next + blanks(next);
            let len = digits(next);
            if len == 0 || *tight.get_or_insert(sign == to) != (sign == to) {
                break;
            }
            numbers.push(cell::size(&bytes[next..next + len]).unwrap_or(0));
            to = next + len;
        }
        at = to;
        if numbers.len() > 1 && !numbers.contains(&0) {
            out.push((from..to, numbers));
        }
    }
    out
}

/// Words that occur only in kernel names.
const KERNEL_WORDS: &str = "cutlass|cijk|mma|tensorop|nvjet|_align|stages|_ldg|splitk|_stage|warpgroup|simt|\
    cktile|_warp|mfma|triton_";

fn is_tile_word(word: &str) -> bool {
    says(&word.to_ascii_lowercase(), &[Says::OfTile])
}

/// Start of the word that contains position `at`.
fn word_start(text: &str, at: usize, of_word: impl Fn(char) -> bool) -> usize {
    let before = text[..at].char_indices().rev().find(|(_, c)| !of_word(*c));
    before.map_or(0, |(i, c)| i + c.len_utf8())
}

/// True if the numbers at this position are a tile or an instruction shape rather than GEMM sizes: they are part of a
/// kernel name, or a tile word precedes them.
fn is_of_kernel(text: &str, at: Range<usize>, all: &[(Range<usize>, Vec<u32>)]) -> bool {
    let of_word = |c: char| c.is_ascii_alphanumeric() || "_-.:<>".contains(c);
    let from = word_start(text, at.start, of_word);
    let to = text[at.end..].find(|c| !of_word(c)).map_or(text.len(), |i| at.end + i);
    let several = all.iter().filter(|(r, _)| r.start >= from && r.end <= to).count() > 1;
    let prefix = text[from..at.start].trim_end_matches(['_', '-', '.', ':']);
    let glued = prefix.len() == at.start - from;
    let last = prefix.rsplit(|c: char| !c.is_ascii_alphabetic()).next().unwrap_or("");
    let named = [
        "gemm", "mm", "matmul", "bmm", "linear", "shape", "size", "mnk", "problem", "dot",
        "matrixa", "matrixb",
    ];
    if several
        || is_tile_word(last)
        || glued
            && !last.is_empty()
            && !named.iter().any(|n| last.to_ascii_lowercase().ends_with(n))
    {
        return true;
    }
    let word = text[from..to].to_ascii_lowercase();
    let before = text[..from].rsplit([',', ';', '|', '(', '[']).next().unwrap_or("");
    // A value closes its label: in `cluster=2x1x1 4096x2048x512` the second group is unlabelled.
    let nearest = before
        .rsplit(|c: char| !c.is_ascii_alphanumeric())
        .filter(|w| !w.is_empty())
        .take_while(|w| !w.starts_with(|c: char| c.is_ascii_digit()));
    holds(&word, KERNEL_WORDS) || nearest.take(2).any(is_tile_word)
}

/// Sizes after their letters, in any order. `None` unless M, N and K are all there.
pub(crate) fn labelled(text: &str) -> Option<Shape> {
    let bytes = text.as_bytes();
    let mut found = [None; 4];
    for (i, b) in bytes.iter().enumerate() {
        let Some(place) = b"mnkb".iter().position(|l| *l == b.to_ascii_lowercase()) else {
            continue;
        };
        // The letter must stand alone: `gemm_1` has no M.
        if i > 0 && bytes[i - 1].is_ascii_alphabetic() || found[place].is_some() {
            continue;
        }
        // `BLOCK_M=128`, `BLOCK_SIZE_M: 128` and `tile_m` describe the kernel.
        let word = &text[word_start(text, i, |c| c.is_ascii_alphanumeric() || c == '_')..i];
        if text[..i].ends_with('_') && word.split('_').any(is_tile_word) || is_instruction(text, i)
        {
            continue;
        }
        let rest = &text[i + 1..];
        let word = ["atch_size", "atch_count", "atch", "S", "s"];
        let rest = match place {
            3 => word.iter().find_map(|w| rest.strip_prefix(w)).unwrap_or(rest),
            _ => rest,
        };
        found[place] = labelled_size(rest);
    }
    let [Some(m), Some(n), Some(k), batch] = found else {
        return None;
    };
    Some(Shape::new([m, n, k], batch))
}

/// The size after a letter: `=4096`, `: 4,096`, ` =  4096.0`. `None` for `4K`, which may be 4000 or 4096.
fn labelled_size(rest: &str) -> Option<u32> {
    let number = rest.trim_start_matches(['=', ':', ' ', '_', '\'', '"']);
    let gap = &rest[..rest.len() - number.len()];
    // More than three blanks alone do not join a label to a number.
    if gap.len() > 3 && !gap.contains(['=', ':']) {
        return None;
    }
    let bytes = number.as_bytes();
    let digits = |from: usize| bytes[from..].iter().take_while(|b| b.is_ascii_digit()).count();
    let mut end = digits(0);
    while (1..4).contains(&digits(0)) && bytes.get(end) == Some(&b',') && digits(end + 1) == 3 {
        end += 4;
    }
    let size = cell::size(&bytes[..end]).ok();
    if bytes.get(end) == Some(&b'.') && digits(end + 1) > 0 {
        let fraction = &number[end + 1..end + 1 + digits(end + 1)];
        end += 1 + fraction.len();
        if fraction.bytes().any(|b| b != b'0') {
            return None;
        }
    }
    let behind = number[end..].bytes().next();
    // `m64n32k16`
    let next = number.get(end + 1..).unwrap_or("").trim_start_matches(['=', ':', ' ', '_']);
    let letter = behind.is_some_and(|b| b"mnkbMNKB".contains(&b))
        && next.starts_with(|c: char| c.is_ascii_digit())
        && !number.get(end + 1..).is_some_and(|r| r.starts_with(' '));
    size.filter(|_| letter || behind.is_none_or(|b| !b.is_ascii_alphabetic()))
}

/// True for `m64n256k16` at this position: the shape of a matrix instruction.
fn is_instruction(text: &str, at: usize) -> bool {
    let from = word_start(text, at, |c| c.is_ascii_alphanumeric());
    let word = text[from..].split(|c: char| !c.is_ascii_alphanumeric()).next().unwrap_or("");
    let word = word.to_ascii_lowercase();
    let mut numbers = Vec::new();
    let mut rest = word.as_str();
    for letter in ['m', 'n', 'k'] {
        let Some(behind) = rest.strip_prefix(letter) else { return false };
        let end = behind.find(|c: char| !c.is_ascii_digit()).unwrap_or(behind.len());
        numbers.push(behind[..end].parse::<u32>().unwrap_or(0));
        rest = &behind[end..];
    }
    matches!(numbers[..], [8 | 16 | 32 | 64, 8..=256, 4 | 8 | 16 | 32 | 64 | 128])
        && (rest.is_empty() || !rest.starts_with('b'))
        && numbers[1] % 8 == 0
}

/// Sizes in the order that the header gives; otherwise M, N, K, preceded by a batch if there are four.
fn by_order(text: &str, header: &str) -> Option<Shape> {
    let found = sizes(text);
    positions(&found, order(header, found.len()))
}

fn positions(found: &[u32], [m, n, k, b]: [Option<usize>; 4]) -> Option<Shape> {
    let get = |p: Option<usize>| p.and_then(|p| found.get(p)).copied();
    Some(Shape::new([get(m)?, get(n)?, get(k)?], get(b)))
}

/// The order of the sizes in a header such as `m_k_n`: positions of M, N, K and batch.
fn order(header: &str, values: usize) -> [Option<usize>; 4] {
    let letters: Vec<char> = words::words(header)
        .concat()
        .chars()
        .filter(|c| matches!(c, 'm' | 'n' | 'k' | 'b'))
        .collect();
    let find = |c| letters.iter().position(|&l| l == c);
    if letters.len() == values
        && let (Some(m), Some(n), Some(k)) = (find('m'), find('n'), find('k'))
    {
        return [Some(m), Some(n), Some(k), find('b')];
    }
    match values {
        1 => [Some(0), Some(0), Some(0), None],
        3 => [Some(0), Some(1), Some(2), None],
        4 => [Some(1), Some(2), Some(3), Some(0)],
        _ => [None; 4],
    }
}

/// Shapes in brackets: `torch.Size([4096, 4096]) @ torch.Size([4096, 1024])`; otherwise shapes separated by blanks and
/// stars: `4096x4096 * 4096x1024`.
fn groups(text: &str) -> Vec<Vec<u32>> {
    let inner = |piece: &str| -> Option<Vec<u32>> {
        piece.split([',', 'x', 'X', '×']).map(|p| cell::size(p.trim().as_bytes()).ok()).collect()
    };
    if text.contains(['[', '(']) {
        text.split([']', ')'])
            .filter_map(|piece| piece.rsplit(['[', '(']).next())
            .filter_map(inner)
            .collect()
    } else {
        text.split([' ', '*', '@', ';'])
            .filter(|p| p.contains(['x', 'X', '×']))
            .filter_map(inner)
            .collect()
    }
}

/// The dimensions of one operand: `(4096, 1024)`, `[8, 16]`, `4096x1024`, `torch.Size([1, 2])`.
pub(crate) fn dimensions(text: &str) -> Vec<u32> {
    match groups(text).pop() {
        Some(one) => one,
        None => sizes(text),
    }
}

/// The whole numbers of a cell such as `4096x4096x1024`, `(1, 2, 3)`, `[8, 16]`, at most five;
/// empty if the cell holds anything else.
pub(crate) fn sizes(text: &str) -> Vec<u32> {
    let mut out = Vec::new();
    for part in text.split(|c: char| !(c.is_ascii_digit() || c == '.')) {
        if part.is_empty() {
            continue;
        }
        match cell::size(part.as_bytes()) {
            Ok(v) if out.len() < 5 => out.push(v),
            _ => return Vec::new(),
        }
    }
    let only_separators =
        text.chars().all(|c| c.is_ascii_digit() || ".xX×*, ()[]_/:|-;mnkbMNKB=".contains(c));
    if only_separators { out } else { Vec::new() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> Option<([u32; 3], Option<u32>)> {
        shape(text, "shape").map(|s| (s.sizes, s.batch))
    }

    #[test]
    fn cells_of_several_sizes() {
        assert_eq!(sizes("4096x4096x1024"), [4096, 4096, 1024]);
        assert_eq!(sizes("(4096, 4096, 1024)"), [4096, 4096, 1024]);
        assert_eq!(sizes("256.0"), [256]);
        assert!(sizes("gemm_128x64").is_empty());
        assert!(sizes("1x0x3").is_empty());
        assert_eq!(order("m_k_n", 3), [Some(0), Some(2), Some(1), None]);
        assert_eq!(order("shape", 4), [Some(1), Some(2), Some(3), Some(0)]);
    }

    #[test]
    fn letters_decide_before_places() {
        assert_eq!(of("M=1 N=2 K=3"), Some(([1, 2, 3], None)));
        assert_eq!(of("K=3, M=1, N=2, B=7"), Some(([1, 2, 3], Some(7))));
        assert_eq!(of("mb112m64n32k16"), Some(([64, 32, 16], None)));
        assert_eq!(of("{'M': 5, 'N': 6, 'K': 7}"), Some(([5, 6, 7], None)));
        assert_eq!(of("7x1x2x3"), Some(([1, 2, 3], Some(7))));
        assert_eq!(shape("1x2x3", "MxKxN").map(|s| s.sizes), Some([1, 3, 2]));
    }

    #[test]
    fn shapes_of_operands() {
        for (text, expected) in [
            ("torch.Size([4, 8]) @ torch.Size([8, 16])", ([4, 16, 8], None)),
            ("(4, 8) (16, 8)", ([4, 16, 8], None)),
            ("4x8 * 8x16", ([4, 16, 8], None)),
            ("[3, 4, 8], [3, 8, 16]", ([4, 16, 8], Some(3))),
            ("[3, 4, 8], [8, 16]", ([12, 16, 8], None)),
            ("[(16,), (4, 8), (8, 16)]", ([4, 16, 8], None)),
        ] {
            assert_eq!(of(text), Some(expected), "{text}");
        }
        assert_eq!(of("(4, 8) (9, 16)"), None);
        assert_eq!(dimensions("torch.Size([4, 8])"), [4, 8]);
        assert_eq!(dimensions("4x8"), [4, 8]);
    }

    #[test]
    fn shapes_in_names() {
        let n = |t: &str| named(t).map(|s| (s.sizes, s.batch));
        assert_eq!(n("gemm_b4_m1024_n4096_k512_fp8"), Some(([1024, 4096, 512], Some(4))));
        assert_eq!(n("matmul-4096x4096x1024-bf16"), Some(([4096, 4096, 1024], None)));
        assert_eq!(n("cutlass_h16816gemm_256x128_32x3_nn"), None);
        assert_eq!(n("memcpy_1024"), None);
        assert_eq!(n("M N K: 8944 × 2816 x 1024"), Some(([8944, 2816, 1024], None)));
        for text in [
            "Cijk_Ailk_Bljk_HBH_MT128x224x64_MI16x16x16_SN",
            "256x128x64_16x16x16_intrawave_v3",
            "a8w8_rowwise_256x16x64x512_16x16_1x1",
            "tile 128x128x64",
            "tile shape: 128x128x64",
            "BLOCK_M=128, BLOCK_N=128, BLOCK_K=64, num_warps=8",
            "BLOCK_SIZE_M: 64, BLOCK_SIZE_N: 64, BLOCK_SIZE_K: 32, GROUP_SIZE_M: 8",
            "BM=128 BN=128 BK=64",
            "sm90_xmma_gemm_bf16_tilesize128x128x64_warpgroupsize1x1x1",
            "wgmma.mma_async.sync.aligned.m64n256k16.f32.bf16.bf16",
            "mma m16n8k16",
            "flydsl_t16x64x256",
            "WGM8 MT256x256x64",
        ] {
            assert_eq!(n(text), None, "{text}");
        }
        let both = "Cijk_MT128x224x64: 8944 x 2816 x 1024, 0.11 ms";
        assert_eq!(n(both), Some(([8944, 2816, 1024], None)));
    }
}
