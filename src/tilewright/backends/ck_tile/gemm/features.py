"""The cost model of CK Tile GEMMs: the formulas of `backends/gpu/amd_gemm.py`. They were never checked on hardware.

What they know of a kernel comes from its counts, or from its tile sizes.
"""

from __future__ import annotations

from typing import Any

from ....model.expr import ceil_div, most, pick
from ....model.kernel import KernelSpec, kept_by_kernel
from ...gpu.amd_gemm import LAUNCH_S, NUMBERS, launch_parts
from ...gpu.kernel_counts import counts_of
from .algorithm import STREAM_K
from .cost import USUAL_RATIO, counted_as, kernel_numbers

VERSION = 1
ADDITIVE = ("predicted_us",)
LISTS = ()
ONLY_SHOWN = False
# Besides: judged by counts? What counts usually add to the time by tile sizes; 1 for a counted kernel. Stream-K, and
# does it add the parts of tiles by atomics?
CONSTANTS = (*NUMBERS, "counted", "usual", "stream_k", "atomic")
SUM_BYTES = 4.0
COUNTS = ("tiles", "rounds")  # of the parts of a launch; the others are seconds
near = searched = None  # the formulas are exact, and launches hold their splits


@kept_by_kernel
def constants(spec: KernelSpec) -> tuple[float, ...]:
    """Return what formulas know of a kernel, in the order of `CONSTANTS`."""
    counts = counts_of(counted_as(spec))
    usual = 1.0 if counts is not None else USUAL_RATIO.get(spec.arch, 1.0)
    family = spec.algorithm.family
    stream_k = float(family in STREAM_K), float(family == "stream_k_atomic")
    return (*kernel_numbers(spec, counts), float(counts is not None), usual, *stream_k)


def work(k: Any, p: Any, d: Any) -> dict[str, Any]:
    """Features by name; the first is the cost model."""
    parts = launch_parts(k, p, d)
    seconds = parts.pop("seconds")
    seconds = pick(k["stream_k"], _shared(k, p, d, parts, seconds), seconds)
    return {
        "predicted_us": 1e6 * seconds * k["usual"],
        **{name if name in COUNTS else f"{name}_us": v if name in COUNTS else 1e6 * v for name, v in parts.items()},
        "resident": k["resident"],
        "counted": k["counted"],
    }


def _shared(k: Any, p: Any, d: Any, parts: dict[str, Any], seconds: Any) -> Any:
    """The seconds of Stream-K: no unit is idle in the last round, but the parts of tiles are added up."""
    even = parts["tiles"] / (parts["rounds"] * d["units"])  # of the time of whole rounds
    busy = (seconds - parts["overhead"]) * most(even, 1.0 / most(1.0, ceil_div(p["k"], k["tile_k"])))
    out = p["m"] * p["n"] * p["size_out"]
    stored = 2.0 * SUM_BYTES * d["units"] * k["tile_m"] * k["tile_n"]  # a part of each block, written and read
    added = pick(k["atomic"], 3.0 * out, stored) / d["bandwidth"]
    return parts["overhead"] + LAUNCH_S + added + most(busy, p["bytes"] / d["bandwidth"])
