"""The launches of a CPU attention: how many parts of the keys are worth it (`features` has what each costs)."""

from __future__ import annotations

from math import ceil

from ....arch import get_arch
from ....model.arch import CpuArch
from ....model.device import Device
from ....model.kernel import KernelSpec, Launch
from ....model.summation import ANY
from ....ops.fmha.problem import FmhaProblem
from ....ops.fmha.work import choose_splits
from .summation import EQUAL_ROWS

SPLIT_KEYS = 96  # parts of the keys are cut at multiples of this


def launches(spec: KernelSpec, problem: FmhaProblem, device: Device) -> tuple[Launch, ...]:
    """Return the number of splits of the keys: as the problem says, or as many as occupy every thread.

    For an order of summation that does not depend on the batch there is one part, unless the problem says otherwise.
    """
    if problem.family == "fwd_appendkv" or spec.algorithm.inner == "amx":
        return (Launch(),)
    equal_rows = EQUAL_ROWS if problem.summation != ANY else ()
    if problem.num_splits is not None or equal_rows:
        return (Launch(num_splits=problem.num_splits or 1, blocks=equal_rows),)
    blocks = _blocks(spec, problem)
    if problem.family == "bwd":  # a thread owns a part of the keys of a head, or of all heads if they share a bias
        blocks = 1 if problem.dbias else problem.batch * problem.heads_kv
    count = choose_splits(blocks, device.threads, ceil(problem.seqlen_k / SPLIT_KEYS))
    return (Launch(num_splits=count),) if count > 1 else (Launch(),)


def _row_blocks(spec: KernelSpec, p: FmhaProblem) -> int:
    """Return the blocks of rows of one key head."""
    arch = get_arch(spec.arch)
    assert isinstance(arch, CpuArch)
    block, group = int(spec.algorithm.row_vectors) * arch.lanes, p.heads_q // max(p.heads_kv, 1)
    if p.seqlen_q >= block:
        return group * ceil(p.seqlen_q / block)
    return ceil(group / max(1, block // max(p.seqlen_q, 1)))


def _blocks(spec: KernelSpec, p: FmhaProblem) -> int:
    """Return the blocks that threads can take."""
    return max(1, p.batch * p.heads_kv * _row_blocks(spec, p))
