//! Physical quantities in SI base units, and how they are written.

use serde::{Deserialize, Serialize};

macro_rules! quantity {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, PartialOrd, Serialize, Deserialize)]
        #[serde(transparent)]
        pub struct $name(pub f64);
    };
}

quantity!(/// Work in floating-point (or integer) operations; a multiply-add counts two.
    Flops);
quantity!(/// Memory traffic in bytes.
    Bytes);
quantity!(/// Time in seconds.
    Seconds);
quantity!(/// Rate of work in FLOP/s.
    FlopsPerSec);
quantity!(/// Bandwidth in byte/s.
    BytesPerSec);
quantity!(/// Arithmetic intensity in FLOP per byte.
    Intensity);
