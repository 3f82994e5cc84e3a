"""C++ and Python choose the same kernel with the same launch and parameters: some problems of some cases, or all."""

from __future__ import annotations

from pathlib import Path

import pytest
from same_choice import CASES, ROUND, Case, compare, preselected

pytestmark = pytest.mark.xdist_group("bundle")
PROBLEMS = 1000  # of each case, by `make test-all`
SAMPLE = {
    **{Case(op, "cpu", "x86_64_amx"): 40 for op in ("gemm", "conv", "fmha")},
    Case("gemm", "triton", "gfx942"): 6,
    Case("conv", "triton", "sm_90"): 4,
    Case("fmha", "triton", "sm_90"): 6,
    Case("gemm", "ck_tile", "gfx942"): 4,
    Case("conv", "ck_tile", "gfx942"): 8,
    Case("gemm", "triton", "sm_90", "learned"): 4,
    Case("gemm", "cpu", "x86_64_amx", "learned"): 4,
}


@pytest.mark.parametrize("case", list(SAMPLE), ids=str)
def test_the_same_choice(case: Case, selection_library: Path) -> None:
    every = preselected(case) if case.backend == "ck_tile" else None
    found = compare(case, SAMPLE[case], selection_library, every=every)
    assert found.problems == SAMPLE[case]
    assert found.kernels > 3
    assert found.distinct > 1
    assert found.by_trees > 0 or case.selector != "learned"


@pytest.mark.exhaustive
@pytest.mark.parametrize("case", CASES, ids=str)
def test_the_same_choice_for_many_problems(case: Case, selection_library: Path) -> None:
    found = [compare(case, ROUND, selection_library, seed) for seed in range(PROBLEMS // ROUND)]
    assert sum(outcome.problems for outcome in found) == PROBLEMS


def test_every_sample_is_one_of_the_cases() -> None:
    assert set(SAMPLE) <= set(CASES)
