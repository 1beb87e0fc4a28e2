//! `gemmscope dispatch`: a table for people, and the file that TunableOp loads.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on says where")]

use std::path::PathBuf;
use std::process::Command;

/// Exit code, standard output and standard error of the command for files with these texts.
fn run(name: &str, files: &[(&str, &str)], args: &[&str]) -> (i32, String, String) {
    let folder =
        std::env::temp_dir().join(format!("gemmscope-dispatch-{name}-{}", std::process::id()));
    let paths: Vec<PathBuf> = files
        .iter()
        .map(|(name, text)| {
            let path = folder.join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(&path, text).unwrap();
            path
        })
        .collect();
    let ran = Command::new(env!("CARGO_BIN_EXE_gemmscope"))
        .arg("dispatch")
        .args(&paths)
        .args(args)
        .output()
        .unwrap();
    std::fs::remove_dir_all(&folder).unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (ran.status.code().unwrap(), text(ran.stdout), text(ran.stderr))
}

const VALIDATORS: &str = "Validator,PT_VERSION,2.6.0\n\
                          Validator,ROCM_VERSION,6.3.0.0-39-0000000\n\
                          Validator,GCN_ARCH_NAME,gfx942\n";

/// The same operations; one differs only in its strides.
const OLD: &str = "GemmTunableOp_BFloat16_TN,tn_1024_512_4096_ld_4096_4096_1024,Gemm_Rocblas_11,0.02\n\
                   GemmTunableOp_BFloat16_TN,tn_1024_512_4096_ld_8192_4096_1024,Gemm_Rocblas_12,0.03\n\
                   GemmTunableOp_BFloat16_NN,nn_4096_512_1024_ld_4096_1024_4096,Default,0.0150001\n";
const NEW: &str = "GemmTunableOp_BFloat16_TN,tn_1024_512_4096_ld_4096_4096_1024,Gemm_Hipblaslt_21,0.01\n\
                   GemmTunableOp_BFloat16_TN,tn_1024_512_4096_ld_8192_4096_1024,Gemm_Hipblaslt_22,0.0298\n\
                   GemmTunableOp_BFloat16_NN,nn_4096_512_1024_ld_4096_1024_4096,Gemm_Hipblaslt_23,0.05\n";

fn results(lines: &str) -> String {
    format!("{VALIDATORS}{lines}")
}

#[test]
fn tunableop_loads_the_fastest_of_each_operation_with_its_parameters() {
    let (old, new) = (results(OLD), results(NEW));
    let files = [("old/tunableop_results0.csv", &*old), ("new/tunableop_results0.csv", &*new)];
    let (code, out, err) = run("loads", &files, &["--format", "tunableop"]);
    assert_eq!((code, err.as_str()), (0, ""));
    // The older file is faster in total, so a difference of 0.7 % keeps its solution.
    assert_eq!(
        out,
        results(
            "GemmTunableOp_BFloat16_NN,nn_4096_512_1024_ld_4096_1024_4096,Default,0.0150001\n\
             GemmTunableOp_BFloat16_TN,tn_1024_512_4096_ld_4096_4096_1024,Gemm_Hipblaslt_21,0.01\n\
             GemmTunableOp_BFloat16_TN,tn_1024_512_4096_ld_8192_4096_1024,Gemm_Rocblas_12,0.03\n"
        )
    );
    // The output is a file of the same kind, and converts to itself.
    let (code, again, _) = run("again", &[("t.csv", &*out)], &["--format", "tunableop"]);
    assert_eq!((code, again), (0, out));
}

#[test]
fn validators_are_never_made_up() {
    let old = results(OLD);
    let refused = |other: (&str, &str), what: &str| {
        let files = [("old.csv", &*old), other];
        let (code, out, err) = run(what, &files, &["--format", "tunableop"]);
        assert_eq!((code, out.as_str()), (1, ""), "{err}");
        assert!(err.contains(what), "{err}");
    };
    refused(("none.csv", NEW), "none.csv has no Validator lines");
    let csv = "M,N,K,dtype,time_us\n1024,512,4096,bf16,20\n";
    refused(("plain.csv", csv), "plain.csv has no Validator lines");
    let other = results(NEW).replace("2.6.0", "2.7.0");
    refused(("other.csv", &other), "their PT_VERSION differs");
    let fewer = results(NEW).replace("Validator,ROCM_VERSION,6.3.0.0-39-0000000\n", "");
    refused(("fewer.csv", &fewer), "their ROCM_VERSION differs");
}

#[test]
fn a_table_names_the_side_its_kernel_and_its_solution() {
    let csv = "M,N,K,dtype,library,kernel,solution_index,time_us\n\
               4096,4096,4096,bf16,rocBLAS,slow,7,300\n\
               4096,4096,4096,bf16,hipBLASLt,fast,1234,200\n\
               4096,4096,8192,bf16,rocBLAS,k8,8,400\n\
               4096,4096,8192,bf16,hipBLASLt,k9,9,600\n";
    let (code, out, err) =
        run("names", &[("libraries.csv", csv)], &["--rows", "sides", "--device", "mi300x"]);
    assert_eq!(code, 0, "{err}");
    let lines: Vec<&str> = out.lines().collect();
    assert_eq!(
        lines[0],
        "M,N,K,Batch,Types,Layout,Use,Kernel,Solution,Time (µs),Lead,Calls,Saves (µs)"
    );
    assert!(lines.contains(&"4096,4096,4096,1,bf16,NN,hipBLASLt,fast,1234,200,1.5,1,100"), "{out}");
    assert!(lines.contains(&"4096,4096,8192,1,bf16,NN,rocBLAS,k8,8,400,1.5,1,0"), "{out}");
}

#[test]
fn a_table_of_one_side_has_nothing_to_choose() {
    let csv = "M,N,K,dtype,time_us\n4096,4096,4096,bf16,300\n";
    let (code, out, err) = run("one", &[("one.csv", csv)], &["--device", "mi300x"]);
    assert_eq!((code, out.as_str()), (1, ""));
    assert!(err.contains("nothing to choose between"), "{err}");
    let (code, _, err) = run("form", &[("one.csv", csv)], &["--format", "hipblaslt"]);
    assert_eq!(code, 2);
    assert!(err.contains("csv") && err.contains("tunableop"), "{err}");
}
