"""The cost model: bytes, instructions, matrix cycles and waves of a launch, counted; `cost.seconds` prices them.

Formulas (`tilewright.model.expr`) over the tunables `k` with what `constants` knows of the kernel, the problem's
numbers `p` and the device's `d`. A 1x1 convolution that is a product has the features of that product. Selection models
learn from them what the prediction misses. Times are in microseconds.
"""

from __future__ import annotations

from dataclasses import asdict
from functools import lru_cache
from types import SimpleNamespace
from typing import Any

from ....model.device import Device
from ....model.expr import ceil_div, floor_div, is_true, least, most, pick
from ....model.kernel import Candidate, KernelSpec
from ....ops.conv.problem import ConvProblem
from ..gemm import features as product
from ..gemm.cost import HOPPER as GEMM_PRICES
from .algorithm import gemm_spec, is_weight
from .bind import geometry
from .cost import HOPPER, prices_of, resident, turn
from .cost_parts import Constants, seconds
from .folding import MAP_BYTES
from .pipelines import PIPELINES, pipeline_of
from .pipelines.hopper import BOX_PRICES
from .pipelines.strip import shape as walk_shape

VERSION = 5
PART_OF_LINE = 0.25  # power by which strips narrower than a line cost more bytes
# A row of a box whose pixels lie apart, and a byte of it; an element that is written by itself. By first layers.
BLOCK_ROW_SECONDS, BLOCK_BYTE_SECONDS, NARROW_SECONDS = 1.0e-9, 1.3e-11, 1.5e-12
COPY_SECONDS = 3.1e-9  # a row of a box, of one multiprocessor's copy engine; by 1x1 layers of few channels on an H200
# What adds up to the time of a launch; the other features say how well a tiling fits.
ADDITIVE = ("predicted_us", "matrix_us", "load_us", "memory_us", "reduce_us")
LISTS = ()
# Most kernels are made for one kind of layer, and measurements of others say little about them.
ONLY_SHOWN = True
PRICES = tuple(Constants.__dataclass_fields__)
CONSTANTS = (*(f"price_{name}" for name in PRICES), "resident", "turn_loads", "turn_products", "turn_vector",
             "strip_lag", "strip_rows", "strip_line", *product.CONSTANTS)  # fmt: skip
# Places of the pipelines among the choices.
WINDOW, DEPTHWISE, STRIP, GEMM, BOXED, THIN = (
    float(PIPELINES.index(n)) for n in ("window", "depthwise", "strip", "gemm", "hopper", "thin")
)
FORWARD, BACKWARD_DATA, BACKWARD_WEIGHT = 0.0, 1.0, 2.0
POINTER_STORE = 1.0  # its place among the choices of `store`
SHARED = ("programs", "steps", "waves", "fill", "balance", "waste_m", "waste_n", "waste_k", "tile_intensity")


@lru_cache(maxsize=65536)
def constants(spec: KernelSpec) -> tuple[float, ...]:
    """Return the prices of a kernel's work and what it does in a turn of its loop, in the order of `CONSTANTS`."""
    pipeline = pipeline_of(spec.algorithm)
    if pipeline.product_rules:
        own = len(CONSTANTS) - len(product.CONSTANTS)
        return (*(1.0,) * own, *product.constants(gemm_spec(spec)))
    prices = prices_of(spec)
    known = (float(resident(spec)), *map(float, turn(spec)), *pipeline.walk(spec))
    return (*(getattr(prices, name) for name in PRICES), *known, *(1.0 for _ in product.CONSTANTS))


def near(spec: KernelSpec) -> bool:
    """Whether a table only comes near the cost model: it does not hold the segments of strips (see `searched`)."""
    return pipeline_of(spec.algorithm).walks and not is_weight(spec)


def searched(candidate: Candidate, problem: ConvProblem, device: Device) -> tuple[float, float]:
    """Return (segments of an image's height, blocks that a program takes one after the other), as `strips` finds them.

    Formulas read them as the launch's blocks; (0, 0) for kernels that search for nothing.
    """
    if not near(candidate.spec):
        return 0.0, 0.0
    shape = geometry(problem, candidate.spec.algorithm, candidate.launch, device.units)
    return float(shape.segments), shape.steps / shape.turns


def work(k: Any, p: Any, d: Any) -> dict[str, Any]:
    """Features by name; those of both kinds of kernels come from whichever kind the candidate is."""
    other, own = _product(k, p, d), _own(k, p, d)
    is_gemm = most(is_true("==", k["pipeline"], GEMM), is_true("==", k["pipeline"], BOXED))
    both = {n: pick(is_gemm, other[n], own[n]) for n in ("predicted_us", "load_us", "memory_us", "reduce_us", *SHARED)}
    return {
        **both,
        "matrix_us": pick(is_gemm, other["loop_us"], own["matrix_us"]),
        "traffic_us": pick(is_gemm, other["traffic_us"], own["far_us"]),
        "vector_us": (1.0 - is_gemm) * own["vector_us"],
        "turns_us": (1.0 - is_gemm) * own["turns_us"],
        **{name: is_gemm * other[name] for name in ("product_us", "requests_us", "copy_us")},
        "merged": pick(is_gemm, 1.0, own["merged"]),
        "splits": pick(is_gemm, other["splits"], own["splits"]),
        "per_unit": pick(is_gemm, other["programs"] / d["units"], own["per_unit"]),
        "flops_per_byte": p["flops"] / p["bytes"],
        "flops_per_program": p["flops"] / pick(is_gemm, other["programs"], own["programs"]),
    }


def _product(k: Any, p: Any, d: Any) -> dict[str, Any]:
    """The features of the gemm backend: for the product behind a 1x1 convolution, or the one that boxes amount to."""
    boxed, seen = is_true("==", k["pipeline"], BOXED), _folded(k, p, d)
    prices = {n: pick(boxed, v, getattr(GEMM_PRICES, n)) for n, v in asdict(BOX_PRICES).items()}
    found = product.work(*_as_product(k, p, seen), d, SimpleNamespace(**prices))
    requests, copied = pick(boxed, _block_copies_us(k, p, d), _copies_us(k, p, d)), boxed * seen["copy_us"]
    whole = most(found["predicted_us"], requests) + copied
    return {**found, "predicted_us": whole, "product_us": found["predicted_us"], "requests_us": requests,
            "copy_us": copied}  # fmt: skip


def box_counts(k: Any, p: Any, d: Any) -> Any:
    """Return what a launch on boxes does, as the gemm backend counts it: with the copies that fold the problem."""
    seen = _folded(k, p, d)
    found = product.counts(*_as_product(k, p, seen), d)
    found.further_launches = found.further_launches + seen["copies"]
    found.copied_seconds = found.copied_seconds + seen["copied_seconds"]
    return found


def _as_product(k: Any, p: Any, seen: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return (tunables, problem) of the gemm backend's kernel."""
    boxed, weight = is_true("==", k["pipeline"], BOXED), is_true("==", p["direction"], BACKWARD_WEIGHT)
    forward = most(is_true("==", p["direction"], FORWARD), _turned(k, p))
    plain, padded = (p["m"], p["n"], p["k"]), _padded_product(k, p, seen)
    m, n, depth = (pick(boxed, y, x) for x, y in zip(plain, padded, strict=True))
    line_read = pick(boxed, seen["line"], p["line_input"])
    line_a = pick(forward, line_read, p["line_output"])
    line_b = pick(weight, line_read, pick(boxed, 128.0, p["line_weight"]))
    sizes = {"m": m, "n": n, "k": depth, "batch": pick(boxed, 1.0, p["g"]),
             "flops": pick(boxed, 2.0 * m * n * depth, p["flops"]), "bytes": p["bytes"], "size_a": p["size_read"],
             "size_b": p["size_read"], "size_out": p["size_out"], "align_a": line_a, "align_b": line_b,
             "a_col": weight, "b_col": forward, "packed_b": 0.0}  # fmt: skip
    pipeline = pick(is_true("==", k["inner"], 0.0), product.HOPPER, product.POINTER)
    reduce = pick(boxed * k["split"], product.AFTER, k["reduce"])
    found = {**k, "pipeline": pipeline, "reduce": reduce, "operands": (1.0 - boxed) * k["operands"]}
    return {**found, "one_block": 0.0}, sizes


def _folded(k: Any, p: Any, d: Any) -> dict[str, Any]:
    """What boxes see of a problem: `fold` copies it so that a filter row is one run of channels (see `folding`)."""
    step = MAP_BYTES / p["size_read"]
    part: Any = 1.0
    for multiple in (2.0, 4.0, 8.0):
        part = pick(_divides(multiple, p["s_w"]), multiple, part)
    need, width = most(p["read"], step / part), 64.0
    for channels in (32.0, 16.0, 8.0, 4.0, 2.0, 1.0):
        width = pick(is_true("<=", need, channels), channels, width)
    run, rows = p["f_w"] * width, p["taps"] / p["f_w"]
    line = ceil_div(((p["out_w"] - 1.0) * p["s_w"] + p["f_w"]) * width, step) * step
    copied = p["images"] * p["in_d"] * p["in_h"] * line * p["size_read"]
    weight = is_true("==", p["direction"], BACKWARD_WEIGHT)
    filters = (1.0 - weight) * p["other"] * rows * ceil_div(run, step) * step * p["size_read"]
    blocks = _writes_blocks(k, p)  # these copy the filter alone
    copies = k["fold"] * (2.0 - weight - blocks)
    copied_seconds = k["fold"] * 2.0 * ((1.0 - blocks) * copied + filters) / d["bandwidth"]
    on_line = pick(_divides(128.0, p["s_w"] * width * p["size_read"]), 128.0, 16.0)
    return {
        "read": pick(k["fold"] - blocks, run, p["read"]),
        "taps": pick(k["fold"] - blocks, rows, p["taps"]),
        "line": pick(k["fold"] - blocks, on_line, p["line_input"]),
        "copies": copies,
        "copied_seconds": copied_seconds,
        "copy_us": 1e6 * (copies * BOX_PRICES.second_launch + copied_seconds / BOX_PRICES.copy),
    }


def _turned(k: Any, p: Any) -> Any:
    """Whether boxes see backward data as a forward convolution (see `turning`)."""
    return k["fold"] * is_true("==", p["direction"], BACKWARD_DATA) * is_true("==", k["pipeline"], BOXED)


def _writes_blocks(k: Any, p: Any) -> Any:
    """Whether they write blocks of pixels of few channels."""
    return _turned(k, p) * is_true("==", k["store"], POINTER_STORE)


def _block_copies_us(k: Any, p: Any, d: Any) -> Any:
    """Return the least time of a kernel that writes blocks: a copy per row of each box, and narrow stores."""
    rows, _, depth = _block_product(k, p)
    tiles, steps = ceil_div(rows / k["tile_m"], d["units"]), depth / k["tile_k"]
    row = BLOCK_ROW_SECONDS + BLOCK_BYTE_SECONDS * k["tile_k"] * p["size_read"]
    narrow = is_true("<", k["vector_bytes"], 16.0) * p["pixels_in"] * p["c_group"] * NARROW_SECONDS
    return _writes_blocks(k, p) * 1e6 * (tiles * steps * (k["tile_m"] + k["tile_n"]) * row + narrow)


def _block_product(k: Any, p: Any) -> tuple[Any, Any, Any]:
    """Return (m, n, k) of such a product: about square blocks that fill the columns of a tile."""
    pixels = most(1.0, floor_div(k["tile_n"], p["other"] * p["s_h"] * p["s_w"]))
    side = pixels**0.5 - 0.5
    taps = p["f_d"] * (p["f_h"] / p["s_h"] + side) * (p["f_w"] / p["s_w"] + side)
    rows = ceil_div(p["pixels_out"], pixels * k["tile_m"]) * k["tile_m"]
    return rows, k["tile_n"], taps * ceil_div(p["read"], k["tile_k"]) * k["tile_k"]


def _divides(a: float, b: Any) -> Any:
    return is_true("==", floor_div(b, a) * a, b)


def _copies_us(k: Any, p: Any, d: Any) -> Any:
    """Return the least time of a 1x1 convolution on the gemm backend's hopper kernels: a copy per row of each box.

    Products of many rows and few columns are bound by it, which the gemm backend's own model does not know.
    """
    forward = is_true("==", p["direction"], FORWARD)
    serves = (1.0 - is_true("==", p["direction"], BACKWARD_WEIGHT)) * is_true("==", k["inner"], 0.0)
    serves = serves * (1.0 - k["swap_ab"]) * (1.0 - k["split"])
    line = 128.0 / p["size_out"]
    deep = ceil_div(k["tile_k"], line)
    b_rows = pick(forward, k["tile_n"] * deep, k["tile_k"] * ceil_div(k["tile_n"], line))
    rows = ceil_div(p["read"], k["tile_k"]) * (k["tile_m"] * deep + b_rows)
    rows = rows + k["tile_m"] * ceil_div(least(p["other"], k["tile_n"]), line)
    tiles = p["g"] * ceil_div(p["pixels_out"], k["tile_m"]) * ceil_div(p["other"], k["tile_n"])
    # Rows of the result that end inside of a sector of 32 bytes are written in two turns.
    split = is_true("<", pick(forward, p["line_output"], p["line_input"]), 32.0)
    return serves * 1e6 * (HOPPER["thin"].launch + tiles * rows * COPY_SECONDS * (1.0 + split) / d["units"])


def _padded_product(k: Any, p: Any, seen: dict[str, Any]) -> tuple[Any, Any, Any]:
    """Return (m, n, k) of the product that boxes amount to, with the pixels and channels that they waste."""
    weight = is_true("==", p["direction"], BACKWARD_WEIGHT)
    classes = pick(is_true("==", p["direction"], BACKWARD_DATA), p["strides"], 1.0)
    blocks = _writes_blocks(k, p)
    pixels = pick(weight, k["tile_k"], k["tile_m"])
    boxes = p["boxes_16"]
    for size in (32, 64, 128, 256):
        boxes = pick(is_true(">=", pixels, float(size)), p[f"boxes_{size}"], boxes)
    read, taps = seen["read"], seen["taps"]
    fitting = least(p["g"], least(floor_div(k["tile_n"], read), floor_div(k["tile_m"], p["other"])))
    parts = ceil_div(p["g"], pick(k["merge"], most(1.0, fitting), 1.0))
    across = pick(most(k["merge"], is_true(">", k["filter_h"], 0.0)), 1.0, ceil_div(read, k["tile_n"]))
    columns = floor_div(parts * taps, most(1.0, k["filter_h"])) * across
    other_m = pick(k["merge"], 1.0, ceil_div(p["other"], k["tile_m"])) * k["tile_m"]
    other_n = p["g"] * ceil_div(p["other"], k["tile_n"]) * k["tile_n"]
    depth = most(1.0, ceil_div(taps * ceil_div(read, k["tile_k"]) * k["tile_k"], classes))
    found = (
        pick(weight, other_m, classes * boxes * k["tile_m"]),
        pick(weight, columns * k["tile_n"], other_n),
        pick(weight, boxes * k["tile_k"], depth),
    )
    return tuple(pick(blocks, x, y) for x, y in zip(_block_product(k, p), found, strict=True))


def _own(k: Any, p: Any, d: Any) -> dict[str, Any]:
    """Return what the kernels of this backend do, and what it costs."""
    s = _geometry(k, p, d)
    f = counts(k, p, d, s)
    prices: Any = SimpleNamespace(**{name: k[f"price_{name}"] for name in PRICES})
    cycle, room = 1e6 / d["clock"], d["units"] * k["resident"]
    return {
        "predicted_us": 1e6 * seconds(f, prices),
        "matrix_us": f.matrix_cycles / prices.matrix * cycle,
        "load_us": f.load_bytes / prices.l1 * cycle,
        "far_us": f.far_bytes / prices.l2 * cycle,
        "vector_us": f.instructions / prices.issue * cycle,
        "turns_us": f.waves * f.steps * prices.step * cycle,
        "memory_us": 1e6 * f.memory_seconds,
        "reduce_us": 1e6 * f.reduce_seconds,
        "waves": s["programs"] / room,
        "fill": s["programs"] / (room * ceil_div(s["programs"], room)),
        "balance": ceil_div(s["programs"], d["units"]) * d["units"] / s["programs"],
        "per_unit": ceil_div(s["programs"], d["units"]),
        "tile_intensity": k["tile_m"] * k["tile_n"] / (k["tile_m"] + k["tile_n"]),
        **{name: s[name] for name in ("programs", "steps", "merged", "splits", "waste_m", "waste_n", "waste_k")},
    }


def counts(k: Any, p: Any, d: Any, shape: dict[str, Any] | None = None) -> Any:
    """What a launch does: seconds at the device's rates, cycles at a multiprocessor's, counts of the busiest one."""
    s = shape or _geometry(k, p, d)
    per_unit = ceil_div(s["programs"], d["units"])
    together = least(k["resident"], per_unit)
    turns = per_unit * s["steps"]
    narrow = 16.0 / least(16.0, k["vector_bytes"])
    narrow = pick(_gathers(k), 1.0 + 0.02 * (narrow - 1.0), narrow)  # those of what is written
    weight = is_true("==", p["direction"], BACKWARD_WEIGHT)
    lines = most(1.0, least(p["g"] * p["c_group"], k["strip_line"]) / k["tile_n"]) ** PART_OF_LINE
    moved = (p["bytes"] + 2.0 * s["workspace"]) / d["bandwidth"] * pick(s["strip"], lines, 1.0)
    return SimpleNamespace(
        clock=d["clock"],
        memory_seconds=moved,
        load_bytes=turns * k["turn_loads"] * p["size_read"] * narrow**0.75,
        far_bytes=_rereads(k, p, s) * p["bytes"] / d["units"],
        instructions=turns * k["turn_vector"] * (1.0 + 0.2 * (narrow - 1.0)),
        matrix_cycles=turns * k["turn_products"] / d["rate"],
        waves=ceil_div(per_unit, together),
        steps=s["steps"] / pick(s["strip"], most(1.0, k["stages"]), 1.0),
        reduce_seconds=weight * (1.5e-6 + 2.0 * s["workspace"] / d["bandwidth"]),
    )


def _rereads(k: Any, p: Any, s: dict[str, Any]) -> Any:
    """Return how often the pixels come from beyond L1: once per tap and column tile for asynchronous copies."""
    weight = is_true("==", p["direction"], BACKWARD_WEIGHT)
    again = 1.0 + 0.5 * p["taps"] * pick(weight, 1.0, ceil_div(p["other"], k["tile_n"]))
    once = most(is_true("==", k["pipeline"], THIN), _gathers(k))
    return pick(most(most(s["window"], s["strip"]), once), 1.2, again)


def _geometry(k: Any, p: Any, d: Any) -> dict[str, Any]:
    """Return how a launch is cut into programs, as `bind.geometry` does it."""
    depthwise = is_true("==", k["pipeline"], DEPTHWISE)
    window = most(depthwise, is_true("==", k["pipeline"], WINDOW))
    weight = is_true("==", p["direction"], BACKWARD_WEIGHT)
    implicit = weight * is_true("==", k["pipeline"], 0.0)
    across, along = pick(implicit, k["tile_n"], k["tile_k"]), pick(implicit, k["tile_m"], k["tile_n"])
    strip = is_true("==", k["pipeline"], STRIP)
    groups = pick(strip, across, p["g"])
    fitting = least(groups, least(floor_div(across, p["read"]), floor_div(along, p["other"])))
    merged = pick(depthwise, k["tile_n"], pick(most(most(window, strip), k["merge"]), most(1.0, fitting), 1.0))
    common = {"window": window, "strip": strip, "merged": merged, "parts": ceil_div(p["g"], merged),
              "run": pick(k["fold"], pick(_gathers(k), p["taps"], p["f_w"]), 1.0)}  # fmt: skip
    data, gradient = _data_geometry(k, p, common), _weight_geometry(k, p, common)
    found = {name: pick(weight, gradient[name], data[name]) for name in data}
    strips = walk_shape(k, p, d, common, weight)
    return {**common, **{name: pick(strip, strips.get(name, found[name]), found[name]) for name in found}}


def _gathers(k: Any) -> Any:
    """Whether all taps are one run (see `gathers` of `algorithm`)."""
    return k["fold"] * k["merge"] * is_true("==", k["pipeline"], 0.0)


def _data_geometry(k: Any, p: Any, c: dict[str, Any]) -> dict[str, Any]:
    back = is_true("==", p["direction"], BACKWARD_DATA)
    count = {a: pick(back, ceil_div(p[f"in_{a}"], p[f"s_{a}"]), p[f"out_{a}"]) for a in ("d", "h", "w")}
    taps = {a: pick(back, ceil_div(p[f"f_{a}"], p[f"s_{a}"]), p[f"f_{a}"]) for a in ("d", "h", "w")}
    width = pick(back, p["in_w"], p["out_w"])
    lines = p["images"] * count["d"] * count["h"] * ceil_div(width, k["span"])
    pixels = p["images"] * count["d"] * count["h"] * count["w"]
    work_rows = pick(c["window"], lines, pixels)
    rows = ceil_div(work_rows, k["tile_m"])
    merged = k["merge"] * (1.0 - k["fold"])
    whole = pick(merged, c["parts"], p["g"] * ceil_div(p["other"], k["tile_n"]))
    turns = pick(merged, 1.0, ceil_div(p["read"] * c["run"], k["tile_k"]))
    all_taps = taps["d"] * taps["h"] * taps["w"]
    return {
        "steps": pick(c["window"], taps["d"] * taps["h"], floor_div(all_taps, c["run"]) * turns),
        "programs": pick(back, pick(c["window"], p["s_d"] * p["s_h"], p["strides"]), 1.0)
        * rows * pick(c["window"], c["parts"], whole),
        "splits": 1.0,
        "workspace": 0.0,
        "waste_m": rows * k["tile_m"] / work_rows,
        "waste_n": ceil_div(p["other"], k["tile_n"]) * k["tile_n"] / p["other"],
        "waste_k": ceil_div(p["read"], k["tile_k"]) * k["tile_k"] / p["read"],
    }  # fmt: skip


def _weight_geometry(k: Any, p: Any, c: dict[str, Any]) -> dict[str, Any]:
    lines = p["images"] * p["out_d"] * p["out_h"] * ceil_div(p["out_w"], k["span"])
    deep = pick(c["window"], lines, p["pixels_out"])
    depth = pick(c["window"], k["tile_m"], k["tile_k"])
    blocks = ceil_div(deep, depth)
    tiles = ceil_div(p["k_group"], k["tile_m"]) * ceil_div(p["c_group"] * c["run"], k["tile_n"])
    cols = c["parts"] * pick(most(c["window"], k["merge"]), 1.0, tiles)
    rows = pick(c["window"], p["f_d"], p["taps"] / c["run"])
    splits = most(1.0, least(most(1.0, k["launch_split_k"]), blocks))
    shares = pick(is_true("==", k["sum"], 1.0), 1.0, splits)
    return {
        "steps": ceil_div(blocks, splits),
        "programs": rows * cols * splits,
        "splits": splits,
        "workspace": 4.0 * shares * p["weights"],
        "waste_m": ceil_div(p["k_group"], k["tile_m"]) * k["tile_m"] / p["k_group"],
        "waste_n": ceil_div(p["c_group"], k["tile_n"]) * k["tile_n"] / p["c_group"],
        "waste_k": blocks * depth / deep,
    }
