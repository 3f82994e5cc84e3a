"""A launch whose tensors move has the parameters of a launch that is prepared for them. Needs no GPU."""

from __future__ import annotations

import ctypes
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

pytest.importorskip("triton")

from tilewright.backends.gpu import launches
from tilewright.backends.gpu import stage as stages
from tilewright.backends.triton.gemm import OP
from tilewright.backends.triton.gemm.algorithm import TritonGemm
from tilewright.jit import Cache, build_one
from tilewright.model.kernel import Candidate, KernelSpec, Launch
from tilewright.model.tensor import TensorView
from tilewright.ops.gemm.problem import GemmProblem
from tilewright.settings import Settings

CASES = {
    "hopper": ({"m": 128, "n": 256, "k": 512}, {"pipeline": "hopper", "warps": 8, "stages": 0}, {}),
    "split": ({"m": 128, "n": 256, "k": 512}, {"pipeline": "hopper", "warps": 8, "stages": 0, "split": True},
              {"split_k": 2}),
    "staged": ({"m": 130, "n": 70, "k": 77}, {"pipeline": "hopper", "warps": 8, "stages": 0, "operands": "staged",
                                             "store": "pointer", "out_buffers": 1}, {}),
    "pointer": ({"m": 65, "n": 33, "k": 64, "d": [{"dtype": "fp16"}]}, {"tile_m": 64, "tile_n": 64}, {}),
}  # fmt: skip
HERE = {"a": 0x7F00_0000_0000, "b": 0x7F00_1000_0000, "out": 0x7F00_2000_0000, "d0": 0x7F00_3000_0000}
THERE = {role: address + 0x5_0000 for role, address in HERE.items()} | {"b": 0x7F00_4000_0000}


class Recorder:
    """Stands in for the driver: keeps the parameters of each launch, and the tensor maps as their addresses."""

    name, ordinal = "recorder", 0
    in_c = False  # launches go through Python

    def __init__(self) -> None:
        self.launches: list[list[bytes]] = []
        self.sizes: dict[str, list[int]] = {}
        self._names: list[str] = []

    def launch(self, config: Any, function: Any, params: Any, extra: Any) -> int:
        sizes = self.sizes[self._names[function.value - 1]]
        self.launches.append([ctypes.string_at(params[i], n) for i, n in enumerate(sizes)])
        return 0

    def load(self, path: Path, name: str, shared: int) -> int:
        self._names.append(name)
        return len(self._names)

    def allocate(self, size: int) -> int:
        return 0x6000_0000

    def free(self, address: int) -> None:
        """Nothing is held."""

    def encode(self, into: int, meta: Any, address: int, shape: list[int], strides: list[int]) -> None:
        ctypes.memmove(into, repr((shape, strides)).encode().ljust(120)[:120] + address.to_bytes(8, "little"), 128)

    def move_map(self, tensor_map: int, address: int) -> None:
        ctypes.memmove(tensor_map + 120, address.to_bytes(8, "little"), 8)


class CRecorder(Recorder):
    """A recorder whose launches come from the C launcher."""

    in_c = True

    def __init__(self) -> None:
        super().__init__()
        pointer = ctypes.c_void_p
        self._launch = ctypes.CFUNCTYPE(ctypes.c_int, pointer, pointer, ctypes.POINTER(pointer), pointer)(self._record)
        self._move = ctypes.CFUNCTYPE(ctypes.c_int, pointer, pointer)(lambda at, to: self.move_map(at, to) or 0)
        launch, move = (ctypes.cast(f, pointer).value or 0 for f in (self._launch, self._move))
        self.entries = (launch, move)

    def _record(self, config: Any, function: int, params: Any, extra: Any) -> int:
        return self.launch(config, ctypes.c_void_p(function), params, extra)


def without_launcher(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(launches, "launcher", lambda: SimpleNamespace(module=None))


@pytest.fixture(scope="module")
def cache() -> Cache:
    return Cache.from_settings(Settings.from_env())


@pytest.mark.parametrize("make", [Recorder, CRecorder])
@pytest.mark.parametrize("case", CASES)
def test_moving_equals_preparing(
    cache: Cache, case: str, make: type[Recorder], monkeypatch: pytest.MonkeyPatch
) -> None:
    from tilewright.backends.gpu.call import SIZES

    sizes, fields, launch = CASES[case]
    problem = GemmProblem.from_dict({"dtype": "fp16", **sizes})
    spec = KernelSpec("gemm", "triton", "sm_90", problem.signature, TritonGemm(**fields))
    kernel = OP.load(spec, build_one(OP.request(spec, cache.settings), cache))
    driver = make()
    monkeypatch.setattr(stages, "driver_for", lambda kernel, ordinal: driver)
    monkeypatch.setattr(launches, "stream_lookup", lambda: None)
    if not driver.in_c:
        without_launcher(monkeypatch)
    (stage,) = OP.stages(Candidate(spec, Launch(**launch)), problem, kernel, cache.settings)
    roles = {role: HERE[role] for role in problem.roles}

    def views(addresses: dict[str, int]) -> dict[str, TensorView]:
        return {r: TensorView(addresses[r], "fp16", (8, 8), (8, 1), "cuda:0", False) for r in roles}

    metas = [kernel.other(prefix).meta for prefix in kernel.prefixes]
    driver.sizes = {meta["name"]: [SIZES[a["kind"]] for a in meta["args"]] for meta in metas}
    call = stage.call(views(HERE))
    for addresses in (HERE, THERE, HERE):
        driver.launches.clear()
        call.run_pointers(*(addresses[r] for r in roles))
        moved = list(driver.launches)
        driver.launches.clear()
        stage.bind(views(addresses))(0)
        assert moved == driver.launches
        assert moved


def test_the_alignment_of_the_tensors_is_kept(cache: Cache, monkeypatch: pytest.MonkeyPatch) -> None:
    """A staged kernel has a copy kernel for each alignment: the one that fits must be prepared."""
    sizes, fields, _ = CASES["staged"]
    problem = GemmProblem.from_dict({"dtype": "fp16", **sizes, "k": 80, "alignment": {"a": 2, "b": 2, "out": 2}})
    spec = KernelSpec("gemm", "triton", "sm_90", problem.signature, TritonGemm(**fields))
    kernel = OP.load(spec, build_one(OP.request(spec, cache.settings), cache))
    driver, opened = Recorder(), []
    driver.sizes = {kernel.other(prefix).meta["name"]: [] for prefix in kernel.prefixes}
    monkeypatch.setattr(stages, "driver_for", lambda kernel, ordinal: driver)
    monkeypatch.setattr(launches, "stream_lookup", lambda: None)
    without_launcher(monkeypatch)
    (stage,) = OP.stages(Candidate(spec, Launch()), problem, kernel, cache.settings)
    for shift in (0, 2):
        addresses = {r: HERE[r] + shift for r in problem.roles}
        views = {r: TensorView(x, "fp16", (8, 8), (8, 1), "cuda:0", False) for r, x in addresses.items()}
        call = stage.call(views)
        other = kernel.other
        monkeypatch.setattr(kernel, "other", lambda prefix, other=other: opened.append(prefix) or other(prefix))
        call.run_pointers(*addresses.values())
        monkeypatch.setattr(kernel, "other", other)
    assert [*dict.fromkeys(p for p in opened if p.startswith("stage"))] == ["stage16", "stage1"]


def test_a_convolution_that_is_a_product_moves_like_one(cache: Cache, monkeypatch: pytest.MonkeyPatch) -> None:
    """A 1x1 layer is prepared once: its call is a function of addresses in the order of the convolution's roles."""
    from tilewright.backends.gpu.call import SIZES
    from tilewright.backends.triton.conv import OP as CONV
    from tilewright.dispatcher import nominal_device
    from tilewright.ops.conv.problem import ConvProblem
    from tilewright.registry import default_registry
    from tilewright.select import get_selector

    fields = {"n": 2, "g": 1, "c": 64, "k": 64, "input": [8, 8], "filter": [1, 1], "dtype": "fp16", "layout": "nhwgc"}
    problem = ConvProblem.from_dict({"direction": "forward", **fields, "device": "cuda:0"})
    ranked = default_registry().select(problem, get_selector("analytical"), nominal_device("sm_90"))
    spec = next(r.candidate.spec for r in ranked if r.candidate.spec.algorithm.pipeline == "gemm")
    kernel = CONV.load(spec, build_one(CONV.request(spec, cache.settings), cache))
    driver = CRecorder()
    monkeypatch.setattr(stages, "driver_for", lambda kernel, ordinal: driver)
    monkeypatch.setattr(launches, "stream_lookup", lambda: None)
    (stage,) = CONV.stages(Candidate(spec, Launch()), problem, kernel, cache.settings)
    driver.sizes = {m["name"]: [SIZES[a["kind"]] for a in m["args"]] for m in [kernel.product.meta]}
    at = {"input": 0x7F00_0000_0000, "weight": 0x7F00_1000_0000, "output": 0x7F00_2000_0000}
    views = {r: TensorView(x, "fp16", (8, 8), (8, 1), "cuda:0", False) for r, x in at.items()}
    stage.call(views).run_pointers(*at.values())
    moved = list(driver.launches)
    driver.launches.clear()
    stage.bind(views)(0)
    assert moved == driver.launches
    assert moved
