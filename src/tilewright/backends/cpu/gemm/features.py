"""What a launch of a CPU GEMM does, counted: the features that selection models learn prices and corrections for.

The counts are those of the cost model, written as formulas over the tunables `k`, the problem's numbers `p` and the
device's `d`, so that they run on whole tables of candidates (`tilewright.model.formula`).
"""

from __future__ import annotations

from typing import Any

from ....model.formula import ceil_div, is_true, least, most, pick

VERSION = 1
# What adds up to the time of a launch; the other features say how well a tiling fits.
ADDITIVE = ("multiply", "load", "tile", "accumulator", "pack_a", "pack_b", "in_place_a", "in_place_b", "alias",
            "beyond_l1", "beyond_l2", "a_beyond_l2", "spill", "stream", "reduce", "step", "page", "block", "stage",
            "turned", "rows_out")  # fmt: skip


def work(k: Any, p: Any, d: Any) -> dict[str, Any]:
    """Features by name; those of the pipeline that a candidate does not use are 0."""
    skinny = is_true("==", k["pipeline"], 1.0)
    tiled = 1.0 - skinny
    k = {**k, "kc": _block(k, "kc", "launch_block_0", 512.0), "mc": _block(k, "mc", "launch_block_1", 192.0)}
    return {**_tiled(k, p, d, tiled), **_skinny(k, p, skinny), **_fit(k, p, d)}


def _block(k: Any, own: str, asked: str, usual: float) -> Any:
    """A cache block: the kernel's own, that of the launch, or the usual one."""
    return pick(k[own], k[own], pick(k[asked], k[asked], usual))


def _threads(k: Any) -> tuple[Any, Any]:
    """(threads that share rows or columns, splits of k)."""
    splits = most(1.0, k["launch_split_k"])
    return most(1.0, most(1.0, k["launch_threads"]) / splits), splits


def _share(k: Any, p: Any) -> tuple[Any, Any, Any, Any]:
    """(rows, columns, depth, batch items) of the busiest thread, the longer side being cut."""
    rest, splits = _threads(k)
    by_batch = is_true(">=", p["batch"], rest)
    by_rows = is_true(">=", p["m"], p["n"])
    cut = pick(by_batch, 1.0, rest)
    rows = least(p["m"], ceil_div(ceil_div(p["m"], k["mr"]), cut) * k["mr"])
    columns = least(p["n"], ceil_div(ceil_div(p["n"], k["nr"]), cut) * k["nr"])
    items = pick(by_batch, ceil_div(p["batch"], rest), p["batch"])
    return pick(by_rows, rows, p["m"]), pick(by_rows, p["n"], columns), ceil_div(p["k"], splits), items


def _tiled(k: Any, p: Any, d: Any, on: Any) -> dict[str, Any]:
    m, n, depth, items = _share(k, p)
    items = items * on
    vectors = k["nr"] / d["lanes"]
    tiles = ceil_div(m, k["mr"]) * ceil_div(n, k["nr"]) * items
    blocks = most(1.0, ceil_div(depth, k["kc"]))
    size = pick(is_true(">=", k["inner"], 2.0), p["size_a"], 4.0)  # vnni and amx take operands as they are
    kc, mc, nc = least(depth, k["kc"]), least(m, k["mc"]), least(n, k["nc"])
    plain = 1.0 - p["packed_b"]
    in_place_b = (1.0 - k["pack_b"]) * plain
    return {
        "multiply": tiles * depth * k["mr"] * vectors,
        "load": tiles * depth * (vectors + k["mr"]),
        "tile": tiles * blocks,
        "accumulator": tiles * (blocks - 1.0) * k["mr"] * vectors,
        "pack_a": k["pack_a"] * items * m * depth * most(1.0, ceil_div(n, k["nc"])),
        "pack_b": k["pack_b"] * plain * items * n * depth,
        "in_place_a": (1.0 - k["pack_a"]) * tiles * depth * k["mr"],
        "in_place_b": in_place_b * tiles * depth * vectors,
        "alias": tiles * depth * ((1.0 - k["pack_a"]) * p["alias_a"] * k["mr"] + in_place_b * p["alias_b"] * vectors),
        "beyond_l1": is_true(">", (k["nr"] + k["mr"]) * kc * size, d["l1"]) * tiles * depth * k["nr"] * size,
        "beyond_l2": is_true(">", depth * nc * size, d["l2"]) * items * ceil_div(m, mc) * n * depth * size,
        "a_beyond_l2": is_true(">", mc * kc * size, 0.7 * d["l2"]) * items * ceil_div(n, k["nr"]) * m * depth * size,
        "spill": is_true(">", mc * nc * 4.0, 0.5 * d["l2"]) * items * m * n * (blocks - 1.0),
        "stream": items * (m * depth * p["size_a"] + n * depth * p["size_b"]),
        "rows_out": items * m * n,
        "reduce": is_true(">", k["launch_split_k"], 1.0) * p["m"] * p["n"] * p["batch"] * k["launch_split_k"],
    }


def _skinny(k: Any, p: Any, on: Any) -> dict[str, Any]:
    """The kernel turns the problem over where n < m, and streams the long side."""
    threads, _ = _threads(k)
    short, long = least(p["m"], p["n"]), most(p["m"], p["n"])
    groups = on * ceil_div(short, k["mr"]) * ceil_div(ceil_div(long, threads), k["nr"]) * p["batch"]
    far = (1.0 - p["b_col"]) * (1.0 - p["packed_b"]) * is_true(">=", p["line_b"], 4096.0)
    return {
        "step": groups * p["k"] * k["nr"],
        "page": far * groups * p["k"],
        "block": groups * ceil_div(p["k"], k["kc"]),
        "stage": on * p["batch"] * short * p["k"],
        "turned": on * is_true(">", p["m"], p["n"]) * p["batch"] * p["m"] * p["k"],
    }


def _fit(k: Any, p: Any, d: Any) -> dict[str, Any]:
    """How well the tiling fits: waste of edge tiles, what fills the caches, passes over B."""
    rest, _ = _threads(k)
    across, down = ceil_div(p["n"], k["nr"]), ceil_div(p["m"], k["mr"])
    size = pick(is_true(">=", k["inner"], 2.0), p["size_a"], 4.0)
    kc = least(p["k"], k["kc"])
    return {
        "waste_m": down * k["mr"] / p["m"],
        "waste_n": across * k["nr"] / p["n"],
        "tiles": down * across * p["batch"],
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
