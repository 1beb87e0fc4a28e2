use super::*;
use gemmscope_model::dtype::DataType;
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
    assert_eq!(row.crossing(&decode.state.workload), format!("up_proj: ridge at batch {batch}"));
    // One under it is memory's, at it the ridge is reached.
    let ai = |batch| up(&plan(&format!("{hash}&plan.batch={batch}"))).intensity();
    let ridge = row.best.roof.ridge();
    assert!(ai(batch - 1) < ridge && ai(batch) >= ridge);
    let prefill = plan(&format!("{hash}&plan.phase=prefill&plan.length=100"));
    let row = up(&prefill);
    assert_eq!(row.ridge_tokens, Some(batch));
    assert_eq!(row.ridge_batch, Some(batch.div_ceil(100)));
    let scores = decode.first().unwrap().rows.iter().find(|r| r.name == "Q K^T");
    let sentence = scores.unwrap().crossing(&decode.state.workload);
    assert!(sentence.contains("same intensity at every batch"), "{sentence}");
}

#[test]
fn an_expert_needs_more_tokens() {
    let plan = plan("plan.model=mixtral-8x7b&plan.devices=h100-sxm&plan.batch=64");
    let rows = &plan.first().unwrap().rows;
    let of = |name: &str| rows.iter().find(|r| r.name == name).unwrap();
    let expert = of("expert up_proj");
    assert_eq!(expert.ridge_tokens, expert.best.ridge_m.map(|m| u64::from(m) * 8 / 2));
    assert_eq!(expert.problem().m, 64 * 2 / 8);
}

/// One row of the table of a step, by the names of its columns.
fn table_row(hash: &str, name: &str) -> impl Fn(&str) -> String {
    let table = export::table(plan(hash).first().unwrap());
    let row = table.rows.iter().find(|r| r[0] == name).unwrap_or_else(|| panic!("no {name}"));
    let row = row.clone();
    move |column| row[table.header.iter().position(|h| h == column).unwrap()].clone()
}

#[test]
fn formats_shards_experts_and_gradients_follow_the_formulas() {
    let base = "plan.model=llama-3-8b&plan.devices=h100-sxm";
    let of = |more: &str, name: &str, column: &str| {
        table_row(&format!("{base}{more}"), name)(column).replace('\u{202f}', " ")
    };
    // 2 M N K, (M K + K N + M N) x 2 bytes: 8 x 14336 x 4096.
    assert_eq!(of("", "up_proj", "Work"), "939.5 MFLOP");
    assert_eq!(of("", "up_proj", "Bytes"), "118 MB");
    assert_eq!(of("", "up_proj", "Ridge at batch"), "326");
    // At 3.35 TB/s.
    assert_eq!(of("", "up_proj", "At best"), "35.14 µs");
    // Eight sequences of 8 key heads, four query heads to each.
    assert_eq!(of("", "Q K^T", "Shape"), "64 × (4 × 1024 × 128)");
    assert_eq!(of("", "Q K^T", "Bytes"), "17.4 MB");
    assert_eq!(of("", "P V", "Shape"), "64 × (4 × 128 × 1024)");
    // Four-bit weights: M K x 2 + K N / 2 + M N x 2.
    assert_eq!(of("&plan.types=w4a16", "up_proj", "Bytes"), "29.7 MB");
    assert_eq!(of("&plan.types=w4a16", "up_proj", "At best"), "8.852 µs");
    // MX: one byte an element of A and B and one more for each 32 of them, two for each of C.
    assert_eq!(of("&plan.types=mxfp8", "up_proj", "Bytes"), "60.8 MB");
    // Four devices share columns of the up projection and rows of the down projection.
    assert_eq!(of("&plan.tp=4", "up_proj", "Shape"), "8 × 3584 × 4096");
    assert_eq!(of("&plan.tp=4", "down_proj", "Shape"), "8 × 4096 × 3584");
    assert_eq!(of("&plan.tp=4", "Q K^T", "Shape"), "16 × (4 × 1024 × 128)");
    // dX is (M, K, N), dW is (N, K, M).
    assert_eq!(of("&plan.pass=both", "up_proj dX", "Shape"), "8192 × 4096 × 14336");
    assert_eq!(of("&plan.pass=both", "up_proj dW", "Shape"), "14336 × 4096 × 8192");
    // 10 tokens to 2 of 8 experts: four experts of three, four of two.
    let experts =
        table_row("plan.model=mixtral-8x7b&plan.devices=h100-sxm&plan.batch=10", "expert up_proj");
    assert_eq!((experts("Shape").as_str(), experts("Count").as_str()), ("3 × 14336 × 4096", "128"));
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

#[test]
fn exports_name_every_shape_in_the_tools_words() {
    let p = plan("plan.model=llama-2-7b&plan.devices=a100-80-sxm&plan.batch=16&plan.qkv=0");
    let hip = export::hipblaslt(&p);
    // Column-major: the weight's rows are m, the tokens n.
    assert!(hip.contains("-m 11008 -n 16 -k 4096 --transA T --transB N --lda 4096 --ldb 4096 --ldc 11008 --ldd 11008 --a_type bf16_r"), "{hip}");
    assert!(hip.contains("# q_proj, k_proj, v_proj, o_proj\n"), "{hip}");
    assert!(hip.contains("--batch_count 512 --stride_a"), "{hip}");
    let cutlass = export::cutlass(&p);
    assert!(cutlass.contains("--m=16 --n=11008 --k=4096 --batch_count=1 --A=bf16:row --B=bf16:column --C=bf16:row --accumulator-type=f32"), "{cutlass}");
    let triton = export::tritonbench(&p);
    assert!(
        triton.starts_with(
            "M,K,N,Bias\n16,4096,4096,False\n16,4096,11008,False\n16,11008,4096,False\n"
        ),
        "{triton}"
    );
    let markdown = export::markdown(&p);
    assert!(markdown.contains("| up_proj | 16 × 11008 × 4096 | 32 |"), "{markdown}");
    assert!(markdown.contains("meta-llama/Llama-2-7b-hf"));
    let w4 = plan("plan.types=w4a16&plan.devices=a100-80-sxm");
    assert!(
        export::hipblaslt(&w4)
            .contains("not supported by the tool: qkv_proj (bf16 x int4 -> bf16)")
    );
    assert!(export::cutlass(&w4).contains("--B=s4:column"));
}

#[test]
fn devices_are_compared_by_step_time() {
    let p = plan("plan.devices=l4,h200-sxm,v100-sxm2,mi300x");
    let table = export::device_table(&p);
    let names: Vec<&str> = table.rows.iter().map(|r| r[0].as_str()).collect();
    // Decode follows bandwidth: 5.3, 4.8, 0.3 TB/s; the V100 has no bf16.
    assert_eq!(names, ["AMD Instinct MI300X", "NVIDIA H200", "NVIDIA L4", "Tesla V100-SXM2"]);
    assert!(table.rows[3][1].contains("no bf16 peak"));
    assert!(table.rows.iter().all(|r| r.len() == table.header.len()));
    assert_eq!(table.rows[0].last().unwrap(), "1.00 ×");
    assert!(export::figures(&p).iter().any(|f| f.0 == "Step, expected"));
    // The sentence is of the first device.
    let best = gemmscope_model::units::seconds_brief(p.first().unwrap().totals.time.0);
    let step = p.step();
    assert!(step.ends_with(&format!(" a step expected, {best} at best, on L4")), "{step}");
    assert_eq!(plan("").step(), "");
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
        // Latent attention absorbs its expansions in decode, at the same number of operations.
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
                // What every device computes for itself is no share of the work; the cache of
                // latent attention has no heads to share out, but its queries have.
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
        let _ = (plan.headline(), plan.trails(), plan.dataset(), export::markdown(&plan));
    }
}

#[test]
fn any_size_is_survived() {
    for n in [0u32, 1, 7, LARGEST] {
        let hash = format!(
            "plan.layers={n}&plan.hidden={n}&plan.heads={n}&plan.kv={n}&plan.vocab={n}&plan.experts={n}&plan.batch={}&plan.length={}&plan.pass=both",
            n.max(1),
            n.max(1)
        );
        let (state, _) = PlanState::read(&ViewState::decode(&hash).0);
        let plan = Plan::new(state, &[]);
        for e in export::EXPORTS {
            let _ = (e.write)(&plan);
        }
        let _ = (plan.trails(), export::device_table(&plan), DataType::Bf16);
    }
}

/// Link and plan of each step of the book's chapter on GEMMs.
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
