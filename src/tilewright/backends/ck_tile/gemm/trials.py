"""Small products that take a GEMM kernel along its paths: every device kernel, several blocks, tails, splits of K."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import product

from ....arch import get_arch
from ....model.kernel import KernelSpec, Launch
from ....model.trial import Trial
from ....ops.gemm.of_signature import problem_for
from ....ops.gemm.problem import GemmProblem
from .algorithm import STREAM_K
from .geometry import miscounts
from .instances import Instance, instances, serving

SPLIT, BATCH, GROUPS = 2, 2, 3
# Of Stream-K: path, tiles, steps along k, blocks.
SHARED = (("shared tiles", 3, 4, 2), ("one tile of many blocks", 1, 9, 4), ("whole and shared tiles", 5, 3, 2),
          ("whole tiles", 4, 2, 2))  # fmt: skip
TWO_BLOCKS = Launch(grid=(2,))
STEPS = (2, 3, 4, 5, 6, 7)  # of grouped kernels that choose the ending of their main loop
MAX_STEPS = 24  # along k; twice the deepest prefetch and more
LOOPED = 4  # steps by which two counted products differ at least
TAILS = (3, 4, 8, 16, 32)  # elements beyond whole tiles; 3 where single elements are accessed
LARGE_TILE = 128 * 128  # elements of a tile of which one block is executed, and not four


def trials(spec: KernelSpec, place: str) -> Iterator[Trial]:
    """Yield one product per device kernel, then several blocks, then tails in all dimensions that may have them.

    >>> from tilewright.backends.ck_tile.gemm import preselected_kernels
    >>> found = list(trials(preselected_kernels("fp16_rcr_multi_d", "gfx942")[0], "emu:gfx942"))
    >>> [(t.path, t.problem.k) for t in found][:2]
    [('hot_two_set', 128), ('hot_three_set', 160)]
    """
    a = spec.algorithm
    if a.family in STREAM_K:
        yield from _shared(spec, place)
        return
    for instance in instances(spec):
        steps = steps_of(spec, instance)
        if steps:
            yield _trial(spec, place, str(instance.name), a.tile_m, a.tile_n, steps * a.tile_k, instance.atomic)
    if a.family == "grouped" and a.ends_at_run_time:  # one kernel, and an ending for each of these
        for steps in (n for n in STEPS if not miscounts(a, n)):
            yield _trial(spec, place, f"{steps} steps", a.tile_m, a.tile_n, steps * a.tile_k)
    depth = (steps_of(spec, instances(spec)[0]) or 1) * a.tile_k
    wide = 1 if a.tile_m * a.tile_n > LARGE_TILE else 2
    yield _trial(spec, place, "several blocks", wide * a.tile_m, 2 * a.tile_n, depth)
    if a.persistent:
        yield replace(_trial(spec, place, "several tiles of a block", 3 * a.tile_m, a.tile_n, depth), launch=TWO_BLOCKS)
    yield from _tails(spec, place, depth)


def _shared(spec: KernelSpec, place: str) -> Iterator[Trial]:
    """Yield products whose tiles two blocks share, many blocks share, and some of which are computed whole."""
    a = spec.algorithm
    for path, tiles, steps, blocks in SHARED:
        found = _trial(spec, place, path, tiles * a.tile_m, a.tile_n, steps * a.tile_k)
        yield replace(found, launch=Launch(grid=(blocks,)))


def counted(spec: KernelSpec, place: str) -> tuple[Trial, ...]:
    """Return two products of one tile by the kernel for long K, whose main loop runs differently often.

    >>> from tilewright.backends.ck_tile.gemm import preselected_kernels
    >>> [t.problem.k for t in counted(preselected_kernels("fp16_rcr_multi_d", "gfx942")[0], "emu:gfx942")]
    [128, 256]
    """
    a, main = spec.algorithm, instances(spec)[0]
    if a.family in STREAM_K:
        return ()  # its main loop is that of the universal kernel
    few = steps_of(spec, main)
    many = next((n for n in range(few + LOOPED, few + 3 * MAX_STEPS) if serving(spec, n, main.atomic) == main), 0)
    if not few or not many:
        return ()
    return tuple(_trial(spec, place, str(main.name), a.tile_m, a.tile_n, n * a.tile_k) for n in (few, many))


def steps_of(spec: KernelSpec, instance: Instance) -> int:
    """Return the fewest steps along k that a device kernel serves; 0 if it serves none of a few."""
    served = (n for n in range(1, MAX_STEPS) if serving(spec, n, instance.atomic) == instance)
    return next((n for n in served if not miscounts(spec.algorithm, n)), 0)


def _tails(spec: KernelSpec, place: str, depth: int) -> Iterator[Trial]:
    """Yield the product with the most dimensions that are no whole tiles, by the rules."""
    a = spec.algorithm
    sides = [_beyond(spec, place, depth, dim) for dim in range(3)]
    for m, n, k in sorted(product(*({x, 0} for x in sides)), key=lambda t: [x == 0 for x in t].count(True)):
        if (m, n, k) == (0, 0, 0):
            return
        found = _trial(spec, place, "tails", a.tile_m + m, a.tile_n + n, depth + k)
        if _legal(spec, found):
            yield found
            return


def _beyond(spec: KernelSpec, place: str, depth: int, dim: int) -> int:
    """Return the fewest elements beyond whole tiles that the rules allow along m, n or k; 0 if none."""
    a = spec.algorithm
    for extra in TAILS:
        sizes = [a.tile_m, a.tile_n, depth]
        sizes[dim] += extra
        if extra % (a.tile_m, a.tile_n, a.tile_k)[dim] and _legal(spec, _trial(spec, place, "", *sizes)):
            return extra
    return 0


def _legal(spec: KernelSpec, trial: Trial) -> bool:
    from .op import OP

    assert isinstance(trial.problem, GemmProblem)
    return not OP.check_problem(spec, get_arch(spec.arch), trial.problem)


def _trial(spec: KernelSpec, place: str, path: str, m: int, n: int, k: int, split: bool = False) -> Trial:
    depth, batch = k * (SPLIT if split else 1), BATCH if spec.algorithm.family == "batched" else 1
    posed = problem_for(spec.signature, m, n, depth, place, batch)
    if spec.algorithm.family == "grouped":
        posed = replace(posed, groups=GROUPS)
    return Trial(path, posed, Launch(split_k=SPLIT if split else 1))
