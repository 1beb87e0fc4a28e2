use super::*;
use crate::chart::{Chart, Drawing, RenderOptions};
use crate::charts::{Inputs, by_id};
use crate::interactive::draw;
use crate::palette::Theme;
use crate::scene::DragArea;
use gemmscope_table::field::Frame;
use gemmscope_table::fixture::Rows;
use gemmscope_table::view_state::ViewState;
use std::sync::Arc;

fn frame() -> Frame {
    let mut rows = Rows::new();
    for i in 0..60 {
        rows.row((64 << (i % 6), 256 + 64 * i, 4096), "x", 2e-5 * f64::from(1 + i % 7), "");
    }
    rows.frame(Some("h100-sxm"))
}

/// A picture, its gestures, and the state that the page keeps.
struct Page {
    chart: Arc<Drawing>,
    gestures: Gestures,
    target: Option<Target>,
    boxing: bool,
    zoomed: bool,
    selected: bool,
}

impl Page {
    fn new(id: &str, link: &str) -> Self {
        let (frame, (state, _)) = (frame(), ViewState::decode(link));
        let chart = (by_id(id).unwrap().open)(&Inputs::new(&frame, &state));
        let first = crate::charts::first_of(&state, id);
        let options = RenderOptions { first, ..RenderOptions::new(&Theme::LIGHT, (900.0, 400.0)) };
        Page {
            chart: draw(&Arc::<Chart>::from(chart), Some(&frame), &options),
            gestures: Gestures::default(),
            target: None,
            boxing: false,
            zoomed: false,
            selected: false,
        }
    }

    fn on(&mut self, event: Event<'_>) -> Vec<Act> {
        let seen = Pointed {
            chart: &**self.chart,
            target: self.target.as_ref(),
            boxing: self.boxing,
            zoomed: self.zoomed,
            selected: self.selected,
        };
        let acts = self.gestures.on(event, seen);
        for act in &acts {
            if let Act::Point(target) = act {
                self.target.clone_from(target);
            }
        }
        acts
    }

    fn all(&mut self, events: &[Event<'_>]) -> Vec<Act> {
        events.iter().flat_map(|e| self.on(*e)).collect()
    }

    fn key(&mut self, name: &str) -> Vec<Act> {
        self.on(Event::Key { name, shift: false })
    }

    fn wheel(&mut self, by: (f64, f64)) -> Vec<Act> {
        self.on(Event::Wheel { at: (450.0, 200.0), by, shift: false })
    }

    /// The first mark of the walk.
    fn mark(&self) -> Target {
        self.chart.neighbour(None, Direction::Right).unwrap()
    }

    fn camera(&self) -> Camera {
        self.chart.camera().unwrap()
    }
}

fn mouse(at: Point) -> Pointer {
    Pointer { id: 1, at, mouse: true, shift: false, ctrl: false }
}

fn finger(id: i32, at: Point) -> Pointer {
    Pointer { id, mouse: false, ..mouse(at) }
}

fn shifted(at: Point) -> Pointer {
    Pointer { shift: true, ..mouse(at) }
}

/// Far from every mark of the roofline: below its points on the right.
const NOWHERE: Point = (870.0, 340.0);

#[test]
fn moving_points_at_what_is_near() {
    let mut page = Page::new("roofline", "");
    let mark = page.mark();
    let beside = (mark.at.0 - REACH + 2.0, mark.at.1);
    assert_eq!(page.on(Event::Move(mouse(mark.at))), [Act::Point(Some(mark))]);
    assert!(matches!(page.on(Event::Move(mouse(beside)))[..], [Act::Point(Some(_))]));
    assert_eq!(page.on(Event::Move(mouse(NOWHERE))), [Act::Point(None)]);
    assert_eq!(page.on(Event::Leave), [Act::Point(None)]);
}

#[test]
fn a_click_selects_with_shift_or_ctrl_adds_and_beside_all_marks_deselects() {
    let mut page = Page::new("roofline", "");
    let mark = page.mark();
    // A hand shakes and a finger rests: both are still clicks.
    let shaken = (mark.at.0 + 2.0, mark.at.1 - 2.0);
    let still = finger(1, mark.at);
    let acts = page.all(&[Event::Down(still), Event::Move(finger(1, shaken)), Event::Up(still)]);
    let select = |add| Act::Select { rows: mark.rows.clone(), add, at: mark.at };
    let point = Act::Point(Some(mark.clone()));
    assert_eq!(acts, [select(false), point.clone()]);
    let ctrl = Pointer { ctrl: true, ..mouse(mark.at) };
    for p in [ctrl, shifted(mark.at)] {
        assert_eq!(page.all(&[Event::Down(p), Event::Up(p)]), [select(true), point.clone()]);
    }
    let beside = |p| [Event::Down(p), Event::Up(p)];
    assert_eq!(page.all(&beside(mouse(NOWHERE))), [Act::Deselect]);
    assert_eq!(page.all(&beside(shifted(NOWHERE))), [], "what is selected stays");
    // The right button went down elsewhere, or not on the picture at all.
    assert_eq!(page.on(Event::Up(mouse(mark.at))), []);
}

#[test]
fn a_roof_and_a_double_click_on_a_mark_isolate() {
    let mut page = Page::new("roofline", "");
    let mark = page.mark();
    let double = |at| Event::Double(mouse(at));
    assert_eq!(page.on(double(mark.at)), [Act::Isolate(mark, false)]);
    assert_eq!(page.on(double(NOWHERE)), [Act::Zoom(None)]);
    // Where the roof is flat, right of all points.
    let plot = page.camera().plot;
    let on_roof = |y: &i32| (plot.rect[0] + plot.rect[2] - 4.0, f64::from(*y));
    let roof = (0..400).map(|y| on_roof(&y)).find_map(|at| {
        page.chart.at(at, REACH).filter(|t| t.rows.is_empty() && !t.categories.is_empty())
    });
    let roof = roof.unwrap();
    let p = Pointer { ctrl: true, ..mouse(roof.at) };
    assert_eq!(page.all(&[Event::Down(p), Event::Up(p)]), [Act::Isolate(roof, true)]);
}

#[test]
fn a_drag_moves_the_axes_of_a_mouse_always_of_a_finger_once_zoomed() {
    let mut page = Page::new("roofline", "");
    let (from, to) = ((400.0, 200.0), (440.0, 190.0));
    let panned = Act::Zoom(Some(page.camera().pan_by((40.0, -10.0))));
    let begun = [Act::Capture(1), Act::Point(None)];
    let by_mouse = [Event::Down(mouse(from)), Event::Move(mouse(to))];
    let pans = [&begun[..], &[panned]].concat();
    assert_eq!(page.all(&by_mouse), pans);
    assert_eq!(page.on(Event::Up(mouse(to))), [], "no click");
    let finger = |at| finger(1, at);
    let events = [Event::Down(finger(from)), Event::Move(finger(to))];
    assert_eq!(page.all(&events), begun, "the page moves");
    page.on(Event::Up(finger(to)));
    page.zoomed = true;
    assert_eq!(page.all(&events), pans);
}

#[test]
fn shift_and_a_drag_or_the_button_draw_a_box() {
    let mut page = Page::new("roofline", "");
    let (from, to) = ((200.0, 300.0), (500.0, 100.0));
    let rect = [200.0, 100.0, 300.0, 200.0];
    let ranges = page.chart.ranges(rect);
    assert_eq!(ranges.len(), 2);
    let expected = |end: Act| {
        let begun = [Act::Capture(1), Act::Point(None), Act::Brush(Some(rect))];
        [&begun[..], &[Act::Brush(None), end]].concat()
    };
    let by_shift = [Event::Down(shifted(from)), Event::Move(mouse(to)), Event::Up(mouse(to))];
    assert_eq!(page.all(&by_shift), expected(Act::BoxFilter(ranges.clone())));
    page.boxing = true;
    let by_button = [Event::Down(mouse(from)), Event::Move(mouse(to)), Event::Up(mouse(to))];
    assert_eq!(page.all(&by_button), expected(Act::BoxFilter(ranges)));
    // A chart without ranges of its own selects.
    let mut page = Page::new("boxes", "");
    let rows = page.chart.within(rect);
    assert!(!rows.is_empty());
    assert_eq!(page.all(&by_shift), expected(Act::BoxSelect(rows)));
}

#[test]
fn two_fingers_zoom_about_their_middle() {
    let mut page = Page::new("roofline", "");
    let still = finger(11, (400.0, 300.0));
    page.all(&[Event::Down(still), Event::Down(finger(12, (500.0, 300.0)))]);
    let acts = page.on(Event::Move(finger(12, (600.0, 300.0))));
    assert_eq!(acts, [Act::Zoom(Some(page.camera().zoom_about((500.0, 300.0), 2.0)))]);
    let acts = page.all(&[Event::Up(still), Event::Up(finger(12, (600.0, 300.0)))]);
    assert_eq!(acts, [], "and select nothing");
}

#[test]
fn the_browser_takes_a_press_back() {
    let mut page = Page::new("roofline", "");
    let (from, to) = ((200.0, 300.0), (500.0, 100.0));
    page.all(&[Event::Down(shifted(from)), Event::Move(mouse(to))]);
    assert_eq!(page.on(Event::Leave), [], "a captured drag may leave the picture");
    assert_eq!(page.on(Event::Cancel(1)), [Act::Brush(None)]);
    assert_eq!(page.on(Event::Up(mouse(to))), []);
    assert!(matches!(page.on(Event::Move(mouse(to)))[..], [Act::Point(_)]), "it hovers again");
}

#[test]
fn the_wheel_zooms_about_the_pointer() {
    let mut page = Page::new("roofline", "");
    let (zoomed, camera) = (page.wheel((0.0, -100.0)), page.camera());
    let about = camera.zoom_about((450.0, 200.0), (100f64 / NOTCH).exp());
    assert_eq!(zoomed, [Act::Consume, Act::Zoom(Some(about))]);
    // However fast the wheel turns.
    let most = camera.zoom_about((450.0, 200.0), 0.5f64.exp());
    assert_eq!(page.wheel((0.0, -1e6))[1], Act::Zoom(Some(most)));
    assert_eq!(Page::new("boxes", "").wheel((0.0, 100.0)), [], "it scrolls the page");
}

#[test]
fn the_wheel_scrolls_a_picture_that_holds_more_than_fits() {
    let mut page = Page::new("bars", "");
    let (_, _, rows) = page.chart.scene().scroll().unwrap();
    assert!(rows.scrolls() && rows.first == 0);
    assert_eq!(page.wheel((0.0, 0.6 * rows.step)), [Act::Consume], "not a row yet");
    let scrolled = [Act::Consume, Act::Scroll((0, 1))];
    assert_eq!(page.wheel((0.0, 0.6 * rows.step)), scrolled, "what was left counts");
    assert_eq!(page.wheel((0.0, -50.0 * rows.step)), [], "at its end the page scrolls on");
}

#[test]
fn a_drag_moves_bars_with_the_pointer() {
    let mut page = Page::new("bars", "at.bars=0,20");
    let (_, _, rows) = page.chart.scene().scroll().unwrap();
    let down = Event::Down(finger(1, (400.0, 200.0)));
    let acts = page.all(&[down, Event::Move(finger(1, (400.0, 200.0 - 3.0 * rows.step)))]);
    assert_eq!(acts[2..], [Act::Scroll((0, rows.first + 3))]);
}

#[test]
fn a_scroll_bar_is_held_and_beside_its_thumb_comes_to_the_pointer() {
    let mut page = Page::new("bars", "");
    let scene = page.chart.scene();
    let (_, _, rows) = scene.scroll().unwrap();
    let last = rows.total - rows.shown;
    let bar = scroll::bars(scene)[0];
    let [l, t, w, h] = bar.track;
    let on = (l + w / 2.0, t + 2.0);
    assert_eq!(page.on(Event::Move(mouse(on))), [Act::Held(true), Act::Point(None)]);
    assert_eq!(page.on(Event::Leave), [Act::Held(false), Act::Point(None)]);
    // While dragging, the pointer may leave the bar; beyond its end counts as the end.
    let begun = [Act::Held(true), Act::Point(None), Act::Capture(1)];
    assert_eq!(page.on(Event::Down(mouse(on))), begun, "the thumb stays under the pointer");
    assert_eq!(page.on(Event::Move(mouse((l - 200.0, t + h + 40.0)))), [Act::Scroll((0, last))]);
    assert_eq!(page.on(Event::Up(mouse(on))), [Act::Held(false)]);
    // A finger may miss it by a little.
    let near = finger(1, (l - FINGER_SLACK + 1.0, t + h - 1.0));
    assert_eq!(page.on(Event::Down(near)), [&begun[..], &[Act::Scroll((0, last))]].concat());
}

#[test]
fn a_drag_along_the_colours_filters_and_a_click_takes_the_filter_off() {
    let mut page = Page::new("cells", "explore.x=n&explore.y=m&explore.figure=efficiency");
    let bar = page.chart.scene().drag_areas.iter().find_map(|a| match a {
        DragArea::Range { rect, field, scale } => Some((*rect, field.clone(), *scale)),
        DragArea::Scroll { .. } => None,
    });
    let ([l, t, w, h], field, scale) = bar.unwrap();
    let field = Field::parse(&field).unwrap();
    let at = |share: f64| mouse((l + share * w, t + h / 2.0));
    let drag = |a, b| [Event::Down(at(a)), Event::Move(at(b)), Event::Up(at(b))];
    let acts = page.all(&drag(0.25, 0.5));
    let range = |min, max| Act::Range(field.clone(), Some(Range { min, max }));
    let value = |share: f64| Some(scale.value(l + share * w));
    assert_eq!(acts[2], Act::Brush(Some([l + 0.25 * w, t, 0.25 * w, h])));
    assert_eq!(acts[3..], [Act::Brush(None), range(value(0.25), value(0.5))]);
    // An end of the bar is no limit.
    assert_eq!(page.all(&drag(0.5, 1.5)).last(), Some(&range(value(0.5), None)));
    assert_eq!(page.all(&drag(0.5, 0.5)), [Act::Range(field, None)]);
}

#[test]
fn keys_walk_select_zoom_and_leave() {
    let mut page = Page::new("roofline", "");
    assert_eq!(page.key("Enter"), [], "nothing is pointed at");
    let first = page.mark();
    assert_eq!(page.key("ArrowRight"), [Act::Consume, Act::Point(Some(first.clone()))]);
    let next = page.chart.neighbour(Some(&first), Direction::Right).unwrap();
    assert_eq!(page.key("ArrowRight"), [Act::Consume, Act::Point(Some(next.clone()))]);
    let select = Act::Select { rows: next.rows.clone(), add: false, at: next.at };
    assert_eq!(page.key(" "), [Act::Consume, select]);
    page.selected = true;
    assert_eq!(page.key("Escape"), [Act::Point(None)], "the same press closes the details");
    assert_eq!(page.key("Escape"), [], "a dialog around it may close");
    let camera = page.camera();
    let middle = (450.0, 200.0);
    for (name, zoom) in [
        ("+", Some(camera.zoom_about(middle, 1.5))),
        ("-", Some(camera.zoom_about(middle, 1.0 / 1.5))),
        ("0", None),
    ] {
        assert_eq!(page.key(name), [Act::Consume, Act::Zoom(zoom)]);
    }
    let pan = page.on(Event::Key { name: "ArrowRight", shift: true });
    assert_eq!(pan, [Act::Consume, Act::Zoom(Some(camera.pan_by((-60.0, 0.0))))]);
    assert_eq!(page.key("Tab"), []);
}

#[test]
fn the_whole_picture_shows_what_the_first_range_leaves_out() {
    let mut slow: Vec<_> = (1..40).map(|i| ((4096, 4096, 64 * i), 1e-3)).collect();
    // Short times, two decades below the others.
    slow.push(((16, 16, 16), 1e-5));
    // Within a tenth of a decade, far left of the ridge.
    let near: Vec<_> = (30..70).map(|i| ((8, 8192 + 64 * i, 8192), 1e-4)).collect();
    for (gemms, outside) in
        [(slow, "1 row of little time, below"), (near, "the ridge, 295.3 FLOP/B")]
    {
        let mut rows = Rows::new();
        gemms.iter().for_each(|(shape, time)| rows.row(*shape, "x", *time, ""));
        let frame = rows.frame(Some("h100-sxm"));
        let of = |state: &ViewState| {
            let inputs = Inputs::new(&frame, state);
            let zoom = crate::camera::zoom_of(state, "roofline");
            let look = RenderOptions::new(&Theme::LIGHT, (900.0, 400.0));
            let chart = (by_id("roofline").unwrap().open)(&inputs);
            chart.drawn(&RenderOptions { zoom, ..look }).unwrap()
        };
        let mut state = ViewState::default();
        let first = of(&state);
        let camera = first.camera().unwrap();
        let note = first.note().unwrap();
        assert!(note.contains(outside) && !camera.is_whole(), "{note}");
        assert_eq!(camera.whole(), Some(camera.home));
        crate::camera::set_zoom(&mut state, "roofline", camera.whole());
        let whole = of(&state);
        assert!(whole.camera().unwrap().is_whole() && whole.note().is_none());
    }
}

#[test]
fn keys_scroll_by_pages_and_walk_on_past_the_edge() {
    let mut page = Page::new("bars", "");
    let (_, _, rows) = page.chart.scene().scroll().unwrap();
    let last = rows.total - rows.shown;
    assert_eq!(page.key("PageDown"), [Act::Consume, Act::Scroll((0, rows.shown.min(last)))]);
    assert_eq!(page.key("End"), [Act::Consume, Act::Scroll((0, last))]);
    assert_eq!(page.key("Home"), [Act::Consume], "it is there");
    page.target = page.chart.scene().hit_areas.last().map(Target::of);
    assert_eq!(page.key("ArrowDown"), [Act::Consume, Act::Scroll((0, 1))]);
}
