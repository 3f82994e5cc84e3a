"""GEMM on the CPU compared with NumPy (OpenBLAS) and PyTorch (MKL for fp32, oneDNN for bf16, fp16 and int8).

    python benchmarks/cpu/gemm_cpu.py --threads 1 2 --out benchmarks/results/gemm_cpu.jsonl
    python benchmarks/cpu/gemm_cpu.py --dtype bf16 --group skinny --quick

Every product is verified, then timed in turn with one peer (A B A B ...) in a process of its own; a ratio is the median
over the rounds of the peer's time over ours, and "noise" what our own call differs from itself by. The bars are
geometric means of these ratios; with --repeats, of each row's median over the repeats. "packed" rows read weights that
`tilewright.pack_weights` packed beforehand; the peer gets the plain ones. The exit status is 1 if a bar is missed.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import geometric_mean, median
from typing import Any

from tilewright.dispatcher import Dispatcher
from tilewright.ops import problem_from_dict
from tilewright.report.tables import Table, milliseconds, rate, ratio
from tilewright.settings import Settings, available_cores
from tilewright.tune.bench.isolate import bench_isolated, record_from, worker_env
from tilewright.tune.bench.own import own_kernels_only
from tilewright.tune.bench.peers import PeerCall, get_peer
from tilewright.tune.bench.record import BenchRecord, prebuild
from tilewright.tune.measure.timer import CpuTimer, Policy

Shape = tuple[int, int, int]
SHAPES: dict[str, list[Shape]] = {
    "square": [(512, 512, 512), (1024, 1024, 1024), (2048, 2048, 2048), (4096, 4096, 4096)],
    "rectangular": [(4096, 4096, 1024), (1024, 4096, 1024), (256, 4096, 4096), (4096, 256, 2048)],
    "skinny": [(1, 4096, 4096), (4, 4096, 4096), (8, 4096, 4096), (16, 4096, 4096)],
}
# Few rows meet weights stored either way: [k, n] as in a plain product, [n, k] as in a linear layer.
LAYOUTS = {"square": ("rrr",), "rectangular": ("rrr",), "skinny": ("rrr", "rcr")}
LARGE = ("square", "rectangular")
ALL = (*LARGE, "skinny")
QUICK_LIMIT = 2 * 2048**3 + 1


@dataclass(frozen=True)
class Bar:
    """The geometric mean of the ratios to `peer` over some shapes must reach `least`."""

    name: str
    dtype: str
    groups: tuple[str, ...]
    peer: str
    least: float
    packed: bool = False
    threads: tuple[int, ...] = ()  # empty: any number


BARS = (
    Bar("fp32 beside NumPy", "fp32", ALL, "numpy", 1.1),
    Bar("fp32 beside MKL", "fp32", ALL, "torch", 1.0),
    Bar("fp32, m <= 16, beside MKL, one thread", "fp32", ("skinny",), "torch", 1.5, threads=(1,)),
    Bar("bf16 beside oneDNN, large", "bf16", LARGE, "torch", 0.9),
    Bar("bf16, m <= 16, packed, beside oneDNN", "bf16", ("skinny",), "torch", 2.0, packed=True),
    Bar("int8 beside oneDNN", "int8", ALL, "torch", 1.2),
    Bar("fp16 beside oneDNN", "fp16", ALL, "torch", 1.3),
)


@dataclass(frozen=True)
class Run:
    """One process: some shapes of one dtype against one peer."""

    dtype: str
    group: str
    peer: str
    threads: int
    packed: bool

    def problems(self, quick: bool) -> list[dict[str, Any]]:
        """Return the problems in their JSON form."""
        shapes = [s for s in SHAPES[self.group] if not quick or 2 * math.prod(s) < QUICK_LIMIT]
        layouts = LAYOUTS[self.group] if not self.packed else ("rrr",)
        sizes = [{"op": "gemm", "m": m, "n": n, "k": k, "dtype": self.dtype} for m, n, k in shapes]
        return [{**size, "layout": layout} for layout in layouts for size in sizes]


def runs_of(bars: Sequence[Bar], threads: Sequence[int], groups: Sequence[str]) -> list[Run]:
    """Return the processes that the bars need, each once."""
    wanted = [
        Run(bar.dtype, group, bar.peer, count, bar.packed)
        for count in threads
        for bar in bars
        if not bar.threads or count in bar.threads
        for group in bar.groups
        if group in groups
    ]
    return list(dict.fromkeys(wanted))


def measure(run: Run, quick: bool, policy: Policy) -> Iterator[BenchRecord]:
    """Yield the records of one run, from a process of its own."""
    problems = run.problems(quick)
    if not run.packed:
        prebuild(Dispatcher(settings=Settings.from_env(threads=run.threads)), map(problem_from_dict, problems))
        yield from bench_isolated(problems, [run.peer], policy, {"threads": run.threads})
        return
    job = json.dumps({"problems": problems, "peer": run.peer, "policy": policy.to_dict()})
    environment = {**worker_env([run.peer], run.threads), "TILEWRIGHT_THREADS": str(run.threads)}
    command = [sys.executable, __file__, "--packed-worker"]
    done = subprocess.run(command, input=job, env=environment, stdout=subprocess.PIPE, text=True, check=True)
    for line in done.stdout.splitlines():
        yield record_from(json.loads(line))


def packed_worker() -> None:
    """Read a job from stdin; write a record per problem, computed with packed weights."""
    job = json.load(sys.stdin)
    peer, policy = get_peer(job["peer"]), Policy(**job["policy"])
    peer.limit_threads(policy.threads)
    for data in job["problems"]:
        print(json.dumps(vars(_packed_record(problem_from_dict(data), peer, policy))), flush=True)


def _packed_record(problem: Any, peer: Any, policy: Policy) -> BenchRecord:
    import tilewright as tw
    from tilewright.ops.gemm import OP

    tensors = OP.random_tensors(problem, 0)
    packed = tw.pack_weights(tensors["b"], m_hint=problem.m)
    out = tensors["out"]
    tw.gemm(tensors["a"], packed, out=out)
    check = OP.verify(problem, tensors, out)
    answer = peer.prepare(problem, tensors)
    assert isinstance(answer, PeerCall), answer
    calls = {"tilewright": lambda: tw.gemm(tensors["a"], packed, out=out), peer.name: answer.call}
    result = CpuTimer().compare(calls, policy)
    seconds, theirs = result.timings["tilewright"].seconds, result.timings[peer.name].seconds
    return BenchRecord(
        problem=problem.to_dict(),
        label=f"{problem.label()} packed",
        kernel=f"packed as {packed.format}",
        backend="cpu",
        time_ms=seconds * 1e3,
        tflops=problem.flops / seconds / 1e12,
        gbps=problem.bytes / seconds / 1e9,
        error=check.error,
        tolerance=check.tolerance,
        tier=check.tier,
        ok=check.ok,
        peers={
            peer.name: {
                "time_ms": theirs * 1e3,
                "tflops": problem.flops / theirs / 1e12,
                "ratio": result.ratio(peer.name),
            }
        },
        policy={**policy.to_dict(), "noise_floor": result.noise_floor, "spread": result.timings["tilewright"].spread},
    )


def ratios_of(bar: Bar, threads: int, measured: Sequence[tuple[Run, BenchRecord]]) -> list[float]:
    """Return the ratios that count for a bar: one per problem, the median over its repeats."""
    by_problem: dict[str, list[float]] = {}
    for run, record in measured:
        belongs = (run.dtype, run.peer, run.packed, run.threads) == (bar.dtype, bar.peer, bar.packed, threads)
        if belongs and run.group in bar.groups and record.failure is None and record.peers[bar.peer]["ratio"]:
            by_problem.setdefault(record.label, []).append(record.peers[bar.peer]["ratio"])
    return [median(values) for values in by_problem.values()]


def judge(bars: Sequence[Bar], measured: Sequence[tuple[Run, BenchRecord]], threads: Sequence[int]) -> int:
    """Print each bar with its geometric mean; return how many were missed."""
    table = Table(
        ["bar", "threads", "shapes", "ratio", "at least", ""], right=["threads", "shapes", "ratio", "at least"]
    )
    missed = 0
    for bar in bars:
        for count in threads:
            ratios = ratios_of(bar, count, measured)
            if ratios and (not bar.threads or count in bar.threads):
                reached = geometric_mean(ratios) >= bar.least
                missed += not reached
                verdict = "ok" if reached else "MISSED"
                table.add(bar.name, count, len(ratios), ratio(geometric_mean(ratios)), ratio(bar.least), verdict)
    print()
    table.show()
    return missed


def show(run: Run, records: Sequence[BenchRecord]) -> None:
    """Print the rows of one run."""
    title = f"\n{run.dtype} {run.group}{', packed' if run.packed else ''}, {run.threads} threads, against {run.peer}"
    table = Table(
        ["m x n x k", "layout", "ms", "FLOP/s", "ratio", "noise", "check", "kernel"],
        title,
        right=["ms", "FLOP/s", "ratio", "noise"],
    )
    for r in records:
        p = {"layout": "rcr", **r.problem}  # the default is left out
        if r.failure is not None:
            table.add(f"{p['m']}x{p['n']}x{p['k']}", p["layout"], None, None, None, None, "FAILED", r.failure)
            continue
        noise = f"{r.policy['noise_floor']:.1%}"
        peer = r.peers[run.peer]
        reason = peer.get("reason", "")
        table.add(
            f"{p['m']}x{p['n']}x{p['k']}", p["layout"], milliseconds(r.time_ms), rate(r.tflops), ratio(peer["ratio"]),
            noise, "ok" if r.ok else "WRONG", f"{r.kernel} {reason}",
        )  # fmt: skip
    table.show()
    sys.stdout.flush()


def main() -> int:
    """Run what was asked for and judge the bars."""
    print(own_kernels_only(), file=sys.stderr)
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--threads", type=int, nargs="+", default=sorted({1, available_cores()}))
    parser.add_argument("--dtype", nargs="+", default=["fp32", "bf16", "int8", "fp16"])
    parser.add_argument("--group", nargs="+", choices=SHAPES, default=list(SHAPES))
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--repeats", type=int, default=1, help="whole runs; the median of each row counts")
    parser.add_argument("--quick", action="store_true", help="leave out products above 2048 cubed; fewer rounds")
    parser.add_argument("--out", type=Path, help="JSON lines are written to this file")
    parser.add_argument("--packed-worker", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.packed_worker:
        packed_worker()
        return 0
    bars = [bar for bar in BARS if bar.dtype in options.dtype]
    measured: list[tuple[Run, BenchRecord]] = []
    print(f"{os.cpu_count()} cores, {'; '.join(get_peer(p).version() for p in dict.fromkeys(b.peer for b in bars))}")
    for run in runs_of(bars, options.threads, options.group) * options.repeats:
        rounds = 3 if options.quick else options.rounds
        policy = Policy.for_threads(run.threads, rounds=rounds, max_seconds=5.0)
        records = list(measure(run, options.quick, policy))
        show(run, records)
        measured += [(run, record) for record in records]
    if options.out is not None:
        options.out.parent.mkdir(parents=True, exist_ok=True)
        lines = [json.dumps({**record.to_dict(), "run": asdict(run)}) + "\n" for run, record in measured]
        options.out.write_text("".join(lines))
    missed = judge(bars, measured, options.threads)
    wrong = [record.label for _, record in measured if not record.ok]
    if wrong:
        print(f"not verified: {', '.join(wrong)}")
    return 1 if missed or wrong else 0


if __name__ == "__main__":
    sys.exit(main())
