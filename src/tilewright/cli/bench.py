"""`bench`: time the kernel that the dispatcher selects, in turn with its peers in one run."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Annotated, Any, TextIO

import typer

from ..errors import TilewrightError
from ..model.json_text import json_text
from ..model.problem import Problem
from .groups import takes_groups
from .kernels import Kernels
from .options import AsJson, ProblemTexts, quiet_progress
from .output import note, note_events, print_json

if TYPE_CHECKING:
    from ..dispatcher import Dispatcher
    from ..tune.bench.record import BenchRecord
    from ..tune.measure.timer import Policy

Compare = Annotated[
    str, typer.Option("--compare", metavar="PEERS", help="Peers, separated by commas: numpy, torch, torch_compile.")
]
Out = Annotated[str, typer.Option("--out", metavar="FILE", help="Also write one JSON object per problem to this file.")]
Isolate = Annotated[
    bool | None,
    typer.Option(
        "--isolate/--no-isolate",
        help="Compare with each peer in its own process; the default for several peers on the CPU.",
        show_default=False,
    ),
]
Rounds = Annotated[
    int, typer.Option("--rounds", metavar="N", min=3, help="Number of interleaved samples; the median is reported.")
]
VENDOR = {False: "our own kernels only (--vendor lets libraries compete)", True: "libraries are candidates too"}
Cold = Annotated[bool, typer.Option("--cold", help="Empty the caches before each call.")]


@takes_groups
def bench(
    problems: ProblemTexts,
    compare: Compare = "",
    out: Out = "",
    isolate: Isolate = None,
    rounds: Rounds = 11,
    cold: Cold = False,
    *,
    kernels: Kernels,
    as_json: AsJson = False,
) -> None:
    """Time the selected kernels, or those you choose, and compare them with other libraries.

    Each result is verified, then timed in turn with its peers, so that ratios come from one run.
    """
    from ..tune.bench.peers import get_peer, parse_peers
    from ..tune.bench.record import candidates_of, prebuild
    from ..tune.measure.show import watched
    from ..tune.measure.timer import Policy, refuse_emulated

    wanted, names = kernels.problems(problems), parse_peers(compare)
    kernels = replace(kernels, vendor=bool(kernels.vendor))
    for problem in wanted:
        refuse_emulated(problem.device)
    versions = [get_peer(name).version() for name in names]
    dispatcher, everything = kernels.dispatcher(wanted), kernels.everything
    policy = Policy.for_threads(dispatcher.settings.resolved_threads(), cache="cold" if cold else "hot", rounds=rounds)
    apart = isolate if isolate is not None else len(names) > 1 and any(p.device == "cpu" for p in wanted)
    records = []
    with _Writer(out) as write:
        prebuild(dispatcher, wanted, quiet_progress(as_json), everything)
        total = sum(len(candidates_of(dispatcher, p)) for p in wanted) if everything else len(wanted)
        found = _records(dispatcher, wanted, names, policy, everything, _Apart(kernels.are_own) if apart else None)
        for record in found if as_json else watched(found, total):
            records.append(record)
            write(record)
    if as_json:
        print_json([r.to_dict() for r in records])
    else:
        _show(records, names, versions, everything)
        print(VENDOR[bool(kernels.vendor)])
    _finish(records)


@dataclass(frozen=True)
class _Apart:
    """Compares each peer in its own process; passes on the kernels of this process if they were chosen."""

    own_kernels: bool


def _records(
    dispatcher: Dispatcher,
    problems: Sequence[Problem],
    peers: Sequence[str],
    policy: Policy,
    everything: bool,
    apart: _Apart | None,
) -> Iterator[BenchRecord]:
    from ..tune.bench.isolate import bench_isolated
    from ..tune.bench.peers import get_peer
    from ..tune.bench.record import bench_problems, merge_records

    if apart is None:
        yield from bench_problems(dispatcher, problems, [get_peer(p) for p in peers], policy, everything)
        return
    settings = {**vars(dispatcher.settings), "threads": policy.threads, "selector": dispatcher.selector.name}
    plain, registry = [p.to_dict() for p in problems], dispatcher.registry.to_dict() if apart.own_kernels else None
    apiece = [[p] for p in peers] or [[]]
    runs = [bench_isolated(plain, some, policy, settings, registry, everything) for some in apiece]
    yield from map(merge_records, zip(*runs, strict=True))


class _Writer:
    """Writes each record at once as a JSON line, so that an interrupted run keeps its results."""

    def __init__(self, path: str) -> None:
        self._path = path
        self._file: TextIO | None = None

    def __enter__(self) -> Any:
        if self._path:
            try:
                self._file = open(self._path, "w")
            except OSError as error:
                raise TilewrightError(
                    f"cannot write {self._path}: {error.strerror}", remedy="choose a file in a writable folder"
                ) from None
        return self._write

    def _write(self, record: BenchRecord) -> None:
        if self._file is not None:
            print(json_text(record.to_dict()), file=self._file, flush=True)

    def __exit__(self, *_: Any) -> None:
        if self._file is not None:
            self._file.close()


def _show(records: Sequence[BenchRecord], peers: Sequence[str], versions: Sequence[str], everything: bool) -> None:
    from ..report.tables import NOISY, WIDEST_INTERVAL, Table, fitted, is_noisy, milliseconds, peer_ratio, rate

    speed = [f"vs {p}" for p in peers]
    launches = ["launch"] if everything else []
    columns = ["problem", "kernel", *launches, "ms", "FLOP/s", "GB/s", *speed, "noise", "check"]
    table = Table(columns, right=["ms", "FLOP/s", "GB/s", "noise", *speed])
    for r in records:
        if r.failure is not None:
            table.add(
                r.label,
                r.kernel,
                *(r.launch for _ in launches),
                None,
                None,
                None,
                *(None for _ in peers),
                None,
                "FAILED",
            )
            continue
        ratios = [peer_ratio(r.peers[p]) for p in peers]
        check = f"{'ok' if r.ok else 'WRONG'} ({r.tier})"
        noise = f"{r.policy['noise']:.1%}"
        launch = [r.launch for _ in launches]
        table.add(
            r.label,
            r.kernel,
            *launch,
            milliseconds(r.time_ms),
            rate(r.tflops),
            f"{r.gbps or 0:.1f}",
            *ratios,
            noise,
            check,
        )
    table.show()
    if peers:
        policy = dict(next((r.policy for r in records if r.policy), {}))
        print()
        print(fitted(f"vs: speed relative to the peer, median over interleaved rounds; {_how(policy)}", 4))
        print(fitted(f"peers: {'; '.join(versions)}", 7))
        if any(is_noisy(p) for r in records for p in r.peers.values()):
            said = f"{NOISY}: the ratios of the rounds differ by more than a factor of {WIDEST_INTERVAL}; run it again"
            print(fitted(said, len(NOISY) + 2))
    for peer in peers:
        for reason in dict.fromkeys(r.peers[peer]["reason"] for r in records if "reason" in r.peers.get(peer, {})):
            print(fitted(f"-: {reason}", 3))


def _how(policy: dict[str, Any]) -> str:
    if policy.get("timer") == "cuda":
        return f"{policy['mode']}, cache {policy['cache']}"
    threads = policy.get("threads")
    return "1 thread" if threads == 1 else "all threads" if threads is None else f"{threads} threads"


def _finish(records: Sequence[BenchRecord]) -> None:
    note_events([e for r in records for e in r.events])
    failed = [r for r in records if r.failure is not None]
    wrong = [r for r in records if r.failure is None and not r.ok]
    for r in failed:
        note(f"{r.label} failed: {r.failure}")
    for r in wrong:
        note(f"{r.label}: {r.kernel} is wrong: error {r.error:.3g} > tolerance {r.tolerance:.3g}")
    if failed or wrong:
        raise typer.Exit(1)
