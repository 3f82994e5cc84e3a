"""`support`: which op is computed with which dtype, by which backend, on which arch."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from ..jit.progress import noticed
from ..model.json_text import Json
from .options import ArchName, AsJson, settings_of
from .output import print_json

if TYPE_CHECKING:
    from ..registry import Registry


def support(arch: ArchName = "", as_json: AsJson = False) -> None:
    """Show what is supported: op x dtype x backend x arch.

    A number is the number of legal kernels in a default registry. Libraries of torch count if torch is installed.
    """
    from ..arch import get_arch
    from ..report.tables import Table, fitted

    only = get_arch(arch).name if arch else None
    with suppress(ImportError):
        import torch  # noqa: F401  # its libraries are kernels of a program that has imported it
    with noticed("counting legal kernels", quiet=settings_of().quiet) as step:
        rows = list(support_rows(only, step))
    if as_json:
        print_json(rows)
        return
    groups = dict.fromkeys((r["backend"], _does(r)) for r in rows)
    for backend, does in groups:
        mine = [r for r in rows if (r["backend"], _does(r)) == (backend, does)]
        archs = list(dict.fromkeys(r["arch"] for r in mine))
        table = Table(["op", "dtype", *archs], f"{backend}: {does}", right=archs)
        for op, dtype in dict.fromkeys((r["op"], r["dtype"]) for r in mine):
            counts = {r["arch"]: r["kernels"] for r in mine if (r["op"], r["dtype"]) == (op, dtype)}
            if any(counts.values()):
                table.add(op, dtype, *(counts[a] or None for a in archs))
        table.show()
        print()
    print(fitted("a number is the number of legal kernels in the default registry; -: none. Other dtypes: none."))


def _does(row: Json) -> str:
    """Return what this version does with the kernels of a row."""
    if row["library"]:
        return "calls libraries, builds nothing" + ("; not tried on hardware" if row["emulated_only"] else "")
    if not row["builds"]:
        return "declares and checks, does not build in this version"
    if not row["runs"]:
        return "builds, does not run in this version"
    return "builds and runs; so far on an emulator only, not on hardware" if row["emulated_only"] else "builds and runs"


def support_rows(
    only_arch: str | None = None, step: Callable[[int, int], None] = lambda done, total: None
) -> Iterator[Json]:
    """Yield a row per op, dtype, backend and arch: the number of legal kernels, and whether they build and run.

    `step` receives how many of how many combinations of backend, op and arch are counted.
    """
    from ..arch import default_catalog
    from ..backends import backend_names, get_backend
    from ..ops import op_names

    combinations = [
        (name, op, arch.name)
        for name in backend_names()
        for op in get_backend(name).op_names()
        for arch in default_catalog().values()
        if op in op_names() and arch.kind in get_backend(name).arch_kinds and only_arch in (None, arch.name)
    ]
    for done, (name, op, arch) in enumerate(combinations):
        step(done, len(combinations))
        yield from _dtype_rows(name, op, arch)


def _dtype_rows(backend: str, op: str, arch: str) -> Iterator[Json]:
    from ..arch import get_arch
    from ..backends import get_backend, get_backend_op
    from ..model.dtype import DTYPES
    from ..ops import get_op

    registry = _registry_of(backend, op)
    builds, kind = get_backend_op(backend, op).builds, get_arch(arch).kind
    does = {"builds": builds, "runs": builds and kind in get_backend(backend).runs_on}
    does["library"] = get_backend(backend).libraries
    does["emulated_only"] = does["runs"] and kind in get_backend(backend).untried
    for dtype in DTYPES:
        kernels = _kernels_for(registry, get_op(op), dtype, arch)
        yield {"op": op, "dtype": dtype, "backend": backend, "arch": arch, "kernels": kernels, **does}


def _kernels_for(registry: Registry, op: Any, dtype: str, arch: str) -> int:
    """Return how many kernels a default registry has for a dtype; 0 if the op does not support it."""
    from ..errors import ProblemError

    try:
        signature = op.plain_problem(dtype).signature
    except ProblemError:
        return 0
    return _legal_kernels(registry, signature, dtype, arch)


def _registry_of(backend: str, op: str) -> Registry:
    from ..registry import Registry

    registry = Registry(backend)
    registry.declare_defaults(backend, op)
    return registry


def _legal_kernels(registry: Registry, signature: Any, dtype: str, arch: str) -> int:
    from ..arch import get_arch

    if not get_arch(arch).has_dtype(dtype):
        return 0
    sets = [s for s in registry.sets() if s.takes(signature, arch)]
    return sum(len(registry.expansion(s, arch, signature).specs) for s in sets)
