//! Invalid files, answers and limits, and their messages.

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
    assert!(err.contains("1 of 1 GEMM is above its roof"), "{err}");
    // One of ten rows above the roof is mentioned beside the verdict.
    let mut text = "M,N,K,dtype,time_us\n4096,4096,4096,fp16,52\n".to_owned();
    for i in 1..10 {
        text.push_str(&format!("4096,4096,{},fp16,690\n", 4096 + 64 * i));
    }
    let (code, out, _) = check(&text);
    assert_eq!(code, 0);
    assert!(out.contains("pass") && out.contains("1 row above the roof (up to "), "{out}");
    // Most of the time has a type without a peak on the device.
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

#[test]
fn an_option_that_changes_nothing_is_refused() {
    let folder = Folder::new("nothing");
    let columns = "M,N,K,dtype,speed\n4096,4096,4096,fp16,150\n";
    let rated = folder.put("rated.csv", columns);
    let timed = folder.put("timed.csv", FILE);
    let own = folder.put("own.csv", &command(&["convert", "-", "-o", "-"], FILE).1);
    let log =
        folder.put("run.log", include_str!("../../../../tests/fixtures/inductor/new_form.txt"));
    let least = ["--min-efficiency", "1%", "--device", "mi300x"];
    for (args, wanted) in [
        (
            &["summary", &timed, "--column", "tiem_us=time:ms"][..],
            "no column is called tiem_us; the files have M, N, K, dtype, time_us, tflops",
        ),
        (&["summary", &timed, "--column", "TIME_US=time:ms"], "no column is called TIME_US"),
        (
            &[
                "report",
                &rated,
                &timed,
                "--column",
                "speeed=rate:tflops",
                "--column",
                "speed=rate:tflops",
            ],
            "no column is called speeed",
        ),
        (&["convert", &own, "-o", "-", "--column", "time_s=time:ms"], "known by the format"),
        (&["render", &log, "--column", "x=m"], "known by the format"),
        (&[&["check", &timed, "--column", "x=m"], &least[..]].concat(), "no column is called x"),
        (
            &[
                "check",
                &timed,
                "--baseline",
                &rated,
                "--column",
                "speed=rate:tflops",
                "--column",
                "x=m",
            ],
            "no column is called x",
        ),
        (&["check", &timed, "--min-efficiency", "1%", "--allow-missing"], "missing: --baseline"),
    ] {
        let (code, out, err) = command(args, "");
        assert_eq!(code, 2, "{args:?}: {err}");
        assert!(err.contains(wanted) && out.is_empty(), "{args:?}: {err}");
    }
    // An invalid filter would let all rows through.
    for command_of in [&["render"][..], &["report"], &["check", "--min-efficiency", "1%"]] {
        for state in ["#f.libary=x", "#f.dtype=fp16&r.m=x", "#roof=x"] {
            let args = [command_of, &["-", "--device", "mi300x", "--state", state]].concat();
            let (code, out, err) = command(&args, FILE);
            assert!(
                code == 2 && out.is_empty() && err.contains("--state: "),
                "{args:?}: {code} {err}"
            );
        }
    }
    // It is enough if one file has it, even the baseline.
    for args in [
        &["summary", &timed, &rated, "--column", "speed=rate:tflops"][..],
        &["summary", &timed, "--column", "time_us=time:us"],
        &["check", &timed, "--baseline", &rated, "--column", "speed=rate:tflops"],
        &["check", &rated, "--baseline", &timed, "--column", "speed=rate:tflops"],
    ] {
        let (code, _, err) = command(args, "");
        assert!(code != 2, "{args:?}: {code} {err}");
    }
}

#[test]
fn what_changes_nothing_is_said() {
    let named = "M,N,K,dtype,time_us,device\n4096,4096,4096,fp16,690,NVIDIA H100 80GB HBM3\n";
    for name in ["summary", "render", "report"] {
        let (code, _, err) = command(&[name, "-", "--device", "mi300x"], named);
        let wanted =
            "gemmscope: --device mi300x: not used, as the files name their device: NVIDIA H100";
        assert!(code == 0 && err.starts_with(wanted), "{name}: {err}");
        assert_eq!(command(&[name, "-", "--device", "h100-sxm"], named).2, "");
    }
    // Rows without a device take the chosen one.
    let one = named.to_owned() + "4096,4096,1024,fp16,690,\n";
    assert_eq!(command(&["summary", "-", "--device", "mi300x"], &one).2, "");
    let state = "#v=1&exlpore.x=n&explore.y=m&zoom.roofline=1,2,3,4&color=bound";
    let (code, _, err) = command(&["render", "-", "--device", "h100-sxm", "--state", state], named);
    let wanted = "gemmscope: --state: nothing is called exlpore.x; it changes nothing\n";
    assert_eq!((code, err.as_str()), (0, wanted));
}

#[test]
fn a_limit_is_never_held_by_gemms_that_are_gone() {
    let folder = Folder::new("gone");
    let rows = "M,N,K,dtype,time_us\n4096,4096,4096,bf16,900\n4096,4096,2048,bf16,450\n4096,4096,1024,bf16,230\n";
    let old = folder.put("old.csv", rows);
    let check = |text: &str, more: &[&str]| {
        let args = [&["check", "-", "--baseline", &old], more].concat();
        command(&args, text)
    };
    let lost =
        rows.replace("2048,bf16,450", "2048,bf16,nan").replace("1024,bf16,230", "1024,bf16,-1");
    let cut: String = rows.lines().take(2).map(|l| format!("{l}\n")).collect();
    for text in [&lost, &cut] {
        let (code, out, _) = check(text, &[]);
        assert_eq!(code, 3, "{out}");
        assert!(
            out.starts_with("GEMM check: FAIL\n") && out.contains("2 of 3 are missing"),
            "{out}"
        );
        assert!(out.contains("4096 × 4096 × 2048"), "{out}");
        let (code, out, _) = check(text, &["--form", "markdown"]);
        assert!(
            code == 3
                && out.contains("| FAIL | no GEMM of old.csv is missing | 2 of 3 are missing |"),
            "{out}"
        );
        let (code, out, _) = check(text, &["--json"]);
        let v: serde_json::Value = serde_json::from_str(&out).unwrap();
        assert_eq!((code, &v["held"], &v["limits"][0]["held"]), (3, &false.into(), &true.into()));
        assert_eq!((&v["missing"]["gone"], &v["missing"]["held"]), (&2.into(), &false.into()));
        let (code, out, _) = check(text, &["--allow-missing"]);
        assert!(code == 0 && out.contains("2 of 3 are missing"), "{out}");
    }
    let (code, out, _) = check(rows, &[]);
    assert!(code == 0 && out.contains("all 3 are there"), "{out}");
    // Additional GEMMs are fine.
    assert_eq!(check(&format!("{rows}64,64,64,bf16,5\n"), &[]).0, 0);
    // Nothing is left to judge.
    let args =
        ["check", "-", "--device", "mi300x", "--min-efficiency", "1%", "--state", "#f.dtype=fp4"];
    let (code, out, err) = command(&args, rows);
    assert!(code != 0 && !out.contains("pass"), "{code} {out} {err}");
}
