"""The definitions of each op that the engine calls: the op's own, and those of the CPU backend."""

from __future__ import annotations

from dataclasses import fields
from functools import partial
from typing import Any

from ..backends.cpu.conv import OP as CPU_CONV
from ..backends.cpu.conv import CpuConvOp
from ..backends.cpu.conv import cost as conv_cost
from ..backends.cpu.conv import rules as conv_rules
from ..backends.cpu.conv import thumb as conv_thumb
from ..backends.cpu.conv.algorithm import CpuConv
from ..backends.cpu.fmha import OP as CPU_FMHA
from ..backends.cpu.fmha import cost as fmha_cost
from ..backends.cpu.fmha import rules as fmha_rules
from ..backends.cpu.fmha.algorithm import CpuFmha
from ..backends.cpu.gemm import OP as CPU_GEMM
from ..backends.cpu.gemm import cost as gemm_cost
from ..backends.cpu.gemm import features as gemm_features
from ..backends.cpu.gemm import rules as gemm_rules
from ..backends.cpu.gemm import thumb as gemm_thumb
from ..backends.cpu.gemm.algorithm import CpuGemm
from ..errors import UnknownNameError
from ..model.kernel import Candidate, KernelSpec
from ..model.rule import Rule
from ..ops.conv import OP as CONV
from ..ops.conv import ConvSignature
from ..ops.conv.features import numbers as conv_numbers
from ..ops.fmha import OP as FMHA
from ..ops.fmha import FmhaSignature
from ..ops.fmha.features import numbers as fmha_numbers
from ..ops.gemm import OP as GEMM
from ..ops.gemm import Epilogue, GemmSignature
from ..ops.gemm.features import numbers as gemm_numbers
from .engine import Parts, Posed


def of_problem(rules: Any) -> tuple[Rule, ...]:
    """Return the rules that read a problem."""
    return tuple(r for r in rules if r.kind == "problem")


def own_grid(candidate: Candidate, problem: Posed, threads: int) -> tuple[int, ...]:
    """Return the grid of the launch itself."""
    return candidate.launch.grid


def gemm_grid(candidate: Candidate, problem: Posed, threads: int) -> tuple[int, ...]:
    """Return the grid of threads of a product: that of the launch, or the best one."""
    return gemm_cost.grid_of(candidate.spec.algorithm, problem, candidate.launch, threads)


def itself(candidate: Candidate, problem: Posed) -> None:
    """Return None: the kernel follows the ABI of its own op."""
    return None


def plain_grid_cost() -> Any:
    """Return `features.grid_cost` for plain numbers; Python has a generated form of it, which is faster."""
    return lambda p, none: lambda tile, grid: _grid_cost(p, tile, grid)


def _grid_cost(p: Any, tile: Any, grid: Any) -> Any:
    k = {"mr": float(tile[0]), "nr": float(tile[1]), "nc": float(tile[2])}
    sizes = {"m": float(p[0]), "n": float(p[1]), "batch": float(p[2])}
    return gemm_features.grid_cost(k, sizes, float(grid[0]), float(grid[1]), float(grid[2]))[0]


def seen_as(algorithm: Any, kind: Any, renamed: Any = None, **given: Any) -> Any:
    """Return a whole algorithm with the fields of another; see `model.kernel_tree.seen_as`."""
    names = renamed or {}
    taken = {f.name: getattr(algorithm, names.get(f.name, f.name)) for f in fields(kind) if f.name not in given}
    return kind(**taken, **given)


def settled(function: Any, *arguments: Any) -> Any:
    """Return `function(*arguments)`; see `model.trace.settled`. Nothing is traced in C++."""
    return function(*arguments)


def is_integer(value: Any) -> bool:
    """Return whether a value is an integer; see `model.expr.is_integer`. Nothing is traced in C++."""
    return type(value) is int


LIMITS: dict[str, Any] = {"epilogue": Epilogue.ALLOWED}  # names that a field may have


def fields_from(kind: Any, data: Any, what: str) -> Any:
    """Return the fields of a data class from plain data; see `model.fields.fields_from`. Values are checked by it."""
    known = [f.name for f in fields(kind)]
    for name in data:
        if name not in known:
            raise UnknownNameError(f"{what} field", name, known)
    limits = LIMITS.get(what, {})
    for name, value in data.items():
        if name in limits and value not in limits[name]:
            raise UnknownNameError(f"{what} {name}", value, limits[name])
    return {name: tuple(value) if isinstance(value, list) else value for name, value in data.items()}


DELEGATE: Any = CpuConvOp.delegate  # it does not read the backend's object
PARTS: dict[str, Parts] = {
    "gemm": Parts(
        GEMM, GemmSignature, CpuGemm, of_problem(gemm_rules.RULES), gemm_cost.launches, gemm_grid, gemm_numbers,
        None, gemm_thumb.preference, itself,
    ),
    "conv": Parts(
        CONV, ConvSignature, CpuConv, of_problem(conv_rules.RULES), conv_cost.launches, own_grid, conv_numbers,
        None, conv_thumb.preference, partial(DELEGATE, None),
    ),
    "fmha": Parts(
        FMHA, FmhaSignature, CpuFmha, of_problem(fmha_rules.RULES), fmha_cost.launches, own_grid, fmha_numbers,
        None, None, itself,
    ),
}  # fmt: skip
WITH_FORMULAS: dict[str, Any] = {
    "gemm": CPU_GEMM,
    "conv": CPU_CONV,
    "fmha": CPU_FMHA,
}  # ops whose cost model is formulas


def refusal(spec: KernelSpec) -> str:
    """Return why a kernel cannot be in a bundle; empty if it can."""
    return ""
