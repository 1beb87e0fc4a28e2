//! Sections of the list of findings.

/// Section of a finding in the list.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Section {
    /// Questions about more than a fifth of the time.
    First,
    /// Lost time measured by faster runs, over 2 % of the time.
    Measured,
    /// Other lost time.
    Lost,
    /// Time of the program outside the GEMMs.
    Program,
    /// Other questions about the data.
    Data,
    /// Ideas that change the roof.
    Ideas,
}

impl Section {
    /// Heading.
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
