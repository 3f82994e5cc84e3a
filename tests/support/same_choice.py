"""C++ and Python choose the same kernel, with the same launch and the same parameters, for random problems.

    python tests/support/same_choice.py --problems 1000 --jobs 2       every case; prints one line for each
    python tests/support/same_choice.py --only triton --problems 100

Problems come in rounds of 100. Each round has kernels of its own: for each problem its best ones by predicted time and
others at random. The tests of bundles run the first problems of some cases.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import struct
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass, replace
from math import isclose
from pathlib import Path
from typing import Any
from unittest.mock import patch

from bundle_cases import GPU_RANDOM, RANDOM, Selection, built_library

from tilewright.backends import get_backend_op
from tilewright.backends.ck_tile.conv import launch as ck_conv_launch
from tilewright.backends.ck_tile.gemm import launch as ck_gemm_launch
from tilewright.backends.gpu.launches import ELSEWHERE
from tilewright.backends.product_rules import PRODUCTS
from tilewright.backends.triton.conv import launch as conv_launch
from tilewright.backends.triton.conv.algorithm import gemm_spec
from tilewright.backends.triton.conv.pipelines import pipeline_of
from tilewright.backends.triton.fmha import launch as fmha_launch
from tilewright.backends.triton.fmha.lower import jobs_of
from tilewright.backends.triton.gemm import launch as gemm_launch
from tilewright.cpp import engine
from tilewright.cpp.gpu import StandIn, recorded
from tilewright.cpp.selection import backend_parts
from tilewright.dispatcher import nominal_device
from tilewright.errors import TilewrightError
from tilewright.model.device import Device
from tilewright.model.kernel import Candidate, KernelSpec
from tilewright.ops import get_op, problem_from_dict
from tilewright.plan.plan import launch_values
from tilewright.registry import Registry, default_registry
from tilewright.registry.entry import Entry
from tilewright.select import get_selector
from tilewright.select.learned import Learned
from tilewright.select.model_directory import SHIPPED, ModelDirectory
from tilewright.settings import Settings

ROUND = 100  # problems that share kernels
BEST, OTHERS, MOST = 4, 6, 24  # kernels of a problem: the best and others at random; and of all with its signature
CPU_ARCHS, TRITON_ARCHS, CK_ARCHS = ("x86_64_amx", "aarch64_sve"), ("sm_80", "sm_90", "gfx942", "gfx1100"), ("gfx942",)
Drawn = list[tuple[dict[str, Any], Any]]


@dataclass(frozen=True)
class Case:
    """Kernels of a backend on an arch, and the selector that ranks them."""

    op: str
    backend: str
    arch: str
    selector: str = "cost"

    def __str__(self) -> str:
        return f"{self.op}-{self.backend}-{self.arch}-{self.selector}"

    @property
    def device(self) -> Device:
        return nominal_device(self.arch)

    def python_selector(self) -> Any:
        return (
            Learned(ModelDirectory([SHIPPED])) if self.selector == "learned" else get_selector("analytical", Settings())
        )


OPS = tuple(RANDOM)
CASES = (
    *(Case(op, "cpu", arch) for arch in CPU_ARCHS for op in OPS),
    *(Case(op, "triton", arch) for arch in TRITON_ARCHS for op in OPS),
    *(Case(op, "ck_tile", arch) for arch in CK_ARCHS for op in backend_parts("ck_tile").PARTS),
    Case("gemm", "triton", "sm_90", "learned"),
    Case("conv", "triton", "sm_90", "learned"),
    Case("gemm", "cpu", "x86_64_amx", "learned"),
    Case("conv", "cpu", "x86_64_amx", "learned"),
)
# A rule that was once evaluated too far: a convolution whose pixels are not the rows of one matrix is no product.
HARD: dict[tuple[str, str], list[dict[str, Any]]] = {
    ("conv", "cpu"): [
        {"op": "conv", "direction": d, "n": 2, "c": 64, "k": 32, "input": [7, 5], "filter": [1, 1], "layout": "ngchw",
         "dtype": "bf16"}
        for d in ("forward", "backward_weight")
    ]
}  # fmt: skip


def drawn(case: Case, seed: int) -> Iterator[tuple[dict[str, Any], Any]]:
    """Yield random legal problems, the hard ones first."""
    if case.selector == "cost" and seed == 0:
        for data in HARD.get((case.op, case.backend), ()):
            yield data, problem_from_dict(data)
    rng, draw = random.Random(seed), (RANDOM if case.backend == "cpu" else GPU_RANDOM)[case.op]
    while True:
        data = draw(rng)
        try:
            yield data, problem_from_dict(data)
        except TilewrightError:
            continue


def preselected(case: Case) -> Registry:
    """Return the kernels that ship preselected: fewer than all, so they are found sooner."""
    registry = Registry("preselected")
    for kernel_set in get_backend_op(case.backend, case.op).kernel_sets():
        registry.declare(kernel_set)
    return registry


def round_of(case: Case, count: int, seed: int, every: Registry | None = None) -> tuple[Drawn, Registry]:
    """Return problems that some kernel runs (and, of learned models, that a model predicts), and kernels for them.

    Kernels are taken from `every`, by default from all of the backend.
    """
    every, device, rng = every or default_registry([case.backend]), case.device, random.Random(seed + 1)
    learned = case.python_selector() if case.selector == "learned" else None
    problems, chosen, of_signature = Drawn(), dict[str, KernelSpec](), dict[Any, int]()
    for data, problem in drawn(case, seed):
        if learned is not None and learned.silent(problem, case.backend, device):
            continue
        specs = list({r.candidate.spec.digest: r.candidate.spec for r in every.select(problem, None, device)}.values())
        specs = [s for s in specs if not backend_parts(case.backend).refusal(s)]
        if not specs:
            continue
        wanted = [*specs[:BEST], *rng.sample(specs, min(OTHERS, len(specs)))]
        if of_signature.get(problem.signature, 0) >= MOST:  # enough of them, if one runs this problem
            wanted = [] if any(s.digest in chosen for s in specs) else specs[:1]
        if case.op == "gemm" and case.backend == "ck_tile":  # the default kernels have none that stay on their units
            wanted += [replace(s, algorithm=replace(s.algorithm, persistent=True)) for s in wanted[:1]]
        new = {s.digest: s for s in wanted if s.digest not in chosen}
        of_signature[problem.signature] = of_signature.get(problem.signature, 0) + len(new)
        chosen |= new
        problems.append((data, problem))
        if len(problems) == count:
            break
    registry = Registry("random")
    registry.take([Entry(spec, 0, "") for spec in chosen.values()])
    return problems, registry


@dataclass(frozen=True)
class Outcome:
    """What was compared."""

    problems: int
    kernels: int
    distinct: int  # kernels that were chosen
    by_trees: int = 0  # choices that trees of a model decided


def compare(case: Case, count: int, library: Path, seed: int = 0, every: Registry | None = None) -> Outcome:
    """Compare one round; raise `AssertionError` with the first problem that is answered differently."""
    problems, registry = round_of(case, count, seed, every)
    specs = [e.spec for e in registry.entries()]
    settings, device, selector = Settings(), case.device, case.python_selector()
    selection = Selection(specs, settings, library, case.backend)
    if case.selector == "learned":
        selection.learn(case.backend, case.arch, [case.op])
    request = {"device": device.to_dict(), "selector": case.selector, "order": list(range(len(specs))), "threads": 2}
    digests, by_trees = set(), 0
    for given, problem in problems:
        best = registry.select(problem, selector, device)[0]
        ok, answer = selection.ask("choose", {**request, "problem": given})
        assert ok, (given, answer)
        assert specs[answer["kernel"]].digest == best.candidate.spec.digest, given
        assert engine.launch_of(answer["launch"]) == best.candidate.launch, given
        check_time(case, best, answer, given)
        CHECKS[case.backend](problem, best.candidate, answer, device)
        digests.add(best.candidate.spec.digest)
        by_trees += answer["reason"].startswith("learned: model")
    return Outcome(len(problems), len(specs), len(digests), by_trees)


def check_time(case: Case, best: Any, answer: Any, given: Any) -> None:
    """The predicted time is the same; NumPy adds the prices of learned models in another order."""
    if case.selector == "learned":
        assert isclose(answer["seconds"], best.seconds, rel_tol=1e-9), given
        assert best.reason.startswith(answer["reason"]), given
    else:
        assert (answer["seconds"], answer["reason"]) == (best.seconds, best.reason), given


def check_abi(problem: Any, candidate: Candidate, answer: Any, device: Device) -> None:
    """The values of the C ABI are those of a plan in Python."""
    if getattr(candidate.spec.algorithm, "pipeline", "") in PRODUCTS:
        return  # a product: its values are those of another op
    op = get_op(problem.op)
    abi = op.abi_for(problem)
    assert answer["sizes"] == list(op.sizes(problem))
    assert answer["scalars"] == list(op.scalars(problem))
    assert answer["slots"] == {r: abi.slot(r) for r in op.roles(problem)}
    assert answer["strides"] == {str(abi.slot(r)): list(op.strides(problem, r)) for r in op.roles(problem)}
    assert answer["values"] == launch_values(candidate, problem, candidate.launch.threads or 2)


class Kernels(StandIn):
    """Kernels that are not compiled: their launches are recorded."""

    @property
    def prefixes(self) -> tuple[str, ...]:
        return tuple(jobs_of(self.spec))


def own_spec(spec: KernelSpec) -> KernelSpec:
    """Return the spec that a kernel was built from: a convolution may be a product over the same memory."""
    return spec if spec.op != "conv" or pipeline_of(spec.algorithm).own else gemm_spec(spec)


def check_launches(problem: Any, candidate: Candidate, answer: Any, device: Device) -> None:
    """Workspace, kernels, grids and parameters are those of the stage that Python runs."""
    kernels = Kernels(own_spec(candidate.spec), device.units)
    at = {row["role"]: row["address"] for row in answer["roles"]}
    with ExitStack() as patches:
        for module in (gemm_launch, conv_launch, fmha_launch):
            patches.enter_context(patch.object(module, "gpu_call", recorded))
        (made,) = get_backend_op("triton", problem.op).stages(candidate, problem, kernels, Settings()) or ()
        stage: Any = getattr(made, "own", made)  # not one that is prepared like those of other sizes
        inner = getattr(stage, "_inner", None)
        if inner is not None:
            at = {gemm: at[conv] for gemm, conv in stage._roles.items()}
        prepared = (inner or stage).prepare(kernels, at, answer["workspace_address"])
    assert answer["workspace"] == stage.workspace_bytes, problem
    assert answer["launches"] == json.loads(json.dumps(prepared)), problem


class CkRecords:
    """Stands for the loaded kernels, the argument library and the driver of CK Tile: launches are recorded."""

    folder, blocks = Path(), 3

    def __init__(self, spec: KernelSpec, units: int) -> None:
        self.spec, self._units = spec, units

    def function(self, driver: Any, instance: str) -> str:
        return instance

    def units(self) -> int:
        return self._units

    def blocks_per_unit(self, function: Any, threads: int) -> int:
        return self.blocks

    def library(self, spec: KernelSpec, folder: Path) -> Any:
        return self

    def conv(self, sizes: Any, tensors: Any, split_k: int) -> tuple[Any, Any]:
        return {"sizes": list(sizes), "tensors": list(tensors), "split_k": split_k, "elsewhere": ELSEWHERE}, None

    @staticmethod
    def call(driver: Any, name: str, function: str, grid: Any, block: int, argument: Any) -> dict[str, Any]:
        return {"kernel": function, "grid": grid and list(grid), "threads": block, "argument": argument}

    @staticmethod
    def clear(driver: Any, address: int, pitch: int, width: int, rows: int) -> dict[str, Any]:
        return {"clear": {"address": address, "pitch": pitch, "width": width, "rows": rows}}


def ck_launch(row: Any, units: int) -> dict[str, Any]:
    """Return a launch of an answer as `CkRecords` records it: with the bytes of the argument and the grid."""
    if "clear" in row:
        return dict(row)
    if "made_by" in row:
        return {"kernel": row["kernel"], "grid": None, "threads": row["threads"], "argument": row["made_by"]}
    kinds = "".join({"pointer": "Q", "i32": "i", "i64": "q"}[kind] for kind, _ in row["packed"])
    packed = struct.pack(f"<{kinds}", *(number for _, number in row["packed"]))
    packed += bytes(-len(packed) % 8)
    grid = row["grid"]
    if "most_blocks" in row:
        grid = [min(units * CkRecords.blocks, row["most_blocks"]), 1, 1]
    return {"kernel": row["kernel"], "grid": grid, "threads": row["threads"], "argument": packed}


def check_ck_launches(problem: Any, candidate: Candidate, answer: Any, device: Device) -> None:
    """Workspace, device kernels, grids and arguments are those of the stage that Python runs."""
    kernels = CkRecords(candidate.spec, device.units)
    at = {row["role"]: row["address"] for row in answer["roles"]}
    with ExitStack() as patches:
        for module in (ck_gemm_launch, ck_conv_launch):
            patches.enter_context(patch.object(module, "CodeCall", kernels.call))
            patches.enter_context(patch.object(module, "ClearCall", kernels.clear))
        patches.enter_context(patch.object(ck_conv_launch, "ArgumentLibrary", kernels.library))
        (stage,) = get_backend_op("ck_tile", problem.op).stages(candidate, problem, kernels, Settings()) or ()
        space = answer["workspace_address"] if stage.workspace_bytes else 0
        prepared = stage.prepare(kernels, at, space)  # type: ignore[attr-defined]
    assert answer["workspace"] == stage.workspace_bytes, problem
    assert [ck_launch(row, device.units) for row in answer["launches"]] == prepared, problem


CHECKS = {"cpu": check_abi, "triton": check_launches, "ck_tile": check_ck_launches}


def one_round(case: Case, count: int, seed: int) -> tuple[Case, Outcome | str, float]:
    """Return the outcome of one round or what differs, and its CPU seconds."""
    start = time.process_time()
    try:
        found: Outcome | str = compare(case, count, built_library(Settings.from_env()), seed)
    except AssertionError as error:
        found = f"differs: {error}"
    return case, found, time.process_time() - start


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--problems", type=int, default=1000, help="problems of each case")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--only", default="", help="cases whose name contains this text, such as triton or learned")
    parser.add_argument("--out", type=Path, help="also write the lines as JSON")
    args = parser.parse_args()
    cases = [case for case in CASES if args.only in str(case)]
    sizes = [min(ROUND, args.problems - first) for first in range(0, args.problems, ROUND)]
    built_library(Settings.from_env())
    results: dict[Case, list[Any]] = {case: [] for case in cases}
    with ProcessPoolExecutor(args.jobs) as pool:
        jobs = [pool.submit(one_round, case, size, seed) for case in cases for seed, size in enumerate(sizes)]
        for job in jobs:
            case, found, seconds = job.result()
            results[case].append((found, seconds))
            if len(results[case]) == len(sizes):
                print(line_of(case, results[case]), flush=True)
    if args.out:
        rows = [row_of(case, found) for case, found in results.items()]
        args.out.write_text(json.dumps(rows, indent=1) + "\n")
    return any(isinstance(found, str) for rows in results.values() for found, _ in rows)


def row_of(case: Case, rows: list[Any]) -> dict[str, Any]:
    """Return the sums of a case's rounds."""
    same = [found for found, _ in rows if isinstance(found, Outcome)]
    return {
        "case": str(case),
        "problems": sum(o.problems for o in same),
        "kernels": sum(o.kernels for o in same),
        "chosen": sum(o.distinct for o in same),
        "by trees": sum(o.by_trees for o in same),
        "differences": [found for found, _ in rows if isinstance(found, str)],
    }


def line_of(case: Case, rows: list[Any]) -> str:
    row, seconds = row_of(case, rows), sum(s for _, s in rows)
    said = f"{row['case']:34} {row['problems']:5} problems {row['kernels']:5} kernels {row['chosen']:5} chosen"
    told = "".join(f"\n  {text}" for text in row["differences"])
    return f"{said} {len(row['differences'])} rounds differ {seconds:6.1f} s{told}"


if __name__ == "__main__":
    sys.exit(main())
