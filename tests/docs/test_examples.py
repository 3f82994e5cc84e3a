"""Every example runs as a user would run it, and every line of the example problems is a problem."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from snippets import ROOT

from tilewright.ops import problem_from_dict

EXAMPLES = sorted((ROOT / "examples").glob("*.py"))


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda p: p.name)
def test_an_example_runs(path: Path, tmp_path: Path) -> None:
    if "import torch" in path.read_text():
        pytest.importorskip("torch", reason="torch is not installed (make test TORCH=)")
    done = subprocess.run([sys.executable, path], cwd=tmp_path, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    assert done.stdout


def test_the_example_problems_are_problems() -> None:
    for line in (ROOT / "examples" / "problems.jsonl").read_text().splitlines():
        problem_from_dict(json.loads(line))
