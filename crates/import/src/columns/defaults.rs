//! Defaults for a file without a data type or a device: the user's answer, then the file's name, then a guess that is
//! shown on the file's card.

use crate::columns::words::{self, Says};
use crate::{Head, ImportOptions};
use gemmscope_model::dtype::{DataType, from_blas_letter};
use gemmscope_model::hardware;
use gemmscope_model::tiling::kernel_name::KernelName;
use gemmscope_table::build::{ROUTING, TableBuilder};
use gemmscope_table::dataset::{Assumption, ColumnMeaning, Dataset};

/// An assumption about something the file does not state; the user may change it.
pub(crate) fn assumption(
    key: impl Into<String>,
    text: impl Into<String>,
    value: impl Into<String>,
    choices: &[&str],
) -> Assumption {
    let choices = choices.iter().map(|c| (*c).to_owned()).collect();
    Assumption { key: key.into(), text: text.into(), value: value.into(), choices, by_hand: false }
}

/// Start of the sentence about a file without a data type.
pub(crate) const NO_TYPE: &str = "No data type in the file";

/// The data type of a file without one: the user's answer, the one in the file's name, or `fallback`; and the start of
/// the sentence that says so.
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

/// The data type for rows that may state their own. The user's answer overrides it.
#[derive(Clone, Debug)]
pub(crate) struct AssumedType {
    value: DataType,
    why: &'static str,
    /// Chosen by the user, so it applies to all rows.
    forced: bool,
    said: bool,
}

impl AssumedType {
    /// From [`guess_dtype`], for rows without a type.
    pub(crate) fn new(head: &Head, options: &ImportOptions, fallback: DataType) -> Self {
        let (value, why) = guess_dtype(head, options, fallback);
        AssumedType { value, why, forced: options.dtype("dtype").is_some(), said: false }
    }

    /// From a title, for rows without a type.
    pub(crate) fn titled(value: DataType, why: &'static str) -> Self {
        AssumedType { value, why, forced: false, said: false }
    }

    /// The type for rows without one.
    pub(crate) fn value(&self) -> DataType {
        self.value
    }

    /// The type of a row that states `named`. Adds the assumption to the table on the first row whose own type
    /// is missing or overridden.
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

/// Finds a data type among the words of a name: `sweep_bf16.csv`, `int8 TOPS`.
pub(crate) fn dtype_in(name: &str) -> Option<DataType> {
    let typed = |w: &&str| is_mixed(w) || *w == "i8";
    name.split(|c: char| !c.is_ascii_alphanumeric()).filter(typed).find_map(DataType::parse)
}

/// True for a word of at least three characters with both letters and digits.
fn is_mixed(word: &str) -> bool {
    let has = |kind: fn(&u8) -> bool| word.as_bytes().iter().any(kind);
    word.len() >= 3 && has(u8::is_ascii_digit) && has(u8::is_ascii_alphabetic)
}

/// Finds a data type in the name of a kernel or benchmark: `gemm_fp8_tn`, `cutlass::half_t`.
pub(crate) fn dtype_in_kernel(name: &str) -> Option<DataType> {
    let words = || {
        name.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).filter(|w| w.ends_with("_t"))
    };
    dtype_in(name)
        .or_else(|| words().find_map(DataType::parse))
        .or_else(|| KernelName::parse(name).dtype)
}

/// The type of the first BLAS routine in the file's name or its head: `sgemm`, `testing_dgemm`.
pub(crate) fn dtype_of_routine(head: &Head) -> Option<DataType> {
    let letter = |l: &String| {
        let l = l.to_ascii_lowercase();
        l[..l.find("gemm")?].chars().next_back()
    };
    let named = std::iter::once(&head.name).chain(&head.lines).find_map(letter);
    named.and_then(from_blas_letter)
}

/// The device stated by a line: `# GPU: NVIDIA H100`, `Using device 0: NVIDIA H100 80GB HBM3 (SM90, 132 SMs)`.
pub(crate) fn stated_device(line: &str) -> Option<&str> {
    let (key, value) = line.trim_start_matches(['#', '/', '%', ' ']).split_once([':', '='])?;
    let value = value.trim();
    let last = words::words(key.trim_end_matches(|c: char| c.is_ascii_digit() || c == ' ')).pop();
    // `Intel(R)` is part of a name, ` (SM80, 108 SMs)` is not.
    let plain = value.split(" (").next().unwrap_or("").trim();
    let of_catalogue = last.is_some_and(|w| words::says(&w, &[Says::Gpu])) && is_device(plain);
    match words::name(&words::words(key).join("_")) {
        _ if of_catalogue => Some(plain),
        Some((ColumnMeaning::Device, _)) if !value.is_empty() => Some(value),
        _ => None,
    }
}

/// True if exactly one device of the catalogue matches.
fn is_device(name: &str) -> bool {
    hardware::match_name(name).device().is_some()
}

/// True if at least one device of the catalogue matches.
pub(crate) fn may_be_device(name: &str) -> bool {
    !hardware::match_name(name).candidates().is_empty()
}

/// Note for files whose M, N and layout are those of a BLAS call.
pub(crate) const COLUMN_MAJOR: &str =
    "M, N and layout are column-major (BLAS): a row-major GEMM has M and N swapped.";

/// Note that a column states no unit; `why` says which one is taken and why.
pub(crate) fn no_unit(name: &str, why: &str) -> String {
    format!("No unit on “{name}”: {why}.")
}

/// The `why` of a unit chosen by the user.
pub(crate) fn as_chosen(unit: &str) -> String {
    format!("{unit} as chosen")
}

/// The `why` of an assumed unit.
pub(crate) fn assuming(unit: &str) -> String {
    format!("assuming {unit}")
}

/// Adds the device of a file that names none: the user's answer, the file's name, or "not stated". Returns its code.
pub(crate) fn device(table: &mut TableBuilder, head: &Head, options: &ImportOptions) -> u16 {
    let device = device_above(table, head, options, None);
    if device == 0 {
        table.assume_device("", "The file names no device.");
    }
    device
}

/// Applies the user's answer on the rows per group of grouped GEMMs.
fn chosen_routing(table: &mut TableBuilder, options: &ImportOptions) {
    if let Some(routing) = options.answer(ROUTING) {
        table.choose_routing(routing);
    }
}

/// Code of the device chosen by the user for a file that may name its own; 0 if none.
pub(crate) fn chosen_device(table: &mut TableBuilder, options: &ImportOptions) -> u16 {
    chosen_routing(table, options);
    options.answer("device").map_or(0, |name| table.choose_device(name))
}

/// Code of the device: chosen by the user, else named by the file above its rows, else in the file's name; 0 if none.
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

/// Sets a device stated elsewhere in the file on rows that name none, unless the user chose one.
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

/// Finds a device of the catalogue in a file name: `sweep_mi300x_bf16.csv`. A word that several devices share, such as
/// `V100` or `gfx942`, is returned as is if it is the only one; the user then chooses.
pub(crate) fn named_device(file_name: &str) -> Option<String> {
    let words = || file_name.split(|c: char| !c.is_ascii_alphanumeric()).filter(|w| is_mixed(w));
    let of_one = |w| hardware::match_name(w).device().map(|d| d.name.clone());
    let mut shared = words().filter(|w| may_be_device(w));
    words().find_map(of_one).or_else(|| {
        let word = shared.next()?;
        shared.all(|w| w == word).then(|| word.to_owned())
    })
}

/// Finds a compiler target in a line: `# ROCm 6.2, gfx942`.
pub(crate) fn target_in(line: &str) -> Option<&str> {
    let mut words = line.split(|c: char| !c.is_ascii_alphanumeric());
    words.find(|w| w.starts_with("gfx") && may_be_device(w))
}

/// The device in a heading of NVBench: `### [0] NVIDIA H100 80GB HBM3`.
pub(crate) fn device_in_heading(line: &str) -> Option<&str> {
    let (number, name) = line.strip_prefix('#')?.trim_start_matches(['#', ' ']).split_once(']')?;
    let number = number.strip_prefix('[')?;
    let name = name.trim_matches([' ', '`']);
    (number.parse::<u32>().is_ok() && !name.is_empty()).then_some(name)
}

/// True if M, N and layout are column-major for a reason outside the format: the user's answer, a run of a BLAS library
/// in another tool's benchmark, or the header of a gemmscope replay.
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
        // `blas_layout` in the header is a column name. Next to rows of a framework the convention is uncertain.
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
            // Tables state the device per row, and the user can remap their columns.
            let Ok(Imported::Table(data)) = read else { continue };
            if !["gemmscope", "generic"].contains(&format.id) {
                let named = data.device.iter().map(|d| data.devices[usize::from(*d)].as_str());
                assert!(named.clone().all(|d| d == "mine"), "{}: {:?}", format.id, data.devices);
            }
        }
    }

    #[test]
    fn an_answer_about_the_type_can_be_taken_back() {
        // The question stays on the card and shows the answer.
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
