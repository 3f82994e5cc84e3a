"""Every benchmark script can be imported and says what it does; those of GPUs need few packages and no GPU for that."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

FOLDER = Path(__file__).parent.parent / "benchmarks"
SCRIPTS = [p for p in sorted(FOLDER.rglob("*.py")) if "argparse" in p.read_text() and "__main__" in p.read_text()]
ABSENT = ("pydantic", "platformdirs", "jsonschema", "lightgbm", "scipy")  # on the machines that the GPU scripts run on

RUN = """
import contextlib, io, runpy, sys
for name in {absent}:
    sys.modules[name] = None
for script in {scripts}:
    sys.argv, sys.path[0] = [script, "--help"], script.rpartition("/")[0]
    said = io.StringIO()
    try:
        with contextlib.redirect_stdout(said):
            runpy.run_path(script, run_name="__main__")
    except SystemExit as done:
        assert not done.code, (script, done.code)
    assert "--" in said.getvalue() or "positional" in said.getvalue(), script
    print("fine", script)
"""


def helped(scripts: list[Path], absent: tuple[str, ...] = ()) -> str:
    """What a process says that asks each script for help, some packages missing."""
    program = RUN.format(absent=absent, scripts=list(map(str, scripts)))
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=500)
    return done.stdout if done.returncode == 0 else done.stderr


def test_every_folder_has_scripts() -> None:
    assert {p.parent.name for p in SCRIPTS} >= {"cpu", "gpu", "ck_tile", "fit", "reliability"}


NAMED = [
    *FOLDER.parent.glob("docs/**/*.md"),
    *FOLDER.parent.glob("src/**/*.py"),
    *FOLDER.rglob("*.md"),
    *FOLDER.rglob("*.py"),
    *FOLDER.rglob("*.sh"),
]
NAMED += [FOLDER.parent / name for name in ("Makefile", "README.md", "CONTRIBUTING.md")]


def test_scripts_that_pages_and_scripts_name_are_there() -> None:
    named = {
        (page.name, name) for page in NAMED for name in re.findall(r"benchmarks/([\w/]+\.(?:py|sh))", page.read_text())
    }
    assert len(named) > 30
    assert not {(page, name) for page, name in named if not (FOLDER / name).is_file()}


def test_gpu_scripts_say_what_they_do_without_the_packages_of_other_extras() -> None:
    pytest.importorskip("triton")
    scripts = [p for p in SCRIPTS if p.parent.name == "gpu"]
    assert helped(scripts, ABSENT).count("fine") == len(scripts)


def test_the_others_say_what_they_do() -> None:
    for package in ("torch", "scipy"):
        pytest.importorskip(package)
    scripts = [p for p in SCRIPTS if p.parent.name != "gpu"]
    said = helped(scripts)
    assert said.count("fine") == len(scripts), said


def test_a_script_that_cannot_be_imported_is_noticed(tmp_path: Path) -> None:
    bad = tmp_path / "bad.py"
    bad.write_text("import argparse, no_such_package\n")
    assert "no_such_package" in helped([bad])
    assert "pydantic" in helped([_written(tmp_path / "needs.py", "import pydantic\n")], ABSENT)


def _written(path: Path, text: str) -> Path:
    path.write_text(text)
    return path


WORKERS = """
import os, sys, time
sys.path.insert(0, {folder!r})
from gpu_space import in_workers

def work(item, by):
    if item == 2:
        os._exit(3)
    return item * by

if __name__ == "__main__":
    print(list(in_workers(work, [1, 2, 3], (10,), time.time() + 500)))
"""


def test_a_worker_that_dies_costs_only_the_item_in_hand(tmp_path: Path) -> None:
    script = _written(tmp_path / "workers.py", WORKERS.format(folder=str(FOLDER / "gpu")))
    done = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, timeout=500, check=True)
    assert done.stdout == "left out 2: the worker ended with 3\n[(1, 10), (3, 30)]\n"


def test_training_takes_as_many_rows_as_it_says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A batch of a Parquet reader ends with its row group: the first batch of 40,000 rows once had 9,875."""
    arrow = pytest.importorskip("pyarrow", reason="pyarrow is not installed: there are no Parquet files")
    parquet = pytest.importorskip("pyarrow.parquet")
    monkeypatch.syspath_prepend(str(FOLDER))
    from merge_measurements import first_rows

    numbers = arrow.table({"row": list(range(10))})
    parquet.write_table(numbers, tmp_path / "rows.parquet", row_group_size=4)
    assert first_rows(tmp_path / "rows.parquet", 7)["row"].to_pylist() == list(range(7))
    with pytest.raises(SystemExit, match="10 rows, and 11 are needed"):
        first_rows(tmp_path / "rows.parquet", 11)
