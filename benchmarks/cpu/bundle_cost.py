"""What a bundle costs a C++ program: opening it, planning a problem, and a cached dispatch over the bare kernel call.

    python benchmarks/cpu/bundle_cost.py                    makes a small bundle and a program, prints CPU times
    python benchmarks/cpu/bundle_cost.py --bundle DIR       an existing bundle that computes the problem below

The bars are 20 ms for opening and 0.3 us for a cached dispatch. Times are CPU time of the process, the best of several
rounds, so that a busy machine disturbs less. `--budget FILE...` prints instead how much of the predicted time of
problem files 50 MB of kernels cover.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from pathlib import Path

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
int main(int, char** argv) {
  std::printf("open            %8.2f ms\n", 1e3 * best(7, 1, [&](int) { Bundle::open(argv[1]); }));
  auto bundle = Bundle::open(argv[1]);
  Dispatcher dispatcher(bundle, Selector::cost, 1);
  std::printf("plan, new shape %8.2f ms\n", 1e3 * best(20, 1, [&](int i) {
    dispatcher.plan(Gemm(4 + i, 4, 4).dtype("fp32"));
  }));
  float a[16] = {1}, b[16] = {1}, out[16];
  const Problem problem = Gemm(4, 4, 4).dtype("fp32");
  void* pointers[] = {a, b, out};
  tw_args args;
  const Plan& plan = dispatcher.plan(problem);
  plan.prepare(pointers, args);
  const auto function = plan.function();
  const int many = 200000;
  const double bare = best(15, many, [&](int) { function(&args); });
  const double cached = best(15, many, [&](int) { dispatcher.run_pointers(problem, a, b, out); });
  const double checked = best(15, many, [&](int) {
    dispatcher.run(problem, {{"a", Tensor(a, 64)}, {"b", Tensor(b, 64)}, {"out", Tensor(out, 64)}});
  });
  std::printf("bare call       %8.3f us\n", 1e6 * bare);
  std::printf("cached dispatch %8.3f us, %.3f us over the bare call\n", 1e6 * cached, 1e6 * (cached - bare));
  std::printf("with checks     %8.3f us, %.3f us over the bare call\n", 1e6 * checked, 1e6 * (checked - bare));
}
"""


def cost(folder: Path) -> None:
    with tempfile.TemporaryDirectory() as build:
        source, program = Path(build, "cost.cpp"), Path(build, "cost")
        source.write_text(PROGRAM)
        command = ["c++", "-std=c++17", "-O2", f"-I{folder}/include", str(source), "-o", str(program), "-ldl"]
        subprocess.run(command, check=True)
        print(subprocess.run([str(program), str(folder)], check=True, capture_output=True, text=True).stdout, end="")


def budget(files: list[str], limit: int, top: int) -> None:
    """Print how much of the predicted time of problem files kernels of `limit` bytes cover."""
    from tilewright.backends.cpu.detect import host_device
    from tilewright.bundle.pick import pick, rank_kernels
    from tilewright.bundle.write import build_kernels
    from tilewright.cli.bundle import read_wanted
    from tilewright.registry import default_registry
    from tilewright.settings import Settings

    settings = Settings.from_env()
    rows, specs = rank_kernels(read_wanted(files), default_registry(["cpu"]), host_device(settings), top)
    built = build_kernels(list(specs.values()), settings)
    sizes = {digest: built[digest].file().stat().st_size for digest in specs}
    found = pick(rows, specs, sizes, limit)
    print(f"{len(rows)} problems, {len(specs)} kernels considered, {len(found.specs)} taken, {found.bytes:,} bytes")
    print(f"{found.covered:.1%} of the time covered, {found.slowdown:.3f} times the best kernels' time")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bundle", type=Path)
    parser.add_argument("--budget", nargs="+", metavar="FILE")
    parser.add_argument("--bytes", type=int, default=50_000_000)
    parser.add_argument("--top", type=int, default=3)
    args = parser.parse_args()
    if args.budget:
        budget(args.budget, args.bytes, args.top)
        return
    if args.bundle is not None:
        cost(args.bundle.resolve())
        return
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder, "bundle")
        subprocess.run(
            [sys.executable, "-m", "tilewright", "bundle", PROBLEM, "--out", str(out), "--json"],
            check=True,
            capture_output=True,
        )
        cost(out)


if __name__ == "__main__":
    main()
