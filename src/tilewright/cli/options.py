"""Options that several commands share, and the settings and dispatchers made from them."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ..settings import PREFIX, Settings

if TYPE_CHECKING:
    from ..dispatcher import Dispatcher

PROBLEM_HELP = "A problem as JSON text, a file of JSON lines, or - for standard input."

AsJson = Annotated[bool, typer.Option("--json", help="Print JSON, for programs.")]
ProblemText = Annotated[str, typer.Argument(metavar="PROBLEM", help=PROBLEM_HELP, show_default=False)]
ProblemTexts = Annotated[list[str], typer.Argument(metavar="PROBLEM", help=PROBLEM_HELP, show_default=False)]
ArchName = Annotated[str, typer.Option("--arch", metavar="ARCH", help="Use this arch instead of this machine.")]
BackendName = Annotated[
    str, typer.Option("--backend", metavar="NAME", help="Consider only the kernels of this backend.")
]
DeviceName = Annotated[
    str,
    typer.Option(
        "--device",
        metavar="NAME",
        help="Device: cpu, cuda, cuda:1, hip:0, the arch of a GPU of this machine, or emu:gfx942 (emulated).",
    ),
]
Threads = Annotated[
    int, typer.Option("--threads", metavar="N", min=0, help="CPU threads of a kernel; 0: TILEWRIGHT_THREADS or all.")
]
SelectorName = Annotated[
    str, typer.Option("--selector", metavar="NAME", help="Selector that ranks candidates; empty: the setting.")
]
Strict = Annotated[bool, typer.Option("--strict", help="Make every fallback an error.")]
NoBuild = Annotated[bool, typer.Option("--no-build", help="Use only kernels that are built already: --build never.")]
Build = Annotated[
    str,
    typer.Option(
        "--build",
        metavar="POLICY",
        help="If a kernel is not built: wait, background or never; empty: TILEWRIGHT_BUILD, or wait.",
    ),
]
Vendor = Annotated[
    bool | None,
    typer.Option(
        "--vendor/--no-vendor",
        help="Let libraries of others compete; the default is the setting, and no for bench.",
        show_default=False,
    ),
]
Seed = Annotated[int, typer.Option("--seed", metavar="N", min=0, help="Seed of the random tensors.")]


def settings_of(
    threads: int = 0, selector: str = "", strict: bool = False, build: str = "", sanitize: bool = False
) -> Settings:
    """Return the environment's settings, overridden by the options of a command."""
    return Settings.from_env(
        threads=threads or None,
        selector=selector or None,
        strict=strict or None,
        build=build or (None if f"{PREFIX}BUILD" in os.environ else "wait"),  # a command has time
        sanitize=sanitize or None,
    )


def dispatcher_of(settings: Settings, backend: str = "") -> Dispatcher:
    """Return a dispatcher with the default registry, or with one backend's part of it."""
    from ..dispatcher import Dispatcher
    from ..registry import default_registry

    return Dispatcher(default_registry((backend,) if backend else (), vendor=settings.vendor), settings=settings)


def quiet_progress(as_json: bool) -> Any:
    """Return how a build shows progress: live or in lines on stderr; not at all if JSON is printed."""
    from ..jit.progress import NoProgress, progress_for

    return NoProgress() if as_json else progress_for()
