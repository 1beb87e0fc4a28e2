//! What hipBLASLt (`HIPBLASLT_LOG_MASK=32`) and rocBLAS (`ROCBLAS_LAYER=2` and `4`) log of the calls of
//! a program: a command line of their benchmark, or an item of YAML, for each; and cuBLASLt
//! (`CUBLASLT_LOG_LEVEL=5`): a line of descriptors. Column-major shapes with their calls, without times.

use super::*;
use crate::cell::values;
use gemmscope_model::units::float;

pub(crate) const FORMAT: Format = Format {
    id: "blas-calls",
    name: "hipBLASLt, rocBLAS and cuBLASLt call logs",
    produced_by: "HIPBLASLT_LOG_MASK=32 ./app (hipBLASLt), ROCBLAS_LAYER=4 ./app (rocBLAS), or CUBLASLT_LOG_LEVEL=5 ./app (cuBLASLt)",
    example: "hipblaslt-bench --api_method c -m 10240 -n 1 -k 8192 --lda 8192 --ldb 8192 --ldc 10240 --transA T --transB N --a_type bf16_r --b_type bf16_r --c_type bf16_r --d_type bf16_r --compute_type f32_r\n\
              - { rocblas_function: \"rocblas_gemm_ex\", transA: \"T\", transB: \"N\", M: 12288, N: 4547, K: 4608, a_type: f16_r, b_type: f16_r, c_type: f16_r, compute_type: f32_r, call_count: 12 }\n",
    read: ReadBy::Log(&LogFormat {
        knows: |head| head.any(|l| members(l).is_some_and(|m| get(&m, &["m"]).is_some())),
        score: 85,
        reason: "its lines are calls of hipBLASLt, rocBLAS or cuBLASLt",
        parser: |_, _, _| Box::new(Calls),
        ..LogFormat::DEFAULT
    }),
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
    if let Some((_, call)) = line.split_once("[cublasLtMatmul]") {
        return Some(descriptors(call));
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

/// `Adesc=[type=R_16BF rows=4096 cols=1024 ld=4096] … computeDesc=[… transa=OP_T]` in the names of
/// hipBLASLt.
fn descriptors(call: &str) -> Members<'_> {
    let get = |descriptor: &str, name: &str| {
        let (inner, _) = call.split_once(descriptor)?.1.split_once(']')?;
        inner.split([' ', '[']).find_map(|w| w.strip_prefix(name)?.strip_prefix('='))
    };
    let op = |name| get("computeDesc=", name).map_or("N", |op| op.trim_start_matches("OP_"));
    let transposed = op("transa") != "N";
    let k = get("Adesc=", if transposed { "rows" } else { "cols" });
    let batch = get("Adesc=", "batchCount").unwrap_or("1");
    let mut out = vec![
        ("library", "cublaslt"),
        ("transa", op("transa")),
        ("transb", op("transb")),
        ("batch", batch),
    ];
    out.extend(k.map(|k| ("k", k)));
    for (name, descriptor, member) in [
        ("m", "Ddesc=", "rows"),
        ("n", "Ddesc=", "cols"),
        ("a_type", "Adesc=", "type"),
        ("b_type", "Bdesc=", "type"),
        ("d_type", "Ddesc=", "type"),
    ] {
        out.extend(get(descriptor, member).map(|value| (name, value)));
    }
    out.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
}

fn bare(text: &str) -> &str {
    text.trim().trim_matches(['"', '\''])
}

fn get<'a>(members: &Members<'a>, names: &[&str]) -> Option<&'a str> {
    names.iter().find_map(|n| members.iter().find(|(name, _)| name == n)).map(|(_, v)| *v)
}

fn row(m: &Members<'_>) -> Result<Row, RowError> {
    let size = |names: &[&str], what: &str| log::size_of(get(m, names), what);
    let dtype = |names: &[&str]| get(m, names).and_then(DataType::parse);
    let letter =
        get(m, &["function", "f"]).and_then(|f| f.trim_start_matches("rocblas_").chars().next());
    let a = dtype(&["a_type", "precision", "r"])
        .or_else(|| letter.and_then(gemmscope_model::dtype::from_blas_letter))
        .ok_or_else(|| RowError::new("no data type"))?;
    let b = dtype(&["b_type"]).unwrap_or(a);
    let c = dtype(&["d_type", "c_type"]).unwrap_or_else(|| a.default_output());
    let op = Operation::mixed(a, b, c);
    let trans = |names: &[&str]| get(m, names).and_then(values::transpose).unwrap_or(false);
    let mut op = op.with_layout(trans(&["transa", "transposea"]), trans(&["transb", "transposeb"]));
    op.bias = get(m, &["bias_vector"]).is_some_and(|v| v != "0");
    op.beta = get(m, &["beta"]).is_some_and(|v| float(v).is_some_and(|v| v != 0.0));
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
    fn result(&mut self, line: &str, _: &mut LogRows<'_>) -> Option<Entry> {
        let m = members(line)?;
        let function = get(&m, &["function", "f"]).unwrap_or("gemm");
        if !(function.contains("gemm") || function == "matmul") {
            return None;
        }
        let mut e = Entry::new(row(&m));
        let library = match get(&m, &["library"]) {
            Some("hipblaslt") => "hipBLASLt",
            Some("cublaslt") => "cuBLASLt",
            _ => "rocBLAS",
        };
        library.clone_into(&mut e.library);
        e.op_name = function.to_owned();
        let count = get(&m, &["call_count"]).and_then(float);
        e.figures.push((ColumnMeaning::Count, count.unwrap_or(1.0)));
        Some(e)
    }
}
