use crate::{ErrorKind, ImportOptions, read_all};

/// Binary files: name, content, and words of the error.
const BINARY: [(&str, &[u8], &str); 7] = [
    ("results.db", b"SQLite format 3\0....", "rocpd convert"),
    ("a.png", b"\x89PNG\r\n\x1a\n....", "picture"),
    ("a.zip", b"PK\x03\x04 some.csv", "zip archive or Excel"),
    ("a.sqlite", b"SQLite format 3\0....", "SQLite"),
    ("a.ncu-rep", b"NVR\0....", "Nsight Compute"),
    ("a.nsys-rep", b"\x01\x02\x03\x04\x05\x06\x07", "Nsight Systems"),
    ("a.bin", b"\x01\x02\x03\x04\x05\x06\x07\0\0\0", "binary"),
];

/// Texts that are not benchmarks.
const TEXTS: [(&str, &[u8], &str); 21] = [
    (
        "N=1536,K=7168,device_name=NVIDIA_H100,dtype=fp8_w8a8,block_shape=[128,128].json",
        b"{\"64\": {\"BLOCK_SIZE_M\": 16, \"BLOCK_SIZE_N\": 32, \"num_warps\": 4}}",
        "dense block-scaled fp8",
    ),
    (
        "find.txt",
        b"result 000 : algo={ Id=21, tileIdx=20 (128x128) splitK=1 reduc=0 swizzle=0 custom=0 stages=15} \
          status 0 time 0.253952 workspace=0 mathMode=0 waves=0.592593\n",
        "no stated unit",
    ),
    (
        "dump.txt",
        b"HloModule jit_f\nENTRY main {\n ROOT %dot = bf16[64,64]{1,0} dot(%a, %b)\n}\n",
        "program of XLA",
    ),
    (
        "profile.json",
        b"[{\"count\": 1000}, {\"name\": \"MatMul\", \"averageMs\": 0.2193, \"percentage\": 12.3}]",
        "times by layer",
    ),
    (
        "likwid.txt",
        b"Region dgemm, Group 1: FLOPS_DP\n|  Runtime (RDTSC) [s] |    0.5123  |\n",
        "likwid's counters",
    ),
    (
        "debug2.txt",
        b"*** CUDA       1 r_32_32_8_2_64_4            arg  3 mem   0.05 GB tm    123.45us/     0.12ms (  \
          17400.12 GFLOPS  407.7|1200.1  GB/s) ['matmul']\n",
        "tinygrad's kernels",
    ),
    (
        "ansor.json",
        b"{\"i\": [[\"[\\\"matmul\\\", 64, 64, 64]\", \"llvm\", [8], \"\", 1, []], [[], [[\"SP\", 2, 0, 64, [4], \
          1]]]], \"r\": [[0.0023], 0, 1.2, 16], \"v\": \"v0.6\"}\n",
        "auto-scheduler",
    ),
    (
        "ops_summary.csv",
        b"name,total_direct_kernel_time_sum,Count,total_direct_kernel_time_ms,Percentage (%),Cumulative Percentage (%)\n\
          aten::mm,5308.27,48,5.3,45.1,45.1\n",
        "open GEMM.csv",
    ),
    ("coll.csv", b"rank,name,dur,size\n0,allreduce,12.0,1024\n", "collectives"),
    (
        "ncu.csv",
        b"==PROF== Connected to process 1\n==ERROR== ERR_NVGPUCTRPERM - no permission\n",
        "run it as root",
    ),
    (
        "ncu.txt",
        b"==PROF== Connected to process 1\n==WARNING== No kernels were profiled.\n",
        "profiled no kernel",
    ),
    ("ncu2.txt", b"==PROF== Connected to process 1\n==PROF== Disconnected\n", "--csv"),
    (
        "results.json",
        b"{\"rocprofiler-sdk-tool\": [{\"metadata\": {\"pid\": 1}}]}",
        "--output-format csv",
    ),
    ("a.html", b"<!DOCTYPE html>\n<html>", "web page"),
    ("t.json", b"{\"schemaVersion\": 1, \"traceEvents\": []}", "Kineto"),
    ("E=8.json", b"{\"1\": {\"BLOCK_SIZE_M\": 16, \"BLOCK_SIZE_N\": 32}}", "fused-MoE"),
    ("x.json", b"{\"a\": 1}", "JSON"),
    (
        "attention.csv",
        b"index,tag,name,B,M,N,K1,K2,dtype,mean_microseconds,arithmetic_intensity,tflops,ok\n\
          0,x,a,1,64,64,64,64,f16,10.0,1.0,1.0,True\n",
        "attention",
    ),
    (
        "conv.csv",
        b"index,tag,name,B,H,W,C,P,Q,F,S,input_dtype,output_dtype,mean_microseconds,tflops,ok\n\
          0,x,c,1,8,8,8,3,3,8,1,f16,f32,1.0,1.0,True\n",
        "convolution",
    ),
    (
        "fmoe.csv",
        b"token,model_dim,inter_dim,expert,topk,act_type\n1,2,3,4,5,silu\n",
        "fused-MoE",
    ),
    ("p", b"version https://git-lfs.github.com/spec/v1\noid sha256:0\n", "Git LFS"),
];

fn error(name: &str, bytes: &[u8]) -> String {
    let e = read_all(name, bytes, &ImportOptions::default()).unwrap_err();
    assert_ne!(e.kind, ErrorKind::NeedsMapping, "{e}");
    e.message
}

#[test]
fn known_files_are_named() {
    let xlsx = [b"PK\x03\x04\x14\0\x06\0".as_slice(), b"....[Content_Types].xml"].concat();
    for (name, bytes, word) in
        [("a.xlsx", &xlsx[..], "Excel")].into_iter().chain(BINARY).chain(TEXTS)
    {
        let e = error(name, bytes);
        assert!(e.contains(word), "{name}: {e}");
    }
}

#[test]
fn what_is_empty_or_unknown_says_so() {
    assert_eq!(error("", b""), "the file is empty");
    assert_eq!(error("", b" \r\n \n"), "the file is empty");
    assert!(error("", b"M,N,K,time_us\n").starts_with("no rows"));
    assert!(error("", b"hello world\n").contains("hello world"));
}
