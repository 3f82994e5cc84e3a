"""How it is computed: one folder per backend, found by its name; adding one needs no other edit."""

from __future__ import annotations

import pkgutil
import re
from collections.abc import Iterable
from functools import cache
from importlib import import_module
from typing import Any

from ..errors import DeviceError, check_known
from ..model.device import Device
from ..model.kernel import Candidate, KernelSpec
from ..model.problem import Problem
from ..model.selector import Ranked, in_order
from ..settings import Settings
from .base import Backend, BackendOp

__all__ = [
    "Backend",
    "BackendOp",
    "backend_names",
    "backends_at",
    "by_cost",
    "cost_reason",
    "device_at",
    "get_backend",
    "get_backend_op",
    "known_places",
    "place_of",
]

SMALLEST = "smallest predicted time"
SHARED = ("gpu",)  # packages that several backends stand on; they are not backends


def backend_names() -> list[str]:
    """Return the names of all backends.

    >>> backend_names()
    ['ck_tile', 'cpu', 'reference', 'triton', 'vendor']
    """
    return list(_names_in(tuple(__path__)))


@cache
def _names_in(folders: tuple[str, ...]) -> tuple[str, ...]:
    """Return the backends in some folders; kept: every new shape asks, and listing takes longer than all the rest."""
    return tuple(sorted(m.name for m in pkgutil.iter_modules(folders) if m.ispkg and m.name not in SHARED))


@cache
def get_backend(name: str) -> Backend:
    """Return the backend called `name`.

    >>> get_backend("cpu").arch_kinds
    ('x86', 'arm', 'generic')
    """
    check_known("backend", name, backend_names())
    return import_module(f".{name}", __package__).BACKEND


@cache
def get_backend_op(backend: str, op: str) -> BackendOp[Any]:
    """Return how `backend` computes `op`.

    >>> get_backend_op("ck_tile", "gemm").op
    'gemm'
    """
    return get_backend(backend).op(op)


def device_at(place: str, settings: Settings) -> Device:
    """Return the device with the name that tensors give it: cpu, cuda:0, hip:0, emu:gfx942.

    >>> device_at("cpu", Settings.from_env()).threads >= 1
    True
    """
    if not isinstance(place, str) or not re.fullmatch("[a-z]+(:([0-9]{1,4}|[a-z][a-z0-9]{1,15}))?", place):
        raise DeviceError(f"{place!r:.80} names no device", remedy="use cpu, cuda:0, hip:0 or emu:gfx942")
    for backend in backends_at(place):
        found = get_backend(backend).device_at(place, settings)
        if found is not None:
            return found
    raise DeviceError(f"no device found for tensors on {place!r}", remedy="see `tilewright doctor`")


def backends_at(place: str) -> list[str]:
    """Return the backends that find the devices of a place: cpu, cuda:0, ...

    >>> backends_at("cpu")
    ['cpu']
    """
    kind = place.partition(":")[0]
    return [name for name in backend_names() if kind in get_backend(name).places]


def known_places() -> list[str]:
    """Return the kinds of places where some backend finds devices.

    >>> "cpu" in known_places()
    True
    """
    return list(dict.fromkeys(place for name in backend_names() for place in get_backend(name).places))


def place_of(arch: str, settings: Settings) -> str | None:
    """Return the place of the first device of `arch` on this machine, as a problem names it; None if there is none.

    >>> place_of("gfx90a", Settings.from_env()) is None
    True
    """
    for name in backend_names():
        for place, device in get_backend(name).placed(settings).items():
            if device.arch == arch:
                return place
    return None


def by_cost(problem: Problem, candidates: Iterable[Candidate], device: Device) -> list[Ranked]:
    """Return the candidates, smallest time by their backend's cost model first.

    >>> by_cost(None, [], None)
    []
    """
    timed = []
    for candidate in candidates:
        op = get_backend_op(candidate.spec.backend, candidate.spec.op)
        seconds = op.predict(candidate, problem, device)
        timed.append((seconds, Ranked(candidate, seconds, cost_reason(op, candidate.spec))))
    return in_order(timed)


def cost_reason(op: BackendOp[Any], spec: KernelSpec) -> str:
    """Return why a cost model prefers a candidate, and what its prediction rests on.

    >>> from tilewright.backends.ck_tile.gemm import OP, preselected_kernels
    >>> cost_reason(OP, preselected_kernels("fp16_rcr_essential", "gfx942")[0]).split(", ")[0]
    'smallest predicted time'
    """
    basis = op.cost_basis(spec)
    return f"{SMALLEST}, {basis}" if basis else SMALLEST
