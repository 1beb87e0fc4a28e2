//! Shape lists in the formats of the tools, and tables of a plan.

use super::*;
use gemmscope_analysis::planner::{LARGEST, PlanState};
use gemmscope_table::view_state::ViewState;
use proptest::prelude::*;

fn plan(hash: &str) -> Plan {
    let (state, problems) = PlanState::read(&ViewState::decode(hash).0);
    assert_eq!(problems, []);
    Plan::new(state, &[])
}

/// One row of the table of a step, by the names of its columns.
fn table_row(hash: &str, name: &str) -> impl Fn(&str) -> String {
    let table = table(plan(hash).first().unwrap());
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
    // Eight sequences with 8 key heads, each with four query heads.
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
    // 10 tokens to 2 of 8 experts, in one grouped GEMM a layer.
    let experts =
        table_row("plan.model=mixtral-8x7b&plan.devices=h100-sxm&plan.batch=10", "expert up_proj");
    assert_eq!(
        (experts("Shape").as_str(), experts("Count").as_str()),
        ("20 × 14336 × 4096 in 8 groups", "32")
    );
    // About 7.5 experts have a token: eight products of three rows.
    let hip = hipblaslt(&plan("plan.model=mixtral-8x7b&plan.devices=h100-sxm&plan.batch=10"));
    assert!(hip.contains("-m 14336 -n 3 -k 4096") && hip.contains("--batch_count 8 "), "{hip}");
    assert!(
        hip.contains("expert gate_proj, expert up_proj, its active groups as a batch"),
        "{hip}"
    );
}

#[test]
fn exports_name_every_shape_in_the_tools_words() {
    let p = plan("plan.model=llama-2-7b&plan.devices=a100-80-sxm&plan.batch=16&plan.qkv=0");
    let hip = hipblaslt(&p);
    // Column-major: the weight's rows are m, the tokens n.
    assert!(hip.contains("-m 11008 -n 16 -k 4096 --transA T --transB N --lda 4096 --ldb 4096 --ldc 11008 --ldd 11008 --a_type bf16_r"), "{hip}");
    assert!(hip.contains("# q_proj, k_proj, v_proj, o_proj\n"), "{hip}");
    assert!(hip.contains("--batch_count 512 --stride_a"), "{hip}");
    let calls = cutlass(&p);
    assert!(calls.contains("--m=16 --n=11008 --k=4096 --batch_count=1 --A=bf16:row --B=bf16:column --C=bf16:row --accumulator-type=f32"), "{calls}");
    let triton = tritonbench(&p);
    assert!(
        triton.starts_with(
            "M,K,N,Bias\n16,4096,4096,False\n16,4096,11008,False\n16,11008,4096,False\n"
        ),
        "{triton}"
    );
    let markdown = markdown(&p);
    assert!(markdown.contains("| up_proj | 16 × 11008 × 4096 | 32 |"), "{markdown}");
    assert!(markdown.contains("meta-llama/Llama-2-7b-hf"));
    let w4 = plan("plan.types=w4a16&plan.devices=a100-80-sxm");
    assert!(hipblaslt(&w4).contains("not supported by the tool: qkv_proj (bf16 x int4 -> bf16)"));
    assert!(cutlass(&w4).contains("--B=s4:column"));
}

#[test]
fn devices_are_compared_by_step_time() {
    let p = plan("plan.devices=l4,h200-sxm,v100-sxm2,mi300x");
    let table = device_table(&p);
    let names: Vec<&str> = table.rows.iter().map(|r| r[0].as_str()).collect();
    // Decode time follows bandwidth: 5.3, 4.8, 0.3 TB/s; the V100 has no bf16.
    assert_eq!(names, ["AMD Instinct MI300X", "NVIDIA H200", "NVIDIA L4", "Tesla V100-SXM2"]);
    assert!(table.rows[3][1].contains("no bf16 peak"));
    assert!(table.rows.iter().all(|r| r.len() == table.header.len()));
    assert_eq!(table.rows[0].last().unwrap(), "1.00 ×");
    assert!(figures(&p).iter().any(|f| f.0 == "Step, expected"));
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
        for e in EXPORTS {
            let _ = (e.write)(&plan);
        }
        let _ = device_table(&plan);
    }
}

proptest! {
    #[test]
    fn any_link_is_written_down(text in "\\PC{0,60}", batch: u32, ff: u32, tp: u32) {
        let hash = format!("plan.batch={batch}&plan.ff={ff}&plan.tp={tp}&plan.types={text}&plan.model={text}&plan.devices={text},mi300x");
        let (state, _) = PlanState::read(&ViewState::decode(&hash).0);
        let _ = markdown(&Plan::new(state, &[]));
    }
}
