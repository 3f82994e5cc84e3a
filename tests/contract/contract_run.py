"""Run the list: `python tests/contract/contract_run.py --backend triton --device cuda:0 --out rows.jsonl`.

Kernels are built in parallel, a batch ahead of the runs. Every case runs in a child process: a crash costs one row. A
run that is stopped or runs out of its budget is continued by the same command; rows that are there are kept. For an
emulated GPU and a limited time: `--known KEPT_ROWS --shards CORES --jobs 1 --batch 1 --budget SECONDS`.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import signal
import subprocess
import sys
import time
import zlib
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from heapq import heapify, heappop, heappush
from pathlib import Path
from typing import Any

import numpy as np
from contract_cover import pairs_of
from contract_data import on_gpu, tensors_of, to_host
from contract_generate import LISTS
from contract_space import Choice
from contract_targets import SPACES, Target, kind_of

from tilewright.backends import device_at
from tilewright.dispatcher import Dispatcher
from tilewright.errors import BuildError, SanitizerError, SelectionError, TensorError, TilewrightError
from tilewright.frontends.packing import pack_for
from tilewright.jit.arrays import view_of
from tilewright.model.device import memory_of
from tilewright.model.kernel import Candidate
from tilewright.ops import get_op
from tilewright.settings import Settings
from tilewright.tune.bench.record import product_error

ROOT = Path(__file__).parents[2]
os.environ.setdefault("TILEWRIGHT_CACHE_DIR", str(ROOT / "build" / "test-cache"))  # where `make amd` puts the compiler
os.environ.setdefault("TILEWRIGHT_DATA_DIR", str(ROOT / "build" / "test-data"))
BATCH = 24  # kernels that are built at a time
OUT_OF_TIME = 3


@dataclass(frozen=True)
class Case:
    """One row of the list. `number` is the seed of its data, and chooses among the kinds of kernels."""

    id: str
    op: str
    choice: Choice
    number: int


def all_cases() -> list[Case]:
    """Return the list."""
    found = list[Case]()
    for op, space in SPACES.items():
        path = LISTS / f"{op}.jsonl"
        for line in path.read_text().splitlines()[1:] if path.exists() else ():
            code = zlib.crc32(line.encode())
            found.append(Case(f"{op}-{code:08x}", op, {**space.plain(), **json.loads(line)}, code % 9973))
    return found


@dataclass(frozen=True)
class Prepared:
    """A case with the kernel that will compute it; no kernel if the result is empty."""

    case: Case
    problem: Any
    candidate: Candidate | None


class Runner:
    """Runs cases on one target through a dispatcher that has only its kernels."""

    def __init__(self, target: Target) -> None:
        # The target's kernels alone, and the best of them; emulated launches are searched for faults.
        settings = Settings.from_env(build="wait", vendor=False, sanitize=True)
        self.target = replace(target, arch=device_at(target.device, settings).arch)
        self.dispatcher = Dispatcher(self.target.registry, "analytical", settings)
        self._trusting = Dispatcher(self.target.registry, "analytical", replace(settings, sanitize=False))

    def prepare(self, case: Case) -> Prepared | dict[str, Any]:
        """Return the kernel of a case, or its row if none takes it. Cases take turns among the kinds of kernels."""
        space = SPACES[case.op]
        try:
            plain = space.problem_of(case.choice, self.target.device)
            why = space.refused(case.choice, plain)
            if why is not None:
                return self._row(case, "refused", rule=why)
            if memory_of(self.target.device) != "cpu" and any(s < 0 for t in plain.strides.values() for s in t):
                return self._row(case, "refused", rule="torch.negative_strides")
            if get_op(plain.op).is_empty(plain):
                return Prepared(case, plain, None)
            for problem in self.target.problems(space, case.choice):
                found = self.dispatcher.explain(problem)
                if found.ranked:
                    kinds: dict[str, Candidate] = {}
                    for ranked in found.ranked:
                        kinds.setdefault(kind_of(ranked.candidate.spec), ranked.candidate)
                    return Prepared(case, problem, list(kinds.values())[case.number % len(kinds)])
            return self._row(case, "refused", rule=self.target.rule(space, case.choice))
        except (SelectionError, TensorError) as error:
            return self._row(case, "refused", rule=type(error).__name__, message=str(error))
        except TilewrightError as error:
            return self._row(case, "refused", rule="problem", message=str(error))

    def build(self, prepared: Sequence[Prepared], jobs: int | None) -> None:
        """Build the kernels of some cases in parallel; a failure shows when the case runs."""
        specs = {p.candidate.spec.digest: p.candidate.spec for p in prepared if p.candidate is not None}
        if specs:
            self.dispatcher.registry.build(
                jobs, specs=list(specs.values()), cache=self.dispatcher.cache, settings=self.dispatcher.settings
            )

    def run(self, prepared: Prepared) -> dict[str, Any]:
        """Run one case and compare it with the reference."""
        case, problem, candidate = prepared.case, prepared.problem, prepared.candidate
        op = get_op(problem.op)
        host = SPACES[case.op].problem_of(case.choice)
        arrays = tensors_of(host, case.choice, case.number)
        start = time.monotonic()
        about: dict[str, Any] = {"kernel": candidate.spec.name, "kind": kind_of(candidate.spec)} if candidate else {}
        if candidate and problem.device.startswith("emu:"):  # for the page of executed kernels
            about |= {"problem": problem.label(), "spec": candidate.spec.to_dict()}
        try:
            with np.errstate(all="ignore"):
                given = on_gpu(problem, arrays, case.choice) if memory_of(problem.device) != "cpu" else dict(arrays)
                written = {r: given[r] for r in op.out_roles(problem)}
                if case.choice.get("b_format") == "packed" and candidate is not None:
                    given["b"] = pack_for(candidate.spec, view_of(given["b"], "b"), self.dispatcher).storage
                try:
                    bound = self._ran(self.dispatcher, prepared, given)
                except SanitizerError as error:  # what follows the launch was not run: another run gives the results
                    faults = [str(f)[:600] for f in error.findings if f.kind != "misaligned"]  # that is only slow
                    about |= {"findings": faults[:3]} if faults else {}
                    bound = self._ran(self._trusting, prepared, given)
                if memory_of(problem.device) != "cpu":
                    written = to_host(written, arrays)
                arrays = {**arrays, **written}
                found = op.verify(
                    host, arrays, arrays[op.out_roles(problem)[0]], product_error=product_error(bound.plan)
                )
        except BuildError as error:
            return self._row(case, "build failed", message=str(error)[:500], **about)
        except TilewrightError as error:
            return self._row(case, "error", message=f"{type(error).__name__}: {error}"[:500], **about)
        spent = round(time.monotonic() - start, 2)
        state = "right" if found.ok else "wrong"
        more = {} if found.ok else {"message": f"error {found.error:.4g} > {found.tolerance:.4g} at {found.spot}"}
        return self._row(case, state, ratio=round(min(found.ratio, 1e9), 4), seconds=spent, **about, **more)

    @staticmethod
    def _ran(dispatcher: Dispatcher, prepared: Prepared, given: Any) -> Any:
        """Return the bound plan of a case, after it ran."""
        if prepared.candidate is None:
            bound = dispatcher.bind(prepared.problem, **given)
        else:
            bound = dispatcher.bind_to(prepared.candidate, prepared.problem, **given)
        bound()
        return bound

    def _row(self, case: Case, state: str, **more: Any) -> dict[str, Any]:
        return {"id": case.id, "op": case.op, "target": self.target.name, "state": state, **more}


def run_cases(runner: Runner, cases: Iterable[Case], jobs: int | None = None) -> Iterable[dict[str, Any]]:
    """Yield the row of each case; kernels are built a batch at a time."""
    waiting: list[Prepared] = []
    for case in cases:
        found = runner.prepare(case)
        if isinstance(found, dict):
            yield found
            continue
        waiting.append(found)
        if len(waiting) >= BATCH:
            runner.build(waiting, jobs)
            yield from map(runner.run, waiting)
            waiting = []
    runner.build(waiting, jobs)
    yield from map(runner.run, waiting)


def main() -> int:
    """Run the list on a target in child processes; return 1 if a row is wrong, an error or a crash."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--backend", default="cpu", choices=("cpu", "triton", "ck_tile", "vendor"))
    parser.add_argument("--device", default="cpu", help="cpu, cuda:0, emu:gfx942")
    parser.add_argument("--ops", default="gemm,conv,fmha")
    parser.add_argument("--out", type=Path, default=Path("build/contract.jsonl"))
    parser.add_argument("--budget", type=float, default=1e9, help="seconds; then the run ends and can be continued")
    parser.add_argument("--jobs", type=int, default=None, help="kernels that are compiled at a time")
    parser.add_argument("--stride", type=int, default=1, help="run every n-th case only")
    parser.add_argument("--only", default="", help="ids of cases, with commas, in this order")
    parser.add_argument(
        "--known",
        type=Path,
        help="rows of an earlier run: its cases are left out, those that show most new pairs first",
    )
    parser.add_argument("--batch", type=int, default=BATCH, help="kernels that are built at a time")
    parser.add_argument("--shards", type=int, default=1, help="processes side by side; each prepares, builds and runs")
    parser.add_argument("--stop", action="store_true", help="end with the first row that is not right")
    parser.add_argument("--child", type=int, default=-1, help=argparse.SUPPRESS)
    options = parser.parse_args()
    options.out.parent.mkdir(parents=True, exist_ok=True)
    return parent(options) if options.child < 0 else child(options)


def target_name(options: Any) -> str:
    """Return what ran the rows: CPUs of different kinds have different kernels."""
    return f"{options.backend} {platform.machine() if options.device == 'cpu' else options.device}"


def chosen(options: Any) -> list[Case]:
    """Return the cases that are asked for and have no row yet, in the order in which they are to run."""
    asked = {name: place for place, name in enumerate(filter(None, options.only.split(",")))}
    known = rows_in(options.known) if options.known else []
    done = {r["id"] for r in [*known, *rows_in(options.out)]}
    cases = [c for c in all_cases() if c.op in options.ops.split(",") and (not asked or c.id in asked)]
    left = [c for c in cases[:: options.stride] if c.id not in done]
    if options.known:
        arch = device_at(options.device, Settings.from_env()).arch
        return by_new_pairs(left, Target(target_name(options), options.backend, arch), known)
    return sorted(left, key=lambda c: asked[c.id]) if asked else left


def by_new_pairs(cases: Sequence[Case], target: Target, known: Sequence[dict[str, Any]]) -> list[Case]:
    """Return the cases so that each shows as many pairs as possible which no row and no case before it shows.

    A run that is stopped has then shown nearly all pairs. Cases that no kernel takes, or that are empty, come last.
    """
    right = {r["id"] for r in known if r["state"] == "right"}
    shown = {(c.op, pair) for c in all_cases() if c.id in right for pair in pairs_of(SPACES[c.op], c.choice)}
    pairs = [
        {(c.op, pair) for pair in pairs_of(SPACES[c.op], c.choice)}
        if target.computes(SPACES[c.op], c.choice)
        else set()
        for c in cases
    ]
    heap, order = [(-len(new), place) for place, new in enumerate(pairs)], list[Case]()
    heapify(heap)
    while heap:
        _, place = heappop(heap)
        loss = -len(pairs[place] - shown)
        if heap and loss > heap[0][0]:  # others may show more by now
            heappush(heap, (loss, place))
            continue
        shown |= pairs[place]
        order.append(cases[place])
    return order


def rows_in(path: Path) -> list[dict[str, Any]]:
    """Return the rows of a file that are complete."""
    if not path.exists():
        return []
    return [json.loads(line) for line in path.read_text().splitlines() if line.endswith("}")]


def child(options: Any) -> int:
    """Run the cases of a shard until the budget is spent; note the case that is running, for the parent."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # a launch that Python interrupts would be a row with an error
    path = options.out.with_suffix(f".part{options.child}")
    marker = path.with_suffix(f".running{options.child}")
    target = Target(target_name(options), options.backend, "", options.device)
    runner, end, waiting = Runner(target), time.monotonic() + options.budget, list[Prepared]()
    done = {r["id"] for r in rows_in(path)}
    with path.open("a") as out:

        def write(row: dict[str, Any]) -> None:
            out.write(json.dumps(row) + "\n")
            out.flush()

        def flush() -> None:
            runner.build(waiting, options.jobs)
            for prepared in waiting:
                marker.write_text(prepared.case.id)
                row = runner.run(prepared)
                write(row)
                marker.unlink()
                if options.stop and row["state"] != "right":
                    sys.exit(0)
            waiting.clear()

        for case in chosen(options)[options.child :: options.shards]:
            if case.id in done:
                continue
            if time.monotonic() > end:
                return OUT_OF_TIME
            marker.write_text(case.id)
            found = runner.prepare(case)
            marker.unlink()
            if isinstance(found, dict):
                write(found)
                continue
            waiting.append(found)
            if len(waiting) >= options.batch:
                flush()
        flush()
    return 0


def parent(options: Any) -> int:
    """Run shards side by side, each in children of its own, and join their rows."""
    paths = [options.out.with_suffix(f".part{i}") for i in range(options.shards)]
    options.only, options.known, options.stride = ",".join(c.id for c in chosen(options)), None, 1
    if not options.only:
        return report(rows_in(options.out))
    with ThreadPoolExecutor(options.shards) as pool:
        done = list(pool.map(lambda i: run_shard(options, i, paths[i]), range(options.shards)))
    for path in paths:
        with options.out.open("a") as out:
            out.write(path.read_text() if path.exists() else "")
        path.unlink(missing_ok=True)
    if "budget" in done:
        print("the budget is spent; the same command continues")
    return 2 if "lost" in done else report(rows_in(options.out))


def run_shard(options: Any, shard: int, path: Path) -> str:
    """Start children until a shard is done; a child that dies leaves a row for the case that it was running."""
    end, marker = time.monotonic() + options.budget, path.with_suffix(f".running{shard}")
    target = target_name(options)
    one_thread = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"} if options.shards > 1 else {}
    arguments = [f"--{name}={getattr(options, name)}" for name in ("backend", "device", "ops", "only", "batch")]
    arguments += [f"--jobs={options.jobs}"] * bool(options.jobs) + ["--stop"] * options.stop
    arguments += [f"--out={options.out}", f"--shards={options.shards}", f"--child={shard}"]
    while True:
        left = end - time.monotonic()
        if left <= 0:
            return "budget"
        command = [sys.executable, __file__, *arguments, f"--budget={left}"]
        ended = subprocess.run(command, check=False, env={**one_thread, **os.environ}).returncode
        if ended in (0, OUT_OF_TIME):
            return "done" if ended == 0 else "budget"
        if ended == -signal.SIGINT:
            return "budget"  # the user stopped it: no fault of the case
        if not marker.exists():
            print(f"the child of shard {shard} ended with {ended} outside of a case", file=sys.stderr)
            return "lost"
        case = marker.read_text()
        marker.unlink()
        state = "crash" if ended < 0 else "exception"  # a signal, or a mistake of ours: the child has printed it
        row = {"id": case, "op": case.split("-")[0], "target": target, "state": state, "message": f"status {ended}"}
        with path.open("a") as out:
            out.write(json.dumps(row) + "\n")
        if options.stop:
            return "done"


def report(rows: Sequence[dict[str, Any]]) -> int:
    """Print how many cases ended in which state, and each that is not right; return 1 if there is one."""
    states: dict[tuple[str, str], int] = {}
    for row in rows:
        states[row["op"], row["state"]] = states.get((row["op"], row["state"]), 0) + 1
    for (op, state), count in sorted(states.items()):
        print(f"{op:5} {state:13} {count}")
    bad = [r for r in rows if r["state"] not in ("right", "refused")]
    for row in bad:
        print(row["id"], row["state"], row.get("kernel", ""), row.get("message", "")[:300])
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
