"""The cost model: the slower of products and memory. It was never checked on hardware.

Formulas (`tilewright.model.expr`) over the tunables `k` with what `constants` knows of the kernel, the problem's
numbers `p` and the device's `d`.
"""

from __future__ import annotations

from typing import Any

from ....model.expr import ceil_div, is_true, most, pick
from ....model.kernel import KernelSpec, kept_by_kernel
from ...gpu.counted_cost import relative_time
from ...gpu.kernel_counts import amd_arch, counts_of

VERSION = 1
ADDITIVE = ("predicted_us",)
LISTS = ()
ONLY_SHOWN = False
# Peak operations per cycle of a unit; time relative to a usual kernel, by counts of the compiled one; counted?
CONSTANTS = ("peak_rate", "relative_time", "counted")
near = searched = None  # the formulas are exact, and launches hold their splits
LAUNCH_S = 5e-6
EFFICIENCY = 0.6  # of the peak that a full device reaches; never measured, it only has to rank kernels
PADDED = 0.02  # of the time, for each padded dimension


@kept_by_kernel
def constants(spec: KernelSpec) -> tuple[float, ...]:
    """Return what formulas know of a kernel, in the order of `CONSTANTS`."""
    return _peak_rate(spec), relative_time(spec, _peak_rate), float(counts_of(spec) is not None)


def _peak_rate(spec: KernelSpec) -> float:
    return float(amd_arch(spec.arch).ops_per_cycle.get(spec.signature.dtype, 1.0))


def work(k: Any, p: Any, d: Any) -> dict[str, Any]:
    """Features by name; the first is the cost model."""
    splits = k["launch_num_splits"]
    split = is_true(">", splits, 1.0)
    row_blocks = ceil_div(p["seqlen_q"], k["tile_m0"])
    blocks = p["batch"] * p["heads_q"] * row_blocks * splits
    filled = blocks / (ceil_div(blocks, d["units"]) * d["units"])
    wasted = row_blocks * k["tile_m0"] / most(p["seqlen_q"], 1.0)
    widths = (k["tile_k0max"] + k["tile_n1"]) / (p["hdim_q"] + p["hdim_v"])
    wasted = wasted * pick(k["waves0_m"], widths, 1.0)
    padding = 1.0 + PADDED * (k["pad_s"] + k["pad_sk"] + k["pad_d"] + k["pad_dv"])
    rate = k["peak_rate"] * d["units"] * d["clock"]
    slowness = most(k["relative_time"], EFFICIENCY)  # no kernel exceeds the peak
    compute = p["flops"] * wasted * padding * slowness / most(rate * EFFICIENCY * filled, 1.0)
    partial = 2.0 * splits * p["batch"] * p["seqlen_q"] * p["heads_q"] * (p["hdim_v"] + 1.0) * 4.0
    memory = (p["bytes"] + split * partial) / d["bandwidth"]
    return {
        "predicted_us": 1e6 * (most(compute, memory) + LAUNCH_S * (1.0 + split)),
        "compute_us": 1e6 * compute,
        "memory_us": 1e6 * memory,
        "blocks": blocks,
        "filled": filled,
        "counted": k["counted"],
    }
