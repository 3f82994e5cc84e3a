"""Products as calls of `tilewright.gemm` with libraries among the candidates, compared with NumPy.

    python benchmarks/cpu/vendor_cpu.py --threads 1 --out rows.jsonl

Each problem is called until its contest is over, or for six seconds of the processor. Then our call and NumPy's are
timed in turn. A ratio is NumPy's time over ours, of the least times.
"""

from __future__ import annotations

import argparse
import json
import os
import tempfile
import time
from pathlib import Path
from statistics import geometric_mean
from typing import Any

PROBLEMS = Path(__file__).parents[1] / "problems" / "gemm_cpu_rows.jsonl"
LONGEST = 6.0  # seconds of the processor for the calls of a contest


def main() -> None:
    """Time every problem and print a summary."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--problems", type=Path, default=PROBLEMS)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--out", type=Path)
    args = parser.parse_args()
    os.environ.setdefault("OPENBLAS_NUM_THREADS", str(args.threads))
    os.environ.update(TILEWRIGHT_VENDOR="1", TILEWRIGHT_BUILD="wait", TILEWRIGHT_THREADS=str(args.threads))
    os.environ.setdefault("TILEWRIGHT_DATA_DIR", tempfile.mkdtemp())
    rows = []
    for text in args.problems.read_text().splitlines()[:: args.every]:
        rows.append(measure(json.loads(text), args.rounds))
        print(json.dumps(rows[-1]), flush=True)
        if args.out:
            args.out.write_text("".join(json.dumps(row) + "\n" for row in rows))
    ratios = [row["ratio"] for row in rows]
    low, theirs = sum(r < 0.95 for r in ratios), sum("vendor" in row["kernel"] for row in rows)
    print(f"{len(rows)} products, {theirs} by the library: mean {geometric_mean(ratios):.3f}, least {min(ratios):.3f}, "
          f"{low} under 0.95")  # fmt: skip


def measure(data: dict[str, Any], rounds: int) -> dict[str, Any]:
    """Return one row."""
    import numpy as np

    import tilewright as tw
    from tilewright.ops import get_op, problem_from_dict

    problem, dispatcher = problem_from_dict(data), tw.default_dispatcher()  # other ones have no memo of calls in C
    before = len(dispatcher.events)
    t = get_op("gemm").random_tensors(problem, 0)
    a, b, out = t["a"], t["b"], t["out"]

    def ours() -> None:
        tw.gemm(a, b, out=out)

    ours()
    end = time.process_time() + LONGEST
    while time.process_time() < end and not any(e.kind == "contest" for e in dispatcher.events[before:]):
        ours()
    other = np.zeros_like(out)
    sides = {"ours": ours, "numpy": lambda: np.matmul(a, b, out=other)}
    once = time.monotonic()
    ours()
    count = max(1, int(5e-3 / max(time.monotonic() - once, 1e-7)))
    best = dict.fromkeys(sides, float("inf"))
    for _ in range(rounds):
        for name, run in sides.items():
            run()
            begin = time.thread_time()
            for _ in range(count):
                run()
            best[name] = min(best[name], (time.thread_time() - begin) / count)
    kernel = dispatcher.plan(problem).kernel
    said = [e.message for e in dispatcher.events[before:] if e.kind == "contest"]
    return {"problem": data, "kernel": kernel, "ratio": best["numpy"] / best["ours"], "ours_us": best["ours"] * 1e6,
            "numpy_us": best["numpy"] * 1e6, "contest": said}  # fmt: skip


if __name__ == "__main__":
    main()
