"""What one call costs on the host: a repeated Call, a hit of the memo, and peers, on an 8x8x8 fp32 product.

    python benchmarks/cpu/call_cost.py [--rounds 15] [--out results.jsonl]

All rows are timed in turn within every round, and the table shows the median over the rounds (and the best), so that
they saw the same machine. Rows of one thread are timed by that thread's own CPU clock, so other programs do not count;
rows of a team by the wall clock. "over C" is the cost above the same kernel called in a C loop.
"""

from __future__ import annotations

import argparse
import ctypes
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

from tilewright.jit import Cache, build_one, cxx_request
from tilewright.jit.launcher import Kernel, TwArgs, ctypes_launcher, launcher, launcher_status, make_call, new_args
from tilewright.jit.library import runtime_address
from tilewright.jit.loader import load_kernel
from tilewright.jit.memo import Record, make_memo
from tilewright.tune.bench.own import own_kernels_only

NATIVE = Path(__file__).parents[2] / "src" / "tilewright" / "jit" / "native"
SOURCE = r"""
#include <time.h>
#include "tilewright_abi.h"
#define EXPORTED extern "C" __attribute__((visibility("default")))
static const tw_kernel_info info = {TW_ABI_VERSION, sizeof(tw_args), "call-cost"};
EXPORTED const tw_kernel_info* tw_info(void) { return &info; }
EXPORTED int64_t tw_workspace(const tw_args* a) { return a->launch[1] ? 4096 : 0; }
static void nothing(void*, int, int, tw_team*) {}
EXPORTED __attribute__((noinline)) int tw_run(tw_args* args) {
  if (args->launch[0] > 1) { args->runtime->parallel((int)args->launch[0], nothing, nullptr); return 0; }
  const float *a = (const float*)args->tensors[0], *b = (const float*)args->tensors[1];
  float* c = (float*)args->tensors[2];
  typedef float row __attribute__((vector_size(32), aligned(4)));
  for (int i = 0; i < 8; ++i) {
    row sum = {};
    for (int k = 0; k < 8; ++k) sum += a[i * 8 + k] * *(const row*)(b + k * 8);
    *(row*)(c + i * 8) = sum;
  }
  return 0;
}
EXPORTED double bare(tw_args* args, long times) {
  timespec t0, t1;
  const clockid_t clock = args->launch[0] > 1 ? CLOCK_MONOTONIC : CLOCK_THREAD_CPUTIME_ID;
  clock_gettime(clock, &t0);
  for (long i = 0; i < times; ++i) { tw_run(args); asm volatile("" ::: "memory"); }
  clock_gettime(clock, &t1);
  return ((t1.tv_sec - t0.tv_sec) * 1e9 + (t1.tv_nsec - t0.tv_nsec)) / times;
}
"""

WARM_START = r"""
import sys, time
import numpy as np
path = sys.argv[1]
def clocks(): return time.perf_counter(), time.process_time()
def step(name, since):
    now = clocks(); print(name, *((x - y) * 1e3 for x, y in zip(now, since)), flush=True); return now
begin = t = clocks()
from tilewright.jit.launcher import launcher, make_call
from tilewright.jit.launcher import new_args
from tilewright.jit.library import runtime_address
from tilewright.jit.loader import load_kernel
t = step("import of tilewright.jit", t)
launcher(); t = step("launcher from the cache", t)
runtime_address(); t = step("runtime from the cache", t)
kernel = load_kernel(path); t = step("kernel library", t)
a, b, c = np.ones((8, 8), np.float32), np.ones((8, 8), np.float32), np.zeros((8, 8), np.float32)
make_call(kernel, new_args(launch=(2,)), (0, 1, 2), (a, b, c), 2)(a, b, c)
t = step("bind and first run, 2 threads", t)
step("warm start, NumPy imported before", begin)
"""


def build_kernel(cache: Cache) -> Kernel:
    request = cxx_request(SOURCE, name="call-cost", include_dirs=[NATIVE], flags=["-march=x86-64-v3"])
    return load_kernel(build_one(request, cache).file())


def operands() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    a, b = (rng.standard_normal((8, 8)).astype(np.float32) for _ in range(2))
    return a, b, np.zeros((8, 8), np.float32)


def bare_row(kernel: Kernel, arrays: tuple[np.ndarray, ...], launch: tuple[int, ...] = ()):
    args = new_args(launch=launch)
    for slot, array in enumerate(arrays):
        args.tensors[slot] = array.ctypes.data
    if launch:
        args.runtime = runtime_address()
    bare = ctypes.CFUNCTYPE(ctypes.c_double, ctypes.POINTER(TwArgs), ctypes.c_long)(kernel.address("bare"))
    return lambda times: bare(ctypes.byref(args), times)


def loop_row(function, *arguments, clock=time.thread_time_ns, **options):
    """Nanoseconds per call of `function` in a plain Python loop."""
    first, second, *rest = arguments
    third = rest[0] if rest else options["out"]

    def by_position(times: int) -> float:
        begin = clock()
        for _ in range(times):
            function(first, second, third)
        return (clock() - begin) / times

    def by_keyword(times: int) -> float:
        begin = clock()
        for _ in range(times):
            function(first, second, out=third)
        return (clock() - begin) / times

    return by_position if rest else by_keyword


def slow(a, b, *, out=None):
    raise LookupError("the benchmark expects a hit")


def make_gemm(again):
    def gemm(*arguments, **options):
        """What a public function looks like: the memo first, everything else behind it."""
        found = again(slow, arguments, options)
        return slow(*arguments, **options) if found is None else found

    return gemm


def torch_rows(call) -> dict:
    try:
        import torch
    except ImportError:
        return {}
    torch.set_num_threads(1)
    a, b, c = (torch.randn(8, 8) for _ in range(3))

    def by_address(x, y, out):
        call.run_pointers(x.data_ptr(), y.data_ptr(), out.data_ptr())

    return {
        "Call.run_pointers on torch tensors": loop_row(by_address, a, b, c),
        "torch.mm(a, b, out=c)": loop_row(torch.mm, a, b, out=c),
    }


def all_rows(cache: Cache) -> dict:
    launcher(cache)
    kernel, (a, b, c) = build_kernel(cache), operands()

    def bind(launch=(1,), **options):
        options = {"release_gil": False, **options}
        return make_call(kernel, new_args(launch=launch), (0, 1, 2), (a, b, c), 2, **options)

    call, memo = bind(), make_memo()
    reach = tuple((0, x.nbytes) for x in (a, b, c))
    given = {"a": a, "b": b, "out": c}
    assert memo.keep("plain", given, *Record(call, reach, (2,), (), (None,) * 3, (0, 1, 2)))
    assert memo.run("plain", given, slow, (a, b), {"out": c}, "out")
    np.testing.assert_allclose(call(a, b, c), a @ b, rtol=1e-5, atol=1e-5)
    slow_call = bind(active=ctypes_launcher("compared here"))
    return {
        "bare C call": bare_row(kernel, (a, b, c)),
        "Call(a, b, c)": loop_row(call, a, b, c),
        "Call, GIL released": loop_row(bind(release_gil=True), a, b, c),
        "Call, with workspace": loop_row(bind((1, 1)), a, b, c),
        "Memo.again(gemm, (a, b), {out: c})": loop_row(memo.again, slow, (a, b), {"out": c}),
        "gemm(a, b, out=c) over the memo": loop_row(make_gemm(memo.again), a, b, out=c),
        "np.matmul(a, b, out=c)": loop_row(np.matmul, a, b, out=c),
        "Call, ctypes launcher": loop_row(slow_call, a, b, c),
        "bare C call, empty team of 2 (wall clock)": bare_row(kernel, (a, b, c), (2,)),
        "Call, empty team of 2 (wall clock)": loop_row(bind((2,)), a, b, c, clock=time.perf_counter_ns),
        **torch_rows(call),
    }


def measure(rows: dict, rounds: int) -> dict[str, list[float]]:
    times = {name: 200 if "ctypes" in name else 5000 for name in rows}
    samples: dict[str, list[float]] = {name: [] for name in rows}
    for row in rows.values():
        row(100)
    for _ in range(rounds):
        for name, row in rows.items():
            samples[name].append(row(times[name]))
    return samples


def warm_start(cache: Cache, repeats: int = 5) -> dict[str, list[tuple[float, float]]]:
    """Milliseconds, by the wall and by the CPU, of each step in fresh processes that find everything in the cache."""
    command = [sys.executable, "-c", WARM_START, str(build_kernel(cache).path)]
    bytecode = {"PYTHONPYCACHEPREFIX": str(cache.root / "bytecode"), "PYTHONDONTWRITEBYTECODE": ""}
    env = {**os.environ, **bytecode, "TILEWRIGHT_CACHE_DIR": str(cache.root)}
    subprocess.run(command, check=True, capture_output=True, env=env)  # the first run writes the bytecode
    steps: dict[str, list[tuple[float, float]]] = {}
    for _ in range(repeats):
        text = subprocess.run(command, check=True, capture_output=True, text=True, env=env).stdout
        for line in text.splitlines():
            name, wall, cpu = line.rsplit(" ", 2)
            steps.setdefault(name, []).append((float(wall), float(cpu)))
    return steps


def report(samples: dict[str, list[float]], steps: dict[str, list[tuple[float, float]]]) -> list[dict]:
    bare = statistics.median(samples["bare C call"])
    records = []
    print(f"{'one call, 8x8x8 fp32':40} {'median ns':>10} {'best ns':>9} {'over C':>8}")
    for name, values in samples.items():
        middle = statistics.median(values)
        print(f"{name:40} {middle:10.0f} {min(values):9.0f} {middle - bare:8.0f}")
        records.append({"row": name, "median_ns": middle, "best_ns": min(values), "over_c_ns": middle - bare})
    print(f"\n{'warm start, fresh process':40} {'median ms':>10} {'best ms':>9} {'CPU ms':>8}")
    for name, pairs in steps.items():
        walls, cpu = [wall for wall, _ in pairs], statistics.median(cpu for _, cpu in pairs)
        print(f"{name:40} {statistics.median(walls):10.2f} {min(walls):9.2f} {cpu:8.2f}")
        records.append({"row": name, "median_ms": statistics.median(walls), "best_ms": min(walls), "cpu_ms": cpu})
    return records


def main() -> None:
    print(own_kernels_only(), file=sys.stderr)
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--out", type=Path, help="also write the rows as JSON lines")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="tilewright-bench-") as folder:
        cache = Cache(folder)
        rows = all_rows(cache)
        print(launcher_status().split(":")[0], "| NumPy", np.__version__, "| Python", sys.version.split()[0])
        records = report(measure(rows, options.rounds), warm_start(cache))
    lines = "".join(json.dumps(record) + "\n" for record in records)
    if options.out:
        options.out.write_text(lines)
    else:
        print(f"\n{lines}", end="")


if __name__ == "__main__":
    main()
