"""Build bars: parallel speed-up against bare compilers, the second build of a set, one cache hit, a warm start.

    python benchmarks/cpu/build.py --rounds 3 --out out/build.jsonl

The speed-up is a ratio of ratios from interleaved rounds on one machine: (tilewright with 1 worker / with 2 workers)
over (bare compiler one after the other / two at a time), each the median over the rounds. The bare runs execute the
very same command lines. Hit and warm start are fixed work, so they are the best of the rounds; the CPU time of the
warm start is printed too, which a busy machine disturbs less.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

from tilewright.jit import Artifact, BuildRequest, Cache, build_many, cxx_request, find_compiler
from tilewright.settings import Settings

KERNELS = 6
WORKERS = 2
BARS = {
    "speedup_share": (0.9, "min"),
    "second_build_s": (0.2, "max"),
    "hit_ms": (1.0, "max"),
    "warm_start_ms": (100.0, "max"),
}

SOURCE = """
#include <cstdint>
typedef float vec __attribute__((vector_size(64), aligned(4)));
template <int MR, int NV>
static void micro(const float* a, const float* b, float* c, int64_t k, int64_t ldc) {{
  vec acc[MR][NV] = {{}};
  for (int64_t p = 0; p < k; ++p, a += MR, b += NV * 16)
    for (int i = 0; i < MR; ++i)
      for (int j = 0; j < NV; ++j) acc[i][j] += a[i] * reinterpret_cast<const vec*>(b)[j];
  for (int i = 0; i < MR; ++i)
    for (int j = 0; j < NV; ++j) reinterpret_cast<vec*>(c + i * ldc)[j] += acc[i][j];
}}
extern "C" __attribute__((visibility("default")))
int run(const float* a, const float* b, float* c, int64_t k, int64_t ldc) {{
  {calls}
  return {number};
}}
"""

WARM_START = """
import time; t, c = time.perf_counter(), time.process_time()
from tilewright.jit import Cache, cxx_request
from tilewright.settings import Settings
import ctypes, sys
settings = Settings(cache_dir=sys.argv[1])
request = cxx_request(open(sys.argv[2]).read(), name="k", flags=("-mavx512f",), settings=settings)
artifact = Cache.from_settings(settings).find(request.build_key)
assert artifact is not None
ctypes.CDLL(str(artifact.file())).run(None, None, None, 0, 0)
print(time.perf_counter() - t, time.process_time() - c)
"""


def source(number: int) -> str:
    """Return one kernel that takes roughly as long to compile as a real one."""
    tiles = [(mr, nv) for mr in range(4, 13) for nv in (1, 2)]
    calls = "\n  ".join(f"if (ldc == {mr * 10 + nv}) micro<{mr}, {nv}>(a, b, c, k, ldc);" for mr, nv in tiles)
    return SOURCE.format(calls=calls, number=number)


def requests(settings: Settings, salt: str) -> list[BuildRequest]:
    """Return the set; `salt` makes it new to every cache."""
    return [
        cxx_request(f"// {salt}\n{source(i)}", name=f"kernel{i}", flags=("-mavx512f",), settings=settings)
        for i in range(KERNELS)
    ]


def bare(set_: list[BuildRequest], workers: int) -> float:
    """Seconds for the same command lines without tilewright, `workers` at a time."""
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(workers) as pool:
        for request in set_:
            place = Path(folder, request.name)
            place.mkdir()
            for name, text in request.inputs.items():
                (place / name).write_text(text)
        started = time.perf_counter()
        # Each in a session of its own, as the pool does: Linux shares a busy CPU between sessions, not processes.
        run = partial(subprocess.run, start_new_session=True, check=True)
        list(pool.map(lambda request: run(request.commands[0], cwd=Path(folder, request.name)), set_))
        return time.perf_counter() - started


def ours(set_: list[BuildRequest], cache: Cache, workers: int) -> float:
    """Seconds for `build_many` into `cache`."""
    started = time.perf_counter()
    results = build_many(set_, cache, max_workers=workers)
    seconds = time.perf_counter() - started
    assert all(isinstance(result, Artifact) for result in results), results
    return seconds


def measure(rounds: int) -> dict[str, float]:
    """Return every figure, over interleaved rounds."""
    times: dict[str, list[float]] = {
        name: [] for name in ("bare1", "bare2", "ours1", "ours2", "second", "hit", "warm", "cpu")
    }
    with tempfile.TemporaryDirectory() as folder:
        settings = Settings(cache_dir=folder)
        find_compiler(settings)
        for number in range(rounds):
            sets = [requests(settings, f"{number}.{i}") for i in range(2)]
            jobs = [
                ("bare1", lambda s=sets[0]: bare(s, 1)),
                ("ours1", lambda s=sets[0]: ours(s, Cache(folder), 1)),
                ("bare2", lambda s=sets[1]: bare(s, WORKERS)),
                ("ours2", lambda s=sets[1]: ours(s, Cache(folder), WORKERS)),
            ]
            for name, job in jobs if number % 2 == 0 else reversed(jobs):  # neither order is favoured
                times[name].append(job())
            fresh = Cache(folder)
            times["second"].append(ours(sets[1], fresh, WORKERS))
            times["hit"].append(_hit_seconds(fresh, sets[1]))
            warm, cpu = _warm_seconds(folder, sets[1][0])
            times["warm"].append(warm)
            times["cpu"].append(cpu)
    median = {name: statistics.median(values) for name, values in times.items()}
    return {
        "bare_1_s": median["bare1"],
        "bare_2_s": median["bare2"],
        "bare_speedup": median["bare1"] / median["bare2"],
        "tilewright_1_s": median["ours1"],
        "tilewright_2_s": median["ours2"],
        "tilewright_speedup": median["ours1"] / median["ours2"],
        "speedup_share": (median["ours1"] / median["ours2"]) / (median["bare1"] / median["bare2"]),
        "time_share": median["bare2"] / median["ours2"],
        "second_build_s": median["second"],
        "hit_ms": min(times["hit"]) * 1e3,
        "warm_start_ms": min(times["warm"]) * 1e3,
        "warm_start_cpu_ms": min(times["cpu"]) * 1e3,
    }


def _hit_seconds(cache: Cache, set_: list[BuildRequest]) -> float:
    """Return one cache hit as the first in a process: metadata and every digest are read."""
    started = time.perf_counter()
    fresh = Cache(cache.root)
    for request in set_:
        assert fresh.find(request.build_key) is not None
    return (time.perf_counter() - started) / len(set_)


def _warm_seconds(folder: str, request: BuildRequest) -> tuple[float, float]:
    """Wall and CPU seconds of import, key, cache hit, load and first call in a new process; not of Python's start.

    Byte code is kept in the temporary folder, as an installed package has it; the first of two runs fills it.
    """
    text = Path(folder, "warm.cpp")
    text.write_text(request.inputs["kernel.cpp"])
    command = [sys.executable, "-c", WARM_START, folder, str(text)]
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    environment["PYTHONPYCACHEPREFIX"] = str(Path(folder, "bytecode"))
    for _ in range(2):
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    wall, cpu = map(float, done.stdout.split())
    return wall, cpu


def main() -> int:
    """Print a table, write JSON lines, and fail if a bar is missed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--out", type=Path, help="JSON lines are appended to this file")
    options = parser.parse_args()
    figures = measure(options.rounds)
    compiler = find_compiler()
    missed = 0
    lines = []
    print(f"{KERNELS} kernels, {WORKERS} workers, {os.cpu_count()} cores, {compiler.version}")
    for name, value in figures.items():
        bar, side = BARS.get(name, (None, ""))
        ok = None if bar is None else (value >= bar if side == "min" else value <= bar)
        missed += ok is False
        wanted = "" if bar is None else f"{'>=' if side == 'min' else '<='} {bar:g}  {'ok' if ok else 'MISSED'}"
        print(f"  {name:<20} {value:>9.3f}   {wanted}")
        lines.append({"benchmark": "build", "figure": name, "value": round(value, 6), "bar": bar, "ok": ok})
    if options.out is not None:
        options.out.parent.mkdir(parents=True, exist_ok=True)
        with open(options.out, "a", encoding="utf-8") as stream:
            stream.writelines(json.dumps({**line, "compiler": compiler.version}) + "\n" for line in lines)
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
