//! Triton's `perf_report` tables: sizes, then one column a provider.
//!
//! Upstream Triton writes neither the unit nor the type nor the device: they are inferred, shown
//! and can be answered. Intel's fork puts the unit behind the provider (`Triton-TFlops`).

mod units;

use crate::cell::{self, Quantity, values};
use crate::columns::defaults::{AssumedType, assumption};
use crate::columns::plan::{Extra, LIBRARIES, Plan, Side, SideColumns, Size, Sizes};
use crate::columns::plan_rows::{PlanRows, TableReader};
use crate::columns::words::{self, Says, is_percentile, says};
use crate::columns::{defaults, sides};
use crate::split::dialect::is_drawn;
use crate::{Col, Detection, Format, Head, Header, ImportOptions, Opened, ReadBy};
use gemmscope_model::dtype::DataType;
use gemmscope_model::units::float;
use gemmscope_table::build::{ColumnId, TableBuilder};
use gemmscope_table::dataset::ColumnMeaning;
use units::{infer, sampled_shapes, unit_said};

pub(crate) const FORMAT: Format = Format {
    id: "triton",
    name: "Triton perf_report table",
    produced_by: "benchmark.run(save_path=\".\", print_data=True) in a script with @triton.testing.perf_report (matmul-performance.csv)",
    example: "M,N,K,cuBLAS,Triton\n4096.0,4096.0,4096.0,218.3,209.9\n",
    read: ReadBy::Code { detect, open },
};

/// Words in names of providers of a matrix multiply.
const PROVIDERS: &str = "triton|cublas|rocblas|hipblas|torch|matmul|gemm|cutlass|aten|xetla|onednn|mkl|deepgemm|\
    cudnn|tilelang|fp8|fp16|bf16|int8|fp32|f32|fp64|tf32|fp4|f16|naive|eager|inductor|_mm";

/// What a figure over the runs of one provider is called by.
const FIGURES: [Says; 5] = [Says::Mean, Says::Least, Says::Most, Says::Spread, Says::Once];

/// `speedup` is no provider, `Triton-CV` is the spread of one.
fn is_provider(title: &str) -> bool {
    title.ends_with("-CV") || !sides::is_no_run(title)
}

/// The place among M, N, K and batch; `Z` is the batch of Intel's fork.
fn size_role(name: &str) -> Option<usize> {
    words::size(name).or_else(|| name.trim().eq_ignore_ascii_case("z").then_some(3))
}

/// What is measured, and the factor to SI.
type Unit = (Quantity, f64);

/// Unit behind a provider's name: `Triton-TFlops`, `cuBLAS (TFLOPS)`, `triton_ms`.
fn split_unit(name: &str) -> (String, Option<Unit>) {
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
        return (provider.trim().trim_end_matches(['-', '_']).to_owned(), Some(unit));
    }
    (name.to_owned(), None)
}

/// Position of the header among the first lines and its fields.
fn header(head: &Head) -> Option<(usize, Vec<&str>)> {
    // A printed table has a title.
    let at = head.lines.iter().position(|l| Head::fields(l).len() > 1)?;
    Some((at, Head::fields(&head.lines[at])))
}

fn detect(head: &Head) -> Option<Detection> {
    let (at, fields) = header(head)?;
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
    // A figure or a type by its own name is a column of a long table.
    let long = |f: &&str| {
        let name = split_unit(f).0;
        let name = name.split(['-', '(', '[']).next().unwrap_or("").trim();
        crate::columns::alias::guess(name).spec.meaning != ColumnMeaning::Other
            || says(&name.to_ascii_lowercase(), &FIGURES)
            || is_percentile(&name.to_ascii_lowercase())
    };
    if providers.iter().any(long) {
        return None;
    }
    let unit = |f: &&&str| f.contains(['-', '(']) && split_unit(f).1.is_some();
    let units = providers.iter().filter(unit).count();
    let plain = providers.iter().filter(|f| {
        !f.is_empty() && crate::columns::alias::guess(f).spec.meaning == ColumnMeaning::Other
    });
    if plain.count() + units < providers.len() && units == 0 {
        return None;
    }
    let body: Vec<Vec<&str>> = head.lines[at + 1..]
        .iter()
        .filter(|l| !is_drawn(l.as_bytes()))
        .take(20)
        .map(|l| Head::fields(l))
        .collect();
    let numeric = |f: &&str| cell::number(f.as_bytes()).is_some();
    let floats = body.iter().any(|r| {
        r.get(index).is_some_and(|f| f.contains('.') && float(f).is_some_and(|v| v.fract() == 0.0))
    });
    // Whole sizes and no unit could be any table: then each column must name a provider.
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
    let score = if floats && any_known {
        92
    } else if units > 0 && any_known {
        90
    } else {
        60
    };
    Some(Detection::new(score, "the header has sizes and then a column per provider"))
}

fn open(head: &Head, options: &ImportOptions) -> Opened {
    let at = header(head).map_or(0, |h| h.0);
    let titled = head.lines[..at].iter().find_map(|l| defaults::dtype_in(l));
    let types = match titled.filter(|_| options.dtype("dtype").is_none()) {
        Some(dtype) => AssumedType::titled(dtype, "Data type from the title of the table"),
        None => AssumedType::new(head, options, DataType::Fp16),
    };
    let rows = head
        .lines
        .iter()
        .take(if head.complete { 80 } else { 60 })
        .skip(at + 1)
        .filter(|l| !is_drawn(l.as_bytes()))
        .map(|l| Head::fields(l).into_iter().map(str::to_owned).collect())
        .collect();
    let reader = Providers {
        types: types.clone(),
        head: Head { name: head.name.clone(), ..Head::default() },
        rows,
        options: options.clone(),
    };
    Ok(PlanRows::open(reader, &head.name, Some(types), TableBuilder::new()))
}

/// What is known of a file before its header is read.
struct Providers {
    types: AssumedType,
    /// The name of the file, without its lines.
    head: Head,
    /// The cells of the first rows.
    rows: Vec<Vec<String>>,
    options: ImportOptions,
}

impl TableReader for Providers {
    fn plan(&mut self, h: &Header, table: &mut TableBuilder) -> Option<Plan> {
        if h.names.len() < 2 {
            return None;
        }
        let Leading { three, batch, used: mut taken } = leading(h);
        let from = taken.len();
        let mut plan = Plan { width: h.names.len(), ..Plan::default() };
        plan.side_columns = SideColumns::all(table, LIBRARIES);
        let unknown = self.sides(h, from, &mut taken, &mut plan, table);
        // Each may name its own.
        if plan.sides.iter().any(|s| s.dtype.is_none()) || self.options.dtype("dtype").is_some() {
            self.types.of(None, table);
        }
        plan.default_device = defaults::device(table, &self.head, &self.options);
        plan.sizes = Sizes::Three(self.sizes(three, table));
        plan.batch = batch;
        if !unknown.is_empty() {
            let number = |row: &Vec<String>, c: &Col| {
                row.get(c.index).and_then(|t| cell::number(t.as_bytes())).unwrap_or(f64::NAN)
            };
            let column = |(_, c): &(usize, Col)| self.rows.iter().map(|r| number(r, c)).collect();
            let columns: Vec<Vec<f64>> = unknown.iter().map(column).collect();
            let shapes = sampled_shapes(&plan, self.types.value(), &self.rows);
            let (quantity, scale) = unit_said(table, &self.options, infer(&shapes, &columns));
            for (at, c) in unknown {
                plan.sides[at].figures.set(quantity, c, scale);
            }
        }
        plan.sides.retain(|s| s.figures.all().next().is_some());
        let free = |i: &usize| !taken.contains(i) && !h.names[*i].trim().is_empty();
        let others = (0..h.names.len()).filter(free);
        plan.extras = others.map(|i| Extra::Auto(i, table.auto_column(&h.names[i]))).collect();
        plan.note_times(table);
        Some(plan)
    }
}

/// The columns before those of the providers.
struct Leading {
    three: [Option<Size>; 3],
    batch: Option<Col>,
    /// Their positions.
    used: Vec<usize>,
}

fn column(h: &Header, index: usize) -> Col {
    Col { index, name: h.names[index].trim().to_owned() }
}

fn leading(h: &Header) -> Leading {
    let mut out = Leading { three: [None, None, None], batch: None, used: Vec::new() };
    let start = usize::from(h.names[0].trim().is_empty() && h.names.len() > 2);
    out.used.extend(0..start);
    for i in start..h.names.len() {
        let Some(meaning) = size_role(&h.names[i]) else {
            break;
        };
        match out.three.get_mut(meaning) {
            Some(place) => *place = Some(Size::Column(column(h, i))),
            None => out.batch = Some(column(h, i)),
        }
        out.used.push(i);
    }
    if out.three.iter().all(Option::is_none) {
        out.three[0] = Some(Size::Column(column(h, start)));
        out.used.push(start);
    }
    out
}

impl Providers {
    /// M, N and K: those that have no column are the user's answer, else the same as the first that has.
    fn sizes(&self, three: [Option<Size>; 3], table: &mut TableBuilder) -> [Size; 3] {
        let known = three.iter().flatten().next().cloned();
        let known_name = match &known {
            Some(Size::Column(c)) => c.name.clone(),
            _ => String::new(),
        };
        let mut names = ["M", "N", "K"].into_iter();
        three.map(|size| {
            let name = names.next().unwrap_or_default();
            size.unwrap_or_else(|| {
                let key = format!("size:{name}");
                let answer = self.options.answer(&key);
                let answer = answer.and_then(|a| cell::size(a.as_bytes()).ok());
                let why = match answer {
                    Some(v) => format!("{v} as entered"),
                    None => format!("assuming the same as “{known_name}”"),
                };
                let value = answer.map_or_else(|| format!("= {known_name}"), |v| v.to_string());
                let text = format!("No {name} in the file: {why}.");
                table.assume(assumption(key, text, value, &[]));
                let same = || known.clone().unwrap_or(Size::Fixed(1));
                answer.map_or_else(same, Size::Fixed)
            })
        })
    }

    /// Puts the providers into the plan; gives those of their figures that have no unit.
    fn sides(
        &self,
        h: &Header,
        from: usize,
        used: &mut Vec<usize>,
        plan: &mut Plan,
        table: &mut TableBuilder,
    ) -> Vec<(usize, Col)> {
        let mut unknown = Vec::new();
        let mut extremes: Vec<(String, ColumnId)> = Vec::new();
        for i in from..h.names.len() {
            let c = column(h, i);
            if c.name.is_empty() || !is_provider(&c.name) {
                continue;
            }
            let (name, unit) = split_unit(&c.name);
            let (name, part) = match name.rsplit_once('-') {
                _ if unit.is_some() => (name, ""),
                Some((p, "CV")) => (p.to_owned(), "CV"),
                Some((p, part @ ("min" | "max"))) => (split_unit(p).0, part),
                _ => (name, "value"),
            };
            let at = plan.sides.iter().position(|s| s.name == name);
            let at = at.unwrap_or_else(|| {
                // `fp8`, `bf16xbf16->bf16`
                let dtype = values::types(&name).map(|t| t.a);
                let dtype = dtype.or_else(|| defaults::dtype_in(&name));
                plan.sides.push(Side { dtype, ..Side::new(&name) });
                plan.sides.len() - 1
            });
            used.push(i);
            let side = &mut plan.sides[at];
            match (part, unit) {
                // One long column a figure, whichever provider it is of.
                ("min" | "max", _) => {
                    let figure = c.name.trim_start_matches(name.as_str());
                    let figure = figure.trim_matches(['-', '_', ' ']);
                    let known = extremes.iter().find(|(f, _)| f == figure).map(|(_, id)| *id);
                    let id = known.unwrap_or_else(|| table.auto_column(figure));
                    extremes.push((figure.to_owned(), id));
                    side.kept.push((i, id));
                }
                ("CV", _) => side.variation = Some(c),
                (_, Some((quantity, scale))) => side.figures.set(quantity, c, scale),
                (_, None) => unknown.push((at, c)),
            }
        }
        unknown
    }
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
        assert_eq!((name.as_str(), unit), ("cuBLAS", Some((Quantity::Time, 1e-3))));
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
        let mut options = ImportOptions::default();
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
            assert!(detect(&head).is_none(), "{text}");
        }
    }
}
