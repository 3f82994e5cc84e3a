"""Is the learned selector fit to be the default on an H200? What recorded measurements say, without a GPU.

    python benchmarks/fit/selection_h200.py list      # the shapes compared with cuBLAS, from the sweeps of them
    python benchmarks/fit/selection_h200.py conv      # those compared with cuDNN, the same
    python benchmarks/fit/selection_h200.py vendor    # our kernels and libraries as one list of candidates
    python benchmarks/fit/selection_h200.py unseen    # kernels that a model was not shown: a few minutes of training
    python benchmarks/fit/selection_h200.py hidden    # convolutions where it was shown 40% of the kernels

`list` and `conv` compare the choice of each selector with the best of the sweep's candidates, of which some were timed
with kernels of an earlier day. The cost model's constants were fitted to the sweeps, the models were not. `vendor`
judges the default selection with libraries among the candidates: its first call, which runs on ours, and what the
contest of the first calls leaves, if it sees the times of the sweep. `unseen`
trains on rows without some kernels and judges on held-out problems with all of them: by the model among the kernels it
knows, among all as they are served, and by the cost model.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from tilewright.arch import get_nominal_devices
from tilewright.dispatcher.contest import BETTER, WithLibraries, is_library
from tilewright.ops import problem_from_dict
from tilewright.registry import default_registry
from tilewright.select import get_selector
from tilewright.select.learned import Learned
from tilewright.select.model_directory import SHIPPED, ModelDirectory
from tilewright.settings import Settings
from tilewright.store import read_rows
from tilewright.tune.bench.own import own_kernels_only
from tilewright.tune.learn.dataset import Dataset, datasets_of
from tilewright.tune.learn.evaluate import judge
from tilewright.tune.learn.session import models_of
from tilewright.tune.learn.train import TrainOptions, train
from tilewright.tune.measure.candidates import ranked_for

HERE = Path(__file__).resolve().parents[1]
H200 = next(d for d in get_nominal_devices("sm_90") if d.name.startswith("H200"))
CONV_SWEEPS = ("conv_gpu_h200_sweep", "conv_gpu_h200_selected", "conv_gpu_h200_strips", "conv_gpu_h200")
SWEEPS = ("gemm_gpu_h200_sweep", "gemm_gpu_h200_sweep2")
DATA = HERE / "data" / "gemm_h200.parquet"
GONE = {"tile_n": (16, 64, 128, 256), "tile_k": (128,), "consumers": (2,), "split": (True,), "reduce": ("after",),
        "pipeline": ("hopper",)}  # fmt: skip


def summary(name: str, efficiencies: Any) -> None:
    e = 100 * np.array(efficiencies)
    print(f"{name:34s} {len(e):4d} problems  mean {e.mean():6.2f}  median {np.median(e):6.2f}  ", end="")
    print(f"P10 {np.quantile(e, 0.1):6.2f}  min {e.min():6.2f}", flush=True)


def times_of(candidates: list[list[Any]]) -> dict[tuple[Any, ...], float]:
    """Microseconds by (kernel, split_k, grid): those of the second pass, in which candidates and library took turns.

    Times of candidates that ran in the first pass only are put on the scale of the second one, by the median of those
    that ran in both: few replays run at a higher clock, 4096 x 4096 x 4096 in 182 us instead of 214.
    """
    both = [us / quick for *_, quick, us, _ in candidates if us]
    scale = float(np.median(both)) if both else 1.0
    found = {}
    for name, split, grid, quick, us, other in candidates:
        found[name, split, grid] = min(x for x in (us or quick * scale, other) if x)
    return found


def listed(_: argparse.Namespace) -> None:
    registry = default_registry()
    selectors = {"analytical": get_selector("analytical"), "learned": Learned(ModelDirectory([SHIPPED]))}
    for sweep in SWEEPS:
        lines = (HERE / "results" / f"{sweep}.jsonl").read_text().splitlines()[1:]
        efficiencies: dict[str, list[float]] = {name: [] for name in selectors}
        for line in lines:
            row = json.loads(line)
            problem, times = problem_from_dict({**row["problem"], "device": "cuda:0"}), times_of(row["candidates"])
            for selector, found in efficiencies.items():
                labels = ((c.spec.algorithm.label(), c.launch.split_k, (*c.launch.grid, 0)[0])
                          for c in ranked_for(problem, H200, selectors[selector], registry))  # fmt: skip
                first = next((x for x in labels if x in times), None)
                if first is not None:
                    found.append(min(times.values()) / times[first])
        for selector, found in efficiencies.items():
            summary(f"{sweep} {selector}", found)


def convolutions(_: argparse.Namespace) -> None:
    registry = default_registry()
    selectors = {"analytical": get_selector("analytical"), "learned": Learned(ModelDirectory([SHIPPED]))}
    efficiencies: dict[tuple[str, str], list[float]] = {}
    for problem, times in measured_convolutions():
        for name, selector in selectors.items():
            found_by = ranked_for(problem, H200, selector, registry)
            labels = ((c.spec.algorithm.label(), c.launch.split_k) for c in found_by)
            first = next((x for x in labels if x in times), None)
            if first is not None:
                efficiencies.setdefault((problem.direction, name), []).append(min(times.values()) / times[first])
    for (direction, name), found in efficiencies.items():
        summary(f"{direction} {name}", found)


def measured_convolutions() -> list[tuple[Any, dict[tuple[str, int], float]]]:
    """Return (problem, microseconds by (kernel, split_k) of every candidate that was right); the latest count."""
    found: dict[str, tuple[Any, dict[tuple[str, int], float]]] = {}
    for name in CONV_SWEEPS:
        for line in (HERE / "results" / f"{name}.jsonl").read_text().splitlines():
            row = json.loads(line)
            problem = problem_from_dict({**row["problem"], "device": "cuda:0"})
            _, times = found.setdefault(problem.tuning_key, (problem, {}))
            for c in row["candidates"]:
                microseconds = c.get("us") or c.get("quick_us")
                if microseconds and c["error"] <= 1:
                    times[c["algorithm"], c["launch"]["split_k"]] = microseconds
    return [pair for pair in found.values() if pair[1]]


def with_libraries(_: argparse.Namespace) -> None:
    """Compare the choice among our kernels and those of libraries with the best of all."""
    import torch  # noqa: F401  (its kernels are candidates once it is there)

    selector = WithLibraries(Learned(ModelDirectory([SHIPPED])), Settings.from_env(vendor=True))
    registry = default_registry(vendor=True)
    found: dict[tuple[str, str], list[float]] = {}
    alone: dict[str, int] = {}
    for problem, times, theirs, picked in measured_with_library():
        ranked = ranked_for(problem, H200, selector, registry)
        labels = [(c.spec.algorithm.label(), c.launch.split_k, (*c.launch.grid, 0)[0]) for c in ranked]
        chosen = picked or next((x for x in labels if x in times), None)
        if chosen is None:
            continue
        if picked is None:  # kernels that a sweep tried, but that are no candidates today, cannot be chosen
            times = {x: times[x] for x in labels if x in times}
        if not any(is_library(c) for c in ranked):  # attention's backward pass, for instance: theirs is no candidate
            theirs = float("inf")
            alone[problem.op] = alone.get(problem.op, 0) + 1
        mine, best = times[chosen], min(*times.values(), theirs)
        is_open = selector.open_case(problem, H200, ranked[0]) is not None
        settled = theirs if is_open and theirs < BETTER * mine else mine
        for state, microseconds in (("first call", mine), ("after the contest", settled)):
            found.setdefault((f"{problem.op} {problem.variant}", state), []).append(best / microseconds)
    for (name, state), efficiencies in found.items():
        summary(f"{name} {state}", efficiencies)
    print("problems that no library's kernel takes:", alone)


def measured_with_library() -> Iterator[tuple[Any, dict[Any, float], float, Any]]:
    """Yield (problem, our times by candidate, the best library's time, the candidate chosen then if it was noted)."""
    for sweep in SWEEPS:
        for line in (HERE / "results" / f"{sweep}.jsonl").read_text().splitlines()[1:]:
            row = json.loads(line)
            problem = problem_from_dict({**row["problem"], "device": "cuda:0"})
            yield problem, times_of(row["candidates"]), row["torch_us"], None
    libraries = {}
    for name in CONV_SWEEPS:
        for line in (HERE / "results" / f"{name}.jsonl").read_text().splitlines():
            row = json.loads(line)
            libraries[problem_from_dict({**row["problem"], "device": "cuda:0"}).tuning_key] = row["torch_us"]
    for problem, times in measured_convolutions():
        if libraries[problem.tuning_key]:
            by_launch = {(label, split, 0): us for (label, split), us in times.items()}
            yield problem, by_launch, libraries[problem.tuning_key], None
    for name in ("fmha_gpu", "fmha_gpu_backward"):
        for line in (HERE / "results" / f"{name}.jsonl").read_text().splitlines():
            row = json.loads(line)
            own = {k: s for k, s in row["seconds"].items() if k in row["errors"]}
            theirs = [s for k, s in row["seconds"].items() if k not in own]
            if row["picked"] in own and theirs:
                yield problem_from_dict({**row["problem"], "device": "cuda:0"}), own, min(theirs), row["picked"]


def without(data: Dataset, field: str, value: Any) -> Dataset:
    """Return the dataset as if kernels with that value of a field had never been measured."""
    left = [
        replace(m, rows=[r for r in m.rows if getattr(r.candidate.spec.algorithm, field) != value])
        for m in data.problems
    ]
    return Dataset(data.family, data.backend, data.op, data.arch, [m for m in left if m.best < float("inf")])


class Known(Learned):
    """The model's order of the kernels that it was shown; the others after them."""

    name = "known only"

    def rank(self, problem: Any, candidates: Any, device: Any) -> Any:
        model = self.models.find("gemm_16bit", "triton", "sm_90")
        mine = [c for c in candidates if model.covers(c.spec)]
        return [*super().rank(problem, mine, device), *super().rank(problem, candidates, device)]


def unseen(args: argparse.Namespace) -> None:
    [data] = datasets_of(read_rows(DATA))
    out = data.held_out(0.4)
    kept, judged = data.part([not x for x in out]), data.part(out)
    for field, values in GONE.items():
        for value in values:
            model = train(without(kept, field, value), TrainOptions(trees=args.trees))
            models = models_of(model)
            for score in judge(judged, [get_selector("analytical"), Known(models), Learned(models)]).values():
                summary(f"without {field}={value}: {score.selector}", score.efficiencies)


def hidden(args: argparse.Namespace) -> None:
    """What models of convolutions do if most kernels are new to them: 60%, by a hash, are not shown."""
    for path in sorted((HERE / "data").glob("conv_*_h200.parquet")):
        [data] = datasets_of(read_rows(path))
        out = data.held_out(0.38)
        kept, judged = data.part([not x for x in out]), data.part(out)
        shown = [replace(m, rows=[r for r in m.rows if int(r.candidate.spec.how[:4], 16) < 0.4 * 2**16])
                 for m in kept.problems]  # fmt: skip
        part = Dataset(data.family, data.backend, data.op, data.arch, [m for m in shown if m.best < float("inf")])
        models = models_of(train(part, TrainOptions(trees=args.trees)))
        for score in judge(judged, [get_selector("analytical"), Learned(models)]).values():
            summary(f"{data.family} {score.selector}", score.efficiencies)


def main() -> None:
    print(own_kernels_only(), file=sys.stderr)
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("list", "conv", "vendor", "unseen", "hidden"))
    parser.add_argument("--trees", type=int, default=150)
    args = parser.parse_args()
    {"list": listed, "conv": convolutions, "vendor": with_libraries, "unseen": unseen, "hidden": hidden}[args.what](
        args
    )


if __name__ == "__main__":
    main()
