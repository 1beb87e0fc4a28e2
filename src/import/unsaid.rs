//! What a file does not say: its data type and its device. The user's word, then the file name,
//! then a guess that is shown.

use super::{Head, ImportOptions, TableBuilder};
use crate::dtype::DataType;
use crate::hardware;

/// Data type where nothing in the file says one: the user's word, the file name, `fallback`.
pub fn dtype(
    table: &mut TableBuilder,
    head: &Head,
    options: &ImportOptions,
    fallback: DataType,
) -> DataType {
    let (dtype, why) = guess_dtype(head, options, fallback);
    table.assume_dtype(dtype, why);
    dtype
}

/// As [`dtype`], without saying so yet: the type and the beginning of the sentence.
pub fn guess_dtype(
    head: &Head,
    options: &ImportOptions,
    fallback: DataType,
) -> (DataType, &'static str) {
    if let Some(t) = options.dtype("dtype") {
        (
            t,
            "The file does not say its data type, the choice was made by hand",
        )
    } else if let Some(t) = dtype_in(&head.name) {
        (t, "The file does not say its data type, its name does")
    } else {
        (fallback, "The file does not say its data type")
    }
}

/// The data type of rows that may say it or not. The user's word wins over the row's.
#[derive(Debug)]
pub struct UnsaidType {
    value: DataType,
    why: &'static str,
    /// The user chose it.
    forced: bool,
    said: bool,
}

impl UnsaidType {
    /// As [`guess_dtype`], for the rows that say nothing.
    pub fn new(head: &Head, options: &ImportOptions, fallback: DataType) -> Self {
        let (value, why) = guess_dtype(head, options, fallback);
        UnsaidType {
            value,
            why,
            forced: options.dtype("dtype").is_some(),
            said: false,
        }
    }

    /// The type of a row that names `named`; the first time that it is not the row's own, the
    /// table says so.
    pub fn of(&mut self, named: Option<DataType>, table: &mut TableBuilder) -> DataType {
        match named {
            Some(dtype) if !self.forced => dtype,
            _ => {
                if !self.said {
                    self.said = true;
                    table.assume_dtype(self.value, self.why);
                }
                self.value
            }
        }
    }
}

/// A data type among the words of a name: `sweep_bf16.csv`, `int8 TOPS`.
pub fn dtype_in(name: &str) -> Option<DataType> {
    name.split(|c: char| !c.is_ascii_alphanumeric())
        .filter(|w| w.len() >= 3 && w.bytes().any(|b| b.is_ascii_digit()))
        .find_map(DataType::parse)
}

/// Device where nothing in the file names one: the user's word, the file name, "not stated".
pub fn device(table: &mut TableBuilder, head: &Head, options: &ImportOptions) -> u16 {
    if let Some(answer) = options.answer("device") {
        table.assume_device(answer, "The file does not name its device: chosen by hand.");
        return table.device(answer);
    }
    match named_device(&head.name) {
        Some(name) => {
            table.assume_device(
                &name,
                &format!("The file does not name its device, its name does: {name}."),
            );
            table.device(&name)
        }
        None => {
            table.assume_device("", "The file does not name its device.");
            0
        }
    }
}

/// A device of the catalogue in a file name: `sweep_h100_bf16.csv`.
pub fn named_device(file_name: &str) -> Option<String> {
    file_name
        .split(|c: char| !c.is_ascii_alphanumeric())
        .filter(|w| {
            w.len() >= 3
                && w.bytes().any(|b| b.is_ascii_digit())
                && w.bytes().any(|b| b.is_ascii_alphabetic())
        })
        .find_map(|w| hardware::match_name(w).device().map(|d| d.name.clone()))
}

#[cfg(test)]
mod tests {
    use crate::import::{FORMATS, ImportOptions, Imported, read_all};

    #[test]
    fn an_answer_about_the_type_can_be_taken_back() {
        // The question stays on the card, with the answer in it.
        for id in ["google-benchmark", "nvbench", "liger", "flaggems"] {
            let format = FORMATS.iter().find(|f| f.id == id).unwrap();
            let options = ImportOptions {
                answers: [("dtype".to_owned(), "fp8_e4m3".to_owned())].into(),
                ..ImportOptions::default()
            };
            let Ok(Imported::Table(data)) = read_all("", format.example.as_bytes(), &options)
            else {
                panic!("{id}");
            };
            let asked = data.sources[0].assumptions.iter();
            let values: Vec<&str> = asked
                .filter(|a| a.key == "dtype")
                .map(|a| a.value.as_str())
                .collect();
            assert_eq!(values, ["fp8_e4m3"], "{id}");
        }
    }
}
