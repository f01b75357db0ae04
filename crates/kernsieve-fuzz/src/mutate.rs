//! Damage: of bytes, of text with numbers in it, of JSON, of the container of a model.

use kernsieve::data::Rng;
use serde_json::{Map, Value};

/// No input becomes longer.
const MOST_BYTES: usize = 1 << 20;

/// Numbers at which readers go wrong.
pub const NUMBERS: &[&str] = &[
    "0",
    "-0",
    "1",
    "-1",
    "nan",
    "NaN",
    "inf",
    "-inf",
    "1e308",
    "-1e308",
    "1e-320",
    "1e999",
    "0x10",
    "1_000",
    "12%",
    "1,5",
    "2147483648",
    "4294967296",
    "9007199254740993",
    "18446744073709551615",
    "99999999999999999999",
    "",
    "+",
    ".",
    "1e",
];

/// A random element.
pub fn one_of<'a, T: ?Sized>(items: &[&'a T], rng: &mut Rng) -> &'a T {
    items[rng.below(items.len())]
}

/// A few changes, sometimes many.
pub fn changes(rng: &mut Rng) -> usize {
    match rng.below(16) {
        0 => 1 + rng.below(64),
        _ => 1 + rng.below(4),
    }
}

/// A copy with some bytes changed, lost, repeated or replaced by words of the format.
pub fn bytes(original: &[u8], words: &[&str], rng: &mut Rng) -> Vec<u8> {
    let mut out = original.to_vec();
    for _ in 0..changes(rng) {
        let at = rng.below(out.len() + 1);
        let end = (at + 1 + rng.below(32)).min(out.len());
        match rng.below(9) {
            0 if at < out.len() => out[at] ^= 1 << rng.below(8),
            1 if at < out.len() => out[at] = rng.next_u64() as u8,
            2 => out.truncate(at),
            3 => drop(out.drain(at..end)),
            4 => insert(&mut out, at, b"\"',;\t|\n\r{}:#%?@ \0\xff-+.e9", rng),
            5 if at < end => {
                let copy = out[at..end].to_vec();
                let to = rng.below(out.len() + 1);
                out.splice(to..to, copy);
            }
            6 => replace_number(&mut out, at, rng),
            7 if !words.is_empty() => {
                let word = one_of(words, rng).as_bytes().to_vec();
                out.splice(at..at, word);
            }
            8 if at < end && rng.below(24) == 0 => repeat(&mut out, at, end, rng),
            _ => {}
        }
    }
    out.truncate(MOST_BYTES);
    out
}

fn insert(out: &mut Vec<u8>, at: usize, special: &[u8], rng: &mut Rng) {
    out.insert(at, special[rng.below(special.len())]);
}

/// A part many times over: what grows with the square of its length shows.
fn repeat(out: &mut Vec<u8>, at: usize, end: usize, rng: &mut Rng) {
    let times = 1 << rng.below(15);
    let copies = out[at..end].repeat(times);
    out.splice(end..end, copies);
}

/// The first number behind a place becomes another one.
fn replace_number(out: &mut Vec<u8>, at: usize, rng: &mut Rng) {
    let is = |b: &u8| b.is_ascii_digit() || matches!(b, b'.' | b'-' | b'+' | b'e');
    let Some(start) = out[at..].iter().position(is).map(|k| at + k) else {
        return;
    };
    let length = out[start..].iter().take_while(|b| is(b)).count();
    let new = one_of(NUMBERS, rng).as_bytes().to_vec();
    out.splice(start..start + length, new);
}

/// Changes one random place of a JSON value, or several.
pub fn json(value: &mut Value, rng: &mut Rng) {
    for _ in 0..1 + rng.below(3) {
        let places = count(value);
        let mut left = rng.below(places.max(1));
        change(value, &mut left, rng);
    }
}

/// The number of values in a value, itself included.
fn count(value: &Value) -> usize {
    1 + match value {
        Value::Array(items) => items.iter().map(count).sum::<usize>(),
        Value::Object(map) => map.values().map(count).sum::<usize>(),
        _ => 0,
    }
}

/// Changes the value that `left` counts down to.
fn change(value: &mut Value, left: &mut usize, rng: &mut Rng) -> bool {
    if *left == 0 {
        *value = changed(std::mem::take(value), rng);
        return true;
    }
    *left -= 1;
    match value {
        Value::Array(items) => items.iter_mut().any(|v| change(v, left, rng)),
        Value::Object(map) => map.values_mut().any(|v| change(v, left, rng)),
        _ => false,
    }
}

fn changed(value: Value, rng: &mut Rng) -> Value {
    match (rng.below(4), value) {
        (0, _) => strange(rng),
        (_, Value::Number(n)) => number(n.as_f64().unwrap_or(0.0), rng),
        (_, Value::String(text)) => {
            let bytes = bytes(text.as_bytes(), &["", "gaussian", "\u{202e}", "lda"], rng);
            Value::from(String::from_utf8_lossy(&bytes).into_owned())
        }
        (_, Value::Bool(b)) => Value::from(!b),
        (_, Value::Array(mut items)) => {
            let at = rng.below(items.len() + 1);
            match rng.below(4) {
                0 if at < items.len() => drop(items.remove(at)),
                1 if at < items.len() => items.push(items[at].clone()),
                2 => items.clear(),
                3 if !items.is_empty() => items.rotate_left(1),
                _ => items.push(strange(rng)),
            }
            Value::Array(items)
        }
        (_, Value::Object(map)) => Value::Object(other_object(map, rng)),
        (_, Value::Null) => strange(rng),
    }
}

fn other_object(mut map: Map<String, Value>, rng: &mut Rng) -> Map<String, Value> {
    let keys: Vec<String> = map.keys().cloned().collect();
    if keys.is_empty() {
        map.insert("kind".into(), strange(rng));
        return map;
    }
    let (a, b) = (&keys[rng.below(keys.len())], &keys[rng.below(keys.len())]);
    match rng.below(3) {
        0 => drop(map.remove(a)),
        1 => {
            let other = map[b].clone();
            map.insert(a.clone(), other);
        }
        _ => {
            let own = map.remove(a);
            map.insert(format!("{a}_"), own.unwrap_or_default());
        }
    }
    map
}

fn number(old: f64, rng: &mut Rng) -> Value {
    let new = match rng.below(8) {
        0 => old + 1.0,
        1 => old - 1.0,
        2 => -old,
        3 => old * 1e300,
        4 => 0.0,
        5 => return Value::from(u64::MAX),
        6 => return Value::from((old.abs() as u64).saturating_add(rng.below(3) as u64)),
        _ => old * 0.5,
    };
    Value::from(new)
}

fn strange(rng: &mut Rng) -> Value {
    match rng.below(8) {
        0 => Value::Null,
        1 => Value::from(-1),
        2 => Value::from(1e300),
        3 => Value::from(u64::MAX),
        4 => Value::from(""),
        5 => Value::Array(vec![]),
        6 => Value::Object(Map::new()),
        _ => Value::from(true),
    }
}

/// A model file with its parts changed one by one: the document, the head of the container, the
/// numbers, or bytes of the whole.
pub fn model(original: &[u8], rng: &mut Rng) -> Vec<u8> {
    if rng.below(4) == 0 {
        return bytes(original, &[], rng);
    }
    let Some((mut head, mut data)) = divided(original) else {
        return bytes(original, &[], rng);
    };
    for _ in 0..1 + rng.below(2) {
        match rng.below(4) {
            0 => json(&mut head, rng),
            1 => words(&mut data, rng),
            _ => document(&mut head, rng),
        }
    }
    joined(&head, &data)
}

/// The head of a safetensors container, and what follows.
fn divided(file: &[u8]) -> Option<(Value, Vec<u8>)> {
    let (length, rest) = file.split_at_checked(8)?;
    let length = u64::from_le_bytes(length.try_into().ok()?);
    let (head, data) = rest.split_at_checked(usize::try_from(length).ok()?)?;
    Some((serde_json::from_slice(head).ok()?, data.to_vec()))
}

fn joined(head: &Value, data: &[u8]) -> Vec<u8> {
    let head = head.to_string().into_bytes();
    let length = (head.len() as u64).to_le_bytes();
    [&length[..], &head, data].concat()
}

/// Changes the document of a model, whose checksum goes: what has one is refused at once.
fn document(head: &mut Value, rng: &mut Rng) {
    let Some(Value::String(text)) = head.pointer_mut("/__metadata__/kernsieve") else {
        return;
    };
    let Ok(mut own) = serde_json::from_str::<Value>(text) else {
        return;
    };
    if let Value::Object(map) = &mut own {
        map.remove("checksum");
    }
    json(&mut own, rng);
    *text = match rng.below(8) {
        0 => String::from_utf8_lossy(&bytes(own.to_string().as_bytes(), &[], rng)).into_owned(),
        _ => own.to_string(),
    };
}

/// Changes some of the eight-byte words.
fn words(data: &mut [u8], rng: &mut Rng) {
    let n = data.len() / 8;
    for _ in 0..1 + rng.below(3) {
        let at = 8 * rng.below(n.max(1));
        let Some(word) = data.get_mut(at..at + 8) else {
            return;
        };
        let new = match rng.below(8) {
            0 => f64::NAN.to_le_bytes(),
            1 => f64::INFINITY.to_le_bytes(),
            2 => 0f64.to_le_bytes(),
            3 => f64::MAX.to_le_bytes(),
            4 => 1u64.to_le_bytes(),
            5 => u64::MAX.to_le_bytes(),
            6 => (-1f64).to_le_bytes(),
            _ => rng.next_u64().to_le_bytes(),
        };
        word.copy_from_slice(&new);
    }
}

/// The same model without its checksum, so that damage is looked at.
pub fn unsealed(file: &[u8]) -> Vec<u8> {
    let Some((mut head, data)) = divided(file) else {
        return file.to_vec();
    };
    if let Some(Value::String(text)) = head.pointer_mut("/__metadata__/kernsieve")
        && let Ok(Value::Object(mut own)) = serde_json::from_str::<Value>(text)
    {
        own.remove("checksum");
        *text = Value::Object(own).to_string();
    }
    joined(&head, &data)
}
