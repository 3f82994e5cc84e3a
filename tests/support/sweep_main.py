"""A sweep as a process of its own, for tests that kill it: python sweep_main.py STORE CACHE PROBLEMS."""

from __future__ import annotations

import sys

from small_kernels import device, make_all, small_problem

from tilewright.settings import Settings
from tilewright.store import Store
from tilewright.tune.measure.station import LocalStation
from tilewright.tune.measure.sweep import Sweep
from tilewright.tune.measure.task import SweepPolicy

HOWS = ["good", "slow", "good", "wrong"]


def main(path: str, cache: str, count: int) -> None:
    candidates, built = make_all(HOWS, cache)
    station = LocalStation(Settings.from_env(cache_dir=cache, threads=1))
    sweep = Sweep(Store(path), [station], device(), built, SweepPolicy(rounds=3, sample_ms=0.1))  # type: ignore[arg-type]
    problems = [small_problem(m=8 + i) for i in range(count)]
    print("sweeping", flush=True)
    report = sweep.run([(p, candidates) for p in problems])
    station.close()
    print(report.problems, report.measurements, report.skipped, flush=True)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]))
