"""1x1 convolutions of channels-first images as matrix products over the same memory: weights times planes of pixels.

Each image (or each group of one image) is a product of the batch; all images have the same weights.
"""

from __future__ import annotations

from math import prod

from ...model.problem import kept_by_problem
from ..gemm.epilogue import DTensor
from ..gemm.problem import GemmProblem
from ..gemm.signature import GemmSignature
from .problem import ConvProblem
from .product import not_pointwise, product_of, product_signature
from .signature import ConvSignature

# The layout of the product in each direction: operands and result as the gemm op names them.
PLANES_LAYOUT = {"forward": "rrr", "backward_data": "crr", "backward_weight": "rcr"}
PLANES_ROLES = {
    "forward": {"a": "weight", "b": "input", "out": "output"},
    "backward_data": {"a": "weight", "b": "output", "out": "input"},
    "backward_weight": {"a": "output", "b": "input", "out": "weight"},
}
TURNED = {"none": "none", "row": "col"}  # a bias has one value per channel: per row of such a product


def planes_signature(signature: ConvSignature) -> GemmSignature:
    """Return the signature of the product behind a 1x1 convolution of channels-first images.

    >>> planes_signature(ConvSignature("forward", "fp16", "fp16", "fp16", "fp32", "ngchw")).layout
    'rrr'
    """
    d, direction = tuple(DTensor(x.dtype, TURNED[x.broadcast]) for x in signature.d), signature.direction
    return product_signature(signature, PLANES_ROLES[direction], PLANES_LAYOUT[direction], d)


def planes_roles(problem: ConvProblem) -> dict[str, str]:
    """Return the convolution's tensor behind each tensor of the product."""
    return {**PLANES_ROLES[problem.direction], **{f"d{i}": f"d{i}" for i in range(len(problem.d))}}


@kept_by_problem
def not_planes(problem: ConvProblem) -> str | None:
    """Return why the convolution is not a product of weights and planes; None if it is one."""
    p = problem
    why = not_pointwise(p)
    if why is not None:
        return why
    if p.n != 1 and (p.g > 1 or p.direction == "backward_weight" or p.n == 0):
        return f"there are {p.n} images with {p.g} groups, {p.direction}"
    if p.c_group > 1 and p.stride_of("weight")[2] != 1:
        return "the weights of an output channel are not contiguous"
    for role in ("input", "output", *(f"d{i}" for i, d in enumerate(p.d) if d.broadcast == "none")):
        if (role in ("input", "output") or p.result != "weight") and not _is_plane(p, role):
            return f"the pixels of {role} are not contiguous (layout {p.layout})"
    return None


def _is_plane(p: ConvProblem, role: str) -> bool:
    """Return whether the pixels of a channel lie side by side."""
    strides, extents, step = p.stride_of(role), p.extents(role), 1
    for axis in reversed(range(3, len(extents))):
        if extents[axis] > 1 and strides[axis] != step:
            return False
        step *= extents[axis]
    return True


@kept_by_problem
def as_planes(problem: ConvProblem) -> GemmProblem:
    """Return the product of a 1x1 convolution of channels-first images (`not_planes` is None).

    >>> from tilewright.ops import problem_from_dict
    >>> size = {"n": 2, "c": 32, "k": 64, "input": [8, 8], "filter": [1, 1], "dtype": "fp16", "layout": "ngchw"}
    >>> as_planes(problem_from_dict({"op": "grouped_conv", "direction": "forward", **size})).label()
    'gemm 2x64x64x32 fp16_rrr'
    """
    p, s, plane = problem, planes_signature(problem.signature), prod(problem.input)
    m, n, k = {
        "forward": (p.k_group, plane, p.c_group),
        "backward_data": (p.c_group, plane, p.k_group),
        "backward_weight": (p.k_group, p.c_group, plane),
    }[p.direction]
    strides = {role: _strides(p, role, of) for role, of in PLANES_ROLES[p.direction].items()}
    for i, d in enumerate(p.d):
        strides[f"d{i}"] = _d_strides(p, f"d{i}", d.broadcast)
    return product_of(p, s, (m, n, k), p.n if p.g == 1 else p.g, strides, planes_roles(p))


def _strides(p: ConvProblem, role: str, of: str) -> tuple[int, int, int]:
    """Return (batch, row, col) strides of a gemm operand."""
    s = p.stride_of(of)
    if of == "weight":
        each = 0 if p.g == 1 else s[0]
        c = s[2] if p.c_group > 1 else 1
        return (each, c, s[1]) if p.direction == "backward_data" else (each, s[1], c)
    each = s[0] if p.g == 1 else s[1]
    return (each, 1, s[2]) if p.direction == "backward_weight" and role == "b" else (each, s[2], 1)


def _d_strides(p: ConvProblem, role: str, broadcast: str) -> tuple[int, int, int]:
    s = p.stride_of(role)
    if p.direction == "backward_weight":
        return (s[0], s[1], s[2])
    if broadcast == "row":
        return (0 if p.g == 1 else s[1], s[2], 0)
    return (s[0] if p.g == 1 else s[1], s[2], 1)
