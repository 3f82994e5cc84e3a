"""Which kernels the replay holds: of all legal candidates of the sample problems, enough to show every field value.

Only nominal devices and shipped arch facts decide; nothing is asked of the host.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields
from typing import Any

from replay_problems import problems

from tilewright.arch import get_nominal_devices
from tilewright.backends import get_backend, get_backend_op
from tilewright.model.device import Device
from tilewright.model.kernel import Candidate, KernelSpec
from tilewright.ops import problem_from_dict
from tilewright.registry import Registry

ARCHS = {
    "cpu": ("x86_64", "x86_64_v3", "x86_64_v4", "x86_64_vnni", "x86_64_amx"),
    "triton": ("sm_80", "sm_90", "gfx942"),
    "ck_tile": ("gfx90a", "gfx942", "gfx950", "gfx1100", "gfx1201"),
}
# The CK Tile spaces are large and take long to enumerate, so each arch has a few products and convolutions.
CK_EVERYWHERE = ("conv forward-dense-bf16", "conv forward-grouped-bf16", "conv backward_data-dense-bf16",
                 "conv backward_weight-dense-bf16", "fmha ")  # fmt: skip
CK_MORE: dict[str, tuple[str, ...]] = {
    "gfx90a": ("gemm square",),
    "gfx942": ("gemm bf16-sum", "gemm fp8-fnuz", "gemm packed-warp-tiles", "conv forward-three-d-bf16"),
    "gfx950": ("gemm fp8", "conv backward_weight-three-d-bf16"),
    "gfx1100": ("gemm int8", "conv backward_data-three-d-bf16"),
    "gfx1201": ("gemm fp16",),
}


@dataclass(frozen=True)
class Sample:
    """The legal candidates of one problem on one nominal device, and the ones among them that are looked at."""

    name: str
    problem: Any
    device: Device
    candidates: tuple[Candidate, ...]
    chosen: tuple[Candidate, ...]

    @property
    def place(self) -> str:
        """Arch and problem, as digests are named."""
        return f"{self.device.arch} {self.name}"


def samples(backend: str) -> Iterator[Sample]:
    """One sample for each arch and problem that the backend has kernels for.

    Kernels that are generated but cannot be launched yet are held too, so that one rule is left out; call it in a
    process of its own.
    """
    if backend == "ck_tile":
        rules = type(get_backend_op("ck_tile", "fmha"))
        rules.rules = tuple(r for r in rules.rules if r.id != "ck_tile.fmha.launch")
    registry = _registry(backend)
    for arch in ARCHS[backend]:
        device = get_nominal_devices(arch)[0]
        seen: set[Any] = set()
        for name, data in problems().items():
            if backend == "ck_tile" and not name.startswith(CK_EVERYWHERE) and name not in CK_MORE[arch]:
                continue
            problem = problem_from_dict(data if backend == "cpu" else {**data, "device": "cuda"})
            found = sorted(registry.legal(problem, device), key=identity)
            if found:
                yield Sample(name, problem, device, tuple(found), tuple(_chosen(name, found, seen)))


def identity(candidate: Candidate) -> tuple[Any, ...]:
    """What tells candidates of one problem apart; their order among equal costs has no meaning."""
    launch = candidate.launch
    return candidate.spec.digest, launch.split_k, launch.num_splits, launch.threads, launch.grid, launch.blocks


def _registry(backend: str) -> Registry:
    """The default sets; of Triton the named ones too, since one pipeline is in no default set."""
    registry = Registry(backend)
    for name in get_backend(backend).op_names():
        op = get_backend_op(backend, name)
        for kernel_set in {s.name: s for s in (*op.default_sets(), *_named(op))}.values():
            registry.declare(kernel_set)
    return registry


def _named(op: Any) -> tuple[Any, ...]:
    return tuple(op.kernel_sets()) if op.backend == "triton" else ()


def _chosen(problem: str, candidates: list[Candidate], seen: set[Any]) -> Iterator[Candidate]:
    """The candidates that show what none before them did: a pipeline for this problem, or a field value at all."""
    for candidate in candidates:
        shown = set(_shown(problem, candidate.spec))
        if not shown <= seen:
            seen |= shown
            yield candidate


def _shown(problem: str, spec: KernelSpec) -> Iterator[Any]:
    pipeline, inner = variant(spec)
    yield problem, pipeline, inner
    for field in fields(spec.algorithm):
        yield spec.op, pipeline, field.name, getattr(spec.algorithm, field.name)


def variant(spec: KernelSpec) -> tuple[str, str]:
    """(pipeline, inner) of a kernel; empty where its algorithm has no such field."""
    return getattr(spec.algorithm, "pipeline", ""), getattr(spec.algorithm, "inner", "")
