"""The device kernels of one spec: CK fixes at compile time whether the main loop runs and how it ends.

The number of steps along k determines which of them serves a problem (`instance_of`). A split of K adds with atomics,
so it is a separate kernel.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import ceil

from ....errors import SpecError
from ....model.arch import AmdArch
from ....model.kernel import KernelSpec
from ....model.locks import cached_property
from ....ops.gemm.signature import GemmSignature
from ...cpp_text import CppText, cpp, cpp_identifier
from ...gpu.kernel_counts import amd_arch
from .algorithm import CkTileGemm
from .geometry import element_bytes, threads, unpaired
from .rules.types import BARE_OUTPUTS

IN_FLIGHT_BYTES = 32768  # bytes that the pipeline "mem" keeps in flight from memory
MAX_STAGES = 8
ALWAYS_HOT = ("compv5", "preshufflev2")
STAGES = {"compv6": 3, "comp_async": 3}  # steps that are prefetched; 2 in others, and "mem" as many as it takes
NUMBERS = ("Zero", "One", "Two", "Three", "Four", "Five", "Six", "Seven")


@dataclass(frozen=True)
class Instance:
    """One device kernel: `hot` with a main loop, `tail` how the loop ends, `atomic` if it adds a split of K.

    It serves numbers of steps that leave `rest` when divided by `period`.

    >>> Instance(True, "Full").name
    'hot_full_set'
    """

    hot: bool
    tail: str
    atomic: bool = False

    period: int = 1
    rest: int = 0

    @cached_property
    def name(self) -> CppText:
        """The C++ name of the kernel's struct."""
        return cpp_identifier(f"{'hot' if self.hot else 'cold'}_{self.tail.lower()}_{'add' if self.atomic else 'set'}")

    @property
    def ending(self) -> CppText:
        """CK's name of how the loop ends."""
        return cpp("ck_tile::TailNumber::{}", cpp_identifier(self.tail))


def instances(spec: KernelSpec) -> tuple[Instance, ...]:
    """Return every device kernel of a spec, the one for long K first.

    >>> from tilewright.backends.ck_tile.gemm import preselected_kernels
    >>> [i.name for i in instances(preselected_kernels("fp16_rcr_multi_d", "gfx942")[0])]
    ['hot_two_set', 'hot_three_set', 'cold_two_set', 'cold_one_set']
    """
    return instances_of(spec, splittable(spec))


def instances_of(spec: KernelSpec, split: bool) -> tuple[Instance, ...]:
    """Return the device kernels of a GEMM spec, with or without those that add splits of K."""
    a = spec.algorithm
    if getattr(a, "ends_at_run_time", False):
        return (Instance(True, "Full", a.family == "stream_k_atomic"),)
    return _instances(a.pipeline, prefetch_stages(a, spec.signature, amd_arch(spec.arch)), split)


def splittable(spec: KernelSpec) -> bool:
    """Return whether launches may split K: plain products whose store can be an atomic addition."""
    s = spec.signature
    if s.variant != "standard" or spec.algorithm.family == "quant":
        return False
    if s.dtype_out == "bf16" and spec.algorithm.family == "grouped":  # a rule refuses it
        return False
    if s.dtype_out in BARE_OUTPUTS.get(s.dtype_acc, ()):
        return False
    return not unpaired(spec.algorithm, s, amd_arch(spec.arch))


def instance_of(spec: KernelSpec, k: int, split_k: int = 1) -> Instance:
    """Return the device kernel for a product of depth `k`.

    >>> from tilewright.backends.ck_tile.gemm import preselected_kernels
    >>> instance_of(preselected_kernels("fp16_rcr_essential", "gfx942")[0], 4096).name
    'hot_two_set'
    """
    return serving(spec, ceil(k / (split_k * spec.algorithm.tile_k)), split_k > 1)


def serving(spec: KernelSpec, steps: int, atomic: bool = False) -> Instance:
    """Return the device kernel for a number of steps along k."""
    a = spec.algorithm
    if a.ends_at_run_time:
        return instances(spec)[0]
    stages = 0 if a.pipeline in ALWAYS_HOT else prefetch_stages(a, spec.signature, amd_arch(spec.arch))
    found = serving_of(instances(spec), steps, stages, atomic)
    if found is None:
        raise SpecError(f"{spec.name} cannot split K", remedy="use split_k 1")
    return found


def serving_of(kernels: Sequence[Instance], steps: int, stages: int, atomic: bool = False) -> Instance | None:
    """Return the one of these kernels for a number of steps along k; None if there is none."""
    for x in kernels:
        if x.hot == (steps > stages) and steps % x.period == x.rest and x.atomic == atomic:
            return x
    return None


def prefetch_stages(algorithm: CkTileGemm, signature: GemmSignature, arch: AmdArch) -> int:
    """Return how many steps along k a pipeline prefetches; in "mem" until enough is in flight."""
    if algorithm.pipeline != "mem":
        return STAGES.get(algorithm.pipeline, 2)
    block = threads(algorithm, arch)
    blocks = max(1, 4 * arch.wave_size // block)
    # Packed 4-bit types are counted per byte that holds two of them, as CK does.
    size_a, size_b = element_bytes(signature.dtype_a), element_bytes(signature.dtype_b)
    step = int(algorithm.tile_m * size_a + algorithm.tile_n * size_b) * algorithm.tile_k
    return min(MAX_STAGES, max(2, -(-(IN_FLIGHT_BYTES // blocks) // step)))


@lru_cache(maxsize=64)
def _instances(pipeline: str, stages: int, split: bool) -> tuple[Instance, ...]:
    tails = _tails(pipeline, stages)
    kinds = (False, True) if split else (False,)
    return tuple(Instance(hot, tail, atomic, period, rest) for atomic in kinds for hot, tail, period, rest in tails)


def _tails(pipeline: str, stages: int) -> tuple[tuple[bool, str, int, int], ...]:
    """Return (main loop, ending, period, rest) of every kernel; generated code checks them with CK's own functions."""
    if pipeline == "compv5":
        return ((True, "Empty", 1, 0),)
    if pipeline == "preshufflev2":
        return ((True, "Even", 2, 0), (True, "Odd", 2, 1))
    if pipeline == "compv3":
        return ((True, "Full", 1, 0), (False, "Odd", 2, 1), (False, "Even", 2, 0))
    if pipeline == "compv4":
        return ((True, "Two", 2, 0), (True, "Three", 2, 1), (False, "Two", 2, 0), (False, "One", 2, 1))
    if pipeline == "compv6":
        return tuple((hot, tail, 2, rest) for hot in (True, False) for tail, rest in (("Odd", 1), ("Even", 0)))
    if pipeline == "comp_async":
        cold = ((False, "One", 4, 1), (False, "Two", 4, 2), (False, "Three", 4, 3))
        return ((True, "Two", 2, 0), (True, "Three", 2, 1), *cold)
    rests = [(name if rest else "Full", rest) for rest, name in enumerate(NUMBERS[:stages])]
    return tuple((hot, tail, stages, rest) for hot in (True, False) for tail, rest in rests)
