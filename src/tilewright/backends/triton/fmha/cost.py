"""How long an attention takes on a GPU: matrix units, exponentials and bytes of the busiest wave, and the launches.

Rates are shares of the device's peak; they were set beside the times in `benchmarks/results/fmha_gpu.jsonl`
(`benchmarks/gpu/fmha_gpu.py`).
"""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil

from ....arch import get_arch
from ....model.arch import NvidiaArch
from ....model.device import Device
from ....model.dtype import get_dtype
from ....model.kernel import Candidate, KernelSpec, Launch, kept_by_kernel
from ....ops.fmha.problem import FmhaProblem
from ....ops.fmha.work import bytes_moved, choose_splits, split_workspace, visible_pairs
from .algorithm import TritonFmha, forward_shared_bytes, padded
from .bind import ceil_div, lanes, row_blocks
from .hopper_backward import blocks_per_item

CLOCK_MHZ, BANDWIDTH_GBPS = 1500.0, 1500.0  # where the device does not say
LAUNCH, PROGRAM = 3e-6, 1.5e-6  # seconds of a launch, and of a program's start and end
MATRIX = 0.57  # share of the peak that a long walk reaches
MEMORY = 0.9  # share of the bandwidth
MOST_DRAWN, PAGED_DRAWN = 1.5, 1.05  # how much of its share of the bandwidth a multiprocessor can draw
IN_FLIGHT = 45_000  # bytes that a multiprocessor must ask for at a time to draw its share of the bandwidth
EXPONENTIALS = 16.0  # of the special function units, per cycle and multiprocessor
BLOCK_CYCLES, TILE = 150.0, 0.8e-6  # of the Hopper forward pass: beside the work of a block; of a tile
BACKWARD_MATRIX, BACKWARD_BLOCK = 0.63, (1e-6, 4.5e-6)  # Hopper backward; seconds of a block of keys, with a mask
SPLITS = (2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128)


def launches(spec: KernelSpec, problem: FmhaProblem, device: Device) -> Sequence[Launch]:
    """Numbers of splits: as given, else one, and those that fill the GPU one to three times."""
    if problem.family != "fwd_splitkv":
        return (Launch(),)
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
    """Programs that share one multiprocessor, by shared memory and threads."""
    arch, a, s = get_arch(spec.arch), spec.algorithm, spec.signature
    if not isinstance(arch, NvidiaArch):
        return 2
    shared = forward_shared_bytes(s, a, a.stages) + 1024
    accumulators = a.tile_m * (padded(s.hdim_v) + a.tile_n) // (32 * a.warps)
    registers = min(255, accumulators + 90) * 32 * a.warps
    return int(max(1, min(arch.smem_per_sm_bytes // shared, arch.registers_per_sm // registers, 8)))


def predict(candidate: Candidate, problem: FmhaProblem, device: Device) -> float:
    """Predicted seconds of all launches of one attention."""
    p, spec, splits = problem, candidate.spec, candidate.launch.num_splits
    bandwidth = MEMORY * (device.bandwidth_gbps or BANDWIDTH_GBPS) * 1e9
    if p.family == "fwd_appendkv":
        return LAUNCH + bytes_moved(p) / bandwidth
    a = spec.algorithm
    if a.pipeline == "hopper":
        return (_hopper_backward if p.family == "bwd" else _hopper_forward)(p, a, device)
    factor = 3.5 if p.family == "bwd" else 1.0  # seven products in two walks, where the forward pass has two
    programs = max(1, p.batch * lanes(p, a) * row_blocks(p, a) * splits)
    room = device.units * resident(spec)
    block = _block_cycles(spec) / ((device.clock_mhz or CLOCK_MHZ) * 1e6)
    compute = factor * block * _pair_blocks(p, a) / min(programs, device.units)
    if p.family == "bwd":  # four of the seven products belong to programs for blocks of keys, of which there may be few
        key_programs = max(1, p.batch * p.heads_kv * ceil_div(p.seqlen_k, a.tile_n))
        compute *= 3 / 7 + 4 / 7 * max(1.0, min(programs, device.units) / key_programs)
    waves = ceil(programs / room) * room / max(programs, room)
    memory = bytes_moved(p) / bandwidth
    alone = _drawn(spec, p, programs, device)
    combined = 2 * split_workspace(p, splits) / bandwidth + LAUNCH if splits > 1 else 0.0
    further = 2 * LAUNCH if p.family == "bwd" else 0.0
    rounds = ceil(programs / room) * PROGRAM * (1.0 if p.mask == "none" else 2.0)  # masked blocks come last
    return max(compute * waves, memory * _reread(p, a) / alone) + rounds + LAUNCH + combined + further


def _drawn(spec: KernelSpec, p: FmhaProblem, programs: int, device: Device) -> float:
    """The share of the bandwidth that the bytes in flight of all programs draw."""
    a = spec.algorithm
    ring = max(0.5, a.stages - 1.5) * a.tile_n * (padded(p.hdim_q) + padded(p.hdim_v)) * get_dtype(p.dtype).bytes
    each = min(programs / device.units, float(resident(spec)))
    return float(min(1.0, each * min(PAGED_DRAWN if p.page_size else MOST_DRAWN, ring / IN_FLIGHT)))


def _reread(p: FmhaProblem, a: TritonFmha) -> float:
    """How often keys are read by heads that share them, as far as caches do not help."""
    group = p.heads_q // max(p.heads_kv, 1)
    return 1.0 if a.pack or group == 1 else 1.0 + 0.25 * (group - 1)


def _pair_blocks(p: FmhaProblem, a: TritonFmha) -> float:
    """Blocks of rows by keys that are computed: the visible ones, with the waste of partly filled blocks."""
    rows = row_blocks(p, a) * a.tile_m / max(p.seqlen_q * (p.heads_q // max(p.heads_kv, 1) if a.pack else 1), 1)
    diagonal = 1.0 + (0.5 * (a.tile_m + a.tile_n) / max(p.seqlen_k, 1) if p.mask != "none" else 0.0)
    keys = ceil_div(p.seqlen_k, a.tile_n) * a.tile_n / max(p.seqlen_k, 1)
    return visible_pairs(p) * p.heads_q * rows * keys * diagonal / (a.tile_m * a.tile_n)


@kept_by_kernel
def _block_cycles(spec: KernelSpec) -> float:
    """One block of rows by keys on one multiprocessor: products, then exponentials that only partly hide."""
    a, p, arch = spec.algorithm, spec.signature, get_arch(spec.arch)
    width = get_dtype(p.dtype).bits
    peak = 2048.0 if arch.name == "sm_90" else 1024.0  # multiply-adds per cycle of 16-bit operands
    rate = peak * (0.03 if width == 32 and a.precision == "ieee" else 0.5 if width == 32 else 1.0)
    # Two programs of a multiprocessor hide each other's exponentials; two stages wait for memory.
    alone = {1: 0.87, 2: 1.0}.get(resident(spec), 1.04)
    stages = {1: 0.6, 2: 0.78}.get(a.stages, 1.0)
    shape = min(1.0, a.tile_m / 64) ** 0.5 * min(1.0, a.tile_n / 64) ** 0.25 * (1.0 if a.aligned else 0.4)
    per_thread = a.tile_m * (padded(p.hdim_v) + a.tile_n) // (32 * a.warps)
    spill = 0.6 if per_thread > 160 else 1.0
    maps = (1.03 if padded(p.hdim_q) > 64 else 0.97) if a.pipeline == "tma" else 1.0
    share = MATRIX * alone * stages * shape * spill * maps
    products = a.tile_m * a.tile_n * (padded(p.hdim_q) + padded(p.hdim_v)) / (rate * share)
    powers = a.tile_m * a.tile_n / (0.8 * EXPONENTIALS * alone)
    return float(max(products, powers) + 0.35 * min(products, powers))


def _hopper_forward(p: FmhaProblem, a: TritonFmha, device: Device) -> float:
    """Tiles of the busiest multiprocessor. Products and exponentials of different groups overlap, but latencies are
    left: the sum of both is what a block takes."""
    clock, bandwidth = (device.clock_mhz or CLOCK_MHZ) * 1e6, (device.bandwidth_gbps or BANDWIDTH_GBPS) * 1e9
    width, area = padded(p.hdim_q) + padded(p.hdim_v), a.tile_m * a.tile_n
    three = a.tile_m > 128  # groups of warps: more to do while one waits
    block = (area * width / 2048.0 + area / EXPONENTIALS * (0.9 if three else 1.0) + BLOCK_CYCLES) / clock
    tiles = p.batch * p.heads_q * row_blocks(p, a)
    begin = TILE * (1.5 if three else 1.0)
    if p.mask == "none":
        seconds = ceil(tiles / device.units) * (ceil_div(p.seqlen_k, a.tile_n) * block + begin)
    else:  # tiles are drawn, the longest first; more blocks of 192 rows than of 128 are partly masked
        begin *= 2.5 if three else 1.7
        seconds = (_pair_blocks(p, a) * block + tiles * begin) / device.units
        seconds = max(seconds, ceil_div(p.seqlen_k, a.tile_n) * block + begin)
    seconds *= _hopper_habits(p, a)
    return float(max(seconds, bytes_moved(p) / (MEMORY * bandwidth)) + LAUNCH)


def _hopper_habits(p: FmhaProblem, a: TritonFmha) -> float:
    """What was seen beside the model: turns help short walks, a deep ring those of narrow heads with a mask."""
    turns = 0.99 if (p.seqlen_k <= 2048) == a.turns else 1.0
    deep = 0.98 if (p.mask != "none") == (a.stages > 2) else 1.0
    return turns * deep


def _hopper_backward(p: FmhaProblem, a: TritonFmha, device: Device) -> float:
    """Five products for each block on the busiest multiprocessor, and a pass over the rows before and after."""
    d = padded(p.hdim_q)
    clock, bandwidth = (device.clock_mhz or CLOCK_MHZ) * 1e6, (device.bandwidth_gbps or BANDWIDTH_GBPS) * 1e9
    programs = p.batch * p.heads_kv * ceil_div(p.seqlen_k, a.tile_n)
    share = BACKWARD_MATRIX * (1.0 if d > 64 else 0.8) * (1.0 if a.tile_m * d >= 64 * 128 else 0.85)
    block = 5 * a.tile_m * a.tile_n * d / (2048.0 * share) / clock
    walk = _pair_blocks(p, a) / programs * block + BACKWARD_BLOCK[p.mask != "none"]
    each = blocks_per_item(p.mask)
    waves = each * ceil(programs / each / device.units)
    rows = p.batch * p.heads_q * ceil_div(p.seqlen_q, a.tile_m) * a.tile_m
    passes = rows * d * (3 * get_dtype(p.dtype).bytes + 8) / (MEMORY * bandwidth)
    return float(waves * walk + passes + 3 * LAUNCH)
