"""Rings of stages in shared memory, between the warp that copies and the groups of warps that multiply.

Position p of a ring is stage p % STAGES. A stage has two barriers: `full`, which the copies complete, and `empty`, at
which every group arrives that is done with it. A barrier tells two phases apart and no more, so both sides walk
through the positions in the same order.
"""

from __future__ import annotations

from triton.experimental import gluon
from triton.experimental.gluon import language as gl
from triton.experimental.gluon.language import _core
from triton.experimental.gluon.language.nvidia.hopper import mbarrier


@gluon.jit
def stages_of(desc, STAGES: gl.constexpr):
    """Shared memory for STAGES blocks of a tensor map."""
    return gl.allocate_shared_memory(desc.dtype, [STAGES] + desc.block_type.shape, desc.layout)  # noqa: RUF005


@gluon.jit
def barriers(NUMBER: gl.constexpr, COUNT: gl.constexpr):
    """Barriers that COUNT arrivals complete."""
    made = gl.allocate_shared_memory(gl.int64, [NUMBER, 1], mbarrier.MBarrierLayout())
    for i in gl.static_range(NUMBER):
        mbarrier.init(made.index(i), count=COUNT)
    return made


@gluon.jit
def stage_barriers(STAGES: gl.constexpr, COUNT: gl.constexpr):
    """(full, empty) of every stage, which COUNT arrivals empty."""
    full = gl.allocate_shared_memory(gl.int64, [STAGES, 1], mbarrier.MBarrierLayout())
    empty = gl.allocate_shared_memory(gl.int64, [STAGES, 1], mbarrier.MBarrierLayout())
    for i in gl.static_range(STAGES):
        mbarrier.init(full.index(i), count=1)
        mbarrier.init(empty.index(i), count=COUNT)
    return full, empty


@gluon.jit
def wait_full(full, position, STAGES: gl.constexpr):
    """The stage of `position`, once it has been filled."""
    stage = position % STAGES
    mbarrier.wait(full.index(stage), (position // STAGES) & 1)
    return stage


@gluon.jit
def wait_empty(empty, position, STAGES: gl.constexpr):
    """The stage of `position`, once all groups are done with what it held before; the first round waits for nobody."""
    stage = position % STAGES
    mbarrier.wait(empty.index(stage), ((position // STAGES) & 1) ^ 1)
    return stage


@gluon.jit
def begin(full, empty, position, BYTES: gl.constexpr, STAGES: gl.constexpr):
    """(stage, its barrier) of `position`, ready to be filled by copies of BYTES in all."""
    stage = wait_empty(empty, position, STAGES)
    ready = full.index(stage)
    mbarrier.expect(ready, BYTES)
    return stage, ready


# (warps, registers of a thread) of each group beside the first, which has the warps of the kernel.
OTHER_GROUPS = {1: (), 2: ((4, 240),), 3: ((4, 160), (4, 160))}


@_core.builtin
def specialize(produce, given, consume, taken, consumers, registers, _semantic=None, _generator=None):
    """Run `consume(which, *taken)` in each of `consumers` groups of warps, beside `produce(*given)` in one warp whose
    threads have `registers`. The compiler's own function, which takes its arguments as they are, absent ones too."""
    consumers, registers = (_core._unwrap_if_constexpr(n) for n in (consumers, registers))
    groups = [(consume, (gl.constexpr(which), *taken)) for which in range(consumers)]
    workers = (*OTHER_GROUPS[consumers], (1, registers))
    _semantic.warp_specialize([*groups, (produce, given)], [w for w, _ in workers], [r for _, r in workers], _generator)
