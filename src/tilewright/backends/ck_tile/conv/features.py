"""The cost model: flops at the arch's rate, divided by the useful and busy shares. It was never checked on hardware.

Formulas (`tilewright.model.formula`) over the tunables `k` with what `constants` knows of the kernel, the problem's
numbers `p` and the device's `d`.
"""

from __future__ import annotations

from typing import Any

from ....model.formula import ceil_div, is_true, most
from ....model.kernel import KernelSpec, kept_by_kernel
from ...gpu.counted_cost import relative_time
from ...gpu.kernel_counts import amd_arch, counts_of
from ..gemm.algorithm import PIPELINES

VERSION = 1
ADDITIVE = ("predicted_us",)
LISTS = ()
ONLY_SHOWN = False
# Peak operations per cycle of a unit; time relative to a usual kernel, by counts of the compiled one; counted?
CONSTANTS = ("peak_rate", "relative_time", "counted")
near = searched = None  # the formulas are exact, and launches hold their splits
LARGE_TILE = 64.0  # multiplications per element loaded that keep the matrix units busy
MEM = float(PIPELINES.index("mem"))


@kept_by_kernel
def constants(spec: KernelSpec) -> tuple[float, ...]:
    """Return what formulas know of a kernel, in the order of `CONSTANTS`."""
    return _peak_rate(spec), relative_time(spec, _peak_rate), float(counts_of(spec) is not None)


def _peak_rate(spec: KernelSpec) -> float:
    return float(amd_arch(spec.arch).ops_per_cycle[spec.signature.dtype_read[0]])


def work(k: Any, p: Any, d: Any) -> dict[str, Any]:
    """Features by name; the first is the cost model."""
    s = shape(k, p, d)
    rate = k["peak_rate"] * d["units"] * d["clock"]
    return {
        "predicted_us": 1e6 * p["flops"] / rate * most(1.0, s["score"] * LARGE_TILE) * k["relative_time"],
        **s,
        "counted": k["counted"],
    }


def shape(k: Any, p: Any, d: Any) -> dict[str, Any]:
    """Return the useful share of the work, blocks, the busy share of the units, and a score; smaller is better."""
    tiles_m, tiles_n = ceil_div(p["m"], k["tile_m"]), ceil_div(p["n"], k["tile_n"])
    useful = p["m"] * p["n"] / (tiles_m * k["tile_m"] * tiles_n * k["tile_n"])
    blocks = tiles_m * tiles_n * ceil_div(p["g"], k["groups_to_merge"]) * k["launch_split_k"]
    filled = blocks / (ceil_div(blocks, d["units"]) * d["units"])
    intensity = k["tile_m"] * k["tile_n"] / (k["tile_m"] + k["tile_n"])
    # Small warp tiles read more from LDS, single elements need more loads; "mem" is for little arithmetic.
    handy = 1.0 + 0.1 * is_true("<", k["warp_tile_m"], 32.0) + 0.1 * is_true("==", k["vector_a"], 1.0)
    handy = handy + 0.05 * is_true("==", k["pipeline"], MEM)
    score = handy / most(1e-9, useful * filled * intensity)
    return {"useful": useful, "blocks": blocks, "filled": filled, "score": score}
