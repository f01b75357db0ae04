//! From a path as written to the rooms that it leads through.

use super::source::Module;
use std::collections::{BTreeMap, BTreeSet};

/// Aliases of aliases are followed this far; circles end here.
const DEPTH: usize = 12;

/// All modules of a crate, by their path from the root.
pub struct Tree(BTreeMap<Vec<String>, Module>);

impl Tree {
    /// From the modules of all files.
    pub fn new(modules: Vec<Module>) -> Self {
        Self(modules.into_iter().map(|m| (m.path.clone(), m)).collect())
    }

    /// The modules.
    pub fn modules(&self) -> impl Iterator<Item = &Module> {
        self.0.values()
    }

    /// Whether a module is compiled for tests only.
    pub fn is_test(&self, path: &[String]) -> bool {
        (1..=path.len()).any(|end| {
            let parent = self.0.get(&path[..end - 1]);
            parent.is_some_and(|m| m.test_children.contains(&path[end - 1]))
        })
    }

    /// Whether a path, as written in module `from`, is the crate's root.
    pub fn is_root(&self, from: &[String], written: &[String]) -> bool {
        let ends = self.resolve(from, written, &mut BTreeSet::new(), 0);
        ends.iter().any(Vec::is_empty)
    }

    /// Names below the root (including the rooms) that a path written in module `from` leads
    /// through. Names behind re-exports count, and so does every intermediate step.
    pub fn touched(&self, from: &[String], written: &[String]) -> BTreeSet<String> {
        let mut stops = BTreeSet::new();
        self.resolve(from, written, &mut stops, 0);
        stops
    }

    /// The possible meanings of a path, from the root down; none for other crates and local names.
    fn resolve(
        &self,
        from: &[String],
        written: &[String],
        stops: &mut BTreeSet<String>,
        depth: usize,
    ) -> Vec<Vec<String>> {
        let Some(first) = written.first() else {
            return vec![];
        };
        let (starts, mut rest) = match first.as_str() {
            "crate" => (vec![vec![]], &written[1..]),
            "self" | "super" => (vec![from.to_vec()], written),
            name => (self.lookup(from, name, stops, depth), &written[1..]),
        };
        let mut starts = starts;
        while let Some(word @ ("self" | "super")) = rest.first().map(String::as_str) {
            if word == "super" {
                starts.iter_mut().for_each(|s| drop(s.pop()));
            }
            rest = &rest[1..];
        }
        let mut ends = Vec::new();
        for start in starts {
            self.walk(start, rest, stops, depth, &mut ends);
        }
        ends
    }

    fn walk(
        &self,
        at: Vec<String>,
        rest: &[String],
        stops: &mut BTreeSet<String>,
        depth: usize,
        ends: &mut Vec<Vec<String>>,
    ) {
        stops.extend(at.first().cloned());
        let Some(next) = rest.first() else {
            ends.push(at);
            return;
        };
        let found = self.lookup(&at, next, stops, depth);
        if found.is_empty() {
            // A definition.
            let end = [&at[..], rest].concat();
            stops.extend(end.first().cloned());
            ends.push(end);
        }
        for place in found {
            self.walk(place, &rest[1..], stops, depth, ends);
        }
    }

    /// What a name means in a module: an alias, a module in it, or a name that a glob brings.
    fn lookup(
        &self,
        module: &[String],
        name: &str,
        stops: &mut BTreeSet<String>,
        depth: usize,
    ) -> Vec<Vec<String>> {
        let Some(here) = self.0.get(module).filter(|_| depth < DEPTH) else {
            return vec![];
        };
        let mut found = Vec::new();
        for (_, target) in here.aliases.iter().filter(|(alias, _)| alias == name) {
            // `use name::name` and `use name`: the first word is the module of that name.
            if target.first().is_some_and(|first| first == name) {
                continue;
            }
            found.extend(self.resolve(module, target, stops, depth + 1));
        }
        if here.children.iter().any(|c| c == name) {
            found.push([module, &[name.to_string()]].concat());
        }
        if found.is_empty() {
            for glob in &here.globs {
                for place in self.resolve(module, glob, &mut BTreeSet::new(), depth + 1) {
                    found.extend(self.lookup(&place, name, stops, depth + 1));
                }
            }
        }
        found
    }
}
