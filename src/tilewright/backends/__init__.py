"""How it is computed: one folder per backend, found by its name; nothing else is edited to add one."""

from __future__ import annotations

import pkgutil
from functools import cache
from importlib import import_module

from ..errors import UnknownNameError
from .base import Backend, BackendOp

__all__ = ["Backend", "BackendOp", "backend_names", "get_backend", "get_backend_op"]


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
