"""The definitions that the engine calls for GEMM kernels of CK Tile: code objects with one structure as argument."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..arch import get_arch
from ..backends import cpp_text
from ..backends.ck_tile.algorithm import CheckedFields
from ..backends.ck_tile.gemm.algorithm import CkTileGemm
from ..backends.ck_tile.gemm.choices import MOST_LAUNCHES, legal_launches, preference
from ..backends.ck_tile.gemm.geometry import threads
from ..backends.ck_tile.gemm.instances import instance_of
from ..backends.ck_tile.gemm.launch import argument_values, cleared_rows, tiles_of
from ..backends.ck_tile.gemm.op import OP as CK_GEMM
from ..backends.ck_tile.gemm.rules import PROBLEM_RULES
from ..model.kernel import Candidate, KernelSpec
from ..ops.gemm import OP as GEMM
from ..ops.gemm import GemmSignature
from ..ops.gemm.features import numbers as gemm_numbers
from .engine import Parts, Posed
from .parts import itself, own_grid

POINTERS = ("a", "b", "d", "out")  # fields of the argument that are addresses; the others are 32-bit numbers


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


def checked_before(algorithm: CkTileGemm) -> None:
    """Accept the fields of an algorithm: those of a bundle's kernels were checked when it was made."""


def product_launches(
    candidate: Candidate, problem: Posed, units: int, addresses: Mapping[str, int], space: int
) -> tuple[int, list[Any]]:
    """Return (workspace bytes, launches) of a product: an output that splits add to is cleared first."""
    spec, launch = candidate.spec, candidate.launch
    arch: Any = get_arch(spec.arch)
    product = {
        "kernel": instance_of(spec, problem.k, launch.split_k).name,
        "grid": [tiles_of(problem, spec.algorithm), 1, launch.split_k],
        "threads": threads(spec.algorithm, arch),
        "packed": fields_of(argument_values(problem, launch, addresses)),
    }
    if launch.split_k == 1:
        return 0, [product]
    pitch, width, rows = cleared_rows(problem)
    clear = {"address": addresses["out"], "pitch": pitch, "width": width, "rows": rows}
    return 0, [{"clear": clear}, product]


PARTS: dict[str, Parts] = {
    "gemm": Parts(
        GEMM, GemmSignature, CkTileGemm, PROBLEM_RULES, legal_launches, own_grid, gemm_numbers, None, preference,
        itself, product_launches, None, MOST_LAUNCHES,
    ),
}  # fmt: skip
WITH_FORMULAS: dict[str, Any] = {"gemm": CK_GEMM}


def refusal(spec: KernelSpec) -> str:
    """Return why a kernel cannot be in a bundle; empty if it can."""
    if spec.op not in PARTS:
        return "CK's own host code makes its argument"
    return "its grid depends on what the driver says" if spec.algorithm.persistent else ""


def all_parts() -> Mapping[str, Parts]:
    """Return the definitions of every op."""
    return PARTS


INSTEAD: Mapping[Any, Any] = {
    CheckedFields.__post_init__: checked_before,
    cpp_text.cpp: as_it_is,
    cpp_text.cpp_identifier: as_it_is,
}
