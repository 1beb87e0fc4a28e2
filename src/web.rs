//! Thin adapters over browser APIs (wasm32 only). They make no decisions: `app` and the crates decide what to do with a
//! file, a message or a key.

pub mod animation;
pub mod boot;
pub mod canvas;
pub mod clock;
pub mod database;
pub mod dom;
pub mod early;
pub mod file;

pub mod host;
pub mod importer;
pub mod js;
mod parquet;
pub mod picture;
pub mod reading;
pub mod storage;
pub mod transfer;
pub mod worker;
