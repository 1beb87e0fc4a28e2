//! Accounts as columns of the table: by row, seconds of all calls in each account, and the account that holds most of
//! its lost time.

use super::{Account, Partners, Splitter};
use gemmscope_model::units::capitalized;
use gemmscope_table::field::{Categories, Codes, Derived, Field, FieldInfo, FieldKind, Frame};
use std::fmt::{self, Debug, Formatter};
use std::sync::{Arc, OnceLock};

/// Key of the category column: the account with most of a row's lost time.
pub const LARGEST_LOSS: &str = "ledger.largest_loss";

/// Its value if a row is at its roof and no run is faster.
pub const NOTHING_LOST: &str = "nothing lost";

/// Function that finds the partners of a table.
type Find = Box<dyn Fn(&Frame) -> Arc<Partners> + Send + Sync>;

/// Derived columns of one table and its metrics. Partners are found when a column is first read.
pub struct Columns {
    find: Find,
    partners: OnceLock<Arc<Partners>>,
    /// By row: index of its value in [`values`].
    largest: OnceLock<Vec<u32>>,
    fields: Vec<FieldInfo>,
}

/// The category's values: lost accounts, "nothing lost", and "roof unknown".
fn values() -> Vec<String> {
    let losses = Account::ALL.into_iter().filter(|a| a.is_lost()).map(Account::label);
    losses.chain([NOTHING_LOST, Account::NoRoof.label()]).map(str::to_owned).collect()
}

impl Debug for Columns {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.debug_struct("Columns").field("partners", &self.partners).finish_non_exhaustive()
    }
}

/// Field of an account: its seconds over all calls of a row.
pub fn field_of(account: Account) -> Field {
    Field::Column(format!("ledger.{}", account.key()))
}

impl Columns {
    /// Columns that find the partners themselves on first use.
    pub fn new() -> Arc<Columns> {
        Columns::asking(Partners::of)
    }

    /// Columns that get the partners from `find`, which may have computed them already.
    pub fn asking(find: impl Fn(&Frame) -> Arc<Partners> + Send + Sync + 'static) -> Arc<Columns> {
        let of = |account: Account| FieldInfo {
            field: field_of(account),
            label: match account {
                Account::Roof | Account::Rest => capitalized(account.label()),
                lost => format!("Lost to {}", lost.label()),
            },
            unit: "s".to_owned(),
            kind: FieldKind::Number,
            log: true,
            higher_is_better: account.is_lost().then_some(false),
            hint: account.hint(),
        };
        let shown = Account::ALL.into_iter().filter(|a| *a != Account::NoRoof);
        let mut fields: Vec<FieldInfo> = vec![FieldInfo {
            field: Field::Column(LARGEST_LOSS.to_owned()),
            label: "Largest loss".to_owned(),
            unit: String::new(),
            kind: FieldKind::Category,
            log: false,
            higher_is_better: None,
            hint: "The account that holds most of the lost time.",
        }];
        fields.extend(shown.map(of));
        Arc::new(Columns {
            find: Box::new(find),
            partners: OnceLock::new(),
            largest: OnceLock::new(),
            fields,
        })
    }

    fn splitter<'a>(&self, frame: &'a Frame) -> Splitter<'a> {
        Splitter::new(frame, self.partners.get_or_init(|| (self.find)(frame)).clone())
    }
}

impl Derived for Columns {
    fn fields(&self) -> &[FieldInfo] {
        &self.fields
    }

    fn numbers<'a>(
        &'a self,
        frame: &'a Frame,
        key: &str,
    ) -> Option<Box<dyn Fn(usize) -> f64 + 'a>> {
        let key = key.strip_prefix("ledger.")?;
        let account = Account::ALL.into_iter().find(|a| a.key() == key)?;
        let splitter = self.splitter(frame);
        Some(Box::new(move |r| {
            let entry = splitter.of(r as u32);
            entry.map_or(f64::NAN, |entry| entry.call.of(account) * frame.calls(r))
        }))
    }

    fn categories<'a>(&'a self, frame: &'a Frame, key: &str) -> Option<Categories<'a>> {
        if key != LARGEST_LOSS {
            return None;
        }
        let codes = self.largest.get_or_init(|| {
            let splitter = self.splitter(frame);
            let unknown = values().len() as u32 - 1;
            let lost = Account::ALL.map(|account| account.is_lost());
            let place = |account: Account| lost[..account as usize].iter().filter(|l| **l).count();
            let code = |row: u32| match splitter.of(row).map(|entry| entry.call) {
                None => unknown,
                Some(call) => match call.largest_loss() {
                    Some(account) => place(account) as u32,
                    None if call.of(Account::NoRoof) > 0.0 => unknown,
                    None => unknown - 1,
                },
            };
            (0..frame.data.len() as u32).map(code).collect()
        });
        Some(Categories { codes: Codes::Direct(codes), values: values().into() })
    }
}
