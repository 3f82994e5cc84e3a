"""Problems near each other are ranked as one, by sizes rounded up (`Op.rounded`), and so share a decision.

Which candidates are legal is always asked of the problem itself.
"""

from __future__ import annotations

from functools import cache

from ..arch import get_arch
from ..model.arch import CpuArch
from ..model.device import Device
from ..model.problem import Problem, refitted, shape_class_of
from ..ops import get_op

ROUNDING = ("chain", "learned", "analytical")  # the selectors that predict times


def rounded(problem: Problem, device: Device) -> Problem:
    """Return the problem that is ranked in place of another.

    >>> from tilewright.arch import get_nominal_devices
    >>> from tilewright.ops import problem_from_dict
    >>> h200, gemm = get_nominal_devices("sm_90")[0], {"op": "gemm", "n": 8, "k": 8, "dtype": "fp16"}
    >>> [rounded(problem_from_dict({**gemm, "m": m}), h200).m for m in (500, 510, 520)]
    [512, 512, 528]
    """
    op = get_op(problem.op)
    if not op.extents:
        return problem
    asked: Problem = op.rounded(problem, is_cpu(device.arch))
    shape_class = shape_class_of(problem, op.extents)
    fields = shape_class.fields(shape_class.sizes_of(asked)) if shape_class.strides is not None else None
    fitted: Problem = asked if fields is None else refitted(asked, strides=fields["strides"])
    return fitted


@cache
def is_cpu(arch: str) -> bool:
    """Return whether an arch is that of a CPU.

    >>> is_cpu("aarch64"), is_cpu("sm_90")
    (True, False)
    """
    return isinstance(get_arch(arch), CpuArch)
