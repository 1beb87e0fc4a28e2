//! A formula whose names, numbers and value come from one expression, so that what is printed is what is computed.
//!
//! ```
//! use gemmscope_analysis::formula::given;
//! use gemmscope_model::units::{Flops, FlopsPerSec, Seconds};
//!
//! let rate = given("work", Flops(51.58e9)) / given("time", Seconds(110.6e-6));
//! assert_eq!(rate.to_string(), "work / time = 51.58 GFLOP / 110.6 µs");
//! assert_eq!(rate.value(), FlopsPerSec(51.58e9 / 110.6e-6));
//! ```

use gemmscope_model::units::{format_short, larger, smaller};
use std::fmt::{self, Display, Formatter};
use std::ops::{Add, Div, Mul, Sub};

/// Outermost operator of a text, loosest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Binds {
    Sum,
    Product,
    /// Adjacent letters: `M N K`.
    Letters,
    /// Atom: a name, a number, a function.
    One,
}

#[derive(Clone, Debug)]
struct Text {
    text: String,
    binds: Binds,
}

impl Text {
    fn one(text: impl Into<String>) -> Text {
        Text { text: text.into(), binds: Binds::One }
    }

    /// The text, in parentheses if its operator is looser than `least`.
    fn within(&self, least: Binds) -> String {
        match self.binds < least {
            true => format!("({})", self.text),
            false => self.text.clone(),
        }
    }

    fn sum(&self, sign: &str, other: &Text, other_binds: Binds) -> Text {
        let text = format!("{} {sign} {}", self.text, other.within(other_binds));
        Text { text, binds: Binds::Sum }
    }

    fn product(&self, sign: &str, other: &Text, other_binds: Binds) -> Text {
        let text = format!("{} {sign} {}", self.within(Binds::Product), other.within(other_binds));
        Text { text, binds: Binds::Product }
    }

    fn of(function: &str, a: &Text, b: &Text) -> Text {
        Text::one(format!("{function}({}, {})", a.text, b.text))
    }
}

/// An expression over quantities of a row. Its result is a `Q`, a quantity with its unit or a plain `f64`; units are
/// checked at compile time.
#[derive(Clone, Debug)]
pub struct Formula<Q> {
    value: Q,
    /// In names: `work / time`.
    names: Text,
    /// In numbers: `51.58 GFLOP / 110.6 µs`.
    numbers: Text,
}

/// A named quantity, printed in its usual format.
pub fn given<Q: Copy + Display>(name: &str, value: Q) -> Formula<Q> {
    given_as(name, value, value.to_string())
}

/// A named quantity with its own text: other digits, a percentage.
pub fn given_as<Q>(name: &str, value: Q, written: String) -> Formula<Q> {
    Formula { value, names: Text::one(name), numbers: Text::one(written) }
}

/// A number without a unit: a count, a factor.
pub fn number(name: &str, value: f64) -> Formula<f64> {
    given_as(name, value, digits(value))
}

/// A whole number in full, else its first six digits.
fn digits(value: f64) -> String {
    match value.fract() == 0.0 {
        true => value.to_string(),
        false => format_short(value, 6),
    }
}

/// A quantity named by a letter (M, N, K); products of letters have no sign between them.
pub fn letter(name: &str, value: f64) -> Formula<f64> {
    let names = Text { text: name.to_owned(), binds: Binds::Letters };
    Formula { names, ..number(name, value) }
}

/// A constant, printed as its value in both names and numbers.
pub fn constant(value: f64) -> Formula<f64> {
    letter(&digits(value), value)
}

impl<Q: Copy> Formula<Q> {
    /// Result of the expression.
    pub fn value(&self) -> Q {
        self.value
    }

    /// The same with a single name, keeping its numbers: `max(14.2 ms, 3.1 ms)` as `roof time`.
    pub fn named(mut self, name: &str) -> Formula<Q> {
        self.names = Text::one(name);
        self
    }

    /// The same with its result, formatted by `write`, in place of its numbers.
    pub fn worked_out(mut self, write: impl Fn(Q) -> String) -> Formula<Q> {
        self.numbers = Text::one(write(self.value));
        self
    }

    /// The same number in another type, such as FLOP counted as plain numbers.
    pub fn into_unit<R>(self, unit: impl Fn(Q) -> R) -> Formula<R> {
        Formula { value: unit(self.value), names: self.names, numbers: self.numbers }
    }

    /// `names = numbers = result`.
    pub fn result(&self, write: impl Fn(Q) -> String) -> String {
        format!("{self} = {}", write(self.value))
    }

    /// Like [`result`](Self::result), with the numbers of `step`, a simplified form, before the result.
    pub fn result_by(&self, step: &Formula<Q>, write: impl Fn(Q) -> String) -> String {
        format!("{self} = {} = {}", step.numbers.text, write(self.value))
    }
}

impl<Q: Copy + PartialOrd> Formula<Q> {
    /// The larger one.
    pub fn max(self, other: Formula<Q>) -> Formula<Q> {
        Formula {
            value: larger(self.value, other.value),
            names: Text::of("max", &self.names, &other.names),
            numbers: Text::of("max", &self.numbers, &other.numbers),
        }
    }

    /// The smaller one.
    pub fn min(self, other: Formula<Q>) -> Formula<Q> {
        Formula {
            value: smaller(self.value, other.value),
            names: Text::of("min", &self.names, &other.names),
            numbers: Text::of("min", &self.numbers, &other.numbers),
        }
    }
}

impl<A: Add<B>, B> Add<Formula<B>> for Formula<A> {
    type Output = Formula<A::Output>;
    fn add(self, other: Formula<B>) -> Self::Output {
        Formula {
            value: self.value + other.value,
            names: self.names.sum("+", &other.names, Binds::Sum),
            numbers: self.numbers.sum("+", &other.numbers, Binds::Sum),
        }
    }
}

impl<A: Sub<B>, B> Sub<Formula<B>> for Formula<A> {
    type Output = Formula<A::Output>;
    fn sub(self, other: Formula<B>) -> Self::Output {
        Formula {
            value: self.value - other.value,
            names: self.names.sum("−", &other.names, Binds::Product),
            numbers: self.numbers.sum("−", &other.numbers, Binds::Product),
        }
    }
}

impl<A: Mul<B>, B> Mul<Formula<B>> for Formula<A> {
    type Output = Formula<A::Output>;
    fn mul(self, other: Formula<B>) -> Self::Output {
        let letters = [self.names.binds, other.names.binds] == [Binds::Letters; 2];
        let names = match letters {
            true => Text {
                text: format!("{} {}", self.names.text, other.names.text),
                binds: Binds::Letters,
            },
            false => self.names.product("×", &other.names, Binds::Product),
        };
        let numbers = self.numbers.product("×", &other.numbers, Binds::Product);
        Formula { value: self.value * other.value, names, numbers }
    }
}

impl<A: Div<B>, B> Div<Formula<B>> for Formula<A> {
    type Output = Formula<A::Output>;
    fn div(self, other: Formula<B>) -> Self::Output {
        Formula {
            value: self.value / other.value,
            names: self.names.product("/", &other.names, Binds::Letters),
            numbers: self.numbers.product("/", &other.numbers, Binds::Letters),
        }
    }
}

/// `work / time = 51.58 GFLOP / 110.6 µs`; a single number is printed once, with its name.
impl<Q> Display for Formula<Q> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{} = {}", self.names.text, self.numbers.text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gemmscope_model::units::{Seconds, percent};

    #[test]
    fn parentheses_stand_where_they_are_needed() {
        let x = |name: &str, v: f64| given(name, v);
        let (a, b, c) = (|| x("a", 12.0), || x("b", 2.0), || x("c", 3.0));
        let cases = [
            (a() - (b() + c()), "a − (b + c) = 12 − (2 + 3)", 7.0),
            (a() - b() + c(), "a − b + c = 12 − 2 + 3", 13.0),
            (a() / (b() * c()), "a / (b × c) = 12 / (2 × 3)", 2.0),
            (a() / b() * c(), "a / b × c = 12 / 2 × 3", 18.0),
            ((a() - b()) * c(), "(a − b) × c = (12 − 2) × 3", 30.0),
            (a() / (b() / c()), "a / (b / c) = 12 / (2 / 3)", 18.0),
            (a().max(b() * c()), "max(a, b × c) = max(12, 2 × 3)", 12.0),
            (a().min(b() + c()), "min(a, b + c) = min(12, 2 + 3)", 5.0),
        ];
        for (formula, text, value) in cases {
            assert_eq!((formula.to_string().as_str(), formula.value()), (text, value));
        }
        let means = letter("E_a", 25.490_540_580_347_37) / number("calls", 8.0);
        assert_eq!(means.to_string(), "E_a / calls = 25.4905 / 8");
        let bytes = number("s", 1.031_25) * number("rows", 16_777_217.0);
        assert_eq!(bytes.to_string(), "s × rows = 1.03125 × 16777217");
        let work = constant(2.0) * letter("M", 8.0) * letter("N", 4.0);
        assert_eq!((work / b()).to_string(), "2 M N / b = 2 × 8 × 4 / 2");
    }

    #[test]
    fn a_part_can_be_worked_out_first() {
        let time = |name: &str, s: f64| given(name, Seconds(s));
        let roof =
            time("work / peak", 4e-3).max(time("bytes / bandwidth", 1e-3)).named("roof time");
        let in_full = roof.clone() / time("time", 8e-3);
        let brief = roof.worked_out(|s| s.to_string()) / time("time", 8e-3);
        assert_eq!(
            in_full.result_by(&brief, percent),
            "roof time / time = max(4.000 ms, 1.000 ms) / 8.000 ms = 4.000 ms / 8.000 ms = 50.0 %"
        );
    }
}
