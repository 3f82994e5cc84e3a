"""The implicit GEMM of a convolution in CK: which tensor is A, B and C, and in which layout."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from ....model.kernel import KernelSpec
from ....ops.conv.signature import ConvSignature
from ....ops.gemm.signature import GemmSignature


@dataclass(frozen=True)
class Mapping:
    """The tensors that the implicit GEMM reads as A and B and writes as C, its layout, and CK's suffix for it."""

    a: str
    b: str
    c: str
    layout: str
    suffix: str
    kernel: str


MAPPINGS = {
    "forward": Mapping("input", "weight", "output", "rcr", "Fwd", "GroupedConvolutionForwardKernel"),
    "backward_data": Mapping("output", "weight", "input", "rrr", "BwdData", "GroupedConvolutionBackwardDataKernel"),
    "backward_weight": Mapping(
        "output", "input", "weight", "crr", "BwdWeight", "GroupedConvolutionBackwardWeightKernel"
    ),
}


def gemm_signature(signature: ConvSignature, two_stage: bool = False) -> GemmSignature:
    """Return the signature of the implicit GEMM of a convolution; two-stage kernels store their accumulator.

    >>> gemm_signature(ConvSignature("backward_weight", "fp16", "fp16", "fp16", "fp32")).layout
    'crr'
    """
    m, s = MAPPINGS[signature.direction], signature
    out = s.dtype_acc if two_stage else s.dtype(m.c)
    return GemmSignature(s.dtype(m.a), s.dtype(m.b), s.dtype_acc, out, m.layout)


@lru_cache(maxsize=64)  # a kernel is judged by some 20 rules of GEMM, one after the other
def gemm_spec(spec: KernelSpec) -> KernelSpec:
    """Return the GEMM kernel whose rules also apply to a convolution kernel."""
    signature = gemm_signature(spec.signature, spec.algorithm.two_stage)
    return KernelSpec("gemm", "ck_tile", spec.arch, signature, spec.algorithm.as_gemm())
