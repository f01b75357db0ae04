//! Options of the methods: one flag per parameter of the catalogue, with the help text of the
//! parameter.

use crate::view::words::in_words;
use clap::builder::PossibleValuesParser;
use clap::error::ErrorKind;
use clap::{Arg, ArgAction, ArgMatches, Args, Command, Error, FromArgMatches};
use kernsieve::catalogue::{self, CATALOGUE};
use kernsieve::method::density::{self, Density};
use kernsieve::params::{Fallback, KERNEL_PARAMS, Kind, PROTOCOL, Param, Params, Protocol};
use serde_json::Value;

/// Heading above the options of the methods.
const HEADING: &str = "Method options (what is not given is tuned)";
/// A parameter that this many methods have needs no list of them.
const MOST: usize = 6;

/// Options of the methods. Given values are used as they are; the others are tuned.
#[derive(Clone, Debug)]
pub struct MethodParams {
    /// Parameters of the methods by id.
    pub given: Params,
    /// The settings that all of them share.
    pub protocol: Protocol,
}

impl Args for MethodParams {
    fn augment_args(command: Command) -> Command {
        let command = command.next_help_heading(HEADING);
        method_flags().iter().fold(command, |c, f| c.arg(f.arg()))
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl FromArgMatches for MethodParams {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, Error> {
        let (protocol, given) = collected(&method_flags(), matches)?;
        Ok(Self { given, protocol })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

/// Options of a density.
#[derive(Clone, Debug)]
pub struct DensityParams {
    /// The estimate.
    pub density: Density,
    /// Folds, seed, scaling.
    pub protocol: Protocol,
}

impl Args for DensityParams {
    fn augment_args(command: Command) -> Command {
        density_flags().iter().fold(command, |c, f| c.arg(f.arg()))
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl FromArgMatches for DensityParams {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, Error> {
        let (protocol, given) = collected(&density_flags(), matches)?;
        let density = Density::from_params(&given).map_err(refused)?;
        Ok(Self { density, protocol })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

/// A flag: the meanings of a parameter name, and the methods that have each.
struct Flag {
    /// Its name as typed.
    name: String,
    /// The id that a value goes to.
    id: &'static str,
    /// Whether it takes several values to choose among.
    several: bool,
    meanings: Vec<(Param, Vec<&'static str>)>,
}

impl Flag {
    fn param(&self) -> &Param {
        &self.meanings[0].0
    }

    /// The flag for clap.
    fn arg(&self) -> Arg {
        let usual = self.meanings.iter().any(|(p, _)| p.usual) && !self.several;
        let arg = Arg::new(self.name.clone())
            .long(self.name.clone())
            .help(self.help())
            .hide_short_help(!usual);
        let arg = self
            .param()
            .excludes
            .iter()
            .fold(arg, |a, id| a.conflicts_with(flag_of(id)));
        match self.param().kind {
            Kind::Off | Kind::On(_) => arg.action(ArgAction::SetTrue),
            Kind::Word(..) => arg
                .value_name(self.name.to_uppercase())
                .value_parser(PossibleValuesParser::new(self.words())),
            Kind::Count { letter, .. } => arg
                .value_name(letter)
                .value_parser(clap::value_parser!(u64)),
            Kind::Number { letter, .. } | Kind::Grid { letter, .. } if !self.several => arg
                .value_name(letter)
                .allow_negative_numbers(true)
                .value_parser(clap::value_parser!(f64)),
            Kind::Number { letter, .. } | Kind::Grid { letter, .. } | Kind::List { letter, .. } => {
                let one = self.name.trim_end_matches('s').to_string();
                let arg = arg
                    .value_name(format!("{letter},.."))
                    .value_delimiter(',')
                    .action(ArgAction::Append)
                    .allow_negative_numbers(true)
                    .value_parser(clap::value_parser!(f64));
                if self.several {
                    arg.conflicts_with(one)
                } else {
                    arg
                }
            }
            Kind::WordOrList(_, _, letter) | Kind::Text { letter, .. } => {
                arg.value_name(letter).allow_hyphen_values(true)
            }
        }
    }

    /// All words that some method accepts.
    fn words(&self) -> Vec<&'static str> {
        let mut words = Vec::new();
        for (param, _) in &self.meanings {
            let own = match param.kind {
                Kind::Word(own, _) => own,
                _ => &[],
            };
            words.extend(
                own.iter()
                    .filter(|w| !words.contains(*w))
                    .copied()
                    .collect::<Vec<_>>(),
            );
        }
        if self.id == "kernel" && self.meanings.iter().any(|(_, methods)| !methods.is_empty()) {
            words.push("discriminant");
        }
        words
    }

    /// Its help with its default, method by method where it differs.
    fn help(&self) -> String {
        if self.several {
            let one = self.name.trim_end_matches('s');
            let words = format!("Several values of --{one} to choose among by cross-validation");
            let methods = self.meanings.iter().flat_map(|(_, m)| m.clone());
            return for_methods(&words, methods.collect(), true);
        }
        let mut told: Vec<(String, Vec<&str>)> = Vec::new();
        let mut defaults: Vec<(Option<String>, Vec<&str>)> = Vec::new();
        for (param, methods) in &self.meanings {
            let words = match param.kind {
                Kind::On(_) => format!("Do not {}", lower(&in_words(param.help))),
                _ => in_words(param.help),
            };
            join(&mut told, words, methods);
            join(&mut defaults, default_words(param), methods);
        }
        let alone = told.len() == 1;
        let words = told
            .into_iter()
            .map(|(words, methods)| for_methods(&words, methods, alone));
        let mut help = words.collect::<Vec<_>>().join("; ");
        if self.id == "kernel" && self.words().contains(&"discriminant") {
            help.push_str("; discriminant is short for --posterior l1");
        }
        let alone = defaults.len() == 1;
        let known = defaults.into_iter().filter_map(|(words, methods)| {
            let words = words?;
            Some(if alone {
                words
            } else {
                for_methods(&words, methods, false)
            })
        });
        let known = known.collect::<Vec<_>>().join("; ");
        match known.is_empty() {
            true => help,
            false => format!("{help} [default: {known}]"),
        }
    }

    /// What the first meaning that takes a value makes of it. Where a method's own meaning does not
    /// take it, the method says so.
    fn by_any(
        &self,
        read: impl Fn(&Param) -> kernsieve::Result<Value>,
    ) -> kernsieve::Result<Value> {
        let taken = self.meanings.iter().find_map(|(p, _)| read(p).ok());
        taken.map_or_else(|| read(self.param()), Ok)
    }

    /// The value that was typed.
    fn value(&self, matches: &ArgMatches) -> Result<Option<Value>, Error> {
        use clap::parser::ValueSource;
        if matches.value_source(&self.name) != Some(ValueSource::CommandLine) {
            return Ok(None);
        }
        let param = self.param();
        let numbers = || -> Vec<f64> {
            let all = matches.get_many::<f64>(&self.name);
            all.into_iter().flatten().copied().collect()
        };
        let value = match param.kind {
            Kind::Off => Ok(Value::from(true)),
            Kind::On(_) => Ok(Value::from(false)),
            Kind::Word(..) => {
                let word = matches.get_one::<String>(&self.name);
                Ok(word.cloned().into())
            }
            Kind::Count { .. } => param.count(matches.get_one(&self.name).copied().unwrap_or(0)),
            Kind::Number { .. } | Kind::Grid { .. } if !self.several => {
                let number = matches.get_one(&self.name).copied();
                self.by_any(|param| param.number(number.unwrap_or(f64::NAN)))
            }
            Kind::Number { .. } | Kind::Grid { .. } | Kind::List { .. } => {
                self.by_any(|param| param.numbers(&numbers()))
            }
            Kind::Text { .. } => {
                let text = matches.get_one::<String>(&self.name).cloned();
                param.text(&text.unwrap_or_default())
            }
            Kind::WordOrList(words, ..) => {
                let text = matches.get_one::<String>(&self.name).cloned();
                word_or_list(param, words, &text.unwrap_or_default())
            }
        };
        value.map(Some).map_err(refused)
    }
}

/// A word, or numbers separated by commas.
fn word_or_list(param: &Param, words: &[&str], text: &str) -> kernsieve::Result<Value> {
    if words.contains(&text) {
        return param.word(text);
    }
    let numbers: Result<Vec<f64>, _> = text.split(',').map(|v| v.trim().parse()).collect();
    match numbers {
        Ok(numbers) => param.numbers(&numbers),
        Err(_) => Err(param.wrong(
            &format!(
                "{}, or numbers separated by commas, one per class",
                words.join(", ")
            ),
            format!("'{text}'"),
        )),
    }
}

/// Adds methods to those with the same text.
fn join<W: PartialEq>(told: &mut Vec<(W, Vec<&'static str>)>, words: W, methods: &[&'static str]) {
    match told.iter_mut().find(|(w, _)| *w == words) {
        Some((_, all)) => all.extend(methods),
        None => told.push((words, methods.to_vec())),
    }
}

/// Texts with the methods that they apply to. A single text needs no list of methods if many
/// methods share it.
fn for_methods(words: &str, mut methods: Vec<&str>, alone: bool) -> String {
    methods.sort_unstable();
    methods.dedup();
    if methods.is_empty() || (alone && methods.len() >= MOST) {
        return words.into();
    }
    format!("{}: {}", methods.join(", "), lower(words))
}

/// The default in words, if there is one.
fn default_words(param: &Param) -> Option<String> {
    match param.default {
        Fallback::Absent(words) => Some(in_words(words)),
        Fallback::Word(word) => Some(word.into()),
        Fallback::Count(n) => Some(n.to_string()),
        Fallback::Number(v) => Some(v.to_string()),
        Fallback::Kind => None,
    }
}

/// With a lower-case first letter, unless the first word is an abbreviation.
fn lower(text: &str) -> String {
    let mut letters = text.chars();
    match (letters.next(), letters.clone().next()) {
        (Some(first), Some(second)) if second.is_lowercase() => {
            first.to_lowercase().chain(letters).collect()
        }
        _ => text.into(),
    }
}

/// An error of the library as one of the command line.
fn refused(error: kernsieve::Error) -> Error {
    Error::raw(ErrorKind::ValueValidation, in_words(&error.to_string()))
}

/// The flags of the methods: kernels first, those that all methods share last.
fn method_flags() -> Vec<Flag> {
    let mut flags = Vec::new();
    let abouts = || CATALOGUE.iter().map(|e| e.about);
    let all = abouts().flat_map(|a| a.params.iter().map(move |p| (p, a.name)));
    let is_kernel = |p: &Param| KERNEL_PARAMS.contains(&p.id);
    let (kernels, others): (Vec<_>, Vec<_>) = all.partition(|(p, _)| is_kernel(p));
    for (param, method) in kernels.into_iter().chain(others) {
        add(&mut flags, param, Some(method));
    }
    PROTOCOL.iter().for_each(|p| add(&mut flags, p, None));
    flags
}

/// The flags of a density.
fn density_flags() -> Vec<Flag> {
    let mut flags = Vec::new();
    let protocol = PROTOCOL.iter();
    let own = ["folds", "seed", "standardize"];
    let protocol = protocol.filter(|p| own.contains(&p.id));
    for param in density::PARAMS.iter().chain(protocol) {
        add(&mut flags, &param.usual(), None);
    }
    flags
}

/// The name of the flag of a parameter: one that is on is switched off.
fn flag_name(param: &Param) -> String {
    match param.kind {
        Kind::On(off) => off.into(),
        _ => param.id.replace('_', "-"),
    }
}

/// The name of the flag of the parameter with this id.
fn flag_of(id: &str) -> String {
    let shared = PROTOCOL.iter().find(|p| p.id == id);
    shared.map_or_else(|| id.replace('_', "-"), flag_name)
}

/// Adds the meaning of a parameter for a method: to the flag of that name, or to one or two new
/// flags.
fn add(flags: &mut Vec<Flag>, param: &Param, method: Option<&'static str>) {
    let name = flag_name(param);
    let mut names = vec![(name, param.singular().is_some())];
    if let Some(one) = param.singular() {
        names.insert(0, (one.replace('_', "-"), false));
    }
    for (name, several) in names {
        let id = match several {
            false => param.singular().unwrap_or(param.id),
            true => param.id,
        };
        let flag = match flags.iter().position(|f| f.name == name) {
            Some(k) => &mut flags[k],
            None => {
                flags.push(Flag {
                    name,
                    id,
                    several,
                    meanings: vec![],
                });
                let last = flags.len() - 1;
                &mut flags[last]
            }
        };
        let same =
            |(p, _): &&mut (Param, Vec<&str>)| p.help == param.help && p.default == param.default;
        match flag.meanings.iter_mut().find(same) {
            // Words may differ: a later meaning may accept more of them.
            Some((known, methods)) => {
                if let (Kind::Word(a, _), Kind::Word(b, _)) = (known.kind, param.kind)
                    && b.len() > a.len()
                {
                    known.kind = param.kind;
                }
                methods.extend(method);
            }
            None => flag.meanings.push((*param, Vec::from_iter(method))),
        }
    }
}

/// What was typed: the protocol, and the parameters of methods by id.
fn collected(flags: &[Flag], matches: &ArgMatches) -> Result<(Protocol, Params), Error> {
    let (mut protocol, mut given) = (Params::new(), Params::new());
    for flag in flags {
        let Some(value) = flag.value(matches)? else {
            continue;
        };
        let is_protocol = PROTOCOL.iter().any(|p| p.id == flag.id);
        let into = if is_protocol {
            &mut protocol
        } else {
            &mut given
        };
        into.insert(flag.id.into(), value);
    }
    let protocol = serde_json::from_value(Value::Object(protocol))
        .map_err(|e| Error::raw(ErrorKind::ValueValidation, e))?;
    Ok((protocol, given))
}

/// The help of `--method`.
pub fn method_help() -> String {
    format!(
        "{}, or auto: the most accurate one in cross-validation of a few that use all options \
         given (--prefer small: the smallest about as good)",
        catalogue::names().join(", ")
    )
}

/// The methods, one per line, for the long help.
pub fn method_list() -> String {
    let mut lines = vec!["Methods:".to_string()];
    for name in catalogue::names() {
        if let Ok(entry) = catalogue::find(name) {
            lines.push(format!("  {name:<11} {}", entry.about.title));
        }
    }
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_parameter_of_the_catalogue_can_be_typed() {
        let flags = method_flags();
        for param in CATALOGUE
            .iter()
            .flat_map(|e| e.about.params)
            .chain(PROTOCOL)
        {
            let known = |f: &Flag| f.id == param.id || Some(f.id) == param.singular();
            assert!(flags.iter().any(known), "{}", param.id);
        }
        let names: std::collections::BTreeSet<&String> = flags.iter().map(|f| &f.name).collect();
        assert_eq!(names.len(), flags.len(), "no flag stands twice");
    }

    #[test]
    fn a_flag_says_to_whom_it_means_what() {
        let flags = method_flags();
        let help = |name: &str| {
            let flag = flags.iter().find(|f| f.name == name);
            flag.map(Flag::help).unwrap_or_default()
        };
        let support = help("max-support");
        assert!(support.contains("smkda: samples to retain"), "{support}");
        assert!(
            support.contains("fivm, klr: keep at most N samples"),
            "{support}"
        );
        assert!(
            help("folds").starts_with("Folds of the"),
            "{}",
            help("folds")
        );
        assert!(
            help("no-vote").contains("do not let the folds"),
            "{}",
            help("no-vote")
        );
    }
}
