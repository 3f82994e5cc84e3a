"""The cost model of CK Tile GEMMs: the formulas of `backends/gpu/amd_gemm.py`. They were never checked on hardware.

What they know of a kernel comes from its counts, or from its tile sizes.
"""

from __future__ import annotations

from typing import Any

from ....model.kernel import KernelSpec, kept_by_kernel
from ...gpu.amd_gemm import NUMBERS, launch_parts
from ...gpu.kernel_counts import counts_of
from .cost import USUAL_RATIO, kernel_numbers

VERSION = 1
ADDITIVE = ("predicted_us",)
LISTS = ()
ONLY_SHOWN = False
# Besides: judged by counts? What counts usually add to the time by tile sizes; 1 for a counted kernel.
CONSTANTS = (*NUMBERS, "counted", "usual")
COUNTS = ("tiles", "rounds")  # of the parts of a launch; the others are seconds
near = searched = None  # the formulas are exact, and launches hold their splits


@kept_by_kernel
def constants(spec: KernelSpec) -> tuple[float, ...]:
    """Return what formulas know of a kernel, in the order of `CONSTANTS`."""
    counts = counts_of(spec)
    usual = 1.0 if counts is not None else USUAL_RATIO.get(spec.arch, 1.0)
    return (*kernel_numbers(spec, counts), float(counts is not None), usual)


def work(k: Any, p: Any, d: Any) -> dict[str, Any]:
    """Features by name; the first is the cost model."""
    parts = launch_parts(k, p, d)
    return {
        "predicted_us": 1e6 * parts.pop("seconds") * k["usual"],
        **{name if name in COUNTS else f"{name}_us": v if name in COUNTS else 1e6 * v for name, v in parts.items()},
        "resident": k["resident"],
        "counted": k["counted"],
    }
