//! Files that accompany a TraceLens GEMM table: metadata, call trees, metrics, the manifest of categories, the
//! timeline. Each becomes a [`TraceContext`].

use crate::split::dialect;
use crate::split::json::{self, items};
use crate::{Head, ImportError};
use gemmscope_table::dataset::{
    CallStack, CategoryTime, ReportedFigures, ReportedOperation, TraceContext,
};
use serde_json::Value;

/// A kind of file.
pub(super) struct Part {
    known: fn(&Head) -> bool,
    /// Parses a whole file.
    pub read: fn(&str) -> Result<TraceContext, ImportError>,
}

/// `gpu_timeline.csv`, `category_manifest.json`, `gemm_metrics.json`, `gemm_metadata.json`,
/// `gemm_tree_data.json`.
static PARTS: [Part; 5] = [
    Part {
        known: |head| head.first().starts_with("type,time ms,percent"),
        read: |text| Ok(timeline(text)),
    },
    Part {
        known: |head| has_one(head, &["categories", "gpu_utilization"], ["csv_file", "tier"]),
        read: |text| of_json(text, manifest),
    },
    Part {
        known: |head| has(head, &["operations", "percent_of_compute"]),
        read: |text| of_json(text, metrics),
    },
    Part {
        known: |head| has_one(head, &["platform"], ["peak_hbm_bw_tbs", "max_achievable_tflops"]),
        read: |text| of_json(text, metadata),
    },
    Part { known: |head| has(head, &["parent_chain"]), read: |text| of_json(text, tree) },
];

/// True for JSON with all of these keys.
fn has(head: &Head, keys: &[&str]) -> bool {
    head.first().starts_with('{') && head.has_keys(keys)
}

/// True for JSON with all of these keys and at least one of two others.
fn has_one(head: &Head, keys: &[&str], others: [&str; 2]) -> bool {
    has(head, keys) && others.iter().any(|other| has(head, &[other]))
}

/// The kind of file that a head belongs to.
pub(super) fn part(head: &Head) -> Option<&'static Part> {
    PARTS.iter().find(|part| (part.known)(head))
}

fn of_json(text: &str, read: fn(&Value, &mut TraceContext)) -> Result<TraceContext, ImportError> {
    let value = serde_json::from_str(text).map_err(ImportError::of_json)?;
    let mut context = TraceContext::default();
    read(&value, &mut context);
    Ok(context)
}

fn number(value: &Value, key: &str) -> Option<f64> {
    json::number(value, key).filter(|v| v.is_finite())
}

fn text(value: &Value, key: &str) -> String {
    match value.get(key) {
        Some(Value::String(s)) => s.clone(),
        Some(Value::Null) | None => String::new(),
        Some(other) => other.to_string(),
    }
}

fn ms(value: &Value, key: &str) -> Option<f64> {
    number(value, key).map(|v| v * 1e-3)
}

/// Total time and its parts, which the report gives in percent of it.
fn utilization(value: &Value, context: &mut TraceContext) {
    let Some(part) = value.get("gpu_utilization") else {
        return;
    };
    let total_s = ms(part, "total_time_ms");
    let share = |key: &str| Some(total_s? * number(part, key)? / 100.0);
    context.total_s = total_s;
    context.compute_s = share("computation_time_percent");
    context.exposed_comm_s = share("exposed_comm_time_percent");
    context.exposed_memcpy_s = share("exposed_memcpy_time_percent");
    context.idle_s = share("idle_time_percent");
}

fn metadata(value: &Value, context: &mut TraceContext) {
    context.platform = text(value, "platform");
    context.bandwidth_bytes_per_s = number(value, "peak_hbm_bw_tbs").map(|v| v * 1e12);
    context.memory_bytes = number(value, "memory_gb").map(|v| v * 1e9);
    if let Some(peaks) = value.get("max_achievable_tflops").and_then(Value::as_object) {
        for (key, rate) in peaks {
            if let Some(rate) = rate.as_f64().filter(|r| *r > 0.0) {
                context.achievable_flops_per_s.insert(key.clone(), rate * 1e12);
            }
        }
    } else if let Some(rate) = number(value, "peak_bf16_maf_tflops").filter(|r| *r > 0.0) {
        // Reports of early 2026 have a single value.
        context.achievable_flops_per_s.insert("matrix_bf16".to_owned(), rate * 1e12);
    }
    utilization(value, context);
    if let Some(times) = value.get("time_breakdown") {
        context.gemm_s = ms(times, "gpu_kernel_time_ms");
        context.cpu_s = ms(times, "cpu_duration_ms");
        context.sync_s = ms(times, "sync_time_ms");
    }
    if text(value, "category").eq_ignore_ascii_case("gemm")
        && let (Some(gemm), Some(compute)) = (context.gemm_s, context.compute_s)
        && compute > 0.0
    {
        context.reported_share = Some(gemm / compute);
    }
}

fn manifest(value: &Value, context: &mut TraceContext) {
    context.platform = text(value, "platform");
    utilization(value, context);
    for category in items(value, "categories") {
        let kernel_s = ms(category, "gpu_kernel_time_ms");
        // Fusion candidates and system tiers repeat kernels of other categories.
        let own = text(category, "tier") == "compute_kernel" || category.get("tier").is_none();
        if let (Some(kernel_s), true) = (kernel_s, own) {
            let name = text(category, "name");
            if name == "gemm" {
                context.gemm_s = Some(kernel_s);
            }
            context.categories.push(CategoryTime {
                display_name: text(category, "display_name"),
                name,
                kernel_s,
                operations: number(category, "ops_count").map_or(0, |n| n as u64),
            });
        }
    }
}

/// Names in a chain of strings or of objects with a name.
fn chain(value: Option<&Value>) -> Vec<String> {
    let name_of = |item: &Value| match item {
        Value::String(s) => Some(s.clone()),
        Value::Object(o) => ["name", "op_name", "kernel_name"]
            .iter()
            .find_map(|k| o.get(*k).and_then(Value::as_str))
            .map(str::to_owned),
        Value::Null => None,
        other => Some(other.to_string()),
    };
    match value {
        Some(Value::Array(items)) => items.iter().filter_map(name_of).collect(),
        Some(Value::String(s)) => s
            .split([';', '\n'])
            .flat_map(|part| part.split("->"))
            .map(|part| part.trim().to_owned())
            .filter(|part| !part.is_empty())
            .collect(),
        _ => Vec::new(),
    }
}

/// Reads both variants: `{uid: {op_name, ex_uid, parent_chain, subtree, ...}}` and the earlier
/// `{op_uid: {name, parent_chain, time_ms}}`.
fn tree(value: &Value, context: &mut TraceContext) {
    let mut calls = Vec::new();
    for (key, entry) in value.as_object().into_iter().flatten() {
        let uid = key
            .trim()
            .parse::<u64>()
            .ok()
            .or_else(|| number(entry, "ex_uid").filter(|u| *u >= 0.0).map(|u| u as u64))
            .or_else(|| {
                // Digits at the end, as in `op_231`.
                let name = key.trim_end_matches(|c: char| c.is_ascii_digit());
                key[name.len()..].parse().ok()
            });
        let Some(uid) = uid else { continue };
        let operation = match text(entry, "op_name") {
            name if name.is_empty() => text(entry, "name"),
            name => name,
        };
        calls.push((
            uid,
            CallStack {
                operation,
                parents: chain(entry.get("parent_chain")),
                subtree: chain(entry.get("subtree")),
                time_s: ms(entry, "time_ms"),
                fusion_opportunity: entry
                    .get("fusion_opportunity")
                    .and_then(Value::as_bool)
                    .unwrap_or(false),
                notes: text(entry, "notes"),
            },
        ));
    }
    context.calls = calls.into_iter().collect();
}

fn metrics(value: &Value, context: &mut TraceContext) {
    let impacts = items(value, "impact_estimates");
    let mut used = vec![false; impacts.len()];
    let mut operations = Vec::new();
    for operation in items(value, "operations") {
        let none = Value::Null;
        let efficiency = operation.get("efficiency").unwrap_or(&none);
        let name = text(operation, "name");
        let time = number(operation, "time_ms");
        // Estimates have no id; match them by name and time.
        let found = impacts.iter().enumerate().position(|(i, e)| {
            !used[i] && text(e, "operation") == name && number(e, "time_ms") == time
        });
        let impact_percent = found.and_then(|i| {
            used[i] = true;
            Some((
                number(&impacts[i], "impact_score_low")?,
                number(&impacts[i], "impact_score")?,
                number(&impacts[i], "impact_score_high")?,
            ))
        });
        let callers = match chain(operation.get("module_chain")) {
            modules if modules.is_empty() => chain(operation.get("call_chain")),
            modules => modules,
        };
        operations.push(ReportedOperation {
            name,
            input_dims: text(operation, "Input Dims"),
            time_s: time.map(|t| t * 1e-3),
            percent_of_category: number(operation, "percent_of_category"),
            percent_of_total: number(operation, "percent_of_total"),
            efficiency_percent: number(efficiency, "efficiency_percent"),
            impact_percent,
            callers,
        });
    }
    context.gemm_s = ms(value, "total_time_ms");
    context.reported = Some(ReportedFigures {
        total_s: ms(value, "total_time_ms"),
        percent_of_compute: number(value, "percent_of_compute"),
        operations,
    });
}

fn timeline(text: &str) -> TraceContext {
    let mut context = TraceContext::default();
    for line in text.lines().skip(1) {
        let mut cells = dialect::cells(line, b',').map(|c| c.trim_matches('"'));
        let (Some(kind), Some(time)) = (cells.next(), cells.next()) else {
            continue;
        };
        let Ok(time_ms) = time.trim().parse::<f64>() else {
            continue;
        };
        let slot = match kind.trim() {
            "computation_time" => &mut context.compute_s,
            "exposed_comm_time" => &mut context.exposed_comm_s,
            "exposed_memcpy_time" => &mut context.exposed_memcpy_s,
            "idle_time" => &mut context.idle_s,
            "total_time" => &mut context.total_s,
            _ => continue,
        };
        *slot = Some(time_ms * 1e-3);
    }
    context
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_shapes_of_the_tree() {
        let text = r#"{"231": {"op_name": "aten::mm", "ex_uid": 231, "parent_chain":
            ["nn.Module: Mlp", {"name": "aten::linear"}], "subtree": [], "notes": "n",
            "fusion_opportunity": true},
            "op_90": {"name": "aten::addmm", "parent_chain": "a -> b", "time_ms": 2.5}, "x": 3}"#;
        let context = of_json(text, tree).unwrap();
        let first = context.calls.get(&231).unwrap();
        assert_eq!(first.parents, ["nn.Module: Mlp", "aten::linear"]);
        assert!(first.fusion_opportunity);
        let second = context.calls.get(&90).unwrap();
        assert_eq!((second.operation.as_str(), second.time_s), ("aten::addmm", Some(2.5e-3)));
        assert_eq!(second.parents, ["a", "b"]);
    }

    #[test]
    fn old_metadata_has_one_peak() {
        let text = r#"{"platform": "MI300X", "peak_hbm_bw_tbs": 5.3, "peak_bf16_maf_tflops": 708}"#;
        assert!((PARTS[3].known)(&Head::of(text)));
        let context = of_json(text, metadata).unwrap();
        assert_eq!(context.achievable_flops_per_s.get("matrix_bf16"), Some(&708e12));
        assert_eq!(context.bandwidth_bytes_per_s, Some(5.3e12));
        assert_eq!(context.total_s, None);
    }

    #[test]
    fn a_timeline() {
        let text = "type,time ms,percent\ncomputation_time,31.25,89.8\nidle_time,x,1\n\
                    total_time,33.125,100.0\nbusy_time,1,1\n";
        assert!((PARTS[0].known)(&Head::of(text)));
        let context = timeline(text);
        assert_eq!((context.compute_s, context.total_s), (Some(31.25e-3), Some(33.125e-3)));
        assert_eq!(context.idle_s, None);
    }

    #[test]
    fn bad_json_says_where() {
        let e = of_json("{\n \"platform\": }", metadata).unwrap_err();
        assert_eq!((e.line, e.column), (2, 14));
        assert!(part(&Head::of("[1, 2]")).is_none());
        assert!(part(&Head::of("{\"a\": 1}")).is_none());
    }
}
