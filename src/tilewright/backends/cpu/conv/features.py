"""The cost model: cycles of the busiest thread, counted from what each pipeline does, and bytes that move.

Formulas (`tilewright.model.expr`) over the tunables `k` with what `constants` knows of the kernel, the problem's
numbers `p` and the device's `d`. Selection models learn from them what the prediction misses. Times are in
microseconds.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from ....arch import get_arch
from ....model.dtype import get_dtype
from ....model.expr import ceil_div, floor_div, is_true, least, most, pick
from ....model.kernel import KernelSpec
from ....ops.conv.layout import is_channels_last
from ....ops.gemm.features import ALIAS_BYTES
from ...product_rules import PRODUCTS
from ..gemm import features as product
from ..gemm.cost import lanes
from .algorithm import gemm_spec
from .cost import (
    COPY,
    CYCLE,
    FAR_BYTES,
    FIRST_ELEMENT,
    FIRST_GRADIENT,
    FOLDED_BAND,
    FOLDED_GROUPS,
    FOLDED_L2,
    LINE,
    MANY_RUNS,
    NEON_A_IN_PLACE,
    NEON_B_IN_PLACE,
    NEON_FAR,
    NEON_PERMUTE,
    NEON_PIXELS,
    NEON_RUNS,
    NEON_SHARED,
    NEON_WEIGHTS,
    PACK_ROW,
    PRODUCT,
    RUN,
    SPILL,
    STENCIL_STEP,
    THREAD_BYTES_PER_CYCLE,
    WEIGHTS_PER_CYCLE,
    folded_rate,
    implicit_rate,
)

VERSION = 3
# What adds up to the time of a launch; the other features say what it does and how well a tiling fits.
ADDITIVE = ("predicted_us", "multiply_us", "copy_us", "memory_us", "blocks")
OWN = ("lanes", "implicit_rate", "folded_rate", "amx", "read_bytes", "neon", "first")
CONSTANTS = (*OWN, *product.CONSTANTS)
DIRECT, LANES, DEPTHWISE, GEMM, FOLDED = 0.0, 1.0, 2.0, 4.0, 5.0  # places of the pipelines among the choices
PLANES, STENCIL = 6.0, 7.0
FORWARD, BACKWARD_DATA, BACKWARD_WEIGHT = 0.0, 1.0, 2.0
HALVINGS = 6  # a register tile of 32 is halved so often until it is one
LISTS = ("mr", "nr", "pack_a", "merge", "rows")  # a register tile is a kernel of its own, with its own speed
ONLY_SHOWN = False
near = searched = None  # the formulas are exact, and launches hold their blocks


@lru_cache(maxsize=65536)
def constants(spec: KernelSpec) -> tuple[float, ...]:
    """What formulas know of a kernel, in the order of `CONSTANTS`; prices are those of the product behind it."""
    a, size = spec.algorithm, get_dtype(spec.signature.dtype_read[0]).bytes
    arm, wide = get_arch(spec.arch).kind == "arm", lanes(spec.arch)
    in_place = arm and spec.signature.direction != "backward_weight"
    implicit = implicit_rate(a, spec.signature.dtype_read[0], in_place)
    neon = float(arm and wide == 4)
    first = float(arm and not is_channels_last(spec.signature.layout))
    amx = float(a.inner.startswith("amx"))
    own = (float(wide), implicit, folded_rate(a, wide), amx, float(size), neon, first)
    prices = product.constants(gemm_spec(spec)) if a.pipeline in PRODUCTS else (0.0,) * len(product.CONSTANTS)
    if arm:  # whose prices are of the clock that cycles are counted in
        prices = (*(price / PRODUCT for price in prices[:-1]), prices[-1])
    return (*own, *prices)


def work(k: Any, p: Any, d: Any) -> dict[str, Any]:
    """Features by name."""
    weight = is_true("==", p["direction"], BACKWARD_WEIGHT)
    data, gradient = _data(k, p), _weight(k, p)
    counts = {name: pick(weight, gradient[name], data[name]) for name in data}
    cycles = counts["multiply"] + counts["copy"] + counts["rest"]
    threads = most(1.0, k["launch_threads"])
    scale = 1e6 * CYCLE / threads
    out_bytes = p["pixels_in"] * p["g"] * p["c_group"] * p["size_out"]
    far = is_true("==", p["direction"], BACKWARD_DATA) * is_true(">", out_bytes, d["l2"])
    memory = p["bytes"] / THREAD_BYTES_PER_CYCLE * pick(k["stream"], pick(far, 0.75, 1.5), 1.0)
    fixed = 1e6 * (2e-6 + 3e-6 * is_true(">", threads, 1.0))
    planes = is_true("==", k["pipeline"], PLANES)
    inner, is_gemm = _product(k, p, d, planes), most(planes, is_true("==", k["pipeline"], GEMM))
    packing = k["pack_a"] * pick(planes, p["other"] * p["images"], p["m"]) * p["g"] * PACK_ROW * scale
    in_place = 1.0 + k["neon"] * weight * (
        NEON_B_IN_PLACE * (1.0 - k["pack_b"]) + NEON_A_IN_PLACE * (1.0 - k["pack_a"])
    )
    by_gemm = PRODUCT * inner["predicted_us"] * in_place + packing
    return {
        "predicted_us": pick(is_gemm, by_gemm, (cycles + memory) * scale + fixed),
        "multiply_us": pick(is_gemm, inner["us_multiply"] + inner["us_load"], counts["multiply"] * scale),
        "copy_us": pick(is_gemm, inner["us_pack_a"] + inner["us_pack_b"], counts["copy"] * scale),
        "kc_used": is_gemm * inner["kc_used"],
        "mc_used": is_gemm * inner["mc_used"],
        "memory_us": memory * scale,
        "blocks": counts["blocks"],
        "waste_m": counts["waste_m"],
        "waste_n": counts["waste_n"],
        "strip": k["strip_kb"] * 1024.0 / (p["in_w"] * p["read"] * 4.0),
        "matrix_rows": k["rows"] / p["m"],
        "matrix_bytes": k["rows"] * p["k"] * k["read_bytes"] / d["l2"],
        "depth": p["k"] / k["kc"],
        "weights_l2": p["weights"] * 4.0 / d["l2"],
        "flops_per_byte": p["flops"] / p["bytes"],
    }


def _product(k: Any, p: Any, d: Any, planes: Any) -> dict[str, Any]:
    """The features of the gemm backend for the product behind a 1x1 convolution."""
    forward = is_true("==", p["direction"], FORWARD)
    weight = is_true("==", p["direction"], BACKWARD_WEIGHT)
    line_a = pick(forward, p["row_input"], p["row_output"])
    line_b = pick(weight, p["row_input"], p["row_weight"])
    sizes = {"m": p["m"], "n": p["n"], "k": p["k"], "batch": p["g"], "flops": p["flops"], "bytes": p["bytes"],
             "size_a": p["size_read"], "size_b": p["size_read"], "packed_b": 0.0, "b_col": forward, "line_b": line_b,
             "alias_a": _is_multiple(line_a, ALIAS_BYTES), "alias_b": _is_multiple(line_b, ALIAS_BYTES)}  # fmt: skip
    turned = _planes(p, weight)
    return product.work({**k, "pipeline": 0.0}, {n: pick(planes, turned.get(n, v), v) for n, v in sizes.items()}, d)


def _planes(p: Any, weight: Any) -> dict[str, Any]:
    """What differs for channels-first images: weights times the pixels of one image or group."""
    plane = p["pixels_out"] / p["images"]
    line = plane * p["size_read"]
    line_a = pick(weight, line, p["c_group"] * p["size_read"])
    return {"m": pick(weight, p["k_group"], p["other"]), "n": pick(weight, p["c_group"], plane),
            "k": pick(weight, plane, p["read"]), "batch": pick(weight, p["g"], p["g"] * p["images"]), "b_col": weight,
            "line_b": line, "alias_a": _is_multiple(line_a, ALIAS_BYTES),
            "alias_b": _is_multiple(line, ALIAS_BYTES)}  # fmt: skip


def _is_multiple(a: Any, b: float) -> Any:
    return is_true("==", ceil_div(a, b) * b, a)


def _halved(length: Any, tile: Any, price: Any) -> Any:
    """The prices of the tiles that a row is cut into: whole ones, then halves."""
    total: Any = 0.0
    rest, size = length, tile
    for _ in range(HALVINGS):
        count = floor_div(rest, size)
        total = total + count * price(size)
        rest = rest - count * size
        size = most(1.0, floor_div(size, 2.0))
    return total


def _data(k: Any, p: Any) -> dict[str, Any]:
    """Forward and backward data: cycles of the five pipelines, of which each candidate has one."""
    forward = is_true("==", p["direction"], FORWARD)
    s = {
        "pixels": pick(forward, p["pixels_out"], p["pixels_in"]),
        "row": pick(forward, p["out_w"], ceil_div(p["in_w"], p["s_w"])),
        "new": pick(forward, p["strides"], 1.0),
        "near": pick(forward, p["s_w"], 1.0),
        "grouped": is_true(">", p["g"], 1.0),
    }
    parts = (_direct(k, p, s), _lanes(k, p, s), _depthwise(k, p, s), _folded(k, p, s), _implicit(k, p, s))
    return _or_stencil(k, _of_pipeline(k, parts), _stencil(k, p, s))


def _or_stencil(k: Any, found: dict[str, Any], mine: dict[str, Any]) -> dict[str, Any]:
    stencil = is_true("==", k["pipeline"], STENCIL)
    return {name: pick(stencil, mine[name], found[name]) for name in found}


def _of_pipeline(k: Any, parts: tuple[dict[str, Any], ...]) -> dict[str, Any]:
    found = parts[-1]
    for place, part in zip((FOLDED, DEPTHWISE, LANES, DIRECT), reversed(parts[:-1]), strict=True):
        mine = is_true("==", k["pipeline"], place)
        found = {name: pick(mine, part[name], found[name]) for name in found}
    return found


def _direct(k: Any, p: Any, s: Any) -> dict[str, Any]:
    nv, steps = k["nr"] / k["lanes"], p["taps_met"] * p["read"]
    blocks = p["g"] * ceil_div(p["other"], k["nr"])
    rows = s["pixels"] / s["row"] * blocks
    per_cycle = pick(k["neon"], NEON_WEIGHTS, WEIGHTS_PER_CYCLE)
    weights = is_true(">", steps * k["nr"] * 4.0, 32_000.0) * k["nr"] * 4.0 / per_cycle

    lane_tiles = k["neon"] * is_true(">", nv, 1.0)

    def price(tile: Any) -> Any:
        busy = most(most(tile * nv / 2.0, (tile + nv) / 2.0), most(weights, 4.0 * is_true("<", tile * nv, 8.0)))
        by_lanes = lane_tiles * is_true("<=", tile * nv + tile + nv, 32.0)
        return steps * pick(by_lanes, busy * 1.06 + 0.25, busy * 1.15 + 0.8) + 20.0 + tile * nv * (3.0 + k["first"])

    copies = s["row"] * s["new"] * ceil_div(p["read"], k["lanes"]) * (COPY + LINE * s["grouped"] + COPY * k["first"])
    few = is_true("<=", p["weights"] * 4.0, NEON_SHARED) + is_true(">=", s["pixels"], p["images"] * NEON_PIXELS)
    shared = pick(k["neon"] * (1.0 - s["grouped"]) * is_true(">", few, 0.0), blocks, 1.0)  # by all blocks
    return {"multiply": rows * _halved(s["row"], k["mr"], price), "copy": rows * copies / shared, "rest": p["weights"],
            "blocks": blocks, "waste_m": ceil_div(s["row"], k["mr"]) * k["mr"] / s["row"],
            "waste_n": ceil_div(p["other"], k["nr"]) * k["nr"] / p["other"]}  # fmt: skip


def _lanes(k: Any, p: Any, s: Any) -> dict[str, Any]:
    blocks = ceil_div(p["g"], k["merge"])
    rows = s["pixels"] / s["row"] * blocks

    def price(tile: Any) -> Any:
        return p["taps_met"] * p["read"] * (most(tile * 0.6, 4.0) + 1.0) + 20.0 + tile * 3.0

    single = k["neon"] * is_true("==", p["read"] * p["other"], 1.0)  # there are pipelines for it, in both layouts
    copies = s["row"] * s["new"] * (COPY + 1.0 + LINE + single * NEON_PERMUTE)
    return {"multiply": rows * _halved(s["row"], k["mr"], price), "copy": rows * copies, "rest": p["weights"],
            "blocks": blocks, "waste_m": ceil_div(s["row"], k["mr"]) * k["mr"] / s["row"],
            "waste_n": blocks * k["merge"] / p["g"]}  # fmt: skip


def _depthwise(k: Any, p: Any, s: Any) -> dict[str, Any]:
    vectors, tiles = ceil_div(p["g"], k["lanes"]), ceil_div(s["row"], k["mr"])
    forward = is_true("==", p["direction"], FORWARD)
    tall = pick(most(forward, is_true("==", p["s_w"], 1.0)), k["tall"], 1.0)
    window = (k["mr"] - 1.0) * s["near"] + p["f_w"]
    rows_read = p["taps_met"] / p["f_w"] * (1.0 + (tall - 1.0) * pick(forward, p["s_h"], 1.0) / p["f_h"])
    crowded = SPILL * is_true(">", tall * (k["mr"] + p["f_w"]) + 1.0, pick(k["neon"], 32.0, 2.0 * k["lanes"]))
    products = most(tall * k["mr"] / 2.0, pick(k["neon"], 2.0, 4.0)) * p["taps_met"] + rows_read * (window * 0.35 + 2.0)
    scattered = pick(
        k["neon"],
        NEON_RUNS * is_true(">", window * rows_read, 40.0) * is_true(">", p["bytes"], NEON_FAR),
        MANY_RUNS * is_true(">", k["mr"], 8.0) * is_true(">", p["bytes"], FAR_BYTES),
    )
    each = products * (1.0 + crowded + scattered) + tall * k["mr"] * 1.5 + 10.0
    return {"multiply": s["pixels"] / s["row"] / tall * vectors * tiles * each, "copy": 0.0, "rest": p["weights"],
            "blocks": vectors, "waste_m": tiles * k["mr"] / s["row"],
            "waste_n": vectors * k["lanes"] / p["g"]}  # fmt: skip


def _stencil(k: Any, p: Any, s: Any) -> dict[str, Any]:
    """Rows of pixels of one channel; a step of a tile loads a register for each product."""
    registers = ceil_div(s["row"], k["lanes"])
    rows = s["pixels"] / s["row"] * p["g"]
    each = registers * (p["taps_met"] * STENCIL_STEP + 4.0) + p["taps_met"] + 10.0
    copies = registers * s["new"] * 2.0 + 10.0
    return {"multiply": rows * each, "copy": rows * copies, "rest": p["images"] * p["weights"] * 4.0, "blocks": p["g"],
            "waste_m": 1.0, "waste_n": registers * k["lanes"] / s["row"]}  # fmt: skip


def _folded(k: Any, p: Any, s: Any) -> dict[str, Any]:
    nv, steps = k["nr"] / k["lanes"], p["taps_met"] * p["read"]
    per_group = ceil_div(p["other"], k["nr"])
    rows, tiles = s["pixels"] / s["row"] * p["g"] * per_group, ceil_div(s["row"], k["mr"])
    tile = s["row"] / tiles  # pixels: all tiles of a row are about equal
    apart = is_true(">", p["dilated_w"], 1.0)
    weights = is_true(">", steps * k["nr"] * 4.0, 32_000.0) * k["nr"] * 4.0 / WEIGHTS_PER_CYCLE
    busy = most(most(tile * nv / 2.0, (tile + nv) / 2.0), most(weights, 4.0 * is_true("<", tile * nv, 8.0)))
    runs = p["taps_met"] / p["f_w"] * pick(apart, p["f_w"], 1.0)
    rate = k["folded_rate"] * pick(s["grouped"], FOLDED_GROUPS, 1.0)
    each = steps * _met(p, apart) * (busy * rate + 0.5) + runs * RUN + 20.0 + tile * nv * 3.0
    pixel = pick(s["grouped"], ceil_div(p["read"], k["lanes"]) * (COPY + 2.0 * LINE), p["read"] / k["lanes"] * COPY)
    again = is_true(">", p["taps"] * p["read"] * k["nr"] * 4.0, FOLDED_L2)  # weights are copied for every plane
    copies = s["pixels"] * s["new"] * p["g"] * pick(again, per_group, 1.0)
    return {"multiply": rows * tiles * each, "copy": copies * pixel,
            "rest": p["weights"] * pick(again, p["images"] * p["out_d"], 1.0), "blocks": p["g"] * per_group,
            "waste_m": 1.0, "waste_n": per_group * k["nr"] / p["other"]}  # fmt: skip


def _met(p: Any, apart: Any) -> Any:
    """The share of the taps of a row that a tile meets inside of the image: the others are left out if far apart."""
    far = p["dilated_w"] * (p["f_w"] + 1.0) / 4.0  # of the middle tap, on average
    inside = (1.0 + (p["f_w"] - 1.0) * most(0.0, 1.0 - far / p["in_w"])) / p["f_w"]
    return pick(apart * is_true(">", p["padding"], 0.0), least(1.0, inside + 0.15), 1.0)


def _implicit(k: Any, p: Any, s: Any) -> dict[str, Any]:
    depth = p["taps_met"] * p["read"]
    whole = ceil_div(depth, 32.0) * 32.0
    columns = ceil_div(p["other"], k["nr"]) * k["nr"]
    rate = k["implicit_rate"] * least(1.0, 0.4 + depth / 400.0)
    products = s["pixels"] * p["g"] * pick(k["amx"], whole, depth) * columns / k["lanes"] / rate
    apart = most(s["grouped"], is_true(">", p["dilated_w"], 1.0))
    segments = pick(apart, p["taps_met"], p["taps_met"] / p["f_w"])
    moved = most(most(is_true(">", p["taps"] * p["strides"], 1.0), is_true(">", whole, depth)), k["first"])
    element = p["size_read"] / 16.0 + k["first"] * FIRST_ELEMENT
    staging = moved * s["pixels"] * p["g"] * (depth * element + segments * 12.0 + 20.0)
    rest = s["pixels"] / k["rows"] * p["g"] * 400.0 + p["weights"] * 4.0 + p["g"] * 2000.0
    return {"multiply": products, "copy": staging, "rest": rest, "blocks": s["pixels"] / k["rows"] * p["g"],
            "waste_m": ceil_div(s["pixels"], k["mr"]) * k["mr"] / s["pixels"],
            "waste_n": columns / p["other"]}  # fmt: skip


def _weight(k: Any, p: Any) -> dict[str, Any]:
    """Backward weight: cycles of the six pipelines."""
    parts = (_direct_weight(k, p), _lanes_weight(k, p), _depthwise_weight(k, p), _folded_weight(k, p))
    return _or_stencil(k, _of_pipeline(k, (*parts, _implicit_weight(k, p))), _stencil_weight(k, p))


def _direct_weight(k: Any, p: Any) -> dict[str, Any]:
    nv, pixels, channels = k["nr"] / k["lanes"], p["pixels_out"], p["c_group"]
    blocks = p["g"] * ceil_div(p["k_group"], k["nr"])
    by_lanes = 1.06 + 0.1 * is_true(">", nv, 4.0)  # 4x24 leaves no register to load ahead

    def price(tile: Any) -> Any:
        busy = most(most(tile * nv / 2.0, (tile + nv) / 2.0), 4.0 * is_true("<", tile * nv, 8.0))
        return busy * pick(k["neon"], by_lanes, 1.25) + pick(k["neon"], 0.5, 0.8)

    chunks = floor_div(channels, k["lanes"])
    each = chunks * _halved(k["lanes"], k["mr"], price)
    each = each + _halved(channels - chunks * k["lanes"], k["mr"], price)
    flush = p["taps"] * channels * nv * 2.0 * pixels / 256.0
    gradient = COPY * (1.0 + FIRST_GRADIENT * k["first"])  # of four channels of a pixel
    copies = pixels * (ceil_div(channels, k["lanes"]) * COPY * 2.0 + nv * gradient)
    return {"multiply": blocks * pixels * p["taps"] * each, "copy": blocks * (flush + copies),
            "rest": p["weights"] * 4.0, "blocks": blocks,
            "waste_m": ceil_div(channels, k["mr"]) * k["mr"] / channels,
            "waste_n": ceil_div(p["k_group"], k["nr"]) * k["nr"] / p["k_group"]}  # fmt: skip


def _lanes_weight(k: Any, p: Any) -> dict[str, Any]:
    blocks, pixels = ceil_div(p["g"], k["merge"]), p["pixels_out"]
    sums = least(p["f_w"], 7.0) * least(p["c_group"], 4.0)
    rate = pick(is_true(">=", sums, 8.0), 0.65, 4.0 / sums)
    return {"multiply": blocks * pixels * p["taps"] * p["c_group"] * rate,
            "copy": blocks * pixels * (p["strides"] + 1.0) * (COPY + 1.0 + LINE), "rest": p["weights"] * 4.0,
            "blocks": blocks, "waste_m": 1.0, "waste_n": blocks * k["merge"] / p["g"]}  # fmt: skip


def _depthwise_weight(k: Any, p: Any) -> dict[str, Any]:
    vectors = ceil_div(p["g"], k["lanes"])
    narrow = 1.0 + 1.2 * is_true("<", k["nr"], 4.0 * k["lanes"])
    return {"multiply": vectors * p["pixels_out"] * p["taps"] * 0.7 * narrow, "copy": 0.0, "rest": p["weights"] * 4.0,
            "blocks": vectors, "waste_m": 1.0, "waste_n": vectors * k["lanes"] / p["g"]}  # fmt: skip


def _stencil_weight(k: Any, p: Any) -> dict[str, Any]:
    """Rows of pixels of one channel; a step loads a register for each product."""
    registers, rows = ceil_div(p["out_w"], k["lanes"]), p["pixels_out"] / p["out_w"] * p["g"]
    each = registers * (p["taps"] * STENCIL_STEP + 2.0) + 10.0
    copies = registers * p["strides"] * 2.0 + 10.0
    return {"multiply": rows * each, "copy": rows * copies, "rest": p["weights"] * 8.0, "blocks": p["g"],
            "waste_m": 1.0, "waste_n": registers * k["lanes"] / p["out_w"]}  # fmt: skip


def _folded_weight(k: Any, p: Any) -> dict[str, Any]:
    nv, pixels, blocks = k["nr"] / k["lanes"], p["pixels_out"], p["g"] * ceil_div(p["k_group"], k["nr"])
    apart = is_true(">", p["dilated_w"], 1.0)
    length = p["c_group"] * pick(apart, 1.0, p["f_w"])
    tiles = ceil_div(length, k["mr"])
    tile = length / tiles
    busy = most(most(tile * nv / 2.0, (tile + nv) / 2.0), 4.0 * is_true("<", tile * nv, 8.0))
    grouped = is_true(">", p["g"], 1.0)
    narrow = is_true("<=", p["k_group"], k["lanes"])  # half of a tile is empty, and direct ones share reads of taps
    rate = k["folded_rate"] * pick(grouped, FOLDED_GROUPS + 0.6 * narrow, 1.0)
    each = tiles * (busy * rate + 0.5) * p["taps"] / pick(apart, 1.0, p["f_w"]) * _met(p, apart)
    flush = p["taps"] * p["c_group"] * nv * 2.0 * k["nr"] * 4.0 / FOLDED_BAND
    pixel = pick(
        is_true(">", p["g"], 1.0), ceil_div(p["c_group"], k["lanes"]) * (COPY + LINE), p["c_group"] / k["lanes"]
    )
    return {"multiply": blocks * pixels * each, "copy": blocks * pixels * (flush + nv * COPY + p["strides"] * pixel),
            "rest": p["weights"] * 4.0, "blocks": blocks, "waste_m": 1.0,
            "waste_n": ceil_div(p["k_group"], k["nr"]) * k["nr"] / p["k_group"]}  # fmt: skip


def _implicit_weight(k: Any, p: Any) -> dict[str, Any]:
    pixels, taps = p["pixels_out"], p["taps"]
    rows = ceil_div(p["k_group"], k["mr"]) * k["mr"]
    columns = ceil_div(p["c_group"] * taps, k["nr"]) * k["nr"]
    rate = k["implicit_rate"] * pick(is_true("==", taps, 1.0), 0.95, 0.75)
    in_place = k["neon"] * is_true("==", taps * p["strides"], 1.0) * is_true("==", p["padding"], 0.0)
    element = p["size_read"] / 10.0 + k["first"] * (1.0 - in_place) * FIRST_ELEMENT
    staging = pixels * p["g"] * ((p["c_group"] * taps + p["k_group"]) * element + taps * 6.0 + 20.0)
    blocks = pixels / k["rows"] * p["g"]
    return {"multiply": pixels * p["g"] * rows * columns / k["lanes"] / rate, "copy": staging,
            "rest": blocks * (rows * columns / k["lanes"] * 2.0 + 400.0), "blocks": blocks,
            "waste_m": rows / p["k_group"], "waste_n": columns / (p["c_group"] * taps)}  # fmt: skip
