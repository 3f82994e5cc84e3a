"""`demo`: every step of a kernel, from the hardware to a verified, timed result, on a list of common problems."""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import exp, log
from typing import TYPE_CHECKING, Annotated, Any

import typer

from .. import __version__
from ..errors import plural
from ..model.json_text import Json
from ..model.problem import Problem
from .options import AsJson, Threads, quiet_progress, settings_of
from .output import note, note_events, print_json

if TYPE_CHECKING:
    from ..dispatcher import Dispatcher
    from ..tune.bench.ceilings import Bound
    from ..tune.bench.record import BenchRecord

Quick = Annotated[
    bool, typer.Option("--quick", help="Small problems and few samples: a quick check, not a measurement.")
]

DISTURBED = "disturbed"  # instead of a share above 100%
BIAS = {"d": [{"dtype": "fp32", "broadcast": "row"}], "epilogue": {"activation": "gelu_tanh"}}
PROBLEMS: tuple[tuple[str, Json], ...] = (
    ("square fp32", {"m": 1024, "n": 1024, "k": 1024, "dtype": "fp32", "layout": "rrr"}),
    ("few rows fp32", {"m": 16, "n": 2048, "k": 2048, "dtype": "fp32", "layout": "rrr"}),
    ("one row fp32", {"m": 1, "n": 2048, "k": 2048, "dtype": "fp32", "layout": "rcr"}),
    ("square bf16", {"m": 1024, "n": 1024, "k": 1024, "dtype": "bf16", "layout": "rcr"}),
    ("square fp16", {"m": 512, "n": 1024, "k": 1024, "dtype": "fp16", "layout": "rcr"}),
    ("square int8", {"m": 1024, "n": 1024, "k": 1024, "dtype": "int8", "layout": "rrr"}),
    ("bias + GELU", {"m": 512, "n": 1024, "k": 512, "dtype": "fp32", "layout": "rrr", **BIAS}),
    ("odd sizes", {"m": 333, "n": 777, "k": 555, "dtype": "fp32", "layout": "rcr"}),
    ("batched", {"m": 256, "n": 256, "k": 256, "batch": 8, "dtype": "fp32", "layout": "rrr"}),
)


@dataclass(frozen=True)
class Line:
    """One problem of the demo: title, measurement, kernel, reason of the choice, and what bounds it."""

    title: str
    record: BenchRecord
    kernel: str
    why: str
    bound: Bound

    @property
    def share(self) -> float:
        """The part of the ceiling that was reached; above 1 if the measurement of the ceiling was disturbed."""
        return self.bound.share((self.record.time_ms or 0.0) / 1e3)

    @property
    def peak(self) -> str:
        """The share of the ceiling, with its name, for readers."""
        return f"{f'{self.share:.0%}' if self.share <= 1.0 else DISTURBED} {self.bound.name}"


def demo(quick: Quick = False, threads: Threads = 0, as_json: AsJson = False) -> None:
    """Build, run, verify and time kernels on this machine.

    Shows this machine, declares kernel sets, builds the chosen kernels in parallel, runs a list of problems, checks
    each against the reference and compares its time with NumPy's.
    """
    from ..dispatcher import Dispatcher
    from ..ops import problem_from_dict
    from ..report.tables import fitted

    shown = sys.stderr if as_json else sys.stdout
    settings = settings_of(threads)
    problems = [problem_from_dict({"op": "gemm", **_sized(p, quick)}) for _, p in PROBLEMS]
    dispatcher = Dispatcher(_declare(), settings=settings)
    _print_machine(dispatcher, shown)
    _print_sets(dispatcher, problems, shown)
    start = time.monotonic()
    dispatcher.warm_up(problems, progress=quiet_progress(as_json))
    build_seconds = time.monotonic() - start
    lines = _measure(dispatcher, problems, quick)
    if as_json:
        print_json({"build_seconds": build_seconds, "problems": [_line_dict(line) for line in lines]})
    else:
        _print_table(lines)
        print()
        print("\n".join(map(fitted, _closing(lines, build_seconds).split("\n"))))
    note_events([e.message for e in dispatcher.events])
    wrong = [line.title for line in lines if not line.record.ok]
    if wrong:
        note(f"WRONG results: {', '.join(wrong)}")
        raise typer.Exit(1)


def _sized(problem: Json, quick: bool) -> Json:
    """Return the problem itself, or the same with every size divided by four."""
    return {k: max(1, v // 4) if quick and k in ("m", "n", "k") else v for k, v in problem.items()}


def _declare() -> Any:
    """Return a new registry with the CPU backend's kernel sets."""
    from ..backends import get_backend_op
    from ..registry import Registry

    registry = Registry("demo")
    for kernel_set in get_backend_op("cpu", "gemm").default_sets():
        registry.declare(kernel_set)
    return registry


def _print_machine(dispatcher: Dispatcher, stream: Any) -> None:
    from ..backends import get_backend
    from ..jit import find_compiler

    settings = dispatcher.settings
    [device] = get_backend("cpu").devices(settings)
    compiler = find_compiler(settings)
    print(f"tilewright {__version__}", file=stream)
    print(f"  machine   {device.name}, {device.threads} threads", file=stream)
    print(f"  arch      {device.arch} (found at run time)", file=stream)
    print(f"  compiler  {compiler.path} ({compiler.family} {compiler.version})", file=stream)
    print(f"  cache     {dispatcher.cache.root}\n", file=stream)


def _print_sets(dispatcher: Dispatcher, problems: Sequence[Problem], stream: Any) -> None:
    from ..report.tables import fitted

    found = [dispatcher.explain(p) for p in problems]
    legal = sum(len({r.candidate.spec.digest for r in e.ranked}) for e in found)
    rejected = sum(len(e.rejected) for e in found)
    sets = dispatcher.registry.sets()
    names = f"Declared {len(sets)} kernel sets: {', '.join(s.name for s in sets)}."
    counts = (
        f"For {len(problems)} problems they hold {legal + rejected:,} kernels; rules removed {rejected:,} that this "
        f"machine or problem does not allow, {legal:,} are legal. Building the chosen ones:"
    )
    print("\n".join(fitted(text, 0, stream) for text in (names, counts)), file=stream, flush=True)


def _measure(dispatcher: Dispatcher, problems: Sequence[Problem], quick: bool) -> list[Line]:
    from ..report.tables import shortened
    from ..tune.bench.ceilings import Ceilings
    from ..tune.bench.peers_numpy import NumpyPeer
    from ..tune.bench.record import bench_problem
    from ..tune.measure.timer import Policy

    policy = Policy.for_threads(dispatcher.settings.resolved_threads(), rounds=7, max_seconds=2.0)
    if quick:
        policy = replace(policy, rounds=3, min_sample_ms=0.5, warmup_ms=1.0)
    ceilings, lines = Ceilings(dispatcher.settings, dispatcher.cache), []
    for (title, _), problem in zip(PROBLEMS, problems, strict=True):
        record = bench_problem(dispatcher, problem, [NumpyPeer(widen=True)], policy)
        candidate = dispatcher.plan(problem).candidate
        assert candidate is not None
        kernel = shortened(candidate.spec.name).replace("_", " ")  # two words, which a narrow column breaks
        why = _why(dispatcher, problem, candidate)
        bound = ceilings.bound_above(problem, candidate.spec, (record.time_ms or 0.0) / 1e3)
        lines.append(Line(title, record, kernel, why, bound))
    return lines


def _why(dispatcher: Dispatcher, problem: Problem, candidate: Any) -> str:
    """Return the rank of the choice with its predicted time, and how many better ranked ones failed to build."""
    ranked = dispatcher.explain(problem).ranked
    place = next(i for i, r in enumerate(ranked) if r.candidate == candidate)
    predicted = ranked[place].seconds
    time_told = f": {predicted * 1e3:.3g} ms predicted" if predicted is not None else ""
    after = f", {place} failed to build" if place else ""
    return f"best of {len(ranked)}{after}{time_told}"


def _print_table(lines: Sequence[Line]) -> None:
    from ..report.tables import NOISY, WIDEST_INTERVAL, Table, fitted, is_noisy, milliseconds, peer_ratio, rate

    columns = ["problem", "m x n x k", "kernel chosen", "why", "ms", "FLOP/s", "of peak", "vs NumPy", "check"]
    table = Table(columns, right=["ms", "FLOP/s", "of peak", "vs NumPy"])
    for line in lines:
        r, p = line.record, line.record.problem
        sizes = "x".join(str(p[name]) for name in ("batch", "m", "n", "k") if name in p)
        speed = peer_ratio(r.peers["numpy"]) + ("*" if _widened(r) else "")
        check = "ok" if r.ok else "WRONG"
        table.add(line.title, sizes, line.kernel, line.why, milliseconds(r.time_ms), rate(r.tflops), line.peak, speed,
                  check)  # fmt: skip
    print()
    table.show()
    notes = [
        "of peak:  share of the limit just measured on this machine with all threads: multiply-adds without loads "
        "(FMA, VNNI, AMX; on Arm, dot and mm make 4 and 8 int8 products for each of FMA), or reading as many bytes; "
        "the limit that applies is named",
        "vs NumPy: relative speed, interleaved in one run; * NumPy multiplies the same sizes in fp32, because it has "
        "no fast product of this dtype",
    ]
    if any(line.share > 1.0 for line in lines):
        notes.insert(1, f"{DISTURBED}: a kernel beat the limit, so other programs disturbed the limit's measurement")
    if any(is_noisy(line.record.peers["numpy"]) for line in lines):
        notes.append(f"{NOISY}: the ratios of the rounds differ by more than a factor of {WIDEST_INTERVAL}")
    print()
    for text in notes:
        print(fitted(text, 10))


def _widened(record: BenchRecord) -> bool:
    from ..tune.bench.peers_numpy import WIDENED

    return bool(record.peers["numpy"].get("call") == WIDENED)


def _closing(lines: Sequence[Line], build_seconds: float) -> str:
    good = sum(line.record.ok for line in lines)
    return (
        f"{good} of {len(lines)} results match the reference. tilewright chose a kernel for each problem and built "
        f"them for this machine in {build_seconds:.1f} s. {_speed(lines)}\n"
        "The kernels are cached, so the next run builds nothing. "
        "Next: `tilewright explain` with a problem, or docs/getting-started.md."
    )


def _speed(lines: Sequence[Line]) -> str:
    """Say how fast the kernels are, by the figures that can be trusted."""
    from ..report.tables import is_noisy

    peers = [line.record.peers["numpy"] for line in lines if not _widened(line.record)]
    ratios = [p["ratio"] for p in peers if p["ratio"] and not is_noisy(p)]
    sure = [line for line in lines if line.share <= 1.0]
    if not ratios or not sure:
        return "This machine is too busy to say how fast they are: run the demo again when it is idle."
    mean, best = exp(sum(map(log, ratios)) / len(ratios)), max(sure, key=lambda line: line.share)
    noisy = len(peers) - len(ratios)
    which = f"the {len(peers)} fp32 problems"
    if noisy:
        which = f"{plural(len(ratios), 'fp32 problem')} ({noisy} more could not be timed: the machine is busy)"
    return (
        f"On {which} they run {mean:.2f} times as fast as NumPy (geometric mean); '{best.title}' reaches "
        f"{best.share:.0%} of the hardware limit."
    )


def _line_dict(line: Line) -> Json:
    peak = {"bound": line.bound.name, "share": line.share, "disturbed": line.share > 1.0}
    return {"title": line.title, "why": line.why, "peak": peak, **line.record.to_dict()}
