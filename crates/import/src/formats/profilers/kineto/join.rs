//! Joins kernels to the operations that launched them.

use super::events::{Events, Kernel, Launch};
use std::collections::HashMap;

/// Marks a call without a parent.
const NONE: u32 = u32::MAX;

/// One tree of operations per thread, and launches by id.
#[derive(Debug)]
pub(super) struct Join<'e> {
    events: &'e Events,
    /// Calls by thread, then start; for equal starts, the longer one first.
    order: Vec<u32>,
    /// Position of each call in `order`.
    places: Vec<u32>,
    /// Position in `order` of the enclosing call, for each position.
    parent: Vec<u32>,
    /// Range of each thread in `order`.
    threads: HashMap<u32, (usize, usize)>,
    /// Position in `order` by call id.
    by_id: HashMap<u64, u32>,
    by_correlation: HashMap<u64, u32>,
    /// Launches by id, for traces whose kernels have no correlation.
    by_launch_id: HashMap<u64, u32>,
}

/// What launched a kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Owner {
    /// A call: index into [`Events::calls`].
    Call(u32),
    /// A graph; the trace does not name the operation.
    Graph,
    /// Not stated by the trace.
    Unknown,
}

impl<'e> Join<'e> {
    pub(super) fn new(events: &'e Events) -> Self {
        let calls = &events.calls;
        let mut order: Vec<u32> = (0..calls.len() as u32).collect();
        order.sort_by(|a, b| {
            let (a, b) = (&calls[*a as usize], &calls[*b as usize]);
            a.thread
                .cmp(&b.thread)
                .then(a.span.0.total_cmp(&b.span.0))
                .then(b.span.1.total_cmp(&a.span.1))
        });
        let mut places = vec![0; order.len()];
        let mut parent = vec![NONE; order.len()];
        let mut threads = HashMap::new();
        let mut by_id = HashMap::new();
        let mut open: Vec<u32> = Vec::new();
        for (place, &call) in order.iter().enumerate() {
            places[call as usize] = place as u32;
            let c = &calls[call as usize];
            let range = threads.entry(c.thread).or_insert((place, place));
            if range.0 == place {
                open.clear();
            }
            range.1 = place + 1;
            while let Some(&top) = open.last() {
                let outer = &calls[order[top as usize] as usize];
                if outer.thread == c.thread && outer.span.1 >= c.span.1 {
                    break;
                }
                open.pop();
            }
            parent[place] = open.last().copied().unwrap_or(NONE);
            open.push(place as u32);
            if c.external_id != 0 {
                by_id.insert(c.external_id, place as u32);
            }
        }
        let (mut by_correlation, mut by_launch_id) = (HashMap::new(), HashMap::new());
        for (i, launch) in events.launches.iter().enumerate() {
            if launch.correlation != 0 {
                by_correlation.insert(launch.correlation, i as u32);
            } else if launch.external_id != 0 {
                by_launch_id.insert(launch.external_id, i as u32);
            }
        }
        Join { events, order, places, parent, threads, by_id, by_correlation, by_launch_id }
    }

    /// What launched a kernel: by the ids shared between kernel, launch and operation, else by the
    /// thread and time of the launch.
    pub(super) fn owner(&self, kernel: &Kernel) -> Owner {
        let launch = match kernel.correlation {
            0 => self.by_launch_id.get(&kernel.external_id),
            id => self.by_correlation.get(&id),
        };
        if let Some(&launch) = launch {
            let launch = &self.events.launches[launch as usize];
            if launch.graph {
                return Owner::Graph;
            }
            if let Some(call) = self.caller(launch) {
                return Owner::Call(call);
            }
        }
        let flow = || {
            let id = if kernel.correlation != 0 { kernel.correlation } else { kernel.external_id };
            let (thread, time) = self.events.flows.get(&id)?;
            self.around(*thread, *time)
        };
        match self.by_id.get(&kernel.external_id).copied().or_else(flow) {
            Some(place) => Owner::Call(self.order[place as usize]),
            None => Owner::Unknown,
        }
    }

    /// The call that made a launch: by its id, else by thread and time.
    pub(super) fn caller(&self, launch: &Launch) -> Option<u32> {
        // Without a correlation, the external id is that of the launch, not of the operation.
        let by_id =
            (launch.correlation != 0).then(|| self.by_id.get(&launch.external_id)).flatten();
        let place = by_id.copied().or_else(|| self.around(launch.thread, launch.start))?;
        Some(self.order[place as usize])
    }

    /// The innermost matrix multiply among a call and its callers.
    pub(super) fn gemm_around(&self, call: u32) -> Option<u32> {
        let mut place = self.places[call as usize];
        while place != NONE {
            let call = self.order[place as usize];
            if self.events.calls[call as usize].signature.is_some() {
                return Some(call);
            }
            place = self.parent[place as usize];
        }
        None
    }

    /// Modules and operations that enclose a call, outermost first.
    pub(super) fn callers(&self, call: u32) -> Vec<&'e str> {
        let calls = &self.events.calls;
        let c = &calls[call as usize];
        let around =
            |s: &&(u32, f64, f64, u32)| s.0 == c.thread && s.1 <= c.span.0 && c.span.1 <= s.2;
        let mut found: Vec<(f64, f64, u32)> =
            self.events.scopes.iter().filter(around).map(|s| (s.1, s.2, s.3)).collect();
        let mut place = self.parent[self.places[call as usize] as usize];
        while place != NONE {
            let outer = &calls[self.order[place as usize] as usize];
            found.push((outer.span.0, outer.span.1, outer.name));
            place = self.parent[place as usize];
        }
        found.sort_by(|a, b| a.0.total_cmp(&b.0).then(b.1.total_cmp(&a.1)));
        let bare = |name: &'e str| match name.strip_prefix("nn.Module: ") {
            // `BertLayer_3` is the fourth `BertLayer`.
            Some(module) => module
                .rsplit_once('_')
                .filter(|(_, n)| n.bytes().all(|b| b.is_ascii_digit()))
                .map_or(module, |(m, _)| m),
            None => name,
        };
        found.iter().map(|f| bare(self.events.names.value(f.2))).collect()
    }

    /// Position of the innermost call of a thread at this time.
    fn around(&self, thread: u32, time: f64) -> Option<u32> {
        let (from, to) = *self.threads.get(&thread)?;
        let calls = &self.events.calls;
        let after = self.order[from..to].partition_point(|o| calls[*o as usize].span.0 <= time);
        let mut place = (from + after.checked_sub(1)?) as u32;
        while place != NONE {
            if calls[self.order[place as usize] as usize].span.1 >= time {
                return Some(place);
            }
            place = self.parent[place as usize];
        }
        None
    }
}
