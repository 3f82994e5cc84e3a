"""What libraries convolve exactly as the reference defines it; only their result is copied, and `explain` says so."""

from __future__ import annotations

from ....model.arch import CpuArch
from ....model.rule import Broken, Rule, broken, rule
from ....ops.conv.layout import dense_strides
from ....ops.conv.problem import ConvSubject as Subject
from ....ops.gemm.problem import usual_accumulator
from ...gemm_rules import unapplied_scalars
from ..rules import PLAIN_ACTIVATIONS, WIDE, gpu_dtypes, library, place
from ..rules import usual_accumulator as same_accumulator

FLOATS = ("fp32", "fp64", "fp16", "bf16")


@rule(
    "vendor.conv.dtypes",
    "semantic",
    "input, weight, output and d of one float type, fp32 or fp64 on CPUs; usual dtype_acc",
)
def dtypes(s: Subject) -> Broken | None:
    """Refuse types that the library has no convolution for."""
    g = s.signature
    types = dict.fromkeys((g.dtype_input, g.dtype_weight, g.dtype_output, *(d.dtype for d in g.d)))
    if len(types) > 1 or g.dtype_input not in FLOATS:
        return broken(f"torch has no convolution of {'/'.join(types)}", "use one float type for all")
    if isinstance(s.arch, CpuArch) and g.dtype_input not in WIDE:
        return broken(f"on CPUs torch may add in {g.dtype_input}", "use fp32", dtype=g.dtype_input)
    return same_accumulator(g.dtype_acc, usual_accumulator(g.dtype_input))


@rule("vendor.conv.cudnn", "hardware", "library cudnn: an NVIDIA GPU, forward, nothing after it but relu or relu6")
def cudnn(s: Subject) -> Broken | None:
    """Refuse what cuDNN's convolution into a given tensor does not have."""
    g = s.signature
    if s.algorithm.library != "cudnn":
        return None
    if s.arch.kind != "nvidia":
        return broken(f"cuDNN runs on NVIDIA GPUs, not on {s.arch.name}", "use torch", arch=s.arch.name)
    if g.direction != "forward" or g.d or g.activation not in PLAIN_ACTIVATIONS:
        return broken(f"{g.direction}, {len(g.d)} d operands, {g.activation}", "use torch", d=len(g.d))
    return None


@rule("vendor.conv.epilogue", "semantic", "fp16, bf16: no d operand, and none, relu or relu6 as the activation")
def epilogue(s: Subject) -> Broken | None:
    """Refuse steps after a result that is rounded to 16 bits: they would round twice."""
    g = s.signature
    if g.dtype_output in WIDE or (not g.d and g.activation in PLAIN_ACTIVATIONS):
        return None
    what = f"{len(g.d)} d operands and {g.activation} after rounding to {g.dtype_output} round twice"
    return broken(what, "use fp32, or no epilogue", d=len(g.d))


@rule(
    "vendor.conv.scalars",
    "problem",
    "16 bits: alpha == 1; cudnn: alpha == 1; split_k is null or 1; left pad == right pad",
)
def scalars(s: Subject) -> Broken | None:
    """Refuse scalars that the library does not take."""
    p = s.problem
    if p.split_k not in (None, 1):
        return broken(f"split_k is {p.split_k}; libraries choose for themselves", "leave it null", split_k=p.split_k)
    narrow = p.dtype_output not in WIDE or s.algorithm.library == "cudnn"
    if narrow and p.epilogue.alpha != 1.0:
        return broken(f"alpha is {p.epilogue.alpha}", "scale afterwards", alpha=p.epilogue.alpha)
    for left, right in p.pad:
        if left != right:
            return broken(
                f"pads {left} and {right}; libraries pad both sides alike", "pad the input", left=left, right=right
            )
    return None


@rule("vendor.conv.strides", "problem", "input, weight, output are dense in the layout; d has no negative stride")
def strides(s: Subject) -> Broken | None:
    """Refuse strides for which the library would copy a tensor first."""
    p = s.problem
    for role in ("input", "weight", "output"):
        extents, got = p.extents(role), p.stride_of(role)
        want = dense_strides(p.layout, role, extents)
        if any(n > 1 and a != b for n, a, b in zip(extents, got, want, strict=True)):
            return broken(
                f"{role} has strides {got}; dense in {p.layout} is {want}: it would be copied", "make it dense"
            )
    for role in p.roles[3:]:
        if any(n > 1 and step < 0 for n, step in zip(p.extents(role), p.stride_of(role), strict=True)):
            return broken(f"{role} has strides {p.stride_of(role)}", "torch has no negative strides")
    return None


RULES: tuple[Rule, ...] = (
    library, gpu_dtypes, dtypes, cudnn, epilogue, place, scalars, strides, *unapplied_scalars("vendor.conv"),
)  # fmt: skip
