//! The style of a delimited file: what separates its fields, and its decimal sign.

/// What separates fields.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Delimiter {
    /// One byte; fields may be quoted.
    Byte(u8),
    /// Runs of spaces and tabs, no quoting: printed tables.
    Spaces,
}

/// Delimiter and number style of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dialect {
    /// What separates fields.
    pub delimiter: Delimiter,
    /// Numbers are written `1,5` (only with another delimiter than the comma).
    pub decimal_comma: bool,
}

impl Dialect {
    /// Comma separated with decimal points.
    pub(crate) const COMMA: Dialect =
        Dialect { delimiter: Delimiter::Byte(b','), decimal_comma: false };
}

/// Guesses delimiter and number style from the first lines of a file.
pub(crate) fn sniff_dialect(lines: &[String]) -> Dialect {
    let mut best = (0u64, Dialect::COMMA);
    for delimiter in [b',', b';', b'\t', b'|'] {
        // Count the fields of each line outside quotes; the most common count decides.
        let counts: Vec<u64> = lines
            .iter()
            .filter(|l| !l.trim().is_empty())
            .map(|l| count_outside_quotes(l.as_bytes(), delimiter))
            .collect();
        let Some(&most) = counts.iter().max() else {
            continue;
        };
        if most == 0 {
            continue;
        }
        let agree = (1..=most)
            .map(|c| counts.iter().filter(|&&x| x == c).count() as u64 * (c + 1))
            .max()
            .unwrap_or(0);
        // Decimal commas make commas look regular, so `;` or tab wins a near tie.
        let weight = match delimiter {
            b',' => 4,
            b'|' => 5,
            _ => 9,
        };
        if agree * weight > best.0 {
            best = (
                agree * weight,
                Dialect { delimiter: Delimiter::Byte(delimiter), decimal_comma: false },
            );
        }
    }
    let mut dialect = best.1;
    if best.0 == 0 && lines.iter().any(|l| l.split_whitespace().count() >= 4) {
        dialect.delimiter = Delimiter::Spaces;
    }
    if let Delimiter::Byte(b @ (b';' | b'\t')) = dialect.delimiter {
        let (mut comma, mut point) = (0, 0);
        for line in lines.iter().skip(1) {
            for field in line.split(char::from(b)) {
                let field = field.trim().trim_matches('"');
                if field.bytes().all(|c| c.is_ascii_digit() || b",.-+eE".contains(&c)) {
                    comma += usize::from(field.contains(',') && !field.contains('.'));
                    // `1.024` may be a thousand or a fraction, so it does not count.
                    let grouped =
                        field.contains('.') && field.split('.').skip(1).all(|g| g.len() == 3);
                    point += usize::from(field.contains('.') && !field.contains(',') && !grouped);
                }
            }
        }
        dialect.decimal_comma = comma > point;
    }
    dialect
}

fn count_outside_quotes(line: &[u8], delimiter: u8) -> u64 {
    let mut quoted = false;
    let mut count = 0;
    for &b in line {
        if b == b'"' {
            quoted = !quoted;
        } else if b == delimiter && !quoted {
            count += 1;
        }
    }
    count
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dialects() {
        let lines = |t: &str| t.lines().map(str::to_owned).collect::<Vec<_>>();
        let d = |t: &str| sniff_dialect(&lines(t));
        assert_eq!(d("M,N,K,us\n1,2,3,4.5\n"), Dialect::COMMA);
        let semi = d("M;N;K;us\n1;2;3;4,5\n1;2;3;4,25\n");
        assert_eq!(semi.delimiter, Delimiter::Byte(b';'));
        assert!(semi.decimal_comma);
        assert_eq!(d("M\tN\tK\n1\t2\t3\n").delimiter, Delimiter::Byte(b'\t'));
        assert_eq!(d("M|N|K\n1|2|3\n").delimiter, Delimiter::Byte(b'|'));
        assert_eq!(d("  m n k us\n0 1 2 3 4\n").delimiter, Delimiter::Spaces);
        assert_eq!(d("name,\"a;b\"\n\"x;y\",\"a;b\"\n").delimiter, Delimiter::Byte(b','));
    }
}
