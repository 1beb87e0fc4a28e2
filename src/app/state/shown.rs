//! Which place of the page shows, and which of its pictures.

use gemmscope_chart::places::{self, Place};
use gemmscope_table::data_kind::DataKind;
use gemmscope_table::dataset::Dataset;

/// What shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shown {
    /// The place.
    pub place: &'static Place,
    /// Its picture; "" where the place draws none.
    pub picture: &'static str,
}

impl Shown {
    /// The view of a key for some data; without a known key, the default of the data.
    pub fn of(key: &str, kind: DataKind, data: &Dataset) -> Shown {
        let (place, picture) = places::of(key).unwrap_or_else(|| (places::landing(kind, data), ""));
        let named = key == picture && !picture.is_empty();
        Shown {
            place,
            picture: if named { picture } else { places::opens_with(place, kind, data) },
        }
    }

    /// The view of a key while there are no rows.
    pub fn without_rows(key: &str) -> Shown {
        let (place, picture) = places::of(key).unwrap_or((places::SUMMARY, ""));
        let named = key == picture && !picture.is_empty();
        Shown { place, picture: if named { picture } else { places::first_picture(place) } }
    }

    /// Key of the view: the picture, else the place.
    pub fn id(self) -> &'static str {
        match self.picture {
            "" => self.place.id,
            picture => picture,
        }
    }

    /// True where nothing shows without a file.
    pub fn needs_file(self) -> bool {
        self.place != places::PLAN
    }
}
