"""What a selection costs: a problem never seen before (cold), and one that was decided already (cached). Needs no GPU.

    python benchmarks/selection_cost.py
    python benchmarks/selection_cost.py --selector analytical --count 60

Cold is a problem that this process has not seen, after it has selected others of the same op: kernels are listed, the
model is loaded and its C form built. `rank` is the selector alone on the legal candidates (features, model, choice),
`200` the same on exactly 200 of them, for problems that have so many; both problem after problem. `list` is what comes
before it, rules and launches in Python. `cached` asks for a decision again. Medians over problems; on a busy machine
see `least` too.
"""

from __future__ import annotations

import argparse
import json
import tempfile
import time
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from statistics import median
from typing import Any

from tilewright.backends import get_backend
from tilewright.dispatcher import nominal_device
from tilewright.registry import default_registry
from tilewright.select import get_selector
from tilewright.select.decisions import Decisions
from tilewright.settings import Settings

CANDIDATES = 200
WARM = 40  # problems of the op before the first that counts
CASES = (  # (op, dtype, where, problems of at most so many flop)
    ("gemm", "bf16", "cpu", 2.5e8),
    ("gemm", "fp32", "cpu", 2.5e8),
    ("conv", "fp32", "cpu", 4e8),
    ("gemm", "fp16", "sm_90", 4e11),
    ("conv", "fp16", "sm_90", 6e10),
)


def problems(op: str, dtype: str, where: str, flops: float, count: int) -> list[Any]:
    samples = import_module(f"tilewright.ops.{op}.samples")
    more = {"layouts": ("rcr",)} if op == "gemm" else {"layouts": ("nhwgc",), "directions": ("forward",)}
    found: list[Any] = samples.sample_problems(count, 5, [dtype], "cpu" if where == "cpu" else "cuda:0", flops, **more)
    return found


def timed(call: Any) -> tuple[float, Any]:
    begin = time.perf_counter()
    found = call()
    return time.perf_counter() - begin, found


def cost(op: str, dtype: str, where: str, flops: float, count: int, selector: str) -> dict[str, Any]:
    """Times of one case, in microseconds."""
    settings = Settings.from_env(data_dir=tempfile.mkdtemp())  # no measurements, no models of the user's own
    if where == "cpu":
        device = get_backend("cpu").devices(settings)[0]
    else:
        device = replace(nominal_device(where), nominal=False)  # as if it were there: the ledger is kept
    registry, chosen = default_registry(), get_selector(selector, settings)
    times: dict[str, list[float]] = {"list": [], "rank": [], "200": []}
    found = problems(op, dtype, where, flops, WARM + count)
    legal: dict[int, list[Any]] = {}
    for place, problem in enumerate(found):
        listing, legal[place] = timed(lambda problem=problem: registry.legal(problem, device))
        times["list"].append(listing)
    for place, problem in enumerate(found):
        cut, again = legal[place][:CANDIDATES], replace(problem)  # another object: nothing of it is remembered
        ranking, ranked = timed(lambda p=problem, c=legal[place]: chosen.rank(p, c, device)[0])
        short, _ = timed(lambda p=again, c=cut: chosen.rank(p, c, device)[0])
        if place >= WARM:
            times["rank"].append(ranking)
            times["200"] += [short] if len(cut) == CANDIDATES else []
    numbers = [len(c) for c in legal.values()]
    decisions = Decisions(registry, chosen, device)
    decisions.choose(found[0])
    cached = [timed(lambda: [decisions.choose(found[0]) for _ in range(100)])[0] / 100 for _ in range(50)]
    row: dict[str, Any] = {"case": f"{op} {dtype} {device.arch}", "candidates": median(numbers), "by": ranked.reason}
    for name, values in {**times, "cached": cached}.items():
        if values:
            row[name], row[f"{name} least"] = 1e6 * median(values), 1e6 * min(values)
    return row


def first(where: str = "sm_90") -> dict[str, float]:
    """Milliseconds until a model answers for the first time: reading its file, and the C form from the cache."""
    from tilewright.select.scorer import Scorer
    from tilewright.select.shelf import SHIPPED, Shelf

    settings = Settings.from_env()
    read, model = timed(lambda: Shelf([SHIPPED]).find("gemm_16bit", "triton", where))
    Scorer(model, settings, patience=0)
    ready, _ = timed(lambda: Scorer(model, settings))
    return {
        "read model ms": 1e3 * read,
        "ready ms": 1e3 * ready,
        "bytes": sum(p.stat().st_size for p in SHIPPED.iterdir()),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--selector", default="chain")
    parser.add_argument("--count", type=int, default=120)
    parser.add_argument("--only", default="", help="cases whose op, dtype and place hold this, such as 'fp16 sm_90'")
    parser.add_argument("--out", type=Path, help="also as JSON lines")
    args = parser.parse_args()
    print(
        f"{'microseconds':24} {'candidates':>10} {'list':>8} {'rank':>15} {'rank of 200':>15} {'cached':>8}  chosen by"
    )
    rows = []
    for case in (c for c in CASES if args.only in " ".join(c[:3])):
        row = cost(*case, args.count, args.selector)
        rows.append(row)
        rank, short = (f"{row[n]:.0f} (least {row[f'{n} least']:.0f})" if n in row else "-" for n in ("rank", "200"))
        print(f"{row['case']:24} {row['candidates']:10.0f} {row['list']:8.0f} {rank:>15} {short:>15}", end=" ")
        print(f"{row['cached']:8.2f}  {row['by']}", flush=True)
    print("first answer of a shipped model:", {k: round(v, 1) for k, v in first().items()})
    if args.out:
        args.out.write_text("".join(json.dumps(row) + "\n" for row in rows))


if __name__ == "__main__":
    main()
