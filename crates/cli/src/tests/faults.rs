//! Files, answers and limits that do not hold, and what is said of them.

use super::*;

#[test]
fn one_bad_file_does_not_cost_the_others() {
    let folder = Folder::new("bad");
    let good = folder.put("good.csv", FILE);
    let bad = folder.put("bad.csv", "no,gemm\n1,2\n");
    let (code, out, err) = command(&["convert", &bad, &good, "-o", "-"], "");
    assert_eq!((code, out.lines().count()), (1, 2), "{out}");
    assert!(err.contains("bad.csv: ") && err.contains("good.csv: 1 row skipped"), "{err}");
    let (code, out, _) = command(&["summary", &bad, &good], "");
    assert_eq!(code, 1);
    assert!(out.contains("line 3") && out.contains("time is zero"), "{out}");
    let (_, out, _) = command(&["summary", &good, "--json"], "");
    let v: serde_json::Value = serde_json::from_str(&out).unwrap();
    assert_eq!(v["skipped"][0]["line"], 3);
    let none = folder.put("none.csv", "M,N,K,dtype,time_us\n1,2,3,fp16,0\n");
    let (code, _, err) = command(&["summary", &none], "");
    assert!(code == 0 && err.contains("no usable rows"), "{err}");
}

#[test]
fn wrong_answers_and_output_names_are_refused() {
    let untyped = "M,N,K,time_us\n512,512,512,8\n";
    for (args, wanted) in [
        (&["summary", "-", "--answer", "dtyp=bf16"][..], "unknown key dtyp; the files need dtype"),
        (&["summary", "-", "--answer", "dtype=quux"], "dtype: expected one of"),
        (&["render", "-", "-o", "x.png"], "writes an SVG"),
        (&["report", "-", "-o", "x.pdf"], "not .pdf"),
        (&["convert", "-", "-o", "x.json"], "writes a CSV"),
    ] {
        let (code, _, err) = command(args, untyped);
        assert!(code == 2 && err.contains(wanted), "{args:?}: {code} {err}");
    }
    assert_eq!(command(&["summary", "-", "--answer", "dtype=bf16"], untyped).0, 0);
}

#[test]
fn a_limit_is_never_held_by_rows_that_cannot_be_judged() {
    let check = |text: &str| {
        command(&["check", "-", "--device", "mi300x", "--min-efficiency", "10%"], text)
    };
    // Twice the peak of the device.
    let (code, out, err) = check("M,N,K,dtype,time_us\n4096,4096,4096,fp16,52\n");
    assert!(code == 1 && !out.contains("pass") && !out.contains("FAIL"), "{out}{err}");
    assert!(out.contains("Trust: doubtful: 1 of 1 row is above the datasheet roof"), "{out}");
    assert!(err.contains("1 of 1 GEMMs are above their roof"), "{err}");
    // One row of ten above the roof is named beside the verdict.
    let mut text = "M,N,K,dtype,time_us\n4096,4096,4096,fp16,52\n".to_owned();
    for i in 1..10 {
        text.push_str(&format!("4096,4096,{},fp16,690\n", 4096 + 64 * i));
    }
    let (code, out, _) = check(&text);
    assert_eq!(code, 0);
    assert!(out.contains("pass") && out.contains("1 row above the roof (up to "), "{out}");
    // Most of the time is of a type without a peak on the device.
    let (code, _, err) =
        check("M,N,K,dtype,time_us\n4096,4096,4096,fp16,690\n4096,4096,4096,fp4,9000\n");
    assert!(code == 1 && err.contains("of the GEMM time can be judged"), "{code} {err}");
}

#[test]
fn a_device_that_a_file_defines_is_chosen_by_its_name() {
    let folder = Folder::new("device");
    let device = folder.put(
        "device.json",
        "{\"name\":\"Board 7\",\"mem_bw_gbps\":1000,\"max_achievable_tflops\":{\"matrix_fp16\":400}}",
    );
    let good = folder.put("good.csv", FILE);
    let (code, out, err) = command(&["summary", &good, &device, "--json"], "");
    assert_eq!(code, 0, "{err}");
    let name = serde_json::from_str::<serde_json::Value>(out.lines().last().unwrap()).unwrap();
    let name = name["devices_defined"][0].as_str().unwrap().to_owned();
    let (code, out, err) = command(&["summary", &good, &device, "--json", "--device", &name], "");
    assert_eq!(code, 0, "{err}");
    let v: serde_json::Value = serde_json::from_str(out.lines().next().unwrap()).unwrap();
    assert!(v["max_efficiency"].as_f64().unwrap() > 0.1, "{out}");
}

#[test]
fn the_memory_of_packed_files_is_a_size() {
    for ok in ["8GiB", "500 MB", "1e9", "0.5TiB"] {
        let (code, _, err) = command(&["summary", "-", "--memory", ok], FILE);
        assert_eq!((code, err.as_str()), (0, ""), "{ok}");
    }
    for wrong in ["", "much", "0", "-1GiB", "NaN", "1e40GB"] {
        let (code, _, err) = command(&["summary", "-", "--memory", wrong], FILE);
        assert_eq!(code, 2, "{wrong}");
        assert!(err.contains("--memory: expected a size such as 8GiB"), "{err}");
    }
}
