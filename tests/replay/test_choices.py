"""The recorded choices (`choices.py`): a few problems of some cases here, all of them by `make test-all`."""

from __future__ import annotations

import platform

import pytest
from choices import ARCHS, CASES, PROBLEMS, gathered, recorded

SAMPLE = (
    "cpu x86_64_amx gemm",
    "cpu aarch64_dot conv",
    "cpu x86_64_v3 fmha",
    "triton sm_90 gemm",
    "triton gfx942 fmha",
)


RECORDED_ON = "aarch64"  # elsewhere formulas round otherwise, and a model may see a size on the other side of a split
FEW = 40


def test_some_choices_and_launches_are_as_recorded():
    words = [word for case in SAMPLE for word in ("--only", case)]
    differ = gathered("--problems", str(FEW), *words).splitlines()[:-1]  # the last line counts them
    assert len(differ) <= (0 if platform.machine() == RECORDED_ON else len(SAMPLE) * FEW // 100), differ


@pytest.mark.exhaustive
@pytest.mark.timeout(1800)  # a minute of work, which a busy machine may stretch
@pytest.mark.parametrize("backend", ARCHS)
def test_all_choices_and_launches_are_as_recorded(backend):
    assert gathered("--only", f"{backend} ") == ""


def test_every_case_is_recorded_and_most_problems_have_a_kernel():
    record = recorded()
    assert list(record) == CASES
    assert {len(found) for found in record.values()} == {PROBLEMS}
    assert PROBLEMS * len(CASES) > 10_000
    assert all(found.count("-") < PROBLEMS / 10 for case, found in record.items() if not case.startswith("ck_tile"))
