//! Kernels with only arithmetic intensity and rate, such as the data behind a published roofline: points under a roof,
//! without sizes and hence without work or time.

use super::*;
use crate::columns::defaults::{self, AssumedType};
use crate::columns::header::{Col, Header};
use crate::document::title::title;
use crate::{Delimited, ImportError, ImportOptions, Imported, Opened, Record, RowReader};
use gemmscope_table::build::TableBuilder;
use gemmscope_table::dataset::{ColumnMeaning, RatePoint};
use gemmscope_table::native_csv::unguard;

pub(crate) const FORMAT: Format = Format {
    id: "points",
    name: "Intensity and rate without sizes",
    produced_by: "any script or spreadsheet: the points of a roofline",
    example: "kernel,dtype,arithmetic_intensity,tflops\nattention out,fp16,120.5,314.9\n",
    read: ReadBy::Code { claim, open },
};

/// Maximum number of points in a file, because each is drawn as an interactive mark.
const MOST: usize = 10_000;

/// The columns in use.
#[derive(Debug)]
struct Columns {
    intensity: Col,
    rate: Col,
    /// Factor of the rate to FLOP/s.
    to_si: f64,
    name: Option<Col>,
    dtype: Option<Col>,
    device: Option<Col>,
}

impl Columns {
    /// The columns of a header with both figures and without sizes.
    fn of(header: &Header) -> Option<Columns> {
        let specs: Vec<_> = header.names.iter().map(|name| title(name).spec).collect();
        let col = |index: usize| Col { index, name: header.names[index].trim().to_owned() };
        let with = |meaning: ColumnMeaning| specs.iter().position(|spec| spec.meaning == meaning);
        if [M, N, K, Mnk, Square, ShapeA, ShapeB].into_iter().any(|size| with(size).is_some()) {
            return None;
        }
        let rate = with(ReportedRate)?;
        Some(Columns {
            intensity: col(with(ReportedIntensity)?),
            rate: col(rate),
            to_si: specs[rate].rate_unit()?.to_si(),
            name: [Kernel, OpName, Other].into_iter().find_map(with).map(col),
            dtype: [Dtype, DtypeA].into_iter().find_map(with).map(col),
            device: with(Device).map(col),
        })
    }
}

fn claim(head: &Head) -> Option<Claim> {
    Columns::of(&Header::of_line(head.first())).map(|_| Claim::Columns(String::new()))
}

fn open(head: &Head, options: &ImportOptions) -> Opened {
    let mut table = TableBuilder::new();
    if Columns::of(&Header::of_line(head.first())).is_some_and(|c| c.device.is_none()) {
        defaults::device(&mut table, head, options);
    }
    let types = AssumedType::new(head, options, DataType::Fp16);
    Ok(Delimited::open(Points { columns: None, types }, table))
}

struct Points {
    columns: Option<Columns>,
    types: AssumedType,
}

impl RowReader for Points {
    fn record(&mut self, record: &Record<'_>, table: &mut TableBuilder) -> Result<(), ImportError> {
        let Some(columns) = &self.columns else {
            self.columns = Columns::of(&Header::new(record));
            return Ok(());
        };
        if let Some(problem) = record.problem() {
            table.reject(record.line(), record.raw(), &RowError::new(problem));
            return Ok(());
        }
        let text = |col: &Option<Col>| {
            col.as_ref().map_or(String::new(), |c| record.text(c.index).trim().to_owned())
        };
        let figures = columns
            .intensity
            .positive(record, "intensity", 1.0)
            .and_then(|ai| Ok((ai, columns.rate.positive(record, "rate", columns.to_si)?)));
        let (intensity, rate) = match figures {
            Ok(_) if table.points.len() >= MOST => {
                let why = format!("more than {MOST} points without sizes");
                table.reject(record.line(), record.raw(), &RowError::new(why));
                return Ok(());
            }
            Ok(figures) => figures,
            Err(error) => {
                table.reject(record.line(), record.raw(), &error);
                return Ok(());
            }
        };
        let device = table.device(&text(&columns.device));
        let dtype = self.types.of(DataType::parse(&text(&columns.dtype)), table);
        table.points.push(RatePoint {
            // Remove the apostrophe that our export puts before text a spreadsheet would run as a formula.
            name: String::from_utf8_lossy(unguard(text(&columns.name).as_bytes())).into_owned(),
            line: record.line(),
            intensity,
            rate,
            dtype,
            device: table.device_name(device).to_owned(),
        });
        Ok(())
    }

    fn end(self: Box<Self>, mut table: TableBuilder) -> Result<Imported, ImportError> {
        if table.points.is_empty() && table.rows_read() == 0 {
            return Err(ImportError::new("a header without rows").kind(crate::ErrorKind::Empty));
        }
        table.note(
            "It states intensity and rate, but no sizes: points under the roof, in no total, finding or comparison.",
        );
        Ok(Imported::table(table.finish()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::read;

    #[test]
    fn intensity_and_rate_are_points_without_sizes() {
        let text = "kernel,batch_size,dtype,arithmetic_intensity,tflops,gpu\n\
                    qkv,1,bf16,120.5,314.9,MI300X\n\
                    out,1,bf16,n/a,181.5,MI300X\n\
                    up,4,fp32,437,878.8,MI300X\n";
        let data = read(text);
        let source = &data.sources[0];
        assert_eq!((data.len(), source.format.as_str()), (0, "points"));
        let [qkv, up] = &source.points[..] else { panic!("{:?}", source.points) };
        assert_eq!((qkv.name.as_str(), qkv.line, qkv.intensity), ("qkv", 2, 120.5));
        assert_eq!((up.rate, up.dtype, up.device.as_str()), (878.8e12, DataType::Fp32, "MI300X"));
        assert_eq!((source.rejected.total(), source.rejected.lines[0]), (1, 3));
    }

    #[test]
    fn a_table_with_sizes_or_without_a_unit_is_none() {
        for header in
            ["M,N,K,intensity,tflops", "kernel,intensity,rate", "kernel,intensity,time_us"]
        {
            assert!(claim(&Head::of(&format!("{header}\n"))).is_none(), "{header}");
        }
    }
}
