"""The analytical cost model: what a kernel has to do, counted, times what each kind of work costs.

`terms` counts: vector multiplications and loads of the register tiles (edge tiles are computed whole), calls and
accumulator traffic per k block, elements packed per layout, operands read in place, bytes that overflow L1 or L2, bytes
streamed. Each kind of work has a price in seconds, per way to form products; the prices in `cost_constants.json` were
fitted to measurements (`benchmarks/fit_cost.py`). Their ratios decide the ranking, so they carry over to other machines
better than their absolute values do.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import cache
from math import ceil
from pathlib import Path
from typing import Any

from ....arch import get_arch
from ....model.arch import CpuArch
from ....model.device import Device
from ....model.dtype import get_dtype
from ....model.kernel import Candidate, KernelSpec, Launch
from .algorithm import CpuGemm

# Bytes of one stored element of a panel; 0: those of the operand.
STORED_BYTES = {"fma": 4, "portable": 4, "amx": 0, "amx_bf16x3": 4, "vnni": 1}
# Least prices of what the fitted problems hardly showed: a line that falls out of L1 on every step costs about this.
FLOORS = {"alias_a": 3e-10, "alias_b": 6e-9}
CONSTANTS = Path(__file__).with_name("cost_constants.json")
TINY_FLOPS = 400_000  # below this a second thread costs more than it brings
CYCLE = 1 / 2.5e9  # of the machine whose prices are in the file
LOAD_PORTS = 2
SPLIT_K_MIN = 512  # a split shorter than this along k is not worth its reduction


# Cache blocks that a launch may choose, by the way products are formed: k blocks, row blocks.
BLOCKS = {
    "fma": ((192, 256, 512, 1024), (96, 192, 384)),
    "portable": ((256, 1024), (192,)),
    "vnni": ((512, 1024, 2048), (192, 384)),
    "amx": ((512, 1024, 2048), (192, 384)),
    "amx_bf16x3": ((512, 1024), (192, 384)),
}


def launches(spec: KernelSpec, problem: Any, device: Device) -> Sequence[Launch]:
    """One thread for tiny problems, all threads otherwise; split-K as asked, or where the tiles are too few.

    A kernel that leaves its cache blocks open is offered with each pair of them that differs for this problem.
    """
    threads = 1 if problem.flops < TINY_FLOPS else device.threads
    a = spec.algorithm
    tiles = ceil(problem.m / a.mr) * ceil(problem.n / a.nr) * problem.batch
    splits = [1] if problem.split_k is None else [problem.split_k]
    few = threads > 1 and a.pipeline == "tiled" and tiles < 2 * threads and problem.k >= threads * SPLIT_K_MIN
    if problem.split_k is None and few:
        splits.append(threads)
    grids = {s: mixed_grid(a, problem, threads, s) for s in splits}
    return tuple(
        Launch(threads=threads, split_k=s, grid=grids[s], blocks=b) for s in splits for b in open_blocks(a, problem)
    )


def mixed_grid(a: CpuGemm, problem: Any, threads: int, splits: int) -> tuple[int, ...]:
    """Return the (rows, columns) of threads that leave the busiest thread least to do, if both are shared.

    Empty if sharing rows, columns or batches alone is as good: the kernel then finds that grid itself, and formulas
    know these three ways. So the grid that is judged is the one that runs.
    """
    if threads < 4 * splits or threads % splits or a.pipeline != "tiled":  # fewer than 4 cannot share both
        return ()
    grids = _grids(threads // splits, problem.batch > 1)
    best = min(grids, key=lambda grid: _grid_cost(a, problem, *grid))  # the first of equals: one that is not mixed
    mixed = sum(ways > 1 for ways in best) > 1
    return best[1:] if mixed else ()


@cache
def _grids(threads: int, batched: bool) -> tuple[tuple[int, int, int], ...]:
    """(batches, rows, columns) that share out the threads: those of one kind first."""
    alone = dict.fromkeys([(1, 1, threads), (1, threads, 1), (threads, 1, 1)])
    batches = [b for b in range(1, threads + 1) if threads % b == 0] if batched else [1]
    mixed = [(b, m, threads // b // m) for b in batches for m in range(1, threads // b + 1) if threads // b % m == 0]
    return tuple(dict.fromkeys([*alone, *mixed]))


def _grid_cost(a: CpuGemm, p: Any, batches: int, down: int, across: int) -> float:
    """What the busiest thread has to do: products, and 32 of them for each element that it packs."""
    rows, columns, items = _busiest(a, p, batches, down, across)
    return float(items * (rows * columns + 32.0 * (rows * ceil(columns / a.nc) + columns / down)))


def _busiest(a: CpuGemm, p: Any, batches: int, down: int, across: int) -> tuple[int, int, int]:
    """(rows, columns, batch items) of the busiest thread of a grid."""
    rows = min(p.m, ceil(ceil(p.m / a.mr) / down) * a.mr)
    return rows, min(p.n, ceil(ceil(p.n / a.nr) / across) * a.nr), ceil(p.batch / batches)


def open_blocks(a: CpuGemm, problem: Any) -> Sequence[tuple[int, ...]]:
    """The (kc, mc) pairs worth considering; one empty pair for a kernel that has its own.

    Blocks beyond the problem's size all mean the same, so only the smallest of them is offered.
    """
    if a.pipeline != "tiled" or (a.kc and a.mc):
        return ((),)
    kcs, mcs = BLOCKS[a.inner]
    return tuple(
        (kc, mc) for kc in (_distinct(kcs, problem.k) if not a.kc else (0,))
        for mc in (_distinct(mcs, problem.m) if not a.mc else (0,))
    )  # fmt: skip


def _distinct(choices: Sequence[int], size: int) -> Sequence[int]:
    enough = next((i for i, c in enumerate(choices) if c >= size), len(choices) - 1)
    return choices[: enough + 1]


def blocks_of(candidate: Candidate) -> tuple[int, int]:
    """(kc, mc) of a candidate: the kernel's own, or those of the launch."""
    a, asked = candidate.spec.algorithm, candidate.launch.blocks or (0, 0)
    return a.kc or asked[0] or CpuGemm().kc, a.mc or asked[1] or CpuGemm().mc


def predict(candidate: Candidate, problem: Any, device: Device) -> float:
    """Predicted seconds of one launch."""
    prices = price_list(candidate.spec)
    counted = terms(candidate, problem, device)
    seconds = sum(max(prices.get(name, 0.0), FLOORS.get(name, 0.0)) * count for name, count in counted.items())
    return float(seconds + prices["launch"])


def price_list(spec: KernelSpec) -> Mapping[str, float]:
    """Return the prices of the spec's own register tile if it was measured, else those of its family."""
    lists = constants()
    return lists.get(tile_family(spec)) or (_counted_prices(spec) if _is_open_skinny(spec) else lists[family(spec)])


def _is_open_skinny(spec: KernelSpec) -> bool:
    """Whether a skinny kernel of vector code has no prices of its own: a step costs what its tile holds."""
    return bool(spec.algorithm.pipeline == "skinny" and spec.algorithm.inner in ("fma", "portable"))


@cache
def _counted_prices(spec: KernelSpec) -> Mapping[str, float]:
    """Prices of a skinny kernel whose tile was not measured: the instructions of a step, the rest as its family."""
    a, arch = spec.algorithm, _cpu_arch(spec.arch)
    if _way(spec) == "k":  # dot products: a vector holds `lanes` steps
        multiplies, loads = a.mr * a.nr / arch.lanes, (a.mr + a.nr) / arch.lanes
    else:
        vectors = a.nr / arch.lanes
        multiplies, loads = a.mr * vectors, a.mr + vectors
    conversions = 0.0 if spec.signature.dtype_b == "fp32" else loads
    cycles = max(multiplies * (1 if arch.has_fma else 2) / arch.fma_ports, loads / LOAD_PORTS) + conversions
    return {**constants()["skinny.fma"], "step": cycles * CYCLE}


def family(spec: KernelSpec) -> str:
    """Pipeline and the way products are formed."""
    return f"{spec.algorithm.pipeline}.{spec.algorithm.inner}"


def tile_family(spec: KernelSpec) -> str:
    """The family together with operand bits, vector width, register tile and, if skinny, the way B is read."""
    a = spec.algorithm
    way = "." + _way(spec) if a.pipeline == "skinny" else ""
    return f"{family(spec)}.b{get_dtype(spec.signature.dtype_b).bits}.{lanes(spec.arch)}.{a.mr}x{a.nr}{way}"


def _way(spec: KernelSpec) -> str:
    g = spec.signature
    return "panel" if g.b_format != "plain" else "k" if g.layout[1] == "c" else "n"


@cache
def constants() -> Mapping[str, Mapping[str, float]]:
    """The price lists by family and by register tile: seconds per unit of each term."""
    data: dict[str, dict[str, float]] = json.loads(CONSTANTS.read_text())["families"]
    return data


def terms(candidate: Candidate, problem: Any, device: Device) -> dict[str, float]:
    """How much of each kind of work the busiest thread does; names are those of the price list."""
    if candidate.spec.algorithm.pipeline == "skinny":
        return _skinny_terms(candidate, problem, device)
    return _tiled_terms(candidate, problem, device)


def _tiled_terms(candidate: Candidate, problem: Any, device: Device) -> dict[str, float]:
    a, g, p = candidate.spec.algorithm, candidate.spec.signature, problem
    vectors = a.nr / lanes(candidate.spec.arch)
    m, n, k, share = _per_thread(a, p, candidate.launch)
    tiles = ceil(m / a.mr) * ceil(n / a.nr) * share
    kc_block, mc_block = blocks_of(candidate)
    blocks = max(1, ceil(k / kc_block))
    size = STORED_BYTES[a.inner] or get_dtype(g.dtype_a).bytes
    kc, mc, nc = min(k, kc_block), min(m, mc_block), min(n, a.nc)
    plain = g.b_format == "plain"
    return {
        "multiply": tiles * k * a.mr * vectors,
        "load": tiles * k * (vectors + a.mr),
        "tile": tiles * blocks,
        "accumulator": tiles * (blocks - 1) * a.mr * vectors,
        f"pack_a_{g.layout[0]}": share * m * k * max(1, ceil(n / a.nc)) if a.pack_a else 0.0,
        f"pack_b_{g.layout[1]}": share * n * k if a.pack_b and plain else 0.0,
        "beyond_l1": tiles * k * a.nr * size if (a.nr + a.mr) * kc * size > device.l1_bytes else 0.0,
        "beyond_l2": share * ceil(m / mc) * n * k * size if k * nc * size > device.l2_bytes else 0.0,
        "a_beyond_l2": share * ceil(n / a.nr) * m * k * size if mc * kc * size > 0.7 * device.l2_bytes else 0.0,
        "spill": share * 8.0 * m * n * (blocks - 1) if mc * nc * 4 > 0.5 * device.l2_bytes else 0.0,
        "stream": share * (m * k * get_dtype(p.dtype_a).bytes + n * k * get_dtype(p.dtype_b).bytes + 4 * m * n),
        "reduce": 4.0 * p.m * p.n * p.batch * candidate.launch.split_k if candidate.launch.split_k > 1 else 0.0,
        "threads": float(candidate.launch.threads > 1),
        **_in_place_terms(a, g, p, tiles, k, blocks, vectors),
    }


def _in_place_terms(a: CpuGemm, g: Any, p: Any, tiles: float, k: int, blocks: int, vectors: float) -> dict[str, float]:
    """Reading an operand where it lies: rows a multiple of 4 KiB apart fall into the same cache sets."""
    found: dict[str, float] = {}
    if not a.pack_a:
        found[f"in_place_a_{g.layout[0]}"] = tiles * k * a.mr
        found["in_place_tile"] = tiles * blocks
        if _aliases(p, "a"):
            found["alias_a"] = tiles * k * max(0, a.mr - 8)
    if not a.pack_b and g.b_format == "plain":
        found["in_place_b"] = tiles * k * vectors
        if _aliases(p, "b"):
            found["alias_b"] = tiles * k * vectors
    return found


def _aliases(p: Any, role: str) -> bool:
    _, row, col = p.stride(role)
    return bool(max(row, col) * get_dtype(p.dtype(role)).bytes % 4096 == 0)


def _skinny_terms(candidate: Candidate, problem: Any, device: Device) -> dict[str, float]:
    a, p = candidate.spec.algorithm, problem
    threads = max(1, candidate.launch.threads)
    short, long = min(p.m, p.n), max(p.m, p.n)  # the kernel turns the problem over where n < m
    passes, columns = ceil(short / a.mr), ceil(long / threads)
    groups = passes * ceil(columns / a.nr) * p.batch
    size = get_dtype(p.dtype_b).bytes
    read = columns * p.k * size
    far = _way(candidate.spec) == "n" and p.stride("b")[1] * size >= 4096
    return {
        "step": groups * p.k,
        "page": float(far) * groups * p.k,  # each step along k is on another page
        "group": groups,
        "block": groups * ceil(p.k / a.kc),
        "stage": p.batch * short * p.k,
        "stream": p.batch * passes * read,
        "memory": p.batch * read if read > device.l2_bytes else 0.0,  # the first pass brings it near
        "turned": float(p.m > p.n) * p.batch * p.m * p.k,
        "threads": float(threads > 1),
    }


def _per_thread(a: CpuGemm, p: Any, launch: Launch) -> tuple[int, int, int, float]:
    """(rows, columns, k, batch items) of the busiest thread under the grid of the launch, or the best unmixed one."""
    splits = min(launch.split_k, max(1, p.k))
    rest = max(1, max(1, launch.threads) // splits)
    if launch.grid:
        down, across = launch.grid
        grid = (rest // (down * across), down, across)
    else:
        grid = min(((1, 1, rest), (1, rest, 1), (rest, 1, 1)), key=lambda g: _grid_cost(a, p, *g))
    rows, columns, items = _busiest(a, p, *grid)
    return rows, columns, ceil(p.k / splits), float(items)


@cache
def lanes(arch: str) -> int:
    """4-byte lanes of one vector register of `arch`."""
    return _cpu_arch(arch).lanes


def _cpu_arch(arch: str) -> CpuArch:
    found = get_arch(arch)
    assert isinstance(found, CpuArch), arch
    return found
