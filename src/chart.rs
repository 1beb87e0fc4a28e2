//! Pictures: data -> [`scene::Scene`] (pure) -> one painter.

pub mod scene;
