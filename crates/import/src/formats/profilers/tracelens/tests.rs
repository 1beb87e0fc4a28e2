//! Small reports of our own making. Real ones are in `tests/real_import.rs`.

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
    // Same shape and time but another kernel, and same kernel but another time: all count.
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
