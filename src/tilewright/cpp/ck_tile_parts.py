"""The definitions that the engine calls for kernels of CK Tile: code objects with one structure as argument.

A product's argument is recorded field by field. That of a convolution is made by CK's own host code: its launch has the
sizes and addresses for the library next to the code object.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import ceil
from typing import Any

from ..arch import get_arch
from ..backends import cpp_text
from ..backends.ck_tile.algorithm import CheckedFields
from ..backends.ck_tile.conv import choices as conv_choices
from ..backends.ck_tile.conv.algorithm import CkTileConv
from ..backends.ck_tile.conv.generate import SECOND_STAGE
from ..backends.ck_tile.conv.launch import CONVERT_BLOCK, input_bytes, leaves_gaps, weight_count, workspace_bytes
from ..backends.ck_tile.conv.launch import instance_of as conv_instance
from ..backends.ck_tile.conv.op import OP as CK_CONV
from ..backends.ck_tile.conv.rules import PROBLEM_RULES as CONV_RULES
from ..backends.ck_tile.gemm.algorithm import STREAM_K, CkTileGemm
from ..backends.ck_tile.gemm.choices import MAX_LAUNCHES, legal_launches, preference
from ..backends.ck_tile.gemm.geometry import threads
from ..backends.ck_tile.gemm.instances import instance_of
from ..backends.ck_tile.gemm.launch import cleared_rows, family_values, tiles_of
from ..backends.ck_tile.gemm.op import OP as CK_GEMM
from ..backends.ck_tile.gemm.rules import PROBLEM_RULES
from ..backends.gpu.launches import ELSEWHERE
from ..model.dtype import get_dtype
from ..model.kernel import Candidate, KernelSpec
from ..model.tensor import Addresses
from ..ops.conv import OP as CONV
from ..ops.conv import ConvSignature
from ..ops.conv.features import numbers as conv_numbers
from ..ops.conv.geometry import implicit_gemm
from ..ops.gemm import OP as GEMM
from ..ops.gemm import GemmSignature
from ..ops.gemm.features import numbers as gemm_numbers
from .engine import Parts, Posed
from .parts import itself, own_grid

POINTERS = (
    "a",
    "b",
    "d",
    "out",
    "scale_a",
    "scale_b",
    "more_a",
    "more_b",
)  # fields of the argument that are addresses; the others are 32-bit numbers


def fields_of(values: Mapping[str, Any]) -> list[list[Any]]:
    """Return (kind, number) of each member of the argument, in its order."""
    found = []
    for name, value in values.items():
        kind = "pointer" if name in POINTERS else "i32"
        found += [[kind, one] for one in (value if isinstance(value, list) else [value])]
    return found


def as_it_is(text: str, *parts: Any) -> str:
    """Return a name; in Python, names that go into C++ are checked."""
    return text


def checked_before(algorithm: Any) -> None:
    """Accept the fields of an algorithm: those of a bundle's kernels were checked when it was made."""


def product_launches(
    candidate: Candidate, problem: Posed, units: int, addresses: Addresses, space: int
) -> tuple[int, list[Any]]:
    """Return (workspace bytes, launches) of a product: an output that splits add to is cleared first."""
    spec, launch = candidate.spec, candidate.launch
    arch: Any = get_arch(spec.arch)
    tiles = tiles_of(problem, spec.algorithm)
    product = {
        "kernel": instance_of(spec, problem.k, launch.split_k).name,
        "grid": [tiles, problem.batch, launch.split_k],
        "threads": threads(spec.algorithm, arch),
        "packed": fields_of(family_values(spec.algorithm.family, problem, launch, addresses)),
    }
    if spec.algorithm.persistent:  # so many blocks as the GPU holds at once, which its driver says; no more than tiles
        product["most_blocks"] = tiles * launch.split_k
    if launch.split_k == 1:
        return 0, [product]
    far = int(problem.stride("out")[0] * get_dtype(problem.dtype_out).bytes)
    first = [cleared(addresses["out"] + i * far, *cleared_rows(problem)) for i in range(problem.batch)]
    return 0, [*first, product]


def cleared(address: int, pitch: int, width: int, rows: int) -> dict[str, Any]:
    """Return rows of memory that are cleared before kernels add to them."""
    return {"clear": {"address": address, "pitch": pitch, "width": width, "rows": rows}}


def convolution_launches(
    candidate: Candidate, problem: Posed, units: int, addresses: Addresses, space: int
) -> tuple[int, list[Any]]:
    """Return (workspace bytes, launches) of a convolution: sums of splits are cleared first and converted last."""
    spec, split_k = candidate.spec, candidate.launch.split_k
    arch: Any = get_arch(spec.arch)
    size, count = workspace_bytes(problem, spec), weight_count(problem)
    sums = space if size else addresses["weight"]
    made_by = {
        "sizes": list(CONV.sizes(problem)),
        "tensors": [addresses["input"], sums, addresses["output"]],
        "split_k": split_k,
        "elsewhere": ELSEWHERE,
    }
    calls: list[Any] = [
        {
            "kernel": conv_instance(spec, implicit_gemm(problem).k, split_k),
            "threads": arch.wave_size * spec.algorithm.wave_count,
            "made_by": made_by,
        }
    ]
    if split_k > 1:
        width = count * (4 if size else int(get_dtype(problem.dtype("weight")).bytes))
        calls = [cleared(sums, width, width, 1), *calls]
    if leaves_gaps(problem):
        width = input_bytes(problem)
        calls = [cleared(addresses["input"], width, width, 1), *calls]
    if size:
        fields = [["pointer", space], ["pointer", addresses["weight"]], ["i64", count]]
        blocks = [ceil(count / CONVERT_BLOCK), 1, 1]
        calls += [{"kernel": SECOND_STAGE, "grid": blocks, "threads": CONVERT_BLOCK, "packed": fields}]
    return size, calls


PARTS: dict[str, Parts] = {
    "gemm": Parts(
        GEMM, GemmSignature, CkTileGemm, PROBLEM_RULES, legal_launches, own_grid, gemm_numbers, None, preference,
        itself, product_launches, None, MAX_LAUNCHES,
    ),
    "conv": Parts(
        CONV, ConvSignature, CkTileConv, CONV_RULES, conv_choices.launches, own_grid, conv_numbers, None,
        conv_choices.preference, itself, convolution_launches,
    ),
}  # fmt: skip
WITH_FORMULAS: dict[str, Any] = {"gemm": CK_GEMM, "conv": CK_CONV}


def refusal(spec: KernelSpec) -> str:
    """Return why a kernel cannot be in a bundle; empty if it can."""
    if spec.op not in PARTS:
        return "C++ does not launch attention of CK Tile"
    if spec.op == "gemm" and spec.algorithm.family in (*STREAM_K, "grouped"):
        return "C++ does not launch Stream-K and groups of CK Tile"
    return ""


def all_parts() -> Mapping[str, Parts]:
    """Return the definitions of every op."""
    return PARTS


INSTEAD: Mapping[Any, Any] = {
    CheckedFields.__post_init__: checked_before,
    cpp_text.cpp: as_it_is,
    cpp_text.cpp_identifier: as_it_is,
}
