"""`run`: a problem on random tensors, compared with the reference where asked."""

from __future__ import annotations

import time
from typing import Annotated, Any

import typer

from .options import (
    AsJson,
    DeviceName,
    NoBuild,
    ProblemText,
    Seed,
    SelectorName,
    Strict,
    Threads,
    dispatcher_of,
    quiet_progress,
    settings_of,
)
from .output import note_events, print_json
from .problems import placed, read_problems

Check = Annotated[bool, typer.Option("--check", help="Compare the result with the reference; exit 1 where it differs.")]
Tier = Annotated[
    str,
    typer.Option("--tier", metavar="NAME", help="Check by float64, device, rows or projection; empty: by the size."),
]


def run(
    problem: ProblemText,
    check: Check = False,
    tier: Tier = "",
    seed: Seed = 0,
    device: DeviceName = "",
    threads: Threads = 0,
    selector: SelectorName = "",
    strict: Strict = False,
    no_build: NoBuild = False,
    as_json: AsJson = False,
) -> None:
    """Run a problem on random tensors.

    With the kernel that the dispatcher selects; --check compares the result with the reference.
    """
    from ..errors import UnknownNameError
    from ..ops.verify import TIERS
    from ..report.tables import Table, milliseconds, rate
    from ..tune.bench import prebuild

    if tier and tier not in TIERS:
        raise UnknownNameError("verification tier", tier, TIERS)
    check = check or bool(tier)
    dispatcher = dispatcher_of(settings_of(threads, selector, strict, no_build))
    problems = placed(read_problems([problem]), device)
    prebuild(dispatcher, problems, quiet_progress(as_json))
    rows = [_run_one(dispatcher, p, seed, check, tier or None) for p in problems]
    note_events([e.message for e in dispatcher.events])
    if as_json:
        print_json(rows[0] if len(rows) == 1 else rows)
    else:
        columns = ["problem", "kernel", "ms", "FLOP/s"]
        table = Table([*columns, "check", "error", "tolerance", "tier"] if check else columns, right=["ms", "FLOP/s"])
        for row in rows:
            shown = [row["label"], row["kernel"], milliseconds(row["time_ms"]), rate(row["tflops"])]
            if check:
                shown += ["ok" if row["ok"] else "WRONG", f"{row['error']:.3g}", f"{row['tolerance']:.3g}", row["tier"]]
            table.add(*shown)
        table.show()
    if any(row.get("ok") is False for row in rows):
        raise typer.Exit(1)


def _run_one(dispatcher: Any, problem: Any, seed: int, check: bool, tier: str | None) -> dict[str, Any]:
    """One run after a warm-up, by the clock; `bench` is what measures with care."""
    from ..backends import get_backend_op
    from ..ops import get_op
    from ..tune.gpu_timer import wait_for

    op = get_op(problem.op)
    tensors = op.random_tensors(problem, seed)
    bound = dispatcher.bind(problem, **tensors)
    bound()
    wait_for(problem.device)
    start = time.perf_counter()
    out = bound()
    wait_for(problem.device)
    seconds = time.perf_counter() - start
    candidate = bound.plan.candidate
    row = {
        "problem": problem.to_dict(),
        "label": problem.label(),
        "kernel": bound.plan.kernel,
        "digest": candidate.spec.digest if candidate else None,
        "time_ms": seconds * 1e3,
        "tflops": problem.flops / seconds / 1e12,
    }
    if check:
        allowed = get_backend_op(candidate.spec.backend, problem.op).product_error(candidate.spec) if candidate else 0.0
        result = op.verify(problem, tensors, out, tier=tier, product_error=allowed, seed=seed)
        row |= {"ok": result.ok, "error": result.error, "tolerance": result.tolerance, "tier": result.tier}
    return row
