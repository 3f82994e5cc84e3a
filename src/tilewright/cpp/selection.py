"""The selection of bundles: its program, translated from Python, and the library that runs it."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

from ..arch import get_arch, get_nominal_devices
from ..backends.cpu.gemm import cost as gemm_cost
from ..errors import UnknownNameError
from ..jit import cxx_request
from ..model import expr, kernel_tree, trace
from ..model import fields as model_fields
from ..ops import fmha
from ..settings import Settings
from . import engine, gpu, gpu_archs
from .formulas import formula_programs
from .parts import fields_from, is_integer, plain_grid_cost, seen_as, settled
from .translate import Native, Program

NATIVE, INCLUDE = Path(__file__).with_name("native"), Path(__file__).with_name("include")
# No fused multiply-add: Python rounds after each operation.
FLAGS = ("-Os", "-s", "-ffp-contract=off")
ROOTS: Mapping[str, Any] = {
    "load": engine.load, "describe": engine.describe, "rank": engine.rank, "lower": engine.lower,
    "choose": engine.choose,
}  # fmt: skip
GPU_ROOTS: Mapping[str, Any] = {**ROOTS, "lower": gpu.lower, "choose": gpu.choose, "device": gpu.device}
INSTEAD: Mapping[Any, Any] = {
    get_arch: engine.arch_named,
    gemm_cost._grid_cost: plain_grid_cost,
    kernel_tree.seen_as: seen_as,
    trace.settled: settled,
    expr.is_integer: is_integer,
    model_fields.fields_from: fields_from,
    engine.formula_us: Native("formula_us"),
    engine.learned_scores: Native("learned_scores"),
}
GPU_INSTEAD: Mapping[Any, Any] = {
    **INSTEAD,
    get_arch: gpu_archs.arch_named,
    engine.arch_named: gpu_archs.arch_named,
    engine.check_place: gpu.any_place,
    get_nominal_devices: gpu_archs.nominal_devices,
}
# Members that definitions name only at run time, by getattr.
NAMED_LATER = (*fmha.SIZES, *fmha.SCALARS)
BACKENDS = ("cpu", "triton", "ck_tile", "vendor")  # that bundles hold kernels of
ON_CPUS = ("cpu", "vendor")  # those with the C ABI


@cache
def selection_program(backend: str = "cpu") -> Mapping[str, Any]:
    """Return the translated definitions of a backend and its cost formulas, as plain data.

    >>> sorted(selection_program()["roots"])
    ['choose', 'describe', 'load', 'lower', 'rank']
    """
    parts, roots, instead = backend_parts(backend), ROOTS, INSTEAD
    if backend not in ON_CPUS:
        roots, instead = GPU_ROOTS, {**GPU_INSTEAD, **parts.INSTEAD}
    if backend != "cpu":
        instead = {**instead, engine.all_parts: parts.all_parts}
    return {**Program(instead, NAMED_LATER).to_dict(roots), "formulas": formula_programs(parts)}


def backend_parts(backend: str) -> Any:
    """Return the module with a backend's definitions: PARTS, WITH_FORMULAS, `refusal`; of GPUs INSTEAD."""
    if backend not in BACKENDS:
        raise UnknownNameError("backend of bundles", backend, BACKENDS)
    return import_module(f"{__package__}.{'parts' if backend == 'cpu' else backend + '_parts'}")


def selection_request(settings: Settings) -> Any:
    """Return the build of the selection library, for any CPU of this machine's kind."""
    return cxx_request(
        '#include "selection.hpp"\n',
        name="tw_selection",
        include_dirs=(NATIVE, INCLUDE),
        flags=FLAGS,
        output="selection.so",
        settings=settings,
    )
