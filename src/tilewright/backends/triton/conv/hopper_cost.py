"""What a hopper convolution costs: the gemm backend's model, asked about the product that the boxes amount to."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from math import prod

from ....model.device import Device
from ....model.dtype import get_dtype
from ....model.kernel import Candidate, KernelSpec, Launch, kept_by_kernel, split_launch
from ....ops.conv.problem import ConvProblem
from ....ops.gemm.epilogue import Epilogue
from ....ops.gemm.problem import GemmProblem
from ....ops.gemm.signature import GemmSignature
from ..gemm import cost as gemm_cost
from ..gemm.bind import ceil_div
from .algorithm import gemm_spec, is_weight, source_roles
from .bind import sides, weight_columns
from .boxes import boxes_of
from .folding import copies_of, folded_bytes, seen_by_boxes

LINE = 128  # bytes of a cache line
# Fitted to convolutions (`benchmarks/fit_conv_gpu_cost.py`); what is not named is as for products.
PRICES = replace(
    gemm_cost.HOPPER, fill=1096.0, matrix=0.8612, turns=1.035, step=18.55, l2=105.2, off_line=0.2744, latency=1695.0,
    store=41.13, epilogue=3140.0, memory=1.43, traffic=2.75, reread=0.3168, reduce=0.4024, copy=0.9922, power=1.788,
    second_launch=1.122e-06,
)  # fmt: skip


def padded_product(spec: KernelSpec, problem: ConvProblem) -> GemmProblem:
    """The product that the kernel computes, with the pixels and channels that it wastes."""
    a, s = spec.algorithm, gemm_spec(spec).signature
    p = seen_by_boxes(problem, a)
    boxes, (read, other) = boxes_of(p, a), sides(p)
    taps = prod(p.filter)
    if is_weight(spec):
        m = a.tile_m if a.merge else ceil_div(other, a.tile_m) * a.tile_m
        n, k = weight_columns(p, a) * a.tile_n, boxes.total * a.tile_k
    else:
        m = boxes.classes * boxes.total * a.tile_m
        n = p.g * ceil_div(other, a.tile_n) * a.tile_n
        # Every tap belongs to one class of backward data.
        k = max(1, ceil_div(taps * ceil_div(read, a.tile_k) * a.tile_k, boxes.classes))
    return _product(s, p.epilogue, m, n, k)


@lru_cache(maxsize=4096)
def _product(s: GemmSignature, epilogue: Epilogue, m: int, n: int, k: int) -> GemmProblem:
    return GemmProblem(
        m=m, n=n, k=k, dtype_a=s.dtype_a, dtype_b=s.dtype_b, dtype_out=s.dtype_out, dtype_acc=s.dtype_acc,
        layout=s.layout, epilogue=epilogue,
    )  # fmt: skip


def features(candidate: Candidate, problem: ConvProblem, device: Device) -> gemm_cost.Features:
    """What the launch of `candidate` does, as the gemm backend's model counts it."""
    spec, p = candidate.spec, problem
    f = gemm_cost.features(Candidate(_inner(spec), candidate.launch), padded_product(spec, p), device)
    bandwidth = device.bandwidth_gbps * 1e9 or 1e12
    copied = 2 * folded_bytes(p, spec.algorithm) / bandwidth
    launches_more = f.further_launches + (len(copies_of(p)) if copied else 0)
    return replace(f, memory_seconds=p.bytes / bandwidth, aligned=float(_on_lines(seen_by_boxes(p, spec.algorithm))),
                   copied_seconds=copied, further_launches=float(launches_more))  # fmt: skip


def _on_lines(p: ConvProblem) -> bool:
    """Whether the pixels begin on cache lines."""
    read = ("input", "output") if p.direction == "backward_weight" else source_roles(p.direction)[:1]
    return all(p.stride_of(r)[-1] * get_dtype(p.dtype(r)).bytes % LINE == 0 for r in read)


def launches(spec: KernelSpec, problem: ConvProblem, device: Device) -> tuple[Launch, ...]:
    """Plain, or the splits of the pixels that fill the GPU."""
    if not spec.algorithm.split:
        return (split_launch(1),)
    if problem.split_k is not None:
        return (split_launch(problem.split_k),)
    return tuple(gemm_cost.launches(_inner(spec), padded_product(spec, problem), device))


@kept_by_kernel
def _inner(spec: KernelSpec) -> KernelSpec:
    """The product's kernel; another one adds the shares."""
    return gemm_spec(spec).with_algorithm(reduce="after") if spec.algorithm.split else gemm_spec(spec)


def predict(candidate: Candidate, problem: ConvProblem, device: Device) -> float:
    """Predicted seconds of one launch."""
    return float(gemm_cost.seconds(features(candidate, problem, device), PRICES))
