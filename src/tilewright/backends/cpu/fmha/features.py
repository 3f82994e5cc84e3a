"""The cost model: the products of an attention over whole blocks of rows and its exponentials, or the bytes.

Formulas (`tilewright.model.expr`) over the tunables `k` with what `constants` knows of the kernel, the problem's
numbers `p` and the device's `d`.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from ....arch import get_arch
from ....model.arch import CpuArch
from ....model.expr import ceil_div, floor_div, is_true, least, most, pick
from ....model.kernel import KernelSpec
from ...formula_cost import ASSUMED

VERSION = 1
ADDITIVE = ("predicted_us",)
LISTS = ()
ONLY_SHOWN = False
CONSTANTS = ("vector_rate", "product_rate")
near = searched = None  # the formulas are exact, and launches hold their splits

AMX = 1.0  # place among the choices of `inner`
CLOCK, BANDWIDTH = 2.5e9, 1e10  # if the machine does not report them; the bandwidth is that of one thread
EFFICIENCY = {"fma": 0.6, "amx": 0.45}  # of the peak of the products
EXP_FLOPS = 40.0  # what an exponential and the steps around it cost, in flops of fp32 vector code
PACK_FLOPS = 24.0  # for each element of K and V that is packed into tiles
TILE_ROWS = 32.0  # rows of AMX kernels that are computed together
SINGLE_ROW = 3.0  # what one row with lanes along the keys costs compared with a row of a full block
BEGIN_CYCLES = 300.0  # to set up each register of rows of a block
LAUNCH_SECONDS = 3e-6


@lru_cache(maxsize=65536)
def constants(spec: KernelSpec) -> tuple[float, ...]:
    """What formulas know of a kernel: flops per cycle of fp32 vector code, and of its products."""
    arch, inner = get_arch(spec.arch), spec.algorithm.inner
    assert isinstance(arch, CpuArch)
    vector = arch.ops_per_cycle.get("fp32", 32.0)
    rate = (vector if inner == "fma" else arch.ops_per_cycle.get("bf16", 32.0)) * EFFICIENCY[inner]
    return float(vector), float(rate)


def work(k: Any, p: Any, d: Any) -> dict[str, Any]:
    """Features by name; the first is the cost model."""
    blocks, splits = _blocks(k, p, d), k["launch_num_splits"]
    threads = least(pick(k["launch_threads"], k["launch_threads"], d["threads"]), blocks * splits)
    known_bandwidth = pick(is_true("==", d["bandwidth"], ASSUMED["bandwidth"]), BANDWIDTH * threads, d["bandwidth"])
    memory = p["bytes"] / known_bandwidth
    clock = pick(is_true("==", d["clock"], ASSUMED["clock"]), CLOCK, d["clock"]) * most(threads, 1.0)
    compute = _compute_cycles(k, p, d) / clock
    begin = BEGIN_CYCLES * blocks * k["row_vectors"] / clock
    written = 4.0 * splits * p["rows"] * (p["hdim_v"] + 1.0)
    combine = is_true(">", splits, 1.0) * written / BANDWIDTH
    passes = _row_blocks(k, p, d)  # K and V are read by each block of rows, from the cache if they fit
    whole = most(compute, memory) + 0.02 * passes * memory + begin + combine + LAUNCH_SECONDS
    return {
        "predicted_us": 1e6 * pick(p["append"], memory + LAUNCH_SECONDS, whole),
        "compute_us": 1e6 * compute,
        "memory_us": 1e6 * memory,
        "blocks": blocks,
        "padding": _padding(k, p, d),
    }


def _row_blocks(k: Any, p: Any, d: Any) -> Any:
    """Blocks of rows of one key head."""
    block = k["row_vectors"] * d["lanes"]
    heads = most(1.0, floor_div(block, most(p["seqlen_q"], 1.0)))
    return pick(is_true(">=", p["seqlen_q"], block), p["group"] * ceil_div(p["seqlen_q"], block),
                ceil_div(p["group"], heads))  # fmt: skip


def _blocks(k: Any, p: Any, d: Any) -> Any:
    """Blocks that threads can take."""
    return most(1.0, p["batch"] * p["heads_kv"] * _row_blocks(k, p, d))


def _compute_cycles(k: Any, p: Any, d: Any) -> Any:
    """Cycles of one thread for the products, the exponentials and packing."""
    width = p["hdim_q"] + p["hdim_v"]
    pairs = p["flops"] / most(2.0 * width * pick(p["backward"], 2.5, 1.0), 1.0)
    packed = is_true("==", k["inner"], AMX) * (p["batch"] * p["heads_kv"] * p["seqlen_k"] * width)
    products = p["flops"] / k["product_rate"] + EXP_FLOPS * pairs / k["vector_rate"]
    return _padding(k, p, d) * products + PACK_FLOPS * packed / k["vector_rate"]


def _padding(k: Any, p: Any, d: Any) -> Any:
    """Rows that are computed, relative to those that there are."""
    amx, rows = is_true("==", k["inner"], AMX), p["seqlen_q"]
    block = pick(amx, TILE_ROWS, k["row_vectors"] * d["lanes"])
    heads = most(1.0, floor_div(block, most(rows, 1.0)))
    many = ceil_div(rows, block) * block / most(rows, 1.0)
    few = ceil_div(p["group"], heads) * block / most(rows * p["group"], 1.0)
    single = (1.0 - amx) * is_true("==", rows * p["group"], 1.0)
    return pick(single, SINGLE_ROW, pick(is_true(">=", rows, block), many, few))
