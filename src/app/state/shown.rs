//! The current place of the page, and its picture.

use gemmscope_chart::places::{self, Place};
use gemmscope_table::data_kind::DataKind;
use gemmscope_table::dataset::Dataset;

/// What is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shown {
    /// The place.
    pub place: &'static Place,
    /// Its picture; "" if the place has none.
    pub picture: &'static str,
}

impl Shown {
    /// Resolves a view key for some data; an unknown key gives the default of the data.
    pub fn of(key: &str, kind: DataKind, data: &Dataset) -> Shown {
        let (place, picture) = places::of(key).unwrap_or_else(|| (places::landing(kind, data), ""));
        let named = key == picture && !picture.is_empty();
        Shown {
            place,
            picture: if named { picture } else { places::opens_with(place, kind, data) },
        }
    }

    /// Resolves a view key while there are no rows.
    pub fn without_rows(key: &str) -> Shown {
        let (place, picture) = places::of(key).unwrap_or((places::SUMMARY, ""));
        let named = key == picture && !picture.is_empty();
        Shown { place, picture: if named { picture } else { places::first_picture(place) } }
    }

    /// Key for the view state: the picture, else the place.
    pub fn id(self) -> &'static str {
        match self.picture {
            "" => self.place.id,
            picture => picture,
        }
    }

    /// True if it shows nothing without a file.
    pub fn needs_file(self) -> bool {
        self.place != places::PLAN
    }
}
