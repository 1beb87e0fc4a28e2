//! How a command ends.

/// How a command ended; the number is the exit code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Exit {
    /// Done; all limits hold.
    Done = 0,
    /// A file could not be read, written or judged.
    Failed = 1,
    /// Wrong usage.
    Misuse = 2,
    /// A limit of `check` is broken.
    Broken = 3,
}

impl Exit {
    /// `Done` if this worked, else `Failed`.
    pub(super) fn worked(ok: bool) -> Exit {
        if ok { Exit::Done } else { Exit::Failed }
    }
}

/// What ends a command early.
#[derive(Debug)]
pub(super) enum Stop {
    /// End with this exit code; the reason was reported.
    With(Exit),
    /// Output or messages cannot be written.
    Io(std::io::Error),
}

impl From<std::io::Error> for Stop {
    fn from(error: std::io::Error) -> Stop {
        Stop::Io(error)
    }
}
