"""The launches of an attention that are worth considering (`features` has what each costs)."""

from __future__ import annotations

from collections.abc import Sequence

from ....arch import get_arch
from ....model.arch import NvidiaArch
from ....model.device import Device
from ....model.kernel import KernelSpec, Launch, kept_by_kernel
from ....model.summation import ANY
from ....ops.fmha.problem import FmhaProblem
from ....ops.fmha.work import choose_splits
from ..gemm.operands import ceil_div
from .algorithm import forward_shared_bytes, padded
from .bind import lanes, row_blocks

CHUNK = 512  # keys of a split, a multiple of every tile; the best on an H200 for 1 to 128 sequences
MAX_CHUNKS = 256  # whose results take memory; the last one has the rest
PARTS = (2, 3, 4, 6, 8)  # of the walk over the rows of a backward pass
SPLITS = (2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128)


def launches(spec: KernelSpec, problem: FmhaProblem, device: Device) -> Sequence[Launch]:
    """Numbers of splits: as given, else one, and those that fill the GPU one to three times; or of parts of a walk.

    For an order of summation that does not depend on the batch, splits have a fixed number of keys instead. There are
    two at least: a result that is not combined is rounded otherwise.
    """
    if spec.algorithm.share:
        programs = problem.batch * problem.heads_kv * ceil_div(problem.seqlen_k, spec.algorithm.tile_n)
        return tuple(Launch(num_splits=n) for n in PARTS if n == PARTS[0] or programs * n <= 3 * device.units)
    if problem.family != "fwd_splitkv":
        return (Launch(),)
    if problem.num_splits is None and problem.summation != ANY:
        return (Launch(num_splits=max(2, min(MAX_CHUNKS, ceil_div(problem.seqlen_k, CHUNK))), blocks=(CHUNK,)),)
    if problem.num_splits is not None:
        return (Launch(num_splits=problem.num_splits),)
    a = spec.algorithm
    blocks = problem.batch * lanes(problem, a) * row_blocks(problem, a)
    key_blocks = ceil_div(problem.seqlen_k, a.tile_n)
    room = device.units * resident(spec)
    best = choose_splits(blocks, room, key_blocks)
    near = {n for n in SPLITS if n <= key_blocks and 0.4 * room <= blocks * n <= 3 * room}
    return tuple(Launch(num_splits=n) for n in sorted({1, best, *near}))


@kept_by_kernel
def resident(spec: KernelSpec) -> int:
    """Return the programs that share one multiprocessor, by shared memory and threads."""
    arch, a, s = get_arch(spec.arch), spec.algorithm, spec.signature
    if not isinstance(arch, NvidiaArch):
        return 2
    shared = forward_shared_bytes(s, a, a.stages) + 1024
    accumulators = a.tile_m * (padded(s.hdim_v) + a.tile_n) // (32 * a.warps)
    registers = min(255, accumulators + 90) * 32 * a.warps
    return int(max(1, min(arch.smem_per_sm_bytes // shared, arch.registers_per_sm // registers, 8)))
