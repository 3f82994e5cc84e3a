"""What a launch of a Triton GEMM does, counted: the features that selection models learn prices and corrections for.

Formulas over the tunables `k`, the problem's numbers `p` and the device's `d`, so that they run on whole tables of
candidates (`tilewright.model.formula`). Times are in microseconds, so that they are of one size.
"""

from __future__ import annotations

from typing import Any

from ....model.formula import ceil_div, is_true, least, most, pick

VERSION = 1
# What adds up to the time of a launch; the other features say how well a tiling fits.
ADDITIVE = ("loop_us", "load_us", "latency_us", "epilogue_us", "memory_us", "traffic_us", "peak_us", "share_us",
            "reduce_us", "copy_us", "launches")  # fmt: skip
POINTER, HOPPER = 0.0, 2.0  # places of the pipelines among the choices
AFTER, STAGED = 1.0, 1.0


def work(k: Any, p: Any, d: Any) -> dict[str, Any]:
    """Features by name."""
    shape = _geometry(k, p, d)
    return {**_times(k, p, d, shape), **_fit(k, p, d, shape)}


def _geometry(k: Any, p: Any, d: Any) -> dict[str, Any]:
    swap = k["swap_ab"]
    m, n = pick(swap, p["n"], p["m"]), pick(swap, p["m"], p["n"])
    tiles = ceil_div(m, k["tile_m"]) * ceil_div(n, k["tile_n"]) * p["batch"]
    steps = most(1.0, ceil_div(p["k"], k["tile_k"]))
    room = d["units"] * k["blocks_per_unit"]
    pointer, after = is_true("==", k["pipeline"], POINTER), k["split"] * is_true("==", k["reduce"], AFTER)
    streamed = k["split"] * is_true(">", k["launch_grid"], 0.0)
    split = k["split"] * is_true(">", k["launch_split_k"], 1.0)
    splits = pick(split, k["launch_split_k"], 1.0)
    plain = pick(pointer, tiles, least(tiles, room))
    shared = most(split, after)
    programs = pick(streamed, least(most(k["launch_grid"], 1.0), tiles * steps), pick(shared, tiles * splits, plain))
    waves = ceil_div(programs, room)
    per_program = pick(streamed, ceil_div(tiles * steps, programs),
                       pick(shared, ceil_div(steps, splits), ceil_div(tiles, programs) * steps))  # fmt: skip
    return {"m": m, "n": n, "tiles": tiles, "steps": steps, "room": room, "programs": programs, "waves": waves,
            "per_program": per_program * waves, "after": after, "streamed": streamed, "splits": splits,
            "shared": most(streamed, shared), "pointer": pointer}  # fmt: skip


def _times(k: Any, p: Any, d: Any, s: dict[str, Any]) -> dict[str, Any]:
    cycle = 1e6 / d["clock"]
    a, b = pick(k["swap_ab"], p["size_b"], p["size_a"]), pick(k["swap_ab"], p["size_a"], p["size_b"])
    load = (a * k["tile_m"] + b * k["tile_n"]) * k["tile_k"]
    resident = least(k["blocks_per_unit"], ceil_div(s["programs"], d["units"]))
    acc = 4.0 * k["tile_m"] * k["tile_n"]
    staged = is_true("==", k["operands"], STAGED)
    partial = s["programs"] * acc * s["shared"]
    stages = pick(is_true("==", k["stages"], 0.0), least(8.0, 200e3 / load), most(1.0, k["stages"]))
    return {
        "loop_us": s["per_program"] * 2.0 * k["tile_m"] * k["tile_n"] * k["tile_k"] / d["rate"] * resident * cycle,
        "load_us": s["per_program"] * load * resident / 64.0 * cycle,
        "latency_us": s["per_program"] / stages * cycle * 1e3,
        "epilogue_us": ceil_div(s["tiles"], s["programs"]) * s["waves"] * (600.0 + 0.5 * acc / 40.0) * cycle,
        "memory_us": p["bytes"] / d["bandwidth"] * 1e6,
        "traffic_us": s["tiles"] * s["steps"] * load / d["bandwidth"] * 1e6,
        "peak_us": p["flops"] / (d["rate"] * d["units"] * d["clock"]) * 1e6,
        "share_us": s["shared"] * (1.0 - s["after"]) * (6000.0 + acc / 15.0 * s["splits"]) * cycle,
        "reduce_us": s["after"] * 2.0 * partial / d["bandwidth"] * 1e6,
        "copy_us": staged * 2.0 * p["bytes"] / d["bandwidth"] * 1e6,
        "launches": 1.0 + s["after"] + staged,
    }


def _fit(k: Any, p: Any, d: Any, s: dict[str, Any]) -> dict[str, Any]:
    """Waste of edge tiles, waves, how full the last one is, work per block."""
    return {
        "waste_m": ceil_div(s["m"], k["tile_m"]) * k["tile_m"] / s["m"],
        "waste_n": ceil_div(s["n"], k["tile_n"]) * k["tile_n"] / s["n"],
        "waste_k": s["steps"] * k["tile_k"] / most(1.0, p["k"]),
        "tiles": s["tiles"],
        "steps": s["steps"],
        "waves": s["tiles"] / s["room"],
        "fill": s["programs"] / (s["room"] * s["waves"]),
        "balance": ceil_div(s["tiles"], s["programs"]) * s["programs"] / s["tiles"],
        "steps_per_program": s["per_program"],
        "programs": s["programs"],
        "flops_per_byte": p["flops"] / p["bytes"],
        "tile_intensity": k["tile_m"] * k["tile_n"] / (k["tile_m"] + k["tile_n"]),
        "rows_per_tile": s["m"] / k["tile_m"],
        "columns_per_tile": s["n"] / k["tile_n"],
        "off_line": most(is_true("<", p["align_a"], 128.0), is_true("<", p["align_b"], 128.0)),
    }
