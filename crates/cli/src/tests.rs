mod comment;
mod faults;
mod history;
mod line;
mod parquet;

use crate::run;
use gemmscope_chart::charts::CHARTS;
use gemmscope_import::ImportOptions;
use gemmscope_share::data;
use std::ffi::OsString;

fn command(args: &[&str], stdin: &str) -> (u8, String, String) {
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let code = run(args.iter().map(OsString::from), &mut stdin.as_bytes(), &mut out, &mut err);
    (code, String::from_utf8(out).unwrap(), String::from_utf8(err).unwrap())
}

const FILE: &str = "M,N,K,dtype,time_us,tflops\n4096,4096,4096,fp16,690,199.2\n1,2,3,fp16,0,0\n";

#[test]
fn summary_as_json() {
    let (code, out, err) = command(&["summary", "-", "--json", "--device", "mi300x"], FILE);
    assert_eq!((code, err.as_str()), (0, ""));
    let v: serde_json::Value = serde_json::from_str(&out).unwrap();
    assert_eq!(v["rows_read"], 2);
    assert_eq!(v["rows_used"], 1);
    assert_eq!(v["set_aside"]["time is zero (time_us)"], 1);
    assert_eq!(v["reported_rate"]["within_1_percent"], 1);
    assert!((v["max_tflops"].as_f64().unwrap() - 199.186).abs() < 1e-2);
    assert!(v["max_efficiency"].as_f64().unwrap() > 0.1);
    let (_, out, _) = command(&["summary", "-", "--json"], FILE);
    let v: serde_json::Value = serde_json::from_str(&out).unwrap();
    assert!(v["max_efficiency"].is_null() && v["rows_above_roof"].is_null());
    assert_eq!(v["dtypes"][0], "fp16");
}

#[test]
fn replays_of_the_findings_fill_a_folder_and_their_lines_are_read_back() {
    let folder = Folder::new("replay");
    let path = folder.0.join("scripts");
    let path = path.to_string_lossy();
    let table = "M,N,K,dtype,time_us\n4096,4096,4096,bf16,2000\n4096,4096,2048,bf16,110\n";
    let args = ["replay", "-", "--flagged", "-o", &path, "--device", "mi300x"];
    let (code, out, err) = command(&args, table);
    assert_eq!((code, err.as_str()), (0, ""), "{out}");
    let mut names: Vec<String> = std::fs::read_dir(&*path)
        .unwrap()
        .map(|e| e.unwrap().file_name().to_string_lossy().into_owned())
        .collect();
    names.sort();
    assert!(names[0].starts_with("01-") && names.last().unwrap() == "run_all.sh", "{names:?}");
    let script = names.iter().find(|n| n.ends_with(".py")).unwrap();
    let script = std::fs::read_to_string(folder.0.join("scripts").join(script)).unwrap();
    // The output of the script, with figures in place of its expressions.
    let header = script.lines().find_map(|l| l.trim().strip_prefix("print(\"M,N,K"));
    let header = format!("M,N,K{}", header.unwrap().trim_end_matches("\")"));
    let printed = format!(
        "{header}\n4096,4096,4096,1,bf16,NN,PyTorch,AMD Instinct MI300X,250.000,248.100,1.250,549.76,ok\n"
    );
    let (code, out, _) = command(&["summary", "-", "--json"], &printed);
    assert_eq!(code, 0);
    let v: serde_json::Value = serde_json::from_str(&out).unwrap();
    assert_eq!((&v["rows_used"], &v["assumptions"][0]), (&1.into(), &serde_json::Value::Null));
    assert_eq!(v["devices"][0], "AMD Instinct MI300X");
    assert_eq!(v["reported_rate"]["within_1_percent"], 1);
    assert_eq!(command(&["replay", "-"], table).0, 2);
}

#[test]
fn a_file_that_cannot_be_read_is_code_1_and_an_object() {
    let (code, out, _) = command(&["summary", "-", "--json"], "");
    assert_eq!(code, 1);
    let v: serde_json::Value = serde_json::from_str(&out).unwrap();
    assert_eq!(v["error"], "the file is empty");
    let (code, out, err) = command(&["summary", "/no/such/file"], "");
    assert_eq!((code, out.as_str()), (1, ""));
    assert!(err.contains("cannot be read"), "{err}");
}

/// The files inside a saved page.
fn inside(html: &str) -> Vec<data::Carried> {
    let text = &html[html.find(data::SLOT).unwrap() + data::SLOT.len()..];
    let text = &text[..text.find("</script>").unwrap()];
    data::from_page(text).unwrap().unwrap().1
}

#[test]
fn a_page_holds_the_rows_of_a_file_and_not_the_file_and_tells_the_same_of_it() {
    let folder = Folder::new("extract");
    let at = |name: &str| folder.0.join(name).to_string_lossy().into_owned();
    std::fs::write(at("app.html"), format!("{}</script>", data::SLOT)).unwrap();
    let trace = include_str!("../../../tests/fixtures/kineto/h100.json").replacen(
        '{',
        "{\"hostname\": \"secret-host\", \"env\": {\"HF_TOKEN\": \"secret-token\"},",
        1,
    );
    let device = r#"{"id": "ours", "name": "Ours", "peaks": [{"dtype": "fp16", "flops_per_s": 1e15}],
        "bandwidth_bytes_per_s": 3e12}"#;
    std::fs::write(at("ours.json"), device).unwrap();
    let log = include_str!("../../../tests/fixtures/inductor/new_form.txt");
    for (name, text, chosen, files) in [
        ("trace.json", trace.as_str(), "h100-sxm", &["h100-sxm-bf16.bin", "trace.json"][..]),
        ("run.log", log, "mi300x", &["mi300x-bf16.bin", "mi300x-fp16.bin", "run.log"]),
        ("run.csv", FILE, "ours", &["ours.json", "run.csv"]),
    ] {
        std::fs::write(at(name), text).unwrap();
        let own: &[String] = if chosen == "ours" { &[at("ours.json")] } else { &[] };
        let given = |path: &str| [own, &[path.to_owned()]].concat();
        let summary = |files: &[String]| {
            let args = ["summary", "--json", "--device", chosen];
            let args: Vec<&str> = args.into_iter().chain(files.iter().map(|f| &**f)).collect();
            let (code, out, err) = command(&args, "");
            assert_eq!(code, 0, "{err}");
            let mut v: serde_json::Value =
                serde_json::from_str(out.lines().last().unwrap()).unwrap();
            // Unused data is not carried along; a note mentions it.
            for key in
                ["rows_read", "rows_set_aside", "set_aside", "skipped", "notes", "format_reason"]
            {
                v.as_object_mut().unwrap().remove(key);
            }
            v
        };
        let (app, page) = (at("app.html"), at("page.html"));
        let args = ["page", "--app", &app, "-o", &page, "--device", chosen];
        let files_given = given(&at(name));
        let args: Vec<&str> = args.into_iter().chain(files_given.iter().map(|f| &**f)).collect();
        let (code, _, err) = command(&args, "");
        assert_eq!(code, 0, "{err}");
        let carried = inside(&std::fs::read_to_string(&page).unwrap());
        assert_eq!(carried.iter().map(|f| &*f.name).collect::<Vec<_>>(), files);
        for file in &carried {
            let text = String::from_utf8_lossy(&file.bytes);
            assert!(!text.contains("secret"), "{name}: {text}");
        }
        let whole = summary(&given(&at(name)));
        std::fs::write(at(name), &carried.last().unwrap().bytes).unwrap();
        assert_eq!(summary(&given(&at(name))), whole, "{name}");
    }
}

/// A pipe whose reader has closed it.
struct Closed;

impl std::io::Write for Closed {
    fn write(&mut self, _: &[u8]) -> std::io::Result<usize> {
        Err(std::io::ErrorKind::BrokenPipe.into())
    }
    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

#[test]
fn a_closed_pipe_is_no_fault_but_never_a_limit_that_held() {
    let code = |args: &[&str]| {
        let args = args.iter().map(OsString::from);
        run(args, &mut FILE.as_bytes(), &mut Closed, &mut Vec::new())
    };
    assert_eq!(code(&["summary", "-"]), 0);
    assert_eq!(code(&["check", "-", "--device", "mi300x", "--min-efficiency", "1%"]), 1);
}

#[test]
fn page_puts_files_options_and_view_into_the_one_file_page() {
    let folder = std::env::temp_dir().join(format!("gemmscope-page-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let at = |name: &str| folder.join(name).to_str().unwrap().to_owned();
    let template = format!("<html>{}</script><p>program</p></html>", data::SLOT);
    std::fs::write(at("app.html"), &template).unwrap();
    std::fs::write(at("no.html"), "<html></html>").unwrap();
    std::fs::write(at("odd.csv"), "M,N,K,speed\n8,8,8,2\n").unwrap();
    let (odd, app, out) = (at("odd.csv"), at("app.html"), at("out.html"));
    let state = "https://x.example/#v=1&q=k_64&data=Zm9v&src=https%3A%2F%2Fx.example%2Fa.csv";
    let args = [
        "page",
        "-",
        &odd,
        "--app",
        &app,
        "-o",
        &out,
        "--device",
        "mi300x",
        "--view",
        "cells",
        "--state",
        state,
        "--column",
        "speed=rate:tflops",
    ];
    let (code, said, err) = command(&args, FILE);
    assert_eq!((code, said.as_str()), (0, ""), "{err}");
    let html = std::fs::read_to_string(&out).unwrap();
    let start = html.find(data::SLOT).unwrap() + data::SLOT.len();
    let end = start + html[start..].find("</script>").unwrap();
    assert_eq!((&html[..start], &html[end..]), (&template[..start], &template[start..]));
    let (view, files) = data::from_page(&html[start..end]).unwrap().unwrap();
    assert_eq!(view, "v=1&view=cells&device=mi300x&q=k_64");
    // The published times of the device come first.
    assert_eq!((&*files[0].name, &*files[1].name), ("mi300x-fp16.bin", "data.csv"));
    let text = String::from_utf8(files[1].bytes.clone()).unwrap();
    assert!(text.starts_with("gemmscope,m,n,k,"), "{text}");
    assert_eq!(files[2].name, "odd.csv");
    assert_eq!(files[2].options, ImportOptions::default());

    for view in ["roofline", "table", "plan", "summary", "sweep"] {
        let args = ["page", "-", "--app", &app, "-o", &out, "--view", view];
        assert_eq!(command(&args, FILE).0, 0, "{view}");
        let html = std::fs::read_to_string(&out).unwrap();
        assert!(html.contains(&format!("v=1&view={view}\n")));
    }

    // A saved page accepts other data.
    let again = at("again.html");
    let (code, _, err) =
        command(&["page", &odd, "--app", &out, "-o", &again, "--column", "speed=rate:tflops"], "");
    assert_eq!(code, 0, "{err}");
    let names = |path: &str| -> Vec<String> {
        inside(&std::fs::read_to_string(path).unwrap()).into_iter().map(|f| f.name).collect()
    };
    assert_eq!((names(&out), names(&again)), (vec!["data.csv".into()], vec!["odd.csv".into()]));

    for (file, app, wanted) in [
        (odd.as_str(), at("no.html"), "no place for data"),
        (&odd, at("missing.html"), "missing.html: cannot be read"),
        ("/no/such.csv", app.clone(), "such.csv: cannot be read"),
        ("-", app, "standard input: the file is empty"),
    ] {
        let never = at("never.html");
        let (code, _, err) = command(&["page", file, "--app", &app, "-o", &never], "");
        assert_eq!(code, 1, "{wanted}");
        assert!(err.contains(wanted), "{err}");
        assert!(!std::path::Path::new(&never).exists());
    }
    std::fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn render_draws_a_view_by_device_theme_and_link() {
    let (code, light, err) = command(&["render", "-", "--device", "mi300x"], FILE);
    assert_eq!(code, 0, "{err}");
    assert!(err.contains("1 row skipped"), "{err}");
    assert!(light.starts_with("<svg ") && light.contains("MI300X"));
    assert!(light.contains("fp16 (1)"), "a legend with counts");
    let dark = ["render", "-", "--device", "mi300x", "--theme", "dark"];
    assert_ne!(command(&dark, FILE).1, light);
    let (code, none, _) =
        command(&["render", "-", "--state", "https://x.example/#v=1&f.dtype=bf16"], FILE);
    assert_eq!(code, 0);
    assert!(!none.contains("fp16 (1)"));
    for view in CHARTS.iter().map(|c| c.id).chain(["summary", "explore"]) {
        let (code, svg, err) =
            command(&["render", "-", "--view", view, "--device", "mi300x", "--size", "640"], FILE);
        assert_eq!(code, 0, "{view}: {err}");
        assert!(svg.ends_with("</svg>\n"), "{view}");
    }
    assert_eq!(command(&["render", "-", "--view", "quux"], FILE).0, 2);
    assert_eq!(command(&["render", "-"], "").0, 1);
}

#[test]
fn report_in_every_form() {
    let form = |f: &str| {
        let (code, text, err) = command(&["report", "-", "--device", "mi300x", "--form", f], FILE);
        // A remark on a measurement is not a measurement.
        let (_, _, again) = command(&["summary", "-"], &text);
        assert!(again.contains("left out") || again.contains("web page"), "{f}: {again}");
        assert_eq!(code, 0, "{f}: {err}");
        text
    };
    assert!(form("markdown").starts_with('#'));
    assert!(form("summary").starts_with("# GEMM Analysis Summary"));
    assert!(form("html").contains("data:image/svg+xml,"));
    let v: serde_json::Value = serde_json::from_str(&form("json")).unwrap();
    assert_eq!(v["schema"], "gemmscope/report/4");
    assert_eq!(command(&["report", "-", "--form", "pdf"], FILE).0, 2);
}

#[test]
fn check_says_by_its_code_whether_the_limits_hold() {
    let least = |p: &str| {
        let args = ["check", "-", "--device", "mi300x", "--min-efficiency", p];
        command(&args, FILE)
    };
    // 199.2 of 1307.4 TFLOP/s.
    assert_eq!(least("15%").0, 0);
    assert_eq!(least("0.15").0, 0);
    let (code, out, _) = least("16%");
    assert_eq!(code, 3);
    assert!(out.starts_with("GEMM check: FAIL\n") && out.contains("4096"), "{out}");
    let (code, _, err) = command(&["check", "-", "--min-efficiency", "16%"], FILE);
    assert_eq!(code, 1);
    assert!(err.contains("--device"), "{err}");
    assert_eq!(least("16").0, 2);

    let path = std::env::temp_dir().join(format!("gemmscope-base-{}.csv", std::process::id()));
    std::fs::write(&path, FILE.replace("690", "660")).unwrap();
    let base = path.to_str().unwrap();
    let against =
        |p: &str| command(&["check", "-", "--baseline", base, "--max-regression", p], FILE);
    // 690 after 660 is 4.5 % longer.
    assert_eq!(against("5%").0, 0);
    let (code, out, _) = against("4%");
    assert_eq!(code, 3);
    assert!(out.contains("+4.5 %") && out.contains("660"), "{out}");
    let other = FILE.replace("4096,4096,4096", "64,64,64");
    let (code, _, err) = command(&["check", "-", "--baseline", base], &other);
    std::fs::remove_file(&path).unwrap();
    assert_eq!(code, 1);
    assert!(err.contains("share no GEMM"), "{err}");
    assert_eq!(command(&["check", "-"], FILE).0, 2);
    assert_eq!(command(&["check", "-", "--max-regression", "4%"], FILE).0, 2);
}

#[test]
fn every_command_that_filters_names_the_filters_that_are_too_many() {
    let mut file = "M,N,K,dtype,time_us".to_owned();
    let mut state = "#v=1".to_owned();
    for i in 0..40 {
        file += &format!(",x{i}");
        state += &format!("&r.c.x{i}=0..9");
    }
    file += &format!("\n4096,4096,4096,fp16,690{}\n", ",1".repeat(40));
    let path = std::env::temp_dir().join(format!("gemmscope-many-{}.csv", std::process::id()));
    std::fs::write(&path, &file).unwrap();
    let base = path.to_str().unwrap();
    let said = [
        &["render", "-"][..],
        &["report", "-"],
        &["check", "-", "--min-efficiency", "1%"],
        &["check", "-", "--baseline", base],
        &["check", "-", "--min-efficiency", "1%", "--baseline", base],
    ]
    .map(|args| {
        let more = ["--device", "mi300x", "--state", &state];
        let (code, _, err) = command(&[args, &more].concat(), &file);
        assert_eq!(code, 0, "{args:?}: {err}");
        err
    });
    std::fs::remove_file(&path).unwrap();
    assert!(said[0].starts_with("gemmscope: too many filters, left out: r.c.x"), "{}", said[0]);
    assert_eq!(said[0].matches("r.c.x").count(), 8, "{}", said[0]);
    for other in &said {
        assert_eq!(other, &said[0]);
    }
}

#[test]
fn convert_writes_what_summary_reads() {
    let (code, out, _) = command(&["convert", "-", "-o", "-"], FILE);
    assert_eq!(code, 0);
    let (code, again, _) = command(&["summary", "-", "--json"], &out);
    assert_eq!(code, 0, "{again}");
    let v: serde_json::Value = serde_json::from_str(&again).unwrap();
    assert_eq!((&v["rows_used"], &v["format"]), (&1.into(), &"generic".into()));
}

/// A folder for one test, removed at its end.
struct Folder(std::path::PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("gemmscope-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap();
        Folder(path)
    }

    fn put(&self, name: &str, text: &str) -> String {
        let path = self.0.join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, text).unwrap();
        path.to_str().unwrap().to_owned()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

const GEMM_CSV: &str = "name,param: M,param: N,param: K,param: dtype_A_B,Kernel Time (µs)_mean,name_count\n\
                        aten::mm,4096,4096,4096,\"('c10::BFloat16', 'c10::BFloat16')\",300,2\n";

#[test]
fn reports_in_folders_keep_their_own_context_and_one_table() {
    let folder = Folder::new("reports");
    for (name, platform) in [("a", "MI300X"), ("b", "MI325X")] {
        folder.put(&format!("{name}/GEMM.csv"), GEMM_CSV);
        folder.put(
            &format!("{name}/kernel_summary.csv"),
            "Parent op category,Parent cpu_op,Kernel name,Kernel duration (µs)_sum\nGEMM,aten::mm,Cijk_x,600\n",
        );
        folder.put(&format!("{name}/notes.bin"), "nothing");
        folder.put(
            &format!("{name}/metadata/gemm_metadata.json"),
            &format!("{{\"platform\":\"{platform}\",\"peak_hbm_bw_tbs\":5.3,\"max_achievable_tflops\":{{\"matrix_bf16\":708}},\"category\":\"GEMM\",\"output_dir\":\"x\",\"trace_path\":\"y\"}}"),
        );
    }
    let path = folder.0.to_str().unwrap();
    let (code, out, err) = command(&["summary", path, "--json"], "");
    assert_eq!((code, err.as_str()), (0, ""));
    let objects: Vec<serde_json::Value> =
        out.lines().map(|l| serde_json::from_str(l).unwrap()).collect();
    let tables: Vec<_> = objects.iter().filter(|o| o["rows_used"] == 1).collect();
    assert_eq!(tables.len(), 2, "{out}");
    assert_eq!(tables[0]["devices"][0], "MI300X");
    assert_eq!(tables[1]["devices"][0], "MI325X");
    let left: Vec<&str> = objects.iter().filter_map(|o| o["left_out"].as_str()).collect();
    assert_eq!(left.len(), 4, "{out}");
}

#[test]
fn the_findings_of_a_trace_make_their_folder_and_have_the_metadatas_share() {
    let folder = Folder::new("findings");
    let dims = "[[4096, 4096], [4096, 4096]]";
    let types = "[\"c10::BFloat16\", \"c10::BFloat16\"]";
    let trace = |events: &str| {
        format!(
            "{{\"schemaVersion\": 1, \"deviceProperties\": [{{\"id\": 0, \"name\": \"AMD Instinct MI300X\"}}], \"traceEvents\": [\n{events}\n]}}\n"
        )
    };
    let gemm = format!(
        "{{\"ph\": \"X\", \"cat\": \"cpu_op\", \"name\": \"aten::mm\", \"ts\": 1, \"dur\": 9, \"args\": {{\"External id\": 5, \"Input Dims\": {dims}, \"Input type\": {types}}}}},\n\
         {{\"ph\": \"X\", \"cat\": \"kernel\", \"name\": \"Cijk_gemm\", \"ts\": 20, \"dur\": 300, \"args\": {{\"External id\": 5, \"device\": 0}}}},\n"
    );
    let other = "{\"ph\": \"X\", \"cat\": \"kernel\", \"name\": \"silu\", \"ts\": 400, \"dur\": 100, \"args\": {\"device\": 0}}";
    let path = folder.put("r/trace.json", &trace(&(gemm + other)));
    let metadata = folder.put(
        "r/metadata/gemm_metadata.json",
        "{\"platform\":\"MI300X\",\"peak_hbm_bw_tbs\":5.3,\"max_achievable_tflops\":{\"matrix_bf16\":708},\"category\":\"GEMM\",\
         \"output_dir\":\"x\",\"trace_path\":\"y\",\"gpu_utilization\":{\"total_time_ms\":1.0,\"computation_time_percent\":50.0},\
         \"time_breakdown\":{\"gpu_kernel_time_ms\":0.35}}",
    );
    let out = folder.0.join("r/category_findings/gemm_findings.md");
    let out = out.to_str().unwrap();
    let (code, said, err) = command(&["report", &path, &metadata, "-o", out], "");
    assert_eq!((code, said.as_str()), (0, ""), "{err}");
    let text = std::fs::read_to_string(out).unwrap();
    assert!(
        text.contains("GEMMs account for 75.0% of compute time (70.0% by the report's metadata)."),
        "{text}"
    );

    // Only a GEMM without a shape: still a report.
    let moe = "{\"ph\": \"X\", \"cat\": \"kernel\", \"name\": \"fused_moe_kernel\", \"ts\": 20, \"dur\": 280, \"args\": {\"device\": 0}}";
    let shapes = "{\"ph\": \"X\", \"cat\": \"cpu_op\", \"name\": \"vllm::moe\", \"ts\": 1, \"dur\": 9, \"args\": {\"External id\": 5, \"Input Dims\": [[8, 8]]}},\n";
    let path = folder.put("moe.json", &trace(&(shapes.to_owned() + moe)));
    let (code, said, err) = command(&["report", &path, "--form", "summary"], "");
    assert_eq!(code, 0, "{err}");
    assert!(said.contains("Efficiency unknown") && said.contains("**Priority:** High"), "{said}");
}
