"""The definitions of each op that the engine calls for kernels of the triton backend."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ..backends.formula_cost import DEVICE
from ..backends.gpu.amd_gemm import launch_parts
from ..backends.gpu.call import GpuCall
from ..backends.gpu.counted_cost import relative_time
from ..backends.gpu.counted_op import known_counts
from ..backends.gpu.stage import units_of
from ..backends.triton.conv import OP as TRITON_CONV
from ..backends.triton.conv import cost as conv_cost
from ..backends.triton.conv import pipelines as conv_pipelines
from ..backends.triton.conv import rules as conv_rules
from ..backends.triton.conv.algorithm import TritonConv, gemm_spec
from ..backends.triton.conv.bind import geometry as conv_geometry
from ..backends.triton.conv.launch import prepare as prepare_conv
from ..backends.triton.fmha import OP as TRITON_FMHA
from ..backends.triton.fmha import cost as fmha_cost
from ..backends.triton.fmha import rules as fmha_rules
from ..backends.triton.fmha.algorithm import TritonFmha
from ..backends.triton.fmha.bind import steps as fmha_steps
from ..backends.triton.fmha.bind import workspace as fmha_workspace
from ..backends.triton.fmha.lower import kinds_of
from ..backends.triton.gemm import OP as TRITON_GEMM
from ..backends.triton.gemm import cost as gemm_cost
from ..backends.triton.gemm import pipelines as gemm_pipelines
from ..backends.triton.gemm import rules as gemm_rules
from ..backends.triton.gemm.algorithm import TritonGemm
from ..backends.triton.gemm.amd_cost import kernel_numbers as counted_numbers
from ..backends.triton.gemm.bind import workspace_bytes as gemm_workspace
from ..backends.triton.gemm.launch import prepare as prepare_gemm
from ..model.kernel import Candidate, KernelSpec, Launch
from ..model.tensor import Addresses
from ..ops.conv import OP as CONV
from ..ops.conv import ConvSignature
from ..ops.conv.features import numbers as conv_numbers
from ..ops.conv.product import as_gemm, gemm_roles
from ..ops.fmha import OP as FMHA
from ..ops.fmha import FmhaSignature
from ..ops.fmha.features import numbers as fmha_numbers
from ..ops.gemm import OP as GEMM
from ..ops.gemm import GemmSignature
from ..ops.gemm.features import numbers as gemm_numbers
from .engine import Parts, Posed
from .gpu import StandIn, recorded
from .gpu_archs import nominal_devices
from .parts import itself, of_problem, own_grid


def nominal_units(name: str) -> int:
    """Return the units of the first nominal device of an arch."""
    return nominal_devices(name)[0].units


def gemm_pipeline(algorithm: Any) -> Any:
    """Return the pipeline of a product."""
    return GEMM_PIPELINES[algorithm.pipeline]


def convolution_pipeline(algorithm: Any) -> Any:
    """Return the pipeline of a convolution."""
    return CONV_PIPELINES[algorithm.pipeline]


def pipeline_named(name: str) -> Any:
    """Return the pipeline of a convolution by its name."""
    return CONV_PIPELINES[name]


def _opened(folders: Any) -> dict[str, Any]:
    """Return pipelines by name, with their names evaluated: the program has them as data."""
    found = {name: folders.get(name) for name in folders.names}
    for pipeline in found.values():
        assert pipeline.name
    return found


GEMM_PIPELINES: dict[str, Any] = _opened(gemm_pipelines.FOLDERS)
CONV_PIPELINES: dict[str, Any] = _opened(conv_pipelines.ALL)


def product_launches(
    candidate: Candidate, problem: Posed, units: int, addresses: Addresses, space: int
) -> tuple[int, list[Any]]:
    """Return (workspace bytes, launches) of a product."""
    kernel, launch = StandIn(candidate.spec, units), candidate.launch
    size = gemm_workspace(problem, candidate.spec.algorithm, launch, units)
    calls: Any = prepare_gemm(kernel, kernel, problem, launch, units, addresses, space)
    return size, calls


def convolution_launches(
    candidate: Candidate, problem: Posed, units: int, addresses: Addresses, space: int
) -> tuple[int, list[Any]]:
    """Return (workspace bytes, launches) of a convolution, which may be a product over the same memory."""
    spec, launch = candidate.spec, candidate.launch
    if not convolution_pipeline(spec.algorithm).own:
        roles = gemm_roles(problem)
        own = {gemm: addresses[conv] for gemm, conv in roles.items()}
        return product_launches(Candidate(gemm_spec(spec), launch), as_gemm(problem), units, own, space)
    kernel = StandIn(spec, units)
    size = conv_geometry(problem, spec.algorithm, launch, units).workspace
    calls: Any = prepare_conv(kernel, kernel, problem, launch, addresses, space)
    return size, calls


def attention_launches(
    candidate: Candidate, problem: Posed, units: int, addresses: Addresses, space: int
) -> tuple[int, list[Any]]:
    """Return (workspace bytes, launches) of an attention."""
    spec, launch = candidate.spec, candidate.launch
    names = {kind: kind if i else "kernel" for i, kind in enumerate(kinds_of(spec))}
    calls = [
        recorded(names[kind], None, grid, values)
        for kind, grid, values in fmha_steps(spec, problem, launch, addresses, space, units)
    ]
    return fmha_workspace(problem, spec.algorithm, launch).bytes, calls


def counted_product(k: Mapping[str, float], launch: Launch, p: Mapping[str, float], d: Sequence[float]) -> float:
    """Return the seconds of a product that is judged by the counts of its code."""
    device = dict(zip(DEVICE, d, strict=True))
    return float(launch_parts({**k, "launch_split_k": float(launch.split_k)}, p, device)["seconds"])


def counted_facts(spec: KernelSpec) -> tuple[float, dict[str, float]]:
    """Return (factor on the time by tile sizes, numbers in the formulas of products) of a counted kernel."""
    op: Any = WITH_FORMULAS[spec.op]
    if spec.op != "gemm":
        return float(relative_time(spec, op.peak_rate)), {}
    counts = known_counts(spec)
    assert counts is not None
    numbers = counted_numbers(Candidate(spec), counts, op.peak_rate(spec))
    return 1.0, {name: float(value) for name, value in numbers.items()}


PARTS: dict[str, Parts] = {
    "gemm": Parts(
        GEMM, GemmSignature, TritonGemm, of_problem(gemm_rules.RULES), gemm_cost.launches, own_grid, gemm_numbers,
        None, gemm_cost.preference, itself, product_launches, counted_product,
    ),
    "conv": Parts(
        CONV, ConvSignature, TritonConv, of_problem(conv_rules.RULES), conv_cost.launches, own_grid, conv_numbers,
        None, conv_cost.preference, itself, convolution_launches,
    ),
    "fmha": Parts(
        FMHA, FmhaSignature, TritonFmha, of_problem(fmha_rules.RULES), fmha_cost.launches, own_grid, fmha_numbers,
        None, None, itself, attention_launches,
    ),
}  # fmt: skip
WITH_FORMULAS: dict[str, Any] = {"gemm": TRITON_GEMM, "conv": TRITON_CONV, "fmha": TRITON_FMHA}


def refusal(spec: KernelSpec) -> str:
    """Return why a kernel cannot be in a bundle; empty if it can."""
    return ""


def all_parts() -> Mapping[str, Parts]:
    """Return the definitions of every op."""
    return PARTS


INSTEAD: Mapping[Any, Any] = {
    units_of: nominal_units,
    GpuCall: recorded,
    gemm_pipelines.pipeline_of: gemm_pipeline,
    conv_pipelines.pipeline_of: convolution_pipeline,
    conv_pipelines.get_pipeline: pipeline_named,
}
