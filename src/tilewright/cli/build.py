"""`build`: build kernels into the cache, in parallel, with a live progress bar."""

from __future__ import annotations

import json
import sys
import threading
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from ..errors import SelectionError, plural
from ..model.json_text import Json
from ..model.problem import Problem
from .options import (
    PROBLEM_HELP,
    ArchName,
    AsJson,
    BackendName,
    SelectorName,
    dispatcher_of,
    quiet_progress,
    settings_of,
)
from .output import note, print_json
from .problems import read_problems
from .sets import Correct, Sets, Sweeps, dispatcher_with, kernels_of_sets, read_spec

Top = Annotated[
    int,
    typer.Option(
        "--top",
        metavar="N",
        min=0,
        show_default=False,
        help="Build the best N ranked kernels: by default 1; with sets, all.",
    ),
]
Workers = Annotated[int, typer.Option("--workers", metavar="N", min=0, help="Compilers at once; 0: one per core.")]
SomeProblems = Annotated[list[str], typer.Argument(metavar="PROBLEM", help=PROBLEM_HELP, show_default=False)]
SpecText = Annotated[
    str, typer.Option("--spec", metavar="SPEC", help="Build this kernel spec: JSON text, or a file with it.")
]
Verify = Annotated[
    bool,
    typer.Option("--verify", help="Execute each kernel for an AMD GPU on small problems in the emulator; slow."),
]
Counts = Annotated[
    Path | None,
    typer.Option(
        "--counts",
        metavar="FILE",
        help="With --verify: add what the kernels execute to FILE; see docs/amd-emulator.md.",
    ),
]
Retry = Annotated[bool, typer.Option("--retry-failed", help="Compile again what failed before.")]


def build(
    problems: SomeProblems = [],  # noqa: B006 - Typer copies it
    sets: Sets = [],  # noqa: B006
    sweeps: Sweeps = [],  # noqa: B006
    top: Top = 0,
    arch: ArchName = "",
    backend: BackendName = "",
    selector: SelectorName = "",
    workers: Workers = 0,
    retry_failed: Retry = False,
    verify: Verify = False,
    counts: Counts = None,
    spec: SpecText = "",
    correct: Correct = False,
    as_json: AsJson = False,
) -> None:
    """Build kernels into the cache, in parallel.

    Builds the kernels that the given problems need, so that none is compiled later: the best ranked ones, or all legal
    members of the named sets and sweep files. Without problems, builds every kernel of the named sets for --arch; with
    a backend and no set, its essential kernels. With --verify, kernels for AMD GPUs are executed after the build; the
    verdict is kept with each, and `show` prints it.
    """
    from ..jit import Artifact

    if counts is not None and not verify:
        raise SelectionError("--counts needs --verify: kernels are counted when they are executed")
    settings = settings_of(selector=selector)
    if problems:
        wanted = read_problems(problems)
        dispatcher = dispatcher_with(settings, sets, sweeps, wanted, arch, backend, correct=correct)
        specs = _chosen(dispatcher, wanted, arch, top or (None if sets or sweeps else 1))
    else:
        dispatcher = dispatcher_of(settings)
        specs = [read_spec(spec, correct)] if spec else kernels_of_sets(sets, backend, arch)[: top or None]
    recorder = Recorder(quiet_progress(as_json))
    start = time.monotonic()
    results = dispatcher.registry.build(
        workers or None,
        specs=specs,
        cache=dispatcher.cache,
        settings=dispatcher.settings,
        progress=recorder,
        cancel=threading.Event(),
        retry_failed=retry_failed,
    )
    failed = [r for r in results if not isinstance(r, Artifact)]
    by_digest = {s.digest: s for s in specs}
    verdicts = _verdicts(dispatcher, results, by_digest, quiet=as_json) if verify else None
    if counts is not None:
        _write_counts(counts, verdicts or {}, quiet=as_json)
    if as_json:
        print_json(_report(results, recorder, time.monotonic() - start, verdicts))
    else:
        _print_results(results, recorder, verdicts)
    if failed:
        if not as_json:
            _print_failure(failed[0], by_digest)
        note(f"{len(failed)} of {len(results)} kernels failed; the first: {failed[0].error()}")
        raise typer.Exit(1)
    if any(v is not None and v["state"] == "wrong" for v in (verdicts or {}).values()):
        raise typer.Exit(1)


def _verdicts(dispatcher: Any, results: Sequence[Any], specs: Json, quiet: bool) -> Json:
    """Return the verdict on each built kernel by build key; None for kernels that are not for an emulated GPU."""
    from ..jit import Artifact
    from ..tune.verify.record import in_words, verdict_on

    found: Json = {}
    built = [r for r in results if isinstance(r, Artifact)]
    for artifact in built:
        verdict = verdict_on(specs[artifact.spec_digest], artifact, dispatcher.cache, dispatcher.settings)
        found[artifact.build_key] = verdict
        if verdict is not None and not quiet:
            note(f"[{len(found)}/{len(built)}] executed {artifact.name}: {in_words(verdict)}")
    if None in found.values() and not quiet:
        note(f"not executed, because not for AMD GPUs: {plural(list(found.values()).count(None), 'kernel')}")
    return found


def _write_counts(path: Path, verdicts: Json, quiet: bool) -> None:
    """Add the counts of the kernels that were executed to a file."""
    from ..tune.verify.count import add_counts

    found = [v["counts"] for v in verdicts.values() if v is not None and v.get("counts")]
    added = add_counts(path, found)
    if not quiet:
        note(f"{added} kernels were added to {path} ({len(found)} have counts)")


def _print_failure(failure: Any, specs: Json) -> None:
    """Print the whole log on stderr, with the spec and the command that repeats the build."""
    spec = specs.get(failure.spec_digest)
    print(f"\n{failure.name}: {failure.reason}\n{failure.log}", file=sys.stderr)
    if spec is not None:
        text = json.dumps(spec.to_dict(), sort_keys=True)
        print(f"spec: {text}\nto repeat it: tilewright build --retry-failed --spec '{text}'\n", file=sys.stderr)


def _chosen(dispatcher: Any, problems: Sequence[Problem], arch: str, top: int | None) -> list[Any]:
    """Return the best `top` kernels of each problem (all if it is None), each once."""
    from ..dispatcher import no_candidate

    specs: Json = {}
    for problem in problems:
        explanation = dispatcher.explain(problem, arch or None)
        if explanation.chosen is None:
            raise no_candidate(explanation)
        distinct = {r.candidate.spec.digest: r.candidate.spec for r in explanation.ranked}
        specs.update(list(distinct.items())[:top])
    if not specs:
        raise SelectionError("there is nothing to build")
    return list(specs.values())


class Recorder:
    """A progress that also keeps the outcome of each kernel by name."""

    def __init__(self, shown: Any) -> None:
        self._shown = shown
        self.outcomes: dict[str, tuple[str, float]] = {}

    def start(self, total: int) -> None:
        """Pass it on."""
        self._shown.start(total)

    def begin(self, name: str) -> None:
        """Pass it on."""
        self._shown.begin(name)

    def done(self, name: str, seconds: float, status: str) -> None:
        """Keep it and pass it on."""
        self.outcomes[name] = (status, seconds)
        self._shown.done(name, seconds, status)

    def finish(self) -> None:
        """Pass it on."""
        self._shown.finish()


def _report(results: Sequence[Any], recorder: Recorder, seconds: float, verdicts: Any) -> Json:
    kernels = [_kernel_report(r, recorder) for r in results]
    for kernel in kernels if verdicts is not None else ():
        kernel["executed"] = verdicts.get(kernel["build_key"])
    counts = {status: sum(k["status"] == status for k in kernels) for status in ("built", "cached", "failed")}
    return {**counts, "seconds": round(seconds, 3), "kernels": kernels}


def _kernel_report(result: Any, recorder: Recorder) -> Json:
    from ..jit import Artifact

    status, seconds = recorder.outcomes.get(result.name, ("failed", result.seconds))
    common = {"kernel": result.name, "digest": result.spec_digest, "build_key": result.build_key, "status": status}
    if isinstance(result, Artifact):
        return {**common, "seconds": round(seconds, 3), "path": str(result.path)}
    return {**common, "seconds": round(seconds, 3), "reason": result.reason, "log": result.log}


def _print_results(results: Sequence[Any], recorder: Recorder, verdicts: Any) -> None:
    from ..report.tables import Table
    from ..tune.verify.record import in_words

    executed = ["executed"] if verdicts is not None else []
    table = Table(["kernel", "status", "seconds", *executed], right=["seconds"])
    for result in results:
        status, seconds = recorder.outcomes.get(result.name, ("failed", result.seconds))
        said = [in_words(verdicts.get(result.build_key))] if verdicts is not None else []
        table.add(result.name, status, f"{seconds:.2f}", *said)
    table.show()
