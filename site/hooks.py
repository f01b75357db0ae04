"""Pages of the site that do not lie in docs/: the Python package from its docstrings, the crates, and what concerns the
project. Links between pages are those of the files; here they are made to fit the places in the site."""

import ast
import posixpath
import re
from pathlib import Path

from mkdocs.structure.files import File

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = ROOT / "python" / "kernsieve"
# Files outside docs/, and the page that each becomes.
OUTSIDE = {
    "CHANGELOG.md": "project/changelog.md",
    "CONTRIBUTING.md": "project/contributing.md",
    "SECURITY.md": "project/security.md",
    "benchmarks/README.md": "project/benchmarks.md",
}
TITLES = {"changelog": "Changes", "contributing": "Contributing", "security": "Security", "benchmarks": "For sceptics"}
CRATES = {
    "kernsieve": "methods, tuning, models",
    "kernsieve_io": "data files",
    "kernsieve_onnx": "ONNX graphs",
    "kernsieve_cli": "the command line as a function",
    "kernsieve_dense": "linear algebra",
}
LINK = re.compile(r"(!?)\[([^\]]*)\]\(([^)\s]+)\)")
FENCE = re.compile(r"(^```.*?^```$)", flags=re.MULTILINE | re.DOTALL)


def listed(path):
    """The names in `__all__` of a module, without importing it."""
    names = []
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
        if any(isinstance(t, ast.Name) and t.id == "__all__" for t in targets) and isinstance(node.value, ast.List):
            names += ast.literal_eval(node.value)
    return names


def python_pages():
    """Pages of the Python package by their titles: estimators, other names, public modules."""
    methods = listed(PACKAGE / "_methods" / "__init__.py")
    public = {p.stem for p in PACKAGE.iterdir() if not p.name.startswith("_") and (p.suffix == ".py" or p.is_dir())}
    others = [n for n in listed(PACKAGE / "__init__.py") if not n.startswith("__") and n not in public]
    return {"Methods": sorted(methods), "Further": others, "Modules": sorted(public)}


def on_config(config):
    python = [{"Overview": "python/index.md"}]
    for part, names in python_pages().items():
        python.append({part: [{name: f"python/{name}.md"} for name in names]})
    config.nav.append({"Python": python})
    config.nav.append({"Rust": "rust/index.md"})
    there = [page for source, page in OUTSIDE.items() if (ROOT / source).exists()]
    project = [{TITLES[Path(page).stem]: page} for page in there]
    for entry in config.nav:
        if "Project" in entry:
            entry["Project"] += project
            config.nav.remove(entry)
            config.nav.append(entry)
            break
    else:
        config.nav.append({"Project": project})
    return config


def on_files(files, config):
    for source, page in OUTSIDE.items():
        if (ROOT / source).exists():
            files.append(File.generated(config, page, content=(ROOT / source).read_text(encoding="utf-8")))
    for page, text in {**written_python(), "rust/index.md": written_rust()}.items():
        files.append(File.generated(config, page, content=text))
    for name in ("favicon.svg", "site.css"):
        files.append(File.generated(config, name, abs_src_path=str(ROOT / "site" / name)))
    return files


def written_python():
    """The text of the pages about the Python package: mkdocstrings fills them in."""
    pages = python_pages()
    text = "# The Python package\n\nEvery estimator follows scikit-learn. What is not given is tuned by cross-validation\n"
    text += "inside `fit`.\n"
    for part, names in pages.items():
        text += f"\n## {part}\n\n" + "".join(f"- [`{name}`]({name}.md)\n" for name in names)
    written = {"python/index.md": text}
    for part, names in pages.items():
        options = "    options:\n      show_submodules: false\n      inherited_members: false\n" if part == "Modules" else ""
        for name in names:
            written[f"python/{name}.md"] = f"::: kernsieve.{name}\n{options}"
    return written


def written_rust():
    """The crates, whose documentation lies beside this page."""
    rows = [f'| <a href="{name}/index.html"><code>{name}</code></a> | {what} |' for name, what in CRATES.items()]
    text = "# The Rust crates\n\nTheir documentation as `cargo doc` makes it:\n\n| crate | what is in it |\n|---|---|\n"
    return text + "\n".join(rows) + "\n"


def on_page_markdown(markdown, page, config, files):
    """Links to files outside docs/ lead to their pages; those to sources that have none become plain words."""
    pages = {source: there for source, there in OUTSIDE.items() if (ROOT / source).exists()}
    sources = {there: source for source, there in pages.items()}
    uri = page.file.src_uri
    if uri.startswith(("python/", "rust/")):
        return markdown
    here = posixpath.dirname(sources.get(uri, f"docs/{uri}"))

    def moved(match):
        picture, words, target = match.groups()
        file, mark, place = target.partition("#")
        if not file or re.match(r"[a-z]+:", file):
            return match[0]
        source = posixpath.normpath(posixpath.join(here, file))
        there = pages.get(source) or (source.removeprefix("docs/") if source.startswith("docs/") else None)
        if there is None or files.get_file_from_path(there) is None:
            return match[0] if not (ROOT / source).exists() else words
        relative = posixpath.relpath(there, posixpath.dirname(uri) or ".")
        return f"{picture}[{words}]({relative}{mark}{place})"

    parts = FENCE.split(markdown)
    parts[::2] = [LINK.sub(moved, part) for part in parts[::2]]
    return "".join(parts)
