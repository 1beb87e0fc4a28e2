//! The ledger as bars: one per side and device, whose parts add up to its time. Clicking a part isolates its GEMMs,
//! again shows all. Together with the line above they are one Tab stop. While findings are ticked as fixed, a bar shows
//! what is left, over an outline of the original one.

use crate::app::state::Workbench;
use crate::app::state::findings_task::{latest, run_over};
use crate::web::dom;
use gemmscope_analysis::ledger::{Account, Book, Sum, rows_of};
use gemmscope_model::units::{and_more, capitalized, percent, plural, seconds_brief};
use gemmscope_words::headline;
use leptos::prelude::*;

/// Maximum number of bars; the others are counted.
const MOST: usize = 6;

/// The bars.
#[component]
pub fn LedgerBars() -> impl IntoView {
    let bench = Workbench::here();
    let found = latest(bench);
    let bars = Memo::new(move |_| {
        found.with(|f| f.as_ref().map_or_else(Vec::new, |r| r.findings.ledger.books.clone()))
    });
    // The clicked part keeps the focus in the bar that replaces it.
    let clicked = StoredValue::new(None::<Account>);
    Effect::new(move |_| {
        bars.track();
        if let Some(account) = clicked.try_update_value(Option::take).flatten() {
            dom::focus(&format!(".account[data-account=\"{}\"]", account.key()));
        }
    });
    // Reserve the height of one bar until it is there.
    let expected = Memo::new(move |_| {
        let rows = bench.frame.with(|f| f.rows.len());
        bars.with(|b| !b.is_empty()) || run_over(bench, rows)
    });
    let more = move || {
        let n = bars.with(Vec::len).saturating_sub(MOST);
        (n > 0).then(|| view! { <p class="muted">{and_more(n)}</p> })
    };
    let rows = move || {
        let ticked = bench.ticked.get();
        bars.with(|bars| {
            let one = bars.len() == 1;
            let left = ticked.as_ref().map_or(&[][..], |t| &t.left.books);
            let each = bars.iter().take(MOST).enumerate();
            let each = each.map(|(i, b)| (i, b, left.get(i).filter(|l| l.time_s < b.time_s)));
            each.map(|of| row(bench, of, one, clicked)).collect_view()
        })
    };
    // Above the bars, where it moves nothing.
    let without = move || {
        bench.published.is_awaited().then(|| {
            view! { <p class="ledger-without muted" role="status">"still without published times"</p> }
        })
    };
    view! {
        <Show when=move || expected.get()>
            <section class="ledger-bars" aria-label="Where the time goes">{without}{rows}{more}</section>
        </Show>
    }
}

/// One bar, with its name and total before it if there are several. These have equal length, so their parts show shares.
/// Parts too narrow for their labels are listed below a single bar, and on a phone beside the name. `left` is the book with the ticked
/// findings fixed.
fn row(
    bench: Workbench,
    (index, book, left): (usize, &Book, Option<&Book>),
    one: bool,
    clicked: StoredValue<Option<Account>>,
) -> AnyView {
    let name = &book.name;
    let total = match left {
        Some(left) => format!("{}, {} left", headline::total(book), seconds_brief(left.time_s)),
        None => headline::total(book),
    };
    // The column is narrow: the title has all.
    let brief = match left {
        Some(left) => {
            format!("{}, {} left", seconds_brief(book.time_s), seconds_brief(left.time_s))
        }
        None => headline::brief(book),
    };
    let head = (!name.is_empty()).then(|| {
        let title = format!("{name} {total}");
        view! { <p class="ledger-name" title=title><strong>{name.clone()}</strong>" "{brief}</p> }
    });
    let shown = left.unwrap_or(book);
    let each: Vec<BarSegment> =
        shown.each().map(|of| BarSegment::of(index, (book, of), one)).collect();
    let names = each.iter().map(BarSegment::name).collect_view();
    let names = view! { <div class="ledger-rest" aria-hidden="true">{names}</div> };
    let parts = each.into_iter().map(|p| p.button(bench, book, clicked)).collect_view();
    let before = left.map(|left| before(book, left));
    let bar = view! {
        <div class="ledger-bar" role="group" aria-label=format!("{name} {total}").trim().to_owned()>{parts}{before}</div>
    };
    match head {
        Some(head) => view! { <div class="ledger-row"><div class="ledger-head">{head}{names}</div>{bar}</div> }.into_any(),
        None => view! { {bar}{names} }.into_any(),
    }
}

/// The saved time as empty space after the parts, and an outline of the original bar.
fn before(book: &Book, left: &Book) -> AnyView {
    let saved_s = book.time_s - left.time_s;
    let share = |s: f64| format!("{:.5}", s / book.time_s);
    let outline = |(account, sum): (Account, Sum)| {
        view! { <span data-account=account.key() style:flex-grow=share(sum.seconds)></span> }
    };
    view! {
        <span class="ledger-saved" style:flex-grow=share(saved_s) title=format!("{} saved", seconds_brief(saved_s))></span>
        <span class="ledger-before" aria-hidden="true">{book.each().map(outline).collect_view()}</span>
    }
    .into_any()
}

/// Approximate width of a text in digits, for any font.
fn digits(text: &str) -> f64 {
    let width = |c: char| match c {
        'i' | 'l' | 't' | 'f' | 'r' | '.' | ' ' => 0.55,
        'm' | 'w' | '%' => 1.5,
        _ => 1.0,
    };
    text.chars().map(width).sum()
}

/// A part of a bar.
struct BarSegment {
    id: String,
    account: Account,
    share: f64,
    /// Its figure: a time or a share.
    shown: String,
    hint: String,
}

impl BarSegment {
    /// The part of an account in a book.
    fn of(index: usize, (book, (account, sum)): (&Book, (Account, Sum)), one: bool) -> Self {
        let share = sum.seconds / book.time_s;
        let (seconds, of_time) = (seconds_brief(sum.seconds), percent(share));
        let (shown, beside) = match one {
            true => (seconds, format!("{of_time} of the time")),
            false => (of_time, seconds),
        };
        let hint = format!(
            "{} {shown}: {beside}, {}, {}",
            capitalized(account.label()),
            plural(sum.groups, "GEMM"),
            book.evidence(account).label(),
        );
        BarSegment { id: format!("account-{index}-{}", account.key()), account, share, shown, hint }
    }

    /// Its words beside the bar, as a label of the part, so that a click counts as one on the part. The style sheet
    /// shows it if the words are wider than the part.
    fn name(&self) -> AnyView {
        let label = self.account.label();
        let ch = digits(label) + 1.1 * digits(&self.shown) + 0.5;
        view! {
            <label for=self.id.clone() title=self.hint.clone() data-account=self.account.key()
                style:--words=format!("{ch:.1}ch") style:--share=format!("{:.5}", self.share)>
                <span>{label}" "<strong>{self.shown.clone()}</strong></span>
            </label>
        }
        .into_any()
    }

    fn button(
        self,
        bench: Workbench,
        book: &Book,
        clicked: StoredValue<Option<Account>>,
    ) -> AnyView {
        let BarSegment { id, account, share, shown, hint } = self;
        let book = book.clone();
        let isolated = move || {
            bench.view.with(|v| v.filters.only.as_ref().is_some_and(|o| o.what == account.key()))
        };
        let isolate = move |_| {
            // Every GEMM needs its roof time, so there is nothing to isolate.
            if account == Account::Roof {
                return;
            }
            clicked.set_value(Some(account));
            if isolated() {
                bench.edit(|v| v.filters.only = None);
            } else if let Some(result) = bench.findings.get_untracked() {
                let partners = bench.row_cache.get_value().partners(&result.frame);
                let rows = rows_of(&result.frame, &partners, &book, account);
                bench.filter_to(account.key(), &rows);
            }
        };
        view! {
            <button type="button" class="account" id=id data-account=account.key() tabindex="-1"
                style:flex-grow=format!("{share:.5}") title=hint.clone() aria-label=hint
                aria-pressed=move || isolated().to_string() on:click=isolate>
                <span>{account.label()}" "<strong>{shown}</strong></span>
            </button>
        }
        .into_any()
    }
}
