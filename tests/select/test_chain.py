"""The chain: measured before learned before analytical, each visible in `explain`; stale times say so."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from host_cpu_kernels import BASE_ARCH
from measurements import DEVICE, some_rows

from tilewright.dispatcher import Dispatcher
from tilewright.model.canonical import canonical
from tilewright.model.kernel import Candidate
from tilewright.ops import problem_from_dict
from tilewright.registry import default_registry
from tilewright.select import get_selector
from tilewright.select.chain import Chain, build_keys_now
from tilewright.select.decisions import Decisions
from tilewright.select.model import SelectionModel
from tilewright.select.model_directory import SHIPPED, ModelDirectory
from tilewright.settings import Settings
from tilewright.store import Measurement, Store
from tilewright.tune.learn.dataset import datasets_of
from tilewright.tune.learn.train import TrainOptions, train

P = problem_from_dict({"op": "gemm", "m": 96, "n": 160, "k": 64, "dtype": "fp32", "layout": "rrr"})


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings.from_env(threads=1, cpu_arch=BASE_ARCH, data_dir=str(tmp_path), selector="chain")


@pytest.fixture
def dispatcher(settings: Settings) -> Dispatcher:
    return Dispatcher(settings=settings)


def measured(dispatcher: Dispatcher, candidates: list[Candidate], first: int, build: str | None = None) -> Any:
    """Rows that make candidate number `first` the fastest."""
    device = dispatcher.device_for(P)
    for number, c in enumerate(candidates):
        key = build or build_keys_now(c.spec, dispatcher.settings)[0]
        seconds = 1e-6 if number == first else 1e-3 * (number + 1)
        yield Measurement(
            P.to_dict(), P.tuning_key, c.spec.to_dict(), c.spec.digest, canonical(c.launch), key, device.to_dict(),
            samples=(seconds,), tier="float64", policy={"statistic": "least"}, host="h", at=1.0,
        )  # fmt: skip


def reasons(dispatcher: Dispatcher) -> list[str]:
    return [r.reason.split(":")[0] for r in dispatcher.explain(P).ranked]


def test_nothing_known_is_answered_by_the_cost_model(dispatcher: Dispatcher, settings: Settings) -> None:
    explained = dispatcher.explain(P)
    assert explained.selector == "chain"
    assert set(reasons(dispatcher)) == {"analytical"}
    plain = Dispatcher(settings=settings, selector="analytical").explain(P)
    assert [r.candidate for r in explained.ranked] == [r.candidate for r in plain.ranked]


def test_measured_times_come_first_and_are_shown(dispatcher: Dispatcher) -> None:
    legal = [r.candidate for r in dispatcher.explain(P).ranked]
    chosen = legal[-6:]
    store: Store = dispatcher.selector.measured.store  # type: ignore[attr-defined]
    store.put(measured(dispatcher, chosen, first=3))
    best = dispatcher.explain(P).ranked[0]
    assert best.candidate == chosen[3]
    assert best.seconds == 1e-6
    assert best.reason.startswith("measured: 1 us")
    assert reasons(dispatcher)[:7] == ["measured"] * 6 + ["analytical"]


def test_times_of_another_build_rank_but_are_called_stale(dispatcher: Dispatcher) -> None:
    legal = [r.candidate for r in dispatcher.explain(P).ranked]
    store: Store = dispatcher.selector.measured.store  # type: ignore[attr-defined]
    store.put(measured(dispatcher, legal[-6:], first=2, build="another build"))
    best = dispatcher.explain(P).ranked[0]
    assert best.candidate == legal[-4]
    assert best.reason.startswith("stale: measured on another build")
    assert not any(r.reason.startswith("measured") for r in dispatcher.explain(P).ranked)


def test_rows_that_say_nonsense_are_skipped_and_reported_once(
    dispatcher: Dispatcher, caplog: pytest.LogCaptureFixture
) -> None:
    """Such rows came in with a version that did not look at them; a plan must not end there."""
    legal = [r.candidate for r in dispatcher.explain(P).ranked]
    store: Store = dispatcher.selector.measured.store  # type: ignore[attr-defined]
    rows = list(measured(dispatcher, legal[:6], first=0))
    store.put([*rows[:4], replace(rows[4], launch={"colour": 1}), replace(rows[5], launch={"split_k": {}})])
    with closing(sqlite3.connect(store.path)) as db, db:
        db.execute("UPDATE measurements SET samples = '[-1.0]' WHERE id = ?", (rows[0].id,))
        db.execute('UPDATE measurements SET policy = \'{"statistic":"guess"}\' WHERE id = ?', (rows[1].id,))
    db.close()
    caplog.clear()
    for _ in range(2):
        fresh = Dispatcher(settings=dispatcher.settings, selector=dispatcher.selector)
        assert reasons(fresh).count("measured") == 2
    assert "2 rows of the store" in caplog.text
    assert "colour" in caplog.text
    assert len(caplog.records) <= 3
    rows = [*some_rows(3), *(replace(r, device={"colour": 1}) for r in some_rows(2))]
    [data] = datasets_of(rows)
    assert data.count == 3
    assert "2 measurements are skipped" in caplog.text


def test_ties_are_settled_by_key_not_by_noise(dispatcher: Dispatcher) -> None:
    from tilewright.model.selector import Ranked
    from tilewright.select.chain import settled

    a, b, c = (r.candidate for r in dispatcher.explain(P).ranked[:3])
    one = settled([(1.00, Ranked(a, 1.00, "")), (1.01, Ranked(b, 1.01, "")), (1.2, Ranked(c, 1.2, ""))])
    two = settled([(1.01, Ranked(a, 1.01, "")), (1.00, Ranked(b, 1.00, "")), (1.2, Ranked(c, 1.2, ""))])
    assert [r.candidate for r in one] == [r.candidate for r in two]
    assert one[-1].candidate == c


@pytest.fixture(scope="module")
def model() -> SelectionModel:
    pytest.importorskip("lightgbm", reason="the extra 'tune' is not installed")
    rows = some_rows(30, problems=25, device=replace(DEVICE, arch=BASE_ARCH))
    return train(datasets_of(rows)[0], TrainOptions(trees=20))


def learned_dispatcher(model: SelectionModel, folder: Path) -> Dispatcher:
    settings = Settings.from_env(threads=1, cpu_arch=BASE_ARCH, data_dir=str(folder), selector="chain")
    model.save(folder / "models")
    return Dispatcher(settings=settings)


@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::FutureWarning")
def test_a_model_ranks_all_kernels_and_says_which_it_was_not_shown(model: SelectionModel, tmp_path: Path) -> None:
    shown = sorted(model.covered)
    ranked = learned_dispatcher(replace(model, covered=frozenset(shown[::2])), tmp_path).explain(P).ranked
    assert {r.candidate.spec.how in shown[::2] for r in ranked} == {True, False}
    for r in ranked:
        new = r.candidate.spec.how not in shown[::2]
        assert r.reason.startswith("learned: ")
        assert r.reason.endswith(", which was not shown this kernel") == new
        assert r.seconds is not None
        assert r.seconds > 0


@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::FutureWarning")
def test_a_new_kind_of_kernel_is_not_lost(model: SelectionModel, tmp_path: Path) -> None:
    """Without packing switches in its data, a model leaves kernels that pack to the cost model's comparison."""
    new = replace(model, kinds={**model.kinds, "pack_b": [0.0]})
    ranked = learned_dispatcher(new, tmp_path).explain(P).ranked
    by_cost = [r for r in ranked if r.candidate.spec.algorithm.pack_b]
    assert by_cost
    assert all(r.reason.startswith("learned: the cost model, corrected by model") for r in by_cost)


@pytest.mark.parametrize("reach", [{"flops": [1e9, 1e12]}, {"threads": [16.0, 64.0]}])
@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::FutureWarning")
def test_far_beyond_its_measurements_a_model_is_not_asked(
    model: SelectionModel, tmp_path: Path, reach: dict[str, list[float]]
) -> None:
    assert set(model.reach) == {"flops", "threads"}
    dispatcher = learned_dispatcher(replace(model, reach=reach), tmp_path)
    ranked = dispatcher.explain(P).ranked
    assert all(r.reason.startswith("analytical: ") for r in ranked)
    assert f"{next(iter(reach))} are beyond model {model.name}" in ranked[0].reason
    plain = Dispatcher(settings=dispatcher.settings, selector="analytical").explain(P)
    assert [r.candidate for r in ranked] == [r.candidate for r in plain.ranked]


def test_a_model_that_cannot_serve_is_told_of_and_passed_over(
    model: SelectionModel, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    replace(model, features="0" * 64).save(tmp_path)
    assert ModelDirectory([tmp_path]).find(model.family, model.backend, model.arch) is None
    assert "train it again" in caplog.text


def test_shipped_models_serve_this_version() -> None:
    """A change of features or of named choices needs new models (or none): refused ones are only told of in a log."""
    files = sorted(SHIPPED.glob("*.npz"))
    assert len(files) >= 5
    for file in files:
        model = SelectionModel.load(file)
        assert model.name == file.stem
        assert model.spec.digest == model.features, f"{file.name}: train it again, or take it away"
        assert set(model.reach) >= {"flops", "threads"}


def test_problems_without_a_measurement_go_into_the_ledger(settings: Settings) -> None:
    chain = Chain(settings=settings)
    dispatcher = Dispatcher(settings=settings, selector=chain)
    for _ in range(3):
        dispatcher.explain(P)
    assert chain._ledger is not None
    chain._ledger.flush()
    [entry] = chain.measured.store.missed()
    assert (entry.count, entry.answered_by) == (3, "analytical")
    assert problem_from_dict(dict(entry.problem)) == P
    legal = [r.candidate for r in dispatcher.explain(P).ranked]
    chain.measured.store.put(measured(dispatcher, legal[:6], first=0))
    assert chain.measured.store.missed() == []


def test_looking_at_all_candidates_is_no_second_request(settings: Settings) -> None:
    """As a call does that looks for a built kernel while another compiles."""
    chain = Chain(settings=settings)
    made = Decisions(default_registry(["cpu"]), chain, Dispatcher(settings=settings).device_for(P))
    assert len(list(made.rank(P))) > 1
    assert chain._ledger is not None
    chain._ledger.flush()
    assert [entry.count for entry in chain.measured.store.missed()] == [1]


def test_the_ledger_can_be_switched_off(tmp_path: Path) -> None:
    quiet = Settings.from_env(threads=1, data_dir=str(tmp_path), ledger=False)
    Dispatcher(settings=quiet, selector=Chain(settings=quiet)).explain(P)
    assert not (tmp_path / "measurements.sqlite").exists()


@pytest.mark.parametrize("name", ["measured", "learned", "chain"])
def test_selection_is_the_same_each_time(name: str, settings: Settings) -> None:
    first, second = (Dispatcher(settings=settings, selector=get_selector(name, settings)).explain(P) for _ in range(2))
    assert [r.candidate.key for r in first.ranked] == [r.candidate.key for r in second.ranked]
