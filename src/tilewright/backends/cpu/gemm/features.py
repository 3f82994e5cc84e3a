"""The cost model: what a launch of a CPU GEMM does, counted, times what each kind of work costs.

Counted are vector multiplications and loads of the register tiles (edge tiles are computed whole), calls and
accumulator traffic per k block, elements packed per layout, operands read in place, bytes that overflow L1 or L2, bytes
streamed. All are formulas (`tilewright.model.expr`) over the tunables `k` with the kernel's prices (`constants`),
the problem's numbers `p` and the device's `d`. Selection models learn from them what the prediction misses.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from ....model.dtype import get_dtype
from ....model.expr import GRID, ceil_div, is_true, least, most, pick
from ....model.kernel import KernelSpec
from .cost import FLOORS, STORED_BYTES, price_list

VERSION = 3
TILED = ("multiply", "load", "tile", "accumulator", "pack_a", "pack_b", "in_place_a", "in_place_tile", "in_place_b",
         "alias_a", "alias_b", "beyond_l1", "beyond_l2", "a_beyond_l2", "spill", "stream", "reduce",
         "threads")  # fmt: skip
SKINNY = ("step", "page", "group", "block", "stage", "stream", "memory", "turned", "threads")
PRICED = tuple(dict.fromkeys((*TILED, *SKINNY, "launch")))
CONSTANTS = (*(f"price_{name}" for name in PRICED), "stored_bytes")
BY_LAYOUT = {"pack_a": 0, "in_place_a": 0, "pack_b": 1}  # prices that depend on the layout of an operand
COUNTED = ("multiply", "load", "tile", "pack_a", "pack_b", "in_place_a", "in_place_b", "stream", "spill")
# What adds up to the time of a launch; the other features say what it does and how well a tiling fits.
SIZES = ("outputs", "tiles", "steps", "steps_down", "steps_across", "items", "shared")
ADDITIVE = ("predicted_us", *(f"us_{name}" for name in COUNTED), "us_skinny_stage", "us_skinny_stream", *SIZES)
LISTS = ("mr", "nr", "kc", "pack_a", "pack_b")  # a register tile is a kernel of its own, with its own speed
ONLY_SHOWN = False
near = searched = None  # the formulas are exact, and launches hold their blocks


@lru_cache(maxsize=65536)
def constants(spec: KernelSpec) -> tuple[float, ...]:
    """The prices of a kernel's work, and the bytes of an element in a panel, in the order of `CONSTANTS`."""
    prices, layout = price_list(spec), spec.signature.layout
    found = []
    for name in PRICED:
        full = f"{name}_{layout[BY_LAYOUT[name]]}" if name in BY_LAYOUT else name
        found.append(max(prices.get(full, 0.0), FLOORS.get(name, 0.0)))
    return (*found, float(STORED_BYTES[spec.algorithm.inner] or get_dtype(spec.signature.dtype_a).bytes))


def work(k: Any, p: Any, d: Any) -> dict[str, Any]:
    """Features by name; those of the pipeline that a candidate does not use are 0."""
    skinny = is_true("==", k["pipeline"], 1.0)
    k, one, other = _with_blocks(k), tiled_terms(k, p, d), skinny_terms(k, p, d)
    tiled = sum((k[f"price_{n}"] * one[n] for n in TILED), k["price_launch"])
    streamed = sum((k[f"price_{n}"] * other[n] for n in SKINNY), k["price_launch"])
    return {
        "predicted_us": 1e6 * pick(skinny, streamed, tiled),
        **{f"us_{n}": 1e6 * (1.0 - skinny) * k[f"price_{n}"] * one[n] for n in COUNTED},
        "us_skinny_stage": 1e6 * skinny * k["price_stage"] * other["stage"],
        "us_skinny_stream": 1e6 * skinny * k["price_stream"] * other["stream"],
        **_sizes(k, p, skinny),
        **_fit(k, p, d),
    }


def _sizes(k: Any, p: Any, skinny: Any) -> dict[str, Any]:
    """What each kernel has prices of its own for, in the order of `SIZES`: counts of the busiest thread."""
    m, n, depth, items = _share(k, p)
    threads, wide = most(1.0, k["launch_threads"]), is_true(">=", p["n"], p["m"])
    m = pick(skinny, pick(wide, p["m"], ceil_div(p["m"], threads)), m)  # skinny kernels share the long side
    n = pick(skinny, pick(wide, ceil_div(p["n"], threads), p["n"]), n)
    depth, items = pick(skinny, p["k"], depth), pick(skinny, p["batch"], items)
    down, across = ceil_div(m, k["mr"]), ceil_div(n, k["nr"])
    return {
        "outputs": m * n * items,
        "tiles": down * across * items,
        "steps": down * across * depth * items,
        "steps_down": down * depth * items,
        "steps_across": across * depth * items,
        "items": items,
        "shared": is_true(">", threads, 1.0),
    }


def _with_blocks(k: Any) -> Any:
    return {**k, "kc": _block(k, "kc", "launch_block_0", 512.0), "mc": _block(k, "mc", "launch_block_1", 192.0)}


def _block(k: Any, own: str, asked: str, usual: float) -> Any:
    """A cache block: the kernel's own, that of the launch, or the usual one."""
    return pick(k[own], k[own], pick(k[asked], k[asked], usual))


def _threads(k: Any) -> tuple[Any, Any]:
    """(threads that share rows or columns, splits of k)."""
    splits = most(1.0, k["launch_split_k"])
    threads = most(1.0, k["launch_threads"])
    return most(1.0, ceil_div(threads - splits + 1.0, splits)), splits  # rounded down


def _share(k: Any, p: Any) -> tuple[Any, Any, Any, Any]:
    """(rows, columns, depth, batch items) of the busiest thread.

    Threads share columns, rows or batches, whichever costs least, or as the launch says (see `cost.mixed_grid`).
    """
    rest, splits = _threads(k)
    best = grid_cost(k, p, 1.0, 1.0, rest)
    for ways in ((1.0, rest, 1.0), (rest, 1.0, 1.0)):
        other = grid_cost(k, p, *ways)
        better = is_true("<", other[0], best[0])
        best = tuple(pick(better, new, old) for new, old in zip(other, best, strict=True))
    down, across = grid_of(k["launch_grid"])
    asked = grid_cost(k, p, most(1.0, rest / (down * across)), down, across)
    m, n, items = (pick(k["launch_grid"], new, old) for new, old in zip(asked[1:], best[1:], strict=True))
    return m, n, ceil_div(p["k"], splits), items


def grid_cost(k: Any, p: Any, batches: Any, down: Any, across: Any) -> tuple[Any, ...]:
    """(cost, rows, columns, batch items) of the busiest thread of a grid.

    The cost is its products, and 32 of them for each element that it packs.
    """
    rows, columns = _lines(p["m"], k["mr"], down), _lines(p["n"], k["nr"], across)
    items = ceil_div(p["batch"], batches)
    cost = items * (rows * columns + 32.0 * (rows * ceil_div(columns, k["nc"]) + columns / down))
    return cost, rows, columns, items


def _lines(size: Any, tile: Any, threads: Any) -> Any:
    """Rows or columns of the busiest of `threads` that share them in whole tiles."""
    return least(size, ceil_div(ceil_div(size, tile), threads) * tile)


def grid_of(number: Any) -> tuple[Any, Any]:
    """(rows, columns) of the grid that a launch's number means; 1 and 1 if it has none.

    >>> down, across = grid_of(2.0 + 4 * GRID)
    >>> float(down), float(across)
    (2.0, 4.0)
    """
    across = ceil_div(number - (GRID - 1.0), GRID)  # rounded down
    return most(1.0, number - GRID * across), most(1.0, across)


def tiled_terms(k: Any, p: Any, d: Any) -> dict[str, Any]:
    """How much of each kind of work the busiest thread of a tiled kernel does."""
    k = _with_blocks(k)
    m, n, depth, items = _share(k, p)
    vectors = k["nr"] / d["lanes"]
    tiles = ceil_div(m, k["mr"]) * ceil_div(n, k["nr"]) * items
    blocks = most(1.0, ceil_div(depth, k["kc"]))
    size, plain = k["stored_bytes"], 1.0 - p["packed_b"]
    kc, mc, nc = least(depth, k["kc"]), least(m, k["mc"]), least(n, k["nc"])
    a_in_place, b_in_place = 1.0 - k["pack_a"], (1.0 - k["pack_b"]) * plain
    split = is_true(">", k["launch_split_k"], 1.0)
    return {
        "multiply": tiles * depth * k["mr"] * vectors,
        "load": tiles * depth * (vectors + k["mr"]),
        "tile": tiles * blocks,
        "accumulator": tiles * (blocks - 1.0) * k["mr"] * vectors,
        "pack_a": k["pack_a"] * items * m * depth * most(1.0, ceil_div(n, k["nc"])),
        "pack_b": k["pack_b"] * plain * items * n * depth,
        "in_place_a": a_in_place * tiles * depth * k["mr"],
        "in_place_tile": a_in_place * tiles * blocks,
        "in_place_b": b_in_place * tiles * depth * vectors,
        "alias_a": a_in_place * p["alias_a"] * tiles * depth * most(0.0, k["mr"] - 8.0),
        "alias_b": b_in_place * p["alias_b"] * tiles * depth * vectors,
        "beyond_l1": is_true(">", (k["nr"] + k["mr"]) * kc * size, d["l1"]) * tiles * depth * k["nr"] * size,
        "beyond_l2": is_true(">", depth * nc * size, d["l2"]) * items * ceil_div(m, mc) * n * depth * size,
        "a_beyond_l2": is_true(">", mc * kc * size, 0.7 * d["l2"]) * items * ceil_div(n, k["nr"]) * m * depth * size,
        "spill": is_true(">", mc * nc * 4.0, 0.5 * d["l2"]) * items * 8.0 * m * n * (blocks - 1.0),
        "stream": items * (m * depth * p["size_a"] + n * depth * p["size_b"] + 4.0 * m * n),
        "reduce": split * 4.0 * p["m"] * p["n"] * p["batch"] * k["launch_split_k"],
        "threads": is_true(">", k["launch_threads"], 1.0),
    }


def skinny_terms(k: Any, p: Any, d: Any) -> dict[str, Any]:
    """The same of a skinny kernel: the problem is turned over if n < m, and the long side streamed."""
    k, threads = _with_blocks(k), most(1.0, k["launch_threads"])
    short, long = least(p["m"], p["n"]), most(p["m"], p["n"])
    passes, columns = ceil_div(short, k["mr"]), ceil_div(long, threads)
    groups = passes * ceil_div(columns, k["nr"]) * p["batch"]
    read = columns * p["k"] * p["size_b"]
    lines = least(passes * k["mr"], 16.0) + 1.5 * k["nr"]  # of A, of B, and what is on its way of the next block of B
    held = lines * least(p["k"], k["kc"]) * k["stored_bytes"]
    beyond = least(0.5, most(0.0, held / d["l1"] - 1.0))
    from_l2 = 1.0 + 0.5 * beyond * is_true(">", passes, 1.0)
    far = (1.0 - p["b_col"]) * (1.0 - p["packed_b"]) * is_true(">=", p["line_b"], 4096.0)
    return {
        "step": groups * p["k"] * from_l2,
        "page": far * groups * p["k"],  # each step along k is on another page
        "group": groups,
        "block": groups * ceil_div(p["k"], k["kc"]),
        "stage": p["batch"] * short * p["k"],
        "stream": p["batch"] * passes * read * from_l2,
        "memory": is_true(">", read, d["l2"]) * p["batch"] * read,  # the first pass brings it near
        "turned": is_true(">", p["m"], p["n"]) * p["batch"] * p["m"] * p["k"],
        "threads": is_true(">", threads, 1.0),
    }


def _fit(k: Any, p: Any, d: Any) -> dict[str, Any]:
    """How well the tiling fits: waste of edge tiles, what fills the caches, passes over B."""
    rest, _ = _threads(k)
    across, down = ceil_div(p["n"], k["nr"]), ceil_div(p["m"], k["mr"])
    size, kc = k["stored_bytes"], least(p["k"], k["kc"])
    return {
        "waste_m": down * k["mr"] / p["m"],
        "waste_n": across * k["nr"] / p["n"],
        "tiles_per_thread": ceil_div(down * across * p["batch"], rest) * rest / (down * across * p["batch"]),
        "blocks_k": p["k"] / k["kc"],
        "blocks_m": p["m"] / k["mc"],
        "panel_l1": (k["nr"] + k["mr"]) * kc * size / d["l1"],
        "block_l2": least(p["m"], k["mc"]) * kc * size / d["l2"],
        "b_l2": p["k"] * least(p["n"], k["nc"]) * size / d["l2"],
        "registers": k["mr"] * k["nr"] / d["lanes"],
        "kc_used": kc,
        "mc_used": least(p["m"], k["mc"]),
        "flops_per_byte": p["flops"] / p["bytes"],
        "short": least(p["m"], p["n"]),
    }
