"""Runs the Python of the pages of the guide and the gallery, and keeps the picture that each of them draws.

    python docs/guide/pictures.py [PAGE ..]

The code of ``lda.md`` saves ``lda.png``; it is written beside the page, in few colours so that it stays small. Some pages
of the gallery need the papers' data sets: KERNSIEVE_DATA names their folder.
"""

import os
import re
import sys
import tempfile
from pathlib import Path

FOLDER = Path(__file__).resolve().parent
GALLERY = FOLDER.parent / "gallery"
LARGEST = 60_000
FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", flags=re.MULTILINE | re.DOTALL)


def pages():
    """The pages of the guide, in order, and those of the gallery."""
    return [*sorted(FOLDER.glob("*.md")), *sorted(GALLERY.glob("*.md"))]


def drawing():
    """The pages whose code draws a picture of the page's name."""
    return [page for page in pages() if f"]({page.stem}.png)" in page.read_text(encoding="utf-8")]


def blocks(text):
    """Fenced blocks of a page: language, code, and what it prints where a block of text follows at once."""
    found = list(FENCE.finditer(text))
    result = []
    for this, following in zip(found, [*found[1:], None]):
        printed = None
        if following and following[1] == "text" and not text[this.end() : following.start()].strip():
            printed = following[2]
        result.append((this[1], this[2], printed))
    return result


def run(text, name):
    """Runs the Python of a page in the current folder."""
    namespace = {"__name__": name}
    for language, code, _ in blocks(text):
        if language == "python":
            exec(compile(code, name, "exec"), namespace)


def write_small(source, target):
    """Copies a picture with few colours."""
    from PIL import Image

    picture = Image.open(source).convert("RGB")
    for colours in (256, 128, 64, 32):
        picture.quantize(colours, dither=Image.Dither.NONE).save(target, optimize=True)
        if target.stat().st_size <= LARGEST:
            return
    sys.exit(f"{target}: more than {LARGEST} bytes")


def main(names):
    for page in drawing():
        if names and page.stem not in names:
            continue
        with tempfile.TemporaryDirectory() as folder:
            here = os.getcwd()
            os.chdir(folder)
            try:
                run(page.read_text(encoding="utf-8"), page.name)
            finally:
                os.chdir(here)
            target = page.with_suffix(".png")
            write_small(Path(folder) / target.name, target)
            print(f"{target.name}: {target.stat().st_size} bytes", file=sys.stderr)


if __name__ == "__main__":
    main(sys.argv[1:])
