"""The launches worth considering, and what each kind of work costs.

`features` counts the work. Each kind has a price in seconds, per way to form products; the prices in
`cost_constants.json` were fitted to measurements (`benchmarks/fit/fit_cost.py`). Their ratios decide the ranking, so
they carry over to other machines better than their absolute values do.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import cache, partial
from math import ceil, gcd
from pathlib import Path
from typing import Any

from ....arch import get_arch
from ....model.arch import CpuArch
from ....model.device import Device
from ....model.dtype import get_dtype
from ....model.expr import Symbol
from ....model.expr_code import python_form
from ....model.kernel import KernelSpec, Launch
from ....ops.gemm.problem import GemmProblem
from .algorithm import CpuGemm
from .cost_arm import ARM_INNERS, arm_prices

# Bytes of one stored element of a panel; 0: those of the operand.
STORED_BYTES = {"fma": 4, "portable": 4, "amx": 0, "amx_bf16x3": 4, "vnni": 1, "dot": 0, "mm": 0}
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
    "dot": ((512, 1024, 2048), (96, 192)),
    "mm": ((512, 1024, 2048), (96, 192)),
}


def launches(spec: KernelSpec, problem: GemmProblem, device: Device) -> Sequence[Launch]:
    """Return one thread for tiny problems, all threads otherwise; split-K as asked, or where the tiles are too few.

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


def mixed_grid(a: CpuGemm, problem: GemmProblem, threads: int, splits: int) -> tuple[int, ...]:
    """Return the (rows, columns) of threads that leave the busiest thread least to do, if both are shared.

    Empty if sharing rows, columns or batches alone is as good: that is what a launch without a grid does, and the only
    thing that formulas see in it.
    """
    if threads < 4 * splits or threads % splits or a.pipeline != "tiled":  # fewer than 4 cannot share both
        return ()
    best = _best_grid(a, problem, threads // splits)
    return best[1:] if sum(ways > 1 for ways in best) > 1 else ()


def grid_of(a: CpuGemm, problem: GemmProblem, launch: Launch, threads: int) -> tuple[int, ...]:
    """Return the (rows, columns) of threads of a launch: its own, or the best ones.

    >>> from tilewright.ops import get_op
    >>> grid_of(CpuGemm(), get_op("gemm").plain_problem("fp32"), Launch(grid=(2, 1)), 2)
    (2, 1)
    """
    if launch.grid or a.pipeline != "tiled":
        return launch.grid
    return _best_grid(a, problem, threads // gcd(threads, launch.split_k))[1:]


def _best_grid(a: CpuGemm, problem: GemmProblem, threads: int) -> tuple[int, int, int]:
    """Return (batches, rows, columns) that leave the busiest thread least to do; of equals one that is not mixed."""
    grids = _grids(threads, problem.batch > 1)
    if len(grids) == 1:
        return grids[0]
    cost = _grid_cost()((problem.m, problem.n, problem.batch), ())
    return min(grids, key=partial(cost, (a.mr, a.nr, a.nc)))


@cache
def _grids(threads: int, batched: bool) -> tuple[tuple[int, int, int], ...]:
    """Return (batches, rows, columns) that share out the threads: those of one kind first."""
    alone = dict.fromkeys([(1, 1, threads), (1, threads, 1), (threads, 1, 1)])
    batches = [b for b in range(1, threads + 1) if threads % b == 0] if batched else [1]
    mixed = [(b, m, threads // b // m) for b in batches for m in range(1, threads // b + 1) if threads // b % m == 0]
    return tuple(dict.fromkeys([*alone, *mixed]))


@cache
def _grid_cost() -> Any:
    """`features.grid_cost` as Python."""
    from .features import grid_cost  # which knows the prices of this module

    names = {"p": ("m", "n", "batch"), "k": ("mr", "nr", "nc"), "x": ("batches", "down", "across")}
    places = {name: f"{of}[{i}]" for of, mine in names.items() for i, name in enumerate(mine)}
    p, k, x = ({n: Symbol(n, of != "p") for n in mine} for of, mine in names.items())
    return python_form(grid_cost(k, p, *x.values())[0], places, (*k, *x))


def open_blocks(a: CpuGemm, problem: GemmProblem) -> Sequence[tuple[int, ...]]:
    """Return the (kc, mc) pairs worth considering; one empty pair for a kernel that has its own.

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


def price_list(spec: KernelSpec) -> Mapping[str, float]:
    """Return the prices of the spec's own register tile if it was measured, else those of its family or of Arm."""
    lists = constants()
    if _cpu_arch(spec.arch).kind == "arm" or spec.algorithm.inner in ARM_INNERS:
        neon = lists.get(tile_family(spec)) if lanes(spec.arch) == 4 else None  # wider registers: those of other CPUs
        return neon or arm_prices(spec)
    return lists.get(tile_family(spec)) or (_counted_prices(spec) if _is_open_skinny(spec) else lists[family(spec)])


def _is_open_skinny(spec: KernelSpec) -> bool:
    """Return whether a skinny kernel of vector code has no prices of its own: a step costs what its tile holds."""
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
    """Return the family together with operand bits, vector width, register tile and, if skinny, the way B is read."""
    a = spec.algorithm
    way = "." + _way(spec) if a.pipeline == "skinny" else ""
    return f"{family(spec)}.b{get_dtype(spec.signature.dtype_b).bits}.{lanes(spec.arch)}.{a.mr}x{a.nr}{way}"


def _way(spec: KernelSpec) -> str:
    g, a = spec.signature, spec.algorithm
    if g.b_format != "plain" or g.layout[1] == "c":
        return "k" if g.b_format == "plain" else "panel"
    walks = _cpu_arch(spec.arch).kind == "arm" and a.inner == "fma" and g.dtype_b == "fp32"
    return f"n{a.kc}" if walks else "n"  # kc rows at a time (tw/arm/skinny_walk.hpp)


@cache
def constants() -> Mapping[str, Mapping[str, float]]:
    """Return the price lists by family and by register tile: seconds per unit of each term."""
    data: dict[str, dict[str, float]] = json.loads(CONSTANTS.read_text())["families"]
    return data


@cache
def lanes(arch: str) -> int:
    """4-byte lanes of one vector register of `arch`."""
    return _cpu_arch(arch).lanes


def _cpu_arch(arch: str) -> CpuArch:
    found = get_arch(arch)
    assert isinstance(found, CpuArch), arch
    return found
