"""How long a CPU attention takes: the products over whole blocks of rows, the exponentials, or the bytes."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil
from typing import Any

from ....arch import get_arch
from ....model.arch import X86Arch
from ....model.device import Device
from ....model.kernel import Candidate, KernelSpec, Launch

CLOCK_MHZ, BANDWIDTH_GBPS = 2500.0, 10.0  # where the machine does not say
EFFICIENCY = 0.7  # of the peak multiply-adds
EXP_FLOPS = 24  # what an exponential and the steps around it cost beside a multiply-add
LAUNCH_SECONDS = 3e-6


def launches(spec: KernelSpec, problem: Any, device: Device) -> Sequence[Launch]:
    """All threads of the device; nothing else is left to the launch."""
    return (Launch(),)


def predict(candidate: Candidate, problem: Any, device: Device) -> float:
    """Predicted seconds of one launch."""
    arch = get_arch(device.arch)
    assert isinstance(arch, X86Arch)
    block = candidate.spec.algorithm.row_vectors * arch.vector_bits // 32
    group = problem.heads_q // max(problem.heads_kv, 1)
    used, whole = _rows(problem.seqlen_q, group, block)
    threads = min(candidate.launch.threads or device.threads, max(1, problem.batch * problem.heads_kv))
    rate = arch.ops_per_cycle.get("fp32", 32.0) * (device.clock_mhz or CLOCK_MHZ) * 1e6 * threads * EFFICIENCY
    pairs = problem.flops / (2 * (problem.hdim_q + problem.hdim_v))
    operations = problem.flops + pairs * EXP_FLOPS
    compute = operations * whole / max(used, 1) / max(rate, 1.0)
    passes = max(1, ceil(used / block))  # K and V are read once for each block of rows, from the cache if they fit
    memory = problem.bytes / ((device.bandwidth_gbps or BANDWIDTH_GBPS * threads) * 1e9)
    return float(max(compute, memory) + 0.02 * passes * memory + LAUNCH_SECONDS)


def _rows(rows: int, group: int, block: int) -> tuple[int, int]:
    """Rows of one key head, and rows of its blocks."""
    if rows >= block:
        return rows * group, group * ceil(rows / block) * block
    heads = max(1, block // max(rows, 1))
    return rows * group, ceil(group / heads) * block
