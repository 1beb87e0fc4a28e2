//! Defaults for a file without a data type or a device: the user's answer, then the file's name,
//! then a guess that the file's card shows.

use crate::columns::words::{self, Says};
use crate::{Head, ImportOptions};
use gemmscope_model::dtype::{DataType, from_blas_letter};
use gemmscope_model::hardware;
use gemmscope_model::tiling::kernel_name::KernelName;
use gemmscope_table::build::{ROUTING, TableBuilder};
use gemmscope_table::dataset::{Assumption, ColumnMeaning, Dataset};

/// What the file does not state; the user may answer otherwise.
pub(crate) fn assumption(
    key: impl Into<String>,
    text: impl Into<String>,
    value: impl Into<String>,
    choices: &[&str],
) -> Assumption {
    let choices = choices.iter().map(|c| (*c).to_owned()).collect();
    Assumption { key: key.into(), text: text.into(), value: value.into(), choices, by_hand: false }
}

/// The beginning of what is said of a file that names no data type.
pub(crate) const NO_TYPE: &str = "No data type in the file";

/// The data type of a file without one: the user's answer, the file's name, or `fallback`; and the beginning
/// of its sentence.
pub(crate) fn guess_dtype(
    head: &Head,
    options: &ImportOptions,
    fallback: DataType,
) -> (DataType, &'static str) {
    if let Some(t) = options.dtype("dtype") {
        (t, "No data type in the file, chosen by hand")
    } else if let Some(t) = dtype_in(&head.name) {
        (t, "Data type from the file's name")
    } else {
        (fallback, NO_TYPE)
    }
}

/// The data type of rows of which only some name it. The user's answer overrides the row.
#[derive(Clone, Debug)]
pub(crate) struct AssumedType {
    value: DataType,
    why: &'static str,
    /// The user chose it.
    forced: bool,
    said: bool,
}

impl AssumedType {
    /// As [`guess_dtype`], for the rows without a type.
    pub(crate) fn new(head: &Head, options: &ImportOptions, fallback: DataType) -> Self {
        let (value, why) = guess_dtype(head, options, fallback);
        AssumedType { value, why, forced: options.dtype("dtype").is_some(), said: false }
    }

    /// That of a title, unless a row names its own.
    pub(crate) fn titled(value: DataType, why: &'static str) -> Self {
        AssumedType { value, why, forced: false, said: false }
    }

    /// The type of rows that name none.
    pub(crate) fn value(&self) -> DataType {
        self.value
    }

    /// The type of a row that names `named`. Adds the assumption the first time that the row's own
    /// type is not used.
    pub(crate) fn of(&mut self, named: Option<DataType>, table: &mut TableBuilder) -> DataType {
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
pub(crate) fn dtype_in(name: &str) -> Option<DataType> {
    let typed = |w: &&str| is_mixed(w) || *w == "i8";
    name.split(|c: char| !c.is_ascii_alphanumeric()).filter(typed).find_map(DataType::parse)
}

/// A word of three letters and digits or more, both among them.
fn is_mixed(word: &str) -> bool {
    let has = |kind: fn(&u8) -> bool| word.as_bytes().iter().any(kind);
    word.len() >= 3 && has(u8::is_ascii_digit) && has(u8::is_ascii_alphabetic)
}

/// The data type that a name of a kernel or benchmark tells: `gemm_fp8_tn`, `cutlass::half_t`.
pub(crate) fn dtype_in_kernel(name: &str) -> Option<DataType> {
    let words = || {
        name.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).filter(|w| w.ends_with("_t"))
    };
    dtype_in(name)
        .or_else(|| words().find_map(DataType::parse))
        .or_else(|| KernelName::parse(name).dtype)
}

/// The type of the first routine that the file's name or its head names: `sgemm`, `testing_dgemm`.
pub(crate) fn dtype_of_routine(head: &Head) -> Option<DataType> {
    let letter = |l: &String| {
        let l = l.to_ascii_lowercase();
        l[..l.find("gemm")?].chars().next_back()
    };
    let named = std::iter::once(&head.name).chain(&head.lines).find_map(letter);
    named.and_then(from_blas_letter)
}

/// The device that a line states: `# GPU: NVIDIA H100`, `Using device 0: NVIDIA H100 80GB HBM3 (SM90, 132 SMs)`.
pub(crate) fn stated_device(line: &str) -> Option<&str> {
    let (key, value) = line.trim_start_matches(['#', '/', '%', ' ']).split_once([':', '='])?;
    let value = value.trim();
    let last = words::words(key.trim_end_matches(|c: char| c.is_ascii_digit() || c == ' ')).pop();
    // `Intel(R)` is part of a name, `(SM80, 108 SMs)` is not.
    let plain = value.split(" (").next().unwrap_or("").trim();
    let of_catalogue = last.is_some_and(|w| words::says(&w, &[Says::Gpu])) && is_device(plain);
    match words::name(&words::words(key).join("_")) {
        _ if of_catalogue => Some(plain),
        Some((ColumnMeaning::Device, _)) if !value.is_empty() => Some(value),
        _ => None,
    }
}

/// The catalogue has one device of this name.
fn is_device(name: &str) -> bool {
    hardware::match_name(name).device().is_some()
}

/// The catalogue has one or several devices of this name.
pub(crate) fn may_be_device(name: &str) -> bool {
    !hardware::match_name(name).candidates().is_empty()
}

/// Of a file whose M, N and layout are those of a BLAS call.
pub(crate) const COLUMN_MAJOR: &str =
    "M, N and layout are column-major (BLAS): a row-major GEMM has M and N swapped.";

/// That a column states no unit, and which one is taken and why.
pub(crate) fn no_unit(name: &str, why: &str) -> String {
    format!("No unit on “{name}”: {why}.")
}

/// Of a unit that the user chose.
pub(crate) fn as_chosen(unit: &str) -> String {
    format!("{unit} as chosen")
}

/// Of a unit that nothing in the file tells.
pub(crate) fn assuming(unit: &str) -> String {
    format!("assuming {unit}")
}

/// The device of a file that names none: the user's answer, the file's name, or "not stated".
pub(crate) fn device(table: &mut TableBuilder, head: &Head, options: &ImportOptions) -> u16 {
    let device = device_above(table, head, options, None);
    if device == 0 {
        table.assume_device("", "The file names no device.");
    }
    device
}

/// Takes the rows of each group of a grouped GEMM that the user gave.
fn chosen_routing(table: &mut TableBuilder, options: &ImportOptions) {
    if let Some(routing) = options.answer(ROUTING) {
        table.choose_routing(routing);
    }
}

/// The device that the user chose for a file that may name its own; 0 where there is none.
pub(crate) fn chosen_device(table: &mut TableBuilder, options: &ImportOptions) -> u16 {
    chosen_routing(table, options);
    options.answer("device").map_or(0, |name| table.choose_device(name))
}

/// The device that the user chose, else the one that the file names in this place, else the one in the file's
/// name; 0 where there is none.
pub(crate) fn device_above(
    table: &mut TableBuilder,
    head: &Head,
    options: &ImportOptions,
    named: Option<(&str, &str)>,
) -> u16 {
    chosen_routing(table, options);
    if let Some(answer) = options.answer("device") {
        table.device_by_hand(answer);
        return table.choose_device(answer);
    }
    if let Some((name, place)) = named {
        table.note(format!("Device from {place}: {name}."));
        return table.device(name);
    }
    let Some(name) = named_device(&head.name) else { return 0 };
    table.assume_device(&name, &format!("Device from the file's name: {name}."));
    table.device(&name)
}

/// Gives a device that the file states elsewhere to its rows, where they name none and the user did not say.
pub(crate) fn name_device(data: &mut Dataset, device: &str, note: String) {
    let Some(source) = data.sources.first_mut() else { return };
    let asked = |a: &Assumption| a.key == "device" && a.value.is_empty();
    if !source.assumptions.iter().any(asked) {
        return;
    }
    source.assumptions.retain(|a| !asked(a));
    source.notes.push(note);
    data.state_device(0, device);
}

/// A device of the catalogue in a file name: `sweep_mi300x_bf16.csv`. A word that several devices share,
/// `V100` or `gfx942`, stands for itself where it is the only one: the user chooses among them.
pub(crate) fn named_device(file_name: &str) -> Option<String> {
    let words = || file_name.split(|c: char| !c.is_ascii_alphanumeric()).filter(|w| is_mixed(w));
    let of_one = |w| hardware::match_name(w).device().map(|d| d.name.clone());
    let mut shared = words().filter(|w| may_be_device(w));
    words().find_map(of_one).or_else(|| {
        let word = shared.next()?;
        shared.all(|w| w == word).then(|| word.to_owned())
    })
}

/// A compiler target in a line: `# ROCm 6.2, gfx942`.
pub(crate) fn target_in(line: &str) -> Option<&str> {
    let mut words = line.split(|c: char| !c.is_ascii_alphanumeric());
    words.find(|w| w.starts_with("gfx") && may_be_device(w))
}

/// The device of the rows below a heading, as NVBench writes it: `### [0] NVIDIA H100 80GB HBM3`.
pub(crate) fn device_in_heading(line: &str) -> Option<&str> {
    let (number, name) = line.strip_prefix('#')?.trim_start_matches(['#', ' ']).split_once(']')?;
    let number = number.strip_prefix('[')?;
    let name = name.trim_matches([' ', '`']);
    (number.parse::<u32>().is_ok() && !name.is_empty()).then_some(name)
}

/// M, N and the letters are those of a column-major call, for a reason beside the format: a run of a
/// BLAS library in the benchmark of another tool, the header of our replays' tables, or the user's word.
pub(crate) fn is_column_major(head: &Head, format: &str, options: &ImportOptions) -> bool {
    if let Some(answer) = options.answer("layout") {
        return answer.starts_with("column");
    }
    let holds = |lines: &[String], names: &[&str]| {
        let is_one = |f: &&str| names.iter().any(|name| f.eq_ignore_ascii_case(name));
        lines.iter().any(|l| Head::fields(l).iter().any(is_one))
    };
    let blas = &["hipblaslt", "rocblas", "cublas", "cublaslt"];
    match (format, &head.lines[..]) {
        ("iree", lines) => holds(lines, blas),
        // A name in the header is that of a column; beside a framework's rows nobody's letters are sure.
        ("generic", lines) if holds(lines, &["blas_layout"]) => true,
        ("generic", [_, rows @ ..]) => {
            holds(rows, blas) && !holds(rows, &["pytorch", "torch", "triton"])
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::{named_device, stated_device};
    use crate::testing::read_with;
    use crate::{FORMATS, ImportOptions, Imported, read_all};

    #[test]
    fn a_device_keeps_the_brackets_of_its_name() {
        let max = "Intel(R) Data Center GPU Max 1550";
        assert_eq!(stated_device(&format!("Using GPU 0: {max} (448 EUs)")), Some(max));
        let h100 = stated_device("Using device 0: NVIDIA H100 80GB HBM3 (SM90, 132 SMs)");
        assert_eq!(h100, Some("NVIDIA H100 80GB HBM3"));
    }

    #[test]
    fn a_name_that_devices_share_is_one_to_choose_from() {
        let named = |name: &str| named_device(name).unwrap_or_default();
        assert_eq!(named("DeepBench_NV_V100_FP16_mixed.csv"), "V100");
        assert_eq!(named("gfx942/tuned_bf16.csv"), "gfx942");
        assert_eq!(named("v100_vs_mi210.csv"), "AMD Instinct MI210");
        assert_eq!(named("v100_vs_h100.csv"), "");
        assert_eq!(named("sweep_bf16_v2.csv"), "");
        let table = |above: &str, name: &str| {
            let text = format!("{above}M,N,K,dtype,time_us\n4096,4096,4096,fp16,690\n");
            let data = read_with(name, text, &ImportOptions::default());
            data.devices[usize::from(data.device[0])].clone()
        };
        assert_eq!(table("", "sweep_gfx950.csv"), "gfx950");
        assert_eq!(table("# ROCm 6.2 on gfx90a\n", "sweep_gfx950.csv"), "gfx90a");
        assert_eq!(table("# Device: gfx942\n", ""), "gfx942");
        let log = "device: V100\nM=512 N=512 K=512 fp16: 0.690 ms, 0.389 TFLOPS\n";
        let data = read_with("", log, &ImportOptions::default());
        assert_eq!(data.devices[usize::from(data.device[0])], "V100");
    }

    #[test]
    fn the_device_that_the_user_chose_is_that_of_all_rows() {
        for format in FORMATS {
            let options = ImportOptions {
                format: Some(format.id.to_owned()),
                answers: [("device".to_owned(), "mine".to_owned())].into_iter().collect(),
                ..ImportOptions::default()
            };
            let read = read_all("", format.example.as_bytes(), &options);
            // A table states the device of each of its rows: its columns are the user's to change.
            let Ok(Imported::Table(data)) = read else { continue };
            if !["gemmscope", "generic"].contains(&format.id) {
                let named = data.device.iter().map(|d| data.devices[usize::from(*d)].as_str());
                assert!(named.clone().all(|d| d == "mine"), "{}: {:?}", format.id, data.devices);
            }
        }
    }

    #[test]
    fn an_answer_about_the_type_can_be_taken_back() {
        // The question stays on the card, with the answer in it.
        for id in ["google-benchmark", "nvbench", "liger", "flaggems"] {
            let format = FORMATS.iter().find(|f| f.id == id).unwrap();
            let options = ImportOptions {
                answers: [("dtype".to_owned(), "fp8_e4m3".to_owned())].into_iter().collect(),
                ..ImportOptions::default()
            };
            let data = read_with("", format.example, &options);
            let asked = data.sources[0].assumptions.iter();
            let values: Vec<&str> =
                asked.filter(|a| a.key == "dtype").map(|a| a.value.as_str()).collect();
            assert_eq!(values, ["fp8_e4m3"], "{id}");
        }
    }
}
