"""A model is installed only if it chooses better than the cost model on held-out problems."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from measurements import DEVICE, registry, some_rows, time_of

from tilewright.backends import get_backend_op
from tilewright.backends.plain import spec_from_dict
from tilewright.cli.evaluate import learnt_dict, show_learnt
from tilewright.errors import TilewrightError
from tilewright.ops.gemm.samples import sample_problems
from tilewright.select.model_directory import models_folder
from tilewright.settings import Settings
from tilewright.store import Store
from tilewright.tune.learn.dataset import datasets_of
from tilewright.tune.learn.session import Learnt, TuningSession
from tilewright.tune.learn.train import TrainOptions, train
from tilewright.tune.measure.candidates import wanted_of
from tilewright.tune.measure.station import Built

pytest.importorskip("lightgbm", reason="training needs the extra `tune`")


@pytest.fixture(autouse=True)
def few_trees(monkeypatch: pytest.MonkeyPatch) -> None:
    """Which suffice for times that a formula gives."""
    monkeypatch.setattr("tilewright.tune.learn.session.QUICK", TrainOptions(trees=40, rate=0.2, focus=2.0))


def learn(folder: Path, time: Callable[..., float]) -> tuple[Learnt, Settings]:
    """Train on every candidate of some problems, whose times a formula gives."""
    settings = Settings(data_dir=str(folder), cache_dir=str(folder / "cache"))
    rows = some_rows(10_000, problems=16, time=time)
    with Store(folder / "store.sqlite") as store:
        store.put(rows)
        [data] = datasets_of(rows)
        return TuningSession(registry(), DEVICE, store, [], settings)._learn_one(data, None), settings


def test_failed_rows_teach_nothing() -> None:
    rows = some_rows(20, problems=8)
    right = {row.tuning_key: row.id for row in rows}.values()
    [data] = datasets_of(row if row.id in right else replace(row, status="wrong") for row in rows)
    assert data.count >= 100
    with pytest.raises(TilewrightError, match="8 problems and 8 right rows are too few to learn from"):
        train(data)


def test_a_kernel_that_one_machine_cannot_build_is_measured_on_the_others(tmp_path: Path) -> None:
    class Machine:
        device = None

        def __init__(self, name: str, failing: int) -> None:
            self.name, self.host, self._failing = name, "", failing

        def build(self, specs: Any, seconds: float, progress: Any = None) -> list[Built]:
            digests = [spec_from_dict(dict(spec)).digest for spec in specs]
            return [Built(d, f"{self.name} {d}", failure="no compiler" if i < self._failing else "")
                    for i, d in enumerate(digests)]  # fmt: skip

    problems = sample_problems(3, 0, ["fp32"])
    with Store(tmp_path / "store.sqlite") as store:
        machines: list[Any] = [Machine("a", 1), Machine("b", 3), Machine("c", 1)]
        session = TuningSession(registry(), DEVICE, store, machines, Settings(data_dir=str(tmp_path)))
        wanted, _ = wanted_of(problems, registry(), DEVICE)
        failed = session._build(wanted, None, None)
        assert [text.partition(": ")[2] for text in failed] == ["no compiler"]
        assert len(list(store.rows(status="build"))) == 1
    assert {key.build_key[0] for key in session.built_at["c"].values()} == {"c"}
    assert session._partly_built() == ["b lacks 2 kernels; the first: no compiler"]


def test_a_model_that_gains_is_installed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    learnt, settings = learn(tmp_path, time_of)
    assert learnt.gain is not None
    assert learnt.gain.mean > 0
    assert learnt.refused == ""
    assert Path(learnt.path).parent == models_folder(settings)
    show_learnt(learnt)
    assert f"model: {learnt.path}" in capsys.readouterr().out


def test_a_model_without_a_gain_is_not_installed_and_the_user_hears_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The cost model is right here, so nothing can choose better."""

    def as_predicted(candidate: Any, problem: Any) -> float:
        return float(get_backend_op("cpu", "gemm").predict(candidate, problem, DEVICE))

    learnt, settings = learn(tmp_path, as_predicted)
    assert learnt.gain is not None
    assert learnt.gain.mean <= 0
    assert learnt.path == ""
    assert not list(models_folder(settings).glob("*"))
    show_learnt(learnt)
    [line] = [text for text in capsys.readouterr().out.splitlines() if text.startswith("model:")]
    assert "not installed, because it does not beat the cost model on" in line
    assert "held-out problems" in learnt_dict(learnt)["refused"]
