//! What `check` writes for a pull request and for a trend.

use super::{Folder, command};
use serde_json::Value;

const ROWS: &str =
    "M,N,K,dtype,time_us,time_us_std\n4096,4096,4096,fp16,660,3\n4096,4096,8192,fp16,1300,\n";

#[test]
fn a_comment_lists_the_worst_five_and_where_the_time_goes() {
    let folder = Folder::new("comment");
    let rows = |times: &dyn Fn(u32) -> u32| {
        let row = |i: u32| format!("{},4096,4096,fp16,{}\n", 1024 + 64 * i, times(i));
        "M,N,K,dtype,time_us\n".to_owned() + &(0..9).map(row).collect::<String>()
    };
    let old = folder.put("old.csv", &rows(&|i| 200 + 10 * i));
    let slow = rows(&|i| 230 + 20 * i);
    let args = ["check", "-", "--device", "mi300x", "--baseline", &old, "--form"];
    let (code, out, _) = command(&[&args[..], &["markdown"]].concat(), &slow);
    assert_eq!(code, 3);
    assert_eq!(out.matches(" × 4096 × 4096, fp16").count(), 5, "{out}");
    assert!(out.contains("\nand 4 more\n"), "{out}");
    let bar = out.lines().find(|line| line.starts_with("- █")).unwrap();
    let blocks = bar.chars().filter(|c| "█▓▒░·".contains(*c)).count();
    assert_eq!(blocks, 24, "{bar}");
    assert!(out.ends_with(" -->\n") && !out.contains("The last runs"), "{out}");
    // A terminal shows all nine.
    let (_, out, _) = command(&[&args[..], &["text"]].concat(), &slow);
    assert_eq!(out.matches(" × 4096 × 4096, fp16").count(), 9, "{out}");
}

#[test]
fn a_comment_is_never_too_long_and_its_runs_cannot_break_it() {
    let folder = Folder::new("long-comment");
    let long = "<!-- & | `".repeat(200);
    let mut rows = "M,N,K,dtype,time_us,library\n".to_owned();
    for library in 0..60 {
        for m in 0..9 {
            rows += &format!(
                "{},4096,4096,fp16,{},\"{library} {long}\"\n",
                64 * (m + 1),
                2000 + library
            );
        }
    }
    let comment = folder.put("comment.md", "");
    let mut lengths = Vec::new();
    for _ in 0..3 {
        let args = ["check", "-", "--device", "mi300x", "--min-efficiency", "90%", "--each"];
        let more = ["--form", "markdown", "--comment", &comment, "--run", "a --> b"];
        let (code, out, err) = command(&[&args[..], &more[..]].concat(), &rows);
        assert_eq!(code, 3, "{err}");
        assert!(out.starts_with("### GEMM check: FAIL\n"), "{out}");
        // A comment of HTML is left as it is; all else is escaped.
        assert_eq!(out.matches("-->").count(), 1);
        lengths.push(out.chars().count());
        folder.put("comment.md", &out);
    }
    assert!(lengths.iter().all(|n| *n < 60_000), "{lengths:?}");
    // One that cannot be read is said, and begins anew.
    folder.put("comment.md", "<!-- gemmscope-runs [{\"run\":1}] -->");
    let args = ["check", "-", "--device", "mi300x", "--min-efficiency", "1%"];
    let (code, out, err) =
        command(&[&args[..], &["--form", "markdown", "--comment", &comment]].concat(), ROWS);
    assert_eq!(code, 0);
    assert!(err.contains("its runs cannot be read, so they begin anew"), "{err}");
    assert!(out.contains("<!-- gemmscope-runs [{"), "{out}");
}

#[test]
fn records_for_a_trend_need_no_limit_and_have_each_gemm_once() {
    let args = ["check", "-", "--device", "mi300x", "--form", "benchmark-json"];
    let (code, out, err) = command(&args, ROWS);
    assert_eq!((code, err.as_str()), (0, ""));
    let all: Vec<Value> = serde_json::from_str(&out).unwrap();
    let named = |name: &str| {
        all.iter().find(|r| r["name"] == name).unwrap_or_else(|| panic!("{name}: {out}"))
    };
    assert_eq!(named("time of all GEMMs")["value"], 1960.0);
    assert!(named("lost time")["value"].as_f64().unwrap() > 1000.0);
    let first = named("4096 × 4096 × 4096, fp16, NN");
    assert_eq!(
        (&first["unit"], &first["value"], &first["range"]),
        (&"µs".into(), &660.0.into(), &"± 3".into())
    );
    assert_eq!(first["extra"], "15.9 % of the roof");
    assert_eq!(named("4096 × 4096 × 8192, fp16, NN")["range"], Value::Null);
    assert_eq!(all.len(), 4);
    // Two libraries: a name each; a limit still decides the exit code.
    let two = "M,N,K,dtype,time_us,library\n64,64,64,fp16,5,a\n64,64,64,fp16,6,b\n128,64,64,fp16,5,a\n128,64,64,fp16,6,b\n";
    let (code, out, _) = command(&[&args[..], &["--min-efficiency", "99%"]].concat(), two);
    let all: Vec<Value> = serde_json::from_str(&out).unwrap();
    let mut names: Vec<&str> = all.iter().map(|r| r["name"].as_str().unwrap()).collect();
    names.sort_unstable();
    names.dedup();
    assert_eq!((code, names.len(), all.len()), (3, 8, 8), "{out}");
    // Without a limit no other form has anything to say.
    let (code, _, err) = command(&["check", "-", "--device", "mi300x"], ROWS);
    assert!(code == 2 && err.contains("missing: a limit: --min-efficiency"), "{err}");
}
