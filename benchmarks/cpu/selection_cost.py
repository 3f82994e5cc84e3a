"""What a selection costs: a problem never seen before (cold), and one that was decided already (cached). Needs no GPU.

    python benchmarks/cpu/selection_cost.py
    python benchmarks/cpu/selection_cost.py --selector analytical --count 60

Cold is a problem that this process has not seen, after it has selected others of the same signature: kernels are
expanded, the model is loaded and its C form built. `list` finds the legal candidates by rules and launches, `rank` is
the selector alone on them (features, model or cost model, choice), `whole` both and the problem's key. `200` ranks
exactly 200 candidates, of problems that have so many, in five rounds. All are measured problem after problem.
`cached` asks for a decision again. Medians over problems; on a busy machine see `least` too.
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
ROUNDS = 5  # through the problems with 200 candidates, each time as a problem never seen before
DIRECTIONS = ("forward", "backward_data", "backward_weight")
CASES = (  # (op, direction, dtype, where, problems of at most so many flop)
    ("gemm", "", "bf16", "cpu", 2.5e8),
    ("gemm", "", "fp32", "cpu", 2.5e8),
    *(("conv", direction, "fp32", "cpu", 4e8) for direction in DIRECTIONS),
    ("gemm", "", "fp16", "sm_90", 4e11),
    *(("conv", direction, "fp16", "sm_90", 6e10) for direction in DIRECTIONS),
)


def problems(op: str, direction: str, dtype: str, where: str, flops: float, count: int) -> list[Any]:
    samples = import_module(f"tilewright.ops.{op}.samples")
    more = {"layouts": ("rcr",)} if op == "gemm" else {"layouts": ("nhwgc",), "directions": (direction,)}
    found: list[Any] = samples.sample_problems(count, 5, [dtype], "cpu" if where == "cpu" else "cuda:0", flops, **more)
    return found


def timed(call: Any) -> tuple[float, Any]:
    begin = time.perf_counter()
    found = call()
    return time.perf_counter() - begin, found


def cost(
    op: str, direction: str, dtype: str, where: str, flops: float, count: int, selector: str
) -> dict[str, Any]:  # fmt: skip
    """Return the times of one case, in microseconds."""
    settings = Settings.from_env(data_dir=tempfile.mkdtemp())  # no measurements, no models of the user's own
    if where == "cpu":
        device = get_backend("cpu").devices(settings)[0]
    else:
        device = replace(nominal_device(where), nominal=False)  # as if it were there: the ledger is kept
    registry, chosen = default_registry(), get_selector(selector, settings)
    times: dict[str, list[float]] = {"list": [], "rank": [], "whole": [], "200": []}
    found = problems(op, direction, dtype, where, flops, WARM + count)
    legal: list[list[Any]] = []
    for place, sampled in enumerate(found):
        problem = replace(sampled)  # another object: what the sampler asked for is not remembered
        naming, _ = timed(lambda p=problem: p.exact_key)
        listing, candidates = timed(lambda p=problem: registry.legal(p, device))
        ranking, ranked = timed(lambda p=problem, c=candidates: chosen.rank(p, c, device)[0])
        legal.append(candidates)
        if place >= WARM:
            times["list"].append(listing)
            times["rank"].append(ranking)
            times["whole"].append(naming + listing + ranking)
    enough = [(p, c[:CANDIDATES]) for p, c in list(zip(found, legal, strict=True))[WARM:] if len(c) >= CANDIDATES]
    for problem, candidates in [(replace(p), c) for _ in range(ROUNDS) for p, c in enough]:
        times["200"].append(timed(lambda p=problem, c=candidates: chosen.rank(p, c, device)[0])[0])
    numbers = [len(c) for c in legal]
    decisions = Decisions(registry, chosen, device)
    decisions.choose(found[0])
    cached = [timed(lambda: [decisions.choose(found[0]) for _ in range(100)])[0] / 100 for _ in range(50)]
    case = " ".join(filter(None, (op, direction, dtype, device.arch)))
    row: dict[str, Any] = {"case": case, "candidates": median(numbers), "by": ranked.reason}
    for name, values in {**times, "cached": cached}.items():
        if values:
            row[name], row[f"{name} least"] = 1e6 * median(values), 1e6 * min(values)
    return row


def first(where: str = "sm_90") -> dict[str, float]:
    """milliseconds until a model first gives a result: reading its file, and the C form from the cache."""
    from tilewright.select.compiled import CompiledModel
    from tilewright.select.model_directory import SHIPPED, ModelDirectory
    from tilewright.select.scorer import Scorer

    settings = Settings.from_env()
    read, model = timed(lambda: ModelDirectory([SHIPPED]).find("gemm_16bit", "triton", where))
    CompiledModel.of(model, settings)
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
    parser.add_argument("--only", default="", help="cases whose name holds this, such as 'fp16 sm_90'")
    parser.add_argument("--out", type=Path, help="also as JSON lines")
    args = parser.parse_args()
    columns = ("list", "rank", "whole", "200")
    heads = "".join(f"{name:>18}" for name in columns)
    print(f"{'microseconds (least)':36} {'candidates':>10}{heads} {'cached':>8}  chosen by")
    rows = []
    for case in (c for c in CASES if args.only in " ".join(filter(None, c[:4]))):
        row = cost(*case, args.count, args.selector)
        rows.append(row)
        cells = (f"{row[n]:.0f} ({row[f'{n} least']:.0f})" if n in row else "-" for n in columns)
        print(f"{row['case']:36} {row['candidates']:10.0f}", *(f"{cell:>17}" for cell in cells), end=" ")
        print(f"{row['cached']:8.2f}  {row['by']}", flush=True)
    print("first result of a shipped model:", {k: round(v, 1) for k, v in first().items()})
    if args.out:
        args.out.write_text("".join(json.dumps(row) + "\n" for row in rows))


if __name__ == "__main__":
    main()
