//! The rows set aside as a file of their own: line, reason, the text as it stands.

use super::SetAside;

impl SetAside {
    /// CSV with a header. Rows whose text was not kept have line and reason only.
    pub fn to_csv(&self) -> String {
        let mut out = String::from("line,reason,text\n");
        for (i, (line, code)) in self.lines.iter().zip(&self.codes).enumerate() {
            let reason = self
                .reasons
                .get(usize::from(*code))
                .map_or("", |r| r.text.as_str());
            let raw = self.raw(i).unwrap_or_default();
            let raw = String::from_utf8_lossy(raw);
            out.push_str(&format!(
                "{line},{},{}\n",
                cell(reason),
                cell(raw.trim_end_matches(['\r', '\n']))
            ));
        }
        out
    }
}

/// Always quoted; what a spreadsheet would run as a formula gets an apostrophe in front.
fn cell(text: &str) -> String {
    let guard = if text.starts_with(['=', '+', '-', '@', '\t', '\r']) {
        "'"
    } else {
        ""
    };
    format!("\"{guard}{}\"", text.replace('"', "\"\""))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_quoted_and_harmless() {
        let mut aside = SetAside::default();
        aside.push(7, "time is zero", None, b"a,\"b\",0\r\n");
        aside.push(9, "time is zero", None, b"=cmd()");
        assert_eq!(
            aside.to_csv(),
            "line,reason,text\n7,\"time is zero\",\"a,\"\"b\"\",0\"\n9,\"time is zero\",\"'=cmd()\"\n"
        );
    }
}
