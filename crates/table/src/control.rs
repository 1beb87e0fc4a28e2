//! Settings of a view as data, so that the page can show the settings of any view.
//!
//! A view lists its [`Control`]s. The page shows a select, a check box or a number field for each and stores the choice
//! with [`ViewState::set_param`](crate::view_state::ViewState::set_param) under [`Control::key`]. The default is stored
//! as "", which keeps links short. A stored value that a view cannot parse counts as not set.

use crate::field::{Field, FieldInfo, FieldKind, Frame};
use crate::view_state::ViewState;
use gemmscope_model::units::{capitalized, expected_in};

/// One setting of a view.
#[derive(Clone, Debug, PartialEq)]
pub struct Control {
    /// Key in [`ViewState::params`](crate::view_state::ViewState::params): `compare.side`.
    pub key: String,
    /// Caption: `Compare by`.
    pub label: String,
    /// One sentence for a tooltip; may be empty.
    pub hint: String,
    /// Kind of input, with its options.
    pub kind: ControlKind,
    /// Current value.
    pub current: String,
    /// Value if nothing is set.
    pub default: String,
    /// Shown only under "More".
    pub more: bool,
}

/// Kind of a setting, with its options.
#[derive(Clone, Debug, PartialEq)]
pub enum ControlKind {
    /// One of several: a select (or radio buttons, for up to four).
    Choice {
        /// The options.
        options: Vec<Choice>,
    },
    /// Any number of options, stored separated by `,` in the order of the options: check boxes.
    Several {
        /// The options.
        options: Vec<Choice>,
    },
    /// A column or figure. Like a choice, but the page may group and search, since a file can have a hundred columns.
    /// Values are the text form of [`Field`].
    Field {
        /// The options.
        options: Vec<Choice>,
    },
    /// `1` or `0`.
    Toggle,
    /// Any text: a search field.
    Text,
    /// A number as text.
    Number {
        /// Minimum, inclusive.
        min: f64,
        /// Maximum, inclusive.
        max: f64,
        /// Step of the field's arrows.
        step: f64,
        /// Only whole numbers are allowed.
        whole: bool,
        /// Upper end of the slider beside the field, if it has one.
        slider: Option<u32>,
        /// Unit shown behind the field.
        unit: &'static str,
    },
}

/// An option of a setting.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Choice {
    /// The stored value.
    pub value: String,
    /// The caption on the page.
    pub label: String,
}

impl Choice {
    /// An option with value and caption.
    pub fn new(value: impl Into<String>, label: impl Into<String>) -> Self {
        Choice { value: value.into(), label: label.into() }
    }

    /// An option whose caption is its value.
    pub fn plain(value: impl Into<String>) -> Self {
        let value = value.into();
        Choice { label: value.clone(), value }
    }

    /// Fields of one kind (or all) as options.
    pub fn fields(fields: &[FieldInfo], kind: Option<FieldKind>) -> Vec<Choice> {
        fields
            .iter()
            .filter(|i| kind.is_none_or(|k| i.kind == k))
            .map(|i| Choice::new(i.field.to_string(), &i.label))
            .collect()
    }

    /// These fields as options, with the frame's labels.
    pub fn named(frame: &Frame, fields: &[Field]) -> Vec<Choice> {
        let label = |f: &Field| frame.info(f).map_or_else(|| f.to_string(), |i| i.label);
        let choice = |f: &Field| Choice::new(f.to_string(), label(f));
        fields.iter().map(choice).collect()
    }

    /// Options from (value, caption) pairs.
    pub fn list(of: &[(&str, &str)]) -> Vec<Choice> {
        of.iter().map(|(v, l)| Choice::new(*v, *l)).collect()
    }
}

/// Declares an enum that implements [`Keyed`](crate::control::Keyed): each value with its key in links and its caption.
#[macro_export]
macro_rules! keyed {
    ($(#[$about:meta])* $vis:vis enum $name:ident {
        $($(#[$of:meta])* $value:ident = $key:literal, $caption:literal;)+
    }) => {
        $(#[$about])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        $vis enum $name {
            $($(#[$of])* $value),+
        }

        impl $crate::control::Keyed for $name {
            const ALL: &'static [(Self, &'static str, &'static str)] =
                &[$(($name::$value, $key, $caption)),+];
        }
    };
}

/// A type whose values are the options of a setting, declared with [`keyed!`](crate::keyed).
pub trait Keyed: Copy + PartialEq + 'static {
    /// Values in menu order, each with its key in links and its caption.
    const ALL: &'static [(Self, &'static str, &'static str)];

    /// The value with this key.
    fn parse(key: &str) -> Option<Self> {
        Self::ALL.iter().find(|c| c.1 == key).map(|c| c.0)
    }

    /// Key in links.
    fn key(self) -> &'static str {
        Self::ALL.iter().find(|c| c.0 == self).map_or("", |c| c.1)
    }

    /// All values as options.
    fn choices() -> Vec<Choice> {
        Self::ALL.iter().map(|(_, key, caption)| Choice::new(*key, *caption)).collect()
    }

    /// Caption.
    fn caption(self) -> &'static str {
        Self::ALL.iter().find(|c| c.0 == self).map_or("", |c| c.2)
    }
}

/// A setting with a fixed list of values: defines its key, control and current value in one place.
#[derive(Clone, Copy, Debug)]
pub struct Setting<T: 'static> {
    /// Key in the view state.
    pub key: &'static str,
    /// Caption.
    pub label: &'static str,
    /// One sentence for a tooltip; may be empty.
    pub hint: &'static str,
    /// The value if nothing is set.
    pub default: T,
}

impl<T: Keyed> Setting<T> {
    /// Current value; a stored value that cannot be parsed counts as not set.
    pub fn get(&self, state: &ViewState) -> T {
        state.param(self.key).and_then(T::parse).unwrap_or(self.default)
    }

    /// The select that shows it.
    pub fn control(&self, state: &ViewState) -> Control {
        Control::choice(state, self.key, self.label, self.hint, T::choices(), self.default.key())
    }
}

impl Control {
    fn of(
        [key, label, hint]: [&str; 3],
        kind: ControlKind,
        current: String,
        default: String,
    ) -> Self {
        let [key, label, hint] = [key, label, hint].map(str::to_owned);
        Control { key, label, hint, kind, current, default, more: false }
    }

    /// A select. A stored value that is not an option counts as not set.
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
        Control::of(
            [key, label, hint],
            ControlKind::Choice { options },
            current,
            default.to_owned(),
        )
    }

    /// Like [`Control::choice`], for columns and figures.
    pub fn field(
        state: &ViewState,
        key: &str,
        label: &str,
        hint: &str,
        options: Vec<Choice>,
        default: &str,
    ) -> Self {
        let mut control = Control::choice(state, key, label, hint, options, default);
        if let ControlKind::Choice { options } = control.kind {
            control.kind = ControlKind::Field { options };
        }
        control
    }

    /// Moves the setting under "More".
    #[must_use]
    pub fn more(mut self) -> Self {
        self.more = true;
        self
    }

    /// The colour of marks: one setting shared by all views, `default` if it is not set.
    pub fn color(state: &ViewState, frame: &Frame, default: &Field) -> Self {
        let mut options = vec![Choice::new("none", "none")];
        options.extend(Choice::fields(&frame.fields(), None));
        let hint = "One setting for all views";
        Control::field(state, "color", "Colour", hint, options, &default.to_string())
    }

    /// Linear or logarithmic scale; read it with [`Control::log`].
    pub fn scale(state: &ViewState, key: &str) -> Self {
        let options =
            Choice::list(&[("", "automatic"), ("linear", "linear"), ("log", "logarithmic")]);
        Control::choice(state, key, "Scale", "", options, "")
    }

    /// The scale chosen in [`Control::scale`]: `Some(true)` is logarithmic; `None` lets the values decide.
    pub fn log(&self) -> Option<bool> {
        match self.current.as_str() {
            "log" => Some(true),
            "linear" => Some(false),
            _ => None,
        }
    }

    /// Check boxes. Stored values that are not options are ignored.
    pub fn several(
        state: &ViewState,
        key: &str,
        label: &str,
        hint: &str,
        options: Vec<Choice>,
        default: &[String],
    ) -> Self {
        let chosen = |text: &str| -> Vec<String> {
            // In the order of the options, each once.
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
        Control::of([key, label, hint], ControlKind::Several { options }, current, default)
    }

    /// A number field. A stored text that is not a number in range counts as not set.
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
        Control::of(
            [key, label, hint],
            ControlKind::Number { min, max, step, whole: false, slider: None, unit },
            format!("{current}"),
            format!("{default}"),
        )
    }

    /// A field for a whole number from `min` to `max`. Any other stored value counts as not set.
    pub fn count(
        state: &ViewState,
        key: &str,
        label: &str,
        hint: &str,
        (min, max): (u32, u32),
        default: u32,
    ) -> Self {
        let range = (f64::from(min), f64::from(max), 1.0);
        let mut control = Control::number(state, key, label, hint, range, "", f64::from(default));
        if control.as_number().fract() != 0.0 {
            control.current = control.default.clone();
        }
        if let ControlKind::Number { whole, .. } = &mut control.kind {
            *whole = true;
        }
        control
    }

    /// Adds a slider up to `end` beside the number field.
    #[must_use]
    pub fn with_slider(mut self, end: u32) -> Self {
        if let ControlKind::Number { slider, .. } = &mut self.kind {
            *slider = Some(end);
        }
        self
    }

    /// Adds a unit behind the number field.
    #[must_use]
    pub fn with_unit(mut self, of: &'static str) -> Self {
        if let ControlKind::Number { unit, .. } = &mut self.kind {
            *unit = of;
        }
        self
    }

    /// A search field.
    pub fn text(state: &ViewState, key: &str, label: &str, hint: &str) -> Self {
        Control::of(
            [key, label, hint],
            ControlKind::Text,
            state.param(key).unwrap_or_default().to_owned(),
            String::new(),
        )
    }

    /// A check box.
    pub fn toggle(state: &ViewState, key: &str, label: &str, hint: &str, default: bool) -> Self {
        let text = |on: bool| if on { "1" } else { "0" }.to_owned();
        let current = match state.param(key) {
            Some("1") => true,
            Some("0") => false,
            _ => default,
        };
        Control::of([key, label, hint], ControlKind::Toggle, text(current), text(default))
    }

    /// The current value as a number; NaN if it is not one.
    pub fn as_number(&self) -> f64 {
        self.current.parse::<f64>().ok().unwrap_or(f64::NAN)
    }

    /// True if a toggle is on.
    pub fn is_on(&self) -> bool {
        self.current == "1"
    }

    /// The chosen values of [`ControlKind::Several`].
    pub fn values(&self) -> Vec<&str> {
        self.current.split(',').filter(|t| !t.is_empty()).collect()
    }

    /// The options; empty if any text can be typed.
    pub fn options(&self) -> &[Choice] {
        match &self.kind {
            ControlKind::Choice { options }
            | ControlKind::Several { options }
            | ControlKind::Field { options } => options,
            ControlKind::Toggle | ControlKind::Text | ControlKind::Number { .. } => &[],
        }
    }

    /// Validates a typed text and returns it as a value.
    ///
    /// # Errors
    /// A sentence with the range, if the setting is a number and the text is not in its range.
    pub fn accept(&self, typed: &str) -> Result<String, String> {
        let ControlKind::Number { min, max, whole, .. } = self.kind else {
            return Ok(typed.to_owned());
        };
        match typed.trim().parse::<f64>().ok() {
            Some(v) if (min..=max).contains(&v) && !(whole && v.fract() != 0.0) => {
                Ok(format!("{v}"))
            }
            _ => Err(capitalized(&expected_in(whole, min, max, typed))),
        }
    }

    /// The value after toggling one check box.
    pub fn toggled(&self, value: &str) -> String {
        let chosen = self.values();
        let options = self.options().iter().map(|o| o.value.as_str());
        let kept: Vec<&str> = options.filter(|v| chosen.contains(v) != (*v == value)).collect();
        kept.join(",")
    }

    /// Captions of the chosen options, in the order of the value.
    pub fn captions(&self) -> String {
        let name = |v: &&str| {
            let known = self.options().iter().find(|o| o.value == **v);
            known.map_or(*v, |o| o.label.as_str()).to_owned()
        };
        let names: Vec<String> = self.values().iter().map(name).collect();
        names.join(", ")
    }

    /// The text to store for a value: "" for the default.
    pub fn stored<'a>(&self, value: &'a str) -> &'a str {
        if value == self.default { "" } else { value }
    }
}

#[cfg(test)]
mod tests;
