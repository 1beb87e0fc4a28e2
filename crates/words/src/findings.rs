//! How the sentences of findings read.

#[cfg(test)]
mod tests;
