"""The convolution kernels and problems of the GPU bench: what is offered, what is legal, and building it."""

from __future__ import annotations

import json
import multiprocessing
import time
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, replace
from functools import cache
from pathlib import Path

from gpu_space import nominal_h200, selector_of  # first, for the path to the package

from tilewright.arch import get_arch
from tilewright.backends.triton.conv import OP
from tilewright.model.kernel import Candidate, KernelSpec, Launch
from tilewright.model.kernel_set import expand
from tilewright.ops import get_op, problem_from_dict
from tilewright.settings import Settings

HERE = Path(__file__).resolve().parent
ARCH = "sm_90"
PER_PIPELINE = {"gemm": 4, "hopper": 5, "thin": 4, "implicit": 5, "window": 6, "depthwise": 6, "strip": 6}
BESIDE_WINDOWS = 2  # implicit kernels that are tried where windows serve


def load_problems(path=None):
    path = Path(path) if path else HERE / "problems" / "conv_gpu.jsonl"
    return [problem_from_dict(json.loads(line)) for line in path.read_text().splitlines() if line.strip()]


@cache
def offered(signature):
    """Every kernel that the backend's default sets offer for a signature."""
    sets = [s for s in OP.default_sets() if s.takes(signature, ARCH)]
    arch = get_arch(ARCH)
    specs = [x for s in sets for x in expand(s, arch, signature, OP.algorithm, OP.tunables(), OP.rules).specs]
    return tuple({s.digest: s for s in specs}.values())


def legal_candidates(problem, device, selector="analytical"):
    """Candidates of a problem by a selector (by default the cost model), best first."""
    arch = get_arch(ARCH)
    found = [
        Candidate(spec, launch)
        for spec in offered(problem.signature)
        if not OP.check(spec, arch, problem)
        for launch in OP.launches(spec, problem, device)
    ]
    on_gpu = replace(problem, device="cuda:0")
    return [r.candidate for r in selector_of(selector).rank(on_gpu, found, device)]


def entry_of(place, candidate, problem, device):
    """A candidate of the plan as plain data."""
    seconds = OP.predict(candidate, problem, device)
    launch = asdict(candidate.launch)
    return {"place": place, "spec": candidate.spec.to_dict(), "launch": launch, "predicted_us": round(seconds * 1e6, 3)}


def short_list(ranked):
    """(place in the ranking, candidate) of the first and of the best ones of each pipeline that differ in more than
    alignment."""
    seen, counts, chosen = set(), {}, []
    windows = any(c.spec.algorithm.pipeline in ("window", "depthwise", "strip") for c in ranked)
    for place, c in enumerate(ranked):
        a = c.spec.algorithm
        splits = sum(1 for key in seen if key[1] == _shape(a))
        key = (c.launch, _shape(a))
        limit = PER_PIPELINE[a.pipeline]
        if windows and a.pipeline == "implicit":
            limit = min(limit, BESIDE_WINDOWS)
        if place and (key in seen or splits >= 2 or counts.get(a.pipeline, 0) >= limit):
            continue
        seen.add(key)
        counts[a.pipeline] = counts.get(a.pipeline, 0) + 1
        chosen.append((place, c))
    return chosen


def _shape(a):
    """What tells kernels apart beside what they promise about alignment and channels."""
    return (a.pipeline, a.inner, a.tile_m, a.tile_n, a.tile_k, a.warps, a.span, a.sum, a.merge, a.split, a.consumers,
            a.store if a.pipeline == "hopper" else "", a.stages if a.pipeline == "thin" else 0)  # fmt: skip


def make_plan(problems, path, selector):
    """Write the short list of every problem; answers it."""
    device = nominal_h200()
    plan = []
    for p in problems:
        ranked = legal_candidates(p, device, selector)
        plan.append([entry_of(place, c, p, device) for place, c in short_list(ranked)])
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(plan))
    return plan


def candidate_of(data):
    """The candidate of one entry of a plan."""
    return Candidate(spec_from(data["spec"]), Launch(**{k: tuple(v) if isinstance(v, list) else v
                                                        for k, v in data["launch"].items()}))  # fmt: skip


def spec_from(data):
    signature = get_op("conv").signature_from_dict(data["signature"])
    return KernelSpec("conv", "triton", data["arch"], signature, OP.algorithm_from_dict(data["algorithm"]))


def build(specs, folder, workers, seconds):
    """Compile what is not there yet, for at most `seconds`."""
    folder.mkdir(parents=True, exist_ok=True)
    todo = [s for s in specs if not (folder / s.digest[:16] / "kernel.json").exists()]
    begin, failed = time.time(), 0
    pool = ProcessPoolExecutor(workers, mp_context=multiprocessing.get_context("spawn"))
    futures = [(s, pool.submit(build_one, s.to_dict(), str(folder / s.digest[:16]))) for s in todo]
    for spec, future in futures:
        try:
            future.result(timeout=max(0.1, begin + seconds - time.time()))
        except Exception as error:
            failed += 1
            if failed < 9:
                print("not built:", spec.name, type(error).__name__, str(error)[-300:], flush=True)
    pool.shutdown(wait=False, cancel_futures=True)
    for process in list((pool._processes or {}).values()):
        process.terminate()
    print(f"built {len(todo) - failed} of {len(todo)} in {time.time() - begin:.1f} s, {workers} workers", flush=True)


def build_one(data, folder):
    from tilewright.backends.triton.compile_job import run

    path = Path(folder)
    path.mkdir(exist_ok=True)
    run(json.loads(OP.request(spec_from(data), Settings()).inputs["job.json"]), path)
    for assembly in path.glob("*.ptx"):
        assembly.unlink()
