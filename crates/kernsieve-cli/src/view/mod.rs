//! What a command shows. [`summary`] reads a result once; the others show it, each in its way.

pub mod csv;
pub mod html;
pub mod json;
pub mod summary;
pub mod terminal;
pub mod text;
pub mod words;
