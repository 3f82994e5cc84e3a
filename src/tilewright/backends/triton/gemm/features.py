"""The cost model: what a launch of a Triton GEMM does, counted; `cost.seconds` prices it.

Formulas (`tilewright.model.expr`) over the tunables `k` with what `constants` knows of the kernel, the problem's
numbers `p` and the device's `d`. Selection models learn from them what the prediction misses. Times are in
microseconds, so that they are of one size.
"""

from __future__ import annotations

from functools import lru_cache
from types import SimpleNamespace
from typing import Any

from ....model.expr import ceil_div, is_true, least, most, pick
from ....model.kernel import KernelSpec
from .algorithm import PIPELINES
from .bind import ALIGNMENT
from .cost import HOPPER as PRICES
from .cost import epilogue_weight, kernel_stages, peak_rate, seconds
from .pipelines.hopper.cost import ABREAST, matrix_cycles
from .pipelines.pointer.cost import step as pointer_step

VERSION = 2
# What adds up to the time of a launch; the other features say how well a tiling fits.
ADDITIVE = ("predicted_us", "loop_us", "load_us", "memory_us", "traffic_us", "launches")
POINTER, HOPPER, GROUPED = (
    float(PIPELINES.index(n)) for n in ("pointer", "hopper", "grouped")
)  # places among the choices
AFTER, STAGED = 1.0, 1.0
LINE_BYTES = 128.0
CONSTANTS = ("held_stages", "peak_rate", "epilogue_weight")
LISTS = ()
ONLY_SHOWN = False
near = searched = None  # the formulas are exact, and launches hold their blocks


@lru_cache(maxsize=65536)
def constants(spec: KernelSpec) -> tuple[float, ...]:
    """What formulas know of a kernel, in the order of `CONSTANTS`: steps in flight, peak operations per cycle, and how
    much work its epilogue is."""
    return (kernel_stages(spec), peak_rate(spec), epilogue_weight(spec))


def work(k: Any, p: Any, d: Any, prices: Any = PRICES) -> dict[str, Any]:
    """Features by name, priced with the constants of the cost model or with others of the same names."""
    shape = _geometry(k, p, d)
    f = counts(k, p, d, shape)
    cycle = 1e6 / d["clock"]
    return {
        "predicted_us": 1e6 * seconds(f, prices),
        "loop_us": f.steps * f.matrix_cycles * cycle,
        "load_us": f.steps * f.load_bytes / 64.0 * cycle,
        "memory_us": 1e6 * f.memory_seconds,
        "traffic_us": 1e6 * f.traffic_seconds,
        "peak_us": 1e6 * f.peak_seconds,
        "reduce_us": 1e6 * f.reduced_seconds,
        "launches": 1.0 + f.further_launches,
        "stages_used": f.stages,
        "hand_ins": f.hand_ins,
        "adds": f.adds,
        **_fit(k, p, shape),
    }


def _geometry(k: Any, p: Any, d: Any) -> dict[str, Any]:
    """Return how a launch is cut into programs, as `bind.geometry` does it."""
    m, n = pick(k["swap_ab"], p["n"], p["m"]), pick(k["swap_ab"], p["m"], p["n"])
    tiles = ceil_div(m, k["tile_m"] * k["cluster"]) * k["cluster"] * ceil_div(n, k["tile_n"]) * p["batch"]
    steps = most(1.0, ceil_div(p["k"], k["tile_k"]))
    room = _room(k, d["units"])
    pointer = most(is_true("==", k["pipeline"], POINTER), is_true("==", k["pipeline"], GROUPED))
    after = k["split"] * is_true("==", k["reduce"], AFTER)
    streamed = k["split"] * is_true(">", k["launch_grid"], 0.0) * (1.0 - after)
    shared = most(after, k["split"] * is_true(">", k["launch_split_k"], 1.0)) * (1.0 - streamed)
    splits = pick(shared, most(1.0, k["launch_split_k"]), 1.0)
    plain = pick(pointer, tiles, least(tiles, room))
    stream = least(most(k["launch_grid"], 1.0), tiles * steps)
    programs = pick(streamed, stream, pick(shared, tiles * splits, plain))
    left = tiles + ceil_div(0.0 - tiles, stream) * stream  # tiles modulo programs
    whole = pick(streamed, pick(left, most(0.0, tiles - left - stream), tiles), pick(shared, 0.0, tiles))
    # Programs abreast stay in their column of tiles; whole tiles are counted for one of them.
    abreast = is_true("==", k["order"], ABREAST)
    columns = ceil_div(n, k["tile_n"])
    rows = tiles / columns
    lanes = most(1.0, 0.0 - ceil_div(0.0 - pick(k["launch_grid"], k["launch_grid"], room), columns))
    lanes = least(lanes, rows * steps)
    over = rows + ceil_div(0.0 - rows, lanes) * lanes
    programs = pick(abreast, lanes * columns, programs)
    whole = pick(abreast, pick(over, most(0.0, rows - over - lanes), rows) * columns, whole)
    streamed = most(streamed, abreast)
    return {"m": m, "n": n, "tiles": tiles, "steps": steps, "room": room, "programs": programs, "whole": whole,
            "after": after, "streamed": streamed, "splits": splits, "pointer": pointer, "abreast": abreast,
            "waves": ceil_div(programs, room),
            "partial": is_true(">", tiles, whole) * programs * (1.0 + streamed)}  # fmt: skip


def counts(k: Any, p: Any, d: Any, shape: dict[str, Any] | None = None) -> Any:
    """Return what a launch does, without prices: cycles at the matrix units' peak, counts of the busiest program."""
    s = shape or _geometry(k, p, d)
    resident = least(k["blocks_per_unit"], ceil_div(s["programs"], d["units"]))
    matrix, load, received = _step(k, p, d, s)
    copied_a, copied_b = _copied(k, p)
    copied = is_true(">", copied_a + copied_b, 0.0)
    off_a = is_true("<", p["align_a"], LINE_BYTES) * is_true(">", p["m"], 1.0)
    off_b = is_true("<", p["align_b"], LINE_BYTES) * is_true(">", p["k"], 1.0) * (1.0 - p["packed_b"])
    shared = s["tiles"] - s["whole"]
    any_shared = is_true(">", shared, 0.0)
    hand_ins = any_shared * (1.0 + s["streamed"])
    items = ceil_div(s["tiles"], s["programs"])
    alone = is_true("==", k["consumers"], 1.0)
    tile = k["tile_m"] * k["tile_n"]
    return SimpleNamespace(
        clock=d["clock"],
        steps=(ceil_div(s["whole"], s["programs"]) * s["steps"] + ceil_div(shared * s["steps"], s["programs"]))
        * s["waves"],
        matrix_cycles=matrix * resident,
        load_bytes=load * resident,
        received_bytes=received * resident,
        clustered=is_true(">", k["cluster"], 1.0),
        aligned=most(copied, (1.0 - off_a) * (1.0 - off_b)),
        stages=k["held_stages"],
        starts=pick(s["pointer"], s["waves"], 1.0),
        items=items,
        epilogues=(1.0 - s["after"]) * pick(s["pointer"], s["waves"], pick(alone, items, 1.0)),
        epilogue_bytes=tile * p["size_out"] * resident,
        epilogue_weight=k["epilogue_weight"],
        hand_ins=hand_ins,
        tile_bytes=4.0 * tile,
        adds=any_shared * (1.0 - s["after"]) * (ceil_div(s["programs"], most(1.0, shared)) + hand_ins),
        memory_seconds=p["bytes"] / d["bandwidth"],
        traffic_seconds=s["tiles"] * s["steps"] * load / d["bandwidth"],
        peak_seconds=p["flops"] / (k["peak_rate"] * d["units"] * d["clock"]),
        streamed=s["streamed"] * (1.0 - s["abreast"]),
        splittable=k["split"] * is_true("==", s["whole"], s["tiles"]) * (1.0 - s["abreast"]),
        abreast=s["abreast"],
        turns=1.0 - alone,
        further_launches=s["after"] + copied,
        reduced_seconds=s["after"] * 2.0 * s["partial"] * 4.0 * tile / d["bandwidth"],
        copied_seconds=2.0 * (copied_a + copied_b) / d["bandwidth"],
    )


def _copied(k: Any, p: Any) -> tuple[Any, Any]:
    """Bytes of A and of B that a kernel with staged operands copies first: those that a tensor map reads badly."""
    staged = is_true("==", k["operands"], STAGED)
    bad_a = most(p["a_col"], is_true("<", p["align_a"], LINE_BYTES) * is_true(">", p["m"], 1.0))
    bad_b = most(1.0 - p["b_col"], is_true("<", p["align_b"], LINE_BYTES) * is_true(">", p["n"], 1.0))
    whole = float(ALIGNMENT)
    a = ceil_div(p["batch"] * p["m"] * ceil_div(p["k"] * p["size_a"], LINE_BYTES) * LINE_BYTES, whole) * whole
    b = ceil_div(p["batch"] * p["n"] * ceil_div(p["k"] * p["size_b"], LINE_BYTES) * LINE_BYTES, whole) * whole
    return staged * bad_a * a, staged * bad_b * (1.0 - p["packed_b"]) * b


def _room(k: Any, units: Any) -> Any:
    """Programs that run at a time: a cluster stays within a part of the GPU (see `bind`)."""
    even = pick(is_true("==", k["cluster"], 2.0), 2.0, 16.0)
    clustered = most(k["cluster"], 0.0 - ceil_div(0.0 - units, even) * even)
    return pick(is_true(">", k["cluster"], 1.0), clustered, units * k["blocks_per_unit"])


def _step(k: Any, p: Any, d: Any, s: dict[str, Any]) -> tuple[Any, Any, Any]:
    """(matrix cycles, bytes asked for, bytes that others of the cluster ask for) of one k-step of one program."""
    a, b = pick(k["swap_ab"], p["size_b"], p["size_a"]), pick(k["swap_ab"], p["size_a"], p["size_b"])
    shared = b * k["tile_n"] * k["tile_k"]
    load, received = a * k["tile_m"] * k["tile_k"] + shared / k["cluster"], shared - shared / k["cluster"]
    cycles, bytes_moved = pointer_step(k, load)
    wide = matrix_cycles(k, p, a)
    return pick(s["pointer"], cycles, wide), pick(s["pointer"], bytes_moved, load), received


def _fit(k: Any, p: Any, s: dict[str, Any]) -> dict[str, Any]:
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
        "programs": s["programs"],
        "splits": s["splits"],
        "flops_per_byte": p["flops"] / p["bytes"],
        "tile_intensity": k["tile_m"] * k["tile_n"] / (k["tile_m"] + k["tile_n"]),
        "rows_per_tile": s["m"] / k["tile_m"],
        "columns_per_tile": s["n"] / k["tile_n"],
        "off_line": most(is_true("<", p["align_a"], 128.0), is_true("<", p["align_b"], 128.0)),
    }
