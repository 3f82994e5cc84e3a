"""`report`: one HTML page of results."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ..errors import TilewrightError, plural
from .options import AsJson, settings_of
from .output import note, print_json, write_text

if TYPE_CHECKING:
    from ..report.results import Results

Files = Annotated[
    list[str],
    typer.Argument(
        metavar="FILE",
        help="Results of bench, evaluate --json and audits (.jsonl, .json), and measurements (.parquet, .sqlite); "
        "none: your own store and cache.",
        show_default=False,
    ),
]
Out = Annotated[str, typer.Option("--out", metavar="FILE", help="The page to write; - for standard output.")]
Title = Annotated[str, typer.Option("--title", metavar="TEXT", help="Title of the page.")]
Explain = Annotated[
    int, typer.Option("--explain", metavar="N", min=0, help="Explain the choices of at most N problems.")
]
Ceil = Annotated[
    bool, typer.Option("--ceilings", help="Measure the ceilings of this CPU for the roofline of runs on it.")
]
Own = Annotated[bool, typer.Option("--own", help="Add your own store and cache to the files.")]


def report(
    files: Files = [],  # noqa: B006 - Typer copies it
    out: Out = "report.html",
    title: Title = "",
    explain: Explain = 200,
    own: Own = False,
    ceilings: Ceil = False,
    as_json: AsJson = False,
) -> None:
    """Write one self-contained HTML page of results.

    It shows speed against peers, rooflines, selectors against the best measured kernels, winners over shapes, build
    times, the state of AMD kernels, and a table of all choices. It needs no network. A section without data names the
    command that makes it.
    """
    from ..report.collect import collect
    from ..report.explains import explain_runs
    from ..report.page import render
    from ..report.tables import fitted

    if as_json and out == "-":
        raise TilewrightError("the page and --json would both be written to standard output", remedy="name a file")
    results = collect(files)
    if own or not files:
        _add_own(results)
    if ceilings:
        _measure_ceilings(results)
    why: dict[Any, str] = {}
    if explain and results.runs:
        from ..dispatcher import Dispatcher

        why = explain_runs(results.runs, lambda threads: Dispatcher(settings=settings_of(threads)), explain)
    write_text(out, render(results, why, title))
    held = {name: len(getattr(results, name)) for name in ("runs", "scores", "winners", "checks", "builds")}
    skipped = {s.name: (s.skipped, s.why) for s in results.sources if s.skipped}
    if as_json:
        left_out = {name: {"rows": rows, "why": reason} for name, (rows, reason) in skipped.items()}
        print_json({"file": out, "holds": held, "explained": len(why), "not used": left_out})
        return
    for name, (rows, reason) in skipped.items():
        note(f"{name}: {plural(rows, 'row')} not used: {reason}")
    if out != "-":
        print(fitted(f"{out}: {', '.join(f'{n} {name}' for name, n in held.items())}, {len(why)} explained"))


def _add_own(results: Results) -> None:
    from ..jit import Cache
    from ..jit.upkeep import build_times
    from ..report.collect import add_builds, add_measurements
    from ..store import Store, store_path

    settings = settings_of()
    path = Path(store_path(settings))
    if path.is_file():
        with Store(path) as store:
            add_measurements(results, store.rows(), "your store")
    add_builds(results, build_times(Cache.from_settings(settings)))


def _measure_ceilings(results: Results) -> None:
    """Measure what the CPU can multiply and read with each number of threads that a run on it had."""
    from ..report.results import Ceiling
    from ..tune.bench.ceilings import MAX_READ, Ceilings

    for run in {r.place: r for r in results.runs if r.threads}.values():
        found = Ceilings(settings_of(run.threads))
        if run.arch and run.arch != found.arch.name:
            note(f"{run.place}: measured on {run.arch}, and this CPU is {found.arch.name}; its ceilings are not shown")
            continue
        for name, rate in found.summary().items():
            results.add(Ceiling(run.place, "compute", name, rate, "measured"))
        results.add(Ceiling(run.place, "memory", "reading", found.read_rate(MAX_READ), "measured"))
