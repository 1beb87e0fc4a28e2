//! Made-up rows to draw, the same on every machine.

use gemmscope_chart::color_scale::ColorScale;
use gemmscope_chart::palette::Theme;
use gemmscope_model::dtype::DataType;
use gemmscope_model::gemm::Operation;
use gemmscope_model::hardware::{self, RoofKind};
use gemmscope_table::dataset::{Column, ColumnData, ColumnMeaning, Dataset, Source};
use gemmscope_table::field::{Field, Frame};
use gemmscope_table::metrics::Metrics;
use std::sync::Arc;

/// A fixed pseudo-random sequence (xorshift), the same on every machine.
pub(crate) struct Dice(u64);

impl Dice {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn unit(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1u64 << 53) as f64
    }

    fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[(self.next() % from.len() as u64) as usize]
    }
}

/// Rows that resemble a benchmark of `models` on one device: some memory-bound, some not, a few above the roof, a few
/// without a time.
pub(crate) fn dataset(rows: usize, device: &str) -> Dataset {
    let mut dice = Dice(0x9E37_79B9_7F4A_7C15);
    let mut d = Dataset::new();
    d.sources.push(Source { name: "bench.csv".into(), ..Source::default() });
    d.devices = vec![String::new(), device.to_owned()];
    d.ops = vec![
        Operation::uniform(DataType::Fp16),
        Operation::uniform(DataType::Bf16),
        Operation::uniform(DataType::Fp8E4m3Fnuz),
    ];
    let roofs = [1307.4e12, 1307.4e12, 2614.9e12];
    let models = ["", "llama3-8b", "llama3-70b", "mixtral", "deepseek-v3", "square"];
    let mut codes = Vec::new();
    let mut counts = Vec::new();
    for i in 0..rows {
        let model = 1 + (dice.next() % 5) as u32;
        let op = dice.pick(&[0u16, 0, 0, 1, 1, 2]);
        let m = dice.pick(&[1u32, 8, 16, 64, 256, 1024, 4096, 8192]);
        let n = 1024 * dice.pick(&[1u32, 2, 4, 5, 7, 8, 14, 28]);
        let k = 1024 * dice.pick(&[1u32, 2, 4, 5, 8, 14]);
        d.m.push(m);
        d.n.push(n);
        d.k.push(k);
        d.batch.push(1);
        d.op.push(op);
        d.device.push(1);
        d.source.push(0);
        d.line.push(i as u32 + 2);
        let p = d.problem(i);
        let (work, bytes) = (p.work().0, p.bytes().0);
        let roof = (work / roofs[op as usize]).max(bytes / 5.3e12);
        let share = match i % 41 {
            40 => 1.3 + dice.unit(),
            _ => 0.08 + 0.75 * dice.unit().sqrt() * dice.unit().sqrt(),
        };
        let time = if i % 29 == 28 { f64::NAN } else { roof / share };
        d.time_s.push(time);
        codes.push(model);
        counts.push(f64::from(dice.pick(&[1u32, 8, 32, 80])));
    }
    d.columns.push(Column {
        key: "model".into(),
        label: "Model".into(),
        meaning: ColumnMeaning::Model,
        unit: String::new(),
        data: ColumnData::Text { codes, values: models.map(str::to_owned).to_vec() },
    });
    d.columns.push(Column {
        key: "count".into(),
        label: "Calls".into(),
        meaning: ColumnMeaning::Count,
        unit: String::new(),
        data: ColumnData::Number(counts),
    });
    d
}

pub(crate) fn frame_of(d: Dataset, device: Option<&str>) -> Frame {
    let device = device.and_then(hardware::by_id).cloned();
    let devices = vec![device; d.devices.len()];
    let metrics = Metrics::compute(&d, devices, RoofKind::Datasheet);
    Frame::all(Arc::new(d), Arc::new(metrics))
}

pub(crate) fn frame(rows: usize) -> Frame {
    frame_of(dataset(rows, "MI300X"), Some("mi300x"))
}

pub(crate) fn colored(frame: &Frame, field: &str, theme: &Theme) -> ColorScale {
    match Field::parse(field).and_then(|f| frame.info(&f)) {
        Some(info) => ColorScale::by(frame, &info, theme),
        None => ColorScale::plain(theme),
    }
}

/// The `n` rows with the longest total time.
pub(crate) fn expensive(frame: &Frame, n: usize) -> Vec<u32> {
    let get = frame.numbers(&Field::TotalTime);
    let mut rows: Vec<u32> =
        frame.rows.iter().copied().filter(|r| !get(*r as usize).is_nan()).collect();
    rows.sort_by(|a, b| get(*b as usize).total_cmp(&get(*a as usize)).then(a.cmp(b)));
    rows.truncate(n);
    rows
}
