//! Removes unfinished files when a signal ends the process.

/// There are no such signals here.
#[cfg(not(unix))]
pub(super) fn watch() {}

/// Starts watching for signals, once.
#[cfg(unix)]
pub(super) fn watch() {
    use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGXCPU, SIGXFSZ};
    static ONCE: std::sync::Once = std::sync::Once::new();
    ONCE.call_once(|| {
        // A file over the size limit is an error of the write, not the end of the process.
        let _ = signal_hook::flag::register(SIGXFSZ, Default::default());
        let ignored = ignored();
        let ending = [SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGXCPU];
        let ending = ending.into_iter().filter(|s| ignored >> (s - 1) & 1 == 0);
        let Ok(mut signals) = signal_hook::iterator::Signals::new(ending) else { return };
        std::thread::spawn(move || {
            for signal in signals.forever() {
                super::parts::end();
                let _ = signal_hook::low_level::emulate_default_handler(signal);
            }
        });
    });
}

/// Bit mask of the signals that the process ignores (`nohup` ignores SIGHUP). Known on Linux only; 0 elsewhere.
#[cfg(unix)]
pub(super) fn ignored() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or(0)
}
