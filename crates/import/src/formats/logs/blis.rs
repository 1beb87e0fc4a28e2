//! BLIS. `test/3` writes Matlab lines `data_st_sgemm_asm_blis( 1, 1:4 ) = [ m k n gflops ];`, in the order m, k, n. The
//! test suite writes `blis_sgemm_nt_ccc  m n k gflops residue PASS`, or the same in brackets.

use super::*;

pub(crate) const FORMAT: Format = Format {
    id: "blis",
    name: "BLIS test/3 and test suite",
    produced_by: "./runme.sh (blis/test/3), the *.m files it writes, or ./test_libblis.x (blis/testsuite)",
    example: "data_st_sgemm_blis( 1, 1:4 ) = [   400   300   200   61.23 ];\n",
    read: ReadBy::Log(&LogFormat {
        results: &[
            "^data_{letter}gemm_{library}( {}:4 ) = [ {m} {k} {n} {gflops} ]",
            "^blis_{letter}gemm_{layout}_{stored}( {} ) = [ {m} {n} {k} {gflops} ",
            "^blis_{letter}gemm_{layout}_{stored} {m} {n} {k} {gflops} ",
        ],
        // Transposes as in BLAS, then the storage order of each operand.
        also: |s, e, _| {
            let form = [s.get("letter"), s.get("library"), s.get("layout"), s.get("stored")];
            e.op_name = match form {
                [letter, library, "", _] => format!("{letter}gemm_{library}"),
                [letter, _, layout, stored] => format!("blis_{letter}gemm_{layout}_{stored}"),
            };
        },
        library: "BLIS",
        dtype: DataType::Fp64,
        ..LogFormat::DEFAULT
    }),
};
