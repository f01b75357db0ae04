"""Checks a built site: every link and picture is there, every place that a link names exists, nothing is loaded from
elsewhere.

    python site/check.py target/site
"""

import re
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

# What a browser loads by itself, as opposed to what a reader follows.
LOADED = {("img", "src"), ("script", "src"), ("link", "href"), ("iframe", "src"), ("source", "src"), ("video", "src")}
ELSEWHERE = re.compile(r"""(?:url\(|@import\s+)["']?(https?:)?//[^)"']+""")


class Page(HTMLParser):
    """The links of a page and the places in it."""

    def __init__(self, text):
        super().__init__()
        self.links = []
        self.loads = []
        self.places = set()
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        given = dict(attributes)
        self.places |= {given[name] for name in ("id", "name") if given.get(name)}
        for name in ("href", "src"):
            if not given.get(name):
                continue
            # Links about the page itself, such as the address it has once it is published.
            if tag == "link" and given.get("rel") in ("canonical", "next", "prev"):
                continue
            (self.loads if (tag, name) in LOADED else self.links).append(given[name])


def problems(site):
    """What is wrong, a line each. Pages of rustdoc are led to, but not looked into: rustdoc checks its links itself."""
    parsed = {}

    def page_at(path):
        if path not in parsed:
            parsed[path] = Page(path.read_text(encoding="utf-8"))
        return parsed[path]

    def own(path):
        # The overview of the crates is a page of the site, below it are those of rustdoc.
        parts = path.relative_to(site).parts
        return parts[0] != "rust" or parts == ("rust", "index.html")

    found = []
    for path in sorted(p for p in site.rglob("*.html") if own(p)):
        name, page = path.relative_to(site), page_at(path)
        for link in page.loads:
            if urlsplit(link).scheme in ("http", "https") or link.startswith("//"):
                found.append(f"{name}: loads {link} from elsewhere")
        # The page for addresses that do not exist is shown at any of them, so its links begin at the root.
        if path.name == "404.html":
            continue
        for link in page.links + page.loads:
            parts = urlsplit(link)
            if parts.scheme or link.startswith("//"):
                continue
            there = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            if there.is_dir():
                there = there / "index.html"
            if not there.is_file():
                found.append(f"{name}: {link} leads nowhere")
            elif parts.fragment and there.suffix == ".html" and own(there):
                if unquote(parts.fragment) not in page_at(there).places:
                    found.append(f"{name}: {link} names no place of that page")
    for path in sorted(p for p in site.rglob("*.css") if own(p)):
        found += [f"{path.relative_to(site)}: loads {m[0]}" for m in ELSEWHERE.finditer(path.read_text(encoding="utf-8"))]
    return found


def main(folder):
    site = Path(folder).resolve()
    pages = len(list(site.rglob("*.html")))
    if not (site / "index.html").is_file():
        sys.exit(f"{folder}: there is no site; cargo xtask docs makes one")
    wrong = problems(site)
    for line in wrong:
        print(line, file=sys.stderr)
    if wrong:
        sys.exit(f"{folder}: {len(wrong)} problems")
    print(f"{folder}: {pages} pages, all links lead somewhere")


if __name__ == "__main__":
    main(sys.argv[1])
