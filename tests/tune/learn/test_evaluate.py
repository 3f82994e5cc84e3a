"""Judging: what was not measured or failed counts as 0, no problem is on both sides, the numbers are what they say."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from measurements import DEVICE, registry, some_rows

from tilewright.model.kernel import Candidate
from tilewright.model.selector import Ranked
from tilewright.ops import problem_from_dict
from tilewright.ops.gemm.samples import sample_problems
from tilewright.select.features import group_key
from tilewright.tune.learn.dataset import Dataset, datasets_of, is_held_out
from tilewright.tune.learn.evaluate import Nearest, Score, Verdict, agreement, gain, judge, winner_flips
from tilewright.tune.measure.candidates import kernel_order, wanted_of


class Fixed:
    """Prefers the candidates whose keys it was given, in that order."""

    def __init__(self, name: str, keys: Sequence[str]) -> None:
        self.name, self.keys = name, list(keys)

    def rank(self, problem: Any, candidates: Sequence[Candidate], device: Any) -> list[Ranked]:
        place = {k: i for i, k in enumerate(self.keys)}
        return [Ranked(c, None, "") for c in sorted(candidates, key=lambda c: place.get(c.key, len(place)))]


@pytest.fixture(scope="module")
def data() -> Dataset:
    [found] = datasets_of(some_rows(30, problems=12))
    return found


def test_the_oracle_scores_one_and_what_is_missing_or_failed_scores_nothing(data: Dataset) -> None:
    one = data.part([i == 0 for i in range(len(data.problems))])
    rows = sorted(one.problems[0].rows, key=lambda r: r.seconds)
    legal = registry().consider(one.problems[0].problem, DEVICE).legal
    absent = next(c.key for c in legal if c.key not in one.problems[0].times)
    scores = judge(
        one,
        [Fixed("oracle", [rows[0].candidate.key]), Fixed("slow", [rows[-1].candidate.key]), Fixed("absent", [absent])],
        registry(),
    )
    assert scores["oracle"].summary()["mean"] == 1.0
    assert scores["slow"].summary()["mean"] == pytest.approx(rows[0].seconds / rows[-1].seconds)
    assert scores["absent"].summary() == pytest.approx(
        {**scores["absent"].summary(), "mean": 0.0, "missing": 1, "problems": 1}
    )
    broken = [replace(r.source, status="wrong") if r is rows[0] else r.source for r in one.problems[0].rows]
    [after] = datasets_of(broken)
    failed = judge(after, [Fixed("oracle", [rows[0].candidate.key])], registry())["oracle"]
    assert failed.summary()["mean"] == 0.0
    assert failed.summary()["missing"] == 0


def test_top_k_is_the_best_of_the_first_k(data: Dataset) -> None:
    one = data.part([i == 0 for i in range(len(data.problems))])
    rows = sorted(one.problems[0].rows, key=lambda r: r.seconds)
    order = [rows[5].candidate.key, rows[9].candidate.key, rows[0].candidate.key]
    [verdict] = judge(one, [Fixed("x", order)])["x"].verdicts
    assert verdict.efficiency == pytest.approx(rows[0].seconds / rows[5].seconds)
    assert verdict.top[2] == verdict.efficiency
    assert verdict.top[4] == 1.0


def test_the_split_keeps_batches_together_and_is_the_same_everywhere() -> None:
    base = {"op": "gemm", "n": 64, "k": 64, "dtype": "fp32"}
    places = ("cuda:0", "cuda:3")
    problems = [
        problem_from_dict({**base, "m": m, "batch": b, "device": place})
        for m in range(1, 200)
        for b in (1, 4)
        for place in places
    ]
    sides = {(p.tuning_key, p.device): is_held_out(p) for p in problems}
    by_group: dict[str, set[bool]] = {}
    for p in problems:
        by_group.setdefault(group_key(p), set()).add(sides[p.tuning_key, p.device])
    assert len(by_group) == 199
    assert group_key(problems[0]) != group_key(replace(problems[0], device="cpu"))
    assert all(len(s) == 1 for s in by_group.values())
    share = np.mean(list(sides.values()))
    assert 0.2 < share < 0.4
    assert is_held_out(problems[0]) is is_held_out(problem_from_dict(problems[0].to_dict()))


def test_the_interval_of_a_gain_covers_what_it_should() -> None:
    def score(name: str, values: Any) -> Score:
        return Score(name, [Verdict("p", {"size": "x"}, float(v), dict.fromkeys((1, 2, 4, 8), 1.0), False, 1.0)
                            for v in values])  # fmt: skip

    rng = np.random.default_rng(0)
    old = rng.uniform(0.7, 0.9, 60)
    better = gain(score("new", old + rng.uniform(0.0, 0.1, 60)), score("old", old))
    assert better.low < better.mean < better.high
    assert better.low > 0.03
    noise = gain(score("new", old + rng.normal(0, 0.05, 60)), score("old", old))
    assert noise.low < 0 < noise.high
    slices = score("s", [0.5, 1.0]).by_slice()["size"]["x"]
    assert slices == {"problems": 2, "mean": 0.75, "p10": 0.55, "min": 0.5, "regret": pytest.approx(0.5)}


def test_the_nearest_problem_is_the_nearest(data: Dataset) -> None:
    measured = data.problems[3]
    near = Nearest(data)
    ranked = near.rank(measured.problem, [r.candidate for r in measured.rows], measured.device)
    assert [r.seconds for r in ranked] == sorted(r.seconds for r in measured.rows)
    assert measured.problem.label() in ranked[0].reason


def test_flips_are_counted_beyond_the_tie_band() -> None:
    rows = some_rows(3, problems=3)
    steady = [(1.0, 1.0, 1.0, 1.0), (2.0, 2.0, 2.0, 2.0), (3.0, 3.0, 3.0, 3.0)]
    tied = [(1.00, 1.01, 1.00, 1.01), (1.01, 1.00, 1.01, 1.00), (2.0, 2.0, 2.0, 2.0)]
    wild = [(1.0, 2.0, 1.0, 2.0), (2.0, 1.0, 2.0, 1.0), (3.0, 3.0, 3.0, 3.0)]
    samples = [*steady, *tied, *wild]
    [data] = datasets_of(replace(r, samples=s) for r, s in zip(rows, samples, strict=True))
    flips = winner_flips(data)
    assert (flips.problems, flips.flips, flips.beyond_tie) == (3, 2, 1)
    assert flips.rate == pytest.approx(1 / 3)
    assert [agreement(m) for m in data.problems] == [1.0, pytest.approx(1 / 1.01), 0.5]


def test_samples_of_a_lone_winner_agree() -> None:
    rows = some_rows(3)
    samples = [(1.0, 9.0, 1.0, 9.0), (30.0,), (40.0, 31.0, 32.0)]
    [data] = datasets_of(replace(r, samples=s) for r, s in zip(rows, samples, strict=True))
    assert agreement(data.problems[0]) == 1.0


def test_agreement_is_by_the_statistic_of_the_rows() -> None:
    rows = some_rows(2)
    samples = [(1.0, 1.0, 5.0, 5.0), (2.0, 4.0, 2.0, 4.0)]
    [least], [median] = (
        datasets_of(
            replace(r, samples=s, policy={**r.policy, "statistic": name}) for r, s in zip(rows, samples, strict=True)
        )
        for name in ("least", "median")
    )
    assert agreement(least.problems[0]) == 1.0
    assert agreement(median.problems[0]) == pytest.approx(2 / 3)


def test_flips_are_by_the_statistic_of_the_rows() -> None:
    """By the least samples the second one wins one half and the first the other; by the medians the first wins both."""
    rows = some_rows(2)
    samples = [(1.0, 1.0, 1.0, 1.0, 1.0, 0.9), (2.0, 2.0, 2.0, 2.0, 0.5, 2.0)]
    flips = [
        winner_flips(data).flips
        for name in ("least", "median")
        for data in datasets_of(
            replace(r, samples=s, policy={**r.policy, "statistic": name}) for r, s in zip(rows, samples, strict=True)
        )
    ]
    assert flips == [1, 0]


def test_the_latest_row_of_a_candidate_counts() -> None:
    [row] = some_rows(1)
    [data] = datasets_of([replace(row, at=2.0, samples=(7.0,), host="b"), replace(row, at=1.0)])
    assert [r.seconds for r in data.problems[0].rows] == [7.0]


def test_rows_of_kernels_that_are_no_longer_known_are_left_out() -> None:
    [row] = some_rows(1)
    other = {**row.spec, "algorithm": {"colour": "red"}}
    assert datasets_of([replace(row, spec=other, spec_digest="x")]) == []


@pytest.mark.parametrize("wrong", [
    {"clock_mhz": 1e300}, {"clock_mhz": "fast"}, {"bandwidth_gbps": float("nan")}, {"units": -1}, {"arch": "vax"},
    {"threads": True}, {"colour": 1},
], ids=str)  # fmt: skip
def test_rows_of_devices_that_cannot_be_are_left_out(wrong: dict[str, Any]) -> None:
    rows = some_rows(2)
    [data] = datasets_of([rows[0], replace(rows[1], device={**rows[1].device, **wrong})])
    assert data.count == 1


def test_candidates_are_the_likely_ones_then_a_spread() -> None:
    problems = sample_problems(6, seed=8)
    wanted, without = wanted_of(problems, registry(), DEVICE)
    assert without == []
    specs = kernel_order(wanted, top=4)
    assert len({s.digest for s in specs}) == len(specs)
    needed = {w.firsts[-1].spec.digest for w in wanted}
    assert {s.digest for s in specs[: len(needed)]} == needed  # the cost model's choices are built before all others
    usable = {s.digest for s in specs}
    order = wanted[0].order(4, 6, usable)
    assert order == wanted[0].order(4, 6, usable)
    assert set(wanted[0].ranked[:4]) <= set(order)
    assert 10 <= len(order) <= 13
    assert wanted[0].order(4, 6, set()) == []


def test_plots(data: Dataset, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib", reason="the extra 'report' is not installed")
    from tilewright.report.selection import plot_scores

    scores = judge(data, [Fixed("learned", []), Fixed("analytical", [])])
    assert plot_scores("x", scores, tmp_path).stat().st_size > 5000
