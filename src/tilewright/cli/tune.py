"""`tune`: measure verified candidates in isolated processes, then train and evaluate the selection model."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ..errors import TilewrightError, plural
from .amounts import SECONDS, amount_of
from .options import AsJson, Threads, quiet_progress, settings_of
from .output import note, print_json
from .problems import read_problems

if TYPE_CHECKING:
    from ..settings import Settings
    from ..tune.learn.session import Outcome

BUDGETS = {"": 1, **{unit: SECONDS[unit] for unit in "smh"}}
SHORT = 300.0  # seconds: below this, problems are small and of one layout, so that few kernels serve many

Problems = Annotated[
    list[str],
    typer.Argument(metavar="PROBLEM", help="Problems as for `bench`; none: a sample of typical ones."),
]
Budget = Annotated[str, typer.Option("--budget", metavar="TIME", help="Wall-clock limit: 60s, 10m, 2h; empty: none.")]
Count = Annotated[int, typer.Option("--count", metavar="N", min=0, help="Number of problems to draw if none is given.")]
Op = Annotated[str, typer.Option("--op", metavar="OP", help="The op to draw problems of.")]
Dtypes = Annotated[str, typer.Option("--dtype", metavar="NAMES", help="dtypes to draw, separated by commas.")]
Where = Annotated[str, typer.Option("--device", metavar="DEVICE", help="cpu, cuda, hip, or cuda:N, hip:N.")]
Cluster = Annotated[str, typer.Option("--cluster", metavar="ADDRESS", help="Measure on a Ray cluster (auto: join).")]
Top = Annotated[int, typer.Option("--top", metavar="N", min=1, help="Likely winners measured per problem.")]
Explore = Annotated[int, typer.Option("--explore", metavar="N", min=0, help="Other candidates measured per problem.")]
Kernels = Annotated[int, typer.Option("--kernels", metavar="N", min=0, help="Build at most N kernels; 0: no limit.")]
Rounds = Annotated[int, typer.Option("--rounds", metavar="N", min=1, help="Samples of the candidates near the best.")]
Patience = Annotated[
    float,
    typer.Option(
        "--patience", metavar="SECONDS", min=0.1, help="Seconds without a result after which a kernel counts as hung."
    ),
]
Refresh = Annotated[bool, typer.Option("--refresh", help="Measure again what the store already has.")]
Measure = Annotated[
    bool, typer.Option("--measure/--no-measure", help="--no-measure: only build, to measure later on an idle machine.")
]
Learn = Annotated[bool, typer.Option("--train/--no-train", help="Train and evaluate a model afterwards.")]
Seed = Annotated[int, typer.Option("--seed", metavar="N", min=0, help="Seed of the problems that are drawn.")]


def tune(
    problems: Problems = [],  # noqa: B006 - Typer copies it
    budget: Budget = "",
    count: Count = 0,
    op: Op = "gemm",
    dtypes: Dtypes = "bf16",
    device: Where = "cpu",
    cluster: Cluster = "",
    top: Top = 12,
    explore: Explore = 12,
    kernels: Kernels = 0,
    rounds: Rounds = 6,
    patience: Patience = 30.0,
    refresh: Refresh = False,
    measure: Measure = True,
    learn: Learn = True,
    seed: Seed = 0,
    threads: Threads = 0,
    as_json: AsJson = False,
) -> None:
    """Measure kernels on problems, and learn which to choose.

    Each candidate runs in a separate process: a crash, a hang or a wrong result is recorded, and the run continues.
    Measurements are stored at once; a run that was stopped continues where it was. Afterwards a selection model is
    trained and evaluated on held-out problems.
    """
    from ..dispatcher import Dispatcher
    from ..registry import default_registry
    from ..store import Store, store_path
    from ..tune.learn.session import TuneOptions, TuningSession
    from ..tune.measure.show import sweep_progress
    from ..tune.measure.task import SweepPolicy
    from ..tune.measure.timer import refuse_emulated

    refuse_emulated(device)
    seconds, settings = seconds_of(budget), settings_of(threads)
    wanted = read_problems(problems) if problems else drawn(op, count, seed, dtypes, device, seconds)
    wanted = [replace(p, device=device) if p.device != device else p for p in wanted]
    here = Dispatcher(settings=settings, selector="analytical").device_for(wanted[0])
    gpu = device != "cpu"
    if gpu:
        with suppress(ImportError):
            import torch  # noqa: F401  # the workers need it: so its kernels may be measured too
        threads = settings.resolved_threads()
        policy = SweepPolicy(threads, rounds=rounds, mode="queue", statistic="median", cache="rotate")
    else:
        policy = SweepPolicy.for_cpu(settings.resolved_threads(), rounds=rounds)
    options = TuneOptions(
        seconds=seconds, top=top, explore=explore, kernels=kernels, refresh=refresh, measure=measure, learn=learn
    )
    stations = stations_of(settings, device, cluster, patience)
    report = (lambda text: None) if as_json else note
    try:
        with Store(store_path(settings)) as store:
            store.put([])  # reports a folder that cannot be written before anything is built for it
            registry = default_registry(vendor=settings.vendor)
            session = TuningSession(registry, here, store, stations, settings, options, policy, report)
            outcome = session.run(wanted, sweep_progress(as_json), quiet_progress(as_json))
    finally:
        for station in stations:
            station.close()
    show(outcome, as_json)


def seconds_of(text: str) -> float | None:
    """Return the seconds of a budget; None if it is empty.

    >>> seconds_of("10m"), seconds_of("")
    (600.0, None)
    """
    if not text:
        return None
    found = amount_of(text, BUDGETS, "--budget", "60s, 10m or 2h")
    if not found:
        raise TilewrightError(f"--budget is {text!r}, which is no time at all", remedy="write 60s, 10m or 2h")
    return found


def drawn(op: str, count: int, seed: int, dtypes: str, device: str, seconds: float | None) -> list[Any]:
    """Return problems for a user who gave none: as many and as large as the time allows."""
    from importlib import import_module
    from importlib.util import find_spec

    from ..ops import get_op

    module = f"tilewright.ops.{get_op(op).name}.samples"
    if find_spec(module) is None:
        raise TilewrightError(f"problems of {op} cannot be drawn", remedy="give a file of problems")
    samples = import_module(module)
    number = count or (300 if seconds is None else int(min(2000, max(90, 5 * seconds))))
    short = device == "cpu" and seconds is not None and seconds < SHORT
    limits: dict[str, Any] = {"most_flops": max(3e7, 1e6 * (seconds or 0.0)), **samples.SHORT} if short else {}
    names = [d for d in dtypes.split(",") if d]
    return samples.sample_problems(number, seed, names, device, **limits)


def stations_of(settings: Settings, device: str, cluster: str, patience: float) -> list[Any]:
    """Return where to measure: this machine's CPU or GPUs, or the machines of a cluster."""
    from ..backends import backends_at, get_backend
    from ..tune.measure.station import LocalStation

    if cluster:
        from ..tune.measure.cluster import ray_stations

        return list(ray_stations(cluster, settings, device, patience))
    if device == "cpu":
        return [LocalStation(settings, patience=patience)]
    kind, _, number = device.partition(":")
    here = [place for name in backends_at(kind) for place in get_backend(name).placed(settings)]
    count = len({place for place in here if place.startswith(f"{kind}:")})
    chosen = [int(number)] if number else range(count)
    return [LocalStation(settings, gpu=i, patience=patience) for i in chosen]


def show(outcome: Outcome, as_json: bool) -> None:
    """Print what was measured and learnt."""
    from .evaluate import learnt_dict, show_learnt

    for text in (*outcome.notes, *(f"not built: {f}" for f in outcome.failed_builds)):
        note(text)
    for text in outcome.sweep.lost:
        note(f"lost: {text}")
    for text in outcome.sweep.failures[:5]:
        note(f"failed: {text}")
    if len(outcome.sweep.failures) > 5:
        note(f"{len(outcome.sweep.failures) - 5} more failures; `tilewright data show --status crash` and the like")
    if as_json:
        sweep = outcome.sweep
        print_json({
            "problems": sweep.problems, "measurements": sweep.measurements, "skipped": sweep.skipped,
            "statuses": dict(sweep.statuses), "rate": sweep.rate, "unfinished": sweep.unfinished,
            "shared": sweep.shared,
            "kernels": outcome.kernels, "seconds": outcome.seconds, "lost": sweep.lost,
            "learnt": [learnt_dict(x) for x in outcome.learnt],
        })  # fmt: skip
    else:
        taken, kernels = plural(outcome.sweep.measurements, "measurement"), plural(outcome.kernels, "kernel")
        print(f"{taken} of {kernels} in {outcome.seconds:.0f} s")
        for learnt in outcome.learnt:
            show_learnt(learnt)
    if has_failed(outcome):
        raise typer.Exit(1)


def has_failed(outcome: Outcome) -> bool:
    """Return whether no kernel was built or none that was measured is right, or lost stations left problems."""
    sweep = outcome.sweep
    none_built = not outcome.kernels and bool(outcome.failed_builds)
    none_right = sweep.measurements > 0 and not sweep.statuses["ok"]
    return none_built or none_right or bool(sweep.lost and sweep.unfinished)
