"""Selection over the GPU kernels of a bundle: what `engine` does for CPU kernels, with launches as records.

Like `engine`, this module is translated to C++. A launch is a kernel's name in its artifact, a grid and the value of
each parameter. Addresses are not known yet: each tensor has a made-up one, from which C++ finds the parameters that
hold an address inside of it (`backends.gpu.launches` does the same in Python).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..backends.gpu import detect, hip_detect
from ..backends.gpu.launches import APART, STAND_IN
from ..model.canonical import canonical
from ..model.device import Device
from ..model.json_text import Json
from ..model.kernel import Candidate, KernelSpec
from ..model.problem import needed_alignment
from ..model.tensor import VECTOR
from .engine import Kernel, Posed, best_of, launch_of, parts_of, problem_of

WORKSPACE = 100  # the place of the workspace among the tensors


@dataclass(frozen=True)
class StandIn:
    """The loaded kernels of a spec, and the driver, while launches are recorded."""

    spec: KernelSpec
    units: int

    def other(self, prefix: str) -> str:
        """Return the name of a kernel."""
        return prefix

    @property
    def product(self) -> str:
        """The first kernel of an artifact."""
        return "kernel"

    def attribute(self, name: str) -> int:
        """Return the only number of a driver that launches ask for."""
        return self.units


def recorded(kernel: str, driver: Any, grid: Sequence[int], values: Mapping[str, Any], early: bool = True) -> Json:
    """Return a launch as data; it replaces `GpuCall`."""
    return {"kernel": kernel, "grid": list(grid), "values": values, "early": early}


def lower(kernels: Sequence[Kernel], request: Mapping[str, Any]) -> Json:
    """Return the launches of a candidate: workspace bytes, roles in order, kernels with grids and parameter values.

    `request` has `problem`, `kernel`, `launch` and `device`.
    """
    problem, launch = problem_of(request["problem"]), launch_of(request["launch"])
    units, spec = Device(**request["device"]).units, kernels[request["kernel"]].spec
    parts = parts_of(problem.op)
    roles = parts.op.roles(problem)
    addresses = {role: STAND_IN + i * APART + slack(problem, role) for i, role in enumerate(roles)}
    assert parts.prepare is not None
    size, launches = parts.prepare(Candidate(spec, launch), problem, units, addresses, STAND_IN + WORKSPACE * APART)
    return {
        "digest": spec.digest,
        "roles": [{"role": role, "alignment": alignment(problem, role), "address": addresses[role]} for role in roles],
        "workspace": size,
        "workspace_address": STAND_IN + WORKSPACE * APART,
        "apart": APART,
        "launches": launches,
    }


def choose(kernels: Sequence[Kernel], request: Mapping[str, Any]) -> Json:
    """Return the best candidate and its launches, or raise `SelectionError` that says why there is none."""
    best = best_of(kernels, request)
    return {**lower(kernels, {**request, "kernel": best["kernel"], "launch": best["launch"]}), **best}


def alignment(problem: Posed, role: str) -> int:
    """Return the bytes of which the address of a tensor must be a multiple."""
    return needed_alignment(problem, role, parts_of(problem.op).op.scalar_roles)


def slack(problem: Posed, role: str) -> int:
    """Return the last bits of a tensor's made-up address, which is no better aligned than its problem says."""
    stated = alignment(problem, role)
    return stated if stated < VECTOR else 0


def any_place(problem: Posed) -> None:
    """Accept a problem on any device: the caller's pointers say where it is."""


def device(facts: Mapping[str, Any]) -> Json:
    """Return the device that a driver (`kind`: cuda or hip) describes by some facts."""
    found = hip_detect.device_of(facts) if facts["kind"] == "hip" else detect.device_of(facts)
    described: Json = canonical(found)
    return described
