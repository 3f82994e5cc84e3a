"""gemm: the kernels that are offered."""

from __future__ import annotations

from ......model.kernel_set import KernelSet
from ....gemm.set_parts import SIXTEEN_BIT
from ....gemm.sets import DEFAULT_SETS
from ...set_parts import Maps, conv_set


def _gemm_maps(kernel_set: KernelSet) -> Maps:
    return tuple({**m, "pipeline": "gemm", "inner": m["pipeline"]} for m in kernel_set.algorithms)


# For products of a few hundred rows; convolutions have more pixels, and their models were not shown these kernels.
LEFT_OUT = ("triton_hopper_columns",)


def _gemm_sets() -> tuple[KernelSet, ...]:
    """1x1 convolutions through every other gemm set of these dtypes."""
    found = []
    for s in DEFAULT_SETS:
        dtype = s.signature.get("dtype_a")
        if s.name in LEFT_OUT or s.signature.keys() != {"dtype_a"}:
            continue
        if dtype == SIXTEEN_BIT or dtype == "fp32":
            name = s.name.removeprefix("triton_")
            found.append(conv_set(f"gemm_{name}", f"1x1: {s.description}", s.archs, _gemm_maps(s), dtype_input=dtype))
    return tuple(found)


# By their place among all sets, in which the selector `first_fit` takes the first that fits.
SETS = {7: _gemm_sets()}
