"""`bundle`: kernels, selection, headers and a CMake package in one folder. `cpp`: flags of the C++ headers."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ..arch import get_arch
from ..errors import ProblemError, SelectionError, plural
from ..jit.progress import noticed
from ..model.arch import CpuArch
from ..model.json_text import parse_json
from ..ops.problem_files import parse_problem
from .amounts import BYTES, amount_of
from .options import PROBLEM_HELP, ArchName, AsJson, BackendName, quiet_progress, settings_of
from .output import make_folder, note, print_json
from .problems import problem_texts
from .sets import SET_OPTION, named_sets, registry_of

if TYPE_CHECKING:
    from ..bundle.pick import Picked, Wanted
    from ..model.device import Device
    from ..settings import Settings

Problems = Annotated[list[str] | None, typer.Argument(metavar="PROBLEM", help=PROBLEM_HELP, show_default=False)]
ProblemFiles = Annotated[
    list[str] | None,
    typer.Option(
        "--problems", metavar="FILE", help="A file of problems, as JSON lines; `count` says how often each runs."
    ),
]
Sets = Annotated[list[str] | None, SET_OPTION]
Assembly = Annotated[
    bool, typer.Option("--assembly", help="Add the assembly text of GPU kernels, which the emulator executes.")
]
Out = Annotated[str, typer.Option("--out", metavar="DIR", help="The folder to write; an older bundle is replaced.")]
MaxSize = Annotated[str, typer.Option("--max-size", metavar="SIZE", help="The most bytes of kernels, such as 50MB.")]
Top = Annotated[int, typer.Option("--top", metavar="N", min=1, help="Consider the best N kernels of each problem.")]
CppFlags = Annotated[bool, typer.Option("--cflags", help="Print the compiler flags of the headers.")]
IncludeDir = Annotated[bool, typer.Option("--include", help="Print the folder of the headers.")]
Source = Annotated[bool, typer.Option("--source", help="Print the source behind the headers.")]


def bundle(
    problems: Problems = None,
    files: ProblemFiles = None,
    sets: Sets = None,
    arch: ArchName = "",
    backend: BackendName = "",
    top: Top = 4,
    max_size: MaxSize = "",
    out: Out = "bundle",
    assembly: Assembly = False,
    as_json: AsJson = False,
) -> None:
    """Write a bundle: kernels for some problems, and all that a C++ or Python program needs to choose and run them.

    With --arch of a GPU it holds kernels of the backend triton (or of --backend), compiled without that GPU.

    Takes the best kernels of each problem by predicted time, from the named sets or from all. With --max-size it takes
    those that save most time for their bytes, and says what was left out.
    """
    from ..bundle import make_bundle
    from ..bundle.files import kept_sizes
    from ..bundle.pick import pick, rank_kernels
    from ..bundle.write import build_kernels
    from ..registry import default_registry

    settings, limit = settings_of(), size_of(max_size) if max_size else None
    make_folder(Path(out).resolve().parent)
    gpu = bool(arch) and not isinstance(get_arch(arch), CpuArch)
    settings = replace(settings, cpu_arch=arch) if arch and not gpu else settings
    wanted = read_wanted([*(problems or []), *(files or [])])
    usual = backend or ("triton" if gpu else "cpu")
    registry = registry_of(named_sets(sets), backend) if sets else default_registry([usual])
    with noticed(f"ranking the kernels of {plural(len(wanted), 'problem')}", quiet=settings.quiet):
        rows, specs = rank_kernels(wanted, registry, _device(settings, arch), top)
    built = build_kernels(list(specs.values()), settings, quiet_progress(as_json))
    sizes = {digest: kept_sizes(spec, built[digest]) for digest, spec in specs.items()}
    picked = pick(rows, specs, sizes, limit)
    if not picked.specs:
        least = min(sum(files.values()) for files in sizes.values())
        raise SelectionError(f"no kernel fits into {max_size}", remedy=f"allow at least {least:,} bytes")
    with noticed(f"writing {out}; the first bundle compiles its runtime", quiet=settings.quiet):
        make_bundle(picked.specs, out, report=picked.report(), settings=settings, assembly=assembly)
    if as_json:
        print_json({"out": str(Path(out).resolve()), **picked.report()})
    else:
        _print(picked, out)


def _print(picked: Picked, out: str) -> None:
    print(f"{out}: {plural(len(picked.specs), 'kernel')}, {picked.bytes:,} bytes")
    print(f"covers {picked.covered:.1%} of the predicted time, {picked.slowdown:.3f} times the best kernels' time")
    for label in picked.uncovered:
        note(f"left out: {label} has no kernel")
    if picked.left_out:
        note(f"left out: {plural(len(picked.left_out), 'kernel')}, the first {picked.left_out[0]}")


def read_wanted(texts: list[str]) -> list[Wanted]:
    """Return problems with their counts; a line may have a field `count` in addition to those of a problem."""
    from ..bundle.pick import Wanted

    found = []
    for text in texts:
        for where, line in problem_texts(text):
            data = parse_json(line, where, error=ProblemError)
            count = data.pop("count", 1) if isinstance(data, dict) else 1
            if isinstance(count, bool) or not isinstance(count, (int, float)) or not 0 < count < 1e15:
                raise ProblemError(f"{where}: count is {count!r}; it must be a number above 0")
            found.append(Wanted(parse_problem(json.dumps(data), where), float(count)))
    if not found:
        raise ProblemError("no problem was given", remedy="give problems, or --problems FILE")
    return found


def size_of(text: str) -> int:
    """Return the bytes of a size such as 50MB or 512KiB.

    >>> size_of("50MB"), size_of("1.5 KiB")
    (50000000, 1536)
    """
    return int(amount_of(text, BYTES, "--max-size", "50MB", SelectionError))


def _device(settings: Settings, arch: str) -> Device:
    """Return this machine as a device of `arch`, or the nominal device of an arch that it does not run."""
    from ..backends.cpu.detect import host_archs, host_device
    from ..dispatcher import nominal_device

    if arch and get_arch(arch).name not in [a.name for a in host_archs()]:
        return nominal_device(arch)
    return host_device(settings)


def cpp(cflags: CppFlags = False, include: IncludeDir = False, source: Source = False, as_json: AsJson = False) -> None:
    """Print where the C++ headers and the source behind them are, and how to compile with them."""
    from ..bundle.write import HEADERS, SOURCES
    from ..jit.native_build import NATIVE

    folders = [str(HEADERS.parent), str(NATIVE)]
    flags: dict[str, Any] = {
        "include": folders,
        "cflags": ["-std=c++17", *(f"-I{f}" for f in folders)],
        "source": str(SOURCES / "tilewright.cpp"),
        "libs": ["-ldl"],
    }
    if as_json:
        print_json(flags)
    elif include:
        print(folders[0])
    elif cflags or source:
        print(" ".join([*(flags["cflags"] if cflags else ()), *([flags["source"]] if source else ())]))
    else:
        print(f"headers: {folders[0]}\nflags: {' '.join(flags['cflags'])}\nlink: {' '.join(flags['libs'])}")
        print(f"compile once: {flags['source']}")
        print("a bundle has copies of both and a CMake package: find_package(tilewright_bundle)")
