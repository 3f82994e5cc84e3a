"""How it is computed: one folder per backend, found by its name; nothing else is edited to add one."""

from __future__ import annotations

import pkgutil
import re
from collections.abc import Iterable
from functools import cache
from importlib import import_module
from typing import Any

from ..errors import DeviceError, UnknownNameError
from ..model.device import Device
from ..model.kernel import Candidate
from ..model.selector import Ranked, in_order
from ..settings import Settings
from .base import Backend, BackendOp

__all__ = ["Backend", "BackendOp", "backend_names", "by_cost", "device_at", "get_backend", "get_backend_op"]


def backend_names() -> list[str]:
    """The backends there are, by name.

    >>> "cpu" in backend_names()
    True
    """
    return sorted(m.name for m in pkgutil.iter_modules(__path__) if m.ispkg)


@cache
def get_backend(name: str) -> Backend:
    """The backend called `name`.

    >>> get_backend("cpu").arch_kinds
    ('x86',)
    """
    if name not in backend_names():
        raise UnknownNameError("backend", name, backend_names())
    backend: Backend = import_module(f".{name}", __package__).BACKEND
    return backend


def get_backend_op(backend: str, op: str) -> BackendOp:
    """How `backend` computes `op`.

    >>> get_backend_op("ck_tile", "gemm").op
    'gemm'
    """
    return get_backend(backend).op(op)


def device_at(place: str, settings: Settings) -> Device:
    """The device behind the name that tensors give it: cpu, cuda:0, ...

    >>> device_at("cpu", Settings.from_env()).arch.startswith("x86_64")
    True
    """
    name, _, number = place.partition(":") if isinstance(place, str) else ("", "", "")
    if not name or not re.fullmatch("[0-9]{0,4}", number):
        raise DeviceError(f"{place!r:.80} names no device", remedy="use cpu, or cuda with a number such as cuda:0")
    kind, at = "x86" if name == "cpu" else "nvidia", int(number or 0)
    for backend in backend_names():
        if kind in get_backend(backend).arch_kinds:
            found = get_backend(backend).devices(settings)
            if at < len(found):
                return found[at]
    raise DeviceError(f"no device found for tensors on {place!r}", remedy="see `tilewright doctor`")


def by_cost(problem: Any, candidates: Iterable[Candidate], device: Device) -> list[Ranked]:
    """The candidates, smallest time by their backend's cost model first.

    >>> by_cost(None, [], None)
    []
    """
    timed = []
    for candidate in candidates:
        op = get_backend_op(candidate.spec.backend, candidate.spec.op)
        seconds = op.predict(candidate, problem, device)
        timed.append((seconds, Ranked(candidate, seconds, "smallest predicted time")))
    return in_order(timed)
