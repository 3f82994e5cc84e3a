"""GPU bundles: Python and the translated program choose the same kernel, with the same launches and parameters."""

from __future__ import annotations

import json
import random
import struct
from pathlib import Path
from typing import Any

import pytest
from bundle_cases import GPU_RANDOM, Selection

from tilewright.backends import get_backend_op
from tilewright.backends.ck_tile.gemm import preselected_kernels
from tilewright.backends.ck_tile.gemm.instances import instance_of
from tilewright.backends.ck_tile.gemm.launch import arguments as ck_arguments
from tilewright.backends.triton.conv import launch as conv_launch
from tilewright.backends.triton.fmha import launch as fmha_launch
from tilewright.backends.triton.fmha.lower import jobs_of
from tilewright.backends.triton.gemm import launch as gemm_launch
from tilewright.cpp import engine
from tilewright.cpp.gpu import StandIn, recorded
from tilewright.dispatcher import nominal_device
from tilewright.errors import TilewrightError
from tilewright.model.kernel import Candidate
from tilewright.ops import problem_from_dict
from tilewright.registry import Registry, default_registry
from tilewright.registry.entry import Entry
from tilewright.select import get_selector
from tilewright.settings import Settings

pytestmark = pytest.mark.xdist_group("bundle")
DEFAULT = default_registry(["triton"])


class Kernels(StandIn):
    """Kernels that are not compiled: their launches are recorded."""

    @property
    def prefixes(self) -> tuple[str, ...]:
        return tuple(jobs_of(self.spec))


def legal(op: str, count: int, device: Any) -> list[tuple[dict[str, Any], Any]]:
    rng, found = random.Random(7), list[tuple[dict[str, Any], Any]]()
    while len(found) < count:
        data = GPU_RANDOM[op](rng)
        try:
            problem = problem_from_dict(data)
        except TilewrightError:
            continue
        if DEFAULT.select(problem, None, device):
            found.append((data, problem))
    return found


def registry_of(problems: list[Any], device: Any) -> Registry:
    """A registry of some kernels: of each problem the best, and others at random."""
    rng, specs = random.Random(3), dict[str, Any]()
    for problem in problems:
        ranked = DEFAULT.select(problem, None, device)
        for r in [*ranked[:4], *rng.sample(ranked, min(6, len(ranked)))]:
            specs[r.candidate.spec.digest] = r.candidate.spec
    registry = Registry("random")
    registry.take([Entry(spec, 0, "") for spec in specs.values()])
    return registry


def launches_of(candidate: Candidate, problem: Any, units: int, answer: Any) -> tuple[int, list[Any]]:
    """(workspace bytes, launches) of the stage that Python runs, on the addresses of an answer."""
    kernels = Kernels(candidate.spec, units)
    (stage,) = get_backend_op("triton", problem.op).stages(candidate, problem, kernels, Settings.from_env()) or ()
    at = {row["role"]: row["address"] for row in answer["roles"]}
    inner = getattr(stage, "_inner", None)
    if inner is not None:  # a convolution as a product over the same memory
        at = {gemm: at[conv] for gemm, conv in stage._roles.items()}  # type: ignore[attr-defined]
    prepared: list[Any] = (inner or stage).prepare(kernels, at, answer["workspace_address"])  # type: ignore[union-attr]
    return stage.workspace_bytes, json.loads(json.dumps(prepared))


def compare(op: str, arch: str, count: int, library: Path, patch: pytest.MonkeyPatch) -> None:
    for module in (gemm_launch, conv_launch, fmha_launch):
        patch.setattr(module, "gpu_call", recorded)
    settings, device = Settings.from_env(), nominal_device(arch)
    cases = legal(op, count, device)
    registry, analytical = registry_of([p for _, p in cases], device), get_selector("analytical", settings)
    specs = [e.spec for e in registry.entries()]
    selection = Selection(specs, settings, library, "triton")
    for given, problem in cases:
        best = registry.select(problem, analytical, device)[0]
        order = list(range(len(specs)))
        request = {"problem": given, "device": device.to_dict(), "selector": "cost", "order": order}
        ok, answer = selection.ask("choose", request)
        assert ok, (given, answer)
        assert specs[answer["kernel"]].digest == best.candidate.spec.digest, given
        assert engine.launch_of(answer["launch"]) == best.candidate.launch, given
        assert (answer["seconds"], answer["reason"]) == (best.seconds, best.reason), given
        size, launches = launches_of(best.candidate, problem, device.units, answer)
        assert answer["workspace"] == size, given
        assert answer["launches"] == launches, given


@pytest.mark.parametrize(("op", "arch"), [("gemm", "gfx942"), ("conv", "sm_90"), ("fmha", "sm_90")])
def test_the_same_launches(op: str, arch: str, selection_library: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    compare(op, arch, 3, selection_library, monkeypatch)


@pytest.mark.exhaustive
@pytest.mark.parametrize("arch", ["sm_80", "sm_90", "gfx942"])
@pytest.mark.parametrize("op", list(GPU_RANDOM))
def test_the_same_launches_of_many_problems(
    op: str, arch: str, selection_library: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    compare(op, arch, 1000, selection_library, monkeypatch)


CK_PROBLEMS = [
    {"op": "gemm", "m": m, "n": n, "k": k, "dtype": dtype, "layout": layout}
    for (m, n, k), dtype, layout in [
        ((128, 256, 512), "fp16", "rcr"), ((256, 4096, 4096), "fp16", "rcr"), ((1024, 1024, 128), "fp16", "rcr"),
        ((256, 256, 8192), "fp16", "rcr"),
    ]
]  # fmt: skip


def test_ck_tile_products_have_the_same_arguments(selection_library: Path) -> None:
    settings, device = Settings.from_env(), nominal_device("gfx942")
    analytical = get_selector("analytical", settings)
    few = Registry("few")
    few.take(
        [Entry(s, 0, "") for s in preselected_kernels("fp16_rcr_essential", "gfx942") if not s.algorithm.persistent]
    )
    specs = [e.spec for e in few.entries()]
    selection = Selection(specs, settings, selection_library, "ck_tile")
    splits = set()
    for given in CK_PROBLEMS:
        problem = problem_from_dict(given)
        best = few.select(problem, analytical, device)[0]
        order = list(range(len(specs)))
        request = {"problem": given, "device": device.to_dict(), "selector": "cost", "order": order}
        ok, answer = selection.ask("choose", request)
        assert ok, answer
        launch = engine.launch_of(answer["launch"])
        chosen = (specs[answer["kernel"]].digest, launch, answer["seconds"], answer["reason"])
        assert chosen == (best.candidate.spec.digest, best.candidate.launch, best.seconds, best.reason)
        at = {row["role"]: row["address"] for row in answer["roles"]}
        product = answer["launches"][-1]
        kinds = "".join({"pointer": "Q", "i32": "i"}[kind] for kind, _ in product["packed"])
        packed = struct.pack(f"<{kinds}4x", *(number for _, number in product["packed"]))
        assert packed == bytes(ck_arguments(problem, launch, at))
        assert product["kernel"] == instance_of(best.candidate.spec, problem.k, launch.split_k).name
        splits.add(launch.split_k)
    assert len(splits) > 1


def test_a_described_gpu_is_the_detected_one(selection_library: Path) -> None:
    """The facts of a driver give the same device in C++ as in Python: rated figures of a known model."""
    selection = Selection([], Settings.from_env(), selection_library, "triton")
    facts = {"kind": "cuda", "major": 9, "minor": 0, "units": 132, "clock_khz": 1980000, "memory_clock_khz": 3201000,
             "bus_bits": 6144, "shared_per_unit": 233472, "l2_bytes": 62914560, "name": "NVIDIA H200",
             "memory_bytes": 150000000000}  # fmt: skip
    ok, answer = selection.ask("device", facts)
    assert ok, answer
    assert answer == json.loads(json.dumps(engine.canonical(detected(facts))))
    assert answer["bandwidth_gbps"] == 4800.0
    ok, other = selection.ask("device", {**facts, "major": 10, "name": "Some GPU"})
    assert ok, other
    assert (other["arch"], other["clock_mhz"]) == ("sm_100", 1980.0)


def detected(facts: dict[str, Any]) -> Any:
    from tilewright.backends.gpu.detect import device_of

    return device_of(facts)
