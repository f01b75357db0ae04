"""Checks the wheels and the source distribution of a folder, and tries the wheel of this machine as a user would.

    python release/check_wheels.py target/wheels [--try] [--offline]

``--try`` makes a fresh virtual environment, with nothing of Rust on the path: the wheel installs, the command and the
lines of the README run, and after ``pip uninstall`` nothing is left. ``--offline`` builds the source distribution with
the network switched off for cargo.
"""

import argparse
import contextlib
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
LARGEST = 12_000_000
NEEDED = ["kernsieve/__init__.py", "kernsieve/py.typed", "kernsieve/_core.pyi"]
LICENCES = ["LICENSE-MIT", "LICENSE-APACHE"]
FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", flags=re.MULTILINE | re.DOTALL)


def version():
    text = (ROOT / "Cargo.toml").read_text(encoding="utf-8")
    return re.search(r'^version = "(.*)"$', text, flags=re.MULTILINE).group(1)


def check(right, words):
    if not right:
        sys.exit(words)


def check_wheel(path):
    """Size, name and content of a wheel."""
    with zipfile.ZipFile(path) as archive:
        files = {f.filename: f.file_size for f in archive.infolist()}
        metadata = next(archive.read(name).decode() for name in files if name.endswith(".dist-info/METADATA"))
        entries = next(archive.read(name).decode() for name in files if name.endswith(".dist-info/entry_points.txt"))
    size = path.stat().st_size
    check(size < LARGEST, f"{path.name}: {size} bytes, more than {LARGEST}")
    check("-cp310-abi3-" in path.name, f"{path.name}: not for all Pythons from 3.10 on")
    check("linux" not in path.name or "manylinux" in path.name, f"{path.name}: only for machines like this one")
    for name in NEEDED:
        check(name in files, f"{path.name}: has no {name}")
    for name in LICENCES:
        check(any(f.endswith(f"/licenses/{name}") for f in files), f"{path.name}: has no {name}")
    check("kernsieve=kernsieve._command_line:main" in entries.replace(" ", ""), f"{path.name}: brings no command")
    check(f"\nVersion: {version()}\n" in metadata, f"{path.name}: not version {version()}")
    compiled = {n: s for n, s in files.items() if n.endswith((".so", ".pyd"))}
    check(len(compiled) == 1, f"{path.name}: {len(compiled)} compiled modules")
    stray = [n for n in files if not re.match(r"kernsieve(/|-[\d.]+\.dist-info/)", n) or "__pycache__" in n]
    check(not stray, f"{path.name}: has {stray}")
    [module] = compiled.values()
    print(f"{path.name}: {size / 1e6:.1f} MB, {len(files)} files, the compiled module {module / 1e6:.1f} MB unpacked")


def check_sdist(path):
    """What a build from source needs."""
    with tarfile.open(path) as archive:
        names = {n.partition("/")[2] for n in archive.getnames()}
    for name in ["Cargo.toml", "Cargo.lock", "pyproject.toml", "crates/kernsieve-py/Cargo.toml", *LICENCES]:
        check(name in names, f"{path.name}: has no {name}")
    check(not any(n.startswith("target/") or n.endswith(".so") for n in names), f"{path.name}: has compiled files")
    print(f"{path.name}: {path.stat().st_size / 1e6:.1f} MB, {len(names)} files")


def without_rust(bin_folder):
    """A path with the environment and the system, and no cargo, rustc or maturin on it."""
    folders = [bin_folder]
    for folder in os.environ["PATH"].split(os.pathsep):
        tools = [shutil.which(tool, path=folder) for tool in ("cargo", "rustc", "maturin", "zig")]
        if folder and not any(tools) and ".cargo" not in folder:
            folders.append(folder)
    return os.pathsep.join(map(str, folders))


def try_wheel(path):
    """Installs, runs and removes a wheel as a user would."""
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder) / "environment"
        work = Path(folder) / "work"
        work.mkdir()
        subprocess.run([sys.executable, "-m", "venv", home], check=True)
        bin_folder = home / ("Scripts" if os.name == "nt" else "bin")
        environment = {**os.environ, "PATH": without_rust(bin_folder), "PYTHONDONTWRITEBYTECODE": "1"}
        environment.pop("PYTHONPATH", None)
        check(shutil.which("cargo", path=environment["PATH"]) is None, "cargo is on the path")

        def run(*words):
            done = subprocess.run(words, cwd=work, env=environment, capture_output=True, text=True)
            check(done.returncode == 0, f"{words}: {done.stderr}")
            return done.stdout

        python = bin_folder / ("python.exe" if os.name == "nt" else "python")
        program = bin_folder / ("kernsieve.exe" if os.name == "nt" else "kernsieve")
        run(python, "-m", "pip", "install", "-q", "--only-binary", ":all:", f"{path}[plot]")
        own = re.compile("kernsieve", flags=re.IGNORECASE)
        installed = [p for p in home.rglob("*") if own.search(p.name)]
        check(installed, "nothing was installed")
        check(version() in run(program, "--version"), "the command says another version")
        shown = run(program, "demo")
        check("Error" in shown, f"kernsieve demo says {shown}")
        for page in [ROOT / "README.md", ROOT / "python" / "README.md"]:
            text = page.read_text(encoding="utf-8")
            code, printed = re.search(r"^```python\n(.*?)^```\n```text\n(.*?)^```$", text, re.MULTILINE | re.DOTALL).groups()
            check(run(python, "-c", code) == printed, f"{page.name}: prints something else")
        check((work / "wine.ks").is_file(), "no model was saved")
        run(program, "inspect", "wine.ks")
        run(python, "-m", "pip", "uninstall", "-q", "-y", "kernsieve")
        left = [str(p.relative_to(home)) for p in home.rglob("*") if own.search(p.name)]
        check(not left, f"left behind: {left}")
    print(f"{path.name}: installs, runs the demo and the lines of the README without Rust, and leaves nothing behind")


def build_offline(path):
    """Builds a wheel from the source distribution while cargo must not use the network."""
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "--no-build-isolation", "-w", folder, path]
        # The profile of the tests: its crates are compiled already.
        options = ["--config-settings=build-args=--profile dev"]
        path_of_tools = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
        environment = {**os.environ, "CARGO_NET_OFFLINE": "true", "PATH": path_of_tools}
        environment.setdefault("CARGO_TARGET_DIR", str(ROOT / "target"))
        # The backend leaves its wheel beside those to upload.
        wheels = Path(environment["CARGO_TARGET_DIR"]) / "wheels"
        before = set(wheels.glob("*.whl"))
        done = subprocess.run(command + options, env=environment, capture_output=True, text=True)
        for wheel in set(wheels.glob("*.whl")) - before:
            wheel.unlink()
        check(done.returncode == 0, f"{path.name}: {done.stderr}")
        check(list(Path(folder).glob("kernsieve-*.whl")), f"{path.name}: makes no wheel")
    print(f"{path.name}: builds without the network from the crates that cargo has at hand")


def of_this_machine(wheels):
    """The wheel that pip would take here."""
    with contextlib.suppress(ImportError):
        from pip._vendor.packaging.tags import sys_tags
        from pip._vendor.packaging.utils import parse_wheel_filename

        tags = set(sys_tags())
        for wheel in wheels:
            if parse_wheel_filename(wheel.name)[3] & tags:
                return wheel
    sys.exit("no wheel for this machine; cargo xtask wheels makes one")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--try", dest="tried", action="store_true")
    parser.add_argument("--offline", action="store_true")
    arguments = parser.parse_args()
    wheels = sorted(arguments.folder.glob(f"kernsieve-{version()}-*.whl"))
    sdist = arguments.folder / f"kernsieve-{version()}.tar.gz"
    check(wheels and sdist.is_file(), f"{arguments.folder}: no wheel or no sources of {version()}; cargo xtask wheels makes them")
    for wheel in wheels:
        check_wheel(wheel)
    check_sdist(sdist)
    if arguments.tried:
        try_wheel(of_this_machine(wheels))
    if arguments.offline:
        build_offline(sdist)


if __name__ == "__main__":
    main()
