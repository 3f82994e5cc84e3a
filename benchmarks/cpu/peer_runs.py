"""What the CPU benchmarks against torch share: each problem runs in this process, our calls and torch's in turn.

A ratio is torch time over ours, the median of the rounds. With one thread, CPU time is taken instead of wall time,
because a busy machine disturbs it less.

With `--vendor`, libraries are among the candidates: each problem is called until its contest is over.

With several threads our kernels run on torch's OpenMP threads, as they do in a program that imports `tilewright.torch`;
`--own-pool` keeps them on our own. Both sides then find the same threads awake.
"""

from __future__ import annotations

import argparse
import json
import os
import tempfile
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from tilewright.dispatcher import Dispatcher, contest
from tilewright.ops import get_op, problem_from_dict
from tilewright.settings import Settings
from tilewright.tune.bench.peers import PeerCall, get_peer
from tilewright.tune.bench.record import product_error
from tilewright.tune.measure.timer import CpuTimer, Policy

Line = dict[str, Any]
Further = Callable[[Dispatcher, Any, dict[str, Any]], dict[str, Any]]
LONGEST = 20.0  # seconds for the calls of a contest
SHARE = 0.2  # that a contest may add: with the usual 0.01 it ends in the same way, after more calls
PROBLEMS = Path(__file__).parents[1] / "problems"


def options(doc: str, problems: str, rounds: int) -> argparse.ArgumentParser:
    """Return the options that every script has."""
    parser = argparse.ArgumentParser(description=doc, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--problems", type=Path, default=PROBLEMS / problems)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=rounds)
    parser.add_argument("--every", type=int, default=1, help="take every n-th problem")
    parser.add_argument("--check", action="store_true", help="verify each result; end at the first wrong one")
    parser.add_argument("--vendor", action="store_true", help="let libraries compete (TILEWRIGHT_VENDOR=1)")
    parser.add_argument("--part", default="1/1", help="of the problems: 2/5 is the second of five")
    parser.add_argument("--own-pool", action="store_true", help="do not run on torch's threads")
    parser.add_argument("--out", type=Path)
    return parser


def read_problems(args: argparse.Namespace) -> list[Line]:
    """Return the problems of the list, or of a part of it, as plain data."""
    number, count = map(int, args.part.split("/"))
    return [json.loads(text) for text in args.problems.read_text().splitlines()][number - 1 :: count]


def end_contest(dispatcher: Dispatcher, problem: Any, tensors: dict[str, Any]) -> None:
    """Call a problem until it is decided who computes it, ours or a library."""
    end = time.monotonic() + LONGEST
    dispatcher.run(problem, **tensors)
    while dispatcher.open_contests and time.monotonic() < end:
        dispatcher.run(problem, **tensors)


def pool_of(args: argparse.Namespace) -> str:
    """Return whose threads our kernels run on."""
    return "own" if args.own_pool or args.threads == 1 else "torch"


def take_threads(args: argparse.Namespace) -> None:
    """Let our kernels run on the threads that are asked for."""
    if pool_of(args) == "own":
        return
    from tilewright.torch.threads import share_threads  # this import alone lends them

    if not share_threads():
        raise SystemExit("torch has no known OpenMP library here; use --own-pool")


def measure(dispatcher: Dispatcher, data: Line, args: argparse.Namespace, further: Further | None = None) -> Line:
    """Return one line of the results; `further` gives more calls to time, by name."""
    problem = problem_from_dict(data)
    op = get_op(problem.op)
    tensors = op.random_tensors(problem, 0)
    if dispatcher.settings.vendor:
        end_contest(dispatcher, problem, tensors)
    bound = dispatcher.bind(problem, **tensors)
    if args.check:  # a wrong kernel has no place in a table
        op.verify(problem, tensors, bound(), product_error=product_error(bound.plan)).require(problem.label())
    peer = get_peer("torch")
    peer.limit_threads(args.threads)
    call = peer.prepare(problem, tensors)
    assert isinstance(call, PeerCall), call
    more = further(dispatcher, problem, tensors) if further else {}
    timer = CpuTimer(clock=time.thread_time_ns if args.threads == 1 else time.perf_counter_ns)
    settle = {"settle_ms": 3.0} if pool_of(args) == "torch" else {}  # no other pool has to fall asleep
    policy = Policy.for_threads(args.threads, rounds=args.rounds, min_sample_ms=4.0, **settle)
    timed = timer.compare({"ours": bound, "torch": call.call, **more}, policy)
    best = {name: min(t.samples) for name, t in timed.timings.items()}
    spec = bound.plan.candidate.spec if bound.plan.candidate else None
    low, high = timed.interval("torch")
    line = {
        "problem": data, "kernel": spec.algorithm.label() if spec else None,
        "ratio": timed.ratio("torch"), "ours_ms": best["ours"] * 1e3, "torch_ms": best["torch"] * 1e3,
        "gflops": problem.flops / best["ours"] / 1e9, "gbps": problem.bytes / best["ours"] / 1e9,
        "threads": args.threads, "pool": pool_of(args), "ok": args.check or None,
        "low": low, "high": high, "noise": timed.noise,
    }  # fmt: skip
    return line | ({"candidates": {name: best[name] * 1e3 for name in more}} if further else {})


def run(
    problems: Iterable[Line], args: argparse.Namespace, group: tuple[str, Callable[[Line], str]],
    further: Further | None = None,
) -> list[Line]:  # fmt: skip
    """Measure every problem, print and write each line; `group` names its line of the table."""
    # Read when torch is imported: its Arm Compute Library does not follow `torch.set_num_threads`.
    os.environ.setdefault("OMP_NUM_THREADS", str(args.threads))
    if args.vendor:
        import torch  # noqa: F401  its kernels are candidates of a program that has imported it

        contest.SHARE = SHARE
    more = {"vendor": True, "build": "wait", "data_dir": tempfile.mkdtemp()} if args.vendor else {}
    dispatcher = Dispatcher(settings=Settings.from_env(threads=args.threads, **more))
    take_threads(args)
    lines = []
    for data in problems:
        lines.append(measure(dispatcher, data, args, further) | {group[0]: group[1](data)})
        if args.out:
            args.out.write_text("".join(json.dumps(line) + "\n" for line in lines))
        last, label = lines[-1], problem_from_dict(data).label()
        print(f"{last['ratio']:.2f}x {last['kernel']} {last['gflops']:.0f} GF/s {label}", flush=True)
    if not lines:
        raise SystemExit("no problem is left to time")
    return lines
