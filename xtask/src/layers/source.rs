//! Just enough of Rust's syntax to find the paths in a file: words, use trees and modules.

/// One module as it stands in a file, test code left out.
#[derive(Debug, Default)]
pub struct Module {
    /// Names from the crate's root down; empty for the root itself.
    pub path: Vec<String>,
    /// `use` items, one entry per name: the name it gets here and the path as written.
    pub aliases: Vec<(String, Vec<String>)>,
    /// Paths of `use path::*`.
    pub globs: Vec<Vec<String>>,
    /// Modules declared here, with or without a body.
    pub children: Vec<String>,
    /// Modules declared here that are compiled for tests only.
    pub test_children: Vec<String>,
    /// Every path in the code, as written, with its line.
    pub paths: Vec<(usize, Vec<String>)>,
    /// Lines with a `use path::*` and that path.
    pub glob_lines: Vec<(usize, Vec<String>)>,
}

/// A word or a sign, with its line.
#[derive(Clone, Debug, PartialEq)]
struct Token {
    text: String,
    line: usize,
}

/// The modules of a file: the file's own, `path`, and those with a body inside it.
pub fn modules(path: &[String], text: &str) -> Vec<Module> {
    let own = Module {
        path: path.to_vec(),
        ..Module::default()
    };
    let mut reader = Reader {
        tokens: tokens(text),
        at: 0,
        done: Vec::new(),
    };
    let own = reader.module(own);
    reader.done.push(own);
    reader.done
}

struct Reader {
    tokens: Vec<Token>,
    at: usize,
    done: Vec<Module>,
}

impl Reader {
    fn text(&self, ahead: usize) -> &str {
        self.tokens.get(self.at + ahead).map_or("", |t| &t.text)
    }

    fn line(&self) -> usize {
        self.tokens.get(self.at).map_or(0, |t| t.line)
    }

    /// Reads to the brace that closes the module, or to the end of the file.
    fn module(&mut self, mut module: Module) -> Module {
        let mut depth = 0usize;
        while self.at < self.tokens.len() {
            let (word, next) = (self.text(0), self.text(1));
            if self.is_test_attribute() {
                self.skip_test_item(&mut module);
            } else if word == "use" && !matches!(next, "<" | "") {
                self.at += 1;
                self.use_tree(&mut module, &[]);
            } else if word == "extern" && next == "crate" {
                // `extern crate self as name;`
                if self.text(2) == "self" && self.text(3) == "as" {
                    let name = self.text(4).to_string();
                    module.aliases.push((name, vec!["crate".into()]));
                }
                self.at += 3;
            } else if word == "mod" && is_word(next) && matches!(self.text(2), ";" | "{") {
                let (name, body) = (next.to_string(), self.text(2) == "{");
                self.at += 3;
                module.children.push(name.clone());
                if body {
                    let path = [&module.path[..], &[name]].concat();
                    let inner = self.module(Module {
                        path,
                        ..Module::default()
                    });
                    self.done.push(inner);
                }
            } else if word == "{" {
                depth += 1;
                self.at += 1;
            } else if word == "}" {
                self.at += 1;
                if depth == 0 {
                    return module;
                }
                depth -= 1;
            } else if is_word(word) {
                let before = self.at.checked_sub(1).map_or("", |k| &self.tokens[k].text);
                // Fields and methods are not paths, and `::name` is another crate.
                let starts = !matches!(before, "." | "::");
                let line = self.line();
                let path = self.path();
                if starts {
                    module.paths.push((line, path));
                }
            } else {
                self.at += 1;
            }
        }
        module
    }

    /// `word::word::word`, from here.
    fn path(&mut self) -> Vec<String> {
        let mut path = vec![self.text(0).to_string()];
        self.at += 1;
        while self.text(0) == "::" && is_word(self.text(1)) {
            path.push(self.text(1).to_string());
            self.at += 2;
        }
        path
    }

    /// One branch of a use tree, and the `;`, `,` or `}` after it where it is the last.
    fn use_tree(&mut self, module: &mut Module, stem: &[String]) {
        let mut path = stem.to_vec();
        // `use ::name`: another crate.
        let foreign = stem.is_empty() && self.text(0) == "::";
        if foreign {
            path.push("::".into());
            self.at += 1;
        }
        let line = self.line();
        loop {
            let word = self.text(0).to_string();
            match word.as_str() {
                "{" => {
                    self.at += 1;
                    while self.at < self.tokens.len() && self.text(0) != "}" {
                        self.use_tree(module, &path);
                        if self.text(0) == "," {
                            self.at += 1;
                        }
                    }
                    self.at += 1;
                    return;
                }
                "*" => {
                    self.at += 1;
                    module.globs.push(path.clone());
                    module.glob_lines.push((line, path.clone()));
                    module.paths.push((line, path));
                    return;
                }
                "self" if !path.is_empty() => self.at += 1,
                _ if is_word(&word) => {
                    path.push(word);
                    self.at += 1;
                }
                _ => return,
            }
            if self.text(0) == "::" {
                self.at += 1;
                continue;
            }
            let mut name = path.last().cloned().unwrap_or_default();
            if self.text(0) == "as" {
                name = self.text(1).to_string();
                self.at += 2;
            }
            module.aliases.push((name, path.clone()));
            module.paths.push((line, path));
            return;
        }
    }

    /// Whether `#[cfg(test)]` starts here.
    fn is_test_attribute(&self) -> bool {
        let wanted = ["#", "[", "cfg", "(", "test", ")", "]"];
        (0..wanted.len()).all(|k| self.text(k) == wanted[k])
    }

    /// Passes over the item that the attribute belongs to.
    fn skip_test_item(&mut self, module: &mut Module) {
        self.at += 7;
        let mut depth = 0usize;
        while self.at < self.tokens.len() {
            let word = self.text(0);
            if depth == 0 && word == "mod" && self.text(2) == ";" {
                module.test_children.push(self.text(1).to_string());
            }
            match word {
                "{" | "(" | "[" => depth += 1,
                "}" | ")" | "]" => depth = depth.saturating_sub(1),
                _ => {}
            }
            let ends = depth == 0 && matches!(word, ";" | "}");
            self.at += 1;
            if ends {
                return;
            }
        }
    }
}

fn is_word(text: &str) -> bool {
    let mut letters = text.chars();
    letters
        .next()
        .is_some_and(|c| c.is_alphabetic() || c == '_')
}

/// Words, `::` and single signs; comments and literals are left out.
fn tokens(text: &str) -> Vec<Token> {
    let letters: Vec<char> = text.chars().collect();
    let at = |k: usize| letters.get(k).copied().unwrap_or('\0');
    let mut found = Vec::new();
    let (mut k, mut line) = (0, 1);
    while k < letters.len() {
        let start = k;
        match letters[k] {
            '/' if at(k + 1) == '/' => {
                while k < letters.len() && letters[k] != '\n' {
                    k += 1;
                }
            }
            '/' if at(k + 1) == '*' => {
                let mut depth = 0;
                while k < letters.len() {
                    match (letters[k], at(k + 1)) {
                        ('/', '*') => (depth, k) = (depth + 1, k + 2),
                        ('*', '/') => (depth, k) = (depth - 1, k + 2),
                        _ => k += 1,
                    }
                    if depth == 0 {
                        break;
                    }
                }
            }
            '"' => k = string_end(&letters, k),
            '\'' if at(k + 1) == '\\' => {
                k += 3;
                while k < letters.len() && letters[k] != '\'' {
                    k += 1;
                }
                k += 1;
            }
            '\'' if at(k + 2) == '\'' => k += 3,
            // A lifetime.
            '\'' => k += 1,
            c if c.is_alphabetic() || c == '_' => {
                while at(k).is_alphanumeric() || at(k) == '_' {
                    k += 1;
                }
                let word: String = letters[start..k].iter().collect();
                if let ("r" | "br" | "cr", Some(end)) = (&*word, raw_string_end(&letters, k)) {
                    k = end;
                } else if word == "r" && at(k) == '#' {
                    // `r#name` is the name.
                    k += 1;
                } else if at(start.wrapping_sub(1)) != '\'' {
                    found.push(Token { text: word, line });
                }
            }
            ':' if at(k + 1) == ':' => {
                k += 2;
                found.push(Token {
                    text: "::".into(),
                    line,
                });
            }
            c if c.is_ascii_digit() => {
                while at(k).is_alphanumeric() || at(k) == '_' {
                    k += 1;
                }
            }
            c => {
                k += 1;
                if !c.is_whitespace() {
                    found.push(Token {
                        text: c.into(),
                        line,
                    });
                }
            }
        }
        line += letters[start..k.min(letters.len())]
            .iter()
            .filter(|c| **c == '\n')
            .count();
    }
    found
}

/// Just after the string that starts at `k`.
fn string_end(letters: &[char], mut k: usize) -> usize {
    k += 1;
    while k < letters.len() && letters[k] != '"' {
        k += if letters[k] == '\\' { 2 } else { 1 };
    }
    k + 1
}

/// Just after the raw string whose signs and quote start at `k`, if one does.
fn raw_string_end(letters: &[char], k: usize) -> Option<usize> {
    let signs = letters[k..].iter().take_while(|c| **c == '#').count();
    if letters.get(k + signs) != Some(&'"') {
        return None;
    }
    let close: Vec<char> = std::iter::once('"')
        .chain(std::iter::repeat_n('#', signs))
        .collect();
    let body = k + signs + 1;
    let found = letters[body..]
        .windows(close.len())
        .position(|w| w == close)?;
    Some(body + found + close.len())
}
