"""1x1 convolutions as matrix products: one per group, as a batch, over the same memory."""

from __future__ import annotations

from collections.abc import Mapping

from ...model.problem import kept_by_problem
from ..gemm.epilogue import DTensor
from ..gemm.problem import GemmProblem
from ..gemm.signature import GemmSignature
from .problem import ConvProblem
from .signature import ConvSignature

# The layout of the product in each direction: operands and result as the gemm op names them.
GEMM_LAYOUT = {"forward": "rcr", "backward_data": "rrr", "backward_weight": "crr"}
GEMM_ROLES = {
    "forward": {"a": "input", "b": "weight", "out": "output"},
    "backward_data": {"a": "output", "b": "weight", "out": "input"},
    "backward_weight": {"a": "output", "b": "input", "out": "weight"},
}


def gemm_signature(signature: ConvSignature) -> GemmSignature:
    """Return the signature of the product behind a 1x1 convolution.

    >>> gemm_signature(ConvSignature("backward_weight", "fp16", "fp16", "fp16", "fp32")).layout
    'crr'
    """
    return product_signature(signature, GEMM_ROLES[signature.direction], GEMM_LAYOUT[signature.direction], signature.d)


def product_signature(s: ConvSignature, roles: Mapping[str, str], layout: str, d: tuple[DTensor, ...]) -> GemmSignature:
    """Return the signature of a product whose operands are tensors of a convolution, by `roles`."""
    types = (s.dtype(roles["a"]), s.dtype(roles["b"]), s.dtype_acc, s.dtype(roles["out"]))
    return GemmSignature(*types, layout, combine=s.combine, activation=s.activation, d=d)


def gemm_roles(problem: ConvProblem) -> dict[str, str]:
    """Return the convolution's tensor behind each tensor of the product.

    >>> from tilewright.ops import get_op
    >>> gemm_roles(get_op("conv").plain_problem("fp16"))
    {'a': 'input', 'b': 'weight', 'out': 'output'}
    """
    return {**GEMM_ROLES[problem.direction], **{f"d{i}": f"d{i}" for i in range(len(problem.d))}}


def pixel_row(problem: ConvProblem, role: str) -> int | None:
    """Return the stride from pixel to pixel if it is the same for all pixels of all images; else None.

    >>> from tilewright.ops import get_op
    >>> pixel_row(get_op("conv").plain_problem("fp16"), "input")
    64
    """
    strides, extents = problem.stride_of(role), problem.extents(role)
    axes = [a for a in (*reversed(range(3, len(extents))), 0) if extents[a] > 1]
    if not axes:
        return max(1, extents[1] * extents[2])
    row, count = strides[axes[0]], 1
    for axis in axes:
        if strides[axis] != row * count:
            return None
        count *= extents[axis]
    return row


def not_pointwise(problem: ConvProblem) -> str | None:
    """Return why not every pixel of the result is made of the pixel at its place; None if it is."""
    p = problem
    if set(p.filter) != {1}:
        return f"the filter is {'x'.join(map(str, p.filter))}"
    if set(p.stride) != {1}:
        return f"the stride is {'x'.join(map(str, p.stride))}"
    if any(left or right for left, right in p.pad):
        return "the input is padded"
    return None


@kept_by_problem
def not_a_product(problem: ConvProblem) -> str | None:
    """Return why the convolution is not a plain matrix product; None if it is one."""
    p = problem
    why = not_pointwise(p)
    if why is not None:
        return why
    for role in ("input", "output"):
        if pixel_row(p, role) is None or (p.stride_of(role)[2] != 1 and p.extents(role)[2] > 1):
            return f"the pixels of {role} are not the rows of one matrix (layout {p.layout})"
    return None


def as_gemm(problem: ConvProblem) -> GemmProblem:
    """Return the product of a 1x1 convolution (`not_a_product` is None); groups are its batch.

    >>> from tilewright.ops import problem_from_dict
    >>> size = {"n": 2, "g": 4, "c": 32, "k": 64, "input": [8, 8], "filter": [1, 1], "dtype": "fp16"}
    >>> as_gemm(problem_from_dict({"op": "grouped_conv", "direction": "forward", **size})).label()
    'gemm 4x128x16x8 fp16_rcr'
    """
    return _as_gemm(problem)


@kept_by_problem
def _as_gemm(problem: ConvProblem) -> GemmProblem:
    p, s = problem, gemm_signature(problem.signature)
    pixels = p.gemm.m if p.direction != "backward_weight" else p.gemm.k
    m, n, k = {
        "forward": (pixels, p.k_group, p.c_group),
        "backward_data": (pixels, p.c_group, p.k_group),
        "backward_weight": (p.k_group, p.c_group, pixels),
    }[p.direction]
    strides = {role: _strides(p, role, of) for role, of in GEMM_ROLES[p.direction].items()}
    for i, d in enumerate(p.d):
        strides[f"d{i}"] = _d_strides(p, i, d.broadcast)
    return product_of(p, s, (m, n, k), p.g, strides, gemm_roles(p))


def product_of(
    p: ConvProblem,
    s: GemmSignature,
    sizes: tuple[int, int, int],
    batch: int,
    strides: Mapping[str, tuple[int, int, int]],
    roles: Mapping[str, str],
) -> GemmProblem:
    """Return the product of a convolution, over the memory of its tensors."""
    m, n, k = sizes
    return GemmProblem(
        m=m, n=n, k=k, batch=batch, dtype_a=s.dtype_a, dtype_b=s.dtype_b, dtype_out=s.dtype_out, dtype_acc=s.dtype_acc,
        layout=s.layout, epilogue=p.epilogue, d=s.d, split_k=p.split_k, strides=strides,
        alignment={g: p.alignment[c] for g, c in roles.items() if c in p.alignment}, device=p.device,
    )  # fmt: skip


def _strides(p: ConvProblem, role: str, of: str) -> tuple[int, int, int]:
    """Return (batch, row, col) strides of a gemm operand."""
    s = p.stride_of(of)
    if of == "weight":
        k, c = s[1], (s[2] if p.c_group > 1 else 1)
        return (s[0], c, k) if p.direction == "forward" else (s[0], k, c)
    row = pixel_row(p, of)
    assert row is not None, of
    if p.direction == "backward_weight" and role == "a":
        return (s[1], 1, row)
    return (s[1], row, 1)


def _d_strides(p: ConvProblem, i: int, broadcast: str) -> tuple[int, int, int]:
    s = p.stride_of(f"d{i}")
    if p.direction == "backward_weight":
        return (s[0], s[1], s[2])
    if broadcast == "row":
        return (s[1], 0, s[2])
    row = pixel_row(p, f"d{i}")
    return (s[1], row if row is not None else 0, s[2])
