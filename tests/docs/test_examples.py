"""Examples run on the CPU and print what their docstrings promise; the runner notices when one does not."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from snippets import ROOT

from tilewright.ops import problem_from_dict

EXAMPLES = ROOT / "examples"
RUNNER = EXAMPLES / "run_all.py"
FILES = sorted(EXAMPLES.glob("*/[0-9][0-9]_*.py"))
FOLDERS = sorted({f.parent.name for f in FILES})
LEAST = {"attention": 40, "gemm": 20, "conv": 15, "torch": 9, "codegen": 7, "tuning": 5, "capture": 4, "bundles": 3}


def run_all(*arguments: Any) -> subprocess.CompletedProcess[str]:
    """Run the examples as a user does: libraries compete, and kernels are compiled in the background."""
    command = [sys.executable, RUNNER, *map(str, arguments)]
    env = {name: v for name, v in os.environ.items() if name not in ("TILEWRIGHT_VENDOR", "TILEWRIGHT_BUILD")}
    return subprocess.run(command, capture_output=True, text=True, timeout=590, env=env)


@pytest.mark.parametrize("folder", FOLDERS)
@pytest.mark.parametrize("first", [0, *(pytest.param(i, marks=pytest.mark.exhaustive) for i in range(1, 6))])
def test_the_examples_of_a_folder_print_what_they_promise(folder: str, first: int) -> None:
    """Every sixth one by default: with an empty cache all of them take some minutes."""
    names = [f"{folder}/{f.stem}" for f in FILES if f.parent.name == folder][first::6]
    if not names:
        pytest.skip(f"{folder} has fewer examples")
    done = run_all(*(x for name in names for x in ("--only", name)), "--jobs", 1, "--json")
    assert done.stdout, done.stderr
    outcomes = json.loads(done.stdout)
    assert [o["name"] for o in outcomes] == names
    assert {o["name"]: o["reason"] for o in outcomes if o["status"] == "failed"} == {}
    assert done.returncode == 0
    skipped = [f"{o['name']}: {o['reason']}" for o in outcomes if o["status"] == "skipped"]
    assert all(": not installed: " in reason for reason in skipped)
    if len(skipped) == len(outcomes):
        pytest.skip(skipped[0])


def test_there_are_examples_of_everything() -> None:
    counts = {folder: sum(f.parent.name == folder for f in FILES) for folder in FOLDERS}
    assert set(counts) == set(LEAST)
    assert {f: n for f, n in counts.items() if n < LEAST[f]} == {}


def test_examples_are_small_and_numbered() -> None:
    for folder in FOLDERS:
        numbers = [int(f.name[:2]) for f in FILES if f.parent.name == folder]
        assert numbers == list(range(1, len(numbers) + 1)), folder
    lengths = sorted(len(f.read_text().splitlines()) for f in FILES)
    assert lengths[len(lengths) * 9 // 10] <= 50
    assert lengths[-1] <= 100


def test_the_index_has_every_example() -> None:
    listed = run_all("--list").stdout
    assert all(f"`{f.parent.name}/{f.name}`" in listed for f in FILES)
    assert listed in (EXAMPLES / "README.md").read_text(), (
        "put the output of `run_all.py --list` into examples/README.md"
    )


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        (
            '"""A title.\n\nPrints:\n    one ... three\n"""\nprint("one two four")\n',
            "promises\none ... three\nbut prints",
        ),
        ('"""A title.\n\nPrints:\n    x\n"""\nraise ValueError("a mistake")\n', "ValueError: a mistake"),
        ('"""A title.\n\nPrints:\n    x\n"""\nimport os\nprint("x", flush=True)\nos.abort()\n', "exit status -6"),
        ('"""A title."""\nprint("x")\n', "does not end with `Prints:`"),
    ],
)
def test_a_wrong_example_fails(text: str, complaint: str, tmp_path: Path) -> None:
    (tmp_path / "some").mkdir()
    (tmp_path / "some" / "01_right.py").write_text('"""A title.\n\nPrints:\n    x ... y\n"""\nprint("x 1 y")\n')
    (tmp_path / "some" / "02_wrong.py").write_text(text)
    done = run_all("--folder", tmp_path, "--jobs", 1, "--json")
    right, wrong = json.loads(done.stdout)
    assert (done.returncode, right["status"], wrong["status"]) == (1, "ok", "failed")
    assert complaint in wrong["reason"]


def test_what_an_example_needs_and_is_absent_skips_it(tmp_path: Path) -> None:
    (tmp_path / "some").mkdir()
    (tmp_path / "some" / "01_rare.py").write_text('"""A title.\n\nNeeds: no_such_module\n\nPrints:\n    x\n"""\n')
    done = run_all("--folder", tmp_path)
    assert done.returncode == 0
    assert "skipped, not installed: no_such_module" in " ".join(done.stdout.split())
    assert "1 examples: 0 ok, 0 failed, 1 skipped" in done.stdout
    assert run_all("--folder", tmp_path, "--only", "absent").returncode == 2


def test_an_example_without_torch_does_not_see_that_of_others(tmp_path: Path) -> None:
    pytest.importorskip("torch")
    (tmp_path / "some").mkdir()
    body = 'import sys\nprint("torch" in sys.modules)\n'
    (tmp_path / "some" / "01_plain.py").write_text(f'"""A title.\n\nPrints:\n    False\n"""\n{body}')
    (tmp_path / "some" / "02_torch.py").write_text(f'"""A title.\n\nNeeds: torch\n\nPrints:\n    True\n"""\n{body}')
    done = run_all("--folder", tmp_path, "--jobs", 1)
    assert done.returncode == 0, done.stdout


def test_the_example_problems_are_problems() -> None:
    for line in (EXAMPLES / "problems.jsonl").read_text().splitlines():
        problem_from_dict(json.loads(line))
