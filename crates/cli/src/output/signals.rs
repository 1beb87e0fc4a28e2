//! The signals that end the process take what is not whole with them.

/// Watches for them from the first file that is written on.
#[cfg(not(unix))]
pub(super) fn watch() {}

/// Watches for them from the first file that is written on.
#[cfg(unix)]
pub(super) fn watch() {
    use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGXCPU, SIGXFSZ};
    static ONCE: std::sync::Once = std::sync::Once::new();
    ONCE.call_once(|| {
        // A file that grows beyond what is allowed is a fault of the write, not the end of the process.
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

/// A bit for each signal that the process was told to ignore, as `nohup` does with the first. Only Linux
/// says so; elsewhere none is.
#[cfg(unix)]
pub(super) fn ignored() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or(0)
}
