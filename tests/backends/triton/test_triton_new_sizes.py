"""Launches of new sizes come from traced ones: byte for byte those that would be prepared for the size itself."""

from __future__ import annotations

import ctypes
import hashlib
import random
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from tilewright.arch import get_nominal_devices
from tilewright.backends import get_backend_op
from tilewright.backends.formula_cost import _numbers_of, problem_numbers
from tilewright.backends.gpu import shaped
from tilewright.backends.gpu import stage as stages
from tilewright.backends.gpu.call import GpuKernel, Recorder
from tilewright.backends.gpu.launches import STAND_IN, stand_ins_for
from tilewright.backends.gpu.shaped import ShapedStage, _ShapedCall
from tilewright.backends.triton.gemm import cost
from tilewright.model.extent import Extent
from tilewright.model.kernel import Candidate
from tilewright.model.kernel_family import Twins
from tilewright.model.kin import kin_of
from tilewright.model.tensor import TensorView
from tilewright.ops import get_op, problem_from_dict
from tilewright.registry import default_registry
from tilewright.settings import Settings

H200 = next(d for d in get_nominal_devices("sm_90") if d.name.startswith("H200"))
SPACE = 1 << 41
FAMILIES: dict[str, tuple[dict[str, Any], tuple[str, ...]]] = {  # fields, and those that vary together
    "gemm": ({"op": "gemm", "n": 384, "k": 256, "dtype": "fp16", "layout": "rcr"}, ("m",)),
    "gemm batch": ({"op": "gemm", "n": 64, "k": 128, "batch": 3, "dtype": "bf16", "layout": "rrr"}, ("m",)),
    "gemm bias": ({"op": "gemm", "n": 96, "k": 100, "dtype": "fp16", "epilogue": "Relu",
                   "d": [{"dtype": "fp16", "broadcast": "row"}]}, ("m",)),
    "conv": ({"op": "grouped_conv", "direction": "forward", "c": 64, "k": 64, "input": [28, 28], "filter": [3, 3],
              "pad": 1, "dtype": "fp16"}, ("n",)),
    "conv data": ({"op": "grouped_conv", "direction": "backward_data", "c": 32, "k": 64, "input": [15, 14],
                   "filter": [3, 3], "stride": 2, "pad": 1, "dtype": "fp16"}, ("n",)),
    "conv weight": ({"op": "grouped_conv", "direction": "backward_weight", "g": 8, "c": 64, "k": 64,
                     "input": [14, 14], "filter": [3, 3], "pad": 1, "dtype": "fp16"}, ("n",)),
    "attention": ({"op": "fmha", "family": "fwd", "batch": 2, "heads_q": 8, "heads_kv": 2, "hdim_q": 64,
                   "dtype": "fp16", "mask": "causal_top_left"}, ("seqlen_q", "seqlen_k")),
    "attention backward": ({"op": "fmha", "family": "bwd", "batch": 1, "heads_q": 4, "hdim_q": 128, "dtype": "bf16",
                            "lse": True}, ("seqlen_q", "seqlen_k")),
}  # fmt: skip


def problem_of(family: str, size: int) -> Any:
    fields, varying = FAMILIES[family]
    return problem_from_dict({**fields, **dict.fromkeys(varying, size), "device": "cuda:0"})


def views_of(problem: Any) -> dict[str, TensorView]:
    """Views with made-up addresses; only their alignment is read."""
    return {
        role: TensorView(i << 32, "fp16", (1,), (1,), "cuda:0", False)
        for i, role in enumerate(get_op(problem.op).roles(problem), 1)
    }


class Driver:
    """Takes what a driver takes; a tensor map is a digest of its description."""

    ordinal, ready = 0, "be ready"

    def load(self, *_: Any) -> int:
        return 1

    def launch(self, *_: Any) -> int:
        return 0

    def attribute(self, _: str) -> int:
        return 132

    def encode(self, into: int, meta: Any, address: int, shape: Any, strides: Any, box: Any = None, steps: Any = None):
        text = repr((meta["path"], *map(list, (shape, strides, box or (), steps or ()))))
        ctypes.memmove(into, address.to_bytes(8, "little") + hashlib.blake2b(text.encode()).digest(), 72)


class Kernels:
    """The kernels of an artifact that was never built; they take every parameter that a launch names."""

    def __init__(self, spec: Any, prefixes: Any) -> None:
        self.spec, self.prefixes, self.shapes = spec, tuple(prefixes), dict[Any, list[Any]]()
        self._known: dict[str, GpuKernel] = {}

    def other(self, prefix: str) -> Any:
        return self._known.get(prefix, prefix)

    @property
    def product(self) -> Any:
        return self.other(self.prefixes[0])

    def learn(self, recorded: Any) -> None:
        for launch in recorded:
            if not isinstance(launch.kernel, GpuKernel):
                args = [{"path": path, "kind": kind_of(value)} for path, value in launch.values.items()]
                meta = {"schema": 1, "global_scratch": 0, "profile_scratch": 0, "args": args, "name": launch.kernel,
                        "threads": 128, "shared": 0, "pdl": False}  # fmt: skip
                self._known[launch.kernel] = GpuKernel(Path("nowhere"), "kernel.cubin", meta)

    def load(self, driver: Any) -> None:
        pass


def kind_of(value: Any) -> str:
    if isinstance(value, dict):
        return "tensormap"
    if isinstance(value, float):
        return "fp64"
    return "pointer" if value >= min(STAND_IN, SPACE) else "i64"


def image(calls: Any, cells: Any) -> Any:
    """All that a launch is made of, wherever it is kept."""
    held = [(c.name, ctypes.string_at(c._block, c._size), bytes(c._config.grid), bytes(c._config.block)) for c in calls]
    places = sorted(
        (i, where - call.at(0), role, is_map, behind)
        for where, role, is_map, behind in cells
        for i, call in enumerate(calls)
        if 0 <= where - call.at(0) < call._size
    )
    return held, places


def staged(candidate: Candidate, problem: Any, kernels: Kernels) -> ShapedStage:
    op = get_backend_op("triton", problem.op)

    def make(twin: Any) -> Any:
        (stage,) = op.stages(candidate, twin, kernels, Settings()) or ()
        return stage

    return ShapedStage(candidate, problem, kernels, make)


def prepared(candidate: Candidate, problem: Any, kernels: Kernels) -> tuple[bool, Any, Any]:
    """Whether a template was used; the launches by it, and those of the problem itself."""
    views, stage = views_of(problem), staged(candidate, problem, kernels)
    kernels.learn(stage.own.prepare(Recorder(Driver()), stand_ins_for(views), SPACE))
    call, own = stage.call(views), stage.own.call(views)
    assert (call._space is None) == (own._space is None) == (not stage.workspace_bytes)
    return isinstance(call, _ShapedCall), image(*call._made(SPACE)), image(*own._made(SPACE))


def compare(family: str, kernels_each: int, sizes_each: int, seed: int) -> int:
    """Return how many launches came from templates; every one is what it must be."""
    draw, registry, used = random.Random(seed), default_registry(["triton"]), 0
    limit = 96 if family.startswith("conv") else 2000
    legal = registry.legal(problem_of(family, limit // 2), H200)
    able = [c for c in legal if c.spec.algorithm.pipeline != "gemm"]  # a 1x1 layer as a product is prepared anew
    for candidate in draw.sample(able, min(kernels_each, len(able))):
        jobs = import_module(f"tilewright.backends.triton.{candidate.spec.op}.lower").jobs_of
        kernels = Kernels(candidate.spec, jobs(candidate.spec))
        for size in [limit // 2, limit // 2 + 1, *(draw.randint(2, limit) for _ in range(sizes_each))]:
            problem = problem_of(family, size)
            if candidate not in registry.legal(problem, H200):
                continue
            by_template, got, want = prepared(candidate, problem, kernels)
            assert got == want, (candidate.spec.name, candidate.launch, problem.label())
            used += by_template
    return used


@pytest.fixture(autouse=True)
def _no_gpu(monkeypatch: pytest.MonkeyPatch) -> None:
    driver = Driver()
    for module in (shaped, stages):
        monkeypatch.setattr(module, "driver_for", lambda kernels, place: driver)


@pytest.mark.parametrize("family", FAMILIES)
def test_launches_of_new_sizes_are_the_same(family: str) -> None:
    assert compare(family, 3, 8, 0) > 0


@pytest.mark.exhaustive
@pytest.mark.parametrize("family", FAMILIES)
def test_launches_of_many_new_sizes_are_the_same(family: str) -> None:
    assert compare(family, 60, 40, 1) > 0


@pytest.mark.parametrize("family", FAMILIES)
def test_numbers_of_new_sizes_are_the_same(family: str) -> None:
    draw = random.Random(2)
    for size in [*range(2, 12), *(draw.randint(1, 5000) for _ in range(60))]:
        problem = problem_of(family, size)
        got, want = problem_numbers(problem), _numbers_of(problem.op)(problem)
        assert list(got.items()) == list(want.items()), problem.label()
    kin = kin_of(problem, get_op(problem.op).extents)
    assert kin.memo["numbers"]._code is not None


def test_a_memo_of_launches_keeps_no_extents(monkeypatch: pytest.MonkeyPatch) -> None:
    """It would be asked with plain numbers later, and an extent compares slowly."""
    problem = problem_of("gemm", 200)
    op = get_backend_op("triton", "gemm")
    spec = next(c.spec for c in default_registry(["triton"]).legal(problem, H200) if c.spec.algorithm.split)
    cost._shared.cache_clear()
    twins = Twins(problem, ("m",))
    want = op.launches(spec, twins.new(), H200)
    assert twins.watch.exact or twins.watch.block
    monkeypatch.setattr(Extent, "__eq__", None)
    assert op.launches(spec, problem, H200) == want
    assert cost._shared.cache_info().hits == 1
