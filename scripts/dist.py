"""Build the sdist and the wheel, look into both, and try the wheel in fresh environments.

    python scripts/dist.py                              # dist/tilewright-*.tar.gz and dist/tilewright-*.whl
    python scripts/dist.py --python python3.10 --python python3.13

The wheel is built from the unpacked sdist, so a file that the sdist lacks is missed here and not by a user. Each
environment gets the wheel alone, and runs outside of the checkout: the command, a product, a page.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from pathlib import Path

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "src" / "tilewright"
SMOKE = """
import sys
import numpy as np
import tilewright as tw
assert "/src/" not in tw.__file__, tw.__file__
a, b = np.random.rand(33, 65).astype(np.float32), np.random.rand(65, 17).astype(np.float32)
np.testing.assert_allclose(tw.gemm(a, b, activation="relu"), a @ b, rtol=1e-4)
print("gemm is right on Python", sys.version.split()[0])
"""
CONV = '{"op":"grouped_conv","direction":"forward","n":1,"c":8,"k":8,"input":[9,9],"filter":[3,3],"dtype":"fp32"}'
COMMANDS = (
    ("--version",),
    ("arch", "check"),
    ("select", '{"op":"gemm","m":4096,"n":4096,"k":4096,"dtype":"fp16"}', "--arch", "sm_90"),  # reads a shipped model
    ("codegen", "gemm", "--preselected", "fp16_rcr_essential", "--gpu-target", "gfx942", "--output-dir", "kernels"),
    ("run", CONV, "--check"),
    ("report", "--out", "page.html"),
)


def version() -> str:
    """Return the version, which is written in one place."""
    found = re.search(r'^__version__ = "([^"]+)"$', (PACKAGE / "__init__.py").read_text(), re.MULTILINE)
    if found is None:
        raise SystemExit("src/tilewright/__init__.py has no line __version__ = ...")
    return found[1]


def needed_files() -> set[str]:
    """Return the files of the package that are no Python, as a wheel names them."""
    return {
        f"tilewright/{path.relative_to(PACKAGE).as_posix()}"
        for path in PACKAGE.rglob("*")
        if path.is_file() and path.suffix not in (".py", ".pyc") and "__pycache__" not in path.parts
    }


def missing_files(wheel: Path) -> set[str]:
    """Return the files, Python too, that the package has and the wheel lacks."""
    with zipfile.ZipFile(wheel) as held:
        names = set(held.namelist())
    modules = {f"tilewright/{path.relative_to(PACKAGE).as_posix()}" for path in PACKAGE.rglob("*.py")}
    return (needed_files() | modules) - names


def check_tag() -> None:
    """Refuse to build a tagged commit whose tag names another version."""
    tags = subprocess.run(
        ["git", "tag", "--points-at", "HEAD"], cwd=ROOT, capture_output=True, text=True
    ).stdout.split()
    wrong = [t for t in tags if re.fullmatch(r"v\d.*", t) and t != f"v{version()}"]
    if wrong:
        raise SystemExit(f"HEAD has the tag {wrong[0]}, and the version is {version()}: change one of them")


def build(out: Path, tools: Path) -> tuple[Path, Path]:
    """Build both files with an environment in `tools`; return (sdist, wheel)."""
    python = fresh_environment(sys.executable, tools, "build")
    run([python, "-m", "build", "--outdir", out, ROOT])
    return out / f"tilewright-{version()}.tar.gz", out / f"tilewright-{version()}-py3-none-any.whl"


def fresh_environment(python: str, folder: Path, *packages: str | Path) -> Path:
    """Make a virtual environment with some packages; return its Python."""
    run([python, "-m", "venv", folder])
    made = folder / "bin" / "python"
    run([made, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *packages])
    return made


def smoke(python: str, wheel: Path, folder: Path) -> None:
    """Install the wheel alone and use it outside of the checkout."""
    made = fresh_environment(python, folder / "venv", wheel)
    env = {k: v for k, v in os.environ.items() if k != "PYTHONPATH"}
    env |= {"TILEWRIGHT_CACHE_DIR": str(folder / "cache"), "TILEWRIGHT_DATA_DIR": str(folder / "data")}
    run([made, "-c", SMOKE], cwd=folder, env=env)
    for words in COMMANDS:
        run([made.with_name("tilewright"), *words], cwd=folder, env=env, quiet=True)
    run([made, "-m", "tilewright", "doctor", "--json"], cwd=folder, env=env, quiet=True)
    print(f"{python}: installs, computes, and {len(COMMANDS) + 1} commands work", flush=True)


def run(
    words: list[str | Path], cwd: Path | None = None, env: dict[str, str] | None = None, quiet: bool = False
) -> None:
    """Run a command; show what it printed only if it fails or is not quiet."""
    done = subprocess.run([str(w) for w in words], cwd=cwd, env=env, capture_output=True, text=True)
    if done.returncode != 0:
        raise SystemExit(f"{' '.join(map(str, words))}: status {done.returncode}\n{done.stdout}{done.stderr}")
    if not quiet and done.stdout.strip():
        print(done.stdout.strip().splitlines()[-1])


def main() -> None:
    """Build, check and try."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, default=ROOT / "dist", metavar="FOLDER")
    parser.add_argument("--python", action="append", default=[], metavar="COMMAND", help="try the wheel with this one")
    options = parser.parse_args()
    check_tag()
    with tempfile.TemporaryDirectory() as folder:
        sdist, wheel = build(options.out, Path(folder) / "build")
        absent = missing_files(wheel)
        if absent:
            raise SystemExit(f"the wheel lacks {', '.join(sorted(absent))}: see package-data in pyproject.toml")
        with tarfile.open(sdist) as held:
            top = {name.split("/", 1)[1] for name in held.getnames() if "/" in name}
        for name in ("pyproject.toml", "README.md", "LICENSE"):
            if name not in top:
                raise SystemExit(f"the sdist lacks {name}")
        for number, python in enumerate(options.python or [sys.executable]):
            place = Path(folder) / f"try{number}"
            place.mkdir()
            smoke(python, wheel, place)
    print(f"{sdist}\n{wheel}")


if __name__ == "__main__":
    main()
