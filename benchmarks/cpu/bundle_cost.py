"""What a bundle costs a C++ program: opening it, planning a problem, and a cached dispatch over the bare kernel call.

    python benchmarks/cpu/bundle_cost.py --out benchmarks/results/bundle_cost_cpu.json
    python benchmarks/cpu/bundle_cost.py --bundle DIR          an existing bundle that computes the problem below
    python benchmarks/cpu/bundle_cost.py --budget FILE... --out benchmarks/results/bundle_budget_cpu.json

The bars are 20 ms for opening and 0.3 us for a cached dispatch. Times are CPU time, so that a busy machine disturbs
less; of opening and planning the smallest and the median of many processes, of calls the best of several rounds.
`--budget` says instead how much of the predicted time of problem files kernels of `--bytes` cover.
"""

from __future__ import annotations

import argparse
import json
import platform
import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import median
from typing import Any

PROBLEM = '{"op":"gemm","m":4,"n":4,"k":4,"dtype":"fp32"}'
PROGRAM = r"""
#include <tilewright/tilewright.hpp>
#include <cstdio>
#include <ctime>
using namespace tilewright;
static double now() {
  timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return double(t.tv_sec) + 1e-9 * double(t.tv_nsec);
}
template <class Work>
double best(int rounds, int repeat, Work work) {
  double least = 1e9;
  for (int i = 0; i < rounds; i++) {
    const double start = now();
    for (int j = 0; j < repeat; j++) work(i * repeat + j);
    least = std::min(least, (now() - start) / repeat);
  }
  return least;
}
int main(int count, char** words) {
  double start = now();
  auto bundle = Bundle::open(words[1]);
  const double opened = now() - start;
  Dispatcher dispatcher(bundle, Selector::cost, 1);
  const Problem problem = Gemm(4, 4, 4).dtype("fp32");
  start = now();
  const Plan& plan = dispatcher.plan(problem);
  std::printf("{\"open\": %.3f, \"first plan\": %.3f", 1e3 * opened, 1e3 * (now() - start));
  if (count == 2) return std::printf("}\n"), 0;
  const double planned = best(20, 1, [&](int i) { dispatcher.plan(Gemm(5 + i, 4, 4).dtype("fp32")); });
  float a[16] = {1}, b[16] = {1}, out[16];
  void* pointers[] = {a, b, out};
  tw_args args;
  plan.prepare(pointers, args);
  const auto function = plan.function();
  // In turns, so that a busy machine disturbs all alike.
  double bare = 1e9, cached = 1e9, checked = 1e9;
  for (int i = 0; i < 60; i++) {
    bare = std::min(bare, best(1, 20000, [&](int) { function(&args); }));
    cached = std::min(cached, best(1, 20000, [&](int) { dispatcher.run_pointers(problem, a, b, out); }));
    checked = std::min(checked, best(1, 20000, [&](int) {
      dispatcher.run(problem, {{"a", Tensor(a, 64)}, {"b", Tensor(b, 64)}, {"out", Tensor(out, 64)}});
    }));
  }
  std::printf(", \"plan\": %.3f, \"bare\": %.3f, \"cached\": %.3f, \"checked\": %.3f}\n", 1e3 * planned, 1e6 * bare,
              1e6 * (cached - bare), 1e6 * (checked - bare));
}
"""
PYTHON = """
import sys, time
from tilewright.bundle import Bundle
start = time.process_time()
Bundle.open(sys.argv[1])
print('{"open": %.3f}' % (1e3 * (time.process_time() - start)))
"""


def said(*command: str) -> dict[str, float]:
    """Return what a program prints: one JSON object."""
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    found: dict[str, float] = json.loads(done.stdout)
    return found


def spread(rows: list[dict[str, float]], name: str) -> dict[str, float]:
    values = [row[name] for row in rows]
    return {"min": round(min(values), 2), "median": round(median(values), 2)}


def cost(folder: Path, processes: int) -> dict[str, Any]:
    """Return the costs of a bundle: ms of opening and planning, us of calls."""
    with tempfile.TemporaryDirectory() as build:
        source, program = Path(build, "cost.cpp"), Path(build, "cost")
        source.write_text(PROGRAM)
        sources = [str(source), f"{folder}/src/tilewright.cpp"]
        subprocess.run(
            ["c++", "-std=c++17", "-O2", f"-I{folder}/include", *sources, "-o", str(program), "-ldl"], check=True
        )
        rows = [said(str(program), str(folder)) for _ in range(processes)]
        calls = said(str(program), str(folder), "calls")
    python = [said(sys.executable, "-c", PYTHON, str(folder)) for _ in range(max(1, processes // 4))]
    manifest = json.loads((folder / "manifest.json").read_text())
    return {
        "kernels": len(manifest["kernels"]),
        "processes": processes,
        "ms": {
            "open, C++": spread(rows, "open"),
            "first plan, C++": spread(rows, "first plan"),
            "plan of a new shape, C++": calls["plan"],
            "open, Python": spread(python, "open"),
        },
        "us": {
            "bare call": calls["bare"],
            "cached dispatch, more than the bare call": calls["cached"],
            "dispatch with checks, more than the bare call": calls["checked"],
        },
    }


def budget(files: list[str], limit: int, top: int) -> dict[str, Any]:
    """Return how much of the predicted time of problem files kernels of `limit` bytes cover."""
    from tilewright.backends.cpu.detect import host_device
    from tilewright.bundle.files import kept_sizes
    from tilewright.bundle.pick import pick, rank_kernels
    from tilewright.bundle.write import build_kernels
    from tilewright.cli.bundle import read_wanted
    from tilewright.registry import default_registry
    from tilewright.settings import Settings

    settings = Settings.from_env()
    device = host_device(settings)
    rows, specs = rank_kernels(read_wanted(files), default_registry(["cpu"]), device, top)
    built = build_kernels(list(specs.values()), settings)
    sizes = {digest: kept_sizes(spec, built[digest]) for digest, spec in specs.items()}
    found = pick(rows, specs, sizes, limit)
    return {
        "arch": device.arch,
        "files": [Path(f).name for f in files],
        "problems": len(rows),
        "kernels considered": len(specs),
        "most bytes": limit,
        "kernels taken": len(found.specs),
        "bytes": found.bytes,
        "covered time": round(found.covered, 4),
        "times the best kernels' time": round(found.slowdown, 4),
    }


def made(folder: Path) -> Path:
    """Return a small bundle that is made for this run."""
    command = [sys.executable, "-m", "tilewright", "bundle", PROBLEM, "--out", str(folder), "--json"]
    subprocess.run(command, check=True, capture_output=True)
    return folder


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bundle", type=Path)
    parser.add_argument("--processes", type=int, default=40)
    parser.add_argument("--budget", nargs="+", metavar="FILE")
    parser.add_argument("--bytes", type=int, default=50_000_000)
    parser.add_argument("--top", type=int, default=3)
    parser.add_argument("--out", type=Path)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        if args.budget:
            found = budget(args.budget, args.bytes, args.top)
        else:
            found = cost(args.bundle.resolve() if args.bundle else made(Path(folder, "bundle")), args.processes)
    text = json.dumps({"machine": platform.machine(), **found}, indent=1) + "\n"
    print(text, end="")
    if args.out:
        args.out.write_text(text)


if __name__ == "__main__":
    main()
