"""Which kernels a command considers: the default registry, named kernel sets, or the sets of sweep files."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ..errors import SelectionError, UnknownNameError
from .options import dispatcher_of

if TYPE_CHECKING:
    from ..dispatcher import Dispatcher
    from ..model.kernel_set import KernelSet
    from ..settings import Settings

Sets = Annotated[
    list[str], typer.Option("--set", metavar="NAME", help="Consider only this shipped kernel set; may be repeated.")
]
Sweeps = Annotated[
    list[str],
    typer.Option(
        "--sweep", metavar="FILE", help="Consider the kernel sets of this JSON or TOML file; may be repeated."
    ),
]


def dispatcher_with(
    settings: Settings,
    names: Sequence[str],
    files: Sequence[str],
    problems: Sequence[Any],
    arch: str,
    backend: str = "",
) -> Dispatcher:
    """A dispatcher over the named sets and sweep files; over the default registry where there are none.

    With `backend`, only that backend's sets are taken.
    """
    from ..dispatcher import Dispatcher
    from ..registry import Registry

    if not names and not files:
        return dispatcher_of(settings, backend)
    registry = Registry("command line")
    for kernel_set in [*named_sets(names), *(s for path in files for s in read_sweep(path, problems[0], arch))]:
        if backend in ("", kernel_set.backend):
            registry.declare(kernel_set)
    return Dispatcher(registry, settings=settings)


def named_sets(names: Sequence[str]) -> list[KernelSet]:
    """The shipped kernel sets of these names."""
    from ..backends import backend_names, get_backend
    from ..ops import op_names

    if not names:
        return []
    known = {}
    for backend in backend_names():
        for op in get_backend(backend).op_names():
            if op in op_names():
                known.update({s.name: s for s in get_backend(backend).op(op).kernel_sets()})
    for name in names:
        if name not in known:
            raise UnknownNameError("kernel set", name, known)
    return [known[name] for name in dict.fromkeys(names)]


def read_sweep(path: str, problem: Any, arch: str) -> Sequence[KernelSet]:
    """The sets that a file declares, for the backend that serves `arch` (this CPU where it is empty)."""
    from ..backends import get_backend_op
    from ..model.sweep import Words
    from ..model.sweep import read_sweep as read

    op = get_backend_op(_backend_of(problem.op, arch), problem.op)
    if hasattr(op, "read_sweep"):  # a backend whose files have words of their own
        found: Sequence[KernelSet] = op.read_sweep(path)
        return found
    names = tuple(f.name for f in fields(problem.signature))
    return read(path, Words(op.op, op.backend, op.tunables(), names))


def _backend_of(op: str, arch: str) -> str:
    from ..arch import get_arch
    from ..backends import backend_names, get_backend

    kind = get_arch(arch).kind if arch else "x86"
    for name in backend_names():
        if kind in get_backend(name).arch_kinds and op in get_backend(name).op_names():
            return name
    raise SelectionError(f"no backend computes {op} on {arch or 'this CPU'}", remedy="see `tilewright support`")
