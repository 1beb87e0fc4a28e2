//! ROCm aiter's tuned experts: the best kernels of a layer per number of tokens, one each for up and down projection,
//! or one for both. Columns are found by name; times are in microseconds.

use crate::cell::experts::{ExpertPart, Experts};
use crate::columns::defaults;
use crate::columns::header::{Col, Header};
use crate::{
    Claim, Delimited, Format, Head, ImportError, ImportOptions, Opened, ReadBy, Record, RowReader,
};
use crate::{Imported, cell};
use gemmscope_model::dtype::DataType;
use gemmscope_model::gemm::Operation;
use gemmscope_table::build::cell_text::RowError;
use gemmscope_table::build::{Row, TableBuilder};
use gemmscope_table::dataset::ColumnMeaning::*;
use gemmscope_table::trace::PART_COLUMN;

pub(crate) const FORMAT: Format = Format {
    id: "aiter-experts",
    name: "aiter tuned experts (fused MoE)",
    produced_by: "python3 csrc/ck_gemm_moe_2stages_codegen/gemm_moe_tune.py -i untuned_fmoe.csv -o tuned_fmoe.csv",
    example: "cu_num,token,model_dim,inter_dim,expert,topk,act_type,dtype,q_dtype_a,q_dtype_w,q_type,use_g1u1,doweight_stage1,block_m,ksplit,us1,kernelName1,err1,us2,kernelName2,err2,us,run_1stage,tflops,bw\n\
              304,128,4096,1536,64,6,ActivationType.Silu,torch.bfloat16,torch.float8_e4m3fnuz,torch.float8_e4m3fnuz,QuantType.per_Token,1,0,32,0,310.5,moe_ck2stages_gemm1_256x32x128x128_1x4,0.0%,160.2,moe_ck2stages_gemm2_256x32x128x128_1x4,0.0%,470.7,0,30.8,2580.1\n",
    read: ReadBy::Code { claim, open },
};

/// Sizes of a layer, in the order of [`Experts::of_sizes`].
const SIZES: [&str; 5] = ["token", "model_dim", "inter_dim", "expert", "topk"];

fn claim(head: &Head) -> Option<Claim> {
    head.headed(&["token", "model_dim", "inter_dim", "expert", "topk", "us1", "us2"])
}

fn open(_: &Head, options: &ImportOptions) -> Opened {
    let mut table = TableBuilder::new();
    defaults::chosen_device(&mut table, options);
    Ok(Delimited::open(Tuned::default(), table))
}

#[derive(Debug, Default)]
struct Tuned {
    header: Option<Header>,
}

impl Tuned {
    fn text(&self, record: &Record<'_>, name: &str) -> String {
        let at = self.header.as_ref().and_then(|header| header.position(name));
        at.map_or_else(String::new, |at| record.text(at).trim().to_owned())
    }

    fn column(&self, name: &str) -> Result<Col, RowError> {
        let found = self.header.as_ref().and_then(|header| header.find(&[name]));
        found.ok_or_else(|| RowError::new(format!("no column {name}")))
    }

    fn experts(&self, record: &Record<'_>) -> Result<Experts, RowError> {
        let mut sizes = [0; SIZES.len()];
        for (size, name) in sizes.iter_mut().zip(SIZES) {
            *size = self.column(name)?.size(record, name)?;
        }
        let [tokens, hidden, inner, experts, per_token] = sizes;
        let gated = ["1", "True", "true"].contains(&self.text(record, "use_g1u1").as_str());
        Experts::of_sizes([tokens, hidden, inner], [experts, per_token], gated)
            .ok_or_else(|| RowError::new("more experts a token than there are"))
    }

    fn operation(&self, record: &Record<'_>) -> Result<Operation, RowError> {
        let blocks = self.text(record, "q_type").contains("1x32");
        let dtype = |name: &str| {
            let text = self.text(record, name);
            match DataType::parse(&text) {
                Some(DataType::Fp4) if blocks => Ok(DataType::MxFp4),
                Some(dtype) => Ok(dtype),
                None => Err(RowError::new(format!("data type is not recognised ({name}: {text})"))),
            }
        };
        let (a, b, c) = (dtype("q_dtype_a")?, dtype("q_dtype_w")?, dtype("dtype")?);
        Ok(Operation::mixed(a, b, c).with_layout(false, true))
    }

    fn device(&self, record: &Record<'_>, table: &mut TableBuilder) -> u16 {
        let (target, units) = (self.text(record, "gfx"), self.text(record, "cu_num"));
        let target = match (target.as_str(), units.as_str()) {
            ("", "80" | "304") => "gfx942",
            ("", "256") => "gfx950",
            (target, _) => target,
        };
        table.device_target(target, &units)
    }

    fn push(
        &self,
        record: &Record<'_>,
        (part, time, kernel): (ExpertPart, &str, &str),
        table: &mut TableBuilder,
    ) {
        let row = || -> Result<Row, RowError> {
            let time_s = self.column(time)?.positive(record, "time", 1e-6)?;
            let row = self.experts(record)?.shape(part).row(self.operation(record)?, time_s);
            Ok(row)
        };
        let device = self.device(record, table);
        table.stage_text(Kernel, "kernel", self.text(record, kernel).as_bytes());
        table.stage_text(Library, "library", b"aiter");
        table.stage_text(Other, PART_COLUMN, part.label().as_bytes());
        table.commit(record.line(), record.raw(), row().map(|row| Row { device, ..row }));
    }
}

impl RowReader for Tuned {
    fn record(&mut self, record: &Record<'_>, table: &mut TableBuilder) -> Result<(), ImportError> {
        if self.header.is_none() {
            self.header = Some(Header::new(record));
            return Ok(());
        }
        if let Some(problem) = record.problem() {
            table.commit(record.line(), record.raw(), Err(RowError::new(problem)));
            return Ok(());
        }
        let number = |name: &str| cell::number(self.text(record, name).as_bytes()).unwrap_or(0.0);
        if number("run_1stage") > 0.0 || number("us2") <= 0.0 {
            let time = if number("us") > 0.0 { "us" } else { "us1" };
            self.push(record, (ExpertPart::Both, time, "kernelName1"), table);
            return Ok(());
        }
        self.push(record, (ExpertPart::Up, "us1", "kernelName1"), table);
        self.push(record, (ExpertPart::Down, "us2", "kernelName2"), table);
        Ok(())
    }

    fn end(self: Box<Self>, mut table: TableBuilder) -> Result<Imported, ImportError> {
        table.note("The best kernels of each layer and number of tokens: not a tile sweep.");
        table.note("The weights are stored N x K, so B counts as transposed.");
        Ok(Imported::table(table.finish()))
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::read_as;

    #[test]
    fn a_line_is_a_row_for_each_of_its_kernels() {
        let text = include_str!("../../../../../tests/fixtures/aiter-experts/tuned.csv");
        let d = read_as("tuned_fmoe.csv", text);
        let rows: Vec<String> = (0..d.len())
            .map(|r| {
                let p = d.problem(r);
                let groups = p.op.groups.map_or_else(String::new, |g| g.to_string());
                format!(
                    "{}x{}x{} {groups} {} {:.1}",
                    p.m,
                    p.n,
                    p.k,
                    p.op.types(),
                    d.time_s[r] * 1e6
                )
            })
            .collect();
        assert_eq!(
            rows,
            [
                "768x3072x4096 E=64 k=6 fp8 E4M3 fnuz 310.5",
                "768x4096x1536 E=64 k=6 fp8 E4M3 fnuz 160.2",
                "72x512x7168 E=257 k=9 down=256 MXFP4 95.0",
            ]
        );
        assert_eq!(d.devices[usize::from(d.device[0])], "gfx942:304");
        assert_eq!(d.sources[0].rejected.total(), 2);
    }
}
