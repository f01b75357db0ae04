"""Wraps the prose of Markdown at 100 characters; tables, code, headings and pictures stay as they are.

    python benchmarks/wrapping.py FILE.md ..
"""

import re
import sys
from pathlib import Path

WIDTH = 100
ITEM = re.compile(r"( *)([*-]|\d+\.) +")
# A word that would start another kind of line stays with the word before it.
GLUED = re.compile(r"[*+-]|\d+[.)]|#+|>.*|\|.*|=+|-+")
WORD = re.compile(r"(?:`[^`]*`|\S)+")


def words_of(text):
    """Words, with code of up to 60 characters in one piece."""
    words = []
    for word in WORD.findall(text):
        parts = [word] if len(word) <= 60 else word.split()
        for part in parts:
            if words and GLUED.fullmatch(part):
                words[-1] += f" {part}"
            else:
                words.append(part)
    return words


def filled(text, first, rest, width):
    """A paragraph with `first` before its first line and `rest` before the others."""
    lines, line = [], first
    for word in words_of(text):
        blank = "" if line in (first, rest) and not line.strip(" *-0123456789.") else " "
        if len(line) + len(blank) + len(word) > width and line.strip() not in ("", first.strip()):
            lines.append(line)
            line, blank = rest, ""
        line += blank + word
    return [*lines, line.rstrip()]


def wrapped(text, width=WIDTH):
    """The text with its paragraphs and list items wrapped."""
    out, paragraph, fenced = [], None, False

    def flush():
        nonlocal paragraph
        if paragraph:
            first, rest, words = paragraph
            out.extend(filled(" ".join(words), first, rest, width))
        paragraph = None

    for line in text.split("\n"):
        if line.lstrip().startswith("```"):
            flush()
            fenced = not fenced
            out.append(line)
        elif fenced or not line.strip() or re.match(r" *([|#<]|!\[)", line) or line.startswith("    "):
            flush()
            out.append(line)
        elif found := ITEM.match(line):
            flush()
            first = f"{found[1]}{found[2]} "
            paragraph = (first, " " * len(first), [line[found.end() :].strip()])
        elif paragraph:
            paragraph[2].append(line.strip())
        else:
            indent = line[: len(line) - len(line.lstrip())]
            paragraph = (indent, indent, [line.strip()])
    flush()
    return "\n".join(out)


def main(names):
    for name in names:
        path = Path(name)
        path.write_text(wrapped(path.read_text()))


if __name__ == "__main__":
    main(sys.argv[1:])
