"""How long a CPU attention takes: the products over whole blocks of rows and the exponentials, or the bytes; and into
how many parts the keys are worth splitting."""

from __future__ import annotations

from math import ceil

from ....arch import get_arch
from ....model.arch import CpuArch
from ....model.device import Device
from ....model.kernel import Candidate, KernelSpec, Launch
from ....ops.fmha.problem import FmhaProblem
from ....ops.fmha.work import choose_splits, split_workspace

CLOCK_MHZ, BANDWIDTH_GBPS = 2500.0, 10.0  # where the machine does not say
EFFICIENCY = {"fma": 0.6, "amx": 0.45}  # of the peak of the products
EXP_FLOPS = 40  # what an exponential and the steps around it cost, in flops of fp32 vector code
PACK_FLOPS = 24  # for each element of K and V that is packed into tiles
TILE_ROWS = 32  # rows of AMX kernels that are computed together
SINGLE_ROW = 3  # what one row with lanes along the keys costs beside a row of a full block
BEGIN_CYCLES = 300  # to set up each register of rows of a block
SPLIT_KEYS = 96  # parts of the keys are cut at multiples of this
LAUNCH_SECONDS = 3e-6


def predict(candidate: Candidate, problem: FmhaProblem, device: Device) -> float:
    """Predicted seconds of one launch."""
    threads = min(candidate.launch.threads or device.threads, _blocks(candidate.spec, problem) * _splits(candidate))
    memory = problem.bytes / ((device.bandwidth_gbps or BANDWIDTH_GBPS * threads) * 1e9)
    if problem.family == "fwd_appendkv":
        return float(memory + LAUNCH_SECONDS)
    clock = (device.clock_mhz or CLOCK_MHZ) * 1e6 * max(threads, 1)
    compute = _compute_cycles(candidate.spec, problem) / clock
    begin = BEGIN_CYCLES * _blocks(candidate.spec, problem) * candidate.spec.algorithm.row_vectors / clock
    passes = _row_blocks(candidate.spec, problem)  # K and V are read by each block of rows, from the cache if they fit
    written = split_workspace(problem, _splits(candidate)) if _splits(candidate) > 1 else 0
    combine = written / (BANDWIDTH_GBPS * 1e9)
    return float(max(compute, memory) + 0.02 * passes * memory + begin + combine + LAUNCH_SECONDS)


def launches(spec: KernelSpec, problem: FmhaProblem, device: Device) -> tuple[Launch, ...]:
    """The number of splits of the keys: as the problem says, or as many as occupy every thread."""
    if problem.family == "fwd_appendkv" or spec.algorithm.inner == "amx":
        return (Launch(),)
    if problem.num_splits is not None:
        return (Launch(num_splits=problem.num_splits),)
    blocks = _blocks(spec, problem)
    if problem.family == "bwd":  # a thread owns a part of the keys of a head, or of all heads if they share a bias
        blocks = 1 if problem.dbias else problem.batch * problem.heads_kv
    count = choose_splits(blocks, device.threads, ceil(problem.seqlen_k / SPLIT_KEYS))
    return (Launch(num_splits=count),) if count > 1 else (Launch(),)


def _splits(candidate: Candidate) -> int:
    return candidate.launch.num_splits


def _lanes(spec: KernelSpec) -> int:
    arch = get_arch(spec.arch)
    assert isinstance(arch, CpuArch)
    return arch.lanes


def _row_blocks(spec: KernelSpec, p: FmhaProblem) -> int:
    """Blocks of rows of one key head."""
    block, group = int(spec.algorithm.row_vectors) * _lanes(spec), p.heads_q // max(p.heads_kv, 1)
    if p.seqlen_q >= block:
        return group * ceil(p.seqlen_q / block)
    return ceil(group / max(1, block // max(p.seqlen_q, 1)))


def _blocks(spec: KernelSpec, p: FmhaProblem) -> int:
    """Blocks that threads can take."""
    return max(1, p.batch * p.heads_kv * _row_blocks(spec, p))


def _compute_cycles(spec: KernelSpec, p: FmhaProblem) -> float:
    """Cycles of one thread for the products, the exponentials and packing."""
    arch, inner = get_arch(spec.arch), spec.algorithm.inner
    assert isinstance(arch, CpuArch)
    vector = arch.ops_per_cycle.get("fp32", 32.0)
    rate = (vector if inner == "fma" else arch.ops_per_cycle.get("bf16", 32.0)) * EFFICIENCY[inner]
    padding = _padding(spec, p)
    pairs = p.flops / max(2 * (p.hdim_q + p.hdim_v) * (2.5 if p.family == "bwd" else 1.0), 1.0)
    packed = p.batch * p.heads_kv * p.seqlen_k * (p.hdim_q + p.hdim_v) if inner == "amx" else 0
    return float(padding * (p.flops / rate + EXP_FLOPS * pairs / vector) + PACK_FLOPS * packed / vector)


def _padding(spec: KernelSpec, p: FmhaProblem) -> float:
    """Rows that are computed over rows that there are."""
    a, group = spec.algorithm, p.heads_q // max(p.heads_kv, 1)
    if a.inner == "fma" and p.seqlen_q * group == 1:
        return SINGLE_ROW
    block = a.row_vectors * _lanes(spec) if a.inner == "fma" else TILE_ROWS
    if p.seqlen_q >= block:
        return ceil(p.seqlen_q / block) * block / p.seqlen_q
    heads = max(1, block // max(p.seqlen_q, 1))
    return ceil(group / heads) * block / max(p.seqlen_q * group, 1)
