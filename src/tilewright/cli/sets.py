"""Which kernels a command considers: the default registry, named kernel sets, or the sets of sweep files."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ..errors import SchemaError, SelectionError, UnknownNameError
from ..model.json_text import parse_json, read_json
from .options import dispatcher_of

if TYPE_CHECKING:
    from ..dispatcher import Dispatcher
    from ..model.kernel import KernelSpec
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

    if backend:
        _check_backend(backend, arch, problems[0])
    if not names and not files:
        return dispatcher_of(settings, backend)
    registry = Registry("command line")
    of_files = [s for path in files for s in read_sweep(path, problems[0], arch, backend)]
    for kernel_set in [*named_sets(names), *of_files]:
        if backend in ("", kernel_set.backend):
            registry.declare(kernel_set)
    return Dispatcher(registry, settings=settings)


def _check_backend(backend: str, arch: str, problem: Any) -> None:
    """Refuse a backend that has no kernels for the arch at all: no kernel set would change that."""
    from ..arch import get_arch
    from ..backends import get_backend

    kind = get_arch(arch).kind if arch else "x86" if problem.device == "cpu" else "nvidia"
    if not get_backend(backend).serves(kind):
        kinds = " and ".join(get_backend(backend).arch_kinds)
        raise SelectionError(
            f"{backend} has no kernels for {arch or ('this CPU' if kind == 'x86' else problem.device)}",
            remedy=f"choose an arch of kind {kinds} with --arch, see `tilewright arch list`",
        )


def shipped_sets() -> dict[str, KernelSet]:
    """Every kernel set of every backend and op, by name."""
    from ..backends import backend_names, get_backend
    from ..ops import op_names

    pairs = [(get_backend(b), op) for b in backend_names() for op in get_backend(b).op_names() if op in op_names()]
    return {s.name: s for backend, op in pairs for s in backend.op(op).kernel_sets()}


def named_sets(names: Sequence[str]) -> list[KernelSet]:
    """The shipped kernel sets of these names."""
    if not names:
        return []
    known = shipped_sets()
    for name in names:
        if name not in known:
            raise UnknownNameError("kernel set", name, known)
    return [known[name] for name in dict.fromkeys(names)]


def kernels_of_sets(names: Sequence[str], backend: str, arch: str) -> list[KernelSpec]:
    """Every legal kernel of the named sets on `arch`; of the backend's essential sets where none are named."""
    from ..arch import get_arch
    from ..backends import get_backend_op
    from ..model.kernel_set import expand

    if not arch or not (names or backend):
        raise SelectionError(
            "there is nothing to build: no problem was given",
            remedy="give a problem, or --arch with --set or --backend",
        )
    facts, found = get_arch(arch), dict[str, Any]()
    wanted = [s for s in _with_parts(names, backend) if "*" in s.archs or arch in s.archs]
    for kernel_set in wanted:
        op = get_backend_op(kernel_set.backend, kernel_set.op)
        for signature in _signatures(kernel_set):
            for spec in expand(kernel_set, facts, signature, op.algorithm, op.tunables(), op.rules).specs:
                found[spec.digest] = spec
    if not found:
        what = " and ".join(names) or f"the essential sets of {backend}"
        raise SelectionError(f"{what} have no kernel for {arch}", remedy="choose another set or arch: --set NAME")
    return list(found.values())


def _with_parts(names: Sequence[str], backend: str) -> list[KernelSet]:
    """The named sets with their parts (`NAME.rdna` is a part of NAME), or the essential sets of a backend."""
    known = [s for s in shipped_sets().values() if backend in ("", s.backend)]
    if not names:
        return [s for s in known if "essential" in s.name]
    bases = {s.name.split(".")[0] for s in known} | {s.name for s in known}
    for name in names:
        if name not in bases:
            raise UnknownNameError("kernel set", name, bases)
    return [s for s in known if s.name in names or s.name.split(".")[0] in names]


def _signatures(kernel_set: KernelSet) -> list[Any]:
    """The signatures that a set spells out: the cross product of its lists."""
    from itertools import product

    from ..model.kernel_set import WILDCARD, Range, listed
    from ..ops import get_op

    names = list(kernel_set.signature)
    left_open = [n for n in names if isinstance(kernel_set.signature[n], str) and kernel_set.signature[n] == WILDCARD]
    if left_open:
        raise SelectionError(
            f"set {kernel_set.name} leaves {', '.join(left_open)} open", remedy="give a problem that says what they are"
        )
    lists = [listed(p, ()) if isinstance(p, (list, Range)) else (p,) for p in kernel_set.signature.values()]
    op = get_op(kernel_set.op)
    try:
        return [op.signature_from_dict(dict(zip(names, values, strict=True))) for values in product(*lists)]
    except SchemaError as problem:  # a field without a default that the set does not name
        raise SelectionError(
            f"set {kernel_set.name} does not say a whole signature: {problem.message}",
            remedy="give a problem that does",
        ) from None


def read_spec(text: str) -> KernelSpec:
    """A kernel spec from JSON text or from a file that holds it."""
    from ..backends.plain import spec_from_dict

    given = text.lstrip().startswith("{")
    return spec_from_dict(parse_json(text, "--spec") if given else read_json(text, what=f"--spec {text}"))


def read_sweep(path: str, problem: Any, arch: str, backend: str = "") -> Sequence[KernelSet]:
    """The sets that a file declares, for `backend` or the first that serves `arch` (this CPU where it is empty)."""
    from ..backends import get_backend_op
    from ..model.sweep import Words
    from ..model.sweep import read_sweep as read

    op = get_backend_op(backend or _backend_of(problem.op, arch), problem.op)
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
