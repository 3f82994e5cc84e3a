"""`run`: run a problem on random tensors and, with --check, compare the result with the reference."""

from __future__ import annotations

import time
from functools import partial
from typing import Annotated, Any

import typer

from ..model.inexact import Inexact
from ..model.problem import Problem
from .groups import takes_groups
from .kernels import Kernels
from .options import AsJson, ProblemText, Seed, quiet_progress
from .output import note_events, print_json

Check = Annotated[
    bool, typer.Option("--check", help="Compare the result with the reference; exit with 1 if it is wrong.")
]
Sanitize = Annotated[
    bool,
    typer.Option(
        "--sanitize", help="Check an emulated GPU for races, missing waits and similar faults; exit with 1 if any."
    ),
]
Tier = Annotated[
    str,
    typer.Option(
        "--tier", metavar="NAME", help="Check by float64, device, rows or projection; empty: depends on the size."
    ),
]


@takes_groups
def run(
    problem: ProblemText,
    check: Check = False,
    tier: Tier = "",
    sanitize: Sanitize = False,
    seed: Seed = 0,
    *,
    kernels: Kernels,
    as_json: AsJson = False,
) -> None:
    """Run a problem on random tensors.

    Uses the kernel that the dispatcher selects, or one you choose; --check compares the result with the reference.
    """
    from ..errors import DeviceError, UnknownNameError
    from ..model.device import is_emulated
    from ..ops.verify import TIERS
    from ..report.tables import Table
    from ..tune.bench.record import candidates_of, prebuild

    if tier and tier not in TIERS:
        raise UnknownNameError("verification tier", tier, TIERS)
    check = check or bool(tier)
    problems, everything = kernels.problems([problem]), kernels.everything
    if sanitize and not all(is_emulated(p.device) for p in problems):
        raise DeviceError("the sanitizer watches emulated GPUs only", remedy="add --device emu:gfx942, or another arch")
    dispatcher = kernels.dispatcher(problems, sanitize)
    prebuild(dispatcher, problems, quiet_progress(as_json), everything)
    asked = [(p, c) for p in problems for c in (candidates_of(dispatcher, p) if everything else [None])]
    rows = [_run_one(dispatcher, p, seed, check, tier or None, c) for p, c in asked]
    note_events([e.message for e in dispatcher.events])
    if as_json:
        print_json(rows[0] if len(rows) == 1 else rows)
    else:
        columns = ["problem", "kernel", *(["launch"] if everything else []), "ms", "FLOP/s"]
        table = Table([*columns, "check", "error", "tolerance", "tier"] if check else columns, right=["ms", "FLOP/s"])
        for row in rows:
            launch = [row.get("launch")] if everything else []
            shown = [row["label"], row["kernel"], *launch, *_speed(row)]
            if check:
                shown += ["ok" if row["ok"] else "WRONG", f"{row['error']:.3g}", f"{row['tolerance']:.3g}", row["tier"]]
            table.add(*shown)
        table.show()
        for row in rows:
            for finding in row.get("findings", []):
                print(f"\n{finding['text']}")
        if sanitize and not any(row["findings"] for row in rows):
            print("\nthe sanitizer found nothing")
    if any(row.get("ok") is False or row.get("findings") for row in rows):
        raise typer.Exit(1)


def _speed(row: dict[str, Any]) -> tuple[str | None, str | None]:
    """Time and rate as a table shows them; none of an emulated GPU."""
    from ..report.tables import milliseconds, rate

    timed = row["time_ms"] is not None
    return (milliseconds(row["time_ms"]), rate(row["tflops"])) if timed else (None, None)


def _run_one(
    dispatcher: Any, problem: Problem, seed: int, check: bool, tier: str | None, candidate: Any = None
) -> dict[str, Any]:
    """Run once after a warm-up and time it roughly (`bench` measures carefully); use `candidate` if it is given."""
    from ..backends import get_backend_op
    from ..model.device import is_emulated
    from ..ops import get_op

    op = get_op(problem.op)
    tensors = op.random_tensors(problem, seed)
    bind = partial(dispatcher.bind_to, candidate) if candidate is not None else dispatcher.bind
    bound = bind(problem, **dispatcher.stored(problem, tensors))
    findings = _watched(bound) if dispatcher.settings.sanitize else None
    seconds = None if is_emulated(problem.device) else _seconds(bound, problem.device)
    out = tensors[op.out_roles(problem)[0]] if findings is not None else bound()
    launch = {} if candidate is None else {"launch": candidate.launch.label()}
    candidate = bound.plan.candidate
    row = {
        "problem": problem.to_dict(),
        "label": problem.label(),
        "kernel": bound.plan.kernel,
        "digest": candidate.spec.digest if candidate else None,
        **launch,
        "time_ms": seconds * 1e3 if seconds else None,
        "tflops": problem.flops / seconds / 1e12 if seconds else None,
    }
    if findings is not None:
        row["findings"] = [{**vars(f), "text": str(f)} for f in findings]
    if check:
        backend = get_backend_op(candidate.spec.backend, problem.op) if candidate else None
        allowed = backend.product_error(candidate.spec, candidate.launch) if backend else Inexact()
        result = op.verify(problem, tensors, out, tier=tier, product_error=allowed, seed=seed)
        row |= {"ok": result.ok, "error": result.error, "tolerance": result.tolerance, "tier": result.tier}
    return row


def _seconds(bound: Any, device: str) -> float:
    """How long a second call takes; the first one warms up."""
    from ..tune.measure.gpu_timer import wait_for

    bound()
    wait_for(device)
    start = time.perf_counter()
    bound()
    wait_for(device)
    return time.perf_counter() - start


def _watched(bound: Any) -> list[Any]:
    """What the sanitizer finds in one call, whose results are then in their tensors."""
    from ..errors import SanitizerError

    try:
        bound()
    except SanitizerError as error:
        return list(error.findings)
    return []
