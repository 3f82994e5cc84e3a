"""What an epilogue costs on a CPU: convolutions with more and more after their sums, beside the plain ones.

    python benchmarks/cpu/epilogue_cpu.py [--threads 1] [--rounds 25] [--against ../earlier]

Layers of mobile nets and ResNets, one image, channels-last, fp32, our own kernels; NumPy arrays, results in memory of
the caller. Each number is the median over the rounds of (time with the epilogue / time of the plain convolution in the
same round). With `--against`, a checkout of another revision is measured before this one.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from statistics import median

ROOT = Path(os.environ.get("EPILOGUE_ROOT", Path(__file__).parents[2]))  # the checkout that is measured
sys.path[:0] = [str(ROOT / "benchmarks"), str(ROOT / "src")]

import numpy as np  # noqa: E402
from turns import in_turn  # noqa: E402

import tilewright as tw  # noqa: E402
from tilewright.tune.bench.own import own_kernels_only  # noqa: E402

SAMPLE_S = 0.004
# Groups, channels in and out, pixels along a side, filter.
LAYERS = (
    (384, 384, 384, 14, 3), (144, 144, 144, 56, 3), (1, 64, 384, 14, 1), (1, 64, 256, 56, 1), (1, 64, 64, 56, 3),
    (1, 256, 64, 56, 1), (1, 256, 1024, 14, 1),
)  # fmt: skip


def image(*shape: int) -> np.ndarray:
    """Return random numbers in channels-last memory."""
    drawn = np.random.default_rng(len(shape)).standard_normal((shape[0], *shape[2:], shape[1]), np.float32)
    return np.moveaxis(drawn, -1, 1)


def ways(groups: int, c: int, k: int, side: int, taps: int) -> dict[str, Callable[[], object]]:
    """Return the convolutions of one layer, with less and more after them."""
    x, residual, out = image(1, c, side, side), image(1, k, side, side), image(1, k, side, side)
    weight, bias = image(k, c // groups, taps, taps), np.ones(k, np.float32)

    def call(**after: object) -> Callable[[], object]:
        return lambda: tw.conv(x, weight, out=out, padding=taps // 2, groups=groups, **after)  # type: ignore[arg-type]

    found = {
        "plain": call(),
        "relu": call(activation="relu"),
        "bias": call(bias=bias),
        "bias relu6": call(bias=bias, activation="relu6"),
        "bias residual relu": call(bias=bias, d=residual, activation="relu"),
    }
    try:
        tw.conv(x, weight, d=[bias, bias], combine="multiply_add", padding=taps // 2, groups=groups)
    except tw.TilewrightError:  # an earlier revision
        return found
    return found | {"factor bias relu6": call(d=[bias, bias], combine="multiply_add", activation="relu6")}


def sample(call: Callable[[], object]) -> float:
    """Return how long a call takes."""
    calls, start = 0, time.perf_counter()
    while time.perf_counter() - start < SAMPLE_S:
        call()
        calls += 1
    return (time.perf_counter() - start) / calls


def measure(rounds: int) -> None:
    """Print a line for each layer."""
    for layer in LAYERS:
        calls = ways(*layer)
        for call in (*calls.values(), *calls.values()):
            call()
        samples = in_turn({name: partial(sample, call) for name, call in calls.items()}, rounds)
        ratios = {
            name: median(a / b for a, b in zip(found, samples["plain"], strict=True)) for name, found in samples.items()
        }
        groups, c, k, side, taps = layer
        print(f"g{groups} {c}x{k} {side}x{side} {taps}x{taps}: {min(samples['plain']) * 1e6:.0f} us", end="")
        print("".join(f", {name} {ratio:.2f}" for name, ratio in ratios.items() if name != "plain"), flush=True)


def main() -> None:
    """Measure this revision, after another one if asked."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--rounds", type=int, default=25)
    parser.add_argument("--against", type=Path, help="a checkout of another revision")
    args = parser.parse_args()
    os.environ["TILEWRIGHT_THREADS"] = str(args.threads)
    print(own_kernels_only(), flush=True)
    if args.against is not None:
        command = [sys.executable, __file__, "--threads", str(args.threads), "--rounds", str(args.rounds)]
        print(f"{args.against}:", flush=True)
        subprocess.run(command, check=True, env={**os.environ, "EPILOGUE_ROOT": str(args.against.resolve())})
        print("this revision:", flush=True)
    measure(args.rounds)


if __name__ == "__main__":
    main()
