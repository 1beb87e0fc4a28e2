//! What leaves the page: data in a link or a saved page, snippets for documentation, and the protocol of embedded
//! pages.
//!
//! This crate packs rows and checks messages. It knows no figures or charts; of `gemmscope-import` it uses only the
//! options that were chosen for a file.
//!
//! | module | what it holds |
//! |---|---|
//! | [`data`] | files with their options as one packed text, links, saved pages |
//! | [`extract`] | the rows of the open files as our own CSV, the only part of them that leaves the page |
//! | [`embed`] | messages between an embedded page and its host, and which addresses are fetched |
//! | [`run_list`] | the list of runs over time that lies beside a page |
//! | [`snippets`] | texts for documentation systems, and the escape of each language in them |
//!
//! ```
//! use gemmscope_share::data::{Carried, from_link, pack, to_link};
//!
//! let file = Carried {
//!     name: "mine.csv".into(),
//!     options: Default::default(),
//!     bytes: b"M,N,K,time_us\n512,512,512,8\n".to_vec(),
//! };
//! let link = to_link(&pack(vec![file.clone()])).map_err(|len| format!("{len} characters"))?;
//! assert_eq!(from_link(&link)?, [file]);
//! # Ok::<(), String>(())
//! ```

pub mod data;
pub mod embed;
pub mod extract;
pub mod run_list;
pub mod snippets;
pub mod source;
