"""Launches of new sizes come from traced ones: byte for byte those that would be prepared for the size itself."""

from __future__ import annotations

import ctypes
import gc
import hashlib
import os
import random
from importlib import import_module
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from tilewright.arch import get_nominal_devices
from tilewright.backends import get_backend_op
from tilewright.backends.gpu import launch_template, launches, workspace_pool
from tilewright.backends.gpu import stage as stages
from tilewright.backends.gpu.call import SIZES, GpuKernel, Recorder
from tilewright.backends.gpu.cuda_driver import ENCODE_ARGUMENTS, INVALID_CONTEXT, CudaDriver, LaunchConfig
from tilewright.backends.gpu.launch_template import TemplateStage, _TemplateCall
from tilewright.backends.gpu.launches import STAND_IN, stand_ins_for
from tilewright.backends.triton.conv.algorithm import gemm_spec
from tilewright.errors import LaunchError
from tilewright.model.kernel import Candidate, Launch
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
    "attention of 72 columns": ({"op": "fmha", "family": "fwd", "batch": 2, "heads_q": 4, "hdim_q": 72,
                                 "dtype": "fp16"}, ("seqlen_q", "seqlen_k")),
}  # fmt: skip
LAYERS: dict[str, dict[str, Any]] = {  # in all three directions: each kind has another way to its launches
    "1x1": {"input": [14, 14], "filter": [1, 1]},
    "1x1 stride 2": {"input": [28, 28], "filter": [1, 1], "stride": 2},
    "1x1x1": {"input": [8, 14, 14], "filter": [1, 1, 1]},
    "1x1 channels first": {"input": [28, 28], "filter": [1, 1], "layout": "ngchw"},
    "1d": {"input": [300], "filter": [3], "pad": 1},
    "3d": {"input": [8, 14, 14], "filter": [3, 3, 3], "pad": 1},
    "depthwise": {"g": 64, "input": [28, 28], "filter": [3, 3], "pad": 1},
    "channels first": {"input": [28, 28], "filter": [3, 3], "pad": 1, "layout": "ngchw"},
}
FAMILIES |= {
    f"conv {name} {direction}": (
        {"op": "grouped_conv", "direction": direction, "c": 64, "k": 64, "dtype": "fp16", **layer}, ("n",)
    )
    for name, layer in LAYERS.items()
    for direction in ("forward", "backward_data", "backward_weight")
}  # fmt: skip


UNTRACED = {"conv 1x1 channels first backward_weight"}  # prepared anew for each size


def problem_of(family: str, size: int) -> Any:
    fields, varying = FAMILIES[family]
    return problem_from_dict({**fields, **dict.fromkeys(varying, size), "device": "cuda:0"})


def views_of(problem: Any) -> dict[str, TensorView]:
    """Views with made-up addresses; only their alignment is read."""
    return {
        role: TensorView(i << 32, "fp16", (1,), (1,), "cuda:0", False)
        for i, role in enumerate(get_op(problem.op).roles(problem), 1)
    }


LAUNCH = ctypes.CFUNCTYPE(ctypes.c_int, *(ctypes.c_void_p,) * 4)
MOVE = ctypes.CFUNCTYPE(ctypes.c_int, *(ctypes.c_void_p,) * 2)
ENCODE = ctypes.CFUNCTYPE(ctypes.c_int, *ENCODE_ARGUMENTS)


class Driver(CudaDriver):
    """A driver without a GPU: it notes launches, and a tensor map is its address and a digest of its description."""

    ordinal = 0

    def __init__(self) -> None:
        self.pid, self._maps = os.getpid(), {}
        self.kernels: list[GpuKernel] = []
        self.launched: list[Any] = []
        self.refused: list[int] = []  # codes that the next calls return
        self._functions = LAUNCH(self._note), MOVE(self._move), ENCODE(self._describe)
        self.launch = self._functions[0]
        self._lib, self._encode = SimpleNamespace(cuTensorMapReplaceAddress=self._functions[1]), self._functions[2]
        self.entries = tuple(ctypes.cast(f, ctypes.c_void_p).value or 0 for f in self._functions)

    def load(self, path: Path, name: str, shared: int) -> int:
        return 1 + next(i for i, kernel in enumerate(self.kernels) if kernel.meta["name"] == name)

    def attribute(self, _: str) -> int:
        return 132

    def describe(self, code: int) -> str:
        return "it was told to"

    def entered(self, code: int) -> bool:
        return code == INVALID_CONTEXT

    def _note(self, config: int, function: int, params: int, extra: Any) -> int:
        if self.refused:
            return self.refused.pop()
        kernel, c = self.kernels[function - 1], LaunchConfig.from_address(config)
        at = (ctypes.c_void_p * len(kernel.offsets)).from_address(params)
        sizes = [*(SIZES[kind] for _, kind, _ in kernel.slots), 8, 8]
        held = [ctypes.string_at(where, size) for where, size in zip(at, sizes, strict=True)]
        more = [bytes(c.attributes[i]) for i in range(c.attribute_count)]
        self.launched.append((kernel.meta["name"], [*c.grid], [*c.block], c.shared, c.stream, more, held))
        return 0

    def _move(self, at: int, address: int) -> int:
        ctypes.memmove(at, address.to_bytes(8, "little"), 8)
        return 0

    def _describe(self, into: int, kind: int, rank: int, address: int, *more: int) -> int:
        if self.refused:
            return self.refused.pop()
        sizes, strides, box, steps, *rest = more
        held = [(sizes, 8 * rank), (strides, 8 * (rank - 1)), (box, 4 * rank), (steps, 4 * rank)]
        text = repr((kind, rank, [ctypes.string_at(at, size) for at, size in held], rest))
        ctypes.memmove(into, address.to_bytes(8, "little") + hashlib.blake2b(text.encode()).digest(), 72)
        return 0


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

    def learn(self, recorded: Any, driver: Driver) -> None:
        for launch in recorded:
            if not isinstance(launch.kernel, GpuKernel):
                args = [argument(path, value) for path, value in launch.values.items()]
                meta = {"schema": 1, "global_scratch": 0, "profile_scratch": 0, "args": args,
                        "name": f"{launch.kernel} {len(driver.kernels)}", "threads": 128, "shared": 4096, "pdl": True,
                        "cluster": 2}  # fmt: skip
                self._known[launch.kernel] = GpuKernel(Path("nowhere"), "kernel.cubin", meta)
                driver.kernels.append(self._known[launch.kernel])

    def load(self, driver: Any) -> None:
        pass


def argument(path: str, value: Any) -> dict[str, Any]:
    if not isinstance(value, dict):
        return {"path": path, "kind": kind_of(value)}
    box = [16] * len(value["shape"])
    return {"path": path, "kind": "tensormap", "element_bytes": 2, "element_type": 6, "swizzle": 3, "box": box}


def kind_of(value: Any) -> str:
    if isinstance(value, float):
        return "fp64"
    return "pointer" if value >= min(STAND_IN, SPACE) else "i64"


def launched(call: Any, driver: Driver, roles: int) -> Any:
    """All that launches on two sets of tensors hand to the driver."""
    driver.launched = []
    made = call._launches(SPACE, 7)
    for first in (3 << 44, 5 << 44):
        made.run(7, *(first + (i << 36) for i in range(roles)))
    return driver.launched


def staged(candidate: Candidate, problem: Any, kernels: Kernels) -> TemplateStage:
    op = get_backend_op("triton", problem.op)

    def make(twin: Any) -> Any:
        (stage,) = op.stages(candidate, twin, kernels, Settings()) or ()
        return stage

    return TemplateStage(candidate, problem, kernels, make)


def prepared(candidate: Candidate, problem: Any, kernels: Kernels) -> tuple[bool, Any, Any]:
    """Whether a template was used; the launches by it, and those of the problem itself."""
    views, stage, driver = views_of(problem), staged(candidate, problem, kernels), stages.driver_for(kernels, "cuda:0")
    kernels.learn(stage.own.prepare(Recorder(driver), stand_ins_for(views), SPACE), driver)
    call, own = stage.call(views), stage.own.call(views)
    assert (call._space is None) == (own._space is None) == (not stage.workspace_bytes)
    found = [launched(c, driver, len(views)) for c in (call, own)]
    return isinstance(call, _TemplateCall), *found


def test_few_templates_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(launch_template, "MAX_TEMPLATES", 4)
    kernels = SimpleNamespace(shapes={}, runtime="cuda")
    monkeypatch.setattr(launch_template, "driver_for", lambda *_: SimpleNamespace(ordinal=0))
    own = SimpleNamespace(call=lambda views: "own")
    most = 0
    for n in range(8, 20):
        p = problem_from_dict({"op": "gemm", "m": 8, "n": n, "k": 8, "dtype": "fp16"})
        candidate = SimpleNamespace(spec=SimpleNamespace(name="any"), launch=Launch())
        assert TemplateStage(candidate, p, kernels, lambda _: own).call({}) == "own"  # type: ignore[arg-type]
        most = max(most, len(kernels.shapes))
    assert most == 4


def compare(family: str, kernels_each: int, sizes_each: int, seed: int, **fields: Any) -> int:
    """Return how many launches came from templates; every one is what it must be. `fields` are those of kernels."""
    draw, registry, used, compared = random.Random(seed), default_registry(["triton"]), 0, 0
    limit = 96 if family.startswith("conv") else 2000
    able = registry.legal(problem_of(family, limit // 2), H200)
    able = [c for c in able if all(getattr(c.spec.algorithm, name) == value for name, value in fields.items())]
    for candidate in draw.sample(able, min(kernels_each, len(able))):
        is_product = candidate.spec.algorithm.pipeline == "gemm" and family.startswith("conv")
        spec = gemm_spec(candidate.spec) if is_product else candidate.spec
        kernels = Kernels(spec, import_module(f"tilewright.backends.triton.{spec.op}.lower").jobs_of(spec))
        for size in [limit // 2, limit // 2 + 1, *(draw.randint(2, limit) for _ in range(sizes_each)), 2 * limit]:
            problem = problem_of(family, size)
            if candidate not in registry.legal(problem, H200):
                continue
            by_template, got, want = prepared(candidate, problem, kernels)
            assert got
            assert got == want, (candidate.spec.name, candidate.launch, problem.label())
            used += by_template
            compared += 1
    assert compared, f"no kernel computes {family} with {fields}"
    return used


@pytest.fixture(autouse=True)
def driver(monkeypatch: pytest.MonkeyPatch) -> Driver:
    driver = Driver()
    for module in (launch_template, stages):
        monkeypatch.setattr(module, "driver_for", lambda kernels, place: driver)
    return driver


@pytest.mark.parametrize("family", FAMILIES)
def test_launches_of_new_sizes_are_the_same(family: str) -> None:
    assert (compare(family, 3, 8, 0) > 0) == (family not in UNTRACED)


@pytest.mark.parametrize("direction", ["forward", "backward_data", "backward_weight"])
def test_a_layer_that_is_a_product_has_templates_too(direction: str) -> None:
    assert compare(f"conv 1x1 {direction}", 3, 8, 0, pipeline="gemm") > 0


def test_what_only_turns_read_ties_no_launch_to_a_size() -> None:
    """The first two sizes make the template, which holds for the last one, of 4,000 rows, too."""
    assert compare("attention backward", 1, 0, 0, pipeline="hopper", share=False) == 1


def test_a_comparison_of_nothing_is_noticed() -> None:
    with pytest.raises(AssertionError, match="no kernel computes gemm"):
        compare("gemm", 3, 8, 0, pipeline="none of them")


def test_tensor_maps_of_copies_in_the_workspace_are_the_same() -> None:
    """The copy of B has one shape for all sizes, but where it is depends on the workspace and on the copy of A."""
    assert compare("gemm bias", 3, 8, 0, operands="staged") > 0


def shaped_call(driver: Driver, size: int) -> Any:
    """Launches of a product by a template."""
    problem = problem_of("gemm", 1000)
    legal = default_registry(["triton"]).legal(problem, H200)
    candidate = next(c for c in legal if c.spec.algorithm.pipeline == "hopper" and not c.spec.algorithm.split)
    kernels = Kernels(candidate.spec, import_module("tilewright.backends.triton.gemm.lower").jobs_of(candidate.spec))
    for m in (1000, 1001):
        prepared(candidate, problem_of("gemm", m), kernels)
    driver.launched = []
    problem = problem_of("gemm", size)
    return staged(candidate, problem, kernels).call(views_of(problem))


def test_a_refused_tensor_map_is_reported_with_its_numbers(driver: Driver) -> None:
    call = shaped_call(driver, 1100)
    driver.refused = [1]
    with pytest.raises(LaunchError, match=r"shape \[1, 1100, 256\], strides in bytes \[563200, 512\].*CUDA error 1"):
        call.run_pointers(1 << 44, 2 << 44, 3 << 44)
    assert not driver.launched
    call.run_pointers(1 << 44, 2 << 44, 3 << 44)
    assert len(driver.launched) == 1


@pytest.mark.parametrize("prepared_before", [False, True], ids=["tensor map", "launch"])
def test_a_missing_context_is_made_current_and_the_driver_is_asked_again(driver: Driver, prepared_before: bool) -> None:
    call, addresses = shaped_call(driver, 1200), (1 << 44, 2 << 44, 3 << 44)
    if prepared_before:
        call.run_pointers(*addresses)
    driver.refused = [INVALID_CONTEXT]
    call.run_pointers(*addresses)
    assert driver.launched
    assert all(launch == driver.launched[0] for launch in driver.launched)


def test_a_refused_launch_is_reported_by_its_kernel(driver: Driver) -> None:
    call = shaped_call(driver, 1300)
    call.run_pointers(1 << 44, 2 << 44, 3 << 44)
    driver.refused = [700]
    with pytest.raises(LaunchError, match=r"cannot launch .*CUDA error 700"):
        call.run_pointers(1 << 44, 2 << 44, 3 << 44)


@pytest.mark.parametrize("by_template", [True, False])
def test_a_workspace_lives_as_long_as_the_launches_in_c(
    driver: Driver, by_template: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A memo in C may have the launches when everything else has forgotten them."""
    freed = list[int]()
    driver.allocate, driver.free = lambda size: SPACE, freed.append  # type: ignore[method-assign, assignment]
    monkeypatch.setattr(workspace_pool, "_known", {})
    monkeypatch.setattr(launches, "stream_lookup", lambda: None)
    legal = default_registry(["triton"]).legal(problem_of("gemm", 100), H200)
    candidate = next(c for c in legal if c.launch.split_k > 1)
    kernels = Kernels(candidate.spec, import_module("tilewright.backends.triton.gemm.lower").jobs_of(candidate.spec))
    for m in (100, 101):
        prepared(candidate, problem_of("gemm", m), kernels)
    views = views_of(problem_of("gemm", 102))
    stage = staged(candidate, problem_of("gemm", 102), kernels)
    call = (stage if by_template else stage.own).call(views)
    assert isinstance(call, _TemplateCall) == by_template
    in_c = call.in_c()
    del stage, call
    gc.collect()
    in_c.run(0, *(view.address for view in views.values()))
    assert not freed
    del in_c
    gc.collect()
    assert freed == [SPACE]


@pytest.mark.exhaustive
@pytest.mark.parametrize("family", FAMILIES)
def test_launches_of_many_new_sizes_are_the_same(family: str) -> None:
    assert (compare(family, 60, 40, 1) > 0) == (family not in UNTRACED)
