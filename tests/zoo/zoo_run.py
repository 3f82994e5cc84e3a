"""The zoo: whole models of torchvision and transformers, patched and fused, against torch. `make zoo` runs all.

    python tests/zoo/zoo_run.py                                      # everything on the CPU
    python tests/zoo/zoo_run.py --only 'transformers/gemma*' --again
    python tests/zoo/zoo_run.py --device cuda --sample gpu --jobs 8 --budget 400 --out zoo.jsonl
    python tests/zoo/zoo_run.py --device cuda --sample gpu --jobs 8 --compile   # torch.compile(backend="tilewright")
    python tests/zoo/zoo_run.py --sample gpu --compile graph         # its pass alone: Inductor takes minutes on a CPU
    python tests/zoo/zoo_run.py --table                              # print what the rows so far show

Workers run one model after another and give one JSON row for each; a worker that crashes or takes too long is replaced.
Rows are kept: a model whose row is there is not run again, so a run that was stopped continues. If the way in which
results are compared has changed since (`JUDGE`), it is run again.
"""

from __future__ import annotations

import argparse
import json
import os
import queue
import select
import signal
import subprocess
import sys
import tempfile
import threading
import time
import warnings
from collections import Counter
from collections.abc import Sequence
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
ROOT = HERE.parent.parent
PACKAGES = ROOT / "build" / "zoo"  # where `make zoo` puts torchvision: for a CPU build of torch it fits nowhere else
sys.path[:0] = [str(HERE), str(HERE.parent / "support"), str(ROOT / "benchmarks"), str(ROOT / "src")]
os.environ.setdefault("TILEWRIGHT_CACHE_DIR", str(ROOT / "build" / "test-cache"))
os.environ.setdefault("TILEWRIGHT_DATA_DIR", str(ROOT / "build" / "test-data"))
os.environ.setdefault("KINETO_LOG_LEVEL", "99")
os.environ.setdefault("TILEWRIGHT_VENDOR", "0")  # our own kernels are judged
os.environ.setdefault("TILEWRIGHT_BUILD", "wait")
NOT_RUN = "not run by torch"  # the verdict on a model none of whose tasks torch runs in these dtypes
TORCH_WRONG = "torch.compile itself is wrong"  # the verdict if Inductor without our pass is as wrong, with --compile
FINE = ("right", NOT_RUN, TORCH_WRONG)
JUDGE = 2  # how results are compared; a row of another number is of an earlier way, and its model is run again
LEAST = 20  # seconds that a model should have left to be started
DTYPES = {"cpu": ["fp32", "bf16"], "cuda": ["bf16"]}


def parse(arguments: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--device", default="cpu", choices=("cpu", "cuda"))
    parser.add_argument("--dtypes", nargs="+", choices=("fp32", "bf16", "fp16"), help="cpu: fp32 bf16; cuda: bf16")
    parser.add_argument("--only", nargs="+", default=["*"], metavar="PATTERN", help="torchvision/resnet*; in order")
    parser.add_argument("--sample", choices=("all", "families", "gpu", "test"), default="all")
    parser.add_argument("--budget", type=float, default=float("inf"), metavar="SECONDS")
    parser.add_argument("--timeout", type=float, default=600.0, metavar="SECONDS", help="of one model")
    parser.add_argument("--jobs", type=int, default=1, help="models at the same time")
    parser.add_argument("--out", type=Path, help="default: benchmarks/results/zoo_DEVICE.jsonl")
    parser.add_argument(
        "--compile", nargs="?", const="inductor", choices=("inductor", "graph"), help="instead of patch"
    )
    parser.add_argument("--full", action="store_true", help="keep all blocks of a net, not two of each kind")
    parser.add_argument("--again", action="store_true", help="run models again whose row is there")
    parser.add_argument("--failed", action="store_true", help="run models again whose row is wrong or an error")
    parser.add_argument("--table", action="store_true", help="only print what the rows show")
    parser.add_argument("--serve", action="store_true", help=argparse.SUPPRESS)
    args = parser.parse_args(arguments)
    args.dtypes = args.dtypes or DTYPES[args.device]
    what = f"zoo_compile_{args.compile}" if args.compile else "zoo"
    args.out = args.out or ROOT / "benchmarks" / "results" / f"{what}_{args.device}.jsonl"
    if args.device == "cpu":
        os.environ.setdefault("TILEWRIGHT_CXX_FLAGS", "-O0")  # compiles in a third of the time; answers are the same
    return args


def entries() -> dict[str, Any]:
    """Return all entries by name; those of a package that is not installed are missing, which is reported."""
    warnings.simplefilter("ignore")
    if str(PACKAGES) not in sys.path:
        sys.path.append(str(PACKAGES))
    found: list[Any] = []
    try:
        import zoo_vision

        found += zoo_vision.entries()
    except ModuleNotFoundError as error:
        tell(f"no models of torchvision: {error}")
    try:
        import transformers
        import zoo_transformers

        transformers.logging.set_verbosity_error()
        found += zoo_transformers.entries()
    except ModuleNotFoundError as error:
        tell(f"no models of transformers: {error}")
    return {entry.name: entry for entry in found}


def tell(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def serve(args: argparse.Namespace) -> None:
    """Read names and write rows, until there are no more names."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # else Ctrl-C would be a row with an error; the parent ends us
    answers = os.fdopen(os.dup(1), "w", buffering=1)
    os.dup2(2, 1)  # what models print is not an answer
    import torch
    from zoo_part import row_of

    torch.set_num_threads(max(1, torch.get_num_threads() // args.jobs))
    if args.device == "cuda":
        torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = True  # else torch computes fp32
    known = entries()
    for line in sys.stdin:
        row = row_of(known[line.strip()], args.dtypes, args.device, args.full, args.compile)
        print(json.dumps(row), file=answers)


class Worker:
    """A process that runs models. It is started when the first one comes, and again after one that failed."""

    def __init__(self, args: argparse.Namespace) -> None:
        options = ["--device", args.device, "--dtypes", *args.dtypes, "--jobs", str(args.jobs)]
        options += ["--compile", args.compile] if args.compile else []
        self.command = [sys.executable, __file__, "--serve", *options, *(["--full"] if args.full else [])]
        self.process: subprocess.Popen[str] | None = None
        self.log = tempfile.TemporaryFile("w+")  # noqa: SIM115  (lives as long as the worker)

    def row(self, name: str, seconds: float) -> dict[str, Any] | None:
        """Return the row of a model; None if it took longer. A crash is a row too."""
        if self.process is None:
            self.log.truncate(0)
            self.process = subprocess.Popen(
                self.command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self.log, text=True
            )
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        print(name, file=self.process.stdin, flush=True)
        ready, _, _ = select.select([self.process.stdout], [], [], seconds)
        line = self.process.stdout.readline() if ready else ""
        if not line:
            status = self.process.poll() if ready else None
            self.stop()
            return self._crashed(name, status) if ready else None
        row: dict[str, Any] = json.loads(line)
        if row["verdict"] not in FINE:
            self.stop()  # what went wrong must not reach the next model
        return row

    def _crashed(self, name: str, status: int | None) -> dict[str, Any]:
        self.log.seek(0)
        last = (self.log.read().strip().splitlines() or ["no message"])[-1]
        return {"model": name, "verdict": "error", "errors": {"process": f"ended with {status}: {last[:400]}"}}

    def stop(self) -> None:
        if self.process is not None:
            self.process.kill()
            self.process.communicate()
            self.process = None


class Keeper:
    """Gives models to workers until none, or no time, is left."""

    def __init__(self, args: argparse.Namespace, names: Sequence[str]) -> None:
        self.args, self.left = args, list[str]()
        self.end = time.monotonic() + args.budget
        self.names: queue.Queue[str] = queue.Queue()
        for name in names:
            self.names.put(name)
        self.lock, self.workers, self.stopped = threading.Lock(), [Worker(args) for _ in range(args.jobs)], False

    def run(self) -> None:
        """Run all models; Ctrl-C ends the run, and models that were running have no row."""
        threads = [threading.Thread(target=self._work, args=(worker,), daemon=True) for worker in self.workers]
        for thread in threads:
            thread.start()
        try:
            for thread in threads:
                thread.join()
        except KeyboardInterrupt:
            with self.lock:
                self.stopped = True
            for process in filter(None, [worker.process for worker in self.workers]):
                process.kill()
            tell("stopped; the same command continues")

    def _work(self, worker: Worker) -> None:
        while not self.stopped:
            try:
                name = self.names.get_nowait()
            except queue.Empty:
                break
            seconds = min(self.args.timeout, self.end - time.monotonic())
            row = worker.row(name, seconds) if seconds >= LEAST else None
            if row is None and seconds == self.args.timeout:
                row = {"model": name, "verdict": "error", "errors": {"process": f"took more than {seconds:.0f} s"}}
            with self.lock:
                if not self.stopped:
                    self._keep(name, row)
        worker.stop()

    def _keep(self, name: str, row: dict[str, Any] | None) -> None:
        from json_rows import append_row

        if row is None:
            self.left.append(name)
            return
        about = {"device": self.args.device, "dtypes": self.args.dtypes, "judge": JUDGE}
        append_row({**row, **about}, self.args.out)
        wrong = {k: v["wrong"] for k, v in row.get("checks", {}).items() if "wrong" in v}
        seconds = row.get("seconds", {}).get("all", "?")
        tell(f"{name}: {row['verdict']}, {seconds} s {wrong or ''} {row.get('errors') or ''}")


def rows_of(path: Path) -> list[dict[str, Any]]:
    """Return the rows so far; the last one of a model and its dtypes counts."""
    from json_rows import whole_rows

    return list({key_of(row): row for row in whole_rows(path)}.values())


def key_of(row: dict[str, Any]) -> str:
    return f"{row['model']} {row['device']} {' '.join(row['dtypes'])}"


def wanted(args: argparse.Namespace) -> list[str]:
    """Return the models of the sample that have no row of the present judge or, with `--failed`, one that is wrong."""
    from zoo_samples import SAMPLES

    names = list(entries())
    chosen = names if args.sample == "all" else [name for name in SAMPLES[args.sample] if name in names]
    if args.sample == "all":  # one of each family first: a run may be stopped
        chosen.sort(key=lambda name: name not in SAMPLES["families"])
    rows = {} if args.again else {key_of(row): row for row in rows_of(args.out)}
    current = {key: row for key, row in rows.items() if args.compile or row.get("judge") == JUDGE}
    done = {key for key, row in current.items() if not args.failed or row["verdict"] in FINE}
    keys = {name: key_of({"model": name, "device": args.device, "dtypes": args.dtypes}) for name in chosen}
    asked = [(place, name) for name in chosen for place, p in enumerate(args.only) if fnmatch(name, p)]
    asked.sort(key=lambda pair: pair[0])
    return [name for name in dict.fromkeys(name for _, name in asked) if keys[name] not in done]


def table(rows: Sequence[dict[str, Any]]) -> str:
    """Return counts of verdicts, the models that are not right, and what was left to torch."""
    lines = []
    for source in ("torchvision", "transformers"):
        of_source = [row for row in rows if row["model"].startswith(source)]
        verdicts = Counter(row["verdict"] for row in of_source)
        layers, calls = (_share(of_source, name) for name in ("layers", "calls"))
        shown = ("right", "wrong", "error", *(name for name in (NOT_RUN, TORCH_WRONG) if verdicts[name]))
        counts = ", ".join(f"{verdicts[name]} {name}" for name in shown)
        models = len({row["model"] for row in of_source})  # one may have a row for each of its dtypes
        lines.append(f"{source}: {models} models, {counts}; left to torch: {layers} layers, {calls} calls")
        checks, skipped = (sum(len(row.get(key, ())) for row in of_source) for key in ("checks", "skipped"))
        lines.append(f"{source}: {checks} checks; {skipped} tasks were skipped, which torch itself does not run")
        older = sum(row.get("judge") != JUDGE for row in of_source)
        lines += [f"{source}: {older} rows are of an earlier judge"] if older else []
    for row in rows:
        if row["verdict"] not in FINE:
            wrong = {key: check["wrong"] for key, check in row.get("checks", {}).items() if "wrong" in check}
            lines.append(f"{row['model']}: {row['verdict']} {row.get('errors') or wrong}")
    return "\n".join(lines)


def _share(rows: Sequence[dict[str, Any]], name: str) -> str:
    every, left = (sum(row.get(key, 0) for row in rows) for key in (name, f"{name}_left"))
    return f"{left} of {every}"


def main(arguments: Sequence[str]) -> int:
    args = parse(arguments)
    if args.serve:
        serve(args)
        return 0
    if not args.table:
        keeper = Keeper(args, wanted(args))
        keeper.run()
        if keeper.left:
            tell(f"{len(keeper.left)} models are left for another run: the budget is spent")
    rows = [row for row in rows_of(args.out) if row["device"] == args.device]
    print(table(rows))
    return 0 if all(row["verdict"] in FINE for row in rows) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
