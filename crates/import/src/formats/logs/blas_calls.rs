//! What hipBLASLt (`HIPBLASLT_LOG_MASK=32`) and rocBLAS (`ROCBLAS_LAYER=2` and `4`) log of the calls of
//! a program: a command line of their benchmark, or an item of YAML, for each. Column-major shapes
//! with their calls, without times.

use crate::cell::values;
use crate::split::log;
use crate::split::log::{Entry, Parser};
use crate::{Detection, Format, Head, ReadBy};
use gemmscope_model::dtype::DataType;
use gemmscope_model::gemm::Operation;
use gemmscope_table::build::cell_text::RowError;
use gemmscope_table::build::{Row, TableBuilder};
use gemmscope_table::dataset::ColumnMeaning;

pub(crate) const FORMAT: Format = Format {
    id: "blas-calls",
    name: "hipBLASLt and rocBLAS call logs",
    produced_by: "HIPBLASLT_LOG_MASK=32 ./app (hipBLASLt), or ROCBLAS_LAYER=4 ./app (rocBLAS)",
    example: "hipblaslt-bench --api_method c -m 10240 -n 1 -k 8192 --lda 8192 --ldb 8192 --ldc 10240 --transA T --transB N --a_type bf16_r --b_type bf16_r --c_type bf16_r --d_type bf16_r --compute_type f32_r\n\
              - { rocblas_function: \"rocblas_gemm_ex\", transA: \"T\", transB: \"N\", M: 12288, N: 4547, K: 4608, a_type: f16_r, b_type: f16_r, c_type: f16_r, compute_type: f32_r, call_count: 12 }\n",
    read: ReadBy::Code {
        detect: |head: &Head| {
            head.lines
                .iter()
                .any(|l| members(l).is_some_and(|m| get(&m, &["m"]).is_some()))
                .then(|| Detection::new(85, "its lines are calls of hipBLASLt or rocBLAS"))
        },
        open: |head, options| log::open(head, options, |_| Calls),
    },
};

struct Calls;

type Members<'a> = Vec<(String, &'a str)>;

/// The options of a command line, or the members of a YAML item, by names in lower case.
fn members(line: &str) -> Option<Members<'_>> {
    if let Some((_, item)) =
        line.split_once("{ rocblas_function:").or_else(|| line.split_once("{rocblas_function:"))
    {
        let item = item.trim_end().trim_end_matches('}');
        let function = item.split(',').next().unwrap_or("");
        let mut out = vec![("function".to_owned(), bare(function))];
        for part in item.split(',').skip(1) {
            let Some((name, value)) = part.split_once(':') else { continue };
            out.push((bare(name).to_ascii_lowercase(), bare(value)));
        }
        return Some(out);
    }
    let at = line.find("hipblaslt-bench -").or_else(|| line.find("rocblas-bench -"))?;
    let mut out = Vec::new();
    let mut words = line[at..].split_whitespace().skip(1).peekable();
    while let Some(word) = words.next() {
        let name = word.trim_start_matches('-').to_ascii_lowercase();
        let is_value =
            |w: &&str| !w.starts_with('-') || w[1..].starts_with(|c: char| c.is_ascii_digit());
        let value = words.next_if(is_value).unwrap_or("");
        out.push((name, bare(value)));
    }
    let name = if line[at..].starts_with("hip") { "hipblaslt" } else { "rocblas" };
    out.push(("library".to_owned(), name));
    Some(out)
}

fn bare(text: &str) -> &str {
    text.trim().trim_matches(['"', '\''])
}

fn get<'a>(members: &Members<'a>, names: &[&str]) -> Option<&'a str> {
    names.iter().find_map(|n| members.iter().find(|(name, _)| name == n)).map(|(_, v)| *v)
}

fn row(m: &Members<'_>) -> Result<Row, RowError> {
    let size = |names: &[&str], what: &str| {
        let text = get(m, names).ok_or_else(|| RowError::new(format!("{what} is missing")))?;
        crate::cell::size(text.as_bytes()).map_err(|e| RowError::new(format!("{what} {e}")))
    };
    let dtype = |names: &[&str]| get(m, names).and_then(DataType::parse);
    let letter =
        get(m, &["function", "f"]).and_then(|f| f.trim_start_matches("rocblas_").chars().next());
    let a = dtype(&["a_type", "precision", "r"])
        .or_else(|| letter.and_then(gemmscope_model::dtype::from_blas_letter))
        .ok_or_else(|| RowError::new("no data type"))?;
    let b = dtype(&["b_type"]).unwrap_or(a);
    let c = dtype(&["d_type", "c_type"]).unwrap_or_else(|| a.default_output());
    let op = if a == b && b == c { Operation::uniform(a) } else { Operation::mixed(a, b, c) };
    let trans = |names: &[&str]| get(m, names).and_then(values::transpose).unwrap_or(false);
    let mut op = op.with_layout(trans(&["transa", "transposea"]), trans(&["transb", "transposeb"]));
    op.bias = get(m, &["bias_vector"]).is_some_and(|v| v != "0");
    op.beta = get(m, &["beta"]).is_some_and(|v| v.parse::<f64>().is_ok_and(|v| v != 0.0));
    let mut row = Row::new(
        size(&["m", "sizem"], "M")?,
        size(&["n", "sizen"], "N")?,
        size(&["k", "sizek"], "K")?,
        op,
        f64::NAN,
    );
    if get(m, &["batch_count", "batch"]).is_some() {
        row.batch = size(&["batch_count", "batch"], "batch")?;
    }
    Ok(row)
}

impl Parser for Calls {
    fn line(&mut self, line: &str, _: &mut TableBuilder) -> Vec<Entry> {
        let Some(m) = members(line) else { return Vec::new() };
        let function = get(&m, &["function", "f"]).unwrap_or("gemm");
        if !(function.contains("gemm") || function == "matmul") {
            return Vec::new();
        }
        let mut e = Entry::new(row(&m));
        let hip = get(&m, &["library"]) == Some("hipblaslt");
        e.library = if hip { "hipBLASLt" } else { "rocBLAS" }.to_owned();
        e.op_name = function.to_owned();
        let count = get(&m, &["call_count"]).and_then(|c| c.parse::<f64>().ok());
        e.figures.push((ColumnMeaning::Count, count.unwrap_or(1.0)));
        vec![e]
    }
}
