//! What people read of an analysis: sentences, explanations, documents and reports.
//!
//! `gemmscope-analysis` says what is so, this crate says it. Page, command, report and JSON take the same
//! sentence from here. It knows no file format, no chart and no page.
//!
//! | module | the question it answers |
//! |---|---|
//! | [`headline`] | What is the first sentence about these GEMMs? |
//! | [`explain`], [`analysis_card`] | What are the figures of this row, and how were they computed? |
//! | [`glossary`] | What does this word mean? |
//! | [`report`], [`summary`] | How do I pass the findings or figures on? |
//! | [`doc`] | How are blocks of text written as HTML, markdown or plain text? |
//! | [`replay`] | How do I run just this GEMM? |
//! | [`plan_export`] | How do I run the GEMMs of a plan? |

pub mod analysis_card;
pub mod doc;
pub mod explain;
mod findings;
pub mod glossary;
pub mod headline;
pub mod plan_export;
pub mod replay;
pub mod report;
pub mod summary;
