"""Near ties go to kernels that the program has: fewer builds, if times are predicted and builds run beside calls."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from host_cpu_kernels import ARCH, gemm_tile

from tilewright.dispatcher import Dispatcher
from tilewright.jit import Cache
from tilewright.model.kernel import Candidate, KernelSpec
from tilewright.model.selector import Ranked, in_order
from tilewright.ops import get_op, problem_from_dict
from tilewright.registry import Registry
from tilewright.settings import Settings

FIRST: Any = problem_from_dict({"op": "gemm", "m": 24, "n": 40, "k": 32, "dtype": "fp32", "layout": "rrr"})
SECOND = replace(FIRST, m=48)
ONE, OTHER = gemm_tile(kc=128), gemm_tile(kc=256)


class Times:
    """A selector with given times of the second problem; the first one is best on `ONE`."""

    name = "times"

    def __init__(self, one: float, other: float, reason: str = "predicted") -> None:
        self._second, self._reason = {128: one, 256: other}, reason

    def rank(self, problem: Any, candidates: Sequence[Candidate], device: Any) -> Sequence[Ranked]:
        seconds = self._second if problem.m == SECOND.m else {128: 1.0, 256: 2.0}
        times = [(seconds[c.spec.algorithm.kc], c) for c in candidates]
        return in_order([(s, Ranked(c, s, f"{self._reason}: {s}")) for s, c in times])


def kernels(folder: Path, selector: Times, build: str, **more: Any) -> set[int]:
    """Return the block sizes of the kernels that both problems run on."""
    registry = Registry()
    for algorithm in (ONE, OTHER):
        registry.add(KernelSpec("gemm", "cpu", ARCH, FIRST.signature, algorithm))
    settings = Settings.from_env(vendor=False, **more)
    dispatcher = Dispatcher(registry, selector, settings, Cache(folder / "cache", settings=settings), build=build)
    chosen = set()
    for problem in (FIRST, SECOND):
        tensors = get_op("gemm").random_tensors(problem, 0)
        dispatcher.run(problem, **tensors)
        assert dispatcher.wait_for_builds(120)
        get_op("gemm").verify(problem, tensors, dispatcher.run(problem, **tensors)).require(problem.label())
        plan = dispatcher.plan(problem)
        assert plan.candidate is not None
        assert plan.candidate == dispatcher.explain(problem).ranked[0].candidate
        chosen.add(plan.candidate.spec.algorithm.kc)
    return chosen


def test_a_near_tie_goes_to_the_kernel_that_is_there(tmp_path: Path) -> None:
    assert kernels(tmp_path, Times(1.015, 1.0), "background") == {128}


@pytest.mark.parametrize(
    ("selector", "build", "more"),
    [
        (Times(1.03, 1.0), "background", {}),  # too slow
        (Times(1.015, 1.0, "measured"), "background", {}),  # known, not predicted
        (Times(1.015, 1.0), "wait", {}),
        (Times(1.015, 1.0), "background", {"reproducible": True}),
    ],
    ids=["slower", "measured", "wait", "reproducible"],
)
def test_the_best_kernel_is_built_where_it_matters(tmp_path: Path, selector: Times, build: str, more: Any) -> None:
    assert kernels(tmp_path, selector, build, **more) == {128, 256}


def test_warm_up_builds_no_kernel_for_a_near_tie(tmp_path: Path) -> None:
    registry = Registry()
    for algorithm in (ONE, OTHER):
        registry.add(KernelSpec("gemm", "cpu", ARCH, FIRST.signature, algorithm))
    settings = Settings.from_env(vendor=False, build="background")
    dispatcher = Dispatcher(registry, Times(1.015, 1.0), settings, Cache(tmp_path / "cache", settings=settings))
    plans = dispatcher.warm_up([FIRST, SECOND])
    assert {plan.candidate.spec.algorithm.kc for plan in plans if plan.candidate is not None} == {128}
    assert "instead of" in dispatcher.explain(SECOND).ranked[0].reason
