use super::*;
use gemmscope_analysis::planner::matching::Index;
use gemmscope_analysis::planner::measured::distinct;
use gemmscope_model::dtype::DataType;
use gemmscope_model::gemm::Problem;
use gemmscope_model::transformer::preset;
use gemmscope_table::fixture::Rows;
use gemmscope_table::view_state::ViewState;

fn plan(link: &str) -> Plan {
    Plan::new(PlanState::read(&ViewState::decode(link).0).0, &[])
}

#[test]
fn a_step_is_that_of_the_first_device() {
    let p = plan("plan.devices=l4,h200-sxm,v100-sxm2,mi300x");
    let best = seconds_brief(p.first().unwrap().totals.time.0);
    let said = step(&p);
    assert!(said.ends_with(&format!(" a step expected, {best} at best, on L4")), "{said}");
    assert!(step(&plan("")).ends_with("on H100 80GB HBM3 (an example: choose your device)"));
    assert_eq!(step(&plan("plan.devices=v100-sxm2")), "");
}

#[test]
fn the_batch_at_the_ridge_is_named() {
    let p = plan("plan.model=llama-3-8b&plan.devices=h100-sxm&plan.batch=4");
    let row = |name: &str| p.first().unwrap().rows.iter().find(|r| r.name == name).unwrap();
    let batch = row("up_proj").ridge_batch.unwrap();
    let workload = &p.state.workload;
    assert_eq!(crossing(row("up_proj"), workload), format!("up_proj: ridge at batch {batch}"));
    let scores = crossing(row("Q K^T"), workload);
    assert!(scores.contains("same intensity at every batch"), "{scores}");
}

#[test]
fn experts_without_tokens_are_counted() {
    let of = |model: &str, batch: u32| {
        let experts = preset(model).unwrap().experts.unwrap();
        spread(&Spread::of(&experts, &Workload::decode(batch, 1)).unwrap(), &experts)
    };
    let said = of("deepseek-v3", 32);
    assert!(said.contains("93 of 256 experts get none"), "{said}");
    let said = of("mixtral-8x7b", 10);
    assert!(said.starts_with("Tokens per routed expert: 2.50 on average"), "{said}");
}

#[test]
fn a_shape_is_named_by_its_parts() {
    let index = Index::new(preset("qwen1.5-0.5b").unwrap());
    let up = index.find(&Problem::new(8944, 2816, 1024, DataType::Bf16)).unwrap();
    assert_eq!(
        part_of_model(&up, "Qwen1.5 0.5B"),
        "gate projection or up projection of Qwen1.5 0.5B, 8944 tokens"
    );
}

#[test]
fn what_shapes_do_not_tell_is_assumed_aloud() {
    let said = |model: &str, shapes: &[(u32, u32, u32)]| {
        let mut rows = Rows::new();
        shapes.iter().for_each(|shape| rows.row(*shape, "x", 1e-3, "mi300x"));
        let frame = rows.frame(Some("mi300x"));
        let model = preset(model).unwrap();
        let shapes = distinct(&frame.data, &frame.rows);
        let step = MeasuredStep::of(model, &Index::new(model), &frame, &shapes).unwrap();
        measured_step(&step)
    };
    assert_eq!(
        said("qwen1.5-0.5b", &[(8944, 2816, 1024), (8944, 1024, 2816)]),
        "8944 tokens per layer: 1 sequence of 8944 tokens (as one sequence: linear layers don't \
         show the count)."
    );
    let decode = said("llama-3-8b", &[(7, 14336, 4096), (7, 4096, 14336)]);
    assert!(decode.contains("counts as decode"), "{decode}");
}
