use super::*;
use gemmscope_model::dtype::DataType;
use gemmscope_model::transformer::Workload;
use gemmscope_model::transformer::{Phase, Types};
use gemmscope_table::view_state::ViewState;
use proptest::prelude::*;

fn plan(hash: &str) -> Plan {
    let (state, problems) = PlanState::read(&ViewState::decode(hash).0);
    assert_eq!(problems, []);
    Plan::new(state, &[])
}

fn close(value: f64, expected: f64, relative: f64) {
    assert!((value / expected - 1.0).abs() < relative, "{value} is not {expected}");
}

#[test]
fn without_a_device_a_plan_is_an_example() {
    let example = plan("plan.batch=8");
    assert!(example.example && example.state.devices.is_empty());
    assert_eq!(example.steps[0].device.id, EXAMPLE);
    assert!(!plan("plan.devices=mi300x").example);
}

#[test]
fn step_times_over_the_batch_pass_through_the_chosen_one() {
    let plan = plan("plan.batch=24&plan.devices=h100-sxm,v100-sxm2");
    let lines = plan.over_batch();
    let times = &lines[0];
    assert!(times.windows(2).all(|w| w[0].batch < w[1].batch && w[0].best_s <= w[1].best_s));
    assert_eq!((times[0].batch, times[times.len() - 1].batch), (1, BATCHES));
    let chosen = times.iter().find(|t| t.batch == 24).unwrap();
    let step = &plan.first().unwrap().totals;
    assert_eq!((chosen.best_s, chosen.expected_s), (step.time.0, step.expected.0));
    // No bf16 on a V100: no step at any batch.
    assert_eq!(lines[1], []);
}

#[test]
fn llama_2_7b_has_the_four_published_pairs() {
    let plan = plan("plan.model=llama-2-7b&plan.devices=a100-80-sxm&plan.gate_up=0");
    let rows = &plan.first().unwrap().rows;
    for (name, n, k) in [
        ("qkv_proj", 12288, 4096),
        ("o_proj", 4096, 4096),
        ("up_proj", 11008, 4096),
        ("down_proj", 4096, 11008),
    ] {
        let row = rows.iter().find(|r| r.name == name).unwrap();
        assert_eq!((row.problem().n, row.problem().k), (n, k));
        assert_eq!(row.problem().m, 8);
    }
    let share: f64 = rows.iter().map(|r| r.share).sum();
    close(share, 1.0, 1e-12);
}

#[test]
fn the_ridge_is_named_with_its_batch() {
    let hash = "plan.model=llama-2-7b&plan.devices=a100-80-sxm";
    let decode = plan(hash);
    let up = |p: &Plan| {
        let rows = &p.first().unwrap().rows;
        rows.iter().find(|r| r.name == "up_proj").unwrap().clone()
    };
    let row = up(&decode);
    let batch = row.ridge_batch.unwrap();
    assert_eq!(batch, u64::from(row.best.ridge_m.unwrap()));
    // One token below it is memory-bound; at it the ridge point is reached.
    let ai = |batch| up(&plan(&format!("{hash}&plan.batch={batch}"))).intensity();
    let ridge = row.best.roof.ridge();
    assert!(ai(batch - 1) < ridge && ai(batch) >= ridge);
    let prefill = plan(&format!("{hash}&plan.phase=prefill&plan.length=100"));
    let row = up(&prefill);
    assert_eq!(row.ridge_tokens, Some(batch));
    assert_eq!(row.ridge_batch, Some(batch.div_ceil(100)));
}

#[test]
fn an_expert_needs_more_tokens() {
    let plan = plan("plan.model=mixtral-8x7b&plan.devices=h100-sxm&plan.batch=64");
    let rows = &plan.first().unwrap().rows;
    let of = |name: &str| rows.iter().find(|r| r.name == name).unwrap();
    let expert = of("expert up_proj");
    assert_eq!(expert.ridge_tokens, expert.best.ridge_m.map(|m| u64::from(m).div_ceil(2)));
    // All eight experts' weights for a quarter of the tokens each.
    let dense = of("qkv_proj").ridge_tokens.unwrap();
    assert!(expert.ridge_tokens.unwrap() > 3 * dense);
    assert_eq!(expert.problem().m, 64 * 2);
}

#[test]
fn decode_climbs_the_slope() {
    let plan = plan("plan.batch=64&plan.devices=h100-sxm&plan.trail=batch");
    let trails = plan.trails();
    let rows = &plan.first().unwrap().rows;
    let up = rows.iter().position(|r| r.name == "up_proj").unwrap();
    assert_eq!(trails[up].len(), 6);
    assert!(trails[up].windows(2).all(|w| w[0].ai < w[1].ai && w[0].rate < w[1].rate));
    assert!(trails[up][5].ai < rows[up].intensity());
    let off = Plan::new(PlanState { trail: Trail::Off, ..plan.state.clone() }, &[]);
    assert!(off.trails().iter().all(Vec::is_empty));
}

#[test]
fn planned_rows_lie_on_the_roof_of_measured_ones() {
    let plan = plan("plan.devices=h100-sxm,mi300x,v100-sxm2,nothing");
    assert_eq!(plan.unknown, ["nothing"]);
    assert!(plan.steps[2].result.is_err());
    let data = plan.dataset();
    let rows = plan.first().unwrap().rows.len();
    assert_eq!(data.len(), 2 * rows);
    assert!(data.time_s.iter().all(|t| t.is_nan()));
    assert_eq!(data.text(ColumnMeaning::OpName, 0), "qkv_proj");
    assert_eq!(data.text(ColumnMeaning::Model, rows), "Llama 3 8B");
    assert_eq!(data.count(0), 32.0);
    let mut all = Dataset::new();
    all.append(data.clone());
    all.append(data);
    assert_eq!(all.len(), 4 * rows);
}

/// A planned grouped GEMM and a measured one have one formula.
#[test]
fn planned_experts_cost_what_measured_ones_do() {
    use gemmscope_table::metrics::{DeviceChoice, Metrics};
    for phase in ["decode", "prefill"] {
        let plan = plan(&format!(
            "plan.model=mixtral-8x7b&plan.devices=h100-sxm&plan.batch=8&plan.length=64&plan.phase={phase}"
        ));
        let (data, rows) = (plan.dataset(), &plan.first().unwrap().rows);
        let devices = DeviceChoice::default().resolve(&data, &[]);
        let metrics = Metrics::compute(&data, devices, plan.state.roof);
        let mut experts = 0;
        for (r, row) in rows.iter().enumerate() {
            assert_eq!(data.problem(r), *row.problem());
            assert!((metrics.roof_s[r] / row.best.time.0 - 1.0).abs() < 1e-12, "{}", row.name);
            experts += usize::from(data.problem(r).op.groups.is_some());
        }
        assert_eq!(experts, 3, "gate, up and down of each layer");
    }
}

proptest! {
    #[test]
    fn parts_add_up_to_two_operations_a_parameter(
        model in 0usize..14, batch in 1u32..40, length in 1u32..600, prefill: bool,
    ) {
        let presets = gemmscope_model::transformer::presets();
        let model = &presets[model % presets.len()];
        let workload = if prefill { Workload::prefill(batch, length) } else { Workload::decode(batch, length) };
        let gemms = model.gemms(&workload).unwrap();
        let work = |attention: bool| -> f64 {
            gemms.iter()
                .filter(|g| g.part.is_attention() == attention && g.part != LayerPart::LmHead)
                .map(|g| g.count as f64 * 2.0 * f64::from(g.problem.m) * f64::from(g.problem.n)
                    * f64::from(g.problem.k) * f64::from(g.problem.batch))
                .sum()
        };
        let head = if model.lm_head { f64::from(model.vocab) * f64::from(model.hidden) } else { 0.0 };
        let tokens = workload.tokens() as f64;
        let expected = 2.0 * (model.active_matrix_parameters() - head) * tokens;
        // In decode, latent attention absorbs its expansions, with the same number of operations.
        prop_assert!((work(false) / expected - 1.0).abs() < 1e-9, "{} {} {expected}", model.id, work(false));
        prop_assert!(work(true) > 0.0);
    }

    #[test]
    fn sharing_a_layer_keeps_its_work(model in 0usize..14, batch in 1u32..64, shards in 0u32..4) {
        let presets = gemmscope_model::transformer::presets();
        let model = &presets[model % presets.len()];
        let one = Workload::decode(batch, 128);
        let many = Workload { tensor_parallel: 1 << shards, ..one };
        let work = |w: &Workload| -> Option<f64> {
            let replicated = [LayerPart::Router, LayerPart::QueryDown, LayerPart::KeyValueDown];
            Some(model.gemms(w).ok()?.iter()
                // Replicated GEMMs are not divided by the devices; the cache of latent attention has no heads to
                // divide, but its queries have.
                .filter(|g| !replicated.contains(&g.part))
                .map(|g| g.count as f64 * 2.0 * f64::from(g.problem.m) * f64::from(g.problem.n)
                    * f64::from(g.problem.k) * f64::from(g.problem.batch))
                .sum())
        };
        if let (Some(a), Some(b)) = (work(&one), work(&many)) {
            prop_assert!((a / (b * f64::from(many.tensor_parallel)) - 1.0).abs() < 1e-9, "{}", model.id);
        }
    }

    #[test]
    fn any_link_is_survived(text in "\\PC{0,60}", batch: u32, length: u32, ff: u32, tp: u32) {
        let hash = format!("plan.batch={batch}&plan.length={length}&plan.ff={ff}&plan.tp={tp}&plan.types={text}&plan.model={text}&plan.devices={text},mi300x");
        let (state, _) = PlanState::read(&ViewState::decode(&hash).0);
        let plan = Plan::new(state, &[]);
        let _ = (plan.crossings(), plan.trails(), plan.dataset());
    }
}

/// Plan of each step of the book's chapter on GEMMs.
fn steps() -> Vec<Plan> {
    let chapter = include_str!("../../../../docs/src/learn.md");
    let links = chapter.split("(../index.html#").skip(1);
    links
        .map(|rest| {
            let hash = rest.split(')').next().unwrap();
            let (state, problems) = ViewState::decode(hash);
            assert!(problems.is_empty() && state.view == "plan", "{hash}");
            let plan = plan(hash);
            assert_eq!(plan.state.model.id, "llama-2-7b");
            assert!(plan.first().is_some(), "{hash}");
            plan
        })
        .collect()
}

#[test]
fn each_step_of_the_chapter_opens_a_plan_with_the_numbers_it_tells() {
    let steps = steps();
    assert_eq!(steps.len(), 8);
    let row = |p: &Plan, name: &str| {
        p.first().unwrap().rows.iter().find(|r| r.name == name).unwrap().clone()
    };
    let up = row(&steps[1], "up_proj");
    assert_eq!((up.problem().k, up.problem().n), (4096, 11008));
    close(row(&steps[3], "up_proj").intensity(), 1.0, 0.01);
    close(row(&steps[4], "up_proj").best.roof.ridge(), 246.7, 1e-3);
    let long = &steps[5];
    assert_eq!(long.state.workload.phase, Phase::Prefill);
    assert!(row(long, "up_proj").intensity() > row(long, "up_proj").best.roof.ridge());
    let ai = |name: &str| row(long, name).intensity();
    assert!(ai("Q K^T") < ai("up_proj") && ai("P V") < ai("up_proj"));
    for name in ["up_proj", "up_proj dX", "up_proj dW"] {
        row(&steps[6], name);
    }
    // A quarter of the bytes, about a quarter of the time.
    let narrow = &steps[7];
    let mut wide = narrow.state.clone();
    wide.workload.types = Types::uniform(DataType::Bf16);
    let wide = Plan::new(wide, &[]);
    let ratio = row(&wide, "up_proj").best.time.0 / row(narrow, "up_proj").best.time.0;
    assert!((3.3..4.0).contains(&ratio), "{ratio}");
}
