//! Liger-Kernel's benchmark data: a long table whose rows state metric, unit and GPU. The x value and a JSON cell hold
//! the sizes; the middle one of three quantiles is the time.

use super::*;
use gemmscope_model::units::TimeUnit;
use serde_json::Value;

pub(crate) const FORMAT: Format = Format {
    id: "liger",
    name: "Liger-Kernel benchmark data",
    produced_by: "python benchmark/scripts/benchmark_*.py (Liger-Kernel: benchmark/data/all_benchmark_data.csv)",
    example: "kernel_name,kernel_provider,kernel_operation_mode,metric_name,metric_unit,x_name,x_label,x_value,y_value_50,y_value_20,y_value_80,extra_benchmark_config_str,gpu_name,timestamp,liger_version\n\
              matmul,liger,forward,speed,ms,M,M,4096,0.25,0.24,0.26,\"{\"\"N\"\": 4096, \"\"K\"\": 4096, \"\"dtype\"\": \"\"torch.bfloat16\"\"}\",NVIDIA H100 80GB HBM3,2026-01-01 00:00:00,0.5\n",
    read: ReadBy::Table(&TableFormat {
        signatures: &[&[
            "kernel_name",
            "metric_name",
            "metric_unit",
            "x_name",
            "x_value",
            "y_value_50",
        ]],
        columns: &[
            column(&["y_value_50"], Time),
            column(&["gpu_name"], Device),
            column(&["kernel_name"], OpName),
            column(&["kernel_provider"], Library),
            column(&["kernel_operation_mode"], Other),
        ],
        ignored: &[
            "y_value_20",
            "y_value_80",
            "metric_name",
            "metric_unit",
            "x_name",
            "x_label",
            "x_value",
            "extra_benchmark_config_str",
            "timestamp",
            "liger_version",
        ],
        dtype: DataType::Bf16,
        hook: Some(configuration),
        ..TableFormat::DEFAULT
    }),
};

/// Sizes, type and times of a row, in the unit it states.
fn configuration(cells: &mut Cells<'_, '_>) -> Result<Given, RowError> {
    if cells.get("metric_name") != b"speed" {
        return Err(cells.error("metric_name", "not a time (metric_name)"));
    }
    let config: Value =
        serde_json::from_str(&cells.text("extra_benchmark_config_str")).unwrap_or(Value::Null);
    let x_name = cells.text("x_name");
    let size = |name: &str| -> Result<Option<u32>, RowError> {
        if x_name.eq_ignore_ascii_case(name) {
            return cell::size(cells.get("x_value"))
                .map(Some)
                .map_err(|flaw| cells.error("x_value", flaw.said(name, "x_value")));
        }
        let value =
            [name, &name.to_ascii_lowercase()].iter().find_map(|k| config.get(*k)?.as_u64());
        Ok(value.and_then(|v| u32::try_from(v).ok()))
    };
    let (Some(m), Some(n), Some(k)) = (size("M")?, size("N")?, size("K")?) else {
        return Err(cells.error("extra_benchmark_config_str", NO_SIZES));
    };
    let batch = size("B")?;
    let Some(unit) = TimeUnit::parse(&cells.text("metric_unit")) else {
        return Err(cells.error("metric_unit", "unit is not one of time (metric_unit)"));
    };
    let times = ["y_value_50", "y_value_20", "y_value_80"].map(|name| cells.header.find(&[name]));
    let [time, least, most] = times;
    let time_s = time.map(|c| c.positive(cells.record, "time", unit.to_si())).transpose()?;
    for (column, meaning) in [(least, TimeMin), (most, TimeMax)] {
        if let Some(c) = column {
            let time_s = c.number(cells.record, unit.to_si());
            cells.table.stage_number(meaning, &c.name, time_s);
        }
    }
    let dtype = config.get("dtype").and_then(Value::as_str);
    Ok(Given {
        sizes: Some([m, n, k]),
        batch,
        dtype: dtype.and_then(DataType::parse),
        time_s,
        ..Given::default()
    })
}
