//! The settings of a view as data, so that the page renders any view's settings in one way.
//!
//! A view says what can be set ([`View::controls`](super::view::View::controls)); the page shows a
//! select, a check box or a number field for each and writes the choice to
//! [`ViewState::set_param`](crate::view_state::ViewState::set_param) under [`Control::key`]. A
//! choice equal to [`Control::default`] is written as "", so that links stay short. The view reads
//! the parameter itself, on its own: one it cannot read counts as not set.

use crate::field::{FieldInfo, FieldKind};
use crate::view_state::ViewState;

/// One setting of a view.
#[derive(Clone, Debug, PartialEq)]
pub struct Control {
    /// Key in [`ViewState::params`](crate::view_state::ViewState::params): `compare.side`.
    pub key: String,
    /// Caption: `Compare by`.
    pub label: String,
    /// One sentence for a tooltip; may be empty.
    pub hint: String,
    /// What can be chosen.
    pub kind: Kind,
    /// The value in effect.
    pub current: String,
    /// The value in effect where nothing is set.
    pub default: String,
}

/// How a setting is chosen.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Kind {
    /// One of several: a select (or radio buttons, for up to four).
    Choice {
        /// What can be chosen.
        options: Vec<Choice>,
    },
    /// Any number of several, separated by `,` in the value: check boxes.
    Several {
        /// What can be chosen.
        options: Vec<Choice>,
    },
    /// A column or figure: the same as a choice, but the page may group and search, since a file
    /// can have a hundred columns. Values are the text form of [`Field`](crate::field::Field).
    Field {
        /// What can be chosen.
        options: Vec<Choice>,
    },
    /// `1` or `0`.
    Toggle,
    /// Any text: a search field.
    Text,
    /// A number as text.
    Number {
        /// Smallest.
        min: f64,
        /// Largest.
        max: f64,
        /// Step of the field's arrows.
        step: f64,
        /// Unit shown behind the field.
        unit: &'static str,
    },
}

/// One value of a setting.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Choice {
    /// What is written to the parameter.
    pub value: String,
    /// What the page shows.
    pub label: String,
}

impl Choice {
    /// A value and what the page shows for it.
    pub fn new(value: impl Into<String>, label: impl Into<String>) -> Self {
        Choice {
            value: value.into(),
            label: label.into(),
        }
    }

    /// A value that is shown as it is.
    pub fn plain(value: impl Into<String>) -> Self {
        let value = value.into();
        Choice {
            label: value.clone(),
            value,
        }
    }

    /// Fields of one kind (or all) as choices.
    pub fn fields(fields: &[FieldInfo], kind: Option<FieldKind>) -> Vec<Choice> {
        fields
            .iter()
            .filter(|i| kind.is_none_or(|k| i.kind == k))
            .map(|i| Choice::new(i.field.to_string(), &i.label))
            .collect()
    }

    /// Choices of value and caption.
    pub fn list(of: &[(&str, &str)]) -> Vec<Choice> {
        of.iter().map(|(v, l)| Choice::new(*v, *l)).collect()
    }
}

impl Control {
    /// A select. A stored value that is no option (any more) gives way to the default.
    pub fn choice(
        state: &ViewState,
        key: &str,
        label: &str,
        hint: &str,
        options: Vec<Choice>,
        default: &str,
    ) -> Self {
        let current = state
            .param(key)
            .filter(|v| options.iter().any(|o| o.value == *v))
            .unwrap_or(default)
            .to_owned();
        Control {
            key: key.to_owned(),
            label: label.to_owned(),
            hint: hint.to_owned(),
            kind: Kind::Choice { options },
            current,
            default: default.to_owned(),
        }
    }

    /// As [`Control::choice`], of columns and figures.
    pub fn field(
        state: &ViewState,
        key: &str,
        label: &str,
        hint: &str,
        options: Vec<Choice>,
        default: &str,
    ) -> Self {
        let mut control = Control::choice(state, key, label, hint, options, default);
        if let Kind::Choice { options } = control.kind {
            control.kind = Kind::Field { options };
        }
        control
    }

    /// Check boxes. Stored values that are no option are left out.
    pub fn several(
        state: &ViewState,
        key: &str,
        label: &str,
        hint: &str,
        options: Vec<Choice>,
        default: &[String],
    ) -> Self {
        let chosen = |text: &str| -> Vec<String> {
            // The order of the options, each once.
            options
                .iter()
                .map(|o| o.value.clone())
                .filter(|v| text.split(',').any(|t| t == v))
                .collect()
        };
        let default = default.join(",");
        let current = state
            .param(key)
            .map(chosen)
            .filter(|c| !c.is_empty())
            .map_or_else(|| default.clone(), |c| c.join(","));
        Control {
            key: key.to_owned(),
            label: label.to_owned(),
            hint: hint.to_owned(),
            kind: Kind::Several { options },
            current,
            default,
        }
    }

    /// A number field; a stored text that is no number in range gives way to the default.
    pub fn number(
        state: &ViewState,
        key: &str,
        label: &str,
        hint: &str,
        (min, max, step): (f64, f64, f64),
        unit: &'static str,
        default: f64,
    ) -> Self {
        let current = state
            .param(key)
            .and_then(|t| t.trim().parse::<f64>().ok())
            .filter(|v| (min..=max).contains(v))
            .unwrap_or(default);
        Control {
            key: key.to_owned(),
            label: label.to_owned(),
            hint: hint.to_owned(),
            kind: Kind::Number {
                min,
                max,
                step,
                unit,
            },
            current: format!("{current}"),
            default: format!("{default}"),
        }
    }

    /// A search field.
    pub fn text(state: &ViewState, key: &str, label: &str, hint: &str) -> Self {
        Control {
            key: key.to_owned(),
            label: label.to_owned(),
            hint: hint.to_owned(),
            kind: Kind::Text,
            current: state.param(key).unwrap_or_default().to_owned(),
            default: String::new(),
        }
    }

    /// A check box.
    pub fn toggle(state: &ViewState, key: &str, label: &str, hint: &str, default: bool) -> Self {
        let text = |on: bool| if on { "1" } else { "0" }.to_owned();
        let current = match state.param(key) {
            Some("1") => true,
            Some("0") => false,
            _ => default,
        };
        Control {
            key: key.to_owned(),
            label: label.to_owned(),
            hint: hint.to_owned(),
            kind: Kind::Toggle,
            current: text(current),
            default: text(default),
        }
    }

    /// The value in effect as a number; NaN where it is none.
    pub fn as_number(&self) -> f64 {
        self.current.parse().unwrap_or(f64::NAN)
    }

    /// True where a toggle is on.
    pub fn is_on(&self) -> bool {
        self.current == "1"
    }

    /// The values of [`Kind::Several`].
    pub fn values(&self) -> Vec<&str> {
        self.current.split(',').filter(|t| !t.is_empty()).collect()
    }

    /// What the page writes to the parameter for a choice: "" where it is the default.
    pub fn stored<'a>(&self, value: &'a str) -> &'a str {
        if value == self.default { "" } else { value }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cannot_be_read_counts_as_not_set() {
        let mut state = ViewState::default();
        let options = || vec![Choice::plain("a"), Choice::plain("b"), Choice::plain("c")];
        let choice = |s: &ViewState| Control::choice(s, "v.x", "X", "", options(), "b").current;
        assert_eq!(choice(&state), "b");
        state.set_param("v.x", "gone");
        assert_eq!(choice(&state), "b");
        state.set_param("v.x", "c");
        assert_eq!(choice(&state), "c");
        state.set_param("v.n", "1e9");
        let n = Control::number(&state, "v.n", "N", "", (0.0, 10.0, 1.0), "%", 2.0);
        assert_eq!(
            (n.as_number(), n.stored("2"), n.stored("3")),
            (2.0, "", "3")
        );
        state.set_param("v.m", "c,zzz,a");
        let m = Control::several(&state, "v.m", "M", "", options(), &["b".into()]);
        assert_eq!(m.values(), ["a", "c"]);
        assert!(Control::toggle(&state, "v.t", "T", "", true).is_on());
    }
}
