//! The sections of the list of findings.

/// The part of the list that a finding stands in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Section {
    /// Questions that concern over a fifth of the time.
    First,
    /// Lost time that faster runs show, over 2 % of the time.
    Measured,
    /// Other lost time; small causes together end it.
    Lost,
    /// Other time of the program.
    Program,
    /// Other questions about the data.
    Data,
    /// Ideas that change the roof.
    Ideas,
}

impl Section {
    /// Its heading.
    pub fn label(self) -> &'static str {
        match self {
            Section::First => "Look at first",
            Section::Measured => "Lost time that faster runs show",
            Section::Lost => "No faster run known, or under 2 %",
            Section::Program => "About the program",
            Section::Data => "About the data",
            Section::Ideas => "Ideas that change the roof",
        }
    }
}
