//! What a command shows. [`summary`] reads a result once; the other modules show it, each in its
//! own way.

pub mod csv;
pub mod html;
pub mod json;
pub mod summary;
pub mod terminal;
pub mod text;
pub mod words;
