"""Starting a kernel: arguments, initial registers, batches of workgroups."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np

from ..arch import get_arch
from ..errors import KernelArgumentError, UnsupportedInstructionError
from .assembly import Kernel
from .counts import Tally
from .global_memory import SCRATCH_BASE
from .isa import EXEC, TTMP
from .machine import Batch, Machine, Trace
from .memory import Memory
from .numeric import U32
from .program import Program, Programs
from .races import GlobalShadow
from .report import Findings, Report
from .state import Waves

STEP_LIMIT = 50_000_000
MAX_REGISTER_BYTES = 1 << 28  # of one batch of workgroups in lockstep
KERNARG_SLACK = 64  # scalar loads may read past the last argument, within its cache line
PROGRAMS = Programs()


@dataclass(frozen=True)
class Shape:
    """Grid (in workgroups) and block (in work items)."""

    grid: tuple[int, int, int]
    block: tuple[int, int, int]

    @property
    def threads(self) -> int:
        """Work items of a workgroup."""
        return prod(self.block)


def shape_of(kernel: Kernel, grid: Sequence[int], block: Sequence[int]) -> Shape:
    """Return a checked shape; missing dimensions are 1."""
    found = []
    for name, sizes in (("grid", grid), ("block", block)):
        numbers = [int(s) for s in sizes]
        if not 1 <= len(numbers) <= 3 or any(n < 1 for n in numbers):
            raise KernelArgumentError(f"{name} {tuple(sizes)} is not one to three positive sizes", kernel=kernel.name)
        found.append(tuple([*numbers, 1, 1][:3]))
    shape = Shape(found[0], found[1])  # type: ignore[arg-type]
    most = int(kernel.metadata.get(".max_flat_workgroup_size", 1024))
    if shape.threads > most:
        raise KernelArgumentError(
            f"a block of {shape.threads} work items; kernel {kernel.name} was compiled for at most {most}",
            kernel=kernel.name, remedy="use a smaller block",
        )  # fmt: skip
    return shape


def _check_mode(kernel: Kernel) -> None:
    """Raise an error if a kernel starts in a mode that is not emulated."""
    for name, usual in {"float_round_mode_32": 0, "float_round_mode_16_64": 0, "dx10_clamp": 1}.items():
        got = kernel.number(name, usual)
        if got != usual:
            raise UnsupportedInstructionError(
                f"kernel {kernel.name} starts with {name} {got}; the emulator knows only {usual}",
                kernel=kernel.name, remedy="compile another variant of the kernel",
            )  # fmt: skip


def _check_lds(kernel: Kernel, dynamic_lds: int) -> None:
    """Raise an error if a workgroup asks for more LDS than it can have."""
    arch: Any = get_arch(kernel.isa.name)
    got = kernel.lds_bytes + dynamic_lds
    if dynamic_lds < 0 or got > arch.lds_bytes:
        raise KernelArgumentError(
            f"{got:,} bytes of LDS, of which {dynamic_lds:,} are dynamic; a workgroup of {arch.name} has"
            f" {arch.lds_bytes:,}",
            kernel=kernel.name, remedy="use less dynamic LDS",
        )  # fmt: skip


def launch(
    kernel: Kernel, memory: Memory, kernarg: bytes, grid: Sequence[int], block: Sequence[int], *,
    dynamic_lds: int = 0, sanitize: bool = False, step_limit: int = STEP_LIMIT, tally: Tally | None = None,
    trace: Trace | None = None,
) -> Report:  # fmt: skip
    """Execute a kernel on emulated memory. `kernarg` holds the bytes of its explicit arguments, as a driver packs them.

    Hidden arguments are filled in. With `sanitize`, faults are collected in the report; without, the first one that a
    GPU would not survive is raised. A `tally` counts what is executed. `trace` is called with a line for each
    instruction.
    """
    shape = shape_of(kernel, grid, block)
    _check_lds(kernel, dynamic_lds)
    _check_mode(kernel)
    started = time.perf_counter()
    program = PROGRAMS.get(kernel, sanitize) if trace is None else Program(kernel, sanitize, traced=True)
    findings = Findings(kernel)
    lanes = kernel.wave_size
    waves = -(-shape.threads // lanes)
    raw = fill_hidden(kernel, kernarg, shape, dynamic_lds)
    address = memory.allocate(np.concatenate([raw, np.zeros(KERNARG_SLACK, np.uint8)]))
    packet = memory.allocate(_packet(shape))
    constants = memory.allocate(np.frombuffer(kernel.constants or b"\0", np.uint8).copy())
    for place, goal in kernel.relocations:
        memory.write(constants + place, (constants + goal).to_bytes(8, "little"))
    report = Report(kernel.name, sanitize)
    shadow: GlobalShadow | None = None
    try:
        for first, ids in _batches(kernel, shape, waves):
            batch = Batch(first, len(ids), prod(shape.grid), waves, kernel.lds_bytes + dynamic_lds)
            left = max(1, step_limit - report.instructions)
            machine = Machine(program, memory, findings, batch, left, shadow, tally)
            machine.constants_at, machine.trace = constants, trace
            shadow = machine.globals.shadow  # workgroups of two batches can race, too
            with np.errstate(all="ignore"):
                machine.run(_initial(machine, shape, ids, address, packet, raw))
            report.instructions += machine.instructions
            report.wave_instructions += machine.wave_instructions
    finally:
        for piece in (address, packet, constants):
            memory.free(piece)
    report.findings = findings.listed()
    report.seconds = time.perf_counter() - started
    return report


def _batches(kernel: Kernel, shape: Shape, waves: int) -> list[tuple[int, Any]]:
    """Return (number of the first workgroup, ids [n, 3]) of each batch that executes in lockstep."""
    x, y, z = shape.grid
    total = x * y * z
    number = np.arange(total)
    ids = np.stack([number % x, number // x % y, number // (x * y)], -1).astype(U32)
    registers = kernel.vector_registers + kernel.accumulation_registers
    size = max(1, MAX_REGISTER_BYTES // (registers * 4 * kernel.wave_size * waves))
    return [(first, ids[first : first + size]) for first in range(0, total, size)]


HIDDEN: dict[str, Callable[[Shape, int], int]] = {
    "hidden_block_count_x": lambda s, d: s.grid[0],
    "hidden_block_count_y": lambda s, d: s.grid[1],
    "hidden_block_count_z": lambda s, d: s.grid[2],
    "hidden_group_size_x": lambda s, d: s.block[0],
    "hidden_group_size_y": lambda s, d: s.block[1],
    "hidden_group_size_z": lambda s, d: s.block[2],
    "hidden_grid_dims": lambda s, d: 3 if s.grid[2] * s.block[2] > 1 else 2 if s.grid[1] * s.block[1] > 1 else 1,
    "hidden_dynamic_lds_size": lambda s, d: d,
}


def fill_hidden(kernel: Kernel, kernarg: bytes, shape: Shape, dynamic_lds: int) -> Any:
    """Return the whole argument segment: explicit bytes, and the hidden arguments that describe the launch."""
    raw = np.zeros(max(kernel.kernarg_bytes, 1), np.uint8)
    explicit = max((a.offset + a.size for a in kernel.arguments if not a.hidden), default=kernel.kernarg_bytes)
    if len(kernarg) > kernel.kernarg_bytes or (kernel.arguments and len(kernarg) < explicit):
        raise KernelArgumentError(
            f"{len(kernarg)} bytes of arguments; kernel {kernel.name} takes {explicit}", kernel=kernel.name,
            remedy="pack the arguments as the metadata lays them out",
        )  # fmt: skip
    raw[: len(kernarg)] = np.frombuffer(kernarg, np.uint8)
    for a in kernel.arguments:
        if a.hidden:
            value = HIDDEN[a.kind](shape, dynamic_lds) if a.kind in HIDDEN else 0
            raw[a.offset : a.offset + a.size] = np.frombuffer(value.to_bytes(a.size, "little"), np.uint8)
    return raw


def _packet(shape: Shape) -> Any:
    """Return the dispatch packet, of which kernels read the sizes of block and grid."""
    packet = np.zeros(64, np.uint8)
    packet[4:10] = np.array(shape.block, np.uint16).view(np.uint8)
    sizes = [g * b for g, b in zip(shape.grid, shape.block, strict=True)]
    packet[12:24] = np.array(sizes, U32).view(np.uint8)
    return packet


class _Scalars:
    """Sets scalar registers one after the other, and remembers which."""

    def __init__(self, st: Waves) -> None:
        self.st, self.next = st, 0
        self.set: set[int] = set()

    def put(self, *words: Any) -> None:
        for word in words:
            self.st.scalars[:, self.next] = word
            self.set.add(self.next)
            self.next += 1

    def address(self, value: int) -> None:
        self.put(value & 0xFFFFFFFF, value >> 32)


def _initial(machine: Machine, shape: Shape, ids: Any, kernarg: int, packet: int, raw: Any) -> Waves:
    """Return the registers as the hardware sets them at the start of a wave."""
    kernel, lanes = machine.kernel, machine.kernel.wave_size
    waves = machine.per_workgroup
    st = Waves(kernel.vector_registers, kernel.accumulation_registers, len(ids) * waves, lanes)
    scalars = _Scalars(st)
    _user_scalars(kernel, scalars, kernarg, packet, raw)
    _system_scalars(kernel, scalars, np.repeat(ids, waves, axis=0))
    item = np.tile(np.arange(waves), len(ids))[:, None] * lanes + np.arange(lanes)
    x, y, _ = shape.block
    place = [item % x, item // x % y, item // (x * y)]
    vectors = 1
    if kernel.isa.packed_ids:
        st.v[0][:] = place[0] | (place[1] << 10) | (place[2] << 20)
    else:
        vectors = min(st.vectors, 1 + kernel.number("system_vgpr_workitem_id"))
        for register in range(vectors):
            st.v[register][:] = place[register]
    alive = np.packbits(item < shape.threads, axis=1, bitorder="little").view(U32)
    st.limited[:] = kernel.number("fp16_overflow")
    st.scalars[:, EXEC : EXEC + alive.shape[1]] = alive
    if alive.shape[1] == 1:
        st.scalars[:, EXEC + 1] = 0
    st.set_exec()
    if machine.sanitize:
        machine.sanitizer.track(st, scalars.set, vectors)
    return st


def _user_scalars(kernel: Kernel, scalars: _Scalars, kernarg: int, packet: int, raw: Any) -> None:
    def has(name: str) -> bool:
        return kernel.number(f"user_sgpr_{name}") != 0

    if has("private_segment_buffer"):
        scalars.address(SCRATCH_BASE)
        scalars.put(0xFFFFFFFF, 0x00E00000)
    if has("dispatch_ptr"):
        scalars.address(packet)
    if has("queue_ptr"):
        scalars.address(0)
    if has("kernarg_segment_ptr"):
        scalars.address(kernarg)
    if has("dispatch_id"):
        scalars.address(0)
    if has("flat_scratch_init"):
        scalars.address(0)
    if has("private_segment_size"):
        scalars.put(kernel.number("private_segment_fixed_size"))
    words = np.concatenate([raw, np.zeros(-raw.size % 4, np.uint8)]).view(U32)
    start = kernel.number("user_sgpr_kernarg_preload_offset")
    for word in range(start, start + kernel.number("user_sgpr_kernarg_preload_length")):
        scalars.put(int(words[word]) if word < len(words) else 0)
    scalars.next = max(scalars.next, kernel.number("user_sgpr_count", scalars.next))


def _system_scalars(kernel: Kernel, scalars: _Scalars, ids: Any) -> None:
    if kernel.isa.ids_in_ttmp:
        scalars.st.scalars[:, TTMP + 9] = ids[:, 0]
        scalars.st.scalars[:, TTMP + 7] = ids[:, 1] | (ids[:, 2] << 16)
        scalars.set |= {TTMP + 7, TTMP + 9}
        return
    for axis, name in enumerate("xyz"):
        if kernel.number(f"system_sgpr_workgroup_id_{name}", int(axis == 0)):
            scalars.put(ids[:, axis])
    if kernel.number("system_sgpr_workgroup_info"):
        scalars.put(0)
    if kernel.number("enable_private_segment", kernel.number("system_sgpr_private_segment_wavefront_offset")):
        scalars.put(0)
