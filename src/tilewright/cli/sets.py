"""Which kernels a command considers: the default registry, named kernel sets, or the sets of sweep files."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ..errors import SchemaError, SelectionError, UnknownNameError, check_known
from ..model.json_text import parse_json, read_json
from ..model.problem import Problem
from .options import dispatcher_of
from .output import note

if TYPE_CHECKING:
    from ..dispatcher import Dispatcher
    from ..model.correction import Correction
    from ..model.kernel import KernelSpec
    from ..model.kernel_set import KernelSet
    from ..registry import Registry
    from ..settings import Settings

CPP_SUFFIXES = (".cpp", ".cc", ".cxx", ".hpp", ".hh", ".h", ".hip", ".cu")  # sources that may declare kernel sets
DIGEST = re.compile("[0-9a-f]{6,64}")
SET_OPTION: Any = typer.Option(
    "--set",
    metavar="NAME",
    help="Consider only this shipped kernel set, or the sets of a C++ source (FILE.cpp); may be repeated.",
)
Sets = Annotated[list[str], SET_OPTION]
Specs = Annotated[
    list[str],
    typer.Option(
        "--spec",
        metavar="SPEC",
        help="Consider only this kernel: its spec as JSON text or in a file, or the first digits of its digest; may be "
        "repeated.",
    ),
]
Exhaustive = Annotated[bool, typer.Option("--all", help="Every legal kernel with every launch, not only the best.")]
Correct = Annotated[
    bool,
    typer.Option(
        "--correct", help="Replace kernels that break rules by the nearest legal ones, and report each change."
    ),
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
    problems: Sequence[Problem],
    arch: str,
    backend: str = "",
    specs: Sequence[str] = (),
    correct: bool = False,
) -> Dispatcher:
    """Return a dispatcher over the named sets and sweep files; over the default registry if there are none.

    With `backend`, it has only that backend's sets. With `specs`, it has only these kernels of them. With `correct`,
    the nearest legal kernel is added for each kernel that breaks a rule.
    """
    if correct and not (names or files or specs):
        raise SelectionError("there is no kernel to correct", remedy="name them by --spec, --sweep or --set")
    dispatcher = _over_sets(settings, names, files, problems, arch, backend)
    if specs:
        dispatcher = _over_specs(dispatcher, specs, problems, correct)
    if correct:
        add_corrected(dispatcher, problems, arch)
    return dispatcher


def _over_specs(dispatcher: Dispatcher, specs: Sequence[str], problems: Sequence[Problem], correct: bool) -> Dispatcher:
    """Return a dispatcher over single kernels; a digest names one of the kernels of `dispatcher`."""
    from ..dispatcher import Dispatcher
    from ..registry import Registry

    registry = Registry("command line")
    for text in specs:
        for spec in _specs_of(text, dispatcher, problems, correct):
            registry.add(spec)
    return Dispatcher(registry, settings=dispatcher.settings)


def _corrected(spec: KernelSpec) -> KernelSpec:
    """Return the nearest legal kernel and print its changes; the kernel itself if it is legal or none is near."""
    from ..backends.corrections import nearest_legal

    found = nearest_legal(spec)
    if found is not None and found.changes:
        _note_corrections([found])
    return spec if found is None else found.spec


def add_corrected(dispatcher: Dispatcher, problems: Sequence[Problem], arch: str) -> None:
    """For every kernel that a rule removed, add the nearest one that accepts the problem; print each change."""
    from ..backends.corrections import correct_all

    for problem in problems:
        removed = [spec for spec, _ in dispatcher.explain(problem, arch or None).rejected]
        corrected = correct_all(removed, problem)
        for spec in corrected.specs:
            dispatcher.registry.add(spec, source="corrected")
        _note_corrections(corrected.corrections)
        if corrected.hopeless:
            note(f"no legal kernel is near {corrected.hopeless[0].name} ({len(corrected.hopeless)} such kernels)")


def _note_corrections(corrections: Sequence[Correction]) -> None:
    for found in corrections:
        note(f"corrected {found.asked.name}: {found} ({', '.join(dict.fromkeys(r.rule for r in found.mended))})")


def _specs_of(text: str, dispatcher: Dispatcher, problems: Sequence[Problem], correct: bool) -> list[KernelSpec]:
    """Return the kernel of a spec, or the kernels for `problems` whose digest begins with `text`."""
    if not DIGEST.fullmatch(text):
        return [read_spec(text, correct)]
    legal = [dispatcher.registry.specs([p], dispatcher.device_for(p)) for p in problems]
    found = {s.digest: s for specs in legal for s in specs if s.digest.startswith(text)}
    if not found:
        known = len({s.digest for specs in legal for s in specs})
        raise SelectionError(
            f"none of the {known} kernels for these problems has a digest that begins with {text}",
            remedy="`tilewright explain PROBLEM --json` lists the digests",
        )
    return list(found.values())


def _over_sets(
    settings: Settings, names: Sequence[str], files: Sequence[str], problems: Sequence[Problem], arch: str, backend: str
) -> Dispatcher:
    """Return a dispatcher over the named sets and sweep files, or over the default registry."""
    from ..dispatcher import Dispatcher

    if backend:
        _check_backend(backend, arch, problems[0])
    if not names and not files:
        return dispatcher_of(settings, backend)
    of_files = [s for path in files for s in read_sweep(path, problems, arch, backend)]
    return Dispatcher(registry_of([*named_sets(names), *of_files], backend), settings=settings)


def registry_of(kernel_sets: Iterable[KernelSet], backend: str) -> Registry:
    """Return a registry of those sets that are of a backend, if one is named."""
    from ..registry import Registry

    registry = Registry("command line")
    for kernel_set in kernel_sets:
        if backend in ("", kernel_set.backend):
            registry.declare(kernel_set)
    if backend and not registry.sets():
        raise SelectionError(f"no kernel set that is named is of the backend {backend}", remedy="omit --backend")
    return registry


def _check_backend(backend: str, arch: str, problem: Problem) -> None:
    """Refuse a backend that has no kernels for the arch at all."""
    from ..backends import get_backend

    if not any(get_backend(backend).serves(kind) for kind in _arch_kinds(arch, problem.device)):
        kinds = " and ".join(get_backend(backend).arch_kinds)
        raise SelectionError(
            f"{backend} has no kernels for {arch or problem.device}",
            remedy=f"choose an arch of kind {kinds} with --arch, see `tilewright arch list`",
        )


def _arch_kinds(arch: str, place: str) -> set[str]:
    """Return the kinds of arch that a request can mean: that of `arch`, or those of the devices at a place."""
    from ..arch import get_arch
    from ..backends import backends_at, get_backend

    return {get_arch(arch).kind} if arch else {k for b in backends_at(place) for k in get_backend(b).arch_kinds}


def shipped_sets() -> dict[str, KernelSet]:
    """Return every kernel set of every backend and op, by name."""
    from ..backends import backend_names, get_backend
    from ..ops import op_names

    pairs = [(get_backend(b), op) for b in backend_names() for op in get_backend(b).op_names() if op in op_names()]
    return {s.name: s for backend, op in pairs for s in backend.op(op).kernel_sets()}


def named_sets(names: Sequence[str]) -> list[KernelSet]:
    """Return the shipped kernel sets of these names."""
    if not names:
        return []
    known = shipped_sets()
    found: list[KernelSet] = []
    for name in dict.fromkeys(names):
        if name.endswith(CPP_SUFFIXES):
            found += declared_sets(name)
        elif name not in known:
            raise UnknownNameError("kernel set", name, known)
        else:
            found.append(known[name])
    return found


def declared_sets(path: str) -> list[KernelSet]:
    """Return the kernel sets that a C++ source declares; print what was filled in, corrected or removed."""
    from ..cpp.declared import read_declared

    declared = read_declared(path)
    for noted in declared.notes:
        note(str(noted))
    return list(declared.sets)


def kernels_of_sets(names: Sequence[str], backend: str, arch: str) -> list[KernelSpec]:
    """Return every legal kernel of the named sets on `arch`; of the backend's essential sets if none is named."""
    from ..backends.expansion import expansion_of

    if not arch or not (names or backend):
        raise SelectionError(
            "there is nothing to build: no problem was given",
            remedy="give a problem, or --arch with --set or --backend",
        )
    files, shipped = ([n for n in names if n.endswith(CPP_SUFFIXES) == is_file] for is_file in (True, False))
    wanted = [s for s in _with_parts(shipped, backend) if s.serves(arch)] if shipped or not files else []
    wanted += [s for s in named_sets(files) if s.serves(arch) and backend in ("", s.backend)]
    found = {spec.digest: spec for kernel_set in wanted for spec in expansion_of(kernel_set, arch).specs}
    if not found:
        what = " and ".join(names) or f"the essential sets of {backend}"
        raise SelectionError(f"{what} have no kernel for {arch}", remedy="choose another set or arch: --set NAME")
    return list(found.values())


def _with_parts(names: Sequence[str], backend: str) -> list[KernelSet]:
    """Return the named sets with their parts (`NAME.rdna` is a part of NAME), or the essential sets of a backend."""
    known = [s for s in shipped_sets().values() if backend in ("", s.backend)]
    if not names:
        return [s for s in known if "essential" in s.name]
    bases = {s.name.split(".")[0] for s in known} | {s.name for s in known}
    for name in names:
        check_known("kernel set", name, bases)
    return [s for s in known if s.name in names or s.name.split(".")[0] in names]


def read_spec(text: str, correct: bool = False) -> KernelSpec:
    """Return a kernel spec from JSON text or from a file; with `correct`, the nearest legal one."""
    from ..backends.plain import spec_from_dict

    given = text.lstrip().startswith("{")
    spec = spec_from_dict(parse_json(text, "--spec") if given else read_json(text, what=f"--spec {text}"))
    return _corrected(spec) if correct else spec


def read_sweep(path: str, problems: Sequence[Problem], arch: str, backend: str = "") -> Sequence[KernelSet]:
    """Return the sets that a file declares, for `backend` or the first one for `arch` (this CPU if it is empty)."""
    op = problems[0].op
    name = backend or _backend_of(problems[0], arch)
    try:
        return _read_for(name, path, problems)
    except SchemaError as error:
        others = [b for b in _backends_with(op) if b not in (name, backend)]
        for other in others if not backend else ():
            try:
                _read_for(other, path, problems)
            except SchemaError:
                continue
            raise SelectionError(
                f"{path} declares kernels of {other}, which do not run on {arch or problems[0].device}",
                remedy="choose an arch of that backend with --arch, see `tilewright support`",
            ) from None
        raise error


def _read_for(backend: str, path: str, problems: Sequence[Problem]) -> Sequence[KernelSet]:
    """Return the sets of a file in the format of `backend`."""
    from ..backends import get_backend_op

    op = get_backend_op(backend, problems[0].op)
    signatures = [p.signature for p in problems if p.op == op.op]
    return op.read_sweep(path, signatures)


def _backends_with(op: str) -> list[str]:
    from ..backends import backend_names, get_backend

    return [name for name in backend_names() if op in get_backend(name).op_names()]


def _backend_of(problem: Problem, arch: str) -> str:
    from ..backends import get_backend

    kinds = _arch_kinds(arch, problem.device)
    for name in _backends_with(problem.op):
        if kinds.intersection(get_backend(name).arch_kinds):
            return name
    raise SelectionError(
        f"no backend computes {problem.op} on {arch or problem.device}", remedy="see `tilewright support`"
    )
