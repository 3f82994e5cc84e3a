"""Small nets are trained for 20 steps on the CPU to the losses of torch: the examples, in this process."""

from __future__ import annotations

import runpy
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

torch = pytest.importorskip("torch", reason="torch is not installed: nothing is trained")
EXAMPLES = Path(__file__).parents[2] / "examples" / "torch"


@pytest.fixture(autouse=True)
def _one_thread() -> Iterator[None]:
    """Idle threads of torch would spin longer than these nets compute."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.mark.parametrize(
    ("name", "taken"),
    [("08_train_resnext", {"Conv2d", "Linear"}), ("09_train_transformer", {"MultiheadAttention", "Linear"})],
)
def test_20_steps_have_the_losses_of_torch(name: str, taken: set[str], monkeypatch: Any, capsys: Any) -> None:
    monkeypatch.setattr(sys, "argv", [name])
    runpy.run_path(str(EXAMPLES / f"{name}.py"), run_name="__main__")
    *report, last = capsys.readouterr().out.splitlines()
    assert last.startswith("loss ")
    assert last.endswith(" in 20 steps on cpu, as with torch")
    start, end = (float(part) for part in last.removeprefix("loss ").split(" in ")[0].split(" -> "))
    assert end < start / 5
    assert {line.split()[1] for line in report if line.endswith("taken")} >= taken
    assert not [line for line in report if " left" in line]
