//! Data types that the catalogue lacks, or that stand in cells beside sizes.

use crate::ImportOptions;
use crate::testing::{read, read_with};
use gemmscope_model::dtype::DataType;

#[test]
fn quantised_weights_are_products_of_their_own() {
    let rows: String = ["bf16", "iq1_m", "iq2_s", "q2_K"]
        .iter()
        .map(|t| format!("| MUL_MAT(type_a={t},type_b=f32,m=64,n=8,k=256,bs=[1,1],nr=[1,1],per=[0,1,2,3],v=0,o=1) | 5.3 | 5.2 | -1.9% |\n"))
        .collect();
    let d = read(format!(
        "| Test | Before (TFLOPS) | After (TFLOPS) | Δ% |\n|---|---|---|---|\n{rows}"
    ));
    let types: Vec<String> = (0..4).map(|i| d.problem(2 * i).op.types()).collect();
    let own = [
        "bf16 x fp32 -> fp32",
        "IQ1_M x fp32 -> fp32",
        "IQ2_S x fp32 -> fp32",
        "Q2_K x fp32 -> fp32",
    ];
    assert_eq!(types, own);
    assert!(!d.same_gemm(2, 4) && d.same_gemm(2, 3), "{:?}", d.op);
}

#[test]
fn two_unknown_types_never_make_one_product() {
    let text = "M,N,K,dtype,us\n1024,1280,8192,bfp4_b,186.4\n1024,1280,8192,bfp2_b,96.4\n512,1280,8192,bfp2_b,50\n";
    let d = read(text);
    assert_eq!((&d.m[..], d.sources[0].rejected.lines.len()), (&[1024, 512][..], 1));
    assert!(
        format!("{:?}", d.sources[0].rejected).contains("bfp2_b"),
        "{:?}",
        d.sources[0].rejected
    );
    let mut options = ImportOptions::default();
    options.answers.insert("dtype:bfp2_b".to_owned(), "q2_k".to_owned());
    let d = read_with("", text, &options);
    let types: Vec<DataType> = (0..d.len()).map(|row| d.problem(row).op.a).collect();
    assert_eq!(types, [DataType::MxFp4, DataType::Q2K, DataType::Q2K]);
}
