"""Make a release: changelog from fragments, version, sdist and wheel tried on each Python that is here, commit, tag.

    python scripts/release.py 0.3.0             # or: make release VERSION=0.3.0
    python scripts/release.py 0.3.0 --dry-run   # print the notes, change nothing

Fragments are the files of `changes/`; towncrier puts them into CHANGELOG.md. Nothing is pushed or uploaded.
"""

from __future__ import annotations

import argparse
import re
import shutil
import subprocess
import sys
import tempfile
from datetime import date
from pathlib import Path

from dist import PACKAGE, ROOT, fresh_environment, run

PYTHONS = tuple(f"python3.{minor}" for minor in range(10, 15))
CITATION = ROOT / "CITATION.cff"


def set_version(version: str, today: str) -> None:
    """Write the version where it stands: the package and the citation file."""
    places = {
        PACKAGE / "__init__.py": [(r'^__version__ = ".*"$', f'__version__ = "{version}"')],
        CITATION: [(r"^version: .*$", f"version: {version}"), (r"^date-released: .*$", f"date-released: {today}")],
    }
    for path, changes in places.items():
        text = path.read_text()
        for pattern, line in changes:
            text, count = re.subn(pattern, line, text, flags=re.MULTILINE)
            if count != 1:
                raise SystemExit(f"{path.name} has {count} lines like {pattern}; there must be one")
        path.write_text(text)


def works(python: str) -> bool:
    """Return whether a command is an interpreter: the shims of pyenv exist for versions that are not chosen, too."""
    return shutil.which(python) is not None and subprocess.run([python, "-c", ""], capture_output=True).returncode == 0


def git(*words: str) -> str:
    """Return what a git command prints."""
    done = subprocess.run(["git", *words], cwd=ROOT, capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(f"git {words[0]} failed: {done.stderr.strip()}")
    return done.stdout


def main() -> None:
    """Check, write, build, try, commit and tag."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("version", metavar="X.Y.Z")
    parser.add_argument("--dry-run", action="store_true", help="print the notes and change nothing")
    options = parser.parse_args()
    if not re.fullmatch(r"\d+\.\d+\.\d+", options.version):
        raise SystemExit(f"the version is {options.version!r}; it must be three numbers, such as 0.3.0")
    if git("status", "--porcelain") and not options.dry_run:
        raise SystemExit("the checkout has changes: commit them first")
    today = date.today().isoformat()
    with tempfile.TemporaryDirectory() as folder:
        python = fresh_environment(sys.executable, Path(folder) / "venv", "towncrier>=24.8")
        notes = [python, "-m", "towncrier", "build", "--version", options.version, "--date", today]
        if options.dry_run:
            subprocess.run([*map(str, notes), "--draft"], cwd=ROOT, check=True)
            return
        run([*notes, "--yes"], cwd=ROOT)
    set_version(options.version, today)
    here = [p for p in PYTHONS if works(p)]
    absent = [p for p in PYTHONS if p not in here]
    print(f"trying the wheel with {', '.join(here)}; not here: {', '.join(absent) or 'none'}")
    choices = [word for p in here for word in ("--python", p)]
    subprocess.run([sys.executable, str(ROOT / "scripts" / "dist.py"), *choices], check=True)  # says how far it is
    git("add", "--all")
    git("commit", "--quiet", "--message", f"release: {options.version}")
    git("tag", "--annotate", f"v{options.version}", "--message", f"tilewright {options.version}")
    print(f"dist/ holds the files; tag v{options.version} is made. `git push --follow-tags` publishes it.")


if __name__ == "__main__":
    main()
