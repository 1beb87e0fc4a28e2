use super::*;

#[test]
fn what_cannot_be_read_counts_as_not_set() {
    let mut state = ViewState::default();
    let options = || vec![Choice::plain("a"), Choice::plain("b"), Choice::plain("c")];
    let choice = |s: &ViewState| Control::choice(s, "v.x", "X", "", options(), "b").current;
    assert_eq!(choice(&state), "b");
    state.set_param("v.x", "gone");
    assert_eq!(choice(&state), "b");
    state.set_param("v.x", "c");
    assert_eq!(choice(&state), "c");
    state.set_param("v.n", "1e9");
    let n = Control::number(&state, "v.n", "N", "", (0.0, 10.0, 1.0), "%", 2.0);
    assert_eq!((n.as_number(), n.stored("2"), n.stored("3")), (2.0, "", "3"));
    state.set_param("v.m", "c,zzz,a");
    let m = Control::several(&state, "v.m", "M", "", options(), &["b".into()]);
    assert_eq!(m.values(), ["a", "c"]);
    assert!(Control::toggle(&state, "v.t", "T", "", true).is_on());
}

#[test]
fn a_number_out_of_range_is_refused_in_words() {
    let mut state = ViewState::default();
    state.set_param("v.n", "2.5");
    let n = Control::count(&state, "v.n", "Batch", "", (1, 16), 8);
    assert_eq!(n.as_number(), 8.0);
    assert_eq!(n.accept(" 16 "), Ok("16".to_owned()));
    for text in ["0", "17", "2.5", "many", ""] {
        assert_eq!(n.accept(text), Err(format!("Expected a whole number from 1 to 16: {text}")));
    }
    let share = Control::number(&state, "v.s", "Share", "", (0.0, 100.0, 5.0), "%", 10.0);
    assert_eq!(share.accept("2.5"), Ok("2.5".to_owned()));
    assert!(share.accept("NaN").is_err());
}

#[test]
fn check_boxes_keep_the_order_of_the_options() {
    let mut state = ViewState::default();
    state.set_param("v.m", "b");
    let options = ["a", "b", "c"].map(Choice::plain).to_vec();
    let mut m = Control::several(&state, "v.m", "M", "", options, &["c".into()]);
    assert_eq!((m.toggled("a").as_str(), m.toggled("b").as_str()), ("a,b", ""));
    m.current = "c,gone,a".to_owned();
    assert_eq!(m.captions(), "c, gone, a");
}
