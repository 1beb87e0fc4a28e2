//! Triton's `perf_report` tables: sizes, then one column per provider.
//!
//! Upstream Triton writes neither unit nor type nor device: they are inferred, shown as assumptions and can be changed.
//! Intel's fork appends the unit to the provider (`Triton-TFlops`).

mod units;

use super::*;
use crate::Col;
use crate::cell::values;
use crate::columns::defaults;
use crate::columns::defaults::{AssumedType, assumption};
use crate::columns::header::of_one_header;
use crate::columns::plan::{Plan, Size, Sizes};
use crate::columns::plan_rows::{PlanRows, TableReader};
use crate::columns::words::{self, Says, is_percentile, says};
use crate::document;
use crate::split::dialect::is_drawn;
use crate::{Header, ImportOptions, Opened};
use gemmscope_table::build::TableBuilder;
use gemmscope_table::dataset::ColumnMeaning;
use units::{infer, sampled_shapes, unit_said};

pub(crate) const FORMAT: Format = Format {
    id: "triton",
    name: "Triton perf_report table",
    produced_by: "benchmark.run(save_path=\".\", print_data=True) in a script with @triton.testing.perf_report (matmul-performance.csv)",
    example: "M,N,K,cuBLAS,Triton\n4096.0,4096.0,4096.0,218.3,209.9\n",
    read: ReadBy::Code { claim, open },
};

/// The columns after the sizes.
static TABLE: TableFormat = TableFormat {
    sizes: &[],
    figure: Some(figure),
    of_name: |name| {
        // `fp8`, `bf16xbf16->bf16`
        let dtype = values::types(name).map(|t| t.a);
        (dtype.or_else(|| defaults::dtype_in(name)), None)
    },
    ..TableFormat::DEFAULT
};

/// Words in provider names of matrix multiply benchmarks.
const PROVIDERS: &str = "triton|cublas|rocblas|hipblas|torch|matmul|gemm|cutlass|aten|xetla|onednn|mkl|deepgemm|\
    cudnn|tilelang|fp8|fp16|bf16|int8|fp32|f32|fp64|tf32|fp4|f16|naive|eager|inductor|_mm";

/// Statistics over the runs of one provider.
const FIGURES: [Says; 5] = [Says::Mean, Says::Least, Says::Most, Says::Spread, Says::Once];

/// Figures that are not a run of the GEMM itself, or only a part or a multiple of one.
const NO_RUN: [Says; 7] =
    [Says::Limit, Says::Spread, Says::Once, Says::Host, Says::Gpu, Says::Pass, Says::Moment];

/// False for `speedup`; true for `Triton-CV`, the variation of a provider.
fn is_provider(title: &str) -> bool {
    title.ends_with("-CV") || !words::any_says(&words::words(title), &NO_RUN)
}

/// Index among M, N, K and batch; `Z` is the batch in Intel's fork.
fn size_role(name: &str) -> Option<usize> {
    words::size(name).or_else(|| name.trim().eq_ignore_ascii_case("z").then_some(3))
}

/// Quantity and factor to SI.
type Unit = (Quantity, f64);

/// Splits the unit from a provider's name: `Triton-TFlops`, `cuBLAS (TFLOPS)`, `triton_ms`.
fn split_unit(name: &str) -> (&str, Option<Unit>) {
    let name = name.trim();
    let cut = name
        .strip_suffix([')', ']'])
        .and_then(|n| n.rsplit_once(['(', '[']))
        .or_else(|| name.rsplit_once('-'))
        .or_else(|| name.rsplit_once('_'));
    if let Some((provider, unit)) = cut
        && let Some(unit) = Quantity::parse(unit)
    {
        // `cuBLAS (Runtime (ms))`
        let open = provider.rsplit_once(['(', '[']).filter(|(_, of)| !of.contains([')', ']']));
        let provider = open.map_or(provider, |(name, _)| name);
        return (provider.trim().trim_end_matches(['-', '_']), Some(unit));
    }
    (name, None)
}

/// Parses `Triton-TFlops`, `Triton-CV`, `Triton-GB/s-min`, or a bare provider.
fn figure(title: &str) -> Option<Figure<'_>> {
    if !is_provider(title) {
        return None;
    }
    let (name, unit) = split_unit(title);
    Some(match (unit, name.rsplit_once('-')) {
        (Some((quantity, scale)), _) => Figure::In(name, quantity, scale),
        (None, Some((name, "CV"))) => Figure::Variation(name),
        // One column per metric, shared by all providers.
        (None, Some((of, "min" | "max"))) => {
            let name = split_unit(of).0;
            Figure::Kept(name, title[name.len()..].trim_matches(['-', '_', ' ']))
        }
        _ => Figure::Asked(name),
    })
}

fn claim(head: &Head) -> Option<Claim> {
    let (_, fields) = first_header(head)?;
    let index = usize::from(fields[0].is_empty() && fields.len() > 2);
    let sizes = fields[index..].iter().take_while(|f| size_role(f).is_some()).count();
    let square = sizes == 0 && matches!(fields[index], "x_val" | "size" | "MNK" | "x");
    let first = index + sizes + usize::from(square);
    let providers: Vec<&str> =
        fields.get(first..)?.iter().copied().filter(|f| is_provider(f)).collect();
    if providers.is_empty() {
        return None;
    }
    // Long tables of other tools name a time or a rate; here every column is a provider.
    let known = |f: &str| words::holds(&f.to_ascii_lowercase(), PROVIDERS);
    // A bare figure or type as title indicates a long table.
    let long = |f: &&str| {
        let name = split_unit(f).0;
        let name = name.split(['-', '(', '[']).next().unwrap_or("").trim();
        crate::document::title::meaning(name) != ColumnMeaning::Other
            || says(&name.to_ascii_lowercase(), &FIGURES)
            || is_percentile(&name.to_ascii_lowercase())
    };
    if providers.iter().any(long) {
        return None;
    }
    let unit = |f: &&&str| f.contains(['-', '(']) && split_unit(f).1.is_some();
    let units = providers.iter().filter(unit).count();
    let plain = providers
        .iter()
        .filter(|f| !f.is_empty() && crate::document::title::meaning(f) == ColumnMeaning::Other);
    if plain.count() + units < providers.len() && units == 0 {
        return None;
    }
    let mut body = first_rows(head);
    body.truncate(20);
    let numeric = |f: &String| cell::number(f.as_bytes()).is_some();
    let floats = body.iter().any(|r| {
        r.get(index)
            .is_some_and(|f| f.contains('.') && f.parse::<f64>().is_ok_and(|v| v.fract() == 0.0))
    });
    // Without units, a table of whole numbers could be anything, so each column must name a provider.
    let any_known = if floats || units > 0 {
        providers.iter().any(|f| known(f))
    } else {
        providers.iter().all(|f| known(f))
    };
    if body.iter().any(|r| !r.get(index).is_some_and(numeric)) || body.is_empty() {
        return None;
    }
    // `N` or `size` alone is a softmax or a vector add, unless a name says otherwise.
    let matmul = sizes >= 2
        || fields[index].eq_ignore_ascii_case("m")
        || [head.name.as_str()]
            .iter()
            .chain(&providers)
            .any(|f| words::holds(&f.to_ascii_lowercase(), "matmul|gemm|blas|_mm"));
    if !matmul || !(floats || any_known || units > 0) {
        return None;
    }
    let beyond = head.beyond_columns().filter(|why| *why != document::BANDWIDTHS);
    // Not a signature: any tool may name a column after a library.
    beyond.is_none().then(|| Claim::Columns(String::new()))
}

fn open(head: &Head, options: &ImportOptions) -> Opened {
    let mut table = TABLE.reader(head, options);
    let above = first_header(head).map_or(0, |h| h.0);
    let titled = head.lines[..above].iter().find_map(|l| defaults::dtype_in(l));
    if let Some(dtype) = titled.filter(|_| options.dtype("dtype").is_none()) {
        table.types = AssumedType::titled(dtype, "Data type from the title of the table");
    }
    let types = Some(table.types.clone());
    let reader = Performance { table, rows: first_rows(head) };
    Ok(PlanRows::open(reader, &head.name, types, TableBuilder::with_room(head.rows)))
}

/// The leading columns are sizes. Missing sizes, and a unit that no title states, are questions.
struct Performance {
    table: Formatted,
    /// Cells of the first rows.
    rows: Vec<Vec<String>>,
}

impl TableReader for Performance {
    fn plan(&mut self, header: &Header, t: &mut TableBuilder) -> Option<Plan> {
        if header.names.len() < 2 || !TABLE.is_header(header) {
            return None;
        }
        let (first, planned) = leading(header);
        let mut plan = TABLE.plan_behind(first, planned, header, t);
        self.table.complete(&mut plan, t);
        plan.sizes = Sizes::Three(self.sizes(&plan, t));
        let columns = plan.without_unit();
        if !columns.is_empty() {
            let (quantity, scale) = self.unit(&plan, &columns, t);
            plan.set_unit(quantity, scale);
        }
        self.table.remark(&plan, t);
        Some(plan)
    }
}

impl Performance {
    /// M, N and K: without a column, the user's answer, else equal to the first size with a column.
    fn sizes(&self, plan: &Plan, table: &mut TableBuilder) -> [Size; 3] {
        let parts = [ColumnMeaning::M, ColumnMeaning::N, ColumnMeaning::K].map(|p| plan.col(p));
        let known = parts.into_iter().flatten().next();
        let name_of_known = known.map_or("", |c| c.name.as_str());
        let mut names = ["M", "N", "K"].into_iter();
        parts.map(|part| {
            let name = names.next().unwrap_or_default();
            if let Some(c) = part {
                return Size::Column(c.clone());
            }
            let key = format!("size:{name}");
            let answer = self.table.options.answer(&key);
            let answer = answer.and_then(|a| cell::size(a.as_bytes()).ok());
            let why = match answer {
                Some(v) => format!("{v} as entered"),
                None => format!("assuming the same as “{name_of_known}”"),
            };
            let value = answer.map_or_else(|| format!("= {name_of_known}"), |v| v.to_string());
            let text = format!("No {name} in the file: {why}.");
            table.assume(assumption(key, text, value, &[]));
            let same = || known.map_or(Size::Fixed(1), |c| Size::Column(c.clone()));
            answer.map_or_else(same, Size::Fixed)
        })
    }

    /// Unit of figures without one, inferred from the first rows.
    fn unit(&self, plan: &Plan, columns: &[Col], table: &mut TableBuilder) -> Unit {
        let number = |row: &Vec<String>, c: &Col| {
            row.get(c.index).and_then(|t| cell::number(t.as_bytes())).unwrap_or(f64::NAN)
        };
        let column = |c: &Col| self.rows.iter().map(|r| number(r, c)).collect();
        let columns: Vec<Vec<f64>> = columns.iter().map(column).collect();
        let shapes = sampled_shapes(plan, self.table.types.value(), &self.rows);
        unit_said(table, &self.table.options, infer(&shapes, &columns))
    }
}

/// Number of leading columns that are sizes, and a plan of them.
fn leading(header: &Header) -> (usize, Plan) {
    let mut plan = Plan::default();
    let names = &header.names;
    let column = |index: usize| Col { index, name: names[index].trim().to_owned() };
    // The index of a printed table is untitled.
    let first = usize::from(names[0].trim().is_empty() && names.len() > 2);
    let mut next = first;
    while let Some(of) = names.get(next).and_then(|name| size_role(name)) {
        let meanings = [ColumnMeaning::M, ColumnMeaning::N, ColumnMeaning::K, ColumnMeaning::Batch];
        plan.set(meanings[of], column(next), 1.0);
        next += 1;
    }
    if plan.parts.iter().all(Option::is_none) {
        plan.set(ColumnMeaning::M, column(first), 1.0);
        next = next.max(first + 1);
    }
    (next, plan)
}

/// Position of the header among the first lines, and its fields. A printed table may have a title above it.
fn first_header(head: &Head) -> Option<(usize, Vec<&str>)> {
    let at = head.lines.iter().position(|l| Head::fields(l).len() > 1)?;
    Some((at, Head::fields(&head.lines[at])))
}

/// Cells of the rows below the header.
fn first_rows(head: &Head) -> Vec<Vec<String>> {
    let cells = |l: &str| Head::fields(l).into_iter().map(str::to_owned).collect::<Vec<_>>();
    let Some((at, _)) = first_header(head) else { return Vec::new() };
    let lines = head.lines.iter().take(if head.complete { 80 } else { 60 }).skip(at + 1);
    let mut rows = lines.filter(|l| !is_drawn(l.as_bytes())).map(|l| cells(l)).collect();
    of_one_header(&cells(&head.lines[at]), &mut rows);
    rows
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{read, read_with};
    use gemmscope_table::dataset::{ColumnMeaning, Dataset};

    fn unit(d: &Dataset) -> &str {
        d.sources[0].assumptions.iter().find(|a| a.key == "unit:value").map_or("", |a| &a.value)
    }

    #[test]
    fn a_unit_in_brackets_of_its_own() {
        let (name, unit) = split_unit("cuBLAS (Runtime (ms))");
        assert_eq!((name, unit), ("cuBLAS", Some((Quantity::Time, 1e-3))));
    }

    #[test]
    fn one_point_a_provider() {
        let d = read(
            "M,N,K,cuBLAS,Triton\n256.0,256.0,256.0,3.6,3.6\n4096.0,4096.0,4096.0,218.3,209.9\n",
        );
        assert_eq!((d.len(), d.sources[0].format.as_str()), (4, "triton"));
        assert_eq!(unit(&d), "TFLOP/s");
        assert_eq!(d.text(ColumnMeaning::Library, 3), "Triton");
        assert!((d.problem(2).work().0 / d.time_s[2] / 218.3e12 - 1.0).abs() < 1e-12);
        assert_eq!(d.sources[0].reported_rate.compared, 0);
    }

    #[test]
    fn the_unit_is_found() {
        for (text, expected) in [
            (
                "M,N,K,cuBLAS,Triton\n4096.0,4096.0,4096.0,17.1,4.0\n4096.0,4096.0,4096.0,16.8,4.0\n",
                "TFLOP/s",
            ),
            (
                "M,cuBLAS,Triton\n256.0,3.6,3.6\n384.0,11.1,10.1\n512.0,21.8,20.2\n1024.0,60,61\n4096.0,80,82\n",
                "TFLOP/s",
            ),
            ("K,Matmul\n1024.000000,0.055839\n2048.000000,0.085049\n3072.000000,0.121163\n", "ms"),
            (
                "M,N,K,torch,triton\n512.0,512.0,512.0,9.1,10\n4096.0,4096.0,4096.0,520,600\n8192.0,8192.0,8192.0,3900,4300\n",
                "µs",
            ),
            (
                "M,N,K,torch,triton\n1.0,4096.0,4096.0,2300,2100\n2.0,4096.0,4096.0,2280,2050\n8.0,4096.0,4096.0,2100,2500\n",
                "GB/s",
            ),
            (
                "M,N,K,torch,triton\n1.0,4096.0,4096.0,0.012,0.012\n16.0,4096.0,4096.0,0.012,0.013\n64.0,4096.0,4096.0,0.013,0.014\n",
                "ms",
            ),
            ("M,N,K,torch (TFLOPS),triton (TFLOPS)\n64.0,4096.0,4096.0,0.01,0.02\n", ""),
        ] {
            assert_eq!(unit(&read(text)), expected, "{text}");
        }
    }

    #[test]
    fn the_answer_wins() {
        let mut options = crate::ImportOptions::default();
        options.answers.insert("unit:value".into(), "µs".into());
        options.answers.insert("size:N".into(), "128".into());
        let d = read_with("", "M,cuBLAS,Triton\n256.0,3.6,3.6\n512.0,21.8,20.2\n", &options);
        assert!((d.time_s[0] / 3.6e-6 - 1.0).abs() < 1e-12);
        assert_eq!((d.n[0], d.k[0]), (128, 256));
    }

    #[test]
    fn intel_names_its_units() {
        let d = read(
            "B,M,K,N,Triton-GB/s,Triton-GB/s-min,Triton-TFlops,Triton-TFlops-min,Triton-CV,XeTLA-GB/s,XeTLA-TFlops,XeTLA-CV\n\
             1.0,1024.0,1024.0,1024.0,400.0,390,150.0,140,0.05,300,120,0.1\n",
        );
        assert_eq!((d.len(), unit(&d)), (2, ""));
        assert_eq!(d.text(ColumnMeaning::Library, 1), "XeTLA");
        assert_eq!(d.number(ColumnMeaning::ReportedBandwidth, 0), 400e9);
        assert!((d.number(ColumnMeaning::TimeStd, 0) / d.time_s[0] - 0.05).abs() < 1e-12);
        assert!((d.problem(0).work().0 / d.time_s[0] / 150e12 - 1.0).abs() < 1e-12);
    }

    #[test]
    fn other_tables_are_left_alone() {
        for text in [
            "M,N,K,lda,ldb,ldc\n4096,4096,4096,4096,4096,4096\n",
            "M,N,K,time_us\n4096,4096,4096,690\n",
            "M,N,K,tflops,gbps\n4096.0,4096.0,4096.0,690,3\n",
            "M,K,N,Bias\n1,2,3,False\n",
            "size,Triton,Torch\n4096.0,9.6,9.5\n",
            "M,N,K,q_dtype_w\n1, 1280, 8192,torch.int8\n",
        ] {
            let head = Head::of(text);
            assert!(claim(&head).is_none(), "{text}");
        }
    }
}
