"""The launches worth considering, and what each kind of work costs in cycles (`features` counts it).

The figures were set by hand from measurements of single kernels (`benchmarks/cpu/conv_cpu.py --candidates`). Only their
ratios decide the ranking.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ....model.device import Device
from ....model.kernel import KernelSpec, Launch
from ....ops.conv.problem import ConvProblem
from ...product_rules import PRODUCTS, product_of
from ..gemm import cost as gemm_cost
from ..gemm.cost_arm import ARM_INNERS
from .algorithm import gemm_spec

TINY_FLOPS = 400_000  # below this a second thread costs more than it brings
CYCLE = 1 / 2.6e9
PRODUCT = 0.62  # prices of the gemm model were fitted at a lower clock than the cycles here: measured over predicted
PACK_ROW = 20.0  # cycles more to pack a row of A, however short it is
THREAD_BYTES_PER_CYCLE = 5.0  # of memory that is in no cache of this core
COPY = 1.6  # cycles to copy one register into a strip
LINE = 6.0  # cycles more where a copied register is a cache line far from the last one
SPILL = 0.15  # share of cycles more where a depthwise tile needs more registers than there are
MANY_RUNS = 0.15  # the same where it reads more pixels side by side than the hardware prefetches from far away
FAR_BYTES = 32_000_000  # tensors of this size together come from far away
NEON_RUNS, NEON_FAR = 0.6, 8_000_000  # the same for more than 40 pixels, on NEON
WEIGHTS_PER_CYCLE = 24.0  # bytes of weights per cycle that L2 delivers while a tile is at work
NEON_WEIGHTS = 12.0  # the same on NEON
NEON_SHARED, NEON_PIXELS = 655_360.0, 112.0  # bytes of weights, pixels of an image: blocks share strips (gather.hpp)
NEON_A_IN_PLACE, NEON_B_IN_PLACE = 0.1, 0.25  # share of time more of a weight gradient that reads pixels in place
FIRST_ELEMENT = 1.2  # cycles to bring one element of a channels-first image to its row of a matrix, on Arm
FIRST_GRADIENT = 4.0  # times a copy more for a register of channels-first gradients in a strip, on Arm
NEON_PERMUTE = 40.0  # cycles to bring the channels of a pixel into the order of merged groups, on NEON
STENCIL_STEP = 0.8  # cycles of a register of products of the stencil pipeline
RUN = 6.0  # cycles to begin a run of taps of the folded pipeline
FOLDED_GROUPS = 1.2  # cycles of its tiles, over those with one group: the rows of a group are short pieces of memory
FOLDED_L2 = 262_144.0  # bytes of weights of a block above which the folded pipeline takes the channels in parts
FOLDED_BAND = 24_576.0  # bytes of gradients that its backward weight takes at a time
# Multiply-adds per cycle of one register's lanes that an inner kernel of the implicit pipeline reaches.
IMPLICIT_RATE = {"fma": 1.75, "portable": 0.5, "vnni": 5.0, "amx": 14.0, "amx_bf16x3": 4.0, "dot": 7.0, "mm": 14.0}


def launches(spec: KernelSpec, problem: ConvProblem, device: Device) -> Sequence[Launch]:
    """One thread for tiny problems, all of them otherwise; split-K as asked. Those of a product are the gemm's own."""
    if spec.algorithm.pipeline in PRODUCTS:
        product = product_of(spec.algorithm.pipeline, problem)
        return gemm_cost.launches(gemm_spec(spec), product, device)
    threads = 1 if problem.flops < TINY_FLOPS else device.threads
    return (Launch(threads=threads, split_k=problem.split_k or 1),)


def folded_rate(a: Any, lanes: int) -> float:
    """Cycles that a step of a folded tile takes, over those of its multiplications: narrow ones are less even."""
    return 1.06 if a.nr >= 3 * lanes else 1.12


def implicit_rate(a: Any, dtype: str = "fp32", arm_in_place: bool = False) -> float:
    """Multiply-adds per cycle of one lane that the product of an implicit pipeline reaches where it is deep.

    On Arm, fp32 pixels that are read in place take tiles with few rows: others have no registers left for lanes.
    """
    if arm_in_place and dtype == "fp32" and a.inner == "fma":
        return IMPLICIT_RATE["fma"] * {(4, 16): 0.95, (8, 8): 0.85}.get((a.mr, a.nr), 0.8)
    tile = {(6, 64): 1.0, (14, 32): 0.85, (28, 16): 0.7, (8, 12): 1.0}.get(
        (a.mr, a.nr), 1.0 if a.mr * a.nr >= 1024 else 0.7
    )
    halved = 0.5 if a.inner in ARM_INNERS and dtype != "int8" else 1.0  # a register holds half as many bf16 as bytes
    return IMPLICIT_RATE[a.inner] * tile * halved
