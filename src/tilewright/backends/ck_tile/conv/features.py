"""The cost model: the formulas of products (`backends/gpu/amd_gemm.py`) on the implicit GEMM. Never tried on hardware.

Formulas (`tilewright.model.expr`) over the tunables `k` with what `constants` knows of the kernel, the problem's
numbers `p` and the device's `d`. A convolution computes an address for each access, so narrow vectors cost vector
instructions and cycles of the cache; two stages cost a second launch.
"""

from __future__ import annotations

from typing import Any

from ....model.expr import ceil_div, is_true, most, pick
from ....model.kernel import KernelSpec, kept_by_kernel
from ...gpu.amd_gemm import LAUNCH_S, NUMBERS, launch_parts
from ...gpu.counted_cost import CACHE_BYTES_PER_CLOCK, VECTOR_CYCLES
from ...gpu.kernel_counts import amd_arch, counts_of
from ..gemm.algorithm import PIPELINES
from ..gemm.cost import USUAL_RATIO, kernel_numbers
from ..gemm.geometry import element_bytes
from .implicit import gemm_spec

VERSION = 2
ADDITIVE = ("predicted_us",)
LISTS = ()
ONLY_SHOWN = False
# Besides the numbers of a product: bytes of an element of A and B; judged by counts? What counts usually add.
CONSTANTS = (*NUMBERS, "size_a", "size_b", "counted", "usual")
COUNTS = ("tiles", "rounds")  # of the parts of a launch; the others are seconds
near = searched = None  # the formulas are exact, and launches hold their splits
MEM = float(PIPELINES.index("mem"))
ADDRESS_INSTRUCTIONS = 12.0  # of the vector units for each access: which pixel, and whether it is in the image
LANES_PER_CLOCK = 16.0  # addresses that the cache of a unit takes in one clock
SUM_BYTES = 4.0  # of an element of the workspace of two stages


@kept_by_kernel
def constants(spec: KernelSpec) -> tuple[float, ...]:
    """Return what formulas know of a kernel, in the order of `CONSTANTS`."""
    gemm, counts = gemm_spec(spec), counts_of(spec)
    numbers = dict(zip(NUMBERS, kernel_numbers(gemm, counts), strict=True))
    if counts is None:  # counted vector instructions include those of addresses
        numbers["vector_cycles"] += access_cycles(spec)
    sizes = (element_bytes(gemm.signature.dtype_a), element_bytes(gemm.signature.dtype_b))
    usual = 1.0 if counts is not None else USUAL_RATIO.get(spec.arch, 1.0)
    return (*numbers.values(), *sizes, float(counts is not None), usual)


def access_cycles(spec: KernelSpec) -> float:
    """Return the cycles of a unit for the accesses of one step: addresses, and lanes that load less than a clock could.

    >>> from tilewright.ops.conv.signature import ConvSignature
    >>> from tilewright.backends.ck_tile.conv.algorithm import CkTileConv
    >>> s = ConvSignature("forward", *["fp16"] * 3, "fp32")
    >>> wide, narrow = (KernelSpec("conv", "ck_tile", "gfx942", s, CkTileConv(vector_a=v)) for v in (8, 1))
    >>> access_cycles(narrow) > 2 * access_cycles(wide)
    True
    """
    a, arch, s = spec.algorithm, amd_arch(spec.arch), gemm_spec(spec).signature
    cycles = 0.0
    for side, vector, dtype in ((a.tile_m, a.vector_a, s.dtype_a), (a.tile_n, a.vector_b, s.dtype_b)):
        accesses = side * a.tile_k / max(1, vector)
        issued = accesses / arch.wave_size * ADDRESS_INSTRUCTIONS * VECTOR_CYCLES[arch.wave_size] / arch.simds_per_unit
        taken = accesses / LANES_PER_CLOCK
        wide = accesses * vector * element_bytes(dtype) / CACHE_BYTES_PER_CLOCK  # the formulas have it as "l2"
        cycles += issued + max(0.0, taken - wide)
    return cycles


def work(k: Any, p: Any, d: Any) -> dict[str, Any]:
    """Features by name; the first is the cost model."""
    parts = launch_parts(_kernel(k), _product(k, p), d)
    second = LAUNCH_S + p["weights"] * (SUM_BYTES + p["size_out"]) / d["bandwidth"]
    seconds = parts.pop("seconds") + pick(k["two_stage"], second, 0.0)
    s = shape(k, p, d)
    return {
        "predicted_us": 1e6 * seconds * k["usual"],
        **{name if name in COUNTS else f"{name}_us": v if name in COUNTS else 1e6 * v for name, v in parts.items()},
        "useful": s["useful"],
        "filled": s["filled"],
        "resident": k["resident"],
        "counted": k["counted"],
    }


def _kernel(k: Any) -> dict[str, Any]:
    """The kernel as formulas of products read it: it always pads, and its blocks end with their tile."""
    same = (*NUMBERS, "tile_m", "tile_n", "tile_k", "launch_split_k")
    return {**{name: k[name] for name in same}, "pad_m": 1.0, "pad_n": 1.0, "pad_k": 1.0, "persistent": 0.0}


def _product(k: Any, p: Any) -> dict[str, Any]:
    """The implicit GEMM, once for each group (or merged groups); strided backward data meets only some of the taps."""
    return {
        "m": p["m"],
        "n": p["n"],
        "k": most(1.0, p["k"] * p["taps_met"] / p["taps"]),
        "batch": ceil_div(p["g"], k["groups_to_merge"]),
        "size_a": k["size_a"],
        "size_b": k["size_b"],
        "size_out": pick(k["two_stage"], SUM_BYTES, p["size_out"]),
        "bytes": p["bytes"],
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
