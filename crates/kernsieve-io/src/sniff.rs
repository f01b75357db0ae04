//! Detects the format of a file, and the delimiter of a CSV file.

use crate::cell;
use crate::csv::{Split, split_record};
use crate::options::Format;
use crate::records::Fields;

/// The format that an extension stands for; a final `.gz` is ignored. Text files of no particular
/// kind (`.txt`, `.data`) are judged by their content.
pub(crate) fn from_name(name: &str) -> Option<Format> {
    let name = name.to_ascii_lowercase();
    let name = name.strip_suffix(".gz").unwrap_or(&name);
    match name.rsplit_once('.')?.1 {
        "csv" | "tsv" | "tab" => Some(Format::Csv),
        "parquet" | "pq" => Some(Format::Parquet),
        "libsvm" | "svm" | "svmlight" => Some(Format::Libsvm),
        "arff" => Some(Format::Arff),
        _ => None,
    }
}

/// The format of a file, by its first bytes.
pub(crate) fn from_content(head: &[u8]) -> Format {
    if is_parquet(head) {
        return Format::Parquet;
    }
    let head = whole_part(head.strip_prefix(b"\xef\xbb\xbf").unwrap_or(head));
    let lines = || {
        head.split(|&b| b == b'\n' || b == b'\r')
            .map(<[u8]>::trim_ascii)
            .filter(|l| !l.is_empty())
    };
    let arff = lines().find(|l| !l.starts_with(b"%"));
    if arff.is_some_and(|l| starts_with_word(l, b"@relation") || starts_with_word(l, b"@attribute"))
    {
        return Format::Arff;
    }
    let sparse: Vec<Option<bool>> = lines()
        .filter(|l| l[0] != b'#')
        .take(5)
        .map(libsvm_line)
        .collect();
    if sparse.contains(&Some(true)) && sparse.iter().all(Option::is_some) {
        return Format::Libsvm;
    }
    Format::Csv
}

/// Whether a file is a table of rows, by its name or by its first bytes: Parquet, ARFF, LIBSVM, or
/// lines that one delimiter divides into equally many fields.
pub fn is_table(name: &str, head: &[u8]) -> bool {
    if from_name(name).is_some() || from_content(head) != Format::Csv {
        return true;
    }
    let head = whole_part(head);
    let lines = head.iter().filter(|&&b| b == b'\n').count();
    let divided = |d: &u8| evenness(head, true, *d).0 == 1000;
    lines > 1 && std::str::from_utf8(head).is_ok() && DELIMITERS.iter().any(divided)
}

/// A long head may end anywhere. It is cut at its last line end or, if it has none, at its last
/// blank.
fn whole_part(head: &[u8]) -> &[u8] {
    if head.len() < 1 << 15 {
        return head;
    }
    let end = head.iter().rposition(|&b| b == b'\n' || b == b'\r');
    let end = end.or_else(|| head.iter().rposition(u8::is_ascii_whitespace));
    &head[..end.unwrap_or(head.len())]
}

/// Whether the first bytes are those of a Parquet file.
pub(crate) fn is_parquet(head: &[u8]) -> bool {
    head.starts_with(b"PAR1")
}

pub(crate) fn starts_with_word(line: &[u8], word: &[u8]) -> bool {
    line.len() > word.len()
        && line[..word.len()].eq_ignore_ascii_case(word)
        && line[word.len()].is_ascii_whitespace()
}

/// Whether a line is `label index:value ...`, and if so whether it has any `index:value`.
fn libsvm_line(line: &[u8]) -> Option<bool> {
    let line = line.split(|&b| b == b'#').next().unwrap_or(line);
    let mut pairs = 0;
    for (i, token) in line
        .split(u8::is_ascii_whitespace)
        .filter(|t| !t.is_empty())
        .enumerate()
    {
        match token.iter().position(|&b| b == b':') {
            Some(colon) => {
                let (index, value) = (&token[..colon], &token[colon + 1..]);
                let plain = !index.is_empty() && index.iter().all(u8::is_ascii_digit);
                if !(plain || index == b"qid") || cell::parse_number(value).is_none() {
                    return None;
                }
                pairs += 1;
            }
            None if i > 0 => return None,
            None => {}
        }
    }
    Some(pairs > 0)
}

const DELIMITERS: [u8; 4] = [b',', b';', b'\t', b'|'];

/// The delimiter that divides the first records most evenly; a comma if none divides them.
pub(crate) fn delimiter(head: &[u8], at_end: bool) -> u8 {
    let scores = DELIMITERS.map(|d| evenness(head, at_end, d));
    let mut best = 0;
    for i in 1..DELIMITERS.len() {
        if scores[i] > scores[best] {
            best = i;
        }
    }
    // Between semicolons, decimal commas are as regular as the semicolons themselves.
    if best == 0 && scores[1].0 == 1000 {
        best = 1;
    }
    DELIMITERS[best]
}

/// How many of the first records (per thousand) have as many fields as the first one, and the
/// number of these fields. A single record, even one that is too long for the head, scores a little
/// less than full.
fn evenness(head: &[u8], at_end: bool, delimiter: u8) -> (usize, usize) {
    let mut fields = Fields::default();
    let (mut from, mut records, mut even, mut width) = (0, 0, 0, 0);
    while records < 100 && from < head.len() {
        let Split::Found { used, .. } = split_record(&head[from..], delimiter, at_end, &mut fields)
        else {
            break;
        };
        let blank = head[from..from + used].trim_ascii().is_empty();
        from += used;
        if blank {
            continue;
        }
        if records == 0 {
            width = fields.len();
        }
        records += 1;
        even += usize::from(fields.len() == width);
    }
    match records {
        0 => (999, fields.len()),
        _ if width < 2 => (0, width),
        1 => (999, width),
        _ => (1000 * even / records, width),
    }
}

/// A delimiter, in words.
pub(crate) fn delimiter_name(delimiter: u8) -> &'static str {
    match delimiter {
        b';' => "semicolons",
        b'\t' => "tabs",
        b'|' => "bars",
        _ => "commas",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn extensions() {
        assert_eq!(from_name("a/b.CSV.gz"), Some(Format::Csv));
        assert_eq!(from_name("b.tab"), Some(Format::Csv));
        assert_eq!(from_name("b.pq"), Some(Format::Parquet));
        assert_eq!(from_name("b.svmlight.gz"), Some(Format::Libsvm));
        assert_eq!(from_name("b.arff"), Some(Format::Arff));
        assert_eq!(from_name("b.txt"), None);
        assert_eq!(from_name("<stdin>"), None);
    }

    #[test]
    fn content() {
        for (head, format) in [
            ("PAR1....", Format::Parquet),
            ("% about\n\n@RELATION iris\n", Format::Arff),
            ("# head\n+1 1:0.5 3:2\n-1 2:1 # x\n", Format::Libsvm),
            ("3 qid:1 1:0.5\n2\n", Format::Libsvm),
            ("1:2 3:4\n", Format::Libsvm),
            ("1,2\n3,4\n", Format::Csv),
            ("time,v\n12:30,1\n", Format::Csv),
            ("1\n2\n", Format::Csv),
            ("", Format::Csv),
        ] {
            assert_eq!(from_content(head.as_bytes()), format, "{head}");
        }
    }

    #[test]
    fn delimiters() {
        for (head, d) in [
            ("a,b,c\n1,2,3\n", b','),
            ("a;b;c\n1,5;2,5;x\n", b';'),
            ("1,5;2,5;3,5\n1,5;2,5;3,5\n", b';'),
            ("a\tb\n1,2\t3\n", b'\t'),
            ("a|b\n\"x|,;,\"|3\n", b'|'),
            ("name,note\nx,\"a;b;c\"\ny,z\n", b','),
            ("a\n1\n", b','),
            ("a,b\r1,2\r", b','),
            ("a,b,c;d,e\n", b','),
        ] {
            assert_eq!(delimiter(head.as_bytes(), true), d, "{head}");
        }
        let wide = "gene\t".repeat(50_000);
        assert_eq!(delimiter(wide.as_bytes(), false), b'\t');
        let wide = format!("+1 {}", "12:3.25 ".repeat(20_000));
        assert_eq!(
            from_content(&wide.as_bytes()[..(1 << 16) - 3]),
            Format::Libsvm
        );
    }
}
