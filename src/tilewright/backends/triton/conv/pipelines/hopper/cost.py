"""The launches and prices of hopper convolutions: the gemm backend's, for the product that the boxes amount to."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache

from ......model.device import Device
from ......model.kernel import KernelSpec, Launch, kept_by_kernel, split_launch
from ......ops.conv.problem import ConvProblem
from ......ops.gemm.epilogue import Epilogue
from ......ops.gemm.problem import GemmProblem
from ......ops.gemm.signature import GemmSignature
from ....gemm import cost as gemm_cost
from ....gemm.operands import ceil_div
from ...algorithm import gemm_spec
from ...geometry import sides
from .boxes import boxes_of
from .folding import seen_by_boxes
from .pipeline import weight_columns

# Fitted to convolutions (`benchmarks/fit/fit_conv_gpu_cost.py`); what is not named is as for products.
BOX_PRICES = replace(
    gemm_cost.HOPPER, fill=1096.0, matrix=0.8612, turns=1.035, step=18.55, l2=105.2, off_line=0.2744, latency=1695.0,
    store=41.13, epilogue=3140.0, memory=1.43, traffic=2.75, reread=0.3168, reduce=0.4024, copy=0.9922, power=1.788,
    second_launch=1.122e-06,
)  # fmt: skip

RANK = (1, 4)


def _weight_product(spec: KernelSpec, problem: ConvProblem) -> GemmProblem:
    """Return the product that a kernel of backward weight computes, with the pixels and channels that it wastes."""
    a, s, p = spec.algorithm, gemm_spec(spec).signature, seen_by_boxes(problem, spec.algorithm)
    m = a.tile_m if a.merge else ceil_div(sides(p)[1], a.tile_m) * a.tile_m
    return _product(s, p.epilogue, m, weight_columns(p, a) * a.tile_n, boxes_of(p, a).total * a.tile_k)


@lru_cache(maxsize=4096)
def _product(s: GemmSignature, epilogue: Epilogue, m: int, n: int, k: int) -> GemmProblem:
    return GemmProblem(
        m=m, n=n, k=k, dtype_a=s.dtype_a, dtype_b=s.dtype_b, dtype_out=s.dtype_out, dtype_acc=s.dtype_acc,
        layout=s.layout, epilogue=epilogue,
    )  # fmt: skip


def launches(spec: KernelSpec, problem: ConvProblem, device: Device) -> tuple[Launch, ...]:
    """Plain, or the splits of the pixels that fill the GPU."""
    if not spec.algorithm.split:
        return (split_launch(1),)
    if problem.split_k is not None:
        return (split_launch(problem.split_k),)
    return tuple(gemm_cost.launches(_inner(spec), _weight_product(spec, problem), device))


@kept_by_kernel
def _inner(spec: KernelSpec) -> KernelSpec:
    """Return the product's kernel; another one adds the shares."""
    return gemm_spec(spec).with_algorithm(reduce="after") if spec.algorithm.split else gemm_spec(spec)


def resident(spec: KernelSpec) -> int:
    """Programs that share a multiprocessor."""
    return int(spec.algorithm.blocks_per_unit)
