"""Small products that take a Triton kernel along its paths: whole tiles, several programs, tails, batches, splits."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from ....arch import get_arch
from ....model.kernel import KernelSpec, Launch
from ....model.trial import Trial
from ....ops.gemm.of_signature import problem_for

LARGE_TILE = 64 * 64  # elements of a tile of which two programs are executed, and not four
GROUPS = 3
STEPS = 5  # along k: more than any pipeline prefetches on these targets


def counted(spec: KernelSpec, place: str) -> tuple[Trial, ...]:
    """Return two products of one tile, whose main loop runs differently often; empty if the rules refuse one.

    >>> from tilewright.backends.triton.gemm import TritonGemm
    >>> from tilewright.ops.gemm import GemmSignature
    >>> plain = TritonGemm(tile_m=64, tile_n=32, tile_k=32, stages=2)
    >>> spec = KernelSpec("gemm", "triton", "gfx942", GemmSignature("fp16", "fp16", "fp32", "fp16"), plain)
    >>> [t.problem.k for t in counted(spec, "emu:gfx942")]
    [160, 320]
    """
    from . import OP

    a, arch = spec.algorithm, get_arch(spec.arch)
    rows, columns = (a.tile_n, a.tile_m) if a.swap_ab else (a.tile_m, a.tile_n)
    found = [problem_for(spec.signature, rows, columns, n * a.tile_k, place) for n in (STEPS, 2 * STEPS)]
    if any(OP.check(spec, arch, problem, Launch()) for problem in found):
        return ()
    return tuple(Trial("main loop", problem) for problem in found)


def trials(spec: KernelSpec, place: str) -> Iterator[Trial]:
    """Yield the legal ones of some products.

    >>> from tilewright.backends.triton.gemm import TritonGemm
    >>> from tilewright.ops.gemm import GemmSignature
    >>> plain = TritonGemm(tile_m=64, tile_n=32, tile_k=32, stages=2, split=True)
    >>> spec = KernelSpec("gemm", "triton", "gfx942", GemmSignature("fp16", "fp16", "fp32", "fp16"), plain)
    >>> [(t.path, t.problem.k) for t in trials(spec, "emu:gfx942")]
    [('one step', 32), ('whole tiles', 160), ('several programs', 64), ('tails', 168), ('batch', 72), ('splits', 160)]
    """
    from . import OP

    a, arch = spec.algorithm, get_arch(spec.arch)
    deep = STEPS * a.tile_k
    rows, columns = (a.tile_n, a.tile_m) if a.swap_ab else (a.tile_m, a.tile_n)
    few = 1 if rows * columns > LARGE_TILE else 2
    cases = [
        ("one step", (rows, columns, a.tile_k, 1), (1,)),
        ("whole tiles", (rows, columns, deep, 1), (1,)),
        ("several programs", (few * rows, 2 * columns, 2 * a.tile_k, 1), (1,)),
        ("tails", (rows + 5, columns + 8, deep + 8, 1), (1,)),
        ("odd tails", (rows + 5, columns + 3, deep + 1, 1), (1,)),
        ("batch", (rows + 3, columns + 8, 2 * a.tile_k + 8, 2), (1,)),
        ("splits", (rows + 5, columns, deep, 1), (2, 4)),
    ]
    for path, sizes, splits in cases:
        m, n, k, batch = sizes
        problem = problem_for(spec.signature, m, n, k, place, batch)
        if a.pipeline == "grouped" and batch == 1:
            problem = replace(problem, groups=GROUPS)
        for split_k in splits:
            launch = Launch(split_k=split_k)
            if not OP.check(spec, arch, problem, launch):
                yield Trial(path, problem, launch)
                break
