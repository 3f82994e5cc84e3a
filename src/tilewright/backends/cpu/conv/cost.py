"""The analytical cost model: cycles of the busiest thread, counted from what each pipeline does, and bytes that move.

The figures were set by hand from measurements of single kernels (`benchmarks/cpu/conv_cpu.py --candidates`). Only their
ratios decide the ranking.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil, prod
from typing import Any

from ....model.device import Device
from ....model.dtype import get_dtype
from ....model.kernel import Candidate, KernelSpec, Launch
from ....ops.conv.geometry import residues
from ....ops.conv.product import as_gemm
from ..gemm import cost as gemm_cost
from ..gemm.cost import lanes
from .algorithm import gemm_spec

TINY_FLOPS = 400_000  # below this a second thread costs more than it brings
CYCLE = 1 / 2.6e9
PRODUCT = 0.62  # prices of the gemm model were fitted at a lower clock than the cycles here: measured over predicted
PACK_ROW = 20.0  # cycles more to pack a row of A, however short it is
THREAD_BYTES_PER_CYCLE = 5.0  # of memory that is in no cache of this core
COPY = 1.6  # cycles to copy one register into a strip
LINE = 6.0  # cycles more where a copied register is a cache line far from the last one
SPILL = 0.15  # share of cycles more where a depthwise tile needs more registers than there are
MANY_RUNS = 0.15  # the same where it reads more pixels side by side than the hardware prefetches from far away
FAR_BYTES = 32_000_000  # tensors of this size together come from far away
WEIGHTS_PER_CYCLE = 24.0  # bytes of weights per cycle that L2 delivers while a tile is at work
# Multiply-adds per cycle of one register's lanes that an inner kernel of the implicit pipeline reaches.
IMPLICIT_RATE = {"fma": 1.75, "portable": 0.5, "vnni": 5.0, "amx": 14.0, "amx_bf16x3": 4.0}


def launches(spec: KernelSpec, problem: Any, device: Device) -> Sequence[Launch]:
    """One thread for tiny problems, all of them otherwise; split-K as asked. Those of a product are the gemm's own."""
    if spec.algorithm.pipeline == "gemm":
        return gemm_cost.launches(gemm_spec(spec), as_gemm(problem), device)
    threads = 1 if problem.flops < TINY_FLOPS else device.threads
    return (Launch(threads=threads, split_k=problem.split_k or 1),)


def predict(candidate: Candidate, problem: Any, device: Device) -> float:
    """Predicted seconds of one launch."""
    pipeline = candidate.spec.algorithm.pipeline
    if pipeline == "gemm":
        inner, product = Candidate(gemm_spec(candidate.spec), candidate.launch), as_gemm(problem)
        rows = product.m * product.batch if candidate.spec.algorithm.pack_a else 0
        packing = rows * PACK_ROW * CYCLE / max(1, candidate.launch.threads)
        return gemm_cost.predict(inner, product, device) * PRODUCT + packing
    weight = problem.direction == "backward_weight"
    cycles = (_COUNT_WEIGHT if weight else _COUNT)[pipeline](candidate, problem)
    threads = max(1, candidate.launch.threads)
    memory = problem.bytes / THREAD_BYTES_PER_CYCLE
    if candidate.spec.algorithm.stream:  # a streamed result is not read before it is written, nor left in a cache
        memory *= 0.75 if _far(problem, device) else 1.5
    return float((cycles + memory) / threads * CYCLE + 2e-6 + (3e-6 if threads > 1 else 0.0))


def _pixels(p: Any) -> int:
    """Result pixels of the data directions."""
    return int(p.n * prod(p.output if p.direction == "forward" else p.input))


def _taps(p: Any) -> float:
    """Taps that one result pixel meets on average."""
    if p.direction != "backward_data":
        return float(prod(p.filter))
    return float(prod(sum(r.count * len(r.taps) for r in residues(p, i)) / p.input[i] for i in range(p.dims)))


def _channels(p: Any) -> tuple[int, int]:
    """(summed over, computed) channels of one group."""
    return (p.c_group, p.k_group) if p.direction == "forward" else (p.k_group, p.c_group)


def _row(p: Any) -> int:
    """Result pixels of one row of one class."""
    return int(p.output[-1] if p.direction == "forward" else ceil(p.input[-1] / p.stride[-1]))


def _step(p: Any) -> int:
    """Source pixels that are new to each result pixel."""
    return int(prod(p.stride)) if p.direction == "forward" else 1


def _tiles(length: int, tile: int) -> list[int]:
    """The sizes of the tiles that a row is cut into: whole ones, then halves."""
    found = []
    while length > 0:
        while length < tile:
            tile //= 2
        found += [tile] * (length // tile)
        length %= tile
    return found


def _direct(c: Candidate, p: Any) -> float:
    a, width = c.spec.algorithm, lanes(c.spec.arch)
    reduced, results = _channels(p)
    nv, row = a.nr // width, _row(p)
    blocks = p.g * ceil(results / a.nr)
    rows = _pixels(p) / row * blocks
    steps = _taps(p) * reduced
    per_row = 0.0
    for tile in _tiles(row, a.mr):
        fma, loads = tile * nv / 2, (tile + nv) / 2
        weights = a.nr * 4 / WEIGHTS_PER_CYCLE if steps * a.nr * 4 > 32_000 else 0.0
        per_row += steps * (max(fma, loads, weights, 4 * (tile * nv < 8)) * 1.15 + 0.8) + 20 + tile * nv * 3
    copies = row * _step(p) * ceil(reduced / width) * (COPY + LINE * (p.g > 1))
    return float(rows * (per_row + copies) + _pack(p))


def _lanes(c: Candidate, p: Any) -> float:
    a = c.spec.algorithm
    reduced, _ = _channels(p)
    blocks, row = ceil(p.g / a.merge), _row(p)
    per_row = sum(_taps(p) * reduced * (max(t * 0.6, 4.0) + 1.0) + 20 + t * 3 for t in _tiles(row, a.mr))
    copies = row * _step(p) * (COPY + 1.0 + LINE)
    return float(_pixels(p) / row * blocks * (per_row + copies) + _pack(p))


def _depthwise(c: Candidate, p: Any) -> float:
    a, width = c.spec.algorithm, lanes(c.spec.arch)
    vectors, row, taps, across = ceil(p.g / width), _row(p), _taps(p), p.filter[-1]
    forward = p.direction == "forward"
    tall = a.tall if forward or p.stride[-1] == 1 else 1  # results between strided outputs meet few taps
    high, down = (p.filter[-2], p.stride[-2] if forward else 1) if p.dims > 1 else (1, 1)
    window = (a.mr - 1) * (p.stride[-1] if forward else 1) + across
    rows_read = taps / across * (1 + (tall - 1) * down / high)
    crowded = SPILL if tall * (a.mr + across) + 1 > 2 * width else 0.0  # AVX-512 has 32 registers, AVX2 16
    products = max(tall * a.mr / 2, 4.0) * taps + rows_read * (window * 0.35 + 2.0)
    scattered = MANY_RUNS if a.mr > 8 and p.bytes > FAR_BYTES else 0.0
    per_tile = products * (1.0 + crowded + scattered) + tall * a.mr * 1.5 + 10.0
    return float(_pixels(p) / row / tall * vectors * ceil(row / a.mr) * per_tile + _pack(p))


def _far(p: Any, device: Device) -> bool:
    """Whether the result leaves this core's caches before anybody can read it, and writing it is what takes long."""
    return p.direction == "backward_data" and bool(
        prod(p.extents(p.result)) * get_dtype(p.dtype(p.result)).bytes > device.l2_bytes
    )


def _implicit(c: Candidate, p: Any) -> float:
    a, width = c.spec.algorithm, lanes(c.spec.arch)
    reduced, results = _channels(p)
    k = _taps(p) * reduced
    padded_k = ceil(k / 32) * 32 if a.inner.startswith("amx") else k
    columns = ceil(results / a.nr) * a.nr
    products = _pixels(p) * p.g * padded_k * columns / width / (implicit_rate(a) * min(1.0, 0.4 + k / 400))
    size = get_dtype(p.signature.dtype_read[0]).bytes
    segments = _taps(p) if p.g > 1 or p.dilation[-1] > 1 else _taps(p) / p.filter[-1]
    moved = prod(p.filter) > 1 or prod(p.stride) > 1 or k % 32 != 0
    staging = _pixels(p) * p.g * (k * size / 16 + segments * 12 + 20) if moved else 0.0
    blocks = _pixels(p) / a.rows * p.g * 400
    return float(products + staging + blocks + _pack(p) * 4 + p.g * 2000)


def implicit_rate(a: Any) -> float:
    """Multiply-adds per cycle of one lane that the product of an implicit pipeline reaches where it is deep."""
    tile = {(6, 64): 1.0, (14, 32): 0.85, (28, 16): 0.7}.get((a.mr, a.nr), 1.0 if a.mr * a.nr >= 1024 else 0.7)
    return IMPLICIT_RATE[a.inner] * tile


def _pack(p: Any) -> float:
    """Weights are copied once per call."""
    return float(p.k * p.c_group * prod(p.filter) * 1.0)


def _direct_weight(c: Candidate, p: Any) -> float:
    a, width = c.spec.algorithm, lanes(c.spec.arch)
    pixels, taps, nv = p.n * prod(p.output), prod(p.filter), a.nr // width
    blocks = p.g * ceil(p.k_group / a.nr)
    per_pixel = 0.0
    for chunk in range(0, p.c_group, width):
        for tile in _tiles(min(width, p.c_group - chunk), a.mr):
            per_pixel += max(tile * nv / 2, (tile + nv) / 2, 4.0 * (tile * nv < 8)) * 1.25 + 0.8
    flush = taps * p.c_group * nv * 2.0 * pixels / 256
    copies = pixels * (ceil(p.c_group / width) * COPY * 2 + nv * COPY)
    return float(blocks * (pixels * taps * per_pixel + flush + copies) + _pack(p) * 4)


def _lanes_weight(c: Candidate, p: Any) -> float:
    pixels, taps = p.n * prod(p.output), prod(p.filter)
    blocks = ceil(p.g / c.spec.algorithm.merge)
    sums = min(p.filter[-1], 7) * min(p.c_group, 4)
    rate = 0.65 if sums >= 8 else 4.0 / sums
    copies = pixels * (prod(p.stride) + 1) * (COPY + 1.0 + LINE)
    return float(blocks * (pixels * taps * p.c_group * rate + copies) + _pack(p) * 4)


def _depthwise_weight(c: Candidate, p: Any) -> float:
    a, width = c.spec.algorithm, lanes(c.spec.arch)
    pixels, taps = p.n * prod(p.output), prod(p.filter)
    narrow = 1.0 + 1.2 * (a.nr < 4 * width)
    return float(ceil(p.g / width) * pixels * taps * 0.7 * narrow + _pack(p) * 4)


def _implicit_weight(c: Candidate, p: Any) -> float:
    a, width = c.spec.algorithm, lanes(c.spec.arch)
    pixels, taps = p.n * prod(p.output), prod(p.filter)
    rows, columns = ceil(p.k_group / a.mr) * a.mr, ceil(p.c_group * taps / a.nr) * a.nr
    products = pixels * p.g * rows * columns / width / (implicit_rate(a) * (0.95 if taps == 1 else 0.75))
    size = get_dtype(p.signature.dtype_read[0]).bytes
    staging = pixels * p.g * ((p.c_group * taps + p.k_group) * size / 10 + taps * 6 + 20)
    return float(products + staging + pixels / a.rows * p.g * (rows * columns / width * 2 + 400))


_COUNT = {"direct": _direct, "lanes": _lanes, "depthwise": _depthwise, "implicit": _implicit}
_COUNT_WEIGHT = {
    "direct": _direct_weight,
    "lanes": _lanes_weight,
    "depthwise": _depthwise_weight,
    "implicit": _implicit_weight,
}
