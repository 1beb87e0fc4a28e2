//! Small synthetic reports. Real ones are in `tests/real_import.rs`.

use crate::testing::read_as;

const HEADER: &str = "name,param: M,param: N,param: K,param: bias,param: dtype_A_B,param: B,\
                      trunc_kernel_details,Kernel Time (\u{3bc}s)_mean,Kernel Time (\u{3bc}s)_sum,name_count";

#[test]
fn the_other_micro_sign_zero_times_and_unknown_types() {
    let text = format!(
        "{HEADER}\n\
         aten::mm,32,64,128,False,\"('c10::Half', 'c10::Half')\",1,[],2.5,5.0,2\n\
         aten::addmm,256,64,3072,True,\"('c10::Half', 'c10::Half')\",1,[],0.0,0.0,1\n\
         aten::mm,32,64,128,False,\"('quux', 'quux')\",1,[],2.5,5.0,2\n\
         aten::mm,32,64,-1,False,\"('c10::Half', 'c10::Half')\",1,[],2.5,5.0,2\n"
    );
    let data = read_as("x", text.as_bytes());
    assert_eq!(data.len(), 1);
    assert!((data.time_s[0] - 2.5e-6).abs() < 1e-18);
    let reasons: Vec<&str> =
        data.sources[0].rejected.reasons.iter().map(|r| r.text.as_str()).collect();
    assert_eq!(
        reasons,
        [
            "time is zero (Kernel Time (μs)_mean)",
            "data type is not recognised",
            "K is negative (param: K)"
        ]
    );
}

#[test]
fn operations_of_one_shape_that_are_not_the_same_time() {
    // Same shape and time with another kernel, or same kernel with another time: all rows count.
    let kernel = |name: &str| format!("\"[{{'name': '{name}', 'mean_duration_us': 5}}]\"");
    let (k1, k2) = (kernel("k1"), kernel("k2"));
    let types = "\"('float', 'float')\"";
    let text = format!(
        "{HEADER}\n\
         a::wrap,32,64,128,False,{types},1,{k1},5,10,2\n\
         aten::mm,32,64,128,False,{types},1,{k2},5,10,2\n\
         aten::addmm,32,64,128,False,{types},1,{k1},5.5,11,2\n\
         aten::mm,32,64,128,False,{types},1,{k2},5,10,2\n"
    );
    assert_eq!(read_as("x", text.as_bytes()).len(), 4);
}

#[test]
fn gemms_without_a_model_keep_their_time() {
    let text = "name,op category,Input Dims,Input type,operation_count,Kernel Time (µs)_sum,\
                has_perf_model,perf_params\n\
                aten::mm,GEMM,\"((8, 16), (16, 4))\",\"('float', 'float')\",2,10.0,True,\n\
                my::moe_gemm,GEMM,\"((8, 16), (4, 16, 4))\",\"('float', 'float')\",1,30.0,False,\n\
                aten::add,elementwise,\"((8, 16),)\",\"('float',)\",5,60.0,False,\n";
    let data = read_as("x", text.as_bytes());
    let source = &data.sources[0];
    assert_eq!(data.len(), 1);
    assert_eq!(source.without_model.rows, 1);
    assert!((source.without_model.time_s - 30e-6).abs() < 1e-15);
    assert!((source.not_gemm.time_s - 60e-6).abs() < 1e-15);
    assert_eq!(source.not_gemm_names[0].0, "aten::add");
    assert!(source.notes.iter().any(|n| n.contains("75.0 %")));
}

#[test]
fn a_comparison_gives_one_row_a_report() {
    let text = "name,param: M,param: N,param: K,param: bias,param: dtype_A_B,\
                Kernel Time (µs)_mean__b_diff,a::Kernel Time (µs)_mean,b::Kernel Time (µs)_mean,\
                a::name_count,b::name_count\n\
                aten::mm,8,16,32,False,\"('float', 'float')\",1.0,5.0,6.0,1,1\n";
    let data = read_as("x", text.as_bytes());
    assert_eq!(data.len(), 2);
    assert_eq!(data.devices, ["", "a", "b"]);
    assert_eq!(data.device, [1, 2]);
    assert!((data.time_s[1] - 6e-6).abs() < 1e-15);
}

#[test]
fn experts_are_read_by_their_own_columns() {
    use gemmscope_table::dataset::ColumnMeaning;
    let text = include_str!("../../../../../../tests/fixtures/tracelens/experts.csv");
    let data = read_as("MoE_unfused_fwd.csv", text);
    let rows: Vec<String> = (0..data.len())
        .map(|r| {
            let p = data.problem(r);
            let groups = p.op.groups.map_or_else(String::new, |g| g.to_string());
            format!("{} {} {} {groups} {}", p.m, p.n, p.k, p.op.types())
        })
        .collect();
    assert_eq!(
        rows,
        ["128 6144 3072 E=32 k=4 bf16 x fp4 -> bf16", "128 3072 3072 E=32 k=4 bf16 x fp4 -> bf16"]
    );
    // Work and rate are as reported.
    for row in 0..2 {
        let theirs = data.number(ColumnMeaning::ReportedWork, row);
        assert!((data.problem(row).work().0 / theirs - 1.0).abs() < 1e-9);
    }
    assert_eq!(data.sources[0].reported_rate.within_1_percent, 2);
    assert_eq!((data.count(0), data.time_s[1]), (24.0, 158e-6));
}

#[test]
fn tables_of_attention_and_convolutions_are_named() {
    for (columns, word) in [
        ("param: B,param: N_Q,param: H_Q,param: N_KV,param: d_h", "attention"),
        ("param: convNd,param: input_shape,param: filter_shape", "convolutions"),
    ] {
        let cells = vec!["1"; columns.split(',').count()].join(",");
        let text = format!(
            "name,{columns},GFLOPS_first,TB/s_mean,TFLOPS/s_mean,Kernel Time (µs)_mean,Kernel Time (µs)_sum,name_count\n\
             x::y,{cells},1.5,0.2,30.1,12.5,25.0,2\n"
        );
        let error = crate::read_all("SDPA_fwd.csv", text.as_bytes(), &Default::default());
        let error = error.err().map_or_else(String::new, |e| e.to_string());
        assert!(error.contains(word), "{columns}: {error}");
    }
}
