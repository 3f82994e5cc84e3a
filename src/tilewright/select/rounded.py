"""Problems near each other are ranked as one: on a GPU, by sizes rounded up (`Op.rounded`).

A ranking takes longer than all the rest of a call on a new shape. Which candidates are legal is always asked of the
problem itself.
"""

from __future__ import annotations

from functools import cache

from ..arch import get_arch
from ..model.arch import CpuArch
from ..model.device import Device
from ..model.kin import kin_of
from ..model.problem import Problem
from ..ops import get_op

ROUNDING = ("chain", "learned", "analytical")  # the selectors that predict times
MOST_OF_A_KIN = 1024


def rounded(problem: Problem, device: Device) -> Problem:
    """Return the problem that is ranked in place of another, the same object for all that it stands for.

    >>> from tilewright.arch import get_nominal_devices
    >>> from tilewright.ops import problem_from_dict
    >>> h200, gemm = get_nominal_devices("sm_90")[0], {"op": "gemm", "n": 8, "k": 8, "dtype": "fp16"}
    >>> a, b, c = (rounded(problem_from_dict({**gemm, "m": m}), h200) for m in (500, 510, 520))
    >>> a.m, a is b, a is c, rounded(a, h200) is a
    (512, True, False, True)
    """
    op = get_op(problem.op)
    if not op.extents or not _rounds(device.arch):
        return problem
    kin = kin_of(problem, op.extents)
    known: dict[tuple[int, ...], Problem] = kin.memo.setdefault("rounded", {})
    sizes = tuple([up(size) for up, size in zip(op.rounding, kin.sizes_of(problem), strict=True)])
    found = known.get(sizes)
    if found is None:
        if len(known) >= MOST_OF_A_KIN:
            known.clear()
        found = known[sizes] = op.rounded(problem)
    return found


@cache
def _rounds(arch: str) -> bool:
    """Return whether problems are rounded on an arch: CPUs have tiles of odd sizes, and rankings that cost less."""
    return not isinstance(get_arch(arch), CpuArch)
