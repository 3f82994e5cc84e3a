"""The cost model: matrix units, exponentials and bytes of the busiest wave of an attention, and its launches.

Formulas (`tilewright.model.expr`) over the tunables `k` with what `constants` knows of the kernel, the problem's
numbers `p` and the device's `d`. Rates are shares of the device's peak; they were set by the times in
`benchmarks/results/fmha_gpu.jsonl` (`benchmarks/gpu/fmha_gpu.py`).
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from ....arch import get_arch
from ....model.dtype import get_dtype
from ....model.expr import ceil_div, is_true, least, most, pick
from ....model.kernel import KernelSpec
from .algorithm import backward_columns, is_wide, padded
from .cost import resident

VERSION = 1
ADDITIVE = ("predicted_us",)
LISTS = ()
ONLY_SHOWN = False
CONSTANTS = ("resident", "block_cycles", "ring_bytes", "width")
near = searched = None  # the formulas are exact, and launches hold their splits

HOPPER = 2.0  # place of the pipeline among the choices
LAUNCH, PROGRAM = 3e-6, 1.5e-6  # seconds of a launch, and of a program's start and end
MATRIX = 0.57  # share of the peak that a long walk reaches
MEMORY = 0.9  # share of the bandwidth
MAX_DRAWN, PAGED_DRAWN = 1.5, 1.05  # how much of its share of the bandwidth a multiprocessor can draw
IN_FLIGHT = 45_000.0  # bytes that a multiprocessor must ask for at a time to draw its share of the bandwidth
EXPONENTIALS = 16.0  # of the special function units, per cycle and multiprocessor
BLOCK_CYCLES, TILE = 150.0, 0.8e-6  # of the Hopper forward pass: in addition to the work of a block; of a tile
BACKWARD_MATRIX, BACKWARD_BLOCK = 0.63, (1e-6, 3.5e-6)  # Hopper backward; seconds of a block of keys, with a mask
BACKWARD_WIDE = 0.42  # the same, of heads whose groups of warps share keys
BACKWARD_STEP = 1.7e-6  # seconds of a step of the general backward kernels at least
ADD_KEYS = 3e-6  # seconds of a block of keys whose walk is shared
SOFT_CAP, DROPOUT, BIAS = 0.13, 0.09, 0.07  # Hopper backward: cycles of a row by a key, in addition to the products
SPILLED = 2.5  # times as many where a block of 128 rows leaves no registers for them


@lru_cache(maxsize=65536)
def constants(spec: KernelSpec) -> tuple[float, ...]:
    """Return what formulas know of a kernel, in the order of `CONSTANTS`.

    Programs that share a multiprocessor, cycles of a block of rows by keys, bytes of the keys in flight, and the width
    of a query's head in the kernel.
    """
    a, s = spec.algorithm, spec.signature
    width = padded(s.hdim_q) + padded(s.hdim_v)
    ring = max(0.5, a.stages - 1.5) * a.tile_n * width * get_dtype(s.dtype).bytes
    if s.family == "fwd_appendkv":
        cycles = 0.0
    elif a.pipeline == "hopper":
        cycles = _hopper_backward_cycles(spec) if s.family == "bwd" else _hopper_forward_cycles(spec)
    else:
        cycles = _block_cycles(spec)
    own = backward_columns if a.pipeline == "hopper" and s.family == "bwd" else padded
    return float(resident(spec)), float(cycles), float(ring), float(own(s.hdim_q))


def _peak_products(name: str, dtype: str) -> float:
    """Return the multiply-adds per cycle of 16-bit operands; on AMD GPUs, of `dtype` if it has 16 bits."""
    arch = get_arch(name)
    if arch.kind == "amd":
        return float(arch.ops_per_cycle[dtype if get_dtype(dtype).bits == 16 else "fp16"]) / 2.0
    return 2048.0 if name == "sm_90" else 1024.0


def _block_cycles(spec: KernelSpec) -> float:
    """Return one block of rows by keys on one multiprocessor: products, then exponentials that only partly hide."""
    a, s = spec.algorithm, spec.signature
    bits = get_dtype(s.dtype).bits
    rate = _peak_products(spec.arch, s.dtype) * (
        0.03 if bits == 32 and a.precision == "ieee" else 0.5 if bits == 32 else 1.0
    )
    # Two programs of a multiprocessor hide each other's exponentials; two stages wait for memory.
    alone = {1: 0.87, 2: 1.0}.get(resident(spec), 1.04)
    stages = {1: 0.6, 2: 0.78}.get(a.stages, 1.0)
    shape = min(1.0, a.tile_m / 64) ** 0.5 * min(1.0, a.tile_n / 64) ** 0.25 * (1.0 if a.aligned else 0.4)
    per_thread = a.tile_m * (padded(s.hdim_v) + a.tile_n) // (32 * a.warps)
    spill = 0.6 if per_thread > 160 else 1.0
    maps = (1.03 if padded(s.hdim_q) > 64 else 0.97) if a.pipeline == "tma" else 1.0
    share = MATRIX * alone * stages * shape * spill * maps
    products = a.tile_m * a.tile_n * (padded(s.hdim_q) + padded(s.hdim_v)) / (rate * share)
    powers = a.tile_m * a.tile_n / (0.8 * EXPONENTIALS * alone)
    return float(max(products, powers) + 0.35 * min(products, powers))


def _hopper_forward_cycles(spec: KernelSpec) -> float:
    """Products and exponentials of different groups overlap, but latencies are left: a block takes the sum of both."""
    a, s = spec.algorithm, spec.signature
    width, area = padded(s.hdim_q) + padded(s.hdim_v), a.tile_m * a.tile_n
    return float(area * width / 2048.0 + area / EXPONENTIALS * (0.9 if a.tile_m > 128 else 1.0) + BLOCK_CYCLES)


def _hopper_backward_cycles(spec: KernelSpec) -> float:
    """Five products for each block, and what the special function units or the integer units do besides."""
    s, a, d = spec.signature, spec.algorithm, backward_columns(spec.signature.hdim_q)
    alone = SOFT_CAP * s.soft_cap + DROPOUT * (s.dropout != "none")
    further = alone * (SPILLED if a.tile_m > 64 else 1.0) + BIAS * (s.bias != "none")
    share = BACKWARD_MATRIX * (1.0 if d > 64 else 0.8) * (1.0 if a.tile_m * d >= 64 * 128 else 0.85)
    if is_wide(s):
        share = BACKWARD_WIDE * (1.0 if a.stages > 1 else 0.68)
    return float(a.tile_m * a.tile_n * (5 * d / (2048.0 * share) + further))


def work(k: Any, p: Any, d: Any) -> dict[str, Any]:
    """Features by name; the first is the cost model."""
    hopper, back = is_true("==", k["pipeline"], HOPPER), p["backward"]
    plain = pick(hopper, pick(back, _hopper_backward(k, p, d), _hopper_forward(k, p, d)), _portable(k, p, d))
    memory = p["bytes"] / (MEMORY * d["bandwidth"])
    return {
        "predicted_us": 1e6 * pick(p["append"], LAUNCH + memory, plain),
        "memory_us": 1e6 * memory,
        "programs": _programs(k, p),
        "waves": _programs(k, p) / (d["units"] * k["resident"]),
        "blocks": _pair_blocks(k, p),
    }


def _row_blocks(k: Any, p: Any) -> Any:
    """Blocks of rows of the longest sequence, for one head or one group of heads."""
    return most(1.0, ceil_div(p["seqlen_q"] * pick(k["pack"], p["group"], 1.0), k["tile_m"]))


def _programs(k: Any, p: Any) -> Any:
    lanes = pick(k["pack"], p["heads_kv"], p["heads_q"])
    return most(1.0, p["batch"] * lanes * _row_blocks(k, p) * k["launch_num_splits"])


def _pair_blocks(k: Any, p: Any) -> Any:
    """Blocks of rows by keys that are computed: the visible ones, with the waste of partly filled blocks."""
    rows = _row_blocks(k, p) * k["tile_m"] / most(p["seqlen_q"] * pick(k["pack"], p["group"], 1.0), 1.0)
    keys_there = most(p["seqlen_k"], 1.0)
    diagonal = 1.0 + p["masked"] * (0.5 * (k["tile_m"] + k["tile_n"]) / keys_there)
    keys = ceil_div(p["seqlen_k"], k["tile_n"]) * k["tile_n"] / keys_there
    return p["pairs"] * p["heads_q"] * rows * keys * diagonal / (k["tile_m"] * k["tile_n"])


def _portable(k: Any, p: Any, d: Any) -> Any:
    """Programs in waves: seven products in two walks for a backward pass, two in one for a forward pass."""
    back, splits, bandwidth = p["backward"], k["launch_num_splits"], MEMORY * d["bandwidth"]
    programs, room = _programs(k, p), d["units"] * k["resident"]
    busy = least(programs, d["units"])
    compute = pick(back, 3.5, 1.0) * (k["block_cycles"] / d["clock"]) * _pair_blocks(k, p) / busy
    # Four of the seven products belong to programs for blocks of keys, of which there may be few.
    key_programs = most(1.0, p["batch"] * p["heads_kv"] * ceil_div(p["seqlen_k"], k["tile_n"]))
    compute = compute * pick(back, 3 / 7 + 4 / 7 * most(1.0, busy / key_programs), 1.0)
    rounds = ceil_div(programs, room)
    waves = rounds * room / most(programs, room)
    # The share of the bandwidth that the bytes in flight of all programs draw.
    each = least(programs / d["units"], k["resident"])
    drawn = least(1.0, each * least(pick(p["paged"], PAGED_DRAWN, MAX_DRAWN), k["ring_bytes"] / IN_FLIGHT))
    # How often keys are read by heads that share them, if caches do not help.
    reread = pick(k["pack"], 1.0, 1.0 + 0.25 * most(p["group"] - 1.0, 0.0))
    partial = 4.0 * splits * p["rows"] * (p["hdim_v"] + 1.0)
    combined = is_true(">", splits, 1.0) * (2.0 * partial / bandwidth + LAUNCH)
    starts = rounds * PROGRAM * (1.0 + p["masked"])  # masked blocks come last
    # The walks of one program over rows and over keys, if there are too few programs to hide what each step waits for.
    visible = p["pairs"] / most(p["batch"] * p["seqlen_q"] * p["seqlen_k"], 1.0)
    steps = p["group"] * ceil_div(p["seqlen_q"], k["tile_m"]) + ceil_div(p["seqlen_k"], k["tile_m"])
    alone = back * BACKWARD_STEP * steps * visible
    bound = most(most(compute * waves, alone), p["bytes"] / bandwidth * reread / drawn)
    return bound + starts + LAUNCH + combined + back * (2.0 * LAUNCH)


def _hopper_forward(k: Any, p: Any, d: Any) -> Any:
    """Tiles of the busiest multiprocessor."""
    three = is_true(">", k["tile_m"], 128.0)  # groups of warps: more to do while one waits
    block = k["block_cycles"] / d["clock"]
    tiles = p["batch"] * p["heads_q"] * _row_blocks(k, p)
    begin = TILE * pick(three, 1.5, 1.0)
    walk = ceil_div(p["seqlen_k"], k["tile_n"]) * block
    whole = ceil_div(tiles, d["units"]) * (walk + begin)
    # Tiles are drawn, the longest first; more blocks of 192 rows than of 128 are partly masked.
    later = begin * pick(three, 2.5, 1.7)
    masked = most((_pair_blocks(k, p) * block + tiles * later) / d["units"], walk + later)
    # What was seen besides: turns help short walks, a deep ring those of narrow heads with a mask.
    short, deep = is_true("<=", p["seqlen_k"], 2048.0), is_true(">", k["stages"], 2.0)
    habits = pick(is_true("==", short, k["turns"]), 0.99, 1.0) * pick(is_true("==", p["masked"], deep), 0.98, 1.0)
    return most(pick(p["masked"], masked, whole) * habits, p["bytes"] / (MEMORY * d["bandwidth"])) + LAUNCH


def _hopper_backward(k: Any, p: Any, d: Any) -> Any:
    """Return the blocks of the busiest multiprocessor, and a pass over the rows before and after."""
    parts, sinks, bandwidth = k["launch_num_splits"], p["sinks"], MEMORY * d["bandwidth"]
    programs = most(1.0, p["batch"] * p["heads_kv"] * ceil_div(p["seqlen_k"], k["tile_n"]) * parts)
    begin, block = pick(p["masked"], BACKWARD_BLOCK[1], BACKWARD_BLOCK[0]), k["block_cycles"] / d["clock"]
    walk = _pair_blocks(k, p) / programs * block + begin + pick(k["share"], ADD_KEYS, 0.0)
    each = 1.0 + p["causal"]  # blocks of keys that a program takes at a time (`hopper_backward.blocks_per_item`)
    waves = each * ceil_div(programs / each, d["units"])
    rows = p["batch"] * p["heads_q"] * ceil_div(p["seqlen_q"], k["tile_m"]) * k["tile_m"]
    passes = rows * k["width"] * (3.0 * p["size"] + 8.0) / bandwidth
    first = sinks * (LAUNCH + rows * k["width"] * (2.0 * p["size"] + 4.0) / bandwidth)  # `sink_gradients`
    keys = p["batch"] * p["heads_kv"] * p["seqlen_k"] * k["width"]
    sums = k["share"] * (LAUNCH + keys * (16.0 + 2.0 * p["size"]) / bandwidth)
    return waves * walk + passes + first + sums + 3 * LAUNCH
