"""`run`: run a problem on random tensors and, with --check, compare the result with the reference."""

from __future__ import annotations

import time
from functools import partial
from typing import Annotated, Any

import typer

from .options import (
    AsJson,
    BackendName,
    DeviceName,
    NoBuild,
    ProblemText,
    Seed,
    SelectorName,
    Strict,
    Threads,
    quiet_progress,
    settings_of,
)
from .output import note_events, print_json
from .problems import placed, read_problems
from .sets import Correct, Exhaustive, Sets, Specs, Sweeps, dispatcher_with

Check = Annotated[
    bool, typer.Option("--check", help="Compare the result with the reference; exit with 1 if it is wrong.")
]
Tier = Annotated[
    str,
    typer.Option(
        "--tier", metavar="NAME", help="Check by float64, device, rows or projection; empty: depends on the size."
    ),
]


def run(
    problem: ProblemText,
    check: Check = False,
    tier: Tier = "",
    seed: Seed = 0,
    device: DeviceName = "",
    backend: BackendName = "",
    sets: Sets = [],  # noqa: B006 - Typer copies it
    sweeps: Sweeps = [],  # noqa: B006
    specs: Specs = [],  # noqa: B006
    correct: Correct = False,
    everything: Exhaustive = False,
    threads: Threads = 0,
    selector: SelectorName = "",
    strict: Strict = False,
    no_build: NoBuild = False,
    as_json: AsJson = False,
) -> None:
    """Run a problem on random tensors.

    Uses the kernel that the dispatcher selects, or one you choose; --check compares the result with the reference.
    """
    from ..errors import UnknownNameError
    from ..ops.verify import TIERS
    from ..report.tables import Table, milliseconds, rate
    from ..tune.bench.record import candidates_of, prebuild

    if tier and tier not in TIERS:
        raise UnknownNameError("verification tier", tier, TIERS)
    check = check or bool(tier)
    problems = placed(read_problems([problem]), device)
    settings = settings_of(threads, selector, strict, no_build)
    dispatcher = dispatcher_with(settings, sets, sweeps, problems, "", backend, specs, correct)
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
            shown = [row["label"], row["kernel"], *launch, milliseconds(row["time_ms"]), rate(row["tflops"])]
            if check:
                shown += ["ok" if row["ok"] else "WRONG", f"{row['error']:.3g}", f"{row['tolerance']:.3g}", row["tier"]]
            table.add(*shown)
        table.show()
    if any(row.get("ok") is False for row in rows):
        raise typer.Exit(1)


def _run_one(
    dispatcher: Any, problem: Any, seed: int, check: bool, tier: str | None, candidate: Any = None
) -> dict[str, Any]:
    """Run once after a warm-up and time it roughly (`bench` measures carefully); use `candidate` if it is given."""
    from ..backends import get_backend_op
    from ..ops import get_op
    from ..tune.measure.gpu_timer import wait_for

    op = get_op(problem.op)
    tensors = op.random_tensors(problem, seed)
    bind = partial(dispatcher.bind_to, candidate) if candidate is not None else dispatcher.bind
    bound = bind(problem, **tensors)
    bound()
    wait_for(problem.device)
    start = time.perf_counter()
    out = bound()
    wait_for(problem.device)
    seconds = time.perf_counter() - start
    launch = {} if candidate is None else {"launch": candidate.launch.label()}
    candidate = bound.plan.candidate
    row = {
        "problem": problem.to_dict(),
        "label": problem.label(),
        "kernel": bound.plan.kernel,
        "digest": candidate.spec.digest if candidate else None,
        **launch,
        "time_ms": seconds * 1e3,
        "tflops": problem.flops / seconds / 1e12,
    }
    if check:
        allowed = get_backend_op(candidate.spec.backend, problem.op).product_error(candidate.spec) if candidate else 0.0
        result = op.verify(problem, tensors, out, tier=tier, product_error=allowed, seed=seed)
        row |= {"ok": result.ok, "error": result.error, "tolerance": result.tolerance, "tier": result.tier}
    return row
