//! Damaged files and odd options for everything that reads what others wrote.
//!
//! A [`targets::Target`] makes an input from a seed and gives it to a reader. [`campaign::run`]
//! does so many times and counts what must not happen: a panic, an input that takes more than a
//! second, one that takes more than a gibibyte of memory. Every input depends on nothing but the
//! target, the seed and its number, so that each can be had again.

pub mod campaign;
pub mod counting;
pub mod mutate;
pub mod seeds;
pub mod targets;
