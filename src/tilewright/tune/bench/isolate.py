"""Benchmarks in separate processes, one per peer: thread pools of two BLAS libraries disturb each other in one.

The parent writes a job as a JSON line to the worker's stdin, then a line for each record that it wants, and reads the
record as a JSON line from the worker's stdout. Between two requests a worker is idle, so that no two of them measure
at the same time. One that dies ends only its own comparison; the error has its last output.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ...errors import TilewrightError
from ...model.json_text import parse_json
from ...settings import env_of
from ..measure.environment import answer_file, worker_env
from ..measure.timer import Policy
from ..worker_process import WorkerFault, WorkerProcess
from .record import BenchRecord

MODULE = "tilewright.tune.bench.isolate"


def bench_isolated(
    problems: Sequence[Mapping[str, Any]],
    peers: Sequence[str],
    policy: Policy,
    settings: Mapping[str, Any],
    registry: Mapping[str, Any] | None = None,
    exhaustive: bool = False,
) -> Iterator[BenchRecord]:
    """Yield the records of `problems` (as JSON objects) compared with `peers`, from one new process.

    `registry` holds the kernels to choose from, as JSON data; without it, those of the default registry.
    """
    job = {"problems": [*problems], "peers": [*peers], "policy": policy.to_dict(), "registry": registry,
           "exhaustive": exhaustive}  # fmt: skip
    worker = WorkerProcess(MODULE)
    try:
        worker.launch({**worker_env(peers, policy.threads), **env_of(settings)})
        worker.send(job)
        while True:
            worker.send({})
            data = worker.receive()
            if data.get("end"):
                return
            yield record_from(data)
    except WorkerFault as fault:
        raise TilewrightError(
            f"the comparison with {', '.join(peers) or 'nobody'} failed: {fault}",
            remedy="run it in this process with --no-isolate to see more",
        ) from None
    finally:
        worker.close()


def record_from(data: Mapping[str, Any]) -> BenchRecord:
    """Return a record from the JSON line of a worker.

    >>> record_from({"problem": {}, "label": "x", "samples": [1.0]}).samples
    (1.0,)
    """
    fields = dict(data)
    for name in ("samples", "events"):
        fields[name] = tuple(fields.get(name, ()))
    return BenchRecord(**fields)


def work() -> None:
    """Run the worker: a job and requests from stdin, records to stdout; any other output goes to stderr."""
    from ...dispatcher import Dispatcher
    from ...ops import problem_from_dict
    from ...registry import Registry
    from ...settings import Settings
    from .peers import get_peer
    from .record import bench_problems

    out, job = answer_file(), parse_json(sys.stdin.readline(), "the job", allow_nan=True)
    settings = Settings.from_env()
    peers = [get_peer(name) for name in job["peers"]]
    problems = [problem_from_dict(p) for p in job["problems"]]
    registry = None if job["registry"] is None else Registry.from_dict(job["registry"])
    dispatcher = Dispatcher(registry, settings=settings)
    records = bench_problems(dispatcher, problems, peers, Policy(**job["policy"]), job["exhaustive"])
    while sys.stdin.readline():
        record = next(records, None)
        print(json.dumps({"end": True} if record is None else vars(record)), file=out, flush=True)


if __name__ == "__main__":
    try:
        work()
    except TilewrightError as error:
        sys.exit(str(error))
