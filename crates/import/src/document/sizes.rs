//! Parses sizes in running text: `M=4096`, `M, K, N: 1 2 3`, `(1, 2) @ (2, 3)`, `1x2x3`.

/// A token of a text.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Part<'a> {
    Word(&'a str),
    Number(&'a str),
    Sign(char),
}

/// A token with its start and end, and whether a blank precedes it.
#[derive(Clone, Copy, Debug)]
struct Piece<'a> {
    part: Part<'a>,
    from: usize,
    to: usize,
    apart: bool,
}

fn pieces(text: &str) -> Vec<Piece<'_>> {
    let mut out = Vec::new();
    let mut rest = text;
    let mut apart = true;
    while let Some(c) = rest.chars().next() {
        let from = text.len() - rest.len();
        if c.is_whitespace() {
            apart = true;
            rest = &rest[c.len_utf8()..];
            continue;
        }
        let run = |kind: fn(char) -> bool| rest.find(|c| !kind(c)).unwrap_or(rest.len());
        let (len, part) = if c.is_ascii_digit() {
            let mut len = run(|c| c.is_ascii_digit());
            len += thousands(&rest[len..], len);
            (len, Part::Number(&rest[..len]))
        } else if c.is_alphabetic() {
            let len = run(char::is_alphabetic);
            (len, Part::Word(&rest[..len]))
        } else {
            (c.len_utf8(), Part::Sign(c))
        };
        out.push(Piece { part, from, to: from + len, apart });
        apart = false;
        rest = &rest[len..];
    }
    out
}

/// Length of `,024` after this many digits: digit groups, not a list of numbers.
fn thousands(text: &str, digits: usize) -> usize {
    let bytes = text.as_bytes();
    let mut len = 0;
    while digits <= 3 && matches!(bytes.get(len), Some(b',' | b'_')) {
        let group = bytes.get(len + 1..len + 4);
        let three = group.is_some_and(|g| g.iter().all(u8::is_ascii_digit));
        if !three || bytes.get(len + 4).is_some_and(u8::is_ascii_digit) {
            break;
        }
        len += 4;
    }
    // `1,024, 2048` is a list.
    let behind = text[len..].trim_start_matches(' ');
    let list = behind
        .strip_prefix(',')
        .is_some_and(|b| b.trim_start().starts_with(|c: char| c.is_ascii_digit()));
    if list { 0 } else { len }
}

fn number(text: &str) -> Option<u32> {
    let digits: String = text.chars().filter(char::is_ascii_digit).collect();
    digits.parse().ok().filter(|v| *v > 0)
}

/// The sizes of a GEMM that a text states.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Stated {
    pub m: Option<u32>,
    pub n: Option<u32>,
    pub k: Option<u32>,
    pub batch: Option<u32>,
    pub groups: Option<u32>,
}

impl Stated {
    pub(super) fn all(&self) -> bool {
        self.m.is_some() && self.n.is_some() && self.k.is_some()
    }

    pub(super) fn any(&self) -> bool {
        self.m.is_some() || self.n.is_some() || self.k.is_some()
    }

    pub(super) fn of(&self, letter: char) -> Option<u32> {
        match letter {
            'm' => self.m,
            'n' => self.n,
            'k' => self.k,
            'b' => self.batch,
            _ => self.groups,
        }
    }

    fn put(&mut self, letter: char, value: Option<u32>) {
        let place = match letter.to_ascii_lowercase() {
            'm' => &mut self.m,
            'n' => &mut self.n,
            'k' => &mut self.k,
            'b' => &mut self.batch,
            'e' | 'g' => &mut self.groups,
            _ => return,
        };
        if place.is_none() {
            *place = value;
        }
    }
}

/// Finds the sizes that a cell or a sentence states by name.
pub(crate) fn stated(text: &str) -> Stated {
    let pieces = pieces(text);
    let mut out = Stated::default();
    for i in 0..pieces.len() {
        operands(&pieces[i..], &mut out);
        list(&pieces, i, &mut out);
        product(&pieces, i, &mut out);
    }
    for i in 0..pieces.len() {
        cube(&pieces, i, &mut out);
        named(&pieces, i, &mut out);
    }
    out
}

fn sign(pieces: &[Piece<'_>], i: usize, signs: &str) -> bool {
    matches!(pieces.get(i).map(|p| p.part), Some(Part::Sign(c)) if signs.contains(c))
}

fn letter(pieces: &[Piece<'_>], i: usize) -> Option<char> {
    match pieces.get(i)?.part {
        Part::Word(w) if w.len() == 1 => w.chars().next().map(|c| c.to_ascii_lowercase()),
        _ => None,
    }
}

fn number_at(pieces: &[Piece<'_>], i: usize) -> Option<u32> {
    match pieces.get(i)?.part {
        Part::Number(digits) => number(digits),
        _ => None,
    }
}

/// `(4096, 7168) @ (7168, 512)`, possibly with a letter for a varying size; the shared one is K.
fn operands(pieces: &[Piece<'_>], out: &mut Stated) {
    let pair = |at: usize| {
        let open =
            sign(pieces, at, "([") && sign(pieces, at + 2, ",") && sign(pieces, at + 4, ")]");
        open.then(|| (pieces[at + 1].part, pieces[at + 3].part))
    };
    let Some((a, b)) = pair(0) else { return };
    let operator = sign(pieces, 5, "@×*") || letter(pieces, 5) == Some('x');
    let Some((c, d)) = pair(6).filter(|_| operator) else { return };
    let transposed =
        sign(pieces, 11, "ᵀ") || (sign(pieces, 11, ".^") && letter(pieces, 12) == Some('t'));
    let (k, n) = if transposed { (d, c) } else { (c, d) };
    let size = |part| match part {
        Part::Number(digits) => number(digits),
        _ => None,
    };
    if size(k).is_some() && size(b).is_some() && size(k) != size(b) {
        return;
    }
    out.put('m', size(a));
    out.put('n', size(n));
    out.put('k', size(b).or(size(k)));
}

/// Values after a list of letters: `M, K, N: 1024 2048 4096`, `(M, N, K) = (1, 2, 3)`.
fn list(pieces: &[Piece<'_>], at: usize, out: &mut Stated) {
    let mut names = Vec::new();
    let mut i = at;
    while let Some(name) = letter(pieces, i) {
        names.push(name);
        i += 1;
        if !sign(pieces, i, ",") {
            break;
        }
        i += 1;
    }
    if names.len() < 3 || !['m', 'n', 'k'].iter().all(|l| names.contains(l)) {
        return;
    }
    i += usize::from(sign(pieces, i, ")]"));
    if !sign(pieces, i, ":=") {
        return;
    }
    i += 1 + usize::from(sign(pieces, i + 1, "(["));
    let mut values = Vec::new();
    while let Some(value) = number_at(pieces, i) {
        values.push(value);
        i += 1;
        i += usize::from(sign(pieces, i, ",×") || letter(pieces, i) == Some('x'));
    }
    if values.len() >= names.len() {
        for (name, value) in names.into_iter().zip(values) {
            out.put(name, Some(value));
        }
    }
}

/// A product next to its letters: `6144x4096 (N x K)`, `NxK = 6144x4096`.
fn product(pieces: &[Piece<'_>], at: usize, out: &mut Stated) {
    let times = |i: usize| sign(pieces, i, "x×*") || letter(pieces, i) == Some('x');
    let values = |mut i: usize| {
        let mut values = Vec::new();
        while let Some(value) = number_at(pieces, i) {
            values.push(value);
            if !times(i + 1) || number_at(pieces, i + 2).is_none() {
                return (values, i + 1);
            }
            i += 2;
        }
        (values, i)
    };
    // `N x K`, `NxK`
    let names = |mut i: usize| {
        let mut names: Vec<char> = Vec::new();
        while let Some(Part::Word(word)) = pieces.get(i).map(|p| p.part) {
            let lower = word.to_lowercase();
            if lower.split('x').any(|l| !matches!(l, "m" | "n" | "k")) {
                break;
            }
            names.extend(lower.chars().filter(|c| *c != 'x'));
            i += 1;
            if !times(i) {
                break;
            }
            i += 1;
        }
        (names, i)
    };
    let open = |i: usize| i + usize::from(sign(pieces, i, "(["));
    let ((numbers, letters), apart) = match number_at(pieces, at) {
        Some(_) if at == 0 || !times(at - 1) => {
            let (numbers, end) = values(at);
            ((numbers, names(open(end)).0), sign(pieces, end, "(["))
        }
        None if at == 0 || !times(at - 1) => {
            let (letters, end) = names(at);
            let end = end + usize::from(sign(pieces, end, ")]"));
            let named = sign(pieces, end, "=:");
            ((values(open(end + 1)).0, letters), named)
        }
        _ => return,
    };
    let distinct = (1..letters.len()).all(|i| !letters[..i].contains(&letters[i]));
    if apart && letters.len() > 1 && letters.len() == numbers.len() && distinct {
        for (letter, value) in letters.into_iter().zip(numbers) {
            out.put(letter, Some(value));
        }
    }
}

/// `4096^3`: M = N = K.
fn cube(pieces: &[Piece<'_>], at: usize, out: &mut Stated) {
    let lone = pieces[at].apart || sign(pieces, at.wrapping_sub(1), "([,:=");
    let side = number_at(pieces, at).filter(|side| *side >= 16 && lone);
    if side.is_some()
        && sign(pieces, at + 1, "^")
        && number_at(pieces, at + 2) == Some(3)
        && ends_after(pieces, at + 2)
    {
        "mnk".chars().for_each(|letter| out.put(letter, side));
    }
}

/// Single sizes: `M=N=4096`, `m: 12`, `-m-8192-`, `batch_size=4`, `16 experts`.
fn named(pieces: &[Piece<'_>], at: usize, out: &mut Stated) {
    if let (Some(value), Some(Part::Word(word))) =
        (number_at(pieces, at), pieces.get(at + 1).map(|p| p.part))
        && pieces[at + 1].apart
        && ["experts", "groups"].iter().any(|w| word.eq_ignore_ascii_case(w))
    {
        out.put('g', Some(value));
    }
    let Part::Word(word) = pieces[at].part else { return };
    let tight = at > 0 && !pieces[at].apart;
    let before = at.checked_sub(1).filter(|_| tight).map(|i| pieces[i].part);
    if word.len() > 1 {
        let lower = word.to_lowercase();
        let mut i = at + 1;
        // `batch_size`, `n_expert`
        while sign(pieces, i, "_")
            && matches!(pieces.get(i + 1).map(|p| p.part), Some(Part::Word(_)))
        {
            i += 2;
        }
        let value = sign(pieces, i, "=:").then(|| number_at(pieces, i + 1)).flatten();
        match lower.as_str() {
            "batch" | "bs" => out.put('b', value),
            "expert" | "experts" | "groups" => out.put('g', value),
            _ => {}
        }
        return;
    }
    let Some(name) = letter(pieces, at).filter(|l| "mnk".contains(*l)) else { return };
    let after_sign = |c: char| matches!(before, Some(Part::Sign(b)) if b == c);
    if matches!(before, Some(Part::Number(_))) || after_sign('/') || after_sign('.') {
        return;
    }
    let in_name = after_sign('_') || after_sign('-');
    if sign(pieces, at + 1, "=") && !after_sign('_') {
        let mut names = vec![name];
        let mut i = at + 2;
        while let Some(next) = letter(pieces, i).filter(|l| "mnk".contains(*l)) {
            names.push(next);
            if !sign(pieces, i + 1, "=") {
                return;
            }
            i += 2;
        }
        let Some(value) = number_at(pieces, i) else { return };
        let kilo = letter(pieces, i + 1) == Some('k') && !pieces[i + 1].apart;
        let value = if kilo { value.saturating_mul(1024) } else { value };
        let fraction = sign(pieces, i + 1, ".") && number_at(pieces, i + 2).is_some();
        if !fraction || kilo {
            names.into_iter().for_each(|n| out.put(n, Some(value)));
        }
        return;
    }
    if sign(pieces, at + 1, ":") && !in_name && ends_after(pieces, at + 2) {
        out.put(name, number_at(pieces, at + 2));
        return;
    }
    let i = at + 1 + usize::from(sign(pieces, at + 1, "-_"));
    let joined =
        pieces.get(at + 1).is_some_and(|p| !p.apart) && pieces.get(i).is_some_and(|p| !p.apart);
    let starts = !tight || in_name || matches!(before, Some(Part::Sign(c)) if "([,".contains(c));
    if starts && joined && ends_after(pieces, i) {
        out.put(name, number_at(pieces, i));
    }
}

/// True if the number at this token is not continued by a word.
fn ends_after(pieces: &[Piece<'_>], at: usize) -> bool {
    match pieces.get(at + 1) {
        Some(next) if !next.apart => match next.part {
            Part::Word(_) | Part::Number(_) => false,
            Part::Sign('.') => !matches!(pieces.get(at + 2).map(|p| p.part), Some(Part::Number(_))),
            Part::Sign(_) => true,
        },
        _ => true,
    }
}

/// Three consecutive numbers that are sizes rather than a tile (`1x2x3`, `(1, 2, 3)`, `1/2/3`), and their range.
pub(super) fn triple(text: &str) -> Option<([u32; 3], usize, usize)> {
    let lower = text.to_lowercase();
    let tile = ["tile", "block", "config", "warp"].iter().any(|w| lower.contains(w));
    let mt = lower
        .match_indices("mt")
        .any(|(at, _)| lower[at + 2..].starts_with(|c: char| c.is_ascii_digit()));
    if tile || mt { None } else { triple_anywhere(text) }
}

/// The same, regardless of the text around it.
pub(super) fn triple_anywhere(text: &str) -> Option<([u32; 3], usize, usize)> {
    let pieces = pieces(text);
    let between = |i: usize| sign(&pieces, i, "×*,/@") || letter(&pieces, i) == Some('x');
    for i in 0..pieces.len() {
        let [Some(a), Some(b), Some(c)] = [0, 2, 4].map(|d| number_at(&pieces, i + d)) else {
            continue;
        };
        let tight = i > 0 && !pieces[i].apart;
        let clear = !tight
            || matches!(pieces[i - 1].part, Part::Sign(c) if !"×_.*/,".contains(c))
            || matches!(pieces[i - 1].part, Part::Word(w) if !w.eq_ignore_ascii_case("x"));
        if i > 1 && between(i - 1) && number_at(&pieces, i - 2).is_some() {
            continue;
        }
        let more = between(i + 5) && number_at(&pieces, i + 6).is_some();
        let fraction = [1, 3, 5].iter().any(|d| sign(&pieces, i + d, "."))
            && number_at(&pieces, i + 6).is_some();
        if between(i + 1) && between(i + 3) && clear && !more && !fraction {
            return Some(([a, b, c], pieces[i].from, pieces[i + 4].to));
        }
    }
    None
}

/// All whole numbers of a text.
pub(super) fn whole_numbers(text: &str) -> Vec<u32> {
    let number = |p: &Piece<'_>| match p.part {
        Part::Number(digits) => number(digits),
        _ => None,
    };
    pieces(text).iter().filter_map(number).collect()
}
